"""Rows whose scores are doubtful: marks, which scoring makes as a by-product, and counts, which add up over parts.

`doubt_warnings` turns counts into sentences, once for all parts of a call.
"""

from __future__ import annotations

import itertools
import operator
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.extraction.steps import gives_letters
from qa_frame.frames.arrow_types import is_text, valid_items
from qa_frame.frames.diagnosis import SEPARATORS, find_written_golds, has_separator
from qa_frame.frames.options import LETTER_OF_CHOICE
from qa_frame.frames.text_columns import TextColumns
from qa_frame.kernels.pair_counts import PairCounts
from qa_frame.rules.parts import FAMILIES, Bleu, Convention, gold_tokens_of
from qa_frame.scoring.batches import Batch
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.pooled import NO_GOLD, NOT_EXTRACTED
from qa_frame.text.raw_texts import binary_data
from qa_frame.text.segments import CHARACTERS
from qa_frame.text.vocabulary import tokenise
from qa_frame.text.words import cut_words

_SAMPLED, _SUSPECT = 512, 0.25
"""So many golds are looked at first. Where a larger share has a separator, all are looked at."""
_LETTER = r"[^\x00-\x7f\P{L}\p{Lm}]|[^\x00-\x7f\P{N}]"
"""A letter or digit beyond ASCII, but no modifier: "ﾞ" alone is no word of any script."""
_UNSPACED = f"[{CHARACTERS}]"
_FIRST_BYTE = 0xE0
"""That of each character of these scripts is this one or higher."""
_FIRST_BYTE_OF_MARKS, _SECOND_BYTE = 0xE2, 0xBA
"""Dashes and quotation marks begin with this byte, too. In these scripts, the second byte is this one or higher."""
_ALONE = re.compile(rf"(?![\u30a0-\u30ff\uff65-\uff9f]){_UNSPACED}")
"""A character of these scripts, but of Katakana, whose runs are words."""
_SENTENCE = pa.array(["今天天气很好"], pa.large_string())
"""One that a rule for words of such a script cuts."""
LEAST_LONG, TIMES_LONGER = 100, 10
"""A prediction is long from so many characters on, if it has so many times those of the row's longest gold."""


RowFlags = Counter[str]
"""Counts of rows, by name. They add up over parts of a frame.

n, n_null, n_not_extracted
    All rows, those whose response is null, and those in whose response no answer was found.
n_gold, n_no_gold
    Rows that have a gold, and those that are not scored for want of one.
n_joined:SEP
    Rows whose only gold has a separator, of `SEPARATORS`, between two texts.
n_written
    Rows whose text of golds looks like a list that was written out.
n_choices, n_letters
    Where responses choose the letter of an option: all golds, and those that are a letter.
n_no_option
    Rows whose golds are none of the row's options, where these are given.
n_always_right
    Rows in which `contains` is 1 as nothing is left of a gold, whatever the prediction is.
n_never_right
    Rows in which F1 is 0 as nothing is left of a gold, nor of the prediction.
n_unseen:FAMILY
    Rows with a text that has a letter or digit beyond ASCII, and no token for a family of metrics.
n_uncut:FAMILY
    Rows with a score of 0 by a family though their texts are alike, in a script without spaces.
"""

NULL, LONG = "n_null", "n_long"
"""Counts of rows that no table shows: responses that are null, and those far longer than every gold of their row."""


Marks = NDArray[np.uint16]
"""What is doubtful in each row, shape (rows,): a sum of values of `_MARKS`."""

_PER_FAMILY = ("n_uncut:exact", "n_uncut:overlap", *(f"n_unseen:{family}" for family in FAMILIES))
_MARKS = {name: 1 << place for place, name in enumerate(("n_always_right", "n_never_right", *_PER_FAMILY))}
"""The mark of the rows of each of these counts."""


def mark_rows(
    batch: Batch, counts: Mapping[str, PairCounts], scores: Mapping[str, Floats], convention: Convention
) -> Marks:
    """Mark the rows of a batch whose scores are doubtful, by the counts and scores of its pairs."""
    marks = np.zeros(batch.n_rows, np.uint16)
    found = (_unseen_pairs(batch, counts, convention), _empty_golds(counts, scores), _uncut(batch, scores, convention))
    for name, places in itertools.chain(*found):
        marks[np.searchsorted(batch.pair_offsets, places, side="right") - 1] |= _MARKS[name]
    marks[batch.is_missing] = 0  # such a row may have pairs or none
    return marks


def are_marked(marks: Marks, count: str) -> Flags:
    """Whether rows have the mark of a count, as "n_unseen:rouge_l", or of any family, as "n_unseen"; shape (rows,)."""
    return (marks & sum(mark for name, mark in _MARKS.items() if count in {name, name.partition(":")[0]})) > 0


def _unseen_pairs(batch: Batch, counts: Mapping[str, PairCounts], convention: Convention) -> Iterator[tuple[str, Ints]]:
    """Yield the pairs with a text that has letters and no token, for each family for which this holds."""
    for family, found in counts.items():
        rule = getattr(convention, family)
        # The `n_gold` of golds together is not of each gold. Where golds have a text of their own, what is left of a
        # prediction is the part that is meant.
        if (isinstance(rule, Bleu) and rule.references == "together") or gold_tokens_of(rule) is not None:
            continue
        for n_tokens, side in ((found.n_pred, batch.pairs.pred), (found.n_gold, batch.pairs.gold)):
            if np.count_nonzero(n_tokens) < len(n_tokens):
                places = np.flatnonzero(n_tokens == 0)
                yield f"n_unseen:{family}", places[_has_letters(batch.texts, side[places], _LETTER)]


def _empty_golds(counts: Mapping[str, PairCounts], scores: Mapping[str, Floats]) -> Iterator[tuple[str, Ints]]:
    """Yield the pairs of which nothing is left of the gold, so that the score does not tell right from wrong."""
    for name, family, score in (("n_always_right", "contains", 1), ("n_never_right", "overlap", 0)):
        n_gold = counts[family].n_gold if family in counts else np.ones(0)
        if np.count_nonzero(n_gold) < len(n_gold) and (of_family := _scores_of(family, scores)):
            has_pred = counts[family].n_pred > 0
            places = np.flatnonzero((n_gold == 0) & (has_pred == (score == 1)))
            yield name, places[np.any([each[places] == score for each in of_family], axis=0)]


def _scores_of(family: str, scores: Mapping[str, Floats]) -> list[Floats]:
    """The scores of the metrics of a family."""
    return [scores[name] for name in scores if name in METRICS and METRICS[name].family == family]


def _uncut(batch: Batch, scores: Mapping[str, Floats], convention: Convention) -> Iterator[tuple[str, Ints]]:
    """Yield the pairs of rows whose scores are 0 though both sides are alike, in a script without spaces.

    For the family "exact", they are equal but for the marks around them, where texts are compared by their words. For
    "overlap", they are also alike if one has the other inside.
    """
    data = binary_data(batch.texts)
    first = np.flatnonzero(data >= _FIRST_BYTE) if data.max(initial=0) >= _FIRST_BYTE else np.zeros(0, np.int64)
    if not ((data[first] != _FIRST_BYTE_OF_MARKS) | (data[first + 1] >= _SECOND_BYTE)).any():
        return
    rows = batch.row_per_pair
    for family, are_alike in (("exact", operator.eq), ("overlap", _is_inside)):
        rule, of_family = getattr(convention, family), _scores_of(family, scores)
        if not of_family or gold_tokens_of(rule) is not None or (family == "exact" and rule.text.split == "none"):
            continue
        is_wrong = np.ones(batch.n_rows, np.bool_)
        for each in of_family:
            is_wrong[rows[each != 0]] = False
        places = np.flatnonzero(is_wrong[rows])
        for side in (batch.pairs.gold, batch.pairs.pred):  # few golds have such a character, and these are short
            places = places[_has_letters(batch.texts, side[places], _UNSPACED)]
        if not len(places) or tokenise(cut_words(_SENTENCE), rule.text).tokens.n_per_text[0] > 1:
            continue  # there is none, or the rule cuts such texts
        sides = [batch.pairs.pred[places], batch.pairs.gold[places]]
        ids, codes = np.unique(sides, return_inverse=True)
        bare = [_without_marks_around(text) for text in batch.texts.take(pa.array(ids)).to_pylist()]
        found = map(are_alike, *([bare[code] for code in side] for side in codes.reshape(2, -1).tolist()))
        yield f"n_uncut:{family}", places[np.fromiter(found, np.bool_, len(places))]


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


def find_doubts(columns: TextColumns, marks: Marks, plan: Plan) -> RowFlags:
    """Return the counts of these rows. marks: those of `mark_rows`."""
    n_golds = columns.n_golds
    n_not_extracted = 0 if columns.is_not_extracted is None else int(np.count_nonzero(columns.is_not_extracted))
    n_gold = int(np.count_nonzero(n_golds))
    found = {
        "n_rows": len(columns),
        NULL: columns.pred.null_count - n_not_extracted,
        NOT_EXTRACTED: n_not_extracted,
        "n_gold": n_gold,
        NO_GOLD: columns.golds.null_count if plan.convention.no_answer else len(columns) - n_gold,
        "n_written": len(find_written_golds(columns.golds)) if is_text(columns.golds.type) else 0,
        "n_no_option": 0 if columns.is_no_option is None else int(np.count_nonzero(columns.is_no_option)),
    }
    if any_marks := int(np.bitwise_or.reduce(marks)):
        found |= {name: int(np.count_nonzero(marks & mark)) for name, mark in _MARKS.items() if any_marks & mark}
    if not columns.has_spans:
        found |= _count_joined(columns.golds, n_golds)
        if gives_letters(plan.rules.extract):
            texts = golds_as_texts(columns.golds)
            found["n_choices"] = len(texts)
            found["n_letters"] = pc.sum(pc.match_substring_regex(texts, LETTER_OF_CHOICE)).as_py() or 0
    return Counter(found)


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


def _count_joined(golds: pa.ChunkedArray, n_golds: Ints) -> dict[str, int]:
    """The rows whose only gold has each separator, of those that many of a sample have."""
    step = max(1, len(golds) // _SAMPLED)
    samples = (chunk.take(pa.array(np.arange(0, len(chunk), step))) for chunk in golds.chunks)
    sample = golds_as_texts(pa.chunked_array(samples, golds.type) if step > 1 else golds)
    spelled = binary_data(sample).tobytes()
    # Looking for bytes is much faster than a pattern, and looking for one byte is by far the fastest.
    seen = [sep for sep in SEPARATORS if sep.strip().encode() in spelled and sep.encode() in spelled]
    suspects = [sep for sep in seen if has_separator(sample, sep).true_count > _SUSPECT * len(sample)]
    only = golds_as_texts(golds.filter(pa.array(n_golds == 1))) if suspects else sample
    return {f"n_joined:{sep}": int(has_separator(only, sep).true_count) for sep in suspects}


def golds_as_texts(golds: pa.ChunkedArray) -> pa.Array:
    """Return the golds of all rows, one after the other, without nulls."""
    texts, _ = valid_items(golds.combine_chunks())
    return texts
