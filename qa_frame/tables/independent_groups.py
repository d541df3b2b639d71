"""Groups that answered different questions → their differences, as a first look: compare without `question`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Floats, Ints
from qa_frame.errors import IntervalWarning, PairingWarning, UnknownOptionError, plural, show, warn
from qa_frame.frames.source import Source
from qa_frame.stats.contrasts import OUTCOMES
from qa_frame.stats.differences import Draws, alpha_of
from qa_frame.stats.distributions import t_quantiles
from qa_frame.stats.estimates import Estimate, estimate, group_sums, reasons_to_distrust
from qa_frame.stats.grouping import GroupColumns, plain_names, refuse_nulls, require_names
from qa_frame.stats.influence import sum_by_unit
from qa_frame.stats.intervals import RESAMPLES, Bounds, Interval
from qa_frame.stats.label_permutation import (
    SizedTotals,
    label_tests,
    recovered_difference,
    too_few_labels,
    welch_df,
)
from qa_frame.stats.p_function import Differences, StudentsPFunction
from qa_frame.stats.statistic import Mean, Statistic
from qa_frame.stats.sums import collect
from qa_frame.tables.groups import read_groups, warn_of_doubtful
from qa_frame.tables.options import Testing
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

    def differences(self, testing: Testing, draws: Draws) -> Iterator[list[Differences]]:
        """Yield the differences of each mean, by the intervals that a summary has, and warn of those."""
        keys, figures = replace(self.rows.keys, by=(pd.Series(self.rows.groups.codes),)), self.rows.estimators
        grouped = group_sums(collect(self.rows, figures, keys, with_products=True, with_rows=False))
        estimates = estimate(grouped, Interval(testing.ci, "normal", RESAMPLES, 0))
        place = np.argsort(grouped.by_group.keys.by[0].to_numpy())
        labels = pd.Index(self.groups.tolist(), tupleize_cols=False)
        warn_of_doubtful(reasons_to_distrust(grouped, estimates), labels, place)
        pairs = np.stack([self.first, self.second])
        sides, (a, b) = place[pairs], (self.groups.iloc[each].reset_index(drop=True) for each in pairs)
        for figure in figures:
            of_groups = estimates[figure.name]
            assert of_groups.spread is not None
            dfs = of_groups.spread.df[sides]
            (low, high), df = _recover(of_groups, sides), welch_df(of_groups.spread.variance[sides], dfs)
            half = (high - low) / 2
            values, counts = of_groups.value[sides], self._count(of_groups.n[sides])
            units = [self._units(figure, group) for group in range(len(self.groups))]
            tests = label_tests(units, pairs.T.tolist(), draws, df)
            error, limit = half / t_quantiles(testing.ci, df), np.full(self.n_pairs, np.inf)
            p_function = StudentsPFunction(values[0] - values[1], tests.p, limit, error, (low + high) / 2, df)
            yield [Differences(figure.name, a, b, values, counts, p_function, tests.is_exhausted, np.rint(dfs) + 1)]

    def _count(self, n: Ints) -> dict[str, Any]:
        """Return the counts of pairs by their names. n: the scored rows of both sides, shape (2, pairs)."""
        n_rows = np.bincount(self.rows.groups.codes, minlength=len(self.groups))[np.stack([self.first, self.second])]
        counts: dict[str, Any] = {"n": n.sum(axis=0), "n_only_a": n[0], "n_only_b": n[1]}
        counts["n_not_scored"] = (n_rows - n).sum(axis=0)
        return counts | dict.fromkeys(OUTCOMES, pd.array([pd.NA] * self.n_pairs, "Int64"))

    def _units(self, figure: Statistic, group: int) -> SizedTotals:
        """Return the sums and the rows of a group's units, in an order that does not depend on that of rows."""
        scores = self.rows.scores[figure.name]
        places = np.flatnonzero((self.rows.groups.codes == group) & ~np.isnan(scores))
        unit = self.rows.units_of(places)
        unit = None if unit is None else np.unique(unit, return_inverse=True)[1]
        totals, sizes = sum_by_unit(scores[places], unit), sum_by_unit(np.ones(len(places)), unit)
        order = np.lexsort((sizes, totals))
        return totals[order], sizes[order]

    def warn_of_few(self, compared: pd.DataFrame, units: Floats, testing: Testing) -> None:
        """Warn of pairs with so few rows or clusters that the test could not reject at its level.

        units: how many equal units the rows of both sides are worth, shape (2, pairs).
        """
        is_few = [too_few_labels(one, other, testing.alpha) for one, other in units.T.astype(np.int64).tolist()]
        if any(is_few):
            n = sum(is_few)
            warn(
                f"{n} of {plural(len(compared), 'row')} {'has' if n == 1 else 'have'} so few rows or clusters that no "
                f"p is below {alpha_of(testing.ci):g}; gather more",
                IntervalWarning,
                see=_SEE,
            )


def _recover(of_groups: Estimate, sides: Ints) -> Bounds:
    """Return the bounds of differences by those of both sides. sides: the places of both groups, shape (2, pairs)."""
    return recovered_difference(of_groups.value[sides], of_groups.low[sides], of_groups.high[sides])


def read_independent(source: Source, scoring: Scoring, arguments: PairArguments) -> IndependentGroups:
    """Return the rows of groups, and warn where they may well answer the same questions."""
    by, cluster, baseline = arguments.by, arguments.cluster, arguments.baseline
    require_names(by)
    require_names(cluster, "cluster")
    rows = read_groups(source, scoring, GroupColumns(by, cluster=cluster))
    for column in rows.keys.by:
        refuse_nulls(column, rows.frame.index, "by")
    labels = rows.groups.labels
    require_two(labels.tolist(), by)
    require_baseline(labels.tolist(), by, baseline)
    first, second = list_pairs(np.arange(len(labels)), labels.tolist(), baseline)
    _warn_of_common_questions(source, rows, arguments)
    if not cluster:
        warn_of_repeated(source, rows, rows.groups.codes, None)
    means = _require_means(rows.estimators, scoring.named)
    return IndependentGroups(replace(rows, estimators=means), labels, first, second, arguments.settings)


def _require_means(figures: Sequence[Statistic], named: Sequence[str] | None) -> tuple[Statistic, ...]:
    """Return the means among the figures; UnknownOptionError where another one is named."""
    means = tuple(figure for figure in figures if isinstance(figure, Mean))
    others = [figure.name for figure in figures if figure not in means]
    if named is not None and others:
        raise UnknownOptionError(
            f"metrics={others[0]!r} is no mean of rows, which models on different questions are compared by; name "
            "other metrics, or the column of questions, as question='question_id'"
        )
    return means


def _warn_of_common_questions(source: Source, rows: ReadRows, arguments: PairArguments) -> None:
    """Warn where a column of questions, or else of their ids, or of clusters has values in several groups."""
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
            warn(
                f"{plural(n_common, 'value')} of {show(name)} {'stands' if n_common == 1 else 'stand'} in several "
                f"groups of by={show(plain_names(arguments.by))}, which are treated as "
                f"independent; {remedy}",
                PairingWarning,
                see=_SEE,
            )
            return
