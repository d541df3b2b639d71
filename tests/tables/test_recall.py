"""`with_scoring_of`: a frame that forgot its scoring, and knows it again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.rules import Overlap, Text

SOURCE = {"pred": "response", "gold": "answers"}
KINDS = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}


def forgotten(frame):
    """What `merge` leaves: the columns, and none of what the frame remembers."""
    found = frame.merge(frame[["question_id"]].drop_duplicates().assign(topic="any"), on="question_id", how="left")
    found.attrs.clear()
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_summary_is_that_of_the_frame_that_remembers(kind):
    scored = qa_frame.sample().qa.score(**SOURCE, metrics=["em", "f1"], convention="squad2", extract="last_line|all")
    frame = KINDS[kind](forgotten(scored))
    unknown, known = (qa_frame.summary(each, "model") for each in (frame, qa_frame.with_scoring_of(frame, scored)))
    unknown, known = (
        pd.DataFrame(pa.table(each).to_pydict()) if kind != "pandas" else each for each in (unknown, known)
    )
    assert unknown["n_missing"].isna().all()
    assert known["n_missing"].tolist() == scored.qa.summary("model")["n_missing"].tolist()
    assert frame is not qa_frame.with_scoring_of(frame, scored)


@pytest.mark.needs("explain")
@pytest.mark.parametrize("through", ["attrs", "parquet"])
def test_a_convention_of_ones_own_explains_with_the_same_numbers(tmp_path, through):
    """Its rules, `reduce`, `extract` and `choices` come back as values."""
    own = qa_frame.Convention(
        name="own", overlap=Overlap(text=Text(("lower",)), counting="set", numbers_must_match=True), reduce="mean"
    )
    frame = pd.DataFrame(
        {
            "response": ["The answer is Paris.", "The answer is (B).", None],
            "answers": [["b", "the b"], ["B"], ["A"]],
            "options": [["Rome", "Paris"]] * 3,
        }
    )
    rules = {"convention": own, "reduce": "min", "missing": "null", "extract": "choice", "choices": "options"}
    scored = frame.qa.score(**SOURCE, metrics=["f1", "recall"], **rules)
    assert scored["f1"].iloc[0] < 1
    if through == "parquet":
        scored.to_parquet(tmp_path / "scored.parquet")
        scored = pd.read_parquet(tmp_path / "scored.parquet")
    for position in range(3):
        found = scored.qa.explain(position)
        assert found.notes == ()
        for name in ("f1", "recall"):
            np.testing.assert_equal(found.metrics[name].score, scored[name].iloc[position])


@pytest.mark.needs("explain")
def test_rules_that_are_given_win_and_are_told():
    scored = qa_frame.sample().qa.score(**SOURCE, convention="coqa", metrics="f1")
    assert scored.qa.explain(7).metrics["f1"].score == scored["f1"][7] == 0.5
    found = scored.qa.explain(7, convention="squad")
    assert found.metrics["f1"].score == 1
    assert "the frame was scored with convention='coqa', and not 'squad'" in str(found)


@pytest.mark.needs("explain")
def test_a_score_that_is_not_that_of_its_texts_is_told():
    scored = qa_frame.sample().qa.score(**SOURCE, metrics="f1").assign(f1=0.25)
    (note,) = scored.qa.explain(7).notes
    assert note.startswith("the frame has f1 0.25 here: its texts or its scores were changed")


@pytest.mark.needs("explain")
def test_a_function_is_named_and_asked_for():
    scored = qa_frame.sample().qa.score(**SOURCE, metrics="f1", reduce=np.median)
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match="by the function median, which is not kept; give reduce="
    ):
        scored.qa.explain(7)
    assert scored.qa.explain(7, reduce=np.median).metrics["f1"].score == scored["f1"][7]


@pytest.mark.needs("explain")
def test_a_pattern_of_a_convention_from_a_file_is_not_run():
    own = qa_frame.Convention(
        name="own", exact=qa_frame.rules.Exact(text=Text((qa_frame.rules.Replace(r"never given (a+)+$"),)))
    )
    scored = qa_frame.sample().qa.score(**SOURCE, metrics="em", convention=own)
    assert scored.qa.explain(7).metrics["em"].score == scored["em"][7]
    plain = scored.attrs["qa_scored"]["scorings"][0]["rules"]["convention"]
    plain["exact"]["text"]["steps"][0]["pattern"] = "(b+)+$"
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="a pattern that comes with data is not run"):
        scored.qa.explain(7)
    assert scored.qa.summary()["em"].notna().all()


@pytest.mark.needs("explain")
def test_two_scorings_are_asked_to_be_told_apart():
    both = (
        qa_frame.sample()
        .qa.score(**SOURCE, metrics="f1")
        .qa.score(**SOURCE, metrics="f1", convention="coqa", prefix="c_")
    )
    assert len(both.attrs["qa_scored"]["scorings"]) == 2
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="was scored by several rules"):
        both.qa.explain(7)
    assert both.qa.explain(7, convention="coqa").metrics["f1"].score == both["c_f1"][7]


@pytest.mark.needs("audit", "explain")
def test_nothing_to_recall():
    scored = qa_frame.sample().qa.score(**SOURCE, metrics="f1")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="scored remembers no scoring of the columns"):
        qa_frame.with_scoring_of(qa_frame.sample(), scored)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="pred is not given, and the frame does not remember"):
        qa_frame.sample().qa.explain(7)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="give gold='answers' to audit"):
        qa_frame.sample().qa.audit(pred="response")
