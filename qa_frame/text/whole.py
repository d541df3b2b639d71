"""What is asked of, and done to, whole texts before they are cut into words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

_ASCII_PUNCTUATION_ALONE = r"\A[!-/:-@\[-`{-~]*\z"


def is_void(texts: pa.Array, of: str) -> NDArray[np.bool_]:
    """Whether a text holds nothing, or nothing but ASCII punctuation, shape (texts,). of: `text` or `punctuation`."""
    void = pc.equal(texts, "") if of == "text" else pc.match_substring_regex(texts, _ASCII_PUNCTUATION_ALONE)
    is_void_per_text: NDArray[np.bool_] = void.to_numpy(zero_copy_only=False)
    return is_void_per_text


def _first_line(predictions: pa.Array) -> pa.Array:
    """The first line of each prediction, once white space around the whole has gone. Nulls stay."""
    encoded = predictions.dictionary_encode()
    lines = [text.strip().split("\n")[0] for text in encoded.dictionary.to_pylist()]
    return pa.array(lines, predictions.type).take(encoded.indices)


PREDICTIONS: Mapping[str, Callable[[pa.Array], pa.Array] | None] = {"whole": None, "first_line": _first_line}
"""What a convention does to predictions first."""
