"""Groups that answered different questions: compare without `question`."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

import qa_frame
from tests.reference.statistics import mean_with_units

ERRORS = qa_frame.errors


def two(n=(40, 30), seed=0, shares=(0.8, 0.5)):
    random = np.random.default_rng(seed)
    frames = [
        pd.DataFrame({"model": name, "em": (random.random(k) < share).astype(float), "f1": random.random(k) ** share})
        for name, k, share in zip("ab", n, shares, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def test_bounds_p_and_counts():
    """By a loop over both sides: Welch's t, each side with its units of 0 and 1."""
    frame = two()
    found = frame.qa.compare("model")
    assert found["metric"].tolist() == ["em", "f1"]
    for row in found.itertuples():
        sides = [frame.loc[frame["model"] == name, row.metric].to_numpy() for name in "ab"]
        parts = [
            mean_with_units(x.mean(), x.var(ddof=1) / len(x), len(x) - 1, n=len(x), n_units=len(x), n_rows=len(x))
            for x in sides
        ]
        (middle_a, error_a, df_a), (middle_b, error_b, df_b) = parts
        error = np.hypot(error_a, error_b)
        df = error**4 / (error_a**4 / df_a + error_b**4 / df_b)
        expected = stats.t.interval(0.95, df, middle_a - middle_b, error)
        assert row.diff == pytest.approx(sides[0].mean() - sides[1].mean(), rel=1e-12)
        np.testing.assert_allclose([row.diff_lo, row.diff_hi], expected, rtol=1e-9)
        assert row.p == pytest.approx(2 * stats.t.sf(abs(middle_a - middle_b) / error, df), rel=1e-8)
        assert (row.n, row.n_only_a, row.n_only_b, row.n_not_scored) == (70, 40, 30, 0)
        assert pd.isna(row.wins)
    assert found.attrs["qa_table"]["kind"] == "compare"


def test_grades_beyond_1_are_compared_by_welchs_test():
    frame = two().assign(f1=lambda rows: 5 * rows["f1"])
    with pytest.warns(ERRORS.IntervalWarning, match="some beyond"):
        row = frame.qa.compare("model", metrics="f1").iloc[0]
    expected = stats.ttest_ind(*(frame.loc[frame["model"] == name, "f1"] for name in "ab"), equal_var=False)
    assert row["p"] == pytest.approx(expected.pvalue, rel=1e-8)
    np.testing.assert_allclose(row[["diff_lo", "diff_hi"]].astype(float), expected.confidence_interval(), rtol=1e-8)


@pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")
@pytest.mark.parametrize("options", [{"cluster": "cluster"}, {}])
def test_bounds_and_p_never_contradict(options):
    for seed in range(30):
        frame = two(n=(20, 25), seed=seed, shares=(0.9, 0.6))
        frame["cluster"] = np.arange(45) // 2
        row = frame.qa.compare("model", metrics="em", margin=0.1, **options).iloc[0]
        assert (row["p"] < 0.05) == (row["diff_lo"] > 0 or row["diff_hi"] < 0)
        assert (row["p_noninferior"] < 0.05) == (row["tost_lo"] > -0.1)
        if row["verdict"] == "better":
            assert row["p_noninferior"] < 0.05


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")
def test_few_rows_without_a_difference_seldom_show_one():
    """Scores as sentence BLEU gives them beside steady ones of the same mean: labels that were permuted had 19 %."""
    random = np.random.default_rng(0)
    draws = [("a", random.beta(0.3, 2.7, (200, 5))), ("b", random.beta(6, 54, (200, 5)))]
    p = [
        pd.concat([pd.DataFrame({"model": name, "f1": each[place]}) for name, each in draws]).qa.compare("model")["p"][
            0
        ]
        for place in range(200)
    ]
    assert np.mean(np.array(p) < 0.05) < 0.03


def test_the_order_of_rows_and_the_kind_of_frame_do_not_matter():
    frame = two()
    found = frame.qa.compare("model")
    shuffled = frame.sample(frac=1, random_state=1).sort_values("model", kind="stable")
    pd.testing.assert_frame_equal(shuffled.qa.compare("model"), found)
    for convert in (pl.from_pandas, pa.Table.from_pandas):
        other = qa_frame.compare(convert(frame), "model")
        assert type(other) is type(convert(frame))
        rows = other.to_pylist() if isinstance(other, pa.Table) else other.to_dicts()
        assert [row["p"] for row in rows] == found["p"].tolist()


def test_clusters_are_what_has_a_label():
    frame = two(n=(60, 60))
    frame["document"] = frame["model"] + (np.arange(120) // 5 % 12).astype(str)
    found = frame.qa.compare("model", metrics="f1", cluster="document").iloc[0]
    copies = pd.concat([frame, frame], ignore_index=True)
    again = copies.qa.compare("model", metrics="f1", cluster="document").iloc[0]
    assert again["diff"] == pytest.approx(found["diff"])
    assert again["p"] == pytest.approx(found["p"], abs=0.01)  # but for the part of a unit that a row is of a cluster


def test_margins_and_the_baseline():
    frame = pd.concat([two(), two(seed=3).query("model == 'a'").assign(model="c")], ignore_index=True)
    found = frame.qa.compare("model", metrics="em", baseline="b", margin=0.1)
    assert found[["a", "b"]].to_numpy().tolist() == [["a", "b"], ["c", "b"]]
    for row in found.itertuples():
        assert (row.p_noninferior < 0.05) == (row.tost_lo > -0.1)
    ranked = frame.qa.compare("model", metrics="em").qa.ranks()
    assert len(ranked) == 3


def test_common_questions_are_told():
    frame = two(n=(30, 30)).assign(question_id=np.tile(np.arange(30), 2))
    with pytest.warns(ERRORS.PairingWarning, match="30 values of 'question_id' stand in several groups"):
        frame.qa.compare("model")
    apart = frame.assign(question=frame["model"] + frame["question_id"].astype(str))
    apart.qa.compare("model")  # the texts differ, whatever the numbers are
    shared = apart.assign(question=["same", *apart["question"][1:-1], "same"])
    with pytest.warns(ERRORS.PairingWarning, match="1 value of 'question' stands in .*; give question='question_id'"):
        shared.qa.compare("model")
    with pytest.warns(ERRORS.PairingWarning, match="15 values of 'document' stand in several groups"):
        two(n=(30, 30)).assign(document=np.tile(np.arange(15), 4)).qa.compare("model", cluster="document")


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_questions_that_are_no_texts_are_not_looked_at(kind):
    frame = two(n=(30, 30))
    for value in ([{"role": "user"}], {"role": "user"}):
        qa_frame.compare(kind(frame.assign(question=[value] * 60)), "model", metrics="em")


def test_a_group_of_one_row_has_no_interval_and_is_told():
    with pytest.warns(ERRORS.IntervalWarning, match="1 of 1 row has no interval and no p, as a group has one row or"):
        row = two(n=(1, 9)).qa.compare("model", metrics="f1").iloc[0]
    assert row[["diff_lo", "diff_hi", "p"]].isna().all()
    assert row["verdict"] == "undecided"
    two(n=(2, 2)).qa.compare("model", metrics="em")


def test_a_group_without_a_name_is_refused():
    frame = two()
    frame.loc[3, "model"] = None
    with pytest.raises(ERRORS.PairingError, match="by='model' is null in 1 of 70 rows, first at index label 3"):
        frame.qa.compare("model")


@pytest.mark.parametrize(
    ("message", "options"),
    [
        ("samples=True is of use where groups are paired", {"samples": True}),
        ("within='em' is of use where groups are paired", {"within": "em"}),
        ("macro='em' is of use where groups are paired", {"macro": "em"}),
        ("pass_at=2 is of use where groups are paired", {"pass_at": 2}),
        ("baseline='x' is not a group", {"baseline": "x"}),
    ],
)
def test_what_needs_pairs(message, options):
    with pytest.raises(ERRORS.UnknownOptionError, match=message):
        two().qa.compare("model", **options)


def test_one_group_and_pooled_figures():
    with pytest.raises(ERRORS.PairingError, match="a comparison needs two"):
        two().query("model == 'a'").qa.compare("model")
    scored = qa_frame.sample().qa.score("response", "answers", stats=True).drop(columns=["question", "question_id"])
    assert "corpus_bleu" not in scored.qa.compare("model", n_resamples=100)["metric"].tolist()
    with pytest.raises(ERRORS.UnknownOptionError, match="metrics='corpus_bleu' is no mean of rows"):
        scored.qa.compare("model", metrics="corpus_bleu")


# ------------------------------------------------------------------------------------- what is worth few questions


def differing(differences, cluster_size=1):
    n = len(differences)
    frame = pd.DataFrame({"model": ["a"] * n + ["b"] * n, "question_id": [*range(n)] * 2})
    frame["x"] = np.concatenate([np.maximum(differences, 0), np.maximum(-np.array(differences), 0)])
    return frame.assign(cluster=frame["question_id"] // cluster_size)


def test_few_questions_that_make_up_most_of_the_differences_are_told():
    frame = differing([0.01, -0.01] * 9 + [0.9, 1.0])
    with pytest.warns(
        ERRORS.IntervalWarning, match="questions on which the two differ count as fewer than 7 independent ones"
    ):
        frame.qa.compare("model", "question_id", metrics="x")
    differing([0.5, -0.3, 0.4, 0.2] * 5).qa.compare("model", "question_id", metrics="x")
    differing([1.0, 0.0, 0.0, 0.0] * 5).qa.compare("model", "question_id", metrics="x")  # the sign test knows enough


def test_rare_wins_in_clusters_are_told():
    frame = differing([1.0] * 8 + [-1.0] + [0.0] * 111, cluster_size=10)
    with pytest.warns(
        ERRORS.IntervalWarning, match="clusters on which the two differ count as fewer than 7 .*; gather more clus"
    ):
        frame.qa.compare("model", "question_id", metrics="x", cluster="cluster")
    found = differing([1.0, 0.0, -1.0, 0.0, 1.0] * 24, cluster_size=10)
    found.qa.compare("model", "question_id", metrics="x", cluster="cluster")


def test_unequal_clusters_are_told():
    frame = differing([0.5, -0.3, 0.4, 0.2] * 30)
    frame["cluster"] = np.maximum(frame["question_id"] - 100, 0)
    with pytest.warns(ERRORS.IntervalWarning, match="clusters so unequal that they are worth fewer than 10"):
        frame.qa.compare("model", "question_id", metrics="x", cluster="cluster")


def test_means_over_datasets_are_those_of_the_summary():
    frame = pd.DataFrame({"model": ["a"] * 22 + ["b"] * 22, "question_id": [*range(22)] * 2})
    frame = frame.assign(dataset=frame["question_id"] % 11, em=(frame["model"] == "a").astype(float))
    for datasets in ("fixed", "random"):
        row = frame.qa.compare("model", "question_id", macro="dataset", datasets=datasets).iloc[0]
        assert (row["mean_a"], row["mean_b"]) == (1, 0)  # eleven times 1/11 is more, if each step is rounded
        assert row["diff_lo"] <= row["diff"] <= row["diff_hi"]


def test_a_dataset_of_one_question_is_told():
    frame = differing([1.0] * 12 + [0.0])
    frame["dataset"] = np.where(frame["question_id"] == 0, "small", "large")
    with pytest.warns(ERRORS.IntervalWarning, match="questions so unequal that they are worth fewer than 10"):
        row = frame.qa.compare("model", "question_id", metrics="x", macro="dataset").iloc[0]
    assert row["diff_lo"] < row["diff"] - 0.5 < row["diff"] < row["diff_hi"]
