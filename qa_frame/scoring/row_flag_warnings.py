"""Counts of doubtful rows → sentences: one line each of what was found, in how many rows, and where to read on.

All that scores rows or reads their scores, and `audit` and the report, say it with the sentences of this module.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from qa_frame._typing import Flags, Ints
from qa_frame.errors import ExtractionWarning, GoldFormatWarning, ScoringWarning, show, warn
from qa_frame.frames.diagnosis import SEPARATORS
from qa_frame.rules.listing import DEFAULT, conventions
from qa_frame.rules.parts import Convention
from qa_frame.scoring.chance import is_by_chance
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.pooled import MISSING, NO_GOLD, NOT_EXTRACTED, TRUNCATED
from qa_frame.scoring.row_flags import (
    EMPTY,
    LEAST_ROWS,
    LEAST_SHARE,
    LONGER,
    NULL,
    UNCUT,
    WHOLE_WORDS,
    WITHOUT_NGRAMS,
    RowFlags,
    are_many,
)
from qa_frame.text.tokenisers import packages_needed

FEWEST = 0.01
"""Texts need this share of the rows for a warning; `audit` names many of them from the first row on."""

_METRICS_NAMED = 3

_UNEVEN, _FEWEST_ROWS = 0.2, 10
"""Shares so far apart may decide between two groups. Those of fewer rows are mostly chance."""


def warn_of_counts(counts: RowFlags, plan: Plan, *, gold: Hashable) -> None:
    """Warn of all that makes the scores of these rows doubtful, as their counts tell.

    gold: the column of golds, for the messages.
    """
    warn_of_golds(counts, gold)
    of_all = {name: np.array([n]) for name, n in counts.items() if n and (name == "n_rows" or name in CHECKS)}
    if len(of_all) > 1:
        warn_of_groups(["all"], of_all, plan.metrics, by_chance=is_by_chance(counts), tool=tool_of(plan.convention))


def tool_of(convention: Convention | None) -> str:
    """Return the name of a listed convention that gives a tool's numbers: that of any but the default one.

    Return "" for the default convention, for one that is not listed, and for None.
    """
    is_of_tool = convention is not None and convention != DEFAULT and conventions.lists(convention)
    return convention.name if convention is not None and is_of_tool else ""


# --- golds


def warn_of_golds(counts: RowFlags, gold: Hashable) -> None:
    """Warn of golds that cannot be right as they are.

    They are several golds joined in one text, lists that were written out as text, no letters though responses choose
    letters, or none of the options.
    """
    for text, see in _find_faults_of_golds(counts, gold):
        warn(f"gold={gold!r} {text}", GoldFormatWarning, see=see)


def _find_faults_of_golds(counts: RowFlags, gold: Hashable) -> Iterator[tuple[str, str]]:
    """Yield, for each fault of the golds, what is wrong and what to do, and then a heading of the page of warnings."""
    n = counts["n_gold"]
    for sep in SEPARATORS:
        if 2 * (n_joined := counts[f"n_joined:{sep}"]) > n:
            text = f"has {sep!r} inside the only gold of {show_share(n_joined, n)} rows; if it is several, cut the"
            yield f"{text} column first: qa_frame.to_golds(df[{gold!r}], sep={sep.strip()!r})", "joined-golds"
    if are_many(counts["n_written"], n, FEWEST, 1):
        text = f"has texts that look like lists in {show_share(counts['n_written'], n)} rows; if they are lists, read"
        yield f"{text} the column first: qa_frame.to_golds(df[{gold!r}])", "written-lists"
    if counts["n_choices"] and not counts["n_letters"]:
        text = f"has a letter in 0 of {n:,} rows, and extract= gives the letters of options, none of which can be right"
        yield f"{text}; if golds are texts or numbers of options, give gold_is=", "golds-without-letters"
    elif counts["n_no_option"]:
        text = f"is none of the options in {show_share(counts['n_no_option'], n)} rows, where no response can be right"
        yield text, "golds-beyond-the-options"


def name_metrics(names: Sequence[str]) -> str:
    """Return a text of the first metrics, and how many more there are: "em and f1", "em, f1, bleu and 2 more"."""
    n_left = len(names) - _METRICS_NAMED
    first, last = (names[:_METRICS_NAMED], [f"{n_left} more"]) if n_left > 1 else (names[:-1], names[-1:])
    return " and ".join(filter(None, [", ".join(first), *last]))


def convention_of_every_script() -> tuple[str, str]:
    """Return the name of the convention that finds words in every script, and the text that advises to use it.

    The text names the package to install, if that is missing.
    """
    texts = ((name, each.overlap.text) for name, each in conventions.items() if each.overlap)
    name, text = next((name, text) for name, text in texts if text.split == "unicode_words")
    package, extra = packages_needed(text)[0]
    installing = "" if find_spec(package) else f" (pip install 'qa-frame[{extra}]')"
    return name, f"convention={name!r}, which sees every script{installing}"


# --- groups of rows


@dataclass(frozen=True, slots=True)
class GroupCheck:
    """A kind of rows that makes the scores of a group doubtful where the group has many of them.

    Attributes
    ----------
    count
        Its count in a summary, or in `counts` of `describe_groups`: a flag of `FLAGS`, or another count.
    what
        What is so in these rows.
    see
        The heading of the page of warnings.
    effect
        What this does to the metrics that it spoils. `{}` stands for these, then for those that it leaves alone.
    spoils, spares
        The metrics that it spoils, and those that it leaves alone. A call that shows none of the first gets
        no sentence. A check that spoils none is about all scores.
    least
        A warning needs this share of a group's rows.
    least_rows
        A warning needs so many such rows in a group.
    category
        The class of the warning.
    """

    count: str
    what: str
    see: str
    effect: str = ""
    spoils: tuple[str, ...] = ()
    spares: tuple[str, ...] = ()
    least: float = LEAST_SHARE
    least_rows: int = LEAST_ROWS
    category: type[Warning] = ScoringWarning

    def has_many(self, counts: Mapping[str, Ints]) -> Flags:
        """Return which groups have so many of these rows that it is worth a sentence. counts: as in `describe_groups`.

        Fewer than `LEAST_ROWS` rows of a group count only where all groups together have many: else a summary would say
        of one row of a small group what `score` does not say of the same rows.
        """
        n_rows = counts["n_rows"]
        n = counts.get(self.count, 0 * n_rows)
        least_rows = self.least_rows if n.sum() >= self.least * n_rows.sum() else max(self.least_rows, LEAST_ROWS)
        has_many: Flags = are_many(n, n_rows, self.least, least_rows)
        return has_many

    def effect_on(self, spoiled: Sequence[str], metrics: Sequence[str], tool: str) -> str:
        """Return how the sentence ends: with what these rows do to the metrics shown, with a question, or with "".

        spoiled: those of `metrics`, the metrics shown, that the check spoils. tool: as in `describe_groups`.
        """
        spared = [name for name in metrics if name in self.spares] or self.spares[:1]
        is_one = len(spoiled) == 1
        return self.effect.format(
            name_metrics(spoiled),
            name_metrics(spared),
            count="counts" if is_one else "count",
            do="does" if len(spared) == 1 else "do",
            have="has" if is_one else "have",
            compare="compares" if is_one else "compare",
            remedy=_find_remedy(tool, is_of_letters=self.count == EMPTY) if "{remedy}" in self.effect else "",
        )


_OF_WORDS = tuple(name for name, metric in METRICS.items() if not metric.ignores_length)
_OF_TEXTS = tuple(name for name, metric in METRICS.items() if metric.family in WHOLE_WORDS)
_OF_NGRAMS = tuple(name for name in METRICS if name not in _OF_TEXTS)
_WHICH = "; is {}= the right column?"
_CUT = "were cut off at a limit of length, so that scores say what fitted in, not what would have been said"
_NOTHING = "have a gold of which no token is left"
_COUNTED = ". {} {count} these words against them; {} {do} not"
_BLIND = ". {} {have} nothing to compare there{remedy}"
_UNCUT = ". {} {compare} whole runs of characters{remedy}"
_MORE_THAN_MANY = math.nextafter(LEAST_SHARE, 1)

GROUP_CHECKS = (
    GroupCheck(NULL, "are missing predictions", "null-predictions", _WHICH.format("pred"), least=1,
               least_rows=10),
    GroupCheck(NO_GOLD, "have no gold, and so no score", "no-golds", _WHICH.format("gold"), least=1,
               least_rows=10),
    GroupCheck(NOT_EXTRACTED, "are missing predictions, as extract= finds no answer in them",
               "no-answers", least=_MORE_THAN_MANY, least_rows=1, category=ExtractionWarning),
    GroupCheck(TRUNCATED, _CUT, "cut-off-responses"),
    GroupCheck(LONGER, "contain a gold and at least twice as many other words",
               "golds-in-longer-answers", _COUNTED, _OF_WORDS, ("recall", "contains")),
    GroupCheck(EMPTY, _NOTHING, "empty-golds", _BLIND, _OF_TEXTS, (), FEWEST, 1),
    GroupCheck(WITHOUT_NGRAMS, _NOTHING, "unseen-scripts", _BLIND, _OF_NGRAMS),
    GroupCheck(UNCUT, "score 0 though they are like the gold, in a script without spaces",
               "uncut-scripts", _UNCUT, ("em", "precision", "recall", "f1"), ("contains",), FEWEST, 1),
)  # fmt: skip
"""All that is worth a sentence of shares of rows: the table of flags."""

CHECKS = {check.count: check for check in GROUP_CHECKS}
"""The same by count."""

BY_CHANCE = (
    "{}. Golds such as yes, no or A are inside answers by chance: extract the answer first, as with "
    "extract='answer_is|all'"
)
"""The sentence of golds in longer answers where golds of other rows are inside them, too."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence about groups whose scores are doubtful, without a full stop, and the check that found them."""

    text: str
    check: GroupCheck

    def warn(self) -> None:
        """Give the sentence as a warning."""
        warn(self.text, self.check.category, see=self.check.see)


def describe_groups(
    labels: Sequence[Any],
    counts: Mapping[str, Ints],
    metrics: Sequence[str] = (),
    *,
    by_chance: bool = False,
    tool: str = "",
) -> list[Sentence]:
    """Return a sentence for each check that finds groups with many rows that make their scores doubtful.

    Parameters
    ----------
    labels
        What the groups are called. A single one is not named.
    counts
        The counts of rows that are known, by name, shape (groups,): "n_rows" for all rows, and others.
    metrics
        The metrics whose scores are shown. Only these are said to be spoiled.
    by_chance
        Whether golds are inside longer answers by chance (see `is_by_chance`).
    tool
        The name of the convention, where it gives a tool's numbers (see `tool_of`).
    """
    if MISSING in counts:
        counts = {**counts, NULL: counts[MISSING] - counts.get(NOT_EXTRACTED, 0)}
    sentences = []
    for check in GROUP_CHECKS:
        spoiled = [name for name in metrics if name in check.spoils]
        has_many = check.has_many(counts)
        if (check.spoils and not spoiled) or not has_many.any():
            continue
        subject, others = name_groups(labels, counts[check.count], counts["n_rows"], has_many)
        text = f"{subject} {check.what}{others}"
        is_chance = by_chance and check.count == LONGER
        text = BY_CHANCE.format(text) if is_chance else text + check.effect_on(spoiled, metrics, tool)
        sentences.append(Sentence(text, check))
    return sentences


def _find_remedy(tool: str, *, is_of_letters: bool) -> str:
    """Return the clause that advises the convention which finds words in every script.

    For the convention of a tool, the clause says instead that the tool's source does the same: who asks for a tool's
    numbers wants no other rules.

    tool: as in `describe_groups`. is_of_letters: whether golds may be letters of options, for which `extract` is
    advised first.
    """
    if tool:
        return f", as in the source of {tool}"
    of_letters = "; if golds are letters of options, give extract='choice'" if is_of_letters else ""
    return f"{of_letters}; {'else ' * is_of_letters}give {convention_of_every_script()[1]}"


def warn_of_groups(
    labels: Sequence[Any], counts: Mapping[str, Ints], metrics: Sequence[str] = (), **known: Any
) -> None:
    """Give the sentences of `describe_groups` as warnings. known: its other arguments."""
    for sentence in describe_groups(labels, counts, metrics, **known):
        sentence.warn()


def name_groups(labels: Sequence[Any], n: Ints, n_rows: Ints, has_many: Flags) -> tuple[str, str]:
    """Return the beginning and the end of a sentence: "66 % of newbing's answers" and " (fid: 1 %)".

    These are the groups with the largest share of flagged rows, and with the smallest. The end is "" where only groups
    of few rows have a much smaller share. Where shares are alike, no group is named: "up to 66 % of the answers" and
    "".

    n, n_rows: the flagged rows and all rows of each group. has_many: which groups are worth a sentence. Shape (groups,)
    each.
    """
    shares = n / np.maximum(n_rows, 1)
    most = int(np.argmax(np.where(has_many, shares, -1)))
    least = int(np.argmin(np.where(has_many | (n_rows >= _FEWEST_ROWS), shares, 2)))
    if shares[most] - shares[n_rows > 0].min() < _UNEVEN:
        return f"{'up to ' * bool(shares[most] > shares[least])}{100 * shares[most]:.0f} % of the answers", ""
    subject = f"{100 * shares[most]:.0f} % of {show_name(labels[most])}'s answers"
    if shares[most] - shares[least] < _UNEVEN:  # only groups of few rows have fewer
        return subject, ""
    return subject, f" ({show_name(labels[least])}: {100 * shares[least]:.0f} %)"


def show_name(label: Any) -> str:
    """Return the name of a group as a sentence has it: a text as it is, unless it has characters that do not print.

    The parts of a group of several columns have a slash between them.
    """
    if isinstance(label, tuple):
        return "/".join(map(show_name, label))
    return label if isinstance(label, str) and label.isprintable() and label else show(label)


def show_share(n: int, n_all: int) -> str:
    """Return a number of rows and its share of all as a text, such as "90 of 100 (90 %)"."""
    return f"{n:,} of {n_all:,} ({100 * n / n_all:.0f} %)"
