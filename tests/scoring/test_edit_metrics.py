"""`anls` and `edit_similarity` equal what other packages and a plain twin give, with every setting of the rule."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

import qa_frame
from qa_frame.scoring.metrics import METRICS
from tests.reference import kernels as twins
from tests.reference.oracles import anls, edit_similarity
from tests.strategies import Row, frames, nasty_frames

NAMES = ["anls", "edit_similarity"]
GOLDEN = Path(__file__).parents[1] / "golden" / "edit_distance.jsonl"
TEXT = qa_frame.rules.Text(("lower", "collapse_spaces"), split="characters")


def score(rows: list[Row], convention="squad", metrics=NAMES) -> pd.DataFrame:
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
    return qa_frame.score(frame, "pred", "golds", metrics=metrics, convention=convention, append=False)


def with_rule(**settings_of_rule) -> qa_frame.Convention:
    return qa_frame.Convention(name="own", edit=qa_frame.rules.EditDistance(**{"text": TEXT, **settings_of_rule}))


@settings(max_examples=60)
@given(rows=frames() | nasty_frames())
def test_scores_equal_rapidfuzz_to_the_last_bit(rows):
    rows = [(pred, [gold for gold in golds or [] if gold is not None]) for pred, golds in rows]
    rows = [(pred, golds) for pred, golds in rows if pred is not None and golds]
    if rows:
        found = score(rows)
        assert found["anls"].tolist() == [max(anls(pred, gold) for gold in golds) for pred, golds in rows]
        expected = [max(edit_similarity(pred, gold) for gold in golds) for pred, golds in rows]
        assert found["edit_similarity"].tolist() == expected


def test_recorded_results_of_other_packages():
    cases = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
    rows = [(case["pred"], case["golds"]) for case in cases]
    found = score(rows)
    exclusive = score(rows, with_rule(inclusive=False), ["anls"])
    raw_lengths = score(rows, with_rule(length="text"), ["anls"])
    assert found["anls"].tolist() == [case["anls_star"] for case in cases]
    assert exclusive["anls"].tolist() == [case["anls"] for case in cases]
    for name in ("lmms_eval", "vlmevalkit"):
        assert raw_lengths["anls"].tolist() == [case[name] for case in cases]
    assert any(case["anls"] != case["anls_star"] for case in cases)
    assert any(case["lmms_eval"] != case["anls_star"] for case in cases)
    assert any(0.5 <= case["anls_star"] < 1 for case in cases)


@settings(deadline=None, max_examples=60)
@given(
    pairs=st.lists(st.tuples(st.text("ab c", max_size=9), st.text("ab c", max_size=9)), min_size=1, max_size=6),
    threshold=st.floats(0, 1) | st.sampled_from((0.1, 0.3, 1 / 3, 0.5, 2 / 3, 0.7, 0.9)),
    inclusive=st.booleans(),
)
def test_the_threshold(pairs, threshold, inclusive):
    rule = with_rule(text=qa_frame.rules.Text(split="characters"), threshold=threshold, inclusive=inclusive)
    expected = []
    for pred, gold in pairs:
        longer = max(len(pred), len(gold))
        distance = twins.edit_distance([*map(ord, pred)], [*map(ord, gold)])
        similarity = 1 - distance / longer if longer else 1.0
        is_kept = similarity >= threshold if inclusive else similarity > threshold
        expected.append(similarity if is_kept else 0.0)
    assert score([(pred, [gold]) for pred, gold in pairs], rule, ["anls"])["anls"].tolist() == expected


def official(pred, gold):
    """The score of the DocVQA challenge's script, of VLMEvalKit and of lmms-eval."""
    distance = Levenshtein.distance(*(" ".join(text.strip().lower().split()) for text in (gold, pred)))
    length = max(len(gold.upper()), len(pred.upper()))
    result = 1 - (0.0 if length == 0 else float(distance) / float(length))
    return 0 if result < 0.5 else result


@settings(deadline=None, max_examples=60)
@given(
    pairs=st.lists(st.tuples(st.text("aB ßİ\t\n", max_size=9), st.text("aBc ßİ\t", max_size=9)), min_size=1, max_size=6)
)
@example(pairs=[("ab", "ax" + " " * 9), ("  ", "a"), ("İİ", "x"), ("ab cd", "ab  cd "), ("", " ")])
def test_the_length_of_the_raw_texts(pairs):
    found = score([(pred, [gold]) for pred, gold in pairs], with_rule(length="text"))
    assert found["anls"].tolist() == [official(pred, gold) for pred, gold in pairs]
    assert found["edit_similarity"].between(0, 1).all()


@pytest.mark.needs("explain")
def test_the_length_of_the_raw_texts_is_explained():
    frame = pd.DataFrame({"pred": ["ab"], "gold": ["ax  "]})
    explained = qa_frame.explain(frame, 0, pred="pred", gold="gold", convention=with_rule(length="text"))
    assert explained.metrics["anls"].score == 0.75
    assert explained.metrics["anls"].why == "1 edit for 4 characters of the longer side: 1 - 1 / 4"


def test_tokens_may_be_words():
    words = with_rule(text=qa_frame.rules.Text(("lower",)))
    found = score([("The river Elbe", ["the Elbe"]), ("On the Elbe", ["on The oder"])], words)
    np.testing.assert_allclose(found["edit_similarity"], [2 / 3, 2 / 3])


def test_empty_sides_give_what_the_rule_says():
    rule = with_rule(empty=qa_frame.rules.Empty(both=0.0, pred=0.25))
    assert score([("", [""]), ("", ["a"]), ("a", [""])], rule)["edit_similarity"].tolist() == [0.0, 0.25, 0.0]


def test_they_are_listed_and_not_scored_by_default():
    for name in NAMES:
        assert qa_frame.metrics[name].family == "edit"
        assert "squad" in qa_frame.metrics[name].conventions
        assert name not in score([("a", ["a"])], metrics=None).columns
    assert METRICS["anls"].is_in(qa_frame.conventions["squad2"])


def test_wrong_settings_are_refused():
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match=r"EditDistance\.threshold=2 is not a number from 0 to 1"
    ):
        with_rule(threshold=2)
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match=r"EditDistance\.inclusive=1 is neither True nor False"
    ):
        with_rule(inclusive=1)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="did you mean 'anls'"):
        score([("a", ["a"])], metrics="ANLS")
