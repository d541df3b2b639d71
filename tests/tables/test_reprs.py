"""What objects say of themselves, and what completion shows."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd
import pytest

import qa_frame


@pytest.fixture(scope="module")
def scored():
    return qa_frame.sample().qa.score("response", "answers", metrics=["em", "f1"])


@pytest.mark.thorough
def test_completion_shows_the_public_names():
    script = "import qa_frame; print(*dir(qa_frame))"
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert printed.split() == sorted(qa_frame.__all__)
    assert {"Pool", "plot", "style", "metrics", "read_results"} <= set(printed.split())
    assert all(hasattr(qa_frame, name) for name in dir(qa_frame))


def test_pool(scored):
    pool = qa_frame.Pool(by="model", cluster="question_id")
    assert repr(pool) == "Pool(by=['model'], 0 groups, 0 rows, metrics: those of the first frame)"
    pool.update(scored[:60]).update(scored)
    assert repr(pool) == "Pool(by=['model'], 3 groups, 420 rows, metrics: em f1)"
    assert repr(qa_frame.Pool(metrics="f1").update(scored[:1])) == "Pool(by=[], 1 group, 1 row, metrics: f1)"
    assert repr(qa_frame.Pool(by="model")) == "Pool(by=['model'], 0 groups, 0 rows, metrics: those of the first frame)"


def test_convention():
    remem = qa_frame.conventions["remem"]
    digest = remem.signature.split("digest:")[1][:12]
    assert repr(remem) == (
        "Convention('remem', follows 'REMem QAExactMatch, QAF1Score, QABleu1Score, QABleu4Score', metrics: em f1 bleu1 "
        f"bleu4, rules: exact overlap bleu_n, digest {digest})"
    )
    html = remem._repr_html_()
    for said in (remem.follows, remem.differs, "em f1 bleu1 bleu4", "overlap", "max"):
        assert said in html
    assert "smoothing=exp, " in qa_frame.conventions["squad"]._repr_html_()
    own = qa_frame.Convention(name="own", overlap=qa_frame.rules.Overlap(text=qa_frame.rules.Text()))
    assert repr(own).startswith("Convention('own', follows 'own rules', rules: overlap, digest ")


def test_accessor(scored):
    assert repr(scored.qa).startswith("<df.qa: 360 rows; score columns: em f1; methods: score summary compare ")
    assert "no score columns yet: score(pred=..., gold=...) first" in repr(qa_frame.sample().qa)
    prefixed = qa_frame.sample().qa.score("response", "answers", metrics="f1", prefix="a_")
    assert "score columns: a_f1;" in repr(prefixed.qa)
    odd = pd.DataFrame([[1.0]], columns=pd.MultiIndex.from_tuples([("f1", "")]))
    odd.attrs["qa_scored"] = [1]
    assert "1 row;" in repr(odd.qa)
