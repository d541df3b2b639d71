"""The code that errors advise runs in pandas and in polars, and does what it says."""

from __future__ import annotations

import re

import pandas as pd
import polars as pl
import pytest

import qa_frame
from qa_frame.errors import plural
from qa_frame.frames.diagnosis import code_adding, code_for_first, code_of_mean, code_renaming, code_without_nulls

ROWS = {
    "model": ["a", "a", "b", "b"],
    "q": [1, 1, 1, 2],
    "document": ["x", None, "x", "y"],
    "f1": [0.0, 1.0, 0.5, 0.25],
}
FRAMES = {"pandas": pd.DataFrame(ROWS), "polars": pl.DataFrame(ROWS)}


def done(code, kind, frame):
    """The frame after the step that a message advises for its kind."""
    in_pandas, in_polars = re.search(r"(df\..*?) in pandas, (df\..*?) in polars", code).groups()
    made = eval(in_pandas if kind == "pandas" else in_polars, {"df": frame, "pandas": pd, "polars": pl})
    return made if kind == "pandas" else made.to_pandas()


@pytest.mark.parametrize("kind", FRAMES)
def test_steps(kind):
    frame = FRAMES[kind]

    def after(code):
        return done(code, kind, frame)

    assert list(after(code_renaming("f1"))) == ["model", "q", "document", "my_f1"]
    assert after(code_without_nulls("document"))["f1"].tolist() == [0.0, 0.5, 0.25]
    assert after(code_for_first(["model", "q"]))["f1"].tolist() == [0.0, 0.5, 0.25]
    assert after(code_adding("right", "df['f1'] >= 0.5"))["right"].tolist() == [False, True, True, False]
    means = after(code_of_mean(["model", "q"], "f1")).sort_values(["model", "q"])
    assert means["f1"].tolist() == [0.5, 0.5, 0.25]


def read(kind, rows):
    return pd.DataFrame(rows) if kind == "pandas" else pl.DataFrame(rows)


@pytest.mark.needs("items")
@pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")
@pytest.mark.parametrize("kind", FRAMES)
def test_remedies_followed_to_the_letter(kind):
    frame = FRAMES[kind]
    with pytest.raises(qa_frame.errors.PairingError) as caught:
        qa_frame.item_analysis(frame, "model", "q", metric="f1")
    copies = str(caught.value).partition("keep one each with ")[2]
    qa_frame.item_analysis(read(kind, done(copies, kind, frame).to_dict("list")), "model", "q", metric="f1")
    samples = str(caught.value).partition("as in ")[2].partition("; if")[0]
    qa_frame.item_analysis(read(kind, done(samples, kind, frame).to_dict("list")), "model", "q", metric="f1")
    with pytest.raises(qa_frame.errors.PairingError) as caught:
        qa_frame.changed(frame, frame, "q")
    copies = str(caught.value).partition("keep one row each with ")[2]
    qa_frame.changed(read(kind, done(copies, kind, frame).to_dict("list")), FRAMES[kind][2:], "q")


@pytest.mark.parametrize("kind", FRAMES)
def test_numbers_of_texts(kind):
    frame = read(kind, {"f1": ["1.5", "2"]})
    with pytest.raises(qa_frame.errors.ColumnTypeError) as caught:
        qa_frame.worst(frame, metric="f1")
    assert done(str(caught.value).partition("as in ")[2], kind, frame)["score"].tolist() == [1.5, 2.0]


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize(
    ("values", "error", "texts"),
    [
        ([["a", "b"], ["c"]], qa_frame.errors.ColumnTypeError, ["a", "c"]),
        ([[1, 2], [3]], qa_frame.errors.ColumnTypeError, ["1", "3"]),
        ([{"key": "a"}, {"key": "b"}], qa_frame.errors.ColumnTypeError, ["a", "b"]),
        ([b"caf\xe9", b"b"], qa_frame.errors.InvalidTextError, ["café", "b"]),
    ],
    ids=["lists", "numbers", "dicts", "bytes"],
)
def test_texts_of_other_columns(kind, values, error, texts):
    frame = read(kind, {"response": values, "answers": ["a", "b"]})
    with pytest.raises(error) as caught:
        qa_frame.score(frame, "response", "answers", metrics="em")
    in_pandas, in_polars = re.search(r"(?:as in|first:) (.*?) in pandas, (.*) in polars$", str(caught.value)).groups()
    known = {"df": frame, "column": "response", "qa_frame": qa_frame, "polars": pl}
    assert list(eval(in_pandas if kind == "pandas" else in_polars, known)) == texts


@pytest.mark.needs("annotation")
@pytest.mark.parametrize("kind", FRAMES)
def test_verdicts_of_words(kind):
    frame = read(kind, {"h": ["right", "wrong", "right"], "f1": [1.0, 0.0, 0.5]})
    with pytest.raises(qa_frame.errors.VerdictError) as caught:
        qa_frame.agreement(frame, human="h", metrics="f1")
    in_pandas, in_polars = re.search(r"as in (.*?) in pandas, (.*) in polars$", str(caught.value)).groups()
    assert list(eval(in_pandas if kind == "pandas" else in_polars, {"df": frame})) == [1, 0, 1]


@pytest.mark.needs("annotation")
def test_counts_in_sentences():
    assert [plural(n, "row") for n in (0, 1, 2, 2000)] == ["0 rows", "1 row", "2 rows", "2,000 rows"]
    assert repr(pd.DataFrame({"f1": [1.0]}).qa).startswith("<df.qa: 1 row; ")
    one = pd.DataFrame({"response": ["a"], "answers": ["a"], "h": [1.0]}).qa.score("response", "answers", metrics="f1")
    with pytest.raises(qa_frame.errors.VerdictError, match="gives 1 label on rows"):
        one.qa.human_mean(human="h", metric="f1")
