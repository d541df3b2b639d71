"""The tokens of a prediction and a gold side by side: which of them count as common, and how they are aligned."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from qa_frame._typing import Ids, Ints
from qa_frame.kernels import long_pairs
from qa_frame.kernels.runs import locate_common_run
from qa_frame.kernels.sentences import union_words
from qa_frame.kernels.tokens import Pairs
from qa_frame.rules.signature import describe
from qa_frame.text.lexicon import TokenisedTexts, simplify_split, tokenise
from qa_frame.text.specification import Text
from qa_frame.text.tokenisers import SENTENCE_END
from qa_frame.text.words import cut_words

_MOST_CELLS = 1 << 28
"""Texts whose numbers of tokens have a larger product are only aligned where a metric needs it: it takes seconds."""

_WORDS_TRIED = 200


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
        The way of counting: `"multiset"`, `"distinct"`, `"set"`, `"start"`, `"in_gold"`, `"run"`, `"subsequence"`,
        `"union"` (see `Overlap` and `RougeL`), or `"substring"`, where the texts are compared as they are and only the
        gold's place is marked.
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
    pred_dropped, gold_dropped
        The words of each text that normalisation deletes: they have no tokens by themselves. Only the first 200 words
        are looked at. Empty if a function of the user's makes tokens.
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
    pred_dropped: tuple[str, ...] = ()
    gold_dropped: tuple[str, ...] = ()

    @property
    def columns(self) -> list[tuple[int | None, int | None]]:
        """The places of tokens that stand above each other: aligned ones, and those between them one by one."""
        columns: list[tuple[int | None, int | None]] = []
        pred, gold = 0, 0
        for place in (*(self.aligned or ()), (len(self.pred_tokens), len(self.gold_tokens))):
            columns += itertools.zip_longest(range(pred, place[0]), range(gold, place[1]))
            columns.append(place)
            pred, gold = place[0] + 1, place[1] + 1
        return columns[:-1]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TokensOfPair:
    """The tokens of one prediction and one gold. `ids` are places in `vocabulary`."""

    texts: TokenisedTexts
    pred: int
    gold: int

    @property
    def pred_ids(self) -> Ids:
        """The token ids of the prediction."""
        return self.texts.tokens.text(self.pred)

    @property
    def gold_ids(self) -> Ids:
        """The token ids of the gold."""
        return self.texts.tokens.text(self.gold)

    @property
    def spelled(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The tokens of the prediction, and those of the gold."""
        return self.spell(self.pred_ids), self.spell(self.gold_ids)

    def spell(self, ids: Ids | Ints) -> tuple[str, ...]:
        """The tokens with these ids."""
        spelled = self.texts.vocabulary.take(pa.array(ids)).to_pylist()
        return tuple(token[:-1].decode("utf-8", "replace") for token in spelled)  # without `WORD_END`


def compare_tokens(
    tokens: TokensOfPair,
    text: Text,
    counting: str,
    *,
    metrics: tuple[str, ...],
    gold: int | None,
    raw: tuple[str, str],
    gold_text: Text | None = None,
) -> Comparison:
    """Compare the tokens of a pair. raw: the texts of both sides as they were given.

    `gold_text` is how the gold became tokens, where that is not as for the prediction.
    """
    pred_ids, gold_ids = tokens.pred_ids, tokens.gold_ids
    aligned, has_empty_word = _aligned(pred_ids, gold_ids, counting), False
    both_ways = ((pred_ids, gold_ids), (gold_ids, pred_ids))
    if counting in {"run", "subsequence"}:
        pred_matched, gold_matched = np.array(aligned, np.int64).reshape(-1, 2).T
    elif counting == "multiset":
        # Where both sides have a token several times, the first ones count.
        flags = (next(long_pairs.matched_ngrams(*ids, orders=1)) for ids in both_ways)
        pred_matched, gold_matched = map(np.flatnonzero, flags)
    elif counting == "start":
        n_common = min(len(pred_ids), len(gold_ids))
        n_common = int(np.append(pred_ids[:n_common] == gold_ids[:n_common], False).argmin())
        pred_matched = gold_matched = np.arange(n_common)
    elif counting == "in_gold":
        pred_matched, gold_matched = (np.flatnonzero(np.isin(*ids)) for ids in both_ways)
    else:
        words = np.intersect1d(pred_ids, gold_ids)
        if counting == "union":
            words, has_empty_word = _union(tokens)
        pred_matched, gold_matched = (_first_places(ids, words) for ids in (pred_ids, gold_ids))
    pred_tokens, gold_tokens = tokens.spelled
    return Comparison(
        metrics=metrics,
        gold=gold,
        normalisation=_describe(text),
        counting=counting,
        pred_tokens=pred_tokens,
        gold_tokens=gold_tokens,
        common=(*tokens.spell(pred_ids[pred_matched]), *[""] * has_empty_word),
        pred_matched=tuple(pred_matched.tolist()),
        gold_matched=tuple(gold_matched.tolist()),
        aligned=aligned,
        pred_dropped=_dropped(raw[0], text),
        gold_dropped=_dropped(raw[1], gold_text or text),
    )


def compare_texts(
    pred: str, gold_text: str, text: Text, *, metrics: tuple[str, ...], gold: int | None, start: int
) -> Comparison:
    """Show where a text is in another one. Both are normalised, and are not cut into tokens.

    start: where it begins; -1 where it is not found.
    """
    found = gold_text if start >= 0 else ""
    place = int(bool(found) and start > 0)
    parts = (pred[:start], found, pred[start + len(found) :]) if found else (pred,)
    return Comparison(
        metrics=metrics,
        gold=gold,
        normalisation=_describe(text),
        counting="substring",
        pred_tokens=tuple(filter(None, parts)),
        gold_tokens=(gold_text,) if gold_text else (),
        common=(gold_text,) if found else (),
        pred_matched=(place,) if found else (),
        gold_matched=(0,) if found else (),
        aligned=((place, 0),) if found else (),
    )


def _describe(text: Text) -> str:
    return " > ".join(map(describe, (*text.steps, text.split)))


def _aligned(pred: Ids, gold: Ids, counting: str) -> tuple[tuple[int, int], ...] | None:
    if counting == "run":
        length, in_pred, in_gold = locate_common_run(pred, gold)
        return tuple(zip(range(in_pred, in_pred + length), range(in_gold, in_gold + length), strict=True))
    if counting != "subsequence" and len(pred) * len(gold) > _MOST_CELLS:
        return None
    common = pred[long_pairs.backtrack_lcs(pred, gold)[::-1]].tolist()
    return tuple(zip(_embed(common, pred), _embed(common, gold), strict=True))


def _embed(part: list[int], ids: Ids) -> list[int]:
    """The first places at which the tokens of a subsequence stand one after the other."""
    ahead = iter(enumerate(ids.tolist()))
    return [next(place for place, found in ahead if found == token) for token in part]


def _union(tokens: TokensOfPair) -> tuple[Ids, bool]:
    """Return the common words of the union, and whether the empty word is one of them (see `split_sentences`)."""
    sentence_end = tokens.texts.find(SENTENCE_END)
    pair = Pairs(np.array([tokens.pred]), np.array([tokens.gold]))
    (words,) = union_words(tokens.texts.tokens, pair, sentence_end=sentence_end)
    return words[words != sentence_end], sentence_end is not None and bool((words == sentence_end).any())


def _first_places(ids: Ids, words: Ids) -> Ints:
    """Return the first place of each of these words that the text has, in the order of the text."""
    distinct, first = np.unique(ids, return_index=True)
    return np.sort(first[np.isin(distinct, words)])


def _dropped(raw: str, text: Text) -> tuple[str, ...]:
    """The words of a text that have no tokens by themselves."""
    words = list(dict.fromkeys(raw.split(maxsplit=_WORDS_TRIED)[:_WORDS_TRIED]))
    if callable(text.split) or not words:
        return ()
    alone = cut_words(pa.array(words, pa.large_string()))
    n_tokens = tokenise(alone, simplify_split(text, alone)).tokens.n_per_text
    return tuple(word for word, n in zip(words, n_tokens.tolist(), strict=True) if not n)
