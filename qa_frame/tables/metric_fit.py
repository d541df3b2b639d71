"""Does the metric fit these answers? What the flags of rows say of each group, and which metric ranks groups then.

`summary` and `compare` say it in warnings; a report and `audit` read it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from qa_frame._typing import By, Flags, Floats, Ints
from qa_frame.errors import ScoringWarning, plural, warn
from qa_frame.frames.source import Source
from qa_frame.scoring.pipeline import count_moved
from qa_frame.scoring.plan import ScoreColumns
from qa_frame.scoring.row_flag_warnings import GROUP_CHECKS, Sentence, find_told, say_of_groups, show_name
from qa_frame.scoring.row_flags import LEAST_SHARE, LONGER, RowFlags, is_by_chance
from qa_frame.stats.grouping import GroupCodes, make_group_columns
from qa_frame.tables.rows import ReadRows, make_scoring

_PAIRS_NAMED = 3


@dataclass(frozen=True, slots=True)
class TurnedPair:
    """Two groups whose order by F1 turns where answers that hold a gold count as right.

    Attributes
    ----------
    leader, other
        The group that leads by F1, and the one that would lead.
    """

    leader: Hashable
    other: Hashable

    def __str__(self) -> str:
        return f"{show_name(self.leader)} leads {show_name(self.other)}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MetricFit:
    """What the flags of rows say of groups.

    Attributes
    ----------
    labels
        The groups, in their order.
    counts
        The counts of rows by name, int64 of shape (groups,): "n_rows" for all rows, each flag of `FLAGS`, and others of
        `GROUP_CHECKS`; only those that are known.
    metrics
        The scores that are there.
    moved
        Counts by `MOVED` that tell whether golds are inside longer answers by chance; empty where no group is told of
        such answers, or the texts are not known.
    turned
        The pairs with a told group whose order by F1 turns where answers that hold a gold count as right; those whose
        distance changes most come first.
    """

    labels: Sequence[Any]
    counts: Mapping[str, Ints]
    metrics: Sequence[str]
    moved: RowFlags = field(default_factory=RowFlags)
    turned: tuple[TurnedPair, ...] = ()

    @property
    def is_by_chance(self) -> bool:
        """Whether golds are inside longer answers by chance, as yes, no and letters are."""
        return is_by_chance(self.moved)

    def shares(self, flag: str = LONGER) -> Floats:
        """Return the share of each group's rows that have a flag, shape (groups,); 0 where the flag is not known."""
        n_rows = np.maximum(self.counts["n_rows"], 1)
        found: Floats = self.counts.get(flag, np.zeros(len(n_rows))) / n_rows
        return found

    def told(self, flag: str = LONGER) -> Flags:
        """Return which groups have so many rows with a flag that it is said, shape (groups,)."""
        check = next(check for check in GROUP_CHECKS if check.count == flag)
        if flag not in self.counts:
            return np.zeros(len(self.counts["n_rows"]), np.bool_)
        return find_told(check, self.counts)

    def is_said(self, flag: str) -> Flags:
        """Return of which groups a flag is said, as it spoils one of the scores that are there, shape (groups,)."""
        spoils = {name for check in GROUP_CHECKS if check.count == flag for name in check.spoils}
        return self.told(flag) & (not spoils.isdisjoint(self.metrics))

    @property
    def spoiled(self) -> set[str]:
        """The metrics that do not fit, by the flags that many rows of some group have."""
        are_many = {check: self.told(check.count) & (self.shares(check.count) >= LEAST_SHARE) for check in GROUP_CHECKS}
        spoiled = {name for check, of_groups in are_many.items() if of_groups.any() for name in check.spoils}
        return spoiled | ({"recall", "contains"} if self.is_by_chance else set())

    def sentences(self) -> list[Sentence]:
        """Return what is said of the groups: the sentences of `summary` and `compare`, without the turned pairs."""
        return say_of_groups(self.labels, self.counts, self.metrics, by_chance=self.is_by_chance)

    def say_turned(self) -> str:
        """Return the sentences of the turned pairs, without the last full stop; "" where there are none."""
        if not self.turned:
            return ""
        named, n_left = self.turned[:_PAIRS_NAMED], len(self.turned) - _PAIRS_NAMED
        turns = f"{show_name(named[0].other)} would lead" if len(named) == 1 else "each would be behind"
        more = f", and {plural(n_left, 'more pair')}" if n_left > 0 else ""
        return f"By f1, {', '.join(map(str, named))}{more}. If answers that hold a gold counted as right, {turns}"

    def choose_metric(self) -> tuple[str, str]:
        """Return the metric that ranks where people say nothing, and why as a sentence; "" where it is the usual one.

        It is recall if a group is told of golds in longer answers and these are not there by chance. Recall need not be
        among the scores: the caller makes it, where texts are known. Else it is the first of f1, em and all others that
        fits, or the first of them if none does.
        """
        others = [name for name in ("f1", "em", *self.metrics) if name in self.metrics]
        if self.told().any() and not self.is_by_chance and "recall" not in self.spoiled:
            reason = "recall ranks, as it does not count the other words of answers that hold a gold"
            return "recall", f"{reason}; it also gives points to lists of guesses, denials and long answers"
        fitting = [name for name in others if name not in self.spoiled]
        if fitting:
            return fitting[0], "" if fitting[0] == others[0] else f"{fitting[0]} ranks, as {others[0]} does not fit"
        return others[0], f"{others[0]} ranks, though no metric here fits"

    def warn(self) -> None:
        """Give all of it as warnings."""
        for sentence in self.sentences():
            sentence.warn()
        say_turned(self.say_turned())


def say_turned(sentences: str) -> None:
    """Give the sentences of `MetricFit.say_turned` as a warning, if there are any."""
    if sentences:
        warn(sentences, ScoringWarning, see="golds-in-longer-answers")


def fit_of(source: Source, by: By, *, metrics: ScoreColumns = None, prefix: str = "") -> MetricFit:
    """Return what the flags of a scored frame's rows say of its groups. by: as in `summary`."""
    scoring = make_scoring(metrics=metrics, prefix=prefix, source=source)
    rows = scoring.read(source, make_group_columns(by))
    return find_fit(rows, rows.groups)


def find_fit(rows: ReadRows, groups: GroupCodes) -> MetricFit:
    """Return what the flags of rows say of groups. groups: the group of each row; none for null keys."""
    n_groups, codes = len(groups), groups.codes
    flags = {name: each for name, each in rows.flags.items() if each is not None}
    counts = {name: np.bincount(codes[each], minlength=n_groups) for name, each in flags.items()}
    counts["n_rows"] = np.bincount(codes, minlength=n_groups)
    fit = MetricFit(groups.labels.tolist(), counts, [*rows.scores])
    is_told = fit.told()
    if not is_told.any():
        return fit
    fit = replace(fit, turned=_find_turned(fit, rows, codes))
    if rows.texts is None or rows.convention is None:
        return fit
    moved = count_moved(rows.texts, is_told[codes] & (codes >= 0), flags[LONGER], rows.convention)
    return replace(fit, moved=moved)


def _find_turned(fit: MetricFit, rows: ReadRows, codes: Ints) -> tuple[TurnedPair, ...]:
    """Return the pairs with a told group whose order by F1 turns where flagged rows count as right."""
    f1, flags = rows.scores.get("f1"), rows.flags[LONGER]
    if f1 is None or flags is None:
        return ()
    is_scored = ~np.isnan(f1)
    n = np.maximum(np.bincount(codes[is_scored], minlength=len(fit.labels)), 1)
    means, generous = (
        np.bincount(codes[is_scored], each[is_scored], minlength=len(n)) / n for each in (f1, np.where(flags, 1.0, f1))
    )
    is_told = fit.told()
    ahead = means[:, None] - means
    behind = generous - generous[:, None]
    leaders, others = np.nonzero((np.round(ahead, 9) > 0) & (np.round(behind, 9) > 0) & (is_told[:, None] | is_told))
    order = np.argsort(-(ahead + behind)[leaders, others], kind="stable")
    pairs = zip(leaders[order].tolist(), others[order].tolist(), strict=True)
    return tuple(TurnedPair(fit.labels[leader], fit.labels[other]) for leader, other in pairs)
