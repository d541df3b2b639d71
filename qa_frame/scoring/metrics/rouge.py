"""ROUGE: ratios of n-grams and of longest common subsequences, as `rouge_score` has them."""

from __future__ import annotations

from functools import partial

import numpy as np

from qa_frame._typing import Ints
from qa_frame.kernels.pair_counts import SUBSEQUENCE, PairCounts
from qa_frame.kernels.sentences import Sentences, count_in_lines, count_union
from qa_frame.kernels.tokens import Pairs
from qa_frame.scoring.metrics.definition import COUNTINGS, Counting, TextKernel, ngrams
from qa_frame.scoring.metrics.overlap import share
from qa_frame.text.specification import Text
from qa_frame.text.tokenisers import SENTENCE_END
from qa_frame.text.vocabulary import tokenise
from qa_frame.text.words import Words, cut_lines


def _count_union(words: Words, pairs: Pairs, text: Text, *_: object) -> Ints:
    """Count the union of longest common subsequences over sentences, and the units of each side; shape (3, pairs)."""
    texts = tokenise(words, text)
    return count_union(texts.tokens, pairs, sentence_end=texts.find(SENTENCE_END))


def _count_in_lines(words: Words, pairs: Pairs, text: Text, counts: PairCounts, _: float) -> Ints:
    """Count, for each pair, the tokens in the longest common subsequences of lines, shape (pairs,).

    For sides of one line each, this is the longest common subsequence.
    """
    in_lines: Ints = counts["subsequence"]
    lines, line_offsets = cut_lines(words)
    has_lines = np.diff(line_offsets) > 1
    is_counted = has_lines[pairs.pred] | has_lines[pairs.gold]
    if is_counted.any():
        in_lines = in_lines.copy()
        tokens = tokenise(lines, text).tokens
        in_lines[is_counted] = count_in_lines(Sentences(tokens, line_offsets), pairs[is_counted])
    return in_lines


UNION = TextKernel("union", _count_union)
"""The union of longest common subsequences over sentences, see `kernels.sentences`, shape (3, pairs)."""

IN_LINES = TextKernel("in_lines", _count_in_lines)
"""The number of tokens in the longest common subsequences of lines, see `kernels.sentences`. It needs `SUBSEQUENCE`."""

COUNTINGS |= {
    "bigrams": ngrams(2, "bigram"),
    "subsequence": Counting({SUBSEQUENCE: 1}, "in the longest common subsequence", marks="subsequence"),
    "in_lines": Counting(
        {IN_LINES: 1, SUBSEQUENCE: 1}, "in the longest common subsequences of lines", marks="subsequence"
    ),
    "union": Counting(
        {UNION: 1},
        "common, in distinct words of sentences' longest common subsequences",
        marks="union",
        read=lambda counts: tuple(counts["union"]),
    ),
}

_rouge = partial(share, source="rouge_score 0.1.2, no stemmer", family="rouge_l")
_rouge_1, _rouge_2, _rouge_lsum = (partial(_rouge, counting=name) for name in ("multiset", "bigrams", "in_lines"))

METRICS = {
    "rouge_1": _rouge_1("ROUGE-1: F of tokens in any order", "f"),
    "rouge_1_precision": _rouge_1("ROUGE-1: the share of the prediction's tokens in common", "precision"),
    "rouge_1_recall": _rouge_1("ROUGE-1: the share of the gold's tokens in common", "recall"),
    "rouge_2": _rouge_2("ROUGE-2: F of bigrams", "f"),
    "rouge_2_precision": _rouge_2("ROUGE-2: the share of the prediction's bigrams in common", "precision"),
    "rouge_2_recall": _rouge_2("ROUGE-2: the share of the gold's bigrams in common", "recall"),
    "rouge_l": _rouge("ROUGE-L: F of the longest common subsequence of tokens", "f"),
    "rouge_l_precision": _rouge("ROUGE-L: that subsequence's share of the prediction", "precision"),
    "rouge_l_recall": _rouge("ROUGE-L: that subsequence's share of the gold", "recall"),
    "rouge_lsum": _rouge_lsum("ROUGE-Lsum: F of the longest common subsequences of lines", "f"),
    "rouge_lsum_precision": _rouge_lsum("ROUGE-Lsum: these subsequences' share of the prediction", "precision"),
    "rouge_lsum_recall": _rouge_lsum("ROUGE-Lsum: these subsequences' share of the gold", "recall"),
}
OTHER_NAMES = {
    "rouge_l": "rouge rougel rougelf1 lcs",
    "rouge_1": "rouge1f1 unigramrouge",
    "rouge_2": "rouge2f1 bigramrouge",
    "rouge_lsum": "rougels rougelsumf1",
}
