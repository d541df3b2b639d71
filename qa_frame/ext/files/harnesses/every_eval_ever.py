"""Every Eval Ever: the instance-level JSON lines, one line per sample.

Described by `every_eval_ever/schemas/instance_level_eval.schema.json`. Its converter of lm-evaluation-harness makes one
reference of a list that was written out as text.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from qa_frame.ext.files.harnesses.description import Kind, Refusal, Texts
from qa_frame.ext.files.record_fields import ANSWERING, as_text, as_texts, columns, read_wrapped_golds, text_of_prompt


def _responses(record: dict[str, Any]) -> Texts:
    """Take the output. A conversation lacks it: take the extracted answer, else the last message."""
    if record.get("output") is not None:
        return as_texts(record["output"]["raw"])
    extracted = _extracted_answer(record)
    return [text_of_prompt(record.get("messages"), ANSWERING) if extracted is None else extracted]


def _extracted_answer(record: dict[str, Any]) -> str | None:
    found = record.get("answer_attribution") or []
    terminal = [one for one in found if one.get("is_terminal")] or found
    return as_text(terminal[-1].get("extracted_value")) if terminal else None


EVERY_EVAL_EVER = Kind(
    name="every_eval_ever",
    is_this=lambda source: {"evaluation_id", "sample_id", "input", "evaluation"} <= source.names,
    responses=_responses,
    golds=lambda record: read_wrapped_golds(record["input"].get("reference")),
    others=columns(
        question_id=itemgetter("sample_id"),
        question="input.raw",
        model="model_id",
        dataset="evaluation_name",
        evaluation_result_id="evaluation_result_id",
        extracted=_extracted_answer,
        error="error",
        scores="evaluation",
        metadata="metadata",
    ),
    reads_written_golds=True,
)

EVERY_EVAL_EVER_AVERAGES = Refusal(
    is_this=lambda source: {"evaluation_id", "evaluation_results"} <= source.names,
    remedy="holds Every Eval Ever's averages and no texts; read its instance-level .jsonl file",
)
