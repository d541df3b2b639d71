"""`qa_frame.summary`: scores → pooled figures by group, with intervals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from qa_frame._typing import By, Frame, Unpack
from qa_frame.frames.source import read_source
from qa_frame.tables.methods import takes
from qa_frame.tables.options import DEFAULTS, SummaryArguments


@takes(SummaryArguments, DEFAULTS, after="question")
def summary(
    data: Frame,
    by: By = None,
    question: Hashable | Sequence[Hashable] | None = None,
    **arguments: Unpack[SummaryArguments],
) -> Frame:
    """Pool the scores of each group of rows: one row per group, or for all.

    `df.qa.summary(...)` is `qa_frame.summary(df, ...)`. See the page "Confidence intervals".

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
    >>> qa_frame.summary(scored, by="model").round(3)
                  n     em     f1  n_scored  n_missing  n_no_gold
    model
    heron-7b    120  0.087  0.206       115          4          5
    lynx-70b    120  0.435  0.724       115          2          5
    otter-chat  120  0.000  0.339       115          2          5
    >>> qa_frame.summary(scored, by="model", metrics="f1", ci=0.95, long=True).round(3)
            model metric  value     lo     hi    n
    0    heron-7b     f1  0.206  0.155  0.270  115
    1    lynx-70b     f1  0.724  0.660  0.779  115
    2  otter-chat     f1  0.339  0.307  0.373  115

    Parameters
    ----------
    data
        A scored frame of any kind.
    by
        What makes groups: columns, index levels, functions or arrays.
    question
        What identifies a question. Several rows of it are samples: figures are means over questions.
    {arguments}

    Returns
    -------
    frame
        The kind of frame that was given: keys, `n` (rows), each figure (float64) with `<name>_lo` and `<name>_hi`, then
        `n_scored`, `n_missing` (null predictions), `n_not_extracted` where answers were extracted, and `n_no_gold`.
        `<NA>` where scoring is not known; `recall` helps. A figure of other rows has its own count,
        `n_scored_<name>`. With `question` there are `n_questions`, `n_samples_min` and `n_samples_max`.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or argument cannot be used.
    PairingError
        Where samples of a question have other golds.

    Warns
    -----
    IntervalWarning, StratumWarning, PairingWarning, MixedScoresWarning, ScoringWarning
        Where a figure may mislead.
    """
    from qa_frame.tables.row_sums import RowSums  # noqa: PLC0415  (statistics are slow to import)
    from qa_frame.tables.summary_plan import plan_summary  # noqa: PLC0415

    plan = plan_summary(by, question, **arguments)
    source = read_source(data)
    return source.like(RowSums(plan).add(source).table(), has_keys=plan.has_keys)
