"""Confidence intervals, beside scipy's and statsmodels', exact fractions, numeric derivatives and each other."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import qa_frame
from qa_frame.parallel import count_threads
from qa_frame.scoring.metrics import STATISTICS
from qa_frame.stats import bootstrap, exact_sums
from qa_frame.stats.intervals import degrees_of_freedom, normal_quantile, t_quantiles, wilson
from qa_frame.stats.ratios import RATIOS

BOUNDS = ["lo", "hi"]


def make_frame(n_rows=300, n_groups=3, seed=0):
    """A scored frame with statistics, made up: `em` and `contains` 0 or 1, `f1` and `bleu` between, some of it null."""
    random = np.random.default_rng(seed)
    n_pred, n_gold = random.integers(1, 30, n_rows), random.integers(1, 9, n_rows)
    frame = pd.DataFrame(
        {
            "model": random.choice([f"m{i}" for i in range(n_groups)], n_rows),
            "question": random.integers(0, max(1, n_rows // 5), n_rows),
            "em": (random.random(n_rows) < 0.2).astype(float),
            "f1": random.integers(0, 9, n_rows) / random.integers(9, 17, n_rows),
            "contains": (random.random(n_rows) < 0.5).astype(float),
            "bleu": random.random(n_rows) ** 3,
            "pred_len": n_pred,
            "gold_len": n_gold,
            "overlap": random.integers(0, np.minimum(n_pred, n_gold) + 1),
            "bleu_pred_len": n_pred,
            "bleu_ref_len": n_pred + random.integers(-5, 9, n_rows).clip(1 - n_pred),
        }
    )
    matches = n_pred
    for order in (1, 2, 3, 4):
        matches = random.integers(matches // 2, matches + 1).clip(0, (n_pred - order + 1).clip(0))
        frame[f"bleu_match{order}"] = matches
    is_scored = random.random(n_rows) < 0.9
    frame.loc[~is_scored, ["em", "f1", "contains", "bleu"]] = np.nan
    frame.loc[~is_scored, list(STATISTICS)] = 0
    return frame


def bounds_of(summary, name):
    return summary[[f"{name}_lo", f"{name}_hi"]].to_numpy()


# ------------------------------------------------------------------------------------------------------- quantiles


@pytest.mark.parametrize("level", [0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.99999])
def test_quantiles(level):
    stats = pytest.importorskip("scipy.stats")
    df = np.array([*range(1, 40), 99, 100, 250, 998, 999, 1000, 1001, 12345, 10**6, 10**9])
    np.testing.assert_allclose(t_quantiles(level, df), stats.t.ppf((1 + level) / 2, df), rtol=1e-9)
    np.testing.assert_allclose(normal_quantile(level), stats.norm.ppf((1 + level) / 2), rtol=1e-12)


def test_no_degrees_of_freedom():
    np.testing.assert_array_equal(np.isnan(t_quantiles(0.95, np.array([[-1, 0], [1, 2]]))), [[True, True], [False] * 2])


# ------------------------------------------------------------------------------------------------------- exact sums

floats = hnp.arrays(
    np.float64, st.integers(0, 30), elements=st.floats(0, 1) | st.floats(-(2.0**30), 2.0**30) | st.sampled_from([0, 1])
)


def as_fractions(digits, unit):
    return [Fraction(int(number), unit) for number in exact_sums.as_integers(digits)]


@given(values=floats)
def test_sums_and_squares_are_exact(values):
    """Of the values as multiples of 2**-64."""
    codes = np.arange(len(values)) % 3
    rounded = [Fraction(round(Fraction(value) * 2**64), 2**64) for value in values.tolist()]
    sums, squares = exact_sums.sum_scores(values, codes, 3), exact_sums.sum_squares(values, codes, 3)
    assert as_fractions(sums, exact_sums.SUM_UNIT) == [sum(rounded[group::3]) for group in range(3)]
    assert as_fractions(squares, exact_sums.SQUARE_UNIT) == [
        sum(x * x for x in rounded[group::3]) for group in range(3)
    ]


whole = st.integers(-(2**31) + 1, 2**31 - 1) | st.integers(-50, 50)


@given(pairs=st.lists(st.tuples(whole, whole), max_size=30))
def test_products_are_exact(pairs):
    left, right = np.array(pairs, np.int64).reshape(-1, 2).T
    codes = np.arange(len(pairs)) % 2
    found = exact_sums.as_integers(exact_sums.sum_products(left, right, codes, 2)).tolist()
    assert found == [sum(a * b for a, b in pairs[group::2]) for group in range(2)]


def test_sums_of_many_chunks(monkeypatch):
    values = np.random.default_rng(0).random(1000)
    codes = np.arange(1000) % 7
    whole = exact_sums.sum_squares(values, codes, 7)
    monkeypatch.setattr(exact_sums, "_CHUNK_ROWS", 13)
    monkeypatch.setattr(exact_sums, "_MAX_CHUNK_ROWS", 17)
    np.testing.assert_array_equal(exact_sums.sum_squares(values, codes, 7), whole)


# ------------------------------------------------------------------------------------------------- normal: one metric


def usual_or_fewer_degrees(n, kurtosis):
    return n - 1 if kurtosis <= 3 else max(1, int(2 / ((kurtosis - 3) / n + 2 / (n - 1))))


def test_light_tails_have_the_usual_degrees_of_freedom():
    stats = pytest.importorskip("scipy.stats")
    values = np.linspace(0.1, 0.9, 50)
    expected = stats.t.interval(0.95, 49, values.mean(), stats.sem(values))
    np.testing.assert_allclose(bounds_of(pd.DataFrame({"f1": values}).qa.summary(ci=0.95), "f1")[0], expected)


def test_heavy_tails_have_fewer_degrees_of_freedom():
    """As many as the variance's own variance says: nearly 2 * n / (kurtosis - 3) where that is much."""
    n, kurtosis = np.array([200, 200, 200, 2, 1, 200]), np.array([27.0, 3.0, 1.2, 1.0, np.nan, np.nan])
    assert degrees_of_freedom(n, kurtosis).tolist() == [15, 199, 199, 1, 0, 199]
    values = np.r_[np.zeros(190), np.linspace(0.1, 1, 10)]
    frame = pd.DataFrame({"bleu": values, "row": range(200)})
    plain, clustered = frame.qa.summary(ci=0.95), frame.qa.summary(ci=0.95, cluster="row")
    width = np.diff(bounds_of(plain, "bleu")[0]).item()
    np.testing.assert_allclose(bounds_of(clustered, "bleu"), bounds_of(plain, "bleu"), rtol=1e-9)
    assert width > 1.02 * 2 * t_quantiles(0.95, np.array(199)) * values.std(ddof=1) / np.sqrt(200)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_t_intervals(level):
    stats = pytest.importorskip("scipy.stats")
    frame = make_frame()
    summary = frame.qa.summary(by="model", ci=level)
    for model, group in frame.groupby("model"):
        for metric in ("f1", "bleu"):
            values = group[metric].dropna()
            df = usual_or_fewer_degrees(len(values), stats.kurtosis(values, fisher=False))
            expected = stats.t.interval(level, df, values.mean(), stats.sem(values))
            np.testing.assert_allclose(bounds_of(summary, metric)[summary.index.get_loc(model)], expected, rtol=1e-10)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_wilson_intervals(level):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    frame = make_frame()
    summary = frame.qa.summary(by="model", ci=level)
    for model, group in frame.groupby("model"):
        for metric in ("em", "contains"):
            values = group[metric].dropna()
            expected = proportion.proportion_confint(values.sum(), len(values), 1 - level, method="wilson")
            np.testing.assert_allclose(bounds_of(summary, metric)[summary.index.get_loc(model)], expected, rtol=1e-12)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_wilson_where_all_agree(share):
    low, high = wilson(np.array([share]), np.array([20]), 1.96)
    assert 0 <= low[0] <= share <= high[0] <= 1
    assert high[0] - low[0] > 0.1


def test_one_value_between_makes_it_no_proportion():
    frame = make_frame()
    frame.loc[frame["model"] == "m0", "em"] = 0.5
    summary = frame.qa.summary(by="model", metrics="em", ci=0.95)
    assert summary.loc["m0", ["em", "em_lo", "em_hi"]].tolist() == [0.5] * 3


@pytest.mark.parametrize("value", [0.3, 1 / 3, 0.001, 2.0**-64, -7.7, 123456.789])
def test_equal_values_have_no_spread(value):
    """No rounding: neither in the mean nor in the variance."""
    frame = pd.DataFrame({"f1": [value] * 1003})
    summary = frame.qa.summary(ci=0.95)
    assert summary[["f1", "f1_lo", "f1_hi"]].loc["all"].tolist() == [value] * 3


def test_small_spread_about_a_large_mean():
    frame = pd.DataFrame({"f1": np.where(np.arange(1000) % 2, 1e6 + 2.0**-20, 1e6 - 2.0**-20)})
    half = t_quantiles(0.95, np.array(999)) * 2.0**-20 / np.sqrt(999)
    summary = frame.qa.summary(ci=0.95)
    np.testing.assert_allclose(summary["f1_hi"] - 1e6, half, rtol=1e-3)  # as near as float64 has the bound itself


def test_bounds_of_scores_from_0_to_1_stay_there():
    frame = pd.DataFrame({"f1": [0.01, 0.9, 0.99], "em": [1.0, 1.0, 0.0], "bleu": [-1.0, 0.5, 1.0]})
    summary = frame.qa.summary(ci=0.999)
    assert summary[["f1_lo", "f1_hi"]].loc["all"].tolist() == [0, 1]
    assert summary["bleu_lo"].item() < -1


# ------------------------------------------------------------------------------------------------- normal: clusters


def test_clustered_intervals():
    api, stats = pytest.importorskip("statsmodels.api"), pytest.importorskip("scipy.stats")
    frame = make_frame()
    summary = frame.qa.summary(by="model", ci=0.95, cluster="question")
    for model, group in frame.groupby("model"):
        for metric in ("f1", "bleu"):
            scored = group.dropna(subset=[metric])
            fit = api.OLS(scored[metric].to_numpy(), np.ones(len(scored))).fit(
                cov_type="cluster", cov_kwds={"groups": scored["question"].to_numpy()}, use_t=True
            )
            residuals = (scored[metric] - scored[metric].mean()).groupby(scored["question"]).sum()
            kurtosis = len(residuals) * (residuals**4).sum() / (residuals**2).sum() ** 2
            half = stats.t.ppf(0.975, usual_or_fewer_degrees(len(residuals), kurtosis)) * fit.bse[0]
            found = bounds_of(summary, metric)[summary.index.get_loc(model)]
            np.testing.assert_allclose(found, [fit.params[0] - half, fit.params[0] + half], rtol=1e-10)


def test_clusters_of_one_row_are_as_good_as_none():
    frame = make_frame().assign(row=range(300))
    plain, clustered = (frame.qa.summary(by="model", ci=0.95, cluster=cluster) for cluster in (None, "row"))
    for name in ("f1", "bleu", "corpus_bleu", "f1_micro"):
        np.testing.assert_allclose(bounds_of(clustered, name), bounds_of(plain, name), rtol=1e-9)


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
def test_copies_tell_nothing_new(method):
    frame = make_frame().assign(row=range(300))
    ten_times = frame.loc[frame.index.repeat(10)]
    once, clustered, naive = (
        each.qa.summary(by="model", ci=0.95, method=method, cluster=cluster)
        for each, cluster in ((frame, "row"), (ten_times, "row"), (ten_times, None))
    )
    for name in ("em", "f1", "contains", "bleu", "corpus_bleu", "f1_micro"):
        np.testing.assert_allclose(bounds_of(clustered, name), bounds_of(once, name), rtol=1e-9)
        widths, naive_widths = (np.diff(bounds_of(each, name)) for each in (clustered, naive))
        assert (widths > 2 * naive_widths).all()


def test_clustered_proportion_that_is_0():
    """As many rows as clusters."""
    frame = pd.DataFrame({"em": np.zeros(40), "question": np.arange(40) // 4})
    summary = frame.qa.summary(ci=0.95, cluster="question")
    expected = wilson(np.zeros(1), np.array([10]), t_quantiles(0.95, np.array(9)))
    np.testing.assert_allclose(bounds_of(summary, "em")[0], np.array(expected).ravel())


def test_contrary_rows_in_each_cluster():
    """Each cluster has the same mean, and there is no error to be seen; bounds are then no closer than without."""
    frame = pd.DataFrame({"em": np.arange(40) % 2.0, "question": np.arange(40) // 2})
    clustered, plain = frame.qa.summary(ci=0.95, cluster="question"), frame.qa.summary(ci=0.95)
    assert np.diff(bounds_of(clustered, "em")) > np.diff(bounds_of(plain, "em"))


# --------------------------------------------------------------------------------------------- normal: delta method


def jackknife_like_error(ratio, variables, clusters):
    """The standard error from numeric derivatives of the ratio by the weight of each cluster."""
    sums = variables.sum(axis=1).astype(float)
    by_cluster = pd.DataFrame(variables.T).groupby(clusters).sum().to_numpy()
    step = 1e-6
    slopes = [(ratio.value(sums + step * each) - ratio.value(sums - step * each)) / (2 * step) for each in by_cluster]
    n = len(by_cluster)
    return float(np.sqrt(np.square(slopes).sum() * n / (n - 1))), n


@pytest.mark.parametrize("name", RATIOS)
@pytest.mark.parametrize("cluster", [None, "question"])
@pytest.mark.parametrize("shorter", [-4, 0, 4])
def test_delta_method(name, cluster, shorter):
    frame = make_frame()
    frame["bleu_ref_len"] = (frame["bleu_pred_len"] + shorter).where(frame["em"].notna(), 0).clip(0)
    summary = frame.qa.summary(by="model", ci=0.95, cluster=cluster)
    for place, (_, group) in enumerate(frame.groupby("model")):
        scored = group.dropna(subset=["em"])
        variables = RATIOS[name].variables_per_row({each: scored[each].to_numpy() for each in STATISTICS})
        clusters = np.arange(len(scored)) if cluster is None else scored[cluster].to_numpy()
        error, n = jackknife_like_error(RATIOS[name], variables, clusters)
        value = summary[name].iloc[place]
        half = t_quantiles(0.95, np.array(n - 1)) * error
        np.testing.assert_allclose(bounds_of(summary, name)[place], [value - half, value + half], rtol=1e-7)


def constant_statistics(**values):
    defaults = dict(
        dict.fromkeys(STATISTICS, 10), bleu_match1=9, bleu_match2=8, bleu_match3=7, bleu_match4=6, overlap=4
    )
    return pd.DataFrame(
        {"em": [0.0, 1.0, 1.0], **{name: [value] * 3 for name, value in {**defaults, **values}.items()}}
    )


def test_ratio_of_equal_rows_has_no_spread():
    summary = constant_statistics().qa.summary(ci=0.95)
    for name in RATIOS:
        assert 0 < summary[name].item() < 1
        np.testing.assert_allclose(bounds_of(summary, name), summary[name].item(), rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "values", "ratio"),
    [
        ("corpus_bleu", {"bleu_match4": 0}, 0.0),
        ("corpus_bleu", {"bleu_match1": 10, "bleu_match2": 9, "bleu_match3": 8, "bleu_match4": 7}, 1.0),
        ("f1_micro", {"overlap": 0}, 0.0),
        ("f1_micro", {"overlap": 10}, 1.0),
    ],
    ids=["bleu-0", "bleu-1", "f1-0", "f1-1"],
)
@pytest.mark.parametrize("cluster", [None, "row"])
def test_delta_method_says_nothing_at_the_edges(name, values, ratio, cluster):
    summary = constant_statistics(**values).assign(row=range(3)).qa.summary(ci=0.95, cluster=cluster)
    assert summary[name].item() == ratio
    assert np.isnan(bounds_of(summary, name)).all()


# ------------------------------------------------------------------------------------------------------- bootstrap


@pytest.mark.parametrize("cluster", [None, "question"])
def test_bootstrap_is_close_to_normal(cluster):
    frame = make_frame(8000)
    normal = frame.qa.summary(by="model", ci=0.9, cluster=cluster)
    resampled = frame.qa.summary(by="model", ci=0.9, cluster=cluster, method="bootstrap", n_resamples=4000)
    counts_and_values = [name for name in normal if not name.endswith(("_lo", "_hi"))]
    pd.testing.assert_frame_equal(resampled[counts_and_values], normal[counts_and_values], check_exact=True)
    for name in ("em", "f1", "contains", "bleu", "corpus_bleu", "f1_micro"):
        width = np.diff(bounds_of(normal, name))
        assert (np.abs(bounds_of(resampled, name) - bounds_of(normal, name)) < 0.08 * width).all()


def test_bootstrap_of_few_rows_against_all_resamples():
    """Of three rows there are 27 resamples; the tails are so wide that the bounds are the least and largest of them."""
    frame = pd.DataFrame({"f1": [0.2, 0.5, 0.9]})
    summary = frame.qa.summary(ci=0.95, method="bootstrap", n_resamples=2000)
    np.testing.assert_allclose(bounds_of(summary, "f1")[0], [0.2, 0.9], rtol=1e-12)


def slow_bootstrap(values, weights, tail):
    means = weights @ values / weights.sum(axis=1)
    return np.quantile(means, [tail, 1 - tail])


@pytest.mark.parametrize("size", [7, 60, 5000])
def test_bootstrap_by_its_weights(size):
    """One group: the bounds are quantiles of means under the weights drawn, units put into order."""
    interval = bootstrap.Interval(0.8, "bootstrap", 50, 3)
    values = np.sort(np.random.default_rng(0).random(size))
    units = bootstrap.Units(np.stack([np.rint(values * 2**30)]), np.zeros(size, np.int64), [values])
    bounds = bootstrap.resample(units, lambda sums: sums / size / 2**30, 1, 1, interval)
    step = max(1, bootstrap._WEIGHTS // min(size, bootstrap._BLOCK_UNITS))
    weights = np.concatenate(
        [
            np.concatenate(
                list(bootstrap._draw(np.random.default_rng([3, size, start]), min(step, 50 - start), size)), axis=1
            )
            for start in range(0, 50, step)
        ]
    )
    assert weights.shape == (50, size)
    assert (weights.sum(axis=1) == size).all()
    tail = bootstrap.expanded_tail(0.8, size)
    np.testing.assert_allclose(bounds[:, 0, 0], slow_bootstrap(values, weights, tail), rtol=1e-8)


@pytest.mark.parametrize("size", [5, 5000])
def test_each_unit_is_drawn_alike(size):
    """Shares of draws, and their variance, as drawing with replacement has them."""
    weights = np.concatenate(list(bootstrap._draw(np.random.default_rng(0), 400, size)), axis=1)
    assert (weights.sum(axis=1) == size).all()
    means = weights.mean(axis=0)
    assert abs(means - 1).max() < 5.5 / np.sqrt(400)
    assert weights.var(axis=0).mean() == pytest.approx(1 - 1 / size, rel=0.1)


def test_seed():
    frame = make_frame()
    first, again, other = (frame.qa.summary(ci=0.95, method="bootstrap", seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again, check_exact=True)
    assert not np.array_equal(bounds_of(first, "f1"), bounds_of(other, "f1"))


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
@pytest.mark.parametrize("cluster", [None, "question"])
def test_order_and_index_make_no_difference(method, cluster):
    frame = make_frame()
    frame.loc[5:20, "bleu"] = np.nan
    settings = {"by": "model", "ci": 0.95, "method": method, "cluster": cluster}
    shuffled = frame.sample(frac=1, random_state=1).set_axis(np.arange(300) % 7)
    expected = frame.qa.summary(**settings)
    pd.testing.assert_frame_equal(shuffled.qa.summary(**settings), expected, check_exact=True)


def test_threads_make_no_difference(monkeypatch):
    frame, settings = make_frame(20000, 2), {"ci": 0.95, "method": "bootstrap", "n_resamples": 100}
    found = []
    for threads in (1, 3):
        monkeypatch.setattr(bootstrap, "count_threads", lambda _, threads=threads: count_threads(threads))
        found.append(frame.qa.summary(by="model", **settings))
    pd.testing.assert_frame_equal(*found, check_exact=True)


def test_groups_at_a_time_make_no_difference(monkeypatch):
    frame = make_frame(600).assign(model=np.arange(600) // 6)
    whole = frame.qa.summary(by="model", ci=0.95, method="bootstrap", n_resamples=20)
    monkeypatch.setattr(bootstrap, "_SUMS", 1000)
    pd.testing.assert_frame_equal(
        frame.qa.summary(by="model", ci=0.95, method="bootstrap", n_resamples=20), whole, check_exact=True
    )


def test_memory_of_the_bootstrap():
    """Not rows times resamples."""
    frame, n_resamples = make_frame(20000)[["model", "em", "f1"]], 2000
    frame.qa.summary(by="model", ci=0.95, method="bootstrap", n_resamples=2)
    tracemalloc.start()
    frame.qa.summary(by="model", ci=0.95, method="bootstrap", n_resamples=n_resamples)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(frame) * n_resamples


# --------------------------------------------------------------------------------------------------- few or no rows


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
@pytest.mark.parametrize("cluster", [None, "question"])
def test_groups_of_one_row_or_none_scored(method, cluster):
    frame = make_frame(40).dropna().iloc[:6].assign(model=["one", "two", "two", "none", "none", "part"])
    frame.loc[frame["model"] == "none", ["em", "f1", "contains", "bleu"]] = np.nan
    frame["question"] = range(6)
    summary = frame.qa.summary(by="model", ci=0.95, method=method, cluster=cluster)
    bounds = summary[[name for name in summary if name.endswith(("_lo", "_hi"))]]
    assert bounds.loc[["one", "none", "part"]].isna().all(axis=None)
    assert bounds.loc["two"].notna().sum() >= 10
    values = ["em", "f1", "contains", "bleu", "corpus_bleu", "f1_micro"]
    assert summary.loc["none", values].isna().all()
    assert summary.loc[["one", "two", "part"], values].notna().all(axis=None)


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
def test_one_cluster_only(method):
    frame = make_frame().assign(question="same")
    summary = frame.qa.summary(ci=0.95, cluster="question", method=method)
    assert summary[[name for name in summary if name.endswith(("_lo", "_hi"))]].isna().all(axis=None)


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
@pytest.mark.parametrize("by", [None, "model"])
def test_no_rows(method, by):
    frame = make_frame()
    summary = frame.iloc[:0].qa.summary(by=by, ci=0.95, method=method)
    assert list(summary.columns) == list(frame.qa.summary(ci=0.95).columns)
    assert len(summary) == (by is None)


@settings(deadline=None, max_examples=30)
@given(
    scores=hnp.arrays(np.float64, (20,), elements=st.sampled_from([0.0, 0.25, 1.0, np.nan])),
    level=st.floats(0.01, 0.99),
)
def test_bounds_enclose_the_mean(scores, level):
    frame = pd.DataFrame({"f1": scores, "model": np.arange(20) % 4})
    summary = frame.qa.summary(by="model", ci=level)
    known = summary[summary["f1_lo"].notna()]
    assert (known["f1_lo"] <= known["f1"]).all()
    assert (known["f1"] <= known["f1_hi"]).all()
    assert (summary["f1_lo"].notna() == (summary["n_scored"] > 1)).all()


# ----------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize("ci", [0, 1, 95, -0.5, np.nan, "95", True, [0.95]])
def test_ci_that_is_no_level(ci):
    with pytest.raises(qa_frame.UnknownOptionError, match=r"ci=.*between 0 and 1"):
        make_frame().qa.summary(ci=ci)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "boostrap"}, "method='boostrap'.*did you mean 'bootstrap'"),
        ({"method": None}, "method=None"),
        ({"n_resamples": 0}, "n_resamples=0"),
        ({"n_resamples": 10.5}, "n_resamples=10.5"),
        ({"n_resamples": True}, "n_resamples=True"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": None}, "seed=None"),
        ({"cluster": ["question"]}, "cluster holds a list"),
        ({"cluster": len}, "cluster holds a builtin_function_or_method"),
    ],
)
def test_arguments_that_cannot_be(arguments, message):
    with pytest.raises(qa_frame.UnknownOptionError, match=message):
        make_frame().qa.summary(ci=0.95, **arguments)


def test_cluster_that_is_no_column():
    with pytest.raises(
        qa_frame.ColumnNotFoundError, match=r"cluster='questions' is not a column; did you mean 'question'"
    ):
        make_frame().qa.summary(ci=0.95, cluster="questions")


def test_cluster_with_nulls():
    frame = make_frame().assign(question=[None, None, *"q" * 298])
    with pytest.raises(qa_frame.ColumnTypeError, match="cluster='question' is null in 2 of 300 rows"):
        frame.qa.summary(ci=0.95, cluster="question")


@pytest.mark.parametrize("value", [np.inf, -np.inf, 2.0**31])
def test_scores_that_cannot_be_summed(value):
    with pytest.raises(qa_frame.ColumnTypeError, match="'f1' are as large as"):
        pd.DataFrame({"f1": [0.0, value, np.nan]}).qa.summary()
