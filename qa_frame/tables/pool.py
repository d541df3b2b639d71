"""`qa_frame.Pool`: a summary that grows, batch by batch."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Hashable, Sequence
from typing import Any

import pandas as pd

from qa_frame._typing import By, Unpack
from qa_frame.errors import UnknownOptionError
from qa_frame.frames.source import read_source
from qa_frame.tables.methods import takes
from qa_frame.tables.options import DEFAULTS, SumArguments, TableArguments
from qa_frame.tables.row_sums import RowSums, sums_of_parts
from qa_frame.tables.summary import plan_summary, plan_table, summarise


class _Package:
    """The package, in a pickle: it is imported by its name."""

    def __reduce__(self) -> tuple[Any, ...]:
        return importlib.import_module, ("qa_frame",)


class Pool:
    """A summary that grows: scored rows go in batch by batch, and only counts and exact sums are kept.

    Rows and pools may come together in any order, any batches and any nesting: the summary is the same to the last bit,
    and the same as that of `qa_frame.summary` on all rows at once. Pools can be pickled, if the functions in `by` can.

    Examples
    --------
    >>> import qa_frame
    >>> pool, df = qa_frame.Pool(by="model", metrics=["em", "f1"]), qa_frame.sample()
    >>> for start in range(0, len(df), 100):
    ...     scored = df[start : start + 100].qa.score(pred="response", gold="answers")
    ...     pool = pool.update(scored)
    >>> pool.summary(percent=True).round(1)
                  n    em    f1  n_rows  n_missing  n_no_gold
    model
    heron-7b    115   8.7  20.6     120          4          5
    lynx-70b    115  43.5  72.4     120          2          5
    otter-chat  115   0.0  33.9     120          2          5

    Parameters
    ----------
    by
        Names of columns or index levels, or functions of index labels, or a list of these. None gives one row, `all`.
    metrics
        Which scores to pool: names of score columns, of figures of statistics such as `corpus_bleu`, or of any columns
        of numbers or truth values.
    cluster
        A column or index level, or several. Rows with the same value are not independent of each other, such as several
        models' answers to one question.
    question
        The column or columns that say which question a row is a sample of.
    threshold
        The score from which a sample is right.
    macro
        The column or columns that say which dataset a row is of. A figure is then the weighted mean of the datasets'
        figures.
    prefix
        What stands in front of the names of score columns and statistics.
    keep_rows
        Keep every row's scores. `method="bootstrap"` needs them unless there are clusters or questions.

    Raises
    ------
    UnknownOptionError
        Where an argument has a value that is not allowed.
    """

    @takes(SumArguments, DEFAULTS, after="question")
    def __init__(
        self,
        by: By = None,
        question: Hashable | Sequence[Hashable] | None = None,
        *,
        keep_rows: bool = False,
        **arguments: Unpack[SumArguments],
    ) -> None:
        plan, _ = plan_summary(by, question, keep_rows=keep_rows, **arguments)
        self._sums = sums_of_parts(plan)

    def __reduce__(self) -> tuple[Any, ...]:
        """Name `qa_frame.Pool`, its arguments and its sums, which are found again wherever modules have moved to."""
        plan = self._sums.plan
        arguments: dict[str, Any] = {argument: [*names] or None for argument, names in plan.levels.named.items()}
        metrics = plan.scoring.named  # and no function of a metric, which a pickle may not take
        arguments |= {"metrics": None if metrics is None else [*metrics], "prefix": plan.scoring.prefix}
        arguments |= {"threshold": plan.threshold, "keep_rows": plan.keep_rows}
        return operator.methodcaller("Pool", **arguments), (_Package(),), self._sums.to_bytes()

    def __setstate__(self, state: bytes) -> None:
        self._sums.restore(state)

    def __repr__(self) -> str:
        names = self._sums.plan.levels.by
        keys = [key.__name__ if callable(key) and hasattr(key, "__name__") else key for key in names]
        return f"Pool(by={keys}, {self._sums})"

    def clear(self) -> Pool:
        """Forget all rows and their signature. Returns this Pool."""
        self._sums = RowSums(self._sums.plan)
        return self

    def update(self, data: Any) -> Pool:
        """Add scored rows.

        Parameters
        ----------
        data
            A frame of any kind that `qa_frame.summary` takes. A score that is null is not scored.

        Returns
        -------
        Pool
            This one.

        Raises
        ------
        ColumnNotFoundError, ColumnTypeError, UnknownOptionError
            Where the frame or an argument cannot be used.
        PoolMismatchError
            Where these rows were scored in another way than those before. After an error the Pool is as it was.
        """
        self._sums.add(read_source(data))
        return self

    def merge(self, other: Pool) -> Pool:
        """Add the rows of another Pool, which stays as it is.

        Parameters
        ----------
        other
            A Pool that was made with the same arguments; `prefix` may differ.

        Returns
        -------
        Pool
            This one.

        Raises
        ------
        PoolMismatchError
            Where they differ in an argument that they were made with, in metrics, statistics or the scores' signature.
        """
        if not isinstance(other, Pool):
            raise UnknownOptionError(f"other is a {type(other).__name__}, not a Pool; for scored rows there is update")
        self._sums.merge(other._sums)
        return self

    @takes(TableArguments, DEFAULTS, after="self")
    def summary(self, **arguments: Unpack[TableArguments]) -> pd.DataFrame:
        """Return the summary of all rows so far: the same as that of `qa_frame.summary` on all of them at once.

        Parameters
        ----------
        ci
            The level of confidence intervals, as 0.95. None gives no intervals.
        method
            How intervals are made: `"normal"` (Student's t, with up to one unit of 0 and one of 1 more) or
            `"bootstrap"` (percentiles of draws of units), which needs `keep_rows=True`, a `question` or a `cluster`.
        n_resamples, seed
            The number of bootstrap samples, and the seed of their random draws.
        percent
            Whether figures and bounds are multiplied by 100.
        observed
            Whether only categories that occur are groups, as in pandas' groupby; else all categories are.
        dropna
            Whether rows with a null in `by` are left out, as in pandas' groupby; else they are a group of their own.
        long
            Whether there is one row per group and metric. Its columns are those of `by`, then `metric value lo hi n`,
            where n is the number of rows that the metric is scored on.
        pass_at
            For a Pool with `question`: numbers k for `<metric>_pass@k`, the chance that one or more of k samples of a
            question are right. A question with fewer than k scored samples is not scored for it.
        pass_all
            For a Pool with `question`: numbers k for `<metric>_pass^k`, the chance that all of k samples are right.
        weights
            For a Pool with `macro`: how much each dataset counts, `"equal"`, `"size"` (by its scored rows, or questions
            with samples), or a mapping from each dataset to a number above 0, which sum to 1.
        datasets
            For a Pool with `macro`: whether intervals are about other questions of these datasets, `"fixed"`, or about
            other datasets of their kind, `"random"`.

        Returns
        -------
        pandas.DataFrame
            One row per group, or one row for all. Its columns are `n`, which counts the scored rows, the figures, each
            with `<name>_lo` and `<name>_hi` where `ci` is given, then `n_rows`, `n_missing` and `n_no_gold`. A group
            without a scored row has NaN.

        Raises
        ------
        UnknownOptionError
            Where an argument has a value that is not allowed, or asks for what this Pool does not keep.
        PoolMismatchError
            With `observed=False`, where the categories of `by` were not the same in all rows.
        """
        return summarise(self._sums, plan_table(self._sums.plan.levels, **arguments))


def pool_of(sums: RowSums) -> Pool:
    """Return the Pool that holds these sums."""
    pool = Pool.__new__(Pool)
    pool._sums = sums  # noqa: SLF001  (its own module)
    return pool
