"""Answers that are compared by their kind: as numbers, as lists of answers, or as texts."""

from __future__ import annotations

import functools
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.kernels.pair_counts import EQUAL, count_matches
from qa_frame.kernels.tokens import Pairs
from qa_frame.rules.parts import Exact, Numbers
from qa_frame.scoring.batches import Batch
from qa_frame.text.specification import Text
from qa_frame.text.vocabulary import tokenise
from qa_frame.text.words import Words, cut_words

_MAYBE_NUMBER = r"[0-9]|[iI][nN][fF]|[nN][aA][nN]|[^\x00-\x7f]"
"""What a text has that `float` reads, and some others. Arrow reads the pattern."""


def are_equal_by_kind(texts: pa.Array, pairs: Pairs, rule: Exact, equal: Flags) -> Flags:
    """Return whether both sides of each pair are equal: as numbers or lists where the rule says so, else as texts.

    equal: whether they are equal as texts, shape (pairs,), as the result.
    """
    equal, is_text = equal.copy(), np.ones(len(pairs), np.bool_)
    if rule.numbers is not None:
        places, are_equal = _compare_numbers(texts, pairs, rule.numbers)
        equal[places], is_text[places] = are_equal, False
    if rule.separators:
        has_any = (pc.match_substring(texts, each) for each in dict.fromkeys(rule.separators))
        is_list = functools.reduce(pc.or_, has_any).to_numpy(zero_copy_only=False)
        places = np.flatnonzero(is_list[pairs.gold] & is_text)
        equal[places] = _compare_lists(texts, pairs[places], rule)
    return equal


def are_equal_where_agreed(words: Words, batch: Batch, text: Text, equal: Flags) -> Flags:
    """Return whether both sides of each pair are equal, shape (pairs,).

    In rows whose golds all have the same tokens by `text`, these tokens decide; in others, `equal` does.
    """
    tokens = tokenise(words, text).tokens
    first_gold = np.repeat(batch.pairs.gold[batch.first_pairs], np.diff(batch.pair_offsets)[batch.has_pairs])
    differs = ~count_matches(tokens, Pairs(batch.pairs.gold, first_gold), {EQUAL: 1})["equal"]
    agrees = np.bincount(batch.row_per_pair, differs, minlength=batch.n_rows)[batch.row_per_pair] == 0
    return np.where(agrees, count_matches(tokens, batch.pairs, {EQUAL: 1})["equal"], equal)


def _compare_numbers(texts: pa.Array, pairs: Pairs, rule: Numbers) -> tuple[Ints, Flags]:
    """Return the places of the pairs that the rule compares as numbers, and whether these numbers are equal."""
    of_gold, is_number = _read_numbers(texts, pairs.gold, percent=rule.percent)
    places = np.flatnonzero((is_number & (of_gold != 0) if rule.of == "both" else is_number)[pairs.gold])
    of_pred, is_number = _read_numbers(texts, pairs.pred[places], percent=rule.percent, ignored=rule.ignored)
    if rule.of == "both":
        places = places[is_number[pairs.pred[places]]]
    else:
        of_pred[~is_number] = np.inf
    pred, gold = of_pred[pairs.pred[places]], of_gold[pairs.gold[places]]
    if not rule.tolerance:
        return places, pred == gold
    with np.errstate(all="ignore"):  # infinity less infinity, and numbers too large for a difference
        return places, np.abs(pred - gold) / np.abs(gold) <= rule.tolerance


def _read_numbers(texts: pa.Array, used: Ints, *, percent: bool, ignored: str = "") -> tuple[Floats, Flags]:
    """Return the number that each text is, 0 if it is none, and whether it is one; shape (texts,) each.

    Python reads the texts at the places `used` that may be numbers, each once. All others count as no numbers.

    percent: whether "5%" is 0.05. ignored: characters that are left out of a number, but not of one in percent.
    """
    numbers, is_number = np.zeros(len(texts)), np.zeros(len(texts), np.bool_)
    is_maybe = pc.match_substring_regex(texts, _MAYBE_NUMBER).to_numpy(zero_copy_only=False)
    is_maybe &= np.bincount(used, minlength=len(texts)) > 0
    places = np.flatnonzero(is_maybe)
    without = str.maketrans("", "", ignored)
    for place, text in zip(places.tolist(), texts.take(pa.array(places)).to_pylist(), strict=True):
        is_percent = percent and text.endswith("%")
        spelled = text.rstrip("%") if is_percent else text.translate(without)
        try:
            numbers[place] = float(spelled) / 100 if is_percent else float(spelled)
        except ValueError:
            continue
        is_number[place] = True
    return numbers, is_number


def _compare_lists(texts: pa.Array, pairs: Pairs, rule: Exact) -> Flags:
    """Return whether both sides, cut at the rule's separators, have equal items at each place; shape (pairs,)."""
    used, places = np.unique(np.concatenate((pairs.pred, pairs.gold)), return_inverse=True)
    cut = re.compile(f"[{re.escape(rule.separators)}]")
    items_of = [cut.split(text) for text in texts.take(pa.array(used)).to_pylist()]
    ends = np.cumsum([0, *map(len, items_of)])
    n_items, (pred, gold) = np.diff(ends), np.split(places, 2)
    equal: Flags = n_items[pred] == n_items[gold]
    compared = np.flatnonzero(equal)
    if not len(compared):
        return equal
    n_compared = n_items[pred[compared]]
    firsts = np.cumsum(n_compared) - n_compared
    within = np.arange(n_compared.sum()) - np.repeat(firsts, n_compared)
    of_items = Pairs(*(np.repeat(ends[side[compared]], n_compared) + within for side in (pred, gold)))
    items = pa.array([item for each in items_of for item in each], pa.large_string())
    as_texts = count_matches(tokenise(cut_words(items), rule.item_text or rule.text).tokens, of_items, {EQUAL: 1})
    are_equal = are_equal_by_kind(items, of_items, replace(rule, separators=""), as_texts["equal"])
    equal[compared] = np.logical_and.reduceat(are_equal, firsts)
    return equal
