"""Counts of doubtful rows → warnings: one line each of what was found, in how many rows, and where to read on.

All that scores rows or reads their scores says it with the sentences of this module.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import ExtractionWarning, GoldFormatWarning, ScoringWarning, warn
from qa_frame.frames.diagnosis import SEPARATORS
from qa_frame.rules.listing import conventions
from qa_frame.scoring.doubts import TIMES_LONGER, Doubts
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Plan
from qa_frame.text.answers.extraction import gives_letters
from qa_frame.text.tokenisers import packages_needed

FEWEST_NULL = 10
"""The fewest predictions for the warning that all of them are null."""

MOST_NOT_EXTRACTED = 0.1
"""A larger share of responses without an answer leads to a warning."""

FEWEST = 0.01
"""Texts need this share of the rows for a warning; `audit` names many of them from the first row on."""

_ANSWERING = ("exact", "overlap")
"""The families of EM and F1. Warnings are about these where a call names no metric."""

_METRICS_NAMED = 3

LONG_RESPONSES = "long-responses"
"""The heading of the page of warnings for `say_who_is_long`."""

_UNEVEN, MANY_LONG = 0.2, 0.1
"""Shares of long responses: so far apart, they may decide between two groups; so large, they are worth a sentence."""


def warn_of(doubts: Doubts, plan: Plan, *, gold: Hashable) -> None:
    """Warn of all that makes the scores of these rows doubtful."""
    warn_of_texts(doubts, plan, gold=gold)
    counts = (doubts.n, doubts.n_null + doubts.n_not_extracted, doubts.n_not_extracted, doubts.n_no_gold)
    warn_of_groups(["all"], *np.array(counts).reshape(-1, 1))


# --- texts


def warn_of_texts(doubts: Doubts, plan: Plan, *, gold: Hashable) -> None:
    """Warn of predictions and golds that are scored as they stand, though the user hardly means them so."""
    _warn_of_golds(doubts, gold)
    _warn_of_empty_golds(doubts, plan, gold)
    _warn_of_scripts(doubts, plan)


def _warn_of_golds(doubts: Doubts, gold: Hashable) -> None:
    """Warn of golds that are joined or written out, and of golds that are no letters where responses choose letters."""
    for sep in SEPARATORS:
        if 2 * (n_joined := doubts.n_joined[sep]) > doubts.n_gold:
            warn(
                f"gold={gold!r} has {sep!r} inside the only gold of {show_share(n_joined, doubts.n_gold)} rows; if it "
                f"is several, cut the column first: qa_frame.to_golds(df[{gold!r}], sep={sep.strip()!r})",
                GoldFormatWarning,
                see="joined-golds",
            )
    if _are_many(doubts.n_written, doubts.n_gold):
        warn(
            f"gold={gold!r} has texts that look like lists in {show_share(doubts.n_written, doubts.n_gold)} rows; if "
            f"they are lists, read the column first: qa_frame.to_golds(df[{gold!r}])",
            GoldFormatWarning,
            see="written-lists",
        )
    if doubts.n_choices["all"] and not doubts.n_choices["letter"]:
        warn(
            f"gold={gold!r} has a letter in 0 of {doubts.n_gold:,} rows, and extract= gives the letters of options, "
            "none of which can be right; if golds are texts or numbers of options, give gold_is=",
            GoldFormatWarning,
            see="golds-without-letters",
        )
    elif doubts.n_no_option:
        warn(
            f"gold={gold!r} is none of the options in {show_share(doubts.n_no_option, doubts.n_gold)} rows, where no "
            "response can be right",
            GoldFormatWarning,
            see="golds-beyond-the-options",
        )


def _warn_of_empty_golds(doubts: Doubts, plan: Plan, gold: Hashable) -> None:
    """Warn where nothing is left of a gold, and metrics do not tell right from wrong."""
    n_never = doubts.n_never_right if gives_letters(plan.extract) else 0  # elsewhere the answer is hardly meant
    found = [
        (n, metrics, what)
        for n, family, what in (
            (doubts.n_always_right, "contains", "any prediction has 1"),
            (n_never, "overlap", "the right one has 0"),
        )
        if _are_many(n, doubts.n) and (metrics := _told_metrics(plan, family))
    ]
    if found:
        said = " and ".join(f"{what} in {name_metrics(metrics)}" for _, metrics, what in found)
        warn(
            f"gold={gold!r} has no token left in {show_share(max(n for n, *_ in found), doubts.n)} rows, where {said}",
            ScoringWarning,
            see="empty-golds",
        )


def _warn_of_scripts(doubts: Doubts, plan: Plan) -> None:
    """Warn of texts of a script that a metric does not see, or does not cut into words."""
    unseen = "no token is left of a text with letters beyond ASCII"
    uncut = "texts in a script without spaces are alike and score 0"
    for counts, what, see in ((doubts.n_unseen, unseen, "unseen-scripts"), (doubts.n_uncut, uncut, "uncut-scripts")):
        metrics_per_count: dict[int, list[str]] = {}
        for family, n in counts.items():
            if _are_many(n, doubts.n) and (metrics := _told_metrics(plan, family)):
                metrics_per_count.setdefault(n, []).extend(metrics)
        said = [f"{name_metrics(names)} in {show_share(n, doubts.n)} rows" for n, names in metrics_per_count.items()]
        if said:
            given = seeing_every_script()[1]
            warn(f"{what}: {', '.join(said)}; give {given}", ScoringWarning, see=see)


def _told_metrics(plan: Plan, family: str) -> list[str]:
    """Return the metrics of a family that a warning may be about. Where none is named, only EM and F1 are."""
    if not plan.are_named and family not in _ANSWERING:
        return []
    return [name for name in plan.metrics if name in METRICS and METRICS[name].family == family]


def name_metrics(names: Sequence[str]) -> str:
    """Return the first metrics, and how many more there are."""
    n_left = len(names) - _METRICS_NAMED
    return " ".join(names[:_METRICS_NAMED]) + f" and {n_left} more" * (n_left > 0)


def seeing_every_script() -> tuple[str, str]:
    """The convention of words of every script, and how to give it, and to install its package where it is missing."""
    texts = ((name, each.overlap.text) for name, each in conventions.items() if each.overlap)
    name, text = next((name, text) for name, text in texts if text.split == "unicode_words")
    package, extra = packages_needed(text)[0]
    installing = "" if find_spec(package) else f" (pip install 'qa-frame[{extra}]')"
    return name, f"convention={name!r}, which sees every script{installing}"


# --- groups of rows


def warn_of_groups(labels: Sequence[Any], n: Ints, n_missing: Ints, n_not_extracted: Ints, n_no_gold: Ints) -> None:
    """Warn where all predictions or golds are null, and where more than a tenth of the responses have no answer.

    Arrays of shape (groups,). A single group is not named.
    """
    n_null = n_missing - n_not_extracted
    n_responses = n - n_null
    for is_told, what, see in (
        (_are_all(n, n_null), "all predictions are null: {}; is pred= the right column?", "null-predictions"),
        (_are_all(n, n_no_gold), "no row has a gold: {}, and none is scored; is gold= the right column?", "no-golds"),
    ):
        if is_told.any():
            warn(what.format(_name_worst_group(labels, is_told, n, n)), ScoringWarning, see=see)
    is_lost = n_not_extracted > MOST_NOT_EXTRACTED * n_responses
    if is_lost.any():
        said = _name_worst_group(labels, is_lost, n_not_extracted, n_responses)
        what = f"extract= finds no answer in more than a tenth of the responses: {said}, which are missing predictions"
        warn(what, ExtractionWarning, see="no-answers")


def say_who_is_cut(labels: Sequence[Any], n_cut: Ints, n: Ints) -> str:
    """Say that many responses were cut off at a limit of length; nothing where no group of enough rows has many.

    n_cut, n: responses that were cut off and all, shape (groups,).
    """
    shares = np.where(n >= FEWEST_NULL, n_cut / np.maximum(n, 1), 0.0)
    if shares.max(initial=0) < MANY_LONG:
        return ""
    told = name_uneven(labels, shares)
    return f"{told} were cut off at a limit of length, so that scores say what fitted in, not what would have been said"


def warn_of_cut(labels: Sequence[Any], n_cut: Ints, n: Ints) -> None:
    """Warn of responses that were cut off, as `say_who_is_cut` says it."""
    if said := say_who_is_cut(labels, n_cut, n):
        warn(said, ScoringWarning, see="cut-off-responses")


def say_who_is_long(labels: Sequence[Any], n_long: Ints, n: Ints, metrics: Sequence[str]) -> str:
    """Say that many responses are far longer than their golds, where some of the metrics count each word.

    n_long, n: long responses and all, shape (groups,). Nothing is said where no group has many.
    """
    counting = [name for name in metrics if name in METRICS and not METRICS[name].ignores_length]
    shares = np.asarray(n_long) / np.maximum(n, 1)
    if not counting or shares.max(initial=0) < MANY_LONG:
        return ""
    free = [name for name in metrics if name in METRICS and METRICS[name].ignores_length] or ["recall", "contains"]
    several = len(counting) > 1
    return (
        f"{name_uneven(labels, shares)} are at least {TIMES_LONGER} times as long as the gold: "
        f"{name_metrics(counting)} {'count' if several else 'counts'} the words around the answer; "
        f"{' and '.join(free[:_METRICS_NAMED])} {'do' if len(free) > 1 else 'does'} not"
    )


def are_uneven(shares: Floats) -> bool:
    """Whether groups differ in these shares of their rows so much that this may decide between them."""
    return bool(np.ptp(shares) >= _UNEVEN)


def name_uneven(labels: Sequence[Any], shares: Floats) -> str:
    """Such as "62 % of the responses of 'a', 0 % of those of 'b',": the largest and the smallest share.

    Only the largest is named where they are alike.
    """
    most, least = int(np.argmax(shares)), int(np.argmin(shares))
    if not are_uneven(shares):
        return f"{'up to ' * (len(labels) > 1)}{100 * shares[most]:.0f} % of the responses"
    return (
        f"{100 * shares[most]:.0f} % of the responses of {labels[most]!r}, {100 * shares[least]:.0f} % of those of "
        f"{labels[least]!r},"
    )


def _are_all(n: Ints, n_null: Ints) -> Flags:
    """Whether all rows of each group are null, of rows that are not few."""
    are_all: Flags = (n >= FEWEST_NULL) & (n_null == n)
    return are_all


def _name_worst_group(labels: Sequence[Any], is_told: Flags, counts: Ints, of: Ints) -> str:
    """Return how many groups there are, the one with the largest share, and this share."""
    places = np.flatnonzero(is_told)
    if len(labels) == 1:
        return show_share(counts[0], of[0])
    first = places[np.argmax(counts[places] / of[places])]
    share = show_share(counts[first], of[first])
    return f"in {len(places)} of {len(labels)} groups, {'first ' * (len(places) > 1)}{labels[first]!r} {share}"


def _are_many(n: int, n_all: int) -> bool:
    """Whether these rows are enough for a warning."""
    return n > 0 and n >= FEWEST * n_all


def show_share(n: int, n_all: int) -> str:
    """Such as "90 of 100 (90 %)"."""
    return f"{n:,} of {n_all:,} ({100 * n / n_all:.0f} %)"
