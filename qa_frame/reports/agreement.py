"""Scores and people's verdicts on the same rows → the table of how well each metric agrees with them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Floats, Ints
from qa_frame.errors import VerdictError
from qa_frame.frames.kinds import Source
from qa_frame.frames.names import name_rows, require_column
from qa_frame.frames.number_columns import as_floats
from qa_frame.frames.provenance import describe_table
from qa_frame.reports.mixed_scores import warn_of_mixed_rows
from qa_frame.reports.rows import Scoring, kinds_of
from qa_frame.reports.unanswered import warn_of_places
from qa_frame.scoring.doubts import warn_of_golds
from qa_frame.stats.agreement import figures, judge
from qa_frame.stats.grouping import By, KeyCodes, group_rows, list_keys, read_codes, read_level
from qa_frame.stats.rows import require_finite

FIGURES = ("auc", "pearson", "spearman", "kendall", "threshold", "accuracy", "balanced_accuracy", "kappa")


def agree(
    source: Source,
    scoring: Scoring,
    *,
    human: Hashable,
    by: By,
    cluster: Hashable | None,
    ci: float,
    n_resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Return one row per group and metric."""
    clusters = [] if cluster is None else [cluster]
    frame = source.as_pandas({"human": [human], "by": list_keys(by), "cluster": clusters}, scoring.names)
    verdicts = read_verdicts(frame, human)
    groups = None if by is None else read_codes(frame, by, "by", has_nulls=True)
    units = None if cluster is None else group_rows(read_level(frame, [cluster], "cluster"), len(frame), "cluster")[0]
    scored = scoring.read(source, frame)
    warn_of_golds(scored.doubts, scoring.plan, scoring.gold)
    warn_of_places(scored, ["all"], [np.arange(len(frame))])
    warn_of_mixed_rows(scored, groups)
    for metric, scores in scored.scores.items():
        require_finite(metric, scores)
    has_two = len(np.unique(verdicts[~np.isnan(verdicts)])) == 2
    rows = []
    for members in _members(groups, len(frame)):
        for scores in scored.scores.values():
            judged = judge(scores[members], verdicts[members], None if units is None else units[members])
            row: dict[str, float] = {"n": judged.n, "n_not_used": len(members) - judged.n}
            rows.append(row | figures(judged, has_two=has_two, ci=ci, n_resamples=n_resamples, seed=seed))
    agreement = pd.DataFrame(rows, index=_index(groups, list(scored.scores)))
    agreement.attrs |= describe_table(
        "agreement", keys=agreement.index.names, figures=FIGURES, metrics=kinds_of(scored.scores), level=ci
    )
    settings = f"human:{human}|cluster:{cluster}|ci:{ci}|n_resamples:{n_resamples}|seed:{seed}"
    agreement.attrs["qa_agreement"] = settings
    if scored.signature is not None:
        agreement.attrs["qa"] = scored.signature
    return agreement


def read_verdicts(frame: pd.DataFrame, human: Hashable) -> Floats:
    """Return the verdicts as floats, NaN for null, shape (rows,)."""
    require_column(human, list(frame.columns), "human")
    column = frame[human]
    verdicts = as_floats(column)
    if verdicts is None and column.isna().all():
        verdicts = np.full(len(column), np.nan)
    if verdicts is None:
        found = column.dropna().astype(object)
        raise VerdictError(
            f"human={human!r} holds {pd.api.types.infer_dtype(found)} such as {found.iloc[0]!r:.40}, where numbers are "
            f"needed; turn verdicts into 1 and 0 first, as in df[{human!r}].map({{'right': 1, 'wrong': 0}})"
        )
    is_endless = np.flatnonzero(np.isinf(verdicts))
    if len(is_endless):
        raise VerdictError(
            f"human={human!r} is infinite at {name_rows(is_endless, frame.index)}; give a number, or null for none"
        )
    known = verdicts[~np.isnan(verdicts)]
    distinct = np.unique(known)
    if len(distinct) < 2:
        what = f"is always {distinct[0]:g}" if len(distinct) else "holds only nulls"
        raise VerdictError(
            f"human={human!r} {what} ({len(known)} of {len(column)} rows have a verdict); agreement needs answers that "
            "people found right and others that they found wrong: choose another column or more rows"
        )
    return verdicts


def _members(groups: KeyCodes | None, n_rows: int) -> list[Ints]:
    """Return the rows of each group."""
    codes = np.zeros(n_rows, np.int64) if groups is None else groups.codes
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])


def _index(groups: KeyCodes | None, metrics: Sequence[str]) -> pd.Index:
    """Return a level for each column of `by`, and one for the metric."""
    if groups is None:
        return pd.Index(metrics, name="metric")
    levels: list[Any] = [column.repeat(len(metrics)).array for column in groups.columns]
    names = [column.name for column in groups.columns]
    return pd.MultiIndex.from_arrays([*levels, list(metrics) * len(groups)], names=[*names, "metric"])
