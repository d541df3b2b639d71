"""Texts as a convention's exact match compares them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Ints
from qa_frame.errors import UnknownOptionError
from qa_frame.frames.text_columns import TextColumns
from qa_frame.rules.listing import DEFAULT, conventions
from qa_frame.rules.parts import Convention, Exact
from qa_frame.scoring.batches import split_rows
from qa_frame.scoring.call_rules import find_convention, make_rules
from qa_frame.scoring.plan import make_plan
from qa_frame.text.contains import join_tokens
from qa_frame.text.raw_texts import PREDICTIONS
from qa_frame.text.specification import Text
from qa_frame.text.vocabulary import normalised_texts, tokenise
from qa_frame.text.words import cut_words

_KEEP_ALL = ("none", "characters", "mixed_cjk_jieba")
"""The splits that leave nothing out: where they make equal tokens of two texts, these are equal before the split."""


def normalise_texts(texts: pa.ChunkedArray, convention: str | Convention, *, are_predictions: bool) -> pa.ChunkedArray:
    """Return texts as the convention's `em` compares them, `large_string`; nulls stay null.

    Raises UnknownOptionError where the convention has no `em`, or its `em` is not an equality of texts.

    are_predictions: whether the convention's preparation of predictions comes first.
    """
    convention, rule = _rule_of_em(convention)
    prepare = PREDICTIONS[convention.prediction] if are_predictions else None
    chunks = []
    for start, stop in split_rows(TextColumns(texts, texts)):
        batch = texts.slice(start, stop - start).combine_chunks().dictionary_encode()
        distinct = batch.dictionary if prepare is None else prepare(batch.dictionary)
        normalised = pa.array(_normalise(distinct, rule.text), pa.large_string())
        chunks.append(normalised.take(batch.indices))
    return pa.chunked_array(chunks, pa.large_string())


def normalise_answers(texts: pa.ChunkedArray, convention: Convention) -> pa.ChunkedArray:
    """Return predictions as the convention's `em` compares them, `large_string`; nulls stay null.

    Where its `em` is no equality of texts, or it has none, the default convention's `em` is taken.
    """
    is_equality = convention.exact is not None and convention.exact.is_equality
    return normalise_texts(texts, convention if is_equality else DEFAULT, are_predictions=True)


def number_answers(texts: pa.ChunkedArray, convention: str | Convention) -> Ints:
    """Return a number for each prediction, int64, shape (rows,): equal where `normalise_texts` gives the same text.

    A null counts as the empty text. Raises UnknownOptionError as `normalise_texts` does, and where predictions are
    lists of spans.
    """
    if pa.types.is_large_list(texts.type):
        raise UnknownOptionError("majority compares texts, and the predictions are lists of spans; give text")
    normalised = pc.fill_null(normalise_texts(texts, convention, are_predictions=True), "")
    indices = normalised.combine_chunks().dictionary_encode().indices
    return np.asarray(indices.to_numpy(zero_copy_only=False), np.int64)


def _rule_of_em(convention: str | Convention) -> tuple[Convention, Exact]:
    """Return the convention and its rule for `em`.

    Raises UnknownOptionError without a rule that is an equality of texts, and what `make_plan` raises.
    """
    known = find_convention(convention, "convention")
    if known.exact is None:
        having = [name for name, each in conventions.items() if each.exact is not None]
        raise UnknownOptionError(f"convention={known.name!r} has no rule for em; give one that has: {having}")
    if not known.exact.is_equality:
        finding = "compares more than texts, as numbers with a tolerance, so em is no equality"
        raise UnknownOptionError.of("convention", finding, "score with metrics='em'", value=known.name)
    make_plan(["em"], make_rules(convention=known))  # checks the names of steps and splits
    return known, known.exact


def _normalise(texts: pa.Array, text: Text) -> list[str]:
    """Return each text after the rule's steps; where the split may leave something out, its tokens joined by spaces.

    With the split "characters_without_space", nothing is between the tokens.
    """
    words = cut_words(texts)
    if isinstance(text.split, str) and text.split in _KEEP_ALL:
        return _decode_utf8(normalised_texts(words, Text(text.steps, "none")))
    joined = _decode_utf8(join_tokens(tokenise(words, text)))
    return [each.replace(" ", "") for each in joined] if text.split == "characters_without_space" else joined


def _decode_utf8(texts: Sequence[str]) -> list[str]:
    """Return the texts that bytes of UTF-8 spell, from texts in which each character stands for one byte."""
    return [each if each.isascii() else each.encode("latin-1").decode() for each in texts]
