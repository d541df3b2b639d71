"""A figure is one number: summary, compare and Pool give the same to the last bit, whatever else the frame holds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qa_frame
from qa_frame.scoring.metrics import STATISTICS
from tests.stats.frames import FIGURES, METRICS, make_frame

pytestmark = [
    pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning"),
    pytest.mark.filterwarnings("ignore::qa_frame.errors.MixedScoresWarning"),
]

MODELS = ["a", "b", "c"]
DATASETS = ["x", "y", "z"]


@st.composite
def frames(draw, *, same_nulls):
    """Every model has every question. Scores are null in arbitrary places, and in whole datasets.

    same_nulls: whether what is null of a question is null for all models.
    """
    n_questions = draw(st.integers(1, 12))
    frame = make_frame(len(MODELS) * n_questions, seed=draw(st.integers(0, 10**6)))
    frame["model"] = np.repeat(MODELS, n_questions)
    frame["question"] = np.tile(np.arange(n_questions), len(MODELS))
    frame["dataset"] = np.array(DATASETS)[frame["question"] % 3]
    if same_nulls:
        has_statistics = frame["em"].notna().groupby(frame["question"]).transform("all")
        frame[list(STATISTICS)] = frame[list(STATISTICS)].where(has_statistics, 0)
    n_places = n_questions if same_nulls else len(frame)
    for metric in METRICS:
        is_null = np.array(draw(st.lists(st.booleans(), min_size=n_places, max_size=n_places)))
        is_null = np.tile(is_null, len(MODELS)) if same_nulls else is_null
        is_null |= frame["dataset"].isin(draw(st.sets(st.sampled_from(DATASETS)))).to_numpy()
        frame[metric] = frame[metric].fillna(0.5).where(~is_null)
    return frame


def is_scored(frame, figure, metrics=METRICS):
    """The definition, in plain pandas."""
    if figure in METRICS:
        return frame[figure].notna()
    names = ["overlap", "pred_len", "gold_len"] if figure == "f1_micro" else [n for n in STATISTICS if "bleu" in n]
    return frame[metrics].notna().any(axis=1) | frame[names].ne(0).any(axis=1)


def same_bits(found, expected):
    np.testing.assert_array_equal(np.float64(found), np.float64(expected))


@settings(max_examples=15)
@given(frame=frames(same_nulls=True))
def test_summary_and_compare_agree(frame):
    summary = frame.qa.summary("model")
    counted = frame.qa.summary("model", long=True).set_index(["model", "metric"])["n"]
    compared = frame.qa.compare("model", "question", n_resamples=1)
    assert compared["metric"].unique().tolist() == FIGURES
    for row in compared.itertuples():
        same_bits([row.mean_a, row.mean_b], summary.loc[[row.a, row.b], row.metric])
        if row.metric in METRICS:
            assert row.n == counted[row.a, row.metric] == counted[row.b, row.metric]


@settings(max_examples=3)
@given(frame=frames(same_nulls=False))
@pytest.mark.thorough
def test_compare_gives_the_summary_of_the_questions_that_are_paired(frame):
    for row in frame.qa.compare("model", "question", n_resamples=1).itertuples():
        kept = frame[is_scored(frame, row.metric)]
        questions = [set(kept.loc[kept["model"] == model, "question"]) for model in (row.a, row.b)]
        paired = kept[kept["question"].isin(questions[0] & questions[1])]
        assert row.n == len(questions[0] & questions[1])
        summary = paired.qa.summary("model", metrics=None if row.metric in ("corpus_bleu", "f1_micro") else row.metric)
        for model, mean in ((row.a, row.mean_a), (row.b, row.mean_b)):
            same_bits(mean, summary[row.metric].get(model, np.nan))


@pytest.mark.thorough
@settings(max_examples=15)
@given(frame=frames(same_nulls=False), metrics=st.sets(st.sampled_from(METRICS), min_size=1).map(sorted))
def test_other_metrics_make_no_difference(frame, metrics):
    """Neither those that are asked for, nor those that are partly null: all say together which rows are scored."""
    figures = [*metrics, "corpus_bleu", "f1_micro"]
    every, some = frame.qa.summary("model"), frame.qa.summary("model", metrics=figures)
    same_bits(some[figures], every[figures])
    pool = qa_frame.Pool("model", metrics=figures).update(frame).summary()
    same_bits(pool[figures], every[figures])
    compared = frame.qa.compare("model", "question", n_resamples=1).set_index(["metric", "a", "b"])
    alone = frame.qa.compare("model", "question", metrics=figures, n_resamples=1).set_index(["metric", "a", "b"])
    pd.testing.assert_frame_equal(alone, compared.loc[alone.index], check_exact=True)


@settings(max_examples=15)
@given(frame=frames(same_nulls=False))
def test_rows_are_counted_where_they_are_scored(frame):
    long = frame.qa.summary("model", long=True)
    for row in long.itertuples():
        assert row.n == is_scored(frame, row.metric)[frame["model"] == row.model].sum()
    n_scored = frame[METRICS].notna().any(axis=1).groupby(frame["model"]).sum()
    assert frame.qa.summary("model")["n"].tolist() == n_scored.tolist()


@pytest.mark.parametrize("model", MODELS)
def test_intervals_do_not_depend_on_how_figures_are_asked_for(model):
    frame = make_frame(90).assign(model=np.repeat(MODELS, 30))
    every = frame.qa.summary("model", ci=0.9).loc[[model]]
    alone = frame[frame["model"] == model].qa.summary("model", ci=0.9, metrics="f1")
    pd.testing.assert_frame_equal(every[alone.columns], alone, check_exact=True)


@pytest.fixture(scope="module")
def partly_scored():
    """The sample with all statistics, and exact match for one dataset only."""
    sample = qa_frame.sample()
    scored = sample.qa.score("response", "answers", metrics="f1", stats=True)
    em = sample.qa.score("response", "answers", metrics="em")["em"]
    return scored.assign(em=em.where(sample["dataset"] == "facts"))


def test_a_metric_of_one_dataset_changes_no_pooled_figure(partly_scored):
    summary = partly_scored.qa.summary("model")
    assert summary["f1_micro"].round(3).to_dict()["heron-7b"] == 0.135
    assert summary["f1_micro"].round(3).to_dict()["otter-chat"] == 0.402
    assert summary.loc["lynx-70b", "corpus_bleu"].round(4) == 0.3465
    compared = partly_scored.qa.compare("model", "question_id", n_resamples=10)
    for row in compared[compared["metric"].isin(["f1", "corpus_bleu", "f1_micro"])].itertuples():
        same_bits([row.mean_a, row.mean_b], summary.loc[[row.a, row.b], row.metric])
        assert row.n == 115
    without = partly_scored.drop(columns="em").qa.summary("model")
    same_bits(summary[["f1", "corpus_bleu", "f1_micro"]], without[["f1", "corpus_bleu", "f1_micro"]])
    assert summary["n"].tolist() == without["n"].tolist() == [115] * 3
    assert compared.loc[compared["metric"] == "em", "n"].tolist() == [57] * 3
