"""Agreement with people's verdicts: each figure by scipy or by hand, intervals that contain the truth, no silence."""

from __future__ import annotations

import decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import qa_frame
from tests.reference.statistics import best_threshold, cross_fitted_calls

DATA = Path(__file__).parents[4] / "shared" / "data"

FIGURES = ["auc", "pearson", "spearman", "kendall", "accuracy", "balanced_accuracy", "kappa"]
COLUMNS = ["n", "n_not_used", *(f"{name}{end}" for name in FIGURES[:4] for end in ("", "_lo", "_hi")), "threshold"]
COLUMNS += [f"{name}{end}" for name in FIGURES[4:] for end in ("", "_lo", "_hi")]
INTERVALS = [f"{name}{end}" for name in FIGURES for end in ("_lo", "_hi")]


def agreement(scores, verdicts, **options):
    """The one row for one metric."""
    frame = pd.DataFrame({"f1": scores, "human": verdicts})
    return frame.qa.agreement(**options).loc["f1"]


def make_frame(n, *, seed=0, levels=2):
    """Scores that know something of verdicts, for three models."""
    random = np.random.default_rng(seed)
    skill = random.normal(size=n)
    f1 = np.clip(0.5 + 0.25 * (skill + random.normal(size=n)), 0, 1).round(2)
    human = np.digitize(skill + 0.5 * random.normal(size=n), np.linspace(-1, 1, levels + 1)[1:-1])
    model = random.choice(["a", "b", "c"], n)
    return pd.DataFrame({"model": model, "f1": f1, "em": (f1 > 0.9).astype(float), "human": human})


# --- by hand


def auc_by_pairs(scores, verdicts):
    """Over all pairs of rows with different verdicts."""
    higher = np.subtract.outer(verdicts, verdicts) > 0
    difference = np.subtract.outer(scores, scores)[higher]
    return ((difference > 0).sum() + (difference == 0).sum() / 2) / higher.sum()


def of_calls(says, verdicts):
    """Accuracy, balanced accuracy and Cohen's kappa."""
    is_right = verdicts == 1
    accuracy = (says == is_right).mean()
    balanced = (says[is_right].mean() + (~says[~is_right]).mean()) / 2
    chance = says.mean() * is_right.mean() + (1 - says.mean()) * (1 - is_right.mean())
    return accuracy, balanced, (accuracy - chance) / (1 - chance)


scores_and_verdicts = st.lists(
    st.tuples(st.sampled_from([0, 0.2, 1 / 3, 0.5, 2 / 3, 1]), st.integers(0, 1)), min_size=2, max_size=25
).filter(lambda rows: len({verdict for _, verdict in rows}) == 2)


@settings(max_examples=80, deadline=None)
@given(scores_and_verdicts)
def test_figures_of_two_verdicts(rows):
    scores, verdicts = (np.array(side, float) for side in zip(*rows, strict=True))
    row = agreement(scores, verdicts)
    assert row["n"] == len(rows)
    assert row["auc"] == pytest.approx(auc_by_pairs(scores, verdicts), abs=1e-12)
    correlations = row[["pearson", "spearman", "kendall"]].tolist()
    cut = row[["accuracy", "balanced_accuracy", "kappa"]].tolist()
    if np.ptp(scores) == 0:
        assert np.isnan([*correlations, row["threshold"], *cut]).all()
    else:
        assert row["threshold"] == best_threshold(list(zip(scores, verdicts, strict=True)))
        calls = cross_fitted_calls(scores, verdicts, np.arange(len(scores)), 0)
        np.testing.assert_allclose(cut, of_calls(calls, verdicts), atol=1e-12)
        by_scipy = [
            function(scores, verdicts).statistic for function in (stats.pearsonr, stats.spearmanr, stats.kendalltau)
        ]
        np.testing.assert_allclose(correlations, by_scipy, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from([1, 2, 3.5, 5])), min_size=3, max_size=25))
def test_figures_of_grades(rows):
    scores, grades = (np.array(side, float) for side in zip(*rows, strict=True))
    if len(set(grades)) < 3:
        return
    row = agreement(scores, grades)
    assert row["auc"] == pytest.approx(auc_by_pairs(scores, grades), abs=1e-12)
    assert row[["threshold", "accuracy", "balanced_accuracy", "kappa", "kappa_lo"]].isna().all()


def test_a_worked_example():
    """Six answers: of 9 pairs of right and wrong, 7 in order and 2 half; scores from 0.5 on are right in 5 of 6.

    By the best threshold of the five others, 0.5 is called wrong (theirs is 1.0), and 0.8 right (theirs is 0.5).
    """
    row = agreement([0.0, 0.2, 0.5, 0.8, 1.0, 1.0], [False, False, True, False, True, True])
    assert row[["n", "n_not_used"]].tolist() == [6, 0]
    assert row["auc"] == pytest.approx(8 / 9)
    assert row["threshold"] == 0.5
    assert row[["accuracy", "balanced_accuracy", "kappa"]].tolist() == pytest.approx([4 / 6, 4 / 6, 1 / 3])


def test_perfect_agreement():
    """Every threshold of three rows calls the fourth rightly, as no score stands alone."""
    row = agreement([0.1, 0.1, 0.8, 0.8], [0, 0, 1, 1])
    assert row[["auc", "threshold", "accuracy", "balanced_accuracy", "kappa"]].tolist() == [1, 0.8, 1, 1, 1]


def test_perfect_correlations_have_the_bounds_of_a_share():
    """Wilson's of 30 of 30 with Student's t, moved from [0, 1]; and those of the opposite are the same, turned round."""
    scores = np.arange(30) / 30
    least = 2 * 30 / (30 + stats.t.ppf(0.975, 29) ** 2) - 1
    same, opposite = agreement(scores, scores, ci=0.95), agreement(scores, 1 - scores, ci=0.95)
    for name in ("pearson", "spearman", "kendall"):
        assert same[[f"{name}_lo", f"{name}_hi"]].tolist() == pytest.approx([least, 1])
        assert opposite[[f"{name}_lo", f"{name}_hi"]].tolist() == pytest.approx([-1, -least])


@pytest.mark.parametrize(
    ("scores", "verdicts", "threshold"),
    [
        ([0.1, 0.9, 0.5], [1, 0, 0], 0.9),
        ([0.5, 0.9, 0.1], [1, 1, 0], 0.5),
        ([0.9, 0.1, 0.5], [0, 1, 1], 0.5),
        ([0.5, 0.5], [0, 1], np.nan),
        ([0.2, 0.5, 0.8, 0.9], [0, 1, 1, 1], 0.5),
        ([0.0, 0.4, 0.4, 1.0], [0, 0, 1, 1], 0.4),
    ],
    ids=["turned", "clear", "nearly-all-right", "all-equal", "one-wrong", "equals"],
)
def test_thresholds(scores, verdicts, threshold):
    """Never infinite, and never the lowest score: that would call every answer wrong, or right."""
    np.testing.assert_equal(agreement(scores, verdicts)["threshold"], threshold)


# --- the frame


def test_columns():
    result = make_frame(200).qa.agreement(by="model")
    assert list(result.columns) == COLUMNS
    assert result.index.names == ["model", "metric"]
    assert result.index.tolist() == [(model, metric) for model in "abc" for metric in ("f1", "em")]
    assert (result[["n", "n_not_used"]].dtypes == "int64").all()
    assert (result[COLUMNS[2:]].dtypes == "float64").all()


def test_groups_are_taken_alone():
    frame = make_frame(200)
    result = frame.qa.agreement(by="model")
    for model, rows in frame.groupby("model"):
        pd.testing.assert_frame_equal(result.loc[model], rows.qa.agreement(), check_exact=True)


def test_several_columns_by():
    frame = make_frame(400).assign(dataset=lambda rows: pd.Categorical(np.arange(len(rows)) % 2))
    result = frame.qa.agreement(by=["dataset", "model"], metrics="f1")
    assert result.index.names == ["dataset", "model", "metric"]
    assert result["n"].tolist() == frame.groupby(["dataset", "model"], observed=True).size().tolist()


def test_rows_without_a_group_are_a_group():
    frame = make_frame(100)
    frame.loc[:39, "model"] = None
    result = frame.qa.agreement(by="model", metrics="f1")
    assert result["n"].sum() == 100
    assert result["n"].iloc[-1] == 40
    assert pd.isna(result.index[-1][0])


def test_by_an_index_level():
    frame = make_frame(100)
    result = frame.set_index("model").qa.agreement(by="model")
    pd.testing.assert_frame_equal(result, frame.qa.agreement(by="model"))


def test_what_is_not_used_is_counted():
    row = agreement([0.1, np.nan, 0.7, 0.2, np.nan], [0, 1, 1, None, None])
    assert row[["n", "n_not_used"]].tolist() == [2, 3]


@pytest.mark.parametrize(
    "verdicts",
    [
        [True, False, True, None],
        pd.array([True, False, True, None], dtype="boolean"),
        pd.array([1, 0, 1, None], dtype="Int8"),
        pd.array([True, False, True, None], dtype="bool[pyarrow]"),
        pd.array([1, 0, 1, None], dtype=pd.ArrowDtype(pa.float32())),
        [1.0, 0.0, 1.0, np.nan],
        pd.Categorical([1, 0, 1, None]),
        [decimal.Decimal(1), decimal.Decimal(0), decimal.Decimal(1), None],
        [decimal.Decimal(1), decimal.Decimal(0), decimal.Decimal(1), decimal.Decimal("sNaN")],
        [2, 1, 2, None],
        [0, -1, 0, None],
    ],
    ids=lambda verdicts: str(getattr(verdicts, "dtype", verdicts)),
)
def test_verdicts_of_any_type(verdicts):
    row, expected = (agreement([0.9, 0.2, 0.3, 0.5], each) for each in (verdicts, [1, 0, 1, np.nan]))
    pd.testing.assert_series_equal(row, expected)


def test_scored_before_or_now():
    sample = qa_frame.sample().assign(human=np.arange(360) % 3 == 0)
    before = sample.qa.score("response", "answers").qa.agreement(by="model")
    now = sample.qa.score(pred="response", gold="answers").qa.agreement(by="model")
    pd.testing.assert_frame_equal(now, before, check_exact=True)
    assert now.attrs == before.attrs
    assert now["n_not_used"].tolist() == [5] * 18


def test_options_of_scoring():
    sample = qa_frame.sample().assign(human=np.arange(360) % 3 == 0)
    scored = sample.qa.score("response", "answers", metrics="f1", reduce="min", missing="null", prefix="x_")
    before = scored.qa.agreement(metrics="x_f1")
    now = sample.qa.score(pred="response", gold="answers", metrics="f1", reduce="min", missing="null").qa.agreement(
        metrics="f1"
    )
    pd.testing.assert_frame_equal(now, before.rename(index={"x_f1": "f1"}), check_exact=True)
    assert before["n_not_used"].notna().all()  # a column that is named keeps what the frame remembers of it


def test_rows_in_any_order_with_any_index():
    frame = make_frame(300)
    expected = frame.qa.agreement(by="model")
    shuffled = frame.sample(frac=1, random_state=1).set_index(np.zeros(300, int))
    pd.testing.assert_frame_equal(shuffled.qa.agreement(by="model"), expected, check_exact=True)


# --- intervals


def test_seeds():
    frame = make_frame(100)
    first, again, other = (frame.qa.agreement(seed=seed)["kappa"].tolist() for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.thorough
@pytest.mark.parametrize("levels", [2, 4])
def test_bounds_are_near_those_of_the_bootstrap(levels):
    """The bounds are near quantiles of what the whole computation gives for rows drawn with replacement."""
    frame = make_frame(150, levels=levels)
    random = np.random.default_rng(5)
    row = frame.qa.agreement(metrics="f1").loc["f1"]
    scores, verdicts = frame["f1"].to_numpy(), frame["human"].to_numpy(float)
    drawn, calls = [], cross_fitted_calls(scores, verdicts, np.arange(150), 0) if levels == 2 else None
    for _ in range(1000):
        rows = random.integers(0, 150, 150)
        figures = [auc_by_pairs(scores[rows], verdicts[rows])]
        figures += [
            by(scores[rows], verdicts[rows]).statistic for by in (stats.pearsonr, stats.spearmanr, stats.kendalltau)
        ]
        figures += of_calls(calls[rows], verdicts[rows]) if levels == 2 else [np.nan] * 3
        drawn.append(figures)
    spread = np.std(drawn, axis=0)
    for end, q in (("_lo", 0.025), ("_hi", 0.975)):
        ours = row[[name + end for name in FIGURES]].to_numpy(float)
        np.testing.assert_array_less(
            np.abs(ours - np.quantile(drawn, q, axis=0))[: 7 if levels == 2 else 4],
            0.3 * spread[: 7 if levels == 2 else 4],
        )


def test_interval_of_the_auc_is_near_that_of_delong():
    frame = make_frame(800)
    row = frame.qa.agreement(metrics="f1").loc["f1"]
    right, wrong = (frame.loc[frame["human"] == verdict, "f1"].to_numpy() for verdict in (1, 0))
    wins = np.greater.outer(right, wrong) + np.equal.outer(right, wrong) / 2
    error = np.sqrt(wins.mean(axis=1).var(ddof=1) / len(right) + wins.mean(axis=0).var(ddof=1) / len(wrong))
    assert row["auc"] == pytest.approx(wins.mean())
    assert (row["auc_hi"] - row["auc_lo"]) / 2 == pytest.approx(1.96 * error, rel=0.1)


@pytest.mark.slow
def test_intervals_contain_the_truth():
    """Of samples of 200 rows, some 95 % give intervals that contain the figure of all rows."""
    whole = make_frame(200_000, seed=1)
    names = ["auc", "pearson", "spearman", "kendall"]
    truth = whole.qa.agreement(metrics="f1").loc["f1", names]
    inside = []
    for seed in range(1000):
        row = whole.sample(200, random_state=seed).qa.agreement(metrics="f1", seed=seed).loc["f1"]
        inside.append([row[f"{name}_lo"] <= truth[name] <= row[f"{name}_hi"] for name in names])
    coverage = np.mean(inside, axis=0)
    assert (coverage > 0.925).all(), coverage
    assert (coverage < 0.975).all(), coverage


# --- clusters


def test_clusters_of_one_row_are_as_good_as_none():
    frame = make_frame(120).assign(question=range(120))
    plain, clustered = (frame.qa.agreement(by="model", cluster=cluster) for cluster in (None, "question"))
    names = [name for name in COLUMNS if not name.startswith(("pearson_", "spearman_", "kendall_"))]
    pd.testing.assert_frame_equal(clustered[names], plain[names], rtol=1e-9)


@pytest.mark.parametrize("levels", [2, 4])
def test_models_that_answered_the_same_questions(levels):
    """Five copies of each row tell nothing new, and without a cluster they seem to."""
    frame = make_frame(100, levels=levels).assign(question=range(100))
    copied = frame.loc[frame.index.repeat(5)]
    once, clustered, naive = (
        each.qa.agreement(metrics="f1", cluster=cluster).loc["f1"]
        for each, cluster in ((frame, "question"), (copied, "question"), (copied, None))
    )
    for name in FIGURES[: 7 if levels == 2 else 4]:
        width, of_clustered, of_naive = (each[f"{name}_hi"] - each[f"{name}_lo"] for each in (once, clustered, naive))
        assert clustered[name] == pytest.approx(once[name])
        assert of_clustered == pytest.approx(width, rel=0.1)
        assert of_naive < 0.6 * width


def test_cluster_by_an_index_level_and_with_groups():
    frame = make_frame(120).assign(question=lambda rows: np.arange(len(rows)) // 4)
    by_column = frame.qa.agreement(by="model", cluster="question")
    by_level = frame.set_index("question").qa.agreement(by="model", cluster="question")
    pd.testing.assert_frame_equal(by_level, by_column, check_exact=True)
    assert by_column.attrs["qa_agreement"]["cluster"] == "question"


def test_clusters_in_any_order():
    """Of all rows, and in groups: the same bounds to the last bit, whatever clusters are called."""
    frame = make_frame(300).assign(question=lambda rows: np.arange(len(rows)) // 3)
    shuffled = frame.sample(frac=1, random_state=4)
    renamed = shuffled.assign(question=shuffled["question"].map(lambda n: f"q{n * 7 % 100}"))
    for by in (None, "model"):
        expected = frame.qa.agreement(by=by, cluster="question")
        for other in (shuffled, renamed):
            found = other.qa.agreement(by=by, cluster="question")
            pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_clusters_that_are_null():
    frame = make_frame(20).assign(question=[None, *range(19)])
    with pytest.raises(qa_frame.errors.ColumnTypeError, match="cluster='question' is null in 1 of 20 rows"):
        frame.qa.agreement(cluster="question")


# --- what cannot be told


def test_a_group_with_one_verdict_only():
    frame = make_frame(90)
    frame.loc[frame["model"] == "b", "human"] = 1
    result = frame.qa.agreement(by="model")
    assert result.loc["b", COLUMNS[2:]].isna().all(axis=None)
    assert (result.loc["b", "n"] == (frame["model"] == "b").sum()).all()
    assert result.loc[["a", "c"], "auc"].notna().all()


@pytest.mark.parametrize("n", [0, 1])
def test_a_group_with_hardly_a_row(n):
    frame = make_frame(60)
    frame.loc[(frame["model"] == "b").to_numpy() & (frame["model"].eq("b").cumsum() > n).to_numpy(), "human"] = np.nan
    result = frame.qa.agreement(by="model")
    assert result.loc["b", "n"].tolist() == [n, n]
    assert result.loc["b", COLUMNS[2:]].isna().all(axis=None)


def test_a_metric_that_does_not_vary():
    row = agreement([0.0] * 5, [0, 1, 1, 1, 0])
    assert row["auc"] == 0.5
    assert 0 < row["auc_lo"] < 0.5 < row["auc_hi"] < 1
    assert row[["threshold", "accuracy", "kappa", "pearson", "spearman", "kendall", "pearson_lo"]].isna().all()


@pytest.mark.parametrize(
    ("verdicts", "parts"),
    [
        (["right", "wrong", "right"], ["human='human' holds string", "'right'", ".map("]),
        (["1", "0", "1"], ["holds string", "'1'"]),
        ([1, 1, 1], ["is always 1", "3 of 3 rows"]),
        ([False, False, None], ["is always 0", "2 of 3 rows"]),
        ([None, None, None], ["holds only nulls", "0 of 3 rows"]),
        ([[1], [0], [1]], ["holds mixed", "[1]"]),
        ([pd.Timestamp(0), pd.Timestamp(1), pd.NaT], ["holds datetime"]),
        ([1, 0, np.inf], ["infinite at index label 2"]),
        (["right", 1, 0], ["holds mixed-integer", "'right'"]),
    ],
    ids=["text", "digits", "constant", "constant-bool", "nulls", "lists", "dates", "infinite", "mixed"],
)
def test_verdicts_that_are_none(verdicts, parts):
    with pytest.raises(qa_frame.errors.VerdictError) as caught:
        agreement([0.1, 0.2, 0.3], verdicts)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"human": "humam"}, qa_frame.errors.ColumnNotFoundError, ["human='humam'", "did you mean 'human'"]),
        ({"by": "modell"}, qa_frame.errors.ColumnNotFoundError, ["by='modell'", "did you mean 'model'"]),
        ({"cluster": "modell"}, qa_frame.errors.ColumnNotFoundError, ["cluster='modell'", "did you mean 'model'"]),
        ({"cluster": [["model"]]}, qa_frame.errors.UnknownOptionError, ["cluster holds a list"]),
        ({"metrics": "f2"}, qa_frame.errors.UnknownOptionError, ["metrics='f2'"]),
        ({"metrics": "bleu"}, qa_frame.errors.ColumnNotFoundError, ["metrics='bleu'"]),
        ({"ci": 0}, qa_frame.errors.UnknownOptionError, ["ci=0"]),
        ({"ci": "0.95"}, qa_frame.errors.UnknownOptionError, ["ci='0.95'"]),
        ({"seed": None}, qa_frame.errors.UnknownOptionError, ["seed=None"]),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_errors(options, error, parts):
    with pytest.raises(error) as caught:
        make_frame(20).qa.agreement(**options)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.skipif(not DATA.is_dir(), reason="the published results are not part of the project")
def test_published_verdicts():
    evouna = pd.read_parquet(DATA / "evouna.parquet")
    evouna = evouna.qa.score("response", "answers", metrics=["em", "contains"])
    with pytest.warns(
        qa_frame.errors.ScoringWarning, match="62 % of the responses of 'newbing', 0 % of those of 'fid'"
    ):
        result = evouna.qa.agreement(by="model")
    assert result.loc[("newbing", "em"), "auc"] == 0.5  # it never answers in the gold's words alone
    for model, rows in evouna.groupby("model"):
        agrees = (rows["contains"] == rows["human"]).mean()
        assert result.loc[(model, "contains"), "accuracy"] == pytest.approx(agrees)
