"""promptfoo: the `.json` or `.jsonl` file of `promptfoo eval -o`, one result per test, prompt and provider.

Written by `src/util/output.ts`; a result is an `EvaluateResult` of `src/types/index.ts`. A test has no field for golds:
they are the values of its assertions, or one of its variables.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Any

from qa_frame.ext.files.harnesses.description import Golds, Kind, Texts
from qa_frame.ext.files.record_fields import (
    as_golds,
    as_text,
    columns,
    finish_reason_of,
    is_plain,
    json_text,
    text_of_prompt,
)
from qa_frame.ext.files.records import Place, ResultFile, numbered
from qa_frame.frames.names import name_in

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
    return {"promptIdx", "testIdx", "testCase"} <= frozenset(names)


def _results(source: ResultFile) -> list[Any] | None:
    """Return the results in one JSON document: of an object with the run's summary, or of that summary."""
    found = source.first
    for _ in range(2):
        found = found.get("results") if isinstance(found, dict) else None
        if isinstance(found, list):
            return found if found and isinstance(found[0], dict) and _is_result(found[0]) else None
    return None


def _records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    results = _results(source)
    return source.records() if results is None else numbered("result", results)


def _responses(result: dict[str, Any]) -> Texts:
    """Take the output. One that is no text is written as JSON; a provider that failed leaves none."""
    found = (result.get("response") or {}).get("output")
    return [as_text(found) if is_plain(found) else json_text(found)]


def _golds(result: dict[str, Any]) -> Golds | None:
    """Take the texts that the assertions compare with, else the variable with a usual name of golds."""
    graded = (result.get("gradingResult") or {}).get("componentResults") or []
    pairs = [(each.get("assertion"), (each.get("metadata") or {}).get("renderedAssertionValue")) for each in graded]
    pairs = pairs or [(each, None) for each in result["testCase"].get("assert") or ()]
    variables = result.get("vars") or {}
    golds = [gold for each, text in pairs if each for gold in _golds_of_assertion(each, text, variables)]
    name = name_in(variables, "answers")
    return list(dict.fromkeys(golds)) or (None if name is None else as_golds(variables[name]))


def _golds_of_assertion(assertion: dict[str, Any], rendered: Any, variables: dict[str, Any]) -> Texts:
    kind, value = assertion.get("type"), assertion.get("value") if rendered is None else rendered
    if kind in _TO_ANY_TEXT:
        listed = next(csv.reader([value], skipinitialspace=True)) if isinstance(value, str) else value or []
        return [_filled(text, variables) for text in listed]
    return [_filled(value, variables)] if kind in _TO_ONE_TEXT and is_plain(value) else []


def _filled(value: Any, variables: dict[str, Any]) -> str | None:
    """Return the text of a value, or of the variable that it consists of, such as `{{expected}}`."""
    named = _VARIABLE.fullmatch(value.strip()) if isinstance(value, str) else None
    return as_text(variables.get(named[1], value) if named else value)


def _question(result: dict[str, Any]) -> Any:
    variables, prompt = result.get("vars") or {}, result.get("prompt") or {}
    name = name_in(variables, "question")
    return prompt.get("raw") if name is None else text_of_prompt(variables[name])


def _about(source: ResultFile) -> dict[str, Any]:
    config = source.first.get("config") if _results(source) is not None else None
    return {"dataset": (config or {}).get("description") or None}


PROMPTFOO = Kind(
    name="promptfoo",
    is_this=lambda source: _is_result(source.names) or ("results" in source.names and _results(source) is not None),
    responses=_responses,
    golds=_golds,
    others=columns(
        question_id="testIdx",
        question=_question,
        model=lambda result: result["provider"].get("label") or result["provider"].get("id"),
        finish_reason=lambda result: finish_reason_of(result.get("response")),
        prompt_number="promptIdx",
        error=lambda result: result.get("error") if result.get("failureReason") == _FAILED else None,
        scores=lambda result: {name: result.get(name) for name in _SCORES} | (result.get("namedScores") or {}),
        metadata="testCase.metadata",
    ),
    records=_records,
    about=_about,
)
