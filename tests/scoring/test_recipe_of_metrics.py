"""A metric that is added by the recipe of CONTRIBUTING.md works everywhere, without a further file."""

from __future__ import annotations

from functools import partial

import matplotlib as mpl
import pandas as pd
import pytest
from rouge_score.rouge_scorer import RougeScorer

import qa_frame
from qa_frame.scoring import metrics
from qa_frame.scoring.countings import COUNTINGS, ngrams

PRED, GOLD = "the cat sat on the mat today", ["a cat sat on the mat", "the dog sat on the mat"]


@pytest.fixture
def rouge_3(monkeypatch):
    """The entries of a new metric, as the recipe has them."""
    monkeypatch.setitem(COUNTINGS, "trigrams", ngrams(3, "trigram"))
    for name, what, score in (
        ("rouge_3", "ROUGE-3: F of trigrams", metrics._f1),
        ("rouge_3_precision", "ROUGE-3: the share of the prediction's trigrams in common", metrics._precision),
        ("rouge_3_recall", "ROUGE-3: the share of the gold's trigrams in common", metrics._recall),
    ):
        monkeypatch.setitem(metrics.METRICS, name, partial(metrics._rouge, "trigrams")(what, score))
    return ["rouge_3", "rouge_3_precision", "rouge_3_recall"]


@pytest.fixture
def frame():
    return pd.DataFrame({"model": ["A", "A", "B", "B"], "q": [1, 2] * 2, "response": [PRED] * 4, "answers": [GOLD] * 4})


def test_it_is_scored_as_its_package_scores_it(rouge_3, frame):
    scored = frame.qa.score("response", "answers", metrics=rouge_3)
    found = [RougeScorer(["rouge3"]).score(gold, PRED)["rouge3"] for gold in GOLD]
    assert scored["rouge_3"].tolist() == pytest.approx([max(score.fmeasure for score in found)] * 4, abs=1e-9)
    assert scored["rouge_3_recall"].tolist() == pytest.approx([max(score.recall for score in found)] * 4, abs=1e-9)


def test_it_is_explained_in_its_own_unit(rouge_3, frame):
    explained = frame.qa.explain(0, pred="response", gold="answers", metrics=rouge_3)
    text = " ".join(str(explained).split())
    assert "3 of 5 trigrams of the prediction and 3 of 4 trigrams of the gold are common" in text
    assert "3 of 4 trigrams of the gold are common" in " ".join(explained.metrics["rouge_3_recall"].why.split())


def test_audit_knows_whether_length_lowers_it(rouge_3, frame):
    frame["response"] = PRED + " and more" * 60
    hazards = {name: set(frame.qa.audit(pred="response", gold="answers", metrics=[name])["hazard"]) for name in rouge_3}
    assert "long_predictions" in hazards["rouge_3"]
    assert "long_predictions" not in hazards["rouge_3_recall"]


def test_its_scores_are_pooled_and_shown(rouge_3, frame):
    scored = frame.qa.score("response", "answers", metrics=rouge_3)
    table = scored.qa.summary(by="model", ci=0.95)
    assert {*rouge_3, "rouge_3_lo"} <= {*table.columns}
    assert "rouge_3" in str(qa_frame.style(table))
    with mpl.rc_context({"backend": "agg"}):
        drawn = qa_frame.plot.summary(table, ["rouge_3"])
    assert len(drawn.lines) or len(drawn.collections)
    assert set(scored.qa.compare(by="model", on="q")["metric"]) == {*rouge_3}
