"""Chinese and mixed text. Each Chinese character (U+4E00 to U+9FA5) is a token; other text is split by another rule."""

from __future__ import annotations

import importlib
import logging
import re
import threading
import warnings
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Flags
from qa_frame.text.words import is_space

_CHARACTER = re.compile("([\u4e00-\u9fa5])")
_PIECE = re.compile(r"\S{2,}")
_LOADING = threading.Lock()


def split_at_characters(words: bytes) -> bytes:
    """Return words in UTF-8 with spaces around each Chinese character."""
    return words if words.isascii() else _CHARACTER.sub(r" \1 ", words.decode()).encode()


def separate_words(text: str) -> str:
    """Return the text with spaces between the words that `jieba` finds. White space stays as it is."""
    return _PIECE.sub(lambda match: " ".join(cut_piece(match[0])), text)


def piece_starts(code_points: NDArray[np.uint32]) -> Flags:
    """Return whether a piece begins at each character of texts that `jieba` cuts into words, shape (characters,).

    Each Chinese character is a piece, and each white space character, but CR LF is one piece. The text between them is
    one piece, too: `jieba` never looks across white space.
    """
    is_alone = is_space(code_points) | (code_points >= 0x4E00) & (code_points <= 0x9FA5)
    starts = is_alone.copy()
    starts[1:] |= is_alone[:-1]
    starts[1:] &= ~((code_points[:-1] == ord("\r")) & (code_points[1:] == ord("\n")))
    return starts


def starts_of_mixed_text(code_points: NDArray[np.uint32]) -> Flags:
    """Return whether a piece begins at each character, shape (characters,).

    A piece is a Chinese character, or all text between two of them.
    """
    starts = (code_points >= 0x4E00) & (code_points <= 0x9FA5)
    starts[1:] |= starts[:-1].copy()
    return starts


def cut_piece(piece: str) -> list[str]:
    """Return the tokens of a piece: a single character and CR LF as they are, else the words that `jieba` finds.

    `jieba` takes time by the square of a run of characters that it knows as no words: a second for 15,000 of them.
    """
    if len(piece) == 1 or piece == "\r\n":
        return [piece]
    with _LOADING:  # two threads may call this for the first time at once
        cut = _make_cutter()
    return cut(piece)


@cache
def _make_cutter() -> Callable[[str], list[str]]:
    """Return the function of `jieba`'s default mode with its own dictionary, loaded without a message."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its source has invalid escapes and imports deprecated modules
        jieba = importlib.import_module("jieba")
        jieba.setLogLevel(logging.WARNING)
        tokenizer = jieba.Tokenizer()
        tokenizer.initialize()
    cut: Callable[[str], list[str]] = tokenizer.lcut
    return cut
