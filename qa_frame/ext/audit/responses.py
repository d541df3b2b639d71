"""Predictions that hold more than an answer, and predictions and golds that do not meet, or meet by chance."""

from __future__ import annotations

import operator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags
from qa_frame.ext.audit.golds import one_letter_golds
from qa_frame.ext.audit.sides import Sides, as_flags, matches
from qa_frame.extraction.steps import extract_texts, make_steps
from qa_frame.frames.options import LETTER_OF_CHOICE
from qa_frame.kernels.pair_counts import CLIPPED, CONTAINS_GOLD, count_matches
from qa_frame.kernels.tokens import Pairs
from qa_frame.text.contains import compare_texts, contains_per_pair
from qa_frame.text.segments import CHARACTERS
from qa_frame.text.vocabulary import normalised_texts, tokenise

_BESIDE_WORDS = r"[^\pL\pN]+"


def inside_word(sides: Sides) -> Flags:
    """Rows where `contains` finds a gold only inside longer words or numbers, other than its plural in s or es."""
    rule, pairs = sides.plan.convention.contains, sides.batch.pairs
    if rule is None or rule.place != "anywhere" or rule.numbers or "contains" not in sides.plan.metrics:
        return sides.no_rows
    if rule.text.split == "none":
        texts = normalised_texts(sides.words, rule.text)
        has_text = np.fromiter(map(bool, texts), np.bool_, count=len(texts))
        is_contained = compare_texts(texts, pairs, operator.contains) & has_text[pairs.gold]
        is_word = np.zeros(len(pairs), np.bool_)
    else:
        tokenised = tokenise(sides.words, rule.text)
        counts = count_matches(tokenised.tokens, pairs, {CLIPPED: 1, CONTAINS_GOLD: 1})
        is_contained = contains_per_pair(tokenised, pairs, counts) & (counts.n_gold > 0)
        is_word = counts["contains_gold"]
    places = np.flatnonzero(is_contained & ~is_word)
    is_word[places] = _contains_word(*sides.used_texts(pairs[places]))
    return sides.rows(is_contained & ~is_word) & ~sides.rows(is_contained & is_word)


def _contains_word(texts: pa.Array, pairs: Pairs) -> Flags:
    """Whether the raw prediction has the raw gold, or its plural, between characters that are not letters or digits.

    In scripts without spaces, each character is a word.
    """
    cut = pc.replace_substring_regex(pc.utf8_lower(texts), f"([{CHARACTERS}])", r" \1 ")
    plain = pc.replace_substring_regex(cut, _BESIDE_WORDS, " ")
    trimmed = pc.utf8_trim_whitespace(plain)
    space, empty = (pa.scalar(text, plain.type) for text in (" ", ""))
    preds = pc.binary_join_element_wise(space, trimmed, space, empty).to_pylist()
    contained = np.zeros(len(pairs), np.bool_)
    for ending in (" ", "s ", "es "):
        golds = pc.binary_join_element_wise(space, trimmed, pa.scalar(ending, plain.type), empty).to_pylist()
        contained |= compare_texts([*preds, *golds], Pairs(pairs.pred, pairs.gold + len(texts)), operator.contains)
    return contained


def run_ons(sides: Sides) -> Flags:
    """Predictions that go on with a new question."""
    before = extract_texts(pa.chunked_array([sides.pred_texts]), make_steps("before_next_question")).combine_chunks()
    return sides.rows_of_preds(as_flags(pc.not_equal(before, pc.utf8_trim_whitespace(sides.pred_texts))))


def are_repeating(texts: pa.Array) -> Flags:
    """Whether each text ends with the same words again and again, four times or more."""
    found = np.zeros(len(texts), np.bool_)
    places = np.flatnonzero(pc.utf8_length(texts).to_numpy() >= _LEAST_REPEATED)
    found[places] = [*map(_repeats, texts.take(pa.array(places)).to_pylist())]
    return found


_LEAST_REPEATED, _TIMES_REPEATED = 120, 4
"""A stretch of so many characters, and so many periods of it, is a repetition."""


def _repeats(text: str) -> bool:
    """Whether the end of a text has a period. One that was cut off in the middle of it has it, too."""
    text = text.rstrip()
    end = text[-_LEAST_REPEATED // _TIMES_REPEATED :]
    period = len(text) - len(end) - text.rfind(end, 0, len(text) - 1)
    stretch = max(_LEAST_REPEATED, _TIMES_REPEATED * period)
    is_long = stretch <= len(text) and any(map(str.isalpha, end))
    return is_long and text[-stretch:-period] == text[len(text) - stretch + period :]


def answer_phrases(sides: Sides) -> Flags:
    """Predictions that announce an answer with a phrase, other than in a thought."""
    found = extract_texts(pa.chunked_array([sides.pred_texts]), make_steps(["after_think|all", "answer_is"]))
    return sides.rows_of_preds(as_flags(pc.is_valid(found)))


def choice_letters(sides: Sides) -> Flags:
    """Predictions of more than a letter, where all golds are one letter."""
    is_letter = sides.rows_of_preds(matches(sides.pred_texts, r"^\s*[A-Za-z]\s*$"))
    return one_letter_golds(sides) & ~is_letter & ~sides.batch.is_missing


def letters_without_golds(sides: Sides) -> Flags:
    """Predictions of a letter of a choice, where no gold is a letter."""
    is_choice = sides.rows_of_preds(matches(sides.pred_texts, r"^\s*\(?[A-Ja-j]\)?[.:]?\s*$"))
    is_letter = sides.rows_of_golds(matches(sides.gold_texts, LETTER_OF_CHOICE))
    return is_choice & ~is_letter & sides.batch.has_gold & ~sides.batch.is_missing
