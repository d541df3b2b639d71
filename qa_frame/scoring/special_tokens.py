"""Rules that look at how tokens are spelled: which have a meaning as a whole answer, and which are numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.kernels.pair_counts import CLIPPED, count_matches
from qa_frame.kernels.tokens import Pairs, Tokens
from qa_frame.rules.parts import Overlap
from qa_frame.text.numerals import number_of, numbers_in
from qa_frame.text.raw_texts import binary_data, binary_offsets
from qa_frame.text.steps import is_float
from qa_frame.text.vocabulary import TokenisedTexts
from qa_frame.text.words import WORD_END, Words

_MAY_BEGIN_FLOAT = np.isin(np.arange(256), [*b"0123456789+-._inIN", *range(0x80, 0x100)])
"""The first bytes of tokens that `float` reads, and others. A token that begins with white space is not a number."""


def nothing_in_common(texts: TokenisedTexts, pairs: Pairs, rule: Overlap) -> Flags:
    """Return whether the rule says of each pair that its sides have nothing in common, shape (pairs,).

    It says so in spite of common tokens, where single answers or numbers of the two sides differ.
    """
    is_nothing = np.zeros(len(pairs), np.bool_)
    if rule.only_equal:
        is_nothing |= _differs_from_whole_answer(texts, pairs, rule.only_equal)
    if rule.numbers_must_match:
        is_nothing |= _lacks_numbers(texts, pairs)
    return is_nothing


def _differs_from_whole_answer(texts: TokenisedTexts, pairs: Pairs, answers: tuple[str, ...]) -> Flags:
    """Return whether one side of each pair is just one of these answers, and the other side is not this one.

    answers: single tokens that have a meaning as a whole answer, as yes and no.
    """
    spelled = pa.array([f"{answer}{chr(WORD_END)}".encode() for answer in answers], pa.large_binary())
    is_answer = pc.is_in(texts.vocabulary, value_set=spelled).to_numpy(zero_copy_only=False)
    tokens = texts.tokens
    answer = np.full(len(tokens.offsets) - 1, -1)  # the token of a text that is nothing but an answer
    single = np.flatnonzero(tokens.n_per_text == 1)
    token = tokens.ids[tokens.offsets[single]]
    answer[single[is_answer[token]]] = token[is_answer[token]]
    differs: Flags = answer[pairs.pred] != answer[pairs.gold]
    return differs


def are_equal_numbers(texts: TokenisedTexts, pairs: Pairs, tolerance: float) -> Flags:
    """Return whether both sides are one finite number each, and differ by no more than the tolerance, shape (pairs,).

    The tolerance is relative to the gold where that is beyond -1 and 1, else absolute.
    """
    tokens = texts.tokens
    single = np.flatnonzero(tokens.n_per_text == 1)
    number_of_token = np.full(len(texts.vocabulary), np.nan)
    places, values = _find_floats(texts.vocabulary)
    number_of_token[places] = values
    number = np.full(len(tokens.offsets) - 1, np.nan)
    number[single] = number_of_token[tokens.ids[tokens.offsets[single]]]
    pred, gold = number[pairs.pred], number[pairs.gold]
    with np.errstate(invalid="ignore"):  # infinity less infinity
        is_close = np.abs(pred - gold) <= tolerance * np.maximum(1.0, np.abs(gold))
    are_equal: Flags = is_close & np.isfinite(pred) & np.isfinite(gold)
    return are_equal


def _find_floats(vocabulary: pa.Array) -> tuple[Ints, Floats]:
    """Return the places of the tokens that `float` reads, and their values; shape (numbers,) each."""
    first_byte = binary_data(vocabulary)[binary_offsets(vocabulary)[:-1]]
    maybe = np.flatnonzero(_MAY_BEGIN_FLOAT[first_byte])
    spelled = [token[:-1].decode() for token in vocabulary.take(pa.array(maybe)).to_pylist()]
    is_number = np.fromiter(map(is_float, spelled), np.bool_, count=len(spelled))
    return maybe[is_number], np.array([*map(float, filter(is_float, spelled))])


def find_numbers(words: Words, pairs: Pairs) -> tuple[Ints, dict[str, Flags]]:
    """Return the places of the pairs whose gold is a number, and whether the prediction has this number, in three ways.

    These ways have names of `PairCounts`: "has_substring" if it is any of the prediction's numbers, "has_prefix" if it
    is the first, "has_suffix" if it is the last. Their flags have shape (places,).
    """
    number_per_gold = {gold: number_of(words.text(gold).decode()) for gold in np.unique(pairs.gold).tolist()}
    golds = [number_per_gold[gold] for gold in pairs.gold.tolist()]
    places = np.flatnonzero([gold is not None for gold in golds])
    preds = pairs.pred[places].tolist()
    numbers_per_pred = {pred: [*numbers_in(words.text(pred).decode())] for pred in set(preds)}
    compared = [
        (gold in numbers, [gold] == numbers[:1], [gold] == numbers[-1:])
        for gold, numbers in ((golds[place], numbers_per_pred[pred]) for place, pred in zip(places, preds, strict=True))
    ]
    is_inside = np.array(compared, np.bool_).reshape(-1, 3).T
    return places, dict(zip(("has_substring", "has_prefix", "has_suffix"), is_inside, strict=True))


def _lacks_numbers(texts: TokenisedTexts, pairs: Pairs) -> Flags:
    """Return whether each gold has tokens that `float` reads, and its prediction none of these; shape (pairs,)."""
    is_number = np.zeros(len(texts.vocabulary), np.bool_)
    is_number[_find_floats(texts.vocabulary)[0]] = True
    is_kept = is_number[texts.tokens.ids]
    n_before = np.append(0, np.cumsum(is_kept))
    numbers = Tokens(texts.tokens.ids[is_kept], n_before[texts.tokens.offsets])
    lacks: Flags = numbers.n_per_text[pairs.gold] > 0
    places = np.flatnonzero(lacks)
    lacks[places] = count_matches(numbers, pairs[places], {CLIPPED: 1})["clipped"][0] == 0
    return lacks
