"""The hazards that `audit` knows: the rows that each concerns, the least share of rows to report, and the remedy."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from qa_frame._typing import Flags
from qa_frame.scoring.doubt_warnings import MANY_LONG
from qa_frame.text.answers.refusals import NO_REFUSAL
from qa_frame.view.audit import remedies
from qa_frame.view.audit.remedies import Audited, Remedy, extracts, separator, uncut_rows
from qa_frame.view.audit.responses import NULL_TEXTS

_BOLD = re.compile(r"\*\*([^*\s][^*]*)\*\*")
_FENCE = re.compile(r"(?s)```(?:\w*\n)?(.*?)(?:```|\Z)")
_HTML = re.compile(r"(?s)\A[^<>]*(?:<[^<>]*>\s*)+([^<>\s][^<>]*)|\A\s*([^<>]*)")
_NO_NULL_TEXT = re.compile(rf"(?s)\A(?!{NULL_TEXTS}\Z).*")


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
        Returns the rows that it concerns. None stands for the rows of all its kinds in `Audited.flags`.
    """

    least: float
    remedy: Remedy
    find: Callable[[Audited], Flags] | None = None


def rows_of(name: str, audited: Audited) -> Flags:
    """Return which rows a hazard concerns."""
    find = HAZARDS[name].find
    if find is not None:
        return find(audited)
    kinds = [flags for key, flags in audited.flags.items() if key.partition(":")[0] == name]
    flagged: Flags = np.logical_or.reduce(kinds)
    return flagged


def _flag_choices(audited: Audited) -> Flags:
    """Flag rows only if most golds are letters, or most predictions, so that this is multiple choice."""
    n_golds = np.count_nonzero(audited.columns.n_golds)
    flags = audited.flags["letters_without_golds"]
    if 2 * np.count_nonzero(flags) > n_golds:
        return flags
    return audited.flags["choice_letters"] & (2 * np.count_nonzero(audited.flags["one_letter_golds"]) > n_golds)


def _flag_written_lists(audited: Audited) -> Flags:
    """Flag rows only if none has several golds: a list of golds may hold one that looks like a list."""
    is_list = pa.types.is_large_list(audited.columns.golds.type)
    return audited.flags["written_lists"] & (not is_list or audited.columns.n_golds.max(initial=0) <= 1)


def _flag_joined_golds(audited: Audited) -> Flags:
    """Flag rows only if most have golds that are joined by the same separator, or one row in ten by a bar."""
    sep = separator(audited)
    flags = audited.flags[f"joined_golds:{sep}"]
    least = (0.1 if sep == "|" else 0.5) * np.count_nonzero(audited.columns.n_golds)
    return flags & (np.count_nonzero(flags) > least)


_ANY, _SOME = 0.0, 0.01
_ALL_OTHERS = ", and all of responses without it"

HAZARDS: dict[str, Hazard] = {
    "written_lists": Hazard(_SOME, remedies.read_lists, _flag_written_lists),
    "blank_golds": Hazard(_ANY, remedies.say_no_answer),
    "empty_golds": Hazard(_ANY, remedies.keep_characters),
    "lost_letter": Hazard(_ANY, remedies.keep_characters),
    "lost_sign_or_point": Hazard(_ANY, remedies.keep_characters),
    "lost_script": Hazard(_ANY, remedies.keep_script),
    "uncut_script": Hazard(_ANY, remedies.cut_script, uncut_rows),
    "inside_word": Hazard(_SOME, remedies.without_contains),
    "long_predictions": Hazard(MANY_LONG, remedies.score_length_free),
    "refusals": Hazard(_SOME, extracts(NO_REFUSAL, "all others; these count as missing")),
    "null_texts": Hazard(
        _ANY,
        extracts(_NO_NULL_TEXT, "all others; these count as missing, as nulls do that astype(str) has not made text"),
    ),
    "cut_off": Hazard(_ANY, remedies.ask_for_more),
    "repeats": Hazard(_ANY, remedies.ask_again),
    "run_ons": Hazard(
        _SOME, extracts("before_next_question", "what stands before the next question, and all of other responses")
    ),
    "answer_phrases": Hazard(_SOME, extracts("answer_is|all", f"what follows the phrase{_ALL_OTHERS}")),
    "think_tags": Hazard(_ANY, extracts("after_think", "what follows the thought, and all of other responses")),
    "answer_tags": Hazard(_ANY, extracts("answer_tag|all", f"what is in the tag{_ALL_OTHERS}")),
    "boxed": Hazard(_ANY, extracts("boxed|all", f"what is in the box{_ALL_OTHERS}; 'untex' after it reads LaTeX")),
    "bold": Hazard(_SOME, extracts([[_BOLD, "all"]], f"what is bold first{_ALL_OTHERS}")),
    "code_fences": Hazard(_SOME, extracts([[_FENCE, "all"]], f"what is in the first fence{_ALL_OTHERS}")),
    "html": Hazard(_SOME, extracts([_HTML], "the text after the first tag, and all of responses without tags")),
    "choice_letters": Hazard(_ANY, remedies.choose_letters, _flag_choices),
    "no_option": Hazard(_ANY, remedies.correct_options),
    "joined_golds": Hazard(_ANY, remedies.cut_golds, _flag_joined_golds),
    "duplicate_rows": Hazard(_ANY, remedies.drop_repeats),
}
"""All hazards by name, in the order of the table."""

_OF_GOLDS = {"blank_golds", "empty_golds", "lost_letter", "lost_sign_or_point", "lost_script", "inside_word"}
_OF_GOLDS |= {"long_predictions", "choice_letters", "letters_without_golds", "no_option", "joined_golds"}
"""The flags that say nothing of a text that stands for a list of golds."""


def without_golds_of_written_lists(audited: Audited) -> Audited:
    """Return the data without scores and flags of golds, where most golds are lists that were written out as text."""
    written = _flag_written_lists(audited)
    if 2 * np.count_nonzero(written) <= np.count_nonzero(audited.columns.n_golds):
        return audited
    none = dict.fromkeys((key for key in audited.flags if key.partition(":")[0] in _OF_GOLDS), np.zeros_like(written))
    return replace(audited, flags={**audited.flags, **none}, scores={})
