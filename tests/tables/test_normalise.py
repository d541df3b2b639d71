"""`qa_frame.normalise`: texts as `em` compares them, in the same kind of column."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings

import qa_frame
from tests.strategies import Row, frames, usual_conventions

WITH_EM = [name for name, rules in qa_frame.conventions.items() if rules.exact is not None and rules.exact.is_equality]
TEXTS = ["The Seine.", None, "", "  an  U.S. apple", "the Seine"]
NORMALISED = ["seine", None, "", "us apple", "seine"]
LISTS = [["The Seine", None], None, [], ["A", "b"]]
NORMALISED_LISTS = [["seine", None], None, [], ["", "b"]]

SPLITS = ["words", "none", "characters", "characters_without_space", "13a", "mixed_cjk", "mixed_cjk_jieba", "spaces"]
OWN = [
    qa_frame.Convention(name=split, exact=qa_frame.rules.Exact(text=qa_frame.rules.Text(("lower",), split)))
    for split in SPLITS
]


def values(column):
    return pa.array(column.to_arrow() if isinstance(column, pl.Series) else column).to_pylist()


@pytest.mark.parametrize("texts", [(TEXTS, NORMALISED), (LISTS, NORMALISED_LISTS)], ids=["texts", "lists"])
@pytest.mark.parametrize("rows", [slice(None), slice(0, 0), slice(1, 3)], ids=["all", "none", "some"])
def test_each_kind_of_column_gives_its_own(texts, rows):
    given, expected = (each[rows] for each in texts)
    kind = pa.string() if texts[0] is TEXTS else pa.list_(pa.string())
    array = pa.array(texts[0], kind)[rows]
    index = [7, 7, -1, 0, 3][: len(given)]
    columns = [
        pd.Series(given, index=index, name="a", dtype=object),
        pd.Series(array, index=index, name="a", dtype=pd.ArrowDtype(kind)),
        pl.Series("a", given, pl.String if kind == pa.string() else pl.List(pl.String)),
        array,
        pa.chunked_array([array, array[:1]]),
        pa.chunked_array([], kind),
    ]
    for column in columns[:4]:
        found = qa_frame.normalise(column)
        assert type(found) is type(column) or isinstance(column, pa.Array)
        assert values(found) == expected
    for column in columns[:2]:
        found = qa_frame.normalise(column)
        assert found.index.equals(column.index)
        assert found.name == "a"
    assert qa_frame.normalise(columns[2]).name == "a"
    assert qa_frame.normalise(columns[4]).to_pylist() == [*expected, *expected[:1]]
    assert qa_frame.normalise(columns[5]).to_pylist() == []


@pytest.mark.parametrize("convention", [*usual_conventions(WITH_EM), *OWN], ids=str)
@pytest.mark.filterwarnings("ignore::qa_frame.errors.GoldFormatWarning")
@settings(deadline=None, max_examples=15)
@given(rows=frames())
def test_em_is_equality_of_normalised_texts(convention: str, rows: list[Row]):
    """But where a side is empty, which a convention may have a rule for."""
    pairs = [(pred, gold) for pred, golds in rows for gold in golds or [] if pred is not None and gold is not None]
    frame = pd.DataFrame(pairs, columns=["pred", "gold"], dtype="string")
    settings = {"metrics": "em", "convention": convention, "reduce": "max", "append": False}
    em = qa_frame.score(frame, "pred", "gold", **settings)["em"]
    preds = values(qa_frame.normalise(frame["pred"], convention))
    golds = [gold for (gold,) in values(qa_frame.normalise(frame["gold"].map(lambda gold: [gold]), convention))]
    for score, pred, gold in zip(em, preds, golds, strict=True):
        assert float(score) == float(pred == gold) or not (pred.strip() and gold.strip())


def test_em_of_a_row_is_membership():
    frame = qa_frame.sample()
    frame = frame[frame["response"].notna() & (frame["answers"].str.len() > 0)]
    preds, golds = (values(qa_frame.normalise(frame[name])) for name in ("response", "answers"))
    em = frame.qa.score("response", "answers", metrics="em", append=False)["em"]
    assert em.tolist() == [float(pred in row) for pred, row in zip(preds, golds, strict=True)]


def test_predictions_are_prepared_and_golds_are_not():
    texts = pd.Series(["Paris \nRome "])
    assert qa_frame.normalise(texts, "coqa_lm_eval").tolist() == ["paris"]
    assert values(qa_frame.normalise(texts.map(lambda gold: [gold]), "coqa_lm_eval")) == [["paris rome"]]
    assert values(qa_frame.normalise(pd.Series([["Paris "]]), "nq_open")) == [["paris "]]
    assert values(qa_frame.normalise(pd.Series(["Paris "]), "nq_open")) == ["paris"]


def test_characters_stay_in_one_piece():
    assert qa_frame.normalise(pd.Series(["法国 的 Paris！"]), "mindformers").tolist() == ["法国 的 paris"]
    assert qa_frame.normalise(pd.Series(["É  ß"]), OWN[3]).tolist() == ["éß"]


def test_many_texts_are_normalised_batch_by_batch():
    texts = pd.Series([f"The {row % 7_000}." for row in range(300_000)])
    assert values(qa_frame.normalise(texts)) == [str(row % 7_000) for row in range(300_000)]


@pytest.mark.parametrize(
    ("convention", "said"),
    [
        ("longbench", "no rule for em"),
        ("sqaud", "did you mean 'squad'"),
        (
            qa_frame.Convention(name="own", exact=qa_frame.rules.Exact(text=qa_frame.rules.Text(), tolerance=0.1)),
            "tolerance",
        ),
        (qa_frame.Convention(name="own", exact=qa_frame.rules.Exact(text=qa_frame.rules.Text(("loer",)))), "lower"),
    ],
)
def test_conventions_whose_em_is_no_equality_of_texts(convention, said):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=said):
        qa_frame.normalise(pd.Series(["a"]), convention)


@pytest.mark.parametrize(
    "column", [pd.Series([1.5, 2]), pd.Series([[["a"]]]), ["a"], pd.DataFrame({"a": ["b"]})], ids=str
)
def test_what_is_no_column_of_text(column):
    with pytest.raises(qa_frame.errors.ColumnTypeError, match="normalise: column"):
        qa_frame.normalise(column)
