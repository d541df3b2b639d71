"""One row of a frame → why it has its scores. Every number is one that scoring computes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence

from qa_frame.frames.kinds import Source
from qa_frame.frames.number_columns import as_floats
from qa_frame.frames.text_columns import TextColumns
from qa_frame.scoring.pipeline import ScoredPairs, score_columns, score_pairs
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.predictions import prepare_predictions, read_single_texts
from qa_frame.text.answers.extraction import describe_steps
from qa_frame.view.explain.explained import MetricScore, Status
from qa_frame.view.explain.explanation import Explanation
from qa_frame.view.explain.row_pairs import RowPairs, name_of_reduction
from qa_frame.view.recalled import Recalled

_ROUNDING = 1e-9


def explain_row(row: Source, plan: Plan, recalled: Recalled, *, label: Hashable, position: int) -> Explanation:
    """Explain the scores of the only row of `row`, which stands at this place in its frame."""
    responses = read_single_texts(row, plan, pred=recalled.pred, gold=recalled.gold)
    columns = prepare_predictions(responses, plan)
    scores = {name: float(values[0]) for name, values in score_columns(columns, plan, progress=False).items()}
    pairs = score_pairs(columns, plan)
    golds = _golds_of(columns)
    status = _status(columns, pairs)
    if status == "scored":
        described = RowPairs(plan, pairs, golds, _places_of_golds(pairs, golds))
        metrics = {name: described.explain(name, score) for name, score in scores.items()}
        comparisons = described.comparisons()
    else:
        why = _why_not(status, plan)
        metrics = {name: MetricScore(score, None, (score,) * len(golds), why, {}, {}) for name, score in scores.items()}
        comparisons = ()
    notes = [recalled.differs] if recalled.differs else [*_differing(row, scores, recalled.scored)]
    return Explanation(
        label=label,
        position=position,
        status=status,
        convention=plan.convention.name,
        signature=plan.signature,
        reduce=name_of_reduction(plan),
        response=responses.pred[0].as_py(),
        prediction=pairs.batch.texts[pairs.batch.pairs.pred[0]].as_py() if len(pairs.batch.pairs) else None,
        golds=golds,
        metrics=metrics,
        comparisons=comparisons,
        notes=tuple(notes),
    )


def _differing(row: Source, scores: Mapping[str, float], scored: Sequence[str]) -> Iterator[str]:
    """Say which scores of the frame are not those of its rules, as the frame was changed after it was scored."""
    frame = row.as_pandas({"metrics": [name for name in scored if name in scores]})
    for name in frame.columns.intersection([*scores]):
        values = as_floats(frame[name])
        there = math.nan if values is None else float(values[0])
        if abs(there - scores[name]) > _ROUNDING or math.isnan(there) != math.isnan(scores[name]):
            yield f"the frame has {name} {there:.3g} here: its texts or its scores were changed since it was scored"


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
