"""Which rows each hazard concerns: distinct texts of a batch → flags of its rows.

A hazard of normalisation is found by comparison: a text and the same text without what is at stake go through the
convention's own steps and split, and it is lost where both come out equal. No convention is known by its name.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags, Ints
from qa_frame.frames.diagnosis import SEPARATORS, has_separator, looks_like_a_list
from qa_frame.frames.text_columns import TextColumns
from qa_frame.kernels.pair_counts import Wanted, count_matches
from qa_frame.kernels.tokens import Pairs, Tokens
from qa_frame.scoring.batches import Batch, make_batch, split_rows
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Plan
from qa_frame.text.arrow_bytes import binary_data, binary_from, binary_offsets
from qa_frame.text.contains import compare_texts, contains_per_pair
from qa_frame.text.extraction import THOUGHT, extract_texts
from qa_frame.text.lexicon import TokenisedTexts, normalised_texts, tokenise
from qa_frame.text.raw_texts import PREDICTIONS
from qa_frame.text.specification import Text
from qa_frame.text.words import Words, cut_words
from qa_frame.view.refusals import REFUSAL, is_refusal

LEAST_LONG, TIMES_LONGER = 100, 10
"""A prediction is long from so many characters on, if it has so many times those of the row's longest gold."""

_ANSWERING = ("exact", "overlap", "contains")
"""The families of metrics whose normalisation decides whether an answer is right."""

_LAST_LETTER = r"(^|[^A-Za-z0-9])[A-Za-z]([^A-Za-z0-9]*)$"
_CHARACTERS_OF_MEANING = (
    (r"([0-9])\.([0-9])", r"\1\2"),
    (r"(^|[\s(])[-\x{2212}](\.?[0-9])", r"\1\2"),
    (r"(^|[^A-Za-z0-9])([A-Za-z]+)[+#]+", r"\1\2"),
)
"""Decimal points, signs, and the marks of C++ and C#: how to find them, and what is left without them."""

_NUMBER_FORMS = (
    *[(r"([0-9]),((?:[0-9]{3})+)\b", r"\1\2")] * 3,  # one pass leaves every second comma, as matches do not overlap
    (r"(\.[0-9]*[1-9])0+\b", r"\1"),
    (r"([0-9])\.0+\b", r"\1"),
)
"""What brings numbers to one form: without the commas of thousands, and the zeros at the end of decimals."""

_ELEMENTS = "b|i|u|em|strong|p|br|div|span|ul|ol|li|a|table|tr|td|th|h[1-6]|code|pre|sup|sub"
_MARKUP = {
    "think_tags": THOUGHT,
    "answer_tags": r"</?answer>",
    "boxed": r"\\boxed|\\fbox",
    "bold": r"\*\*[^*\s][^*]*\*\*",
    "code_fences": "```",
    "html": rf"(?i)</?(?:{_ELEMENTS})(?:\s[^<>]*)?/?>",
}
_ANY_MARKUP = r"[<`]|\*\*|\\boxed|\\fbox"
NULL_TEXTS = r"\s*(?:nan|NaN|None|<NA>|NaT|null|NULL)\s*"
"""What stands for a null where a column was made text."""

_FOREIGN_LETTERS = r"[^\P{L}\p{Latin}]"
_ALL_ELSE = r"[\p{Latin}\P{L}]+"
_BESIDE_WORDS = r"[^\pL\pN]+"

RowFlags = dict[str, Flags]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Sides:
    """A batch, with the distinct texts of each side.

    golds, preds: places in the batch's texts. row_per_pair: shape (pairs,).
    """

    batch: Batch
    words: Words
    golds: Ints
    preds: Ints
    row_per_pair: Ints

    @property
    def gold_texts(self) -> pa.Array:
        return self.batch.texts.take(pa.array(self.golds))

    @property
    def pred_texts(self) -> pa.Array:
        return self.batch.texts.take(pa.array(self.preds))

    def rows(self, is_pair: Flags) -> Flags:
        """The rows that have any of these pairs."""
        found = np.zeros(self.batch.n_rows, np.bool_)
        found[self.row_per_pair[is_pair]] = True
        return found

    def rows_of_golds(self, is_gold: Flags) -> Flags:
        """The rows that have any of these golds. is_gold: shape (golds,)."""
        return self.rows(self._per_text(self.golds, is_gold)[self.batch.pairs.gold])

    def rows_of_preds(self, is_pred: Flags) -> Flags:
        """The rows that have any of these predictions. is_pred: shape (preds,)."""
        return self.rows(self._per_text(self.preds, is_pred)[self.batch.pairs.pred])

    def all_golds(self, is_gold: Flags) -> Flags:
        """The rows that have golds, and only such ones."""
        return self.batch.has_gold & ~self.rows_of_golds(~is_gold)

    @property
    def has_one_gold(self) -> Flags:
        one: Flags = np.diff(self.batch.pair_offsets) == 1
        return one

    def _per_text(self, places: Ints, flags: Flags) -> Flags:
        per_text = np.zeros(len(self.batch.texts), np.bool_)
        per_text[places] = flags
        return per_text


def find_rows(columns: TextColumns, plan: Plan) -> RowFlags:
    """Flag the rows that each hazard of texts concerns.

    Rows without golds are not looked at. A hazard that has several kinds has a key for each, as `joined_golds:|` for
    each separator and `lost_script:rouge_l` for each family of metrics.
    """
    bounds = split_rows(columns)
    found = [_find_in_batch(columns.slice(start, stop), plan) for start, stop in bounds]
    return {name: np.concatenate([each[name] for each in found]) for name in found[0]}


def _find_in_batch(columns: TextColumns, plan: Plan) -> RowFlags:
    batch = make_batch(columns, prepare_pred=PREDICTIONS[plan.convention.prediction], missing_as_empty=True)
    sides = _Sides(
        batch=batch,
        words=cut_words(batch.texts, whole_texts_only=plan.takes_whole_texts),
        golds=_distinct(batch.pairs.gold, len(batch.texts)),
        preds=_distinct(batch.pairs.pred, len(batch.texts)),
        row_per_pair=batch.row_per_pair,
    )
    texts = _answering_texts(plan)
    return {
        "blank_golds": _blank_golds(sides, plan),
        "empty_golds": _empty_golds(sides, [tokenise(sides.words, text).tokens for text in texts]),
        "lost_letter": _lost(sides, texts, [(_LAST_LETTER, r"\1\2")]),
        "lost_sign_or_point": _lost(sides, texts, _CHARACTERS_OF_MEANING),
        "number_forms": _number_forms(sides, texts[0]),
        **{f"lost_script:{family}": rows for family, rows in _lost_script(sides, plan)},
        "inside_word": _inside_word(sides, plan),
        "long_predictions": _long_predictions(sides, plan),
        "refusals": _only_of_preds(sides, _refuses),
        "null_texts": _only_of_preds(sides, lambda found: _matches(found, rf"^{NULL_TEXTS}$")),
        "answer_phrases": sides.rows_of_preds(_states_answer(sides.pred_texts)),
        **dict(_markup(sides)),
        "choice_letters": _choice_letters(sides),
        "one_letter_golds": sides.all_golds(_matches(sides.gold_texts, "^[A-Ja-j]$")),
        "written_lists": sides.rows_of_golds(_flags(looks_like_a_list(sides.gold_texts))) & sides.has_one_gold,
        **{f"joined_golds:{sep}": rows for sep, rows in _joined_golds(sides)},
        "duplicate_golds": _duplicate_golds(sides, tokenise(sides.words, texts[0])),
    }


def _answering_texts(plan: Plan) -> list[Text]:
    """How answers become tokens, for the metrics of the plan: those that decide if they are right, else all."""
    families = dict.fromkeys(METRICS[metric].family for metric in plan.metrics)
    chosen = [family for family in _ANSWERING if family in families] or list(families)
    return list(dict.fromkeys(getattr(plan.convention, family).text for family in chosen))


# --- golds that the normalisation changes


def _blank_golds(sides: _Sides, plan: Plan) -> Flags:
    """Golds of white space or of no characters, where these do not stand for "no answer"."""
    if plan.convention.no_answer:
        return np.zeros(sides.batch.n_rows, np.bool_)
    return sides.rows_of_golds(_is_blank(sides.gold_texts))


def _empty_golds(sides: _Sides, tokens: list[Tokens]) -> Flags:
    """Golds that have characters, and no tokens."""
    is_empty = np.zeros(len(sides.golds), np.bool_)
    for each in tokens:
        is_empty |= each.n_per_text[sides.golds] == 0
    return sides.rows_of_golds(is_empty & ~_is_blank(sides.gold_texts))


def _is_blank(texts: pa.Array) -> Flags:
    return _flags(pc.equal(pc.utf8_trim_whitespace(texts), ""))


def _lost(sides: _Sides, texts: list[Text], patterns: Iterable[tuple[str, str]]) -> Flags:
    """Golds that have the same tokens without what a pattern finds. patterns: each with what is left in its place."""
    is_lost = np.zeros(len(sides.golds), np.bool_)
    golds = sides.gold_texts
    for pattern, rest in patterns:
        places = np.flatnonzero(_matches(golds, pattern))
        if not len(places):
            continue
        whole = golds.take(pa.array(places))
        without = pc.replace_substring_regex(whole, pattern, rest)
        for text in texts:
            is_lost[places] |= _have_same_tokens(whole, without, text)
    return sides.rows_of_golds(is_lost)


def _have_same_tokens(texts: pa.Array, others: pa.Array, text: Text) -> Flags:
    """Whether each text has the same tokens as the other one."""
    n_texts = len(texts)
    tokens = tokenise(cut_words(pa.concat_arrays([texts, others])), text).tokens
    places = np.arange(n_texts)
    return count_matches(tokens, Pairs(places, places + n_texts), Wanted(equal=True)).equal


def _lost_script(sides: _Sides, plan: Plan) -> Iterator[tuple[str, Flags]]:
    """For each family of metrics: golds whose letters beyond Latin all vanish."""
    golds = sides.gold_texts
    places = np.flatnonzero(_matches(golds, _FOREIGN_LETTERS)) if not sides.words.joined.isascii() else np.zeros(0, int)
    letters = pc.replace_substring_regex(golds.take(pa.array(places)), _ALL_ELSE, " ")
    words = cut_words(letters)
    for family in dict.fromkeys(METRICS[metric].family for metric in plan.metrics):
        is_lost = np.zeros(len(golds), np.bool_)
        if len(places):
            is_lost[places] = tokenise(words, getattr(plan.convention, family).text).tokens.n_per_text == 0
        yield family, sides.rows_of_golds(is_lost)


def _duplicate_golds(sides: _Sides, texts: TokenisedTexts) -> Flags:
    """Rows with two golds that have the same tokens, of which there are some."""
    n_tokens = texts.tokens.n_per_text[sides.golds]
    spelled = texts.vocabulary.take(pa.array(texts.tokens.texts(sides.golds)))
    bounds = binary_offsets(spelled)[np.concatenate(([0], np.cumsum(n_tokens)))]
    same = binary_from(binary_data(spelled), bounds).dictionary_encode().indices.to_numpy().astype(np.int64)
    id_per_text = np.full(len(sides.batch.texts), -1)
    id_per_text[sides.golds] = np.where(n_tokens > 0, same, -1)
    id_per_pair = id_per_text[sides.batch.pairs.gold]
    keys = np.sort((sides.row_per_pair * (len(sides.golds) + 1) + id_per_pair)[id_per_pair >= 0])
    found = np.zeros(sides.batch.n_rows, np.bool_)
    found[keys[1:][keys[1:] == keys[:-1]] // (len(sides.golds) + 1)] = True
    return found


# --- predictions and golds that do not meet, or meet by chance


def _number_forms(sides: _Sides, text: Text) -> Flags:
    """Rows where a prediction has all tokens of a gold once the numbers of both have one form, and not before."""
    texts, pairs = sides.batch.texts, sides.batch.pairs
    places = np.flatnonzero(_matches(texts, "[0-9][.,][0-9]"))
    if not len(places):
        return np.zeros(sides.batch.n_rows, np.bool_)
    before = texts.take(pa.array(places))
    after = before
    for pattern, rest in _NUMBER_FORMS:
        after = pc.replace_substring_regex(after, pattern, rest)
    is_changed = np.zeros(len(texts), np.bool_)
    is_changed[places] = _flags(pc.not_equal(before, after))
    has_digit = np.zeros(len(texts), np.bool_)
    has_digit[sides.golds] = _matches(sides.gold_texts, "[0-9]")
    rows = sides.rows((is_changed[pairs.pred] | is_changed[pairs.gold]) & has_digit[pairs.gold])
    pair_places = np.flatnonzero(rows[sides.row_per_pair])
    looked_at = pairs[pair_places]
    used, of_used = np.unique(np.concatenate((looked_at.pred, looked_at.gold)), return_inverse=True)
    local = Pairs(*np.split(of_used, 2))
    raw = texts.take(pa.array(used))
    same_form = raw
    for pattern, rest in _NUMBER_FORMS:
        same_form = pc.replace_substring_regex(same_form, pattern, rest)
    was_there, is_there = (np.zeros(len(pairs), np.bool_) for _ in range(2))
    was_there[pair_places] = _has_all_tokens(raw, local, text)
    is_there[pair_places] = _has_all_tokens(same_form, local, text)
    return sides.rows(is_there & has_digit[pairs.gold]) & ~sides.rows(was_there)


def _has_all_tokens(texts: pa.Array, pairs: Pairs, text: Text) -> Flags:
    """Whether each prediction has all tokens of the gold, which has some."""
    counts = count_matches(tokenise(cut_words(texts), text).tokens, pairs, Wanted(orders=1))
    has_all: Flags = (counts.clipped[0] == counts.n_gold) & (counts.n_gold > 0)
    return has_all


def _inside_word(sides: _Sides, plan: Plan) -> Flags:
    """Rows where `contains` finds a gold only inside longer words or numbers, other than its plural in s or es."""
    rule, pairs = plan.convention.contains, sides.batch.pairs
    is_of_any_substring = rule is not None and rule.place == "anywhere" and not rule.numbers
    if rule is None or not is_of_any_substring or "contains" not in plan.metrics:
        return np.zeros(sides.batch.n_rows, np.bool_)
    if rule.text.split == "none":
        texts = normalised_texts(sides.words, rule.text)
        has_text = np.fromiter(map(bool, texts), np.bool_, count=len(texts))
        is_contained = compare_texts(texts, pairs, operator.contains) & has_text[pairs.gold]
        is_word = np.zeros(len(pairs), np.bool_)
    else:
        tokenised = tokenise(sides.words, rule.text)
        counts = count_matches(tokenised.tokens, pairs, Wanted(orders=1, contains_gold=True))
        is_contained = contains_per_pair(tokenised, pairs, counts) & (counts.n_gold > 0)
        is_word = counts.contains_gold
    places = np.flatnonzero(is_contained & ~is_word)
    is_word[places] = _contains_word(sides.batch.texts, pairs[places])
    return sides.rows(is_contained & ~is_word) & ~sides.rows(is_contained & is_word)


def _contains_word(texts: pa.Array, pairs: Pairs) -> Flags:
    """Whether the raw prediction has the raw gold, or its plural, between characters that are no letters or digits."""
    used, of_used = np.unique(np.concatenate((pairs.pred, pairs.gold)), return_inverse=True)
    plain = pc.replace_substring_regex(pc.utf8_lower(texts.take(pa.array(used))), _BESIDE_WORDS, " ")
    trimmed = pc.utf8_trim_whitespace(plain)
    local, n_used = Pairs(*np.split(of_used, 2)), len(used)
    space, empty = (pa.scalar(text, plain.type) for text in (" ", ""))
    preds = pc.binary_join_element_wise(space, trimmed, space, empty).to_pylist()
    contained = np.zeros(len(pairs), np.bool_)
    for ending in (" ", "s ", "es "):
        golds = pc.binary_join_element_wise(space, trimmed, pa.scalar(ending, plain.type), empty).to_pylist()
        contained |= compare_texts([*preds, *golds], Pairs(local.pred, local.gold + n_used), operator.contains)
    return contained


def _long_predictions(sides: _Sides, plan: Plan) -> Flags:
    """Predictions far longer than any gold of their row, where a metric counts that."""
    found = np.zeros(sides.batch.n_rows, np.bool_)
    if all(METRICS[metric].ignores_length for metric in plan.metrics) or not len(sides.batch.pairs):
        return found
    length = pc.utf8_length(sides.batch.texts).to_numpy()
    first, has_pairs = sides.batch.first_pairs, sides.batch.has_pairs
    longest_gold = np.maximum.reduceat(length[sides.batch.pairs.gold], first)
    pred_length = length[sides.batch.pairs.pred[first]]
    found[has_pairs] = (pred_length >= LEAST_LONG) & (pred_length >= TIMES_LONGER * longest_gold)
    return found


# --- what is in predictions beside answers, and golds that are no lists of answers


def _only_of_preds(sides: _Sides, find: Callable[[pa.Array], Flags]) -> Flags:
    """Rows whose prediction is such a text, and none of whose golds is."""
    return sides.rows_of_preds(find(sides.pred_texts)) & ~sides.rows_of_golds(find(sides.gold_texts))


def _refuses(texts: pa.Array) -> Flags:
    found = _matches(texts, REFUSAL)
    found[found] = [is_refusal(text) for text in texts.filter(pa.array(found)).to_pylist()]
    return found


def _states_answer(texts: pa.Array) -> Flags:
    """Texts that announce an answer with a phrase, other than in a thought."""
    found = extract_texts(pa.chunked_array([texts]), ("after_think|all", "answer_is"))
    return _flags(pc.is_valid(found))


def _markup(sides: _Sides) -> Iterator[tuple[str, Flags]]:
    preds = sides.pred_texts
    places = np.flatnonzero(_matches(preds, _ANY_MARKUP))
    some = preds.take(pa.array(places))
    for name, pattern in _MARKUP.items():
        found = np.zeros(len(preds), np.bool_)
        found[places] = _matches(some, pattern)
        yield name, sides.rows_of_preds(found)


def _choice_letters(sides: _Sides) -> Flags:
    """Predictions of more than a letter, where all golds are one letter."""
    is_letter = sides.rows_of_preds(_matches(sides.pred_texts, r"^\s*[A-Za-z]\s*$"))
    all_letters = sides.all_golds(_matches(sides.gold_texts, "^[A-Ja-j]$"))
    return all_letters & ~is_letter & ~sides.batch.is_missing


def _joined_golds(sides: _Sides) -> Iterator[tuple[str, Flags]]:
    """Rows whose only gold has a separator between two texts."""
    for sep in SEPARATORS:
        yield sep, sides.rows_of_golds(_flags(has_separator(sides.gold_texts, sep))) & sides.has_one_gold


# --- small things


def _distinct(places: Ints, n_texts: int) -> Ints:
    """The distinct places, sorted."""
    is_used = np.zeros(n_texts, np.bool_)
    is_used[places] = True
    return np.flatnonzero(is_used)


def _matches(texts: pa.Array, pattern: str) -> Flags:
    return _flags(pc.match_substring_regex(texts, pattern))


def _flags(array: pa.Array) -> Flags:
    flags: Flags = array.to_numpy(zero_copy_only=False)
    return flags
