"""Scores that no convention's rules give → the nearest rules of a `Convention` of one's own, as code that makes it."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from qa_frame._typing import Flags, Floats
from qa_frame.errors import MissingPackageError, UnknownOptionError
from qa_frame.ext.conventions.recorded import Recorded
from qa_frame.frames.row_hashes import hash_texts
from qa_frame.frames.text_columns import TextColumns
from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.listing import DEFAULT
from qa_frame.rules.parts import Convention, Empty, ReductionName
from qa_frame.rules.signature import changed_settings, is_part
from qa_frame.scoring.call_rules import make_rules
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import make_plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.text.specification import Blank, Space, Text

_SAMPLED = 150
"""So many rows that the best convention scores as the column does are looked at first, and so many others."""

_ARTICLES = Blank(ARTICLES["en"])
_PARTS: dict[str, tuple[Any, ...]] = {
    "form": ((), ("nfkc",), ("strip",)),
    "case": (("lower",), ("casefold",), ()),
    "articles_first": ((), (_ARTICLES,)),
    "marks": (
        *(("delete_ascii_punctuation",), (Space("ascii_punctuation"),), (Space(".,!?"),), ("delete_punctuation",)),
        *((Space("punctuation"),), ("keep_a_z_0_9",), ("strip_marks",), ()),
    ),
    "articles": ((), (_ARTICLES,)),
    "accents": ((), ("fold_accents",)),
    "stems": ((), ("stem",)),
    "split": ("words", "none", "spaces", "13a", "treebank", "characters", "unicode_words"),
    "counting": ("multiset", "distinct", "set"),
    "empty": (Empty(), Empty(both=1.0), Empty(both=1.0, gold=0.0, pred=0.0), Empty(both=0.0, gold=0.0, pred=0.0)),
}
"""What is tried of each part of a rule: first the steps of a text, in their order, and then other settings."""

Chosen: TypeAlias = tuple[Any, ...]
"""What is chosen of each of `_PARTS`, in their order."""


def find_own_rules(
    texts: TextColumns, recorded: Recorded, metric: str, rules: Mapping[str, Any], is_known: Flags
) -> tuple[str, Floats]:
    """Return the code of the nearest convention of one's own, and its scores of all rows, shape (rows,).

    The search takes some rows. One part of the rules after the other is changed to what makes most scores equal, until
    no change helps. The code needs `import dataclasses, qa_frame`.

    Parameters
    ----------
    texts, recorded
        The predictions and golds of the rows, and their scores.
    metric, rules
        The metric, and the `reduce` and `extract`, which are not sought.
    is_known
        The rows that some convention scores as the column does, shape (rows,).
    """
    order = np.argsort(hash_texts(texts.pred, texts.golds), kind="stable")
    some = np.concatenate([order[is_known[order] == each][:_SAMPLED] for each in (False, True)])
    few = TextColumns(texts.pred.take(pa.array(some)), texts.golds.take(pa.array(some)))

    def score(convention: Convention, texts: TextColumns) -> Floats:
        """Return the scores of these texts by the metric under a convention."""
        plan = make_plan([metric], make_rules(convention=convention, extract=rules["extract"]))
        return score_columns(prepare_predictions(texts, plan), plan, progress=False)[metric]

    @functools.cache
    def distance(chosen: Chosen) -> tuple[float, float]:
        """Return the share of scores that differ, and their mean difference.

        Both are 2 for parts that do not go together.
        """
        try:
            apart = recorded.at(some).differences(score(_convention_of(chosen, metric, rules["reduce"]), few))
        except (MissingPackageError, UnknownOptionError):  # not all parts go together
            return 2.0, 2.0
        return float(np.mean(apart > recorded.tolerance)), float(np.mean(apart))

    firsts = {name: options[0] for name, options in _PARTS.items()}
    starts = ((*(firsts | {"counting": counting}).values(),) for counting in _PARTS["counting"])
    best = min((_descend(start, distance) for start in starts), key=distance)
    convention = _convention_of(best, metric, rules["reduce"])
    return _code_of(convention, METRICS[metric].family), score(convention, texts)


def _descend(chosen: Chosen, distance: Callable[[Chosen], tuple[float, float]]) -> Chosen:
    """Return the options from which no change of a single part lessens the distance. chosen: those to begin with."""
    before = None
    while chosen != before:
        before = chosen
        for place, options in enumerate(_PARTS.values()):
            others = ((*chosen[:place], option, *chosen[place + 1 :]) for option in options)
            chosen = min([chosen, *others], key=distance)
    return chosen


def _convention_of(chosen: Chosen, metric: str, reduce: ReductionName) -> Convention:
    """Return the default convention with the chosen parts in its rule for the metric."""
    *steps, split, counting, empty = chosen
    family = METRICS[metric].family
    settings = {"text": Text((*itertools.chain(*steps),), split), "empty": empty}
    settings |= {"counting": counting} if family == "overlap" else {}
    return replace(DEFAULT, name="own", reduce=reduce, **{family: replace(getattr(DEFAULT, family), **settings)})


def _code_of(convention: Convention, family: str) -> str:
    """Return the code that makes the convention from the default one. family: the rule in which they differ."""
    names = ("name", family, *(("reduce",) if convention.reduce != DEFAULT.reduce else ()))
    settings = ", ".join(f"{name}={_as_code(getattr(convention, name))}" for name in names)
    return f"dataclasses.replace(qa_frame.conventions[{DEFAULT.name!r}], {settings})"


def _as_code(value: Any) -> str:
    """Return the code that makes a part of a convention, or a setting of a part."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_as_code, value))}{',' * (len(value) == 1)})"
    if not is_part(value):
        return repr(value)
    settings = ", ".join(f"{name}={_as_code(each)}" for name, each in changed_settings(value).items())
    return f"qa_frame.rules.{type(value).__name__}({settings})"
