"""`qa_frame.ranks`: comparisons of groups → the ranks that each may have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Floats, Frame, Ints
from qa_frame.errors import IntervalWarning, PairingError, PairingWarning, show, warn
from qa_frame.frames.scoring_metadata import describe_table
from qa_frame.frames.source import Source, read_source
from qa_frame.stats.differences import alpha_of, observed_ranks, rank_bounds
from qa_frame.stats.statistic import divide_where
from qa_frame.tables.methods import explains_wrong_calls
from qa_frame.tables.result_tables import as_matrix, floats, places_of_groups, read_compared, require_columns, same_key
from qa_frame.tables.results import read_compare_settings
from qa_frame.tables.rows import kinds_of


@explains_wrong_calls
def ranks(data: Frame, *, ci: float = 0.95) -> Frame:
    """Rank groups as far as their comparisons tell: an interval of ranks per metric and group.

    `df.qa.ranks(...)` is `qa_frame.ranks(df, ...)`. The frame is one that `compare` returned.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["f1", "recall"])
    >>> compared = scored.qa.compare(by="model", question="question_id")
    >>> compared.qa.ranks()[["metric", "group", "rank_lo", "rank_hi", "mean", "win_rate"]].round(3)
       metric       group  rank_lo  rank_hi   mean  win_rate
    0      f1    lynx-70b        1        1  0.724     0.870
    1      f1  otter-chat        2        2  0.339     0.452
    2      f1    heron-7b        3        3  0.206     0.178
    3  recall    lynx-70b        1        2  0.756     0.687
    4  recall  otter-chat        1        2  0.755     0.702
    5  recall    heron-7b        3        3  0.180     0.111

    Parameters
    ----------
    data
        Result of `compare` of each group with each, so without a baseline.
    ci
        Confidence level: a group is better than another if its figure is higher and `p_adj` is below 1 - ci.

    Returns
    -------
    frame
        The kind of frame that was given, with one row per metric and group, the best group first:

        - `metric`, and `group` as it stands in `a` and `b`.
        - `rank`: 1 plus the number of groups whose figure is higher, whether that is decided or not.
        - `rank_lo`, `rank_hi`: the places that the group may hold after the correction for multiple comparisons.
          `rank_lo` is 1 plus the number of groups that are better; `rank_hi` is the number of groups less those that
          are worse.
        - `n_groups`: how many groups are ranked together. After `compare(within=...)`, the groups of each value are
          ranked apart.
        - `mean`: the mean of the metric, or the pooled figure. Where pairs have different questions, it is the mean
          over all pairs of the group.
        - `win_rate`: the share of questions that the group wins over all its pairs, where a tie counts half. It is NaN
          for independent groups.
        - `n_untested`: the pairs of the group whose `p_adj` is null, which widen the interval.

        `attrs["qa"]` and `attrs["qa_compare"]` are those of `data`.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError
        Where `data` is not a result of `compare`.
    PairingError
        Where a pair of groups has no row, as after `compare(baseline=...)`, or two.
    UnknownOptionError
        Where ci is not allowed.

    Warns
    -----
    IntervalWarning
        Where `p_adj` is not Holm's, as the comparison notes.
    PairingWarning
        Where a group with a higher mean has a worse rank, as not all groups have the same questions.

    Notes
    -----
    With Holm's correction, the intervals of all groups of a metric hold their true ranks at once with a probability of
    at least ci (Holm 2012; Klein, Wright and Wieczorek 2020): if no group is wrongly called better, no interval misses.
    """
    source = read_source(data)
    return source.like(rank_groups(source, float(ci)), has_keys=False)


_ROUNDING = 1e-9
_READ = ("n", "mean_a", "mean_b", "wins", "ties", "losses")
"""The columns of a comparison that ranks need beside those that `read_compared` requires."""


def rank_groups(source: Source, ci: float) -> pd.DataFrame:
    """Return the table of `ranks`: one row per metric and group, the best group first.

    Groups that are not compared with each other, as of two datasets, stand in blocks of their own.
    """
    frame = read_compared(source.data, "data")
    require_columns(frame, _READ, "a result of qa_frame.compare", "data")
    metrics = frame["metric"].astype(str).to_numpy(object)
    names = list(dict.fromkeys(metrics))
    _warn_of_correction(source)
    parts = []
    for name in names:
        compared_sets = _split_into_compared_sets(frame, np.flatnonzero(metrics == name))
        parts += [_rank_compared_groups(frame.iloc[rows], name, alpha_of(ci)) for rows in compared_sets]
    table = pd.concat(parts or [_rank_compared_groups(frame, "", alpha_of(ci))], ignore_index=True)
    keys, estimates = ["metric", "group"], ["rank", "mean", "win_rate"]
    table.attrs |= describe_table("ranks", keys=keys, estimates=estimates, metrics=kinds_of(names), level=ci)
    table.attrs |= {name: note for name, note in source.notes.items() if name in {"qa", "qa_compare"}}
    return table


def _split_into_compared_sets(frame: pd.DataFrame, rows: Ints) -> list[Ints]:
    """Return the places of the rows of each set of groups that are compared with each other, as those of one dataset.

    rows: the places of the rows to split, as those of one metric.
    """
    block_of: dict[Any, list[int]] = {}
    for row in rows.tolist():
        one, other = (block_of.setdefault(same_key(frame[side].iloc[row]), []) for side in ("a", "b"))
        one.append(row)
        if one is not other:
            one += other
            block_of = {key: one if block is other else block for key, block in block_of.items()}
    return [np.sort(block) for block in {id(block): block for block in block_of.values()}.values()]


def _rank_compared_groups(pairs: pd.DataFrame, metric: str, alpha: float) -> pd.DataFrame:
    """Return the ranks of some groups for one metric. pairs: a row of the comparison for each pair of them."""
    groups, first, second = places_of_groups(pairs, metric)
    _require_every_pair(first, second, groups, metric)
    differences, p = as_matrix(first, second, len(groups), floats(pairs, "diff")), floats(pairs, "p_adj")
    is_better = (differences > 0) & (as_matrix(first, second, len(groups), p, sign=1) < alpha)
    low, high = rank_bounds(is_better)
    rank = observed_ranks(differences)
    order = np.lexsort((np.arange(len(groups)), rank))
    n_untested = np.bincount(np.concatenate([first, second])[np.tile(np.isnan(p), 2)], minlength=len(groups))
    mean, win_rate = _mean_and_win_rate(pairs, first, second, len(groups))
    _warn_of_other_means(metric, groups, rank, mean)
    labels = pd.Series([groups[place] for place in order.tolist()])
    columns: dict[str, Any] = {"metric": metric, "group": labels, "rank": rank[order]}
    columns |= {"rank_lo": low[order], "rank_hi": high[order], "n_groups": len(groups)}
    columns |= {"mean": mean[order], "win_rate": win_rate[order], "n_untested": n_untested[order]}
    return pd.DataFrame(columns)


def _mean_and_win_rate(pairs: pd.DataFrame, first: Ints, second: Ints, n_groups: int) -> tuple[Floats, Floats]:
    """Return the mean of each group and the share of questions that it wins, over all its pairs; shape (groups,).

    A group that has another mean in another pair, as not all groups have the same questions, has their mean weighted
    with questions.
    """
    groups = np.concatenate([first, second])
    n = np.tile(floats(pairs, "n"), 2)
    values = np.concatenate([floats(pairs, "mean_a"), floats(pairs, "mean_b")])
    won = np.concatenate([floats(pairs, name) for name in ("wins", "losses")]) + np.tile(floats(pairs, "ties"), 2) / 2
    n_won, n_played = (np.asarray(np.bincount(groups, each, n_groups), np.float64) for each in (won, n))
    win_rate = divide_where(n_won, n_played, np.nan)
    members = [groups == group for group in range(n_groups)]
    return np.array([_weighted_mean(values[its], n[its]) for its in members]), win_rate


def _weighted_mean(means: Floats, n: Floats) -> float:
    """Return the mean of means, weighted with n, and exact where all are equal; NaN where none is known."""
    is_known = ~np.isnan(means)
    means, n = means[is_known], n[is_known]
    if not len(means):
        return math.nan
    return float(means[0]) if (means == means[0]).all() else math.fsum(means * n) / math.fsum(n)


def _warn_of_other_means(metric: str, groups: Sequence[Any], ranks: Ints, means: Floats) -> None:
    """Warn where a group with a higher mean has a worse rank, as where groups answered different questions."""
    is_odd = (ranks[:, None] > ranks) & (means[:, None] > means + _ROUNDING)
    if is_odd.any():
        one, other = np.argwhere(is_odd)[0].tolist()
        finding = f"{metric!r}: {show(groups[one])} has the mean {means[one]:.3g} and rank {ranks[one]}, and "
        finding += f"{show(groups[other])} {means[other]:.3g} and rank {ranks[other]}"
        warn(f"{finding}, as not all groups have the same questions", PairingWarning, see="means-of-other-questions")


def _require_every_pair(first: Ints, second: Ints, groups: Sequence[Any], metric: str) -> None:
    """Raise PairingError unless each pair of groups has a row."""
    wanted = np.triu(np.ones((len(groups), len(groups))), k=1)
    lacking = np.argwhere(np.isnan(as_matrix(first, second, len(groups), np.ones(len(first)), sign=1)) & (wanted > 0))
    if len(lacking):
        one, other = (show(groups[place]) for place in lacking[0].tolist())
        finding = f"lacks {len(lacking)} of {int(wanted.sum())} pairs of {metric!r}, first {one} and {other}"
        remedy = "ranks need each pair: compare all groups without a baseline, and keep all rows"
        raise PairingError.of("data", finding, remedy)


def _warn_of_correction(source: Source) -> None:
    """Warn where the comparison notes another correction than Holm's: the intervals hold all at once by that only."""
    correction = read_compare_settings(source).get("correction", "holm")
    if correction != "holm":
        finding = f"p_adj is by correction={correction!r}, and the intervals of ranks hold all at once less often than "
        finding += "their level says"
        warn(f"{finding}; compare with correction='holm'", IntervalWarning)
