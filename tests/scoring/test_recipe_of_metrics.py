"""A metric that is added by the recipe of CONTRIBUTING.md works everywhere, without a further file."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from rouge_score.rouge_scorer import RougeScorer

import qa_frame
from qa_frame.kernels.pair_counts import CLIPPED, Kernel
from qa_frame.scoring.metrics import METRICS, rouge
from qa_frame.scoring.metrics.definition import COUNTINGS, Counting, Metric, ngrams
from tests.tables.called import shared_axes

PRED, GOLD = "the cat sat on the mat today", ["a cat sat on the mat", "the dog sat on the mat"]


@pytest.fixture
def rouge_3(monkeypatch):
    """The entries of a new metric, as the recipe has them."""
    monkeypatch.setitem(COUNTINGS, "trigrams", ngrams(3, "trigram"))
    for name, what, ratio in (
        ("rouge_3", "ROUGE-3: F of trigrams", "f"),
        ("rouge_3_precision", "ROUGE-3: the share of the prediction's trigrams in common", "precision"),
        ("rouge_3_recall", "ROUGE-3: the share of the gold's trigrams in common", "recall"),
    ):
        monkeypatch.setitem(METRICS, name, rouge._rouge(what, ratio, counting="trigrams"))
    return ["rouge_3", "rouge_3_precision", "rouge_3_recall"]


@pytest.fixture
def frame():
    return pd.DataFrame({"model": ["A", "A", "B", "B"], "q": [1, 2] * 2, "response": [PRED] * 4, "answers": [GOLD] * 4})


def test_it_is_scored_as_its_package_scores_it(rouge_3, frame):
    scored = frame.qa.score("response", "answers", metrics=rouge_3)
    found = [RougeScorer(["rouge3"]).score(gold, PRED)["rouge3"] for gold in GOLD]
    assert scored["rouge_3"].tolist() == pytest.approx([max(score.fmeasure for score in found)] * 4, abs=1e-9)
    assert scored["rouge_3_recall"].tolist() == pytest.approx([max(score.recall for score in found)] * 4, abs=1e-9)


@pytest.mark.needs("explain")
def test_it_is_explained_in_its_own_unit(rouge_3, frame):
    explained = frame.qa.explain(0, pred="response", gold="answers", metrics=rouge_3)
    text = " ".join(str(explained).split())
    assert "3 of 5 trigrams of the prediction and 3 of 4 trigrams of the gold are common" in text
    assert "3 of 4 trigrams of the gold are common" in " ".join(explained.metrics["rouge_3_recall"].why.split())


@pytest.mark.needs("plot", "style")
@pytest.mark.filterwarnings("ignore:intervals and p:qa_frame.errors.IntervalWarning")  # of few questions
def test_its_scores_are_pooled_and_shown(rouge_3, frame):
    scored = frame.qa.score("response", "answers", metrics=rouge_3)
    table = scored.qa.summary(by="model", ci=0.95)
    assert {*rouge_3, "rouge_3_lo"} <= {*table.columns}
    assert "ROUGE-3" in str(qa_frame.style(table))
    drawn = qa_frame.plot.summary(table, ["rouge_3"], ax=shared_axes())
    assert len(drawn.lines) or len(drawn.collections)
    assert set(scored.qa.compare(by="model", question="q")["metric"]) == {*rouge_3}


def count_first(tokens, pairs, _):
    """A kernel: how many tokens both sides have in common before they differ."""
    sides = ((tokens.text(pred), tokens.text(gold)) for pred, gold in zip(pairs.pred, pairs.gold, strict=True))
    return np.array(
        [
            next((at for at, (a, b) in enumerate(zip(*each, strict=False)) if a != b), min(map(len, each)))
            for each in sides
        ]
    )


@pytest.fixture
def opening(monkeypatch):
    """A metric with a kernel of its own: an entry in the table of countings, and one in that of metrics."""
    counting = Counting({Kernel("first", count_first): 1}, "before the texts differ", unit="word")
    monkeypatch.setitem(COUNTINGS, "first", counting)
    monkeypatch.setitem(METRICS, "opening", rouge._rouge("opening words", "f", counting="first"))
    return "opening"


@pytest.mark.needs("audit", "explain")
def test_a_counting_brings_its_kernel_its_unit_and_its_words(opening, frame):
    frame["answers"] = [["the cat slept"], ["a cat sat"], ["the cat sat", "the"], [""]]
    assert frame.qa.score("response", "answers", metrics=opening)[opening].tolist() == pytest.approx([0.4, 0, 0.6, 0])
    explained = frame.qa.explain(0, pred="response", gold="answers", metrics=opening)
    assert "2 of 7 words of the prediction and 2 of 3 words of the gold are before the texts differ" in " ".join(
        str(explained).split()
    )
    assert (
        frame.qa.score(pred="response", gold="answers", metrics=opening)
        .qa.summary(by="model", metrics=opening)[opening]
        .notna()
        .all()
    )
    frame.qa.audit(pred="response", gold="answers", metrics=opening)


@pytest.mark.needs("explain")
def test_another_function_of_the_counts_is_not_explained_as_an_f_measure(monkeypatch, frame):
    def jaccard(counts, _):
        common = counts["clipped"][0]
        return common / (counts.n_pred + counts.n_gold - common)

    what = "common tokens over all tokens"
    metric = Metric(what, "made up", "overlap", lambda _: {CLIPPED: 1}, jaccard, counting="multiset")
    monkeypatch.setitem(METRICS, "jaccard", metric)
    frame["answers"] = [["a cat sat"]] * 4
    explained = frame.qa.explain(0, pred="response", gold="answers", metrics=["jaccard", "f1"])
    found = explained.metrics["jaccard"]
    assert found.score == pytest.approx(2 / 5)
    assert found.why == "2 of 5 tokens of the prediction and 2 of 2 tokens of the gold are common"
    assert "2PR / (P + R)" in explained.metrics["f1"].why
