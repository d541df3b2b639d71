"""OpenCompass, EvalScope and VLMEvalKit: predictions in a folder for each model."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from qa_frame.errors import ResultFileError
from qa_frame.ext.files.open_files import Content, UnusableRecordError
from qa_frame.ext.files.record_fields import (
    MODEL_AND_DATASET,
    as_golds,
    as_text,
    as_texts,
    columns,
    finish_reason_of,
    first_of,
    named_by_path,
    read_golds,
    read_wrapped_golds,
    text_of_prompt,
)
from qa_frame.ext.files.records import Golds, Kind, Place, ResultFile, Texts
from qa_frame.frames.names import name_in

# --- OpenCompass: `predictions/<model>/<dataset>.json`, one JSON document with the questions' numbers as names.
#
# Written by `opencompass/openicl/icl_inferencer/icl_base_inferencer.py`, which leaves `gold` out if there is no gold.


def _is_opencompass(source: ResultFile) -> bool:
    """Return whether a file is one object of OpenCompass's predictions by question number."""
    if not source.names or not all(name.isdecimal() for name in source.names):
        return False
    record = next(iter(source.first.values()))
    if not isinstance(record, dict) or "prediction" not in record or "question" in record:
        return False
    return name_in(record, "answers") in {None, "gold"}


def _opencompass_records(source: ResultFile) -> Iterator[tuple[str, Any]]:
    """Yield the place and the value of each question, or of each turn of a conversation scored turn by turn."""
    for number, record in source.first.items():
        if not isinstance(record, dict):
            source.reject(f"record {number!r}", f"is a JSON {type(record).__name__}, where an object is needed")
            continue
        turns = [record.get(name) for name in ("origin_prompt", "prediction", "gold")]
        lengths = {len(turn) if isinstance(turn, list) else None for turn in turns}
        if len(lengths) == 1 and None not in lengths:
            for turn, (prompt, prediction, gold) in enumerate(zip(*turns, strict=True)):
                inner = {"origin_prompt": prompt, "prediction": prediction, "gold": gold, "turn": turn}
                yield f"record {number!r}", {"number": number, **inner}
        else:
            yield f"record {number!r}", {"number": number, **record}


def _opencompass_responses(record: dict[str, Any]) -> Texts:
    """Return OpenCompass's prediction as texts. Raise UnusableRecordError if it holds probabilities of choices."""
    prediction = record["prediction"]
    if any(isinstance(item, float) for item in (prediction if isinstance(prediction, list) else [prediction])):
        raise UnusableRecordError("holds the probabilities of choices and no generated text to score")
    return as_texts(prediction)


_named_by_folders = named_by_path(f"predictions/{MODEL_AND_DATASET}")

OPENCOMPASS = Kind(
    name="opencompass",
    is_this=_is_opencompass,
    responses=_opencompass_responses,
    golds=lambda record: as_golds(record.get("gold")),
    others=columns(
        question_id="number", question=lambda record: text_of_prompt(record.get("origin_prompt")), turn="turn"
    ),
    records=_opencompass_records,
    about=lambda source: {"dataset": source.path.stem, **_named_by_folders(source)},
)


# --- EvalScope: `reviews/<model>/<dataset>_<subset>.jsonl`, one line per sample.
#
# Written by `evalscope/api/evaluator/cache.py` since version 1.0. Since 1.14, the targets of a sample are a list.
# They were one text before: several golds joined without a separator (`Target.text`). Some benchmarks write their
# list as JSON into one target.


def _evalscope_golds(review: dict[str, Any]) -> Golds | None:
    """Return the target or targets of EvalScope's review as golds. One target may be a list written as JSON."""
    targets = review.get("target")
    return read_wrapped_golds([targets] if isinstance(targets, str) else targets)


def _evalscope_records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield the place and the value of each review, with the reason why its response ended as `finish_reason`.

    The reason stands in the file of the same name below `predictions/`, under the same `index`; it is null without this
    file.
    """
    folder = source.path.absolute().parent
    beside = folder.parent.with_name("predictions") / folder.name / source.path.name
    ends: dict[str, str | None] = {}
    if folder.parent.name == "reviews" and beside.is_file():
        with contextlib.suppress(ResultFileError):  # it is damaged
            predictions = ResultFile(Content(beside), "skip").records()
            ends = {str(each.get("index")): finish_reason_of(each.get("model_output")) for _, each in predictions}
    for place, review in source.records():
        yield place, {**review, "finish_reason": ends.get(str(review.get("index")))}


EVALSCOPE = Kind(
    name="evalscope",
    is_this=lambda source: {"index", "sample_score"} <= source.names,
    responses=lambda review: [as_text(review["sample_score"]["score"].get("prediction"))],
    golds=_evalscope_golds,
    others=columns(
        question_id=lambda review: first_of({**review, **review["sample_score"]}, "group_id", "index"),
        question=lambda review: review.get("input") or text_of_prompt(review.get("messages")),
        finish_reason="finish_reason",
        generation="sample_score.generation_index",
        extracted="sample_score.score.extracted_prediction",
        scores="sample_score.score.value",
        metadata="sample_score.sample_metadata",
    ),
    records=_evalscope_records,
    reads_written_golds=True,
    about=named_by_path(f"reviews/{MODEL_AND_DATASET}"),
)


# --- VLMEvalKit: `<model>_<dataset>.tsv` or `.json`, the data set's table with the predictions.
#
# Written by `dump` of `vlmeval/smp/file.py`, with PRED_FORMAT=tsv or json; by default it writes a workbook of Excel.
# Its answers are text, where several golds are a list that was written out (`eval(line["answer"])` reads it there).


_NO_ANSWER = "Failed to obtain answer"
"""How the texts begin that it writes where there is no answer. Each of its clients ends them in its own way."""

_TAKEN = {"index", "question", "prediction", "answer"}


def _error_text(row: dict[str, Any]) -> Any:
    """Return the prediction if VLMEvalKit wrote an error in its place; else None."""
    return row["prediction"] if str(row["prediction"]).startswith(_NO_ANSWER) else None


VLMEVALKIT = Kind(
    name="vlmevalkit",
    is_this=lambda source: {"index", "question", "prediction"} <= source.names,
    responses=lambda row: [as_text(row["prediction"]) if _error_text(row) is None else None],
    golds=lambda row: read_golds(row.get("answer")),
    others=columns(question_id="index", question="question", error=_error_text, but=_TAKEN),
    reads_written_golds=True,
    about=named_by_path(r"(?P<model>[^/]+)/(?:[^/]+/)?(?P=model)_(?P<dataset>[^/]*?)(?:\.[^/.]+)?"),
)
