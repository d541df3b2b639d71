"""Evaluations of retrieval and generation: FlashRAG, RAGAS, DeepEval and RAGChecker."""

from __future__ import annotations

from functools import partial
from typing import Any

from qa_frame.files.harnesses.description import Golds, Kind
from qa_frame.files.record_fields import as_golds, plain_values
from qa_frame.files.records import ResultFile, records_in

# --- FlashRAG: `intermediate_data.json`, written by flashrag/dataset/dataset.py


def _flashrag_golds(record: dict[str, Any]) -> Golds | None:
    """Take the golden answers; in multiple choice they are numbers of choices."""
    golds, choices = record.get("golden_answers"), record.get("choices")
    if choices and isinstance(golds, list) and all(isinstance(gold, int) for gold in golds):
        return as_golds([choices[number] for number in golds])
    return as_golds(golds)


FLASHRAG = Kind(
    name="flashrag",
    marks=lambda source: {"golden_answers", "output"} <= source.names and isinstance(source.first["output"], dict),
    responses="output.pred",
    golds=_flashrag_golds,
    columns={"question_id": "id", "question": "question", "harness_*": "output.metric_score", "metadata_*": "metadata"},
)

# --- RAGAS: written by `to_csv`, `to_jsonl` and `to_pandas` of ragas/dataset_schema.py; before 0.2 with other names

_NO_SCORES = {"retrieved_contexts", "reference_contexts", "multi_responses", "rubrics", "contexts", "ground_truths"}


def _ragas_kind(name: str, question: str, response: str, golds: str, *also: str) -> Kind:
    """Return the kind of a table with these names; the other columns are scores."""
    return Kind(
        name=name,
        marks={question, response, golds, *also},
        responses=response,
        golds=golds,
        columns={
            "question": question,
            "harness_*": partial(plain_values, but={question, response, golds, *_NO_SCORES}),
        },
    )


RAGAS = _ragas_kind("ragas", "user_input", "response", "reference")
RAGAS_OLDER = _ragas_kind("ragas_older", "question", "answer", "ground_truth", "contexts")

# --- DeepEval: a test run (deepeval/test_run/api.py), and a data set that was saved (deepeval/dataset/dataset.py)


DEEPEVAL = Kind(
    name="deepeval",
    marks=lambda source: "testCases" in source.names or {"input", "actual_output"} <= source.names,
    responses="actualOutput|actual_output",
    golds="expectedOutput|expected_output",
    columns={
        "question_id": "name",
        "question": "input",
        "success": "success",
        "harness_*": lambda case: {metric["name"]: metric.get("score") for metric in case.get("metricsData") or ()},
    },
    records=records_in("testCases"),
)

# --- RAGChecker: `{"results": [...]}`, written by ragchecker/container.py


def _is_ragchecker(source: ResultFile) -> bool:
    if {"query_id", "gt_answer", "response"} <= source.names:
        return True
    results = source.value_of("results")
    return isinstance(results, list) and bool(results) and "gt_answer" in results[0]


RAGCHECKER = Kind(
    name="ragchecker",
    marks=_is_ragchecker,
    responses="response",
    golds="gt_answer",
    columns={"question_id": "query_id", "question": "query", "harness_*": "metrics"},
    records=records_in("results"),
)
