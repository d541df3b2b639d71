"""LongBench, RULER and SQuAD: what the scripts of benchmarks write."""

from __future__ import annotations

import re
from typing import Any

from qa_frame.ext.files.open_files import endings_of
from qa_frame.ext.files.record_fields import as_golds, as_text, columns, named_by_folder
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


# --- SQuAD's script: the data set, and the predictions by question id. A row needs both files, which no kind reads.


_ID = re.compile(r"\d+(?:[-_]\d+)*|(?=.*\d)[0-9a-f]{8}[0-9a-f-]*")
_JOIN = (
    "join the two files first: read = lambda path: json.loads(pathlib.Path(path).read_bytes()); "
    "df = pandas.json_normalize(read(dataset)['data'], ['paragraphs', 'qas']); "
    "df['response'] = df['id'].map(read(predictions)); df['answers'] = qa_frame.to_golds(df['answers'])"
)


def _is_dataset(source: ResultFile) -> bool:
    articles = source.first.get("data") if "data" in source.names else None
    return isinstance(articles, list) and any(isinstance(each, dict) and "paragraphs" in each for each in articles[:1])


def _are_predictions(source: ResultFile) -> bool:
    """Whether a JSON object holds texts, each by a number or a hexadecimal id, which values seldom have for names."""
    is_object = ".json" in endings_of(source.path) and bool(source.names)
    return is_object and all(type(text) is str and _ID.fullmatch(name) for name, text in source.first.items())


SQUAD_DATASET = Refusal(_is_dataset, f"holds SQuAD's questions and golds, without predictions; {_JOIN}")
SQUAD_PREDICTIONS = Refusal(
    _are_predictions,
    "holds one text by each name, as SQuAD's predictions by question id, without golds; name its values with pred= and "
    f"gold= if it has both, or {_JOIN}",
    may_be_table=True,
)
