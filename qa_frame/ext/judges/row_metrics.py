"""A metric of one's own that looks at whole rows, as a judge who needs the question, in batches of distinct rows."""

from __future__ import annotations

import concurrent.futures
import contextlib
import datetime as dt
import functools
import hashlib
import inspect
import itertools
import os
import random
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from qa_frame._typing import Floats
from qa_frame.checks import require_items, require_whole_number, text_of_path
from qa_frame.errors import (
    ColumnTypeError,
    OwnMetricError,
    ResultWriteError,
    ScoringWarning,
    UnknownOptionError,
    plural,
    warn,
)
from qa_frame.parallel.jobs import progress_bar
from qa_frame.replacement import naming_what_is_written, real_path
from qa_frame.rules.signature import digest
from qa_frame.scoring.pair_metrics import MetricOfRows, as_lists, as_own_error, call_function, check_fields, read_scores

Batch: TypeAlias = list[tuple[bytes, tuple[Any, ...]]]
"""Rows for one call of the function: the key of each, and its values."""

Call: TypeAlias = Callable[[Batch], "Future[Any]"]
"""Begins a call of the function with a batch. Its result is the batch's scores, or the error of the function."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RowMetric(MetricOfRows):
    """A metric of your own: a function that scores rows by any of their columns, as a judge who reads the question.

    `score` takes it in `metrics`, beside the names of other metrics. Its scores become a column of its name, which is
    pooled, compared and ranked as all others. Use `PairMetric` where the prediction and one gold are enough.

    The function is called for each distinct combination of values once. It gets the columns as they stand in the frame,
    before `extract`. A null is None, also inside a list of golds, and `missing` has no effect but with
    "raise". A batch for which it raises an error is not scored: its rows are NaN, a warning counts them, and the next
    call asks for them again. An error is raised where the function fails for all rows, and no score is known.

    Parameters
    ----------
    name : str
        Name of the score column. It must not be that of another metric or of another column.
    function : callable
        Takes as many lists of the same length as there are columns, each with plain values of Python, and returns as
        many numbers: None or NaN for a row that it does not score. It may be a coroutine function (`async def`). A
        function of one row is given as `lambda *lists: [None if None in row else one(*row) for row in zip(*lists)]`,
        which scores no row with a null, and `batch_size=1`: else its error discards the scores of a whole batch. The
        page "RAG: contexts, faithfulness, a judge of your own" has lines that count null responses as wrong, as other
        metrics do.
    columns : list of str
        Columns whose values the function gets, in this order.
    batch_size : int
        Largest number of rows in one call of the function.
    concurrency : int
        Number of calls that may run at the same time: in threads, or in one event loop for a coroutine function.
    cache : path, optional
        File that keeps the scores, by the name, the version and the values of the columns. It is made where it is not
        there, and has the format of SQLite. Scores are written after each call of the function, so that no call that
        has ended is made again after a crash. Several threads, processes and metrics may use one file at the same time:
        each takes the scores that the others have written. Of two that score a row at the same moment, both call the
        function, and the score that is written first counts.
    version : str, optional
        Text that stands for the function in the signature of the scores and in the cache, such as the name of the
        judge. By default the signature has a digest of the function's code, and the cache goes by the name alone: a
        warning says where other code of the function has made the scores.

    Raises
    ------
    UnknownOptionError
        If the name is that of a metric or a column of `summary`, or a value is not one of those allowed.

    See Also
    --------
    PairMetric : A metric of predictions and golds.

    Examples
    --------
    Is each number of the response in its contexts? A judge by a model takes the same lists:

    >>> import pandas as pd, qa_frame
    >>> def supported(responses, contexts):
    ...     pairs = zip(responses, contexts)
    ...     return [all(word in " ".join(found) for word in text.split() if word.isdigit()) for text, found in pairs]
    >>> faithful = qa_frame.RowMetric("faithful", supported, columns=["response", "contexts"])
    >>> df = pd.DataFrame({"response": ["In 1889", "In 1900"], "answers": ["1889", "1889"]})
    >>> df["contexts"] = [["It was opened in 1889."]] * 2
    >>> df.qa.score("response", "answers", metrics=["f1", faithful], append=False).round(3)
        f1  faithful
    0  0.667       1.0
    1  0.000       0.0
    """

    name: str
    function: Callable[..., Any]
    columns: Sequence[str]
    batch_size: int = 32
    concurrency: int = 1
    cache: str | os.PathLike[str] | None = None
    version: str | None = None

    def __post_init__(self) -> None:
        columns = require_items("RowMetric.columns", self.columns, "a list of names of columns")
        if not columns:
            raise UnknownOptionError("RowMetric.columns=[] names no column; give the names, as ['question']")
        object.__setattr__(self, "columns", columns)
        check_fields(self, plural(len(columns), "list"))
        require_whole_number("RowMetric.concurrency", self.concurrency, least=1)
        if self.cache is not None and not text_of_path("RowMetric.cache", self.cache, "give that of a file, or None"):
            raise UnknownOptionError("RowMetric.cache='' is an empty path; give that of a file, or None")

    def _score_rows(self, columns: Sequence[list[Any]], *, progress: bool | None) -> Floats:
        """Return the score of each row, float64 of shape (rows,), NaN for none. columns: the values of each column.

        Warn of batches that failed, whose rows are NaN; OwnMetricError where all failed, and no score is known.
        """
        rows = list(zip(*columns, strict=True))
        keys = _make_keys(self, rows)
        failed: list[Exception] = []
        with contextlib.closing(_Known(self)) as known:
            known.read(keys)
            if n_others := sum(key in known.of_other_code for key in keys):
                warn(
                    f"{self!r} takes the scores of {n_others} of {plural(len(rows), 'row')} from its cache, and the "
                    "code of its function has changed since; give a `version`, or another `cache`, to score them anew",
                    ScoringWarning,
                )
            left = [(key, row) for key, row in dict(zip(keys, rows, strict=True)).items() if key not in known.scores]
            with progress_bar(len(left), progress=progress) as advance:
                for batch, outcome in _score_batches(self, _take_batches(self, left, known, advance)):
                    advance(len(batch))
                    if isinstance(outcome, Exception):
                        failed.append(outcome)
                    elif known.add(dict(zip([key for key, _ in batch], outcome.tolist(), strict=True))):
                        random.shuffle(left)  # another run asks for the same rows: in another order, both share them
        if failed and not known.scores:
            raise OwnMetricError(f"{self!r} failed for all rows: {failed[0]}") from (failed[0].__cause__ or failed[0])
        scores = np.array([known.scores.get(key, np.nan) for key in keys], np.float64)
        if failed:
            n_rows = sum(key not in known.scores for key in keys)
            alone = "; with batch_size=1 an error leaves out its own row alone" if self.batch_size > 1 else ""
            warn(
                f"{self!r} failed for {n_rows} of {plural(len(rows), 'row')}, which are not scored. The first error: "
                f"{failed[0]}; the same call asks for these rows again{alone}",
                ScoringWarning,
                see="failed-rows",
            )
        return scores


def _take_batches(metric: RowMetric, left: Batch, known: _Known, advance: Callable[[int], object]) -> Iterator[Batch]:
    """Yield batches of the rows that are left, without those that another run has scored in the meantime.

    left: the rows, which are taken out of it. advance: moves a progress bar on by so many rows.
    """
    left.reverse()  # the first one is taken from the end
    while left:
        taken = [left.pop() for _ in range(min(metric.batch_size, len(left)))]
        known.read([key for key, _ in taken])
        batch = [(key, row) for key, row in taken if key not in known.scores]
        advance(len(taken) - len(batch))
        if batch:
            yield batch


def _score_batches(metric: RowMetric, batches: Iterator[Batch]) -> Iterator[tuple[Batch, Floats | Exception]]:
    """Yield each batch with its scores, or with the error that the function raised, as the calls end."""
    is_coroutine = inspect.iscoroutinefunction(metric.function)
    if metric.concurrency == 1 and not is_coroutine:
        yield from ((batch, call_function(metric, _rows(batch))) for batch in batches)
        return
    with (_calling_coroutines if is_coroutine else _calling_in_threads)(metric) as call:
        running = {call(batch): batch for batch in itertools.islice(batches, metric.concurrency)}
        while running:
            for ended in concurrent.futures.wait(running, return_when="FIRST_COMPLETED").done:
                batch, scores = running.pop(ended), ended.result()
                if not isinstance(scores, np.ndarray | Exception):  # such as SystemExit
                    raise scores
                running |= {call(following): following for following in itertools.islice(batches, 1)}
                yield batch, scores


@contextlib.contextmanager
def _calling_in_threads(metric: RowMetric) -> Iterator[Call]:
    """Yield the function that begins calls in threads (see `Call`), as many as `concurrency` says."""
    with ThreadPoolExecutor(metric.concurrency) as threads:
        yield lambda batch: threads.submit(call_function, metric, _rows(batch))


@contextlib.contextmanager
def _calling_coroutines(metric: RowMetric) -> Iterator[Call]:
    """Yield the function that begins calls (see `Call`) in one event loop, which runs in another thread.

    A notebook's own thread has an event loop that runs.
    """
    import asyncio  # noqa: PLC0415  (rarely needed)

    opened: Future[tuple[Any, asyncio.Event]] = Future()

    async def stay_open() -> None:
        """Keep the event loop running until the event that it hands to `opened` is set."""
        is_over = asyncio.Event()
        opened.set_result((asyncio.get_running_loop(), is_over))
        await is_over.wait()

    async def attempt(rows: Sequence[tuple[Any, ...]]) -> Floats | BaseException:
        """Return the scores of rows, or the error of the user's function."""
        try:
            return read_scores(metric, await metric.function(*as_lists(rows)), rows)
        except Exception as error:  # noqa: BLE001  (it is the user's function)
            return as_own_error(metric, error, rows)
        except BaseException as error:  # noqa: BLE001  (one such as SystemExit would end the loop)
            return error

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, stay_open())
        loop, is_over = opened.result()
        try:
            yield lambda batch: asyncio.run_coroutine_threadsafe(attempt(_rows(batch)), loop)
        finally:
            loop.call_soon_threadsafe(is_over.set)


def _rows(batch: Batch) -> list[tuple[Any, ...]]:
    """Return the rows of a batch without their keys."""
    return [row for _, row in batch]


# --- keys


def _make_keys(metric: RowMetric, rows: Sequence[tuple[Any, ...]]) -> list[bytes]:
    """Return the key of each row: equal for equal values of one type, and another one for another metric or version.

    Lists and tuples are one type. Without a cache, a value that is no text, number, date, list or dict is equal to
    itself alone; with one, it raises. ColumnTypeError for the first row that has a value which cannot be part of a key.
    """
    keys = []
    for place, row in enumerate(rows):
        try:
            text = _as_text([metric.name, metric.version, *row], is_kept=metric.cache is not None)
        except (TypeError, ValueError, RecursionError) as error:
            why = str(error).partition(";")[0]  # without Python's own advice
            raise ColumnTypeError(
                f"RowMetric.columns={[*metric.columns]}: the row at position {place} holds a value by which no score "
                f"can be kept ({type(error).__name__}: {why}); put a text in its place, or lists and dicts of texts, "
                "numbers and dates, where the keys of a dict are of one type"
            ) from error
        keys.append(hashlib.sha256(text.encode()).digest()[:16])
    return keys


_SCALARS = (Decimal, dt.datetime, dt.date, dt.time, dt.timedelta, uuid.UUID)


def _as_text(value: Any, *, is_kept: bool) -> str:
    """Return a text in ASCII that is the same for equal values of one type alone. Lists and tuples are one type.

    is_kept: whether it must be the same in other processes. Then a value that is no text, number, date, list or dict
    raises TypeError; else it is known by its identity.
    """
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, str | bytes):
        return ascii(value)
    if isinstance(value, list | tuple):
        return f"[{','.join([_as_text(each, is_kept=is_kept) for each in value])}]"
    if isinstance(value, dict):
        items = [(_as_text(key, is_kept=is_kept), value[key]) for key in sorted(value)]
        return f"{{{','.join([f'{key}:{_as_text(each, is_kept=is_kept)}' for key, each in items])}}}"
    kind = next((each for each in _SCALARS if isinstance(value, each)), None)
    if kind is not None:
        return f"{kind.__name__}({str(value)!a})"
    if is_kept:
        raise TypeError(f"{type(value).__name__} is neither text nor a number")
    return f"object({id(value)})"


# --- known scores


class _Known:
    """The scores by key, in memory and, if the metric has a cache, in its file.

    of_other_code: the keys of the scores that were made by other code of the function.
    """

    def __init__(self, metric: RowMetric) -> None:
        self.scores: dict[bytes, float] = {}
        self.of_other_code: set[bytes] = set()
        self._code = None if metric.version is not None else _code_of(metric.function)
        self._cache = None if metric.cache is None else _Cache(Path(metric.cache).expanduser())

    def read(self, keys: Sequence[bytes]) -> None:
        """Read from the file the scores that it has of these keys."""
        for key, score, code in () if self._cache is None else self._cache.read(keys):
            self.scores[key] = np.nan if score is None else score
            if _is_other_code(code, self._code):
                self.of_other_code.add(key)

    def add(self, scores: Mapping[bytes, float]) -> bool:
        """Keep these scores. Return whether another run has kept one of them first, which then holds here, too."""
        self.scores.update(scores)
        if self._cache is None or self._cache.add(scores, self._code) == len(scores):
            return False
        self.read([*scores])
        return True

    def close(self) -> None:
        """Close the file."""
        if self._cache is not None:
            self._cache.close()


def _code_of(function: Any) -> str | None:
    """Return the version of Python and a digest of a function's code, without what it captures; None for no code."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    return None if code is None else f"{sys.implementation.cache_tag} {digest(code)}"


def _is_other_code(code: str | None, own: str | None) -> bool:
    """Return whether two codes of `_code_of` differ; False where one is None or of another version of Python."""
    return None not in {code, own} and code != own and str(code).split()[0] == str(own).split()[0]


_TABLE = (
    "CREATE TABLE qa_frame_scores (key BLOB PRIMARY KEY, "
    "score REAL CHECK (typeof(score) IN ('real', 'null')), code TEXT) WITHOUT ROWID"
)
_KEYS_AT_ONCE = 500
_SELECT = "SELECT key, score, code FROM qa_frame_scores WHERE key IN (" + ",".join("?" * _KEYS_AT_ONCE) + ")"  # noqa: S608
_SECONDS_OF_WAITING = 60.0
"""So long a run waits for another one, which holds the file for the moment of a write."""


class _Cache:
    """A file of scores by key in SQLite's format. Any number of threads and processes may read and add at once."""

    def __init__(self, path: Path) -> None:
        import sqlite3  # noqa: PLC0415  (rarely needed)

        self._path, self._sqlite3 = path, sqlite3
        with self._translated_errors():
            file = real_path(path)  # which SQLite would not resolve alike
            if file.exists() and not file.is_file():
                raise self._error_of_cache("it is no file")
            file.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(file, timeout=_SECONDS_OF_WAITING, isolation_level=None)
            try:
                self._require_own()
            except BaseException:
                self._file.close()
                raise

    def _require_own(self) -> None:
        """Make the table in a new file. Raise UnknownOptionError for another kind of file, or a damaged one.

        ResultWriteError where it cannot be written.
        """
        with self._file:
            self._file.execute("BEGIN IMMEDIATE")
            tables = [sql for (sql,) in self._file.execute("SELECT sql FROM sqlite_master")]
            if not tables:
                self._file.execute(_TABLE)
            elif tables != [_TABLE]:
                raise self._error_of_cache("it holds other tables")
            state = self._file.execute("PRAGMA quick_check(1)").fetchone()[0]
            if state != "ok":
                raise self._error_of_cache(f"it is damaged: {state}")
            self._file.execute("PRAGMA user_version = 1")  # a write that fails where later ones would

    def read(self, keys: Sequence[bytes]) -> list[tuple[bytes, float | None, str | None]]:
        """Return of these keys those that are in the file, each with its score and the code that made it.

        A score is None for a row that the function did not score. A code is None where it is not known.
        """
        rows: list[tuple[bytes, float | None, str | None]] = []
        keys = sorted(keys)  # near each other in the file
        with self._translated_errors():
            for start in range(0, len(keys), _KEYS_AT_ONCE):
                some = keys[start : start + _KEYS_AT_ONCE]
                rows += self._file.execute(_SELECT, [*some, *[None] * (_KEYS_AT_ONCE - len(some))])
        return rows

    def add(self, scores: Mapping[bytes, float], code: str | None) -> int:
        """Keep the scores of those keys that have none, with the code that made them. Return how many were kept."""
        rows = [(key, score, code) for key, score in scores.items()]
        before = self._file.total_changes
        with self._translated_errors(), self._file:
            self._file.execute("BEGIN IMMEDIATE")
            self._file.executemany("INSERT OR IGNORE INTO qa_frame_scores VALUES (?, ?, ?)", rows)
        return self._file.total_changes - before

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @contextlib.contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Turn errors of SQLite and of the system into errors of this package that name the file."""
        remedy = "name another file as RowMetric.cache; the scores in this one are kept"
        with naming_what_is_written(self._path, remedy):
            try:
                yield
            except self._sqlite3.OperationalError as error:  # such as a full disk
                if "locked" in str(error):
                    finding = f"{self._path} is locked: another process has held it for {_SECONDS_OF_WAITING:g} seconds"
                    wait = "wait until that has ended, or give each run a file of its own as RowMetric.cache"
                    raise ResultWriteError.of("", finding, wait) from error
                raise ResultWriteError(f"{self._path} cannot be written: {error}; {remedy}") from error
            except self._sqlite3.DatabaseError as error:
                raise self._error_of_cache(str(error)) from error

    def _error_of_cache(self, why: str) -> UnknownOptionError:
        """Return the error for a file that is no cache."""
        return UnknownOptionError(
            f"RowMetric.cache={str(self._path)!r} is no cache of a RowMetric ({why}); it is left as it is: name "
            "another file"
        )
