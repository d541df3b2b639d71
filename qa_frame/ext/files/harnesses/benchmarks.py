"""LongBench, RULER, LEval, MathVista, SQuAD and others: what the scripts of benchmarks write."""

from __future__ import annotations

from typing import Any

from qa_frame.ext.files.record_fields import MODEL_AND_DATASET, as_golds, as_text, columns, named_by_path, plain_values
from qa_frame.ext.files.records import Kind, ResultFile

# --- LongBench and RULER: one line per question, its prediction beside its golds.
#
# LongBench's `pred.py` writes no question and, in some versions, no id. Its `eval.py` scores only the first line of a
# prediction for trec, triviaqa, samsum and lsht; the predictions here are whole.


_TEXTS = {"_id", "pred", "answer", "answers", "all_classes", "context", "input", "question"}


LONGBENCH = Kind(
    name="longbench",
    is_this=lambda source: {"pred", "answers", "all_classes"} <= source.names,
    responses=lambda record: [as_text(record["pred"])],
    golds=lambda record: as_golds(record["answers"]),
    others=columns(question_id="_id", question=lambda record: record.get("question", record.get("input")), but=_TEXTS),
    about=named_by_path(rf"pred(?:_e)?/{MODEL_AND_DATASET}"),
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
    about=named_by_path(r"(?P<model>[^/]+)/[^/]+/\d+/pred/(?P<dataset>[^/.]*)[^/]*"),
)


# --- LEval: one line per question. Its scripts name the prediction after the model, as `turbo-16k-0613_pred`.

_PRED = "_pred"


def _leval_name(record: dict[str, Any]) -> str:
    """Return the name of the prediction, which ends in `_pred`. KeyError where there is none."""
    names = [name for name in record if name.endswith(_PRED)]
    if not names:
        raise KeyError(f"<model>{_PRED}")
    return names[0]


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


def _is_mathvista(source: ResultFile) -> bool:
    """Return whether a file is one object of MathVista's records by the numbers of problems."""
    record = next(iter(source.first.values())) if source.names else None
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
