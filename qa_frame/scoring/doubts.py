"""Properties of a call's rows that make its scores doubtful: counts that add up over parts, and warnings about them.

The counts are by-products of scoring. Parts are scored anywhere; the code that puts them together warns once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields
from importlib.util import find_spec
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import ExtractionWarning, GoldFormatWarning, ScoringWarning, plural, warn
from qa_frame.frames.arrow_types import is_text
from qa_frame.frames.diagnosis import SEPARATORS, find_written_golds, has_separator
from qa_frame.frames.steps_in_code import either, replaced
from qa_frame.frames.text_columns import TextColumns
from qa_frame.kernels.pair_counts import PairCounts
from qa_frame.rules.listing import conventions
from qa_frame.rules.parts import FAMILIES, Bleu, Convention, gold_tokens_of
from qa_frame.scoring.batches import Batch
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Plan
from qa_frame.text.arrow_bytes import binary_data
from qa_frame.text.extraction import gives_letters, spell_steps, with_fallback
from qa_frame.text.tokenisers import packages_needed

FEWEST_NULL = 10
"""The fewest predictions for the warning that all of them are null."""

MOST_NOT_EXTRACTED = 0.1
"""A larger share of responses without an answer leads to a warning."""

_SAMPLED, _SUSPECT = 512, 0.25
_SEPARATORS_OF_ITEMS = ("\n", ";", ",")
_LETTER = r"[^\x00-\x7f\P{L}\p{Lm}]|[^\x00-\x7f\P{N}]"
"""A letter or digit beyond ASCII, but no modifier: "ﾞ" alone is no word of any script."""
CHOICES = {"letter": r"^\W*[A-Ja-j]\W*$", "digit": r"^\s*\d\s*$"}
"""Forms of golds of multiple choice. A letter may have brackets, a full stop or a word of another script around it."""
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Doubts:
    """Counts of rows.

    Attributes
    ----------
    n, n_null, n_not_extracted
        All rows, those whose response is null, and those in whose response no answer was found.
    n_gold, n_no_gold
        Rows that have a gold, and those that are not scored for want of one.
    n_joined
        By separator, of `SEPARATORS`: rows whose only gold has it between two texts.
    n_written
        Rows whose text of golds looks like a list that was written out.
    n_choices
        Where responses choose the letter of an option: golds by form of `CHOICES`, and "all" that were looked at. These
        are a sample of each part of the rows, or the whole part where the sample has no letter.
    n_always_right
        Rows in which `contains` is 1 as nothing is left of a gold, whatever the prediction is.
    n_never_right
        Rows in which F1 is 0 as nothing is left of a gold, nor of the prediction.
    n_unseen
        By family of metrics: rows with a text that has a letter or digit beyond ASCII, and no token for the family.
    n_items_joined
        By separator: rows whose prediction is taken for one item of a list, and has the separator between two texts.
    """

    n: int = 0
    n_null: int = 0
    n_not_extracted: int = 0
    n_gold: int = 0
    n_no_gold: int = 0
    n_joined: Counter[str] = field(default_factory=Counter)
    n_written: int = 0
    n_choices: Counter[str] = field(default_factory=Counter)
    n_always_right: int = 0
    n_never_right: int = 0
    n_unseen: Counter[str] = field(default_factory=Counter)
    n_items_joined: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Doubts) -> Doubts:
        return Doubts(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(Doubts)))


NO_DOUBTS = Doubts()


Marks = NDArray[np.uint16]
"""What is doubtful in each row, shape (rows,): a sum of `_ALWAYS_RIGHT`, `_NEVER_RIGHT` and the values of `_UNSEEN`."""

_ALWAYS_RIGHT, _NEVER_RIGHT = 1, 2
_UNSEEN = {family: 4 << place for place, family in enumerate(FAMILIES)}


def mark_rows(
    batch: Batch, counts: Mapping[str, PairCounts], scores: Mapping[str, Floats], convention: Convention
) -> Marks:
    """Mark the rows of a batch whose scores are doubtful, by the counts and scores of its pairs."""
    marks = np.zeros(batch.n_rows, np.uint16)

    def mark(value: int, places: Ints) -> None:
        marks[np.searchsorted(batch.pair_offsets, places, side="right") - 1] |= value

    families: dict[tuple[int, int], list[str]] = {}
    for family, found in counts.items():  # families with the same tokens share their counts
        rule = getattr(convention, family)
        # The `n_gold` of golds together is not of each gold. Where golds have a text of their own, what is left of a
        # prediction is the part that is meant.
        if not (isinstance(rule, Bleu) and rule.references == "together") and gold_tokens_of(rule) is None:
            families.setdefault((id(found.n_pred), id(found.n_gold)), []).append(family)
    for names in families.values():
        found, value = counts[names[0]], sum(_UNSEEN[name] for name in names)
        for n_tokens, side in ((found.n_pred, batch.pairs.pred), (found.n_gold, batch.pairs.gold)):
            if np.count_nonzero(n_tokens) < len(n_tokens):
                places = np.flatnonzero(n_tokens == 0)
                mark(value, places[_has_letters(batch.texts, side[places])])
    for value, family, score in ((_ALWAYS_RIGHT, "contains", 1), (_NEVER_RIGHT, "overlap", 0)):
        of_family = [scores[name] for name in scores if name in METRICS and METRICS[name].family == family]
        if of_family and np.count_nonzero(counts[family].n_gold) < len(counts[family].n_gold):
            has_pred = counts[family].n_pred > 0
            places = np.flatnonzero((counts[family].n_gold == 0) & (has_pred == (value == _ALWAYS_RIGHT)))
            mark(value, places[np.any([each[places] == score for each in of_family], axis=0)])
    marks[batch.is_missing] = 0  # such a row may have pairs or none
    return marks


def _has_letters(texts: pa.Array, ids: Ints) -> Flags:
    """Whether each of these texts has a letter or digit beyond ASCII."""
    has_letters = np.zeros(len(texts), np.bool_)
    has_letters[ids] = True
    places = np.flatnonzero(has_letters)
    found = texts.take(pa.array(places))
    is_wide = pc.not_equal(pc.binary_length(found), pc.utf8_length(found))
    has_letters[places] = is_wide.to_numpy(zero_copy_only=False)
    if has_letters.any():
        is_letter = pc.match_substring_regex(found, _LETTER)
        has_letters[places] &= is_letter.to_numpy(zero_copy_only=False)
    return has_letters[ids]


def find_doubts(columns: TextColumns, marks: Marks, plan: Plan) -> Doubts:
    """Return the counts of these rows. marks: those of `mark_rows`."""
    convention = plan.convention
    is_cut = not convention.answer_lists or convention.item_separator or columns.has_lists
    seps = () if is_cut else _SEPARATORS_OF_ITEMS
    n_not_extracted = 0 if columns.is_not_extracted is None else int(np.count_nonzero(columns.is_not_extracted))
    n_golds = columns.n_golds
    n_gold = int(np.count_nonzero(n_golds))
    return Doubts(
        n=len(columns),
        n_null=columns.pred.null_count - n_not_extracted,
        n_not_extracted=n_not_extracted,
        n_gold=n_gold,
        n_no_gold=columns.golds.null_count if convention.no_answer else len(columns) - n_gold,
        n_joined=Counter() if columns.has_spans else _count_joined(columns.golds, n_golds),
        n_written=len(find_written_golds(columns.golds)) if is_text(columns.golds.type) else 0,
        n_choices=Counter() if columns.has_spans or not gives_letters(plan.extract) else _count_choices(columns.golds),
        n_always_right=int(np.count_nonzero(marks & _ALWAYS_RIGHT)),
        n_never_right=int(np.count_nonzero(marks & _NEVER_RIGHT)),
        n_unseen=Counter({name: n for name, mark in _UNSEEN.items() if (n := int(np.count_nonzero(marks & mark)))}),
        n_items_joined=Counter({sep: pc.sum(has_separator(columns.pred, sep)).as_py() or 0 for sep in seps}),
    )


def _count_joined(golds: pa.ChunkedArray, n_golds: Ints) -> Counter[str]:
    """The rows whose only gold has each separator, of those that many of a sample have."""
    sample = _sample(golds)
    spelled = binary_data(sample).tobytes()
    # Looking for bytes is much faster than a pattern, and looking for one byte is by far the fastest.
    seen = [sep for sep in SEPARATORS if sep.strip().encode() in spelled and sep.encode() in spelled]
    suspects = [sep for sep in seen if has_separator(sample, sep).true_count > _SUSPECT * len(sample)]
    only = golds_as_texts(golds.filter(pa.array(n_golds == 1))) if suspects else sample
    return Counter({sep: int(has_separator(only, sep).true_count) for sep in suspects})


def _count_choices(golds: pa.ChunkedArray) -> Counter[str]:
    """The golds of each form of `CHOICES`, and all: of a sample, or of all rows where it has none that is a letter."""
    found: Counter[str] = Counter()
    for texts in (_sample(golds), golds_as_texts(golds)):
        if not found["letter"]:
            count = {form: pc.sum(pc.match_substring_regex(texts, each)) for form, each in CHOICES.items()}
            found = Counter({"all": len(texts)} | {form: n.as_py() or 0 for form, n in count.items()})
    return found


def _sample(golds: pa.ChunkedArray) -> pa.Array:
    """The golds of some rows, which stand at equal distances."""
    step = max(1, len(golds) // _SAMPLED)
    samples = (chunk.take(pa.array(np.arange(0, len(chunk), step))) for chunk in golds.chunks)
    return golds_as_texts(pa.chunked_array(samples, golds.type) if step > 1 else golds)


def golds_as_texts(golds: pa.ChunkedArray) -> pa.Array:
    """Return the golds of all rows, one after the other, without nulls."""
    array = golds.combine_chunks()
    return (array.flatten() if pa.types.is_large_list(array.type) else array).drop_null()


# --- warnings


def warn_of(doubts: Doubts, plan: Plan, *, pred: Hashable, gold: Hashable) -> None:
    """Warn of all that makes the scores of these rows doubtful."""
    warn_of_texts(doubts, plan, pred=pred, gold=gold)
    if are_all_null(doubts.n, doubts.n_null):
        warn(
            f"pred={pred!r}: all {doubts.n:,} predictions are null, and {_what_they_count(plan)}; look whether this is "
            "the right column",
            ScoringWarning,
        )
    if are_all_null(doubts.n, doubts.n_no_gold):
        warn(
            f"gold={gold!r}: none of {doubts.n:,} rows has a gold, and none is scored; look whether this is the right "
            "column",
            ScoringWarning,
        )
    n_responses = doubts.n - doubts.n_null
    if doubts.n_not_extracted <= MOST_NOT_EXTRACTED * n_responses:
        return
    given, better = (f"extract={spell_steps(steps)}" for steps in (plan.extract, with_fallback(plan.extract)))
    advice = (
        f"qa_frame.extract_answers shows what it finds, and {better} takes the whole text where a step finds nothing"
    )
    if "after_think" not in plan.extract:
        after_thought = spell_steps(("after_think", *plan.extract))
        advice = advice.replace(" and", f" extract={after_thought} leaves thoughts out first, and", 1)
    if len(advice) > _LONGEST:
        given, advice = "extract", FALLBACK
    warn(
        f"{given} finds no answer in {show_share(doubts.n_not_extracted, n_responses)} responses, and these are "
        f"missing predictions, which {_what_they_count(plan)}; {advice}",
        ExtractionWarning,
    )


FALLBACK = (
    "qa_frame.extract_answers shows what it finds, 'after_think' before a step leaves thoughts out first, and '|all' "
    "behind its name takes the whole text where it finds nothing"
)


def warn_of_texts(doubts: Doubts, plan: Plan, *, pred: Hashable, gold: Hashable) -> None:
    """Warn of predictions and golds that are scored as they stand, though the user hardly means them so."""
    for sep in SEPARATORS:
        if 2 * (n_joined := doubts.n_joined[sep]) > doubts.n_gold:
            warn(
                f"gold={gold!r} has {sep!r} inside the only gold of {show_share(n_joined, doubts.n_gold)} rows, "
                "which is scored as one answer; if it is several, cut the column first: "
                f"{replaced(gold, f'qa_frame.to_golds(df[{gold!r}], sep={sep.strip()!r})')}",
                GoldFormatWarning,
            )
    if doubts.n_written:
        warn(
            f"gold={gold!r} holds texts that look like lists written out, such as \"['a', 'b']\", in "
            f"{show_share(doubts.n_written, doubts.n_gold)} rows, which are scored as they stand; if they are lists, "
            "read them first: "
            f"{replaced(gold, f'qa_frame.to_golds(df[{gold!r}])')}",
            GoldFormatWarning,
        )
    n_preds = doubts.n - doubts.n_null - doubts.n_not_extracted
    for sep, n_joined in doubts.n_items_joined.most_common(1):
        if n_joined > _SUSPECT * n_preds:
            made, first = f"df[{pred!r}]", "cut the column first"
            if plan.extract:  # which takes no lists
                made = f"qa_frame.extract_answers({made}, {spell_steps(plan.extract)})"
                first = "leave extract out, and extract and cut the column first"
            warn(
                f"pred={pred!r} has {sep!r} inside the text of {show_share(n_joined, n_preds)} predictions, and "
                f"convention {plan.convention.name!r} takes a text for one item; if it is several, {first}: "
                f"{replaced(pred, f'qa_frame.to_golds({made}, sep={sep!r})')}",
                ScoringWarning,
            )
    _warn_of_letters(doubts, plan, gold)
    _warn_of_empty_golds(doubts, plan, gold)
    _warn_of_unseen(doubts, plan)


def _warn_of_letters(doubts: Doubts, plan: Plan, gold: Hashable) -> None:
    """Warn where responses choose letters, and no gold is one."""
    if doubts.n_choices["all"] and not doubts.n_choices["letter"]:
        are_digits = 2 * doubts.n_choices["digit"] > doubts.n_gold
        said, made = letters_of_golds(gold, plan.choices, are_digits=are_digits)
        in_polars = f"polars.Series({gold!r}, letters)"
        warn(
            f"gold={gold!r} has no letter in any of {plural(doubts.n_gold, 'row')}, and extract="
            f"{spell_steps(plan.extract)} gives the letters of options, none of which can be right; {said}: "
            f"letters = {made}, then {either(f'df[{gold!r}] = letters', f'df = df.with_columns({in_polars})')}",
            GoldFormatWarning,
        )


def letters_of_golds(
    gold: Hashable, choices: Hashable | None, *, are_digits: bool, frame: str = "df", to_list: str = "to_list"
) -> tuple[str, str]:
    """Return what golds without letters may be, and the code of lists of letters in their place.

    Parameters
    ----------
    choices
        The column of the options' texts; None if it is not known.
    are_digits
        Whether the golds are numbers.
    frame, to_list
        What the code calls the frame, and the method that makes a list of a column.
    """
    golds, options = f"qa_frame.to_golds({frame}[{gold!r}]).{to_list}()", "choices" if choices is None else choices
    letter, each, said = "int(text)", f"golds in {golds}", "numbers of options from 0"
    if not are_digits:
        letter, each = "[*options].index(text)", f"golds, options in zip({golds}, {frame}[{options!r}].{to_list}())"
        said = f"texts of options{f', and {options!r} is their column' * (choices is None)}"
    return f"if they are {said}", f"[golds and ['ABCDEFGHIJ'[{letter}] for text in golds] for {each}]"


def _warn_of_empty_golds(doubts: Doubts, plan: Plan, gold: Hashable) -> None:
    """Warn where nothing is left of a gold, and metrics do not tell right from wrong."""
    n_rows, said = 0, []
    n_never = doubts.n_never_right if gives_letters(plan.extract) else 0  # elsewhere the answer is hardly meant
    for n, family, what in (
        (doubts.n_always_right, "contains", "any prediction has 1"),
        (n_never, "overlap", "the right one has 0"),
    ):
        metrics = [name for name in plan.metrics if name in METRICS and METRICS[name].family == family]
        if n and metrics:
            said.append(f"{what} there in {' and '.join(metrics)}")
            n_rows = max(n_rows, n)
    remedy = "leave the metric or the rows out, which are those of the hazards empty_golds and blank_golds of "
    remedy = "metrics='em' tells letters apart" if n_never else f"{remedy}qa_frame.audit"
    if said:
        warn(
            f"gold={gold!r}: nothing is left of a gold of {plural(n_rows, 'row')} after normalisation, and "
            f"{', and '.join(said)}; {remedy}",
            ScoringWarning,
        )


def _warn_of_unseen(doubts: Doubts, plan: Plan) -> None:
    """Warn of texts of a script that a metric does not see."""
    metrics_per_count: dict[int, list[str]] = {}
    for metric in plan.metrics:
        n = doubts.n_unseen[METRICS[metric].family] if metric in METRICS else 0
        metrics_per_count.setdefault(n, []).append(metric)
    said = [f"{' '.join(names)} in {show_share(n, doubts.n)} rows" for n, names in metrics_per_count.items() if n]
    if said:
        warn(
            f"convention {plan.convention.name!r} leaves no token of a text that has letters or digits beyond ASCII, "
            f"and scores it as an empty text: {', '.join(said)}; give {seeing_every_script()}",
            ScoringWarning,
        )


def seeing_every_script() -> str:
    """Spell the argument for words of every script, and how to install their package where it is missing."""
    texts = ((name, each.overlap.text) for name, each in conventions.items() if each.overlap)
    name, text = next((name, text) for name, text in texts if text.split == "unicode_words")
    package, extra = packages_needed(text)[0]
    installing = "" if find_spec(package) else f" (pip install 'qa-frame[{extra}]')"
    return f"convention={name!r}, which sees every script{installing}"


def are_all_null(n: Any, n_null: Any) -> Any:
    """Whether all predictions are null, of rows that are not few. Counts, or arrays of them."""
    return (n >= FEWEST_NULL) & (n_null == n)


def show_share(n: int, n_all: int) -> str:
    """Such as "90 of 100 (90 %)"."""
    return f"{n:,} of {n_all:,} ({100 * n / n_all:.0f} %)"


def _what_they_count(plan: Plan) -> str:
    return "are not scored" if plan.missing == "null" else "count as wrong"
