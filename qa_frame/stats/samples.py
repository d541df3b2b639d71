"""Several samples of a question → one row per question: the mean of its samples, pass@k, pass^k and a vote.

After that a figure is a mean over questions, and all else is as if each question had been one row.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import UnknownOptionError
from qa_frame.frames.diagnosis import renamed
from qa_frame.stats.grouping import GroupValues
from qa_frame.stats.rows import ScoredRows, is_any_scored
from qa_frame.stats.statistic import Mean, Statistic
from qa_frame.stats.sums import Sums, collect, regroup

_PASS = re.compile(r"(.+)_pass([@^])([0-9]+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Passes:
    """Which figures are made of the samples of a question that are right.

    Attributes
    ----------
    pass_at
        For each number j: the chance that at least one of j samples is right.
    pass_all
        For each number j: the chance that all of j samples are right.
    """

    pass_at: tuple[int, ...] = ()
    pass_all: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Right(Mean):
    """The share of rows that are right: whose score `of` is the threshold or more."""

    of: str = ""
    threshold: float = 1.0

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return (self.of,)

    def sums_per_row(self, rows: ScoredRows) -> tuple[Floats | Ints, Flags]:
        """Return which rows are right, as 0 and 1, and which have a score."""
        scores = rows.scores[self.of]
        return (scores >= self.threshold).astype(np.float64)[None], ~np.isnan(scores)


def sample_statistics(figures: Sequence[Statistic], threshold: float, *, has_votes: bool = False) -> list[Statistic]:
    """Return what is summed by question: each mean, how many of its rows are right, and those with the most votes."""
    found: list[Statistic] = []
    for figure in figures:
        if isinstance(figure, Mean):
            found += [figure, Right(f"{figure.name} is right", figure.rank, figure.name, threshold)]
            found += [Mean(name_of_vote(figure.name), figure.rank)] * has_votes
    require_distinct([figure.name for figure in found])
    return found


def require_distinct(names: Sequence[str]) -> None:
    """Raise UnknownOptionError where a column of the user's has the name of a figure of samples."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UnknownOptionError(
            f"metrics={twice[0]!r} has the name of a figure of samples; rename the column first, as in "
            f"{renamed(twice[0])}"
        )


def name_of_pass(metric: str, kind: str, j: int) -> str:
    """Return what tables call the chance that one ("@") or all ("^") of j samples are right."""
    return f"{metric}_pass{kind}{j}"


def read_pass(name: str) -> tuple[str, str, int] | None:
    """Return the metric, the kind and the number of samples that `name_of_pass` made a name of; else None."""
    found = _PASS.fullmatch(name)
    return None if found is None else (found[1], found[2], int(found[3]))


def name_of_vote(name: str) -> str:
    """Return what tables call the share of right ones among the answers with the most votes."""
    return f"{name}_majority"


# -------------------------------------------------------------------------------------------------- a question's score


def pass_at(n: Ints, n_right: Ints, j: int) -> Floats:
    """Return the chance that one or more of j of a question's n samples are right: 1 - C(n - right, j) / C(n, j).

    float64 in [0, 1], shape (questions,), NaN where there are fewer than j samples (Chen et al. 2021, arXiv 2107.03374,
    section 2.1).
    """
    return _share_of_draws(n, n_right, j, lambda all_ways, k, c: all_ways - math.comb(k - c, j))


def pass_all(n: Ints, n_right: Ints, j: int) -> Floats:
    """Return the chance that all of j of a question's n samples are right: C(right, j) / C(n, j).

    float64 in [0, 1], shape (questions,), NaN where there are fewer than j samples (Yao et al. 2024, arXiv 2406.12045,
    section 3).
    """
    return _share_of_draws(n, n_right, j, lambda _, _k, c: math.comb(c, j))


def _share_of_draws(n: Ints, n_right: Ints, j: int, ways: Callable[[int, int, int], int]) -> Floats:
    """Return ways / C(n, j), rounded once. Questions with the same counts share it."""
    counts, place = np.unique(np.stack([n, n_right]), axis=1, return_inverse=True)
    found = [ways(math.comb(k, j), k, c) / math.comb(k, j) if k >= j else math.nan for k, c in counts.T.tolist()]
    return np.array(found)[place.ravel()]


def votes(answers: Ints, question: Ints, is_scored: Flags) -> Flags:
    """Return which rows give the answer that most samples of their question give; all of the answers that tie.

    Parameters
    ----------
    answers
        A number for each answer, equal for equal ones; shape (rows,).
    question
        The question of each row; shape (rows,).
    is_scored
        Whether the row has a score. Others have no vote.
    """
    pairs, pair = np.unique(np.stack([question, answers]), axis=1, return_inverse=True)
    n_votes = np.bincount(pair.ravel()[is_scored], minlength=pairs.shape[1])
    most = np.zeros(int(question.max(initial=-1)) + 1, np.int64)
    np.maximum.at(most, pairs[0], n_votes)
    return np.asarray(is_scored & (n_votes[pair.ravel()] == most[question]))


# -------------------------------------------------------------------------------------------------- questions as rows


def as_rows(sums: Sums, passes: Passes) -> Sums:
    """Return the sums by group, stratum and unit of questions, each of them one row.

    sums: those of `sample_statistics` by question. A question that a figure needs more samples of is not scored for it.
    """
    scores = scores_of_questions(sums, passes)
    by_name = {figure.name: values for figure, values in scores.items()}
    rows = ScoredRows(sums.n_groups, by_name, {}, is_any_scored(by_name, sums.n_groups), {}, sums.facts.signature)
    return collect(rows, [*scores], replace(sums.keys, question=()), with_products=True, with_rows=True)


def scores_of_questions(sums: Sums, passes: Passes) -> dict[Mean, Floats]:
    """Return the score of every question by figure, shape (questions,), NaN where a figure needs more samples.

    sums: those of `sample_statistics` by question.
    """
    found: list[tuple[Mean, Floats]] = []
    for figure in sums.facts.figures:
        of_questions = sums.figures[figure.name]
        if not isinstance(figure, Right):
            found.append((Mean(figure.name, figure.rank), figure.exact_value(of_questions)))
            continue
        n, n_right = of_questions.n, of_questions.digits[0, 0]
        _require_samples(n, passes)
        for kind, chance, numbers in (("@", pass_at, passes.pass_at), ("^", pass_all, passes.pass_all)):
            found += [(Mean(name_of_pass(figure.of, kind, j), figure.rank), chance(n, n_right, j)) for j in numbers]
    require_distinct([figure.name for figure, _ in found])
    return dict(found)


def _require_samples(n: Ints, passes: Passes) -> None:
    """Raise UnknownOptionError where a figure needs more samples than any question has."""
    most = int(n.max(initial=0))
    for argument, numbers in (("pass_at", passes.pass_at), ("pass_all", passes.pass_all)):
        if most and numbers and max(numbers) > most:
            raise UnknownOptionError(
                f"{argument}={max(numbers)} needs that many samples of a question, and no question has more than "
                f"{most} with a score; give {most} or less"
            )


# ------------------------------------------------------------------------------------------------------- their numbers


def count_samples(sums: Sums) -> tuple[Ints, Ints, Ints]:
    """Return the questions of each group that have a scored sample, and the fewest and most that one of these has.

    sums: by question. int64, shape (groups,) each.
    """
    by_group, group = regroup(sums, GroupValues(sums.keys.by))
    is_scored = sums.n > 0
    n_questions = np.bincount(group[is_scored], minlength=by_group.n_groups).astype(np.int64)
    least = np.full(by_group.n_groups, np.iinfo(np.int64).max)
    np.minimum.at(least, group[is_scored], sums.n[is_scored])
    most = np.zeros(by_group.n_groups, np.int64)
    np.maximum.at(most, group, sums.n)
    return n_questions, np.where(n_questions > 0, least, 0), most
