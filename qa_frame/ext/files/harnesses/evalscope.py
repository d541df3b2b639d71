"""EvalScope: `reviews/<model>/<dataset>_<subset>.jsonl`, one line per sample.

Written by `evalscope/api/evaluator/cache.py` since version 1.0. Since 1.14, the targets of a sample are a list. They
were one text before: several golds joined without a separator (`Target.text`). Some benchmarks write their list as JSON
into one target.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from qa_frame.errors import ResultFileError
from qa_frame.ext.files.harnesses.description import Golds, Kind, Refusal
from qa_frame.ext.files.open_files import Content
from qa_frame.ext.files.record_fields import (
    as_text,
    columns,
    finish_reason_of,
    first_of,
    named_by_folder,
    read_wrapped_golds,
    text_of_prompt,
)
from qa_frame.ext.files.records import Place, ResultFile


def _golds(review: dict[str, Any]) -> Golds | None:
    targets = review.get("target")
    return read_wrapped_golds([targets] if isinstance(targets, str) else targets)


def _records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield each review, with the end of its response, which `predictions/` has under the same name and `index`."""
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
    golds=_golds,
    others=columns(
        question_id=lambda review: first_of({**review, **review["sample_score"]}, "group_id", "index"),
        question=lambda review: review.get("input") or text_of_prompt(review.get("messages")),
        finish_reason="finish_reason",
        generation="sample_score.generation_index",
        extracted="sample_score.score.extracted_prediction",
        scores="sample_score.score.value",
        metadata="sample_score.sample_metadata",
    ),
    records=_records,
    reads_written_golds=True,
    about=lambda source: named_by_folder(source.path, "reviews"),
)

EVALSCOPE_PREDICTIONS = Refusal(
    is_this=lambda source: {"index", "model_output", "messages"} <= source.names,
    remedy="holds EvalScope's predictions without their targets; read the file of the same name under reviews/",
)
