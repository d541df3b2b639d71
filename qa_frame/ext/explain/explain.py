"""`qa_frame.explain`: rows of a frame → why they have their scores. Every number is one that scoring computes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, overload

import numpy as np
import pandas as pd

from qa_frame._typing import Unpack
from qa_frame.checks import require_whole_number
from qa_frame.errors import UnknownOptionError, show
from qa_frame.ext.explain.explanation import Explanation, Explanations, Status
from qa_frame.ext.explain.reasons import MetricScore
from qa_frame.ext.explain.row_pairs import RowPairs, name_of_reduction
from qa_frame.extraction.steps import describe_steps
from qa_frame.frames.conversions import as_floats
from qa_frame.frames.names import plain_label
from qa_frame.frames.source import Source, read_source
from qa_frame.frames.text_columns import TextColumns
from qa_frame.scoring.batches import split_rows
from qa_frame.scoring.call_rules import DEFAULTS, RuleArguments
from qa_frame.scoring.pipeline import reduce_pairs, score_pairs
from qa_frame.scoring.plan import Metrics, Plan
from qa_frame.scoring.predictions import prepare_predictions, read_single_texts
from qa_frame.tables.methods import takes
from qa_frame.tables.restored import ScoringMetadata, restore_metadata, without_prefix

Several: TypeAlias = "list[Any] | np.ndarray[Any, Any] | pd.Index[Any] | pd.Series[Any] | range"
"""Labels of several rows."""

_MOST_ROWS = 1_000
_ROUNDING = 1e-9


class ExplainArguments(RuleArguments, total=False):
    """The columns and metrics that `explain` takes, and the rules."""

    pred: Hashable | None
    gold: Hashable | None
    metrics: Metrics


@overload
def explain(data: Any, label: Hashable, **arguments: Unpack[ExplainArguments]) -> Explanation: ...


@overload
def explain(data: Any, label: Several, **arguments: Unpack[ExplainArguments]) -> Explanations: ...


@takes(ExplainArguments, {"pred": None, "gold": None, "metrics": None, **DEFAULTS}, after="label")
def explain(data: Any, label: Any, **arguments: Unpack[ExplainArguments]) -> Explanation | Explanations:
    """Explain the scores of a row: which gold won, what normalisation left, what matched, and why a score is 0.

    `df.qa.explain(...)` is `qa_frame.explain(df, ...)`. Rules that are not given are those by which the frame was
    scored. If one is given, it is used, and the explanation says so. If a setting of the convention has no words yet,
    the explanation says that its words do not account for the whole score.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"response": ["The Loire."], "answers": [["Seine", "the Loire river"]]}, index=["q7"])
    >>> explained = qa_frame.explain(df, "q7", pred="response", gold="answers", metrics=["em", "f1"])
    >>> explained.metrics["em"].why
    "after normalisation, 'loire' is not 'loire river'"
    >>> explained.metrics["f1"].gold
    1
    >>> explained.comparisons[-1].common
    ('loire',)
    >>> [each.metrics["f1"].score for each in qa_frame.explain(df, ["q7", "q7"], pred="response", gold="answers")]
    [0.6666666666666666, 0.6666666666666666]

    Parameters
    ----------
    data
        Frame of any kind: pandas, polars or Arrow.
    label
        Label of the row, or a list of labels: those of the index in pandas, positions from 0 elsewhere. Where several
        rows have one label, `df.reset_index(drop=True)` makes positions the labels.
    pred
        Column of predictions. None takes the one from which the frame was scored.
    gold
        Column of golds. None takes the one from which the frame was scored.
    metrics
        Metric(s) to explain: names, or `"all"`. None takes those of the frame but your own ones, or else the
        convention's.
    {arguments}

    Returns
    -------
    Explanation or Explanations
        An `Explanation` prints as text as wide as the terminal, at most 100 columns, and shows itself as HTML in a
        notebook. Its scores are those of `score`. Its attribute `metrics[name]` has the `score`, the position of the
        winning `gold`, the scores `per_gold`, and `why`; `comparisons` has the tokens that matched, once for each
        winning gold and normalisation. `to_dict()` gives everything as plain values. Several labels give a tuple of
        Explanations, which a notebook shows folded.

    Raises
    ------
    UnknownOptionError
        If no row has the label, several rows have it, or there are more than 1,000 labels. All errors that `score`
        raises are raised, too.
    """
    source, _ = without_prefix(read_source(data))
    rules: Any = dict(arguments)
    columns = {name: rules.pop(name, None) for name in ("pred", "gold", "metrics")}
    metadata = restore_metadata(source, "explain", rules=rules, **columns)
    # A list, an array or an index has labels. A tuple is a label of several levels.
    is_several = isinstance(label, list | range) or getattr(label, "ndim", 0) == 1
    labels = list(label) if is_several else [label]
    if len(labels) > _MOST_ROWS:
        raise UnknownOptionError(
            f"{len(labels):,} rows are to be explained, and at most {_MOST_ROWS:,} can be; give fewer"
        )
    explained = explain_rows(source, [_find_row(source, each) for each in labels], metadata)
    return Explanations(explained) if is_several else explained[0]


def _find_row(source: Source, label: Any) -> int:
    """Return the position of the only row with this label; UnknownOptionError where no row or several rows have it."""
    n_rows = len(source.columns)
    if not n_rows:
        raise UnknownOptionError(f"label={show(label)} names a row, and data has none; give a frame with rows")
    if not isinstance(source.columns, pd.DataFrame):
        require_whole_number("label", label, least=0, most=n_rows - 1)
        return int(label)
    index = source.columns.index
    try:
        places = np.atleast_1d(np.arange(n_rows)[index.get_loc(label)]).tolist()
    except Exception as error:  # what pandas raises depends on the index
        raise UnknownOptionError(
            f"label={show(label)} is not in the index, which begins with {show(index[:3].tolist())}; give one of its "
            "labels, or a position: qa_frame.explain(df.reset_index(drop=True), 0)"
        ) from error
    if len(places) > 1:
        named = ", ".join([*map(str, places[:5]), *["..."] * (len(places) > 5)])
        raise UnknownOptionError(
            f"label={show(label)} stands in {len(places)} rows, at the positions {named}; give the position of one: "
            f"qa_frame.explain(df.reset_index(drop=True), {places[0]})"
        )
    return int(places[0])


def explain_rows(source: Source, places: Sequence[int], metadata: ScoringMetadata) -> list[Explanation]:
    """Return why the rows at these places of their frame have their scores. They are scored together."""
    rows, plan = source.take(np.array(places, np.int64)), metadata.plan
    responses = read_single_texts(rows, plan, pred=metadata.pred, gold=metadata.gold)
    columns = prepare_predictions(responses, plan)
    pairs_of_rows: list[RowPairs] = []
    for start, stop in split_rows(columns):
        pairs = score_pairs(columns.slice(start, stop), plan)
        scores = reduce_pairs(pairs.scores, pairs.batch, plan)
        for row, golds in enumerate(columns.golds.slice(start, stop - start).to_pylist()):
            of_row = {name: float(values[row]) for name, values in scores.items()}
            pairs_of_rows.append(RowPairs(plan, pairs, row, _list_golds(golds), of_row))
    known = _read_known_scores(rows, metadata)
    labels = rows.columns.index if isinstance(rows.columns, pd.DataFrame) else places
    return [
        _explain_row(
            pairs,
            _find_status(columns, pairs, row),
            label=plain_label(labels[row]),
            position=place,
            response=responses.pred[row].as_py(),
            notes=(metadata.differs,) if metadata.differs else (*_say_what_changed(pairs.scores, known.iloc[row]),),
        )
        for row, (place, pairs) in enumerate(zip(places, pairs_of_rows, strict=True))
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


def _list_golds(golds: str | list[str | None] | None) -> tuple[str, ...]:
    """Return the golds of a row as a tuple, without nulls."""
    return (golds,) if isinstance(golds, str) else tuple(gold for gold in golds or () if gold is not None)


def _read_known_scores(rows: Source, metadata: ScoringMetadata) -> pd.DataFrame:
    """Return the scores that the frame has, by metric; NaN where a column holds something else."""
    names = [name for name in metadata.scored if name in metadata.plan.metrics]
    frame = rows.as_pandas({"metrics": names})
    return pd.DataFrame({name: as_floats(frame[name]) for name in names}, range(len(frame)), dtype=np.float64)


def _say_what_changed(scores: Mapping[Any, float], known: pd.Series[float]) -> Iterator[str]:
    """Yield a sentence for each score of the frame that its rules do not give: the frame was changed after scoring.

    scores: as the frame's rules give them now. known: as they stand in the frame.
    """
    for name, there in known.to_dict().items():
        if abs(there - scores[name]) > _ROUNDING or math.isnan(there) != math.isnan(scores[name]):
            yield f"the frame has {name} {there:.3g} here: its texts or its scores were changed since it was scored"


def _find_status(columns: TextColumns, pairs: RowPairs, row: int) -> Status:
    """Return whether the texts of a row are scored, or why not. row: the row's place in `columns`.

    A missing prediction may still count as 0.
    """
    if not pairs.pairs.batch.has_gold[pairs.row]:
        return "no gold"
    if columns.is_not_extracted is not None and columns.is_not_extracted[row]:
        return "not extracted"
    return "missing prediction" if columns.is_missing[row] else "scored"


def _say_why_not(status: Status, plan: Plan) -> str:
    """Return the sentence that says why a row has no score of its texts."""
    if status == "no gold":
        return "the row has no gold, so it cannot be scored"
    what = "the prediction is null"
    if status == "not extracted":
        what = f"extract ({describe_steps(plan.rules.extract)}) finds no answer in the response"
    counts_as = "counts as wrong" if plan.rules.missing == "zero" else "is not scored"
    return f"{what}, which {counts_as} with missing={plan.rules.missing!r}"
