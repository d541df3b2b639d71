"""HELM: `scenario_state.json`, one JSON document with a request for each question.

Written by `helm/benchmark/runner.py`; `run_spec.json` beside it names the run.
"""

from __future__ import annotations

import re
from typing import Any

from qa_frame.ext.files.harnesses.description import Golds, Kind, Refusal, Texts
from qa_frame.ext.files.open_files import UnusableRecordError
from qa_frame.ext.files.record_fields import as_text, columns, finish_reason_of, read_sibling
from qa_frame.ext.files.records import ResultFile, records_in

_MODEL = re.compile(r"(?<=[:,])model=[^,]*,?")


def _responses(state: dict[str, Any]) -> Texts:
    """Take each completion; the letter of a choice becomes the choice that it stands for, as in HELM."""
    if state.get("reference_index") is not None:
        raise UnusableRecordError("asks for the log-likelihood of one choice and holds no generated text to score")
    mapping = state.get("output_mapping") or {}
    completions = (state.get("result") or {}).get("completions") or []
    texts = [as_text(completion["text"]) for completion in completions]
    return [mapping.get((text or "").strip(), text) for text in texts] or [None]


def _golds(state: dict[str, Any]) -> Golds | None:
    references = state["instance"].get("references") or []
    return [as_text(one["output"]["text"]) for one in references if "correct" in one["tags"]]


def _about(source: ResultFile) -> dict[str, Any]:
    """Take the model from the adapter, and the dataset from the run's name less the model."""
    run = read_sibling(source.path, "run_spec.json").get("name") or ""
    model = (source.first.get("adapter_spec") or {}).get("model")
    return {"model": model, "dataset": _MODEL.sub("", run).rstrip(":,") or None}


HELM = Kind(
    name="helm",
    is_this=lambda source: "request_states" in source.names,
    responses=_responses,
    golds=_golds,
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
    about=_about,
)

HELM_STATISTICS = Refusal(
    is_this=lambda source: {"instance_id", "stats"} <= source.names,
    remedy="holds HELM's numbers and no texts; read scenario_state.json of the same folder",
)
HELM_PREDICTIONS = Refusal(
    is_this=lambda source: {"instance_id", "predicted_text"} <= source.names,
    remedy="holds HELM's predictions without their references; read scenario_state.json of the same folder",
)
