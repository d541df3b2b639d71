"""Inspect and OpenAI evals: logs of a run, with its samples or its events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from operator import itemgetter
from typing import Any

from qa_frame.errors import ResultFileError
from qa_frame.ext.files.open_files import UnusableRecordError
from qa_frame.ext.files.record_fields import (
    as_golds,
    as_text,
    as_texts,
    columns,
    finish_reason_of,
    first_of,
    plain_values,
    text_of_content,
    text_of_prompt,
)
from qa_frame.ext.files.records import Kind, Place, ResultFile, Texts, numbered
from qa_frame.ext.files.zips import JsonZip

# --- Inspect: a `.eval` log, which is a zip with one JSON document per sample, and the same log as one `.json`
# document.
#
# Written by `inspect_ai/log/_recorders/eval.py` and `json.py`. Since 2026 zstd compresses the members, and a long
# sample may be a folder of members, whose `sample.json` holds all that is needed here.


_HEADER, _START, _SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
_SAMPLE = re.compile(r"samples/.+_epoch_\d+(?:/sample)?\.json")
_ATTACHMENT = "attachment://"
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partial, incorrect and no answer as numbers, as in `value_to_float` of inspect's `scorer/_metric.py`."""


def _is_inspect(source: ResultFile) -> bool:
    """Return whether a file is a log of Inspect, as a zip or as one JSON document."""
    if source.format == "zip":
        with closing(JsonZip(source.content)) as members:
            return bool({_HEADER, _START} & set(members.names))
    return {"eval", "status"} <= source.names and isinstance(source.first["eval"], dict)


def _inspect_records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield the place and the value of each sample. Those that a zip lists but does not hold are rejected."""
    if source.format != "zip":
        yield from numbered("sample", source.first.get("samples") or [])
        return
    read, listed = set(), set()
    with closing(JsonZip(source.content)) as members:
        for name in filter(_SAMPLE.fullmatch, members.names):
            read.add(name.removesuffix(".json").removesuffix("/sample"))
            try:
                yield name, members.read(name)
            except UnusableRecordError as error:
                source.reject(name, error)
        with suppress(UnusableRecordError, ResultFileError, KeyError, TypeError):  # there is none, or it is damaged
            listed = {f"samples/{each['id']}_epoch_{each['epoch']}" for each in members.read(_SUMMARIES)}
        source.content.lone_surrogates.pop(_SUMMARIES, None)  # they are those of the samples again
        for name in sorted(listed - read)[: max(0, len(listed) - len(read))]:  # others have another name
            source.reject(f"{name}.json", f"is listed in {_SUMMARIES}, and no member has this name")


def _inspect_about(source: ResultFile) -> dict[str, Any]:
    """Return the model, the task and the status of the run, from the log's header. Remark on an unfinished run.

    In place of the header, an unfinished run has only the journal of its start.
    """
    header = source.first if source.format != "zip" else _header_of(source)
    status = header.get("status", "started")
    if status == "started":
        source.remarks.append("is the log of an unfinished run; the samples that it has so far are read")
    elif status != "success":
        source.remarks.append(f"is the log of a run with the status {status!r}; the samples that it has are read")
    return {"model": header["eval"].get("model"), "dataset": header["eval"].get("task"), "run_status": status}


def _header_of(source: ResultFile) -> Any:
    """Return the header in a zipped log of Inspect, or the start of its journal.

    Raise ResultFileError if it is damaged.
    """
    with closing(JsonZip(source.content)) as members:
        try:
            return members.read(_HEADER if _HEADER in members.names else _START)
        except UnusableRecordError as error:
            finding = f"{source.path}: its header {error}"
            raise ResultFileError.of("", finding, "copy or write the file again") from error


def _inspect_responses(sample: dict[str, Any]) -> Texts:
    """Return the message of the first choice, or the completion if there is no choice.

    A sample that ended with an error has neither: its response is null.
    """
    output = sample.get("output") or {}
    if not output.get("choices"):
        return [_with_attachment(output.get("completion") or None, sample)]
    return [_with_attachment(text_of_content(output["choices"][0]["message"]["content"]), sample)]


def _with_attachment(text: str | None, sample: dict[str, Any]) -> str | None:
    """Return the text, or the attachment that it stands for."""
    if text is None or not text.startswith(_ATTACHMENT):
        return text
    return as_text((sample.get("attachments") or {}).get(text.removeprefix(_ATTACHMENT), text))


def _inspect_scores(sample: dict[str, Any]) -> dict[str, Any]:
    """Return the value of each scorer, by name. A grade such as "C" becomes a number.

    A scorer with several values has a name for each of them, such as `scorer_value`.
    """
    values: dict[str, Any] = {}
    for name, score in (sample.get("scores") or {}).items():
        value = score.get("value")
        values |= plain_values(value, f"{name}_") if isinstance(value, Mapping) else plain_values({name: value})
    return {name: _GRADES.get(value, value) for name, value in values.items()}


INSPECT = Kind(
    name="inspect",
    is_this=_is_inspect,
    responses=_inspect_responses,
    golds=lambda sample: as_golds(sample.get("target")),
    others=columns(
        question_id=itemgetter("id"),
        question=lambda sample: _with_attachment(text_of_prompt(sample.get("input")), sample),
        finish_reason=lambda sample: finish_reason_of(sample.get("output")),
        epoch="epoch",
        error="error.message",
        scores=_inspect_scores,
        metadata="metadata",
    ),
    records=_inspect_records,
    about=_inspect_about,
)


# --- OpenAI evals: one line per event, after a line with the run's `spec`.
#
# Written by `evals/record.py`. A `match` event has the answer and the expected one; the prompt stands in an earlier
# `sampling` event of the same sample.


_EXPECTED = ("expected", "ideal")
_SAMPLED = ("sampled", "picked")
_NO_METADATA = {*_EXPECTED, *_SAMPLED, "prompt", "correct", "match"}


def _openai_records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield the place and the value of each event with an answer and an expected answer, and add its question to it.

    The answers may be null. Raise ResultFileError if there is no such event.
    """
    questions: dict[Any, str | None] = {}
    n_matches = 0
    for place, event in source.records():
        data = event.get("data")
        if not isinstance(data, dict):
            continue
        key = event.get("sample_id")
        if "prompt" in data:
            questions[key] = text_of_prompt(data["prompt"])
        if all(any(name in data for name in names) for names in (_EXPECTED, _SAMPLED)):
            n_matches += 1
            yield place, {**event, "question": questions.pop(key, None)}
    if not n_matches and not source.n_rejected:
        finding = "has no event with both 'sampled' and 'expected' (or 'ideal'), so there is nothing to score"
        remedy = "evals that a model graded keep no expected answer"
        raise ResultFileError.of("", f"{source.path} {finding}", remedy)


def _openai_about(source: ResultFile) -> dict[str, Any]:
    """Return the first completion function as model, and the name of the eval as dataset, from the run's `spec`."""
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
    records=_openai_records,
    about=_openai_about,
)


def _is_spec(source: ResultFile) -> bool:
    """Return whether the first line is the `spec` of a run of OpenAI evals."""
    spec = source.first["spec"] if "spec" in source.names else None
    return isinstance(spec, dict) and "eval_name" in spec
