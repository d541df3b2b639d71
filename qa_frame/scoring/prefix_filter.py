"""Exact match alone: a text that begins unlike all its counterparts is not read to its end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame.kernels.pair_counts import begin_alike
from qa_frame.rules.parts import empties_of
from qa_frame.scoring.batches import Batch
from qa_frame.scoring.plan import Plan
from qa_frame.text.raw_texts import binary_data, binary_offsets
from qa_frame.text.tokenisers import works_word_by_word
from qa_frame.text.vocabulary import tokenise
from qa_frame.text.words import cut_words

_CHARACTERS = 24
"""The length of a head, from which a last word that is not whole is left out."""

_LONG = 100
"""Texts of so many bytes or more, on average, are first compared by their heads."""


def shorten_texts(batch: Batch, plan: Plan) -> Batch:
    """The batch with a head in place of each text that no counterpart can equal, where this is all the plan asks.

    Texts of a pair whose heads have different first tokens are not equal, whatever follows. A text of any other pair
    stays as it is, as does one whose head has no tokens.
    """
    convention = plan.convention
    if plan.computed_metrics != ("em",) or plan.own or plan.stats or convention.no_answer or convention.no_answer_gold:
        return batch
    exact = convention.exact
    if exact is None or not exact.is_equality or not works_word_by_word(exact.text):
        return batch
    if any(empty.of == "punctuation" for empty in empties_of(exact)):  # of which a head may consist alone
        return batch
    if batch.texts.nbytes < _LONG * len(batch.texts):
        return batch
    heads = _heads(batch.texts)
    alike = batch.pairs[begin_alike(tokenise(cut_words(heads), exact.text).tokens, batch.pairs)]
    is_whole = np.zeros(len(heads), np.bool_)
    is_whole[alike.pred] = True
    is_whole[alike.gold] = True
    return replace(batch, texts=pc.if_else(pa.array(is_whole), batch.texts, heads))


def _heads(texts: pa.Array) -> pa.Array:
    """The first whole words of each text. Spaces stand in place of the first characters of the next word."""
    heads = pc.utf8_slice_codeunits(texts, 0, _CHARACTERS)
    data, offsets = binary_data(heads).copy(), binary_offsets(heads)
    is_cut = pc.not_equal(pc.binary_length(heads), pc.binary_length(texts)).to_numpy(zero_copy_only=False)
    starts, ends = offsets[:-1][is_cut], offsets[1:][is_cut]
    spaces = np.append(0, np.flatnonzero(data == ord(" ")))
    last_space = spaces[np.searchsorted(spaces[1:], ends)]
    is_after = np.zeros(len(data) + 1, np.int8)  # 1 where the part to be overwritten begins, -1 behind it
    is_after[np.maximum(starts, last_space)] += 1
    is_after[ends] -= 1
    data[np.cumsum(is_after[:-1]) > 0] = ord(" ")
    return pa.Array.from_buffers(pa.large_string(), len(heads), [None, pa.py_buffer(offsets), pa.py_buffer(data)])
