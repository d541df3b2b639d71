"""Tables and pictures show a figure alike: in the unit of the table, rounded in one way."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import qa_frame
from qa_frame import plot
from qa_frame.tables.visible import number

KEYS = ["model", "dataset"]
CALLS = {"summary": plot.summary, "trend": plot.trend}


@pytest.fixture(scope="module")
def scored():
    return (
        qa_frame.sample()
        .assign(step=lambda rows: rows.groupby("model").cumcount() % 3)
        .qa.score("response", "answers", metrics="f1")
    )


def drawn(axes):
    return np.sort(
        np.concatenate([line.get_xdata() if axes.get_ylabel() in KEYS else line.get_ydata() for line in axes.lines])
    )


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("percent", [False, True])
def test_figures_have_the_unit_of_the_table(scored, call, percent):
    table = scored.qa.summary(["step", "model"] if call == "trend" else "model", percent=percent)
    axes = CALLS[call](table, ax=Figure().subplots())
    assert ("(%)" if percent else "(0 to 1)") in axes.get_xlabel() + axes.get_ylabel()
    np.testing.assert_allclose(drawn(axes), np.sort(table["f1"].to_numpy().ravel()), atol=1e-12)


def test_a_map_has_the_unit_of_the_table(scored):
    for percent, written in (
        (True, ["13.1", "28.3", "66.6", "78.2", "41.0", "26.8"]),
        (False, ["0.13", "0.28", "0.67", "0.78", "0.41", "0.27"]),
    ):
        axes = plot.heatmap(scored.qa.summary(KEYS, percent=percent), ax=Figure().subplots())
        assert [text.get_text() for text in axes.texts] == written


HALVES = [54.85, 0.25, 2.675, 99.95, 0.05, 0.15, 0.35, 12.45]


@pytest.mark.needs("style")
def test_tables_and_maps_round_alike():
    rows = pd.DataFrame({"a": ["x"] * 8, "b": list("abcdefgh"), "n": 1, "f1": HALVES}).set_index(["a", "b"])
    styled = [cell.rstrip("*") for cell in qa_frame.style(rows, digits=1).cells["f1"]]
    assert [text.get_text() for text in plot.heatmap(rows, ax=Figure(figsize=(9, 4)).subplots()).texts] == styled
    assert styled[0] == "54.9"


@pytest.mark.needs("style")
def test_what_rounds_to_nothing_has_no_sign():
    compared = pd.DataFrame(
        {"metric": "f1", "a": ["x"], "b": ["y"], "diff": [0.001], "diff_lo": [-0.1], "diff_hi": [0.1], "p_adj": [0.9]}
    )
    assert [number(value, "+.1f") for value in (-0.04, 0.04, -0.05, 1)] == ["0.0", "0.0", "−0.1", "+1.0"]
    assert qa_frame.style(compared.assign(diff=-0.0001)).cells["diff"][0].startswith("0.000")
