"""Where no convention gives a column of scores, the nearest rules of the user's own are offered as code."""

import dataclasses  # noqa: F401  (the code that is offered needs it)

import numpy as np
import pandas as pd
import pytest

import qa_frame
from qa_frame.errors import ScoringWarning
from qa_frame.rules import ARTICLES, Blank, Empty, Exact, Overlap, Space, Text

SAMPLE = qa_frame.sample()


def inferred(scores, metric):
    """Return what the warning says, and the first row of the table."""
    frame = SAMPLE.assign(old=scores)
    with pytest.warns(ScoringWarning, match="no convention gives all scores of the column") as caught:
        table = frame.qa.infer_convention("response", "answers", score="old", metrics=metric).head(1)
    return str(caught[0].message), table


def scores_of(convention, metric):
    return SAMPLE.qa.score("response", "answers", metrics=metric, convention=convention, append=False)[metric]


def by_sets(row):
    """Token F1 of lower-cased text, four marks as spaces: distinct common words, out of all words."""
    sides = []
    for text in (row["response"], row["answers"][0]):
        lower = text.lower()
        for mark in ".,!?":
            lower = lower.replace(mark, " ")
        sides.append(lower.split())
    common = len({*sides[0]} & {*sides[1]})
    return 2 * common / (len(sides[0]) + len(sides[1])) if common else 0.0


def test_rules_that_no_convention_has_are_found():
    is_whole = SAMPLE["response"].notna() & SAMPLE["answers"].map(lambda golds: golds is not None and len(golds) > 0)
    scores = [
        by_sets(row) if is_known else np.nan for is_known, (_, row) in zip(is_whole, SAMPLE.iterrows(), strict=True)
    ]
    only = SAMPLE.assign(answers=SAMPLE["answers"].map(lambda golds: golds[:1] if golds is not None else None))
    with pytest.warns(ScoringWarning) as caught:
        table = only.assign(old=scores).qa.infer_convention("response", "answers", score="old", metrics="f1").head(1)
    noted, n = table.attrs["qa_identified"], int(is_whole.sum())
    assert [*table.loc[0, ["convention", "metric", "reduce", "n", "n_equal"]]] == ["own", "f1", "max", n, n]
    assert table["extract"].isna()[0]
    assert table["apart"].notna()[0]
    assert f"as f1, these rules of your own give {n}: import" in str(caught[0].message)
    assert noted["own"] in str(caught[0].message)
    own = eval(noted["own"])
    found = only.qa.score("response", "answers", metrics="f1", convention=own, append=False)["f1"]
    np.testing.assert_allclose(found[is_whole], np.array(scores)[is_whole], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("metric", "rule"),
    [
        ("em", Exact(text=Text(("casefold", Space("ascii_punctuation"), "fold_accents")))),
        ("f1", Overlap(text=Text(("lower", "strip_marks", Blank(ARTICLES["en"])), "treebank"), counting="set")),
        ("recall", Overlap(text=Text(("delete_punctuation",)), empty=Empty(both=1.0))),
    ],
)
@pytest.mark.thorough
def test_the_code_makes_rules_that_give_as_many_scores_as_is_said(metric, rule):
    family = "exact" if metric == "em" else "overlap"
    scores = scores_of(qa_frame.Convention(name="made", **{family: rule}), metric)
    frame = SAMPLE.assign(old=scores)
    try:
        said, table = inferred(scores, metric)
    except pytest.fail.Exception:  # a convention gives all of them
        table = frame.qa.infer_convention("response", "answers", score="old", metrics=metric).head(1)
        assert table["n_equal"][0] == table["n"][0]
        return
    found = scores_of(eval(table.attrs["qa_identified"]["own"]), metric)
    n_equal = int(np.count_nonzero(np.abs(found - scores)[scores.notna()] < 1e-6))
    assert [table["convention"][0], table["n_equal"][0]] == ["own", n_equal]
    assert f"as {metric}, these rules of your own give {n_equal:,}" in said
    assert n_equal > 0.98 * scores.notna().sum()


@pytest.mark.thorough
def test_the_order_of_rows_makes_no_difference():
    scores = scores_of(qa_frame.Convention(name="made", overlap=Overlap(text=Text(("lower", Space(".,!?"))))), "f1")
    frame = SAMPLE.assign(old=scores.mask(scores.between(0.3, 0.4), 0.123))
    codes = []
    for rows in (frame, frame.sample(frac=1, random_state=1)):
        with pytest.warns(ScoringWarning):
            table = rows.qa.infer_convention("response", "answers", score="old", metrics="f1").head(1)
        codes.append(table.attrs["qa_identified"].get("own"))
    assert codes[0] == codes[1]


@pytest.mark.thorough
def test_rules_of_the_whole_response_are_found_where_a_convention_with_an_extraction_comes_near():
    rows = SAMPLE[SAMPLE["response"].notna() & SAMPLE["answers"].map(lambda golds: bool(golds) and None not in golds)]
    rule = Overlap(text=Text(("lower",)))
    scores = rows.qa.score(
        "response", "answers", metrics="f1", convention=qa_frame.Convention(name="made", overlap=rule), append=False
    )["f1"]
    with pytest.warns(ScoringWarning, match=f"these rules of your own give {len(rows)}"):
        table = rows.assign(old=scores).qa.infer_convention("response", "answers", score="old", metrics="f1").head(1)
    assert table["extract"].isna()[0]
    assert [table["convention"][0], table["n_equal"][0]] == ["own", len(rows)]


@pytest.mark.thorough
def test_where_nothing_comes_nearer_no_rules_are_offered():
    scores = scores_of("squad", "em")
    said, table = inferred(scores.mask(np.arange(len(scores)) < 3, 0.5), "em")
    assert table["convention"][0] == "squad"
    assert "own" not in table.attrs["qa_identified"]
    assert said.partition(";")[0].endswith("so that the table has what comes near")


@pytest.mark.parametrize("truths", [["True", "False", "True", None], ["true", "false", "true", None],
                                    [True, False, True, None]])  # fmt: skip
def test_truth_values_are_scores(truths):
    frame = pd.DataFrame({"response": ["Paris", "Lyon", "the Seine", "x"], "answers": ["Paris", "Rome", "Seine", "x"]})
    table = frame.assign(right=truths).qa.infer_convention("response", "answers", score="right", metrics="em").head(1)
    assert table[["n", "n_equal"]].to_numpy().tolist() == [[3, 3]]
