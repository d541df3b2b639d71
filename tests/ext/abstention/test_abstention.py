"""Questions that are declined: SimpleQA's and SQuAD 2.0's own figures, on any frame, nothing left out in silence."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from tests.kinds import KINDS
from tests.reference.record_decisions import SQUAD

SOURCE = {"pred": "response", "gold": "answers"}


@pytest.fixture(scope="module")
def squad():
    """The recorded cases, and their rows in one frame."""
    cases = [json.loads(line) for line in SQUAD.read_text("utf-8").splitlines()]
    rows = [
        {"case": number, "response": pred, "answers": golds, "sure": 1 - probability}
        for number, case in enumerate(cases)
        for pred, golds, probability in zip(case["preds"], case["golds"], case["no_answer"], strict=True)
    ]
    return cases, pd.DataFrame(rows).assign(no=lambda frame: frame["response"] == "")


@pytest.fixture(scope="module")
def graded():
    """Scored rows of two models, some of which decline."""
    random = np.random.default_rng(5)
    n = 120
    frame = pd.DataFrame({"model": random.choice(["x", "y"], n), "q": np.arange(n) // 3})
    frame["f1"] = random.choice([0, 0.25, 1], n)
    frame["no"] = random.random(n) < 0.3
    frame["sure"] = np.where(frame["no"], np.nan, random.integers(0, 9, n) / 8)
    return frame


# --- by the sources


def test_squad_metrics(squad):
    cases, frame = squad
    assert len(cases) >= 300
    table = qa_frame.abstention(
        qa_frame.score(frame, **SOURCE, metrics=["em", "f1"], convention="squad2"),
        "case",
        declined="no",
        metrics=["em", "f1"],
    )
    for metric, said in (("em", "exact"), ("f1", "f1")):
        found = table.xs(metric, level="metric").to_dict("records")
        for row, case in zip(found, cases, strict=True):
            expected = case["evaluated"]
            assert row["n"] == expected["total"]
            for figure, name in (("has_ans", f"HasAns_{said}"), ("no_ans", f"NoAns_{said}")):
                assert 100 * row[figure] == pytest.approx(expected.get(name, np.nan), abs=1e-9, nan_ok=True)


def simpleqa(correct, declined):
    """Figures as simple-evals computes them."""
    given = (~declined).mean()
    accuracy = correct.mean() / given if given > 0 else 0
    total = accuracy + correct.mean()
    return accuracy, 2 * accuracy * correct.mean() / total if total > 0 else 0


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_simpleqa(share):
    random = np.random.default_rng(int(10 * share))
    declined = random.random(50) < share
    correct = (random.random(50) < 0.5) & ~declined
    frame = pd.DataFrame({"em": correct.astype(float), "no": declined})
    row = qa_frame.abstention(frame, declined="no", metrics="em").loc["em"]
    accuracy, harmonic = simpleqa(correct, declined)
    assert row["harmonic"] == pytest.approx(harmonic, abs=1e-12)
    assert row["answered"] == pytest.approx(accuracy) if share < 1 else np.isnan(row["answered"])
    assert row["overall"] == pytest.approx(correct.mean())
    assert row["coverage"] == 1 - declined.mean()


def test_the_intervals_are_those_of_summary(graded):
    table = qa_frame.abstention(graded, "model", declined="no", ci=0.9).droplevel("metric")
    derived = graded.assign(
        coverage=~graded["no"], answered=graded["f1"].mask(graded["no"]), overall=graded["f1"].mask(graded["no"], 0)
    )
    summed = derived.qa.summary("model", metrics=["coverage", "answered", "overall"], ci=0.9)
    names = [f"{name}{end}" for name in ("coverage", "answered", "overall") for end in ("", "_lo", "_hi")]
    pd.testing.assert_frame_equal(table[names], summed[names], rtol=1e-12)
    with pytest.warns(qa_frame.errors.IntervalWarning):
        by_cluster = derived.qa.summary(metrics="coverage", ci=0.9, cluster="model")
    with pytest.warns(
        qa_frame.errors.IntervalWarning,
        match="fewer than 10 clusters, or so unequal that they are worth fewer, in 1 of 1 groups",
    ):
        alone = qa_frame.abstention(graded, declined="no", ci=0.9, cluster="model")
    np.testing.assert_allclose(alone["coverage_hi"], by_cluster["coverage_hi"], rtol=1e-12)


# --- frames


@pytest.mark.parametrize("kind", KINDS)
def test_any_frame(graded, kind):
    expected = qa_frame.abstention(graded, "model", declined="no", cluster="q", ci=0.95)
    found = qa_frame.abstention(KINDS[kind](graded), "model", declined="no", cluster="q", ci=0.95)
    if kind != "pandas":
        found = pa.table(found).to_pandas().set_index(["model", "metric"])
    pd.testing.assert_frame_equal(found, expected, check_exact=True, check_index_type=False)
    curve = qa_frame.risk_coverage(graded, confidence="sure", metric="f1", by="model", declined="no")
    other = qa_frame.risk_coverage(KINDS[kind](graded), confidence="sure", metric="f1", by="model", declined="no")
    assert len(other) == len(curve)
    assert np.asarray(other["risk"]).tolist() == curve["risk"].tolist()


def test_order_and_index_make_no_difference(graded):
    order = np.random.default_rng(1).permutation(len(graded))
    other = graded.iloc[order].set_axis(np.zeros(len(graded), int))
    options = {"by": "model", "declined": "no", "cluster": "q", "ci": 0.95}
    pd.testing.assert_frame_equal(graded.qa.abstention(**options), other.qa.abstention(**options), check_exact=True)
    options = {"confidence": "sure", "metric": "f1", "by": "model", "declined": "no"}
    pd.testing.assert_frame_equal(
        graded.qa.risk_coverage(**options), other.qa.risk_coverage(**options), check_exact=True
    )


def test_the_curve_ends_where_all_answers_are_given(graded):
    curve = qa_frame.risk_coverage(graded, confidence="sure", metric="f1", declined="no")
    table = qa_frame.abstention(graded, declined="no")
    assert curve["coverage"].iloc[-1] == pytest.approx(table["coverage"].iloc[0])
    assert curve["score"].iloc[-1] == pytest.approx(table["answered"].iloc[0])


def test_the_example_of_the_curve():
    frame = pd.DataFrame({"sure": [0.9, 0.8, 0.7, 0.6], "em": [1, 1, 0, 0], "no": False})
    curve = qa_frame.risk_coverage(frame, confidence="sure", metric="em")
    assert curve["threshold"].tolist() == [0.9, 0.8, 0.7, 0.6]
    assert curve["coverage"].tolist() == [0.25, 0.5, 0.75, 1]
    assert curve["score"].tolist() == [1, 1, 2 / 3, 1 / 2]


# --- who declines


@pytest.mark.parametrize("kind", KINDS)
def test_a_curve_of_no_rows_has_no_points(graded, kind):
    curve = qa_frame.risk_coverage(KINDS[kind](graded[:0]), confidence="sure", metric="f1", by="model")
    names = curve.column_names if kind == "arrow" else [*curve.columns]
    assert names == ["model"] * (kind != "pandas") + ["n", "threshold", "coverage", "score", "risk"]
    assert len(curve) == 0


def test_patterns():
    said = ["I don't know.", "Paris", None, "  ", "I don't know, but maybe Paris", "The passage does not say."]
    frame = pd.DataFrame({"response": said, "answers": [["Paris"]] * 6})
    table = qa_frame.abstention(
        qa_frame.score(frame, **SOURCE, metrics="em"), declined=qa_frame.rules.REFUSAL, metrics="em"
    )
    assert table[["n", "n_answered"]].to_numpy().tolist() == [[6, 2]]
    scored = frame.qa.score(**SOURCE, metrics="em")
    assert scored.qa.abstention(declined=re.compile("know"))["n_answered"].tolist() == [2]
    found = qa_frame.abstention(pl.from_pandas(frame).pipe(qa_frame.score, **SOURCE), declined=re.compile("^Paris$"))
    assert found["n_answered"].to_list()[0] == 3


def test_patterns_look_at_texts_whose_golds_are_lists_of_spans():
    frame = pd.DataFrame({"response": ["a and b", "I don't know"] * 10, "answers": [[["a"], ["b"]]] * 20})
    found = frame.qa.score(pred="response", gold="answers", convention="drop").qa.abstention(
        declined=qa_frame.rules.REFUSAL
    )
    assert found["n_answered"].tolist() == [10, 10]


@pytest.mark.parametrize("flags", [[True, False], [1, 0], [1.0, 0.0], pd.array([True, False], "boolean")])
def test_flags(flags):
    frame = pd.DataFrame({"em": [0.0, 1.0], "no": flags})
    assert qa_frame.abstention(frame, declined="no")["coverage"].tolist() == [0.5]


def test_rows_that_are_not_used_are_counted():
    frame = pd.DataFrame({"response": ["a", None, None, "b"], "answers": [["a"], ["a"], [], []]})
    table = qa_frame.abstention(
        qa_frame.score(frame.assign(no=frame["response"].isna()), **SOURCE, metrics="em", missing="null"),
        declined="no",
        metrics="em",
    )
    assert table[["n", "n_answered", "n_not_used", "coverage", "overall"]].to_numpy().tolist() == [[2, 1, 2, 0.5, 0.5]]


def test_what_is_not_known_is_null():
    frame = pd.DataFrame({"em": [1.0, 0.0], "no": [False, True], "sure": [0.5, 0.25]})
    row = qa_frame.abstention(frame, declined="no", ci=0.95).iloc[0]
    assert row[["has_ans", "no_ans"]].isna().all()
    declined = qa_frame.abstention(frame.assign(no=True), declined="no", ci=0.95).iloc[0]
    assert declined[["coverage", "overall", "harmonic"]].tolist() == [0, 0, 0]
    assert np.isnan(declined["answered"])
    assert len(qa_frame.risk_coverage(frame, confidence="sure", metric="em", declined="no")) == 1
    assert len(qa_frame.risk_coverage(frame.assign(no=True), confidence="sure", metric="em", declined="no")) == 0
    assert len(qa_frame.abstention(frame.iloc[:0].assign(m=""), "m", declined="no", metrics="em")) == 0


WRONG = {
    "text": ({"no": ["yes", "no"]}, {}, "declined='no' holds text"),
    "numbers": ({"no": [0, 2]}, {}, "declined='no' holds 2 at"),
    "null": ({"no": pd.array([True, None], "boolean")}, {}, "declined='no' is null at"),
    "no such column": ({}, {"declined": "declines"}, "declined='declines' is not a column"),
    "pattern of bytes": ({}, {"declined": re.compile(b"no")}, "pattern of bytes"),
    "pattern without texts": ({}, {"declined": re.compile("no")}, "predictions are not known"),
    "grades": ({"em": [1.0, 5.0]}, {}, "scores 'em' are from 1 to 5"),
    "ci": ({}, {"ci": 95}, "ci=95"),
}


def test_a_text_that_is_no_column_may_be_meant_as_a_pattern():
    frame = pd.DataFrame({"response": ["I don't know (yet)", "Paris"], "answers": [["Paris"]] * 2})
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="is not a column") as caught:
        frame.qa.score(**SOURCE).qa.abstention(declined="don't know (yet)")
    remedy = re.search(r"give a pattern: declined=(re\.compile\(.*\))", str(caught.value)).group(1)
    assert frame.qa.score(**SOURCE).qa.abstention(declined=eval(remedy))["n_answered"].tolist() == [1] * 6


@pytest.mark.parametrize("case", WRONG)
def test_errors(case):
    columns, options, said = WRONG[case]
    frame = pd.DataFrame({"em": [1.0, 0.0], "no": [False, True], **columns})
    with pytest.raises(qa_frame.QaFrameError, match=said):
        qa_frame.abstention(frame, **{"declined": "no"} | options)


@pytest.mark.parametrize(
    ("sure", "said"), [(["a", "b"], "holds text"), ([np.nan, 1], "is null or"), ([np.inf, 1], "is null or infinite")]
)
def test_confidences_that_are_no_finite_numbers(sure, said):
    with pytest.raises(qa_frame.QaFrameError, match=f"confidence='sure' {said}"):
        qa_frame.risk_coverage(pd.DataFrame({"em": [1.0, 0.0], "sure": sure}), confidence="sure", metric="em")


@pytest.mark.needs("style")
def test_a_table_says_what_it_is(graded):
    table = qa_frame.abstention(graded, "model", declined="no", ci=0.95)
    assert table.attrs["qa_table"]["kind"] == "abstention"
    assert "0.0" not in str(qa_frame.style(pl.from_pandas(table.reset_index()))).splitlines()[0]
    assert str(qa_frame.style(table)).splitlines()[0].split()[:3] == ["model", "metric", "n"]
    assert (
        qa_frame.risk_coverage(graded, confidence="sure", metric="f1", declined="no").attrs["qa_table"]["kind"]
        == "risk_coverage"
    )
