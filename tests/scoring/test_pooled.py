"""Pooled figures: each by its source's definition."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

import qa_frame
from qa_frame.tables.pooled import POOLED_STATISTICS as POOLED
from tests.stats.frames import statistics, sums_of

CORPUS_BLEUS = {
    "corpus_bleu": (4, "none"),
    **{f"corpus_bleu{order}": (order, "none") for order in (1, 2, 3, 4)},
    "corpus_bleu_exp": (4, "exp"),
}
"""The highest order, and the smoothing by its name in `sacrebleu`."""


def corpus_bleu_of_sacrebleu(columns, name):
    lengths, (max_order, smoothing) = columns["bleu_pred_len"], CORPUS_BLEUS[name]
    score = BLEU.compute_bleu(
        [int(columns[f"bleu_match{order + 1}"].sum()) for order in range(max_order)],
        [int((lengths - lost).clip(0).sum()) for lost in range(max_order)],
        int(lengths.sum()),
        int(columns["bleu_ref_len"].sum()),
        smooth_method=smoothing,
        max_ngram_order=max_order,
    )
    return score.score / 100


@pytest.mark.parametrize("name", CORPUS_BLEUS)
@given(columns=statistics(), unmatched_from=st.integers(1, 5))
def test_corpus_bleu_is_that_of_sacrebleu(name, columns, unmatched_from):
    columns |= {f"bleu_match{order}": np.zeros_like(columns["pred_len"]) for order in range(unmatched_from, 5)}
    found = POOLED[name].value(sums_of(name, columns))
    assert found == pytest.approx(corpus_bleu_of_sacrebleu(columns, name), abs=1e-12)


@given(data=st.data())
def test_smoothing_changes_only_what_has_an_order_without_matches(data):
    """To the last bit, also where figures with and without such an order come together."""
    columns = [data.draw(statistics()) for _ in range(4)]
    for place, order in ((1, 4), (3, 3), (3, 4)):
        columns[place][f"bleu_match{order}"] = np.zeros_like(columns[place]["pred_len"])
    sums = np.stack([sums_of("corpus_bleu_exp", each) for each in columns])
    smoothed, plain = POOLED["corpus_bleu_exp"], POOLED["corpus_bleu"]
    has_matches = (sums[:, :4] > 0).all(axis=1)
    np.testing.assert_array_equal(smoothed.value(sums)[has_matches], plain.value(sums)[has_matches])
    np.testing.assert_array_equal(smoothed.max_n(sums), np.where(has_matches, plain.max_n(sums), 0))
    np.testing.assert_array_equal(smoothed.gradient(sums), plain.gradient(sums))


@given(columns=statistics())
def test_micro_f1_is_that_of_the_counts(columns):
    n_tokens = int(columns["pred_len"].sum() + columns["gold_len"].sum())
    found = POOLED["f1_micro"].value(sums_of("f1_micro", columns))
    assert found == pytest.approx(2 * int(columns["overlap"].sum()) / n_tokens, abs=1e-15)


@pytest.mark.parametrize("name", POOLED)
def test_perfect_answers_have_1(name):
    columns = {"pred_len": 9, "gold_len": 9, "overlap": 9, "bleu_pred_len": 9, "bleu_ref_len": 9}
    columns |= {f"bleu_match{order}": 10 - order for order in (1, 2, 3, 4)}
    for metric in ("chrf", "chrf++", "chrf++_word"):
        columns |= {f"{metric}_match{order}": 10 - order for order in range(1, 7)}
        columns |= {f"{metric}_{end}": 9 for end in ("pred_len", "gold_len")}
    columns |= {"chrf++_pred_words": 9, "chrf++_gold_words": 9}
    sums = sums_of(name, {each: np.full(7, value) for each, value in columns.items()})
    assert POOLED[name].value(sums) == 1.0


def test_corpus_bleu_rests_on_four_grams():
    """Two-word answers have none: they tell nothing of how often four words match."""
    columns = dict.fromkeys(["bleu_match2", "bleu_match3", "bleu_match4"], np.array([1, 0]))
    columns |= {"bleu_match1": np.array([2, 2]), "bleu_pred_len": np.array([2, 5]), "bleu_ref_len": np.array([2, 2])}
    assert POOLED["corpus_bleu"].max_n(sums_of("corpus_bleu", columns)) == 2
    short = {name: values[:1] for name, values in columns.items()} | {"bleu_match4": np.zeros(1, int)}
    assert POOLED["corpus_bleu"].max_n(sums_of("corpus_bleu", short)) == 0


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@given(columns=statistics(), unmatched_from=st.integers(1, 5))
def test_smoothed_corpus_bleu_is_that_of_hf(order, columns, unmatched_from):
    """`compute_bleu(..., smooth=True)` adds 1 to the matches and the n-grams of each order, and not to the lengths."""
    columns |= {f"bleu_match{each}": np.zeros_like(columns["pred_len"]) for each in range(unmatched_from, 5)}
    name, lengths = f"corpus_bleu{order}", columns["bleu_pred_len"]
    figure = POOLED[name].under(qa_frame.conventions["hf_bleu_smooth"])
    logs = [
        math.log((columns[f"bleu_match{each + 1}"].sum() + 1) / ((lengths - each).clip(0).sum() + 1)) / order
        for each in range(order)
    ]
    shortfall = columns["bleu_ref_len"].sum() / lengths.sum() if lengths.sum() else math.inf
    expected = math.exp(math.fsum(logs) + min(0.0, 1 - shortfall))
    sums = sums_of(name, columns)
    assert figure.value(sums) == pytest.approx(expected, abs=1e-12)
    assert np.isfinite(figure.gradient(sums)).all()


def test_a_convention_without_a_corpus_figure_refuses_it():
    sample = qa_frame.sample().qa.score("response", "answers", convention="continuous_eval", stats=True)
    assert not [name for name in sample.qa.summary() if name.startswith("corpus")]
    for name in ("corpus_bleu", "corpus_bleu2", "corpus_bleu_exp"):
        with pytest.raises(qa_frame.errors.UnknownOptionError, match=f"metrics='{name}' is not part of the convention"):
            sample.qa.summary(metrics=name)


@pytest.mark.needs("files")
@pytest.mark.parametrize("way", ["frame", "parquet", "lines", "prefix", "pool"])
def test_each_summary_smooths_as_the_convention_does(way, tmp_path):
    """The figure of three rows by HF's own code on the same tokens, from each place where scores may be."""
    rules = {"convention": "hf_bleu_smooth"}
    rows = [("the cat sat on the mat", ["the cat is on the mat"]), ("Paris", ["Rome"]), ("a b c", ["a b c d"])]
    frame = pd.DataFrame(rows, columns=["response", "answers"])
    scored = frame.qa.score("response", "answers", stats=True, **rules)
    match way:
        case "frame":
            found = scored.qa.summary()
        case "prefix":
            found = frame.qa.score("response", "answers", stats=True, prefix="h_", **rules).qa.summary(prefix="h_")
        case "pool":
            found = qa_frame.Pool().update(scored[:1]).update(scored[1:]).summary()
        case "parquet":
            scored.to_parquet(tmp_path / "rows.parquet")
            found = qa_frame.summary_files(tmp_path / "rows.parquet")
        case "lines":
            frame.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
            columns = {"pred": "response", "gold": "answers", **rules}
            qa_frame.score_files(tmp_path / "rows.jsonl", tmp_path / "scored.jsonl", stats=True, **columns)
            found = qa_frame.summary_files(tmp_path / "scored.jsonl")
    matches, totals = (8, 5, 2, 0), (10, 7, 5, 3)
    precisions = [(match + 1) / (total + 1) for match, total in zip(matches, totals, strict=True)]
    assert found["corpus_bleu"].iloc[0] == pytest.approx(
        math.exp(math.fsum(map(math.log, precisions)) / 4 + 1 - 11 / 10)
    )
