"""Questions: how hard they are, whether they tell models apart, and golds that look wrong; on any frame."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from tests.kinds import KINDS

pytestmark = pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")  # of few models

SOURCE = {"pred": "response", "gold": "answers"}
SAID = {
    "alias": (["Lima", "Cuzco", "the cuzco.", "Cuzco"], ["Lima"]),  # most wrong answers are one
    "hard": (["p", "q", "r", "p"], ["x"]),  # half of them is not most
    "one": (["x", "x", "x", "y"], ["x"]),  # one answer is not several
    "refused": (["I don't know", "I don't know", None, " "], ["x"]),
    "unscored": (["x", "y", "y", "y"], []),
    "easy": (["x", "x", "X", "x."], ["x"]),
    "shared": (["sydney", "sydney", "canberra", "canberra"], ["canberra"]),
}


@pytest.fixture
def answers():
    rows = [
        (model, name, response, golds)
        for name, (responses, golds) in SAID.items()
        for model, response in zip("abcd", responses, strict=True)
    ]
    return pd.DataFrame(rows, columns=["model", "question", "response", "answers"])


def test_the_example():
    rows = [
        (model, question, float(right))
        for model, row in enumerate(["11110", "11010", "10010", "10000"])
        for question, right in enumerate(row)
    ]
    frame = pd.DataFrame(rows, columns=["model", "q", "em"])
    with pytest.warns(qa_frame.errors.IntervalWarning, match="over 4 groups of by='model'"):
        table = frame.qa.item_analysis("model", "q", metric="em")
    assert table["mean"].tolist() == [1, 0.5, 0.25, 0.75, 0]
    np.testing.assert_array_equal(table["discrimination"].round(3), [np.nan, 0.707, 0.522, 0.522, np.nan])
    assert table["all_miss"].tolist() == [False] * 4 + [True]
    assert table[["n_same", "wrong_answer"]].isna().all(axis=None)


def test_wrong_answers(answers):
    table = answers.qa.score(**SOURCE, metrics="em").qa.item_analysis("model", "question", metric="em")
    assert table.index.tolist() == sorted(SAID)
    found = table.loc[list(SAID)]
    assert found["n"].tolist() == [4, 4, 4, 4, 0, 4, 4]
    assert found["n_not_scored"].tolist() == [0, 0, 0, 0, 4, 0, 0]
    assert found["n_wrong"].tolist() == [3, 4, 1, 4, 0, 0, 2]
    assert found["n_same"].tolist() == [3, 2, 1, 0, 0, 0, 2]
    assert found["wrong_answer"].tolist()[:3] == ["cuzco", "p", "y"]
    assert found["wrong_answer"].isna().tolist() == [False] * 3 + [True] * 3 + [False]
    assert found["all_miss"].tolist() == [False, True, False, True, False, False, False]
    remembered = answers.qa.score(**SOURCE, metrics="em").qa.item_analysis("model", "question", metric="em")
    pd.testing.assert_frame_equal(table, remembered)


def test_the_convention_says_what_is_equal(answers):
    table = answers.qa.score(**SOURCE, metrics="em", convention="hf_exact_match").qa.item_analysis(
        "model", "question", metric="em"
    )
    assert table.loc["alias", ["n_wrong", "n_same"]].tolist() == [3, 2]
    without_em = answers.qa.score(**SOURCE, metrics="f1", convention="drop").qa.item_analysis(
        "model", "question", metric="f1"
    )
    assert without_em.loc["alias", "n_same"] == 3


def test_the_threshold(answers):
    scored = answers.assign(grade=[0.0, 0.5, 0.75, 1.0] * len(SAID))
    for threshold, n_wrong in ((0.5, 1), (0.75, 2), (1, 3), (2, 4)):
        table = scored.qa.item_analysis("model", "question", metric="grade", threshold=threshold)
        assert (table["n_wrong"] == n_wrong).all()
        assert (table["all_miss"] == (n_wrong == 4)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_any_frame(answers, kind):
    expected = answers.qa.score(**SOURCE, metrics="em").qa.item_analysis("model", "question", metric="em").reset_index()
    found = qa_frame.item_analysis(
        qa_frame.score(KINDS[kind](answers), **SOURCE, metrics="em"), "model", "question", metric="em"
    )
    found = found.reset_index() if kind == "pandas" else pa.table(found).to_pandas()
    for name in expected:
        left, right = (
            table[name].astype(object).where(table[name].notna(), None).tolist() for table in (found, expected)
        )
        assert left == right, name


def test_order_and_index_make_no_difference(answers):
    order = np.random.default_rng(1).permutation(len(answers))
    other = answers.iloc[order].set_axis(np.zeros(len(answers), int))
    one, two = (
        frame.qa.score(**SOURCE, metrics="f1").qa.item_analysis("model", "question", metric="f1")
        for frame in (answers, other)
    )
    pd.testing.assert_frame_equal(one, two, check_exact=True)


def test_several_keys(answers):
    twice = pd.concat([answers.assign(dataset=name) for name in ("u", "v")], ignore_index=True)
    table = twice.qa.score(**SOURCE, metrics="em").qa.item_analysis("model", ["dataset", "question"], metric="em")
    assert table.index.names == ["dataset", "question"]
    assert len(table) == 2 * len(SAID)
    with pytest.raises(qa_frame.errors.PairingError, match="56 rows share their by='model' and question='question'"):
        twice.qa.score(**SOURCE, metrics="em").qa.item_analysis("model", "question", metric="em")


def test_a_model_without_a_question(answers):
    some = answers.drop(index=answers.index[(answers["question"] == "easy") & (answers["model"] != "a")])
    table = some.qa.score(**SOURCE, metrics="em").qa.item_analysis("model", "question", metric="em")
    assert table.loc["easy", ["n", "mean"]].tolist() == [1, 1]
    assert np.isnan(table.loc["easy", "discrimination"])
    assert (
        len(answers.iloc[:0].qa.score(**SOURCE, metrics="em").qa.item_analysis("model", "question", metric="em")) == 0
    )


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"by": None}, qa_frame.errors.PairingError, "by=None"),
        ({"question": "questions"}, qa_frame.errors.ColumnNotFoundError, "question='questions' is not a column"),
        ({"threshold": "half"}, qa_frame.errors.UnknownOptionError, "threshold='half' is not a number"),
        ({"metric": "f2"}, qa_frame.errors.UnknownOptionError, "metric='f2'"),
    ],
)
def test_errors(answers, options, error, said):
    with pytest.raises(error, match=said):
        answers.qa.score(**SOURCE).qa.item_analysis(**{"by": "model", "question": "question", "metric": "em"} | options)


@pytest.mark.needs("style")
def test_a_table_says_what_it_is(answers):
    table = answers.qa.score(**SOURCE, metrics="em").qa.item_analysis("model", "question", metric="em")
    assert table.attrs["qa_table"]["kind"] == "item_analysis"
    assert str(qa_frame.style(pl.from_pandas(table.reset_index()))) == str(qa_frame.style(table))
