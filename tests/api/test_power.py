"""How many questions: examples, pilots of every kind of frame, and what is no design."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame

COLUMNS = ["difference", "n", "power", "sd", "n_samples", "ci", "unit"]


@pytest.fixture(scope="module")
def scored():
    return qa_frame.sample().qa.score("response", "answers", metrics=["em", "f1"])


def one(**design):
    table = qa_frame.power(**design)
    assert list(table.columns) == COLUMNS
    assert len(table) == 1
    return table.iloc[0]


def test_examples():
    row = one(win_rate=0.15, loss_rate=0.10)
    assert row["n"] == 779
    assert row["power"] == 0.8
    np.testing.assert_allclose([row["difference"], row["sd"]], [0.05, math.sqrt(0.2475)])
    assert round(one(n=1000, sd=0.5)["difference"], 4) == 0.0443


def test_two_give_the_third():
    for power in (0.5, 0.8, 0.95):
        n = one(difference=0.03, power=power, sd=0.4, ci=0.99)["n"]
        reached = qa_frame.power(difference=0.03, n=[int(n) - 1, int(n)], sd=0.4, ci=0.99)["power"]
        assert reached[0] < power <= reached[1]
        assert one(n=int(n), power=power, sd=0.4, ci=0.99)["difference"] <= 0.03


def test_each_combination_has_a_row():
    table = qa_frame.power(difference=[0.02, 0.05], power=(0.8, 0.9), sd=0.5, within_sd=0.2, n_samples=np.array([1, 4]))
    assert table[["n_samples", "difference", "power"]].to_numpy().tolist() == [
        [samples, difference, power] for samples in (1, 4) for difference in (0.02, 0.05) for power in (0.8, 0.9)
    ]
    assert table.dtypes[["difference", "power", "sd", "ci"]].eq("float64").all()
    assert table["n"].dtype == "Int64"
    assert table.attrs["qa_table"]["kind"] == "power"


def test_samples_take_away_what_varies_among_them():
    for samples, within in ((4, 0.3), (4, (0.1, 0.4)), (1, 0.3)):
        among = 2 * within**2 if isinstance(within, float) else within[0] ** 2 + within[1] ** 2
        row = one(difference=0.02, sd=0.5, within_sd=within, n_samples=samples)
        np.testing.assert_allclose(row["sd"], math.sqrt(0.25 - among + among / samples))


def test_a_pilot(scored):
    table = qa_frame.power(scored, "model", "question_id", metric="f1", difference=0.05)
    assert list(table.columns) == [
        *["metric", "a", "b", "n_pilot", "difference", "n", "power", "n_at_upper", "sd", "sd_upper"],
        *["n_samples", "ci", "unit"],
    ]
    wide = scored.pivot_table(index="question_id", columns="model", values="f1").dropna()
    for row in table.itertuples():
        np.testing.assert_allclose(row.sd, (wide[row.a] - wide[row.b]).std(), rtol=1e-12)
        assert row.n == one(difference=0.05, sd=row.sd)["n"]
        assert row.n_at_upper == one(difference=0.05, sd=row.sd_upper)["n"]
        assert row.n_pilot == 115
    assert table.attrs["qa"] == scored.qa.summary().attrs["qa"]


def test_what_so_many_questions_find(scored):
    found = qa_frame.power(scored, "model", "question_id", metric="f1", n=500)
    assert (found["difference_at_upper"] > found["difference"]).all()
    reached = qa_frame.power(scored, "model", "question_id", metric="f1", n=500, difference=0.04)
    assert (reached["power_at_upper"] < reached["power"]).all()


def test_a_pilot_with_clusters_and_samples(scored):
    repeated = scored.assign(document=scored["question_id"].str[-1])
    table = qa_frame.power(repeated, "model", "question_id", metric="f1", difference=0.05, cluster="document")
    assert table["unit"].eq("clusters").all()
    assert table["n_pilot"].le(10).all()
    copied = pd.concat([scored.assign(sample=0), scored.assign(sample=1)])
    alone, both = (
        qa_frame.power(each, "model", "question_id", metric="f1", n=100, n_samples=1) for each in (scored, copied)
    )
    pd.testing.assert_frame_equal(alone, both, rtol=1e-12)
    four = qa_frame.power(copied, "model", "question_id", metric="f1", n=100, n_samples=[1, 4])
    np.testing.assert_allclose(four["sd"][0], four["sd"][1], rtol=1e-12)  # copies do not vary


def test_what_samples_take_away_is_their_variance_within_questions():
    random = np.random.default_rng(4)
    rows = pd.MultiIndex.from_product([["a", "b"], range(30), range(3)], names=["model", "question", "sample"])
    frame = rows.to_frame(index=False).assign(f1=random.random(180) ** 2)
    frame.loc[frame["model"] == "a", "f1"] += frame["question"] / 10  # so that questions differ, too
    found = qa_frame.power(frame, "model", "question", metric="f1", n=100, n_samples=[1, 3])
    parts = frame.groupby(["model", "question"])["f1"].var().groupby("model").mean()
    np.testing.assert_allclose(found["sd"][0] ** 2 - found["sd"][1] ** 2, parts.sum() * 2 / 3, rtol=1e-12)
    wide = frame.pivot_table(index="question", columns="model", values="f1")
    np.testing.assert_allclose(found["sd"][1], (wide["a"] - wide["b"]).std(), rtol=1e-12)


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas])
def test_other_kinds_of_frames(scored, convert):
    data = convert(scored[["model", "question_id", "f1"]])
    found = qa_frame.power(data, "model", "question_id", difference=0.05)
    assert type(found) is type(data)
    expected = qa_frame.power(scored, "model", "question_id", metric="f1", difference=0.05)
    found = found if isinstance(found, pa.Table) else found.to_arrow()
    assert {name: found[name].to_pylist() for name in found.column_names} == expected.to_dict("list")


def test_a_pilot_in_which_two_groups_differ_nowhere(scored):
    same = scored[scored["model"] == "heron-7b"]
    both = pd.concat([same, same.assign(model="copy")])
    with pytest.warns(qa_frame.errors.IntervalWarning, match="'copy' and 'heron-7b' differ by the same on all 115"):
        row = qa_frame.power(both, "model", "question_id", metric="f1", difference=0.05).iloc[0]
    assert pd.isna(row["n"])
    assert row["n_at_upper"] > 2
    with pytest.warns(qa_frame.errors.IntervalWarning, match="go by the columns at_upper"):
        row = qa_frame.power(both, "model", "question_id", metric="f1", n=50).iloc[0]
    assert math.isnan(row["difference"])


# ------------------------------------------------------------------------------------------------- what is no design

WRONG = {
    "difference=0 is not a number above 0": {"difference": 0, "sd": 0.5},
    "difference=-0.1 is not": {"difference": [0.1, -0.1], "sd": 0.5},
    "difference is empty": {"difference": [], "sd": 0.5},
    "difference=1e-30 is too small beside sd=0.5": {"difference": 1e-30, "sd": 0.5},
    "difference=2 is 1 or more, .* 2 percentage points are 0.02": {"difference": [0.1, 2], "sd": 0.5},
    "difference is not given: name the smallest difference that would matter": {"sd": 0.5},
    "nothing is left to look for": {"difference": 0.1, "n": 10, "power": 0.8, "sd": 0.5},
    "n=1 is not a whole number of 2 or more": {"n": 1, "sd": 0.5},
    "power=1 is not a number between 0 and 1": {"n": 10, "sd": 0.5, "power": 1},
    "power=0.02 is not above \\(1 - ci\\) / 2 = 0.025": {"n": 10, "sd": 0.5, "power": 0.02},
    "ci=0 is not a number between 0 and 1": {"n": 10, "sd": 0.5, "ci": 0},
    "ci=\\[0.05\\] is not a number": {"n": 10, "sd": 0.5, "ci": [0.05]},
    "sd=0 is not a number between 0 and 1e\\+100": {"n": 10, "sd": 0},
    "sd is not given: say how much the scores of a question differ": {"n": 10},
    "sd=0.5 is given beside win_rate and loss_rate": {"n": 10, "sd": 0.5, "win_rate": 0.1, "loss_rate": 0.05},
    "win_rate and loss_rate belong together, and one is not": {"n": 10, "win_rate": 0.1},
    "n_samples=None is not a whole number": {"n": 10, "sd": 0.5, "n_samples": None},
    "sum to 1.1, and are shares of the same questions": {"win_rate": 0.6, "loss_rate": 0.5},
    "win_rate=0.1 is not above loss_rate=0.1": {"win_rate": 0.1, "loss_rate": 0.1},
    "win_rate=1 says that one model alone is right on every": {"win_rate": 1, "loss_rate": 0},
    "win_rate=0.05 is not above loss_rate=0.06 - margin = 0.05": {"win_rate": 0.05, "loss_rate": 0.06, "margin": 0.01},
    "win_rate=-0.1 is not a number from 0 to 1": {"win_rate": -0.1, "loss_rate": 0.1},
    "difference=0.02 is not win_rate - loss_rate = 0.05": {"difference": 0.02, "win_rate": 0.15, "loss_rate": 0.1},
    "n_samples=2 needs the standard deviation among samples": {"n": 10, "sd": 0.5, "n_samples": 2},
    "within_sd=0.5 makes differences": {"n": 10, "sd": 0.5, "within_sd": 0.5},
    "within_sd=.* holds 3 numbers": {"n": 10, "sd": 0.5, "within_sd": [0.1, 0.1, 0.1]},
    "n_samples=0 is not a whole number": {"n": 10, "sd": 0.5, "n_samples": 0},
    "by='model' needs a pilot": {"n": 10, "sd": 0.5, "by": "model"},
    "cluster='d' needs a pilot": {"n": 10, "sd": 0.5, "cluster": "d"},
}


@pytest.mark.parametrize("message", WRONG)
def test_arguments_that_are_wrong(message):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=message):
        qa_frame.power(**WRONG[message])


def test_a_pilot_that_is_not_scored_is_told_how_to_score_it():
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="no score column") as caught:
        qa_frame.power(qa_frame.sample(), "model", "question_id", metric="f1", difference=0.05)
    assert "df.qa.score(pred='response', gold='answers'" in str(caught.value)


def test_differences_of_scores_of_another_range(scored):
    assert qa_frame.power(difference=2, sd=40)["n"].item() == qa_frame.power(difference=0.02, sd=0.4)["n"].item()
    named = {"by": "model", "question": "question_id", "difference": 2}
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="difference=2 is 1 or more"):
        qa_frame.power(scored, metric="f1", **named)
    assert qa_frame.power(margin=2, sd=40)["n"].item() == qa_frame.power(margin=0.02, sd=0.4)["n"].item()
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="margin=2 is 1 or more"):
        qa_frame.power(scored, metric="f1", **named | {"difference": None, "margin": 2})
    in_percent = scored.assign(f1=100 * scored["f1"], stars=5 * scored["f1"])
    for metric in ("f1", "stars"):
        assert (qa_frame.power(in_percent, metric=metric, **named)["n"] >= 2).all()


def test_pilots_that_tell_nothing(scored):
    named = {"by": "model", "question": "question_id", "metric": "f1", "difference": 0.05}
    with pytest.raises(
        qa_frame.errors.PairingError, match=r"makes 1 group \(\['heron-7b'\]\), and a comparison needs two"
    ):
        qa_frame.power(scored[scored["model"] == "heron-7b"], **named)
    with pytest.raises(qa_frame.errors.PairingError, match="pilot has 1 question or cluster that both"):
        qa_frame.power(scored[scored["question_id"] == scored["question_id"].iloc[0]], **named)
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match="n_samples=4 is not the pilot's number, and no question of"
    ):
        qa_frame.power(scored, **named, n_samples=4)
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match=r"sd=0\.5 says how scores vary, and so does the pilot"
    ):
        qa_frame.power(scored, **named, sd=0.5)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="on is not given, and the pilot needs it"):
        qa_frame.power(scored, "model", difference=0.05)
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match=r"metric is not given, and pilot has the scores \['em', 'f1'"
    ):
        qa_frame.power(scored, "model", "question_id", difference=0.05)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="metric='f2' is not known"):
        qa_frame.power(scored, "model", "question_id", metric="f2", difference=0.05)


# ------------------------------------------------------------------ the test that is planned for


def test_the_exact_test_needs_more_questions():
    mid, exact = (one(win_rate=0.2, loss_rate=0.02, mid_p=mid_p)["n"] for mid_p in (True, False))
    assert mid < exact
    assert one(win_rate=0.2, loss_rate=0.02, n=int(exact), mid_p=False)["power"] >= 0.8
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="mid_p=False is of use for scores of 0 and 1"):
        qa_frame.power(difference=0.05, sd=0.5, mid_p=False)


def test_a_pilot_of_zeros_and_ones_is_planned_for_their_test(scored):
    table = qa_frame.power(scored, "model", "question_id", metric="em", difference=0.05, mid_p=False)
    for row in table.itertuples():
        differing = row.sd**2 + 0.05**2
        rates = {"win_rate": (differing + 0.05) / 2, "loss_rate": (differing - 0.05) / 2}
        assert row.n == qa_frame.power(**rates, mid_p=False)["n"].item()


def test_so_few_questions_find_no_difference(scored):
    named = {"by": "model", "question": "question_id", "metric": "em"}
    table = qa_frame.power(scored, **named, n=[2, 100])
    assert table["difference"].isna().tolist() == [True, False] * 3
    assert table.loc[1::2, "difference"].lt(0.9).all()
    found = qa_frame.power(pa.Table.from_pandas(scored), **named, n=2)
    assert found["difference"].to_pylist() == [None] * 3


def test_a_margin_is_a_one_sided_test():
    table = qa_frame.power(margin=0.02, sd=0.4)
    expected = ((1.6448536269514722 + 0.8416212335729143) * 0.4 / 0.02) ** 2
    assert table["n"].item() == math.ceil(expected)
    assert table["difference"].item() == 0
    assert table["margin"].item() == 0.02
    assert qa_frame.power(margin=0.02, sd=0.4, difference=-0.01)["n"].item() == math.ceil(4 * expected)
    assert qa_frame.power(margin=0.02, win_rate=0.1, loss_rate=0.1)["n"].item() > 1000
    least = qa_frame.power(margin=0.02, sd=0.4, n=math.ceil(expected))["difference"].item()
    assert -1e-5 < least <= 0


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        ("margin=0 is not a number above 0", {"margin": 0}),
        ("difference=-0.02 is not a number above -0.02", {"margin": 0.02, "difference": -0.02}),
        ("ci=0.4 tests a margin at the level 0.6", {"margin": 0.02, "ci": 0.4}),
        ("margin=1 is 1 or more, so that a model could not fail", {"margin": 1}),
        ("looks=3 cannot be combined with a margin; leave one", {"margin": 0.02, "looks": 3}),
        ("looks=0 is not a whole number", {"difference": 0.02, "looks": 0}),
        ("baseline='a' needs a pilot; leave it out, or give a pilot", {"difference": 0.02, "baseline": "a"}),
        ("power=0.05 is not above 1 - ci", {"margin": 0.02, "power": 0.05}),
    ],
)
def test_wrong_margins_and_looks(message, wrong):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=message):
        qa_frame.power(**({"sd": 0.5} | wrong))


def test_looks_cost_a_few_questions():
    n = [qa_frame.power(difference=0.05, sd=0.5, looks=looks)["n"].item() for looks in (1, 3, 10)]
    assert 1.01 < n[1] / n[0] < 1.03
    assert 1.03 < n[2] / n[0] < 1.06
    assert qa_frame.power(difference=0.05, sd=0.5, looks=3, n=n[1])["power"].item() >= 0.8


def test_a_baseline_and_datasets(scored):
    named = {"by": "model", "question": "question_id", "metric": "f1", "difference": 0.05}
    table = qa_frame.power(scored, **named, baseline="heron-7b")
    every = qa_frame.power(scored, **named)
    assert table["b"].eq("heron-7b").all()
    assert sorted(table["n"]) == sorted(every.loc[every["a"].eq("heron-7b") | every["b"].eq("heron-7b"), "n"])
    found = qa_frame.power(scored, **named, macro="dataset")
    for row in found.itertuples():
        wide = scored.pivot_table(index=["dataset", "question_id"], columns="model", values="f1").dropna()
        parts = (wide[row.a] - wide[row.b]).groupby("dataset")
        shares = parts.size() / len(wide)
        np.testing.assert_allclose(row.sd**2, (parts.var() / shares / 4).sum(), rtol=1e-9)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="baseline='x' is not a group"):
        qa_frame.power(scored, **named, baseline="x")
    lone = scored.assign(dataset=np.where(scored["question_id"] == scored["question_id"].iloc[0], "one", "other"))
    with pytest.raises(qa_frame.errors.PairingError, match="a value of macro with fewer than two questions"):
        qa_frame.power(lone, **named, macro="dataset")


def pilot_of_datasets():
    rows = [
        {"model": model, "dataset": dataset, "question_id": number, "response": "a", "answers": [f"{dataset} {number}"]}
        for model in "ab"
        for dataset in "xy"
        for number in range(12)
    ]
    frame = pd.DataFrame(rows).qa.score("response", "answers", metrics="f1")
    return frame.assign(f1=np.random.default_rng(0).random(len(frame)))


def test_the_remedy_for_questions_of_several_datasets_is_one_that_power_takes():
    scored = pilot_of_datasets()
    with pytest.raises(qa_frame.errors.PairingError) as error:
        qa_frame.power(scored, by="model", question="question_id", metric="f1", difference=0.1)
    assert "within=" not in str(error.value)
    assert (
        len(qa_frame.power(scored, by="model", question=["dataset", "question_id"], metric="f1", difference=0.1)) == 1
    )


@pytest.mark.parametrize("n_twice", [0, 1])
def test_samples_that_are_taken_for_questions_are_refused_whatever_stands_twice(n_twice):
    rows = pilot_of_datasets().query("dataset == 'x'")
    rows = pd.concat([rows.assign(sample=sample) for sample in range(3)], ignore_index=True)
    rows = pd.concat([rows, rows.head(n_twice)], ignore_index=True)
    with pytest.raises(qa_frame.errors.PairingError, match="sample"):
        qa_frame.power(rows, by="model", question=["question_id", "sample"], metric="f1", difference=0.1)
