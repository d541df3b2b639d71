"""`qa_frame.score_one`: one prediction and its golds → its scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from qa_frame._typing import Unpack
from qa_frame.frames.text_columns import columns_of_one
from qa_frame.scoring.call_rules import RuleArguments, make_rules
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import Metrics, make_plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.tables.methods import takes_rules


@takes_rules(after="metrics")
def score_one(
    pred: str | None,
    gold: str | Iterable[str | None] | Mapping[str, Any] | None,
    *,
    metrics: Metrics = None,
    **rules: Unpack[RuleArguments],
) -> dict[str, float]:
    """Score one prediction, for a quick check. For many, `score` on a frame is a thousand times faster.

    Parameters
    ----------
    pred
        The prediction; None for a missing one.
    gold
        One gold, or several of them; or SQuAD's dict, `{"text": [...], "answer_start": [...]}`. None among them is left
        out; None alone, or no gold at all, is not scorable.
    metrics
        Names of metrics, a `PairMetric`, or `"all"`. By default those of the convention.
    {arguments}
        Here `choices` holds the options' texts themselves.

    Returns
    -------
    dict of float
        The score of each metric that `score` gives for such a row: from 0 to 1, NaN where it is not scored.

    Raises
    ------
    UnknownOptionError
        Where `pred` is not text, or `gold` is neither text nor several texts. Also all that `score` raises.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.score_one("The Seine.", "Seine", metrics=["em", "f1"])
    {'em': 1.0, 'f1': 1.0}
    >>> qa_frame.score_one("in Paris", ["Paris, France", "Rome"], metrics="f1", convention="squad2")
    {'f1': 0.5}
    """
    options: Any = rules.get("choices")
    plan = make_plan(metrics, make_rules(**rules | {"choices": None if options is None else "choices"}))
    columns = prepare_predictions(columns_of_one(pred, gold, options, plan.rules.gold_is), plan)
    return {name: float(scores[0]) for name, scores in score_columns(columns, plan, progress=False).items()}
