"""The split `scripts`: its ranges are those of Unicode, and its tokens those of a plain loop over characters."""

from __future__ import annotations

import sys
import unicodedata

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qa_frame.text import scripts
from qa_frame.text.words import WORD_END
from tests.strategies import FRAGMENTS, texts_of
from tests.text.shared import LETTER_OF_SCRIPTS, MARK_OF_SCRIPTS, scripts_one_by_one

NAMES = ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar")
SEVEN = "".join(rf"\p{{Script={name}}}" for name in NAMES)
SHARED_LETTERS = "〆〱〲〳〴〵〼ーｰ"
HALF_WIDTH_MARKS = "\uff9e\uff9f"
WORD_ENDS = chr(WORD_END)

of_the_seven = regex.compile(f"[{SEVEN}{SHARED_LETTERS}{HALF_WIDTH_MARKS}]")


def is_mark(character: str) -> bool:
    return MARK_OF_SCRIPTS.match(character) is not None


def is_letter(character: str) -> bool:
    return LETTER_OF_SCRIPTS.match(character) is not None


def split(text: str) -> list[str]:
    words = "".join(word + WORD_ENDS for word in text.split())
    return scripts.split_words(words.encode()).decode().replace(WORD_ENDS, " ").split()


def assigned() -> list[str]:
    """All characters that both Python's Unicode data and those of the package `regex` know."""
    unassigned = regex.compile(r"[\p{Cn}\p{Cs}]")
    characters = map(chr, (*range(0xD800), *range(0xE000, sys.maxunicode + 1)))
    return [c for c in characters if unicodedata.category(c) != "Cn" and not unassigned.match(c)]


@pytest.mark.thorough
def test_the_ranges_are_the_scripts_of_unicode():
    mark = regex.compile(r"\p{M}")
    for character in assigned():
        belongs = of_the_seven.match(character) is not None
        assert (is_letter(character) or is_mark(character)) >= belongs, ascii(character)
        if is_letter(character):
            assert belongs, ascii(character)
            assert not mark.match(character), ascii(character)
        elif is_mark(character):
            assert mark.match(character) or character in HALF_WIDTH_MARKS, ascii(character)


@pytest.mark.thorough
def test_characters_that_this_python_may_not_know():
    """The ranges are of Unicode 17. An older package `regex` finds fewer, but none outside."""
    letters = regex.compile(rf"(?V1)[{SEVEN}--\p{{M}}]")
    unknown = [chr(code) for code in range(sys.maxunicode + 1) if letters.match(chr(code)) and not is_letter(chr(code))]
    assert unknown == []


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("東京tower 2020年", ["東", "京", "tower", "2020", "年"]),
        ("ラーメン、か\u3099くせい", ["ラ", "ー", "メ", "ン", "、", "か\u3099", "く", "せ", "い"]),
        ("ﾊﾟﾝ", ["ﾊﾟ", "ﾝ"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("ກິນເຂົ້າ", ["ກິ", "ນ", "ເ", "ຂົ້", "າ"]),
        ("ខ្មែរ\u200bភាសា", ["ខ្", "មែ", "រ", "ភា", "សា"]),
        ("မြန်မာ", ["မြ", "န်", "မာ"]),
        ("한국어 책", ["한국어", "책"]),
        ("Жук-жук عربي हिन्दी", ["Жук-жук", "عربي", "हिन्दी"]),
        ("e\u0301a中\u0301b\u0301", ["e\u0301a", "中\u0301", "b\u0301"]),
        ("葛\U000e0100飾", ["葛\U000e0100", "飾"]),
        ("\u0e31ก", ["\u0e31", "ก"]),
        ("", []),
        (" \n\u200b", []),
    ],
)
def test_some_texts(text: str, tokens: list[str]):
    assert split(text) == scripts_one_by_one(text) == tokens


MIXED = st.sampled_from(
    (
        *"中々〇あいのアーｶﾞกทเำลາຂូខ្មမန််\u3099\u0e34\u0ec9\u17d2\u1039\ufe0f\U000e0100\U00020000\u200b\u200c\u200d",
        *"한글 \u302e。・「」x1-Aعدहि",
        "\U0001f468\u200d\U0001f469",
    )
)


@settings(max_examples=200)
@given(text=texts_of(st.sampled_from(FRAGMENTS) | MIXED | st.characters(exclude_categories=["Cs"])))
@example(text="\u200b\u0e01\u200b\u0e31\u200b")
def test_tokens_are_those_of_the_plain_loop(text: str):
    assert split(text) == scripts_one_by_one(text)
