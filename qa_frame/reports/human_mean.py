"""Scores of all rows and people's verdicts on some → the table of the mean verdict by group."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Floats
from qa_frame.errors import IntervalWarning, VerdictError, plural, show, warn
from qa_frame.frames.kinds import Source
from qa_frame.frames.names import name_reasons, name_rows
from qa_frame.reports.agreement import read_any_verdicts
from qa_frame.reports.groups import describe, index_of, read_groups, warn_of_few_clusters
from qa_frame.reports.rows import Scoring
from qa_frame.stats.few_labels import LEAST_LABELS, LabelledMean, labelled_mean
from qa_frame.stats.grouping import make_levels
from qa_frame.stats.pulls import mean_of

FIGURES = ("human_mean", "labels_alone", "metric_mean", "slope")


def estimate_human_means(
    source: Source, scoring: Scoring, *, human: Hashable, by: By, cluster: Hashable | None, ci: float
) -> pd.DataFrame:
    """Return one row per group."""
    scored = read_groups(source, scoring, make_levels(by, cluster=cluster), human=[human])
    ((metric, scores),) = scored.scores.items()
    verdicts = read_shares(scored.frame, human)
    found, rows = [], []
    for members in scored.members:
        used = members[~np.isnan(scores[members])]
        found.append(labelled_mean(scores[used], verdicts[used], scored.units_of(used), ci))
        n_labelled = int(np.count_nonzero(~np.isnan(verdicts[used])))
        row: dict[str, float] = {"n": len(used), "n_labelled": n_labelled, "n_not_used": len(members) - len(used)}
        for name, figure in zip(FIGURES, (found[-1].mean, found[-1].labels_alone), strict=False):
            row |= dict(zip((name, f"{name}_lo", f"{name}_hi"), figure, strict=True))
        rows.append(row | {"metric_mean": mean_of(scores[used]), "slope": found[-1].slope})
    what = "labels" if cluster is None else "clusters with labels"
    _require_labels(max((each.n_units for each in found), default=0), human, metric, by, what)
    _warn_of_labels(scored.groups.labels.tolist(), found, metric, what)
    warn_of_few_clusters(scored, np.array([each.n_worth for each in found]), what)
    table = pd.DataFrame(rows, index=index_of(scored.groups))
    settings = {"human": human, "metric": metric, "cluster": cluster, "ci": ci}
    return describe(scored, table, "human_mean", FIGURES, level=ci, **settings)


def read_shares(frame: pd.DataFrame, human: Hashable) -> Floats:
    """Return verdicts from 0 to 1, NaN for null, shape (rows,); VerdictError where one is beyond."""
    verdicts = read_any_verdicts(frame, human)
    is_outside = np.flatnonzero((verdicts < 0) | (verdicts > 1))
    if len(is_outside):
        raise VerdictError(
            f"human={show(human)} holds {verdicts[is_outside[0]]:g} at {name_rows(is_outside, frame.index)}, and a "
            "mean of verdicts needs numbers from 0 (wrong) to 1 (right); turn grades into shares first, as in "
            f"(df[{human!r}] - least) / (most - least)"
        )
    return verdicts


def _require_labels(most: int, human: Hashable, metric: str, by: By, what: str) -> None:
    """Raise VerdictError where no group has enough. most: how many the group with most has."""
    if most < LEAST_LABELS:
        noun, *rest = what.split(" ", 1)
        given = " ".join([plural(most, noun.removesuffix("s")), *rest])
        inside = "" if by is None else f", in the group of by={show(by)} that has most"
        raise VerdictError(
            f"human={show(human)} gives {given} on rows that have a score of metric={metric!r}{inside}; a mean of "
            f"verdicts needs {LEAST_LABELS} or more, and an interval of use needs dozens: label more rows, drawn at "
            "random"
        )


def _warn_of_labels(labels: Sequence[Any], found: Sequence[LabelledMean], metric: str, what: str) -> None:
    """Warn of groups without a figure, and without a slope."""
    is_few = np.array([each.n_units < LEAST_LABELS for each in found])
    is_flat = np.array([np.isnan(each.slope) for each in found]) & ~is_few
    reasons = {
        f"fewer than {LEAST_LABELS} {what}, so no figure,": is_few,
        f"{metric!r} does not vary among labelled rows, so the labels stand alone,": is_flat,
    }
    said = name_reasons(labels, reasons)
    if said:
        warn(f"means of verdicts rest on little: {said}; label more rows", IntervalWarning)
