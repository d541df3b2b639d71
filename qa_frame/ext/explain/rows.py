"""Rows of a frame → why they have their scores. Every number is one that scoring computes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame.ext.explain.explained import MetricScore, Status
from qa_frame.ext.explain.explanation import Explanation
from qa_frame.ext.explain.row_pairs import RowPairs, name_of_reduction
from qa_frame.extraction.steps import describe_steps
from qa_frame.frames.conversions import as_floats
from qa_frame.frames.names import plain_label
from qa_frame.frames.source import Source
from qa_frame.frames.text_columns import TextColumns
from qa_frame.scoring.batches import split_rows
from qa_frame.scoring.pipeline import reduce_pairs, score_pairs
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.predictions import prepare_predictions, read_single_texts
from qa_frame.tables.restored import ScoringMetadata

_ROUNDING = 1e-9


def explain_rows(source: Source, places: Sequence[int], recalled: ScoringMetadata) -> list[Explanation]:
    """Explain the scores of the rows at these places of their frame, which are scored together."""
    rows, plan = source.take(np.array(places, np.int64)), recalled.plan
    responses = read_single_texts(rows, plan, pred=recalled.pred, gold=recalled.gold)
    columns = prepare_predictions(responses, plan)
    found: list[RowPairs] = []
    for start, stop in split_rows(columns):
        pairs = score_pairs(columns.slice(start, stop), plan)
        scores = reduce_pairs(pairs.scores, pairs.batch, plan)
        for row, golds in enumerate(columns.golds.slice(start, stop - start).to_pylist()):
            of_row = {name: float(values[row]) for name, values in scores.items()}
            found.append(RowPairs(plan, pairs, row, _list_golds(golds), of_row))
    known = _read_known_scores(rows, recalled)
    labels = rows.columns.index if isinstance(rows.columns, pd.DataFrame) else places
    return [
        _explain_row(
            pairs,
            _find_status(columns, pairs, row),
            label=plain_label(labels[row]),
            position=place,
            response=responses.pred[row].as_py(),
            notes=(recalled.differs,) if recalled.differs else (*_say_what_changed(pairs.scores, known[row]),),
        )
        for row, (place, pairs) in enumerate(zip(places, found, strict=True))
    ]


def _explain_row(pairs: RowPairs, status: Status, **where: Any) -> Explanation:
    """Explain the scores of one row. where: its label, position, response and notes."""
    plan, batch, scores = pairs.plan, pairs.pairs.batch, pairs.scores
    if status == "scored":
        metrics, comparisons = {name: pairs.explain(name) for name in scores}, pairs.comparisons()
    else:
        why, n_golds, comparisons = _say_why_not(status, plan), len(pairs.golds), ()
        metrics = {name: MetricScore(score, per_gold=(score,) * n_golds, why=why) for name, score in scores.items()}
    return Explanation(
        **where,
        status=status,
        convention=plan.convention.name,
        signature=plan.signature,
        reduce=name_of_reduction(plan),
        prediction=batch.texts[batch.pairs.pred[pairs.own[0]]].as_py() if len(pairs.own) else None,
        golds=pairs.golds,
        metrics=metrics,
        comparisons=comparisons,
    )


def _list_golds(found: str | list[str | None] | None) -> tuple[str, ...]:
    """The golds of a row, without nulls."""
    return (found,) if isinstance(found, str) else tuple(gold for gold in found or () if gold is not None)


def _read_known_scores(rows: Source, recalled: ScoringMetadata) -> list[dict[Any, float]]:
    """Return the scores that the frame has: those of each row, by metric."""
    names = [name for name in recalled.scored if name in recalled.plan.metrics]
    frame = rows.as_pandas({"metrics": names})
    columns = {name: as_floats(frame[name]) for name in names}
    known = {name: np.full(len(frame), np.nan) if values is None else values for name, values in columns.items()}
    return [{name: float(values[row]) for name, values in known.items()} for row in range(len(frame))]


def _say_what_changed(scores: Mapping[str, float], known: Mapping[str, float]) -> Iterator[str]:
    """Say which scores of the frame are not those of its rules, as the frame was changed after it was scored."""
    for name, there in known.items():
        if abs(there - scores[name]) > _ROUNDING or math.isnan(there) != math.isnan(scores[name]):
            yield f"the frame has {name} {there:.3g} here: its texts or its scores were changed since it was scored"


def _find_status(columns: TextColumns, pairs: RowPairs, row: int) -> Status:
    if not pairs.pairs.batch.has_gold[pairs.row]:
        return "no gold"
    if columns.is_not_extracted is not None and columns.is_not_extracted[row]:
        return "not extracted"
    return "missing prediction" if columns.is_missing[row] else "scored"


def _say_why_not(status: Status, plan: Plan) -> str:
    if status == "no gold":
        return "the row has no gold, so it cannot be scored"
    what = "the prediction is null"
    if status == "not extracted":
        what = f"extract ({describe_steps(plan.rules.extract)}) finds no answer in the response"
    counts_as = "counts as wrong" if plan.rules.missing == "zero" else "is not scored"
    return f"{what}, which {counts_as} with missing={plan.rules.missing!r}"
