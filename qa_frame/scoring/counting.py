"""Words → tokens → counts: what the metrics of a plan need to know of each (prediction, gold) pair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qa_frame.kernels.pair_counts import PairCounts, Wanted, count_matches, zero_counts
from qa_frame.kernels.tokens import Pairs
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Plan
from qa_frame.text.contains import contains_per_pair, text_contains_per_pair
from qa_frame.text.lexicon import normalised_texts, simplify_split, tokenise
from qa_frame.text.specification import Text
from qa_frame.text.tokenisers import SENTENCE_END
from qa_frame.text.words import Words


def count_per_family(words: Words, pairs: Pairs, plan: Plan) -> dict[str, PairCounts]:
    """The counts for each family of metrics. Families with the same tokens share their counts."""
    text_per_family: dict[str, Text] = {}
    wanted_per_text: dict[Text, Wanted] = {}
    for metric in plan.computed_metrics:
        family = METRICS[metric].family
        rule = getattr(plan.convention, family)
        text = text_per_family.setdefault(family, simplify_split(rule.text, words))
        wanted_per_text[text] = METRICS[metric].wanted(rule) | wanted_per_text.get(text, Wanted())
    counts = {text: _count(words, pairs, text, wanted) for text, wanted in wanted_per_text.items()}
    return {family: counts[text] for family, text in text_per_family.items()}


def _count(words: Words, pairs: Pairs, text: Text, wanted: Wanted) -> PairCounts:
    """The counts for one way of making tokens."""
    if wanted.contains_gold and text.split == "none":
        return _count_texts(words, pairs, text, replace(wanted, contains_gold=False))
    texts = tokenise(words, text)
    counts = count_matches(texts.tokens, pairs, wanted, sentence_end=texts.find(SENTENCE_END) if wanted.union else None)
    return replace(counts, contains_gold=contains_per_pair(texts, pairs, counts)) if wanted.contains_gold else counts


def _count_texts(words: Words, pairs: Pairs, text: Text, wanted: Wanted) -> PairCounts:
    """The same where a text is one token: whether a prediction contains a gold is asked of the texts themselves."""
    texts = normalised_texts(words, text)
    if wanted == Wanted():  # then no token needs its id
        n_tokens = np.fromiter(map(bool, texts), np.int64, count=len(texts))
        counts = zero_counts(n_tokens[pairs.pred], n_tokens[pairs.gold], wanted)
    else:
        counts = count_matches(tokenise(words, text).tokens, pairs, wanted)
    return replace(counts, contains_gold=text_contains_per_pair(texts, pairs))
