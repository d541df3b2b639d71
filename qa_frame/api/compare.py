"""`qa_frame.compare`: groups on the questions that both answered → paired differences with p-values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from qa_frame._typing import Datasets, Frame, Shares
from qa_frame.api.methods import says_what_fits
from qa_frame.checks import Correction
from qa_frame.scoring.metrics import THRESHOLD
from qa_frame.scoring.plan import ScoreColumns


@says_what_fits
def compare(
    data: Frame,
    by: Hashable | Sequence[Hashable],
    question: Hashable | Sequence[Hashable] | None = None,
    *,
    samples: bool = False,
    within: Hashable | Sequence[Hashable] | None = None,
    baseline: Hashable | None = None,
    metrics: ScoreColumns = None,
    correction: Correction = "holm",
    cluster: Hashable | Sequence[Hashable] | None = None,
    pass_at: int | Sequence[int] = (),
    pass_all: int | Sequence[int] = (),
    threshold: float = THRESHOLD,
    macro: Hashable | Sequence[Hashable] | None = None,
    weights: Shares | Mapping[Any, float] = "equal",
    datasets: Datasets = "fixed",
    ci: float = 0.95,
    margin: float | Mapping[str, float] | None = None,
    n_resamples: int | None = None,
    seed: int = 0,
    prefix: str = "",
) -> Frame:
    """Compare groups on the questions that both of a pair answered: one row per metric and pair of groups.

    `df.qa.compare(...)` is `qa_frame.compare(df, ...)`. The page "Confidence intervals" defines tests.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
    >>> compared = qa_frame.compare(scored, by="model", question="question_id", baseline="heron-7b")
    >>> compared[["metric", "a", "n", "diff", "diff_lo", "diff_hi", "p_adj", "verdict", "wins", "losses"]].round(3)
      metric           a    n   diff  diff_lo  diff_hi  p_adj verdict  wins  losses
    0     em    lynx-70b  115  0.348    0.249    0.435  0.000  better    41       1
    1     em  otter-chat  115 -0.087   -0.142   -0.029  0.001   worse     0      10
    2     f1    lynx-70b  115  0.517    0.434    0.583  0.000  better    92       4
    3     f1  otter-chat  115  0.133    0.063    0.199  0.000  better    83      23

    Parameters
    ----------
    data
        A scored frame of any kind.
    by
        What makes groups, such as the model.
    question
        What identifies a question. Left out, each group has questions of its own.
    samples
        Whether groups have several rows per question; their means are paired.
    within
        The column inside whose values groups are compared, such as the dataset.
    baseline
        The group that others are compared with; None for all pairs.
    metrics
        As in `summary`.
    correction
        The correction for the pairs of a metric: `"holm"` or `"none"`.
    cluster
        The column of questions that belong together.
    pass_at, pass_all, threshold, macro, weights, datasets, prefix
        As in `summary`.
    ci
        The level of confidence of intervals.
    margin
        How much worse is still as good, or that by metric.
    n_resamples, seed
        The number of draws (None: as many as needed), and the seed.

    Returns
    -------
    frame
        `metric a b`, `n` (questions), `mean_a mean_b`, `diff` (a - b) with `diff_lo diff_hi`, `p p_adj`, `verdict` on a
        (better, worse, as good, equivalent, undecided), `wins ties losses`, `mdd` (the difference found with power
        0.8), with a margin `p_noninferior p_equivalent tost_lo tost_hi`, `n_only_a n_only_b n_not_scored`, with samples
        `n_samples_a n_samples_b`.

    Raises
    ------
    PairingError
        For a question twice in a group, a null key, a single group, or different questions taken for one.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or argument cannot be used.

    Warns
    -----
    IntervalWarning, PairingWarning, StratumWarning
        Where a row may mislead.
    """
    from qa_frame.reports.compare import compare_groups  # noqa: PLC0415  (statistics are slow to import)
    from qa_frame.reports.pairing import make_keys  # noqa: PLC0415
    from qa_frame.reports.scored_rows import read_metrics  # noqa: PLC0415
    from qa_frame.reports.testing import make_testing  # noqa: PLC0415

    testing = make_testing(correction, ci=ci, n_resamples=n_resamples, seed=seed, margin=margin)
    keys = make_keys(
        by,
        question,
        samples=samples,
        within=within,
        baseline=baseline,
        cluster=cluster,
        macro=macro,
        weights=weights,
        datasets=datasets,
        pass_at=pass_at,
        pass_all=pass_all,
        threshold=threshold,
    )
    of_questions = keys.has_samples or macro is not None
    source, scoring = read_metrics(data, metrics, prefix=prefix, takes_pooled=True, of_questions=of_questions)
    return source.like(compare_groups(source, scoring, testing, keys), has_keys=False)
