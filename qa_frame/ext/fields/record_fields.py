"""Records → scores of their fields: each field is a row of its own for the pipeline, and its score goes back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from qa_frame._typing import Floats
from qa_frame.errors import GoldFormatError, MissingPredictionError, UnknownOptionError, show
from qa_frame.extraction.steps import extract_texts, parse_object
from qa_frame.frames.text_columns import TextColumns
from qa_frame.scoring.call_rules import Rules
from qa_frame.scoring.normalised import normalise_answers
from qa_frame.scoring.pair_metrics import PairMetric, prepare_for_call
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import Plan, make_plan
from qa_frame.scoring.spans import import_assignment

Record: TypeAlias = dict[str, Any]
"""The value of each field by its path, as "address.city". A field without a value is not there."""

Fields: TypeAlias = str | PairMetric | Mapping[str, Any]
"""A metric for all fields, or the metric of each; that of a list of records is again such a mapping."""

SET, RECORDS = "set", "records"
"""The names of the metrics of lists: F1 of the distinct items that are equal by the convention's `em`, and that of
records, each of which is assigned to one of the other side."""

_MOST_FIELDS = 200


@dataclass(frozen=True, slots=True, eq=False)
class RecordPairs:
    """Predictions and golds as records; None for a null or for what is no record.

    is_missing: which predictions are null.
    """

    preds: list[Record | None]
    golds: list[Record | None]
    is_missing: list[bool]


def read_records(preds: Sequence[Any], golds: Sequence[Any], rules: Rules) -> RecordPairs:
    """Return predictions and golds as records; None for a null, and for a prediction that is no record.

    A gold may also be a list of one record. Raise GoldFormatError for any other gold, and MissingPredictionError for a
    null prediction with `missing="raise"`.
    """
    is_missing = [pred is None for pred in preds]
    if rules.missing == "raise" and any(is_missing):
        raise MissingPredictionError(
            f"pred is null in {sum(is_missing)} rows, the first at position {is_missing.index(True)}; give "
            "missing='zero' or missing='null'"
        )
    texts = [pred if isinstance(pred, str) else None for pred in preds]
    if rules.extract:
        column = pa.chunked_array([pa.array(map(_replace_surrogates, texts), pa.large_string())])
        texts = extract_texts(column, rules.extract).to_pylist()
    of_preds = [_as_record(pred if isinstance(pred, dict) else text) for pred, text in zip(preds, texts, strict=True)]
    of_golds = []
    for place, gold in enumerate(golds):
        one = gold[0] if isinstance(gold, list | tuple) and len(gold) == 1 else gold
        of_golds.append(_as_record(one))
        if one is not None and of_golds[-1] is None:
            raise GoldFormatError(
                f"gold: the row at position {place} (from 0) holds {show(gold)}, which is no record; give one JSON "
                "object as text, or one dict or struct, in each row"
            )
    return RecordPairs(of_preds, of_golds, is_missing)


def score_records(records: RecordPairs, fields: Fields, rules: Rules) -> dict[str, Floats]:
    """Return the new columns by name, shape (rows,) each: the scores of fields, then those of whole records."""
    metrics = _metric_per_field(records, fields)
    own = {id(each): prepare_for_call(each) for each in metrics.values() if isinstance(each, PairMetric)}
    metrics = {name: own.get(id(each), each) for name, each in metrics.items()}  # which asks for no pair twice
    _require_any_field(records, metrics)
    n_rows = len(records.golds)
    scores = {name: np.full(n_rows, np.nan) for name in metrics}
    for name, metric in metrics.items():
        rows = [row for row in range(n_rows) if name in (records.golds[row] or {})]
        pairs = [((records.preds[row] or {}).get(name), (records.golds[row] or {})[name]) for row in rows]
        scores[name][rows] = _score_field(name, metric, pairs, rules)
    if rules.missing == "null":
        for score_per_row in scores.values():
            score_per_row[records.is_missing] = np.nan
    named = {f"{_name_of(metric)}.{name}": scores[name] for name, metric in metrics.items()}
    return {**named, **_score_whole_records(records, scores, rules, is_open=isinstance(fields, str | PairMetric))}


def _score_field(
    name: str, metric: _Metric, pairs: Sequence[tuple[Any, Any]], rules: Rules
) -> Sequence[float] | Floats:
    """Return the scores of one field by its metric. pairs: the field in a prediction and its gold, one pair a row."""
    if metric == SET:
        return _score_sets(pairs, rules)
    if isinstance(metric, _Nested):
        return _score_lists_of_records(pairs, metric.fields, rules, name)
    # A field that is not there is wrong, and the record is found already.
    return _score_texts(pairs, make_plan([metric], replace(rules, missing="zero", extract=())), name)


def _require_any_field(records: RecordPairs, metrics: Mapping[str, _Metric]) -> None:
    """Raise UnknownOptionError where golds have fields, but none of those in `metrics`, so that nothing is compared."""
    known = {name: None for gold in records.golds for name in gold or {}}
    if not known or not metrics or metrics.keys() & known.keys():
        return
    name = next(iter(metrics))
    inside = next((path for path in known if path.startswith(f"{name}.")), None)
    remedy = f"name a field of a record inside a record as {inside!r}" if inside else f"they have {[*known][:10]}"
    raise UnknownOptionError(f"fields: no gold has the field {name!r}; {remedy}")


def _score_whole_records(
    records: RecordPairs, scores: Mapping[str, Floats], rules: Rules, *, is_open: bool
) -> dict[str, Floats]:
    """Return F1 over fields, equality, validity, and the numbers of missing and of extra fields, by name.

    Each has the shape (rows,), and is NaN for a row that is not scored. scores: those of each field, shape (rows,).
    is_open: whether all fields of a prediction count, and not only those that have scores.
    """
    names = ("fields_f1", "fields_equal", "fields_valid", "fields_missing", "fields_extra")
    by_row = np.full((len(names), len(records.golds)), np.nan)
    for row, (pred, gold) in enumerate(zip(records.preds, records.golds, strict=True)):
        if gold is None or (rules.missing == "null" and records.is_missing[row]):
            continue
        of_gold = {name for name in scores if name in gold}
        of_pred = {name for name in pred or {} if is_open or name in scores}
        total = sum(float(scores[name][row]) for name in of_gold)
        n_fields = len(of_pred) + len(of_gold)
        is_same = pred is not None and of_pred == of_gold and all(scores[name][row] == 1 for name in of_gold)
        f1 = 2 * total / n_fields if n_fields else float(is_same)
        by_row[:, row] = (f1, is_same, pred is not None, len(of_gold - of_pred), len(of_pred - of_gold))
    return dict(zip(names, by_row, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Nested:
    """The metric of lists of records: how the fields of each are scored."""

    fields: Fields


_Metric: TypeAlias = str | PairMetric | _Nested


def _metric_per_field(records: RecordPairs, fields: Fields) -> dict[str, _Metric]:
    """Return the metric of each field: as named, or the one metric for all fields that a gold has.

    With one metric, lists have "set", or the metric of records where they hold records. UnknownOptionError for more
    than `_MOST_FIELDS` fields of the golds.
    """
    if not isinstance(fields, str | PairMetric):
        return {name: _Nested(each) if isinstance(each, Mapping) else each for name, each in fields.items()}
    named: dict[str, _Metric] = {}
    of_records = _Nested(fields)
    for gold in records.golds:
        for name, value in (gold or {}).items():
            if isinstance(value, list) and any(isinstance(item, dict) for item in value):
                named[name] = of_records
            elif isinstance(value, list) and not isinstance(named.get(name), _Nested):
                named[name] = SET
            named.setdefault(name, fields)
    if len(named) > _MOST_FIELDS:
        raise UnknownOptionError(
            f"fields={show(fields)}: the golds have {len(named):,} fields, as {show(next(iter(named)))}; name those "
            "to score: fields={'name': 'f1'}"
        )
    return named


def _name_of(metric: _Metric) -> str:
    """Return the name of a metric, as columns have it."""
    if isinstance(metric, _Nested):
        return RECORDS
    return metric.name if isinstance(metric, PairMetric) else metric


def _score_texts(pairs: Sequence[tuple[Any, Any]], plan: Plan, name: str) -> Floats:
    """Return the scores of pairs of texts; GoldFormatError where a gold is a list. name: that of the field."""
    for _, gold in pairs:
        if isinstance(gold, list):
            raise GoldFormatError(
                f"fields: the golds of {name!r} hold lists, as {show(gold)}, and {plan.metrics[0]!r} takes one text; "
                f"give 'set' as the metric of that field: {{{name!r}: 'set'}}"
            )
    sides = ([pair[side] for pair in pairs] for side in (0, 1))
    preds, golds = (pa.chunked_array([pa.array(map(_as_text, side), pa.large_string())]) for side in sides)
    scores: Floats = score_columns(TextColumns(preds, golds), plan, progress=False)[plan.metrics[0]]
    return scores


def _score_lists_of_records(pairs: Sequence[tuple[Any, Any]], fields: Fields, rules: Rules, name: str) -> list[float]:
    """Return F1 over the fields of all records of two lists, for each pair of lists. name: that of the field.

    Each record is assigned to one of the other side at most, so that the sum of the F1 of two records is highest, as
    `anls_star` has it. A null prediction has 0. Lists without any field have 1 if they are equally long, else 0. Raise
    GoldFormatError where a gold holds something else than records.
    """
    assign = import_assignment()
    lists = [tuple([_as_record(item) for item in _as_items(side)] for side in pair) for pair in pairs]
    for (_, golds), (_, gold) in zip(lists, pairs, strict=True):
        if None in golds:
            raise GoldFormatError(
                f"fields: the golds of {name!r} hold {show(gold)}, which is no list of records; give "
                f"fields={{{name!r}: 'set'}} for lists of texts"
            )
    crossed = [(pred, gold) for preds, golds in lists for gold in golds for pred in preds]
    of_pairs = RecordPairs([pred for pred, _ in crossed], [gold for _, gold in crossed], [False] * len(crossed))
    is_open, known = isinstance(fields, str | PairMetric), {*_metric_per_field(of_pairs, fields)}
    scores = score_records(of_pairs, fields, rules)["fields_f1"]
    f1_per_row, start = [], 0
    for preds, golds in lists:
        n_pred, n_gold = (
            [len(record or {}) if is_open else len(known & (record or {}).keys()) for record in side]
            for side in (preds, golds)
        )
        table = scores[start : start + len(preds) * len(golds)].reshape(len(golds), len(preds))
        start += table.size
        total = sum(
            table[gold, pred] * (n_pred[pred] + n_gold[gold]) for gold, pred in zip(*assign(-table), strict=True)
        )
        n_fields = sum(n_pred) + sum(n_gold)
        f1_per_row.append(float(total / n_fields) if n_fields else float(len(preds) == len(golds)))
    return [0.0 if pred is None else score for (pred, _), score in zip(pairs, f1_per_row, strict=True)]


def _score_sets(pairs: Sequence[tuple[Any, Any]], rules: Rules) -> list[float]:
    """Return F1 of the distinct items of each pair of lists; 1 for two empty lists, and 0 for a null prediction."""
    lists = [[_as_items(value) for value in pair] for pair in pairs]
    items = [_as_text(item) for pair in lists for side in pair for item in side]
    column = pa.chunked_array([pa.array(items, pa.large_string())])
    left = iter(normalise_answers(column, rules.convention).to_pylist())
    f1_per_row = []
    for (pred, _), sides in zip(pairs, lists, strict=True):
        of_pred, of_gold = ({next(left) for _ in side} for side in sides)
        n_items = len(of_pred) + len(of_gold)
        f1 = 2 * len(of_pred & of_gold) / n_items if n_items else 1.0
        f1_per_row.append(0.0 if pred is None else f1)
    return f1_per_row


def _as_items(value: Any) -> list[Any]:
    """Return a list as it is, and any other value as a list of one; a null has no items."""
    return value if isinstance(value, list) else [] if value is None else [value]


def _as_record(value: Any) -> Record | None:
    """Return a record with its fields by path; None for what is no record."""
    parsed = parse_object(value) if isinstance(value, str) else value
    return dict(_flatten(parsed, "")) if isinstance(parsed, dict) else None


def _flatten(record: Mapping[str, Any], before: str) -> list[tuple[str, Any]]:
    """Return the paths of a record's values, as `address.city`, each with its value. Nulls are left out.

    before: what the paths begin with.
    """
    values: list[tuple[str, Any]] = []
    for name, value in record.items():
        path = f"{before}{name}"
        if isinstance(value, dict):
            values += _flatten(value, f"{path}.")
        elif value is not None:
            values.append((path, value.tolist() if isinstance(value, np.ndarray | np.generic) else value))
    return values


def _as_text(value: Any) -> str | None:
    """Return a text as it is, and any other value as JSON has it. 2.0 and 2 are one number there."""
    if value is None or isinstance(value, str):
        return _replace_surrogates(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _replace_surrogates(json.dumps(value, ensure_ascii=False, sort_keys=True, default=str))


def _replace_surrogates(text: str | None) -> str | None:
    """Return the text with "?" for lone surrogates, which JSON may hold; None for None."""
    return None if text is None else text.encode("utf-8", "replace").decode()
