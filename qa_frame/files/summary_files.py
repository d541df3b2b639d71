"""`qa_frame.summary_files`: files of any size → the summary of all their rows."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Generator, Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa

from qa_frame.errors import ResultFileError, UnknownOptionError, show
from qa_frame.files.contents import MAX_RECORD_BYTES
from qa_frame.files.paths import Paths
from qa_frame.files.streams.inputs import InputFile, find_inputs
from qa_frame.files.streams.json_lines import JsonLinesInput, Lines
from qa_frame.files.streams.parquet import ParquetInput
from qa_frame.files.streams.pieces import naming, rows_a_piece
from qa_frame.frames.kinds import read_source, with_notes
from qa_frame.frames.names import require_column
from qa_frame.frames.provenance import noted_extractions, without_sources
from qa_frame.frames.text_columns import require_text_types
from qa_frame.parallel.jobs import consume_with_progress, count_all_jobs, require_progress, run_jobs
from qa_frame.reports.partial_summary import PartialSummary, plan_summary
from qa_frame.reports.pool import Pool
from qa_frame.rules.parts import Convention
from qa_frame.scoring.plan import Metrics, Missing
from qa_frame.scoring.reduction import Reduction
from qa_frame.stats.grouping import list_keys
from qa_frame.stats.intervals import Method
from qa_frame.text.extraction import Extract, foreign_pattern, patterns_given, take_as_given, warn_of_foreign


def summary_files(
    source: Paths,
    by: Hashable | list[Hashable] | None = None,
    *,
    metrics: Metrics = None,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    convention: str | Convention = "squad",
    reduce: Reduction | None = None,
    best_by: str | None = None,
    missing: Missing = "zero",
    extract: Extract = None,
    ci: float | None = None,
    method: Method = "normal",
    cluster: Hashable | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    percent: bool = False,
    prefix: str = "",
    observed: bool = True,
    dropna: bool = False,
    long: bool = False,
    reuse_scores: bool = False,
    max_record_bytes: int = MAX_RECORD_BYTES,
    progress: bool | None = None,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Pool the scores of all rows of some files, as `summary` does of a frame, in bounded memory and on all cores.

    Only the needed columns are read, piece by piece. What is kept are sums by group, or by group and cluster.
    `method="bootstrap"` without a cluster keeps every row's scores too.

    Parameters
    ----------
    source
        A file, a glob, a folder, or a list of these, Parquet or JSON Lines, as in `score_files`.
    by
        A column or a list of columns. What the names of folders say, as `year=2024/model=heron/part-0.parquet` below a
        folder given as `source`, are columns of text too.
    metrics, pred, gold, convention, reduce, best_by, missing, extract, ci, method, cluster, n_resamples, seed, \
percent, prefix, observed, dropna, long, reuse_scores
        As in `qa_frame.summary`: with `pred` and `gold` the rows are scored first, else the files' score columns are
        used.
    max_record_bytes, progress, n_jobs
        As in `score_files`.

    Returns
    -------
    pandas.DataFrame
        To the last bit `qa_frame.summary` of the frame that holds the rows of all files.

    Raises
    ------
    ResultFileNotFoundError, ResultFileError
        Where there is no such file, or one cannot be read.
    ColumnNotFoundError, ColumnTypeError
        Where a file lacks a column, or has another type of it than the files before. These, and all that
        `qa_frame.summary` raises, name the file.

    Warns
    -----
    ResultFileWarning
        Where a file's notes say that a regular expression found the answers that were scored, and this process was not
        given it as `extract`. A pattern of somebody else may run for hours, so it is not run: `n_missing` and
        `n_no_gold` are null. So does `qa_frame.summary` for a frame that was read from such a file.

    Examples
    --------
    >>> import pathlib, tempfile, qa_frame
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for model, rows in qa_frame.sample().groupby("model"):
    ...         path = pathlib.Path(folder, f"model={model}", "run.jsonl")
    ...         path.parent.mkdir()
    ...         rows.drop(columns="model").to_json(path, orient="records", lines=True)
    ...     table = qa_frame.summary_files(folder, "model", pred="response", gold="answers")
    >>> table[["n", "n_scored", "n_missing", "n_no_gold", "em", "f1"]].round(3)
                  n  n_scored  n_missing  n_no_gold     em     f1
    model
    heron-7b    120       115          4          5  0.087  0.206
    lynx-70b    120       115          2          5  0.435  0.724
    otter-chat  120       115          2          5  0.000  0.339
    """
    _require_names(by)
    plan = plan_summary(
        by,
        metrics=metrics,
        pred=pred,
        gold=gold,
        convention=convention,
        reduce=reduce,
        best_by=best_by,
        missing=missing,
        extract=extract,
        ci=ci,
        method=method,
        cluster=cluster,
        n_resamples=n_resamples,
        seed=seed,
        percent=percent,
        prefix=prefix,
        observed=observed,
        dropna=dropna,
        long=long,
        reuse_scores=reuse_scores,
    )
    require_progress(progress)
    n_workers = 1 if plan.scoring.plan.own else count_all_jobs(n_jobs)
    inputs = [_open(file, plan) for file in find_inputs(source, max_record_bytes)]
    _require_alike(inputs)
    n_rows = [each.n_rows for each in inputs]
    total = None if None in n_rows else sum(filter(None, n_rows))
    most_rows = rows_a_piece(total, n_workers)
    pieces = (piece for each in inputs for piece in each.pieces(most_rows))
    merged = plan.new_pool()

    def pooled() -> Generator[int, None, None]:
        work = functools.partial(_pool_piece, plan=plan, patterns=patterns_given())
        with contextlib.closing(run_jobs(work, pieces, n_workers)) as pools:
            for n, pool in pools:
                merged.merge(pool)
                yield n

    consume_with_progress(pooled(), n_rows=total, progress=progress)
    return plan.table(merged)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some rows of a file, as a worker gets them.

    Attributes
    ----------
    path
        The file.
    rows
        The needed columns, or the lines that hold them.
    columns
        The names of the needed columns.
    """

    path: Path
    rows: pa.Table | Lines
    columns: list[str]


def _pool_piece(piece: _Piece, plan: PartialSummary, patterns: frozenset[tuple[str, int]]) -> tuple[int, Pool]:
    """The rows of a piece, and a Pool of them. patterns: those that the caller has given."""
    take_as_given(patterns)
    with naming(piece.path):
        frame = piece.rows.parse().frame(piece.columns) if isinstance(piece.rows, Lines) else piece.rows
        return len(frame), plan.pool([frame], empty=frame)


class _ParquetRows:
    """The rows of a Parquet file that a summary reads."""

    def __init__(self, file: InputFile, plan: PartialSummary) -> None:
        self.path = file.path
        self._input = ParquetInput(file)
        self.n_rows: int | None = self._input.n_rows
        empty = self._input.schema.empty_table()
        with naming(file.path):
            notes = read_source(empty).notes
        pattern = foreign_pattern(noted_extractions(notes))
        self._notes = None if pattern is None else without_sources(notes)
        if pattern is not None:
            warn_of_foreign(pattern, str(file.path))
        empty = self._with_safe_notes(empty)
        with naming(file.path):
            plan.pool([empty], empty=empty)  # what is wrong is said before anything is read
            if plan.scoring.pred is not None:
                spans = plan.scoring.plan.convention.spans
                require_text_types(empty, pred=plan.scoring.pred, gold=plan.scoring.gold, spans=spans)
        self._columns = [str(name) for name in plan.needed_columns(read_source(empty))]
        # These are read from files of any types.
        others = {plan.scoring.pred, plan.scoring.gold, *plan.scoring.names} - {*list_keys(plan.by), plan.cluster}
        self.kinds = {name: empty.schema.field(name).type for name in self._columns if name not in others}

    def pieces(self, most_rows: int) -> Iterator[_Piece]:
        """Yield the rows in pieces."""
        for table in self._input.tables(most_rows=most_rows, columns=self._columns):
            yield _Piece(self.path, self._with_safe_notes(table), self._columns)

    def _with_safe_notes(self, table: pa.Table) -> pa.Table:
        """The table; one that does not know what it was made from, where this would run a pattern of the file's own."""
        return table if self._notes is None else with_notes(table, self._notes)


class _LinesRows:
    """The rows of a file of JSON lines that a summary reads."""

    n_rows: int | None = None

    def __init__(self, file: InputFile, plan: PartialSummary) -> None:
        self.path = file.path
        self.kinds: dict[str, pa.DataType] = {}
        self._input = JsonLinesInput(file)
        names = self._input.names
        with naming(file.path):
            for argument, key in plan.named_columns:
                require_column(key, names, argument)
            self._columns = [str(name) for name in plan.needed_columns(read_source(pd.DataFrame(columns=names)))]

    def pieces(self, most_rows: int) -> Iterator[_Piece]:
        """Yield the lines in pieces, whose size is that of blocks of lines."""
        del most_rows
        for block in self._input.blocks():
            yield _Piece(self.path, block, self._columns)


_Rows = _ParquetRows | _LinesRows


def _open(file: InputFile, plan: PartialSummary) -> _Rows:
    return _ParquetRows(file, plan) if file.format == "parquet" else _LinesRows(file, plan)


def _require_names(by: object) -> None:
    """Raise UnknownOptionError where groups are not named by columns."""
    for key in by if isinstance(by, list) else [by]:
        if key is not None and not isinstance(key, str):
            raise UnknownOptionError(
                f"by={show(key)} is not the name of a column, and files have nothing else to group by; give a name, "
                "or a list of names"
            )


def _require_alike(inputs: list[_Rows]) -> None:
    """Raise ResultFileError where two files have different types of a column."""
    first_of: dict[str, tuple[Path, pa.DataType]] = {}
    for each in inputs:
        for name, kind in each.kinds.items():
            if pa.types.is_null(kind):
                continue  # nulls alone may have any type
            path, known = first_of.setdefault(name, (each.path, kind))
            if _plain(known) != _plain(kind):
                raise ResultFileError(
                    f"{each.path}: column {name!r} is {kind}, where {path} has {known}; write them with one type"
                )


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type without what makes no difference to values: how text is stored, and whether it is encoded."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return pa.string() if is_text else kind
