"""Groups that answered the same questions → where each group has its row for each question."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Floats, Ints
from qa_frame.checks import is_equal, suggestion
from qa_frame.errors import PairingError, UnknownOptionError, plural, show
from qa_frame.frames.names import name_rows
from qa_frame.frames.steps_in_code import first_of_each
from qa_frame.stats.grouping import KeyCodes, list_keys, read_codes, rows_alike
from qa_frame.stats.strata import EQUAL, Weights, list_strata, share

_SUMS = 1 << 24
"""Sums per unit held in memory at once, for each of two sides and for their difference: 128 MB."""

_PAIRS_NAMED = 3


@dataclass(frozen=True, slots=True)
class Strata:
    """Parts of the questions, each of which counts as much as it is given, however many questions it has.

    of_question: the stratum of each question, in the order of `Pairing.row_of`. weights: of each stratum, their sum 1.
    All questions of a unit are in one stratum. are_drawn: whether strata are units themselves, as a sample of others.
    """

    of_question: Ints
    weights: Floats
    are_drawn: bool = False


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which groups are compared, and where each has its row for each question.

    A unit is a question or a cluster of questions. It is swapped, or drawn, as one.

    Attributes
    ----------
    groups
        The labels of the groups.
    first, second
        The places of the groups that are compared, shape (pairs,).
    row_of
        Shape (groups, questions), -1 for no row. Questions stand in the order of their units and keys.
    unit_starts
        The first question of each unit, shape (units,).
    strata
        The strata that a mean is taken over; None if each question counts the same.
    """

    groups: pd.Series
    first: Ints
    second: Ints
    row_of: Ints
    unit_starts: Ints
    strata: Strata | None = None

    @property
    def unit_of(self) -> Ints:
        """The unit of each question, shape (questions,)."""
        sizes = np.diff(self.unit_starts, append=self.row_of.shape[1])
        return np.repeat(np.arange(len(sizes)), sizes)

    def blocks(self, *, n_parts: int) -> Iterator[Pairing]:
        """Yield the pairing, some pairs at a time, so that their sums do not fill the memory."""
        size = max(1, _SUMS // (n_parts * max(1, len(self.unit_starts))))
        for start in range(0, len(self.first), size):
            part = slice(start, start + size)
            yield dataclasses.replace(self, first=self.first[part], second=self.second[part])


@dataclass(frozen=True, slots=True)
class PairedBy:
    """What says which rows are paired, by columns or index levels.

    Attributes
    ----------
    by, question, within
        What makes the groups, what identifies a question, and inside whose values questions are told apart. The keys of
        `within` are part of the groups' and questions' keys; where `by` does not name them, they come first.
    baseline
        The group that all others are compared with; None for all pairs.
    cluster
        What identifies questions that belong together.
    macro, weights
        The strata of questions, and how much they count; by size, by all questions that they have.
    """

    by: By
    question: By
    within: By = None
    baseline: Hashable | None = None
    cluster: By = None
    macro: By = None
    weights: Weights = EQUAL


def pair_up(frame: pd.DataFrame, keys: PairedBy, place: Ints | None = None) -> list[Pairing]:
    """Return the pairings of a frame's rows, one for each value of `within`; PairingError where they cannot be paired.

    place: where a question may have several samples in a group, the number of its one row then, the same for all of
    them. None for rows as they stand, which must be one each.
    """
    inside, cluster, macro, baseline = list_keys(keys.within), keys.cluster, keys.macro, keys.baseline
    values = None if keys.within is None else read_codes(frame, keys.within, "within")
    by, question = with_keys(inside, keys.by), with_keys(inside, keys.question)
    groups, questions = read_codes(frame, by, "by"), read_codes(frame, question, "question")
    require_two(groups.labels.tolist(), by)
    row_of = np.full((len(groups), len(questions)), -1, np.int64)
    row_of[groups.codes, questions.codes] = np.arange(len(frame)) if place is None else place
    if place is None:
        require_once(frame, groups, questions, by=by, question=question)
    unit_of = np.arange(len(questions))
    if cluster is not None:
        _, unit_of = keys_of_questions(frame, questions, "cluster", cluster, question)
    strata = None if macro is None else keys_of_questions(frame, questions, "macro", macro, question)
    if strata is not None and cluster is not None:
        _require_one_stratum(unit_of, strata[1], cluster=cluster, macro=macro)
    if strata is not None and keys.weights.are_drawn:
        unit_of = strata[1]
    names = _labels_beside(groups, by, inside)
    require_baseline(names, by, baseline)
    pairings = []
    for value, members, asked in _split_by_value(values, groups, questions):
        first, second = list_pairs(members, names, baseline, value)
        order = asked[np.argsort(unit_of[asked], kind="stable")]
        starts = np.unique(unit_of[order], return_index=True)[1]
        if len(first):
            of_pairs = None if strata is None else _weigh_strata(strata[0], strata[1][order], keys.weights, macro)
            pairings.append(Pairing(groups.labels, first, second, row_of[:, order], starts, of_pairs))
    if not pairings:
        raise PairingError(
            f"within={show(keys.within)} leaves nothing to compare: each of its values has one group of by={show(by)} "
            "only; keep the rows of at least two in one frame, or leave out within"
        )
    return pairings


def with_keys(keys: Sequence[Any], names: By) -> By:
    """Return the keys and then the names, each once."""
    named = list_keys(names)
    lacking = [key for key in keys if not any(is_equal(key, name) for name in named)]
    return [*lacking, *named] if lacking else names


def _labels_beside(groups: KeyCodes, by: By, inside: Sequence[Any]) -> list[Any]:
    """Return the names of the groups inside one value of `within`."""
    if not inside:
        return groups.labels.tolist()
    columns = zip(groups.columns, list_keys(by), strict=True)
    others = tuple(column for column, key in columns if not any(is_equal(key, each) for each in inside))
    if not others:
        raise PairingError(
            f"by={show(by)} names nothing beside within={show(list(inside))}, so that each of its values is one group; "
            "let `by` name what is compared, such as the model"
        )
    return KeyCodes(groups.codes, others).labels.tolist()


def _split_by_value(
    values: KeyCodes | None, groups: KeyCodes, questions: KeyCodes
) -> Iterator[tuple[object, Ints, Ints]]:
    """Yield each value of `within`, with the places of its groups and questions; without `within`, all of them."""
    if values is None:
        yield None, np.arange(len(groups)), np.arange(len(questions))
        return
    of_group, of_question = np.empty(len(groups), np.int64), np.empty(len(questions), np.int64)
    of_group[groups.codes], of_question[questions.codes] = values.codes, values.codes
    for value, label in enumerate(values.labels.tolist()):
        yield label, np.flatnonzero(of_group == value), np.flatnonzero(of_question == value)


def require_two(labels: list[Any], by: By) -> None:
    """Raise PairingError for fewer than two groups."""
    if len(labels) < 2:
        raise PairingError(
            f"by={show(by)} makes {plural(len(labels), 'group')} ({labels}), and a comparison needs two; keep "
            "the rows of at least two in one frame"
        )


def require_baseline(names: list[Any], by: By, baseline: Hashable | None) -> None:
    """Raise UnknownOptionError unless it is None or one of the groups."""
    if baseline is None or any(is_equal(name, baseline) for name in names):
        return
    known = list(dict.fromkeys(names))
    raise UnknownOptionError(
        f"baseline={show(baseline)} is not a group of by={show(by)}{suggestion(baseline, known)} Groups: {known}"
    )


def list_pairs(members: Ints, names: list[Any], baseline: Hashable | None, value: object = None) -> tuple[Ints, Ints]:
    """Return the places of the groups to compare: each with each that comes after it, or each with the baseline."""
    if baseline is None:
        first, second = np.triu_indices(len(members), k=1)
        return members[first], members[second]
    is_baseline = np.array([is_equal(names[member], baseline) for member in members.tolist()], np.bool_)
    if not is_baseline.any():
        raise PairingError(
            f"baseline={show(baseline)} has no rows within {show(value)}; leave out the rows of that value, or choose "
            "a baseline that each value has"
        )
    first = members[~is_baseline]
    return first, np.full(len(first), members[is_baseline][0])


def require_once(
    frame: pd.DataFrame,
    groups: KeyCodes,
    questions: KeyCodes,
    *,
    by: By,
    question: By,
    of_samples: str = "give samples=True",
) -> None:
    """Raise PairingError for a group that has a question twice. of_samples: what to do with samples of a question."""
    key = groups.codes * max(len(questions), 1) + questions.codes
    if not (np.bincount(key) > 1).any():
        return
    twice = rows_alike(key)
    shown = twice[np.unique(key[twice], return_index=True)[1]][:_PAIRS_NAMED]
    of_groups, of_questions = groups.labels.tolist(), questions.labels.tolist()
    names = [(of_groups[groups.codes[row]], of_questions[questions.codes[row]]) for row in shown]
    rows = np.flatnonzero(np.isin(key, key[shown]))
    remedy = _remedy_for_rows(frame, key, list_keys(by), list_keys(question), of_samples)
    raise PairingError(
        f"{len(twice)} rows share their by={show(by)} and question={show(question)} with another, first {names!r} at "
        f"{name_rows(rows, frame.index)}; {remedy}"
    )


def _remedy_for_rows(
    frame: pd.DataFrame, key: Ints, by: Sequence[Any], question: Sequence[Any], of_samples: str
) -> str:
    """Return the remedy if a group has a question twice: as samples of it, as other questions, or as copies.

    key: a number for each row, the same for rows of one group and question.
    """
    keys = list(dict.fromkeys(key for key in (*by, *question) if isinstance(key, str)))
    copies = f"; if they are copies, keep one each with {first_of_each(keys)}"
    example = ""
    if isinstance(frame.get("dataset"), pd.Series):
        with_dataset = pd.DataFrame({"key": key, "dataset": frame["dataset"].astype(str).to_numpy()})
        example = "" if with_dataset.duplicated().any() else f", as question={['dataset', *question]!r} does"
    return (
        f"if they are samples of one question, {of_samples}; if they are other questions, let "
        f"`question` name what tells them apart{example}"
        f"{copies if len(keys) == len({*map(show, (*by, *question))}) else ''}"
    )


def keys_of_questions(
    frame: pd.DataFrame, questions: KeyCodes, argument: str, names: By, question: By
) -> tuple[KeyCodes, Ints]:
    """Return the keys of a level above questions, and that of each question, which must be the same in all groups.

    question: what names the questions.
    """
    keys = read_codes(frame, names, argument)
    of_question = np.zeros(len(questions), np.int64)
    of_question[questions.codes] = keys.codes
    differs = np.flatnonzero(of_question[questions.codes] != keys.codes)
    if len(differs):
        first = questions.labels.tolist()[questions.codes[differs[0]]]
        remedy = "give a column that is a property of the question, such as its document"
        if argument == "macro":
            remedy = f"where these are different questions, give question={with_keys(list_keys(names), question)!r}"
        raise PairingError(
            f"{argument}={show(names)} differs between rows of one question, first question={show(question)} {first!r} "
            f"at {name_rows(differs, frame.index)}; {remedy}"
        )
    return keys, of_question


def _require_one_stratum(unit_of: Ints, stratum_of: Ints, *, cluster: By, macro: By) -> None:
    """Raise PairingError where a cluster has questions in two strata, which would then not be independent."""
    units = np.unique(np.stack([unit_of, stratum_of]), axis=1)[0]
    n_twice = len(units) - len(np.unique(units))
    if n_twice:
        raise PairingError(
            f"{plural(n_twice, 'cluster')} of cluster={show(cluster)} {'has' if n_twice == 1 else 'have'} questions in "
            f"two of macro={show(macro)}; where these are different ones, give "
            f"cluster={[*list_keys(macro), *list_keys(cluster)]!r}"
        )


def _weigh_strata(keys: KeyCodes, of_question: Ints, weights: Weights, macro: By) -> Strata:
    """Return the strata of some questions, and how much they count."""
    present, place = np.unique(of_question, return_inverse=True)
    labels = keys.labels.tolist()
    names = list_strata([labels[code] for code in present.tolist()], weights, macro)
    return Strata(place, share(names, np.bincount(place, minlength=len(names)), weights), weights.are_drawn)
