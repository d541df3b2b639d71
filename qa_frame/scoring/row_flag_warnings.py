"""Counts of doubtful rows → sentences: one line each of what was found, in how many rows, and where to read on.

All that scores rows or reads their scores, and `audit` and the report, say it with the sentences of this module.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.errors import ExtractionWarning, GoldFormatWarning, ScoringWarning, plural, warn
from qa_frame.extraction.steps import gives_letters
from qa_frame.frames.diagnosis import SEPARATORS
from qa_frame.rules.listing import DEFAULT, conventions
from qa_frame.rules.parts import FAMILIES
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.pooled import MISSING, NO_GOLD, NOT_EXTRACTED, TRUNCATED
from qa_frame.scoring.row_flags import LONG, NULL, TIMES_LONGER, RowFlags
from qa_frame.text.tokenisers import packages_needed

FEWEST = 0.01
"""Texts need this share of the rows for a warning; `audit` names many of them from the first row on."""

_ANSWERING = ("exact", "overlap")
"""The families of EM and F1. Warnings are about these where a call names no metric."""

_METRICS_NAMED = 3

LONG_RESPONSES = "long-responses"
"""The heading of the page of warnings for responses that are far longer than their golds."""

MANY, _UNEVEN = 0.1, 0.2
"""So large a share of a group's rows is worth a sentence. Shares so far apart may decide between two groups."""


def warn_of(doubts: RowFlags, plan: Plan, *, gold: Hashable) -> None:
    """Warn of all that makes the scores of these rows doubtful."""
    warn_of_texts(doubts, plan, gold=gold)
    counts = {name: np.array([doubts[name]]) for name in ("n_rows", NULL, NOT_EXTRACTED, NO_GOLD) if doubts[name]}
    if len(counts) > 1:
        warn_of_groups(["all"], counts)


# --- texts


def warn_of_texts(doubts: RowFlags, plan: Plan, *, gold: Hashable) -> None:
    """Warn of predictions and golds that are scored as they stand, though the user hardly means them so."""
    _warn_of_golds(doubts, gold)
    _warn_of_empty_golds(doubts, plan, gold)
    _warn_of_scripts(doubts, plan)


def _warn_of_golds(doubts: RowFlags, gold: Hashable) -> None:
    """Warn of golds that are joined or written out, and of golds that are no letters where responses choose letters."""
    n, found = doubts["n_gold"], []
    for sep in SEPARATORS:
        if 2 * (n_joined := doubts[f"n_joined:{sep}"]) > n:
            said = f"has {sep!r} inside the only gold of {show_share(n_joined, n)} rows; if it is several, cut the"
            made = f"qa_frame.to_golds(df[{gold!r}], sep={sep.strip()!r})"
            found.append((f"{said} column first: {made}", "joined-golds"))
    if _are_many(doubts["n_written"], n):
        said = f"has texts that look like lists in {show_share(doubts['n_written'], n)} rows; if they are lists, read"
        found.append((f"{said} the column first: qa_frame.to_golds(df[{gold!r}])", "written-lists"))
    if doubts["n_choices"] and not doubts["n_letters"]:
        said = f"has a letter in 0 of {n:,} rows, and extract= gives the letters of options, none of which can be right"
        found.append((f"{said}; if golds are texts or numbers of options, give gold_is=", "golds-without-letters"))
    elif doubts["n_no_option"]:
        said = f"is none of the options in {show_share(doubts['n_no_option'], n)} rows, where no response can be right"
        found.append((said, "golds-beyond-the-options"))
    for said, see in found:
        warn(f"gold={gold!r} {said}", GoldFormatWarning, see=see)


def _warn_of_empty_golds(doubts: RowFlags, plan: Plan, gold: Hashable) -> None:
    """Warn where nothing is left of a gold, and metrics do not tell right from wrong."""
    n_never = doubts["n_never_right"] if gives_letters(plan.rules.extract) else 0  # else the answer is hardly meant
    found = [
        (n, metrics, what)
        for n, family, what in (
            (doubts["n_always_right"], "contains", "any prediction has 1"),
            (n_never, "overlap", "the right one has 0"),
        )
        if _are_many(n, doubts["n_rows"]) and (metrics := _told_metrics(plan, family))
    ]
    if found:
        said = " and ".join(f"{what} in {name_metrics(metrics)}" for _, metrics, what in found)
        share = show_share(max(n for n, *_ in found), doubts["n_rows"])
        warn(f"gold={gold!r} has no token left in {share} rows, where {said}", ScoringWarning, see="empty-golds")


_OF_SCRIPTS = (
    ("n_unseen", "no token is left of a text with letters beyond ASCII", "unseen-scripts"),
    ("n_uncut", "texts in a script without spaces are alike and score 0", "uncut-scripts"),
)


def _warn_of_scripts(doubts: RowFlags, plan: Plan) -> None:
    """Warn of texts of a script that a metric does not see, or does not cut into words.

    Who asks for the numbers of a tool wants no other rules.
    """
    own = plan.convention
    is_of_tool = own is not DEFAULT and conventions.lists(own)
    for count, what, see in _OF_SCRIPTS:
        metrics_per_count: dict[int, list[str]] = {}
        for family in FAMILIES:
            n = doubts[f"{count}:{family}"]
            if _are_many(n, doubts["n_rows"]) and (metrics := _told_metrics(plan, family)):
                metrics_per_count.setdefault(n, []).extend(metrics)
        shares = {n: show_share(n, doubts["n_rows"]) for n in metrics_per_count}
        said = [f"{name_metrics(names)} in {shares[n]} rows" for n, names in metrics_per_count.items()]
        if said:  # else no convention is looked for, as this would import them all
            remedy = f", as in the source of {own.name}" if is_of_tool else f"; give {seeing_every_script()[1]}"
            warn(f"{what}: {', '.join(said)}{remedy}", ScoringWarning, see=see)


def _told_metrics(plan: Plan, family: str) -> list[str]:
    """Return the metrics of a family that warnings may be about: without named metrics, EM and F1 where these are."""
    families = {name: METRICS[name].family for name in plan.metrics if name in METRICS}
    if not plan.are_named and family not in _ANSWERING and {*_ANSWERING} & {*families.values()}:
        return []
    return [name for name, each in families.items() if each == family]


def name_metrics(names: Sequence[str]) -> str:
    """Return the first metrics, and how many more there are."""
    n_left = len(names) - _METRICS_NAMED
    return " ".join(names[:_METRICS_NAMED]) + f" and {n_left} more" * (n_left > 0)


def seeing_every_script() -> tuple[str, str]:
    """Return the convention of words of every script, and how to give it, with its package where that is missing."""
    texts = ((name, each.overlap.text) for name, each in conventions.items() if each.overlap)
    name, text = next((name, text) for name, text in texts if text.split == "unicode_words")
    package, extra = packages_needed(text)[0]
    installing = "" if find_spec(package) else f" (pip install 'qa-frame[{extra}]')"
    return name, f"convention={name!r}, which sees every script{installing}"


# --- groups of rows


def are_uneven(shares: Floats) -> bool:
    """Whether groups differ in these shares of their rows so much that this may decide between them."""
    return bool(np.ptp(shares) >= _UNEVEN)


@dataclass(frozen=True, slots=True)
class GroupCheck:
    """A kind of rows that makes the scores of a group say less where the group has many of them.

    Attributes
    ----------
    count
        Its count in a summary, or in `counts` of `say_of_groups`.
    what
        What is so in these rows. `{}` stands for the metrics that it concerns.
    see
        The heading of the page of warnings.
    remedy
        What a warning says besides.
    least
        A warning needs this share of a group's rows.
    needs_uneven
        Whether a warning needs groups whose shares differ.
    least_rows
        A warning leaves out groups of fewer rows, as their shares are mostly chance.
    category
        The class of the warning.
    """

    count: str
    what: str
    see: str
    remedy: str = ""
    least: float = MANY
    needs_uneven: bool = False
    least_rows: int = 10
    category: type[Warning] = ScoringWarning


_UNFOUND = "are missing predictions, as extract= finds no answer in them"
_CUT = "were cut off at a limit of length, so that scores say what fitted in, not what would have been said"
_LENGTHY = f"are at least {TIMES_LONGER} times as long as the gold: {{}}"
_MORE_THAN_MANY = math.nextafter(MANY, 1)

GROUP_CHECKS = (
    GroupCheck(NULL, "are missing predictions", "null-predictions", "; is pred= the right column?", least=1),
    GroupCheck(NO_GOLD, "have no gold, and so no score", "no-golds", "; is gold= the right column?", least=1),
    GroupCheck(NOT_EXTRACTED, _UNFOUND, "no-answers", "", _MORE_THAN_MANY, least_rows=1, category=ExtractionWarning),
    GroupCheck(TRUNCATED, _CUT, "cut-off-responses"),
    GroupCheck(LONG, _LENGTHY, LONG_RESPONSES, needs_uneven=True, least_rows=20),
)
"""All that is worth a warning of shares of rows. `score` knows the first three; what has groups knows all."""

LARGE_SHARES = tuple(replace(check, least=MANY, needs_uneven=False, least_rows=1) for check in GROUP_CHECKS)
"""The same of all large shares, as a report says it."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What makes the scores of groups say less, without a full stop, and its check."""

    text: str
    check: GroupCheck

    def warn(self) -> None:
        """Give it as a warning."""
        warn(self.text + self.check.remedy, self.check.category, see=self.check.see)


def say_of_groups(
    labels: Sequence[Any],
    counts: Mapping[str, Ints],
    metrics: Sequence[str] = (),
    checks: Sequence[GroupCheck] = GROUP_CHECKS,
) -> list[Sentence]:
    """Say in which groups many rows make scores say less: once for each check that finds any.

    Parameters
    ----------
    labels
        What the groups are called. A single one is not named.
    counts
        The counts of rows that are known, by name, shape (groups,): "n_rows" for all rows, and others.
    metrics
        The metrics whose scores are shown.
    checks
        What is looked for.
    """
    n_rows, found, concerned = counts["n_rows"], [], say_which_count_words(metrics)
    if MISSING in counts:
        counts = {**counts, NULL: counts[MISSING] - counts.get(NOT_EXTRACTED, 0)}
    for check in checks:
        places = np.flatnonzero(n_rows >= check.least_rows)
        if check.count not in counts or not len(places) or (check.count == LONG and not concerned):
            continue
        shares = counts[check.count][places] / n_rows[places]
        if shares.max() >= check.least and (are_uneven(shares) or not check.needs_uneven):
            named = name_uneven([labels[place] for place in places.tolist()], shares)
            found.append(Sentence(f"{named} {check.what.format(concerned)}", check))
    return found


def say_which_count_words(metrics: Sequence[str]) -> str:
    """Say which metrics count all words of a response, and which do not; nothing where none of these does."""
    counting = [name for name in metrics if name in METRICS and not METRICS[name].ignores_length]
    free = [name for name in metrics if name in METRICS and METRICS[name].ignores_length] or ["recall", "contains"]
    return bool(counting) * (
        f"{name_metrics(counting)} {'count' if len(counting) > 1 else 'counts'} the words around the answer; "
        f"{' and '.join(free[:_METRICS_NAMED])} {'do' if len(free) > 1 else 'does'} not"
    )


def warn_of_groups(labels: Sequence[Any], counts: Mapping[str, Ints], metrics: Sequence[str] = ()) -> None:
    """Give what `say_of_groups` says as warnings."""
    for sentence in say_of_groups(labels, counts, metrics):
        sentence.warn()


def name_uneven(labels: Sequence[Any], shares: Floats) -> str:
    """Such as "62 % of the responses of 'a', 0 % of those of 'b',": the largest and the smallest share.

    Only the largest is named where they are alike.
    """
    most, least = int(np.argmax(shares)), int(np.argmin(shares))
    if not are_uneven(shares):
        return f"{'up to ' * bool(np.ptp(shares))}{100 * shares[most]:.0f} % of the responses"
    n_alike = int(np.count_nonzero(shares == shares[most])) - 1
    others = f" and {plural(n_alike, 'other group')}" if n_alike else ""
    return (
        f"{100 * shares[most]:.0f} % of the responses of {labels[most]!r}{others}, "
        f"{100 * shares[least]:.0f} % of those of {labels[least]!r},"
    )


def _are_many(n: int, n_all: int) -> bool:
    """Whether these rows are enough for a warning."""
    return n > 0 and n >= FEWEST * n_all


def show_share(n: int, n_all: int) -> str:
    """Such as "90 of 100 (90 %)"."""
    return f"{n:,} of {n_all:,} ({100 * n / n_all:.0f} %)"
