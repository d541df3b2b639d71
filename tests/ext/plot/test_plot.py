"""Plots: points, intervals and bars stand where the tables say."""

from __future__ import annotations

import itertools
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import qa_frame
from qa_frame import plot
from qa_frame.ext.plot import drawing

mpl.use("Agg")

LONG = "an-organisation/A-Model-With-A-Very-Long-Name-70B-Instruct-$x^2$"


@pytest.fixture(scope="module")
def scored():
    return qa_frame.sample().qa.score("response", "answers", metrics=["em", "f1"], stats=True)


@pytest.fixture(scope="module")
def compared(scored):
    return scored.qa.compare("model", "question_id", metrics=["em", "f1"], n_resamples=200)


@pytest.fixture
def ax():
    """Axes that pyplot does not know."""
    return Figure(figsize=(6, 3)).subplots()


@pytest.fixture(autouse=True)
def no_figure_is_left():
    """Whatever a test draws without axes is closed, and settings are as they were."""
    plt.close("all")  # of tests elsewhere
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before


def points(ax):
    """The places of all markers, by the name of their series."""
    return {line.get_label(): line.get_xydata() for line in ax.lines if line.get_marker() not in {"None", ""}}


def intervals(ax):
    """The ends of all horizontal intervals, series by series."""
    return [segment[:, 0].tolist() for lines in ax.collections for segment in lines.get_segments()]


def row_names(ax):
    return [label.get_text().replace("\n", "") for label in ax.get_yticklabels()]


# --- the module


@pytest.mark.thorough
def test_the_module_has_its_functions_alone_and_loads_matplotlib_late():
    script = (
        "import sys, qa_frame; from qa_frame.plot import compare; import qa_frame.plot as plot\n"
        "assert plot is qa_frame.plot and plot.compare is compare and plot.__all__ == dir(plot)\n"
        "print(*dir(plot), 'matplotlib' in sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    *names, is_loaded = printed.split()
    assert names == sorted(qa_frame.plot.__all__)
    assert {"compare", "ranks", "summary"} <= set(names)
    assert is_loaded == "False"


# --- summary


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("convert", [None, pl.from_pandas, pa.Table.from_pandas])
def test_summary_shows_each_figure(scored, ax, long, convert):
    data = scored if convert is None else convert(scored)
    expected = scored.qa.summary("model", ci=0.9)
    table = qa_frame.summary(data, "model", ci=0.9, long=long)
    assert plot.summary(table, ["f1", "em"], ax=ax) is ax
    found = points(ax)
    assert list(found) == ["f1", "em"]
    for name in found:
        np.testing.assert_allclose(found[name][:, 0], expected[name])
        assert np.array_equal(np.round(found[name][:, 1]), [0, 1, 2])
    bounds = [row for name in ("f1", "em") for row in expected[[f"{name}_lo", f"{name}_hi"]].to_numpy().tolist()]
    np.testing.assert_allclose(intervals(ax), bounds)
    assert row_names(ax) == list(expected.index)
    assert ax.get_xlabel() == "score (0 to 1)"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["f1", "em"]


def test_summary_by_two_keys_has_a_series_for_the_last(scored, ax):
    table = scored.qa.summary(["model", "dataset"], percent=True)
    plot.summary(table, "f1", ax=ax)
    found = points(ax)
    assert list(found) == ["explain", "facts"]
    for dataset, xy in found.items():
        np.testing.assert_allclose(xy[:, 0], table["f1"].xs(dataset, level="dataset"))
    assert intervals(ax) == []
    assert ax.get_xlabel() == "f1 (%)"
    assert ax.get_legend().get_title().get_text() == "dataset"


def test_summary_without_groups(scored, ax):
    plot.summary(scored.qa.summary(ci=0.9), "f1", ax=ax)
    assert row_names(ax) == ["all"]
    assert ax.get_legend() is None
    assert len(points(ax)) == len(intervals(ax)) == 1


def test_a_group_without_scores_says_so(scored, ax):
    table = scored.assign(f1=scored["f1"].where(scored["model"] != "lynx-70b")).qa.summary("model", ci=0.9)
    plot.summary(table, "f1", ax=ax)
    (said,) = ax.texts
    assert (said.get_text(), said.get_position()[1]) == ("not scored", 1)
    assert points(ax)["f1"][:, 1].tolist() == [0, 2]
    assert len(intervals(ax)) == 2


def test_names_of_groups_are_shown_as_they_are(scored):
    names = {"lynx-70b": LONG, "heron-7b": None, "otter-chat": "a\x1b\nb"}
    table = scored.assign(model=scored["model"].map(names)).qa.summary("model")
    ax = plot.summary(table, "f1")
    assert sorted(row_names(ax)) == sorted([LONG, "a\\x1b\\nb", "(null)"])
    assert not any(label.get_parse_math() for label in ax.get_yticklabels())
    ax.figure.canvas.draw()


@pytest.mark.thorough
def test_rows_of_many_groups_do_not_overlap(scored):
    groups = pd.Series([f"{LONG}-{row % 30}" for row in range(len(scored))], scored.index)
    ax = plot.summary(scored.assign(model=groups).qa.summary("model"), ["em", "f1"])
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert len(boxes) == 30
    assert all(upper.y0 >= lower.y1 for upper, lower in itertools.pairwise(boxes))
    assert min(box.x0 for box in boxes) >= 0


@pytest.mark.needs("abstention")
@pytest.mark.thorough
def test_curves_have_room_beside_a_legend_of_many_groups(scored):
    names = [f"org/model-{row % 24:02d}, of the longest name that anybody gives" for row in range(len(scored))]
    table = scored.assign(model=names, sure=1.0).qa.risk_coverage(confidence="sure", metric="f1", by="model")
    with pytest.warns(qa_frame.errors.PlotWarning, match="24 series are hard to tell apart"):
        axes = plot.risk_coverage(table)
    axes.figure.canvas.draw()  # matplotlib warns where nothing is left of the axes
    whole, legend = axes.figure.bbox, axes.get_legend().get_window_extent()
    assert whole.y0 <= legend.y0 <= legend.y1 <= whole.y1
    assert axes.get_window_extent().width > 100


def test_no_two_series_look_the_same(ax):
    table = pd.DataFrame({f"m{place}": [0.5] for place in range(40)})
    with pytest.warns(
        qa_frame.errors.PlotWarning, match="40 series are hard to tell apart .*; choose some with metrics="
    ):
        plot.summary(table, ax=ax)
    looks = {(line.get_color(), line.get_marker()) for line in ax.lines if line.get_marker() != "None"}
    assert len(looks) == 40
    assert "#F0E442" not in drawing.COLOURS


# --- compare


def test_compare_shows_each_difference(compared, ax):
    compared = compared.copy()
    compared.attrs["qa_compare"] = compared.attrs["qa_compare"] | {"ci": 0.999}
    plot.compare(compared, percent=True, ax=ax)
    rows = [f"{a} − {b}" for a, b in zip(compared["a"], compared["b"], strict=True)]
    assert row_names(ax) == list(dict.fromkeys(rows))
    np.testing.assert_allclose(intervals(ax), 100 * compared[["diff_lo", "diff_hi"]].to_numpy())
    drawn = {(round(x, 9), round(y)): line.get_markerfacecolor() for line in ax.lines for x, y in line.get_xydata()}
    for name, diff, p in zip(rows, compared["diff"], compared["p_adj"], strict=True):
        assert (drawn[round(100 * diff, 9), row_names(ax).index(name)] != "#ffffff") == (p < 1e-3)
    said = ax.get_xlabel().replace("\n", " ")
    assert said == "difference in score (percentage points); filled: p_adj < 0.001; bars: Holm-corrected 95 % intervals"


def test_compare_of_what_cannot_be_paired(scored, ax):
    with pytest.warns(qa_frame.errors.PairingWarning, match="9 of 15 rows .* within='dataset'"):
        table = scored.qa.compare(["dataset", "model"], "question_id", metrics="f1")
    plot.compare(table, ax=ax)
    absent = table.index[table["n"] == 0].tolist()
    assert absent
    assert [text.get_position()[1] for text in ax.texts if text.get_text() == "nothing paired"] == absent
    assert row_names(ax)[0] == "explain, heron-7b − explain, lynx-70b"
    other = Figure().subplots()
    plot.compare(pl.from_pandas(table), ax=other)
    assert row_names(other) == row_names(ax)


# --- the others


def test_heatmap_shows_each_figure(scored, ax):
    left_out = (scored["model"] == "heron-7b") & (scored["dataset"] == "facts")
    table = scored[~left_out].qa.summary(["model", "dataset"], percent=True)
    plot.heatmap(table, "f1", ax=ax)
    expected = table["f1"].unstack()  # noqa: PD010
    shown = np.array([text.get_text() for text in ax.texts]).reshape(expected.shape)
    assert shown[0, 1] == "–"
    assert [f"{value:.1f}" for value in table["f1"]] == [text for text in shown.ravel() if text != "–"]
    np.testing.assert_allclose(np.ma.filled(ax.images[0].get_array(), np.nan), expected)
    assert ax.images[0].get_clim() == (table["f1"].min(), table["f1"].max())
    assert not ax.patches  # nothing lies over the grey of what is not there
    assert [label.get_text() for label in ax.get_xticklabels()] == list(expected.columns)
    assert ax.get_title() == "f1 (%)"


def test_distribution_shows_shares(scored, ax):
    plot.distribution(scored, "f1", by="model", ax=ax)
    widths = np.array([[bar.get_width() for bar in bars] for bars in ax.containers])
    np.testing.assert_allclose(widths.sum(axis=0), 100)
    for row, (_, f1) in enumerate(scored.groupby("model")["f1"]):
        found = f1.dropna()
        between = [((found > low) & (found <= low + 0.25) & (found < 1)).mean() for low in (0, 0.25, 0.5, 0.75)]
        np.testing.assert_allclose(widths[:, row], 100 * np.array([(found == 0).mean(), *between, (found == 1).mean()]))
    with pytest.raises(qa_frame.errors.ColumnTypeError, match=r"scores from 0 to 100, .* divide the column"):
        plot.distribution(scored.assign(f1=scored["f1"] * 100), "f1", ax=ax)


# --- axes and errors


def test_a_figure_is_made_only_without_axes(scored, ax):
    table = scored.qa.summary("model")
    plot.summary(table, ax=ax)
    assert plt.get_fignums() == []
    made = plot.summary(table)
    assert plt.get_fignums() == [made.figure.number]
    other = plot.summary(table)
    assert other.figure is not made.figure


WRONG_TABLES = {
    "compare": (plot.summary, lambda frame: frame.qa.compare("model", "question_id", n_resamples=200), "plot.compare"),
    "agreement": (plot.summary, lambda frame: frame.qa.agreement(), "result of agreement"),
    "text": (plot.summary, lambda frame: frame[["model"]], "no column of figures"),
    "summary": (
        plot.compare,
        lambda frame: frame.qa.summary("model"),
        "no column 'metric'; give a result of .*compare",
    ),
    "one key": (
        plot.heatmap,
        lambda frame: frame.qa.summary("model", metrics="f1")[["n", "f1"]],
        "a map needs two keys",
    ),
    "two figures": (plot.heatmap, lambda frame: frame.qa.summary(["model", "dataset"]), "metric is not given"),
    "two metrics": (plot.distribution, lambda frame: frame, "metric is not given, and data has .*'em', 'f1'"),
    "not scored": (plot.distribution, lambda frame: frame[["model"]], "no score column"),
    "path": (plot.summary, lambda _: "table.csv", "not a table of results"),
}


@pytest.mark.needs("annotation")
@pytest.mark.parametrize("case", WRONG_TABLES)
def test_wrong_tables(scored, case):
    function, make, said = WRONG_TABLES[case]
    with pytest.raises(qa_frame.QaFrameError, match=said):
        function(make(scored))
    assert plt.get_fignums() == []


def test_wrong_metrics_and_axes(scored):
    table = scored.qa.summary("model")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="metrics='F1' is not known; did you mean 'f1'"):
        plot.summary(table, "F1")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"ax=.*is not an Axes of matplotlib"):
        plot.summary(table, ax=Figure())


def test_without_matplotlib(scored, monkeypatch):
    table = scored.qa.summary("model")
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as where it is not installed
    with pytest.raises(qa_frame.errors.MissingPackageError) as caught:
        plot.summary(table)
    assert str(caught.value) == 'qa_frame.plot needs matplotlib, which is not installed; pip install "qa-frame[plot]"'


# --- ranks and power


@pytest.mark.parametrize("convert", [None, pl.from_pandas, pa.Table.from_pandas])
def test_ranks_stand_where_the_table_says(compared, ax, convert):
    table = compared.qa.ranks()
    plot.ranks(table if convert is None else convert(table), ax=ax)
    assert row_names(ax) == ["lynx-70b", "heron-7b", "otter-chat"]
    by_row = table.set_index(["metric", "group"]).loc[list(itertools.product(("em", "f1"), row_names(ax)))]
    for metric in ("em", "f1"):
        assert points(ax)[metric][:, 0].tolist() == by_row.loc[metric, "rank"].tolist()
    assert intervals(ax) == by_row[["rank_lo", "rank_hi"]].to_numpy(float).tolist()
    assert not ax.texts
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["em", "f1"]
    assert ax.get_xlabel() == "rank, 1 is the best; bar: the ranks that a group may have"


def test_a_row_with_two_points_of_a_series_is_an_error(scored, compared):
    ranked, long = compared.qa.ranks(), scored.qa.summary("model", long=True)
    for draw, table in ((plot.compare, compared), (plot.ranks, ranked), (plot.summary, long)):
        with pytest.raises(qa_frame.errors.PairingError, match="2 rows of 'em' for "):
            draw(pd.concat([table, table]))


def test_another_table_than_that_of_ranks(compared):
    with pytest.raises(
        qa_frame.errors.ColumnNotFoundError, match=r"has no column 'group'; give a result of qa_frame.ranks"
    ):
        plot.ranks(compared)


# --- risk against coverage


def sure(scored):
    """A confidence that knows something of the scores; higher for one model."""
    length = scored["response"].str.len().fillna(0)
    return scored.assign(sure=(1 / (1 + length)).round(3) + (scored["model"] == "lynx-70b") / 10)


@pytest.mark.needs("abstention")
def test_risk_coverage(scored):
    rows = sure(scored)
    curve = qa_frame.risk_coverage(rows, confidence="sure", metric="f1", by="model")
    ax = plot.risk_coverage(curve)
    assert [line.get_label() for line in ax.lines] == sorted(rows["model"].unique())
    for line, (_, of_model) in zip(ax.lines, curve.groupby(level="model"), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), of_model[["coverage", "risk"]].to_numpy())
    assert ax.get_legend().get_title().get_text() == "model"
    again = plot.risk_coverage(pl.from_pandas(curve.reset_index()), ax=Figure().subplots())
    assert [line.get_label() for line in again.lines] == [line.get_label() for line in ax.lines]
    alone = plot.risk_coverage(qa_frame.risk_coverage(rows, confidence="sure", metric="f1"), ax=Figure().subplots())
    assert len(alone.lines) == 1
    assert alone.get_legend() is None


def test_risk_coverage_of_another_table(scored):
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match=r"give a result of qa_frame\.risk_coverage"):
        plot.risk_coverage(scored.qa.summary("model"))
