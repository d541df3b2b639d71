"""The ranges of scripts without spaces between words are those of Unicode."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
import regex

from qa_frame.text.segments import CHARACTERS

NAMES = ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar")
SEVEN = "".join(rf"\p{{Script={name}}}" for name in NAMES)
SHARED_LETTERS = "〆〱〲〳〴〵〼ーｰ"

of_the_seven = regex.compile(rf"(?V1)[[{SEVEN}{SHARED_LETTERS}]--\p{{M}}]")
in_ranges = re.compile(f"[{CHARACTERS}]")


@pytest.mark.thorough
def test_the_ranges_are_the_scripts_of_unicode():
    """The ranges are of Unicode 17. An older package `regex` finds fewer, but none outside."""
    unassigned = regex.compile(r"[\p{Cn}\p{Cs}]")
    for character in map(chr, (*range(0xD800), *range(0xE000, sys.maxunicode + 1))):
        belongs = of_the_seven.match(character) is not None
        is_in = in_ranges.match(character) is not None
        assert is_in >= belongs, ascii(character)
        if is_in and unicodedata.category(character) != "Cn" and not unassigned.match(character):
            assert belongs, ascii(character)
