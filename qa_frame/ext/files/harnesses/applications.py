"""promptfoo, MLflow and Langfuse: tools that look at applications."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from qa_frame.ext.files.harnesses.plain import PLAIN
from qa_frame.ext.files.record_fields import (
    ANSWERING,
    ASKING,
    as_golds,
    as_text,
    columns,
    finish_reason_of,
    is_plain,
    json_text,
    text_of_content,
    text_of_prompt,
)
from qa_frame.ext.files.records import Golds, Kind, Place, ResultFile, Texts, numbered
from qa_frame.frames.names import name_in

# --- promptfoo: the `.json` or `.jsonl` file of `promptfoo eval -o`, one result per test, prompt and provider.
#
# Written by `src/util/output.ts`; a result is an `EvaluateResult` of `src/types/index.ts`. A test has no field for
# golds: they are the values of its assertions, or one of its variables.


_TO_ONE_TEXT = {
    *("equals", "contains", "icontains", "starts-with", "similar", "levenshtein", "rouge-n", "bleu", "gleu", "meteor"),
    *("factuality", "model-graded-factuality"),
}
_TO_ANY_TEXT = {"contains-any", "icontains-any"}
_VARIABLE = re.compile(r"\{\{\s*([\w.-]+)\s*\}\}")
_SCORES = ("score", "success")
_FAILED = 2
"""`failureReason` of a result without an output. The `error` of other results says which assertion was not met."""


def _is_result(names: Any) -> bool:
    """Return whether these are the names in a result of promptfoo."""
    return {"promptIdx", "testIdx", "testCase"} <= frozenset(names)


def _results(source: ResultFile) -> list[Any] | None:
    """Return the results in promptfoo's JSON document; None if it has none.

    They stand in the run's summary, which may itself stand in an object.
    """
    results = source.first
    for _ in range(2):
        results = results.get("results") if isinstance(results, dict) else None
        if isinstance(results, list):
            return results if results and isinstance(results[0], dict) and _is_result(results[0]) else None
    return None


def _promptfoo_records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield the place and the value of each result of promptfoo."""
    results = _results(source)
    return source.records() if results is None else numbered("result", results)


def _promptfoo_responses(result: dict[str, Any]) -> Texts:
    """Return the output of promptfoo's result, as JSON if it is no text; null where the provider failed."""
    output = (result.get("response") or {}).get("output")
    return [as_text(output) if is_plain(output) else json_text(output)]


def _promptfoo_golds(result: dict[str, Any]) -> Golds | None:
    """Return the texts that promptfoo's assertions compare with, or else the variable with a usual name of golds."""
    graded = (result.get("gradingResult") or {}).get("componentResults") or []
    pairs = [(each.get("assertion"), (each.get("metadata") or {}).get("renderedAssertionValue")) for each in graded]
    pairs = pairs or [(each, None) for each in result["testCase"].get("assert") or ()]
    variables = result.get("vars") or {}
    golds = [gold for each, text in pairs if each for gold in _promptfoo_golds_of_assertion(each, text, variables)]
    name = name_in(variables, "answers")
    return list(dict.fromkeys(golds)) or (None if name is None else as_golds(variables[name]))


def _promptfoo_golds_of_assertion(assertion: dict[str, Any], rendered: Any, variables: dict[str, Any]) -> Texts:
    """Return the texts that an assertion compares with; none for a kind that compares with no text.

    rendered: the value of the assertion after promptfoo filled in the variables; None if promptfoo did not note it.
    variables: the variables of the test.
    """
    kind, value = assertion.get("type"), assertion.get("value") if rendered is None else rendered
    if kind in _TO_ANY_TEXT:
        listed = next(csv.reader([value], skipinitialspace=True)) if isinstance(value, str) else value or []
        return [_filled(text, variables) for text in listed]
    return [_filled(value, variables)] if kind in _TO_ONE_TEXT and is_plain(value) else []


def _filled(value: Any, variables: dict[str, Any]) -> str | None:
    """Return the text of a value, or of the variable that it consists of, such as `{{expected}}`."""
    named = _VARIABLE.fullmatch(value.strip()) if isinstance(value, str) else None
    return as_text(variables.get(named[1], value) if named else value)


def _promptfoo_question(result: dict[str, Any]) -> Any:
    """Return the variable with a usual name of a question in promptfoo's result, or else the whole prompt."""
    variables, prompt = result.get("vars") or {}, result.get("prompt") or {}
    name = name_in(variables, "question")
    return prompt.get("raw") if name is None else text_of_prompt(variables[name])


def _promptfoo_about(source: ResultFile) -> dict[str, Any]:
    """Return promptfoo's description of the run as the dataset of all rows; null if it has none."""
    config = source.first.get("config") if _results(source) is not None else None
    return {"dataset": (config or {}).get("description") or None}


PROMPTFOO = Kind(
    name="promptfoo",
    is_this=lambda source: _is_result(source.names) or ("results" in source.names and _results(source) is not None),
    responses=_promptfoo_responses,
    golds=_promptfoo_golds,
    others=columns(
        question_id="testIdx",
        question=_promptfoo_question,
        model=lambda result: result["provider"].get("label") or result["provider"].get("id"),
        finish_reason=lambda result: finish_reason_of(result.get("response")),
        prompt_number="promptIdx",
        error=lambda result: result.get("error") if result.get("failureReason") == _FAILED else None,
        scores=lambda result: {name: result.get(name) for name in _SCORES} | (result.get("namedScores") or {}),
        metadata="testCase.metadata",
    ),
    records=_promptfoo_records,
    about=_promptfoo_about,
)


# --- Tables of experiment trackers: MLflow's evaluation tables, and Langfuse's exports.


# --- MLflow: `eval_results_table.json`, and what `mlflow.log_table` writes: `DataFrame.to_json(orient="split")`

_COLUMNS = {"outputs": "response", "predictions": "response", "targets": "answers", "inputs": "question"}
"""MLflow's own names of columns, where its caller named none, and that of its examples for tables of predictions."""


def _is_mlflow(source: ResultFile) -> bool:
    """Return whether a file is a table that pandas wrote by `to_json(orient="split")`, as MLflow does."""
    if source.format not in {"json", "jsonl"} or not {"columns", "data"} <= source.names:
        return False
    return all(isinstance(source.first[name], list) for name in ("columns", "data"))


def _mlflow_rows(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield the place and the value of each row of MLflow's table, with usual names in place of MLflow's own.

    Columns of metrics, such as `exact_match/v1`, become `harness_*`.
    """
    written = source.first["columns"]
    usual = [_COLUMNS.get(name, f"harness_{name}" if "/" in name else name) for name in written]
    names = [own if usual_name in written else usual_name for own, usual_name in zip(written, usual, strict=True)]
    return numbered("row", (dict(zip(names, row, strict=True)) for row in source.first["data"]))


MLFLOW = replace(PLAIN, name="mlflow", is_this=_is_mlflow, records=_mlflow_rows)

# --- Langfuse: exports of traces and observations (worker/src/features/database-read-stream), JSON, JSON lines or CSV

_EXPECTED = ("expectedOutput", "expected_output", "experimentItemExpectedOutput", "experiment_item_expected_output")
_HOLDERS = (
    *("messages", "message", "choices", "candidates", "content", "contents", "parts", "text"),
    *("output", "answer", "response", "prompt", "question", "query", "args"),
)
"""The names under which the text of an input or output stands, in the objects of many libraries."""

_TIMES = {"traceId", "trace_id", "timestamp"}
_NO_SCORES = {"input", "output", "metadata", "tags", "traceTags", "comments"}


def _langfuse_value(row: dict[str, Any], *names: str) -> Any:
    """Return the first value of Langfuse's row under these names that is neither null nor empty text; else None.

    A text that is JSON, written once or several times, is parsed.
    """
    value = next((row[name] for name in names if row.get(name) is not None and row[name] != ""), None)
    with suppress(ValueError):
        while isinstance(value, str) and value[:1] in {"{", "[", '"'}:
            value = json.loads(value)
    return value


def _read_text(value: Any, roles: frozenset[str]) -> str | None:
    """Return the text of an input or output of Langfuse (see `_find_text`), or else its JSON.

    roles: the roles of the messages that count.
    """
    text = _find_text(value, roles)
    return json_text(value) if text is None else text


def _find_text(value: Any, roles: frozenset[str]) -> str | None:
    """Return the text of an input or output of Langfuse; None where it has none.

    Of messages it is the last one with one of the roles; of a dict, the text of the first entry in the order of
    `_HOLDERS` that has any.
    """
    if isinstance(value, list):
        text = text_of_prompt(value, roles) or text_of_content(value)
        return _find_text(value[0], roles) if text is None and len(value) == 1 else text
    if isinstance(value, dict):
        inner = [value[name] for name in _HOLDERS if name in value] if len(value) > 1 else value.values()
        return next((text for each in inner if (text := _find_text(each, roles)) is not None), None)
    return value if isinstance(value, str) else None


def _langfuse_golds(row: dict[str, Any]) -> Golds | None:
    """Return the expected output of Langfuse's row, or the one in its metadata, as golds; None if there is none."""
    expected, metadata = _langfuse_value(row, *_EXPECTED), _langfuse_value(row, "metadata")
    if expected is None and isinstance(metadata, dict):
        expected = _langfuse_value(metadata, *_EXPECTED)
    return [_read_text(expected, ANSWERING)] if isinstance(expected, dict) else as_golds(expected)


def _langfuse_scores(row: dict[str, Any]) -> dict[str, Any]:
    """Return the harness's scores in Langfuse's row, by name: its lists of texts, numbers and truth values.

    The score of a list of one is its item; a longer list becomes JSON.
    """
    values = {name: _langfuse_value(row, name) for name in row if name not in _NO_SCORES}
    lists = {
        name: each for name, each in values.items() if isinstance(each, list) and each and all(map(is_plain, each))
    }
    return {name: each[0] if len(each) == 1 else json_text(each) for name, each in lists.items()}


LANGFUSE = Kind(
    name="langfuse",
    is_this=lambda source: {"id", "input", "output", "metadata"} <= source.names and bool(_TIMES & source.names),
    responses=lambda row: [_read_text(_langfuse_value(row, "output"), ANSWERING)],
    golds=_langfuse_golds,
    others=columns(
        question_id=lambda row: _langfuse_value(row, "experimentItemId", "experiment_item_id", "id"),
        question=lambda row: _read_text(_langfuse_value(row, "input"), ASKING),
        model=lambda row: _langfuse_value(row, "providedModelName", "provided_model_name", "model"),
        finish_reason=lambda row: finish_reason_of(_langfuse_value(row, "output")),
        name="name",
        type="type",
        trace_id=lambda row: _langfuse_value(row, "traceId", "trace_id"),
        error=lambda row: _langfuse_value(row, "statusMessage", "status_message"),
        scores=_langfuse_scores,
    ),
)
