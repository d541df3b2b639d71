"""Tables and pictures round a figure alike."""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.figure import Figure

import qa_frame
from qa_frame import plot
from qa_frame.tables.visible import number

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
