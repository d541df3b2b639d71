"""Which rows each hazard of texts concerns.

A hazard of normalisation is found by comparison: a text and the same text without some characters go through the
convention's own steps and split, and these characters are lost if both come out equal. No convention is known by name.
"""

from __future__ import annotations

import functools

import numpy as np

from qa_frame._typing import Flags
from qa_frame.frames.text_columns import TextColumns
from qa_frame.scoring.batches import split_rows
from qa_frame.scoring.plan import Plan
from qa_frame.text.refusals import are_refusals
from qa_frame.view.audit import golds, responses
from qa_frame.view.audit.sides import make_sides, matches

RowFlags = dict[str, Flags]


def find_rows(columns: TextColumns, plan: Plan) -> RowFlags:
    """Flag the rows that each hazard of texts concerns.

    Rows without golds are not looked at. A hazard that has several kinds has a key for each, as `joined_golds:|` for
    each separator and `lost_script:rouge_l` for each family of metrics.
    """
    found = [_find_in_batch(columns.slice(start, stop), plan) for start, stop in split_rows(columns)]
    return {name: np.concatenate([each[name] for each in found]) for name in found[0]}


def _find_in_batch(columns: TextColumns, plan: Plan) -> RowFlags:
    sides = make_sides(columns, plan)
    return {
        "blank_golds": golds.blank_golds(sides),
        "empty_golds": golds.empty_golds(sides),
        "lost_letter": golds.lost_characters(sides, golds.LAST_LETTER),
        "lost_sign_or_point": golds.lost_characters(sides, golds.CHARACTERS_OF_MEANING),
        "number_forms": responses.number_forms(sides),
        **dict(golds.lost_scripts(sides)),
        "inside_word": responses.inside_word(sides),
        "long_predictions": responses.long_predictions(sides),
        "refusals": sides.only_of_preds(are_refusals),
        "null_texts": sides.only_of_preds(functools.partial(matches, pattern=rf"^{responses.NULL_TEXTS}$")),
        "answer_phrases": responses.answer_phrases(sides),
        **dict(responses.markup(sides)),
        "choice_letters": responses.choice_letters(sides),
        "one_letter_golds": golds.one_letter_golds(sides),
        "written_lists": golds.written_lists(sides),
        **dict(golds.joined_golds(sides)),
        "duplicate_golds": golds.duplicate_golds(sides),
    }
