"""Score and summarise Spark's dataframes: `from qa_frame.engines import spark`, then `spark.score(sdf, ...)`."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

import qa_frame.api.score
import qa_frame.api.summary
from qa_frame.api.methods import takes_arguments_of
from qa_frame.engines.shared import OF_ONE_PROCESS, plan_parts, require_package, score_no_rows, score_part, text_columns
from qa_frame.errors import ColumnTypeError
from qa_frame.frames.names import require_column
from qa_frame.reports.row_sums import merge_sums, sum_parts
from qa_frame.reports.summary_plan import SummaryPlan

require_package("pyspark", extra="spark")

from pyspark import cloudpickle  # noqa: E402  (after the check that it is there)
from pyspark.sql import DataFrame  # noqa: E402
from pyspark.sql.pandas.types import to_arrow_schema  # noqa: E402
from pyspark.sql.types import DoubleType, LongType, StructField, StructType  # noqa: E402


@takes_arguments_of(qa_frame.api.score.score, without=OF_ONE_PROCESS)
def score(sdf: DataFrame, *, append: bool, **arguments: Any) -> DataFrame:
    """Score each row when the frame is computed: a lazy frame with the columns of `sdf`, then one column per metric.

    Each Python worker scores Arrow batches, whose size is `spark.sql.execution.arrow.maxRecordsPerBatch`. `qa_frame`
    has to be installed on the executors. Functions of yours are sent to them.

    Parameters
    ----------
    sdf
        A `pyspark.sql.DataFrame`, of Spark Connect too.
    {arguments}

    Returns
    -------
    pyspark.sql.DataFrame
        The scores are of type double, the statistics long; a row that is not scored is null. The schema is known
        without scoring.

    Raises
    ------
    QaFrameError
        The errors of `qa_frame.score`. They come at the call if the arguments and the schema show them. An error that
        only rows show, such as a null prediction with `missing="raise"`, comes as an error of Spark when the frame is
        computed; its message holds that of `qa_frame.score`.

    Examples
    --------
    >>> import pyarrow as pa, qa_frame
    >>> from qa_frame.engines import spark
    >>> results = session.createDataFrame(pa.Table.from_pandas(qa_frame.sample()))
    >>> scored = spark.score(results, "response", "answers", metrics=["em", "f1"])
    >>> scored.columns[-2:]
    ['em', 'f1']
    """
    empty = _no_rows_of(sdf)
    scored = score_no_rows(empty, append=append, **arguments).schema
    new = score_no_rows(empty, append=False, **arguments).schema
    types = {field.name: DoubleType() if pa.types.is_floating(field.type) else LongType() for field in new}
    given = sdf.schema.fields  # a column that a score replaces stays where it is
    schema = [StructField(name, types[name]) if name in types else given[at] for at, name in enumerate(scored.names)]
    needed = empty.column_names if append else text_columns(**arguments)
    for name in needed:
        require_column(name, empty.column_names, "sdf")  # Spark takes no two columns of one name from Python
    score_batches = functools.partial(_score_batches, names=needed, arguments={**arguments, "append": append})
    return _take_columns(sdf, needed).mapInArrow(score_batches, StructType(schema))


@takes_arguments_of(qa_frame.api.summary.summary)
def summary(sdf: DataFrame, **arguments: Any) -> pd.DataFrame:
    """Run the query, and pool the scores of each group of rows: one row per group, or one row for all.

    Each partition becomes sums by group, or by group and cluster, and the driver merges these.
    `method="bootstrap"` without a cluster has to send it every row's scores, too. Only the needed columns are read.

    Parameters
    ----------
    sdf
        A `pyspark.sql.DataFrame`, of Spark Connect too.
    by
        A column, or a list of columns.
    {arguments}

    Returns
    -------
    pandas.DataFrame
        The summary, indexed by the groups. The figures are those of `qa_frame.summary` to the last bit. `n_missing` and
        `n_no_gold` are `<NA>` for rows that were scored before, because Spark keeps no note on their source.

    Raises
    ------
    QaFrameError
        The errors of `qa_frame.summary`. They come at the call if the arguments and the schema show them.

    Examples
    --------
    >>> import pyarrow as pa, qa_frame
    >>> from qa_frame.engines import spark
    >>> results = session.createDataFrame(pa.Table.from_pandas(qa_frame.sample()))
    >>> scored = spark.score(results, pred="response", gold="answers", metrics=["em", "f1"])
    >>> spark.summary(scored, by="model")[["em", "f1"]].round(3)
                   em     f1
    model
    heron-7b    0.087  0.206
    lynx-70b    0.435  0.724
    otter-chat  0.000  0.339
    """
    empty = _no_rows_of(sdf)
    plan, needed = plan_parts(empty, **arguments)
    sum_batches = functools.partial(_sum_batches, plan=plan, empty=empty.select(needed))
    rows = _take_columns(sdf, needed).mapInArrow(sum_batches, "sums binary").collect()
    parts = [pickle.loads(row.sums) for row in rows]  # noqa: S301  (made by this session's own executors)
    return merge_sums(plan, parts or [sum_parts(plan, [], empty=empty)]).table()


def _no_rows_of(sdf: Any) -> pa.Table:
    """Return a table without rows that has the columns of a Spark frame."""
    if not hasattr(sdf, "mapInArrow"):
        raise ColumnTypeError(f"sdf is a {type(sdf).__name__}; give a Spark DataFrame, or call qa_frame.score itself")
    return to_arrow_schema(sdf.schema).empty_table()


def _take_columns(sdf: DataFrame, names: Sequence[Any]) -> DataFrame:
    """Return these columns under plain names: Spark would read dots in names as paths."""
    known = sdf.columns
    places = range(len(known)) if list(names) == known else [known.index(name) for name in names]
    plain = sdf.toDF(*(f"column{place}" for place in range(len(known))))
    return plain.select(*(f"column{place}" for place in places))


def _score_batches(
    batches: Iterable[pa.RecordBatch], *, names: Sequence[str], arguments: dict[str, Any]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        table = pa.Table.from_batches([batch]).rename_columns(names)
        yield from score_part(table, **arguments).to_batches()


def _sum_batches(batches: Iterable[pa.RecordBatch], *, plan: SummaryPlan, empty: pa.Table) -> Iterator[pa.RecordBatch]:
    """Yield one row for all batches of a partition: their sums, pickled."""
    tables = (pa.Table.from_batches([batch]).rename_columns(empty.column_names) for batch in batches)
    sums = sum_parts(plan, tables, empty=empty)
    yield pa.record_batch({"sums": pa.array([cloudpickle.dumps(sums)], pa.binary())})
