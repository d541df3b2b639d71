"""Groups that answered different questions → their differences, as a first look: compare without `question`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import IntervalWarning, PairingWarning, UnknownOptionError, plural, show, warn
from qa_frame.frames.source import Source
from qa_frame.stats.contrasts import OUTCOMES
from qa_frame.stats.differences import Draws
from qa_frame.stats.estimates import Estimate, estimate, group_sums, reasons_to_distrust
from qa_frame.stats.grouping import GroupColumns, plain_names, refuse_nulls
from qa_frame.stats.intervals import RESAMPLES, Interval, StudentInterval, student_interval
from qa_frame.stats.p_function import Differences, StudentsPFunction
from qa_frame.stats.statistic import Mean, Statistic
from qa_frame.stats.sums import sum_by_group
from qa_frame.tables.groups import read_groups, warn_of_doubtful
from qa_frame.tables.options import SignificanceTest
from qa_frame.tables.pairs import PairArguments, list_pairs, require_baseline, require_two
from qa_frame.tables.repeated_questions import warn_of_repeated
from qa_frame.tables.rows import ReadRows, Scoring
from qa_frame.tables.same_questions import ID, QUESTION, text_codes

_SEE = "intervals#models-on-different-questions"


@dataclass(frozen=True, slots=True)
class IndependentGroups:
    """The scored rows of groups that answered different questions.

    Attributes
    ----------
    rows
        The rows, with the means that are compared.
    groups
        The labels of the groups.
    first, second
        The groups that are compared, shape (pairs,).
    settings
        What a table notes of the arguments that say which rows are compared.
    """

    rows: ReadRows
    groups: pd.Series
    first: Ints
    second: Ints
    settings: Mapping[str, object]

    @property
    def n_pairs(self) -> int:
        """How many pairs of groups are compared."""
        return len(self.first)

    def differences(self, test: SignificanceTest, draws: Draws) -> Iterator[list[Differences]]:  # noqa: ARG002
        """Yield a list for each mean, with its differences by Welch's t test as the one item; `draws` is not used.

        Warn of groups whose own intervals are doubtful.
        """
        keys, statistics = replace(self.rows.keys, by=(pd.Series(self.rows.groups.codes),)), self.rows.estimators
        grouped = group_sums(sum_by_group(self.rows, statistics, keys, with_products=True, with_rows=False))
        estimates = estimate(grouped, Interval(test.ci, "normal", RESAMPLES, 0))
        place = np.argsort(grouped.by_group.keys.by[0].to_numpy())
        labels = pd.Index(self.groups.tolist(), tupleize_cols=False)
        warn_of_doubtful(reasons_to_distrust(grouped, estimates), labels, place)
        pairs = np.stack([self.first, self.second])
        sides, (a, b) = place[pairs], (self.groups.iloc[each].reset_index(drop=True) for each in pairs)
        for statistic in statistics:
            of_groups = estimates[statistic.name]
            is_outside = grouped.by_group.statistics[statistic.name].n_outside[sides].sum(axis=0) > 0
            tested, n_units = welch_test(of_groups, sides, is_outside)
            values, counts = of_groups.value[sides], self._count(of_groups.n[sides])
            limit, is_exhausted = np.where(is_outside, np.inf, 1.0), np.zeros(self.n_pairs, np.bool_)
            p_function = StudentsPFunction(tested.value, tested.p, limit, tested.error, tested.middle, tested.df)
            yield [Differences(statistic.name, a, b, values, counts, p_function, is_exhausted, n_units)]

    def _count(self, n: Ints) -> dict[str, Any]:
        """Return the columns of counts of a comparison, by name. n: the scored rows of both sides, shape (2, pairs)."""
        n_rows = np.bincount(self.rows.groups.codes, minlength=len(self.groups))[np.stack([self.first, self.second])]
        counts: dict[str, Any] = {"n": n.sum(axis=0), "n_only_a": n[0], "n_only_b": n[1]}
        counts["n_not_scored"] = (n_rows - n).sum(axis=0)
        return counts | dict.fromkeys(OUTCOMES, pd.array([pd.NA] * self.n_pairs, "Int64"))

    def warn_of_few(self, compared: pd.DataFrame, units: Floats, test: SignificanceTest) -> None:  # noqa: ARG002
        """Warn of pairs without an interval, as one of the groups has a single row or cluster.

        compared: the table of the comparison. units: how many rows or clusters both sides have, shape (2, rows of the
        table).
        """
        n = int((units == 1).any(axis=0).sum())
        if n:
            finding = f"{n} of {plural(len(compared), 'row')} {'has' if n == 1 else 'have'} no interval and no p"
            warn(f"{finding}, as a group has one row or cluster alone; gather more", IntervalWarning, see=_SEE)


def welch_test(of_groups: Estimate, sides: Ints, is_outside: Flags) -> tuple[StudentInterval, Floats]:
    """Return Welch's interval and test of differences (1947), and the number of units of both sides, shape (2, pairs).

    Each side gets the added units of 0 and 1 that its own interval gets (Agresti and Caffo 2000).

    Parameters
    ----------
    of_groups
        The estimated mean of each group.
    sides
        The places of both groups of each pair, shape (2, pairs).
    is_outside
        Whether a pair has scores outside [0, 1], shape (pairs,); then no units are added.
    """
    assert of_groups.spread is not None
    spread = of_groups.spread.take(sides)
    both = student_interval(of_groups.value[sides], spread, spread.n_rows, np.where(is_outside, 0.0, 1.0))
    signs = np.array([[1.0], [-1.0]])
    return both.add_up(signs, lambda values: values.sum(axis=0)), spread.n_units


def read_independent(source: Source, scoring: Scoring, arguments: PairArguments) -> IndependentGroups:
    """Return the rows of groups, and warn where the groups seem to answer the same questions.

    Raises PairingError for a null key or fewer than two groups, and UnknownOptionError for an unknown baseline or a
    metric that is no mean.
    """
    by, cluster, baseline = arguments.by, arguments.cluster, arguments.baseline
    rows = read_groups(source, scoring, GroupColumns(by, cluster=cluster))
    for column in rows.keys.by:
        refuse_nulls(column, rows.frame.index, "by")
    labels = rows.groups.labels
    require_two(labels.tolist(), by)
    require_baseline(labels.tolist(), by, baseline)
    first, second = list_pairs(np.arange(len(labels)), labels.tolist(), baseline)
    _warn_of_common_questions(source, rows, arguments)
    if not cluster:
        warn_of_repeated(source, rows, rows.groups.codes, None, argument="cluster")
    means = _require_means(rows.estimators, scoring.named)
    return IndependentGroups(replace(rows, estimators=means), labels, first, second, arguments.settings)


def _require_means(statistics: Sequence[Statistic], named: Sequence[str] | None) -> tuple[Statistic, ...]:
    """Return the means among the statistics; UnknownOptionError if another statistic is asked for.

    named: the statistics that the call names; None if it names none. Other statistics are then left out.
    """
    means = tuple(statistic for statistic in statistics if isinstance(statistic, Mean))
    others = [statistic.name for statistic in statistics if statistic not in means]
    if named is not None and others:
        finding = "is no mean of rows, which models on different questions are compared by"
        remedy = "name other metrics, or the column of questions, as question='question_id'"
        raise UnknownOptionError.of("metrics", finding, remedy, value=others[0])
    return means


def _warn_of_common_questions(source: Source, rows: ReadRows, arguments: PairArguments) -> None:
    """Warn if several groups have the same question, by its text, else by its id, or else have the same cluster."""
    names = [name for name in (ID, QUESTION) if name in source.names]  # texts tell more than numbers do
    columns = [(name, source.as_pandas({name: [name]})[name]) for name in names[-1:]]
    remedy = f"give question={names[0]!r}: a paired test finds smaller differences" if names else ""
    if arguments.cluster:
        columns.append((plain_names(arguments.cluster), pd.Series(rows.clustered.unit)))
        remedy = remedy or "give the column of questions, as question='question_id'"
    for name, column in columns:
        codes = text_codes(column)
        groups = pd.Series(rows.groups.codes[codes > 0]).groupby(codes[codes > 0]).nunique()
        n_common = int((groups > 1).sum())
        if n_common:
            finding = f"{plural(n_common, 'value')} of {show(name)} {'stands' if n_common == 1 else 'stand'}"
            groups_named = f"several groups of by={show(plain_names(arguments.by))}, which are treated as independent"
            warn(f"{finding} in {groups_named}; {remedy}", PairingWarning, see=_SEE)
            return
