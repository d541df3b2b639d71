"""Whole numbers, truth values and SQuAD's dicts are read as their texts, in every kind of frame."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qa_frame

FRAMES = {
    "pandas": pd.DataFrame,
    "pandas-objects": lambda rows: pd.DataFrame({name: pd.Series(of, dtype=object) for name, of in rows.items()}),
    "arrow": pa.table,
    "polars": lambda rows: pl.DataFrame(rows, strict=False),
}
WHOLE = st.integers(-(2**63), 2**63 - 1) | st.integers(-20, 20)


def scores_of(frame, **options):
    return pl.DataFrame(qa_frame.score(frame, "pred", "gold", append=False, **options)).rows()


def as_text(value):
    """The text of a value, also in lists."""
    if isinstance(value, list):
        return [as_text(item) for item in value]
    return None if value is None else str(value)


def columns(values, n):
    return st.lists(values | st.none(), min_size=n, max_size=n)


@given(st.data())
@pytest.mark.parametrize("values", [WHOLE, st.booleans()], ids=["integers", "booleans"])
def test_they_score_as_their_texts(values, data):
    n = data.draw(st.integers(1, 4))
    golds = data.draw(columns(values, n) | columns(st.lists(values | st.none(), max_size=3), n))
    rows = {"pred": data.draw(columns(values, n)), "gold": golds}
    texts = {name: as_text(of) for name, of in rows.items()}
    typed = {name: pa.array(of) for name, of in rows.items()}
    expected = scores_of(pa.table(texts))
    for make in FRAMES.values():
        given_rows = typed if make is pa.table else rows
        frame = make(given_rows)
        if make is pd.DataFrame:  # or it makes floats of whole numbers
            frame = pd.DataFrame({name: pd.Series(of, dtype=pd.ArrowDtype(of.type)) for name, of in typed.items()})
        assert repr(scores_of(frame)) == repr(expected)


@given(st.lists(st.tuples(*[WHOLE | st.booleans() | st.text("ab1 ") | st.none()] * 2), min_size=1, max_size=5))
def test_mixed_objects_score_as_their_texts(rows):
    pred, gold = zip(*rows, strict=True)
    frame = FRAMES["pandas-objects"]({"pred": [*pred], "gold": [*gold]})
    lists = frame.assign(gold=[[each, "x"] for each in gold])
    for mixed in (frame, lists):
        texts = mixed.apply(lambda column: column.map(as_text))
        assert repr(scores_of(mixed)) == repr(scores_of(texts))


COLUMNS = {
    "numpy": pd.Series([1, -2]),
    "small": pd.Series([1, -2], dtype="int8"),
    "nullable": pd.Series([1, -2], dtype="Int64"),
    "arrow": pd.Series([1, -2], dtype="int64[pyarrow]"),
    "category": pd.Series([1, -2], dtype="category"),
    "objects": pd.Series([np.int32(1), -2], dtype=object),
    "dictionary": pd.Series(pd.arrays.ArrowExtensionArray(pa.array([1, -2]).dictionary_encode())),
    "booleans": pd.Series([True, False]),
    "nullable-booleans": pd.Series([True, False], dtype="boolean"),
    "numpy-booleans": pd.Series([np.True_, np.False_], dtype=object),
    "mixed": pd.Series([True, 1], dtype=object),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("convention", ["squad", "drop"])
def test_every_type(name, convention):
    column = COLUMNS[name]
    texts = [str(value) for value in column.tolist()]
    frame = pd.DataFrame({"pred": column, "gold": column, "text": texts})
    for pred, gold in (("pred", "text"), ("text", "gold"), ("pred", "gold")):
        assert qa_frame.score(frame, pred, gold, metrics="em", convention=convention)["em"].tolist() == [1.0, 1.0]


def test_integers_of_any_size():
    frame = pd.DataFrame({"pred": pd.Series([2**64, 2**63], dtype=object), "gold": [[str(2**64)], [2**63]]})
    assert qa_frame.score(frame, "pred", "gold")["em"].tolist() == [1.0, 1.0]
    assert qa_frame.score(pa.table({"pred": pa.array([2**63], pa.uint64()), "gold": [str(2**63)]}), "pred", "gold")[
        "em"
    ].to_pylist() == [1.0]


SQUAD = [{"text": ["Seine", "the river"], "answer_start": [4, 9]}, {"text": [], "answer_start": []}, None]
AS_LISTS = [["Seine", "the river"], [], None]


def squad_frames():
    pred = ["the Seine", "Rome", "Rome"]
    arrays = [
        {"text": np.array(each["text"], object), "answer_start": np.array(each["answer_start"], "int32")}
        for each in SQUAD[:2]
    ]
    yield pd.DataFrame({"pred": pred, "gold": pd.Series(SQUAD, dtype=object)})
    yield pd.DataFrame({"pred": pred, "gold": pd.Series([*arrays, None], dtype=object)})
    yield pa.table({"pred": pred, "gold": SQUAD})
    yield pa.table({"pred": ["x", *pred, "x"], "gold": [None, *SQUAD, None]}).slice(1, 3)
    yield pl.DataFrame({"pred": pred, "gold": SQUAD})
    # Each answer a dict, as in SQuAD's own files.
    answers = [each and [{"text": text, "answer_start": 0} for text in each] for each in AS_LISTS]
    yield pd.DataFrame({"pred": pred, "gold": pd.Series(answers, dtype=object)})
    yield pa.table({"pred": pred, "gold": answers})
    # Arrow has no type for these.
    odd = [{"text": ["Seine", "the river"], "answer_start": ["x", 1]}, {"text": []}, None]
    yield pd.DataFrame({"pred": pred, "gold": pd.Series(odd, dtype=object)})


@pytest.mark.parametrize("place", range(8))
@pytest.mark.parametrize("convention", ["squad", "squad2", "drop"])
def test_squad_dicts(place, convention):
    frame = [*squad_frames()][place]
    expected = scores_of(pa.table({"pred": ["the Seine", "Rome", "Rome"], "gold": AS_LISTS}), convention=convention)
    assert repr(scores_of(frame, convention=convention)) == repr(expected)


def test_lists_of_numbers_and_dicts_with_numbers():
    gold = [{"text": [1, 2]}, {"text": [True]}, {"text": ["a"]}]
    frame = pd.DataFrame({"pred": [2, True, "a"], "gold": gold})
    assert qa_frame.score(frame, "pred", "gold")["em"].tolist() == [1.0, 1.0, 1.0]


def test_a_dict_as_prediction_is_refused():
    for frame in (pd.DataFrame, pa.table, pl.DataFrame):
        with pytest.raises(qa_frame.errors.ColumnTypeError, match="take the text out of each dict first"):
            qa_frame.score(frame({"pred": [{"text": ["a"]}], "gold": ["a"]}), "pred", "gold")


@pytest.fixture
def rows():
    return {"q": [0, 1, 2], "pred": [1, 2, 3], "gold": [{"text": ["1"]}, {"text": ["5"]}, {"text": ["3", "4"]}]}


@pytest.mark.needs("audit", "conventions", "explain")
@pytest.mark.parametrize("kind", ["pandas", "arrow", "polars"])
def test_all_that_reads_texts_takes_them(kind, rows):
    frame = FRAMES[kind](rows)
    scored = qa_frame.score(frame, "pred", "gold")
    texts = FRAMES[kind]({"q": rows["q"], "pred": ["1", "2", "3"], "gold": [["1"], ["5"], ["3", "4"]]})
    expected = qa_frame.score(texts, "pred", "gold")
    assert str(qa_frame.explain(scored, 1)) == str(qa_frame.explain(expected, 1))
    assert str(qa_frame.audit(scored)) == str(qa_frame.audit(expected))
    assert len(qa_frame.worst(scored, 3, metric="em")) == 3
    found = qa_frame.compare_conventions(frame, "squad", "drop", pred="pred", gold="gold", metric="f1")
    assert len(found.rows) == len(
        qa_frame.compare_conventions(texts, "squad", "drop", pred="pred", gold="gold", metric="f1").rows
    )
    assert list(qa_frame.normalise(frame["pred"])) == list(qa_frame.normalise(texts["pred"]))
    assert list(qa_frame.extract_answers(frame["pred"], "last_line")) == list(
        qa_frame.extract_answers(texts["pred"], "last_line")
    )
    assert qa_frame.Pool().update(scored).summary().iloc[0]["em"] == pytest.approx(2 / 3)


@pytest.mark.needs("files")
def test_files_of_them(tmp_path, rows):
    rows["pred"][1] = "x"  # beside numbers, as JSON has it
    records = [dict(zip(rows, values, strict=True)) for values in zip(*rows.values(), strict=True)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    parquet = pa.table({**rows, "pred": [True, None, False], "gold": [[True], [None], [False]]})
    pq.write_table(parquet, tmp_path / "b.parquet")
    qa_frame.score_files(tmp_path / "a.jsonl", tmp_path / "scored.jsonl", pred="pred", gold="gold", metrics="em")
    qa_frame.score_files(tmp_path / "b.parquet", tmp_path / "scored.parquet", pred="pred", gold="gold", metrics="em")
    scored = [json.loads(line) for line in (tmp_path / "scored.jsonl").read_text().splitlines()]
    assert [each["em"] for each in scored] == [1.0, 0.0, 1.0]
    assert [each["gold"] for each in scored] == rows["gold"]
    assert pq.read_table(tmp_path / "scored.parquet")["em"].to_pylist()[::2] == [1.0, 1.0]


@pytest.mark.needs("engines")
def test_a_lazy_query_of_them(rows):
    pytest.importorskip("qa_frame.engines.polars")
    scored = pl.DataFrame(rows).lazy().qa.score("pred", "gold", metrics="em")
    assert scored.collect()["em"].to_list() == [1.0, 0.0, 1.0]
