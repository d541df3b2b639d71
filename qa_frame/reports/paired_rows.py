"""The rows that a comparison pairs: one a question and group, also where these have several samples."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Flags, Ints
from qa_frame.checks import is_equal
from qa_frame.errors import PairingError, UnknownOptionError, show
from qa_frame.frames.kinds import Source
from qa_frame.reports.asked import read_passes, read_threshold, read_weights, require_reached
from qa_frame.reports.doubtful_groups import warn_of_rows, warn_of_unknown_rules
from qa_frame.reports.rows import ReadRows, Scoring
from qa_frame.reports.same_questions import (
    DATASET,
    Naming,
    find_mixed,
    refuse_mixed,
    refuse_repeated,
    say_filters,
    warn_of_filters,
)
from qa_frame.scoring.metrics import THRESHOLD
from qa_frame.stats.grouping import Keys, group_rows, list_keys, make_levels, read_codes, read_keys
from qa_frame.stats.pairing import PairedBy, Pairing, pair_up
from qa_frame.stats.rows import is_any_scored
from qa_frame.stats.samples import Passes, sample_figures, scores_of_questions
from qa_frame.stats.strata import DATASETS, SHARES
from qa_frame.stats.sums import collect


@dataclass(frozen=True, slots=True)
class PairKeys(PairedBy):
    """The arguments that say which rows are compared, and what is made of several samples and datasets.

    Attributes
    ----------
    has_samples
        Whether a group may have several samples of a question.
    passes, threshold
        The figures of samples, and the score from which a sample is right.
    """

    has_samples: bool = False
    passes: Passes = field(default_factory=Passes)
    threshold: float = THRESHOLD

    @property
    def named(self) -> dict[str, tuple[Hashable, ...]]:
        """The columns that are named, by argument."""
        names = ("by", "question", "within", "cluster", "macro")
        return {name: list_keys(getattr(self, name)) for name in names}

    @property
    def units(self) -> str:
        """What is independent."""
        if self.weights.are_drawn:
            return "datasets"
        return "questions" if self.cluster is None else "clusters"

    @property
    def described(self) -> dict[str, object]:
        """What `within`, samples and datasets are, as tables note it; nothing for those that are not named."""
        found = {"within": self.within, "samples": self.has_samples or None, "macro": self.macro}
        if self.macro is not None:
            found["weights"] = self.weights.shares
            if self.weights.are_drawn:
                found["datasets"] = "random"
        return {name: value for name, value in found.items() if value is not None}


def make_keys(
    by: By,
    question: By,
    *,
    baseline: Hashable | None,
    cluster: By,
    macro: By,
    samples: bool = False,
    within: By = None,
    threshold: Any = THRESHOLD,
    without_strata: str | None = None,
    pass_at: Any = (),
    pass_all: Any = (),
    weights: Any = SHARES[0],
    datasets: Any = DATASETS[0],
) -> PairKeys:
    """Check the arguments of `qa_frame.compare`; a wrong one raises UnknownOptionError.

    without_strata: see `read_weights`.
    """
    if question is None:
        given = {"samples": samples, "within": within, "macro": macro, "pass_at": pass_at, "pass_all": pass_all}
        _refuse_without_question(given, without_strata)
    levels = make_levels(None, macro=macro, question=question if samples else None)
    passes = read_passes(levels, pass_at, pass_all)
    paired_by = (by, question, within, baseline, cluster, macro)
    counted, least = read_weights(levels, weights, datasets, without_strata), read_threshold(threshold)
    return PairKeys(*paired_by, counted, bool(samples), passes, least)


def _is_left_out(value: Any) -> bool:
    """Whether this is what the arguments have that are not given."""
    return value is None or value is False or (isinstance(value, tuple) and not value)


def _refuse_without_question(given: Mapping[str, Any], bootstrap: str | None) -> None:
    """Raise UnknownOptionError for what is made of the answers of several groups to one question."""
    named = [f"{name}={show(value)}" for name, value in given.items() if not _is_left_out(value)]
    named += [bootstrap] if bootstrap else []
    if named:
        raise UnknownOptionError(
            f"{named[0]} is of use where groups are paired; name the column that tells questions apart, as "
            "question='question_id'"
        )


@dataclass(frozen=True, slots=True)
class Samples:
    """Which rows are samples of one question and group.

    question: a number for each row, the same for samples of one question. first: the first row of each number.
    """

    question: Ints
    first: Ints


@dataclass(frozen=True, slots=True)
class PairedRows:
    """Rows, and how they are paired.

    Attributes
    ----------
    rows
        One row for each question of a group.
    pairings
        Which of these are paired.
    n_samples
        How many scored samples each row is made of, shape (rows,); None where it is a row as it stands.
    """

    rows: ReadRows
    pairings: list[Pairing]
    n_samples: Ints | None

    @property
    def n_pairs(self) -> int:
        """How many pairs of groups are compared."""
        return sum(len(pairing.first) for pairing in self.pairings)

    def count_samples(self, pairing: Pairing, is_scored: Flags) -> dict[str, Ints]:
        """Return the samples of both sides of each pair, on the questions that are paired; shape (pairs,)."""
        if self.n_samples is None:
            return {}
        sides = pairing.row_of[np.stack([pairing.first, pairing.second])]  # (2, pairs, questions)
        is_paired = ((sides >= 0) & is_scored[sides]).all(axis=0)
        n_a, n_b = (self.n_samples[sides] * is_paired).sum(axis=-1)
        return {"n_samples_a": n_a, "n_samples_b": n_b}


def read_pairs(source: Source, scoring: Scoring, keys: PairKeys) -> PairedRows:
    """Return the rows of a frame, paired, and warn of what makes them doubtful."""
    rows = scoring.read(source, **keys.named)
    frame = rows.frame
    if rows.filters and not keys.has_samples:
        raise PairingError(say_filters(rows.filters))
    warn_of_filters(rows.filters)
    samples = read_samples(frame, keys) if keys.has_samples else None
    pairings = pair_up(frame, keys, None if samples is None else samples.question)
    _refuse_other_questions(rows, pairings, keys, samples)
    warn_of_rows(rows, read_codes(frame, keys.by, "by"))
    warn_of_unknown_rules(rows, frame.index)
    if samples is None:
        return PairedRows(rows, pairings, None)
    questions, n_samples = _as_questions(rows, samples, keys)
    return PairedRows(questions, pairings, n_samples)


def _refuse_other_questions(rows: ReadRows, pairings: list[Pairing], keys: PairKeys, samples: Samples | None) -> None:
    """Raise PairingError where rows that are paired, or are samples of one question, do not answer the same one."""
    groups, around, named = keys.named["by"], keys.named["within"], keys.named["question"]
    row_of = np.concatenate([pairing.row_of for pairing in pairings], axis=1)
    question = np.full(rows.n_rows + 1, -1)  # the last is for questions that a group has no row for
    question[row_of] = np.arange(row_of.shape[1])
    question = question[:-1] if samples is None else question[samples.question]
    others = dict.fromkeys([*(groups if len(groups) > 1 else ()), DATASET])
    inside = [name for name in others if isinstance(name, str) and not any(is_equal(name, key) for key in named)]
    naming = Naming(named, around, inside, with_samples="samples=True")
    refuse_mixed([find_mixed(rows.frame, rows.golds, question, naming)], naming)
    if samples is None and keys.cluster is None:
        refuse_repeated(rows.frame, rows.golds, naming, groups, row_of.shape[1])


def read_samples(frame: pd.DataFrame, keys: PairKeys) -> Samples:
    """Return which rows are samples of one question and group."""
    names = (("within", keys.within), ("by", keys.by), ("question", keys.question))
    columns = [column for argument, each in names for column in read_keys(frame, list_keys(each), argument)]
    return Samples(*group_rows(tuple(columns), len(frame), "question"))


def _as_questions(rows: ReadRows, samples: Samples, keys: PairKeys) -> tuple[ReadRows, Ints]:
    """Return one row for each question of a group, and the scored samples of each."""
    of_question = Keys((), question=(pd.Series(samples.question),))
    require_reached(keys.threshold, rows.scores)
    figures = sample_figures(rows.figures, keys.threshold)
    sums = collect(rows, figures, of_question, with_products=False, with_rows=False)
    found = scores_of_questions(sums, keys.passes)
    scores = {figure.name: values for figure, values in found.items()}
    has_score = is_any_scored(scores, sums.n_groups)
    made = replace(
        rows, n_rows=sums.n_groups, scores=scores, statistics={}, has_score=has_score, flags={}, figures=tuple(found)
    )
    return made, sums.n_scored
