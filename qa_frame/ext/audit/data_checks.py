"""The checks of `audit`: the rows that each finds, the least share of rows to report, and the remedy."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from qa_frame._typing import Flags
from qa_frame.ext.audit import finders, remedies
from qa_frame.ext.audit.finders import Sides, matches
from qa_frame.ext.audit.remedies import BOLD, Audited, Remedy, separator
from qa_frame.extraction.refusals import NO_REFUSAL, are_refusals
from qa_frame.extraction.steps import Extract
from qa_frame.frames.diagnosis import SEPARATORS
from qa_frame.frames.text_columns import TextColumns
from qa_frame.scoring.row_flags import EMPTY, FLAGS, LONGER, UNCUT, WITHOUT_NGRAMS, are_flagged
from qa_frame.text.raw_texts import THOUGHT

_FENCE = re.compile(r"(?s)```(?:\w*\n)?(.*?)(?:```|\Z)")
_HTML = re.compile(r"(?s)\A[^<>]*(?:<[^<>]*>\s*)+([^<>\s][^<>]*)|\A\s*([^<>]*)")
_NULL = r"\s*(?:nan|NaN|None|<NA>|NaT|null|NULL)\s*"
"""The texts that a null becomes when a column is made text."""
_NO_NULL_TEXT = re.compile(rf"(?s)\A(?!{_NULL}\Z).*")

Finder = Callable[[Sides], Flags]
"""Returns which rows of a batch a check finds, shape (rows,)."""


@dataclass(frozen=True, slots=True)
class DataCheck:
    """A check of `audit`: which rows it finds, and the advice for these.

    Attributes
    ----------
    least
        Report the rows if they are at least this share of all.
    remedy
        The advice, or what returns it. With `extract`, what the steps take, in words.
    find
        Finds the rows in each batch. None where `prepare_audit` finds them, or `choose`.
    choose
        Returns the rows, by what was found in all batches. None for those that `find` found.
    extract
        The steps that the advice adds to those of the call; None if the advice is another.
    may_lower
        Whether lower scores of these rows are no objection to the steps: their scores are too high, if they are wrong.
    """

    least: float
    remedy: Remedy | str
    find: Finder | None = None
    choose: Callable[[Audited], Flags] | None = None
    extract: Extract = None
    may_lower: bool = False

    def advise(self, audited: Audited, flags: Flags) -> str:
        """Return the advice for the rows that are flagged. flags: shape (rows,)."""
        if not isinstance(self.remedy, str):
            return self.remedy(audited, flags)
        if self.extract is None:
            return self.remedy
        return remedies.add_steps(audited, flags, self.extract, self.remedy, may_lower=self.may_lower)


def _choose_letters(audited: Audited) -> Flags:
    """Return the rows of `choice_letters`, shape (rows,).

    These are the predictions of a letter without golds of letters, if most rows with golds are such; else the rows of
    `_choose_letters_if` where no gold has several letters.
    """
    flags = audited.flags["letters_without_golds"]
    if 2 * np.count_nonzero(flags) > np.count_nonzero(audited.columns.n_golds):
        return flags
    return _choose_letters_if(audited, are_several=False)


def _choose_letters_if(audited: Audited, *, are_several: bool) -> Flags:
    """Return the rows that `choice_letters` finds, if most golds are letters; else no rows.

    are_several: whether these rows are wanted where some gold has several letters, or where none has. No rows in the
    other case.
    """
    has_several = bool(audited.flags["golds_of_several_letters"].any())
    n_letters, n_golds = np.count_nonzero(audited.flags["golds_of_letters"]), np.count_nonzero(audited.columns.n_golds)
    return audited.flags["choice_letters"] & (2 * n_letters > n_golds) & (has_several == are_several)


def _choose_joined_golds(audited: Audited) -> Flags:
    """Return the rows whose gold has the most frequent separator, if most rows with golds have it; else no rows.

    If the separator is a bar, more than one row with golds in ten is enough.
    """
    sep = separator(audited)
    flags = audited.flags[f"joined_golds:{sep}"]
    least = (0.1 if sep == "|" else 0.5) * np.count_nonzero(audited.columns.n_golds)
    return flags & (np.count_nonzero(flags) > least)


def _choose_longer_answers(audited: Audited) -> Flags:
    """Return the rows with the flag `LONGER`, in those groups in which it makes a metric mislead."""
    return audited.flags[LONGER] & audited.fit.misleads(LONGER)[audited.groups.codes]


def _in_preds(pattern: str) -> Finder:
    """Return a finder of the rows whose prediction matches a regular expression."""
    return lambda sides: sides.rows_of_preds(matches(sides.pred_texts, pattern))


def _in_preds_alone(find: Callable[[pa.Array], Flags]) -> Finder:
    """Return a finder of the rows with a prediction that `find` flags, and without a gold that it flags."""
    return lambda sides: sides.rows_of_preds(find(sides.pred_texts)) & ~sides.rows_of_golds(find(sides.gold_texts))


def _flagged(flag: str) -> Finder:
    """Return a finder of the rows to which scoring gives a flag, such as `EMPTY`."""
    return lambda sides: are_flagged(sides.flag_codes, flag)


_ANY, _SOME = 0.0, 0.01
_ELSE = "or else the whole response"
_NO_NULLS = "all others; these count as missing, as nulls do that astype(str) has not made text"
_ELEMENTS = "b|i|u|em|strong|p|br|div|span|ul|ol|li|a|table|tr|td|th|h[1-6]|code|pre|sup|sub"
_TAG_OF_HTML = rf"(?i)</?(?:{_ELEMENTS})(?:\s[^<>]*)?/?>"

DATA_CHECKS: dict[str, DataCheck] = {
    "written_lists": DataCheck(_SOME, remedies.read_lists, finders.written_lists),
    "blank_golds": DataCheck(_ANY, remedies.say_no_answer, finders.blank_golds),
    EMPTY: DataCheck(_ANY, partial(remedies.keep_tokens, flag=EMPTY), _flagged(EMPTY)),
    WITHOUT_NGRAMS: DataCheck(_ANY, partial(remedies.keep_tokens, flag=WITHOUT_NGRAMS), _flagged(WITHOUT_NGRAMS)),
    "lost_letter": DataCheck(_ANY, remedies.keep_characters, finders.lost_letter),
    "lost_sign_or_point": DataCheck(_ANY, remedies.keep_characters, finders.lost_sign_or_point),
    UNCUT: DataCheck(_ANY, remedies.cut_script, _flagged(UNCUT)),
    "marks_alone": DataCheck(_ANY, remedies.treat_marks_alike, finders.marks_alone),
    "inside_word": DataCheck(_SOME, remedies.leave_out_contains, finders.inside_word),
    LONGER: DataCheck(_ANY, remedies.take_out_answers, _flagged(LONGER), _choose_longer_answers),
    "refusals": DataCheck(
        _SOME,
        "all others; these count as missing",
        _in_preds_alone(are_refusals),
        extract=NO_REFUSAL,
        may_lower=True,
    ),
    "null_texts": DataCheck(
        _ANY,
        _NO_NULLS,
        _in_preds_alone(partial(matches, pattern=rf"^{_NULL}$")),
        extract=_NO_NULL_TEXT,
        may_lower=True,
    ),
    "cut_off": DataCheck(_ANY, "the run's limit of tokens cut them off: run these again with a larger one"),
    "run_ons": DataCheck(
        _SOME, f"what stands before the next question, {_ELSE}", finders.run_ons, extract=remedies.BEFORE
    ),
    "answer_phrases": DataCheck(
        _SOME, f"what follows the phrase, {_ELSE}", finders.answer_phrases, extract="answer_is|all"
    ),
    "think_tags": DataCheck(_ANY, f"what follows the thought, {_ELSE}", _in_preds(THOUGHT), extract="after_think"),
    "answer_tags": DataCheck(_ANY, f"what is in the tag, {_ELSE}", _in_preds(r"</?answer>"), extract="answer_tag|all"),
    "boxed": DataCheck(
        _ANY,
        f"what is in the box, {_ELSE}; 'untex' after it reads LaTeX",
        _in_preds(r"\\boxed|\\fbox"),
        extract="boxed|all",
    ),
    "bold": DataCheck(
        _SOME, f"the first bold text, {_ELSE}", _in_preds(r"\*\*[^*\s][^*]*\*\*"), extract=[[BOLD, "all"]]
    ),
    "code_fences": DataCheck(
        _SOME, f"what is in the first fence, {_ELSE}", _in_preds("```"), extract=[[_FENCE, "all"]]
    ),
    "html": DataCheck(
        _SOME,
        f"the text after the first tag, {_ELSE}",
        _in_preds(_TAG_OF_HTML),
        extract=[_HTML],
    ),
    "choice_letters": DataCheck(_ANY, remedies.choose_letters, finders.choice_letters, _choose_letters),
    "several_letters": DataCheck(_ANY, remedies.take_letters, choose=partial(_choose_letters_if, are_several=True)),
    "no_option": DataCheck(_ANY, remedies.correct_options),
    "joined_golds": DataCheck(_ANY, remedies.cut_golds, choose=_choose_joined_golds),
    "duplicate_rows": DataCheck(_ANY, remedies.drop_repeats),
}
"""All checks by name, in the order of the table."""

FINDERS: dict[str, Finder] = {
    **{name: check.find for name, check in DATA_CHECKS.items() if check.find is not None},
    **{f"joined_golds:{sep}": partial(finders.joined_by, sep=sep) for sep in SEPARATORS},
    "letters_without_golds": finders.letters_without_golds,
    "golds_of_letters": finders.golds_of_letters,
    "golds_of_several_letters": finders.golds_of_several_letters,
}
"""All that is found in batches: rows of checks, and what these are chosen by."""

_OF_GOLDS = {*FLAGS, "blank_golds", "lost_letter", "lost_sign_or_point", "marks_alone", "inside_word", "choice_letters"}
_OF_GOLDS |= {"letters_without_golds", "golds_of_letters", "golds_of_several_letters", "no_option", "joined_golds"}
"""The flags that say nothing of a text that stands for a list of golds."""


def clear_flags_of_written_lists(columns: TextColumns, flags: Mapping[str, Flags]) -> Mapping[str, Flags]:
    """Return the flags, those of golds set to False where most golds are lists that were written out as text.

    No gold counts as such a list where rows have several golds, as a list of golds may hold one that looks like a list.
    The flags `written_lists` are then False, too.
    """
    is_list = pa.types.is_large_list(columns.golds.type)
    written = flags["written_lists"] & (not is_list or columns.n_golds.max(initial=0) <= 1)
    flags = {**flags, "written_lists": written}
    if 2 * np.count_nonzero(written) <= np.count_nonzero(columns.n_golds):
        return flags
    of_golds = [name for name in flags if name.partition(":")[0] in _OF_GOLDS]
    return {**flags, **dict.fromkeys(of_golds, np.zeros_like(written))}
