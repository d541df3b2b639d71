"""Figures with intervals by group, as a summary has them: each by the formula, and by its own group's rows alone."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import qa_frame
from qa_frame.scoring.metrics import ALL_STATISTICS
from qa_frame.stats.estimates import is_carried_by_few
from qa_frame.stats.intervals import measure_unit_sizes
from qa_frame.tables.pooled import POOLED_STATISTICS as POOLED
from tests.reference.statistics import cr2, mean_bounds
from tests.stats.frames import FIGURES, METRICS, all_bounds, bounds_of, make_frame

pytestmark = [
    pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning"),
    pytest.mark.filterwarnings("ignore::qa_frame.errors.MixedScoresWarning"),
]


def expected_bounds(scores, clusters, level):
    """Of the mean of scores from 0 to 1, by matrices of rows."""
    variance, df = cr2(scores, clusters)
    return mean_bounds(scores.mean(), variance, df, level=level, n_units=df + 1, n_rows=len(scores))


# ------------------------------------------------------------------------------------------------------ means of rows


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("cluster", [None, "question"])
def test_means(level, cluster):
    frame = make_frame()
    summary = frame.qa.summary(by="model", ci=level, cluster=cluster)
    for place, (_, group) in enumerate(frame.groupby("model")):
        for metric in METRICS:
            scored = group.dropna(subset=[metric])
            clusters = np.arange(len(scored)) if cluster is None else scored[cluster].to_numpy()
            expected = expected_bounds(scored[metric].to_numpy(), clusters, level)
            np.testing.assert_allclose(bounds_of(summary, metric)[place], expected, rtol=1e-8)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_right_and_wrong_are_near_agresti_and_coull_by_statsmodels(level):
    """But for Student's t, and for the number of units that are added, which is z² / 2 with them."""
    proportion = pytest.importorskip("statsmodels.stats.proportion", reason="in the extra dev")
    frame = make_frame(2000)
    summary = frame.qa.summary(by="model", ci=level)
    for place, (_, group) in enumerate(frame.groupby("model")):
        for metric in ("em", "contains"):
            values = group[metric].dropna()
            expected = proportion.proportion_confint(values.sum(), len(values), 1 - level, "agresti_coull")
            np.testing.assert_allclose(bounds_of(summary, metric)[place], expected, atol=2e-3)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_scores_beyond_0_and_1_have_t_intervals_as_by_scipy(level):
    frame = make_frame()
    frame["f1"] = 3 * frame["f1"] - 1
    summary = frame.qa.summary(by="model", ci=level)
    for place, (_, group) in enumerate(frame.groupby("model")):
        values = group["f1"].dropna()
        expected = stats.t.interval(level, len(values) - 1, values.mean(), stats.sem(values))
        np.testing.assert_allclose(bounds_of(summary, "f1")[place], expected, rtol=1e-10)


def test_scores_beyond_0_and_1_in_clusters():
    frame = make_frame().assign(f1=lambda rows: 3 * rows["f1"] - 1).dropna()
    summary = frame.qa.summary(ci=0.95, cluster="question")
    variance, df = cr2(frame["f1"].to_numpy(), frame["question"].to_numpy())
    expected = stats.t.interval(0.95, df, frame["f1"].mean(), variance**0.5)
    np.testing.assert_allclose(bounds_of(summary, "f1")[0], expected, rtol=1e-9)


@pytest.mark.parametrize("value", [0.5, 0.3, 1 / 3, 0.001, 2.0**-64, 1 - 2.0**-53])
@pytest.mark.parametrize("n", [2, 1003])
def test_equal_values_count_once_a_row(value, n):
    """No rounding: neither in the mean nor in the variance, which is exactly 0."""
    summary = pd.DataFrame({"f1": [value] * n}).qa.summary(ci=0.95)
    assert summary["f1"].item() == value
    ((low, high),) = bounds_of(summary, "f1")
    expected = mean_bounds(value, 0, n - 1, n_units=n, n_rows=n, level=0.95)
    np.testing.assert_allclose((low, high), expected, rtol=1e-9, atol=1e-16)  # each is a difference of numbers near 1
    assert 0 <= low <= value <= high <= 1
    assert low < high


@pytest.mark.parametrize("value", [-7.7, 123456.789, -1 / 3])
def test_equal_values_beyond_0_and_1_have_no_spread(value):
    summary = pd.DataFrame({"f1": [value] * 1003}).qa.summary(ci=0.95)
    assert summary[["f1", "f1_lo", "f1_hi"]].loc["all"].tolist() == [value] * 3


def test_small_spread_about_a_large_mean():
    frame = pd.DataFrame({"f1": np.where(np.arange(1000) % 2, 1e6 + 2.0**-20, 1e6 - 2.0**-20)})
    half = stats.t.ppf(0.975, 999) * 2.0**-20 / np.sqrt(999)
    summary = frame.qa.summary(ci=0.95)
    np.testing.assert_allclose(summary["f1_hi"] - 1e6, half, rtol=1e-3)  # as near as float64 has the bound itself


def test_bounds_of_scores_from_0_to_1_stay_there():
    frame = pd.DataFrame({"f1": [0.01, 0.9, 0.99], "em": [1.0, 1.0, 0.0], "bleu": [-1.0, 0.5, 1.0]})
    summary = frame.qa.summary(ci=0.999).loc["all"]
    assert 0 <= summary["f1_lo"] < 0.01
    assert 0.99 < summary["f1_hi"] <= 1
    assert 0 <= summary["em_lo"] < summary["em_hi"] <= 1
    assert summary["bleu_lo"] < -1
    assert summary["bleu_hi"] > 1


# ------------------------------------------------------------------------------------------------------------ clusters


def test_clusters_of_one_row_are_as_good_as_none():
    frame = make_frame().assign(row=range(300))
    plain, clustered = (frame.qa.summary(by="model", ci=0.95, cluster=cluster) for cluster in (None, "row"))
    for name in FIGURES:
        np.testing.assert_allclose(bounds_of(clustered, name), bounds_of(plain, name), rtol=1e-9)


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
def test_copies_tell_nothing_new(method):
    """But for the half unit that is added, which is half a row and half a cluster, where it was half a row."""
    frame = make_frame().assign(row=range(300))
    ten_times = frame.loc[frame.index.repeat(10)]
    once, clustered, naive = (
        each.qa.summary(by="model", ci=0.95, method=method, cluster=cluster)
        for each, cluster in ((frame, "row"), (ten_times, "row"), (ten_times, None))
    )
    for name in FIGURES:
        widths, naive_widths = (np.diff(bounds_of(each, name)) for each in (clustered, naive))
        np.testing.assert_allclose(bounds_of(clustered, name), bounds_of(once, name), rtol=0.02)
        assert (widths > 2 * naive_widths).all()


@pytest.mark.parametrize("value", [0.0, 1.0, 0.5])
def test_contrary_rows_in_each_cluster(value):
    """Each cluster has the same mean, and there is no error to be seen; a width is left."""
    frame = pd.DataFrame({"em": np.abs(np.arange(40) % 2.0 - value), "question": np.arange(40) // 2})
    ((low, high),) = bounds_of(frame.qa.summary(ci=0.95, cluster="question"), "em")
    np.testing.assert_allclose((low, high), mean_bounds(0.5, 0, 19, n_units=20, n_rows=40, level=0.95), rtol=1e-9)
    assert low < 0.5 < high


# ---------------------------------------------------------------------------------- pooled figures, by the delta method


def slopes_by_unit(figure, sums_per_row, clusters):
    """Numeric derivatives of the figure by the weight of each cluster."""
    sums = np.append(sums_per_row.sum(axis=1), sums_per_row.shape[1]).astype(float)
    with_rows = np.vstack([sums_per_row, np.ones(sums_per_row.shape[1])])
    by_cluster = pd.DataFrame(with_rows.T).groupby(clusters).sum().to_numpy()
    step = 1e-6
    slopes = [(figure.value(sums + step * each) - figure.value(sums - step * each)) / (2 * step) for each in by_cluster]
    return np.array(slopes), by_cluster[:, -1]


@pytest.mark.parametrize("name", POOLED)
@pytest.mark.parametrize("cluster", [None, "question"])
@pytest.mark.parametrize("shorter", [-4, 4])
def test_delta_method(name, cluster, shorter):
    frame = make_frame()
    # The brevity penalty has no derivative where lengths are equal.
    frame["bleu_ref_len"] = (frame["bleu_pred_len"] + shorter).where(frame["em"].notna(), 0).clip(0)
    summary = frame.qa.summary(by="model", metrics=name, ci=0.95, cluster=cluster)
    for place, (_, group) in enumerate(frame.groupby("model")):
        scored = group.dropna(subset=["em"])
        sums_per_row = POOLED[name].summands_per_row({each: scored[each].to_numpy() for each in ALL_STATISTICS})
        clusters = np.arange(len(scored)) if cluster is None else scored[cluster].to_numpy()
        slopes, sizes = slopes_by_unit(POOLED[name], sums_per_row, clusters)
        _, df = cr2(np.zeros(len(scored)), clusters)
        expected = mean_bounds(
            summary[name].iloc[place],
            float((slopes**2 / (1 - sizes / sizes.sum())).sum()),
            df,
            n_units=df + 1,
            n_rows=len(scored),
            level=0.95,
            max_n=min(len(scored), np.maximum(scored["bleu_pred_len"] - 3, 0).sum()),
        )
        np.testing.assert_allclose(bounds_of(summary, name)[place], expected, rtol=1e-6)


def constant_statistics(**values):
    defaults = dict(
        dict.fromkeys(ALL_STATISTICS, 10), bleu_match1=9, bleu_match2=8, bleu_match3=7, bleu_match4=6, overlap=4
    )
    for name in ("chrf", "chrf++", "chrf++_word"):
        orders = range(1, 3 if name == "chrf++_word" else 7)
        defaults |= {f"{name}_match{order}": 10 - order for order in orders}
    return pd.DataFrame(
        {"em": [0.0, 1.0, 1.0], **{name: [value] * 3 for name, value in {**defaults, **values}.items()}}
    )


@pytest.mark.parametrize("name", POOLED)
@pytest.mark.parametrize("cluster", [None, "row"])
def test_pooled_figures_of_equal_rows_count_once_a_row(name, cluster):
    summary = constant_statistics().assign(row=range(3)).qa.summary(metrics=name, ci=0.95, cluster=cluster)
    value = summary[name].item()
    assert 0 < value < 1
    expected = mean_bounds(value, 0, 2, n_units=3, n_rows=3, level=0.95)
    np.testing.assert_allclose(bounds_of(summary, name)[0], expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "values", "figure"),
    [
        ("corpus_bleu", {"bleu_match4": 0}, 0.0),
        ("corpus_bleu", {"bleu_match1": 10, "bleu_match2": 9, "bleu_match3": 8, "bleu_match4": 7}, 1.0),
        ("f1_micro", {"overlap": 0}, 0.0),
        ("f1_micro", {"overlap": 10}, 1.0),
    ],
    ids=["bleu-0", "bleu-1", "f1-0", "f1-1"],
)
@pytest.mark.parametrize("cluster", [None, "row"])
@pytest.mark.parametrize("method", ["normal", "bootstrap"])
def test_pooled_figures_of_0_and_1_have_the_interval_of_as_many_rows(name, values, figure, cluster, method):
    frame = constant_statistics(**values).assign(row=range(3))
    summary = frame.qa.summary(ci=0.95, cluster=cluster, method=method)
    assert summary[name].item() == figure
    expected = mean_bounds(figure, 0, 2, n_units=3, n_rows=3, level=0.95)
    np.testing.assert_allclose(bounds_of(summary, name)[0], expected, rtol=1e-9)


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
def test_answers_too_short_for_four_words_leave_corpus_bleu_open(method):
    frame = constant_statistics(bleu_pred_len=2, bleu_match1=2, bleu_match2=1, bleu_match3=0, bleu_match4=0)
    summary = frame.qa.summary(ci=0.95, method=method)
    assert summary["corpus_bleu"].item() == 0
    assert bounds_of(summary, "corpus_bleu")[0].tolist() == [0, 1]


def test_a_summary_has_the_pooled_figures_that_are_named_or_the_two_of_every_summary():
    frame = make_frame()
    means = ["em", "f1", "contains", "bleu"]
    counts = ["n_rows", "n_missing", "n_no_gold"]
    assert list(frame.qa.summary()) == ["n", *means, "corpus_bleu", "f1_micro", *counts]
    assert list(frame.qa.summary(metrics="f1")) == ["n", "f1", *counts]
    named = frame.qa.summary(metrics=["corpus_bleu1", "f1", "corpus_bleu_exp"])
    assert list(named) == ["n", "f1", "corpus_bleu1", "corpus_bleu_exp", *counts]
    alone = frame.qa.summary(metrics="corpus_bleu4")
    assert list(alone) == ["n", "corpus_bleu4", *counts]
    assert alone["corpus_bleu4"].item() == frame.qa.summary()["corpus_bleu"].item()
    assert alone["n"].item() == frame["em"].notna().sum()
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="stats=True"):
        frame[means].qa.summary(metrics="corpus_bleu1")


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
def test_a_smoothed_corpus_bleu_without_matches_of_an_order_has_no_narrower_interval(method):
    summary = constant_statistics(bleu_match4=0).qa.summary(metrics="corpus_bleu_exp", ci=0.95, method=method)
    assert 0 < summary["corpus_bleu_exp"].item() < 1
    assert bounds_of(summary, "corpus_bleu_exp")[0].tolist() == [0, 1]


# ----------------------------------------------------------------- a group's interval rests on that group's rows alone


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
@pytest.mark.parametrize("cluster", [None, "question"])
def test_many_and_large_groups_change_nothing(method, cluster):
    frame = make_frame(3000, 40)
    frame.loc[frame["model"] == "m1", "f1"] *= 5
    asking = {"by": "model", "ci": 0.95, "method": method, "cluster": cluster, "n_resamples": 30}
    together = frame.qa.summary(**asking)
    for model in ("m0", "m17", "m39"):
        alone = frame[frame["model"] == model].qa.summary(**asking)
        pd.testing.assert_frame_equal(together.loc[[model]], alone, check_exact=True)


# --------------------------------------------------------------------------------------------------- few or no rows


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
@pytest.mark.parametrize("cluster", [None, "question"])
def test_groups_of_one_row_or_none_scored(method, cluster):
    frame = make_frame(40).dropna().iloc[:6].assign(model=["one", "two", "two", "none", "none", "part"])
    frame.loc[frame["model"] == "none", METRICS] = np.nan
    frame.loc[frame["model"] == "none", list(ALL_STATISTICS)] = 0
    frame["question"] = range(6)
    summary = frame.qa.summary(by="model", ci=0.95, method=method, cluster=cluster)
    bounds = all_bounds(summary)
    assert bounds.loc[["one", "none", "part"]].isna().all(axis=None)
    assert bounds.loc["two"].notna().all()
    assert summary.loc["none", FIGURES].isna().all()
    assert summary.loc[["one", "two", "part"], FIGURES].notna().all(axis=None)


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
def test_one_cluster_only(method):
    frame = make_frame().assign(question="same")
    summary = frame.qa.summary(ci=0.95, cluster="question", method=method)
    assert all_bounds(summary).isna().all(axis=None)


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
@pytest.mark.parametrize("cluster", [None, "question"])
@pytest.mark.parametrize("by", [None, "model"])
def test_no_rows(method, by, cluster):
    frame = make_frame()
    summary = frame.iloc[:0].qa.summary(by=by, ci=0.95, method=method, cluster=cluster)
    assert list(summary.columns) == list(frame.qa.summary(ci=0.95).columns)
    assert len(summary) == (by is None)


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
@pytest.mark.parametrize("cluster", [None, "question"])
def test_order_and_index_make_no_difference(method, cluster):
    frame = make_frame()
    frame.loc[5:20, "bleu"] = np.nan
    settings = {"by": "model", "ci": 0.95, "method": method, "cluster": cluster}
    shuffled = frame.sample(frac=1, random_state=1).set_axis(np.arange(300) % 7)
    expected = frame.qa.summary(**settings)
    pd.testing.assert_frame_equal(shuffled.qa.summary(**settings), expected, check_exact=True)


# ------------------------------------------------------------------------------------------------------------ warnings


def reasons(frame, **asking):
    """What a summary warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", qa_frame.errors.IntervalWarning)
        frame.qa.summary(**{"by": "model", "ci": 0.95} | asking)
    return " ".join(str(each.message) for each in caught if each.category is qa_frame.errors.IntervalWarning)


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
def test_what_is_warned_of(method):
    frame = make_frame(400, 4).dropna()
    frame = frame.drop(frame.index[frame["model"] == "m1"][40:])
    plain = frame[["model", "question", "f1"]]
    assert "corpus_bleu of fewer than 50 rows in 1 of 4 groups ('m1')" in reasons(frame, method=method)
    assert reasons(frame[frame["model"] != "m1"], method=method) == ""
    assert reasons(plain, method=method) == ""
    assert reasons(plain, method=method, cluster="question") == ""
    few = plain.assign(question=np.where(plain["model"] == "m2", plain["question"] % 9, plain["question"]))
    assert "fewer than 10 clusters in 1 of 4 groups ('m2')" in reasons(few, method=method, cluster="question")
    large = plain.assign(question=np.where(plain.index % 5 < 2, -1, plain["question"]))
    found = reasons(large, method=method, cluster="question")
    uneven = "clusters so unequal that they are worth fewer than 10 in 4 of 4 groups ('m0', 'm1', 'm2', ...)"
    assert found.removeprefix("coverage may be below the level asked for: ").startswith(uneven)
    assert reasons(large, method=method, cluster="question", ci=None) == ""


def test_a_warning_says_where_to_read_on():
    assert issubclass(qa_frame.errors.IntervalWarning, UserWarning)
    with pytest.warns(
        qa_frame.errors.IntervalWarning,
        match='see "Means of other scores" on the page "Coverage" of the documentation$',
    ):
        make_frame(20).qa.summary(ci=0.95)


def test_pools_warn_too():
    pool = qa_frame.Pool("model").update(make_frame(20))
    with pytest.warns(qa_frame.errors.IntervalWarning, match="corpus_bleu of fewer than 50 rows"):
        pool.summary(ci=0.95)


# ----------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize("ci", [0, 1, 95, -0.5, np.nan, "95", True, [0.95]])
def test_ci_that_is_no_level(ci):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"ci=.*between 0 and 1"):
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
        ({"cluster": [["question"]]}, "cluster holds a list"),
    ],
)
def test_arguments_that_cannot_be(arguments, message):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=message):
        make_frame().qa.summary(ci=0.95, **arguments)


def test_cluster_that_is_no_column():
    with pytest.raises(
        qa_frame.errors.ColumnNotFoundError, match=r"cluster='questions' is not a column; did you mean 'question'"
    ):
        make_frame().qa.summary(ci=0.95, cluster="questions")


def test_cluster_with_nulls():
    frame = make_frame().assign(question=[None, None, *"q" * 298])
    with pytest.raises(qa_frame.errors.ColumnTypeError, match="cluster='question' is null in 2 of 300 rows"):
        frame.qa.summary(ci=0.95, cluster="question")


@pytest.mark.parametrize("value", [np.inf, -np.inf, 2.0**31])
def test_scores_that_cannot_be_summed(value):
    with pytest.raises(qa_frame.errors.ColumnTypeError, match="'f1' are as large as"):
        pd.DataFrame({"f1": [0.0, value, np.nan]}).qa.summary()


@pytest.mark.parametrize("settings", [{}, {"method": "bootstrap", "n_resamples": 50}, {"cluster": "row"}])
def test_low_graded_scores_of_independent_rows_are_not_warned_of(settings):
    frame = pd.DataFrame({"bleu": [0.9, 0.7] + [0.0] * 48, "row": range(50)})
    assert reasons(frame, by=None, **settings) == ""
    assert reasons(frame.assign(bleu=1 - frame["bleu"]), by=None, **settings) == ""


@pytest.mark.parametrize("n", [20, 50, 100])
@pytest.mark.parametrize("is_mirrored", [False, True])
def test_scores_with_rare_high_ones_hold_without_a_warning(n, is_mirrored):
    """Scores as sentence BLEU gives chat models: half are below 0.01, and rare high ones make up most of the mean."""
    rng = np.random.default_rng(0)
    population = np.minimum(1, 0.01 * np.exp(1.8 * rng.standard_normal(100_000)))
    population = 1 - population if is_mirrored else population
    draws = rng.choice(population, (2000, n))
    frame = pd.DataFrame({"bleu": draws.ravel(), "draw": np.repeat(np.arange(2000), n)})
    bounds = frame.qa.summary("draw", ci=0.95)
    held = ((bounds["bleu_lo"] <= population.mean()) & (population.mean() <= bounds["bleu_hi"])).mean()
    assert held > 0.94
    assert reasons(frame, by="draw") == ""


def make_clusters(share, correlation, *, n_clusters, n_draws):
    """Rows of 0 and 1 in clusters of 1 to 20, whose own shares have a beta distribution."""
    rng = np.random.default_rng(2)
    sizes = rng.integers(1, 21, (n_draws, n_clusters))
    shares = rng.beta(*(np.array([share, 1 - share]) * (1 / correlation - 1)), sizes.shape)
    cluster = np.repeat(np.arange(sizes.size), sizes.ravel())
    em = (rng.random(len(cluster)) < shares.ravel()[cluster]).astype(float)
    return pd.DataFrame({"em": em, "draw": cluster // n_clusters, "cluster": cluster % n_clusters})


LOW_CLUSTERS = "em low (mean below 0.2, carried by few clusters) in "
HIGH_CLUSTERS = "em high (mean above 0.8, few clusters with misses) in "


@pytest.mark.parametrize(("share", "found"), [(0.03, LOW_CLUSTERS), (0.97, HIGH_CLUSTERS)])
def test_rare_clusters_of_hits_or_misses_hold_less_and_are_warned_of(share, found):
    frame = make_clusters(share, 0.67, n_clusters=50, n_draws=400)
    bounds = frame.qa.summary("draw", ci=0.95, cluster="cluster")
    held = ((bounds["em_lo"] <= share) & (share <= bounds["em_hi"])).mean()
    assert held > 0.9
    assert found in reasons(frame, by="draw", cluster="cluster")
    assert found in reasons(frame, by="draw", cluster="cluster", method="bootstrap", n_resamples=20)
    assert reasons(frame[frame["draw"] < 20], by=None) == ""  # they are rows on their own


@pytest.mark.parametrize(("share", "correlation", "n_clusters"), [(0.97, 0.05, 200), (0.7, 0.67, 50), (0.97, 0.5, 400)])
def test_it_is_not_warned_of_where_clusters_hold_enough(share, correlation, n_clusters):
    frame = make_clusters(share, correlation, n_clusters=n_clusters, n_draws=1)
    assert reasons(frame, by=None, cluster="cluster") == ""


@pytest.mark.parametrize(("share", "found"), [(0.0, LOW_CLUSTERS), (1.0, HIGH_CLUSTERS)])
@pytest.mark.parametrize("weights", ["equal", "size"])
def test_a_cluster_unlike_all_others_is_warned_of_over_strata_too(share, found, weights):
    frame = pd.DataFrame(
        {"em": share, "cluster": np.repeat(np.arange(40), 10), "d": np.repeat(["a", "a", "b", "b"], 100)}
    )
    alike = {"by": None, "cluster": "cluster", "macro": "d", "weights": weights}
    assert reasons(frame, **alike) == ""
    frame.loc[frame["cluster"] == 7, "em"] = 1 - share
    assert found in reasons(frame, **alike)
    assert found in reasons(frame, by=None, cluster="cluster")
    assert reasons(frame, **alike | {"ci": None}) == ""
    half = (frame["d"] == "b") & (frame["cluster"] % 2 == 0)
    assert reasons(frame.assign(em=frame["em"].mask(half, 1 - share)), **alike) == ""


@pytest.mark.parametrize(("n_high", "is_warned"), [(1, True), (20, True), (30, False)])
def test_graded_scores_need_more_clusters_that_carry_them_than_scores_of_0_and_1(n_high, is_warned):
    """So many of 200 clusters carry the mean, near 0 and near 1."""
    em = np.repeat([*np.ones(n_high), *np.zeros(200 - n_high)], 2)
    cluster = np.repeat(np.arange(200), 2)
    for name, side in (("low (mean below 0.2, carried by few clusters)", em), ("high (mean above 0.8, few", 1 - em)):
        said = reasons(
            pd.DataFrame({"f1": 0.01 + 0.98 * side, "em": side, "cluster": cluster}), by=None, cluster="cluster"
        )
        assert said.count("f1 ") == (f"f1 {name}" in said) == is_warned
        assert ("em " in said) == (n_high < 4)


def test_the_clusters_that_carry_a_mean_are_an_effective_number():
    random = np.random.default_rng(0)
    sums = random.random(30) ** 4
    for value, x in ((sums.mean() / 5, sums), (1 - sums.mean() / 5, 5 - sums)):
        spread = measure_unit_sizes(np.full((1, 30), 5.0)).spread((x - x.mean())[None] / 150)
        share_of_rest = 30 / 29  # the variance is that of a sample
        expected = 1 / (1 / 30 + share_of_rest * ((sums**2).sum() / sums.sum() ** 2 - 1 / 30))
        of_few, of_more = (
            is_carried_by_few(np.array([value]), spread, np.array([are_shares]))[0] for are_shares in (True, False)
        )
        assert (of_few, of_more) == (expected < 4, expected < 25) == (False, True)


def test_few_grades_beyond_1_are_warned_of_unless_they_are_scaled_as_it_says():
    """Of 20 such grades, Student's interval held in 88 of 100 draws, and that of the scaled ones in 97."""
    frame = pd.DataFrame({"f1": np.repeat([1.0, 3.0, 4.0, 5.0], [5, 5, 10, 79])})
    beyond = "f1 of fewer than 100 rows, some beyond [0, 1] (scale them first, as in (grade - 1) / 4"
    assert beyond in reasons(frame, by=None)
    assert reasons((frame - 1) / 4, by=None) == ""
    assert reasons(frame.loc[[*frame.index, 98]], by=None) == ""


def test_strata_of_two_units_need_no_warning_and_one_alone_has_no_bounds():
    frame = pd.DataFrame({"em": np.arange(204) % 2.0, "dataset": np.repeat(["a", "b", "c"], [2, 2, 200])})
    assert reasons(frame, by=None, macro="dataset") == ""
    alone = "no bounds for em, of which a stratum has one unit alone,"
    assert alone in reasons(frame.iloc[1:], by=None, macro="dataset")


@pytest.mark.parametrize(("largest", "is_warned"), [(600, True), (6, False)])
def test_clusters_worth_less_than_a_quarter_of_their_number_are_warned_of(largest, is_warned):
    """100 clusters of 600 / i rows are worth 16. Their intervals held in 92 of 100 draws of shares of 0.5 and 0.8."""
    sizes = np.maximum(largest // np.arange(1, 101), 1)
    cluster = np.repeat(np.arange(100), sizes)
    frame = pd.DataFrame({"em": (cluster % 3 > 0).astype(float), "cluster": cluster})
    said = reasons(frame, by=None, cluster="cluster")
    assert (
        "clusters so unequal that they are worth less than 1/4 of their number in 1 of 1 groups" in said
    ) == is_warned


def test_clusters_that_are_all_alike_hold_enough():
    frame = pd.DataFrame({"em": 1.0, "f1": 0.5, "bleu": 0.0, "cluster": np.repeat(np.arange(40), 5)})
    assert reasons(frame, by=None, cluster="cluster") == ""
