"""The checked arguments that several tables take: those of a summary, and those of significance tests."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict, cast

import numpy as np

from qa_frame._typing import Datasets, Floats, Shares
from qa_frame.checks import (
    Correction,
    Method,
    is_choice,
    is_number,
    require_choice,
    require_items,
    require_whole_number,
    say_above_range,
)
from qa_frame.errors import UnknownOptionError, show
from qa_frame.scoring.call_rules import require_metric
from qa_frame.scoring.metrics import METRICS, THRESHOLD
from qa_frame.scoring.plan import ScoreColumns
from qa_frame.stats.differences import alpha_of
from qa_frame.stats.grouping import Names, plain_names
from qa_frame.stats.samples import Passes
from qa_frame.stats.strata import DATASETS, SHARES, Weights
from qa_frame.tables.rows import ReadRows, kinds_of


class SumArguments(TypedDict, total=False):
    """Those of `SummaryArguments` that say which sums of rows are kept."""

    metrics: ScoreColumns
    cluster: Hashable | Sequence[Hashable] | None
    threshold: float
    macro: Hashable | Sequence[Hashable] | None
    prefix: str


class TableArguments(TypedDict, total=False):
    """Those of `SummaryArguments` that say how sums become a table."""

    ci: float | None
    method: Method
    pass_at: int | Sequence[int]
    pass_all: int | Sequence[int]
    weights: Shares | Mapping[Any, float]
    datasets: Datasets
    n_resamples: int | None
    seed: int
    percent: bool
    observed: bool
    dropna: bool
    long: bool


class SummaryArguments(SumArguments, TableArguments, total=False):
    """The arguments of a summary beside `by` and `question`. `DEFAULTS` has their order and their defaults.

    Parameters
    ----------
    metrics
        Columns to pool: score columns, other columns of numbers or truth values, or pooled figures such as
        `corpus_bleu` (after `score(stats=True)`; not with `question`). `["f1", "f1_median"]` gives the median of `f1`,
        too (not with `question` or `macro`). None takes all scores, and the usual pooled figures if their counts are
        there.
    ci
        Confidence level of the intervals, such as 0.95. None gives no intervals.
    method
        Method of the intervals: `"normal"` (a formula, see the page "Confidence intervals") or `"bootstrap"`
        (percentiles over redrawn rows, questions or clusters; not with `macro`).
    cluster
        Column(s) that rows share which are not independent, such as the document of their questions. Only intervals
        change.
    pass_at
        Number(s) k of samples, for `<metric>_pass@k`: the chance that at least one of k samples of a question is right.
        A question with fewer samples does not count. It needs `question`.
    pass_all
        Number(s) k of samples, for `<metric>_pass^k`: the chance that all of k samples of a question are right. A
        question with fewer samples does not count. It needs `question`.
    threshold
        Minimum score of a right answer, for `pass_at`, `pass_all` and `majority`.
    majority
        Whether to add `<metric>_majority`: the share of questions whose most frequent answer is right. Answers that tie
        share the vote, and a null prediction that is scored is an answer. It needs `question`, and a frame as `score`
        returned it. A merge or a CSV file loses how the frame was scored; `with_scoring_of` restores that.
    macro
        Column(s) that name the dataset of a row. Each figure is then an average of the datasets' figures (a macro
        average); NaN, with a warning, where a dataset has no score. If ids repeat between datasets, give
        `question=["dataset", "id"]`.
    weights
        Weight of each dataset in the average over `macro`: `"equal"`, `"size"` (its number of scored rows or
        questions), or a mapping from datasets to weights that sum to 1.
    datasets
        Scope of the intervals over datasets: `"fixed"` generalises to other questions of the same datasets, `"random"`
        to other datasets of their kind.
    n_resamples
        Number of bootstrap samples. None takes 1,000. It has an effect only with `method="bootstrap"` and `ci`.
    seed
        Seed of the bootstrap's random draws.
    percent
        Whether to multiply figures and bounds by 100.
    prefix
        Text in front of the names of score columns, as it was given to `score`. The result's names have no prefix.
    observed
        Whether to leave out categories without rows, as in pandas.
    dropna
        Whether to leave out rows with a null in `by`. Else they are a group of their own.
    long
        Whether to give one row per group and metric, with the columns `metric`, `value`, `lo`, `hi` and `n`. This `n`
        counts the rows behind the value, or with `question` the questions. Without `ci`, `lo` and `hi` are NaN.
    """

    majority: bool


DEFAULTS = SummaryArguments(
    metrics=None,
    ci=None,
    method="normal",
    cluster=None,
    pass_at=(),
    pass_all=(),
    threshold=THRESHOLD,
    majority=False,
    macro=None,
    weights="equal",
    datasets="fixed",
    n_resamples=None,
    seed=0,
    percent=False,
    prefix="",
    observed=True,
    dropna=False,
    long=False,
)


_MOST_SAMPLES = 1_000_000

_ROUNDING = 1e-9
"""Weights sum to 1 if they do so but for this much: 1/3 has no float of its own."""


_NAME_QUESTIONS = "name the column of questions too, as in question='question_id'"


def read_passes(pass_at: Any, pass_all: Any, *, has_samples: bool, remedy: str = _NAME_QUESTIONS) -> Passes:
    """Return the numbers k of pass@k; UnknownOptionError for wrong ones, or where there are no samples.

    remedy: what the error advises where there are none.
    """
    passes = Passes(_read_numbers("pass_at", pass_at), _read_numbers("pass_all", pass_all))
    require_samples(has_samples=has_samples, remedy=remedy, pass_at=passes.pass_at, pass_all=passes.pass_all)
    return passes


def require_samples(*, has_samples: bool, remedy: str = _NAME_QUESTIONS, **arguments: Any) -> None:
    """Raise UnknownOptionError for an argument that is given, and of use with several samples of a question alone."""
    for argument, value in arguments.items():
        if value and not has_samples:
            raise UnknownOptionError.of(argument, "is made of several samples of a question", remedy)


def read_weights(weights: Any, datasets: Any, macro: Names, *, without_strata: str | None = None) -> Weights:
    """Return how much each dataset counts in a mean over datasets.

    Raises UnknownOptionError for a wrong argument, for `datasets` without `macro`, and for `macro` with
    `without_strata`.

    Parameters
    ----------
    macro
        The columns that name the datasets.
    without_strata
        An argument that does not work with datasets, written as in error messages: "method='bootstrap'". None if there
        is no such argument.
    """
    if macro and without_strata is not None:
        finding = f"{without_strata} takes all units of a group alike, and not within each value of macro="
        raise UnknownOptionError.of("", f"{finding}{show(plain_names(macro))}", "leave one of them out")
    require_choice("datasets", datasets, DATASETS)
    if datasets != DATASETS[0] and not macro:
        remedy = "name their column too, as in macro='dataset'"
        raise UnknownOptionError.of("datasets", "has none", remedy, value=datasets)
    return Weights(_read_shares(weights, has_strata=bool(macro)), are_sampled=datasets != DATASETS[0])


def read_threshold(threshold: Any, remedy: str = "give the score from which a sample is right") -> float:
    """Return the score from which an answer is right; UnknownOptionError unless it is a number."""
    if not is_number(threshold):
        raise UnknownOptionError.of("threshold", "is not a number", remedy, value=threshold)
    return float(threshold)


def require_reached(threshold: float, scores: Mapping[str, Floats]) -> None:
    """Raise UnknownOptionError for a threshold above 1 where all scores are those of metrics, from 0 to 1."""
    if threshold > 1 and METRICS.keys() >= scores.keys() and all((each > 1).sum() == 0 for each in scores.values()):
        finding = f"is above every score: {say_above_range(threshold)}"
        raise UnknownOptionError.of("threshold", finding, "give a threshold of 1 or less", value=threshold)


def _read_shares(weights: Any, *, has_strata: bool) -> Shares | dict[Any, float]:
    """Return how much datasets count; UnknownOptionError unless it is a name, or positive numbers that sum to 1.

    has_strata: whether there are datasets. Without them, other weights than "equal" are an error, too.
    """
    if not isinstance(weights, Mapping) and not is_choice(weights, SHARES):
        remedy = "give 'equal', 'size', or a mapping from each value of macro to its weight, which sum to 1"
        raise UnknownOptionError.of("weights", "is not known", remedy, value=weights)
    if not has_strata and weights != SHARES[0]:
        remedy = "name their column too, as in macro='dataset'"
        raise UnknownOptionError.of("weights", "are those of datasets", remedy)
    if not isinstance(weights, Mapping):
        return cast("Shares", weights)
    for key, weight in weights.items():
        if not is_number(weight) or weight <= 0:
            finding = f"weights[{show(key)}]={show(weight)} is not a number above 0"
            raise UnknownOptionError.of("", finding, "give one, or drop those rows")
    total = math.fsum(map(float, weights.values()))
    if abs(total - 1) > _ROUNDING:
        remedy = f"give one to each value of macro, or divide each of them by {total:g}"
        raise UnknownOptionError.of("weights", f"sum to {total:g}, and not to 1", remedy)
    return {key: float(weight) for key, weight in weights.items()}


def _read_numbers(argument: str, value: Any) -> tuple[int, ...]:
    """Return the numbers k of samples in an argument, each once; UnknownOptionError for numbers out of range."""
    numbers = (value,) if is_number(value) or isinstance(value, bool) else value
    items = require_items(argument, numbers, "a number of samples, or a tuple of them")
    for number in items:
        require_whole_number(argument, number, least=1, most=_MOST_SAMPLES)
    return tuple(dict.fromkeys(map(int, items)))


# ------------------------------------------------------------------------------------------------ significance tests


@dataclass(frozen=True, slots=True)
class SignificanceTest:
    """The arguments that say how differences are tested; a wrong one raises UnknownOptionError.

    Attributes
    ----------
    correction, ci
        The correction for the number of tests, and the level of confidence.
    n_resamples, seed
        The number of draws, None for as many as the correction needs, and their seed.
    margin
        The margin of all statistics, or of each by its name; None for no test of it.
    alpha
        The level of the test: 1 - ci without its rounding error.
    """

    correction: Correction
    ci: float
    n_resamples: int | None
    seed: int
    margin: float | Mapping[str, float] | None
    alpha: float = field(init=False)

    def __post_init__(self) -> None:
        require_margin(self.margin, self.ci)
        object.__setattr__(self, "alpha", alpha_of(self.ci))

    def margin_of(self, name: str) -> float | None:
        """Return the margin of a statistic; None where there is none."""
        return self.margin.get(name) if isinstance(self.margin, Mapping) else self.margin

    def require_margins_in_range(self, names: tuple[str, ...], rows: ReadRows) -> None:
        """Raise UnknownOptionError for the margin of an unknown figure, or one that no difference could exceed.

        The latter is a margin of 1 or more of a figure from 0 to 1.

        names: the figures that are compared. rows: their rows, whose scores show which figures exceed 1.
        """
        for name in self.margin if isinstance(self.margin, Mapping) else ():
            require_metric("margin", name, names)
        for name, kind in kinds_of(names).items():
            margin = self.margin_of(name)
            if margin is None or margin < 1 or kind == "own" or (rows.scores.get(name, np.zeros(1)) > 1).any():
                continue
            shown = f"{{{show(name)}: {margin:g}}}" if isinstance(self.margin, Mapping) else f"{margin:g}"
            raise error_of_wide_margin(f"margin={shown}", name, margin)


def require_margin(margin: Any, ci: float) -> None:
    """Raise UnknownOptionError unless the margin is None, or 0 or more (for each name) with ci above 0.5."""
    if margin is None:
        return
    for name, each in margin.items() if isinstance(margin, Mapping) else [(None, margin)]:
        if not is_number(each) or not float(each) >= 0:
            shown = show(each) if name is None else f"{{{show(name)}: {show(each)}}}"
            finding = f"margin={shown} is not a number of 0 or more"
            raise UnknownOptionError.of("", finding, "give how much worse is still as good, as 0.02")
    if not ci > 0.5:
        finding = f"ci={ci:g} tests a margin at the level {1 - ci:g}, which is no level for a test"
        raise UnknownOptionError.of("", finding, "give a ci above 0.5")


def error_of_wide_margin(shown: str, what: str, margin: float) -> UnknownOptionError:
    """Return the error for a margin of 1 or more of scores from 0 to 1.

    shown: the argument as it is written in a call. what: the figure or group that could not fail the test.
    """
    finding = f"{shown} is 1 or more, so that {what} could not fail: {say_above_range(margin)}"
    return UnknownOptionError.of("", finding, "give a margin below 1")
