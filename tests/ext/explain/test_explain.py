"""`explain`: its numbers are those of `score`, its counts make these numbers, its tokens are those that are counted."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import qa_frame
from qa_frame import Convention, conventions
from qa_frame.rules import Bleu, Chrf, Contains, EditDistance, Exact, Overlap, RougeL, Text
from qa_frame.scoring.metrics import METRICS
from qa_frame.terminal import columns_of
from tests.strategies import frames, nasty_frames

SOURCE = {"pred": "response", "gold": "answers"}


def letters(text):
    return [letter for letter in text.lower() if letter != "e"]


_OWN = Text(("nfkc", "casefold"), letters)
OWN = Convention(
    name="own",
    exact=Exact(text=_OWN),
    overlap=Overlap(text=_OWN, counting="set"),
    contains=Contains(text=_OWN),
    rouge_l=RougeL(text=_OWN, counting="run", epsilon=0.5),
    bleu=Bleu(text=_OWN, smoothing="add_k", smoothing_value=1.0, effective_order=True),
    bleu_n=Bleu(text=_OWN, smoothing="floor", smoothing_value=0.1, brevity=False),
)
ALL = {**conventions, "own": OWN}


def frame_of(rows):
    return pd.DataFrame({"response": [pred for pred, _ in rows], "answers": [golds for _, golds in rows]})


def spread(scores):
    return float(scores.max() - scores.min())


# --- the property


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
@settings(max_examples=10, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_all_that_is_shown_is_what_is_scored(name, data):
    rows = data.draw(frames(max_rows=3) | nasty_frames(max_rows=3))
    reduce = data.draw(st.sampled_from(("max", "mean", "min", "first", "best", spread)))
    convention = ALL[name]
    if reduce == "best" and not METRICS["f1"].is_in(convention):
        reduce = "max"
    frame = frame_of(rows)
    settings_of_scoring = {"metrics": "all", "convention": convention, "reduce": reduce}
    scored = qa_frame.score(frame, "response", "answers", append=False, **settings_of_scoring)
    for place in range(len(frame)):
        explained = qa_frame.explain(frame, place, **SOURCE, **settings_of_scoring)
        assert {metric: found.score for metric, found in explained.metrics.items()} == scored.iloc[place].to_dict()
        if convention.reduce != "votes":  # there, golds are compared in another way where they differ
            check_golds(explained, convention)
        for metric, found in explained.metrics.items():
            check_counts(metric, found, rule_of(convention, metric))
        for comparison in explained.comparisons:
            check_comparison(explained, comparison)
        told = sorted(m for comparison in explained.comparisons for m in comparison.metrics)
        assert told == sorted(scored.columns)
        assert max(map(columns_of, str(explained).splitlines())) <= 100
        assert len(explained._repr_html_().encode()) <= 50_000


def rule_of(convention, metric):
    return getattr(convention, METRICS[metric].family)


def check_golds(explained, convention):
    """With each gold alone, `score` gives the number shown; the row's is that of the gold that won."""
    for place, gold in enumerate(explained.golds):
        alone = qa_frame.score_one(explained.response, [gold], metrics="all", convention=convention)
        for metric, found in explained.metrics.items():
            shown = found.per_gold[place]
            is_together = getattr(rule_of(convention, metric), "references", "each") == "together"
            assert shown == alone[metric] or (math.isnan(shown) and (convention.no_answer or is_together))
    for found in explained.metrics.values():
        if found.gold is not None:
            assert found.per_gold[found.gold] == found.score


def check_counts(metric, found, rule):
    """The counts make the score, by the plain formula."""
    score = found.per_gold[found.gold] if found.gold is not None else None
    if score is None or found.is_empty_side:
        return
    counts = found.counts
    if "equal" in counts:
        assert score == counts["equal"]
    elif "contained" in counts:
        assert score == counts["contained"]
    elif "edits" in counts and getattr(rule, "length", None) == "text":  # of the text, and not of the tokens
        longer = re.search(r"for (\d+) characters", found.why)
        assert longer is None or score in {0, 1 - counts["edits"] / int(longer[1])}
    elif "edits" in counts:
        longer = max(counts["n_pred"], counts["n_gold"])
        similarity = 1 - counts["edits"] / longer if longer else 1.0
        assert score == (0.0 if metric == "anls" and similarity < rule.threshold else similarity)
    elif isinstance(rule, Bleu):
        assert score == pytest.approx(plain_bleu(found, rule), rel=1e-12)
    elif isinstance(rule, EditDistance):  # another similarity of RapidFuzz, which no counts make
        assert 0 <= score <= 1
        assert metric == "anls" or f"is {score:.3g}" in found.why
    elif isinstance(rule, Chrf):
        assert score == pytest.approx(plain_chrf(counts, rule), rel=1e-12)
    else:
        common, n_pred, n_gold = counts["common"], counts["n_pred"], counts["n_gold"]
        precision, recall = (common / n if n else 0.0 for n in (n_pred, n_gold))
        epsilon = getattr(rule, "epsilon", 0.0)
        weight = getattr(rule, "beta", 1.0) ** 2
        f1 = (1 + weight) * precision * recall / (weight * precision + recall + epsilon) if common else 0.0
        plain = {"precision": precision, "recall": recall, "f": f1}.get(METRICS[metric].ratio, score)
        digits = getattr(rule, "digits", None)
        if digits is None:
            assert score == pytest.approx(plain, rel=1e-12)
        else:
            assert score == round(score, digits) == pytest.approx(plain, abs=0.5 * 10**-digits + 1e-12)


def plain_chrf(counts, rule):
    assert not rule.eps_smoothing  # no convention has it
    ratios = []
    for kind, orders in (("", rule.char_order), ("word_", rule.word_order)):
        for order in range(orders):
            sides = [counts[f"{kind}{name}"] - order for name in ("n_pred", "n_gold")]
            if min(sides) > 0:
                ratios.append([counts[f"{kind}matched{order + 1}"] / n for n in sides])
    precision, recall = (sum(each) / len(ratios) for each in zip(*ratios, strict=True)) if ratios else (0, 0)
    weighted = (1 + rule.beta**2) * precision * recall
    return weighted / (rule.beta**2 * precision + recall) if weighted else 0.0


def plain_bleu(found, rule):
    counts, parts = found.counts, found.parts
    precisions = {name.removeprefix("precision"): part for name, part in parts.items() if name.startswith("precision")}
    for order, precision in precisions.items():
        assert counts[f"matched{order}"] <= counts[f"total{order}"] == max(0, counts["n_pred"] - int(order) + 1)
        if rule.smoothing == "none":
            assert precision == pytest.approx(counts[f"matched{order}"] / counts[f"total{order}"])
    if not parts:
        return 0.0
    penalty = min(1.0, math.exp(1 - counts["n_gold"] / counts["n_pred"])) if rule.brevity else 1.0
    assert parts["brevity_penalty"] == pytest.approx(penalty)
    if min(precisions.values()) == 0:
        return 0.0
    return parts["brevity_penalty"] * math.exp(sum(map(math.log, precisions.values())) / parts["effective_order"])


def check_counts_shown(explained, comparison, metric):
    """What is shown as common is what was counted, except for bigrams and lines, which are shown as tokens."""
    pred, gold, counts = comparison.pred_tokens, comparison.gold_tokens, explained.metrics[metric].counts
    if "common" in counts and "the convention gives 0, as " in explained.metrics[metric].why:
        assert counts["common"] == 0
    elif "common" in counts and METRICS[metric].counting in {None, "multiset"}:
        assert counts["common"] == len(comparison.common)
    elif "matched1" in counts:
        assert counts["n_pred"] == len(pred)
        if explained.metrics[metric].gold is not None or len(explained.golds) == 1:  # else these are of all golds
            assert counts["matched1"] == len(comparison.common)
            assert counts["n_gold"] == len(gold)
    # Two numbers may be spelled in two ways, and some golds are compared in another one.
    if "equal" in counts and " they are " not in explained.metrics[metric].why:
        assert counts["equal"] == (pred == gold)


def check_comparison(explained, comparison):
    pred, gold = comparison.pred_tokens, comparison.gold_tokens
    on_pred, on_gold = ([side[place] for place in places] for side, places in (
        (pred, comparison.pred_matched), (gold, comparison.gold_matched)
    ))  # fmt: skip
    assert Counter(on_pred) == Counter(comparison.common[: len(on_pred)])
    assert Counter(on_pred) == Counter(on_gold)
    for here, there in comparison.aligned:
        assert pred[here] == gold[there]
    for places in zip(*comparison.aligned, strict=True):
        assert list(places) == sorted(set(places))
    shown = [[place for place in side if place is not None] for side in zip(*comparison.columns, strict=True)]
    assert shown in ([], [list(range(len(pred))), list(range(len(gold)))])
    for metric in comparison.metrics:
        check_counts_shown(explained, comparison, metric)
    if comparison.counting == "run":
        for side in zip(*comparison.aligned, strict=True):
            assert list(side) == list(range(side[0], side[0] + len(side)))
    if comparison.counting in {"run", "subsequence"}:
        assert comparison.common == tuple(on_pred) == tuple(on_gold)


# --- which row


FRAME = pd.DataFrame(
    {
        "response": ["The Loire.", None, "Rome", "A", "<answer>Bonn</answer>"],
        "answers": [["Seine", None, "the Loire river"], ["x"], [], ["a", "the"], "Bonn"],
    },
    index=["a", "b", "c", "b", "e"],
)
FRAME["answers"] = [[gold] if isinstance(gold, str) else gold for gold in FRAME["answers"]]


def test_a_row_by_its_label():
    explained = FRAME.qa.explain("a", **SOURCE)
    assert (explained.label, explained.position, explained.status) == ("a", 0, "scored")
    assert explained.golds == ("Seine", "the Loire river")
    assert explained.response == explained.prediction == "The Loire."


@pytest.mark.needs("audit")
def test_scores_with_a_prefix_are_explained_and_audited_as_those_without():
    sample = qa_frame.sample()
    with_prefix, without = (
        sample.qa.score("response", "answers", metrics=["em", "f1"], prefix=prefix) for prefix in ("x_", "")
    )
    assert [*with_prefix.qa.explain(3).metrics] == ["em", "f1"]
    assert str(with_prefix.qa.explain([3, 160])) == str(without.qa.explain([3, 160]))
    pd.testing.assert_frame_equal(with_prefix.qa.audit(), without.qa.audit())
    with_prefix.loc[3, "x_f1"] = 0.5
    assert "the frame has f1 0.5 here" in str(with_prefix.qa.explain(3))


def test_a_label_that_is_there_twice():
    """The remedy of the error, followed to the letter, works."""
    with pytest.raises(
        qa_frame.errors.UnknownOptionError,
        match=r"label='b' stands in 2 rows, at the positions 1, 3; .*explain\(df\.reset_index\(drop=True\), 1\)$",
    ):
        FRAME.qa.explain("b", **SOURCE)
    by_position = FRAME.reset_index(drop=True)
    assert qa_frame.explain(by_position, 1, **SOURCE).status == "missing prediction"
    assert qa_frame.explain(by_position, 3, **SOURCE).label == 3


@pytest.mark.parametrize("label", ["z", 7, ["z"], slice(None), np.nan, {"a"}, pd.Series(["a", "z"])])
def test_a_label_that_is_not_there(label):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"label=.* is not in the index, .*reset_index"):
        FRAME.qa.explain(label, **SOURCE)


@pytest.mark.parametrize("give", [list, np.array, pd.Index, pd.Series])
def test_several_rows(give):
    several = FRAME.qa.explain(give(["e", "a"]), metrics=["em", "f1"], **SOURCE)
    assert several == tuple(FRAME.qa.explain(label, metrics=["em", "f1"], **SOURCE) for label in "ea")
    assert len(several) == 2
    assert several[0].label == "e"
    assert isinstance(several[1:], type(several))
    assert str(several) == f"{several[0]}\n\n\n{several[1]}"
    assert qa_frame.explain(pl.from_pandas(FRAME), give([4]), **SOURCE)[0].position == 4


@pytest.mark.parametrize("name", ["squad", "squad2", "quac", "drop", "hf_bleu", "inspect_match_numeric"])
@given(data=st.data())
@settings(max_examples=3)
def test_rows_are_explained_together_as_alone(name, data):
    frame = frame_of(data.draw(frames(max_rows=4) | nasty_frames(max_rows=4)))
    places = data.draw(st.lists(st.integers(0, len(frame) - 1), max_size=6)) if len(frame) else []
    options = {**SOURCE, "metrics": "all", "convention": name}
    frame = frame.reset_index(drop=True)
    together = frame.qa.explain(places, **options)
    alone = [frame.qa.explain(place, **options) for place in places]
    assert list(map(repr, together)) == list(map(repr, alone))
    assert repr([each.to_dict() for each in together]) == repr([each.to_dict() for each in alone])


def test_no_rows_and_too_many():
    none = FRAME.qa.explain([], **SOURCE)
    assert len(none) == 0
    assert str(none) == "no rows"
    assert none._repr_html_() == "<p>no rows</p>"
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match=r"^1,001 rows are to be explained, and at most 1,000 can be"
    ):
        FRAME.qa.explain(["a"] * 1001, **SOURCE)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"^label=5 is more than 4"):
        qa_frame.explain(pl.from_pandas(FRAME), [0, 5], **SOURCE)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"^label='b' stands in 2 rows"):
        FRAME.qa.explain(["a", "b"], **SOURCE)


def test_levels_in_a_list():
    levels = FRAME.set_axis(pd.MultiIndex.from_product([["x"], range(5)]))
    assert [each.position for each in levels.qa.explain([("x", 4), ("x", 0)], **SOURCE)] == [4, 0]
    assert [each.position for each in levels.qa.explain(levels.index[1:3], **SOURCE)] == [1, 2]


@pytest.mark.parametrize("make", [lambda f: pa.Table.from_pandas(f, preserve_index=False), pl.from_pandas])
def test_other_frames_go_by_position(make):
    by_position = FRAME.reset_index(drop=True)
    other = make(by_position)
    assert qa_frame.explain(other, 3, **SOURCE) == by_position.qa.explain(3, **SOURCE)
    for wrong in ("a", -1, 5, True, 0.0):
        with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"label=.*give"):
            qa_frame.explain(other, wrong, **SOURCE)


def test_a_frame_without_rows():
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="label='a' names a row, and data has none"):
        FRAME.iloc[:0].qa.explain("a", **SOURCE)


def test_dates_and_several_levels_are_labels():
    dates = FRAME.set_axis(pd.date_range("2024-01-01", periods=5))
    assert dates.qa.explain("2024-01-03", **SOURCE).position == 2
    levels = FRAME.set_axis(pd.MultiIndex.from_product([["x"], range(5)]))
    assert levels.qa.explain(("x", 4), **SOURCE).position == 4
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="stands in 5 rows, at the positions 0, 1, 2, 3, 4;"):
        levels.qa.explain("x", **SOURCE)


# --- the status


def test_rows_that_are_not_scored():
    missing = FRAME.reset_index().qa.explain(1, **SOURCE)
    assert (missing.status, missing.prediction, missing.comparisons) == ("missing prediction", None, ())
    assert {found.score for found in missing.metrics.values()} == {0.0}
    assert "counts as wrong" in missing.metrics["f1"].why
    null = FRAME.reset_index().qa.explain(1, missing="null", **SOURCE)
    assert math.isnan(null.metrics["f1"].score)
    assert "not scored" in null.metrics["f1"].why
    none = FRAME.qa.explain("c", **SOURCE)
    assert none.status == "no gold"
    assert math.isnan(none.metrics["em"].score)
    assert "no gold" in str(none)


def test_extraction():
    found = FRAME.qa.explain("e", extract="answer_tag", **SOURCE)
    assert (found.response, found.prediction) == ("<answer>Bonn</answer>", "Bonn")
    assert found.metrics["em"].score == 1
    assert "scored part" in str(found)
    lacking = FRAME.qa.explain("a", extract="answer_tag", **SOURCE)
    assert lacking.status == "not extracted"
    assert "answer_tag" in lacking.metrics["em"].why


def test_an_empty_gold_list_that_stands_for_no_answer():
    explained = FRAME.qa.explain("c", convention="squad2", **SOURCE)
    assert explained.status == "scored"
    assert explained.metrics["f1"].gold is None
    assert explained.comparisons[0].gold is None
    assert "the gold has no tokens, for which the convention gives 0" in explained.metrics["f1"].why
    frame = frame_of([("Seine", ["", "Seine"])])
    both = frame.qa.explain(0, convention="squad2", **SOURCE)
    assert math.isnan(both.metrics["f1"].per_gold[0])  # it is left out, as another gold has tokens
    assert both.metrics["f1"].gold == 1


def test_a_gold_that_stands_for_no_answer():
    golds = ["CANNOTANSWER", "Seine", "the Seine"]
    frame = frame_of([("Seine", golds), ("cannotanswer", golds[:2]), ("CANNOTANSWER", golds[:2])])
    seine, wrong, right = (frame.qa.explain(row, convention="quac", **SOURCE).metrics["f1"] for row in range(3))
    assert math.isnan(seine.per_gold[0])  # it is left out, as more golds have an answer
    assert [wrong.score, right.score] == [0.0, 1.0]
    assert wrong.why == "the gold says that there is no answer, and the prediction does not say so"
    assert right.why == "the gold says that there is no answer, and so does the prediction"


# --- why


@pytest.mark.parametrize(
    ("pred", "gold", "metric", "why"),
    [
        ("the Loire", "Seine", "f1", "no token of 'seine' is in 'loire'"),
        ("Loire", "the Loire river", "em", "after normalisation, 'loire' is not 'loire river'"),
        ("dog cat", "cat dog", "em", "after normalisation, 'dog cat' is not 'cat dog'"),
        ("A", "x", "f1", "the prediction has no tokens"),
        ("A", "the", "em", "both are '' after normalisation"),
        ("on the Loire", "Loire", "contains", "'loire' is in 'on loire'"),
        ("Loire", "Seine", "contains", "'seine' is not in 'loire'"),
        ("Loire", "", "contains", "an empty gold is part of every prediction"),
        (
            "Loire",
            "Seine",
            "bleu",
            "matched n-grams: 0 of 1, 0 of 0, 0 of 0, 0 of 0; the convention gives 0, as no 1-gram",
        ),
        ("Loire", "Loire", "bleu2", "matched n-grams: 1 of 1, 0 of 0; the convention gives 0, as no 2-gram is matched"),
        ("a b c d", "d c b a", "bleu2", "matched n-grams: 4 of 4, 0 of 3; the convention gives 0, as no 2-gram"),
        ("x y", "x z", "recall", "1 of 2 tokens of the gold is common"),
    ],
)
def test_why(pred, gold, metric, why):
    explained = frame_of([(pred, [gold])]).qa.explain(0, metrics=metric, **SOURCE)
    assert explained.metrics[metric].why.startswith(why)
    assert " ".join(why.split()[:3]) in str(explained)


@pytest.mark.parametrize(
    ("convention", "pred", "gold", "metric", "why"),
    [
        ("inspect_match", "Paris, so Paris.", "paris", "contains", "'paris' is at the end of 'paris, so paris'"),
        ("inspect_match", "Paris, I think", "paris", "contains", "'paris' is not at the end of 'paris, i think'"),
        ("inspect_match", "Paris, I think", "paris", "prefix", "'paris' is at the start of 'paris, i think'"),
        (
            "inspect_match_numeric",
            "7 or 42.0",
            "$42",
            "contains",
            "the gold is the number 42; those of the prediction are 7, 42",
        ),
        (
            "inspect_match_numeric",
            "no",
            "42",
            "contains",
            "the gold is the number 42; those of the prediction are none",
        ),
        ("inspect_match_numeric", "It is *six*", "*six*", "contains", "'six' is at the end of 'it is *six'"),
    ],
)
def test_why_a_gold_is_at_its_place(convention, pred, gold, metric, why):
    explained = frame_of([(pred, [gold])]).qa.explain(0, metrics=metric, convention=convention, **SOURCE)
    assert explained.metrics[metric].why == why
    found = explained.comparisons[0]
    if "number" not in why and "not" not in why:
        place = found.pred_matched[0]
        assert found.pred_tokens[place] == found.gold_tokens[0]
        assert place == (0 if metric == "prefix" else len(found.pred_tokens) - 1)
    else:
        assert not found.pred_matched


def test_the_longest_run_and_a_tokeniser_of_the_users():
    frame = frame_of([("one two three four", ["two three one four"])])
    explained = frame.qa.explain(0, convention=replace(OWN, exact=None), metrics=["rouge_l", "f1"], **SOURCE)
    run = next(each for each in explained.comparisons if each.counting == "run")
    assert "".join(run.common) == "two thr "
    assert explained.metrics["rouge_l"].counts["common"] == len("two thr ")
    assert " > letters" in run.normalisation


def test_golds_that_tie_are_explained_with_the_closest():
    explained = FRAME.qa.explain("a", **SOURCE)
    assert explained.metrics["em"].per_gold == (0.0, 0.0)
    assert explained.metrics["em"].gold == explained.metrics["f1"].gold == 1


def test_scores_made_of_several_golds():
    explained = FRAME.qa.explain("a", reduce="mean", metrics="f1", **SOURCE)
    assert explained.metrics["f1"].gold is None
    assert explained.metrics["f1"].why.startswith("mean of 2 golds; the closest is golds[1]: ")
    called = FRAME.qa.explain("a", reduce=spread, metrics="f1", **SOURCE)
    assert called.reduce == "spread"
    assert called.metrics["f1"].score == pytest.approx(2 / 3)


def test_plain_values():
    found = FRAME.qa.explain("a", **SOURCE).to_dict()
    assert found["metrics"]["bleu"]["counts"]["matched1"] == 1
    assert found["comparisons"][0]["common"] == ("loire",)
    assert found["convention"] == "squad"
    assert found["signature"].startswith("convention:squad|")


@pytest.mark.thorough
def test_long_texts_are_quick_and_whole_in_the_attributes():
    pred, gold = " ".join(f"w{n % 977}" for n in range(20_000)), " ".join(f"w{n % 983}" for n in range(20_000))
    explained = frame_of([(pred, [gold])]).qa.explain(0, metrics=["f1", "em"], **SOURCE)
    (comparison,) = explained.comparisons
    assert len(comparison.common) == explained.metrics["f1"].counts["common"]
    assert comparison.aligned is None
    assert len(str(explained)) < 10_000


def test_labels_of_numpy_are_shown_as_numbers():
    frame = qa_frame.sample().set_axis(np.arange(1000, 1360))
    explained = frame.qa.explain(frame.index.to_numpy()[3], pred="response", gold="answers")
    assert str(explained).startswith("row 1003 (position 3)")


def test_however_many_numbers_a_prediction_has_its_row_is_shown():
    frame = pd.DataFrame({"pred": [" ".join(map(str, range(60_000)))], "gold": ["7"]})
    shown = qa_frame.explain(frame, 0, pred="pred", gold="gold", convention="inspect_match_numeric")
    assert "row 0" in shown._repr_html_()
    assert "the gold is the number" in shown._repr_html_()
    assert len(shown._repr_html_()) < 20_000


def test_a_prefix_that_ends_like_a_metric():
    frame = pd.DataFrame({"pred": ["the b a"], "gold": ["a b"]})
    plain = frame.qa.score("pred", "gold", metrics=["em", "recall"]).qa.explain(0)
    prefixed = frame.qa.score("pred", "gold", metrics=["em", "recall"], prefix="rouge_l_").qa.explain(0)
    assert str(plain).splitlines()[4:] == str(prefixed).splitlines()[4:]


@pytest.mark.parametrize("convention", ["longbench", "flashrag", "continuous_eval", "continuous_eval_docs"])
def test_the_mark_of_a_sentence_is_no_token_that_both_sides_lack(convention):
    """Both texts have a full stop, which ends sentences: it is not said of it that it is not in the other."""
    frame = pd.DataFrame({"response": ["Paris . France"], "answers": [["Rome . Italy."]]})
    told = frame.qa.score("response", "answers", convention=convention, metrics="rouge_l").qa.explain(0)
    assert "no token of 'Rome Italy' is in 'Paris France'" in str(told)
