"""Which metric ranks groups, as those of a report: the one that agrees with people, or else one that fits."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from qa_frame._typing import Floats
from qa_frame.checks import is_choice, unknown_option
from qa_frame.ext.annotation.concordance import auc, pair_with_verdicts
from qa_frame.scoring.metrics import METRICS, OTHER_NAMES
from qa_frame.tables.metric_fit import MetricFit

FEWEST_VERDICTS = 300
"""Fewer verdicts choose a metric, but do not order the groups."""

_LEAST_AUC, _CLOSE = 0.6, 0.05


@dataclass(frozen=True, slots=True)
class Ranking:
    """The metric that ranks the groups, and why.

    Attributes
    ----------
    metric
        Its name; the column of verdicts where no metric tells right from wrong.
    choice
        The metric that the rules choose. It may differ from `metric` where the call names a metric.
    reason
        Why it ranks, as a sentence; "" where there is nothing to say.
    fits
        Whether a difference in it may be called better or worse.
    areas
        The area under the ROC curve of each metric against people's verdicts, the largest first; empty without
        verdicts.
    n_verdicts
        The answers that people have judged.
    """

    metric: str
    choice: str
    reason: str = ""
    fits: bool = True
    areas: Mapping[str, float] = field(default_factory=dict)
    n_verdicts: int = 0


def choose_ranking(
    rows: pd.DataFrame, metrics: Sequence[str], by: Hashable, fit: MetricFit, *, rank_by: str | None, human: str | None
) -> Ranking:
    """Return which metric ranks the groups, and why; UnknownOptionError where `rank_by` is none of the metrics.

    rank_by: the metric that the call names; None lets the verdicts choose, or else `fit`. by: the column of groups.
    fit: how well metrics fit the answers of each group. human: the column of verdicts; None if there is none.
    """
    if rank_by is not None and not is_choice(rank_by, metrics):
        raise unknown_option("rank_by", rank_by, metrics, OTHER_NAMES)
    chosen = _choose_by_fit(metrics, fit) if human is None else _choose_by_verdicts(rows, metrics, by, fit, human)
    metric = rank_by or chosen.metric
    fits = metric not in fit.spoiled and chosen.areas.get(metric, 1.0) >= _LEAST_AUC
    return replace(chosen, metric=metric, fits=fits, reason=chosen.reason if human or metric == chosen.metric else "")


def _choose_by_fit(metrics: Sequence[str], fit: MetricFit) -> Ranking:
    """Return the ranking by the metric that fits the answers; by f1, em or the first metric if that is not scored."""
    metric, reason = fit.choose_metric()
    reason = reason.partition(";")[0]  # what else recall counts stands beside the leaderboard
    if metric in metrics:
        return Ranking(metric, metric, reason)
    metric = next((name for name in ("f1", "em") if name in metrics), metrics[0])
    return Ranking(metric, metric, "recall should rank, but the frame has no texts to compute it from")


def _choose_by_verdicts(
    rows: pd.DataFrame, metrics: Sequence[str], by: Hashable, fit: MetricFit, human: str
) -> Ranking:
    """Return the ranking by one of the metrics that tell right from wrong best: at most `_CLOSE` less than the first.

    Of these, and of those among them that fit the answers if there are any, it is the one whose distance from the
    verdicts differs least between groups (see `_spread_of_distance`).

    Where no metric tells right from wrong, the column of verdicts ranks. Where no row with a verdict allows a
    comparison, the metric that fits the answers ranks.
    """
    judged = rows[rows[human].notna()]
    areas = _measure_areas(judged, [name for name in metrics if name != human], human)
    if not areas:
        return _choose_by_fit(metrics, fit)
    best = next(iter(areas))
    if areas[best] < _LEAST_AUC:
        reason = f"no metric here tells right from wrong (the best is {best}, AUC {_show_area(areas[best])})"
        return Ranking(human, human, f"{reason}: rank by people", True, areas, len(judged))
    close = [name for name, area in areas.items() if area >= areas[best] - _CLOSE]
    candidates = [name for name in close if name not in fit.spoiled] or close
    chosen = min(candidates, key=lambda name: _spread_of_distance(judged, name, by, human))
    worst = [*areas][-1]
    other = "" if worst == chosen else f"; {worst} {_show_area(areas[worst])}"
    area = f"AUC {_show_area(areas[chosen])}{other}"
    reason = f"{chosen} agrees best with these verdicts ({area})"
    if len(close) > 1:
        reason = f"of the metrics that agree best with these verdicts, {chosen} treats groups most alike ({area})"
    return Ranking(chosen, chosen, reason, True, areas, len(judged))


def _show_area(area: float) -> str:
    """Return an area with two decimals and without the 0 before the point, as ".94"."""
    return f"{area:.2f}".removeprefix("0")


def _measure_areas(judged: pd.DataFrame, metrics: Sequence[str], human: str) -> dict[str, float]:
    """Return how often a right answer has a higher score than a wrong one, by metric, the most often first.

    Among equal areas, metrics that depend on the length of responses are last. A metric is left out if the rows that it
    scores have one verdict alone.
    """
    verdicts = judged[human].to_numpy(np.float64)
    counts = {name: pair_with_verdicts(judged[name].to_numpy(np.float64), verdicts, None) for name in metrics}
    areas = {name: auc(each) for name, each in counts.items() if len(each.verdicts) > 1}
    counting = {name for name in metrics if name in METRICS and not METRICS[name].ignores_length}
    return dict(sorted(areas.items(), key=lambda each: (-each[1], each[0] in counting)))


def _spread_of_distance(judged: pd.DataFrame, metric: str, by: Hashable, human: str) -> float:
    """Return the standard deviation, over groups, of the mean difference between score and verdict.

    Scores and verdicts lie from 0 to 1, as `_scale` makes them.
    """
    distance = pd.Series(_scale(judged[metric]) - _scale(judged[human]))
    return float(distance.groupby(judged[by].to_numpy(object)).mean().std(ddof=0))


def _scale(column: pd.Series) -> Floats:
    """Return the column as float64. If a number is below 0 or above 1, all are moved and shrunk to lie from 0 to 1."""
    values: Floats = column.to_numpy(np.float64)
    least, most = np.nanmin(values, initial=0.0), np.nanmax(values, initial=1.0)
    return np.asarray((values - least) / (most - least))
