"""`qa` on dask's dataframes: `import qa_frame.engines.dask` registers it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

import pandas as pd

from qa_frame.errors import GoldFormatError
from qa_frame.ext.engines.shared import (
    OF_ONE_PROCESS,
    merge_sums,
    part_scorer,
    plan_parts,
    require_package,
    saying_part,
    score_no_rows,
    sum_parts,
    summarise_parts,
    takes_arguments_of,
)
from qa_frame.tables.row_sums import RowSums, SumsPlan
from qa_frame.tables.score import score
from qa_frame.tables.summary import summary

require_package("dask", extra="dask")

import dask  # noqa: E402  (after the check that it is there)
import dask.dataframe as dd  # noqa: E402
from dask.dataframe.extensions import register_dataframe_accessor  # noqa: E402

_MERGED_AT_ONCE = 8
"""The number of partitions' sums that one task merges, as in dask's own reductions."""


@register_dataframe_accessor("qa")
class DaskQA:
    """Question answering on this frame, partition by partition: `score` stays lazy, and `summary` computes.

    Dask makes text of lists in columns of objects, unless it is told not to before the frame is made, as below. It
    keeps the lists of columns with an Arrow type.

    Examples
    --------
    >>> import dask, dask.dataframe as dd, qa_frame, qa_frame.engines.dask
    >>> with dask.config.set({"dataframe.convert-string": False}):
    ...     ddf = dd.from_pandas(qa_frame.sample(), npartitions=3)
    >>> scored = ddf.qa.score("response", "answers", metrics=["em", "f1"])
    >>> scored.columns[-4:].tolist()
    ['qa_rules', 'qa_flags', 'em', 'f1']
    >>> scored.qa.summary(by="model").round(3)
                  n     em     f1  n_rows  n_missing  n_no_gold
    model
    heron-7b    115  0.087  0.206     120          4          5
    lynx-70b    115  0.435  0.724     120          2          5
    otter-chat  115  0.000  0.339     120          2          5
    """

    def __init__(self, frame: dd.DataFrame) -> None:
        self._frame = frame

    @takes_arguments_of(score, without=OF_ONE_PROCESS)
    def score(self, **arguments: Any) -> dd.DataFrame:
        """Score each row when the frame is computed: a new lazy frame with a score column per metric.

        Functions of yours are sent to the workers. No partition sees all rows, and so there are no warnings of doubtful
        texts: `audit` one computed partition.

        Parameters
        ----------
        {arguments}

        Returns
        -------
        dask.dataframe.DataFrame
            With the same partitions and index. Its columns and their types are those of `qa_frame.score` on the
            computed frame.

        Raises
        ------
        QaFrameError
            The errors of `qa_frame.score`. They come at the call if the arguments and the columns' types show them. An
            error that only rows show, such as a null prediction with `missing="raise"`, comes when the frame is
            computed.
        """
        meta = score_no_rows(self._frame._meta, **arguments)  # noqa: SLF001  (dask's name for a frame without rows)
        scored: dd.DataFrame = self._frame.map_partitions(
            functools.partial(_score_partition, arguments=arguments), meta=meta
        )
        return scored

    @takes_arguments_of(summary)
    def summary(self, *, compute: bool = True, **arguments: Any) -> Any:
        """Pool the scores of each group of rows: one row per group, or one row for all.

        Each partition becomes sums by group, cluster and question. Workers merge these in a tree, and one of them makes
        the table, which alone is sent back. Every row's scores are kept, too, for medians, and for
        `method="bootstrap"` without `cluster` and `question`.
        Only the needed columns are taken.

        Parameters
        ----------
        by
            Column(s) to group by.
        {arguments}
        compute
            False returns a `dask.delayed.Delayed` of the summary, for instance to compute several at once. Warnings
            then come up in the worker that makes it.

        Returns
        -------
        pandas.DataFrame
            The summary of the computed frame. It is that of `qa_frame.summary` to the last bit. `n_missing` and
            `n_no_gold` are `<NA>` if dask has lost the note on the source of the scores, as in frames from files.

        Raises
        ------
        QaFrameError
            The errors of `qa_frame.summary`.
        """
        plan, wanted, needed = plan_parts(self._frame._meta, **arguments)  # noqa: SLF001
        parts = [dask.delayed(_sum_partition)(part, plan) for part in self._frame[needed].to_delayed()]
        while len(parts) > _MERGED_AT_ONCE:
            groups = [parts[start : start + _MERGED_AT_ONCE] for start in range(0, len(parts), _MERGED_AT_ONCE)]
            parts = [dask.delayed(merge_sums)(plan, group) for group in groups]
        summarised = dask.delayed(summarise_parts)(plan, parts, wanted)
        return summarised.compute().take() if compute else summarised.take()


def _score_partition(part: pd.DataFrame, *, arguments: dict[str, Any]) -> pd.DataFrame:
    """Return one partition with its scores. Errors say that rows are counted in it."""
    with saying_part("partition of dask"), _naming_dask():
        return part_scorer(**arguments)(part)


def _sum_partition(part: pd.DataFrame, plan: SumsPlan) -> RowSums:
    """Return the sums of the rows of one partition."""
    with saying_part("partition of dask"), _naming_dask():
        return sum_parts(plan, [part], empty=part)


@contextlib.contextmanager
def _naming_dask() -> Iterator[None]:
    """Add to a GoldFormatError, about lists that were written out as text, that dask may have written them."""
    try:
        yield
    except GoldFormatError as error:
        raise GoldFormatError(
            f"{error}. If the column held lists before dask had it: dask made text of them. Then make the frame again, "
            'after dask.config.set({"dataframe.convert-string": False})'
        ) from error
