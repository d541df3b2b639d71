"""HELM, lighteval and Every Eval Ever: the files behind leaderboards."""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import itemgetter
from typing import Any

from qa_frame.ext.files.open_files import UnusableRecordError
from qa_frame.ext.files.record_fields import (
    ANSWERING,
    NO_TEXT,
    as_golds,
    as_text,
    as_texts,
    columns,
    finish_reason_of,
    read_golds,
    read_sibling,
    read_wrapped_golds,
    text_of_prompt,
)
from qa_frame.ext.files.records import Golds, Kind, ResultFile, Texts, records_in

# --- HELM: `scenario_state.json`, one JSON document with a request for each question.
#
# Written by `helm/benchmark/runner.py`; `run_spec.json` beside it names the run.


_HELM_MODEL = re.compile(r"(?<=[:,])model=[^,]*,?")


def _helm_responses(state: dict[str, Any]) -> Texts:
    """Return each completion. A letter of a choice becomes the choice that it stands for, as in HELM.

    Raise UnusableRecordError for a request that asks for the log-likelihood of a choice.
    """
    if state.get("reference_index") is not None:
        raise UnusableRecordError("asks for the log-likelihood of one choice and holds no generated text to score")
    mapping = state.get("output_mapping") or {}
    completions = (state.get("result") or {}).get("completions") or []
    texts = [as_text(completion["text"]) for completion in completions]
    return [mapping.get((text or "").strip(), text) for text in texts] or [None]


def _helm_golds(state: dict[str, Any]) -> Golds | None:
    """Return the texts of the references that HELM tags as correct."""
    references = state["instance"].get("references") or []
    return [as_text(one["output"]["text"]) for one in references if "correct" in one["tags"]]


def _helm_about(source: ResultFile) -> dict[str, Any]:
    """Return the model and the dataset of a run.

    The model stands in the run's adapter. The dataset is the name of the run, from `run_spec.json`, without the model.
    """
    run = read_sibling(source.path, "run_spec.json").get("name") or ""
    model = (source.first.get("adapter_spec") or {}).get("model")
    return {"model": model, "dataset": _HELM_MODEL.sub("", run).rstrip(":,") or None}


HELM = Kind(
    name="helm",
    is_this=lambda source: "request_states" in source.names,
    responses=_helm_responses,
    golds=_helm_golds,
    others=columns(
        question_id="instance.id",
        question="instance.input.text",
        finish_reason=lambda state: [*map(finish_reason_of, (state.get("result") or {}).get("completions") or [])],
        split="instance.split",
        sub_split="instance.sub_split",
        perturbation="instance.perturbation.name",
        train_trial_index="train_trial_index",
    ),
    records=records_in("request_states", "request"),
    about=_helm_about,
)


# --- lighteval: `details_<task>_<date>.parquet`, one row per question.
#
# Written by `lighteval/logging/evaluation_tracker.py`. Until version 0.10 a row had `predictions` and `gold`; until 0.7
# these were written out as text, `str(list)`. Since then it is the document, the model's response and the metrics.


_LIGHTEVAL_FILE = re.compile(r"details_(?P<task>.+)_\d{4}-\d\d-\d\dT[\d.:-]+\.parquet")


def _lighteval_responses(row: dict[str, Any]) -> Texts:
    """Return the texts after post-processing (without reasoning, for instance), or else the raw texts.

    Raise UnusableRecordError if there are none.
    """
    response = row["model_response"]
    processed = response.get("text_post_processed")
    texts = response.get("text") if processed is None else processed
    if not texts:
        raise UnusableRecordError(NO_TEXT)
    return as_texts(texts)


def _chosen_golds(question: dict[str, Any]) -> Golds | None:
    """Return as golds the choices at `gold_index`, a number or a list of numbers; None if the question lacks either."""
    choices, index = question.get("choices"), question.get("gold_index")
    if not choices or index is None:
        return None
    chosen = [choices[number] for number in (index if isinstance(index, list) else [index])]
    return as_golds(_flatten(chosen))


def _flatten(items: Iterable[Any]) -> list[Any]:
    """Return the items, with the items of each list in its place."""
    return [text for item in items for text in (item if isinstance(item, list) else [item])]


def _lighteval_older_responses(row: dict[str, Any]) -> Texts:
    """Return the responses of a row in the older format of lighteval; UnusableRecordError if there is no text."""
    written = row["predictions"]
    texts = _flatten((read_golds(written) if isinstance(written, str) else written) or ())
    if not texts or not all(isinstance(text, str) for text in texts):
        raise UnusableRecordError(NO_TEXT)
    return texts


def _lighteval_about(source: ResultFile) -> dict[str, Any]:
    """Return the model and the task, each null where the path does not tell it.

    The task stands in the file's name. The model is the folders between `details` and the last one, which is a date.
    """
    named = _LIGHTEVAL_FILE.match(source.path.name)
    folders = source.path.absolute().parent.parts
    begin = len(folders) - folders[::-1].index("details") if "details" in folders else len(folders)
    return {"model": "/".join(folders[begin:-1]) or None, "dataset": named["task"] if named else None}


LIGHTEVAL = Kind(
    name="lighteval",
    is_this=lambda source: {"doc", "model_response"} <= source.names,
    responses=_lighteval_responses,
    golds=lambda row: _chosen_golds(row["doc"]),
    others=columns(
        question_id=lambda row: row["doc"].get("id") or None,
        question="doc.query",
        dataset=lambda row: row["doc"].get("task_name") or None,
        scores="metric",
    ),
    about=_lighteval_about,
)

LIGHTEVAL_OLDER = Kind(
    name="lighteval_older",
    is_this=lambda source: {"example", "full_prompt", "predictions", "gold", "metrics"} <= source.names,
    responses=_lighteval_older_responses,
    golds=lambda row: read_golds(row.get("gold")) or _chosen_golds(row),
    others=columns(question="example", scores="metrics"),
    about=_lighteval_about,
)


# --- Every Eval Ever: the instance-level JSON lines, one line per sample.
#
# Described by `every_eval_ever/schemas/instance_level_eval.schema.json`. Its converter of lm-evaluation-harness makes
# one reference of a list that was written out as text.


def _every_eval_ever_responses(record: dict[str, Any]) -> Texts:
    """Return the output; for a conversation, which has none, the extracted answer, or else the model's last message."""
    if record.get("output") is not None:
        return as_texts(record["output"]["raw"])
    extracted = _extracted_answer(record)
    return [text_of_prompt(record.get("messages"), ANSWERING) if extracted is None else extracted]


def _extracted_answer(record: dict[str, Any]) -> str | None:
    """Return the answer that was extracted at the last step marked as terminal; None without steps.

    If no step is marked, the last step counts.
    """
    attributions = record.get("answer_attribution") or []
    terminal = [one for one in attributions if one.get("is_terminal")] or attributions
    return as_text(terminal[-1].get("extracted_value")) if terminal else None


EVERY_EVAL_EVER = Kind(
    name="every_eval_ever",
    is_this=lambda source: {"evaluation_id", "sample_id", "input", "evaluation"} <= source.names,
    responses=_every_eval_ever_responses,
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
