"""`infer_convention`: the rules that made a column are found, and what cannot be a column of scores is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import qa_frame
from qa_frame.ext.conventions.infer_convention import _settings_of
from qa_frame.scoring.call_rules import known_metrics

SAMPLE = qa_frame.sample()


def rules(table, place):
    return {name: table[name][place] for name in ("convention", "reduce", "extract")}


def with_recorded(**rules):
    metric = rules.pop("metric")
    scored = SAMPLE.qa.score("response", "answers", metrics=metric, **rules)
    return SAMPLE.assign(harness=scored[metric])


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::qa_frame.errors.ScoringWarning")
@pytest.mark.parametrize(
    ("rules", "written"),
    [
        ({"metric": "f1", "convention": "drop"}, lambda scores: scores),
        ({"metric": "rouge_l", "convention": "unicode"}, lambda scores: (scores * 100).round(2)),
        ({"metric": "f1", "reduce": "mean"}, lambda scores: scores.astype(np.float32)),
        ({"metric": "em", "convention": "cmrc2018", "extract": "last_line"}, lambda scores: scores.round(4)),
    ],
    ids=["raw", "percent", "reduced", "extracted"],
)
def test_the_rules_that_made_a_column_are_first(rules, written):
    frame = with_recorded(**rules)
    frame["harness"] = written(frame["harness"])
    table = frame.qa.infer_convention("response", "answers", score="harness", metrics=rules["metric"])
    best = table.iloc[0]
    assert best["n_equal"] == best["n"] == frame["harness"].notna().sum()
    again = {"convention": best["convention"], "reduce": best["reduce"], "extract": best["extract"]}
    scores = frame.qa.score("response", "answers", metrics=best["metric"], **again)[best["metric"]]
    wanted = frame["harness"] / (100 if frame["harness"].max() > 1 else 1)
    np.testing.assert_allclose(scores, wanted, rtol=0, atol=1e-4)
    assert rules.get("convention", "squad") in [best["convention"], *best["alike"].split()]


@pytest.mark.thorough
def test_rows_without_a_score_are_left_out_and_frames_keep_their_kind():
    frame = with_recorded(metric="f1")
    frame.loc[frame.index[:100], "harness"] = np.nan
    table = qa_frame.infer_convention(pl.from_pandas(frame), "response", "answers", "harness", metrics="f1")
    assert isinstance(table, pl.DataFrame)
    row = table["apart"][0]
    assert table["apart"][1] == row
    ours, second = (
        frame.iloc[[row]].qa.score("response", "answers", metrics="f1", **rules(table, place))["f1"].iloc[0]
        for place in (0, 1)
    )
    assert ours == frame["harness"].iloc[row] != second
    table = table[:1]
    assert table["n"].to_list() == table["n_equal"].to_list() == [int(frame["harness"].notna().sum())]


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([np.nan, np.nan], "has no number"),
        ([-1.0, 0.5], "from -1 to 0.5"),
        ([0.5, 250.0], "divide them"),
        (["a", "b"], "name a column of numbers"),
    ],
)
def test_what_is_no_column_of_scores_is_refused(scores, said):
    frame = pd.DataFrame({"response": ["a", "b"], "answers": ["a", "b"], "old": scores})
    with pytest.raises(qa_frame.errors.ColumnTypeError, match=said):
        frame.qa.infer_convention("response", "answers", score="old")


def column_of_bleu():
    frame = SAMPLE.assign(harness=SAMPLE.qa.score("response", "answers", metrics="bleu")["bleu"] * 100)
    frame.loc[frame["harness"] == 100, "harness"] = 100.00000000000004  # as sacrebleu gives it
    return frame


@pytest.mark.thorough
def test_a_percentage_that_rounding_puts_above_100_is_one():
    best = column_of_bleu().qa.infer_convention("response", "answers", score="harness", metrics="bleu").iloc[0]
    assert (best["convention"], best["n_equal"]) == ("squad", best["n"])


def test_all_conventions_that_are_alike_are_named_the_best_known_first():
    """Each gives every score of the column, and no other does."""
    frame = with_recorded(metric="f1")
    best = frame.qa.infer_convention("response", "answers", score="harness", metrics="f1").iloc[0]
    named = [best["convention"], *best["alike"].split()]
    assert named[:3] == ["squad", "squad2", "hotpotqa"]
    others = [name for name in named if name not in {"squad", "squad2", "hotpotqa", "musique", "longbench"}]
    assert "remem" in others
    for name in named:
        scores = frame.qa.score("response", "answers", metrics="f1", convention=name, reduce=best["reduce"])["f1"]
        has_score = frame["harness"].notna()  # squad2 scores rows without a gold, too
        np.testing.assert_allclose(scores[has_score], frame["harness"][has_score], rtol=0, atol=1e-6)


@pytest.mark.thorough
def test_where_nothing_fits_it_is_said():
    frame = with_recorded(metric="f1")
    scored = np.flatnonzero(frame["harness"].notna())[:3]
    frame.iloc[scored, frame.columns.get_loc("harness")] = 0.123
    n = int(frame["harness"].notna().sum())
    with pytest.warns(qa_frame.errors.ScoringWarning, match=rf"the best gives {n - 3} of {n}, so that"):
        table = frame.qa.infer_convention("response", "answers", score="harness", metrics="f1").head(1)
    assert table["n_equal"].tolist() == [n - 3]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_rules_that_are_tried_once_score_alike():
    """Conventions whose settings are taken for the same give the same scores, to the last bit."""
    known = {}
    for name, convention in qa_frame.conventions.items():
        for metric in known_metrics(convention):
            try:
                found = SAMPLE.qa.score("response", "answers", metrics=metric, convention=name, append=False)[metric]
            except qa_frame.errors.MissingPackageError:
                continue
            first = known.setdefault(_settings_of((name, None, None), metric), found)
            np.testing.assert_array_equal(found, first, err_msg=f"{metric} {name}")
    assert len(known) > 200
