"""What is asked of, and done to, whole texts before they are cut into words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags

_ASCII_PUNCTUATION_ALONE = r"\A[!-/:-@\[-`{-~]*\z"


def is_empty_text(texts: pa.Array, of: str) -> Flags:
    """Whether a text holds nothing, or nothing but ASCII punctuation, shape (texts,). of: `text` or `punctuation`."""
    void = pc.equal(texts, "") if of == "text" else pc.match_substring_regex(texts, _ASCII_PUNCTUATION_ALONE)
    is_void_per_text: Flags = void.to_numpy(zero_copy_only=False)
    return is_void_per_text


def _first_line(predictions: pa.Array) -> pa.Array:
    """The first line of each prediction, once white space around the whole has gone. Nulls stay."""
    is_padded = pc.not_equal(pc.binary_length(pc.utf8_trim_whitespace(predictions)), pc.binary_length(predictions))
    has_more = pc.or_(is_padded, pc.match_substring(predictions, "\n")).fill_null(False)
    texts = predictions.filter(has_more).to_pylist()
    if not texts:
        return predictions
    lines = pa.array([text.strip().split("\n")[0] for text in texts], predictions.type)
    return pc.replace_with_mask(predictions, has_more, lines)


PREDICTIONS: Mapping[str, Callable[[pa.Array], pa.Array] | None] = {"whole": None, "first_line": _first_line}
"""What a convention does to predictions first."""
