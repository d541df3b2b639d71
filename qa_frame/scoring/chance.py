"""Are golds inside answers by chance? Golds of other rows are looked for in answers, as the rows' own are."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags, Ints
from qa_frame.frames.row_hashes import hash_texts, mix_bits
from qa_frame.frames.text_columns import TextColumns
from qa_frame.scoring.row_flags import RowFlags
from qa_frame.text.segments import CHARACTERS

_SAMPLED, _LENGTHS = 128, 4
"""So many rows are chosen, and so many times as many by their lengths."""
_LONGER = 3
"""An answer with so many words for each of the gold has two others for each of them."""
_BY_CHANCE = 0.2
"""Golds are there by chance if more than this share of them is inside the answers of other rows, too."""

_SPACES = str.maketrans(string.punctuation, " " * len(string.punctuation))
_WORD = re.compile(rf"[{CHARACTERS}]|[^\W{CHARACTERS}]+")

MOVED = ("n_own_golds", "n_moved_golds")
"""Of some rows: those whose own gold is in a longer answer, and those where this is so of the gold of another row."""


def is_by_chance(counts: Mapping[str, int]) -> bool:
    """Return whether golds are inside longer answers by chance, as yes, no and letters are.

    They are if the golds of other rows are in longer answers in more than `_BY_CHANCE` times as many rows as the rows'
    own golds.

    counts: those of `count_moved_golds`; a missing count is 0.
    """
    own, moved = (counts.get(name, 0) for name in MOVED)
    return moved > _BY_CHANCE * own


def count_moved_golds(columns: TextColumns, is_sampled: Flags) -> RowFlags:
    """Count the sampled rows whose longer answer has their own gold, and those where it has another row's gold.

    The counts have the two names of `MOVED`; for lists of spans, there are no counts. At most `_SAMPLED` rows are
    chosen, and put in order, by their texts alone, so the order of the frame makes no difference. Each row gets the
    gold of the row that is half of the sample away. Rows to which this gives an equal gold are left out.

    is_sampled: whether each row may be chosen for the sample, shape (rows,).
    """
    if columns.has_spans:
        return RowFlags()
    some = pa.array(choose_rows(columns, np.flatnonzero(is_sampled), _SAMPLED))
    answers = [(text or "").casefold() for text in columns.pred.take(some).to_pylist()]
    golds = [_words(_first_text(texts).casefold()) for texts in columns.golds.take(some).to_pylist()]
    half = len(golds) // 2
    are_inside = [
        (_is_inside(own, answer), _is_inside(other, answer))
        for answer, own, other in zip(answers, golds, golds[half:] + golds[:half], strict=True)
        if own != other
    ]
    counts = np.count_nonzero(np.reshape(are_inside, (-1, len(MOVED))), axis=0)
    return RowFlags(dict(zip(MOVED, counts.tolist(), strict=True)))


def _words(text: str) -> list[str]:
    """Return the words of a text, whatever the convention is. Characters of scripts without spaces are words."""
    return text.translate(_SPACES).split() if text.isascii() else _WORD.findall(text)


def _first_text(golds: Any) -> str:
    """Return the first gold of a row that is not null or empty; "" if there is none.

    golds: a text, a list of texts, or None.
    """
    return golds if isinstance(golds, str) else next(filter(None, golds or ()), "")


def _is_inside(gold: list[str], answer: str) -> bool:
    """Return whether an answer has all words of a gold, and at least twice as many others."""
    if not gold or not all(word in answer for word in gold):
        return False
    words = _words(answer)
    return len(words) >= _LONGER * len(gold) and {*gold} <= {*words}


def choose_rows(columns: TextColumns, places: Ints, n: int) -> Ints:
    """Return at most `n` of the rows at `places`, chosen and put in order by hashes of their texts alone.

    Of many rows, those with certain lengths of predictions are chosen first, which takes less time.
    """
    lengths = pc.fill_null(pc.binary_length(columns.pred), 0).to_numpy().astype(np.uint64)
    of_length = mix_bits(lengths[places])
    if len(places) > _LENGTHS * n:
        places = places[of_length <= np.partition(of_length, _LENGTHS * n)[_LENGTHS * n]]
    some = pa.array(places)
    hashes = hash_texts(columns.pred.take(some), columns.golds.take(some))
    return places[np.argsort(hashes, kind="stable")[:n]]
