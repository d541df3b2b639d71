"""`df.qa.compare_conventions`: the shift between two conventions, and the rows that it comes from."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame

ROWS = [
    ("The U.S.", ["U.S."]),
    ("", [""]),
    ("an apple, the pear", ["apple pear", "pear"]),
    ("x", []),
    (None, ["y"]),
    ("z", None),
]


@pytest.fixture
def frame():
    return pd.DataFrame(ROWS, columns=["response", "answers"], index=[7, 7, -1, 0, 3, 3])


def differ(frame, *conventions, **options):
    return frame.qa.compare_conventions(*conventions, pred="response", gold="answers", **options)


@pytest.mark.parametrize(("a", "b"), [("squad", "squad2"), ("squad", "context_bench"), ("squad2", "continuous_eval")])
def test_means_and_rows_are_those_of_score(frame, a, b):
    found = differ(frame, a, b)
    scores = [
        frame.qa.score("response", "answers", metrics="f1", convention=name, append=False).f1.to_numpy()
        for name in (a, b)
    ]
    shift = scores[1] - scores[0]
    both = ~np.isnan(shift)
    own = [np.nanmean(each) for each in scores]
    n_scored = [int((~np.isnan(each)).sum()) for each in scores]
    assert found.means["mean"].tolist() == pytest.approx([*own, own[1] - own[0]])
    assert found.means["n"].tolist() == [*n_scored, n_scored[1] - n_scored[0]]
    shared = [each[both].mean() for each in scores]
    assert found.means["mean_shared"].tolist() == pytest.approx([*shared, shift[both].mean()])
    assert found.n_shared == both.sum()
    assert found.shifts is found.changed is None
    changed = [row for row in range(len(frame)) if shift[row] != 0 and not np.isnan(scores[0][row] + scores[1][row])]
    changed += [row for row in range(len(frame)) if np.isnan(scores[0][row]) != np.isnan(scores[1][row])]
    assert found.n_changed == len(changed)
    assert sorted(found.rows.index) == sorted(frame.index[changed])
    assert found.n_rows == len(frame)


def test_rows_only_one_scores_come_first_then_the_largest_change(frame):
    rows = differ(frame, "squad", "squad2").rows
    assert rows["f1_squad2"].tolist() == [0.0, 1.0]  # "x" without golds is wrong in v2.0, two empty sides are right
    assert np.isnan(rows["f1_squad"].iloc[0])
    assert rows["shift"].iloc[1] == 1.0
    assert rows.index.tolist() == [0, 7]
    shifts = differ(qa_frame.sample(), "squad", "continuous_eval").rows["shift"].abs()
    assert shifts.round(9).is_monotonic_decreasing
    assert len(shifts) > 20


NOISE = [
    ("The chemical symbol for gold is `Au`, from the Latin *aurum*.", ["Au"]),  # 1/5, in two ways
    ("well-known", ["well known"]),
    ("The element with atomic number 1 is hydrogen (symbol H).", ["hydrogen", "H"]),
]


def test_what_is_only_rounded_differently_has_not_changed():
    frame = pd.DataFrame(NOISE, columns=["response", "answers"])
    scores = {name: qa_frame.score(frame, "response", "answers", convention=name).f1 for name in ("squad", "drop")}
    assert (scores["squad"] != scores["drop"]).tolist() == [True, True, True]
    found = differ(frame, "squad", "drop")
    assert found.n_changed == 1
    assert found.rows.index.tolist() == [1]
    several = differ(frame, "squad", "drop", "helm")
    assert several.changed.loc["squad", "drop"] == 1 / 3


def test_a_convention_does_not_differ_from_itself(frame):
    found = differ(frame, "squad", "squad")
    assert found.n_changed == 0
    assert found.means.iloc[-1]["mean"] == 0.0


def test_each_convention_has_the_mean_that_its_own_summary_gives():
    """Conventions that score different rows have different means, although no row that both score changes."""
    sample = qa_frame.sample()
    means = differ(sample, "squad", "squad2").means
    for name in ("squad", "squad2"):
        own = sample.qa.score(pred="response", gold="answers", metrics="f1", convention=name).qa.summary(metrics="f1")
        assert means.loc[name, "mean"] == own["f1"].iloc[0]
        assert means.loc[name, "n"] == own["n"].iloc[0]
    assert means.loc["shift", "mean"] < -0.005
    assert means.loc["shift", "mean_shared"] == 0.0


def test_several_conventions_are_compared_two_by_two(frame):
    names = ["squad", "remem", "squad2", "context_bench"]
    for data in (frame, qa_frame.sample()):
        found = differ(data, *names)
        scores = data.qa.score("response", "answers", metrics="f1", append=False)[[]]
        for name in names:
            scores[name] = data.qa.score(
                "response", "answers", metrics="f1", convention=name, append=False
            ).f1.to_numpy()
        assert found.means.index.tolist() == names
        assert found.means["mean"].tolist() == pytest.approx(scores.mean().tolist())
        shared = scores.dropna()
        assert found.means["mean_shared"].tolist() == pytest.approx(shared.mean().tolist())
        assert (found.n_rows, found.n_shared) == (len(data), len(shared))
        assert found.shifts.columns.tolist() == found.changed.index.tolist() == names
        for a, b in itertools.product(names, names):
            pair = differ(data, a, b)
            assert found.shifts.loc[a, b] == pytest.approx(pair.means.loc["shift", "mean_shared"])
            assert found.changed.loc[a, b] == pytest.approx(pair.n_changed / pair.n_rows)
        n_scored, spread = scores.notna().sum(axis=1), scores.max(axis=1) - scores.min(axis=1)
        is_changed = n_scored.between(1, len(names) - 1) | (spread > 0)
        assert found.n_changed == is_changed.sum()
        assert sorted(found.rows.index) == sorted(data.index[is_changed])
        spread = found.rows["spread"].to_numpy()
        n_first = int(np.isnan(spread).sum())
        assert np.isnan(spread[:n_first]).all()
        assert (np.diff(spread[n_first:]) <= 0).all()


@pytest.mark.parametrize("kind", [pa.Table.from_pandas, pl.from_pandas])
def test_several_conventions_in_other_frames(frame, kind):
    found = qa_frame.compare_conventions(kind(frame), "squad", "remem", "squad2", pred="response", gold="answers")
    for table in (found.means, found.shifts, found.changed, found.rows):
        assert isinstance(table, type(kind(frame)))
    assert found.shifts["convention"].to_pylist() if kind is pa.Table.from_pandas else found.shifts["convention"][0]


def test_own_conventions(frame):
    squad = qa_frame.conventions["squad"]
    raw = dataclasses.replace(squad, name="raw", overlap=qa_frame.rules.Overlap(text=qa_frame.rules.Text()))
    assert differ(frame, squad, raw).n_changed == 2


def test_printed(frame, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")  # pandas leaves out what a narrow terminal does not show
    found = differ(frame, "squad", "squad2")
    assert repr(found).startswith("f1: 2 of 6 rows change, 4 are scored by both\n")
    assert "f1_squad2" in repr(found)
    assert found._repr_html_().count("<table") == 2
    several = differ(frame, "squad", "squad2", "remem")
    assert repr(several).startswith("f1: 2 of 6 rows change, 4 are scored by all\n")
    assert "shift from the row's convention to the column's" in repr(several)
    assert several._repr_html_().count("<table") == 4


def test_errors(frame):
    squad = qa_frame.conventions["squad"]
    other = dataclasses.replace(squad, overlap=qa_frame.rules.Overlap(text=qa_frame.rules.Text()))
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="both named 'squad'"):
        differ(frame, squad, other)
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match="others='squad' is also given as a; name each convention once"
    ):
        differ(frame, "squad", "remem", "squad")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="a and others are both named 'squad'; rename one"):
        differ(frame, "squad", "remem", other)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="others='sqad'"):
        differ(frame, "squad", "remem", "sqad")
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match="metrics='rouge_l' is not part of convention 'mindformers'"
    ):
        differ(frame, "squad", "mindformers", metric="rouge_l")
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="gold='answer'"):
        frame.qa.compare_conventions("squad", "squad2", pred="response", gold="answer")
    with pytest.raises(qa_frame.errors.MissingPredictionError, match="1 of 6"):
        differ(frame, "squad", "squad2", missing="raise")
    renamed = frame.rename(columns={"answers": "shift"})
    with pytest.raises(qa_frame.errors.ColumnOverwriteError, match="shift"):
        renamed.qa.compare_conventions("squad", "squad2", pred="response", gold="shift")


@pytest.mark.parametrize("name", ["shift", "f1_squad"])
def test_columns_of_the_users_own_are_kept(name):
    frame = pd.DataFrame({"response": ["The Seine"], "answers": [["Seine"]], name: ["mine"]})
    for data in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        with pytest.raises(
            qa_frame.errors.ColumnOverwriteError,
            match=f"new column '{name}' would take the place of a column; rename",
        ):
            qa_frame.compare_conventions(data, "squad", "remem", pred="response", gold="answers")
