"""Scores → summaries: counts and means by group."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from qa_frame.columns import TextColumns, read_columns, recall_scoring, require_column, require_predictions
from qa_frame.errors import ColumnNotFoundError, UnknownOptionError
from qa_frame.metrics import METRICS
from qa_frame.pipeline import score_columns
from qa_frame.plan import Metrics, Plan

By = Hashable | Sequence[Hashable] | None


def summarise(
    frame: pd.DataFrame,
    *,
    by: By,
    metrics: Metrics,
    pred: Hashable | None,
    gold: Hashable | None,
    plan: Plan,
    percent: bool,
    prefix: str,
    observed: bool,
    dropna: bool,
) -> pd.DataFrame:
    """What `df.qa.summary` returns; see there."""
    keys = _group_keys(frame, by)
    if pred is None and gold is None:
        scores = _existing_scores(frame, prefix, plan.metrics if metrics is not None else None)
        columns, signature = recall_scoring(frame, prefix)
    elif pred is None or gold is None:
        given, lacking = ("gold", "pred") if pred is None else ("pred", "gold")
        raise UnknownOptionError(f"{given} is given without {lacking}; give both to score the rows first, or neither")
    else:
        columns, signature = read_columns(frame, pred=pred, gold=gold), plan.signature
        if plan.missing == "raise":
            require_predictions(columns)
        scores = pd.DataFrame(score_columns(columns, plan, progress=False))
    counted = pd.concat([_count_rows(scores, columns), scores], axis=1)
    pooled = _pool(counted, keys, observed=observed, dropna=dropna)
    if percent:
        pooled[scores.columns] *= 100
    pooled.attrs = {} if signature is None else {"qa": signature}
    return pooled


def _group_keys(frame: pd.DataFrame, by: By) -> list[pd.Series]:
    """The grouping columns or index levels, by position."""
    if by is None:
        return []
    names = by if isinstance(by, list) else [by]
    keys = []
    for name in names:
        if name in frame.index.names and name not in frame.columns:
            keys.append(pd.Series(frame.index.get_level_values(frame.index.names.index(name)), name=name))
            continue
        require_column(name, list(frame.columns), "by")
        keys.append(frame[name].reset_index(drop=True))
    return keys


def _existing_scores(frame: pd.DataFrame, prefix: str, wanted: Sequence[str] | None) -> pd.DataFrame:
    """The score columns of a scored frame, by position, without their prefix: those wanted, or all in their order."""
    if wanted is None:
        metric_of = {prefix + metric: metric for metric in METRICS}
        wanted = [metric_of[name] for name in frame.columns if name in metric_of]
    for metric in wanted:
        require_column(prefix + metric, list(frame.columns), "metrics")
    found = {metric: frame[prefix + metric] for metric in wanted}
    if not found:
        raise ColumnNotFoundError(
            f"the frame has no score column with prefix={prefix!r}; score it first with df.qa.score(pred, gold), or "
            f"give summary the columns: pred=..., gold=.... Columns: {list(frame.columns)}"
        )
    return pd.DataFrame({metric: column.to_numpy(np.float64, na_value=np.nan) for metric, column in found.items()})


def _count_rows(scores: pd.DataFrame, columns: TextColumns | None) -> pd.DataFrame:
    """What each row adds to the counts of its group."""
    rows = pd.DataFrame({"n": 1, "n_scored": scores.notna().all(axis=1).astype(np.int64)}, index=scores.index)
    if columns is None:
        unknown = pd.array([pd.NA] * len(scores), dtype="Int64")
        return rows.assign(n_missing=unknown, n_no_gold=unknown)
    return rows.assign(n_missing=columns.is_missing.astype(np.int64), n_no_gold=(columns.n_golds == 0).astype(np.int64))


def _pool(rows: pd.DataFrame, keys: list[pd.Series], *, observed: bool, dropna: bool) -> pd.DataFrame:
    """Sums of the counts and means of the scores, a row a group."""
    counts = ["n", "n_scored", "n_missing", "n_no_gold"]
    if not keys:
        keys = [pd.Series("all", index=rows.index, dtype=object)]
    groups = rows.groupby([key.rename(None) for key in keys], observed=observed, dropna=dropna)
    pooled = pd.concat([groups[counts].sum(min_count=1), groups[list(rows.columns.drop(counts))].mean()], axis=1)
    pooled.index.names = [key.name for key in keys]
    return pooled
