"""Tables of experiment trackers: MLflow's evaluation tables, and Langfuse's exports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from qa_frame.ext.files.harnesses.description import Golds, Kind, Refusal
from qa_frame.ext.files.harnesses.plain import PLAIN
from qa_frame.ext.files.record_fields import (
    ANSWERING,
    ASKING,
    as_golds,
    columns,
    finish_reason_of,
    is_plain,
    json_text,
    text_of_content,
    text_of_prompt,
)
from qa_frame.ext.files.records import Place, ResultFile, numbered

# --- MLflow: `eval_results_table.json`, and what `mlflow.log_table` writes: `DataFrame.to_json(orient="split")`

_COLUMNS = {"outputs": "response", "predictions": "response", "targets": "answers", "inputs": "question"}
"""MLflow's own names of columns, where its caller named none, and that of its examples for tables of predictions."""


def _is_split(source: ResultFile) -> bool:
    if source.format not in {"json", "jsonl"} or not {"columns", "data"} <= source.names:
        return False
    return all(isinstance(source.first[name], list) for name in ("columns", "data"))


def _split_rows(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield the rows. The columns of metrics, such as `exact_match/v1`, are the harness's scores."""
    written = source.first["columns"]
    usual = [_COLUMNS.get(name, f"harness_{name}" if "/" in name else name) for name in written]
    names = [own if usual_name in written else usual_name for own, usual_name in zip(written, usual, strict=True)]
    return numbered("row", (dict(zip(names, row, strict=True)) for row in source.first["data"]))


MLFLOW = replace(PLAIN, name="mlflow", is_this=_is_split, records=_split_rows)

# --- Langfuse: exports of traces and observations (worker/src/features/database-read-stream), JSON, JSON lines or CSV

_EXPECTED = ("expectedOutput", "expected_output", "experimentItemExpectedOutput", "experiment_item_expected_output")
_HOLDERS = (
    *("messages", "message", "choices", "candidates", "content", "contents", "parts", "text"),
    *("output", "answer", "response", "prompt", "question", "query", "args"),
)
"""The names under which the text of an input or output stands, in the objects of many libraries."""

_TIMES = {"traceId", "trace_id", "timestamp"}
_NO_SCORES = {"input", "output", "metadata", "tags", "traceTags", "comments"}


def _value(row: dict[str, Any], *names: str) -> Any:
    """Return the first value there is. Empty text is none; what is no text is often JSON, written once or twice."""
    found = next((row[name] for name in names if row.get(name) is not None and row[name] != ""), None)
    with suppress(ValueError):
        while isinstance(found, str) and found[:1] in {"{", "[", '"'}:
            found = json.loads(found)
    return found


def _text(value: Any, roles: frozenset[str]) -> str | None:
    """Return the text of an input or output: itself, its last message of a role, what it holds, or else its JSON."""
    found = _held(value, roles)
    return json_text(value) if found is None else found


def _held(value: Any, roles: frozenset[str]) -> str | None:
    if isinstance(value, list):
        found = text_of_prompt(value, roles) or text_of_content(value)
        return _held(value[0], roles) if found is None and len(value) == 1 else found
    if isinstance(value, dict):
        inner = [value[name] for name in _HOLDERS if name in value] if len(value) > 1 else value.values()
        return next((text for each in inner if (text := _held(each, roles)) is not None), None)
    return value if isinstance(value, str) else None


def _langfuse_golds(row: dict[str, Any]) -> Golds | None:
    found, metadata = _value(row, *_EXPECTED), _value(row, "metadata")
    if found is None and isinstance(metadata, dict):
        found = _value(metadata, *_EXPECTED)
    return [_text(found, ANSWERING)] if isinstance(found, dict) else as_golds(found)


def _scores(row: dict[str, Any]) -> dict[str, Any]:
    """Return the scores: each has a column of its name with a list of values, nearly always one."""
    found = {name: _value(row, name) for name in row if name not in _NO_SCORES}
    lists = {name: each for name, each in found.items() if isinstance(each, list) and each and all(map(is_plain, each))}
    return {name: each[0] if len(each) == 1 else json_text(each) for name, each in lists.items()}


LANGFUSE = Kind(
    name="langfuse",
    is_this=lambda source: {"id", "input", "output", "metadata"} <= source.names and bool(_TIMES & source.names),
    responses=lambda row: [_text(_value(row, "output"), ANSWERING)],
    golds=_langfuse_golds,
    others=columns(
        question_id=lambda row: _value(row, "experimentItemId", "experiment_item_id", "id"),
        question=lambda row: _text(_value(row, "input"), ASKING),
        model=lambda row: _value(row, "providedModelName", "provided_model_name", "model"),
        finish_reason=lambda row: finish_reason_of(_value(row, "output")),
        name="name",
        type="type",
        trace_id=lambda row: _value(row, "traceId", "trace_id"),
        error=lambda row: _value(row, "statusMessage", "status_message"),
        scores=_scores,
    ),
)

LANGFUSE_ITEMS = Refusal(
    is_this=lambda source: "datasetItemId" in source.names or {"datasetId", "expectedOutput"} <= source.names,
    remedy="holds Langfuse's items without what was answered; export the traces or observations of the run",
)
