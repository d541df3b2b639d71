"""Tokens and pairs check themselves, and give parts of themselves."""

from __future__ import annotations

import numpy as np
import pytest

from qa_frame.kernels.tokens import Pairs, Tokens


@pytest.mark.parametrize(
    ("ids", "offsets"),
    [([1, 2], [0, 1]), ([1, 2], [1, 2]), ([1, 2], [0, 3]), ([], [])],
    ids=["too few", "not from 0", "too many", "none"],
)
def test_tokens_check_their_offsets(ids, offsets):
    with pytest.raises(ValueError, match="offsets of Tokens must begin with 0 and end with the number of ids"):
        Tokens(np.array(ids, np.int32), np.array(offsets, np.int64))


@pytest.mark.parametrize(("ids", "offsets"), [(np.int64, np.int64), (np.int32, np.int32)])
def test_tokens_check_their_types(ids, offsets):
    with pytest.raises(TypeError, match="int32 ids and int64 offsets"):
        Tokens(np.array([1], ids), np.array([0, 1], offsets))


def test_pairs_check_their_shapes():
    with pytest.raises(ValueError, match=r"not \(2,\) and \(3,\)"):
        Pairs(np.zeros(2, np.int64), np.zeros(3, np.int64))


def test_texts_are_the_tokens_of_each_text_end_to_end():
    tokens = Tokens(np.array([5, 6, 7, 8], np.int32), np.array([0, 1, 1, 4], np.int64))
    assert tokens.texts(np.array([2, 1, 0, 2])).tolist() == [6, 7, 8, 5, 6, 7, 8]
    assert tokens.texts(np.zeros(0, np.int64)).tolist() == []


@pytest.mark.parametrize("places", [[2, 0], slice(1, 3), [True, False, True]], ids=str)
def test_parts_of_pairs(places):
    pairs = Pairs(np.array([1, 2, 3]), np.array([4, 5, 6]))
    part = pairs[places if isinstance(places, slice) else np.array(places)]
    assert (part.pred.tolist(), part.gold.tolist()) == (pairs.pred[places].tolist(), pairs.gold[places].tolist())
