"""Scores → summaries: counts and means by group."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from qa_frame.columns import (
    TextColumns,
    read_columns,
    recall_scoring,
    require_column,
    require_predictions,
    score_label,
)
from qa_frame.errors import ColumnNotFoundError, ColumnTypeError, UnknownOptionError
from qa_frame.metrics import METRICS
from qa_frame.pipeline import score_columns
from qa_frame.plan import Metrics, Plan

By = Any
"""A column's label, an index level's name, or a list of them."""


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
        columns, signature = recall_scoring(frame, [prefix + metric for metric in scores.columns])
    elif pred is None or gold is None:
        given, lacking = ("gold", "pred") if pred is None else ("pred", "gold")
        raise UnknownOptionError(f"{given} is given without {lacking}; give both to score the rows first, or neither")
    else:
        columns, signature = read_columns(frame, pred=pred, gold=gold), plan.signature
        if plan.missing == "raise":
            require_predictions(columns)
        scores = pd.DataFrame(score_columns(columns, plan, progress=False))
    pooled = _pool(_count_rows(scores, columns), scores, keys, observed=observed, dropna=dropna)
    if columns is None:
        unknown = pd.array([pd.NA] * len(pooled), dtype="Int64")
        pooled = pooled.assign(n_missing=unknown, n_no_gold=unknown)
    if percent:
        pooled[scores.columns] *= 100
    pooled.attrs = {} if signature is None else {"qa": signature}
    return pooled


def _group_keys(frame: pd.DataFrame, by: By) -> list[pd.Series]:
    """The grouping columns or index levels, by position."""
    if by is None:
        return []
    names = list(by) if isinstance(by, list | pd.Index) else [by]
    keys = []
    for name in names:
        if name in frame.index.names and name not in frame.columns:
            keys.append(pd.Series(frame.index.get_level_values(frame.index.names.index(name)), name=name))
            continue
        known: list[Hashable] = list(frame.columns)
        if isinstance(name, tuple) and name not in known and set(name) <= set(known):
            raise ColumnNotFoundError(
                f"by={name!r} is not a column; for several columns give a list. Columns: {list(frame.columns)}"
            )
        require_column(name, list(frame.columns), "by")
        keys.append(frame[name].reset_index(drop=True))
    return keys


def _existing_scores(frame: pd.DataFrame, prefix: str, wanted: Sequence[str] | None) -> pd.DataFrame:
    """The score columns of a scored frame, by position, without their prefix: those wanted, or all in their order."""
    labels: dict[Hashable, str] = {score_label(prefix + metric, frame.columns): metric for metric in METRICS}
    if wanted is None:
        found: list[Hashable] = [label for label in dict.fromkeys(frame.columns) if label in labels]
    else:
        label_of = {metric: label for label, metric in labels.items()}
        found = [label_of[metric] for metric in wanted]
    for label in found:
        require_column(label, list(frame.columns), "metrics")
    scores = {labels[label]: _as_scores(frame[label], required=wanted is not None) for label in found}
    scores = {metric: column for metric, column in scores.items() if column is not None}
    if not scores:
        raise ColumnNotFoundError(
            f"the frame has no score column with prefix={prefix!r}; score it first with df.qa.score(pred, gold), or "
            f"give summary the columns: pred=..., gold=.... Columns: {list(frame.columns)}"
        )
    return pd.DataFrame(scores)


def _as_scores(column: pd.Series, *, required: bool) -> NDArray[np.float64] | None:
    """A column as floats, NaN for null; None, or an error if it is required, where it holds something else."""
    try:
        return column.to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        if not required:
            return None
        raise ColumnTypeError(
            f"the column {column.name!r} holds {column.dtype}, not scores; drop or rename it"
        ) from error


def _count_rows(scores: pd.DataFrame, columns: TextColumns | None) -> pd.DataFrame:
    """What each row adds to the counts of its group; 0 where it is not known."""
    is_scored = scores.notna().all(axis=1).to_numpy(np.int64)
    is_missing, has_no_gold = (0, 0) if columns is None else (columns.is_missing, columns.n_golds == 0)
    rows = {"n": 1, "n_scored": is_scored, "n_missing": is_missing, "n_no_gold": has_no_gold}
    return pd.DataFrame(rows, index=scores.index).astype(np.int64)


def _pool(
    counts: pd.DataFrame, scores: pd.DataFrame, keys: list[pd.Series], *, observed: bool, dropna: bool
) -> pd.DataFrame:
    """Sums of the counts and means of the scores, a row a group."""
    if not keys:
        return pd.concat([counts.sum().to_frame("all").T, scores.mean().to_frame("all").T], axis=1)
    by = [key.rename(None) for key in keys]
    sums = counts.groupby(by, observed=observed, dropna=dropna).sum()
    means = scores.groupby(by, observed=observed, dropna=dropna).mean()
    pooled = pd.concat([sums, means], axis=1)
    pooled.index.names = [key.name for key in keys]
    return pooled
