"""Groups that answered different questions → their differences, as a first look: compare without `question`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Floats, Ints
from qa_frame.errors import IntervalWarning, PairingWarning, UnknownOptionError, plural, show, warn
from qa_frame.frames.source import Source
from qa_frame.stats.contrasts import OUTCOMES, TInterval, agree
from qa_frame.stats.estimates import Estimate, doubtful, estimate, group_sums
from qa_frame.stats.grouping import GroupColumns, plain_names, refuse_nulls, require_names
from qa_frame.stats.influence import by_unit
from qa_frame.stats.intervals import RESAMPLES, Bounds, Interval
from qa_frame.stats.label_permutation import LabelledUnits, label_test, recovered_difference, too_few_labels, welch_df
from qa_frame.stats.p_values import Draws, PValues, alpha_of
from qa_frame.stats.statistic import Mean, Statistic
from qa_frame.stats.student import t_quantiles
from qa_frame.stats.sums import collect
from qa_frame.tables.groups import read_groups, warn_of_doubtful
from qa_frame.tables.pairs import PairKeys, list_pairs, require_baseline, require_two
from qa_frame.tables.rows import ReadRows, Scoring
from qa_frame.tables.same_questions import ID, QUESTION, text_codes
from qa_frame.tables.significance_settings import Testing

_SEE = "intervals#models-on-different-questions"


@dataclass(frozen=True, slots=True)
class IndependentContrast:
    """A mean of pairs of groups, each on its own rows. It has what a table of differences is made of, as a `Contrast`.

    Attributes
    ----------
    figure, pairing, side_values, counts
        As in `Contrast`.
    units
        How many equal units the rows of both sides are worth, shape (2, pairs).
    bounds, level
        The bounds of the differences before they agree with the test, shape (pairs,), and their level.
    place
        Where the interval of one pair alone lies.
    """

    figure: Statistic
    pairing: IndependentGroups
    side_values: Floats
    counts: dict[str, Any]
    units: Floats
    bounds: Bounds
    level: float
    place: TInterval

    @property
    def found(self) -> Floats:
        """The differences, shape (pairs,)."""
        return np.asarray(self.side_values[0] - self.side_values[1])

    def located(self) -> TInterval:
        """Return where the interval lies, at the level that a margin and the next questions are tested at."""
        return self.place

    def test(self, draws: Draws) -> tuple[Bounds, PValues]:
        """Return the bounds of the differences, which agree with the test, and its p-values, shape (pairs,)."""
        p, is_exhausted = np.full(len(self.found), np.nan), np.zeros(len(self.found), np.bool_)
        pairs = zip(self.pairing.first.tolist(), self.pairing.second.tolist(), strict=True)
        for pair, groups in enumerate(pairs):
            (totals, sizes), (more, of_more) = (self.pairing.units(self.figure, group) for group in groups)
            units = LabelledUnits(np.concatenate([totals, more]), np.concatenate([sizes, of_more]), len(totals))
            p[pair], is_exhausted[pair] = label_test(units, draws, df=self.place.df[pair])
        return agree(self.bounds, self.found, p, self.level), PValues(p, is_exhausted)


@dataclass(frozen=True, slots=True)
class IndependentGroups:
    """The scored rows of groups that answered different questions.

    rows: the rows. groups: the labels of groups. first, second: the groups that are compared, shape (pairs,).
    """

    rows: ReadRows
    groups: pd.Series
    first: Ints
    second: Ints

    @property
    def n_pairs(self) -> int:
        """How many pairs of groups are compared."""
        return len(self.first)

    def contrasts(self, figures: Sequence[Statistic], testing: Testing) -> list[list[IndependentContrast]]:
        """Return the differences of means by their intervals as a summary has them, and warn of those."""
        keys = replace(self.rows.keys, by=(pd.Series(self.rows.groups.codes),))
        grouped = group_sums(collect(self.rows, figures, keys, with_products=True, with_rows=False))
        level = testing.level(self.n_pairs)
        found, alone = (estimate(grouped, Interval(each, "normal", RESAMPLES, 0)) for each in (level, testing.ci))
        place = np.argsort(grouped.by_group.keys.by[0].to_numpy())
        warn_of_doubtful(doubtful(grouped, found), pd.Index(self.groups.tolist(), tupleize_cols=False), place)
        sides = place[np.stack([self.first, self.second])]
        contrasts = []
        for figure in figures:
            of_level, of_one = found[figure.name], alone[figure.name]
            assert of_level.spread is not None
            dfs = of_level.spread.df[sides]
            (low, high), df = _recover(of_one, sides), welch_df(of_level.spread.variance[sides], dfs)
            units = np.rint(dfs) + 1
            half = (high - low) / 2
            located = TInterval((low + high) / 2, half / t_quantiles(testing.ci, df), df)  # whose bounds are the same
            values, counts, bounds = of_level.value[sides], self._count(of_level.n[sides]), _recover(of_level, sides)
            contrasts.append([IndependentContrast(figure, self, values, counts, units, bounds, level, located)])
        return contrasts

    def _count(self, n: Ints) -> dict[str, Any]:
        """Return the counts of pairs by their names. n: the scored rows of both sides, shape (2, pairs)."""
        n_rows = np.bincount(self.rows.groups.codes, minlength=len(self.groups))[np.stack([self.first, self.second])]
        counts: dict[str, Any] = {"n": n.sum(axis=0), "n_only_a": n[0], "n_only_b": n[1]}
        counts["n_not_scored"] = (n_rows - n).sum(axis=0)
        return counts | dict.fromkeys(OUTCOMES, pd.array([pd.NA] * self.n_pairs, "Int64"))

    def units(self, figure: Statistic, group: int) -> tuple[Floats, Floats]:
        """Return the sums and the rows of a group's units, in an order that does not depend on that of rows."""
        scores = self.rows.scores[figure.name]
        places = np.flatnonzero((self.rows.groups.codes == group) & ~np.isnan(scores))
        unit = self.rows.units_of(places)
        unit = None if unit is None else np.unique(unit, return_inverse=True)[1]
        totals, sizes = by_unit(scores[places], unit), by_unit(np.ones(len(places)), unit)
        order = np.lexsort((sizes, totals))
        return totals[order], sizes[order]

    def warn_of_few(self, compared: pd.DataFrame, units: Floats, testing: Testing) -> None:
        """Warn of pairs with so few rows or clusters that the test could not reject at its level."""
        is_few = [too_few_labels(one, other, testing.alpha) for one, other in units.T.astype(np.int64).tolist()]
        if any(is_few):
            n = sum(is_few)
            warn(
                f"{n} of {plural(len(compared), 'row')} {'has' if n == 1 else 'have'} so few rows or clusters that no "
                f"p is below {alpha_of(testing.ci):g}; gather more",
                IntervalWarning,
                see=_SEE,
            )


def _recover(found: Estimate, sides: Ints) -> Bounds:
    """Return the bounds of differences by those of both sides. sides: the places of both groups, shape (2, pairs)."""
    return recovered_difference(found.value[sides], found.low[sides], found.high[sides])


def read_independent(source: Source, scoring: Scoring, keys: PairKeys) -> IndependentGroups:
    """Return the rows of groups, and warn where they may well answer the same questions."""
    require_names(keys.named["by"])
    require_names(keys.named["cluster"], "cluster")
    levels = GroupColumns(keys.named["by"], cluster=keys.named["cluster"])
    rows = read_groups(source, scoring, levels)
    for column in rows.keys.by:
        refuse_nulls(column, rows.frame.index, "by")
    labels = rows.groups.labels
    require_two(labels.tolist(), keys.by)
    require_baseline(labels.tolist(), keys.by, keys.baseline)
    first, second = list_pairs(np.arange(len(labels)), labels.tolist(), keys.baseline)
    _warn_of_common_questions(source, rows, keys)
    means = _require_means(rows.figures, scoring.named)
    return IndependentGroups(replace(rows, figures=means), labels, first, second)


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


def _warn_of_common_questions(source: Source, rows: ReadRows, keys: PairKeys) -> None:
    """Warn where a column of questions, or else of their ids, or of clusters has values in several groups."""
    names = [name for name in (ID, QUESTION) if name in source.names]  # texts tell more than numbers do
    columns = [(name, source.as_pandas({name: [name]})[name]) for name in names[-1:]]
    remedy = f"give question={names[0]!r}: on the same questions, smaller differences are found" if names else ""
    if keys.named["cluster"]:
        columns.append((plain_names(keys.named["cluster"]), pd.Series(rows.drawn.unit)))
        remedy = remedy or "give the column of questions, as question='question_id'"
    for name, column in columns:
        codes = text_codes(column)
        groups = pd.Series(rows.groups.codes[codes > 0]).groupby(codes[codes > 0]).nunique()
        n_common = int((groups > 1).sum())
        if n_common:
            warn(
                f"{plural(n_common, 'value')} of {show(name)} {'stands' if n_common == 1 else 'stand'} in several "
                f"groups of by={show(keys.by)}, which are compared as if they had nothing in common; {remedy}",
                PairingWarning,
                see=_SEE,
            )
            return
