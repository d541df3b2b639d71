"""Does the metric fit these answers? What the flags of rows say of each group, and which metric ranks groups then.

`summary` and `compare` say it in warnings; a report and `audit` read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Flags, Floats, Ints
from qa_frame.errors import plural
from qa_frame.frames.source import Source
from qa_frame.scoring.chance import count_moved_golds, is_by_chance
from qa_frame.scoring.plan import ScoreColumns
from qa_frame.scoring.row_flag_warnings import CHECKS, Sentence, describe_groups, show_name, tool_of
from qa_frame.scoring.row_flags import LEAST_SHARE, LONGER, RowFlags
from qa_frame.stats.grouping import GroupCodes, make_group_columns
from qa_frame.stats.statistic import count_flags
from qa_frame.tables.rows import ReadRows, make_scoring

_PAIRS_NAMED = 3


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MetricFit:
    """What the flags of rows say of groups.

    Attributes
    ----------
    groups
        The groups.
    counts
        The counts of rows by name, int64 of shape (groups,): "n_rows" for all rows, each flag of `FLAGS`, and others of
        `GROUP_CHECKS`; only those that are known.
    metrics
        The scores that are there.
    moved
        Counts by `MOVED` that tell whether golds are inside longer answers by chance; empty where no group has many
        such answers, or the texts are not known.
    order_changes
        The pairs whose order by F1 turns where answers that hold a gold count as right, if a group has many of these:
        the group that leads by F1, and the one that would lead. Those whose distance changes most come first.
    tool
        The name of the rows' convention, if it is a listed one and not the default; else "".
    """

    groups: GroupCodes
    counts: Mapping[str, Ints]
    metrics: Sequence[str]
    moved: RowFlags = field(default_factory=RowFlags)
    order_changes: Sequence[tuple[Any, Any]] = ()
    tool: str = ""

    @property
    def labels(self) -> list[Any]:
        """What the groups are called, in their order."""
        labels: list[Any] = self.groups.labels.tolist()
        return labels

    @property
    def is_by_chance(self) -> bool:
        """Whether golds are inside longer answers by chance, as yes, no and letters are."""
        return is_by_chance(self.moved)

    def shares(self, flag: str = LONGER) -> Floats:
        """Return the share of each group's rows that have a flag, shape (groups,); 0 where the flag is not known."""
        n_rows = np.maximum(self.counts["n_rows"], 1)
        shares: Floats = self.counts.get(flag, np.zeros(len(n_rows))) / n_rows
        return shares

    def has_many(self, flag: str = LONGER) -> Flags:
        """Return which groups have so many rows with a flag that it is worth a sentence, shape (groups,)."""
        return CHECKS[flag].has_many(self.counts)

    def misleads(self, flag: str) -> Flags:
        """Return in which groups a flag spoils one of the scores that are there, shape (groups,)."""
        return self.has_many(flag) & (not set(CHECKS[flag].spoils).isdisjoint(self.metrics))

    @property
    def spoiled(self) -> set[str]:
        """The metrics that do not fit, because many rows of some group have a flag that spoils them.

        They include recall and contains if golds are inside longer answers by chance.
        """
        flags = [flag for flag in CHECKS if (self.has_many(flag) & (self.shares(flag) >= LEAST_SHARE)).any()]
        spoiled = {name for flag in flags for name in CHECKS[flag].spoils}
        return spoiled | ({"recall", "contains"} if self.is_by_chance else set())

    def sentences(self) -> list[Sentence]:
        """Return the sentences that `summary` and `compare` say of the groups, without those on changes of order."""
        return describe_groups(self.labels, self.counts, self.metrics, by_chance=self.is_by_chance, tool=self.tool)

    def say_order_changes(self) -> str:
        """Return sentences on the pairs whose order changes if answers that hold a gold count as right.

        At most `_PAIRS_NAMED` pairs are named; the others are counted. The last full stop is left out. "" where there
        are no such pairs.
        """
        if not self.order_changes:
            return ""
        pairs = [[*map(show_name, pair)] for pair in self.order_changes[:_PAIRS_NAMED]]
        orders = ", ".join(f"{leader} leads {other}" for leader, other in pairs)
        n_left = len(self.order_changes) - len(pairs)
        more = f", and {plural(n_left, 'more pair')}" if n_left else ""
        turns = f"{pairs[0][1]} would lead" if len(pairs) == 1 else "it would be the other way round"
        return f"By f1, {orders}{more}. If answers that hold a gold counted as right, {turns}"

    def choose_metric(self) -> tuple[str, str]:
        """Return the metric that ranks where people say nothing, and why as a sentence; "" where it is the usual one.

        It is recall if a group has many golds in longer answers and these are not there by chance. Recall need not be
        among the scores: the caller makes it, where texts are known. Else it is the first of f1, em and all others that
        fits, or the first of them if none does.
        """
        others = [name for name in ("f1", "em", *self.metrics) if name in self.metrics]
        if self.has_many().any() and not self.is_by_chance and "recall" not in self.spoiled:
            reason = "groups are ranked by recall, which does not count the other words of such answers"
            return "recall", f"{reason}; it also gives points to lists of guesses, denials and long answers"
        fitting = [name for name in others if name not in self.spoiled]
        if fitting:
            return fitting[0], "" if fitting[0] == others[0] else f"{fitting[0]} ranks, as {others[0]} does not fit"
        return others[0], f"{others[0]} ranks, though no metric here fits"

    def warn(self) -> None:
        """Warn with all sentences, and with those on changes of order."""
        for sentence in self.sentences():
            sentence.warn()
        warn_of_order_changes(self.say_order_changes())


def warn_of_order_changes(text: str) -> None:
    """Give what `MetricFit.say_order_changes` returns as a warning, if there is any."""
    if text:
        Sentence(text, CHECKS[LONGER]).warn()


def fit_of(source: Source, by: By, *, metrics: ScoreColumns = None, prefix: str = "") -> MetricFit:
    """Return what the flags of a scored frame's rows say of its groups. by: as in `summary`."""
    scoring = make_scoring(metrics=metrics, prefix=prefix, source=source)
    rows = scoring.read(source, make_group_columns(by))
    return find_fit(rows, rows.groups)


def find_fit(rows: ReadRows, groups: GroupCodes) -> MetricFit:
    """Return what the flags of rows say of groups. groups: the group of each row."""
    n_groups, codes = len(groups), groups.codes
    flags = {name: each for name, each in rows.flags.items() if each is not None}
    counts = {name: count_flags(each, codes, n_groups) for name, each in flags.items()}
    counts["n_rows"] = np.bincount(codes, minlength=n_groups)
    fit = MetricFit(groups, counts, [*rows.scores], tool=tool_of(rows.convention))
    has_many = fit.has_many()
    if not has_many.any():
        return fit
    moved = RowFlags() if rows.texts is None else count_moved_golds(rows.texts, has_many[codes])
    return replace(fit, moved=moved, order_changes=_find_order_changes(fit, rows, codes))


def _find_order_changes(fit: MetricFit, rows: ReadRows, codes: Ints) -> list[tuple[Any, Any]]:
    """Return the pairs whose order by F1 changes where flagged rows count as right, if a group has many of these.

    Of groups of several columns, such as model and dataset, only those are paired that differ in one of them.
    """
    f1, is_longer = rows.scores.get("f1"), rows.flags[LONGER]
    if f1 is None or is_longer is None or len(fit.groups) < 2:
        return []
    n_groups, scores = len(fit.groups), np.nan_to_num(f1)
    n = np.maximum(np.bincount(codes, ~np.isnan(f1), minlength=n_groups), 1)
    means = np.bincount(codes, scores, minlength=n_groups) / n
    generous = means + np.bincount(codes[is_longer], 1 - scores[is_longer], minlength=n_groups) / n
    ahead = means[:, None] - means
    behind = generous - generous[:, None]
    has_many = fit.has_many()
    leaders, others = np.nonzero((np.round(ahead, 9) > 0) & (np.round(behind, 9) > 0) & (has_many[:, None] | has_many))
    order = np.argsort(-(ahead + behind)[leaders, others], kind="stable")
    keys = [pd.factorize(column, use_na_sentinel=False)[0] for column in fit.groups.columns]
    n_same = sum((codes[leaders] == codes[others] for codes in keys), np.zeros(len(leaders), np.int64))
    order = order[n_same[order] >= len(keys) - 1]
    labels, pairs = fit.labels, zip(leaders[order].tolist(), others[order].tolist(), strict=True)
    return [(labels[leader], labels[other]) for leader, other in pairs]
