"""Statistics that need all rows: their values, intervals by draws of units, pools, and what does not have them."""

from __future__ import annotations

import pickle
import statistics

import numpy as np
import pandas as pd
import pytest

import qa_frame
from qa_frame.errors import UnknownOptionError
from qa_frame.stats.bootstrap import ROW_STATISTICS

ORACLES = {"median": statistics.median}

pytestmark = pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")


def make_frame(n=300):
    random = np.random.default_rng(n)
    frame = pd.DataFrame({"model": random.choice(["a", "b"], n), "doc": random.integers(0, 20, n)})
    scores = np.round(random.beta(2, 3, n) * 9) / 9
    return frame.assign(f1=np.where(random.random(n) < 0.1, np.nan, scores), delay=random.normal(3, 5, n))


def names_of(statistic):
    return ["f1", f"f1_{statistic}", "delay", f"delay_{statistic}"]


def test_each_has_an_oracle():
    assert ORACLES.keys() == ROW_STATISTICS.keys()


@pytest.mark.parametrize("statistic", ORACLES)
@pytest.mark.parametrize("column", ["f1", "delay"])
def test_the_value_is_that_of_the_oracle(statistic, column):
    frame = make_frame()
    found = qa_frame.summary(frame, "model", metrics=names_of(statistic))[f"{column}_{statistic}"]
    for model, rows in frame.groupby("model"):
        assert found[model] == pytest.approx(ORACLES[statistic](rows[column].dropna().tolist()), abs=1e-12)


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_bounds_are_percentiles_of_draws_of_units(cluster):
    frame = make_frame().query("model == 'a'")
    found = qa_frame.summary(frame, metrics=names_of("median"), ci=0.9, cluster=cluster, n_resamples=2000).iloc[0]
    units = [rows["delay"].to_numpy() for _, rows in frame.groupby(frame.index if cluster is None else cluster)]
    random = np.random.default_rng(1)
    drawn = [
        np.median(np.concatenate([units[place] for place in random.integers(0, len(units), len(units))]))
        for _ in range(2000)
    ]
    low, high = np.quantile(drawn, [0.05, 0.95])
    assert found["delay_median_lo"] == pytest.approx(low, abs=0.25)
    assert found["delay_median_hi"] == pytest.approx(high, abs=0.25)
    assert found["delay_median_lo"] < found["delay_median"] < found["delay_median_hi"]


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_pools_in_any_order_have_the_same_bits(cluster):
    frame = make_frame()
    arguments = {"metrics": names_of("median"), "cluster": cluster}
    whole = qa_frame.summary(frame, "model", ci=0.9, n_resamples=50, **arguments)
    shuffled = frame.sample(frac=1, random_state=3)
    pools = [qa_frame.Pool("model", keep_rows=True, **arguments).update(shuffled[k::3]) for k in range(3)]
    merged = pickle.loads(pickle.dumps(pools[2])).merge(pools[0]).merge(pools[1])
    pd.testing.assert_frame_equal(merged.summary(ci=0.9, n_resamples=50), whole, check_exact=True)


def test_other_figures_stay_as_they_are():
    frame = make_frame()
    plain = qa_frame.summary(frame, "model", metrics=["f1"], ci=0.95)
    with_median = qa_frame.summary(frame, "model", metrics=["f1", "f1_median"], ci=0.95)
    pd.testing.assert_frame_equal(with_median[plain.columns], plain, check_exact=True)


def test_a_pool_of_sums_says_what_it_needs():
    with pytest.raises(UnknownOptionError, match=r"made of all rows.*give keep_rows=True"):
        qa_frame.Pool("model", metrics=["f1", "f1_median"])


def test_rows_without_scores_have_none_and_few_are_doubtful():
    frame = make_frame(30).assign(f1=np.nan)
    assert np.isnan(qa_frame.summary(frame, metrics=["f1", "f1_median"], ci=0.95)["f1_median"]).all()
    with pytest.warns(qa_frame.errors.IntervalWarning, match="f1_median of fewer than 20 rows"):
        qa_frame.summary(make_frame(12), metrics=["f1", "f1_median"], ci=0.95)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda frame, names: qa_frame.summary(frame, "model", metrics=names, macro="doc"), "no mean over strata"),
        (lambda frame, names: qa_frame.compare(frame, "model", "id", metrics=names), "no function of sums"),
        (lambda frame, names: qa_frame.summary(frame.assign(f1_median=1.0), metrics=names), "'f1_median' is a column"),
        (lambda frame, _: qa_frame.summary(frame, metrics=["f1_median"]), "did you mean 'f1'"),
    ],
)
def test_what_has_no_such_figure_says_so(call, message):
    frame = make_frame()
    frame["id"] = frame.groupby("model").cumcount()
    with pytest.raises(UnknownOptionError, match=message):
        call(frame, ["f1", "f1_median"])
