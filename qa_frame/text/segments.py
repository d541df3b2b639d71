"""Words, characters and scripts as Unicode has them, without a dictionary.

Words and characters are those of its annex 29. One counts only if it has a letter or a digit: one that is alphabetic or
a number by Unicode. Of scripts, this module knows those that are written without spaces between words, as Han and Thai.
The ranges hold all characters of Han, Hiragana, Katakana, Thai, Lao, Khmer and Myanmar in Unicode 17 (property Script),
and code points between them that are not assigned.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Flags

PACKAGE = ("unicode_segmentation_rs", "unicode")
"""The package that finds the boundaries, and the extra that installs it."""

_SPACE, _LINE_FEED = ord(" "), ord("\n")
_CLUSTERS_KEPT = 1 << 16


def cut_words(piece: str) -> list[str]:
    """Return the words of a piece that have a letter or a digit."""
    words: list[str] = _load_package().unicode_words(piece)
    return words


def cut_clusters(piece: str) -> list[str]:
    """Return the extended grapheme clusters of a piece that have a letter or a digit: what readers call characters."""
    return [cluster for cluster in _cut_all_clusters(piece) if _has_word(cluster)]


def word_piece_starts(code_points: NDArray[np.uint32]) -> Flags:
    """Return whether a piece begins at each character: at a space or a line feed, where a word cannot go on."""
    return _piece_starts(code_points, lambda text: len(_load_package().split_word_bounds(text)))


def cluster_piece_starts(code_points: NDArray[np.uint32]) -> Flags:
    """Return whether a piece begins at each character: at a space or a line feed that begins a cluster."""
    return _piece_starts(code_points, lambda text: len(_cut_all_clusters(text)))


def _piece_starts(code_points: NDArray[np.uint32], n_segments: Callable[[str], int]) -> Flags:
    """Return whether a piece begins at each character: at a line feed, and at a space that begins a segment.

    n_segments: the function that counts the segments of a text, words or clusters. A space may belong to the segment of
    the character before it, as after another space.
    """
    starts: Flags = code_points == _LINE_FEED
    spaces = np.flatnonzero(code_points[1:] == _SPACE) + 1
    before = code_points[spaces - 1]
    joined = [code for code in np.unique(before).tolist() if n_segments(f"{chr(code)} ") == 1]
    starts[spaces] = ~np.isin(before, joined)
    return starts


def _cut_all_clusters(text: str) -> list[str]:
    """Return the grapheme clusters of a text: what a reader takes for one character."""
    clusters: list[str] = _load_package().graphemes(text, is_extended=True)
    return clusters


@lru_cache(maxsize=_CLUSTERS_KEPT)
def _has_word(cluster: str) -> bool:
    """Return whether a cluster has a letter or a digit. The latest answers are kept."""
    return bool(cut_words(cluster))


@cache
def _load_package() -> Any:
    return importlib.import_module(PACKAGE[0])


CHARACTERS = (
    "\u2e80-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufad9"  # Han
    "\U00016fe2\U00016fe3\U00016ff2-\U00016ff6\U00020000-\U0003fffd"
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff\u32d0-\u32fe"  # Hiragana and Katakana
    "\u3300-\u3357\uff66-\uff6f\uff71-\uff9d\U0001aff0-\U0001affe\U0001b000-\U0001b168\U0001f200"
    "\u3006\u3031-\u3035\u303c\u30fc\uff70"  # letters that Han, Hiragana and Katakana share
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e4f-\u0e5b"  # Thai
    "\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u0ed0-\u0edf"  # Lao
    "\u1780-\u17b3\u17d4-\u17dc\u17e0-\u17f9\u19e0-\u19ff"  # Khmer
    "\u1000-\u102a\u103f-\u1055\u105a-\u105d\u1061\u1065\u1066\u106e-\u1070\u1075-\u1081\u108e"  # Myanmar
    "\u1090-\u1099\u109e\u109f\ua9e0-\ua9e4\ua9e6-\ua9fe\uaa60-\uaa7a\uaa7e\uaa7f\U000116d0-\U000116e3"
)
"""Ranges of the characters of the seven scripts that are no marks, as in a character class of `re`."""
