"""The options of multiple choice, as columns have them → lists of texts; golds that name options → their letters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags
from qa_frame.frames.arrow_types import is_list, text_of_object, to_objects, valid_items, with_items

GoldIs = Literal["letter", "text", "index0", "index1"]
GOLD_IS: tuple[GoldIs, ...] = get_args(GoldIs)

LETTERS = "ABCDEFGHIJ"
LETTERS_OF_CHOICE = rf"^[{LETTERS}](?:, [{LETTERS}])*$"
"""Letters of options in the form in which they are compared: "B", or "B, E" in the order of the alphabet."""
_NO_LETTERS = re.compile(r"(?<![^\W_])(?:and|und|et|y)(?![^\W_])|[和与及とや_]|[^\w|]")
_AMONG_OTHERS = re.compile(r"(?a)\W*([A-Ja-j])\W*")
"""A letter with marks around it, or words of another script."""
_LABELLED = re.compile(r"\s*(?:[(\[]([A-Ja-j])[)\]]|([A-J])(?:[):]|\.(?!\s\w\.)))\s+\S")
"""The letter of an option with its text, as in "(B) the Seine" and "B. the Seine", and not in "J. K. Rowling"."""

_LISTS = pa.large_list(pa.large_string())


def options_of_dicts(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, list[Any]] | None:
    """Return the texts and the labels of the options in a decoded column of dicts; None if it holds no such dicts.

    The texts are Arrow lists. The labels are a list of texts for each row, or None for a row whose options have none. A
    dict may have an option for each name, as in `{"A": "Rhine", "B": "Seine"}`, or two lists, as ARC's has them:
    `{"text": ["Rhine", "Seine"], "label": ["1", "2"]}`. A list may hold dicts with a `text` and a `label`.
    """
    kind = column.type
    inner = kind.value_type if is_list(kind) else kind
    is_of_dicts = pa.types.is_struct(inner) and (inner is kind or inner.get_field_index("text") >= 0)
    if not (is_of_dicts or pa.types.is_map(kind)):
        return None
    per_row = [options_of_one(value) for chunk in column.chunks for value in to_objects(chunk)]
    try:
        texts = pa.array([text_of_object(texts, 1, dicts=False) for texts, _ in per_row], _LISTS)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # the options are no texts
        return None
    return pa.chunked_array([texts]), [None if labels is None else [*map(str, labels)] for _, labels in per_row]


def options_of_one(value: Any) -> tuple[list[Any] | None, list[Any] | None]:
    """Return the texts and the labels of the options of one row. Labels are None if there are none; both are for null.

    value: a list of texts, or what `options_of_dicts` reads.
    """
    if not isinstance(value, dict):
        if value is None or not all(isinstance(item, dict) for item in value):
            return None if value is None else [*value], None
        labels = [item.get("label") for item in value]
        return [item.get("text") for item in value], None if None in labels else labels
    if isinstance(value.get("text"), list | np.ndarray):
        return [*value["text"]], value.get("label")
    # What is null is not there: in Arrow, a row has the names of all rows.
    there = {str(name).upper(): text for name, text in value.items() if text is not None}
    names = sorted(there, key=lambda name: (len(name), name))
    if names and all(name in LETTERS for name in names):
        names = [*LETTERS[: LETTERS.index(names[-1]) + 1]]
    return [there.get(name) for name in names] or None, names


def letters_alone(text: str) -> str:
    """Return the letters from A to J in a text that holds only letters of options, in order: "BE" for "(e) and b".

    It is empty where there is something else, a letter twice, or both capital and small letters. Small letters with
    nothing between need to be in the order of the alphabet, as words have them in any. Words of another script may
    stand beside a single letter.
    """
    runs = _NO_LETTERS.sub(" ", text).split() if len(text) <= _LONGEST else []
    named = "".join(runs)
    letters = set(named.upper())
    are_alike = named.isupper() or (named.islower() and all([*run] == sorted(run) for run in runs))
    if are_alike and len(letters) == len(named) and letters <= {*LETTERS}:
        return "".join(sorted(letters))
    single = _AMONG_OTHERS.fullmatch(text)
    return single[1].upper() if single else ""


_LONGEST = 100
"""A longer text, in characters, has more than letters."""


def in_letters(golds: pa.ChunkedArray, *, may_be_several: bool) -> pa.ChunkedArray:
    """Return the golds. A gold that names options becomes their letters, such as "B, E"; other golds stay.

    golds: `large_string`, or `large_list<large_string>`. may_be_several: whether a gold may be several letters.
    """
    array = golds.combine_chunks()
    texts = array.flatten() if is_list(array.type) else array
    distinct = texts.dictionary_encode()
    most = len(LETTERS) if may_be_several else 1
    letters = [_in_letters(gold, most) for gold in distinct.dictionary.to_pylist()]
    read = pa.array(letters, texts.type).take(distinct.indices)
    return pa.chunked_array([with_items(array, read) if is_list(array.type) else read])


def _in_letters(gold: str, most: int) -> str:
    """Return the letters that a gold names, as "B, E"; the gold itself if it names none, or more than `most`."""
    label = _LABELLED.match(gold)
    letters = next(filter(None, label.groups())).upper() if label else letters_alone(gold)
    return ", ".join(letters) if 0 < len(letters) <= most else gold


def letters_of_golds(
    golds: pa.ChunkedArray, gold_is: GoldIs, options: pa.ChunkedArray | None, labels: Sequence[Any] | None
) -> pa.ChunkedArray:
    """Return for each row the letters of the options that its golds name, as a list. Null stays null.

    A gold that is none of its row's options stays as it is. It becomes several letters where options have the same
    text.

    Parameters
    ----------
    golds
        `large_string`, or `large_list<large_string>`.
    gold_is
        What golds are: the letter or label of an option, its text, or its number from 0 or from 1.
    options
        The texts of each row's options, `large_list<large_string>`; None if they are not known.
    labels
        The labels of each row's options; None where they are letters.
    """
    known: dict[tuple[Any, ...], list[str]] = {}
    letters: list[list[str | None] | None] = []
    nothing = [None] * len(golds)
    rows = zip(golds.to_pylist(), nothing if options is None else options.to_pylist(), labels or nothing, strict=True)
    for row, texts, named in rows:
        of_row: list[str | None] = []
        for gold in row if isinstance(row, list) else [row]:
            key = (gold, *(texts or ()), None, *(named or ()))
            if key not in known and gold is not None:
                places = _find_options(gold, gold_is, texts or (), named)
                most = min(len(texts or LETTERS), len(LETTERS))
                known[key] = [LETTERS[place] for place in places if 0 <= place < most] or [gold]
            of_row += known.get(key, [None])
        letters.append(None if row is None else of_row)
    return pa.chunked_array([pa.array(letters, _LISTS)])


def _find_options(gold: str, gold_is: GoldIs, texts: Sequence[str | None], labels: Sequence[str] | None) -> list[int]:
    """Return the places, from 0, of the options that a gold names: several where options have the same text.

    The place of a number is not checked: it may be below 0 or beyond the last option.
    """
    if gold_is in {"index0", "index1"}:
        return [int(gold) - int(gold_is[-1])] if gold.strip().isdecimal() and len(gold) <= len(LETTERS) else []
    named = texts if gold_is == "text" else labels or LETTERS
    same = str.strip if gold_is == "text" else _strip_marks
    return [place for place, name in enumerate(named) if name is not None and same(name) == same(gold)]


def _strip_marks(letter: str) -> str:
    """Return a letter as a capital, without the marks that may stand around it, as in "(b)."."""
    return letter.strip(" \t\n().:[]").upper()


def are_no_options(golds: pa.ChunkedArray, options: pa.ChunkedArray, *, may_be_several: bool) -> Flags:
    """Return whether each row has golds, none of which is the letter of one of its options, shape (rows,).

    golds: what `in_letters` returns. A row without options may have any letter from A to J. may_be_several: whether a
    gold may be several letters, of which the last one counts.
    """
    texts, bounds = valid_items(golds.combine_chunks())
    row_per_gold = np.repeat(np.arange(len(golds)), np.diff(bounds))
    pattern = f"^(?:[{LETTERS}], ){{0,{len(LETTERS) if may_be_several else 0}}}(?P<last>[{LETTERS}])$"
    last = pc.struct_field(pc.extract_regex(texts, pattern), "last")
    place = pc.index_in(last, value_set=pa.array([*LETTERS], last.type))
    n_options = pc.list_value_length(options.combine_chunks()).fill_null(0).to_numpy(zero_copy_only=False)
    most = np.where(n_options > 0, n_options, len(LETTERS))[row_per_gold]
    is_option = place.fill_null(len(LETTERS)).to_numpy(zero_copy_only=False) < most
    has_no_option: Flags = (np.diff(bounds) > 0) & (np.bincount(row_per_gold, is_option, len(golds)) == 0)
    return has_no_option
