"""`qa_frame.ranks`: comparisons of groups → the ranks that each may have."""

from __future__ import annotations

from qa_frame._typing import Frame
from qa_frame.api.methods import says_what_fits
from qa_frame.frames.kinds import read_source


@says_what_fits
def ranks(data: Frame, *, ci: float = 0.95) -> Frame:
    """Rank groups as far as their comparisons tell: an interval of ranks per metric and group.

    `df.qa.ranks(...)` is `qa_frame.ranks(df, ...)`. The frame is one that `compare` returned.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["f1", "recall"])
    >>> compared = scored.qa.compare(by="model", question="question_id")
    >>> compared.qa.ranks()[["metric", "group", "rank_lo", "rank_hi", "mean", "win_rate"]].round(3)
       metric       group  rank_lo  rank_hi   mean  win_rate
    0      f1    lynx-70b        1        1  0.724     0.870
    1      f1  otter-chat        2        2  0.339     0.452
    2      f1    heron-7b        3        3  0.206     0.178
    3  recall    lynx-70b        1        2  0.756     0.687
    4  recall  otter-chat        1        2  0.755     0.702
    5  recall    heron-7b        3        3  0.180     0.111

    Parameters
    ----------
    data
        A result of `compare` of each group with each, so without a baseline.
    ci
        A group is better than another one if its figure is higher and `p_adj` is below 1 - ci.

    Returns
    -------
    frame
        The kind of frame that was given, with one row per metric and group, the best group first:

        - `metric`, and `group` as it stands in `a` and `b`
        - `rank` (int64): 1 and the number of groups whose figure is higher.
        - `rank_lo`, `rank_hi` (int64): the ranks that the group may have.
        - `n_groups`: how many groups are ranked together
        - `mean`: the mean of the metric, or the pooled figure.
        - `win_rate`: the share of questions that the group wins, a tie counting half, over all its pairs.
        - `n_untested`: the pairs of the group whose `p_adj` is null.

        `attrs["qa"]` and `attrs["qa_compare"]` are those of `data`.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError
        Where `data` is not a result of `compare`.
    PairingError
        Where a pair of groups has no row, as after `compare(baseline=...)`, or two.
    UnknownOptionError
        Where ci is not allowed.

    Warns
    -----
    IntervalWarning
        Where `p_adj` is not Holm's, as the comparison notes.
    PairingWarning
        Where two groups have no question in common, so that their ranks are not compared.
    """
    from qa_frame.reports.ranks import rank_groups  # noqa: PLC0415  (pandas' tables are slow to import)

    source = read_source(data)
    return source.like(rank_groups(source, float(ci)), has_keys=False)
