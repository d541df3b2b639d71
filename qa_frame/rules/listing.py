"""The list of all conventions, which users know as `qa_frame.conventions`."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import cast

from qa_frame._names import ConventionName
from qa_frame.checks import find_close_names, is_choice, unknown_option
from qa_frame.errors import UnknownConventionError
from qa_frame.rules import families
from qa_frame.rules.lists_shown import as_html_table, in_lines
from qa_frame.rules.parts import Convention

BEST_KNOWN = (
    "squad", "squad2", "sacrebleu", "hotpotqa", "triviaqa", "nq_open", "drop", "musique", "helm", "hf_bleu",
    "longbench", "rapidfuzz",
)  # fmt: skip
"""The conventions that are named first among those that give the same scores; the others follow by the alphabet."""

ALIASES = {
    "drop_lm_eval": "drop",
    "nolima": "openai_evals_includes",
    "openai_evals_includes_ignore_case": "ruler_part",
}
"""Other names of conventions: sources whose rules are the same as those of a convention that is listed."""


class Conventions(Mapping[str, Convention]):
    """The conventions by name: a read-only mapping, which prints by family. One family prints with what each follows.

    Each value is a `Convention`. Every function that takes `convention=` takes a name from here, or a `Convention`. The
    first one is the default; the others follow by the names of their families. Some sources with the rules of another
    one have names, too, which are not listed: `conventions["nolima"]` is that of `openai_evals_includes`.

    Parameters
    ----------
    conventions : iterable of Convention
        The conventions that are listed first.
    load_others : callable, optional
        Gives the others. It is called when one of them is first asked for, as an import of them all would take time.

    Raises
    ------
    UnknownConventionError
        If no convention has the name. It is a KeyError, too.

    Examples
    --------
    >>> import qa_frame
    >>> "squad" in qa_frame.conventions
    True
    >>> qa_frame.conventions["remem"].metrics
    ('em', 'f1', 'bleu1', 'bleu4')
    >>> print(qa_frame.conventions)  # doctest: +ELLIPSIS
    squad: The SQuAD scripts
        conventions: squad squad2
    evaluation_tools: Tools that test applications of language models
        conventions: autoevals deepeval deepeval_quasi openai_evals_fuzzy_match openai_evals_match
            openai_evals_includes
    ...
    >>> print(qa_frame.conventions.filter(family="memory"))  # doctest: +ELLIPSIS
    locomo
        follows: LoCoMo task_eval/evaluation.py: f1_score
        metrics: f1
        in short: F1 of stems; "and" is an article, too
    ...
    """

    def __init__(
        self, conventions: Iterable[Convention], load_others: Callable[[], Iterable[Convention]] | None = None
    ) -> None:
        self._first = {convention.name: convention for convention in conventions}
        self._load_others = load_others

    @cached_property
    def _by_name(self) -> dict[str, Convention]:
        """All conventions by name, those that are listed first before the others."""
        others = () if self._load_others is None else self._load_others()
        return self._first | {each.name: each for each in others if each.name not in self._first}

    def __getitem__(self, name: str) -> Convention:
        return self.named(name)

    def named(self, name: str, argument: str = "name") -> Convention:
        """Return the convention of a name; UnknownConventionError, which names the argument, if there is none."""
        name = ALIASES.get(name, name) if isinstance(name, str) else name
        known = self._first if is_choice(name, self._first) else self._by_name
        if not is_choice(name, known):
            raise _unknown_convention(argument, name, known)
        return known[name]

    def __iter__(self) -> Iterator[ConventionName]:
        return cast("Iterator[ConventionName]", iter(self._by_name))

    def __len__(self) -> int:
        return len(self._by_name)

    def lists(self, convention: Convention) -> bool:
        """Return whether this very convention is one of them."""
        loaded = vars(self).get("_by_name", self._first)
        return loaded.get(convention.name) is convention

    def filter(self, *, family: str | None = None, language: str | None = None) -> Conventions:
        """Return the conventions of one family or one language, or of both.

        Parameters
        ----------
        family : str, optional
            The group of conventions, as "long_context" or "multilingual"; `Convention.family` has it. None for all.
        language : str, optional
            The language, as `Convention.language` has it: an ISO 639-1 code, or "" for conventions that are made for no
            language in particular; None for all.

        Returns
        -------
        Conventions

        Raises
        ------
        UnknownOptionError
            If no convention has this family or language. The error lists those that there are.

        Examples
        --------
        >>> import qa_frame
        >>> list(qa_frame.conventions.filter(family="squad"))
        ['squad', 'squad2']
        >>> "mindformers" in qa_frame.conventions.filter(language="zh")
        True
        """
        chosen = [*self.values()]
        for field, wanted in (("family", family), ("language", language)):
            if wanted is not None:
                known = sorted({getattr(convention, field) for convention in self.values()})
                if not is_choice(wanted, known):
                    raise unknown_option(field, wanted, known)
                chosen = [convention for convention in chosen if getattr(convention, field) == wanted]
        return Conventions(chosen)

    def _table(self) -> tuple[tuple[str, ...], Sequence[tuple[str, ...]]]:
        """Return the titles of columns and the rows of the table that is shown.

        A row is a family, or a convention where there is only one family.
        """
        names: dict[str, str] = {}
        for convention in self.values():
            names[convention.family] = f"{names.get(convention.family, '')} {convention.name}".lstrip()
        if len(names) > 1:
            return ("family", "conventions"), [(_add_title(family), of_family) for family, of_family in names.items()]
        rows = [(each.name, each.follows, " ".join(each.metrics or ()), each.differs) for each in self.values()]
        return ("convention", "follows", "metrics", "in short"), rows

    def __repr__(self) -> str:
        titles, rows = self._table()
        return "\n".join(in_lines(row[0], *map(": ".join, zip(titles[1:], row[1:], strict=True))) for row in rows)

    def _ipython_key_completions_(self) -> list[str]:
        """Return what IPython proposes after `conventions["`."""
        return list(self)

    def _repr_html_(self) -> str:
        return as_html_table(*self._table())


def _unknown_convention(argument: str, name: object, known: Mapping[str, Convention]) -> UnknownConventionError:
    """Return the error for a name that no convention has. It names the families of conventions with similar names."""
    named_families = {convention.family for convention in known.values()} & {str(name)}
    in_family = named_families or {known[str(each)].family for each in find_close_names(name, [*known])}
    listed_in = "".join(f"family {family!r}; " for family in in_family)
    listed_by = f"qa_frame.conventions ({listed_in}shell: qa-frame conventions)"
    return UnknownConventionError(str(unknown_option(argument, name, known, listed_by=listed_by)))


def title_of_family(family: str) -> str:
    """Return the first words of the docstring of a family's module, or "" where the family is the user's own."""
    module = sys.modules.get(f"{families.__name__}.{family}")
    return re.split("[.,:]", module.__doc__ or "")[0] if module else ""


def _add_title(family: str) -> str:
    return f"{family}: {title_of_family(family)}"


def _load_family(family: str) -> Iterator[Convention]:
    """Yield the conventions that a module of `rules/families` has. The module's name is their family."""
    for value in vars(importlib.import_module(f"{families.__name__}.{family}")).values():
        if isinstance(value, Convention):
            yield replace(value, family=family)


def _load_families() -> Iterator[Convention]:
    """Yield the conventions of all modules of `rules/families`, in the order of the modules' names."""
    for module in sorted(module.name for module in pkgutil.iter_modules(families.__path__)):
        yield from _load_family(module)


_FIRST = tuple(_load_family("squad"))

DEFAULT = _FIRST[0]
"""The convention that scores where no other is named."""

conventions: Conventions = Conventions(_FIRST, _load_families)
"""All conventions by name. A new family is found by its module in `rules/families`."""
