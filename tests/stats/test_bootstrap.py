"""The bootstrap: units drawn alike, percentiles as by numpy, and one result whatever the order, threads or batches."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import qa_frame
from qa_frame.parallel import jobs
from qa_frame.stats import bootstrap
from qa_frame.stats.bootstrap import expanded_tails
from qa_frame.stats.intervals import Interval
from qa_frame.stats.rows import KeptUnits
from qa_frame.stats.statistic import Mean
from tests.stats.frames import FIGURES, all_bounds, bounds_of, make_frame

pytestmark = [
    pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning"),
    pytest.mark.filterwarnings("ignore::qa_frame.errors.MixedScoresWarning"),
]


# -------------------------------------------------------------------------------------------------------- percentiles


@given(
    drawn=hnp.arrays(np.float64, st.tuples(st.integers(1, 40), st.just(3)), elements=st.floats(-1e6, 1e6)),
    tail=st.floats(0.0001, 0.5),
)
def test_percentiles_are_those_of_numpy(drawn, tail):
    np.testing.assert_allclose(
        bootstrap.percentiles(drawn, tail), np.quantile(drawn, [tail, 1 - tail], axis=0), rtol=1e-9, atol=1e-9
    )


def test_draws_that_have_no_figure_are_left_out():
    drawn = np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan], [2.0, np.nan]])
    np.testing.assert_array_equal(bootstrap.percentiles(drawn, 0.25), [[1.5, np.nan], [2.5, np.nan]])


# -------------------------------------------------------------------------------------------------------------- draws


def weights_of(size, n_resamples, seed):
    """How often each unit was drawn, shape (resamples, size), as the sums are made from."""
    step = max(1, bootstrap._WEIGHTS // min(size, bootstrap._BLOCK_UNITS))
    drawn = []
    for start in range(0, n_resamples, step):
        random = np.random.default_rng([seed, size, start])
        drawn.append(
            np.concatenate(list(bootstrap._draw_weights(random, min(step, n_resamples - start), size)), axis=1)
        )
    return np.concatenate(drawn)


@pytest.mark.parametrize("size", [7, 60, 5000])
def test_bounds_by_the_weights_drawn(size):
    """One group: the bounds are quantiles of means under the weights, units put into order."""
    values = np.random.default_rng(0).random(size)
    units = KeptUnits(np.zeros(size, np.int64), {"f1": values[None]}, {"f1": np.ones(size)})
    low, high = bootstrap.percentile_bounds([Mean("f1")], units, 1, 0.8, Interval(0.8, "bootstrap", 50, 3))["f1"]
    weights = weights_of(size, 50, 3)
    assert weights.shape == (50, size)
    assert (weights.sum(axis=1) == size).all()
    tail = float(expanded_tails(0.8, np.array(size)))
    expected = np.quantile(weights @ np.sort(values) / size, [tail, 1 - tail])
    np.testing.assert_allclose([low[0], high[0]], expected, rtol=1e-12)


@pytest.mark.parametrize("size", [5, 5000])
def test_each_unit_is_drawn_alike(size):
    """Shares of draws, and their variance, as drawing with replacement has them."""
    weights = np.concatenate(list(bootstrap._draw_weights(np.random.default_rng(0), 400, size)), axis=1)
    assert (weights.sum(axis=1) == size).all()
    means = weights.mean(axis=0)
    assert abs(means - 1).max() < 5.5 / np.sqrt(400)
    assert weights.var(axis=0).mean() == pytest.approx(1 - 1 / size, rel=0.1)


# ------------------------------------------------------------------------------------------------------ in a summary


@pytest.mark.thorough
@pytest.mark.parametrize("cluster", [None, "question"])
def test_bootstrap_is_close_to_normal(cluster):
    frame = make_frame(8000)
    normal = frame.qa.summary(by="model", ci=0.9, cluster=cluster)
    resampled = frame.qa.summary(by="model", ci=0.9, cluster=cluster, method="bootstrap", n_resamples=4000)
    counts_and_values = [name for name in normal if not name.endswith(("_lo", "_hi"))]
    pd.testing.assert_frame_equal(resampled[counts_and_values], normal[counts_and_values], check_exact=True)
    for name in FIGURES:
        width = np.diff(bounds_of(normal, name))
        assert (np.abs(bounds_of(resampled, name) - bounds_of(normal, name)) < 0.08 * width).all()


def test_bootstrap_of_few_rows_against_all_resamples():
    """Of three rows there are 27 resamples; the tails are so wide that the bounds are the least and largest of them."""
    frame = pd.DataFrame({"f1": [2.2, 2.5, 2.9]})
    summary = frame.qa.summary(ci=0.95, method="bootstrap", n_resamples=2000)
    np.testing.assert_allclose(bounds_of(summary, "f1")[0], [2.2, 2.9], rtol=1e-12)


def test_clusters_are_drawn_as_one():
    """Of two clusters there are three resamples, with means of 2.1, 2.4 and 2.7."""
    frame = pd.DataFrame({"f1": [2.0, 2.2, 2.5, 2.9], "question": ["x", "x", "y", "y"]})
    summary = frame.qa.summary(ci=0.2, method="bootstrap", cluster="question", n_resamples=400)
    np.testing.assert_allclose(bounds_of(summary, "f1")[0], [2.4, 2.4], atol=0.301)
    summary = frame.qa.summary(ci=0.95, method="bootstrap", cluster="question", n_resamples=400)
    np.testing.assert_allclose(bounds_of(summary, "f1")[0], [2.1, 2.7], rtol=1e-12)


@pytest.mark.parametrize("cluster", [None, "part"])
@pytest.mark.parametrize("n_right", [1, 2, 10, 19])
def test_bounds_from_0_to_1_are_at_least_as_wide_as_the_other_methods(n_right, cluster):
    frame = pd.DataFrame({"em": np.arange(20) < n_right, "part": np.arange(20) // 2})
    drawn, normal = (
        frame.qa.summary(metrics="em", ci=0.95, method=method, cluster=cluster) for method in ("bootstrap", "normal")
    )
    ((low, high),), ((normal_low, normal_high),) = (bounds_of(each, "em") for each in (drawn, normal))
    assert low <= normal_low < normal_high <= high


def test_one_right_row_has_a_higher_upper_bound_than_none():
    frame = pd.DataFrame({"em": np.arange(20) == 0, "none": np.zeros(20)})
    summary = frame.qa.summary(metrics=["em", "none"], ci=0.95, method="bootstrap")
    assert summary["em_hi"].item() > summary["none_hi"].item()


@pytest.mark.parametrize("value", [0.0, 1.0, 1 / 3, -2.0])
@pytest.mark.parametrize("n", [2, 40])
@pytest.mark.parametrize("cluster", [None, "row", "part"])
def test_draws_that_are_all_alike_have_the_bounds_of_the_other_method(value, n, cluster):
    """Three zeros do not tell that there is nothing but zeros."""
    frame = pd.DataFrame({"f1": [value] * n, "row": range(n), "part": np.sqrt(range(n)).astype(int)})
    drawn, normal = (frame.qa.summary(ci=0.9, method=method, cluster=cluster) for method in ("bootstrap", "normal"))
    np.testing.assert_allclose(bounds_of(drawn, "f1"), bounds_of(normal, "f1"), rtol=1e-12)
    assert (np.diff(bounds_of(drawn, "f1")) > 1e-9).all() == (value >= 0)


def test_zero_of_some_groups_and_figures():
    """Where only some have draws that are all alike."""
    frame = make_frame(60).assign(bleu_match4=0)
    frame.loc[frame["model"] == "m1", "em"] = frame["em"].where(frame["em"].isna(), 0.0)
    drawn = frame.qa.summary("model", ci=0.9, method="bootstrap")
    normal = frame.qa.summary("model", ci=0.9)
    np.testing.assert_allclose(bounds_of(drawn, "corpus_bleu"), bounds_of(normal, "corpus_bleu"), rtol=1e-12)
    np.testing.assert_allclose(bounds_of(drawn.loc[["m1"]], "em"), bounds_of(normal.loc[["m1"]], "em"), rtol=1e-12)
    assert (np.diff(all_bounds(drawn).to_numpy()[:, ::1])[:, ::2] > 0).all()


def test_seed():
    frame = make_frame()
    first, again, other = (frame.qa.summary(ci=0.95, method="bootstrap", seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again, check_exact=True)
    assert not np.array_equal(bounds_of(first, "f1"), bounds_of(other, "f1"))


def test_threads_make_no_difference(monkeypatch):
    frame, settings = make_frame(20000, 2), {"ci": 0.95, "method": "bootstrap", "n_resamples": 100}
    found = []
    for threads in (1, 3):
        monkeypatch.setattr(jobs, "_count_processors", lambda threads=threads: threads)
        found.append(frame.qa.summary(by="model", **settings))
    pd.testing.assert_frame_equal(*found, check_exact=True)


def test_groups_at_a_time_make_no_difference(monkeypatch):
    frame = make_frame(600).assign(model=np.arange(600) // 6)
    whole = frame.qa.summary(by="model", ci=0.95, method="bootstrap", n_resamples=20)
    monkeypatch.setattr(bootstrap, "_SUMS", 1000)
    pd.testing.assert_frame_equal(
        frame.qa.summary(by="model", ci=0.95, method="bootstrap", n_resamples=20), whole, check_exact=True
    )


@pytest.mark.thorough
def test_memory_of_the_bootstrap():
    """Not rows times resamples."""
    frame, n_resamples = make_frame(20000)[["model", "em", "f1"]], 2000
    frame.qa.summary(by="model", ci=0.95, method="bootstrap", n_resamples=2)
    tracemalloc.start()
    frame.qa.summary(by="model", ci=0.95, method="bootstrap", n_resamples=n_resamples)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(frame) * n_resamples


def test_large_scores_of_a_reduction():
    """Scores beyond 1 are drawn with as many digits as others."""
    frame = pd.DataFrame({"f1": [1e6 + 0.25, 1e6 + 0.5, 1e6 + 1.0, -3.0]})
    low, high = bounds_of(frame.qa.summary(ci=0.95, method="bootstrap", n_resamples=2000), "f1")[0]
    assert low == -3.0
    assert high == pytest.approx(1e6 + 1, rel=1e-14)
    smoothed = bounds_of((frame / 4).qa.summary(ci=0.95, method="bootstrap", n_resamples=2000), "f1")[0]
    np.testing.assert_array_equal(smoothed * 4, [low, high])


def test_rows_are_needed_to_resample_them():
    pool = qa_frame.Pool().update(pd.DataFrame({"f1": [0.0, 1.0]}))
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="keep_rows=True"):
        pool.summary(ci=0.95, method="bootstrap")
