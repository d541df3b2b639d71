"""VLMEvalKit: `<model>_<dataset>.tsv` or `.json`, the data set's table with the predictions.

Written by `dump` of `vlmeval/smp/file.py`, with PRED_FORMAT=tsv or json; by default it writes a workbook of Excel. Its
answers are text, where several golds are a list that was written out (`eval(line["answer"])` reads it there).
"""

from __future__ import annotations

from typing import Any

from qa_frame.ext.files.harnesses.description import Kind, Refusal
from qa_frame.ext.files.open_files import endings_of
from qa_frame.ext.files.record_fields import as_text, columns, read_golds
from qa_frame.ext.files.records import ResultFile

_NO_ANSWER = "Failed to obtain answer"
"""How the texts begin that it writes where there is no answer. Each of its clients ends them in its own way."""

_TAKEN = {"index", "question", "prediction", "answer"}


def _error_text(row: dict[str, Any]) -> Any:
    return row["prediction"] if str(row["prediction"]).startswith(_NO_ANSWER) else None


def _about(source: ResultFile) -> dict[str, Any]:
    """Read the model from the folder that bears its name, and the data set from what else the file's name has."""
    stem = source.path.stem
    folders = source.path.absolute().parents[:2]
    model = next((folder.name for folder in folders if stem.startswith(f"{folder.name}_")), None)
    return {"model": model, "dataset": stem.removeprefix(f"{model}_") if model else None}


VLMEVALKIT = Kind(
    name="vlmevalkit",
    is_this=lambda source: {"index", "question", "prediction"} <= source.names,
    responses=lambda row: [as_text(row["prediction"]) if _error_text(row) is None else None],
    golds=lambda row: read_golds(row.get("answer")),
    others=columns(question_id="index", question="question", error=_error_text, but=_TAKEN),
    reads_written_golds=True,
    about=_about,
)

WORKBOOK = Refusal(
    is_this=lambda source: source.format == "zip" and ".xlsx" in endings_of(source.path),
    remedy="is a workbook of Excel; write it as a table: pandas.read_excel(path).to_csv(path + '.tsv', sep='\\t', "
    "index=False). VLMEvalKit writes tables itself if the environment has PRED_FORMAT=tsv",
)
