"""The rows that each data check finds, in a batch: by its golds, by its predictions, or by what both have in common."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags, Ints
from qa_frame.extraction.steps import extract_texts, make_steps
from qa_frame.frames.diagnosis import WRITTEN_GOLDS, WRITTEN_NUMBERS, has_separator
from qa_frame.frames.options import LETTERS_OF_CHOICE, in_letters
from qa_frame.frames.text_columns import TextColumns
from qa_frame.kernels.pair_counts import CLIPPED, CONTAINS_GOLD, EQUAL, count_matches
from qa_frame.kernels.tokens import Pairs
from qa_frame.rules.parts import gold_tokens_of
from qa_frame.scoring.batches import Batch, make_batch
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pipeline import score_pairs
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.row_flags import EMPTY, Codes, are_flagged, flag_rows
from qa_frame.text.contains import compare_texts, contains_per_pair
from qa_frame.text.raw_texts import PREDICTIONS
from qa_frame.text.segments import CHARACTERS
from qa_frame.text.specification import Text
from qa_frame.text.typography import TEMPLATE_MARK
from qa_frame.text.vocabulary import normalised_texts, tokenise
from qa_frame.text.words import Words, cut_words

ANSWERING = ("exact", "overlap", "contains")
"""The families of metrics whose normalisation decides whether an answer is right."""


@dataclass(frozen=True, eq=False, repr=False)
class Sides:
    """A batch of rows, and the metrics and rules of the call."""

    columns: TextColumns
    plan: Plan

    @cached_property
    def batch(self) -> Batch:
        """The texts and pairs. A missing prediction is the empty text."""
        prepare = PREDICTIONS[self.plan.convention.prediction]
        return make_batch(self.columns, prepare_pred=prepare, missing_as_empty=True)

    @cached_property
    def words(self) -> Words:
        """The words of all texts."""
        return cut_words(self.batch.texts, whole_texts_only=self.plan.needs.takes_whole_texts)

    @cached_property
    def golds(self) -> Ints:
        """The places of the golds in the batch's texts, each once."""
        return np.unique(self.batch.pairs.gold)

    @cached_property
    def preds(self) -> Ints:
        """The places of the predictions in the batch's texts, each once."""
        return np.unique(self.batch.pairs.pred)

    @cached_property
    def gold_texts(self) -> pa.Array:
        """The texts at the places `golds`: the distinct golds."""
        return self.batch.texts.take(pa.array(self.golds))

    @cached_property
    def pred_texts(self) -> pa.Array:
        """The texts at the places `preds`: the distinct predictions."""
        return self.batch.texts.take(pa.array(self.preds))

    @cached_property
    def flag_codes(self) -> Codes:
        """The data-quality flags that scoring gives to each row, as codes that `are_flagged` reads, shape (rows,)."""
        scored = score_pairs(self.columns, self.plan)
        return flag_rows(scored.batch, scored.counts, scored.scores, self.plan.convention)

    @property
    def no_rows(self) -> Flags:
        """Flags of all rows that are all False."""
        return np.zeros(self.batch.n_rows, np.bool_)

    @property
    def has_one_gold(self) -> Flags:
        """Which rows have exactly one gold, shape (rows,)."""
        return np.asarray(np.diff(self.batch.pair_offsets) == 1)

    @property
    def families(self) -> list[str]:
        """The families of the metrics that are asked for."""
        return list(dict.fromkeys(METRICS[metric].family for metric in self.plan.metrics))

    @property
    def answering_rules(self) -> list[Text]:
        """How golds become tokens for the metrics that decide if answers are right, or else for all metrics."""
        chosen = [family for family in ANSWERING if family in self.families] or self.families
        rules = [getattr(self.plan.convention, family) for family in chosen]
        return list(dict.fromkeys(gold_tokens_of(rule) or rule.text for rule in rules))

    @property
    def tokens_decide(self) -> bool:
        """Whether an answer is right where its tokens are those of the gold, and nowhere else."""
        rules = [getattr(self.plan.convention, family) for family in self.families]
        exact = self.plan.convention.exact if "exact" in self.families else None
        is_other_kind = exact is not None and not (exact.numbers is None and exact.agreed_text is None)
        return not is_other_kind and all(gold_tokens_of(rule) is None for rule in rules)

    def rows(self, pairs: Flags | Ints) -> Flags:
        """Return which rows have any of these pairs, shape (rows,). pairs: flags of shape (pairs,), or places."""
        has_pair = self.no_rows
        has_pair[self.batch.row_per_pair[pairs]] = True
        return has_pair

    def rows_of_golds(self, is_gold: Flags) -> Flags:
        """Return which rows have any of these golds, shape (rows,). is_gold: which of `golds`, shape (golds,)."""
        return self.rows(np.isin(self.batch.pairs.gold, self.golds[is_gold]))

    def rows_of_preds(self, is_pred: Flags) -> Flags:
        """Return which rows have any of these predictions, shape (rows,). is_pred: which of `preds`, shape (preds,)."""
        return self.rows(np.isin(self.batch.pairs.pred, self.preds[is_pred]))

    @property
    def bare_lengths(self) -> Ints:
        """The number of characters of each text of the batch, shape (texts,).

        Marks of chat templates do not count, and an entity of HTML counts as one character.
        """
        length: Ints = pc.utf8_length(self.batch.texts).to_numpy().astype(np.int64)
        places = np.flatnonzero(matches(self.batch.texts, f"{TEMPLATE_MARK}|{_ENTITY}"))
        bare = pc.replace_substring_regex(self.batch.texts.take(pa.array(places)), TEMPLATE_MARK, "")
        bare = pc.replace_substring_regex(bare, _ENTITY, "&")
        length[places] = pc.utf8_length(pc.utf8_trim_whitespace(bare)).to_numpy()
        return length

    def used_texts(self, pairs: Pairs) -> tuple[pa.Array, Pairs]:
        """Return the texts of these pairs, each once, and the pairs with their places among these texts."""
        used, places = np.unique(np.concatenate((pairs.pred, pairs.gold)), return_inverse=True)
        return self.batch.texts.take(pa.array(used)), Pairs(*np.split(places, 2))


def matches(texts: pa.Array, pattern: str) -> Flags:
    """Return whether a regular expression is found in each text, shape (texts,)."""
    return as_flags(pc.match_substring_regex(texts, pattern))


def as_flags(array: pa.Array) -> Flags:
    """Return an Arrow array of truth values as an array of numpy."""
    return np.asarray(array.to_numpy(zero_copy_only=False))


# --- golds

_LAST_LETTER = ((r"(^|[^A-Za-z0-9])[A-Za-z]([^A-Za-z0-9]*)$", r"\1\2"),)
_CHARACTERS_OF_MEANING = (
    (r"(^|[\s(0-9-])\.([0-9])", r"\1\2"),
    (r"(^|[\s(])[-\x{2212}](\.?[0-9])", r"\1\2"),
    (r"(^|[^A-Za-z0-9])([A-Za-z]+)[+#]+", r"\1\2"),
)
"""Decimal points, signs, and the marks of C++ and C#: how to find them, and the text that is left without them."""

_POINT = (r"(^|[\s(0-9-]|qminus)\.([0-9])", r"\1qpoint\2")
_PART = (r"([0-9])[-\x{2010}-\x{2015}\x{2212}/:]([0-9])", r"\1qpart\2")
_IN_LETTERS = (
    (r"(^|[\s(])[-\x{2212}](\.?[0-9])", r"\1qminus\2"),
    *[_POINT, _PART] * 2,  # one pass leaves the second of "1.2.3", as matches do not overlap
    (r"([0-9A-Za-z])\+", r"\1qplus"),
    (r"([A-Za-z])#", r"\1qsharp"),
    (r"([0-9])\s*%", r"\1qpercent"),
    (r"([0-9A-Za-z)}\]])\s*\^", r"\1qpower"),
)
"""The characters of meaning between and beside numbers: how to find them, and letters for them that no steps delete."""


def blank_golds(sides: Sides) -> Flags:
    """Flag rows with a gold of white space or of no characters. Flag none where such golds stand for "no answer"."""
    if sides.plan.convention.no_answer:
        return sides.no_rows
    return sides.rows_of_golds(as_flags(pc.equal(pc.utf8_trim_whitespace(sides.gold_texts), "")))


def lost_letter(sides: Sides) -> Flags:
    """Flag rows with a gold that has the same tokens without the single letter at its end, such as "vitamin A".

    Golds without any token are not meant: they have the flag `EMPTY`.
    """
    return _lost_characters(sides, _LAST_LETTER) & ~are_flagged(sides.flag_codes, EMPTY)


def lost_sign_or_point(sides: Sides) -> Flags:
    """Flag rows whose gold has the same tokens without a sign, point or plus, or equals a prediction without it."""
    return _lost_characters(sides, _CHARACTERS_OF_MEANING) | _made_equal(sides)


def _lost_characters(sides: Sides, patterns: Iterable[tuple[str, str]]) -> Flags:
    """Flag rows with a gold that has the same tokens without the characters that a pattern finds.

    patterns: each with the text that takes the place of what it finds. No row is flagged where the convention compares
    golds in another way than by their tokens, as numbers.
    """
    is_lost = np.zeros(len(sides.golds), np.bool_)
    golds = sides.gold_texts
    for pattern, rest in patterns:
        places = np.flatnonzero(matches(golds, pattern))
        whole = golds.take(pa.array(places))
        both = pa.concat_arrays([whole, pc.replace_substring_regex(whole, pattern, rest)])
        first = np.arange(len(places))
        for text in sides.answering_rules if sides.tokens_decide else ():
            is_lost[places] |= _have_same_tokens(both, Pairs(first, first + len(places)), text)
    return sides.rows_of_golds(is_lost)


def _made_equal(sides: Sides) -> Flags:
    """Flag rows whose prediction has the tokens of a gold, but of none once the characters of meaning are letters.

    The characters of meaning are signs, points and others (see `_IN_LETTERS`). No row is flagged where tokens alone do
    not decide.
    """
    are_made_equal = sides.no_rows
    pairs = sides.batch.pairs
    has_any = matches(sides.batch.texts, "|".join(pattern for pattern, _ in _IN_LETTERS))
    places = np.flatnonzero(sides.rows(has_any[pairs.pred] | has_any[pairs.gold])[sides.batch.row_per_pair])
    texts, used = sides.used_texts(pairs[places])
    in_letters = texts
    for pattern, letters in _IN_LETTERS:
        in_letters = pc.replace_substring_regex(in_letters, pattern, letters)
    for text in sides.answering_rules if sides.tokens_decide else ():
        was_equal = sides.rows(places[_have_same_tokens(texts, used, text)])
        are_made_equal |= was_equal & ~sides.rows(places[_have_same_tokens(in_letters, used, text)])
    return are_made_equal


def _have_same_tokens(texts: pa.Array, pairs: Pairs, text: Text) -> Flags:
    """Return whether both texts of each pair have the same tokens, shape (pairs,). pairs: places in `texts`."""
    return np.asarray(count_matches(tokenise(cut_words(texts), text).tokens, pairs, {EQUAL: 1})["equal"])


MARK_STEPS = (
    "unescape_html",
    "delete_template_marks",
    "delete_invisible",
    "unify_forms",
    "straighten_punctuation",
    "nfc",
)
"""The steps of `Text` by which marks are alike that differ where texts say the same."""
_ENTITY = "&#?[A-Za-z0-9]+;"
_MAY_BE_MARK = rf"[^\x00-\x7f]|{_ENTITY}|{TEMPLATE_MARK}"
_LONGER, _MORE = 2, 16
"""A text that is the same but for marks has at most so many times the characters, and so many more."""


def marks_alone(sides: Sides) -> Flags:
    """Flag rows whose prediction differs from a gold only in marks, such as dashes and quotation marks.

    It has the tokens of a gold after the steps `MARK_STEPS`, which make such marks alike, and of no gold without them.
    No row is flagged where tokens alone do not decide, or where one text is much longer than the other.
    """
    if not sides.tokens_decide:
        return sides.no_rows
    pairs, has_mark = sides.batch.pairs, matches(sides.batch.texts, _MAY_BE_MARK)
    length = sides.bare_lengths
    shorter, longer = np.sort([length[pairs.pred], length[pairs.gold]], axis=0)
    is_marked = has_mark[pairs.pred] | has_mark[pairs.gold]
    is_suspect = is_marked & (longer <= _LONGER * shorter + _MORE)
    places = np.flatnonzero(sides.rows(is_suspect)[sides.batch.row_per_pair])
    texts, used = sides.used_texts(pairs[places])
    text = sides.answering_rules[0]
    are_equal = (
        _have_same_tokens(texts, used, each) for each in (text, replace(text, steps=(*MARK_STEPS, *text.steps)))
    )
    was_equal, is_equal = (sides.rows(places[each]) for each in are_equal)
    return is_equal & ~was_equal


def joined_by(sides: Sides, sep: str) -> Flags:
    """Flag rows whose only gold has a separator between two texts."""
    return sides.rows_of_golds(as_flags(has_separator(sides.gold_texts, sep))) & sides.has_one_gold


def written_lists(sides: Sides) -> Flags:
    """Flag rows whose only gold looks like a list that was written out as text."""
    return sides.rows_of_golds(as_flags(looks_like_a_list(sides.gold_texts))) & sides.has_one_gold


def golds_of_letters(sides: Sides) -> Flags:
    """Flag rows whose golds are all letters of options, one or several each."""
    return sides.batch.has_gold & ~sides.rows_of_golds(~matches(_in_letters(sides), LETTERS_OF_CHOICE))


def golds_of_several_letters(sides: Sides) -> Flags:
    """Flag rows whose golds are all letters of options, and one of them has several."""
    return golds_of_letters(sides) & sides.rows_of_golds(matches(_in_letters(sides), "^[A-J], "))


def _in_letters(sides: Sides) -> pa.Array:
    """Return the texts of `gold_texts`, with golds of several letters written alike, as "A, C"."""
    return in_letters(pa.chunked_array([sides.gold_texts]), may_be_several=True).combine_chunks()


# --- predictions

_BESIDE_WORDS = r"[^\pL\pN]+"


def inside_word(sides: Sides) -> Flags:
    """Flag rows where `contains` finds a gold only inside longer words or numbers, other than its plural in s or es.

    No row is flagged where `contains` is not among the metrics, or looks for golds in another way than anywhere in the
    text.
    """
    rule, pairs = sides.plan.convention.contains, sides.batch.pairs
    if rule is None or rule.place != "anywhere" or rule.numbers or "contains" not in sides.plan.metrics:
        return sides.no_rows
    if rule.text.split == "none":
        texts = normalised_texts(sides.words, rule.text)
        has_text = np.fromiter(map(bool, texts), np.bool_, count=len(texts))
        is_contained = compare_texts(texts, pairs, operator.contains) & has_text[pairs.gold]
        is_word = np.zeros(len(pairs), np.bool_)
    else:
        tokenised = tokenise(sides.words, rule.text)
        counts = count_matches(tokenised.tokens, pairs, {CLIPPED: 1, CONTAINS_GOLD: 1})
        is_contained = contains_per_pair(tokenised, pairs, counts) & (counts.n_gold > 0)
        is_word = counts["contains_gold"]
    places = np.flatnonzero(is_contained & ~is_word)
    is_word[places] = _contains_word(*sides.used_texts(pairs[places]))
    return sides.rows(is_contained & ~is_word) & ~sides.rows(is_contained & is_word)


def _contains_word(texts: pa.Array, pairs: Pairs) -> Flags:
    """Return whether the raw prediction of each pair has its raw gold, or the plural, as whole words, shape (pairs,).

    Words stand between characters that are not letters or digits. Case and punctuation make no difference. In scripts
    without spaces, each character is a word. pairs: places in `texts`.
    """
    cut = pc.replace_substring_regex(pc.utf8_lower(texts), f"([{CHARACTERS}])", r" \1 ")
    plain = pc.replace_substring_regex(cut, _BESIDE_WORDS, " ")
    trimmed = pc.utf8_trim_whitespace(plain)
    space, empty = (pa.scalar(text, plain.type) for text in (" ", ""))
    preds = pc.binary_join_element_wise(space, trimmed, space, empty).to_pylist()
    contained = np.zeros(len(pairs), np.bool_)
    for ending in (" ", "s ", "es "):
        golds = pc.binary_join_element_wise(space, trimmed, pa.scalar(ending, plain.type), empty).to_pylist()
        contained |= compare_texts([*preds, *golds], Pairs(pairs.pred, pairs.gold + len(texts)), operator.contains)
    return contained


def run_ons(sides: Sides) -> Flags:
    """Flag rows whose prediction goes on with a new question."""
    before = extract_texts(pa.chunked_array([sides.pred_texts]), make_steps("before_next_question")).combine_chunks()
    return sides.rows_of_preds(as_flags(pc.not_equal(before, pc.utf8_trim_whitespace(sides.pred_texts))))


def answer_phrases(sides: Sides) -> Flags:
    """Flag rows whose prediction announces an answer with a phrase, other than in a thought."""
    answers = extract_texts(pa.chunked_array([sides.pred_texts]), make_steps(["after_think|all", "answer_is"]))
    return sides.rows_of_preds(as_flags(pc.is_valid(answers)))


def choice_letters(sides: Sides) -> Flags:
    """Flag rows whose golds are letters of options, and whose prediction is neither a letter nor equal to a gold.

    Where a gold is more than one letter, a prediction of one letter is flagged, too. Missing predictions are not
    flagged.
    """
    single = r"^\s*[A-Za-z]\s*$"
    is_letter = sides.rows_of_preds(matches(sides.pred_texts, single))
    is_other = sides.rows_of_golds(~matches(sides.gold_texts, single))
    is_same = sides.rows(sides.batch.pairs.pred == sides.batch.pairs.gold)
    return golds_of_letters(sides) & ~(is_letter & ~is_other) & ~is_same & ~sides.batch.is_missing


def letters_without_golds(sides: Sides) -> Flags:
    """Flag rows with golds, none of them letters of options, whose prediction is one letter of an option."""
    is_choice = sides.rows_of_preds(matches(sides.pred_texts, r"^\s*\(?[A-Ja-j]\)?[.:]?\s*$"))
    is_letter = sides.rows_of_golds(matches(_in_letters(sides), LETTERS_OF_CHOICE))
    return is_choice & ~is_letter & sides.batch.has_gold & ~sides.batch.is_missing


def looks_like_a_list(texts: pa.Array) -> pa.Array:
    """Return whether each text looks like a list of golds that was written out, or like a list of numbers."""
    matches = [pc.match_substring_regex(texts, pattern) for pattern in (WRITTEN_GOLDS, WRITTEN_NUMBERS)]
    return pc.or_(*matches)
