"""lighteval: `details_<task>_<date>.parquet`, one row per question.

Written by `lighteval/logging/evaluation_tracker.py`. Until version 0.10 a row had `predictions` and `gold`; until 0.7
these were written out as text, `str(list)`. Since then it is the document, the model's response and the metrics.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from qa_frame.ext.files.harnesses.description import Golds, Kind, Texts
from qa_frame.ext.files.open_files import UnusableRecordError
from qa_frame.ext.files.record_fields import NO_TEXT, as_golds, as_texts, columns, read_golds
from qa_frame.ext.files.records import ResultFile

_FILE_NAME = re.compile(r"details_(?P<task>.+)_\d{4}-\d\d-\d\dT[\d.:-]+\.parquet")


def _responses(row: dict[str, Any]) -> Texts:
    """Take the texts after post-processing (without reasoning, for instance), else the raw texts: one response each."""
    response = row["model_response"]
    processed = response.get("text_post_processed")
    texts = response.get("text") if processed is None else processed
    if not texts:
        raise UnusableRecordError(NO_TEXT)
    return as_texts(texts)


def _chosen_golds(question: dict[str, Any]) -> Golds | None:
    """Return the choices at one index, or at each of a list; a choice may be a list of texts itself."""
    choices, index = question.get("choices"), question.get("gold_index")
    if not choices or index is None:
        return None
    chosen = [choices[number] for number in (index if isinstance(index, list) else [index])]
    return as_golds(_flatten(chosen))


def _flatten(items: Iterable[Any]) -> list[Any]:
    return [text for item in items for text in (item if isinstance(item, list) else [item])]


def _older_responses(row: dict[str, Any]) -> Texts:
    found = row["predictions"]
    texts = _flatten((read_golds(found) if isinstance(found, str) else found) or ())
    if not texts or not all(isinstance(text, str) for text in texts):
        raise UnusableRecordError(NO_TEXT)
    return texts


def _about(source: ResultFile) -> dict[str, Any]:
    """Read the task from the file's name, and the model from the folders between `details` and that of the date."""
    named = _FILE_NAME.match(source.path.name)
    folders = source.path.absolute().parent.parts
    begin = len(folders) - folders[::-1].index("details") if "details" in folders else len(folders)
    return {"model": "/".join(folders[begin:-1]) or None, "dataset": named["task"] if named else None}


LIGHTEVAL = Kind(
    name="lighteval",
    is_this=lambda source: {"doc", "model_response"} <= source.names,
    responses=_responses,
    golds=lambda row: _chosen_golds(row["doc"]),
    others=columns(
        question_id=lambda row: row["doc"].get("id") or None,
        question="doc.query",
        dataset=lambda row: row["doc"].get("task_name") or None,
        scores="metric",
    ),
    about=_about,
)

LIGHTEVAL_OLDER = Kind(
    name="lighteval_older",
    is_this=lambda source: {"example", "full_prompt", "predictions", "gold", "metrics"} <= source.names,
    responses=_older_responses,
    golds=lambda row: read_golds(row.get("gold")) or _chosen_golds(row),
    others=columns(question="example", scores="metrics"),
    about=_about,
)
