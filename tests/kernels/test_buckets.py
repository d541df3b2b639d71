"""Counts do not depend on how pairs are grouped."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from qa_frame.kernels import buckets
from tests.kernels.shared import (
    assert_as_twins,
    assert_clipped_as_twins,
    count_all,
    random_text,
    related_text,
    union_of,
    union_of_twins,
)


def test_one_call_with_very_different_lengths():
    rng = np.random.default_rng(1)
    base = random_text(rng, 150, 9)
    lengths = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 300]
    texts = [related_text(rng, base, length, 9) for length in lengths]
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    rng.shuffle(pairs)
    pairs = [(int(pred), int(gold)) for pred, gold in pairs]
    assert_as_twins(count_all(texts, pairs), texts, pairs)
    assert_as_twins(count_all(texts, pairs * 12), texts, pairs * 12)


@pytest.mark.parametrize("per_pair", [0, 1 << 30], ids=["pair by pair", "in buckets"])
def test_one_by_one_and_in_buckets_alike(monkeypatch, per_pair):
    """All pairs are counted in one of the two ways, whatever their size."""
    rng = np.random.default_rng(6)
    texts = [random_text(rng, length, 7) for length in (1, 2, 5, 9, 17, 33, 65, 130, 140)]
    pairs = list(itertools.product(range(len(texts)), repeat=2)) * 2
    monkeypatch.setattr(buckets, "_STEPS_PER_PAIR", per_pair)
    assert_as_twins(count_all(texts, pairs), texts, pairs)
    assert union_of(texts, pairs) == union_of_twins(texts, pairs)
    golds = [[pred, (pred + 1) % 9, 3] for pred, _ in pairs]
    assert_clipped_as_twins(texts, [(pred, of_row) for (pred, _), of_row in zip(pairs, golds, strict=True)])
