"""OpenAI evals: one line per event, after a line with the run's `spec`.

Written by `evals/record.py`. A `match` event has the answer and the expected one; the prompt stands in an earlier
`sampling` event of the same sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from qa_frame.errors import ResultFileError
from qa_frame.ext.files.harnesses.description import Kind
from qa_frame.ext.files.record_fields import as_golds, as_texts, columns, first_of, plain_values, text_of_prompt
from qa_frame.ext.files.records import Place, ResultFile

_EXPECTED = ("expected", "ideal")
_SAMPLED = ("sampled", "picked")
_NO_METADATA = {*_EXPECTED, *_SAMPLED, "prompt", "correct", "match"}


def _records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield each event that has an answer and an expected answer, which may be null, with its question."""
    asked: dict[Any, str | None] = {}
    n_found = 0
    for place, event in source.records():
        data = event.get("data")
        if not isinstance(data, dict):
            continue
        key = event.get("sample_id")
        if "prompt" in data:
            asked[key] = text_of_prompt(data["prompt"])
        if all(any(name in data for name in names) for names in (_EXPECTED, _SAMPLED)):
            n_found += 1
            yield place, {**event, "question": asked.pop(key, None)}
    if not n_found and not source.n_rejected:
        said = "has no event with both 'sampled' and 'expected' (or 'ideal'), so there is nothing to score"
        raise ResultFileError(f"{source.path} {said}; evals that a model graded keep no expected answer")


def _about(source: ResultFile) -> dict[str, Any]:
    spec = source.first.get("spec") or {}
    functions = spec.get("completion_fns") or [None]
    return {"model": functions[0], "dataset": spec.get("eval_name")}


OPENAI_EVALS = Kind(
    name="openai_evals",
    is_this=lambda source: {"event_id", "type", "data"} <= source.names or _is_spec(source),
    responses=lambda event: as_texts(first_of(event["data"], *_SAMPLED)),
    golds=lambda event: as_golds(first_of(event["data"], *_EXPECTED)),
    others=columns(
        question_id="sample_id",
        question="question",
        harness_correct=lambda event: event["data"].get("correct", event["data"].get("match")),
        metadata=lambda event: plain_values(event["data"], but=_NO_METADATA),
    ),
    records=_records,
    about=_about,
)


def _is_spec(source: ResultFile) -> bool:
    spec = source.first["spec"] if "spec" in source.names else None
    return isinstance(spec, dict) and "eval_name" in spec
