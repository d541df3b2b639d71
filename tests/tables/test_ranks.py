"""Ranks from comparisons: the sample's, those of each dataset, and tables that are not to be ranked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame

COLUMNS = ["metric", "group", "rank", "rank_lo", "rank_hi", "n_groups", "mean", "win_rate", "n_untested"]


@pytest.fixture(scope="module")
def scored():
    return qa_frame.sample().qa.score("response", "answers", metrics=["f1", "recall"], stats=True)


@pytest.fixture(scope="module")
def compared(scored):
    return scored.qa.compare("model", "question_id", metrics=["f1", "recall", "corpus_bleu"], n_resamples=2000)


def made(means, p_adj, *, n=10, metric="f1"):
    """A comparison of all pairs. p_adj: by pair of letters, 1 for all others."""
    names = list(means)
    pairs = [(a, b) for place, a in enumerate(names) for b in names[place + 1 :]]
    frame = pd.DataFrame(pairs, columns=["a", "b"]).assign(metric=metric, n=n)
    frame["mean_a"], frame["mean_b"] = frame["a"].map(means), frame["b"].map(means)
    frame["diff"] = frame["mean_a"] - frame["mean_b"]
    frame["p_adj"] = [p_adj.get(a + b, 1.0) for a, b in pairs]
    bounds = {"diff_lo": frame["diff"] - 0.1, "diff_hi": frame["diff"] + 0.1}
    return frame.assign(**bounds, wins=4, ties=3, losses=n - 7)


def test_of_the_sample(compared):
    table = compared.qa.ranks()
    assert list(table.columns) == COLUMNS
    f1 = table[table["metric"] == "f1"].set_index("group")
    assert f1.index.tolist() == ["lynx-70b", "otter-chat", "heron-7b"]
    assert f1[["rank", "rank_lo", "rank_hi"]].to_numpy().tolist() == [[1, 1, 1], [2, 2, 2], [3, 3, 3]]
    recall = table[table["metric"] == "recall"].set_index("group")
    assert recall[["rank", "rank_lo", "rank_hi"]].to_numpy().tolist() == [[1, 1, 2], [2, 1, 2], [3, 3, 3]]
    assert (table["n_groups"] == 3).all()
    assert (table["n_untested"] == 0).all()
    assert table.attrs["qa_table"]["kind"] == "ranks"
    assert table.attrs["qa_table"]["level"] == 0.95
    assert table.attrs["qa_compare"] == compared.attrs["qa_compare"]
    assert table.attrs["qa"] == compared.attrs["qa"]


def test_figures_are_those_of_the_summary(scored, compared):
    table = compared.qa.ranks().set_index(["metric", "group"])
    summed = scored.qa.summary("model", metrics=["f1", "recall", "corpus_bleu"])
    for (metric, group), row in table.iterrows():
        np.testing.assert_allclose(row["mean"], summed.loc[group, metric], rtol=1e-12)
    assert table.loc["corpus_bleu", "win_rate"].isna().all()


def test_a_win_rate_is_that_of_the_questions(scored, compared):
    wide = scored.pivot_table(index="question_id", columns="model", values="f1").dropna()
    table = compared.qa.ranks().set_index(["metric", "group"])
    for model in wide:
        others = [(wide[model] > wide[other]) + (wide[model] == wide[other]) / 2 for other in wide if other != model]
        np.testing.assert_allclose(table.loc[("f1", model), "win_rate"], pd.concat(others).mean(), rtol=1e-12)
    pair = compared[compared["a"].eq("heron-7b") & compared["b"].eq("otter-chat") & compared["metric"].eq("f1")]
    of_pair = pair.qa.ranks().set_index("group")["win_rate"]
    assert of_pair.round(3).to_dict() == {"heron-7b": 0.239, "otter-chat": 0.761}


def test_who_cannot_be_told_apart():
    table = made({"w": 0.4, "x": 0.3, "y": 0.2, "z": 0.1}, {"wy": 0.01, "wz": 0.01, "xz": 0.049}).qa.ranks()
    found = table.set_index("group")[["rank_lo", "rank_hi"]].T.to_dict("list")
    assert found == {"w": [1, 2], "x": [1, 3], "y": [2, 4], "z": [3, 4]}


def test_alpha():
    compared = made({"x": 0.3, "y": 0.2}, {"xy": 0.05})
    assert compared.qa.ranks()["rank_hi"].tolist() == [2, 2]
    assert compared.qa.ranks(ci=0.949)["rank_hi"].tolist() == [1, 2]
    assert compared.qa.ranks(ci=0.999)["rank_hi"].tolist() == [2, 2]


def test_the_order_of_rows_and_sides_does_not_matter(compared):
    other = compared.iloc[::-1].rename(columns={"a": "b", "b": "a", "mean_a": "mean_b", "mean_b": "mean_a"})
    other = other.rename(columns={"wins": "losses", "losses": "wins"}).assign(diff=-other["diff"])
    tables = [each.qa.ranks().sort_values(["metric", "group"], ignore_index=True) for each in (compared, other)]
    pd.testing.assert_frame_equal(*tables, check_exact=True)


def test_inside_each_dataset(scored):
    inside = scored.qa.compare("model", "question_id", within="dataset", metrics="f1", n_resamples=2000)
    table = inside.qa.ranks()
    assert table["n_groups"].tolist() == [3] * 6
    assert [group[0] for group in table["group"]] == ["explain"] * 3 + ["facts"] * 3
    assert table["rank"].tolist() == [1, 2, 3, 1, 2, 3]
    assert table["rank_hi"].tolist() == [1, 2, 3, 1, 3, 3]


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("within", [None, "dataset"])
def test_other_kinds_of_frames(scored, convert, within):
    data = convert(scored[["model", "dataset", "question_id", "f1"]])
    compared = qa_frame.compare(data, "model", "question_id", within=within, n_resamples=500)
    found = qa_frame.ranks(compared)
    assert type(found) is type(compared)
    expected = scored.qa.compare("model", "question_id", within=within, metrics="f1", n_resamples=500).qa.ranks()
    found = found if isinstance(found, pa.Table) else found.to_arrow()
    assert found.column_names == COLUMNS
    assert [group if within is None else tuple(group) for group in found["group"].to_pylist()] == list(
        expected["group"]
    )
    for name in COLUMNS[2:]:
        assert found[name].to_pylist() == expected[name].tolist()


def test_what_was_not_tested_is_counted_and_widens():
    compared = made({"x": 0.3, "y": 0.2, "z": 0.1}, {"xy": 0.01, "xz": np.nan})
    table = compared.qa.ranks()
    assert table["n_untested"].tolist() == [1, 0, 1]
    assert table["rank_hi"].tolist() == [2, 3, 3]
    nothing = compared.assign(n=0, mean_a=np.nan, mean_b=np.nan, diff=np.nan, p_adj=np.nan, wins=0, ties=0, losses=0)
    table = nothing.qa.ranks()
    assert table[["rank", "rank_lo", "rank_hi"]].to_numpy().tolist() == [[1, 1, 3]] * 3
    assert table[["mean", "win_rate"]].isna().all(axis=None)


def test_groups_with_other_questions_have_the_mean_of_their_pairs():
    compared = made({"x": 0.5, "y": 0.25, "z": 0.0}, {}).assign(n=[10, 30, 20])
    compared.loc[1, "mean_a"] = 0.1
    with pytest.warns(qa_frame.errors.PairingWarning, match="'y' has the mean 0.25 and rank 2"):
        table = compared.qa.ranks().set_index("group")
    assert table.loc["x", "mean"] == (0.5 * 10 + 0.1 * 30) / 40
    assert table.loc["y", "mean"] == 0.25


def test_no_rows(compared):
    table = compared.iloc[:0].qa.ranks()
    assert list(table.columns) == COLUMNS
    assert len(table) == 0
    assert table["rank_lo"].dtype == "int64"


# ---------------------------------------------------------------------------------------------- what cannot be ranked


def test_a_table_that_compare_did_not_make(scored, compared):
    with pytest.raises(
        qa_frame.errors.ColumnNotFoundError, match="data has no column 'metric'; give a result of qa_frame"
    ):
        scored.qa.ranks()
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="data has no column 'p_adj'"):
        compared.drop(columns="p_adj").qa.ranks()
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="data has no column 'wins'"):
        compared.drop(columns="wins").qa.ranks()
    with pytest.raises(qa_frame.errors.ColumnTypeError, match="data has the column 'p_adj' of"):
        compared.assign(p_adj="small").qa.ranks()


def test_a_pair_that_is_lacking(scored, compared):
    with pytest.raises(
        qa_frame.errors.PairingError, match=r"lacks 1 of 3 pairs of 'f1', first 'heron-7b' and 'otter-chat'"
    ):
        scored.qa.compare("model", "question_id", baseline="lynx-70b", metrics="f1", n_resamples=100).qa.ranks()
    with pytest.raises(
        qa_frame.errors.PairingError, match="has 2 rows of 'f1' for the groups 'heron-7b' and 'lynx-70b'"
    ):
        pd.concat([compared, compared.iloc[:1]]).qa.ranks()


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_a_correction_that_does_not_hold_for_all_at_once(scored, kind):
    scored = scored.astype({"response": "string"})
    every = {
        correction: qa_frame.compare(kind(scored), "model", "question_id", n_resamples=500, correction=correction)
        for correction in ("holm", "none")
    }
    with pytest.warns(qa_frame.errors.IntervalWarning, match="p_adj is by correction='none'"):
        qa_frame.ranks(every["none"])
    qa_frame.ranks(every["holm"])


def test_a_mean_over_other_questions_is_told():
    """The worse model answered the easy questions only."""
    easy, hard = [f"e{n}" for n in range(20)], [f"h{n}" for n in range(20)]
    rows = [("good", question, 1.0 if question in easy else 0.4) for question in easy + hard]
    rows += [("worse", question, 0.9) for question in easy]
    frame = pd.DataFrame(rows, columns=["model", "question", "f1"])
    frame = pd.concat([frame, frame[frame["model"] == "good"].assign(model="third", f1=0.3)], ignore_index=True)
    with pytest.warns(
        qa_frame.errors.PairingWarning, match=r"'f1': 'worse' has the mean 0\.9 and rank 2, and 'good' 0\.8"
    ) as told:
        frame.qa.compare("model", "question", n_resamples=200).qa.ranks()
    assert len(told) == 1
    same = frame[frame["question"].isin(easy)]
    assert same.qa.compare("model", "question", n_resamples=200).qa.ranks()["rank"].tolist() == [1, 2, 3]
