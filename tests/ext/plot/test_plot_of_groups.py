"""Pictures of many groups: maps of pairs, trends, pairs on the same questions, and the choice of rows."""

from __future__ import annotations

import re
import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib.figure import Figure

import qa_frame
from qa_frame import plot
from tests.ext.plot.test_plot import intervals, points, row_names
from tests.ext.plot.test_plot_styles import COMPARED

mpl.use("Agg")

LONG = "an-organisation/A-Model-With-A-Very-Long-Name-70B-Instruct"
STEPS = [1, 10, 100]


def new_axes(width=6, height=3):
    """Axes that pyplot does not know."""
    return Figure(figsize=(width, height), layout="constrained").subplots()


@pytest.fixture(scope="module")
def scored():
    return qa_frame.sample().qa.score("response", "answers", metrics=["em", "f1"])


@pytest.fixture(scope="module")
def compared(scored):
    return scored.qa.compare("model", "question_id", metrics=["em", "f1"], n_resamples=200)


def of_models(n_models, n_questions=30, steps=(0,)):
    """Made-up scores: a later model is better, and a later step, too."""
    random = np.random.default_rng(0)
    rows = pd.MultiIndex.from_product(
        [[f"m{place:02d}" for place in range(n_models)], range(n_questions), steps], names=["model", "question", "step"]
    ).to_frame(index=False)
    skill = 0.3 + rows["model"].str[1:].astype(int) / n_models / 2 + np.log1p(rows["step"]) / 40
    f1 = skill + random.normal(0, 0.1, len(rows))
    return rows.assign(f1=f1.clip(0.01, 0.99), dataset=np.where(rows["question"] % 2, "odd", "even"))


def summed(frame, by, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qa_frame.errors.IntervalWarning)
        return frame.qa.summary(by, metrics="f1", **options)


# --- trend


@pytest.mark.parametrize("convert", [None, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("percent", [False, True])
def test_a_trend_stands_where_the_table_says(convert, percent):
    frame = of_models(2, steps=STEPS)
    table = summed(frame, ["step", "model"], ci=0.9, percent=percent)
    asked = {"by": ["step", "model"], "metrics": "f1", "ci": 0.9, "percent": percent}
    ax = plot.trend(table if convert is None else qa_frame.summary(convert(frame), **asked), ax=new_axes())
    assert list(points(ax)) == ["m00", "m01"]
    for name, band in zip(("m00", "m01"), ax.collections, strict=True):
        of_model = table.xs(name, level="model")
        np.testing.assert_allclose(points(ax)[name], np.c_[STEPS, of_model["f1"]])
        ends = {(x, round(y, 9)) for x, y in band.get_paths()[0].vertices}
        for end in ("f1_lo", "f1_hi"):
            assert ends >= {(x, round(y, 9)) for x, y in zip(STEPS, of_model[end], strict=True)}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("step", "f1 (%)" if percent else "f1 (0 to 1)")
    assert ax.get_legend().get_title().get_text() == "model"


def test_gaps_and_nulls_of_a_trend():
    table = pd.DataFrame(
        {"model": "a", "step": [3.0, 1.0, 2.0, 4.0, np.nan], "n": 9, "f1": [0.3, 0.1, np.nan, 0.4, 0.9]}
    ).assign(f1_lo=lambda rows: rows["f1"] - 0.1, f1_hi=lambda rows: rows["f1"] + 0.1)
    ax = plot.trend(table, ax=new_axes())
    (line,) = ax.lines
    np.testing.assert_array_equal(line.get_xdata(), [1, 2, 3, 4])
    np.testing.assert_array_equal(line.get_ydata(), [0.1, np.nan, 0.3, 0.4])
    (alone,) = ax.collections[1].get_segments()  # a point that no band reaches
    np.testing.assert_allclose(alone, [[1, 0.0], [1, 0.2]])
    assert ax.get_xlabel() == "step (1 of 5 groups left out)"
    assert ax.get_legend() is None


def test_the_key_of_a_trend():
    frame = of_models(2, steps=STEPS).assign(shots=lambda rows: rows["question"] % 2, checkpoint="step-100")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"keys of numbers \['step', 'shots'\]; choose one"):
        plot.trend(summed(frame, ["step", "shots"]))
    ax = plot.trend(summed(frame, ["step", "shots"]), over="shots", ax=new_axes())
    assert list(points(ax)) == ["1", "10", "100"]
    assert ax.get_xlabel() == "shots"
    for by in (["model", "checkpoint"], "model", None):
        with pytest.raises(
            qa_frame.errors.UnknownOptionError, match=r"over=None: of the keys .*, none hold numbers; make"
        ):
            plot.trend(summed(frame, by))
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match=r"over='checkpoint': .* \['step'\] hold numbers"
    ) as error:
        plot.trend(summed(frame, ["checkpoint", "step"]), over="checkpoint")
    (remedy,) = re.findall(r"df\.assign\(.*astype\(float\)\)", str(error.value))
    df = eval(remedy, {"df": frame})
    plot.trend(qa_frame.summary(df, by=["model", "step"]), "f1", ax=new_axes())
    with pytest.raises(qa_frame.errors.ColumnTypeError, match=r"result of compare; .* call qa_frame\.plot\.compare"):
        plot.trend(COMPARED)


# --- tables that pandas has sorted, and tables without rows


def test_pandas_sorts_and_chooses_rows(scored, compared):
    table = scored.qa.summary("model")
    best = table.sort_values("f1", ascending=False).head(2)
    assert row_names(plot.summary(best, "f1", ax=new_axes())) == ["lynx-70b", "otter-chat"]
    largest = compared.nlargest(2, "diff")
    pairs = dict.fromkeys(f"{a} − {b}" for a, b in zip(largest["a"], largest["b"], strict=True))
    assert row_names(plot.compare(largest, ax=new_axes())) == list(pairs)
    ax = plot.ranks(compared.qa.ranks().head(2), "em", ax=new_axes())
    assert len(intervals(ax)) == 2


def test_tables_without_rows(scored, compared):
    by_two = scored.qa.summary(["model", "dataset"])
    for ax in (
        plot.compare(compared.head(0), ax=new_axes()),
        plot.summary(by_two.head(0), "f1", ax=new_axes()),
    ):
        assert not any(len(xy) for xy in points(ax).values())
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="table has no rows"):
        plot.heatmap(by_two.head(0), "f1")


# --- many series


@pytest.mark.thorough
def test_a_hint_once_above_eight_series_and_its_remedy():
    table = summed(of_models(9, steps=STEPS), ["model", "step"], ci=0.9)
    with pytest.warns(
        qa_frame.errors.PlotWarning,
        match="9 series are hard to tell apart in a picture; keep fewer groups of the table",
    ) as caught:
        ax = plot.trend(table, ax=new_axes())
    assert len(caught) == 1
    assert not ax.collections  # bands of so many would hide each other
    kept = table[table.index.get_level_values("model") != "m00"]
    assert len(plot.trend(kept, ax=new_axes()).lines) == 8  # a warning would be an error here
    two_metrics = table.assign(em=0.5)
    two_metrics.attrs = {}
    with pytest.warns(qa_frame.errors.PlotWarning, match="18 series .*, or choose some with metrics="):
        plot.trend(two_metrics, ["f1", "em"], ax=new_axes())
    by_two = summed(of_models(9), ["dataset", "model"])
    with pytest.warns(qa_frame.errors.PlotWarning, match="keep fewer values of 'model'"):
        plot.summary(by_two, ax=new_axes())


@pytest.mark.thorough
def test_a_legend_names_forty_series_at_most():
    table = pd.DataFrame({f"m{place}": [0.5] for place in range(60)})
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match=r"60 series .* a legend names 40; choose some with metrics="
    ):
        plot.summary(table, ax=new_axes())
