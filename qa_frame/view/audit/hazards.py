"""The hazards that `audit` knows: the rows that each concerns, the least share of rows to report, and the remedy."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from qa_frame._typing import Flags
from qa_frame.frames.diagnosis import SEPARATORS
from qa_frame.rules.parts import FAMILIES
from qa_frame.scoring.doubt_warnings import MANY
from qa_frame.text.answers.extraction import Extract
from qa_frame.text.answers.refusals import NO_REFUSAL, are_refusals
from qa_frame.view.audit import golds, remedies, responses
from qa_frame.view.audit.remedies import Audited, Remedy, extracts, separator
from qa_frame.view.audit.responses import MARKUP, NULL_TEXTS
from qa_frame.view.audit.sides import Sides, matches

_BOLD = re.compile(r"\*\*([^*\s][^*]*)\*\*")
_FENCE = re.compile(r"(?s)```(?:\w*\n)?(.*?)(?:```|\Z)")
_HTML = re.compile(r"(?s)\A[^<>]*(?:<[^<>]*>\s*)+([^<>\s][^<>]*)|\A\s*([^<>]*)")
_NO_NULL_TEXT = re.compile(rf"(?s)\A(?!{NULL_TEXTS}\Z).*")

Finder = Callable[[Sides], Flags]
"""Returns the rows of a batch that something concerns."""


@dataclass(frozen=True, slots=True)
class Hazard:
    """A hazard.

    Attributes
    ----------
    least
        Report the hazard if at least this share of rows has it.
    remedy
        Returns the advice.
    find
        Finds the rows in each batch. None where `look_at` finds them, or `choose`.
    choose
        Returns the rows that it concerns, by what was found in all batches. None for those that `find` found.
    """

    least: float
    remedy: Remedy
    find: Finder | None = None
    choose: Callable[[Audited], Flags] | None = None


def rows_of(name: str, audited: Audited) -> Flags:
    """Return which rows a hazard concerns."""
    choose = HAZARDS[name].choose
    return audited.flags[name] if choose is None else choose(audited)


def _choose_lost_script(audited: Audited) -> Flags:
    found: Flags = np.logical_or.reduce([audited.flags[f"lost_script:{family}"] for family in FAMILIES])
    return found


def _choose_letters(audited: Audited) -> Flags:
    """Flag rows only if most golds are letters, or most predictions, so that this is multiple choice."""
    n_golds = np.count_nonzero(audited.columns.n_golds)
    flags = audited.flags["letters_without_golds"]
    if 2 * np.count_nonzero(flags) > n_golds:
        return flags
    return audited.flags["choice_letters"] & (2 * np.count_nonzero(audited.flags["one_letter_golds"]) > n_golds)


def _choose_written_lists(audited: Audited) -> Flags:
    """Flag rows only if none has several golds: a list of golds may hold one that looks like a list."""
    is_list = pa.types.is_large_list(audited.columns.golds.type)
    return audited.flags["written_lists"] & (not is_list or audited.columns.n_golds.max(initial=0) <= 1)


def _choose_joined_golds(audited: Audited) -> Flags:
    """Flag rows only if most have golds that are joined by the same separator, or one row in ten by a bar."""
    sep = separator(audited)
    flags = audited.flags[f"joined_golds:{sep}"]
    least = (0.1 if sep == "|" else 0.5) * np.count_nonzero(audited.columns.n_golds)
    return flags & (np.count_nonzero(flags) > least)


def _markup(name: str, extract: Extract, what: str, least: float = 0.0) -> Hazard:
    """Return the hazard of a kind of markup."""
    return Hazard(least, extracts(extract, what), partial(responses.has_markup, pattern=MARKUP[name]))


_ANY, _SOME = 0.0, 0.01
_ALL_OTHERS = ", and all of responses without it"
_are_null_texts = partial(matches, pattern=rf"^{NULL_TEXTS}$")

HAZARDS: dict[str, Hazard] = {
    "written_lists": Hazard(_SOME, remedies.read_lists, golds.written_lists, _choose_written_lists),
    "blank_golds": Hazard(_ANY, remedies.say_no_answer, golds.blank_golds),
    "empty_golds": Hazard(_ANY, remedies.keep_characters, golds.empty_golds),
    "lost_letter": Hazard(_ANY, remedies.keep_characters, golds.lost_letter),
    "lost_sign_or_point": Hazard(_ANY, remedies.keep_characters, golds.lost_sign_or_point),
    "lost_script": Hazard(_ANY, remedies.keep_script, choose=_choose_lost_script),
    "uncut_script": Hazard(_ANY, remedies.cut_script, golds.uncut_script),
    "inside_word": Hazard(_SOME, remedies.without_contains, responses.inside_word),
    "long_predictions": Hazard(MANY, remedies.score_length_free),
    "refusals": Hazard(
        _SOME,
        extracts(NO_REFUSAL, "all others; these count as missing"),
        lambda sides: sides.only_of_preds(are_refusals),
    ),
    "null_texts": Hazard(
        _ANY,
        extracts(_NO_NULL_TEXT, "all others; these count as missing, as nulls do that astype(str) has not made text"),
        lambda sides: sides.only_of_preds(_are_null_texts),
    ),
    "cut_off": Hazard(_ANY, remedies.ask_for_more),
    "repeats": Hazard(_ANY, remedies.ask_again, lambda sides: sides.only_of_preds(responses.are_repeating)),
    "run_ons": Hazard(
        _SOME,
        extracts("before_next_question", "what stands before the next question, and all of other responses"),
        responses.run_ons,
    ),
    "answer_phrases": Hazard(
        _SOME, extracts("answer_is|all", f"what follows the phrase{_ALL_OTHERS}"), responses.answer_phrases
    ),
    "think_tags": _markup("think_tags", "after_think", "what follows the thought, and all of other responses"),
    "answer_tags": _markup("answer_tags", "answer_tag|all", f"what is in the tag{_ALL_OTHERS}"),
    "boxed": _markup("boxed", "boxed|all", f"what is in the box{_ALL_OTHERS}; 'untex' after it reads LaTeX"),
    "bold": _markup("bold", [[_BOLD, "all"]], f"what is bold first{_ALL_OTHERS}", _SOME),
    "code_fences": _markup("code_fences", [[_FENCE, "all"]], f"what is in the first fence{_ALL_OTHERS}", _SOME),
    "html": _markup("html", [_HTML], "the text after the first tag, and all of responses without tags", _SOME),
    "choice_letters": Hazard(_ANY, remedies.choose_letters, responses.choice_letters, _choose_letters),
    "no_option": Hazard(_ANY, remedies.correct_options),
    "joined_golds": Hazard(_ANY, remedies.cut_golds, choose=_choose_joined_golds),
    "duplicate_rows": Hazard(_ANY, remedies.drop_repeats),
}
"""All hazards by name, in the order of the table."""

FINDERS: dict[str, Finder] = {
    **{name: hazard.find for name, hazard in HAZARDS.items() if hazard.find is not None},
    **{f"lost_script:{family}": partial(golds.lost_script, family=family) for family in FAMILIES},
    **{f"joined_golds:{sep}": partial(golds.joined_by, sep=sep) for sep in SEPARATORS},
    "letters_without_golds": responses.letters_without_golds,
    "one_letter_golds": golds.one_letter_golds,
}
"""All that is found in batches: hazards, and what these are chosen by."""

_OF_GOLDS = {"blank_golds", "empty_golds", "lost_letter", "lost_sign_or_point", "lost_script", "uncut_script"}
_OF_GOLDS |= {"inside_word", "long_predictions", "choice_letters", "letters_without_golds", "no_option", "joined_golds"}
"""The flags that say nothing of a text that stands for a list of golds."""


def without_golds_of_written_lists(audited: Audited) -> Audited:
    """Return the data without flags of golds, where most golds are lists that were written out as text."""
    written = _choose_written_lists(audited)
    if 2 * np.count_nonzero(written) <= np.count_nonzero(audited.columns.n_golds):
        return audited
    none = dict.fromkeys((key for key in audited.flags if key.partition(":")[0] in _OF_GOLDS), np.zeros_like(written))
    return replace(audited, flags={**audited.flags, **none})
