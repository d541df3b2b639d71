"""`qa_frame.score_files`: files with predictions and golds → the same files with score columns."""

from __future__ import annotations

import collections
import contextlib
import functools
import itertools
import json
import operator
import os
from collections import Counter
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from qa_frame._typing import Unpack
from qa_frame.ext.files.inputs import InputFile, plan_chunks
from qa_frame.ext.files.json_lines import JsonLinesInput, LineBlock
from qa_frame.ext.files.open_files import errors_naming_file
from qa_frame.ext.files.outputs import (
    SOURCE,
    error_of_differing_target,
    find_targets,
    note_path,
    notes_of,
    open_scored_parquet,
    parquet_output,
    plain_fields,
    require_note,
    stamp_of,
    write_note,
)
from qa_frame.ext.files.parquet_files import ParquetInput
from qa_frame.ext.files.paths import Paths
from qa_frame.frames.names import require_prefix
from qa_frame.frames.row_rules import RULES_LABEL
from qa_frame.frames.scoring_metadata import origins
from qa_frame.frames.source import PANDAS_KEY, pandas_attrs, read_source
from qa_frame.frames.source import notes_of as notes_of_frame
from qa_frame.frames.text_columns import TextColumns, read_columns
from qa_frame.parallel.jobs import consume_with_progress, count_all_jobs, run_jobs
from qa_frame.replacement import Replacement, remove_left_parts
from qa_frame.scoring.call_rules import RuleArguments, make_rules
from qa_frame.scoring.pipeline import score_and_count
from qa_frame.scoring.plan import Metrics, Plan, make_plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.scoring.row_flag_warnings import warn_of_counts
from qa_frame.scoring.row_flags import Codes, RowFlags
from qa_frame.tables.methods import takes_rules
from qa_frame.tables.score import make_qa_columns, name_scores, note_plan, other_scores, score_no_rows


@takes_rules(after="metrics")
def score_files(
    source: Paths,
    destination: str | os.PathLike[str],
    *,
    pred: Hashable,
    gold: Hashable,
    metrics: Metrics = None,
    stats: bool = False,
    prefix: str = "",
    append: bool = True,
    overwrite: bool = False,
    progress: bool | None = None,
    n_jobs: int | None = None,
    **rules: Unpack[RuleArguments],
) -> pd.DataFrame:
    """Score files of any size: each is read, scored and written in chunks, on all cores, in bounded memory.

    A file appears under its name when it is complete. A run that was stopped leaves the files that it has completed;
    the same call again keeps these and does the rest.

    Examples
    --------
    >>> import pathlib, tempfile, qa_frame
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = qa_frame.sample().to_parquet(pathlib.Path(folder, "run.parquet"))
    ...     done = qa_frame.score_files(f"{folder}/*.parquet", f"{folder}/scored", pred="response", gold="answers")
    >>> done[["status", "n_rows", "n_missing", "n_no_gold"]]
        status  n_rows  n_missing  n_no_gold
    0  written     360          8         15

    Parameters
    ----------
    source
        File(s) to score: a path, a pattern such as `"runs/**/*.parquet"`, a folder, or a list of these. They are
        Parquet (`.parquet`) or JSON Lines (`.jsonl`, `.jsonl.gz`, `.jsonl.zst`).
    destination
        Folder to write to. Each file keeps its name, its format and its subfolder, as in `scored/a/run.parquet`. If
        `source` is one file, the path of a file with the same ending is allowed, too.
    pred
        Column of predictions.
    gold
        Column of golds.
    metrics
        Metric(s) to compute: names from `qa_frame.metrics`, `"math_verify"`, `PairMetric`, or `"all"`. None takes the
        convention's default metrics.
    stats
        Whether to add the columns of counts from which `summary_files` makes `corpus_bleu`, `f1_micro` and other pooled
        figures.
    prefix
        Text in front of the names of the new columns.
    {arguments}
    append
        Whether to keep the columns of the files. False writes the score columns and counts alone, without `qa_rules`
        and `qa_flags`.
    overwrite
        Whether to write all files again, also those of another call. False keeps the files that the same call completed
        before, unless their source has changed since; a file that another call wrote is then an error. A source is
        never replaced.
    progress
        Whether to show a progress bar that counts rows. None shows one in a terminal, after two seconds.
    n_jobs
        Number of worker processes, as in joblib; -1 is one per processor. None does the same if joblib is installed.

    Returns
    -------
    pandas.DataFrame
        One row per file: `source`, `destination`, `status` (`"written"`, or `"kept"` if it was complete before),
        `n_rows` (all rows), `n_missing` (null predictions) and `n_no_gold` (rows without a gold). Of a kept file, the
        last two are null; of kept JSON Lines, `n_rows`, too.

    Raises
    ------
    ResultFileNotFoundError, ResultFileError
        If a source does not exist or cannot be read, a folder has no files to score, or the destination holds a file
        that this call would make differently.
    ResultWriteError
        If a file cannot be written, as on a full disk.
    ColumnNotFoundError, ColumnTypeError
        If a file lacks a column, or the column has another type. An empty `.jsonl` has no columns; a Parquet file of 0
        rows has them, and is written. All files are checked before anything is written.

    Warns
    -----
    ResultFileWarning
        If the destination stands inside the folder of the sources, or texts had lone surrogates.
    """
    require_prefix(prefix)
    plan = make_plan(metrics, make_rules(**rules), stats=stats)
    settings = Settings(pred, gold, plan, prefix, append)
    n_workers = 1 if plan.own else count_all_jobs(n_jobs)
    tasks = make_tasks(find_targets(source, destination), settings)
    to_do = [task for task in tasks if overwrite or not task.target.exists() or not task.is_complete()]
    n_rows, most_rows = plan_chunks((task.n_rows for task in to_do), n_workers)
    remove_left_parts(path for task in to_do for path in (task.target, note_path(task.target)))
    consume_with_progress(_score_and_write(to_do, settings, most_rows, n_workers), n_rows=n_rows, progress=progress)
    for task in to_do:
        task.file.content.warn_of_surrogates()
    warn_of_counts(functools.reduce(operator.add, (task.flags for task in to_do), RowFlags()), plan, gold=gold)
    return _table_of_files(tasks, to_do, has_extraction=bool(plan.rules.extract))


def _score_and_write(tasks: list[Task], settings: Settings, most_rows: int, n_jobs: int) -> Generator[int, None, None]:
    """Score and write all files, in order. Yield the number of rows of each chunk that is written."""
    sent: collections.deque[tuple[Task, Any]] = collections.deque()

    def chunks() -> Iterator[Chunk]:
        for task in tasks:
            for table, chunk in task.chunks(most_rows):
                sent.append((task, table))
                yield chunk

    done = run_jobs(functools.partial(score_chunk, settings=settings), chunks(), n_jobs)
    with contextlib.closing(done):
        answers = ((*sent.popleft(), *answer) for answer in done)
        for task, of_task in itertools.groupby(answers, key=operator.itemgetter(0)):
            with task.writing() as write:
                for _, table, counts, flags, scores in of_task:
                    write(table, scores)
                    task.counts.update(counts)
                    task.flags += flags
                    yield counts["n_rows"]


def _table_of_files(tasks: list[Task], written: list[Task], *, has_extraction: bool) -> pd.DataFrame:
    """Return one row per file: source, destination, status and counts.

    written: the tasks whose files this call wrote; the files of other tasks have null counts except `n_rows`.
    has_extraction: whether the table has the column `n_not_extracted`.
    """
    new, rows = set(written), []
    for task in tasks:
        status, counts = ("written", task.counts) if task in new else ("kept", {"n_rows": task.n_rows})
        rows.append({"source": str(task.file.path), "destination": str(task.target), "status": status, **counts})
    table = pd.DataFrame(rows, columns=["source", "destination", "status", *COUNTS])
    table = table.astype(dict.fromkeys(COUNTS, "Int64"))
    return table if has_extraction else table.drop(columns="n_not_extracted")


# --- the work on one file: chunks of it go to workers, which call `score_chunk`, and the scored rows into another file


@dataclass(frozen=True, slots=True)
class Settings:
    """How all files are scored."""

    pred: Hashable
    gold: Hashable
    plan: Plan
    prefix: str
    append: bool

    @property
    def names(self) -> list[str]:
        """The names of the new columns."""
        return name_scores(self.plan, self.prefix)

    def score_no_rows(self, empty: pa.Table | pd.DataFrame) -> Any:
        """Return the frame without rows with the new columns. Raise an error if its columns do not fit."""
        return score_no_rows(self.plan, empty, pred=self.pred, gold=self.gold, prefix=self.prefix, append=self.append)

    def read(self, frame: pa.Table | pd.DataFrame, labels: pd.Index) -> TextColumns:
        """Return the predictions and golds of a frame. labels: how errors name its rows, if the frame is a table."""
        return read_columns(frame, pred=self.pred, gold=self.gold, labels=labels, **self.plan.reading_arguments)

    def make_qa_columns(self, frame: pa.Table | pd.DataFrame, codes: Codes, others: Sequence[str]) -> dict[str, Any]:
        """Return the columns of rules and flags of scored rows, by name; {} without `append`.

        frame: the rows, with their earlier column of rules if there is one. codes: the flags of each row. others: the
        names of all columns of the file.
        """
        if not self.append:
            return {}
        notes = note_plan(self.plan, {}, pred=self.pred, gold=self.gold, prefix=self.prefix)
        kept = other_scores(others, {}, self.names, self.prefix)
        return make_qa_columns(frame, notes, self.names, codes, prefix=self.prefix, kept=kept)

    @property
    def columns(self) -> list[str]:
        """The names of the columns that are read."""
        return [str(name) for name in (self.pred, self.gold, self.plan.rules.choices) if name is not None]


COUNTS = ("n_rows", "n_missing", "n_not_extracted", "n_no_gold")
"""The rows that are counted: all, and those without prediction, without answer in the response, and without gold."""


Chunk = tuple[Path, TextColumns | LineBlock]
"""A file and some of its rows, for a worker."""


Scored = tuple[dict[str, Any], Codes]
"""The columns of scores of some rows, and the flags of these rows."""


def score_chunk(chunk: Chunk, settings: Settings) -> tuple[dict[str, int], RowFlags, Scored | bytes]:
    """Return the counts of a chunk, the counts of its flags, and its scores. Workers call this.

    The counts are those that `COUNTS` names. The scores of a table are its new columns and the flags of its rows; those
    of JSON lines are the lines to write, as bytes.
    """
    plan = settings.plan
    path, rows = chunk
    with errors_naming_file(path):
        if isinstance(rows, LineBlock):
            records = rows.parse()
            columns = settings.read(records.frame(settings.columns), records.numbers)
        else:
            records, columns = None, rows
        columns = prepare_predictions(columns, plan)
        made, flags, flag_codes = score_and_count(columns, plan, progress=False)
    n_no_gold = int(columns.lack_gold(no_answer=plan.convention.no_answer).sum())
    n_not_extracted = 0 if columns.is_not_extracted is None else int(columns.is_not_extracted.sum())
    counts = dict(zip(COUNTS, (len(columns), int(columns.is_missing.sum()), n_not_extracted, n_no_gold), strict=True))
    scores = dict(zip(settings.names, made.values(), strict=True))
    if records is None:
        return counts, flags, (scores, flag_codes)
    others = {name: None for each in records.objects for name in each}
    scores = settings.make_qa_columns(records.frame([settings.prefix + RULES_LABEL]), flag_codes, [*others]) | scores
    return counts, flags, records.with_scores(scores, append=settings.append)


class _Task:
    """The scoring of one file into its target. Tasks stay in the calling process.

    Attributes
    ----------
    n_rows
        The number of the file's rows; None if the file does not tell it.
    counts, flags
        The sums over the chunks that are written.
    """

    n_rows: int | None = None

    def __init__(self, file: InputFile, target: Path, settings: Settings) -> None:
        self.file: InputFile = file
        self.target: Path = target
        self.counts: Counter[str] = Counter(dict.fromkeys(COUNTS, 0))
        self.flags: RowFlags = RowFlags()
        self._settings = settings

    def _score_no_rows(self, empty: Any, columns: Hashable, known: dict[Hashable, Any]) -> Any:
        """Return the scored frame without rows. Raise an error if the columns do not fit.

        columns: what tells the columns of one file from those of another. known: the results by `columns`, to which a
        new one is added.
        """
        if columns not in known:
            with errors_naming_file(self.file.path):
                known[columns] = self._settings.score_no_rows(empty)
        return known[columns]


class ParquetTask(_Task):
    """A Parquet file, whose tables stay in this process; workers get the columns that are scored."""

    def __init__(self, file: InputFile, target: Path, settings: Settings, known: dict[Hashable, Any]) -> None:
        super().__init__(file, target, settings)
        self._input = ParquetInput(file.content)
        self.n_rows: int | None = self._input.n_rows
        schema = self._input.own_schema
        scored = self._score_no_rows(schema.empty_table(), schema.serialize().to_pybytes(), known)
        noted = with_attrs_for_pandas(scored).schema
        self._schema = noted.with_metadata({**noted.metadata, SOURCE: stamp_of(file.path)})

    def is_complete(self) -> bool:
        """Return whether the target is already as this call would write it. The target must exist.

        False if the same call has made the target before, and the source was changed since.

        Raises
        ------
        ResultFileError
            If another call, or something else, has made the target.
        """
        made, notes = open_scored_parquet(self.target)
        wanted = notes_of(self._schema)
        own, new = ([origins(each).get(name) for name in self._settings.names] for each in (notes, wanted))
        is_by_these_rules = own == new and set(made.own_schema.names) <= set(self._schema.names)
        stamps = [each.metadata.get(SOURCE.encode()) for each in (made.own_schema, self._schema)]
        if is_by_these_rules and stamps[0] != stamps[1]:
            return False
        if made.n_rows != self.n_rows or plain_fields(made.own_schema) != plain_fields(self._schema) or notes != wanted:
            raise error_of_differing_target(self.target)
        return True

    def chunks(self, most_rows: int) -> Iterator[tuple[pa.Table, Chunk]]:
        """Yield each table of the file, and the chunk of it that a worker scores."""
        start = 0
        for table in self._input.tables(most_rows=most_rows):
            labels = pd.RangeIndex(start, start + len(table), name="row")
            with errors_naming_file(self.file.path):
                columns = self._settings.read(table, labels)
            yield table, (self.file.path, columns)
            start += len(table)

    @contextlib.contextmanager
    def writing(self) -> Iterator[Callable[[pa.Table, Any], None]]:
        """Yield a function that writes a table with its scores; the file is complete at the end."""

        def write(table: pa.Table, scored_columns: Scored) -> None:
            scores, flag_codes = scored_columns
            scores = self._settings.make_qa_columns(table, flag_codes, table.column_names) | scores
            scored = read_source(table).with_columns(scores, append=self._settings.append)
            write_table(scored.replace_schema_metadata(self._schema.metadata))

        with (
            Replacement(self.target, looks_for_parts=False) as replacement,
            parquet_output(replacement, like=self._input.metadata, schema=self._schema) as write_table,
        ):
            yield write


class LinesTask(_Task):
    """A file of JSON lines, which workers parse and write again."""

    def __init__(self, file: InputFile, target: Path, settings: Settings, known: dict[Hashable, Any]) -> None:
        super().__init__(file, target, settings)
        self._input = JsonLinesInput(file.content, file.keys)
        names = self._input.names
        scored = self._score_no_rows(pd.DataFrame(columns=names), tuple(names), known)
        self._note = {"columns": settings.names, "append": settings.append, **scored.attrs}
        self._note[SOURCE] = stamp_of(file.path)

    def is_complete(self) -> bool:
        """Return whether the target is already as this call would write it. The target must exist.

        False if the same call has made the target before, and the source was changed since.

        Raises
        ------
        ResultFileError
            If another call, or something else, has made the target.
        """
        made = require_note(self.target)
        if {**made, SOURCE: ""} != {**self._note, SOURCE: ""}:
            raise error_of_differing_target(self.target)
        return bool(made.get(SOURCE) == self._note[SOURCE])

    def chunks(self, most_rows: int) -> Iterator[tuple[None, Chunk]]:
        """Yield None and a block of lines for a worker. The size of blocks does not follow `most_rows`."""
        del most_rows
        for block in self._input.chunks():
            yield None, (self.file.path, block)

    @contextlib.contextmanager
    def writing(self) -> Iterator[Callable[[None, Any], None]]:
        """Yield a function of None and some lines that writes these; the file is complete at the end."""
        with Replacement(self.target, looks_for_parts=False) as replacement, replacement.naming_the_file():
            with pa.output_stream(replacement.part, compression=self.file.compression) as stream:
                yield lambda _, lines: stream.write(lines)
            write_note(self.target, self._note, replacement.part)


Task = ParquetTask | LinesTask


def make_tasks(files: Iterable[tuple[InputFile, Path]], settings: Settings) -> list[Task]:
    """Return one task per file. Raise an error if the columns of a file do not fit the settings."""
    known: dict[Hashable, Any] = {}
    return [(ParquetTask if file.is_parquet else LinesTask)(file, target, settings, known) for file, target in files]


def with_attrs_for_pandas(table: pa.Table) -> pa.Table:
    """Return the table with its notes in the metadata that pandas reads as the `attrs` of a frame."""
    metadata = dict(table.schema.metadata or {})
    attrs = {**pandas_attrs(metadata), **notes_of_frame(table)}
    return table.replace_schema_metadata({**metadata, PANDAS_KEY: json.dumps(attrs).encode()})
