"""Golds that the normalisation changes or makes equal, and golds that are other than lists of answers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags
from qa_frame.ext.audit.sides import Sides, as_flags, matches
from qa_frame.frames.diagnosis import has_separator, looks_like_a_list
from qa_frame.kernels.pair_counts import EQUAL, count_matches
from qa_frame.kernels.tokens import Pairs
from qa_frame.text.specification import Text
from qa_frame.text.vocabulary import tokenise
from qa_frame.text.words import cut_words

_LAST_LETTER = ((r"(^|[^A-Za-z0-9])[A-Za-z]([^A-Za-z0-9]*)$", r"\1\2"),)
_CHARACTERS_OF_MEANING = (
    (r"(^|[\s(0-9-])\.([0-9])", r"\1\2"),
    (r"(^|[\s(])[-\x{2212}](\.?[0-9])", r"\1\2"),
    (r"(^|[^A-Za-z0-9])([A-Za-z]+)[+#]+", r"\1\2"),
)
"""Decimal points, signs, and the marks of C++ and C#: how to find them, and the text that is left without them."""

_POINT = (r"(^|[\s(0-9-]|qminus)\.([0-9])", r"\1qpoint\2")
_PART = (r"([0-9])[-\x{2010}-\x{2015}\x{2212}/:]([0-9])", r"\1qpart\2")
_IN_LETTERS = (
    (r"(^|[\s(])[-\x{2212}](\.?[0-9])", r"\1qminus\2"),
    *[_POINT, _PART] * 2,  # one pass leaves the second of "1.2.3", as matches do not overlap
    (r"([0-9A-Za-z])\+", r"\1qplus"),
    (r"([A-Za-z])#", r"\1qsharp"),
    (r"([0-9])\s*%", r"\1qpercent"),
    (r"([0-9A-Za-z)}\]])\s*\^", r"\1qpower"),
)
"""The characters of meaning between and beside numbers: how to find them, and letters for them that no steps delete."""


def blank_golds(sides: Sides) -> Flags:
    """Golds of white space or of no characters, where these do not stand for "no answer"."""
    if sides.plan.convention.no_answer:
        return sides.no_rows
    return sides.rows_of_golds(_is_blank(sides.gold_texts))


def empty_golds(sides: Sides) -> Flags:
    """Golds that have characters, and no tokens."""
    n_tokens = [tokenise(sides.words, text).tokens.n_per_text[sides.golds] for text in sides.answering_texts]
    return sides.rows_of_golds((np.stack(n_tokens) == 0).any(axis=0) & ~_is_blank(sides.gold_texts))


def _is_blank(texts: pa.Array) -> Flags:
    return as_flags(pc.equal(pc.utf8_trim_whitespace(texts), ""))


def lost_letter(sides: Sides) -> Flags:
    """Golds that have the same tokens without the letter that they end with."""
    return _lost_characters(sides, _LAST_LETTER)


def lost_sign_or_point(sides: Sides) -> Flags:
    """Golds that have the same tokens without a sign, point or plus, and predictions that are equal for want of one."""
    return _lost_characters(sides, _CHARACTERS_OF_MEANING) | _made_equal(sides)


def _lost_characters(sides: Sides, patterns: Iterable[tuple[str, str]]) -> Flags:
    """Golds that have the same tokens without the characters that a pattern finds. patterns: each with the rest.

    None where the convention compares golds in another way than by their tokens, as numbers.
    """
    is_lost = np.zeros(len(sides.golds), np.bool_)
    golds = sides.gold_texts
    for pattern, rest in patterns:
        places = np.flatnonzero(matches(golds, pattern))
        whole = golds.take(pa.array(places))
        without = pc.replace_substring_regex(whole, pattern, rest)
        for text in sides.answering_texts if sides.tokens_decide else ():
            is_lost[places] |= _have_same_tokens(whole, without, text)
    return sides.rows_of_golds(is_lost)


def _made_equal(sides: Sides) -> Flags:
    """Rows where a prediction has the tokens of a gold, but of none once the characters of meaning are letters."""
    found = sides.no_rows
    pairs = sides.batch.pairs
    has_any = matches(sides.batch.texts, "|".join(pattern for pattern, _ in _IN_LETTERS))
    places = np.flatnonzero(sides.rows(has_any[pairs.pred] | has_any[pairs.gold])[sides.batch.row_per_pair])
    texts = [sides.batch.texts.take(pa.array(side[places])) for side in (pairs.pred, pairs.gold)]
    in_letters = texts
    for pattern, letters in _IN_LETTERS:
        in_letters = [pc.replace_substring_regex(each, pattern, letters) for each in in_letters]
    for text in sides.answering_texts if sides.tokens_decide else ():
        was_equal, is_equal = np.zeros((2, len(pairs)), np.bool_)
        was_equal[places] = _have_same_tokens(texts[0], texts[1], text)
        is_equal[places] = _have_same_tokens(in_letters[0], in_letters[1], text)
        found |= sides.rows(was_equal) & ~sides.rows(is_equal)
    return found


def _have_same_tokens(texts: pa.Array, others: pa.Array, text: Text) -> Flags:
    """Whether each text has the same tokens as the other one."""
    tokens = tokenise(cut_words(pa.concat_arrays([texts, others])), text).tokens
    places = np.arange(len(texts))
    are_equal: Flags = count_matches(tokens, Pairs(places, places + len(texts)), {EQUAL: 1})["equal"]
    return are_equal


def joined_by(sides: Sides, sep: str) -> Flags:
    """Rows whose only gold has a separator between two texts."""
    return sides.rows_of_golds(as_flags(has_separator(sides.gold_texts, sep))) & sides.has_one_gold


def written_lists(sides: Sides) -> Flags:
    """Rows whose only gold looks like a list that was written out as text."""
    return sides.rows_of_golds(as_flags(looks_like_a_list(sides.gold_texts))) & sides.has_one_gold


def one_letter_golds(sides: Sides) -> Flags:
    """Rows whose golds are one letter each, as those of multiple choice."""
    is_letter = matches(sides.gold_texts, "^[A-Ja-j]$")
    return sides.batch.has_gold & ~sides.rows_of_golds(~is_letter)
