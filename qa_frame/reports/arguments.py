"""The arguments of a summary, declared once for frames, files and the engines."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypedDict

from qa_frame._typing import Datasets, Shares
from qa_frame.checks import Method
from qa_frame.scoring.metrics import THRESHOLD
from qa_frame.scoring.plan import ScoreColumns


class SumArguments(TypedDict, total=False):
    """Those of `SummaryArguments` that say which sums of rows are kept."""

    metrics: ScoreColumns
    cluster: Hashable | Sequence[Hashable] | None
    threshold: float
    macro: Hashable | Sequence[Hashable] | None
    prefix: str
    observed: bool
    dropna: bool


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
    long: bool


class FileSummaryArguments(SumArguments, TableArguments, total=False):
    """Those of `SummaryArguments` that need no frame with all rows."""


class SummaryArguments(FileSummaryArguments, total=False):
    """The arguments of a summary beside `by` and `question`. `DEFAULTS` has their order and their defaults.

    Parameters
    ----------
    metrics
        Score columns, pooled figures such as `corpus_bleu` (after `score(stats=True)`), or any columns of numbers.
        Beside `f1`, `f1_median` is its median. None takes all scores.
    ci
        The level of intervals, as 0.95; None for none.
    method
        `"normal"` (Wilson's, with the effective sample size) or `"bootstrap"`.
    cluster
        The columns that dependent rows share.
    pass_at
        Numbers k of samples for `<metric>_pass@k`: one or more of k is right.
    pass_all
        Numbers k of samples for `<metric>_pass^k`: all are right.
    threshold
        The score from which an answer is right.
    majority
        Whether most samples' answer is judged, too.
    macro
        The column whose values count alike, such as the dataset.
    weights
        How much each counts: `"equal"`, `"size"` or a mapping.
    datasets
        `"random"`: intervals are about other datasets; `"fixed"`: these.
    n_resamples, seed
        The number of bootstrap samples (None: 1,000), and the seed.
    percent
        Whether figures are percent.
    prefix
        The text in front of the names of score columns.
    observed, dropna
        As in pandas.
    long
        Whether each metric has a row.
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
