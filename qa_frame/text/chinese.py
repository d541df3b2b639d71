"""Chinese and mixed text: each Chinese character is a token of its own, and what lies between is cut in another way."""

from __future__ import annotations

import importlib
import logging
import re
import threading
import warnings
from collections.abc import Callable
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Flags
from qa_frame.text.words import is_space

_CHARACTER = re.compile("([\u4e00-\u9fa5])")
_LOADING = threading.Lock()
_PIECES_KEPT = 1 << 16


def split_words(words: bytes) -> bytes:
    """Words with spaces around each Chinese character (U+4E00 to U+9FA5)."""
    return words if words.isascii() else _CHARACTER.sub(r" \1 ", words.decode()).encode()


def piece_starts(code_points: NDArray[np.uint32]) -> Flags:
    """Whether a piece begins at a character: each Chinese character and each white space is one, but CR LF are one.

    What lies between may be cut piece by piece, as `jieba` never looks across white space.
    """
    alone = is_space(code_points) | (code_points >= 0x4E00) & (code_points <= 0x9FA5)
    starts = alone.copy()
    starts[1:] |= alone[:-1]
    starts[1:] &= ~((code_points[:-1] == ord("\r")) & (code_points[1:] == ord("\n")))
    return starts


def cut_piece(piece: str) -> list[str]:
    """A Chinese character or a white space as it is, and the words that `jieba` finds in anything else."""
    return [piece] if len(piece) == 1 else _cut_words(piece)


@lru_cache(maxsize=_PIECES_KEPT)
def _cut_words(piece: str) -> list[str]:
    with _LOADING:  # several threads may be the first
        cut = _cutter()
    return cut(piece)


@cache
def _cutter() -> Callable[[str], list[str]]:
    """`jieba`'s default mode with its own dictionary, loaded once and without a word."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it has invalid escapes, and imports what is deprecated
        jieba = importlib.import_module("jieba")
        jieba.setLogLevel(logging.WARNING)
        tokenizer = jieba.Tokenizer()
        tokenizer.initialize()
    cut: Callable[[str], list[str]] = tokenizer.lcut
    return cut
