"""SQuAD's script: the data set, and the predictions by question id. A row needs both files, which no kind reads."""

from __future__ import annotations

import re

from qa_frame.ext.files.harnesses.description import Refusal
from qa_frame.ext.files.open_files import endings_of
from qa_frame.ext.files.records import ResultFile

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
