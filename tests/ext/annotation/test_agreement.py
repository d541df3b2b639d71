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

import qa_frame
from tests.reference.statistics import best_threshold, cross_fitted_calls

DATA = Path(__file__).parents[4] / "shared" / "data"

CELLS = ["both_right", "only_metric_right", "only_people_right", "both_wrong"]
OF_CALLS = [*CELLS, "precision", "recall", "kappa", "kappa_lo", "kappa_hi"]
FIGURES = ["auc", "auc_lo", "auc_hi", "threshold", *OF_CALLS]
COLUMNS = ["n", "n_not_used", "human_mean", "metric_mean", *FIGURES]


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
    """The four counts, precision, recall and Cohen's kappa, by their definitions."""
    is_right = verdicts == 1
    cells = [(says == by_metric) & (is_right == by_people) for by_metric in (1, 0) for by_people in (1, 0)]
    precision = is_right[says].mean() if says.any() else np.nan
    chance = says.mean() * is_right.mean() + (1 - says.mean()) * (1 - is_right.mean())
    kappa = ((says == is_right).mean() - chance) / (1 - chance)
    return [*(cell.sum() for cell in cells), precision, says[is_right].mean(), kappa]


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
    assert row[["human_mean", "metric_mean"]].tolist() == pytest.approx([verdicts.mean(), scores.mean()])
    if np.ptp(scores) == 0:
        assert row[["threshold", *OF_CALLS]].isna().all()
    else:
        assert row["threshold"] == best_threshold(list(zip(scores, verdicts, strict=True)))
        calls = cross_fitted_calls(scores, verdicts, np.arange(len(scores)), 0)
        np.testing.assert_allclose(row[OF_CALLS[:7]].to_numpy(float), of_calls(calls, verdicts), atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from([1, 2, 3.5, 5])), min_size=3, max_size=25))
def test_figures_of_grades(rows):
    scores, grades = (np.array(side, float) for side in zip(*rows, strict=True))
    if len(set(grades)) < 3:
        return
    row = agreement(scores, grades)
    assert row["auc"] == pytest.approx(auc_by_pairs(scores, grades), abs=1e-12)
    assert row["human_mean"] == pytest.approx(grades.mean())
    assert row[["threshold", *OF_CALLS]].isna().all()


# --- the frame


def test_columns():
    result = make_frame(200).qa.agreement(by="model")
    assert list(result.columns) == COLUMNS
    assert result.index.names == ["model", "metric"]
    assert result.index.tolist() == [(model, metric) for model in "abc" for metric in ("f1", "em")]
    assert (result[["n", "n_not_used"]].dtypes == "int64").all()
    assert (result[CELLS].dtypes == "Int64").all()
    assert (result[[name for name in COLUMNS[2:] if name not in CELLS]].dtypes == "float64").all()
    assert (result[CELLS].sum(axis=1) == result["n"]).all()


def test_groups_are_taken_alone():
    frame = make_frame(200)
    result = frame.qa.agreement(by="model")
    for model, rows in frame.groupby("model"):
        pd.testing.assert_frame_equal(result.loc[model], rows.qa.agreement(), check_exact=True)


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


def test_rows_in_any_order_with_any_index():
    frame = make_frame(300)
    expected = frame.qa.agreement(by="model")
    shuffled = frame.sample(frac=1, random_state=1).set_index(np.zeros(300, int))
    pd.testing.assert_frame_equal(shuffled.qa.agreement(by="model"), expected, check_exact=True)


# --- intervals


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
        figures += of_calls(calls[rows], verdicts[rows])[-1:] if levels == 2 else []
        drawn.append(figures)
    names = ["auc", "kappa"][: len(drawn[0])]
    for end, q in (("_lo", 0.025), ("_hi", 0.975)):
        ours = row[[name + end for name in names]].to_numpy(float)
        np.testing.assert_array_less(np.abs(ours - np.quantile(drawn, q, axis=0)), 0.3 * np.std(drawn, axis=0))


@pytest.mark.slow
def test_intervals_contain_the_truth():
    """Of samples of 200 rows, some 95 % give intervals that contain the AUC of all rows."""
    whole = make_frame(200_000, seed=1)
    truth = whole.qa.agreement(metrics="f1").loc["f1", "auc"]
    samples = (whole.sample(200, random_state=seed).qa.agreement(metrics="f1").loc["f1"] for seed in range(1000))
    coverage = np.mean([row["auc_lo"] <= truth <= row["auc_hi"] for row in samples])
    assert 0.925 < coverage < 0.975, coverage


# --- clusters


def test_clusters_of_one_row_are_as_good_as_none():
    frame = make_frame(120).assign(question=range(120))
    plain, clustered = (frame.qa.agreement(by="model", cluster=cluster) for cluster in (None, "question"))
    pd.testing.assert_frame_equal(clustered, plain, rtol=1e-9)


@pytest.mark.parametrize("levels", [2, 4])
def test_models_that_answered_the_same_questions(levels):
    """Five copies of each row tell nothing new, and without a cluster they seem to."""
    frame = make_frame(100, levels=levels).assign(question=range(100))
    copied = frame.loc[frame.index.repeat(5)]
    once, clustered, naive = (
        each.qa.agreement(metrics="f1", cluster=cluster).loc["f1"]
        for each, cluster in ((frame, "question"), (copied, "question"), (copied, None))
    )
    for name in ("auc", "kappa") if levels == 2 else ("auc",):
        width, of_clustered, of_naive = (each[f"{name}_hi"] - each[f"{name}_lo"] for each in (once, clustered, naive))
        assert clustered[name] == pytest.approx(once[name])
        assert of_clustered == pytest.approx(width, rel=0.1)
        assert of_naive < 0.6 * width


def test_clusters_that_are_null():
    frame = make_frame(20).assign(question=[None, *range(19)])
    with pytest.raises(qa_frame.errors.ColumnTypeError, match="cluster='question' is null in 1 of 20 rows"):
        frame.qa.agreement(cluster="question")


# --- what cannot be told


def test_a_group_with_one_verdict_only():
    frame = make_frame(90)
    frame.loc[frame["model"] == "b", "human"] = 1
    result = frame.qa.agreement(by="model")
    assert result.loc[("b", "f1"), FIGURES].isna().all()
    says = frame.loc[frame["model"] == "b", "em"] == 1
    judge = result.loc[("b", "em")]
    assert judge[["threshold", *CELLS]].tolist() == [1, says.sum(), 0, (~says).sum(), 0]
    assert judge[["precision", "recall"]].tolist() == [1, says.mean()]
    assert judge[["auc", "auc_lo", "auc_hi", "kappa", "kappa_lo", "kappa_hi"]].isna().all()
    assert (result.loc["b", "human_mean"] == 1).all()
    assert (result.loc["b", "n"] == (frame["model"] == "b").sum()).all()
    assert result.loc[["a", "c"], "auc"].notna().all()


@pytest.mark.parametrize("n", [0, 1])
def test_a_group_with_hardly_a_row(n):
    frame = make_frame(60)
    frame.loc[(frame["model"] == "b").to_numpy() & (frame["model"].eq("b").cumsum() > n).to_numpy(), "human"] = np.nan
    result = frame.qa.agreement(by="model")
    assert result.loc["b", "n"].tolist() == [n, n]
    assert result.loc[("b", "f1"), FIGURES].isna().all()
    assert result.loc[("b", "em"), ["auc", "kappa"]].isna().all()
    assert result.loc[("b", "em"), CELLS].sum() == n


def test_a_metric_that_does_not_vary():
    row = agreement([0.5] * 5, [0, 1, 1, 1, 0])
    assert row["auc"] == 0.5
    assert 0 < row["auc_lo"] < 0.5 < row["auc_hi"] < 1
    assert row[["threshold", *OF_CALLS]].isna().all()


@pytest.mark.parametrize("says", [0, 1])
def test_a_judge_that_always_says_the_same(says):
    row = agreement([says] * 5, [0, 1, 1, 1, 0])
    assert row[["auc", "threshold", "kappa"]].tolist() == [0.5, 1, 0]
    assert row["kappa_lo"] < 0 < row["kappa_hi"]
    assert row[CELLS].tolist() == ([3, 2, 0, 0] if says else [0, 0, 3, 2])
    assert row["recall"] == says
    assert row["precision"] == 0.6 if says else pd.isna(row["precision"])


def test_the_figures_of_a_judge_are_those_of_its_cross_table():
    """Of any judge and any two verdicts, also where one of them is alone in the group."""
    random = np.random.default_rng(0)
    for _ in range(40):
        human = random.random(random.integers(1, 30)) < random.random()
        judge = np.where(random.random(len(human)) < 0.7, human, ~human)
        frame = pd.DataFrame({"judge": [*judge, True, False], "human": [*human, True, False]})
        frame["model"] = ["a"] * len(human) + ["b"] * 2
        row = frame.qa.agreement("model", metrics="judge").loc[("a", "judge")]
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = np.array(of_calls(judge, human.astype(float)), float) if human.any() else None
        if expected is None:
            assert row[CELLS].tolist() == [0, judge.sum(), 0, (~judge).sum()]
            continue
        if human.all():
            expected[-1] = np.nan
        np.testing.assert_allclose(row[[*CELLS, "precision", "recall", "kappa"]].astype(float), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("verdicts", "parts"),
    [
        (["right", "wrong", "right"], ["human='human' holds string", "'right'", ".map("]),
        (["no", None, "yes"], [".map({'yes': 1, 'no': 0})"]),
        (["1", "0", "1"], ["holds string", "'1'"]),
        ([1, 1, 1], ["is always 1", "3 of 3 rows"]),
        ([False, False, None], ["is always 0", "2 of 3 rows"]),
        ([None, None, None], ["holds only nulls", "0 of 3 rows"]),
        ([[1], [0], [1]], ["holds mixed", "[1]"]),
        ([pd.Timestamp(0), pd.Timestamp(1), pd.NaT], ["holds datetime"]),
        ([1, 0, np.inf], ["infinite at index label 2"]),
        (["right", 1, 0], ["holds mixed-integer", "'right'"]),
    ],
    ids=["text", "yes-no", "digits", "constant", "constant-bool", "nulls", "lists", "dates", "infinite", "mixed"],
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
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_errors(options, error, parts):
    with pytest.raises(error) as caught:
        make_frame(20).qa.agreement(**options)
    for part in parts:
        assert part in str(caught.value)
