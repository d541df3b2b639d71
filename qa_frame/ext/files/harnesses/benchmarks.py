"""LongBench, RULER, LEval, MathVista, SQuAD and others: what the scripts of benchmarks write."""

from __future__ import annotations

import re
from typing import Any

from qa_frame.ext.files.record_fields import as_golds, as_text, columns, named_by_folder, plain_values
from qa_frame.ext.files.records import Kind, Refusal, ResultFile

# --- LongBench and RULER: one line per question, its prediction beside its golds.
#
# LongBench's `pred.py` writes no question and, in some versions, no id. Its `eval.py` scores only the first line of a
# prediction for trec, triviaqa, samsum and lsht; the predictions here are whole.


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


# --- LEval: one line per question. Its scripts name the prediction after the model, as `turbo-16k-0613_pred`.

_PRED = "_pred"


def _leval_name(record: dict[str, Any]) -> str:
    return next(name for name in record if name.endswith(_PRED))


LEVAL = Kind(
    name="leval",
    is_this=lambda source: {"query", "gt"} <= source.names and any(name.endswith(_PRED) for name in source.names),
    responses=lambda record: [as_text(record[_leval_name(record)])],
    golds=lambda record: as_golds(record["gt"]),
    others=lambda record: {
        "question": record["query"],
        "model": _leval_name(record).removesuffix(_PRED),
        **plain_values(record, but={"query", "gt", _leval_name(record)}),
    },
)


# --- MathVista: an object of records by the numbers of problems. `prediction` is taken from `response`.


def _first_by_number(source: ResultFile) -> Any:
    return next(iter(source.first.values())) if source.names and isinstance(source.first, dict) else None


def _is_mathvista(source: ResultFile) -> bool:
    record = _first_by_number(source)
    names = {"question", "answer", "response", "prediction", "true_false"}
    return isinstance(record, dict) and names <= record.keys() and source.has_one_record


MATHVISTA = Kind(
    name="mathvista",
    is_this=_is_mathvista,
    responses=lambda record: [as_text(record["prediction"])],
    golds=lambda record: as_golds(record["answer"]),
    others=columns(
        question_id="number",
        full_response="response",
        harness_true_false="true_false",
        metadata="metadata",
        but={"number", "answer", "response", "prediction", "true_false"},
    ),
    records=lambda source: ((f"record {name!r}", {"number": name, **each}) for name, each in source.first.items()),
)


# --- The scripts of SQuAD, HotpotQA, DROP and others take the data set, and the predictions by question id.


_ID = re.compile(r"\d+(?:[-_]\d+)*|(?=.*\d)[0-9a-f]{4}[0-9a-f-]*")
_JOIN = "which a row needs; join the two files: qa_frame.read_results(predictions, golds=dataset)"


def predictions_by_id(source: ResultFile) -> dict[str, dict[str, Any]]:
    """Return the columns of a file of predictions by id; {} for any other file.

    One is `response`. Those of HotpotQA have "sp" beside their answers.
    """
    columns = source.first if source.format in {"json", "jsonl"} and source.has_one_record else None
    if not isinstance(columns, dict):
        return {}
    is_of_columns = isinstance(columns.get("answer"), dict) and all(isinstance(each, dict) for each in columns.values())
    columns = {**columns} if is_of_columns else {"answer": columns}
    are_answers = all(each is None or type(each) in {str, int, float, list} for each in columns["answer"].values())
    return {"response": columns.pop("answer"), **columns} if are_answers else {}


def _is_dataset(source: ResultFile) -> bool:
    articles = source.first.get("data") if "data" in source.names else None
    return isinstance(articles, list) and any(isinstance(each, dict) and "paragraphs" in each for each in articles[:1])


def _are_predictions(source: ResultFile) -> bool:
    """Whether a JSON object holds texts, each by a number or a hexadecimal id, which values seldom have for names."""
    columns = predictions_by_id(source)
    return are_by_id(columns.get("response"), have_ids="sp" in columns)


def are_by_id(answers: Any, *, have_ids: bool = False) -> bool:
    """Whether these are texts by ids. have_ids: whether the names are known to be ids."""
    are_texts = isinstance(answers, dict) and all(type(each) in {str, list} for each in answers.values())
    return are_texts and bool(answers) and (have_ids or all(map(_ID.fullmatch, answers)))


SQUAD_DATASET = Refusal(_is_dataset, f"holds SQuAD's questions and golds without predictions, {_JOIN}")
PREDICTIONS_BY_ID = Refusal(
    _are_predictions,
    f"holds predictions by id without golds, {_JOIN}; or name its values with pred= and gold= if it has both",
    may_be_table=True,
)
