"""The hazards that `audit` knows: the rows that each concerns, the least share of rows to report, and the remedy."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from qa_frame._typing import Flags
from qa_frame.ext.audit import golds, remedies, responses
from qa_frame.ext.audit.remedies import Audited, Remedy, separator
from qa_frame.ext.audit.sides import Sides, matches
from qa_frame.extraction.refusals import NO_REFUSAL, are_refusals
from qa_frame.extraction.steps import Extract
from qa_frame.frames.diagnosis import SEPARATORS
from qa_frame.rules.parts import FAMILIES
from qa_frame.scoring.row_flags import EMPTY, LEAST_SHARE, LONGER, UNCUT, are_marked
from qa_frame.text.raw_texts import THOUGHT

_BOLD = re.compile(r"\*\*([^*\s][^*]*)\*\*")
_FENCE = re.compile(r"(?s)```(?:\w*\n)?(.*?)(?:```|\Z)")
_HTML = re.compile(r"(?s)\A[^<>]*(?:<[^<>]*>\s*)+([^<>\s][^<>]*)|\A\s*([^<>]*)")
_NULL = r"\s*(?:nan|NaN|None|<NA>|NaT|null|NULL)\s*"
"""The texts that a null becomes when a column is made text."""
_NO_NULL_TEXT = re.compile(rf"(?s)\A(?!{_NULL}\Z).*")

_LETTER = r"[^\x00-\x7f\P{L}\p{Lm}]|[^\x00-\x7f\P{N}]"
"""A letter or digit beyond ASCII, but no modifier: "ﾞ" alone is no word of any script."""

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
        The advice, or what returns it.
    find
        Finds the rows in each batch. None where `look_at` finds them, or `choose`.
    choose
        Returns the rows that it concerns, by what was found in all batches. None for those that `find` found.
    extract
        The steps to add to those of the call, where the advice is to extract: `remedy` says what these take.
    may_lower
        Whether these steps are for rows whose scores are too high, if any.
    """

    least: float
    remedy: Remedy | str
    find: Finder | None = None
    choose: Callable[[Audited], Flags] | None = None
    extract: Extract = None
    may_lower: bool = False

    def advise(self, audited: Audited, flags: Flags) -> str:
        """Return the advice. flags: the rows that it concerns."""
        if not isinstance(self.remedy, str):
            return self.remedy(audited, flags)
        if self.extract is None:
            return self.remedy
        return remedies.extract(audited, flags, self.extract, self.remedy, may_lower=self.may_lower)


def rows_of(name: str, audited: Audited) -> Flags:
    """Return which rows a hazard concerns."""
    choose = DATA_CHECKS[name].choose
    return audited.flags[name] if choose is None else choose(audited)


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


def _in_preds(pattern: str) -> Finder:
    """Return what finds the predictions that have a pattern."""
    return lambda sides: sides.rows_of_preds(matches(sides.pred_texts, pattern))


def _in_preds_alone(find: Callable[[pa.Array], Flags]) -> Finder:
    """Return what finds the rows with a prediction that `find` flags, and without a gold that it flags."""
    return lambda sides: sides.rows_of_preds(find(sides.pred_texts)) & ~sides.rows_of_golds(find(sides.gold_texts))


def _marked(flag: str) -> Finder:
    """Return what finds the rows that have a flag of scoring."""
    return lambda sides: are_marked(sides.marks, flag)


def _lost_script(*flags: str) -> Finder:
    """Return what finds the rows that have a flag of golds without tokens, and letters beyond ASCII in a gold."""
    return lambda sides: (
        np.any([are_marked(sides.marks, flag) for flag in flags], axis=0)
        & sides.rows_of_golds(matches(sides.gold_texts, _LETTER))
    )


_ANY, _SOME = 0.0, 0.01
_REST, _TAKEN = "and all of other responses", "and all of responses without it"
_ASK_AGAIN = "the end says the same again and again: run these again with another temperature or penalty of repetition"
_NO_NULLS = "all others; these count as missing, as nulls do that astype(str) has not made text"
_ELEMENTS = "b|i|u|em|strong|p|br|div|span|ul|ol|li|a|table|tr|td|th|h[1-6]|code|pre|sup|sub"
_TAG_OF_HTML = rf"(?i)</?(?:{_ELEMENTS})(?:\s[^<>]*)?/?>"

DATA_CHECKS: dict[str, Hazard] = {
    "written_lists": Hazard(_SOME, remedies.read_lists, golds.written_lists, _choose_written_lists),
    "blank_golds": Hazard(_ANY, remedies.say_no_answer, golds.blank_golds),
    "empty_golds": Hazard(_ANY, remedies.keep_characters, golds.empty_golds),
    "lost_letter": Hazard(_ANY, remedies.keep_characters, golds.lost_letter),
    "lost_sign_or_point": Hazard(_ANY, remedies.keep_characters, golds.lost_sign_or_point),
    "lost_script": Hazard(_ANY, remedies.keep_script, _lost_script(EMPTY, "gold_without_ngrams")),
    "uncut_script": Hazard(_ANY, remedies.cut_script, _marked(UNCUT)),
    "inside_word": Hazard(_SOME, remedies.without_contains, responses.inside_word),
    "long_predictions": Hazard(LEAST_SHARE, remedies.score_length_free, _marked(LONGER)),
    "refusals": Hazard(
        _SOME,
        "all others; these count as missing",
        _in_preds_alone(are_refusals),
        extract=NO_REFUSAL,
        may_lower=True,
    ),
    "null_texts": Hazard(
        _ANY,
        _NO_NULLS,
        _in_preds_alone(partial(matches, pattern=rf"^{_NULL}$")),
        extract=_NO_NULL_TEXT,
        may_lower=True,
    ),
    "cut_off": Hazard(_ANY, "the run's limit of tokens cut them off: run these again with a larger one"),
    "repeats": Hazard(_ANY, _ASK_AGAIN, _in_preds_alone(responses.are_repeating)),
    "run_ons": Hazard(
        _SOME, f"what stands before the next question, {_REST}", responses.run_ons, extract=remedies.BEFORE
    ),
    "answer_phrases": Hazard(
        _SOME, f"what follows the phrase, {_TAKEN}", responses.answer_phrases, extract="answer_is|all"
    ),
    "think_tags": Hazard(_ANY, f"what follows the thought, {_REST}", _in_preds(THOUGHT), extract="after_think"),
    "answer_tags": Hazard(_ANY, f"what is in the tag, {_TAKEN}", _in_preds(r"</?answer>"), extract="answer_tag|all"),
    "boxed": Hazard(
        _ANY,
        f"what is in the box, {_TAKEN}; 'untex' after it reads LaTeX",
        _in_preds(r"\\boxed|\\fbox"),
        extract="boxed|all",
    ),
    "bold": Hazard(_SOME, f"what is bold first, {_TAKEN}", _in_preds(r"\*\*[^*\s][^*]*\*\*"), extract=[[_BOLD, "all"]]),
    "code_fences": Hazard(_SOME, f"what is in the first fence, {_TAKEN}", _in_preds("```"), extract=[[_FENCE, "all"]]),
    "html": Hazard(
        _SOME,
        "the text after the first tag, and all of responses without tags",
        _in_preds(_TAG_OF_HTML),
        extract=[_HTML],
    ),
    "choice_letters": Hazard(_ANY, remedies.choose_letters, responses.choice_letters, _choose_letters),
    "no_option": Hazard(_ANY, remedies.correct_options),
    "joined_golds": Hazard(_ANY, remedies.cut_golds, choose=_choose_joined_golds),
    "duplicate_rows": Hazard(_ANY, remedies.drop_repeats),
}
"""All hazards by name, in the order of the table."""

FINDERS: dict[str, Finder] = {
    **{name: hazard.find for name, hazard in DATA_CHECKS.items() if hazard.find is not None},
    **{f"lost_script:{family}": _lost_script(f"{EMPTY}:{family}") for family in FAMILIES},
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
