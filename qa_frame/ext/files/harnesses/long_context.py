"""LongBench and RULER: one line per question, its prediction beside its golds.

LongBench's `pred.py` writes no question and, in some versions, no id. Its `eval.py` scores only the first line of a
prediction for trec, triviaqa, samsum and lsht; the predictions here are whole.
"""

from __future__ import annotations

from typing import Any

from qa_frame.ext.files.harnesses.description import Kind
from qa_frame.ext.files.record_fields import as_golds, as_text, columns, named_by_folder
from qa_frame.ext.files.records import ResultFile

_TEXTS = {"_id", "pred", "answer", "answers", "all_classes", "context", "input", "question"}


def _ruler_about(source: ResultFile) -> dict[str, Any]:
    """Read `<model>/<benchmark>/<length>/pred/<task>.jsonl`."""
    folders = source.path.absolute().parent.parts
    is_written = folders[-1] == "pred" and len(folders) > 4 and folders[-2].isdecimal()
    return {"model": folders[-4], "dataset": source.path.name.partition(".")[0]} if is_written else {}


LONGBENCH = Kind(
    name="longbench",
    is_this=lambda source: {"pred", "answers", "all_classes"} <= source.names,
    responses=lambda record: [as_text(record["pred"])],
    golds=lambda record: as_golds(record["answers"]),
    others=columns(question_id="_id", question=lambda record: record.get("question", record.get("input")), but=_TEXTS),
    about=lambda source: named_by_folder(source.path, "pred", "pred_e"),  # pred/<model>/<dataset>.jsonl
)

LONGBENCH2 = Kind(
    name="longbench2",
    is_this=lambda source: {"pred", "answer", "judge"} <= source.names,
    responses=lambda record: [as_text(record["pred"])],
    golds=lambda record: as_golds(record["answer"]),
    others=columns(
        question_id="_id",
        question="question",
        harness_judge="judge",
        full_response="response",
        but={*_TEXTS, "response", "judge"},
    ),
)

RULER = Kind(
    name="ruler",
    is_this=lambda source: {"pred", "outputs"} <= source.names,
    responses=lambda record: [as_text(record["pred"])],
    golds=lambda record: as_golds(record["outputs"]),
    # The input is left out: it is the whole context, often a hundred thousand tokens long.
    others=columns(question_id="index", but={"index", "pred", "input"}),
    about=_ruler_about,
)
