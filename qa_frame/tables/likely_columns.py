"""Which columns are predictions and golds: by their names, and by what a sample of rows holds.

A name alone says little: `output_tokens` has a word of predictions, and `no_answer_prob` one of golds. So the columns
that may be predictions are compared with those that may be golds, and the pair whose texts overlap is taken. Where two
columns are as likely as each other, none is chosen, and both are named.
"""

from __future__ import annotations

import itertools
import re
import zlib
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame.errors import ColumnNotFoundError, show
from qa_frame.frames.conversions import NotConvertibleError, golds_of_one
from qa_frame.frames.names import ROLES, USUAL_NAMES, require_column
from qa_frame.frames.source import Source

_ROWS, _ROWS_HASHED, COLUMNS = 100, 10_000, 300
"""So many rows are compared, chosen by a hash; so many, evenly apart, are hashed; so many columns are looked at."""
_CHARACTERS, _TEXTS = 1000, 16
"""So much of a text, and so many texts of a cell, are compared."""
_OVERLAP, _COPY = 0.1, 0.999
"""Texts that overlap by so much on average may answer the same questions, and by so much may be copies of the golds."""
_SURE = 0.8
"""A column that nobody names is a prediction where its texts overlap by so much."""
_FEWEST_ALIKE, _FEWEST = 3, 10
"""So many rows, at least, tell which columns are alike, and whether joined rows are."""
_PARTS, _BETTER, _JOINED = 6, 1.1, 500
"""Joined rows are more alike by so much than with the golds of other rows. So many rows are compared, at most."""
_WORD, _USUAL = 2, 3
_ARGUMENTS = {"response": "pred", "answers": "gold"}
_NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?|nan|true|false", re.IGNORECASE)


def words_of(name: Hashable) -> set[str]:
    """Return the words of the last part of a dotted name, in lower case: `goldAnswers` has "gold" and "answer".

    A plural's s is cut off.
    """
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", str(name).rpartition(".")[2])
    return {word.lower().removesuffix("s") for word in words}


_ANSWER = words_of("answer ans label")
_BY_A_MODEL = words_of(
    """prediction predicted predict pred response output completion generated generation hypothesis hyp reply model llm
    actual extracted parsed assistant candidate submission gpt chatgpt llama claude gemini mistral qwen deepseek"""
)
_GOLD = words_of("gold golden truth true reference ref target gt expected correct ideal")
NEVER = words_of(
    """token count num n len length prob probability logprob logit score id idx index time date type class category
    scale unit ability lang language level judge judgment judgement verdict grade grader rating eval evaluation feedback
    critique comment analysis explanation rationale reason reasoning thought cot program code sql sparql message error
    url file name title context passage document evidence fact choices options is incorrect wrong
    f1 em recall precision mrr accuracy acc match bleu rouge faithfulness relevancy relevance similarity metric utility
    utilitie"""
)
"""Words in the names of what is neither a prediction nor a gold, and no question."""
_SETTINGS = words_of("config param arg setting")
"""Words in the paths of the settings of a run, as `gpt_config.top_p`."""
QUESTION_WORDS = words_of("question query problem prompt instruction")
_OTHERS = {name.lower() for role in ROLES.keys() - _ARGUMENTS.keys() for name in ROLES[role]}


@dataclass(frozen=True, slots=True)
class LikelyColumns:
    """Which column has which role, and where that is in doubt.

    Attributes
    ----------
    names
        By role (`response` or `answers`), the column.
    uncertain_roles
        By role, what names two columns that may be it, each with a value.
    rivals
        The columns that are predictions of several models, as `small_answer` and `large_answer`: where predictions are
        in doubt between columns of one last word, all that end in it.
    texts
        The columns of texts whose names say nothing.
    are_alike
        Whether the texts of predictions and golds overlap in some rows.
    """

    names: dict[str, Hashable] = field(default_factory=dict)
    uncertain_roles: dict[str, str] = field(default_factory=dict)
    rivals: list[Hashable] = field(default_factory=list)
    texts: list[Hashable] = field(default_factory=list)
    are_alike: bool = False

    def __str__(self) -> str:
        """Name predictions and golds as the arguments that take them; "" where none may be them."""
        parts = [f"{_ARGUMENTS[role]}={name!r}" for role, name in self.names.items()]
        parts += [f"for {_ARGUMENTS[role]} {reason}" for role, reason in self.uncertain_roles.items()]
        return " and ".join(parts) and f"these may be them: {' and '.join(parts)}"


def find_likely_columns(source: Source) -> LikelyColumns:
    """Return which columns of a frame seem to hold predictions and golds."""
    columns = [_Column(*each) for each in _read_some_rows(source)]
    pairs = _overlapping_pairs(columns)
    texts = [each.name for each in columns if each.as_pred == 0 and each.example is not None and not each.is_number]
    likely = LikelyColumns(texts=texts)
    for role, (best, *others) in _find_candidates(columns, pairs).items():
        rivals = [other for other in others if other.name != best.name and other.tokens != best.tokens]
        if not rivals:
            likely.names[role] = best.name
            continue
        likely.uncertain_roles[role] = f"either {best} or {rivals[0]}"
        if pairs and {_ending(rival.name) for rival in rivals} == {_ending(best.name)}:
            preds = [each for each in columns if each.as_pred >= 0 and each is not pairs[0].gold]
            likely.rivals.extend(each.name for each in preds if _ending(each.name) == _ending(best.name))
    are_alike = bool(pairs) and (pairs[0].fit > 0 or bool(likely.rivals)) and len(source.columns) >= _FEWEST_ALIKE
    return replace(likely, are_alike=are_alike)


def are_alike_by_chance(preds: Sequence[Any], golds: Sequence[Any]) -> bool:
    """Whether predictions are no more like the golds of their rows than like those of others; False for few rows."""
    n_rows = len(preds)
    some = np.linspace(0, n_rows - 1, min(n_rows, _JOINED)).astype(int).tolist()
    pred = _Column("", [preds[row] for row in some])
    own, *others = (
        pred.overlap(_Column("", [golds[(row + n_rows * part // _PARTS) % n_rows] for row in some]))
        for part in range(_PARTS)
    )
    return n_rows >= _FEWEST and own <= _BETTER * sum(others) / len(others)


def _read_some_rows(source: Source) -> list[tuple[Hashable, list[Any]]]:
    """Return the name of each column with its values in some rows, those whose texts have the lowest hashes.

    Of at most `_ROWS_HASHED` rows, evenly apart, at most `_ROWS` are taken, and of the columns the first `COLUMNS`.
    """
    spread = np.linspace(0, len(source.columns) - 1, min(len(source.columns), _ROWS_HASHED))
    frame = source.take(spread.astype(np.int64)).columns
    columns = [_values_at(frame, place) for place in range(len(source.names[:COLUMNS]))]
    texts = ("".join(cell[:_CHARACTERS] for cell in row if isinstance(cell, str)) for row in zip(*columns, strict=True))
    hashes = [zlib.crc32(text.encode(errors="replace")) for text in texts]
    rows = sorted(range(len(hashes)), key=hashes.__getitem__)[:_ROWS]
    return [(name, [cells[row] for row in rows]) for name, cells in zip(source.names, columns, strict=False)]


def _values_at(frame: Any, place: int) -> list[Any]:
    """Return the values of the column at this place; nulls for an Arrow column that is not valid UTF-8."""
    if isinstance(frame, pd.DataFrame):
        return list(frame.iloc[:, place])
    try:
        return list(frame.column(place).to_pylist())
    except UnicodeDecodeError:
        return [None] * len(frame)


def require_pred_and_gold(source: Source, *, pred: Hashable, gold: Hashable) -> None:
    """Raise ColumnNotFoundError unless the frame has these columns. The error names those that may be meant."""
    for argument, name in (("pred", pred), ("gold", gold)):
        try:
            require_column(name, source.names, argument)
        except ColumnNotFoundError as error:  # noqa: PERF203  (an error names its argument)
            close, names_columns, _ = error.remedy.partition("Columns: ")
            likely = find_likely_columns(source) if names_columns else LikelyColumns()
            if not str(likely) or any(repr(column) in close for column in likely.names.values()):
                raise
            remedy = f"{close}{'or ' * bool(close)}{likely}. Columns: {source.names}"
            raise ColumnNotFoundError.of(argument, error.finding, remedy, value=name) from None


def scoring_line(source: Source, metrics: str | None = None) -> str:
    """Return the line of code that scores a frame by the columns that look like predictions and golds.

    `'...'` stands for a column that is not found. metrics: a metric to ask for.
    """
    names = find_likely_columns(source).names
    pred, gold = (repr(names[role]) if role in names else "'...'" for role in _ARGUMENTS)
    return f"df.qa.score(pred={pred}, gold={gold}{'' if metrics is None else f', metrics={metrics!r}'})"


# --- predictions and golds


def last_of(name: Hashable) -> str:
    """Return the last part of a dotted name in lower case, with underscores for spaces and hyphens."""
    return re.sub(r"[\s-]+", "_", str(name).strip().rpartition(".")[2].lower())


def are_predictions(name: Hashable) -> bool:
    """Whether a column has a usual name of predictions, or a name with a word of these and none of golds."""
    return _rate_name(name)[0] >= _WORD


def is_neutral(name: Hashable) -> bool:
    """Whether a name fits predictions and golds alike, as `answer` does, or has no words."""
    return words_of(name) <= _ANSWER


def _ending(name: Hashable) -> str:
    """Return what stands behind the last underscore of a name: "answer" for `small_answer`."""
    return last_of(name).rpartition("_")[2]


def _rate_name(name: Hashable) -> tuple[int, int]:
    """Return how well a name fits a prediction, and how well a gold, from -1 to 3; see `_Column`."""
    last, words, of_path = last_of(name), words_of(name), words_of(str(name).replace(".", "_"))
    is_gold = bool(of_path & _GOLD)
    if last in USUAL_NAMES["response"] and not is_gold:
        return _USUAL, -1
    if last in USUAL_NAMES["answers"] and not is_neutral(name):
        return -1, _USUAL
    if (words & (NEVER | QUESTION_WORDS)) or (of_path & _SETTINGS) or words == {"correct"} or last in _OTHERS:
        return -1, -1
    if of_path & _BY_A_MODEL and not is_gold:
        return _WORD, -1
    is_answer = int(bool(of_path & _ANSWER))
    return (-1, _WORD) if is_gold else (is_answer, is_answer)


def _texts_of_cell(value: Any) -> list[str]:
    """Return the first 16 texts of a cell, without blank ones, and without the middle of long ones.

    A value that is neither a text nor several is shown as a text; a dict that holds no golds has no texts.
    """
    try:
        texts = golds_of_one(value)
    except NotConvertibleError:
        texts = [] if isinstance(value, Mapping) else [show(value)]
    return [_ends_of(text) for text in texts[:_TEXTS] if text is not None and text.strip()]


def _ends_of(text: str) -> str:
    return text if len(text) <= _CHARACTERS else f"{text[: _CHARACTERS // 2]} {text[-_CHARACTERS // 2 :]}"


def _token_counts(texts: list[str]) -> list[Counter[str]]:
    """Return the counts of the tokens of each text, and as the last item those of all texts together.

    A text without letters and digits is one token.
    """
    counts = [Counter(re.findall(r"\w+(?:[.,]\d+)*", text.lower().removesuffix(".0")) or [text]) for text in texts]
    return [*counts, sum(counts, Counter())]


def _text_f1(one: Counter[str], other: Counter[str]) -> float:
    """Return the F1 of the tokens of two texts, and at least .15 where the first holds all tokens of the other."""
    n_common = 0 if one.keys().isdisjoint(other) else (one & other).total()
    return max(2 * n_common / (one.total() + other.total()), 0.15 * (n_common == other.total()))


class _Column:
    """A column, how well its name fits a prediction and a gold, and the tokens of its cells.

    as_pred, as_gold: 3 for a usual name, 2 for one with a word of these, 1 for `answer`, 0 for any other; -1 if it is
    never one.
    """

    def __init__(self, name: Hashable, values: Sequence[Any]) -> None:
        cells = [(value, _texts_of_cell(value)) for value in values]
        filled = [(value, texts) for value, texts in cells if texts]
        self.name = name
        self.tokens = [_token_counts(texts) if texts else [] for _, texts in cells]
        self.has_usual_name = last_of(name) in {*USUAL_NAMES["response"], *USUAL_NAMES["answers"]}
        self.example = filled[0][0] if filled else None
        written = [text for value, texts in filled for text in ([value] if isinstance(value, str) else texts)]
        self.is_number = bool(filled) and all(_NUMBER.fullmatch(text) for text in written)
        self.as_pred, self.as_gold = _rate_name(name) if filled or not cells else (-1, -1)

    def __str__(self) -> str:
        return f"{self.name!r} (such as {show(self.example):.60})"

    def overlap(self, golds: _Column) -> float:
        """Return how alike texts and golds are: the mean over rows with golds of the highest F1 of a text and a gold.

        It is 0 if no row has golds.
        """
        pairs = [(mine, theirs) for mine, theirs in zip(self.tokens, golds.tokens, strict=True) if theirs]
        best = [max((_text_f1(one, other) for one in mine for other in theirs), default=0.0) for mine, theirs in pairs]
        return sum(best) / max(len(best), 1)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Columns of predictions and golds, how well their names fit as a pair, from 0 to 2, and how much they overlap."""

    pred: _Column
    gold: _Column
    fit: int
    overlap: float

    def rank(self) -> tuple[int, float]:
        """Return the key by which pairs are sorted, best last: the fit, then the overlap with a bonus for the names."""
        return self.fit, self.overlap + (self.pred.as_pred + self.gold.as_gold) / 10

    def is_rival_of(self, best: _Pair) -> bool:
        """Whether this pair may be right in place of the best one, which must have the same golds.

        The names of both predictions fit as well and it overlaps more than half as much; or it overlaps much more,
        where the best one overlaps little.
        """
        has_same_names = self.pred.as_pred == best.pred.as_pred
        is_much_more = best.overlap < 3 * _OVERLAP and best.overlap + 3 * _OVERLAP <= self.overlap < _COPY
        return self.gold is best.gold and (is_much_more or (has_same_names and 2 * self.overlap > best.overlap))


def _overlapping_pairs(columns: Sequence[_Column]) -> list[_Pair]:
    """Return the pairs of columns whose texts overlap, the likeliest first. At least one column has a fitting name."""
    texts = [each for each in columns if each.as_gold == 0 and not each.is_number]
    golds = [each for each in columns if each.as_gold > 0] or texts
    pairs = []
    for pred, gold in itertools.product(columns, golds):
        names = min(pred.as_pred, _WORD), min(gold.as_gold, _WORD)
        fit = 2 if names in {(2, 1), (2, 2)} else int(names == (1, 2))
        is_named = fit or names in {(0, 1), (0, 2), (2, 0)}
        overlap = pred.overlap(gold) if is_named else 0.0
        if overlap >= (_OVERLAP if fit else 3 * _OVERLAP):
            pairs.append(_Pair(pred, gold, fit, overlap))
    return sorted(pairs, key=_Pair.rank, reverse=True)


def _find_candidates(columns: Sequence[_Column], pairs: Sequence[_Pair]) -> dict[str, list[_Column]]:
    """Return the columns that may have each role, the likeliest first; a role that no column may have is left out."""
    golds = _best_named([(each.as_gold, each) for each in columns if each.as_gold > 0])
    least = 1 if golds and golds[0].as_gold >= _WORD else _WORD
    preds = _best_named([(each.as_pred, each) for each in columns if each.as_pred >= least])
    if pairs:
        best = pairs[0]
        least = _WORD if best.overlap < _SURE else _USUAL
        named = [each for each in preds if each.as_pred >= least and not best.fit]
        alike = [each for each in columns if (each.as_pred, _ending(each.name)) == (_WORD, _ending(best.pred.name))]
        rivals = [best.pred, *(pair.pred for pair in pairs[1:] if pair.is_rival_of(best))]
        rivals += alike if best.overlap < 3 * _OVERLAP and best.pred in alike else []
        preds = named + rivals if least == _WORD else rivals + named
        golds = [best.gold]
    return {role: likely for role, likely in (("response", preds), ("answers", golds)) if likely}


def _best_named(rated: Sequence[tuple[int, _Column]]) -> list[_Column]:
    """Return the columns whose names fit best. rated: each column with how well its name fits.

    A column of numbers is taken only if its name is usual and there is no column of texts.
    """
    ranks = {each: (not each.is_number, rate) for rate, each in rated if not each.is_number or each.has_usual_name}
    return [column for column, rank in ranks.items() if rank == max(ranks.values())]
