"""Score and summarise Spark's dataframes: `from qa_frame.engines import spark`, then `spark.score(sdf, ...)`."""

from __future__ import annotations

import contextlib
import functools
import json
import pickle
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

import qa_frame.tables.score
import qa_frame.tables.summary
from qa_frame.errors import ColumnTypeError, QaFrameError, UnknownOptionError
from qa_frame.ext.engines.shared import (
    OF_ONE_PROCESS,
    Summarised,
    part_scorer,
    plan_parts,
    plan_scoring,
    require_package,
    saying_part,
    score_no_rows,
    sum_parts,
    summarise_parts,
    takes_arguments_of,
)
from qa_frame.frames.scoring_metadata import note_scoring, origins, own_scores
from qa_frame.frames.source import notes_of, with_notes
from qa_frame.tables.row_sums import SumsPlan
from qa_frame.tables.summary import TablePlan

require_package("pyspark", extra="spark")

from pyspark import cloudpickle  # noqa: E402  (after the check that it is there)
from pyspark.errors import PySparkTypeError  # noqa: E402
from pyspark.sql import DataFrame  # noqa: E402
from pyspark.sql import functions as sql  # noqa: E402
from pyspark.sql.pandas.types import to_arrow_type  # noqa: E402
from pyspark.sql.types import DataType, DoubleType, LongType, StringType, StructField, StructType  # noqa: E402

_NOTES = "qa_frame"
"""The key of the notes on a scoring in the metadata of each of its score columns, which Spark keeps."""
_INTERVAL = pa.month_day_nano_interval()
"""The type that stands for those that Spark cannot give to Python: months, above all."""


@takes_arguments_of(qa_frame.tables.score.score, without=OF_ONE_PROCESS)
def score(sdf: DataFrame, *, append: bool, **arguments: Any) -> DataFrame:
    """Score each row when the frame is computed: a lazy frame with the columns of `sdf`, then one column per metric.

    Only the columns of texts go to Python. Filters on other columns are pushed down to the file, before rows are
    scored, and columns that nobody asks for are not read. Each Python worker scores Arrow batches, whose size is
    `spark.sql.execution.arrow.maxRecordsPerBatch`; scores do not depend on it. `qa_frame` has to be installed on the
    executors. Functions of yours are sent to them.

    Parameters
    ----------
    sdf
        A `pyspark.sql.DataFrame`, of Spark Connect too.
    {arguments}

    Returns
    -------
    pyspark.sql.DataFrame
        The scores are of type double, the statistics long; a row that is not scored is null. The schema is known
        without scoring. The metadata of the score columns say what they were made from.

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
    >>> scored.columns[-4:]
    ['qa_rules', 'qa_flags', 'em', 'f1']
    """
    empty = _no_rows_of(sdf)
    known = empty.column_names
    read, of_parts = plan_scoring(known, append=append, **arguments)
    _require_readable(sdf, empty, read)
    notes = {_NOTES: json.dumps(notes_of(score_no_rows(empty, append=append, **arguments)))}
    new = score_no_rows(empty, **of_parts).schema
    _require_sendable(**arguments)
    names, rows = known if append else [], _with_plain_names(sdf)
    kept = rows.columns[: len(names)]
    texts = sql.struct(*(rows[known.index(name)] for name in read))
    packed = rows.select(*kept, _score_udf(read, new, of_parts)(texts).alias("scores"))
    # A filter on scores stays above this table of one row a row: below it, the filter would score the rows once more.
    unpacked = packed.select(*kept, sql.inline(sql.array("scores")))
    scores = {name: sql.col(f"score{at}").alias(name, metadata=notes) for at, name in enumerate(new.names)}
    columns = [scores.get(name, sql.col(place).alias(name)) for name, place in zip(names, kept, strict=True)]
    return unpacked.select(*columns, *(column for name, column in scores.items() if name not in names))


@takes_arguments_of(qa_frame.tables.summary.summary)
def summary(sdf: DataFrame, **arguments: Any) -> pd.DataFrame:
    """Run the query, and pool the scores of each group of rows: one row per group, or one row for all.

    Each partition becomes sums by group, cluster and question. One task on an executor merges these and makes the
    table, which alone goes to the driver. With `method="bootstrap"` without a cluster the task gets every row's scores,
    too. Only the needed columns are read.

    Parameters
    ----------
    sdf
        A `pyspark.sql.DataFrame`, of Spark Connect too.
    by
        Column(s) to group by.
    {arguments}

    Returns
    -------
    pandas.DataFrame
        The summary, indexed by the groups. The figures are those of `qa_frame.summary` to the last bit. `n_missing` and
        `n_no_gold` are `<NA>` where the columns that the scores were made from are not there.

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
    with _naming_spark():
        plan, wanted, needed = plan_parts(empty, **arguments)
    _require_readable(sdf, empty, needed)
    sum_batches = functools.partial(_sum_batches, plan=plan, empty=empty.select(needed))
    summarise_sums = functools.partial(_summarise_sums, plan=plan, wanted=wanted)
    sums = _take_columns(sdf, needed).mapInArrow(sum_batches, "pickled binary")
    rows = sums.repartition(1).mapInArrow(summarise_sums, "pickled binary").collect()
    if not rows:  # a frame without partitions
        return summarise_parts(plan, [sum_parts(plan, [], empty=empty)], wanted).take()
    summarised: Summarised = _unpickle(rows[0].pickled)
    return summarised.take()


def _no_rows_of(sdf: Any) -> pa.Table:
    """Return a table without rows that has the columns of a Spark frame, and the notes on their scoring.

    Raise ColumnTypeError if `sdf` is not a Spark frame.
    """
    if not hasattr(sdf, "mapInArrow"):
        raise ColumnTypeError(f"sdf is a {type(sdf).__name__}; give a Spark DataFrame, or call qa_frame.score itself")
    fields, notes = sdf.schema.fields, dict[str, Any]()
    for field in fields:
        noted = json.loads((field.metadata or {}).get(_NOTES, "{}"))
        origin = origins(noted).get(field.name)
        if origin is not None:
            notes = note_scoring(
                notes,
                [field.name],
                pred=origin.pred,
                gold=origin.gold,
                choices=origin.choices,
                rules=origin.rules,
                signature=origin.signature,
                own=own_scores(noted),
            )
    empty = pa.schema([pa.field(field.name, _arrow_type(field.dataType)) for field in fields]).empty_table()
    return with_notes(empty, notes)


def _require_readable(sdf: DataFrame, empty: pa.Table, names: Sequence[Any]) -> None:
    """Raise ColumnTypeError if one of the named columns has a type that Spark cannot give to Python.

    empty: the frame's columns in Arrow, as `_no_rows_of` returns them.
    """
    for at, field in enumerate(empty.schema):
        if field.type == _INTERVAL and field.name in names:
            raise ColumnTypeError(
                f"the column {field.name!r} holds {sdf.schema[at].dataType.simpleString()}, which Spark cannot give to "
                f"Python; give it as text: sdf.withColumn({field.name!r}, sdf[{field.name!r}].cast('string'))"
            )


def _arrow_type(kind: DataType) -> pa.DataType:
    """Return the Arrow type of a Spark type; `_INTERVAL` if Spark has none for it."""
    try:
        return to_arrow_type(kind)
    except PySparkTypeError:
        return _INTERVAL


def _spark_type(field: pa.Field) -> DataType:
    """Return the Spark type of a new column: double for scores, long for counts, string for rules and flags."""
    if pa.types.is_dictionary(field.type):
        return StringType()
    return DoubleType() if pa.types.is_floating(field.type) else LongType()


def _with_plain_names(sdf: DataFrame) -> DataFrame:
    """Return the frame with columns named column0, column1 and so on.

    Spark would read dots in names as paths, and several columns may have one name.
    """
    return sdf.toDF(*(f"column{place}" for place in range(len(sdf.columns))))


def _take_columns(sdf: DataFrame, names: Sequence[Any]) -> DataFrame:
    """Return the frame with these columns alone, under the names of `_with_plain_names`."""
    return _with_plain_names(sdf).select(*(f"column{sdf.columns.index(name)}" for name in names))


def _require_sendable(*, metrics: Any, rules: Any, **_: Any) -> None:
    """Raise UnknownOptionError, which names the argument, if a metric or the rules cannot be sent to the executors."""
    each = [metrics] if isinstance(metrics, str) or not isinstance(metrics, Iterable) else list(metrics)
    named = [(f"metrics={getattr(metric, 'name', metric)!r}", metric) for metric in each]
    for argument, value in [*named, ("the function of reduce", rules.reduce), ("a function of the rules", rules)]:
        error = _why_unsendable(value)
        if error is not None:
            raise UnknownOptionError(
                f"{argument} cannot be sent to the executors of Spark ({error}); make what the function holds, such as "
                "a client or a lock, inside it"
            ) from error


def _why_unsendable(value: Any) -> Exception | None:
    """Return the error of a value that cannot be sent to another process; None where it can."""
    try:
        cloudpickle.dumps(value)
    except Exception as error:  # noqa: BLE001  (a class of the caller's may raise anything)
        return error
    return None


@contextlib.contextmanager
def _naming_spark() -> Iterator[None]:
    """Name `spark.score` in errors in the place of the method `df.qa.score`, which other frames have."""
    try:
        yield
    except QaFrameError as error:
        message = str(error).replace("df.qa.score(", "spark.score(sdf, ")
        raise type(error)(message) from error


def _score_udf(names: Sequence[str], new: pa.Schema, arguments: dict[str, Any]) -> Any:
    """Return the Spark function from a struct of the columns `names` to a struct of the scores.

    new: the schema of the scores. The fields of the struct are score0, score1 and so on. arguments: those of
    `part_scorer`.
    """

    def score_batches(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        """Yield the scores of each batch. A task makes one plan for all of its batches."""
        score_part = part_scorer(**arguments)
        for batch in batches:
            with saying_part("batch of Spark"):
                scored = score_part(pa.table(batch.flatten(), names))
            yield pa.StructArray.from_arrays(map(_as_plain, scored.columns), [f"score{at}" for at in range(len(new))])

    fields = [StructField(f"score{at}", _spark_type(field)) for at, field in enumerate(new)]
    return sql.arrow_udf(score_batches, StructType(fields))


def _as_plain(column: pa.ChunkedArray) -> pa.Array:
    """Return a column in one piece. A dictionary becomes text, as Spark has no dictionaries."""
    is_text = pa.types.is_dictionary(column.type)
    return (column.cast(pa.string()) if is_text else column).combine_chunks()


def _sum_batches(batches: Iterable[pa.RecordBatch], *, plan: SumsPlan, empty: pa.Table) -> Iterator[pa.RecordBatch]:
    """Yield one row: the pickled sums of all batches of a partition."""
    tables = (
        pa.Table.from_batches([batch]).rename_columns(empty.column_names).replace_schema_metadata(empty.schema.metadata)
        for batch in batches
    )
    yield _pickle(sum_parts(plan, tables, empty=empty))


def _summarise_sums(
    batches: Iterable[pa.RecordBatch], *, plan: SumsPlan, wanted: TablePlan
) -> Iterator[pa.RecordBatch]:
    """Yield one row: the pickled `Summarised` of all partitions. batches: the rows that `_sum_batches` yields."""
    sums = (_unpickle(row.as_py()) for batch in batches for row in batch.column(0))
    yield _pickle(summarise_parts(plan, sums, wanted))


def _pickle(value: Any) -> pa.RecordBatch:
    """Return a batch of one row that holds a pickled value, compressed, as an Arrow column takes only 2 GiB."""
    return pa.record_batch({"pickled": pa.array([zlib.compress(cloudpickle.dumps(value), 1)], pa.binary())})


def _unpickle(pickled: bytes) -> Any:
    """Return the value that one row of `_pickle` holds."""
    return pickle.loads(zlib.decompress(pickled))  # noqa: S301  (made by this session's own executors)
