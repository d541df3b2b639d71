"""Every metric of every convention equals its source, pair by pair and over golds."""

from __future__ import annotations

import itertools
import json
import random
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import qa_frame
from qa_frame.rules.listing import ALIASES
from tests.reference.oracles import Oracle
from tests.reference.oracles_of_all import (
    GOLDS_THAT_COUNT,
    ORACLES_OF_ROWS,
    ORACLES_PER_CONVENTION,
    OVER_GOLDS,
    OverGolds,
)
from tests.reference.oracles_of_conventions import (
    CONTINUOUS_ROUGE,
    CONTINUOUS_ROUGE_OF_LONG,
    common_run,
    rouge_of_long_sentences,
    rouge_of_sentences,
    space_between_sentences,
    squad2_golds,
)
from tests.strategies import USUAL, Row, each_convention, frames, nasty_frames, texts_of

GOLDEN = Path(__file__).parents[1] / "golden"
ATOL = 1e-9

OTHERS = [name for name in ORACLES_PER_CONVENTION if name != "squad"]
USUAL_OTHERS = sorted(USUAL & {*OTHERS})
"""These have every kind of rule."""
BY_PAIRS = [name for name in OTHERS if not (name in ORACLES_OF_ROWS and name in OVER_GOLDS)]
"""The conventions whose scores of pairs do not depend on the other golds of the row."""
CONTINUOUS = ("continuous_eval", "continuous_eval_docs")


def score(name: str, rows: Sequence[Row], **options: object) -> pd.DataFrame:
    """All metrics of the rows for which the convention has an oracle."""
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
    if not any(isinstance(pred, list) for pred, _ in rows):
        frame = frame.astype({"pred": "string"})
    metrics = [*ORACLES_PER_CONVENTION[name], *ORACLES_OF_ROWS.get(name, ())]
    return frame.qa.score("pred", "golds", metrics=metrics, convention=name, append=False, **options)


def golds_that_count(name: str, golds: Sequence[str]) -> Sequence[str]:
    """Where a gold may stand for "no answer", not all do; without a token in any, they are all the same to the script,
    and so they stay here."""
    if name in GOLDS_THAT_COUNT:
        return GOLDS_THAT_COUNT[name](golds)
    if not qa_frame.conventions[name].no_answer or (golds and squad2_golds(golds) == [""]):
        return golds or [""]
    return squad2_golds(golds)


def expect(
    name: str,
    rows: Sequence[Row],
    *,
    over_golds: OverGolds | None = None,
    oracles: Mapping[str, Oracle] | None = None,
) -> pd.DataFrame:
    """What the oracles make of the rows; over golds as the source does, unless it is said otherwise."""
    rows = [(pred, golds_that_count(name, golds)) for pred, golds in rows]
    of_rows = ORACLES_OF_ROWS.get(name, {}) if oracles is None else {}
    oracles = ORACLES_PER_CONVENTION[name] if oracles is None else oracles
    over_golds = over_golds or OVER_GOLDS.get(name, max)
    scores = {
        metric: [over_golds([oracle(pred, gold) for gold in golds]) for pred, golds in rows]
        for metric, oracle in oracles.items()
    }
    scores |= {metric: [oracle(pred, golds) for pred, golds in rows] for metric, oracle in of_rows.items()}
    return pd.DataFrame(scores)


def assert_same(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(
        found, expected[list(found)], check_exact=False, check_column_type=False, rtol=0, atol=ATOL
    )


def test_every_convention_has_oracles_for_its_metrics():
    """For those of its source; a metric that only its family has is compared under `squad`."""
    assert {*qa_frame.conventions, *ALIASES} == ORACLES_PER_CONVENTION.keys()
    assert not {*qa_frame.conventions} & {*ALIASES}
    for name, oracles in ORACLES_PER_CONVENTION.items():
        assert {*oracles, *ORACLES_OF_ROWS.get(name, ())} >= set(qa_frame.conventions[name].metrics)


# --- Against recorded results ---


@pytest.mark.parametrize("name", each_convention(name for name in OTHERS if (GOLDEN / f"{name}.jsonl").exists()))
def test_golden_cases(name: str):
    cases = [json.loads(line) for line in (GOLDEN / f"{name}.jsonl").read_text("utf-8").splitlines()]
    rows = [(case["pred"], case["golds"]) for case in cases]
    recorded = pd.DataFrame([case["expected"] for case in cases]).astype("float64")
    found, expected = score(name, rows), expect(name, rows)[list(recorded)]
    # Where the package raised for one of the golds, it gave nothing; what it gives for the others counts here.
    pd.testing.assert_frame_equal(
        found[list(recorded)], recorded.fillna(expected), check_exact=False, rtol=0, atol=ATOL
    )
    pd.testing.assert_frame_equal(expected.where(recorded.notna()), recorded, check_exact=False, rtol=0, atol=ATOL)


OF_OTHER_THINGS = {"drop_spans", "edit_distance", "labelled_means", "peers", "squad_thresholds"}
"""Recorded results of lists, of metrics and of statistics."""


def test_golden_cases_are_there():
    recorded = {path.stem for path in GOLDEN.glob("*.jsonl")} - OF_OTHER_THINGS
    assert recorded == ORACLES_PER_CONVENTION.keys() - {"squad2"}
    for name in recorded:
        assert len((GOLDEN / f"{name}.jsonl").read_text("utf-8").splitlines()) >= 300


# --- Against the oracles, on random text ---


@pytest.mark.parametrize("name", each_convention(OTHERS))
@settings(deadline=None, max_examples=24)
@given(rows=frames() | nasty_frames())
def test_nasty_text(name: str, rows: list[Row]):
    assert_same(score(name, rows), expect(name, rows))


REDUCTIONS: dict[str, OverGolds] = {
    "max": max,
    "min": min,
    "mean": statistics.fmean,
    "first": lambda scores: scores[0],
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in USUAL_OTHERS if name in BY_PAIRS])
@settings(deadline=None, max_examples=6)
@given(reduce=st.sampled_from(sorted(REDUCTIONS)), rows=nasty_frames())
def test_any_reduction(name: str, reduce: str, rows: list[Row]):
    assert_same(score(name, rows, reduce=reduce), expect(name, rows, over_golds=REDUCTIONS[reduce]))


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in USUAL_OTHERS if "f1" in ORACLES_PER_CONVENTION[name]])
@settings(deadline=None, max_examples=6)
@given(rows=nasty_frames())
def test_best_takes_all_from_the_first_gold_with_the_highest_f1(name: str, rows: list[Row]):
    chosen = []
    f1 = ORACLES_PER_CONVENTION[name]["f1"]
    for pred, golds in rows:
        counting = golds_that_count(name, golds)
        # F1 is rounded here as the package rounds it, so that equals are equals on both sides.
        found = score(name, [(pred, [gold]) for gold in counting])["f1"].to_list()
        assert found == pytest.approx([f1(pred, gold) for gold in counting], rel=0, abs=ATOL)
        chosen.append((pred, [counting[found.index(max(found))]]))
    expected = expect(name, chosen, oracles=ORACLES_PER_CONVENTION[name])
    assert_same(score(name, rows, reduce="best")[list(expected)], expected)


HAND_PICKED: dict[str, list[Row]] = {
    "squad2": [("the", ["a", "cat"]), ("the", ["a", "!"]), ("", ["", "cat"]), ("cat", ["the", "cat"])],
    "context_bench": [
        *[("t.h.e cat", ["cat"]), ("the-cat", ["cat"]), ("a.b", ["b"]), ("'the' cat", ["cat"])],
        *[("The Cat.", ["the cat."]), ("cat  sat", ["cat sat"]), ("İx", ["i\u0307"]), ("ΟΔΟΣ", ["οδοσ"])],
        *[("a\nb", ["a b"]), ("cat", [" "]), ("c at", [" "]), ("cat", ["CAT"])],
    ],
    "continuous_eval": [
        *[("1e3", ["1000"]), ("007", ["7"]), ("1.0", ["10"]), ("٣", ["3"]), ("1e999 9", ["9e999"]), ("1e-3", ["1e3"])],
        *[("ab cd", ["abcd"]), ("\n\n\n\n", ["\n\n\n\n"]), ("ß", ["ß"])],
        # Marks end words as they end sentences.
        *[("Really?)No!)Yes", ["reallyno"]), ('Who?"Me!"You', ["whome"]), ("wait?!what?!no", ["waitwhat"])],
        *[("Really?)No! Yes", ["reallyno yes"]), ("Really?)No!", ["reallyno"]), ("Inc.(US)", ["incus"])],
        *[("sinc.(US)", ["sinc us"]), ("1990.[2]", ["1990 2"]), ("1.'B", ["1 b"]), ("2c.'ba", ["2cba"])],
        *[("wait...)so", ["waitso"]), ("really?\u201dno", ["really \u201dno"])],
        *[("really?\u201d--no", ["really\u201d no"]), ("so. \u201d--no", ["\u201d no"])],
        *[("foo! inc.)bar", ["incbar"]), ("foo!\xa0inc.)bar", ["inc bar"])],
    ],
    "mindformers": [
        *[("\n cat \nsat", ["cat"]), ("cat\r\nsat", ["cat"]), ("cat\x0bsat", ["cat"]), ("cat", ["cat\nsat"])],
    ],
}
"""What other texts seldom hold: order of steps, numbers, marks that end words, and lines."""


@pytest.mark.parametrize("name", HAND_PICKED)
def test_hand_picked_texts(name: str):
    assert_same(score(name, HAND_PICKED[name]), expect(name, HAND_PICKED[name]))


ODD_PAIRS = [
    (pred, gold)
    for pred in ("", " ", "\n", ".", "..", ". .", " . ", "the", "The.", "-", "cat", "\u3000cat\n", "，", "中", "\x1c")
    for gold in ("", " ", ".", "..", " .", "the", "!", "cat", "Cat.", "the cat", "。", "中", "x" * 5)
]


@pytest.mark.parametrize("name", each_convention(OTHERS))
def test_empty_and_nearly_empty_sides(name: str):
    rows = [(pred, [gold]) for pred, gold in ODD_PAIRS] + [(gold, [pred]) for pred, gold in ODD_PAIRS]
    assert_same(score(name, rows), expect(name, rows))
    rows = [(pred, [gold, other]) for pred, gold in ODD_PAIRS[::5] for other in ("", "the", "cat.", "中")]
    assert_same(score(name, rows), expect(name, rows))


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("missing", ["zero", "null"])
def test_rows_without_a_prediction_or_golds(name: str, missing: str):
    frame = pd.DataFrame(
        {"pred": [None, "", None, "cat", "cat", "cat"], "golds": [["cat"], ["cat"], None, None, [], [None]]}
    )
    scores = frame.qa.score("pred", "golds", metrics="all", convention=name, missing=missing, append=False)
    assert (scores.iloc[0] == 0).all() if missing == "zero" else scores.iloc[0].isna().all()
    assert (scores.iloc[1] == 0).all()
    assert scores.iloc[2:4].isna().all(axis=None)
    if qa_frame.conventions[name].no_answer:
        assert (scores.iloc[4:][["em", "f1", "precision", "recall"]] == 0).all(axis=None)
    else:
        assert scores.iloc[4:].isna().all(axis=None)


# --- squad2 ---


def test_an_empty_gold_list_means_no_answer():
    frame = pd.DataFrame({"pred": ["", "the", "cat", None, ""], "golds": [[], [], [], [], None]})
    scores = frame.qa.score("pred", "golds", metrics=["em", "f1"], convention="squad2", append=False)
    assert scores["em"].to_list()[:4] == scores["f1"].to_list()[:4] == [1.0, 1.0, 0.0, 0.0]
    assert scores.iloc[4].isna().all()
    null = frame.qa.score("pred", "golds", metrics="f1", convention="squad2", missing="null", append=False)
    assert null["f1"].isna().to_list() == [False, False, False, True, True]


# --- continuous_eval ---


SENTENCE_PARTS = ("one two", "two one", "three", "one", " ", "", "\n", "\u3000", "!", "one  three\ttwo", "one.")
sentences = st.lists(st.sampled_from(SENTENCE_PARTS), max_size=6).map(".".join)
padded_sentences = st.tuples(st.sampled_from(("", " ", "\n")), sentences, st.sampled_from(("", " ", ". ", "\x1f")))


@pytest.mark.parametrize("name", CONTINUOUS)
@settings(deadline=None, max_examples=60)
@given(texts=st.lists(padded_sentences.map("".join), min_size=2, max_size=12))
@example(texts=[" .a", ".a", "a. ", "a.", " a", ". . .", "", " ", ". ", " ."])
def test_sentences(name: str, texts: list[str]):
    rows = [(pred, [gold]) for pred, gold in itertools.pairwise(texts)]
    found, expected = score(name, rows), expect(name, rows, oracles=CONTINUOUS_ROUGE)
    assert_same(found[list(expected)], expected)


@settings(deadline=None, max_examples=80)
@given(texts=st.lists(st.text(st.sampled_from("xyz. "), max_size=40), min_size=2, max_size=6))
def test_union_of_subsequences_with_many_ties(texts: list[str]):
    texts = [" ".join(text) for text in texts]
    rows = [(pred, texts) for pred in texts]
    found, expected = score("continuous_eval", rows), expect("continuous_eval", rows, oracles=CONTINUOUS_ROUGE)
    assert_same(found[list(expected)], expected)


@settings(deadline=None, max_examples=80)
@given(pred=padded_sentences.map("".join), gold=texts_of(st.sampled_from(("one", "two", ".", "..", " "))))
def test_rouge_without_recursion_is_that_of_rouge(pred: str, gold: str):
    for left, right in ((pred, gold), (gold, pred)):
        assert rouge_of_long_sentences(left, right) == pytest.approx(rouge_of_sentences(left, right), rel=0, abs=1e-15)


def random_words(seed: int, n_words: int, n_distinct: int) -> list[str]:
    rng = random.Random(seed)
    return [f"w{rng.randrange(n_distinct)}" for _ in range(n_words)]


def cut_at(words: Sequence[str], every: int) -> str:
    """The words as sentences of so many words."""
    return ". ".join(" ".join(words[start : start + every]) for start in range(0, len(words), every))


@pytest.mark.thorough
def test_a_sentence_on_which_rouge_dies():
    pred, gold = " ".join(random_words(1, 1_100, 40)), " ".join(random_words(2, 1_100, 40))
    assert rouge_of_sentences(pred, gold) == (0.0, 0.0, 0.0)  # RecursionError
    rows = [(pred, [gold]), (gold, [pred]), ("w1 w2.", ["w2 w1"])]
    expected = expect("continuous_eval", rows, oracles=CONTINUOUS_ROUGE_OF_LONG)
    found = score("continuous_eval", rows)
    assert expected["rouge_l"].min() > 0
    assert_same(found[list(expected)], expected)


LONG_TEXTS = {
    "sentences of a hundred": (cut_at(random_words(3, 10_000, 3_000), 400), cut_at(random_words(4, 3_000, 3_000), 500)),
    "one sentence of ten thousand": (" ".join(random_words(5, 10_000, 5_000)), " ".join(random_words(6, 1_100, 5_000))),
    "many sentences of one word": (cut_at(random_words(9, 300, 90), 1), cut_at(random_words(10, 400, 90), 1)),
    "nothing but full stops": ("." * 9_000 + " x", " .x" * 50),
}


@pytest.mark.thorough
@pytest.mark.parametrize(("pred", "gold"), LONG_TEXTS.values(), ids=LONG_TEXTS.keys())
def test_long_texts_in_sentences(pred: str, gold: str):
    rows = [("w1. w2", ["w1"]), (pred, [gold]), ("w2 w1.", ["w1 w2"])]
    expected = expect("continuous_eval", rows, oracles=CONTINUOUS_ROUGE_OF_LONG)
    assert_same(score("continuous_eval", rows)[list(expected)], expected)


LONG_FAMILIES = {  # without the oracles that would take minutes
    name: {metric: oracle for metric, oracle in ORACLES_PER_CONVENTION[name].items() if metric not in CONTINUOUS_ROUGE}
    for name in USUAL_OTHERS
    if name not in ("squad2", "mindformers")
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", LONG_FAMILIES)
def test_texts_of_thousands_of_tokens(name: str):
    n_words = 500 if name == "helm" else 3_000  # its source fills a table with a cell for each two tokens, in Python
    pred, gold = " ".join(random_words(11, n_words, 300)), " ".join(random_words(12, n_words, 300))
    rows = [("w1", ["w2 w1"]), (pred, [gold])]
    expected = expect(name, rows, oracles=LONG_FAMILIES[name])
    for metric, oracle in ORACLES_OF_ROWS.get(name, {}).items():
        expected[metric] = [oracle(pred, golds) for pred, golds in rows]
    assert_same(score(name, rows)[list(expected)], expected)


MARKS_OF_SENTENCES = (
    *".?!" * 3,
    "...",
    "?!",
    ". . .",
    *")\";}]*:@'({[,-\u2018\u2019\u201c\u201d\xab\xbb",
    "--",
    "`",
    "&",
)
SPACES_OF_SENTENCES = (*" " * 5, "\n", "\t", "\x0b", "\x1c", "\x1f", "\x85", "\xa0", "\u2003", "\u3000", "\u200b")
WORDS_OF_SENTENCES = (
    "one", "Two", "x", "X", "inc", "Inc", "U.S", "e.g", "NO", "1990", "7", "2c", "-3", "\u03a3\u03a3", "\u0301",
    "\u4e2d", "\u00b2", "\u24d0", "_", "\u200d", "well-inc", "not",
)  # fmt: skip
marked_texts = st.lists(
    st.sampled_from(MARKS_OF_SENTENCES) | st.sampled_from(SPACES_OF_SENTENCES) | st.sampled_from(WORDS_OF_SENTENCES),
    max_size=14,
).map("".join)


@settings(deadline=None, max_examples=150)
@given(rows=st.lists(st.tuples(marked_texts, st.lists(marked_texts, min_size=1, max_size=3)), min_size=1, max_size=8))
def test_texts_full_of_marks(rows: list[Row]):
    rows = [*rows, *((pred, [space_between_sentences(pred), pred.replace(" ", "")]) for pred, _ in rows)]
    found = score("continuous_eval", rows)
    assert_same(found, expect("continuous_eval", rows))


@pytest.mark.thorough
def test_time_grows_with_the_length_of_a_word_of_marks():
    """And not with the square of it, which would take minutes here."""
    rows = [(mark * 30_000 + "x", ["x"]) for mark in ("!", ".)", "?)a", "'--", "?\u2019", "!\xa0")]
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "gold": ["x"] * len(rows)})
    started = time.process_time()
    frame.qa.score("pred", "gold", metrics="f1", convention="continuous_eval")
    assert time.process_time() - started < 30


# --- mindformers ---


@pytest.mark.thorough
def test_a_run_of_thousands_of_tokens():
    rng = random.Random(13)
    pred = "".join(rng.choice("我爱北京天安门") for _ in range(4_000))
    gold = pred[1_000:1_700] + "上海" + "".join(rng.choice("我爱北京") for _ in range(500))
    common = common_run(gold, pred)
    found = score("mindformers", [("北京", ["北京"]), (pred, [gold]), (pred, [pred])])
    assert common >= 700
    assert found["precision"].to_list() == [1.0, common / len(pred), 1.0]
    assert found["recall"].to_list() == [1.0, common / len(gold), 1.0]
    assert found["em"].to_list() == [1.0, 0.0, 1.0]
