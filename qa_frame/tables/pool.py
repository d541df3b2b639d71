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
from qa_frame.tables.row_sums import RowSums, start_row_sums
from qa_frame.tables.summary import plan_summary, plan_table, summarise


class _Package:
    """The package, in a pickle: it is imported by its name."""

    def __reduce__(self) -> tuple[Any, ...]:
        return importlib.import_module, ("qa_frame",)


class Pool:
    """A summary that grows: scored rows go in batch by batch, and only counts and exact sums are kept.

    Rows and pools may come together in any order, any batches and any nesting: the summary is the same to the last bit,
    and the same as that of `qa_frame.summary` on all rows at once. Pools can be pickled.

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
        Column(s) or index levels to group by. None gives one row, `all`.
    metrics
        Columns to pool: score columns, other columns of numbers or truth values, or pooled figures such as
        `corpus_bleu`. None takes all scores, and the usual pooled figures if their counts are there.
    cluster
        Column(s) that rows share which are not independent, such as the document of their questions.
    question
        Column(s) that identify a question, where it has several rows (samples).
    threshold
        Minimum score of a right answer, for `pass_at` and `pass_all` of the summary.
    macro
        Column(s) that name the dataset of a row. Each figure is then an average of the datasets' figures.
    prefix
        Text in front of the names of score columns, as it was given to `score`. The summary's names have no prefix.
    keep_rows
        Whether to keep every row's scores. Medians always need them. `method="bootstrap"` needs them if the Pool has
        neither `cluster` nor `question`.

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
        self._sums = start_row_sums(plan)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what a pickle holds: the name `qa_frame.Pool`, the arguments of the Pool, and its sums as bytes.

        Such a pickle can be read after modules of the package have moved.
        """
        plan = self._sums.plan
        arguments: dict[str, Any] = {argument: [*names] or None for argument, names in plan.levels.named.items()}
        metrics = plan.scoring.named  # and no function of a metric, which a pickle may not take
        arguments |= {"metrics": None if metrics is None else [*metrics], "prefix": plan.scoring.prefix}
        arguments |= {"threshold": plan.threshold, "keep_rows": plan.keep_rows}
        return operator.methodcaller("Pool", **arguments), (_Package(),), self._sums.to_bytes()

    def __setstate__(self, state: bytes) -> None:
        self._sums.restore(state)

    def __repr__(self) -> str:
        return f"Pool(by={[*self._sums.plan.levels.by]}, {self._sums})"

    def clear(self) -> Pool:
        """Forget all rows and their signature. Returns this Pool."""
        self._sums = RowSums(self._sums.plan)
        return self

    def update(self, data: Any) -> Pool:
        """Add scored rows.

        Parameters
        ----------
        data
            Frame of any kind that `qa_frame.summary` takes, but no `groupby`. A score that is null is not scored.

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
            Pool that was made with the same arguments; `prefix` may differ.

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
            Confidence level of the intervals, such as 0.95. None gives no intervals.
        method
            Method of the intervals: `"normal"` (a formula, see the page "Confidence intervals") or `"bootstrap"`
            (percentiles over redrawn rows, questions or clusters; not with `macro`). The latter needs `keep_rows=True`,
            a `question` or a `cluster`.
        n_resamples
            Number of bootstrap samples. None takes 1,000.
        seed
            Seed of the bootstrap's random draws.
        percent
            Whether to multiply figures and bounds by 100.
        observed
            Whether to leave out categories without rows, as in pandas.
        dropna
            Whether to leave out rows with a null in `by`. Else they are a group of their own.
        long
            Whether to give one row per group and metric, with the columns `metric`, `value`, `lo`, `hi` and `n`.
        pass_at
            Number(s) k of samples, for `<metric>_pass@k`: the chance that at least one of k samples of a question is
            right. A question with fewer samples does not count. It needs a Pool with `question`.
        pass_all
            Number(s) k of samples, for `<metric>_pass^k`: the chance that all of k samples of a question are right. A
            question with fewer samples does not count. It needs a Pool with `question`.
        weights
            Weight of each dataset in the average over `macro`: `"equal"`, `"size"` (its number of scored rows, or of
            questions if the Pool has `question`), or a mapping from datasets to weights that sum to 1.
        datasets
            Scope of the intervals over datasets: `"fixed"` generalises to other questions of the same datasets,
            `"random"` to other datasets of their kind.

        Returns
        -------
        pandas.DataFrame
            One row per group, or without `by` one row for all. Its columns are those of `qa_frame.summary`: `n`, the
            figures with their bounds, and the counts of rows and questions. A group without a scored row has NaN.
            Before any row was added, there is no row, or without `by` one row with `n` 0.

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
