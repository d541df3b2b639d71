"""lm-evaluation-harness, and OLMES with its successor olmo-eval: JSON lines with a line per question."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import Any

from qa_frame.ext.files.open_files import UnusableRecordError
from qa_frame.ext.files.record_fields import (
    NO_TEXT,
    as_golds,
    as_text,
    as_texts,
    columns,
    finish_reason_of,
    read_golds,
    read_sibling,
)
from qa_frame.ext.files.records import Golds, Kind, ResultFile, Texts

# --- lm-evaluation-harness: `samples_<task>_<date>.jsonl`, one line per question and filter.
#
# Written by `lm_eval/loggers/evaluation_tracker.py` from the samples of `lm_eval/evaluator.py`. It makes text of all
# values of `resps` and `filtered_resps`, and `str(target)` of the golds.


_FILE_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl")
_SLASH = "__"
"""What stands for the slash of a model's name in that of its folder."""
_QUESTIONS = ("question", "query", "problem", "input")
_TRUTHS = {"True", "False"}


def _lm_eval_responses(record: dict[str, Any]) -> Texts:
    """Return the text that the filter left of the response, or of each repeat if the filter keeps all repeats.

    Raise UnusableRecordError for a task that generates no text.
    """
    responses = record["filtered_resps"] if "filtered_resps" in record else record["resps"][0]
    if not _was_generated(record.get("arguments"), responses):
        raise UnusableRecordError(NO_TEXT)
    first = responses[0] if isinstance(responses, list) and len(responses) == 1 else responses
    return [first] if isinstance(first, str) else as_texts(first)


def _was_generated(arguments: Any, responses: Any) -> bool:
    """Return whether text was generated: whether the arguments of the request hold a dict of settings.

    Without arguments, it was unless the response is a pair of a likelihood and a truth value.
    """
    if arguments:
        if isinstance(arguments, dict):
            return isinstance(arguments["gen_args_0"].get("arg_1"), dict)
        return len(arguments[0]) > 1 and isinstance(arguments[0][1], dict)
    first = responses[0] if isinstance(responses, list) and responses else responses
    return not (isinstance(first, list) and len(first) == 2 and str(first[1]) in _TRUTHS)


def _lm_eval_golds(record: dict[str, Any]) -> Golds | None:
    """Return the target as golds. If it is a stringified list, take the list from the document, or else parse it."""
    target = record.get("target")
    if not isinstance(target, str):
        return as_golds(target)
    if not target.startswith("["):
        return [target]
    return read_golds(_find_original_list(record.get("doc"), target) or target)


def _find_original_list(document: Any, written: str) -> list[Any] | None:
    """Return the list in the document, or in a dict in it, that was written out as this text; None if there is none."""
    if not isinstance(document, dict):
        return None
    for value in document.values():
        if isinstance(value, list) and str(value) == written:
            return value
        if isinstance(value, dict) and (inner := _find_original_list(value, written)) is not None:
            return inner
    return None


def _lm_eval_question(record: dict[str, Any]) -> str | None:
    """Return the first text in the document under a name of a question; None if there is none."""
    document = record.get("doc")
    values = map(document.get, _QUESTIONS) if isinstance(document, dict) else ()
    return next((value for value in values if isinstance(value, str)), None)


def _lm_eval_scores(record: dict[str, Any]) -> dict[str, Any]:
    """Return the harness's scores by name: those that `metrics` names, or else all numbers, as older versions write."""
    names = record.get("metrics")
    if names is not None:
        return {name: record.get(name) for name in names}
    return {name: value for name, value in record.items() if name != "doc_id" and isinstance(value, int | float)}


def _lm_eval_about(source: ResultFile) -> dict[str, Any]:
    """Return the model and the task; {} if the file's name is not that of the harness, which has the task and a date.

    The model stands in the file of averages with the same date, or else in the name of the folder. Remark if neither
    names it.
    """
    named = _FILE_NAME.match(source.path.name)
    if named is None:
        return {}
    averages, folder = f"results_{named['date']}.json", source.path.absolute().parent.name
    model = read_sibling(source.path, averages).get("model_name") or (_SLASH in folder and folder.replace(_SLASH, "/"))
    if not model:
        finding = f"names no model: neither {averages} is beside it, nor is its folder named as acme{_SLASH}heron-7b"
        source.remarks.append(f"{finding}; read several such files together, and by='file' tells them apart")
    return {"model": model or None, "dataset": named["task"]}


LM_EVAL = Kind(
    name="lm_eval",
    is_this=lambda source: "doc_id" in source.names and bool({"filtered_resps", "resps"} & source.names),
    responses=_lm_eval_responses,
    golds=_lm_eval_golds,
    others=columns(
        question_id=itemgetter("doc_id"),
        question=_lm_eval_question,
        finish_reason=finish_reason_of,
        filter="filter",
        scores=_lm_eval_scores,
    ),
    reads_written_golds=True,
    about=_lm_eval_about,
)


# --- OLMES: `task-<number>-<task>-predictions.jsonl`, one line per question.
#
# Written by `oe_eval/run_eval.py` from the documents' scores of `oe_eval/metrics/metric.py`. The task and the model
# stand in the `-metrics.json` beside it; the documents in `-requests.jsonl`, which is written only with
# --save-raw-requests, and the first three of them in `-recorded-inputs.jsonl`.
#
# Its successor olmo-eval (`olmo_eval/runners/io/builders.py`) writes `predictions/<model>/<task>-predictions.jsonl`
# with `text` in place of `continuation`, also of tasks that generate none: their text is what a likelihood was asked
# for.


_END = "-predictions.jsonl"
_LIKELIHOODS = {"bits_per_byte", "logprob", "perplexity"}
"""What olmo-eval scores where no text is generated."""


def _olmes_responses(record: dict[str, Any]) -> Texts:
    """Return the text of each generation. Raise UnusableRecordError for a task that generates no text."""
    outputs, scores = record["model_output"], record.get("instance_metrics")
    name = "continuation" if scores is None else "text"
    if any(name not in output for output in outputs) or _LIKELIHOODS & {*(scores or ())}:
        raise UnusableRecordError(NO_TEXT)
    return [as_text(output[name]) for output in outputs]


def _olmes_about(source: ResultFile) -> dict[str, Any]:
    """Return the model and the task from the file of metrics beside it; {} if the file's name is not OLMES's.

    Remark where the golds are positions of options.
    """
    if "instance_metrics" in source.names and isinstance(source.first["label"], int):
        remark = "holds the number of the right option as gold, from 0; score with extract='choice', gold_is='index0'"
        source.remarks.append(remark)
    if not source.path.name.endswith(_END):
        return {}
    metrics = read_sibling(source.path, source.path.name.removesuffix(_END) + "-metrics.json")
    return {"model": (metrics.get("model_config") or {}).get("model"), "dataset": metrics.get("task_name")}


OLMES = Kind(
    name="olmes",
    is_this=lambda source: {"doc_id", "native_id", "model_output", "label"} <= source.names,
    responses=_olmes_responses,
    golds=lambda record: as_golds(record["label"]),
    others=columns(
        question_id="doc_id",
        finish_reason=lambda record: [*map(finish_reason_of, record["model_output"])],
        native_id="native_id",
        # Where it looks for the answer in several ways, as in mathematics, the first one is its own.
        extracted=lambda record: next(iter(as_texts(record["model_output"][0].get("model_answer"))), None),
        scores="metrics",
    ),
    about=_olmes_about,
)
