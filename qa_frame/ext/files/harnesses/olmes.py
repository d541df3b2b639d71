"""OLMES: `task-<number>-<task>-predictions.jsonl`, one line per question.

Written by `oe_eval/run_eval.py` from the documents' scores of `oe_eval/metrics/metric.py`. The task and the model stand
in the `-metrics.json` beside it; the documents in `-requests.jsonl`, which is written only with --save-raw-requests,
and the first three of them in `-recorded-inputs.jsonl`.

Its successor olmo-eval (`olmo_eval/runners/io/builders.py`) writes `predictions/<model>/<task>-predictions.jsonl` with
`text` in place of `continuation`, also of tasks that generate none: their text is what a likelihood was asked for.
"""

from __future__ import annotations

from typing import Any

from qa_frame.ext.files.harnesses.description import Kind, Refusal, Texts
from qa_frame.ext.files.open_files import UnusableRecordError
from qa_frame.ext.files.record_fields import (
    NO_TEXT,
    as_golds,
    as_text,
    as_texts,
    columns,
    finish_reason_of,
    read_sibling,
)
from qa_frame.ext.files.records import ResultFile

_END = "-predictions.jsonl"
_LIKELIHOODS = {"bits_per_byte", "logprob", "perplexity"}
"""What olmo-eval scores where no text is generated."""


def _responses(record: dict[str, Any]) -> Texts:
    """Take the text of each generation: a question that was asked several times has several."""
    outputs, scores = record["model_output"], record.get("instance_metrics")
    name = "continuation" if scores is None else "text"
    if any(name not in output for output in outputs) or _LIKELIHOODS & {*(scores or ())}:
        raise UnusableRecordError(NO_TEXT)
    return [as_text(output[name]) for output in outputs]


def _about(source: ResultFile) -> dict[str, Any]:
    if "instance_metrics" in source.names and isinstance(source.first["label"], int):
        said = "holds the number of the right option as gold, from 0; score with extract='choice', gold_is='index0'"
        source.remarks.append(said)
    if not source.path.name.endswith(_END):
        return {}
    metrics = read_sibling(source.path, source.path.name.removesuffix(_END) + "-metrics.json")
    return {"model": (metrics.get("model_config") or {}).get("model"), "dataset": metrics.get("task_name")}


OLMES = Kind(
    name="olmes",
    is_this=lambda source: {"doc_id", "native_id", "model_output", "label"} <= source.names,
    responses=_responses,
    golds=lambda record: as_golds(record["label"]),
    others=columns(
        question_id="doc_id",
        finish_reason=lambda record: [*map(finish_reason_of, record["model_output"])],
        native_id="native_id",
        # Where it looks for the answer in several ways, as in mathematics, the first one is its own.
        extracted=lambda record: next(iter(as_texts(record["model_output"][0].get("model_answer"))), None),
        scores="metrics",
    ),
    about=_about,
)

OLMES_OTHERS = Refusal(
    is_this=lambda source: {"doc", "native_id"} <= source.names or {"task_config", "metrics"} <= source.names,
    remedy="holds the requests of OLMES or its averages, and no answers; read the *-predictions.jsonl file of the same "
    "task",
)
