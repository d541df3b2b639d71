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

Those in `FLAGS` are counted, too.
"""

NULL = "n_null"
"""The count of responses that are null."""

LONGER, EMPTY, UNCUT = "gold_in_longer_answer", "gold_without_tokens", "uncut_script"

FLAGS = {
    LONGER: (LONGER,),
    EMPTY: tuple(f"{EMPTY}:{family}" for family in ("exact", "overlap", "contains")),
    "gold_without_ngrams": tuple(f"{EMPTY}:{family}" for family in [*FAMILIES][3:]),
    UNCUT: (f"{UNCUT}:exact", f"{UNCUT}:overlap"),
}
"""The flags that a scored row may have, in this order, each with the marks that make it.

gold_in_longer_answer
    The prediction has all tokens of a gold, and at least twice as many others.
gold_without_tokens, gold_without_ngrams
    Nothing is left of a gold: for exact match, overlap or `contains`, and for ROUGE, BLEU and other metrics.
uncut_script
    A score is 0 though the texts are alike, in a script without spaces that the rules do not cut into words.
"""

MOVED = ("n_own_golds", "n_moved_golds")
"""Of some rows: those whose own gold is in a longer answer, and those where this is so of the gold of another row."""


def is_by_chance(counts: Mapping[str, int]) -> bool:
    """Whether golds are inside longer answers by chance, as yes, no and letters are."""
    own, moved = (counts.get(name, 0) for name in MOVED)
    return moved > _BY_CHANCE * own


_BY_CHANCE = 0.2
"""The golds are there by chance if more than this share of them is inside the answers of other rows, too."""

LEAST_SHARE, LEAST_ROWS = 0.1, 5
"""So large a share of a group's rows, and so many of them, are worth a sentence."""


def are_many(n: Any, n_rows: Any, least: float = LEAST_SHARE, least_rows: int = LEAST_ROWS) -> Any:
    """Whether so many of all rows are worth a sentence. Numbers, or an array of one per group."""
    return (n >= least_rows) & (n >= least * n_rows)


Marks = NDArray[np.uint16]
"""What is so in each row, shape (rows,): a sum of values of `_MARKS`."""

_MARKS = {name: 1 << place for place, name in enumerate(itertools.chain(*FLAGS.values()))}

_MOST_F1 = 0.5
"""With all tokens of the gold, the F1 of an answer that has two others or more for each of them."""


def mark_rows(
    batch: Batch, counts: Mapping[str, PairCounts], scores: Mapping[str, Floats], convention: Convention
) -> Marks:
    """Mark the rows of a batch by the counts and scores of its pairs."""
    marks = np.zeros(batch.n_rows, np.uint16)
    found = (_empty_golds(counts, convention), _uncut(batch, scores, convention))
    for name, places in itertools.chain(*found):
        marks[np.searchsorted(batch.pair_offsets, places, side="right") - 1] |= _MARKS[name]
    marks[_longer_answers(batch, counts, scores, convention)] |= _MARKS[LONGER]
    marks[batch.is_missing] = 0  # such a row may have pairs or none
    return marks


def are_marked(marks: Marks, flag: str) -> Flags:
    """Whether rows have a flag of `FLAGS`, or one of the marks that make it, shape (rows,)."""
    return (marks & sum(_MARKS[name] for name in FLAGS.get(flag, (flag,)))) > 0


FLAG_VALUES = tuple(
    " ".join(flag for place, flag in enumerate(FLAGS) if code >> place & 1) for code in range(1 << len(FLAGS))
)
"""What the column of flags holds, by code: names with a space between them, in the order of `FLAGS`."""


def flag_codes(marks: Marks) -> NDArray[np.int8]:
    """Return the place of each row's flags in `FLAG_VALUES`, shape (rows,)."""
    codes = np.zeros(len(marks), np.int8)
    if marks.any():
        for place, flag in enumerate(FLAGS):
            codes |= are_marked(marks, flag).astype(np.int8) << place
    return codes


def _longer_answers(
    batch: Batch, counts: Mapping[str, PairCounts], scores: Mapping[str, Floats], convention: Convention
) -> Ints:
    """Return the rows whose prediction has all tokens of a gold, while no gold has a high F1 or an EM of 1."""
    rule = convention.overlap
    if rule is None or "overlap" not in counts:
        return np.zeros(0, np.int64)
    found = counts["overlap"]
    recall, f1 = (
        scores[name] if name in scores else METRICS[name].score_per_pair(found, rule) for name in ("recall", "f1")
    )
    places = np.flatnonzero((recall == 1) & (f1 <= _MOST_F1) & (found.n_gold > 0))
    golds = batch.pairs.gold[places]
    is_single = found.n_gold[places] == 1
    is_single[is_single] = _has_letters(batch.texts, golds[is_single], _ONE_CHARACTER)
    is_fitting = f1 > _MOST_F1
    if "em" in scores:
        is_fitting |= scores["em"] == 1
    is_longer, rows = np.zeros(batch.n_rows, np.bool_), batch.row_per_pair
    is_longer[rows[places[~is_single]]] = True
    is_longer[rows[np.flatnonzero(is_fitting)]] = False
    return np.flatnonzero(is_longer)


def _empty_golds(counts: Mapping[str, PairCounts], convention: Convention) -> Iterator[tuple[str, Ints]]:
    """Yield the pairs with a gold of which a family of metrics has nothing left, unless this means "no answer"."""
    for family, found in counts.items():
        rule = getattr(convention, family)
        # The `n_gold` of golds together is not of each gold.
        if convention.no_answer or (isinstance(rule, Bleu) and rule.references == "together"):
            continue
        if np.count_nonzero(found.n_gold) < len(found.n_gold):
            yield f"{EMPTY}:{family}", np.flatnonzero(found.n_gold == 0)


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
    alike = np.arange(len(batch.pairs))
    for side in (batch.pairs.gold, batch.pairs.pred):  # few golds have such a character, and these are short
        alike = alike[_has_letters(batch.texts, side[alike], _UNSPACED)]
    rows = batch.row_per_pair
    for family, are_alike in (("exact", operator.eq), ("overlap", _is_inside)):
        rule, of_family = getattr(convention, family), _scores_of(family, scores)
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
        found = map(are_alike, *([bare[code] for code in side] for side in codes.reshape(2, -1).tolist()))
        yield f"{UNCUT}:{family}", places[np.fromiter(found, np.bool_, len(places))]


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
    found |= {flag: int(np.count_nonzero(are_marked(marks, flag))) for flag in FLAGS}
    if not columns.has_spans:
        found |= _count_joined(columns.golds, n_golds)
        if gives_letters(plan.rules.extract):
            texts = golds_as_texts(columns.golds)
            found["n_choices"] = len(texts)
            found["n_letters"] = pc.sum(pc.match_substring_regex(texts, LETTERS_OF_CHOICE)).as_py() or 0
    return Counter(found)


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
