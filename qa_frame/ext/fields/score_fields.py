"""`qa_frame.score_fields`: a frame with records → the same frame with scores of their fields."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypedDict

from qa_frame._names import ConventionName, MetricName
from qa_frame._typing import Frame, Unpack
from qa_frame.checks import require_text
from qa_frame.errors import UnknownOptionError, show
from qa_frame.ext.fields.record_fields import RECORDS, SET, read_records, score_records
from qa_frame.ext.judges.math_verify import NAME as MATH_VERIFY
from qa_frame.extraction.steps import Extract
from qa_frame.frames.names import require_new, require_no_overwrite, require_prefix
from qa_frame.frames.scoring_metadata import own_scores
from qa_frame.frames.source import read_source
from qa_frame.rules.parts import Convention
from qa_frame.scoring.call_rules import Missing, Rules, make_rules, require_metric
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.scoring.plan import make_plan
from qa_frame.tables.methods import takes_rules


class RecordArguments(TypedDict, total=False):
    """The rules that records have, for columns with a record in each row.

    Parameters
    ----------
    missing
        Treatment of a null in `pred`: `"zero"` counts it as wrong, `"null"` does not score it, `"raise"` is an error.
    extract
        Step that takes the record out of a text before it is scored, such as `"json"`; see `extract_answers`. Dicts and
        structs are taken as they are. A text without a record is wrong: each field scores 0, whatever `missing` says.
    """

    convention: ConventionName | Convention
    missing: Missing
    extract: Extract


@takes_rules(after="fields", of=RecordArguments)
def score_fields(
    data: Frame,
    pred: Hashable,
    gold: Hashable,
    fields: MetricName | str | PairMetric | Mapping[str, Any] = "em",
    *,
    prefix: str = "",
    **rules: Unpack[RecordArguments],
) -> Frame:
    """Score records field by field: predictions and golds that are JSON objects as text, or structs.

    `df.qa.score_fields(...)` is `qa_frame.score_fields(df, ...)`. `summary` and `compare` take columns by name.
    `extract="json"` finds the last JSON object in a text, in a fence or between sentences.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> replies = ['Here: {"name": "the Elbe", "year": 1990}', '{"name": "Oder", "tags": ["river", "border"]}']
    >>> df = pd.DataFrame({"response": replies})
    >>> df["answers"] = [{"name": "Elbe", "year": 1991}, {"name": "Oder", "tags": ["river"]}]
    >>> scored = df.qa.score_fields("response", "answers", {"name": "f1", "tags": "set"}, extract="json")
    >>> scored.iloc[:, 2:6].round(3)
       f1.name  set.tags  fields_f1  fields_equal
    0      1.0       NaN      1.000           1.0
    1      1.0     0.667      0.833           0.0

    Parameters
    ----------
    data
        Frame of any kind: pandas, polars or Arrow.
    pred
        Column of predicted records: JSON objects as text, dicts or structs.
    gold
        Column of right records, one per row. Nulls are not scored.
    fields
        Metric of each field, by its name: `{"name": "f1", "tags": "set"}`. A metric is a name, a `PairMetric`, or
        `"set"` for lists: F1 over the distinct items, which are compared as `em` does. A list of records has the
        metrics of their fields: `{"authors": {"name": "f1"}}`. A field of a record inside a record is "address.city".
        One metric alone is that of all fields of the golds, and lists then have `"set"`. Numbers are compared as texts,
        where 2.0 is "2".
    {arguments}
    prefix
        Text in front of the names of the new columns.

    Returns
    -------
    frame
        The kind of frame that was given, with these columns:

        - `f1.name`: the metric and the field. It is 0 where the prediction lacks the field, NaN where the gold lacks
          it.
        - `fields_f1`: twice the sum of these scores, divided by the number of fields of both sides. A field that is
          null is not there. Where neither side has a field, it is 1, or 0 where the prediction is no record.
        - `fields_equal`: 1 if both have the same fields, each with the score 1. `fields_valid`: 1 if the prediction is
          a record.
        - `fields_missing`, `fields_extra`: how many fields the prediction lacks, and has beside the gold's.
        - `records.authors`: `fields_f1` of all records of two lists, by the best assignment, as in `anls_star`.

        Where `fields` names fields, no others count. One metric alone finds no fields in a frame without golds, and
        makes no column for them.

    Raises
    ------
    QaFrameError
        For a gold that is no record, a list that a metric of texts is to score, or a wrong argument.
    """
    require_prefix(prefix)
    checked = make_rules(**rules)
    _check_metrics(fields, checked)
    source = read_source(data)
    preds, golds = (source.values(argument, name) for argument, name in (("pred", pred), ("gold", gold)))
    of_fields = score_records(read_records(preds, golds, checked), fields, checked)
    new = {prefix + name: scores for name, scores in of_fields.items()}
    require_no_overwrite(source.labels(list(new)), pred=pred, gold=gold)
    built_in = tuple(f"{prefix}{name}." for name in (*METRICS, MATH_VERIFY, SET, RECORDS))
    of_whole = tuple(f"{prefix}fields_{name}" for name in ("f1", "equal", "valid", "missing", "extra"))
    own = {name: name for name in new if not name.startswith(built_in) and name not in of_whole}
    require_new(own, source.names, own_scores(source.notes))
    scored: Frame = source.with_columns(new)
    return scored


def _check_metrics(fields: Any, rules: Rules) -> None:
    """Raise UnknownOptionError unless `fields` is a metric, or a dict of metrics or such dicts by field."""
    if not isinstance(fields, str | PairMetric | Mapping) or not fields:
        raise UnknownOptionError(
            f"fields={show(fields)} is neither a metric nor a dict of metrics by field; give fields={{'name': 'f1'}}"
        )
    if isinstance(fields, Mapping):
        for name, metric in fields.items():
            require_text("fields", name, "give the names of fields as str")
            _check_metrics(metric, rules)
        return
    if isinstance(fields, str):
        require_metric("fields", fields, [*METRICS, MATH_VERIFY, SET])
    if fields != SET:
        make_plan([fields], rules)
