"""Whether the prediction contains the gold, as text or as tokens."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from qa_frame._typing import Flags, Floats
from qa_frame.kernels.pair_counts import CLIPPED, CONTAINS_GOLD, Kernel, PairCounts
from qa_frame.kernels.tokens import Pairs
from qa_frame.rules.parts import Contains
from qa_frame.scoring.metrics.definition import Metric, TextKernel, Wanted
from qa_frame.text.contains import compare_joined, compare_texts, contains_per_pair
from qa_frame.text.specification import Text
from qa_frame.text.vocabulary import normalised_texts, tokenise
from qa_frame.text.words import Words

COMPARED: Mapping[str, Callable[[str, str], bool]] = {
    "has_substring": operator.contains, "has_prefix": str.startswith, "has_suffix": str.endswith,
    "has_either": lambda pred, gold: gold in pred or pred in gold,
}  # fmt: skip
"""Whether the gold is a substring of the prediction, its beginning or its end, or either of both is a substring of the
other, as text: the names of these counts."""


def _compare(words: Words, pairs: Pairs, text: Text, counts: PairCounts, _: float, *, name: str) -> Flags:
    """Return whether each prediction has its gold in the way of `COMPARED[name]`, as text, bool of shape (pairs,)."""
    if text.split == "none":
        return compare_texts(normalised_texts(words, text), pairs, COMPARED[name])
    texts = tokenise(words, text)
    if name == "has_substring":
        return contains_per_pair(texts, pairs, counts)
    return compare_joined(texts, pairs, COMPARED[name])


HAS_SUBSTRING, HAS_PREFIX, HAS_SUFFIX, HAS_EITHER = (
    TextKernel(name, partial(_compare, name=name)) for name in COMPARED
)
"""Whether the gold is part of the prediction as text, bool. `HAS_SUBSTRING` of texts with tokens needs `CLIPPED` and
`CONTAINS_GOLD`."""

_KERNEL_AT: Mapping[str, Kernel | TextKernel] = {
    "anywhere": HAS_SUBSTRING, "words": CONTAINS_GOLD, "start": HAS_PREFIX, "end": HAS_SUFFIX, "either": HAS_EITHER,
}  # fmt: skip


def _wanted_to_contain(rule: Contains, *, place: str | None) -> Wanted:
    """Return the counts that a metric of containing needs. place: where to look, if not where the rule says."""
    of_place: Wanted = {_KERNEL_AT[place or rule.place]: 1}
    is_of_tokens = HAS_SUBSTRING in of_place and rule.text.split != "none"
    return {CLIPPED: 1, CONTAINS_GOLD: 1, **of_place} if is_of_tokens else of_place


def contains_gold(counts: PairCounts, rule: Contains, *, place: str | None = None) -> Floats:
    """Return 1 where the prediction has the gold at `place`, else 0; float64 of shape (pairs,).

    With the place "words", an empty gold is in every prediction. place: None for the rule's own.
    """
    place = place or rule.place
    contains: Flags = counts[_KERNEL_AT[place].name]
    return (contains | (counts.n_gold == 0) if place == "words" else contains).astype(np.float64)


def _make_contains(what: str, source: str, *, place: str | None = None) -> Metric:
    """Return a metric of whether the prediction contains the gold. place: where, if not where the rule says.

    what, source: as in `Metric`.
    """
    return Metric(
        what,
        source,
        "contains",
        partial(_wanted_to_contain, place=place),
        partial(contains_gold, place=place),
        counting="substring",
        ignores_length=True,
    )


METRICS = {
    "contains": _make_contains(
        "1 if the normalised gold is a substring of the normalised prediction, else 0",
        "best-subspan EM (Liu et al. 2023, Lost in the Middle)",
    ),
    "prefix": _make_contains(
        "1 if the normalised prediction begins with the normalised gold, else 0",
        "HELM quasi_prefix_exact_match",
        place="start",
    ),
}
OTHER_NAMES = {"contains": "subem subspanem coverem substring includes match inaccuracy"}
