"""Predictions that hold more than an answer, and predictions and golds that do not meet, or meet by chance."""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags
from qa_frame.kernels.pair_counts import CLIPPED, CONTAINS_GOLD, count_matches
from qa_frame.kernels.tokens import Pairs
from qa_frame.scoring.doubts import CHOICES
from qa_frame.scoring.metrics import METRICS
from qa_frame.text.contains import compare_texts, contains_per_pair
from qa_frame.text.extraction import THOUGHT, extract_texts
from qa_frame.text.lexicon import normalised_texts, tokenise
from qa_frame.text.specification import Text
from qa_frame.text.words import cut_words
from qa_frame.view.audit.golds import one_letter_golds
from qa_frame.view.audit.sides import Sides, as_flags, matches

LEAST_LONG, TIMES_LONGER = 100, 10
"""A prediction is long from so many characters on, if it has so many times those of the row's longest gold."""

_NUMBER_FORMS = (
    *[(r"([0-9]),((?:[0-9]{3})+)\b", r"\1\2")] * 3,  # one pass leaves every second comma, as matches do not overlap
    (r"(\.[0-9]*[1-9])0+\b", r"\1"),
    (r"([0-9])\.0+\b", r"\1"),
)
"""Patterns that bring numbers to one form: without the commas of thousands and the zeros at the end of decimals."""

_ELEMENTS = "b|i|u|em|strong|p|br|div|span|ul|ol|li|a|table|tr|td|th|h[1-6]|code|pre|sup|sub"
_MARKUP = {
    "think_tags": THOUGHT,
    "answer_tags": r"</?answer>",
    "boxed": r"\\boxed|\\fbox",
    "bold": r"\*\*[^*\s][^*]*\*\*",
    "code_fences": "```",
    "html": rf"(?i)</?(?:{_ELEMENTS})(?:\s[^<>]*)?/?>",
}
_ANY_MARKUP = r"[<`]|\*\*|\\boxed|\\fbox"
NULL_TEXTS = r"\s*(?:nan|NaN|None|<NA>|NaT|null|NULL)\s*"
"""The texts that a null becomes when a column is made text."""
_BESIDE_WORDS = r"[^\pL\pN]+"


def number_forms(sides: Sides) -> Flags:
    """Rows where a prediction has all tokens of a gold once the numbers of both have one form, and not before."""
    pairs = sides.batch.pairs
    places = np.flatnonzero(matches(sides.batch.texts, "[0-9][.,][0-9]"))
    if not len(places):
        return sides.no_rows
    numbers = sides.batch.texts.take(pa.array(places))
    is_changed = sides.per_text(places, as_flags(pc.not_equal(numbers, _in_one_form(numbers))))
    has_digit = sides.per_text(sides.golds, matches(sides.gold_texts, "[0-9]"))[pairs.gold]
    rows = sides.rows((is_changed[pairs.pred] | is_changed[pairs.gold]) & has_digit)
    pair_places = np.flatnonzero(rows[sides.row_per_pair])
    raw, local = sides.used_texts(pairs[pair_places])
    text = sides.answering_texts[0]
    was_there, is_there = (np.zeros(len(pairs), np.bool_) for _ in range(2))
    was_there[pair_places] = _has_all_tokens(raw, local, text)
    is_there[pair_places] = _has_all_tokens(_in_one_form(raw), local, text)
    return sides.rows(is_there & has_digit) & ~sides.rows(was_there)


def _in_one_form(texts: pa.Array) -> pa.Array:
    """The texts with their numbers in one form."""
    for pattern, rest in _NUMBER_FORMS:
        texts = pc.replace_substring_regex(texts, pattern, rest)
    return texts


def _has_all_tokens(texts: pa.Array, pairs: Pairs, text: Text) -> Flags:
    """Whether each prediction has all tokens of the gold, which has some."""
    counts = count_matches(tokenise(cut_words(texts), text).tokens, pairs, {CLIPPED: 1})
    has_all: Flags = (counts["clipped"][0] == counts.n_gold) & (counts.n_gold > 0)
    return has_all


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
    """Whether the raw prediction has the raw gold, or its plural, between characters that are not letters or digits."""
    plain = pc.replace_substring_regex(pc.utf8_lower(texts), _BESIDE_WORDS, " ")
    trimmed = pc.utf8_trim_whitespace(plain)
    space, empty = (pa.scalar(text, plain.type) for text in (" ", ""))
    preds = pc.binary_join_element_wise(space, trimmed, space, empty).to_pylist()
    contained = np.zeros(len(pairs), np.bool_)
    for ending in (" ", "s ", "es "):
        golds = pc.binary_join_element_wise(space, trimmed, pa.scalar(ending, plain.type), empty).to_pylist()
        contained |= compare_texts([*preds, *golds], Pairs(pairs.pred, pairs.gold + len(texts)), operator.contains)
    return contained


def long_predictions(sides: Sides) -> Flags:
    """Predictions far longer than any gold of their row, where a metric counts that."""
    found = sides.no_rows
    if all(METRICS[metric].ignores_length for metric in sides.plan.metrics) or not len(sides.batch.pairs):
        return found
    length = pc.utf8_length(sides.batch.texts).to_numpy()
    first, has_pairs = sides.batch.first_pairs, sides.batch.has_pairs
    longest_gold = np.maximum.reduceat(length[sides.batch.pairs.gold], first)
    pred_length = length[sides.batch.pairs.pred[first]]
    found[has_pairs] = (pred_length >= LEAST_LONG) & (pred_length >= TIMES_LONGER * longest_gold)
    return found


def answer_phrases(sides: Sides) -> Flags:
    """Predictions that announce an answer with a phrase, other than in a thought."""
    found = extract_texts(pa.chunked_array([sides.pred_texts]), ("after_think|all", "answer_is"))
    return sides.rows_of_preds(as_flags(pc.is_valid(found)))


def markup(sides: Sides) -> Iterator[tuple[str, Flags]]:
    """For each kind of markup: predictions that have it."""
    preds = sides.pred_texts
    places = np.flatnonzero(matches(preds, _ANY_MARKUP))
    some = preds.take(pa.array(places))
    for name, pattern in _MARKUP.items():
        found = np.zeros(len(preds), np.bool_)
        found[places] = matches(some, pattern)
        yield name, sides.rows_of_preds(found)


def choice_letters(sides: Sides) -> Flags:
    """Predictions of more than a letter, where all golds are one letter."""
    is_letter = sides.rows_of_preds(matches(sides.pred_texts, r"^\s*[A-Za-z]\s*$"))
    return one_letter_golds(sides) & ~is_letter & ~sides.batch.is_missing


def letters_without_golds(sides: Sides) -> Flags:
    """Predictions of a letter of a choice, where no gold is a letter."""
    is_choice = sides.rows_of_preds(matches(sides.pred_texts, r"^\s*\(?[A-Ja-j]\)?[.:]?\s*$"))
    is_letter = sides.rows_of_golds(matches(sides.gold_texts, CHOICES["letter"]))
    return is_choice & ~is_letter & sides.batch.has_gold & ~sides.batch.is_missing
