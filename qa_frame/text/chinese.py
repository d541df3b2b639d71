"""Chinese and mixed text: each Chinese character is a token of its own, and what lies between is cut in another way."""

from __future__ import annotations

import importlib
import logging
import re
import threading
import warnings
from collections.abc import Callable, Sequence
from functools import cache

_CHARACTER = re.compile("([\u4e00-\u9fa5])")
_PIECE = re.compile("[\u4e00-\u9fa5]|[^\u4e00-\u9fa5]+")
_LOADING = threading.Lock()


def split_words(words: bytes) -> bytes:
    """Words with spaces around each Chinese character (U+4E00 to U+9FA5)."""
    return words if words.isascii() else _CHARACTER.sub(r" \1 ", words.decode()).encode()


def split_texts(texts: Sequence[str]) -> list[list[str]]:
    """Each Chinese character, and the words that `jieba` finds in what lies between, white space among them."""
    with _LOADING:  # several threads may be the first
        cut = _cutter()
    pieces = [_PIECE.findall(text) for text in texts]
    words = {piece: [piece] if len(piece) == 1 else cut(piece) for piece in set().union(*pieces)}
    return [[word for piece in of_text for word in words[piece]] for of_text in pieces]


@cache
def _cutter() -> Callable[[str], list[str]]:
    """`jieba`'s default mode with its own dictionary, loaded once and without a word."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it has invalid escapes, and imports what is deprecated
        try:
            jieba = importlib.import_module("jieba")
        except ImportError as error:
            raise ImportError(
                "the split 'mixed_cjk_jieba' needs jieba; install it with: pip install \"qa-frame[zh]\""
            ) from error
        jieba.setLogLevel(logging.WARNING)
        tokenizer = jieba.Tokenizer()
        tokenizer.initialize()
    cut: Callable[[str], list[str]] = tokenizer.lcut
    return cut
