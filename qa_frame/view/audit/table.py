"""The table of an audit: a row for each hazard that is found."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping

import numpy as np
import pandas as pd
import pyarrow as pa

from qa_frame._typing import Floats
from qa_frame.errors import GoldFormatError, GoldFormatWarning
from qa_frame.frames.kinds import Source
from qa_frame.frames.provenance import describe_table
from qa_frame.frames.text_columns import TextColumns, read_texts
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.stats.grouping import ALL, By, list_keys, read_codes
from qa_frame.view.audit.hazards import HAZARDS, rows_of
from qa_frame.view.audit.remedies import Audited
from qa_frame.view.audit.rows import find_rows

_EXAMPLES = 5
_LEAST_CONSTANT = 20


def audit_rows(
    source: Source, plan: Plan, *, pred: Hashable, gold: Hashable, by: By, question: By, show_all: bool
) -> pd.DataFrame:
    """Return the table of hazards, in pandas."""
    columns = prepare_predictions(_read_texts(source, pred=pred, gold=gold), plan)
    frame = source.as_pandas({"by": list_keys(by), "question": list_keys(question)})
    group_per_row, labels_of_groups = np.zeros(len(columns), np.int64), [ALL]
    if by is not None:
        groups = read_codes(frame, by, "by", has_nulls=True)
        group_per_row, labels_of_groups = groups.codes, groups.labels.tolist()
    repeats = np.zeros(len(columns), np.bool_)
    if question is not None:
        questions = read_codes(frame, question, "question", has_nulls=True).codes
        repeats = pd.DataFrame({"question": questions, "group": group_per_row}).duplicated().to_numpy()
    audited = Audited(
        source=source,
        pred=pred,
        gold=gold,
        by=by,
        question=question,
        plan=plan,
        columns=columns,
        flags=find_rows(columns, plan) if len(columns) else {},
        groups=group_per_row,
        group_labels=labels_of_groups,
        repeats=repeats,
        constant=_constant(score_columns(columns, plan, progress=False)),
    )
    return _table(audited, frame.index if audited.kind == "pandas" else pd.RangeIndex(len(columns)), show_all=show_all)


def _read_texts(source: Source, *, pred: Hashable, gold: Hashable) -> TextColumns:
    """Return the columns. Golds that were written out are a hazard here, not an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GoldFormatWarning)
        try:
            return source.texts(pred=pred, gold=gold)
        except GoldFormatError:
            labels = source.columns.index if isinstance(source.columns, pd.DataFrame) else None
            preds, golds = (read_texts(source.columns[name], repr(name), labels) for name in (pred, gold))
            return TextColumns(preds, golds, labels)


def _table(audited: Audited, labels: pd.Index, *, show_all: bool) -> pd.DataFrame:
    n_rows = len(audited.columns)
    rows = []
    for name, hazard in HAZARDS.items():
        flags = rows_of(name, audited) if n_rows else np.zeros(0, np.bool_)
        places = np.flatnonzero(flags)
        share = len(places) / max(n_rows, 1)
        is_found = bool(len(places)) and share >= hazard.least
        if is_found or show_all:
            examples = labels[places[:_EXAMPLES]].tolist()
            rows.append((name, len(places), share, examples, hazard.remedy(audited, flags), is_found))
    table = pd.DataFrame(rows, columns=["hazard", "count", "share", "examples", "remedy", "found"])
    # Where nothing is found, pandas cannot see what the columns would hold.
    table = table.astype({"hazard": str, "count": np.int64, "share": np.float64, "remedy": str, "found": np.bool_})
    if audited.kind != "pandas":
        text, places_type = pd.ArrowDtype(pa.string()), pd.ArrowDtype(pa.list_(pa.int64()))
        table = table.astype({"hazard": text, "remedy": text})
        table["examples"] = pd.Series(pa.array(table["examples"].tolist(), pa.list_(pa.int64())), dtype=places_type)
    table = table if show_all else table.drop(columns="found")
    table.attrs |= describe_table("audit", keys=["hazard"], figures=["share"], metrics={})
    return table


def _constant(scores_by_metric: Mapping[str, Floats]) -> dict[str, float]:
    """The metrics that have one score in all rows that are scored, and this score."""
    scored = {name: scores[~np.isnan(scores)] for name, scores in scores_by_metric.items()}
    return {
        name: float(found[0])
        for name, found in scored.items()
        if len(found) >= _LEAST_CONSTANT and (found == found[0]).all()
    }
