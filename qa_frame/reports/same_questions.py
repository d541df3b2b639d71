"""Rows that are paired → whether they answer the same question: one key may stand for several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Ints
from qa_frame.errors import PairingWarning, QaFrameError, is_equal, plural, show, warn
from qa_frame.frames.row_hashes import number_golds
from qa_frame.frames.steps_in_code import either
from qa_frame.reports.levels import plain_names
from qa_frame.stats.grouping import Keys, list_keys, read_keys, rows_in_two
from qa_frame.stats.pairing import Pairing

QUESTION, DATASET, FILTER = "question", "dataset", "filter"
"""The columns that `read_results` gives, which may tell questions or answers to one question apart."""

_ANSWER = ("question_id", "model", DATASET, "file", "sample")
"""The columns that identify an answer, of which lm-evaluation-harness writes a row for each of its filters."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Which rows are samples of one question and group.

    question: a number for each row, the same for samples of one question. first: the first row of each number.
    """

    question: Ints
    first: Ints


def warn_of_other_questions(
    frame: pd.DataFrame, golds: Any, pairings: Sequence[Pairing], *, by: By, on: By, samples: Samples | None = None
) -> None:
    """Warn where rows that are paired, or samples of one question, have different golds, or texts of the question.

    golds: an Arrow array of those of each row; None where they are not known.
    """
    on_keys = list_keys(on)
    differing: dict[str, Ints] = {}
    if golds is not None:
        differing["golds"] = _differing_rows(number_golds(golds), pairings, samples)
    if QUESTION in frame and not _is_among(QUESTION, (*list_keys(by), *on_keys)):
        differing[f"texts in {QUESTION!r}"] = _differing_rows(_text_codes(frame[QUESTION]), pairings, samples)
    found = {what: rows for what, rows in differing.items() if len(rows)}
    if not found:
        return
    what, pairs = next(iter(found.items()))
    one, other = pairs[0].tolist()
    values = (
        golds[row].as_py() if what == "golds" and golds is not None else frame[QUESTION].iloc[row]
        for row in (one, other)
    )
    shown = " and ".join(map(show, values))
    counted = ", ".join(f"{len(rows)} have different {what}" for what, rows in found.items())
    n_questions = sum(pairing.row_of.shape[1] for pairing in pairings)
    warn(
        f"on={show(on)} pairs rows that answer different questions: of {n_questions} that it tells apart, {counted}, "
        f"first {shown} in the rows at positions {one} and {other} (from 0); {_remedy(frame, pairs, by, on_keys)}",
        PairingWarning,
    )


def warn_of_mixed_samples(frame: pd.DataFrame, keys: Keys, samples: Sequence[Any]) -> None:
    """Warn where samples of one question and group are of several datasets, which number their questions alike.

    samples: what names the questions.
    """
    if DATASET not in frame or _is_among(DATASET, samples):
        return
    try:
        rows = rows_in_two(keys.by, keys.question, read_keys(frame, [DATASET]))
    except QaFrameError:  # nobody has named this column, which may hold anything
        return
    if len(rows):
        first = tuple(key.iloc[rows[:1]].tolist()[0] for key in keys.question)
        named, shown = plain_names(tuple(samples)), show(plain_names(first))
        warn(
            f"{plural(len(rows), 'question')} of samples={show(named)} {'has' if len(rows) == 1 else 'have'} samples "
            f"in two values of {DATASET!r} in one group, first {shown}; where these are different questions, "
            f"give samples={[DATASET, *samples]!r}",
            PairingWarning,
        )


def telling_apart(names: Sequence[Any]) -> list[str]:
    """Return which columns the functions of this module look at, but for `QUESTION`. names: those of the frame."""
    return [FILTER, *_ANSWER] if _is_among(FILTER, names) else [DATASET]


def filters_left_out(frame: pd.DataFrame, keys: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    """Return the filters by which groups have an answer several times; none where these are told apart.

    keys: the columns that make groups, by argument.
    """
    named = [key for of_argument in keys.values() for key in of_argument]
    if _is_among(FILTER, named) or FILTER not in frame or _ANSWER[0] not in frame:
        return ()
    try:
        filters = read_keys(frame, [FILTER])
        values: Any = filters[0].dropna()
        if not pd.api.types.is_string_dtype(values) or values.nunique() < 2:
            return ()
        groups = tuple(column for argument, names in keys.items() for column in read_keys(frame, names, argument))
        answer = read_keys(frame, [name for name in _ANSWER if name in frame])
        is_twice = len(rows_in_two(groups, answer, filters)) > 0
    except QaFrameError:  # nobody may have named some of these columns, which may then hold anything
        return ()
    return tuple(sorted(values.unique())) if is_twice else ()


def say_filters(filters: Sequence[str]) -> str:
    """Say that answers count once for each of these filters, and what to do."""
    first, second = filters[:2]
    kept = either(f"df[df[{FILTER!r}] == {first!r}]", f"df.filter(polars.col({FILTER!r}) == {first!r})")
    return (
        f"answers of one group have a row for each value of {FILTER!r}, as {first!r} and {second!r}, and all of these "
        f"count; keep one, with {kept}, or let by= name {FILTER!r}, too"
    )


def warn_of_filters(filters: Sequence[str]) -> None:
    """Warn where there are `filters_left_out`."""
    if filters:
        warn(say_filters(filters), PairingWarning)


def warn_of_pairs_without_questions(compared: pd.DataFrame, by: By, on: str, *, has_baseline: bool) -> None:
    """Warn where groups share no question, perhaps because a key of theirs, such as the dataset, says that they cannot.

    on: the argument that names the questions, as it is written.
    """
    keys = list_keys(by)
    is_empty = (compared["n"] + compared["n_not_scored"] == 0).to_numpy()
    if not is_empty.any():
        return
    pairs = list(zip(*(compared.loc[is_empty, side].tolist() for side in ("a", "b")), strict=True))
    compare = "compares" if len(pairs) == 1 else "compare"
    said = f"{len(pairs)} of {plural(len(is_empty), 'row')} {compare} groups that have no question in common"
    for place, key in enumerate(keys if len(keys) > 1 else ()):
        if all(not is_equal(a[place], b[place]) for a, b in pairs):
            warn(
                f"{said}, as they differ in {show(key)}; give within={show(key)}"
                f"{', and a baseline without it,' if has_baseline else ''} to compare groups of the same {key} alone",
                PairingWarning,
            )
            return
    warn(
        f"{said}, first {show(pairs[0][0])} and {show(pairs[0][1])}, so that nothing is known of their difference; "
        f"let {on} have the same values, of the same type, for the same questions in all groups",
        PairingWarning,
    )


def _is_among(name: str, keys: Sequence[Any]) -> bool:
    return any(is_equal(key, name) for key in keys)


def _remedy(frame: pd.DataFrame, pairs: Ints, by: By, on: Sequence[Any]) -> str:
    """Return the remedy: name a column that tells all of these pairs of rows apart, if there is one."""
    groups = [key for key in list_keys(by) if isinstance(key, str)]
    for name in dict.fromkeys([*groups, DATASET] if len(groups) > 1 else [DATASET]):
        if name not in frame or _is_among(name, on):
            continue
        one, other = (frame[name].iloc[rows].tolist() for rows in pairs.T)
        if not any(is_equal(a, b) for a, b in zip(one, other, strict=True)):
            return f"give within={name!r} to pair rows of the same {name} alone"
    return (
        "let `on` also name what tells these questions apart; where it is one question whose golds or text were "
        "changed, bring the rows to the same ones first"
    )


def _differing_rows(codes: Ints, pairings: Sequence[Pairing], samples: Samples | None) -> Ints:
    """Return two rows that differ for each question that has such rows, shape (questions, 2). The code 0 is unknown."""
    found = [np.empty((0, 2), np.int64)]
    if samples is not None:
        first = samples.first[samples.question]  # of each row, the first sample of its question
        differs = np.flatnonzero((codes != codes[first]) & (codes != 0) & (codes[first] != 0))
        _, one_each = np.unique(first[differs], return_index=True)
        among = np.stack([first[differs], differs], axis=1)[one_each]
        of_firsts = _differing_rows(codes[samples.first], pairings, None)
        return np.concatenate([among, samples.first[of_firsts]])
    for pairing in pairings:
        rows = pairing.row_of[np.union1d(pairing.first, pairing.second)]
        of_row = np.where(rows >= 0, codes[rows], 0)
        known = np.argmax(of_row != 0, axis=0)  # the first group whose code is known
        at = np.arange(rows.shape[1])
        differs = (of_row != 0) & (of_row != of_row[known, at])
        other = np.argmax(differs, axis=0)
        pairs = np.stack([rows[known, at], rows[other, at]], axis=1)
        found.append(np.sort(pairs[differs.any(axis=0)], axis=1))
    return np.concatenate(found)


def _text_codes(texts: pd.Series[Any]) -> Ints:
    """Return a number for each distinct text, 0 for null; all 0 where values cannot be compared."""
    try:
        return pd.factorize(texts)[0] + 1
    except TypeError:
        return np.zeros(len(texts), np.int64)
