"""Answers that are lists of items, as for questions with several answers: which items are found, whatever their order.

A prediction is a list of texts. The golds of a row are its items, each a list of the names that it may have. An item is
found if a text of the prediction has the same tokens as one of the names.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.frames.text_columns import TextColumns
from qa_frame.kernels.ranges import concatenated_ranges
from qa_frame.rules.parts import Overlap, gold_tokens_of
from qa_frame.scoring.metrics import f_measure, ratio
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.spans import texts_of_answers
from qa_frame.text.contains import join_tokens
from qa_frame.text.lexicon import simplify_split, tokenise
from qa_frame.text.raw_texts import PREDICTIONS
from qa_frame.text.words import cut_words


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Matches:
    """The texts of predictions and the items of golds, all rows end to end, and which of them are the same.

    Attributes
    ----------
    row_per_text, row_per_item
        The row of each text of a prediction, and of each item, in ascending order.
    text_per_match, item_per_match
        Each text that is a name of an item of its row, and that item; by items, then by texts.
    """

    row_per_text: Ints
    row_per_item: Ints
    text_per_match: Ints
    item_per_match: Ints


def score_answer_lists(columns: TextColumns, plan: Plan) -> dict[str, Floats]:
    """The precision, the recall and the F1 of items of each row, as far as the plan names them; NaN without golds."""
    convention = plan.convention
    assert convention.overlap is not None  # a convention checks itself
    prepare = PREDICTIONS[convention.prediction]
    if prepare is not None and not columns.has_lists:
        columns = replace(columns, pred=pa.chunked_array([prepare(columns.pred.combine_chunks())]))
    columns = columns.in_lists(convention.item_separator)
    found = _match(columns, convention.overlap, leaves_out_blank=convention.answer_lists == "any")
    texts, items = found.text_per_match, found.item_per_match
    if convention.answer_lists == "one_to_one":
        is_used = _assign(found)
        texts, items = texts[is_used], items[is_used]
    n_rows = len(columns)
    n_texts, n_items = (np.bincount(rows, minlength=n_rows) for rows in (found.row_per_text, found.row_per_item))
    n_right = np.bincount(found.row_per_text[np.unique(texts)], minlength=n_rows)
    n_found = np.bincount(found.row_per_item[np.unique(items)], minlength=n_rows)
    precision, recall = ratio(n_right, n_texts), ratio(n_found, n_items)
    scores = {"precision": precision, "recall": recall, "f1": f_measure(precision, recall)}
    is_missing = columns.is_missing
    for of_metric in scores.values():
        of_metric[is_missing] = 0.0 if plan.missing == "zero" else np.nan
        of_metric[n_items == 0] = np.nan
    return {metric: scores[metric] for metric in plan.metrics}


def _match(columns: TextColumns, rule: Overlap, *, leaves_out_blank: bool) -> _Matches:
    """Compare the texts of each row's prediction with all names of its items. A null is neither text, item nor name."""
    golds = columns.golds.combine_chunks()
    items = golds.flatten()
    row_per_item = np.repeat(np.arange(len(golds)), pc.list_value_length(golds).fill_null(0).to_numpy())
    row_per_item = row_per_item[pc.is_valid(items).to_numpy(zero_copy_only=False)]
    texts, n_per_row = texts_of_answers(columns.pred.combine_chunks())
    names, n_per_item = texts_of_answers(items.drop_null())
    row_per_text = np.repeat(np.arange(len(columns)), n_per_row)
    item_per_name = np.repeat(np.arange(len(row_per_item)), n_per_item)

    of_texts, of_names = _number_texts(texts, names, rule)
    if leaves_out_blank:
        row_per_text, of_texts = row_per_text[of_texts > 0], of_texts[of_texts > 0]
    n_texts, beyond = len(row_per_text), max(of_texts.max(initial=0), of_names.max(initial=0)) + 1
    # Texts and names of one row with the same tokens have the same key.
    of_texts, of_names = row_per_text * beyond + of_texts, row_per_item[item_per_name] * beyond + of_names
    order = np.argsort(of_texts, kind="stable")
    first, last = (np.searchsorted(of_texts[order], of_names, side=side) for side in ("left", "right"))
    text_per_match = order[concatenated_ranges(first, last - first)]
    item_per_match = np.repeat(item_per_name, last - first)
    distinct = np.unique(item_per_match * max(n_texts, 1) + text_per_match)  # an item may have a name twice
    return _Matches(row_per_text, row_per_item, distinct % max(n_texts, 1), distinct // max(n_texts, 1))


def _number_texts(texts: pa.Array, names: pa.Array, rule: Overlap) -> tuple[Ints, Ints]:
    """A number for each text and each name, equal for those with the same tokens; 0 for those without tokens."""
    sides, joined = [side.dictionary_encode() for side in (texts, names)], [""]
    for side, text in zip(sides, (rule.text, gold_tokens_of(rule) or rule.text), strict=True):
        words = cut_words(side.dictionary)
        joined += join_tokens(tokenise(words, simplify_split(text, words)))
    numbers = pa.array(joined, pa.large_string()).dictionary_encode().indices.to_numpy().astype(np.int64)[1:]
    of_sides = np.split(numbers, [len(sides[0].dictionary)])
    of_texts, of_names = (numbers.take(side.indices) for numbers, side in zip(of_sides, sides, strict=True))
    return of_texts, of_names


def _assign(found: _Matches) -> Flags:
    """Which matches count if each item and each text counts once: each item, in turn, takes the first text left."""
    first_item = np.searchsorted(found.row_per_item, found.row_per_item[found.item_per_match])
    turn = found.item_per_match - first_item
    is_used, is_taken = np.zeros(len(turn), np.bool_), np.zeros(len(found.row_per_text), np.bool_)
    in_turn = np.argsort(turn, kind="stable")
    for matches in np.split(in_turn, np.flatnonzero(np.diff(turn[in_turn])) + 1):
        left = matches[~is_taken[found.text_per_match[matches]]]
        items = found.item_per_match[left]
        chosen = left[np.append(True, items[1:] != items[:-1])[: len(left)]]
        is_used[chosen] = is_taken[found.text_per_match[chosen]] = True
    return is_used
