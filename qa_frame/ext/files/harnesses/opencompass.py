"""OpenCompass: `predictions/<model>/<dataset>.json`, one JSON document with the questions' numbers as names.

Written by `opencompass/openicl/icl_inferencer/icl_base_inferencer.py`, which leaves `gold` out if there is no gold.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from qa_frame.ext.files.harnesses.description import Kind, Texts
from qa_frame.ext.files.open_files import UnusableRecordError
from qa_frame.ext.files.record_fields import as_golds, as_texts, columns, named_by_folder, text_of_prompt
from qa_frame.ext.files.records import ResultFile


def _is_predictions(source: ResultFile) -> bool:
    if not source.names or not all(name.isdecimal() for name in source.names):
        return False
    record = next(iter(source.first.values()))
    return isinstance(record, dict) and "prediction" in record


def _records(source: ResultFile) -> Iterator[tuple[str, Any]]:
    """Yield each question. A conversation that was scored turn by turn gives one record per turn."""
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


def _responses(record: dict[str, Any]) -> Texts:
    found = record["prediction"]
    if isinstance(found, float) or (isinstance(found, list) and any(isinstance(item, float) for item in found)):
        raise UnusableRecordError("holds the probabilities of choices and no generated text to score")
    return as_texts(found)


OPENCOMPASS = Kind(
    name="opencompass",
    is_this=_is_predictions,
    responses=_responses,
    golds=lambda record: as_golds(record.get("gold")),
    others=columns(
        question_id="number", question=lambda record: text_of_prompt(record.get("origin_prompt")), turn="turn"
    ),
    records=_records,
    about=lambda source: {"dataset": source.path.stem, **named_by_folder(source.path, "predictions")},
)
