"""One row of a frame → why it has its scores. Every number is one that scoring computes."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import replace

from qa_frame.frames.kinds import Source
from qa_frame.frames.text_columns import TextColumns
from qa_frame.scoring.pipeline import ScoredPairs, cut_golds, score_columns, score_pairs
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.predictions import prepare_predictions, read_single_texts
from qa_frame.text.extraction import describe_steps
from qa_frame.view.explain.explained import MetricScore, Status
from qa_frame.view.explain.explanation import Explanation
from qa_frame.view.explain.one_pair import explain_pair
from qa_frame.view.explain.row_pairs import RowPairs


def explain_row(
    row: Source, plan: Plan, *, pred: Hashable, gold: Hashable, label: Hashable, position: int
) -> Explanation:
    """Explain the scores of the only row of `row`, which stands at this place in its frame."""
    responses = read_single_texts(row, plan, pred=pred, gold=gold)
    columns = prepare_predictions(responses, plan)
    scores = {name: float(values[0]) for name, values in score_columns(columns, plan, progress=False).items()}
    pairs = score_pairs(columns, plan)
    golds = _golds_of(cut_golds(columns, plan.convention))
    status = _status(columns, pairs)
    if status == "scored":
        described = RowPairs(plan, pairs, golds, _places_of_golds(pairs, golds))
        metrics = {name: _explain_metric(described, name, score) for name, score in scores.items()}
        comparisons = described.comparisons()
    else:
        why = _why_not(status, plan)
        metrics = {name: MetricScore(score, None, (score,) * len(golds), why, {}) for name, score in scores.items()}
        comparisons = ()
    return Explanation(
        label=label,
        position=position,
        status=status,
        convention=plan.convention.name,
        signature=plan.signature,
        reduce=plan.reduce if isinstance(plan.reduce, str) else getattr(plan.reduce, "__name__", "a function"),
        response=responses.pred[0].as_py(),
        prediction=pairs.batch.texts[pairs.batch.pairs.pred[0]].as_py() if len(pairs.batch.pairs) else None,
        golds=golds,
        metrics=metrics,
        comparisons=comparisons,
    )


def _golds_of(columns: TextColumns) -> tuple[str, ...]:
    """The golds of the only row, without nulls."""
    found = columns.golds[0].as_py()
    return (found,) if isinstance(found, str) else tuple(gold for gold in found or () if gold is not None)


def _places_of_golds(pairs: ScoredPairs, golds: tuple[str, ...]) -> list[int | None]:
    """The place of each pair's gold in `golds`: some may be left out. None for one that is not there."""
    texts = pairs.batch.texts.take(pairs.batch.pairs.gold.tolist()).to_pylist()
    ahead = iter(enumerate(golds))
    return [next((place for place, gold in ahead if gold == text), None) for text in texts]


def _status(columns: TextColumns, pairs: ScoredPairs) -> Status:
    if not pairs.batch.has_gold[0]:
        return "no gold"
    if columns.is_not_extracted is not None and columns.is_not_extracted[0]:
        return "not extracted"
    return "missing prediction" if columns.is_missing[0] else "scored"


def _why_not(status: Status, plan: Plan) -> str:
    if status == "no gold":
        return "the row has no gold, so it cannot be scored"
    what = "the prediction is null"
    if status == "not extracted":
        what = f"extract ({describe_steps(plan.extract)}) finds no answer in the response"
    counts_as = "counts as wrong" if plan.missing == "zero" else "is not scored"
    return f"{what}, which {counts_as} with missing={plan.missing!r}"


def _explain_metric(row: RowPairs, metric: str, score: float) -> MetricScore:
    """Explain one metric's score of the row."""
    winner, pair = row.winner(metric), row.compared_pair(metric)
    per_gold = [math.nan] * len(row.golds)
    for place, value in zip(row.places, row.scores_alone(metric).tolist(), strict=True):
        if place is not None:
            per_gold[place] = value
    explained = explain_pair(row, metric, pair)
    return replace(
        explained,
        score=score,
        gold=None if winner is None else row.places[winner],
        per_gold=tuple(per_gold),
        why=row.over_golds(metric, pair, winner) + explained.why,
    )
