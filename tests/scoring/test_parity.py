"""Every metric of the convention `squad` equals its source, pair by pair and over golds."""

from __future__ import annotations

import json
import math
import random
import re
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import bleuscore
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import qa_frame
from qa_frame.scoring.metrics import METRICS
from tests.reference.oracles import ORACLES, ORACLES_OF_LONG, Oracle, nmt_bleu, rouge_l, rouge_l_of_long
from tests.strategies import Row, frames, texts_of

GOLDEN = Path(__file__).parents[1] / "golden" / "squad.jsonl"

# Integer counts and the same operations on them as in the sources, so the same bits. BLEU's logarithms round otherwise.
EXACT = [
    "em", "precision", "recall", "f1", "contains", "prefix", "rouge_1", "rouge_1_precision", "rouge_1_recall",
    "rouge_2", "rouge_2_precision", "rouge_2_recall", "rouge_l", "rouge_l_precision", "rouge_l_recall", "rouge_lsum",
    "rouge_lsum_precision", "rouge_lsum_recall", "anls", "edit_similarity",
]  # fmt: skip
ATOL = 1e-9

OverGolds = Callable[[list[float]], float]


def score(rows: Sequence[Row], **options: object) -> pd.DataFrame:
    """All metrics of the rows, in one call."""
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
    return frame.qa.score(pred="pred", gold="golds", append=False, **{"metrics": "all", **options})


def per_gold(rows: Iterable[Row], oracle: Oracle) -> list[list[float]]:
    """The oracle's score of each row's golds."""
    return [[oracle(pred, gold) for gold in golds] for pred, golds in rows]


def expect(
    rows: Sequence[Row], *, over_golds: OverGolds = max, oracles: Mapping[str, Oracle] = ORACLES
) -> pd.DataFrame:
    """What the oracles make of the rows."""
    return pd.DataFrame({name: [*map(over_golds, per_gold(rows, oracle))] for name, oracle in oracles.items()})


def assert_same(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    """Equal columns: to the last bit where the arithmetic is the same, else nearly."""
    pd.testing.assert_frame_equal(found, expected[list(found)], check_exact=False, rtol=0, atol=ATOL)
    pd.testing.assert_frame_equal(found[EXACT], expected[EXACT], check_exact=True)


def test_every_metric_has_an_oracle():
    assert ORACLES.keys() == METRICS.keys()


@pytest.mark.parametrize("name", METRICS)
def test_each_metric_alone(name: str):
    """What it needs is counted without the other metrics, too."""
    rows = [("the cat sat", ["a cat", "dog"]), ("", [""])]
    found = score(rows, metrics=name)
    pd.testing.assert_frame_equal(found, expect(rows)[[name]], check_exact=False, rtol=0, atol=ATOL)


# --- Against recorded results ---


def test_golden_cases():
    cases = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
    found = score([(case["pred"], case["golds"]) for case in cases])
    expected = pd.DataFrame([case["expected"] for case in cases])
    pd.testing.assert_frame_equal(found[list(expected)], expected, check_exact=False, rtol=0, atol=ATOL)


# --- Against the oracles, on random text ---


@settings(deadline=None)
@given(frames(max_golds=1))
def test_one_gold(rows: list[Row]):
    assert_same(score(rows), expect(rows))


@settings(deadline=None)
@given(frames())
def test_several_golds(rows: list[Row]):
    assert_same(score(rows), expect(rows))


# --- Corner cases, by name ---

CORNER_CASES = {
    "both empty": ("", ""),
    "empty prediction": ("", "cat"),
    "empty gold": ("cat", ""),
    "white space alone": (" \t\n", "\u3000"),
    "punctuation alone": ("...", "!?"),
    "punctuation against nothing": ("...", ""),
    "articles alone": ("the a an", "The"),
    "article against a word": ("a", "cat"),
    "article behind a hyphen": ("a-team", "team"),
    "article behind an en dash": ("a–b", "b"),
    "article before a curly apostrophe": ("the’s cat", "s cat"),
    "article made by deleted punctuation": ("t.h.e cat", "cat"),
    "article with an accent": ("a\u0301 cat", "cat"),
    "article beside a control character": ("the\x00cat a\x7f", "\x00cat \x7f"),
    "articles joined by an underscore": ("a_the_an", "athean"),
    "full-width article": ("ａ cat", "cat"),
    "repeated tokens": ("cat cat cat", "cat cat"),
    "clipped bigrams": ("cat sat cat sat cat sat", "cat sat mat cat sat"),
    "contained across words": ("concatenate", "cat"),
    "contained with a space": ("tomcat sat down", "cat sat d"),
    "contained in pieces only": ("cat the dog", "cat dog"),
    "gold longer than prediction": ("cat sat", "cat sat on"),
    "not the same order": ("sat cat", "cat sat"),
    "dotted capital I": ("İstanbul", "istanbul"),
    "dotless i": ("ISPARTA", "ısparta"),
    "final sigma": ("ΟΔΟΣ", "οδος"),
    "sigma before an apostrophe": ("ΟΔΟΣ'Α", "οδος'α"),
    "sigma before a space": ("ΟΔΟΣ Α", "οδος α"),
    "sigma before U+0085": ("ΟΔΟΣ\x85Α", "οδος α"),
    "sharp s": ("STRASSE", "straße"),
    "capital sharp s": ("STRAẞE", "straße"),
    "Kelvin sign": ("300 \u212a", "300 k"),
    "full-width text": ("１Ａ", "1a"),
    "combining marks": ("e\u0301te\u0301", "été"),
    "emoji with joiner": ("👩\u200d👧 yes", "yes"),
    "zero width space": ("cat\u200bsat", "cat sat"),
    "no-break space": ("cat\xa0sat", "cat sat"),
    "ideographic space": ("cat\u3000sat", "cat sat"),
    "line separator": ("cat\u2028sat", "cat sat"),
    "next line": ("cat\x85sat", "cat sat"),
    "separators U+001C to U+001F": ("cat\x1csat\x1don\x1ea\x1fmat", "cat sat on mat"),
    "Mongolian vowel separator": ("cat\u180esat", "cat sat"),
    "NUL": ("\x00", ""),
    "DEL in a word": ("ca\x7ft", "cat"),
    "hyphen at a line's end": ("inter-\nnational", "international"),
    "hyphen at a line's end, then a space": ("inter-\n national", "inter national"),
    "hyphen before CRLF": ("inter-\r\nnational", "inter- national"),
    "hyphen at the text's end": ("inter-\n", "inter-"),
    "hyphen, space, line break at the text's end": ("inter- \n", "inter"),
    "skipped between hyphen and line break": ("inter-<skipped>\nnational", "international"),
    "skipped behind a line break at the end": ("inter-\n<skipped>", "inter"),
    "skipped in skipped": ("<skip<skipped>ped>cat", "<skipped>cat"),
    "skipped in capitals": ("<SKIPPED>cat", "cat"),
    "two hyphens before a line break": ("a--\n\nb", "a-\nb"),
    "entities": ("&quot;cat&quot; &lt;b&gt;", '"cat" <b>'),
    "entity made of an entity": ("&amp;lt;", "<"),
    "entity made by two replacements": ("&amp;amp;lt;", "&lt;"),
    "entity across a line break": ("&am-\np;", "&"),
    "quote from a double entity": ("&amp;quot;", '"'),
    "decimal point": ("3.14", "3 . 14"),
    "decimal comma": ("1,000", "1 , 000"),
    "thousands at the end": ("1,000,", "1,000 ,"),
    "abbreviation": ("U.S.", "U . S ."),
    "initials before a digit": ("x.1", "x .1"),
    "two full stops": ("..", ". ."),
    "ellipsis before a digit": ("...5", ". . .5"),
    "ellipsis between digits": ("1...2", "1. . .2"),
    "mixed marks between digits": ("1.,2,.3", "1 . , 2 , . 3"),
    "range with hyphen": ("10-20", "10 - 20"),
    "range with en dash": ("10–20", "10 – 20"),
    "negative number": ("-5", "- 5"),
    "Arabic digits": ("٣.٣-٣", "٣ . ٣-٣"),
    "superscript": ("x².", "x ² ."),
    "mark behind white space": ("cat\u3000.5", "cat .5"),
    "apostrophes": ("it's 'so'", "its so"),
    "underscore": ("a_b", "ab"),
    "CJK": ("東京は", "東京"),
    "digit beyond ASCII that is a word": ("\U0001d7d8", "0"),
}


def test_corner_cases():
    """Named where a score differs: the label of a row is the name of its case."""
    rows = [row for pred, gold in CORNER_CASES.values() for row in ((pred, [gold]), (gold, [pred]))]
    names = [f"{name}, {way}" for name in CORNER_CASES for way in ("as it stands", "turned round")]
    assert_same(score(rows).set_axis(names), expect(rows).set_axis(names))


def test_white_space_is_pythons():
    spaces = [number for number in range(0x110000) if chr(number).isspace()]
    neighbours = sorted({number + step for number in spaces for step in (-1, 0, 1)})
    rows = [(f"cat{chr(number)}sat", ["cat sat", f"cat {chr(number)} sat"]) for number in neighbours]
    assert_same(score(rows), expect(rows))
    assert_same(score(rows, reduce="min"), expect(rows, over_golds=min))


# --- Texts of many tokens ---


def random_words(rng: random.Random, n_words: int, n_distinct: int) -> list[str]:
    return [f"w{rng.randrange(n_distinct)}" for _ in range(n_words)]


def some_replaced(rng: random.Random, words: list[str], n_words: int) -> list[str]:
    """`n_words` words, the given ones over and over, one in ten by another of them."""
    repeated = (words * -(-n_words // len(words)))[:n_words]
    return [rng.choice(words) if rng.random() < 0.1 else word for word in repeated]


def long_row(n_pred: int, n_gold: int, *, n_distinct: int) -> Row:
    rng = random.Random(n_pred + n_gold)
    return " ".join(random_words(rng, n_pred, n_distinct)), [" ".join(random_words(rng, n_gold, n_distinct))]


def edited_row(n_words: int) -> Row:
    rng = random.Random(n_words)
    words = random_words(rng, n_words, n_words)
    return " ".join(words), [" ".join(some_replaced(rng, words, n_words))]


SHORT_ROWS: list[Row] = [("the cat sat", ["The cat."]), ("w1 w2", ["w2 w1"])]
LONG_ROWS = {
    "long pred, short gold": long_row(10_000, 50, n_distinct=30),
    "short pred, long gold": long_row(50, 10_000, n_distinct=30),
    "long pred, one word": long_row(10_000, 1, n_distinct=30),
}
BOTH_LONG_ROWS = {
    "many words": long_row(9_500, 10_000, n_distinct=20_000),
    "edited": edited_row(10_000),
    "beyond the words of a block": long_row(20_000, 17_000, n_distinct=40),
    "marks without spaces": ("." * 10_000 + "1.," * 2_000, [". " * 10_000 + "1,." * 2_000]),
    "one word without end": ("x" * 50_000 + "y", ["x" * 50_000]),
}


@pytest.mark.parametrize("row", LONG_ROWS.values(), ids=LONG_ROWS.keys())
def test_one_side_long(row: Row):
    rows = [SHORT_ROWS[0], row, SHORT_ROWS[1]]
    assert_same(score(rows), expect(rows))


@pytest.mark.thorough
@pytest.mark.parametrize("row", BOTH_LONG_ROWS.values(), ids=BOTH_LONG_ROWS.keys())
def test_both_sides_long(row: Row):
    rows = [SHORT_ROWS[0], row, SHORT_ROWS[1]]
    assert_same(score(rows), expect(rows, oracles=ORACLES_OF_LONG))


def test_contained_tokens_are_whole_tokens():
    # As bytes, the number 256 over and over holds the number 1 over and over, and tokens are numbers to the kernels.
    names = [f"w{number}" for number in range(300)]
    pairs = [(pred, gold) for pred in names[:6] for gold in names[250:262]]
    rows = [(" ".join(names), names)] + [(" ".join([pred] * 1000), [" ".join([gold] * 900)]) for pred, gold in pairs]
    assert score(rows)["contains"].to_list() == [1.0] + [0.0] * len(pairs)


# --- Over golds ---


def many_golds(*, up_to: int) -> list[Row]:
    """Rows of 1, 2, ... golds, whose scores are no round numbers."""
    rng = random.Random(up_to)
    return [
        (
            " ".join(random_words(rng, rng.randint(3, 17), 9)),
            [" ".join(random_words(rng, rng.randint(1, 19), 9)) for _ in range(n_golds)],
        )
        for n_golds in range(1, up_to + 1)
    ]


MANY_GOLDS = many_golds(up_to=20)


def leave_one_out(scores: Sequence[float]) -> float:
    """The mean, over the golds, of the best of the others; CoQA's and QuAC's scripts."""
    if len(scores) == 1:
        return scores[0]
    return statistics.fmean(max([*scores[:place], *scores[place + 1 :]]) for place in range(len(scores)))


def votes(scores: Sequence[float]) -> float:
    """The mean, over the golds, of min(1, n / 3) for the n others that are right; VQA's script."""
    total = np.add.reduceat(np.array(scores), [0])[0]  # in this order, so that not even the last bit differs
    return float(np.mean(np.minimum((total - np.array(scores)) / 3, 1.0)))


REDUCTIONS: dict[str, tuple[object, OverGolds]] = {
    "votes": ("votes", votes),
    "leave one out": ("leave_one_out", leave_one_out),
    "max": ("max", max),
    "min": ("min", min),
    "first": ("first", lambda scores: scores[0]),
    "mean": ("mean", statistics.fmean),
    "last": (lambda scores: scores[-1], lambda scores: scores[-1]),
    "upper median": (lambda scores: np.sort(scores)[len(scores) // 2], statistics.median_high),
    "sum": (sum, math.fsum),
}
ADDING = ("mean", "sum", "leave one out")


def check_reduction(name: str, rows: Sequence[Row]) -> None:
    reduction, over_golds = REDUCTIONS[name]
    found, expected = score(rows, reduce=reduction), expect(rows, over_golds=over_golds)
    if name in ADDING:  # the order of additions is not the oracle's
        pd.testing.assert_frame_equal(found, expected, check_exact=False, rtol=0, atol=ATOL)
    else:
        assert_same(found, expected)


@pytest.mark.parametrize("name", REDUCTIONS)
@settings(deadline=None)
@given(rows=frames(max_rows=4, max_golds=12))
@example(rows=MANY_GOLDS)
def test_any_reduction(name: str, rows: list[Row]):
    check_reduction(name, rows)


@pytest.mark.parametrize("best_by", [None, "em", "rouge_l", "bleu", "recall"])
@settings(deadline=None, max_examples=30)
@given(rows=frames(max_rows=4, max_golds=12))
@example(rows=MANY_GOLDS)
@example(rows=[("ﬁ0::0 ﬁ ﬁ ﬁ \x00 ﬁ 0::0 ﬁ", ["FI0::0 FI FI FI \x00 FI 0::0 FI", "0::0 ﬁ"])])  # equal but for rounding
def test_best_takes_all_from_one_gold(best_by: str | None, rows: list[Row]):
    """The first with the highest F1, or other score, of its own, which is the oracle's highest but for rounding."""
    by = best_by or "f1"
    own = [score([(pred, [gold]) for gold in golds])[by].tolist() for pred, golds in rows]
    best = [scores.index(max(scores)) for scores in own]
    for place, scores in zip(best, per_gold(rows, ORACLES[by]), strict=True):
        assert scores[place] == pytest.approx(max(scores), rel=0, abs=ATOL)
    expected = expect([(pred, [golds[place]]) for (pred, golds), place in zip(rows, best, strict=True)])
    assert_same(score(rows, reduce="best", best_by=best_by), expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"best_by": "f1"}, "best_by='f1' chooses a row's gold for reduce='best', not for reduce='max'"),
        ({"reduce": "best", "best_by": "f2"}, "best_by='f2' is not known"),
        (
            {"reduce": "best", "best_by": "bleu", "convention": "remem"},
            "reduce='best' needs bleu, for which convention",
        ),
        ({"reduce": "leave_two_out"}, "reduce='leave_two_out' is not known; did you mean 'leave_one_out'"),
    ],
)
def test_what_chooses_a_gold_is_checked(options: dict[str, str], message: str):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=re.escape(message)):
        score(MANY_GOLDS[:2], **{"metrics": ["em"], **options})


def test_the_convention_says_how_golds_are_reduced():
    own = replace(qa_frame.conventions["squad"], name="own", reduce="mean")
    pd.testing.assert_frame_equal(score(MANY_GOLDS, convention=own), score(MANY_GOLDS, reduce="mean"))
    pd.testing.assert_frame_equal(score(MANY_GOLDS, convention=own, reduce="max"), score(MANY_GOLDS))
    best = replace(own, reduce="best", best_by="rouge_l")
    pd.testing.assert_frame_equal(
        score(MANY_GOLDS, convention=best), score(MANY_GOLDS, reduce="best", best_by="rouge_l")
    )


@pytest.mark.parametrize(
    ("reduction", "function"),
    [
        ("mean", np.mean),
        ("mean", lambda scores: scores.mean()),
        ("max", lambda scores: float(np.max(scores))),
    ],
    ids=["np.mean", "around ndarray.mean", "around np.max"],
)
def test_names_give_the_bits_of_their_functions(reduction: str, function: Callable[[np.ndarray], float]):
    named, called = score(MANY_GOLDS, reduce=reduction), score(MANY_GOLDS, reduce=function)
    pd.testing.assert_frame_equal(named, called, check_exact=True)


# --- The oracles themselves ---


@settings(deadline=None)
@given(texts_of(st.sampled_from(["x", "y", "z", "The", "1"])), texts_of(st.sampled_from(["x", "y", "z", "an", "1"])))
def test_lcs_in_numpy_is_that_of_rouge_score(pred: str, gold: str):
    assert rouge_l_of_long(pred, gold) == rouge_l(pred, gold)


@settings(deadline=None)
@given(st.integers(1, 4), frames(max_golds=1))
def test_nmt_bleu_is_that_of_bleuscore(max_order: int, frame: list[Row]):
    # To bleuscore U+001C to U+001F are no white space, as they are to Python; in all else the two agree.
    spaces = dict.fromkeys(range(0x1C, 0x20), " ")
    for pred, gold in ((pred.translate(spaces), golds[0].translate(spaces)) for pred, golds in frame):
        peer = bleuscore.compute(references=[[gold]], predictions=[pred], max_order=max_order, smooth=False)
        assert nmt_bleu(pred, gold, max_order=max_order) == pytest.approx(peer["bleu"], rel=0, abs=ATOL)
