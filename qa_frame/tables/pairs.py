"""The arguments of a comparison → which rows of a frame are paired: where each group has its row for each question."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from qa_frame._typing import By, Datasets, Ints, Shares
from qa_frame.checks import is_equal, suggestion
from qa_frame.errors import ColumnNotFoundError, PairingError, UnknownOptionError, plural, show
from qa_frame.frames.diagnosis import code_for_first, code_of_mean
from qa_frame.frames.names import name_rows
from qa_frame.frames.source import Source
from qa_frame.scoring.metrics import THRESHOLD
from qa_frame.stats.contrasts import Pairing, Strata
from qa_frame.stats.grouping import (
    GroupCodes,
    Names,
    code_groups,
    find_repeated_keys,
    list_keys,
    make_group_columns,
    plain_names,
    read_codes,
)
from qa_frame.stats.samples import Passes
from qa_frame.stats.strata import GroupStrata, Weights, list_strata
from qa_frame.tables.groups import warn_of_rows
from qa_frame.tables.options import read_passes, read_threshold, read_weights
from qa_frame.tables.paired_rows import ArgumentTexts, PairedRows, average_samples
from qa_frame.tables.repeated_questions import warn_of_repeated
from qa_frame.tables.rows import ReadRows, Scoring
from qa_frame.tables.same_questions import (
    DATASET,
    QUESTION,
    Naming,
    find_mixed,
    find_settings,
    is_among,
    refuse_mixed,
    refuse_samples,
    say_filters,
    warn_of_filters,
)

_PAIRS_NAMED = 3

FindSettings: TypeAlias = Callable[[Ints, Ints, Sequence[Any]], Sequence[str]]
"""Returns columns that tell rows apart. It takes each row's group, each row's cell (see `pair_up`), and their keys."""


@dataclass(frozen=True, slots=True)
class PairArguments:
    """The arguments that say which rows are compared; a wrong one raises UnknownOptionError.

    Attributes
    ----------
    by, question, within
        What makes the groups, what identifies a question, and inside whose values questions are told apart. The keys of
        `within` are part of the groups' and questions' keys; where `by` does not name them, they come first.
    samples
        Whether a group may have several samples of a question.
    baseline
        The group that all others are compared with; None for all pairs.
    cluster
        What identifies questions that belong together.
    macro, weights, datasets
        The strata of questions, and how much they count; by size, by all questions that they have.
    pass_at, pass_all, threshold
        The chances that are calculated of samples, and the score from which a sample is right.
    strata_weights, passes
        What `weights` and `datasets` say together, and `pass_at` and `pass_all`.
    settings
        What a table notes of these: the cluster, `within`, samples and datasets.
    """

    by: By
    question: By = None
    samples: bool = False
    within: By = None
    baseline: Hashable | None = None
    cluster: By = None
    macro: By = None
    weights: Shares | Mapping[Any, float] = "equal"
    datasets: Datasets = "fixed"
    pass_at: int | Sequence[int] = ()
    pass_all: int | Sequence[int] = ()
    threshold: float = THRESHOLD
    strata_weights: Weights = field(init=False)
    passes: Passes = field(init=False)
    settings: Mapping[str, object] = field(init=False)

    def __post_init__(self) -> None:
        self._require_questions()
        levels = make_group_columns(None, macro=self.macro, question=self.question if self.samples else None)
        weights = read_weights(self.weights, self.datasets, levels.macro)
        samples = bool(self.samples) or None
        noted = {"cluster": self.cluster, "within": self.within, "samples": samples, "macro": self.macro}
        if self.macro is not None:
            noted |= {"weights": weights.shares, "datasets": "random" if weights.are_sampled else None}
        remedy = "give samples=True, too"
        checked: dict[str, Any] = {
            "strata_weights": weights,
            "passes": read_passes(self.pass_at, self.pass_all, has_samples=self.samples, remedy=remedy),
            "threshold": read_threshold(self.threshold),
            "settings": {name: value for name, value in noted.items() if name == "cluster" or value is not None},
        }
        checked |= {name: list_keys(getattr(self, name)) for name in ("by", "question", "within", "cluster", "macro")}
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def _require_questions(self) -> None:
        """Raise UnknownOptionError for an argument that needs `question`, where that is None.

        ColumnNotFoundError for an empty list of columns, where `question` is given.
        """
        for name in ("samples", "within", "macro", "pass_at", "pass_all") if self.question is None else ():
            value = getattr(self, name)
            if value is not None and value is not False and not is_equal(value, ()):
                remedy = "name the column that tells questions apart, as question='question_id'"
                raise UnknownOptionError.of(name, "is of use where groups are paired", remedy, value=value)
        for name in ("within", "cluster", "macro") if self.question is not None else ():
            if getattr(self, name) is not None and not list_keys(getattr(self, name)):
                raise ColumnNotFoundError(f"{name}=[] names no column; give one or more")

    @property
    def texts(self) -> ArgumentTexts:
        """What warnings call these arguments."""
        units = "datasets" if self.strata_weights.are_sampled else "clusters" if self.cluster else "questions"
        macro = f"macro={_show_names(self.macro)}" if self.macro else None
        question = f"question={_show_names(self.question)}"
        return ArgumentTexts(units, tuple(map(show, self.by)), question, macro, self.baseline is not None)


def _show_names(names: Names) -> str:
    """Return the names of an argument as they are written in a call."""
    return show(plain_names(names))


def read_pairs(source: Source, scoring: Scoring, arguments: PairArguments) -> PairedRows:
    """Return the rows of a frame, paired, and warn of what makes them doubtful. A question counts once in a group.

    Raises PairingError where rows cannot be paired.
    """
    names = ("by", "question", "within", "cluster", "macro")
    rows = scoring.read(source, **{name: getattr(arguments, name) for name in names})
    if rows.filters and not arguments.samples:
        raise PairingError(say_filters(rows.filters))
    warn_of_filters(rows.filters)
    groups, cells, pairings = pair_up(rows.frame, arguments, functools.partial(find_settings, source, rows.golds))
    row_of = np.concatenate([pairing.row_of for pairing in pairings], axis=1)
    question = np.full(rows.n_rows + 1, -1)  # the last is for questions that a group has no row for
    question[row_of] = np.arange(row_of.shape[1])
    _refuse_other_questions(rows, arguments, question[cells], row_of.shape[1])
    if not arguments.cluster and not is_among(QUESTION, arguments.question):
        warn_of_repeated(source, rows, groups.codes, question[cells])
    warn_of_rows(rows, groups)
    n_samples = None
    if arguments.samples:
        rows, n_samples = average_samples(rows, cells, arguments.passes, arguments.threshold)
    elif scoring.named is not None:
        statistics = {statistic.name: statistic for statistic in rows.estimators}
        rows = replace(rows, estimators=tuple(statistics[name] for name in scoring.named))
    return PairedRows(rows, pairings, n_samples, arguments.texts, arguments.settings)


def _refuse_other_questions(rows: ReadRows, arguments: PairArguments, question: Ints, n_questions: int) -> None:
    """Raise PairingError where rows that are paired, or are samples of one question, do not answer the same one.

    question: a number for each row, see `find_mixed`. n_questions: how many of these there are.
    """
    by, around, named = arguments.by, arguments.within, arguments.question
    others = dict.fromkeys([*(by if len(by) > 1 else ()), DATASET])
    inside = [name for name in others if isinstance(name, str) and not any(is_equal(name, key) for key in named)]
    naming = Naming(named, around, inside, with_samples="" if arguments.samples else "samples=True")
    refuse_mixed([find_mixed(rows.frame, rows.golds, question, naming)], naming)
    if not arguments.cluster:
        refuse_samples(rows.frame, rows.golds, naming, by, n_questions)


def pair_up(
    frame: pd.DataFrame, arguments: PairArguments, settings: FindSettings | None = None
) -> tuple[GroupCodes, Ints, list[Pairing]]:
    """Return the group and the cell of each row, and how cells are paired: once for each value of `within`.

    A cell is the answer of a group to a question: a row, or all of its samples. PairingError where they cannot be
    paired. settings: finds columns that the remedy of this error names.
    """
    inside, macro, weights = arguments.within, arguments.macro, arguments.strata_weights
    values = read_codes(frame, list(inside), "within") if inside else code_groups((), len(frame))
    by, question = with_keys(inside, arguments.by), with_keys(inside, arguments.question)
    groups, questions = read_codes(frame, list(by), "by"), read_codes(frame, list(question), "question")
    require_two(groups.labels.tolist(), by)
    cells = np.arange(len(frame))
    if arguments.samples:
        cells = pd.factorize(groups.codes * len(questions) + questions.codes)[0]
    else:
        require_once(frame, groups, questions, by=by, question=question, settings=settings)
    row_of = np.full((len(groups), len(questions)), -1, np.int64)
    row_of[groups.codes, questions.codes] = cells
    unit_of, strata = _units_and_strata(frame, questions, arguments, question)
    names = _labels_beside(groups, by, inside)
    require_baseline(names, by, arguments.baseline)
    of_group, of_question = np.zeros(len(groups), np.int64), np.zeros(len(questions), np.int64)
    of_group[groups.codes], of_question[questions.codes] = values.codes, values.codes
    pairings = []
    for value, label in enumerate(values.labels.tolist()):
        first, second = list_pairs(np.flatnonzero(of_group == value), names, arguments.baseline, label)
        questions_inside = np.flatnonzero(of_question == value)
        order = questions_inside[np.argsort(unit_of[questions_inside], kind="stable")]
        starts = np.unique(unit_of[order], return_index=True)[1]
        if len(first):
            of_pairs = None if strata is None else _weigh_strata(strata[0], strata[1][order], weights, macro)
            pairings.append(Pairing(groups.labels, first, second, row_of[:, order], starts, of_pairs))
    if not pairings:
        finding = f"leaves nothing to compare: each of its values has one group of by={_show_names(by)} only"
        remedy = "keep the rows of at least two in one frame, or leave out within"
        raise PairingError.of("within", finding, remedy, value=plain_names(inside))
    return groups, cells, pairings


def _units_and_strata(
    frame: pd.DataFrame, questions: GroupCodes, arguments: PairArguments, question: Names
) -> tuple[Ints, tuple[GroupCodes, Ints] | None]:
    """Return the unit (cluster, sampled dataset or question) of each question, and the strata of `macro`.

    The strata are their keys and the code of each question's stratum; None without `macro`.

    question: what names the questions.
    """
    cluster, macro, unit_of = arguments.cluster, arguments.macro, np.arange(len(questions))
    if cluster:
        _, unit_of = keys_of_questions(frame, questions, "cluster", cluster, question)
    if not macro:
        return unit_of, None
    strata = keys_of_questions(frame, questions, "macro", macro, question)
    if cluster:
        _require_one_stratum(unit_of, strata[1], cluster=cluster, macro=macro)
    return strata[1] if arguments.strata_weights.are_sampled else unit_of, strata


def with_keys(keys: Names, names: Names) -> Names:
    """Return the keys, and then those of the names that are not among the keys."""
    return (*(key for key in keys if not any(is_equal(key, name) for name in names)), *names)


def _labels_beside(groups: GroupCodes, by: Names, inside: Names) -> list[Any]:
    """Return the label of each group without the keys of `within`; PairingError if `by` names only these keys."""
    if not inside:
        return groups.labels.tolist()
    columns = zip(groups.columns, by, strict=True)
    others = tuple(column for column, key in columns if not any(is_equal(key, each) for each in inside))
    if not others:
        finding = f"names nothing beside within={show(list(inside))}, so that each of its values is one group"
        remedy = "let `by` name what is compared, such as the model"
        raise PairingError.of("by", finding, remedy, value=plain_names(by))
    return GroupCodes(groups.codes, others).labels.tolist()


def require_two(labels: list[Any], by: Names) -> None:
    """Raise PairingError for fewer than two groups."""
    if len(labels) < 2:
        finding = f"makes {plural(len(labels), 'group')} ({labels}), and a comparison needs two"
        remedy = "keep the rows of at least two in one frame"
        raise PairingError.of("by", finding, remedy, value=plain_names(by))


def require_baseline(names: list[Any], by: Names, baseline: Hashable | None) -> None:
    """Raise UnknownOptionError unless the baseline is None or one of the groups' names."""
    if baseline is None or any(is_equal(name, baseline) for name in names):
        return
    known = list(dict.fromkeys(names))
    raise UnknownOptionError(
        f"baseline={show(baseline)} is not a group of by={_show_names(by)}{suggestion(baseline, known)} Groups: {known}"
    )


def list_pairs(members: Ints, names: list[Any], baseline: Hashable | None, value: object = None) -> tuple[Ints, Ints]:
    """Return the places of both groups of each pair: each with each later one, or each with the baseline.

    members: the places of the groups inside one value of `within`, or of all. names: what all groups are called.
    value: this value, which the PairingError names where no member is the baseline.
    """
    if baseline is None:
        first, second = np.triu_indices(len(members), k=1)
        return members[first], members[second]
    is_baseline = np.array([is_equal(names[member], baseline) for member in members.tolist()], np.bool_)
    if not is_baseline.any():
        remedy = "leave out the rows of that value, or choose a baseline that each value has"
        raise PairingError.of("baseline", f"has no rows within {show(value)}", remedy, value=baseline)
    first = members[~is_baseline]
    return first, np.full(len(first), members[is_baseline][0])


def require_once(
    frame: pd.DataFrame,
    groups: GroupCodes,
    questions: GroupCodes,
    *,
    by: Names,
    question: Names,
    of_samples: str = "give samples=True",
    settings: FindSettings | None = None,
) -> None:
    """Raise PairingError for a group that has a question twice.

    of_samples: what to do with samples of a question. settings: finds columns that tell these rows apart.
    """
    key = groups.codes * max(len(questions), 1) + questions.codes
    if not (np.bincount(key) > 1).any():
        return
    twice = find_repeated_keys(key)
    shown = twice[np.unique(key[twice], return_index=True)[1]][:_PAIRS_NAMED]
    of_groups, of_questions = groups.labels.tolist(), questions.labels.tolist()
    names = [(of_groups[groups.codes[row]], of_questions[questions.codes[row]]) for row in shown]
    rows = np.flatnonzero(np.isin(key, key[shown]))
    remedy = _remedy_for_rows(frame, key, by, question, of_samples)
    apart = settings(groups.codes, key, (*by, *question)) if settings is not None else ()
    if apart:
        other, each, both = [*apart], [*by], [*by, *apart]
        ways = f"give by={other!r}, within={each!r} to compare these alone, or by={both!r} to compare all"
        remedy = f"they differ in {_show_names((*apart,))}: {ways}; {remedy}"
    finding = f"{len(twice)} rows share their by={_show_names(by)} and question={_show_names(question)} with another"
    raise PairingError.of("", f"{finding}, first {names!r} at {name_rows(rows, frame.index)}", remedy)


def _remedy_for_rows(
    frame: pd.DataFrame, key: Ints, by: Sequence[Any], question: Sequence[Any], of_samples: str
) -> str:
    """Return the remedy if a group has a question twice: as samples of it, as other questions, or as copies.

    key: a number for each row, the same for rows of one group and question.
    """
    keys = list(dict.fromkeys(key for key in (*by, *question) if isinstance(key, str)))
    copies = f"; if they are copies, keep one each with {code_for_first(keys)}"
    example = ""
    if isinstance(frame.get("dataset"), pd.Series):
        with_dataset = pd.DataFrame({"key": key, "dataset": frame["dataset"].astype(str).to_numpy()})
        example = "" if with_dataset.duplicated().any() else f", as question={['dataset', *question]!r} does"
    copies = copies if len(keys) == len({*map(show, (*by, *question))}) else ""
    others = f"if they are other questions, let `question` name what tells them apart{example}"
    return f"if they are samples of one question, {of_samples}; {others}{copies}"


def keys_of_questions(
    frame: pd.DataFrame, questions: GroupCodes, argument: str, names: Names, question: Names
) -> tuple[GroupCodes, Ints]:
    """Return the keys of the columns `names` (`argument`: "cluster" or "macro"), and the code of each question's key.

    PairingError where rows of one question have different keys.

    question: what names the questions.
    """
    keys = read_codes(frame, list(names), argument)
    of_question = np.zeros(len(questions), np.int64)
    of_question[questions.codes] = keys.codes
    differs = np.flatnonzero(of_question[questions.codes] != keys.codes)
    if len(differs):
        first = questions.labels.tolist()[questions.codes[differs[0]]]
        remedy = "give a column that is a property of the question, such as its document"
        if argument == "macro":
            remedy = f"where these are different questions, give question={plain_names(with_keys(names, question))!r}"
        example = f"question={_show_names(question)} {first!r} at {name_rows(differs, frame.index)}"
        finding = f"differs between rows of one question, first {example}"
        raise PairingError.of(argument, finding, remedy, value=plain_names(names))
    return keys, of_question


def _require_one_stratum(unit_of: Ints, stratum_of: Ints, *, cluster: Names, macro: Names) -> None:
    """Raise PairingError where a cluster has questions in two strata, which would then not be independent.

    unit_of, stratum_of: the codes of each question's cluster and stratum. cluster, macro: the columns of these.
    """
    units = np.unique(np.stack([unit_of, stratum_of]), axis=1)[0]
    n_twice = len(units) - len(np.unique(units))
    if n_twice:
        finding = f"{plural(n_twice, 'cluster')} of cluster={_show_names(cluster)} {'has' if n_twice == 1 else 'have'}"
        remedy = f"where these are different ones, give cluster={[*macro, *cluster]!r}"
        raise PairingError.of("", f"{finding} questions in two of macro={_show_names(macro)}", remedy)


def _weigh_strata(keys: GroupCodes, of_question: Ints, weights: Weights, macro: Names) -> Strata:
    """Return the strata of some questions with their shares of the average. of_question: each one's code in `keys`."""
    present, place = np.unique(of_question, return_inverse=True)
    labels = keys.labels.tolist()
    names = list_strata([labels[code] for code in present.tolist()], weights, plain_names(macro))
    n = np.bincount(place, minlength=len(names))
    of_one_group = GroupStrata(names, np.arange(len(names)), np.zeros(len(names), np.int64), 1, weights)
    return Strata(place, of_one_group.shares(n), weights.are_sampled)


def require_unique(frame: pd.DataFrame, models: GroupCodes, questions: GroupCodes, *, by: By, question: By) -> None:
    """Raise PairingError where a model has a question twice."""
    keys = list(dict.fromkeys([*list_keys(by), *list_keys(question)]))
    of_samples = f"keep their mean, as in {code_of_mean(keys, 'f1')}"
    require_once(frame, models, questions, by=list_keys(by), question=list_keys(question), of_samples=of_samples)
