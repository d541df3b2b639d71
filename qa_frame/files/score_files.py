"""`qa_frame.score_files`: files with predictions and golds → the same files with score columns."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import operator
import os
from collections.abc import Callable, Collection, Generator, Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from qa_frame.errors import (
    QaFrameError,
    ResultFileError,
    UnknownOptionError,
    is_unicode,
    require_flag,
    require_text,
    show,
)
from qa_frame.files.contents import MAX_RECORD_BYTES
from qa_frame.files.paths import Paths
from qa_frame.files.streams.inputs import InputFile, find_inputs
from qa_frame.files.streams.json_lines import JsonLinesInput, Lines, Records, compressing
from qa_frame.files.streams.parquet import ParquetInput, ParquetOutput
from qa_frame.files.streams.pieces import naming, rows_a_piece
from qa_frame.files.streams.replacement import Replacement, naming_what_is_written, real_path
from qa_frame.files.streams.side_notes import Witness, read_note, write_note
from qa_frame.frames.kinds import read_source, with_attrs_for_pandas
from qa_frame.frames.names import require_column, require_new, require_no_overwrite, require_prefix
from qa_frame.frames.provenance import NOTED, note_scoring, own_scores
from qa_frame.frames.text_columns import TextColumns, read_columns, require_text_types
from qa_frame.parallel.jobs import consume_with_progress, count_all_jobs, require_progress, run_jobs
from qa_frame.rules.parts import Convention
from qa_frame.scoring.doubts import Doubts, warn_of
from qa_frame.scoring.pipeline import score_with_doubts
from qa_frame.scoring.plan import Metrics, Missing, Plan, make_plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.scoring.reduction import Reduction
from qa_frame.text.extraction import Extract, steps_to_notes


def score_files(
    source: Paths,
    destination: str | os.PathLike[str],
    *,
    pred: Hashable,
    gold: Hashable,
    metrics: Metrics = None,
    convention: str | Convention = "squad",
    reduce: Reduction | None = None,
    best_by: str | None = None,
    missing: Missing = "zero",
    extract: Extract = None,
    stats: bool = False,
    prefix: str = "",
    append: bool = True,
    overwrite: bool = False,
    max_record_bytes: int = MAX_RECORD_BYTES,
    progress: bool | None = None,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Score files of any size: each is read, scored and written piece by piece, on all cores, in bounded memory.

    A file appears under its name when it is complete. A run that was stopped leaves the files that it has completed;
    the same call again keeps these and does the rest.

    Parameters
    ----------
    source
        A file, a glob such as `"runs/**/*.parquet"`, a folder, or a list of these. Files are Parquet (`.parquet`) or
        JSON Lines (`.jsonl`, `.jsonl.gz`, `.jsonl.zst`). Other files are read by `qa_frame.read_results`.
    destination
        The file to write, if `source` is one file and this has an ending. Else a folder, in which each file has the
        place that it has below the folder of `source`, or below the part of the glob without wildcards. It may stand
        inside the folder of `source`: what this function wrote there is not read again. A link stays a link.
    pred, gold, metrics, convention, reduce, best_by, missing, extract, stats, prefix
        As in `qa_frame.score`. `gold` of JSON Lines may be lists or text.
    append
        False writes the new columns alone.
    overwrite
        Whether to replace files at the destination that another call has made, or that something else has. A source is
        never replaced.
    max_record_bytes
        How large a line of JSON may be, decompressed: by default 1 GiB. A larger one is an error.
    progress
        True shows a bar that counts rows, False none. None shows one in a terminal after two seconds.
    n_jobs
        How many worker processes score at once, as in joblib. None for one a processor where joblib is installed
        (extra `parallel`), or what an active `joblib.parallel_config` sets; 1 for this process alone. With a
        `PairMetric` this process scores, and keeps its results to the end: give it `cache=False` where they are many.

    Returns
    -------
    pandas.DataFrame
        One row a file: `source`, `destination`, `status` (`"written"`, or `"kept"` where it was complete before), `n`
        (rows), `n_missing` (null predictions) and `n_no_gold` (rows that cannot be scored); the counts of files that
        were kept are `<NA>`, and their `n` too where the file does not tell it. With `extract`, `n_missing` counts
        responses without answer too, and `n_not_extracted` after it counts these alone.

    Raises
    ------
    ResultFileNotFoundError, ResultFileError
        Where there is no such file, or one cannot be read, or the destination holds a file that this call would not
        make so.
    ResultWriteError
        Where a file cannot be written, as on a full disk.
    ColumnNotFoundError, ColumnTypeError
        Where a file lacks a column, or has other types. All files are looked at before anything is written. These, and
        all that `qa_frame.score` raises, name the file.

    Notes
    -----
    Parquet keeps its columns, their types and order, its metadata, the order of rows and the compression of each
    column; scores are compressed as most columns are. Row groups keep their size, up to a million rows or 128 MiB in
    memory. Lines of JSON stay as they are written, with the scores added at their ends, null for what is not scored.

    A file at the destination is kept if this call would make it so, and it is not older than its source. It is made
    again if it is older. Whether a file was made by this function, by these rules, its note tells. In Parquet, this is
    metadata of the file. `a.jsonl` has it in `.a.jsonl.qa_frame.json` beside it, which no reader of folders takes for
    results: move both together. Files without a note, or changed since, are not replaced unless `overwrite` says so.

    Examples
    --------
    >>> import pathlib, tempfile, qa_frame
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = qa_frame.sample().to_parquet(pathlib.Path(folder, "run.parquet"))
    ...     done = qa_frame.score_files(f"{folder}/*.parquet", f"{folder}/scored", pred="response", gold="answers")
    ...     scored = qa_frame.summary_files(f"{folder}/scored", by="model", metrics="f1")
    >>> done[["status", "n", "n_missing", "n_no_gold"]]
        status    n  n_missing  n_no_gold
    0  written  360          8         15
    >>> scored.round(3)
                  n  n_scored  n_missing  n_no_gold     f1
    model
    heron-7b    120       115          4          5  0.206
    lynx-70b    120       115          2          5  0.724
    otter-chat  120       115          2          5  0.339
    """
    require_flag("append", append)
    require_flag("overwrite", overwrite)
    require_prefix(prefix)
    plan = make_plan(metrics, convention, reduce, missing, best_by=best_by, extract=extract, stats=stats)
    settings = _Settings(pred, gold, plan, prefix, append)
    require_progress(progress)
    n_workers = 1 if plan.own else count_all_jobs(n_jobs)
    tasks = [_task(file, target, settings) for file, target in _find_files(source, destination, max_record_bytes)]
    to_do = [task for task in tasks if overwrite or not task.is_complete()]
    n_rows = [task.n_rows for task in to_do]
    total = None if None in n_rows else sum(filter(None, n_rows))
    done = _work(to_do, settings, rows_a_piece(total, n_workers), n_workers)
    consume_with_progress(done, n_rows=total, progress=progress)
    warn_of(functools.reduce(operator.add, (task.doubts for task in to_do), Doubts()), plan, pred=pred, gold=gold)
    return _report(tasks, to_do, has_extraction=bool(plan.extract))


@dataclass(frozen=True, slots=True)
class _Settings:
    """How all files are scored."""

    pred: Hashable
    gold: Hashable
    plan: Plan
    prefix: str
    append: bool

    @property
    def names(self) -> list[str]:
        """The names of the new columns."""
        return [self.prefix + name for name in (*self.plan.metrics, *self.plan.statistics)]

    @property
    def own(self) -> dict[str, str]:
        """By column, the user's own metrics."""
        return {self.prefix + metric.name: metric.name for metric in self.plan.own}


@dataclass(frozen=True, slots=True)
class _Counts:
    """How many rows there are, and how many of them lack a prediction, an answer in the response, or any gold."""

    n: int = 0
    n_missing: int = 0
    n_not_extracted: int = 0
    n_no_gold: int = 0

    def __add__(self, other: _Counts) -> _Counts:
        return _Counts(*map(sum, zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)))


# --- what a worker does


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some rows of a file, as a worker gets them."""

    path: Path
    rows: TextColumns | Lines


def _score_piece(piece: _Piece, settings: _Settings) -> tuple[_Counts, Doubts, dict[str, Any] | bytes]:
    """The counts of a piece, what makes its scores doubtful, and these: as columns, or as lines to write."""
    with naming(piece.path):
        if isinstance(piece.rows, Lines):
            records = piece.rows.parse()
            columns = _read_records(records, settings)
        else:
            records, columns = None, piece.rows
        columns = prepare_predictions(columns, settings.plan)
        found, doubts = score_with_doubts(columns, settings.plan, progress=False)
    is_scored = np.any([~np.isnan(found[name]) for name in settings.plan.metrics], axis=0)
    n_no_gold = int(((columns.n_golds == 0) & ~is_scored).sum())
    n_not_extracted = 0 if columns.is_not_extracted is None else int(columns.is_not_extracted.sum())
    counts = _Counts(len(columns), int(columns.is_missing.sum()), n_not_extracted, n_no_gold)
    scores = dict(zip(settings.names, found.values(), strict=True))
    return counts, doubts, scores if records is None else records.with_scores(scores, append=settings.append)


def _read_records(records: Records, settings: _Settings) -> TextColumns:
    frame = records.frame([str(settings.pred), str(settings.gold)])
    spans = settings.plan.convention.spans
    return read_columns(frame, pred=settings.pred, gold=settings.gold, labels=records.numbers, spans=spans)


# --- what this process does


class _ParquetTask:
    """One Parquet file, and where its scored rows go."""

    def __init__(self, file: InputFile, target: Path, settings: _Settings) -> None:
        self.file, self.target, self.counts, self.doubts = file, target, _Counts(), Doubts()
        self._settings = settings
        self._input = ParquetInput(file)
        self.n_rows: int | None = self._input.n_rows
        empty = self._input.own_schema.empty_table()
        with naming(file.path):
            _check_columns(empty.column_names, settings, own_scores(read_source(empty).notes))
            spans = settings.plan.convention.spans
            require_text_types(empty, pred=settings.pred, gold=settings.gold, spans=spans)
        plan = settings.plan
        arrays = [*(np.zeros(0) for _ in plan.metrics), *(np.zeros(0, np.int64) for _ in plan.statistics)]
        self._schema = self._scored(empty, dict(zip(settings.names, arrays, strict=True))).schema

    def is_complete(self) -> bool:
        """Whether the target is what this call would make of the file as it is. An error where another call made it."""
        if not self.target.exists():
            return False
        made, notes = _made_parquet(self.target)
        names = self._settings.names
        own, new = (_notes_on(names, each) for each in (notes, _notes_of(self._schema)))
        if own != new or not set(made.own_schema.names) <= set(self._schema.names):
            raise _made_otherwise(self.target)
        if _is_older(self.target, self.file.path):
            return False
        is_alike = made.n_rows == self.n_rows and made.own_schema.equals(self._schema)
        if not is_alike or notes != _notes_of(self._schema):
            raise _made_otherwise(self.target)
        return True

    def pieces(self, most_rows: int) -> Iterator[tuple[pa.Table, _Piece]]:
        """Yield tables, and what a worker gets of each."""
        start = 0
        for table in self._input.tables(most_rows=most_rows):
            labels = pd.RangeIndex(start, start + len(table), name="row")
            with naming(self.file.path):
                settings = self._settings
                spans = settings.plan.convention.spans
                columns = read_columns(table, pred=settings.pred, gold=settings.gold, labels=labels, spans=spans)
            yield table, _Piece(self.file.path, columns)
            start += len(table)

    @contextlib.contextmanager
    def writing(self) -> Iterator[Callable[[pa.Table, Any], None]]:
        """Give a function that writes a table with its scores; the file is complete at the end."""
        with (
            Replacement(self.target) as replacement,
            ParquetOutput(replacement, like=self._input, schema=self._schema) as output,
        ):
            yield lambda table, scores: output.write(self._scored(table, scores))

    def _scored(self, table: pa.Table, scores: dict[str, Any]) -> pa.Table:
        settings = self._settings
        scored: pa.Table = read_source(table).with_scores(
            scores,
            append=settings.append,
            pred=settings.pred,
            gold=settings.gold,
            signature=settings.plan.signature,
            extract=steps_to_notes(settings.plan.extract),
            own=settings.own,
        )
        return with_attrs_for_pandas(scored)


class _LinesTask:
    """One file of JSON lines, and where its scored lines go."""

    n_rows: int | None = None

    def __init__(self, file: InputFile, target: Path, settings: _Settings) -> None:
        self.file, self.target, self.counts, self.doubts = file, target, _Counts(), Doubts()
        self._settings = settings
        self._input = JsonLinesInput(file)
        with naming(file.path):
            _check_columns(self._input.names, settings)

    def is_complete(self) -> bool:
        """Whether the target is what this call would make of the file as it is. An error where another call made it."""
        if not self.target.exists():
            return False
        if _made_lines(self.target) != self._note():
            raise _made_otherwise(self.target)
        return not _is_older(self.target, self.file.path)

    def _note(self) -> dict[str, Any]:
        """What makes this call's results differ from those of others."""
        settings = self._settings
        scored = note_scoring(
            {},
            settings.names,
            pred=str(settings.pred),
            gold=str(settings.gold),
            signature=settings.plan.signature,
            extract=steps_to_notes(settings.plan.extract),
            own=settings.own,
        )
        return {"columns": settings.names, "append": settings.append, **scored}

    def pieces(self, most_rows: int) -> Iterator[tuple[None, _Piece]]:
        """Yield what a worker gets; nothing of it is needed here. The size of pieces is that of blocks of lines."""
        del most_rows
        for block in self._input.blocks():
            yield None, _Piece(self.file.path, block)

    @contextlib.contextmanager
    def writing(self) -> Iterator[Callable[[None, Any], None]]:
        """Give a function that writes lines; the file is complete at the end."""
        with Replacement(self.target) as replacement, replacement.naming_the_file():
            codec, witness = self.file.compression, Witness(replacement.stream)
            stream: Any = compressing(witness, codec) if codec else witness

            def write(_: None, lines: bytes) -> None:
                stream.write(lines)

            with stream if codec else contextlib.nullcontext():
                yield write
            write_note(self.target, self._note(), witness)


_Task = _ParquetTask | _LinesTask


def _task(file: InputFile, target: Path, settings: _Settings) -> _Task:
    kind = _ParquetTask if file.format == "parquet" else _LinesTask
    return kind(file, target, settings)


def _work(tasks: list[_Task], settings: _Settings, most_rows: int, n_jobs: int) -> Generator[int, None, None]:
    """Score and write all files, in order. Yields the number of rows of each piece that is written."""
    held: collections.deque[tuple[_Task, Any]] = collections.deque()

    def pieces() -> Iterator[_Piece]:
        for task in tasks:
            for table, piece in task.pieces(most_rows):
                held.append((task, table))
                yield piece

    done = run_jobs(functools.partial(_score_piece, settings=settings), pieces(), n_jobs)
    with contextlib.closing(done), contextlib.ExitStack() as open_file:
        of: _Task | None = None
        for counts, doubts, scores in done:
            task, table = held.popleft()
            if task is not of:
                open_file.close()  # the file before is complete
                write: Callable[[Any, Any], None] = open_file.enter_context(task.writing())
                of = task
            write(table, scores)
            task.counts += counts
            task.doubts += doubts
            yield counts.n


def _report(tasks: list[_Task], written: list[_Task], *, has_extraction: bool) -> pd.DataFrame:
    """One row a file."""
    names = [field.name for field in dataclasses.fields(_Counts)]
    new, rows = set(written), []
    for task in tasks:
        is_new = task in new
        counts = dataclasses.asdict(task.counts) if is_new else {"n": task.n_rows}
        status = "written" if is_new else "kept"
        rows.append({"source": str(task.file.path), "destination": str(task.target), "status": status, **counts})
    table = pd.DataFrame(rows, columns=["source", "destination", "status", *names])
    table = table.astype(dict.fromkeys(names, "Int64"))
    return table if has_extraction else table.drop(columns="n_not_extracted")


# --- checks


def _find_files(
    source: Paths, destination: str | os.PathLike[str], max_record_bytes: int
) -> list[tuple[InputFile, Path]]:
    """The files to read, and where each one's scored rows go."""
    folder = _require_path(destination)
    files = find_inputs(source, max_record_bytes)
    odd = next((file.path for file in files if not is_unicode(str(file.path))), None)
    if odd is not None:
        raise ResultFileError(f"{odd}: its name is not UTF-8; rename it")
    with naming_what_is_written(folder):
        if isinstance(source, str | os.PathLike) and Path(source).is_file() and folder.suffix and not folder.is_dir():
            if folder.suffix.lower() != files[0].path.suffix.lower():
                raise ResultFileError(
                    f"destination={str(folder)!r} ends in {folder.suffix!r}, and the source in "
                    f"{files[0].path.suffix!r}; a file is written as its source is"
                )
            found = [(files[0], folder)]
        else:
            found = [(file, folder / file.below) for file in _without_own_results(files, folder)]
        _check_targets(found)
    return found


def _require_path(destination: str | os.PathLike[str]) -> Path:
    if not isinstance(destination, str | os.PathLike):
        raise UnknownOptionError(f"destination={show(destination)} is not a path; give a file or a folder")
    require_text("destination", os.fspath(destination), "give a file or a folder")
    if "\0" in str(destination):
        raise UnknownOptionError(f"destination={show(destination)} holds a null character; give a file or a folder")
    return Path(destination)


def _without_own_results(files: list[InputFile], destination: Path) -> list[InputFile]:
    """The files without those that an earlier call made of the others, where the destination is inside their folder."""
    real = real_path(destination)
    inside = {file.path for file in files if _is_inside(file, real)}
    sources = [file for file in files if file.path not in inside]
    results = {real_path(destination / file.below) for file in sources}
    foreign = [
        file for file in files if file.path in inside and not (real_path(file.path) in results and _is_made_by_us(file))
    ]
    if foreign:
        raise ResultFileError(
            f"destination: {foreign[0].path} stands below it and is no result of score_files; give a folder that holds "
            "no source"
        )
    return sources


def _is_inside(file: InputFile, destination: Path) -> bool:
    """Whether a file stands below the destination, and that inside the folder in which the file was found."""
    folder = real_path(file.path.parents[len(file.below.parts) - 1])
    return destination in real_path(file.path).parents and folder in destination.parents


def _check_targets(found: list[tuple[InputFile, Path]]) -> None:
    """Raise where a target is a source or no file, or where two files would become one."""
    sources = {_identity(file.path) for file, _ in found} - {None}
    first_of: dict[Path, Path] = {}
    for file, target in found:
        where = real_path(target)
        if _identity(target) in sources:
            raise ResultFileError(
                f"destination: {target} is a source itself, which is never changed; give another folder"
            )
        if target.exists() and not target.is_file():
            raise ResultFileError(f"destination: {target} is there and is no file; give another destination")
        if where in first_of:
            raise ResultFileError(
                f"destination: {first_of[where]} and {file.path} would both become {target}; score them in two calls"
            )
        first_of[where] = file.path


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from others, by whatever path or link; None where there is none."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino


def _check_columns(names: list[str], settings: _Settings, own: Collection[str] = ()) -> None:
    """Raise where the columns are not there, or a score would replace another column. own: those of own metrics."""
    require_column(settings.pred, names, "pred")
    require_column(settings.gold, names, "gold")
    if settings.append:
        require_no_overwrite(settings.names, pred=settings.pred, gold=settings.gold)
        require_new(settings.own, names, own)


# --- what stands at the destination


def _made_parquet(path: Path) -> tuple[ParquetInput, dict[str, Any]]:
    """What stands there, and its notes; an error where it is not ours."""
    try:
        made = ParquetInput(InputFile(path, path, "parquet", None))
        notes = _notes_of(made.own_schema)
    except QaFrameError as error:
        raise _not_ours(path) from error
    if not notes.get(NOTED):
        raise _not_ours(path)
    return made, notes


def _made_lines(path: Path) -> dict[str, Any]:
    """By which call the lines that stand there were made; an error where they are not ours."""
    note = read_note(path)
    if note is None:
        raise _not_ours(path)
    return note


def _is_made_by_us(file: InputFile) -> bool:
    try:
        return bool(_made_parquet(file.path) if file.format == "parquet" else _made_lines(file.path))
    except ResultFileError:
        return False


def _notes_of(schema: pa.Schema) -> dict[str, Any]:
    return read_source(schema.empty_table()).notes


def _notes_on(names: list[str], notes: dict[str, Any]) -> list[Any]:
    """What the notes say of each column of these names."""
    return [notes.get(NOTED, {}).get(name) for name in names]


def _is_older(target: Path, source: Path) -> bool:
    """Whether the target was made before its source."""
    return target.stat().st_mtime_ns < source.stat().st_mtime_ns


def _made_otherwise(target: Path) -> ResultFileError:
    return ResultFileError(
        f"destination: {target} is there, and this call would not make it so: its rows, columns or rules differ; give "
        "another destination, or overwrite=True to replace it"
    )


def _not_ours(target: Path) -> ResultFileError:
    return ResultFileError(
        f"destination: {target} is there, and has no note that score_files made it as it is; give another "
        "destination, or overwrite=True to replace it"
    )
