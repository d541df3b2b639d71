"""The conventions of all scripts equal `rouge-score-rs` on made-up texts of many scripts."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

import qa_frame
from tests.reference.oracles_of_scripts import ORACLES_PER_CONVENTION

SCRIPTS = {
    "ASCII": "abcXYZ 0123 .,'_-:;\"\n\t",
    "Cyrillic": "русский ёж Їй",
    "Greek": "Ωσς \u0345\u037aᾳ ΟΔΟΣ",
    "Thai": "กำไทยภาษา็์ํ",
    "Khmer": "កម្ពុជាភាសា្៊",
    "Devanagari": "हिन्दी क्षत्रिय ़िा्",
    "Arabic": "عربيّة ـًٌ ٤٢،\u0600\u06dd",
    "Hebrew": "שָׁלוֹם \"'״׳",
    "Chinese": "中文字符測試。，！",
    "Japanese": "日本語カタカナｶﾞｱﾞー々",
    "Korean": "한국어 각각 각가",
    "emoji": "👩\u200d👩\u200d👧🏽🇩🇪🇫🇷1️⃣❤️©ℹⓂ🅰",
    "marks": "e\u0301a\u0308¨\u0903\u093e\u0bbe\u1b35\u0e33\u0eb3",
    "forms": "ﬁßſİıǄﷺ㎏½Ⅷ²",
    "format": "\u200b\u200c\u200d\u2060\u00ad\ufeff\U000110bd",
    "spaces": "\u3000\u2003\u00a0\u1680\u202f\x1f\x1c\x85\u2028\r\n\x0b",
}
METRICS = ["em", "f1", "recall", "contains", "rouge_1", "rouge_2", "rouge_l", "rouge_lsum", "bleu"]


def texts(rng: random.Random, letters: str, others: str) -> Iterator[str]:
    """Texts of one script, with some characters of others and white space."""
    while True:
        kinds = rng.choices((letters, others, "  \n\t"), (12, 2, 2), k=rng.randint(0, 14))
        yield "".join(map(rng.choice, kinds))


def made_up(script: str, n_rows: int) -> pd.DataFrame:
    """Pairs of texts of which most have something in common."""
    rng = random.Random(script)
    drawn = texts(rng, SCRIPTS[script], "".join(SCRIPTS.values()))
    preds, golds = ([next(drawn) for _ in range(n_rows)] for _ in range(2))
    for row in range(n_rows):
        if rng.random() < 0.8:
            start, stop = sorted(rng.randint(0, len(preds[row])) for _ in range(2))
            golds[row] = preds[row][:start] + golds[row][: len(golds[row]) // 3] + preds[row][stop:]
        if rng.random() < 0.2:
            golds[row] = golds[row].swapcase()
    return pd.DataFrame({"pred": preds, "gold": golds})


def assert_equal(convention: str, frame: pd.DataFrame) -> None:
    found = frame.qa.score("pred", "gold", metrics=METRICS, convention=convention, append=False)
    for metric, oracle in ORACLES_PER_CONVENTION[convention].items():
        expected = [oracle(pred, gold) for pred, gold in zip(frame["pred"], frame["gold"], strict=True)]
        np.testing.assert_allclose(found[metric], expected, rtol=0, atol=1e-9)
    assert (found["rouge_1"] > 0).mean() > 0.1


@pytest.mark.parametrize("convention", ORACLES_PER_CONVENTION)
@pytest.mark.parametrize("script", SCRIPTS)
def test_texts_of_each_script(convention: str, script: str):
    assert_equal(convention, made_up(script, 400))


@pytest.mark.thorough
@pytest.mark.parametrize("convention", ORACLES_PER_CONVENTION)
def test_each_character(convention: str):
    """Characters that Python knows, alone and between letters: all but most of those of Chinese and Korean."""
    codes = (*range(0x3400), *range(0x3400, 0xD7A4, 16), *range(0xD7A4, 0x17000), *range(0x17000, 0x110000, 16))
    known = [c for c in map(chr, codes) if unicodedata.category(c) not in ("Cn", "Co", "Cs")]
    frame = pd.DataFrame({"pred": [f"{c} x{c}1 {c}a" for c in known], "gold": [f"x{c}1" for c in known]})
    found = frame.qa.score("pred", "gold", metrics=["recall", "contains"], convention=convention, append=False)
    for metric in found:
        oracle = ORACLES_PER_CONVENTION[convention][metric]
        expected = [oracle(pred, gold) for pred, gold in zip(frame["pred"], frame["gold"], strict=True)]
        np.testing.assert_allclose(found[metric], expected, rtol=0, atol=1e-9)


def test_words_and_characters_of_each_script():
    listed = {
        "Straße don't 3.50!": (["strasse", "don't", "3.50"], 14),
        "今天天气": ([*"今天天气"], 4),
        "ภาษาไทย ก็": ([*"ภาษาไทย", "ก็"], 8),
        "हिन्दी": (["हिन्दी"], 2),
        "가각": (["가각"], 2),
        "👩\u200d👩\u200d👧 — …": ([], 0),
    }
    for text, (words, n_characters) in listed.items():
        normalised = qa_frame.normalise(pd.Series([text]), convention="unicode")
        assert normalised.to_list() == [" ".join(words)]
        characters = qa_frame.normalise(pd.Series([text]), convention="characters")[0]
        assert len(characters.split()) == n_characters
