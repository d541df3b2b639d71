"""Words and characters as Unicode has them in its annex 29: of any script, without a dictionary.

A word or a character counts only if it has a letter or a digit: one that is alphabetic or a number by Unicode.
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
    """The words of a piece."""
    words: list[str] = _load_package().unicode_words(piece)
    return words


def cut_clusters(piece: str) -> list[str]:
    """The extended grapheme clusters of a piece: what readers call its characters."""
    return [cluster for cluster in _cut_all_clusters(piece) if _has_word(cluster)]


def word_piece_starts(code_points: NDArray[np.uint32]) -> Flags:
    """Whether a piece begins at each character: at a space or a line feed, where a word cannot go on."""
    return _piece_starts(code_points, lambda text: len(_load_package().split_word_bounds(text)))


def cluster_piece_starts(code_points: NDArray[np.uint32]) -> Flags:
    """Whether a piece begins at each character: at a space or a line feed that begins a cluster."""
    return _piece_starts(code_points, lambda text: len(_cut_all_clusters(text)))


def _piece_starts(code_points: NDArray[np.uint32], n_segments: Callable[[str], int]) -> Flags:
    """Where a space follows a character from which no boundary parts it, as another space, no piece begins."""
    starts: Flags = code_points == _LINE_FEED
    spaces = np.flatnonzero(code_points[1:] == _SPACE) + 1
    before = code_points[spaces - 1]
    joined = [code for code in np.unique(before).tolist() if n_segments(f"{chr(code)} ") == 1]
    starts[spaces] = ~np.isin(before, joined)
    return starts


def _cut_all_clusters(text: str) -> list[str]:
    clusters: list[str] = _load_package().graphemes(text, is_extended=True)
    return clusters


@lru_cache(maxsize=_CLUSTERS_KEPT)
def _has_word(cluster: str) -> bool:
    return bool(cut_words(cluster))


@cache
def _load_package() -> Any:
    return importlib.import_module(PACKAGE[0])
