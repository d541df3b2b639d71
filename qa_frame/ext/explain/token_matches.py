"""Two lists of tokens → a comparison: which of them count as common, and how they are aligned."""

from __future__ import annotations

import itertools
import operator
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Ids
from qa_frame.kernels import long_pairs
from qa_frame.kernels.long_pairs import count_edits
from qa_frame.kernels.runs import locate_common_run
from qa_frame.kernels.sentences import union_words
from qa_frame.kernels.tokens import Pairs, Tokens
from qa_frame.text.specification import Text
from qa_frame.text.tokenisers import SENTENCE_END
from qa_frame.text.vocabulary import simplify_split, tokenise
from qa_frame.text.words import Words

_MOST_CELLS = 1 << 28
"""Texts whose numbers of tokens have a larger product are only aligned where a metric needs it: it takes seconds."""

_PAIR = Pairs(np.array([0]), np.array([1]))
_IS_AT = {"start": str.startswith, "end": str.endswith}

Side = tuple[str, ...]
"""The tokens of a text."""

Places = tuple[int, ...]
Aligned = tuple[tuple[int, int], ...] | None
TokenMatches = tuple[Side, Side, Side, Places, Places, Aligned]
"""`pred_tokens`, `gold_tokens`, `common`, `pred_matched`, `gold_matched` and `aligned` of a `Comparison`."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The prediction and one gold as some metrics count them: after normalisation, as tokens.

    Attributes
    ----------
    metrics
        The metrics that count these tokens.
    gold
        The place of the gold in `Explanation.golds`; None for the empty gold that stands for "no answer".
    normalisation
        The steps and the split that make tokens of a text, in a few words.
    counting
        The way of counting: `"multiset"`, `"distinct"`, `"set"`, `"run"`, `"subsequence"`, `"union"` (see `Overlap` and
        `RougeL`), or `"substring"`, where the texts are compared as they are and only the gold's place is marked.
    pred_tokens, gold_tokens
        The tokens of each side.
    common
        The tokens that count as common, each as often as it counts. For `"run"` and `"subsequence"` they stand in
        their order, so that this is the longest common run or subsequence.
    pred_matched, gold_matched
        The places of these tokens in each side.
    aligned
        Places (in the prediction, in the gold) of equal tokens in the order of both texts: those of the longest common
        run for `"run"`, else those of a longest common subsequence. None for very long texts, which are not aligned.
    """

    metrics: tuple[str, ...]
    gold: int | None
    normalisation: str
    counting: str
    pred_tokens: tuple[str, ...]
    gold_tokens: tuple[str, ...]
    common: tuple[str, ...]
    pred_matched: tuple[int, ...]
    gold_matched: tuple[int, ...]
    aligned: tuple[tuple[int, int], ...] | None

    @property
    def columns(self) -> list[tuple[int | None, int | None]]:
        """The places of tokens that stand above each other: aligned ones, and those between them one by one.

        Each has the place in the prediction and that in the gold; None where nothing stands.
        """
        columns: list[tuple[int | None, int | None]] = []
        pred, gold = 0, 0
        for place in (*(self.aligned or ()), (len(self.pred_tokens), len(self.gold_tokens))):
            columns += itertools.zip_longest(range(pred, place[0]), range(gold, place[1]))
            columns.append(place)
            pred, gold = place[0] + 1, place[1] + 1
        return columns[:-1]


def mark_tokens(pred: Side, gold: Side, counting: str) -> TokenMatches:
    """Return both texts with their common tokens (see `TokenMatches`). counting: as in `Comparison`.

    The counting "substring" is not for this function.
    """
    tokens, numbers = _make_ids(pred, gold)
    aligned, has_empty_word = _align_tokens(tokens.text(0), tokens.text(1), counting), False
    common: Mapping[str, int] = Counter(pred) & Counter(gold)
    if counting == "union":
        (words,) = union_words(tokens, _PAIR, sentence_end=numbers.get(SENTENCE_END))
        # A sentence without words has the empty word (see `split_sentences`), which is no token.
        chosen = set(words.tolist())
        common = dict.fromkeys((token for token, number in numbers.items() if number in chosen), 1)
        has_empty_word = common.pop(SENTENCE_END, 0) > 0
    elif counting != "multiset":
        common = dict.fromkeys(common, 1)
    pred_matched, gold_matched = (_find_first(side, common) for side in (pred, gold))
    if counting in {"run", "subsequence"}:
        pred_matched, gold_matched = (tuple(place[side] for place in aligned or ()) for side in (0, 1))
    counted = (*(pred[place] for place in pred_matched), *[""] * has_empty_word)
    return pred, gold, counted, pred_matched, gold_matched, aligned


def mark_substring(pred: str, gold: str, place: str) -> TokenMatches:
    """Return the text `pred`, cut where the text `gold` begins and ends in it, and the match (see `TokenMatches`).

    place: as `Contains.place`; "" marks nothing. Where the gold is not there, each text stays whole.
    """
    is_inside = bool(place and gold) and _IS_AT.get(place, operator.contains)(pred, gold)
    if not is_inside:
        return tuple(filter(None, (pred,))), tuple(filter(None, (gold,))), (), (), (), ()
    before, _, after = (pred.rpartition if place == "end" else pred.partition)(gold)
    at = int(bool(before))
    return tuple(filter(None, (before, gold, after))), (gold,), (gold,), (at,), (0,), ((at, 0),)


def _find_first(tokens: Side, n_of_each: Mapping[str, int]) -> Places:
    """Return the places of the first n occurrences of each token. n_of_each: n by token."""
    left, places = dict(n_of_each), []
    for place, token in enumerate(tokens):
        if left.get(token, 0) > 0:
            left[token] -= 1
            places.append(place)
    return tuple(places)


def count_edits_between(pred: Side, gold: Side) -> int:
    """Return the edit distance of two lists of tokens. Scoring itself counts it only as exactly as it needs."""
    return int(count_edits(_make_ids(pred, gold)[0], _PAIR)[0])


def _make_ids(pred: Side, gold: Side) -> tuple[Tokens, dict[str, int]]:
    """Return two texts as token ids, which kernels take, and the id of each distinct token."""
    numbers = {token: number for number, token in enumerate(dict.fromkeys((*pred, *gold)))}
    ids = np.array([numbers[token] for token in (*pred, *gold)], np.int32)
    return Tokens(ids, np.cumsum([0, len(pred), len(gold)])), numbers


def _align_tokens(pred: Ids, gold: Ids, counting: str) -> Aligned:
    """Return the places of equal tokens in both texts, in order; None for texts that are too long to align."""
    if counting == "run":
        length, in_pred, in_gold = locate_common_run(pred, gold)
        return tuple(zip(range(in_pred, in_pred + length), range(in_gold, in_gold + length), strict=True))
    if counting != "subsequence" and len(pred) * len(gold) > _MOST_CELLS:
        return None
    common = pred[long_pairs.backtrack_lcs(pred, gold)[::-1]].tolist()
    return tuple(zip(_find_in_order(common, pred), _find_in_order(common, gold), strict=True))


def _find_in_order(part: list[int], ids: Ids) -> list[int]:
    """Return where the tokens of a subsequence stand in a text: each at its first place behind the one before it."""
    ahead = iter(enumerate(ids.tolist()))
    return [next(place for place, other in ahead if other == token) for token in part]


def tokens_of_text(words: Words, place: int, text: Text) -> Side:
    """Return the tokens of one of the texts of `words`, as a rule makes them. place: that of the text.

    The spelling of all tokens is kept in the cache of `words`.
    """
    key = ("spelled tokens", text)
    if key not in words.cache:
        made = tokenise(words, simplify_split(text, words))
        spelled = (token[:-1].decode("utf-8", "replace") for token in made.vocabulary.to_pylist())  # no `WORD_END`
        words.cache[key] = made.tokens, tuple(spelled)
    tokens, vocabulary = words.cache[key]
    return tuple(map(vocabulary.__getitem__, tokens.text(place).tolist()))
