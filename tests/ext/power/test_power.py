"""How many questions: examples, and what is no design."""

from __future__ import annotations

import math

import numpy as np
import pytest

import qa_frame

COLUMNS = ["difference", "n", "power", "sd", "n_samples", "ci", "unit"]


def one(**design):
    table = qa_frame.power(**design)
    assert list(table.columns) == COLUMNS
    assert len(table) == 1
    return table.iloc[0]


def test_examples():
    row = one(win_rate=0.15, difference=0.05)
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
    "sd=0.5 is given beside win_rate": {"n": 10, "sd": 0.5, "win_rate": 0.1, "difference": 0.05},
    "difference=None is not a number, which win_rate needs": {"n": 10, "win_rate": 0.1},
    "difference=\\[0.05, 0.1\\] is not a number, which": {"win_rate": 0.1, "difference": [0.05, 0.1]},
    "n_samples=None is not a whole number": {"n": 10, "sd": 0.5, "n_samples": None},
    "leave 0.5 as the share .* which is not from 0 to 0.4": {"win_rate": 0.6, "difference": 0.1},
    "leave -0.1 as the share .* which is not from 0 to 0.9": {"win_rate": 0.1, "difference": 0.2},
    "difference=0.0 is not a number above 0": {"win_rate": 0.1, "difference": 0.0},
    "win_rate=1 says that one model alone is right on every": {"win_rate": 1, "difference": 1},
    "difference=-0.01 is not a number above -0.01": {"win_rate": 0.05, "difference": -0.01, "margin": 0.01},
    "win_rate=-0.1 is not a number from 0 to 1": {"win_rate": -0.1, "difference": 0.1},
    "n_samples=2 needs the standard deviation among samples": {"n": 10, "sd": 0.5, "n_samples": 2},
    "within_sd=0.5 makes differences": {"n": 10, "sd": 0.5, "within_sd": 0.5},
    "within_sd=.* holds 3 numbers": {"n": 10, "sd": 0.5, "within_sd": [0.1, 0.1, 0.1]},
    "n_samples=0 is not a whole number": {"n": 10, "sd": 0.5, "n_samples": 0},
}


@pytest.mark.parametrize("message", WRONG)
def test_arguments_that_are_wrong(message):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=message):
        qa_frame.power(**WRONG[message])


def test_differences_of_scores_of_another_range():
    assert qa_frame.power(difference=2, sd=40)["n"].item() == qa_frame.power(difference=0.02, sd=0.4)["n"].item()
    assert qa_frame.power(margin=2, sd=40)["n"].item() == qa_frame.power(margin=0.02, sd=0.4)["n"].item()


# ------------------------------------------------------------------ the test that is planned for


def test_a_margin_is_a_one_sided_test():
    table = qa_frame.power(margin=0.02, sd=0.4)
    expected = ((1.6448536269514722 + 0.8416212335729143) * 0.4 / 0.02) ** 2
    assert table["n"].item() == math.ceil(expected)
    assert table["difference"].item() == 0
    assert table["margin"].item() == 0.02
    assert qa_frame.power(margin=0.02, sd=0.4, difference=-0.01)["n"].item() == math.ceil(4 * expected)
    assert qa_frame.power(margin=0.02, win_rate=0.1)["n"].item() > 1000
    least = qa_frame.power(margin=0.02, sd=0.4, n=math.ceil(expected))["difference"].item()
    assert -1e-5 < least <= 0


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        ("margin=0 is not a number above 0", {"margin": 0}),
        ("difference=-0.02 is not a number above -0.02", {"margin": 0.02, "difference": -0.02}),
        ("ci=0.4 tests a margin at the level 0.6", {"margin": 0.02, "ci": 0.4}),
        ("margin=1 is 1 or more, so that a model could not fail", {"margin": 1}),
        ("power=0.05 is not above 1 - ci", {"margin": 0.02, "power": 0.05}),
    ],
)
def test_wrong_margins(message, wrong):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=message):
        qa_frame.power(**({"sd": 0.5} | wrong))
