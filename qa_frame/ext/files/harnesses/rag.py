"""Evaluations of retrieval and generation: FlashRAG, RAGAS, DeepEval and RAGChecker."""

from __future__ import annotations

from typing import Any

from qa_frame.ext.files.record_fields import as_golds, as_text, as_texts, columns, plain_values, text_of_prompt
from qa_frame.ext.files.records import Golds, Kind, ResultFile, records_in

# --- FlashRAG: `intermediate_data.json`, written by flashrag/dataset/dataset.py


def _flashrag_golds(record: dict[str, Any]) -> Golds | None:
    """Return the golden answers as golds. In multiple choice they are numbers, which become the choices' texts."""
    golds, choices = record.get("golden_answers"), record.get("choices")
    if choices and isinstance(golds, list) and all(isinstance(gold, int) for gold in golds):
        return as_golds([choices[number] for number in golds])
    return as_golds(golds)


FLASHRAG = Kind(
    name="flashrag",
    is_this=lambda source: {"golden_answers", "output"} <= source.names and isinstance(source.first["output"], dict),
    responses=lambda record: as_texts(record["output"]["pred"]),
    golds=_flashrag_golds,
    others=columns(question_id="id", question="question", scores="output.metric_score", metadata="metadata"),
)

# --- RAGAS: written by `to_csv`, `to_jsonl` and `to_pandas` of ragas/dataset_schema.py; before 0.2 with other names

_NO_SCORES = {"retrieved_contexts", "reference_contexts", "multi_responses", "rubrics", "contexts", "ground_truths"}


def _ragas_kind(name: str, question: str, response: str, golds: str, *also: str) -> Kind:
    """Return the kind of a table with columns of these names; its other columns are scores.

    also: further names by which a file of this kind is recognised.
    """
    return Kind(
        name=name,
        is_this=lambda source: {question, response, golds, *also} <= source.names,
        responses=lambda record: [as_text(record[response])],
        golds=lambda record: as_golds(record.get(golds)),
        others=columns(
            question=lambda record: text_of_prompt(record.get(question)),
            scores=lambda record: plain_values(record, but={question, response, golds, *_NO_SCORES}),
        ),
    )


RAGAS = _ragas_kind("ragas", "user_input", "response", "reference")
RAGAS_OLDER = _ragas_kind("ragas_older", "question", "answer", "ground_truth", "contexts")

# --- DeepEval: a test run (deepeval/test_run/api.py), and a data set that was saved (deepeval/dataset/dataset.py)


DEEPEVAL = Kind(
    name="deepeval",
    is_this=lambda source: "testCases" in source.names or {"input", "actual_output"} <= source.names,
    responses=lambda case: [as_text(case.get("actualOutput", case.get("actual_output")))],
    golds=lambda case: as_golds(case.get("expectedOutput", case.get("expected_output"))),
    others=columns(
        question_id="name",
        question="input",
        success="success",
        scores=lambda case: {metric["name"]: metric.get("score") for metric in case.get("metricsData") or ()},
    ),
    records=records_in("testCases", "test case"),
)

# --- RAGChecker: `{"results": [...]}`, written by ragchecker/container.py


def _is_ragchecker(source: ResultFile) -> bool:
    if {"query_id", "gt_answer", "response"} <= source.names:
        return True
    results = source.first.get("results") if "results" in source.names else None
    return isinstance(results, list) and bool(results) and isinstance(results[0], dict) and "gt_answer" in results[0]


RAGCHECKER = Kind(
    name="ragchecker",
    is_this=_is_ragchecker,
    responses=lambda result: [as_text(result["response"])],
    golds=lambda result: as_golds(result.get("gt_answer")),
    others=columns(question_id="query_id", question="query", scores="metrics"),
    records=records_in("results", "result"),
)
