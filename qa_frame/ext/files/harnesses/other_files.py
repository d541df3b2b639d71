"""What is no file of results: what harnesses write beside these, data sets, and predictions without golds."""

from __future__ import annotations

import re
from typing import Any

from qa_frame.ext.files.open_files import endings_of
from qa_frame.ext.files.records import ResultFile

_JOIN = "which a row needs; join the two files: qa_frame.read_results(predictions, golds=dataset)"
_OF_HELM = "read scenario_state.json of the same folder"
_OF_LANGFUSE = "holds Langfuse's items without what was answered; export the traces or observations of the run"
_OF_OLMES = (
    "holds the requests of OLMES or its averages, and no answers; read the *-predictions.jsonl file of the same task"
)
_BY_NAMES = {
    ("results", "configs", "versions"): "holds the averages of lm-evaluation-harness and no texts; read the "
    "samples_*.jsonl files, which --log_samples writes",
    ("doc", "native_id"): _OF_OLMES,
    ("task_config", "metrics"): _OF_OLMES,
    ("instance_id", "stats"): f"holds HELM's numbers and no texts; {_OF_HELM}",
    ("instance_id", "predicted_text"): f"holds HELM's predictions without their references; {_OF_HELM}",
    ("evaluation_id", "evaluation_results"): "holds Every Eval Ever's averages and no texts; read its instance-level "
    ".jsonl file",
    ("index", "model_output", "messages"): "holds EvalScope's predictions without their targets; read the file of the "
    "same name under reviews/",
    ("datasetItemId",): _OF_LANGFUSE,
    ("datasetId", "expectedOutput"): _OF_LANGFUSE,
}
"""By some names in a record, what the file is and which one to read."""
_WORKBOOK = (
    "is a workbook of Excel; write it as a table: pandas.read_excel(path).to_csv(path + '.tsv', sep='\\t', "
    "index=False). VLMEvalKit writes tables itself if the environment has PRED_FORMAT=tsv"
)
_DATASET = f"holds SQuAD's questions and golds without predictions, {_JOIN}"
_PREDICTIONS = f"holds predictions by id without golds, {_JOIN}; or name its values with pred= and gold= if it has both"


def describe_other_file(source: ResultFile, *, are_named: bool) -> str:
    """Return the words that say what a file without results is, and what to read instead; "" if that is not known.

    are_named: whether the caller names its prediction or its gold, so that predictions by id may be a table.
    """
    if source.format == "zip":
        return _WORKBOOK if ".xlsx" in endings_of(source.path) else ""
    articles = source.first.get("data") if "data" in source.names else None
    if isinstance(articles, list) and any(isinstance(each, dict) and "paragraphs" in each for each in articles[:1]):
        return _DATASET
    if not are_named and are_predictions_by_id(source):
        return _PREDICTIONS
    return next((what for names, what in _BY_NAMES.items() if {*names} <= source.names), "")


# --- The scripts of SQuAD, HotpotQA, DROP and others take the data set, and the predictions by question id.


_ID = re.compile(r"\d+(?:[-_]\d+)*|(?=.*\d)[0-9a-f]{4}[0-9a-f-]*")


def predictions_by_id(source: ResultFile) -> dict[str, dict[str, Any]]:
    """Return the columns of a file of predictions by id, each as a dict of values by id; {} for any other file.

    The predictions are the column `response`. Files of HotpotQA also have the column "sp".
    """
    columns = source.first if source.format in {"json", "jsonl"} and source.has_one_record else None
    if not isinstance(columns, dict):
        return {}
    is_of_columns = isinstance(columns.get("answer"), dict) and all(isinstance(each, dict) for each in columns.values())
    columns = {**columns} if is_of_columns else {"answer": columns}
    are_answers = all(each is None or type(each) in {str, int, float, list} for each in columns["answer"].values())
    return {"response": columns.pop("answer"), **columns} if are_answers else {}


def are_predictions_by_id(source: ResultFile) -> bool:
    """Return whether a file seems to hold predictions by id: texts or lists under numbers or hexadecimal ids.

    Other objects seldom have such names. With HotpotQA's column "sp", any name is an id.
    """
    columns = predictions_by_id(source)
    return are_by_id(columns.get("response"), have_ids="sp" in columns)


def are_by_id(answers: Any, *, have_ids: bool = False) -> bool:
    """Return whether a value is an object of texts or lists by ids, and not empty.

    have_ids: whether the names are known to be ids; else they must look like numbers or hexadecimal ids.
    """
    are_texts = isinstance(answers, dict) and all(type(each) in {str, list} for each in answers.values())
    return are_texts and bool(answers) and (have_ids or all(map(_ID.fullmatch, answers)))
