"""Several samples of a question → one row per question: the mean of its samples, pass@k, pass^k and a vote.

After that a statistic is a mean over questions, and all else is as if each question had been one row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import UnknownOptionError
from qa_frame.frames.diagnosis import code_renaming
from qa_frame.stats.grouping import GroupValues
from qa_frame.stats.rows import ScoredRows, is_any_scored
from qa_frame.stats.statistic import Mean, Statistic
from qa_frame.stats.sums import Sums, regroup, sum_by_group


@dataclass(frozen=True, slots=True)
class Passes:
    """For which numbers j of samples pass@j and pass^j are calculated.

    Attributes
    ----------
    pass_at
        The numbers j for pass@j: the chance that at least one of j samples of a question is right.
    pass_all
        The numbers j for pass^j: the chance that all of j samples are right.
    """

    pass_at: tuple[int, ...] = ()
    pass_all: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RightShare(Mean):
    """The share of rows that are right: whose score of the metric `of` is the threshold or more."""

    of: str = ""
    threshold: float = 1.0

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return (self.of,)

    def sums_per_row(self, rows: ScoredRows) -> tuple[Floats | Ints, Flags]:
        """Return which rows are right, as 0 and 1, shape (1, rows), and which have a score."""
        scores = rows.scores[self.of]
        return (scores >= self.threshold).astype(np.float64)[None], ~np.isnan(scores)


def statistics_of_samples(
    statistics: Sequence[Statistic], threshold: float, *, has_votes: bool = False
) -> list[Statistic]:
    """Return the statistics that are summed by question: each mean, and the share of rows that are right by it.

    Statistics that are no means are left out. UnknownOptionError where two statistics have one name.

    threshold: the score from which a row is right. has_votes: whether each mean also gets the statistic of
    `name_of_vote`.
    """
    summed: list[Statistic] = []
    for each in statistics:
        if isinstance(each, Mean):
            summed += [each, RightShare(f"{each.name} is right", each.rank, each.name, threshold)]
            summed += [Mean(name_of_vote(each.name), each.rank)] * has_votes
    require_distinct_names([each.name for each in summed])
    return summed


def require_distinct_names(names: Sequence[str]) -> None:
    """Raise UnknownOptionError where a name occurs twice: a user's column is named as a statistic of samples."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        remedy = f"rename the column first, as in {code_renaming(twice[0])}"
        raise UnknownOptionError.of("metrics", "has the name of a statistic of samples", remedy, value=twice[0])


def name_of_pass(metric: str, kind: str, j: int) -> str:
    """Return the name of the column of the chance that one or more ("@") or all ("^") of j samples are right."""
    return f"{metric}_pass{kind}{j}"


def name_of_vote(name: str) -> str:
    """Return the name of the column of the share of right ones among the most frequent answers. name: the metric."""
    return f"{name}_majority"


# -------------------------------------------------------------------------------------------------- a question's score


def pass_at(n: Ints, n_right: Ints, j: int) -> Floats:
    """Return the chance that one or more of j of a question's n samples are right: 1 - C(n - right, j) / C(n, j).

    float64 in [0, 1], shape (questions,), NaN where there are fewer than j samples (Chen et al. 2021, arXiv 2107.03374,
    section 2.1).
    """
    return _share_of_choices(n, n - n_right, j, are_others=True)


def pass_all(n: Ints, n_right: Ints, j: int) -> Floats:
    """Return the chance that all of j of a question's n samples are right: C(right, j) / C(n, j).

    float64 in [0, 1], shape (questions,), NaN where there are fewer than j samples (Yao et al. 2024, arXiv 2406.12045,
    section 3).
    """
    return _share_of_choices(n, n_right, j, are_others=False)


def _share_of_choices(n: Ints, n_of_kind: Ints, j: int, *, are_others: bool) -> Floats:
    """Return the share of choices of j samples, of n, that hold samples of one kind alone; shape (questions,).

    It is rounded once, and NaN where n is below j.

    n, n_of_kind: how many samples each question has, and how many of them are of this kind (right, or wrong).
    are_others: whether the share of all other choices is returned.
    """
    # Questions with equal numbers have one share.
    counts, place = np.unique(np.stack([n, n_of_kind]), axis=1, return_inverse=True)
    shares = []
    for n_samples, of_kind in counts.T.tolist():
        every, ways = math.comb(n_samples, j), math.comb(of_kind, j)
        shares.append((every - ways if are_others else ways) / every if every else math.nan)
    return np.array(shares)[place.ravel()]


def is_majority_answer(answers: Ints, question: Ints, is_scored: Flags) -> Flags:
    """Return whether each row gives the most frequent answer to its question, or one of those that tie; shape (rows,).

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


def questions_as_rows(sums: Sums, passes: Passes) -> Sums:
    """Return the sums of questions, each of them one row, by group, stratum and cluster.

    A question with too few samples for a statistic is not scored for it. The errors are those of
    `scores_of_questions`.

    sums: those of `statistics_of_samples` by question.
    """
    scores = scores_of_questions(sums, passes)
    by_name = {statistic.name: values for statistic, values in scores.items()}
    rows = ScoredRows(sums.n_groups, by_name, {}, is_any_scored(by_name, sums.n_groups), {}, sums.facts.signature)
    return sum_by_group(rows, [*scores], replace(sums.keys, question=()), with_products=True, with_rows=True)


def scores_of_questions(sums: Sums, passes: Passes) -> dict[Mean, Floats]:
    """Return the scores of questions by statistic, shape (questions,), NaN where a question has too few samples.

    The statistics are the mean over samples, and the chances that `passes` asks for. UnknownOptionError where no
    question has enough samples for a chance, and where two statistics have one name.

    sums: those of `statistics_of_samples` by question.
    """
    scores: list[tuple[Mean, Floats]] = []
    for statistic in sums.facts.statistics:
        of_questions = sums.statistics[statistic.name]
        if not isinstance(statistic, RightShare):
            scores.append((Mean(statistic.name, statistic.rank), statistic.exact_value(of_questions)))
            continue
        n, n_right = of_questions.n, of_questions.digits[0, 0]
        _require_samples(n, passes)
        for kind, chance, numbers in (("@", pass_at, passes.pass_at), ("^", pass_all, passes.pass_all)):
            names = [(name_of_pass(statistic.of, kind, j), j) for j in numbers]
            scores += [(Mean(name, statistic.rank), chance(n, n_right, j)) for name, j in names]
    require_distinct_names([statistic.name for statistic, _ in scores])
    return dict(scores)


def _require_samples(n: Ints, passes: Passes) -> None:
    """Raise UnknownOptionError where a chance needs more samples than any question has.

    n: the scored samples of each question.
    """
    most = int(n.max(initial=0))
    for argument, numbers in (("pass_at", passes.pass_at), ("pass_all", passes.pass_all)):
        if most and numbers and max(numbers) > most:
            finding = f"needs that many samples of a question, and no question has more than {most} with a score"
            raise UnknownOptionError.of(argument, finding, f"give {most} or less", value=max(numbers))


# ------------------------------------------------------------------------------------------------------- their numbers


def count_samples(sums: Sums) -> tuple[Ints, Ints, Ints]:
    """Return three numbers by group, int64, shape (groups,) each.

    They are the number of questions that have a scored sample, and the fewest and the most scored samples that one of
    these has. All are 0 for a group without any. sums: by question.
    """
    by_group, group = regroup(sums, GroupValues(sums.keys.by))
    is_scored = sums.n > 0
    n_questions = np.bincount(group[is_scored], minlength=by_group.n_groups).astype(np.int64)
    least = np.full(by_group.n_groups, np.iinfo(np.int64).max)
    np.minimum.at(least, group[is_scored], sums.n[is_scored])
    most = np.zeros(by_group.n_groups, np.int64)
    np.maximum.at(most, group, sums.n)
    return n_questions, np.where(n_questions > 0, least, 0), most
