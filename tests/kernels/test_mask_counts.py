"""Counts from masks equal those of the slow twins, also where texts are as long as a mask is wide."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.kernels.shared import assert_as_twins, count_all, each_border, random_text, related_text


@pytest.mark.parametrize("vocabulary", [2, 40])
@each_border
def test_lengths_around_the_widths_of_masks(length, vocabulary):
    """Pairs alone and many alike are counted in two ways."""
    rng = np.random.default_rng(length * vocabulary)
    text = random_text(rng, length, vocabulary)
    others = [related_text(rng, text, n, vocabulary) for n in (1, 3, length // 2, length - 1, length, length + 1)]
    texts = [text, *others]
    pairs = [pair for other in range(len(texts)) for pair in ((0, other), (other, 0))]
    for copies in (1, 200):
        assert_as_twins(count_all(texts, pairs * copies), texts, pairs * copies)


@each_border
def test_what_differs_only_at_the_border(length):
    same = tuple(range(length))
    texts = [same, (*same[:-1], 999), (999, *same[1:]), (*same, 999), (999, *same), (*same, *same)]
    pairs = list(itertools.product(range(len(texts)), repeat=2)) * 20
    assert_as_twins(count_all(texts, pairs), texts, pairs)


@pytest.mark.parametrize("n_ids", [50, 300, 70_000])
def test_few_steps_of_any_types(n_ids):
    rng = np.random.default_rng(n_ids)
    texts = [tuple(token + n_ids - 50 for token in random_text(rng, int(n), 50)) for n in rng.integers(9, 65, size=40)]
    golds = [related_text(rng, text, int(rng.integers(1, 8)), n_ids) for text in texts]
    pairs = [pair for place in range(40) for pair in ((place, 40 + place), (40 + place, place))]
    assert_as_twins(count_all(texts + golds, pairs), texts + golds, pairs)
