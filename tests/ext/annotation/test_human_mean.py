"""A mean of verdicts from few labels, and where a metric and people disagree: on any frame, nothing in silence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import qa_frame
from tests.kinds import KINDS, as_pandas


@pytest.fixture(scope="module")
def labelled():
    """Scored rows of two models; a fifth of them have a verdict."""
    random = np.random.default_rng(2)
    n = 300
    frame = pd.DataFrame({"model": random.choice(["x", "y"], n), "q": np.arange(n) // 3})
    frame["f1"] = random.choice([0, 0.25, 0.5, 1], n)
    verdict = (random.random(n) < 0.1 + 0.8 * frame["f1"]).astype(float)
    frame["human"] = verdict.where(random.random(n) < 0.2)
    frame.loc[::50, "f1"] = np.nan
    return frame


def test_labels_alone_are_those_of_summary(labelled):
    table = labelled.qa.human_mean(by="model", ci=0.9)
    known = labelled.assign(human=labelled["human"].mask(labelled["f1"].isna()))
    summed = known.qa.summary("model", metrics=["human", "f1"], ci=0.9)
    for end in ("", "_lo", "_hi"):
        np.testing.assert_allclose(table[f"labels_alone{end}"], summed[f"human{end}"], rtol=1e-12)
    np.testing.assert_allclose(table["metric_mean"], summed["f1"], rtol=1e-12)
    assert table["n_labelled"].tolist() == summed["n_human"].tolist()
    assert table["n_not_used"].sum() == labelled["f1"].isna().sum()
    narrower = table["human_mean_hi"] - table["human_mean_lo"] < table["labels_alone_hi"] - table["labels_alone_lo"]
    assert narrower.all()


@pytest.mark.parametrize("kind", KINDS)
def test_any_frame(labelled, kind):
    options = {"by": "model", "cluster": "q"}
    expected = qa_frame.human_mean(labelled, **options).reset_index()
    found = as_pandas(qa_frame.human_mean(KINDS[kind](labelled), **options))
    found = found.reset_index() if kind == "pandas" else found
    pd.testing.assert_frame_equal(found, expected, check_exact=True, check_dtype=False)
    rows = as_pandas(qa_frame.disagreements(KINDS[kind](labelled), threshold="best"))
    assert rows["q"].tolist() == qa_frame.disagreements(labelled, threshold="best")["q"].tolist()


def test_order_and_index_make_no_difference(labelled):
    order = np.random.default_rng(1).permutation(len(labelled))
    other = labelled.iloc[order].set_axis(np.zeros(len(labelled), int))
    for cluster in (None, "q"):
        one, two = (frame.qa.human_mean(by="model", cluster=cluster) for frame in (labelled, other))
        pd.testing.assert_frame_equal(one, two, check_exact=True)


@pytest.mark.parametrize("grade", [2, -1, 1.5])
def test_verdicts_beyond_0_and_1(labelled, grade):
    frame = labelled.assign(human=labelled["human"].replace(1, grade))
    with pytest.raises(
        qa_frame.errors.VerdictError, match=r"human='human' holds .* numbers from 0 \(wrong\) to 1 \(right\)"
    ):
        frame.qa.human_mean()


def test_shares_are_verdicts(labelled):
    half = labelled.assign(human=labelled["human"] / 2)
    assert half.qa.human_mean()["human_mean"].iloc[0] == pytest.approx(
        labelled.qa.human_mean()["human_mean"].iloc[0] / 2
    )


def test_too_few_labels(labelled):
    frame = labelled.assign(human=labelled["human"].where(labelled["model"] == "x"))
    with pytest.warns(
        qa_frame.errors.IntervalWarning, match=r"fewer than 3 labels, so no figure, in 1 of 2 groups \('y'\)"
    ):
        table = frame.qa.human_mean(by="model")
    assert table.loc["y", ["human_mean", "human_mean_lo", "slope"]].isna().all()
    assert table.loc["y", "n_labelled"] == 0
    assert table.loc["x", "human_mean"] > 0
    for verdict in (np.nan, labelled["human"].where(labelled.index < 5)):
        with pytest.raises(qa_frame.errors.VerdictError, match=r"gives \d labels .* needs 3 or more"):
            labelled.assign(human=verdict).qa.human_mean()
    with pytest.raises(qa_frame.errors.VerdictError, match="clusters with labels"):
        labelled.assign(half=labelled.index % 2).qa.human_mean(cluster="half")


def test_few_clusters(labelled):
    with pytest.warns(
        qa_frame.errors.IntervalWarning,
        match="fewer than 10 clusters with labels, or so unequal that they are worth fewer, in 1 of 1 groups",
    ):
        labelled.assign(part=labelled.index % 5).qa.human_mean(cluster="part")


def test_a_metric_that_is_constant(labelled):
    with pytest.warns(qa_frame.errors.IntervalWarning, match="'flat' does not vary among labelled rows"):
        row = labelled.assign(flat=0.5).qa.human_mean(metric="flat").loc["all"]
    assert np.isnan(row["slope"])
    assert row["human_mean"] == row["labels_alone"]
    assert row["human_mean_lo"] == row["labels_alone_lo"]


# --- where they disagree


def test_the_cells_are_the_rows(labelled):
    known = labelled.dropna()
    says, is_right = known["f1"] >= 0.5, known["human"] == 1
    expected = [(says & is_right), (says & ~is_right), (~says & is_right), (~says & ~is_right)]
    cells = ["both_right", "only_metric_right", "only_people_right", "both_wrong"]
    rows = labelled.qa.disagreements(threshold=0.5)
    assert sorted(rows.index) == known.index[says != is_right].tolist()
    distance = (rows["f1"] - 0.5).abs()
    assert (distance.diff().dropna() <= 0).all()
    note = rows.attrs["qa_disagreements"]
    assert [note[cell] for cell in cells] == [cell.sum() for cell in expected]
    assert note["n"] == len(known)


def test_the_threshold_is_that_of_agreement(labelled):
    agreed = labelled.qa.agreement(human="human").loc["f1"]
    note = labelled.qa.disagreements(threshold="best").attrs["qa_disagreements"]
    assert note["threshold"] == agreed["threshold"]
    known = labelled.dropna()
    counts = pd.crosstab(known["human"] == 1, known["f1"] >= note["threshold"])
    cells = ["both_right", "only_people_right", "only_metric_right", "both_wrong"]
    assert [note[cell] for cell in cells] == counts.iloc[::-1, ::-1].to_numpy().ravel().tolist()


@pytest.mark.parametrize(
    ("columns", "options", "error", "said"),
    [
        ({"human": [0, 1, 2, 1]}, {}, qa_frame.errors.VerdictError, "3 grades"),
        ({"human": [1, 1, 1, None]}, {}, qa_frame.errors.VerdictError, "is always 1"),
        ({"f1": [0.5] * 4}, {}, qa_frame.errors.ColumnTypeError, "metric='f1' has no threshold"),
        ({}, {"threshold": "0.5"}, qa_frame.errors.UnknownOptionError, "threshold='0.5' is not a number"),
    ],
)
def test_errors(columns, options, error, said):
    frame = pd.DataFrame({"f1": [0.0, 0.5, 1.0, 1.0], "human": [0, 0, 1, 1]} | columns)
    with pytest.raises(error, match=said):
        qa_frame.disagreements(frame, **{"threshold": "best"} | options)


def test_disagreements_of_one_distance_come_in_an_order_of_their_own():
    """Else the first of them are all of the model that the file begins with."""
    n = 100
    rows = pd.DataFrame({"model": np.repeat(list("ab"), n), "q": np.arange(2 * n), "f1": 0.0, "human": 1})
    rows = pd.concat([rows, rows.assign(model="c", human=0, q=rows["q"] + 2 * n)], ignore_index=True)
    found = rows.qa.disagreements(human="human", threshold=0.5)
    assert len(found) == 2 * n
    assert 30 <= (found["model"][:n] == "a").sum() <= 70
    shuffled = rows.sample(frac=1, random_state=0).qa.disagreements(human="human", threshold=0.5)
    assert shuffled["q"].tolist() == found["q"].tolist()
    in_polars = qa_frame.disagreements(pl.from_pandas(rows), human="human", threshold=0.5)
    assert in_polars["q"].to_list() == found["q"].tolist()
