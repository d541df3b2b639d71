"""Flags of rows, which scoring makes as a by-product, and counts of rows, which add up over parts of a frame.

`row_flag_warnings` has the table of flags, and turns counts into sentences, once for all parts of a call.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.extraction.steps import gives_letters
from qa_frame.frames.arrow_types import is_text, valid_items
from qa_frame.frames.diagnosis import SEPARATORS, find_written_golds, has_separator
from qa_frame.frames.options import LETTERS_OF_CHOICE
from qa_frame.frames.text_columns import TextColumns
from qa_frame.kernels.pair_counts import PairCounts
from qa_frame.rules.parts import Bleu, Convention, Overlap, gold_tokens_of
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
_UNSPACED = f"[{CHARACTERS}]"
_ONE_CHARACTER = rf"^\s*{_UNSPACED}\s*$"
_FIRST_BYTE = 0xE0
"""That of each character of these scripts is this one or higher."""
_FIRST_BYTE_OF_MARKS, _SECOND_BYTE = 0xE2, 0xBA
"""Dashes and quotation marks begin with this byte, too. In these scripts, the second byte is this one or higher."""
_ALONE = re.compile(rf"(?![\u30a0-\u30ff\uff65-\uff9f]){_UNSPACED}")
"""A character of these scripts, but of Katakana, whose runs are words."""
_SENTENCE = pa.array(["今天天气很好"], pa.large_string())
"""One that a rule for words of such a script cuts."""


RowFlags = Counter[str]
"""Counts of rows, by name. They add up over parts of a frame.

n_rows, n_null, n_not_extracted
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

Those in `FLAGS` are counted, too.
"""

NULL = "n_null"
"""The count of responses that are null."""

FLAGS = ("gold_in_longer_answer", "gold_without_tokens", "gold_without_ngrams", "uncut_script")
"""The flags that a scored row may have.

gold_in_longer_answer
    The prediction has all tokens of a gold, and at least twice as many others.
gold_without_tokens, gold_without_ngrams
    Nothing is left of a gold: for exact match, overlap or `contains`, and for ROUGE, BLEU and other metrics.
uncut_script
    A score is 0 though the texts are alike, in a script without spaces that the rules do not cut into words.
"""

LONGER, EMPTY, WITHOUT_NGRAMS, UNCUT = FLAGS

WHOLE_WORDS = frozenset({"exact", "overlap", "contains"})
"""The families of metrics that compare tokens, and no n-grams or other parts."""

LEAST_SHARE, LEAST_ROWS = 0.1, 5
"""So large a share of a group's rows, and so many of them, are worth a sentence."""


def are_many(n: Any, n_rows: Any, least: float = LEAST_SHARE, least_rows: int = LEAST_ROWS) -> Any:
    """Return whether `n` of `n_rows` rows are worth a sentence. Both are numbers, or arrays of shape (groups,).

    least, least_rows: the smallest share and the smallest number that are worth one.
    """
    return (n >= least_rows) & (n >= least * n_rows)


Codes = NDArray[np.int8]
"""The flags of each row, as the place of their names in `FLAG_VALUES`, shape (rows,)."""

_BITS = {flag: 1 << place for place, flag in enumerate(FLAGS)}

FLAG_VALUES = tuple(" ".join(flag for flag, bit in _BITS.items() if code & bit) for code in range(1 << len(FLAGS)))
"""What the column of flags holds, by code: names with a space between them, in the order of `FLAGS`."""

_MOST_F1 = 0.5
"""With all tokens of the gold, the F1 of an answer that has two others or more for each of them."""


def flag_rows(
    batch: Batch, counts: Mapping[str, PairCounts], scores: Mapping[str, Floats], convention: Convention
) -> Codes:
    """Return the flags of each row of a batch (see `Codes`). A row without a prediction has none.

    counts, scores: those of the batch's pairs, by family and by metric.
    """
    codes, rows = np.zeros(batch.n_rows, np.int8), batch.row_per_pair
    for flag, pairs in _find_empty_golds(counts, convention):
        codes[rows[pairs]] |= _BITS[flag]
    has_unspaced = _has_unspaced(batch.texts)
    if has_unspaced:
        for pairs in _find_uncut_pairs(batch, rows, scores, convention):
            codes[rows[pairs]] |= _BITS[UNCUT]
    if convention.overlap is not None and "overlap" in counts:
        is_whole, is_fitting = _find_longer_answers(counts["overlap"], scores, convention.overlap)
        if has_unspaced:  # single characters are in many answers
            is_whole[is_whole] = ~_are_single_characters(batch, np.flatnonzero(is_whole), counts["overlap"])
        is_longer = np.zeros(batch.n_rows, np.bool_)
        is_longer[rows[is_whole]] = True
        is_longer[rows[is_fitting]] = False
        codes[is_longer] |= _BITS[LONGER]
    codes[batch.is_missing] = 0  # such a row may have pairs or none
    return codes


def are_flagged(codes: Codes, flag: str) -> Flags:
    """Return whether each row has a flag of `FLAGS`, shape (rows,)."""
    return (codes & _BITS[flag]) > 0


def _find_longer_answers(counts: PairCounts, scores: Mapping[str, Floats], rule: Overlap) -> tuple[Flags, Flags]:
    """Return which pairs have a prediction with all tokens of its gold and many others, and which have one that fits.

    Shape (pairs,) each. No pair is both. A prediction fits where F1 is above `_MOST_F1`, or where EM is among `scores`
    and is 1. Where the gold has no tokens, a pair is not the first.
    """
    recall, f1 = (
        scores[name] if name in scores else METRICS[name].score_per_pair(counts, rule) for name in ("recall", "f1")
    )
    is_fitting = f1 > _MOST_F1
    if "em" in scores:
        is_fitting |= scores["em"] == 1
    is_whole: Flags = (recall == 1) & ~is_fitting & (counts.n_gold > 0)
    return is_whole, is_fitting


def _are_single_characters(batch: Batch, pairs: Ints, counts: PairCounts) -> Flags:
    """Return whether the golds of the pairs at `pairs` are a single character of a script without spaces."""
    is_single: Flags = counts.n_gold[pairs] == 1
    is_single[is_single] = _has_letters(batch.texts, batch.pairs.gold[pairs[is_single]], _ONE_CHARACTER)
    return is_single


def _find_empty_golds(counts: Mapping[str, PairCounts], convention: Convention) -> Iterator[tuple[str, Ints]]:
    """Yield a flag of `FLAGS`, and the places of the pairs whose golds have nothing left, for each family of metrics.

    A family is left out where all golds have something left, and BLEU where it compares with all golds together.
    Nothing is yielded where an empty gold means "no answer".
    """
    for family, of_family in counts.items():
        rule = getattr(convention, family)
        # The `n_gold` of golds together is not of each gold.
        if convention.no_answer or (isinstance(rule, Bleu) and rule.references == "together"):
            continue
        if np.count_nonzero(of_family.n_gold) < len(of_family.n_gold):
            yield EMPTY if family in WHOLE_WORDS else WITHOUT_NGRAMS, np.flatnonzero(of_family.n_gold == 0)


def _has_unspaced(texts: pa.Array) -> bool:
    """Return whether any text may have a character of a script without spaces, as its bytes tell."""
    data = binary_data(texts)
    first = np.flatnonzero(data >= _FIRST_BYTE) if data.max(initial=0) >= _FIRST_BYTE else np.zeros(0, np.int64)
    return bool(((data[first] != _FIRST_BYTE_OF_MARKS) | (data[first + 1] >= _SECOND_BYTE)).any())


def _find_uncut_pairs(batch: Batch, rows: Ints, scores: Mapping[str, Floats], convention: Convention) -> Iterator[Ints]:
    """Yield the places of pairs, of rows whose scores are 0, whose sides are alike in a script without spaces.

    This is done for the families "exact" and "overlap", unless the rule cuts such texts into words, or golds become
    tokens in a way of their own. For "exact", sides are alike if they are equal but for the marks around them; it is
    left out where the rule compares whole texts. For "overlap", they are also alike if one side is inside the other.

    rows: the row of each pair.
    """
    alike = np.arange(len(batch.pairs))
    for side in (batch.pairs.gold, batch.pairs.pred):  # few golds have such a character, and these are short
        alike = alike[_has_letters(batch.texts, side[alike], _UNSPACED)]
    for family, are_alike in (("exact", operator.eq), ("overlap", _is_inside)):
        rule = getattr(convention, family)
        of_family = [scores[name] for name in scores if name in METRICS and METRICS[name].family == family]
        if not of_family or gold_tokens_of(rule) is not None or (family == "exact" and rule.text.split == "none"):
            continue
        is_wrong = np.ones(batch.n_rows, np.bool_)
        for each in of_family:
            is_wrong[rows[each != 0]] = False
        places = alike[is_wrong[rows[alike]]]
        if not len(places) or tokenise(cut_words(_SENTENCE), rule.text).tokens.n_per_text[0] > 1:
            continue  # there is none, or the rule cuts such texts
        sides = [batch.pairs.pred[places], batch.pairs.gold[places]]
        ids, codes = np.unique(sides, return_inverse=True)
        bare = [_without_marks_around(text) for text in batch.texts.take(pa.array(ids)).to_pylist()]
        compared = map(are_alike, *([bare[code] for code in side] for side in codes.reshape(2, -1).tolist()))
        yield places[np.fromiter(compared, np.bool_, len(places))]


def _without_marks_around(text: str) -> str:
    """Return the text from its first to its last letter, digit or combining mark. Arrow's patterns take longer."""
    start, stop = 0, len(text)
    while start < stop and unicodedata.category(text[start])[0] not in "LNM":
        start += 1
    while stop > start and unicodedata.category(text[stop - 1])[0] not in "LNM":
        stop -= 1
    return text[start:stop]


def _is_inside(one: str, other: str) -> bool:
    """Return whether two texts are equal, or the shorter one is in the other and has a character that is a word."""
    short, long = sorted((one, other), key=len)
    return short == long or (short in long and _ALONE.search(short) is not None)


def _has_letters(texts: pa.Array, ids: Ints, letter: str) -> Flags:
    """Return whether each of the texts at `ids`, shape (ids,), has characters beyond ASCII and a match of a pattern.

    letter: the pattern, in the syntax of RE2.
    """
    has_letters = np.zeros(len(texts), np.bool_)
    has_letters[ids] = True
    places = np.flatnonzero(has_letters)
    distinct = texts.take(pa.array(places))
    is_wide = pc.not_equal(pc.binary_length(distinct), pc.utf8_length(distinct))
    is_letter = pc.match_substring_regex(distinct.filter(is_wide), letter)  # a pattern takes far longer than lengths
    has_letters[places] = False
    has_letters[places[np.asarray(is_wide)]] = np.asarray(is_letter)
    return has_letters[ids]


def count_rows(columns: TextColumns, codes: Codes, plan: Plan) -> RowFlags:
    """Return the counts of these rows (see `RowFlags`). codes: the flags of each row, from `flag_rows`."""
    n_golds = columns.n_golds
    n_not_extracted = 0 if columns.is_not_extracted is None else int(np.count_nonzero(columns.is_not_extracted))
    n_gold = int(np.count_nonzero(n_golds))
    counts = RowFlags(
        {
            "n_rows": len(columns),
            NULL: columns.pred.null_count - n_not_extracted,
            NOT_EXTRACTED: n_not_extracted,
            "n_gold": n_gold,
            NO_GOLD: columns.golds.null_count if plan.convention.no_answer else len(columns) - n_gold,
            "n_written": len(find_written_golds(columns.golds)) if is_text(columns.golds.type) else 0,
            "n_no_option": 0 if columns.is_no_option is None else int(np.count_nonzero(columns.is_no_option)),
        }
    )
    if codes.any():
        counts.update({flag: int(np.count_nonzero(are_flagged(codes, flag))) for flag in FLAGS})
    if not columns.has_spans:
        counts.update(_count_joined_golds(columns.golds, n_golds))
        if gives_letters(plan.rules.extract):
            texts = golds_as_texts(columns.golds)
            counts["n_choices"] = len(texts)
            counts["n_letters"] = pc.sum(pc.match_substring_regex(texts, LETTERS_OF_CHOICE)).as_py() or 0
    return counts


def _count_joined_golds(golds: pa.ChunkedArray, n_golds: Ints) -> dict[str, int]:
    """Return how many rows have each separator in their only gold, by the name `n_joined:SEP`.

    Separators that few golds of a sample have are left out. n_golds: the number of golds of each row.
    """
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
    """Return the golds of all rows, one after the other, without nulls, as an Arrow array of text."""
    texts, _ = valid_items(golds.combine_chunks())
    return texts
