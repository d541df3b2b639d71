"""ROUGE with stems, lines of long texts, and chrF with other settings equal `rouge_score` and `sacrebleu`."""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Sequence

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenize import tokenize
from sacrebleu.metrics import CHRF

import qa_frame
from tests.reference.kernels import chosen_in_line
from tests.reference.oracles import chrf, chrf_pp
from tests.strategies import Row, any_text, frames, nasty_frames

ATOL = 1e-9
TYPES = {"rouge_1": "rouge1", "rouge_2": "rouge2", "rouge_l": "rougeL", "rouge_lsum": "rougeLsum"}


def score(rows: Sequence[Row], metrics: Sequence[str], convention: object = "squad") -> pd.DataFrame:
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
    frame = frame.astype({"pred": "string"})
    return frame.qa.score("pred", "golds", metrics=metrics, convention=convention, append=False)


def own(family: str, rule: object) -> qa_frame.Convention:
    return qa_frame.Convention(name="own", **{family: rule})


# --- ROUGE, with and without stems

STEMMED = own("rouge_l", qa_frame.rules.RougeL(text=qa_frame.rules.Text(("lower", "keep_a_z_0_9", "stem"))))
words = st.sampled_from(["cats", "cat", "running", "ran", "runs", "The", "flies", "easily", "easy", "x-rays", "1990s"])
lines = st.lists(words, max_size=6).map(" ".join)
breaks = st.sampled_from(["\n", "\n", "\n\n", " \n ", "\r\n", "\r", "\u2028", ""])
texts_of_lines = st.lists(st.tuples(lines, breaks).map("".join), max_size=6).map("".join)
rows_of_lines = st.lists(st.tuples(texts_of_lines, st.lists(texts_of_lines, min_size=1, max_size=3)), min_size=1)


@functools.cache
def scorer(kind: str, *, use_stemmer: bool) -> RougeScorer:
    return RougeScorer([kind], use_stemmer=use_stemmer)


@pytest.mark.parametrize("use_stemmer", [False, True], ids=["words", "stems"])
@pytest.mark.parametrize("metric", TYPES)
@settings(deadline=None, max_examples=40)
@given(rows=rows_of_lines | frames() | nasty_frames())
def test_rouge_is_that_of_rouge_score(metric, use_stemmer, rows):
    parts = {metric: "fmeasure", f"{metric}_precision": "precision", f"{metric}_recall": "recall"}
    found = score(rows, list(parts), STEMMED if use_stemmer else "squad")
    per_gold = [
        [scorer(TYPES[metric], use_stemmer=use_stemmer).score(gold, pred)[TYPES[metric]] for gold in golds]
        for pred, golds in rows
    ]
    for name, part in parts.items():
        expected = [max(float(getattr(each, part)) for each in of_row) for of_row in per_gold]
        assert found[name].to_list() == expected


def lsum(pred: str, gold: str) -> tuple[float, float]:
    """Precision and recall of ROUGE-Lsum, from the twin of the kernel: `rouge_score` needs minutes for long texts."""
    preds, golds = ([tokenize(line, None) for line in text.split("\n")] for text in (pred, gold))
    chosen: Counter[str] = Counter()
    for line in golds:
        places = set().union(*(_chosen(tuple(other), tuple(line)) for other in preds))
        chosen.update(line[place] for place in places)
    n_pred, n_gold = (sum(map(len, side)) for side in (preds, golds))
    hits = (chosen & Counter(token for line in preds for token in line)).total()
    return hits / n_pred, hits / n_gold


@functools.cache
def _chosen(pred: tuple[str, ...], gold: tuple[str, ...]) -> set[int]:
    ids = {token: number for number, token in enumerate({*pred, *gold})}
    return chosen_in_line([ids[token] for token in pred], [ids[token] for token in gold])


def long_text(seed: int, n_lines: int, n_words: int, n_distinct: int) -> str:
    rng = random.Random(seed)
    return "\n".join(" ".join(f"w{rng.randrange(n_distinct)}" for _ in range(n_words)) for _ in range(n_lines))


@pytest.mark.parametrize(
    ("pred", "gold"),
    [
        ((3, 10, 20, 5), (4, 500, 10, 5)),
        ((5, 1, 1_000, 30), (6, 10, 100, 30)),
        ((7, 3, 700, 50), (8, 2, 600, 50)),
    ],
    ids=["short lines", "one line", "long lines"],
)
@pytest.mark.thorough
def test_lines_of_long_texts(pred, gold):
    pred, gold = long_text(*pred), long_text(*gold)
    found = score(
        [("w1 w2\nw3", ["w2\nw1"]), (pred, [gold]), (gold, [pred])], ["rouge_lsum_precision", "rouge_lsum_recall"]
    )
    assert found.iloc[1].to_list() == [*lsum(pred, gold)]
    assert found.iloc[2].to_list() == [*lsum(gold, pred)]


def test_lines_of_other_splits():
    """Lines are cut before any step and any split."""
    text = qa_frame.rules.Text((qa_frame.rules.Replace(r"\s+", "_"),), split="characters")
    of_characters = own("rouge_l", qa_frame.rules.RougeL(text=text))
    found = score([("ab\ncd", ["cd\nab"]), ("ab cd", ["cd ab"])], ["rouge_l", "rouge_lsum"], of_characters)
    assert found.round(3).to_numpy().tolist() == [[0.4, 0.8], [0.4, 0.4]]
    of_function = own("rouge_l", qa_frame.rules.RougeL(text=qa_frame.rules.Text(split=str.split)))
    assert score([("a b\nc d", ["c d\na b"])], ["rouge_l", "rouge_lsum"], of_function).to_numpy().tolist() == [
        [0.5, 1.0]
    ]


# --- chrF


@settings(deadline=None, max_examples=80)
@given(rows=frames() | nasty_frames())
def test_several_golds_have_the_best_of_each(rows):
    """`sacrebleu` takes the gold with the best score, which the maximum over golds is, too."""
    found = score(rows, ["chrf", "chrf++"])
    for metric, scorer_of_all in (("chrf", CHRF()), ("chrf++", CHRF(word_order=2))):
        expected = [scorer_of_all.sentence_score(pred, golds).score / 100 for pred, golds in rows]
        assert found[metric].to_list() == pytest.approx(expected, rel=0, abs=ATOL)


@settings(deadline=None, max_examples=80)
@given(rows=frames() | nasty_frames())
def test_corpus_chrf_is_that_of_sacrebleu(rows):
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
    frame = frame.astype({"pred": "string"})
    found = frame.qa.score("pred", "golds", metrics=["chrf", "chrf++"], stats=True).qa.summary(
        metrics=["corpus_chrf", "corpus_chrf++"]
    )
    most = max(len(golds) for _, golds in rows)
    references = [[golds[place] if place < len(golds) else None for _, golds in rows] for place in range(most)]
    for figure, scorer_of_all in (("corpus_chrf", CHRF()), ("corpus_chrf++", CHRF(word_order=2))):
        expected = scorer_of_all.corpus_score([pred for pred, _ in rows], references).score / 100
        assert found[figure].item() == pytest.approx(expected, rel=0, abs=ATOL)


def test_corpus_chrf_takes_the_first_gold_where_reduce_says_so():
    rows = [("a cat", ["a dog", "a cat"]), ("the cat", ["the cats"])]
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
    found = frame.qa.score("pred", "golds", metrics="chrf", stats=True, reduce="first").qa.summary(
        metrics="corpus_chrf"
    )
    expected = CHRF().corpus_score([pred for pred, _ in rows], [[golds[0] for _, golds in rows]]).score / 100
    assert found["corpus_chrf"].item() == pytest.approx(expected, rel=0, abs=ATOL)


def test_statistics_of_chrf_come_with_the_metric():
    frame = pd.DataFrame({"pred": ["the cat"], "golds": [["a cat"]]})
    assert not [*frame.qa.score("pred", "golds", stats=True).filter(like="chrf")]
    assert "chrf_match1" in frame.qa.score("pred", "golds", metrics="chrf", stats=True)
    for scored in (frame.qa.score("pred", "golds", stats=True), frame.qa.score("pred", "golds", metrics="chrf")):
        with pytest.raises(qa_frame.errors.ColumnNotFoundError, match=r"metrics=\['chrf'\], stats=True"):
            scored.qa.summary(metrics="corpus_chrf")
    other = own("chrf", qa_frame.rules.Chrf(text=qa_frame.rules.Text(split="characters"), beta=1.0))
    assert [*frame.qa.score("pred", "golds", metrics="chrf", stats=True, convention=other, append=False)] == ["chrf"]


@pytest.mark.parametrize("whitespace", [False, True], ids=["without space", "with space"])
@pytest.mark.parametrize("lowercase", [False, True], ids=["cased", "lower"])
@settings(deadline=None, max_examples=25)
@given(
    rows=frames(max_rows=3), options=st.tuples(st.integers(1, 8), st.integers(0, 3), st.integers(1, 4), st.booleans())
)
def test_other_settings_are_those_of_sacrebleu(whitespace, lowercase, rows, options):
    char_order, word_order, beta, eps_smoothing = options
    steps = ("lower",) if lowercase else ()
    text = qa_frame.rules.Text(steps, split="characters" if whitespace else "characters_without_space")
    settings_of_both = {"char_order": char_order, "word_order": word_order, "eps_smoothing": eps_smoothing}
    rule = qa_frame.rules.Chrf(text=text, beta=float(beta), **settings_of_both)
    peer = CHRF(beta=beta, lowercase=lowercase, whitespace=whitespace, **settings_of_both)
    expected = [peer.sentence_score(pred, golds).score / 100 for pred, golds in rows]
    for family, metric in (("chrf", "chrf"), ("chrf_pp", "chrf++")):
        assert score(rows, metric, own(family, rule))[metric].to_list() == pytest.approx(expected, rel=0, abs=ATOL)


@settings(deadline=None, max_examples=40)
@given(pairs=st.lists(st.tuples(any_text, any_text, any_text), min_size=1, max_size=5))
def test_long_and_short_texts_of_any_characters(pairs):
    rows = [(pred * 40 + middle, [gold * 30 + middle, gold]) for pred, middle, gold in pairs]
    found = score(rows, ["chrf", "chrf++"])
    for metric, oracle in (("chrf", chrf), ("chrf++", chrf_pp)):
        expected = [max(oracle(pred, gold) for gold in golds) for pred, golds in rows]
        assert found[metric].to_list() == pytest.approx(expected, rel=0, abs=ATOL)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"text": qa_frame.rules.Text()}, "'characters_without_space'"),
        ({"char_order": 0}, "Chrf.char_order=0"),
        ({"char_order": 9}, "Chrf.char_order=9"),
        ({"word_order": -1}, "Chrf.word_order=-1"),
        ({"beta": 0}, "Chrf.beta"),
        ({"beta": float("inf")}, "Chrf.beta"),
        ({"beta": "2"}, "Chrf.beta='2'"),
    ],
    ids=str,
)
def test_settings_that_are_refused(options, named):
    with pytest.raises(qa_frame.errors.UnknownOptionError) as error:
        qa_frame.rules.Chrf(**{"text": qa_frame.rules.Text(split="characters"), **options})
    assert named in str(error.value)


def test_names_of_columns():
    frame = pd.DataFrame({"pred": ["the cat"], "golds": [["a cat"]]})
    scored = frame.qa.score("pred", "golds", metrics=["chrf", "chrf++"])
    assert {"chrf", "chrf++"} <= set(scored)
    assert list(scored.qa.summary(metrics="chrf++", ci=0.9).filter(like="chrf")) == ["chrf++", "chrf++_lo", "chrf++_hi"]
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="chrf\\+\\+"):
        frame.qa.score("pred", "golds", metrics="chrf_pp")
