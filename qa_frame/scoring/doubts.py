"""Rows whose scores are doubtful: marks, which scoring makes as a by-product, and counts, which add up over parts.

`doubt_warnings` turns counts into sentences, once for all parts of a call.
"""

from __future__ import annotations

import functools
import itertools
import operator
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.frames.arrow_types import is_text, valid_items
from qa_frame.frames.diagnosis import SEPARATORS, find_written_golds, has_separator
from qa_frame.frames.options import LETTER_OF_CHOICE
from qa_frame.frames.text_columns import TextColumns
from qa_frame.kernels.pair_counts import PairCounts
from qa_frame.kernels.tokens import Pairs
from qa_frame.rules.parts import FAMILIES, Bleu, Contains, Convention, gold_tokens_of
from qa_frame.scoring.batches import Batch
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Plan
from qa_frame.text.answers.extraction import gives_letters
from qa_frame.text.arrow_bytes import binary_data
from qa_frame.text.lexicon import tokenise
from qa_frame.text.scripts import CHARACTERS
from qa_frame.text.specification import Text
from qa_frame.text.words import cut_words

_SAMPLED, SUSPECT = 512, 0.25
"""So many golds are looked at first. A larger share with a separator is looked at whole, or leads to a warning."""
_LETTER = r"[^\x00-\x7f\P{L}\p{Lm}]|[^\x00-\x7f\P{N}]"
"""A letter or digit beyond ASCII, but no modifier: "ﾞ" alone is no word of any script."""
_UNSPACED = f"[{CHARACTERS}]"
_FIRST_BYTE = 0xE0
"""That of each character of these scripts is this one or higher."""
_FIRST_BYTE_OF_MARKS, _SECOND_BYTE = 0xE2, 0xBA
"""Dashes and quotation marks begin with this byte, too. In these scripts, the second byte is this one or higher."""
_ALONE = re.compile(rf"(?![\u30a0-\u30ff\uff65-\uff9f]){_UNSPACED}")
"""A character of these scripts, but of Katakana, whose runs are words."""
LEAST_LONG, TIMES_LONGER = 100, 10
"""A prediction is long from so many characters on, if it has so many times those of the row's longest gold."""


@dataclass(frozen=True, slots=True)
class Doubts:
    """Counts of rows.

    Attributes
    ----------
    n, n_null, n_not_extracted
        All rows, those whose response is null, and those in whose response no answer was found.
    n_gold, n_no_gold
        Rows that have a gold, and those that are not scored for want of one.
    n_joined
        By separator, of `SEPARATORS`: rows whose only gold has it between two texts.
    n_written
        Rows whose text of golds looks like a list that was written out.
    n_choices
        Where responses choose the letter of an option: golds that are a "letter", and "all" that were looked at. These
        are a sample of each part of the rows, or the whole part where the sample has no letter.
    n_no_option
        Rows whose golds are none of the row's options, where these are given.
    n_always_right
        Rows in which `contains` is 1 as nothing is left of a gold, whatever the prediction is.
    n_never_right
        Rows in which F1 is 0 as nothing is left of a gold, nor of the prediction.
    n_unseen
        By family of metrics: rows with a text that has a letter or digit beyond ASCII, and no token for the family.
    n_uncut
        By family of metrics: rows with a score of 0 though their texts are alike, in a script without spaces.
    """

    n: int = 0
    n_null: int = 0
    n_not_extracted: int = 0
    n_gold: int = 0
    n_no_gold: int = 0
    n_joined: Counter[str] = field(default_factory=Counter)
    n_written: int = 0
    n_choices: Counter[str] = field(default_factory=Counter)
    n_no_option: int = 0
    n_always_right: int = 0
    n_never_right: int = 0
    n_unseen: Counter[str] = field(default_factory=Counter)
    n_uncut: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Doubts) -> Doubts:
        return Doubts(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(Doubts)))


NO_DOUBTS = Doubts()


Marks = NDArray[np.uint16]
"""What is doubtful in each row, shape (rows,): a sum of these and of values of `_UNSEEN` and `_UNCUT`."""

_ALWAYS_RIGHT, _NEVER_RIGHT = 1, 2
_UNSEEN = {family: 4 << place for place, family in enumerate(FAMILIES)}
_UNCUT = {"exact": 4 << len(FAMILIES), "overlap": 8 << len(FAMILIES)}


def mark_rows(
    batch: Batch, counts: Mapping[str, PairCounts], scores: Mapping[str, Floats], convention: Convention
) -> Marks:
    """Mark the rows of a batch whose scores are doubtful, by the counts and scores of its pairs."""
    marks = np.zeros(batch.n_rows, np.uint16)
    found = (_unseen_pairs(batch, counts, convention), _empty_golds(counts, scores), _uncut(batch, scores, convention))
    for value, places in itertools.chain(*found):
        marks[np.searchsorted(batch.pair_offsets, places, side="right") - 1] |= value
    marks[batch.is_missing] = 0  # such a row may have pairs or none
    return marks


def _unseen_pairs(batch: Batch, counts: Mapping[str, PairCounts], convention: Convention) -> Iterator[tuple[int, Ints]]:
    """Yield the pairs with a text that has letters and no token, and the mark of the families for which this holds."""
    for families in _alike_families(convention, tuple(counts)):
        found, value = counts[families[0]], sum(_UNSEEN[family] for family in families)
        for n_tokens, side in ((found.n_pred, batch.pairs.pred), (found.n_gold, batch.pairs.gold)):
            if np.count_nonzero(n_tokens) < len(n_tokens):
                places = np.flatnonzero(n_tokens == 0)
                yield value, places[_has_letters(batch.texts, side[places], _LETTER)]


@functools.lru_cache(maxsize=256)
def _alike_families(convention: Convention, families: tuple[str, ...]) -> Sequence[Sequence[str]]:
    """Group the families that have the same tokens, and leave out those whose counts do not say what is seen."""
    groups: dict[tuple[Text, bool], list[str]] = {}
    for family in families:
        rule = getattr(convention, family)
        # The `n_gold` of golds together is not of each gold. Where golds have a text of their own, what is left of a
        # prediction is the part that is meant.
        if not (isinstance(rule, Bleu) and rule.references == "together") and gold_tokens_of(rule) is None:
            groups.setdefault((rule.text, isinstance(rule, Contains)), []).append(family)  # golds may be as texts
    return [*groups.values()]


def _empty_golds(counts: Mapping[str, PairCounts], scores: Mapping[str, Floats]) -> Iterator[tuple[int, Ints]]:
    """Yield the pairs of which nothing is left of the gold, so that the score does not tell right from wrong."""
    for value, family, score in ((_ALWAYS_RIGHT, "contains", 1), (_NEVER_RIGHT, "overlap", 0)):
        n_gold = counts[family].n_gold if family in counts else np.ones(0)
        if np.count_nonzero(n_gold) < len(n_gold) and (of_family := _scores_of(family, scores)):
            has_pred = counts[family].n_pred > 0
            places = np.flatnonzero((n_gold == 0) & (has_pred == (value == _ALWAYS_RIGHT)))
            yield value, places[np.any([each[places] == score for each in of_family], axis=0)]


def _scores_of(family: str, scores: Mapping[str, Floats]) -> list[Floats]:
    """The scores of the metrics of a family."""
    return [scores[name] for name in scores if name in METRICS and METRICS[name].family == family]


def _uncut(batch: Batch, scores: Mapping[str, Floats], convention: Convention) -> Iterator[tuple[int, Ints]]:
    """Yield the pairs that are alike, of rows without a score other than 0."""
    data = binary_data(batch.texts)
    if data.max(initial=0) < _FIRST_BYTE:
        return
    first = np.flatnonzero(data >= _FIRST_BYTE)
    if not ((data[first] != _FIRST_BYTE_OF_MARKS) | (data[first + 1] >= _SECOND_BYTE)).any():
        return
    rows = batch.row_per_pair
    for family, value in _UNCUT.items():
        if of_family := _scores_of(family, scores):
            is_wrong = np.ones(batch.n_rows, np.bool_)
            for each in of_family:
                is_wrong[rows[each != 0]] = False
            places = np.flatnonzero(is_wrong[rows])
            yield value, places[alike_pairs(batch.texts, batch.pairs[places], family, convention)]


def alike_pairs(texts: pa.Array, pairs: Pairs, family: str, convention: Convention) -> Flags:
    """Whether both sides of each pair are alike, in a script without spaces, so that a score of 0 is hardly meant.

    For the family "exact", they are equal but for the marks around them, where texts are compared by their words. For
    "overlap", they are also alike if one has the other inside.
    """
    rule = getattr(convention, family)
    if gold_tokens_of(rule) is not None or (family == "exact" and rule.text.split == "none"):
        return np.zeros(len(pairs), np.bool_)
    is_alike = _has_letters(texts, pairs.gold, _UNSPACED)  # few golds have one, and these are short
    is_alike[is_alike] = _has_letters(texts, pairs.pred[is_alike], _UNSPACED)
    places = np.flatnonzero(is_alike)
    if not len(places):
        return is_alike
    if tokenise(cut_words(pa.array(["今天天气很好"], pa.large_string())), rule.text).tokens.n_per_text[0] > 1:
        return np.zeros(len(pairs), np.bool_)  # the rule cuts such texts
    ids, codes = np.unique([pairs.pred[places], pairs.gold[places]], return_inverse=True)
    bare = [_without_marks_around(text) for text in texts.take(pa.array(ids)).to_pylist()]
    sides = ([bare[code] for code in side] for side in codes.reshape(2, -1).tolist())
    is_alike[places] = [*map(operator.eq if family == "exact" else _is_inside, *sides)]
    return is_alike


def _without_marks_around(text: str) -> str:
    """Return the text from its first to its last letter, digit or combining mark. Arrow's patterns take longer."""
    start, stop = 0, len(text)
    while start < stop and unicodedata.category(text[start])[0] not in "LNM":
        start += 1
    while stop > start and unicodedata.category(text[stop - 1])[0] not in "LNM":
        stop -= 1
    return text[start:stop]


def _is_inside(one: str, other: str) -> bool:
    """Whether one text is the other, or is inside it and has a character that is a word by itself."""
    short, long = sorted((one, other), key=len)
    return short == long or (short in long and _ALONE.search(short) is not None)


def _has_letters(texts: pa.Array, ids: Ints, letter: str) -> Flags:
    """Whether each of these texts has a character beyond ASCII that a pattern finds."""
    has_letters = np.zeros(len(texts), np.bool_)
    has_letters[ids] = True
    places = np.flatnonzero(has_letters)
    found = texts.take(pa.array(places))
    is_wide = pc.not_equal(pc.binary_length(found), pc.utf8_length(found))
    is_letter = pc.match_substring_regex(found.filter(is_wide), letter)  # a pattern takes far longer than lengths
    has_letters[places] = False
    has_letters[places[np.asarray(is_wide)]] = np.asarray(is_letter)
    return has_letters[ids]


def find_doubts(columns: TextColumns, marks: Marks, plan: Plan) -> Doubts:
    """Return the counts of these rows. marks: those of `mark_rows`."""
    has_spans, n_golds = columns.has_spans, columns.n_golds
    n_not_extracted = 0 if columns.is_not_extracted is None else int(np.count_nonzero(columns.is_not_extracted))
    n_gold = int(np.count_nonzero(n_golds))
    any_marks = int(np.bitwise_or.reduce(marks))

    def count(marked: int) -> int:
        return int(np.count_nonzero(marks & marked)) if any_marks & marked else 0

    return Doubts(
        n=len(columns),
        n_null=columns.pred.null_count - n_not_extracted,
        n_not_extracted=n_not_extracted,
        n_gold=n_gold,
        n_no_gold=columns.golds.null_count if plan.convention.no_answer else len(columns) - n_gold,
        n_joined=Counter() if has_spans else _count_joined(columns.golds, n_golds),
        n_written=len(find_written_golds(columns.golds)) if is_text(columns.golds.type) else 0,
        n_choices=Counter() if has_spans or not gives_letters(plan.rules.extract) else _count_choices(columns.golds),
        n_no_option=0 if columns.is_no_option is None else int(np.count_nonzero(columns.is_no_option)),
        n_always_right=count(_ALWAYS_RIGHT),
        n_never_right=count(_NEVER_RIGHT),
        n_unseen=Counter({name: count(mark) for name, mark in _UNSEEN.items() if any_marks & mark}),
        n_uncut=Counter({name: count(mark) for name, mark in _UNCUT.items() if any_marks & mark}),
    )


def are_long(columns: TextColumns) -> Flags:
    """Whether each prediction is far longer than every gold of its row, shape (rows,). A row without golds has none."""
    if columns.has_spans:
        return np.zeros(len(columns), np.bool_)
    found: Flags = pc.greater_equal(pc.binary_length(columns.pred), LEAST_LONG).fill_null(False).to_numpy()
    places, some = np.flatnonzero(found), pa.array(found)  # few have so many bytes, which are quickly known
    length = pc.utf8_length(columns.pred.filter(some)).to_numpy()
    golds, bounds = valid_items(columns.golds.filter(some).combine_chunks())
    longest = pc.utf8_length(golds).to_numpy()
    longest = np.maximum.reduceat(np.append(longest, -1), bounds[:-1])  # of an empty list, the first one of the next
    longest[np.diff(bounds) == 0] = -1
    found[places] = (length >= LEAST_LONG) & (length >= TIMES_LONGER * longest) & (longest >= 0)
    return found


def _count_joined(golds: pa.ChunkedArray, n_golds: Ints) -> Counter[str]:
    """The rows whose only gold has each separator, of those that many of a sample have."""
    sample = _sample(golds)
    spelled = binary_data(sample).tobytes()
    # Looking for bytes is much faster than a pattern, and looking for one byte is by far the fastest.
    seen = [sep for sep in SEPARATORS if sep.strip().encode() in spelled and sep.encode() in spelled]
    suspects = [sep for sep in seen if has_separator(sample, sep).true_count > SUSPECT * len(sample)]
    only = golds_as_texts(golds.filter(pa.array(n_golds == 1))) if suspects else sample
    return Counter({sep: int(has_separator(only, sep).true_count) for sep in suspects})


def _count_choices(golds: pa.ChunkedArray) -> Counter[str]:
    """The golds that are a letter, and all: of a sample, or of all rows where it has no letter."""
    found: Counter[str] = Counter()
    for texts in (_sample(golds), golds_as_texts(golds)):
        if not found["letter"]:
            n_letters = pc.sum(pc.match_substring_regex(texts, LETTER_OF_CHOICE)).as_py() or 0
            found = Counter({"all": len(texts), "letter": n_letters})
    return found


def _sample(golds: pa.ChunkedArray) -> pa.Array:
    """The golds of some rows, which stand at equal distances."""
    step = max(1, len(golds) // _SAMPLED)
    samples = (chunk.take(pa.array(np.arange(0, len(chunk), step))) for chunk in golds.chunks)
    return golds_as_texts(pa.chunked_array(samples, golds.type) if step > 1 else golds)


def golds_as_texts(golds: pa.ChunkedArray) -> pa.Array:
    """Return the golds of all rows, one after the other, without nulls."""
    texts, _ = valid_items(golds.combine_chunks())
    return texts
