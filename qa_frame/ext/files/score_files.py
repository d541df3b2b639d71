"""`qa_frame.score_files`: files with predictions and golds → the same files with score columns."""

from __future__ import annotations

import collections
import contextlib
import functools
import itertools
import operator
import os
from collections.abc import Generator, Hashable, Iterator
from typing import Any

import pandas as pd

from qa_frame._typing import Unpack
from qa_frame.ext.files.paths import Paths
from qa_frame.ext.files.streams.destinations import find_targets
from qa_frame.ext.files.streams.inputs import count_rows
from qa_frame.ext.files.streams.scoring_tasks import COUNTS, Piece, Settings, Task, make_tasks, score_piece
from qa_frame.ext.files.streams.sidecar import note_of
from qa_frame.frames.names import require_prefix
from qa_frame.parallel.jobs import consume_with_progress, count_all_jobs, run_jobs
from qa_frame.replacement import remove_left_parts
from qa_frame.scoring.call_rules import RuleArguments, make_rules
from qa_frame.scoring.plan import Metrics, make_plan
from qa_frame.scoring.row_flag_warnings import warn_of
from qa_frame.scoring.row_flags import RowFlags
from qa_frame.tables.methods import takes_rules


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
    """Score files of any size: each is read, scored and written piece by piece, on all cores, in bounded memory.

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
        A file, a glob such as `"runs/**/*.parquet"`, a folder, or a list of these. Files are Parquet (`.parquet`) or
        JSON Lines (`.jsonl`, `.jsonl.gz`, `.jsonl.zst`).
    destination
        The file to write, if `source` is one file and this has an ending.
    pred, gold
        The columns of predictions and of golds.
    metrics
        Names of metrics, or `"all"`, as `qa_frame.score` takes them. By default those of the convention.
    stats
        Whether to add the sufficient statistics of micro F1 and corpus BLEU.
    prefix
        The text in front of the names of the new columns.
    convention, reduce, best_by, missing, extract, choices, gold_is
        The rules, as in `qa_frame.score`.
    append
        False writes the new columns alone.
    overwrite
        Whether to replace files at the destination that another call has made. A source never is.
    progress
        True shows a bar that counts rows, and False shows no bar. None: in a terminal, after two seconds.
    n_jobs
        How many worker processes score at once.

    Returns
    -------
    pandas.DataFrame
        One row per file: `source`, `destination`, `status` (`"written"`, or `"kept"` if it was complete before),
        `n_rows` (all rows), `n_missing` (null predictions) and `n_no_gold` (rows that cannot be scored).

    Raises
    ------
    ResultFileNotFoundError, ResultFileError
        If a source does not exist or cannot be read, or the destination holds a file that this call would make
        differently.
    ResultWriteError
        If a file cannot be written, as on a full disk.
    ColumnNotFoundError, ColumnTypeError
        If a file lacks a column, or the column has another type. All files are checked before anything is written.
    """
    require_prefix(prefix)
    plan = make_plan(metrics, make_rules(**rules), stats=stats)
    settings = Settings(pred, gold, plan, prefix, append)
    n_workers = 1 if plan.own else count_all_jobs(n_jobs)
    tasks = make_tasks(find_targets(source, destination), settings)
    to_do = [task for task in tasks if overwrite or not task.target.exists() or not task.is_complete()]
    n_rows, most_rows = count_rows((task.n_rows for task in to_do), n_workers)
    remove_left_parts(path for task in to_do for path in (task.target, note_of(task.target)))
    consume_with_progress(_score_and_write(to_do, settings, most_rows, n_workers), n_rows=n_rows, progress=progress)
    for task in to_do:
        task.file.content.warn_of_surrogates()
    warn_of(functools.reduce(operator.add, (task.doubts for task in to_do), RowFlags()), plan, gold=gold)
    return _table_of_files(tasks, to_do, has_extraction=bool(plan.rules.extract))


def _score_and_write(tasks: list[Task], settings: Settings, most_rows: int, n_jobs: int) -> Generator[int, None, None]:
    """Score and write all files, in order. Yield the number of rows of each piece that is written."""
    held: collections.deque[tuple[Task, Any]] = collections.deque()

    def pieces() -> Iterator[Piece]:
        for task in tasks:
            for table, piece in task.pieces(most_rows):
                held.append((task, table))
                yield piece

    done = run_jobs(functools.partial(score_piece, settings=settings), pieces(), n_jobs)
    with contextlib.closing(done):
        answers = ((*held.popleft(), *answer) for answer in done)
        for task, of_task in itertools.groupby(answers, key=operator.itemgetter(0)):
            with task.writing() as write:
                for _, table, counts, doubts, scores in of_task:
                    write(table, scores)
                    task.counts.update(counts)
                    task.doubts += doubts
                    yield counts["n_rows"]


def _table_of_files(tasks: list[Task], written: list[Task], *, has_extraction: bool) -> pd.DataFrame:
    """Return a table with one row per file."""
    new, rows = set(written), []
    for task in tasks:
        status, counts = ("written", task.counts) if task in new else ("kept", {"n_rows": task.n_rows})
        rows.append({"source": str(task.file.path), "destination": str(task.target), "status": status, **counts})
    table = pd.DataFrame(rows, columns=["source", "destination", "status", *COUNTS])
    table = table.astype(dict.fromkeys(COUNTS, "Int64"))
    return table if has_extraction else table.drop(columns="n_not_extracted")
