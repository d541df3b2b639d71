"""Rows that are paired → whether they answer the same question: one key may stand for several."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Ints
from qa_frame.checks import is_equal
from qa_frame.errors import PairingError, PairingWarning, QaFrameError, plural, show, warn
from qa_frame.frames.diagnosis import either
from qa_frame.frames.row_hashes import number_golds
from qa_frame.frames.row_rules import RULES_LABEL
from qa_frame.frames.scoring_metadata import noted_columns
from qa_frame.frames.source import Source
from qa_frame.scoring.metrics import METRICS
from qa_frame.stats.grouping import find_split_keys, group_rows, plain_names, read_keys

QUESTION, MODEL, DATASET, FILTER, ID, SAMPLE = "question", "model", "dataset", "filter", "question_id", "sample"
"""The columns that `read_results` gives, which may tell questions or answers to one question apart."""

_ANSWER = (ID, MODEL, DATASET, "file", SAMPLE)
"""The columns that identify an answer, of which lm-evaluation-harness writes a row for each of its filters."""

_OF_GROUPS = ("by", "macro", "question", "within")
"""The arguments whose columns make groups of answers."""

_GOLDS = "golds"
_MOST_MIXED = 0.1
"""Up to this share of questions may have different golds: a dataset may have been revised between two runs."""
_NO_SETTINGS = (*METRICS, RULES_LABEL, QUESTION, DATASET, ID)
_MOST_SETTINGS = 50
"""A column with more values names no settings of models."""
_MOST_TEXTS = 0.7
"""Where most questions are asked several times, there are fewer texts than this share of all rows of a group."""


@dataclass(frozen=True, slots=True)
class Naming:
    """What names the questions of a call.

    Attributes
    ----------
    named
        The columns of the argument `question`.
    around
        Other columns of the call: rows with different values there are different questions, as with `within`.
    inside
        Columns that the argument `within` may name; none where there is no such argument.
    with_samples
        The argument that says that questions have several samples; empty where none is needed.
    """

    named: Sequence[Any]
    around: Sequence[Any] = ()
    inside: Sequence[str] = ()
    with_samples: str = ""


@dataclass(frozen=True, slots=True)
class Mixed:
    """Questions whose rows differ in what is the same for all rows of a question.

    n: how many questions have several rows. differing: how many of these differ, by what differs ("golds", or "texts
    in" a column). first: what two rows of the first such question hold. remedy: what to do.
    """

    n: int
    differing: Mapping[str, int]
    first: str = ""
    remedy: str = ""


def find_mixed(
    frame: pd.DataFrame, golds: Any, question: Ints, naming: Naming, looked_at: Sequence[str] = (QUESTION,)
) -> Mixed:
    """Return the questions whose rows have different golds, or differ in one of the columns that are looked at.

    A column that is missing, or a key of the call, is not looked at.

    Parameters
    ----------
    golds
        An Arrow array of those of each row; None where they are not known.
    question
        A number for each row, the same for rows that are taken for one question; -1 for a row that does not count.
    """
    others = [name for name in looked_at if name in frame and not is_among(name, (*naming.named, *naming.around))]
    columns = ({} if golds is None else {_GOLDS: golds}) | {f"texts in {name!r}": frame[name] for name in others}
    codes = {what: (number_golds if what == _GOLDS else text_codes)(column) for what, column in columns.items()}
    differing = {what: rows for what in codes if len(rows := differing_rows(codes[what], question))}
    n = int(np.count_nonzero(np.bincount(question[question >= 0]) > 1))
    if not differing:
        return Mixed(n, {})
    what, (first, *_) = next(iter(differing.items()))
    values = (columns[what][row].as_py() if what == _GOLDS else columns[what].iloc[row] for row in first.tolist())
    places = f"in the rows at positions {first[0]} and {first[1]} (from 0)"
    first_rows = f"first {' and '.join(map(show, values))} {places}"
    remedy = _remedy_for_mixed(frame, codes[what], naming)
    return Mixed(n, {what: len(rows) for what, rows in differing.items()}, first_rows, remedy)


def refuse_mixed(parts: Sequence[Mixed], naming: Naming) -> None:
    """Raise PairingError where more than a tenth of the questions have different golds; warn where fewer have.

    What else differs is a warning, as a question may be asked in several ways. parts: what was found in each part of
    the rows.
    """
    mixed_parts = [part for part in parts if part.differing]
    if not mixed_parts:
        return
    n = sum(part.n for part in parts)
    differing = {what: sum(part.differing.get(what, 0) for part in mixed_parts) for what in mixed_parts[0].differing}
    counted = ", ".join(f"{count} have different {what}" for what, count in differing.items())
    message = (
        f"question={show(plain_names((*naming.named,)))} takes rows of different questions for one: of "
        f"{plural(n, 'question')} with several rows{' in a part' * (len(parts) > 1)}, {counted}"
    )
    if differing.get(_GOLDS, 0) > _MOST_MIXED * n:
        raise PairingError(f"{message}, {mixed_parts[0].first}; {mixed_parts[0].remedy}")
    warn(f"{message}; {mixed_parts[0].remedy.partition('; ')[0]}", PairingWarning, see="mixed-questions")


def refuse_samples(frame: pd.DataFrame, golds: Any, naming: Naming, by: Sequence[Any], n_questions: int) -> None:
    """Raise PairingError where `question` names a column `sample`, so that samples count as independent questions.

    Rows that differ in this column alone are samples if all of them have the same golds, and the same text of the
    question where it is known. Most questions must have several such rows. Another column that makes as little
    difference is a warning, if the texts are known: it may name a setting, such as the number of examples in a prompt.

    golds: as in `find_mixed`. by: the columns of groups. n_questions: how many questions `question` makes.
    """
    texts = text_codes(frame[QUESTION]) if QUESTION in frame and not is_among(QUESTION, naming.named) else None
    have_own_texts = texts is not None and texts.max(initial=0) > _MOST_TEXTS * n_questions
    if golds is None or len(naming.named) < 2 or have_own_texts:
        return
    codes = [number_golds(golds), *([] if texts is None else [texts])]
    for name in naming.named:
        if any(is_equal(name, each) for each in (DATASET, FILTER)) or (texts is None and name != SAMPLE):
            continue
        others = [key for key in naming.named if not is_equal(key, name)]
        question, _ = group_rows(read_keys(frame, [*naming.around, *by, *others]), len(frame))
        is_one = all((each != 0).mean() > 0.5 and not len(differing_rows(each, question)) for each in codes)
        if not is_one or (np.bincount(question) > 1).mean() <= 0.5:
            continue
        one, with_samples = show(plain_names((*others,))), f" with {naming.with_samples}" * bool(naming.with_samples)
        message = (
            f"question={show([*naming.named])} takes rows that differ in {show(name)} alone, and have equal "
            f"golds, for independent questions; where these are samples of one, give question={one}{with_samples}"
        )
        if name == SAMPLE:
            raise PairingError(f"{message} in its place, or cluster={one} beside it")
        warn(message, PairingWarning, see="samples-taken-for-questions")
        return


def distinguishing_columns(names: Iterable[Any], *, has_questions: bool) -> list[str]:
    """Return the columns that the functions of this module read, though the call may not name them.

    names: the columns of the frame. has_questions: whether the call names `question`.
    """
    of_filters = [FILTER, *_ANSWER] if is_among(FILTER, names) else []
    return [*of_filters, DATASET, ID, QUESTION] if has_questions else of_filters


def find_repeating_filters(frame: pd.DataFrame, named: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    """Return the values of the column `filter`, sorted, if a group has an answer once for several of them; else ().

    It is also () if a key is `filter`. named: by argument, the columns that it names.
    """
    keys = {argument: named[argument] for argument in _OF_GROUPS if argument in named}
    every = [key for of_argument in keys.values() for key in of_argument]
    if is_among(FILTER, every) or FILTER not in frame or _ANSWER[0] not in frame:
        return ()
    try:
        filters = read_keys(frame, [FILTER])
        values: Any = filters[0].dropna()
        if not pd.api.types.is_string_dtype(values) or values.nunique() < 2:
            return ()
        groups = tuple(column for argument, names in keys.items() for column in read_keys(frame, names, argument))
        answer = read_keys(frame, [name for name in _ANSWER if name in frame])
        is_twice = len(find_split_keys(groups, answer, filters)) > 0
    except QaFrameError:  # nobody may have named some of these columns, which may then hold anything
        return ()
    return tuple(sorted(values.unique())) if is_twice else ()


def find_settings(source: Source, golds: Any, group: Ints, cell: Ints, keys: Sequence[Any]) -> list[str]:
    """Return one or two columns that tell the rows of a group and question apart, as settings of a model do; else [].

    Most questions of a group have each of its settings. A column that counts from 0 or 1 numbers samples, and is left
    out.

    Parameters
    ----------
    golds
        An Arrow array of those of each row; None where they are not known. If rows of one cell have different golds,
        they are different questions, and [] is returned.
    group, cell
        A number for each row, the same for rows of one group, and of one group and question.
    keys
        What names groups and questions. If one of them is not the name of a column, [] is returned.
    """
    is_known = all(isinstance(key, str) for key in keys)
    if not is_known or (golds is not None and len(differing_rows(number_golds(golds), cell))):
        return []
    columns: dict[str, pd.Series[Any]] = {}
    for name in (name for name in source.names if isinstance(name, str) and source.names.count(name) == 1):
        with contextlib.suppress(QaFrameError, TypeError):  # columns that nobody has named may hold anything
            column = source.as_pandas({"data": [name]})[name]
            columns |= {name: column} if 1 < column.nunique() <= _MOST_SETTINGS else {}
    left_out = {*keys, *_NO_SETTINGS, *noted_columns(source.notes)}
    codes = {name: pd.factorize(column)[0] for name, column in columns.items() if name not in left_out}
    least = 0.5 * len(np.unique(cell)) / len(np.unique(group))
    for names in (each for n in (1, 2) for each in itertools.combinations(codes, n)):
        of_rows = pd.DataFrame({name: codes[name] for name in names})
        n_per_setting = of_rows.assign(group=group).value_counts()
        if n_per_setting.mean() >= least and not of_rows.assign(cell=cell).duplicated().any():
            return [name for name in names if not _are_counting(columns[name])]
    return []


def _are_counting(column: pd.Series[Any]) -> bool:
    """Whether a column holds the whole numbers from 0 or 1 on, also as texts."""
    numbers = np.unique(pd.to_numeric(column.dropna().astype(object), errors="coerce"))
    return numbers[0] in {0, 1} and bool((np.diff(numbers) == 1).all())


def say_filters(filters: Sequence[str]) -> str:
    """Return a text that says that answers count once for each of these filters, and what to do.

    It names the first two filters; there must be as many.
    """
    first, second = filters[:2]
    kept = either(f"df[df[{FILTER!r}] == {first!r}]", f"df.filter(polars.col({FILTER!r}) == {first!r})")
    return (
        f"answers of one group have a row for each value of {FILTER!r}, as {first!r} and {second!r}, and all of these "
        f"count; keep one, with {kept}, or let by= name {FILTER!r}, too"
    )


def warn_of_filters(filters: Sequence[str]) -> None:
    """Warn where there are filters by which groups have an answer several times; see `find_repeating_filters`."""
    if filters:
        warn(say_filters(filters), PairingWarning, see="answers-of-several-filters")


def warn_of_pairs_without_questions(
    compared: pd.DataFrame, keys: Sequence[str], question: str, *, has_baseline: bool
) -> None:
    """Warn of pairs of groups that share no question. If all differ in a key, such as the dataset, advise `within`.

    compared: the table of the comparison. keys: those of groups, each as it is written. question: the argument that
    names the questions, as it is written.
    """
    is_empty = (compared["n"] + compared["n_not_scored"] == 0).to_numpy()
    if not is_empty.any():
        return
    pairs = list(zip(*(compared.loc[is_empty, side].tolist() for side in ("a", "b")), strict=True))
    compare = "compares" if len(pairs) == 1 else "compare"
    message = f"{len(pairs)} of {plural(len(is_empty), 'row')} {compare} groups that have no question in common"
    first = f"first {show(pairs[0][0])} and {show(pairs[0][1])}; look at the values of {question}"
    for place, key in enumerate(keys if len(keys) > 1 else ()):
        if all(not is_equal(a[place], b[place]) for a, b in pairs):
            first = f"as they differ in {key}; give within={key}"
            first += ", and a baseline without it" * has_baseline
            break
    warn(f"{message}, {first}", PairingWarning, see="no-common-questions")


def is_among(name: str, keys: Iterable[Any]) -> bool:
    """Whether one of the keys, which may be columns or their names, is this name."""
    return any(is_equal(key, name) for key in keys)


def _remedy_for_mixed(frame: pd.DataFrame, codes: Ints, naming: Naming) -> str:
    """Return the remedy for questions whose rows differ: an argument that names columns which keep such rows apart.

    The first columns are taken by which no two rows with different codes answer one question, while some rows still
    share one. Where none do, the remedy is in general words.

    codes: as in `differing_rows`.
    """
    named = naming.named
    ways = {f"within={name!r} to pair rows of the same {name} alone": [*named, name] for name in naming.inside}
    others = [[ID], [DATASET, ID], *([] if naming.inside else [[DATASET, *named]]), [QUESTION]]
    ways |= {f"question={plain_names((*names,))!r}": names for names in others}
    for way, names in ways.items():
        with contextlib.suppress(QaFrameError):  # nobody has named these columns, which may hold anything
            question, _ = group_rows(read_keys(frame, [*naming.around, *names]), len(frame))
            if not len(differing_rows(codes, question)) and (np.bincount(question) > 1).any():
                return f"give {way}"
    return (
        "let `question` name what tells these questions apart; where it is one question whose golds or text were "
        "changed, bring the rows to the same ones first"
    )


def differing_rows(codes: Ints, question: Ints) -> Ints:
    """Return the places of two rows with different codes for each question that has such rows, shape (questions, 2).

    codes: the code of each row's value, 0 where it is unknown. question: as in `find_mixed`.
    """
    known = np.flatnonzero((codes != 0) & (question >= 0))[::-1]
    first, other = np.full((2, int(question.max(initial=-1)) + 1), -1)
    first[question[known]] = known  # of repeated places the last assignment stays
    differs = known[codes[known] != codes[first[question[known]]]]
    other[question[differs]] = differs
    return np.stack([first, other], axis=1)[other >= 0]


def text_codes(texts: pd.Series[Any]) -> Ints:
    """Return the code of each row's text, from 1 on; 0 for null, and for all rows if the values cannot be hashed."""
    try:
        return pd.factorize(texts)[0] + 1
    except TypeError:
        return np.zeros(len(texts), np.int64)
