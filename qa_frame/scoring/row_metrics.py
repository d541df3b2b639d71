"""A metric of one's own that looks at whole rows, as a judge who needs the question, in batches of distinct rows."""

from __future__ import annotations

import concurrent.futures
import contextlib
import hashlib
import inspect
import itertools
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from qa_frame._typing import Floats
from qa_frame.checks import require_items, require_whole_number
from qa_frame.errors import PairMetricError, ScoringWarning, UnknownOptionError, plural, show, warn
from qa_frame.parallel.jobs import progress_bar
from qa_frame.replacement import replacing
from qa_frame.scoring.pair_metrics import OwnMetric, read_scores, require_own

_SECONDS_BETWEEN_WRITES = 1.0

Batch: TypeAlias = list[tuple[str, tuple[Any, ...]]]
"""Rows for one call of the function: the key of each, and its values."""

Call: TypeAlias = Callable[[Batch], "Future[Any]"]
"""Begins a call of the function with a batch. Its result is the batch's scores, or the error of the function."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RowMetric(OwnMetric):
    """A metric of your own: a function that scores rows by any of their columns, as a judge who reads the question.

    `score` takes it in `metrics`, beside the names of other metrics. Its scores become a column of its name, which is
    pooled, compared and ranked as all others. Use `PairMetric` where the prediction and one gold are enough.

    The function is called for each distinct combination of values once. A null is None. A batch for which it raises an
    error is not scored: its rows are NaN, a warning counts them, and the next call asks for them again. An error is
    raised where all batches fail.

    Parameters
    ----------
    name : str
        The name of the score column. It must not be that of another metric or of another column.
    function : callable
        Takes as many lists of the same length as there are columns, each with plain values of Python, and returns as
        many numbers: None or NaN for a row that it does not score. It may be a coroutine function (`async def`).
    columns : list of str
        The columns whose values the function gets, in this order.
    batch_size : int
        The most rows in one call of the function.
    concurrency : int
        How many calls may run at the same time: in threads, or in one event loop for a coroutine function.
    cache : path, optional
        A Parquet file that keeps the scores, by the name, the version and the values of the columns. It is made where
        it is not there, and written anew about every second, so that after a crash few calls are made twice.
    version : str, optional
        The text that stands for the function in the signature of the scores and in the cache, such as the name of the
        judge. By default the signature has a digest of the function's code, and the cache goes by the name alone.

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
        require_own(self, plural(len(columns), "list"))
        require_whole_number("RowMetric.concurrency", self.concurrency, least=1)
        if self.cache is not None and not isinstance(self.cache, str | os.PathLike):
            raise UnknownOptionError(
                f"RowMetric.cache={show(self.cache)} is neither the path of a Parquet file nor None"
            )


def score_rows(metric: RowMetric, columns: Sequence[list[Any]], *, progress: bool | None) -> Floats:
    """Return the metric's score of each row, float64 of shape (rows,), NaN where the function gives none.

    columns: the values of each of the metric's columns.
    """
    rows = list(zip(*columns, strict=True))
    keys = [_key(metric, row) for row in rows]
    known = _Cache(metric)
    asked = {key: row for key, row in zip(keys, rows, strict=True) if key not in known.scores}
    calls = [[*asked.items()][start : start + metric.batch_size] for start in range(0, len(asked), metric.batch_size)]
    failed: list[Exception] = []
    with contextlib.closing(known), progress_bar(len(asked), progress=progress) as advance:
        for batch, found in _results(metric, calls):
            if isinstance(found, Exception):
                failed.append(found)
            else:
                known.add(dict(zip([key for key, _ in batch], found.tolist(), strict=True)))
            advance(len(batch))
    if failed and len(failed) == len(calls):
        raise PairMetricError(f"{metric!r} failed for all rows: {_said(failed[0])}") from failed[0]
    scores = np.array([known.scores.get(key, np.nan) for key in keys], np.float64)
    if failed:
        n_rows = sum(key not in known.scores for key in keys)
        warn(
            f"{metric!r} failed for {n_rows} of {plural(len(rows), 'row')}, which are not scored: {_said(failed[0])}; "
            "the same call asks for them again",
            ScoringWarning,
            see="failed-rows",
        )
    return scores


def _results(metric: RowMetric, calls: Sequence[Batch]) -> Iterator[tuple[Batch, Floats | Exception]]:
    """Yield each batch with its scores, or with the error that the function raised, as the calls end."""
    is_coroutine = inspect.iscoroutinefunction(metric.function)
    if metric.concurrency == 1 and not is_coroutine:
        yield from ((batch, _attempt(metric, batch)) for batch in calls)
        return
    with (_calling_coroutines if is_coroutine else _calling_in_threads)(metric) as call:
        left = iter(calls)
        running = {call(batch): batch for batch in itertools.islice(left, metric.concurrency)}
        while running:
            for ended in concurrent.futures.wait(running, return_when="FIRST_COMPLETED").done:
                batch, found = running.pop(ended), ended.result()
                if not isinstance(found, np.ndarray | Exception):  # such as SystemExit
                    raise found
                running |= {call(following): following for following in itertools.islice(left, 1)}
                yield batch, found


@contextlib.contextmanager
def _calling_in_threads(metric: RowMetric) -> Iterator[Call]:
    with ThreadPoolExecutor(metric.concurrency) as threads:
        yield lambda batch: threads.submit(_attempt, metric, batch)


@contextlib.contextmanager
def _calling_coroutines(metric: RowMetric) -> Iterator[Call]:
    """Give what calls the function in one event loop of another thread: a notebook's own thread has one that runs."""
    import asyncio  # noqa: PLC0415  (rarely needed)

    opened: Future[tuple[Any, asyncio.Event]] = Future()

    async def stay_open() -> None:
        is_over = asyncio.Event()
        opened.set_result((asyncio.get_running_loop(), is_over))
        await is_over.wait()

    async def attempt(batch: Batch) -> Floats | BaseException:
        try:
            return _checked(metric, batch, await metric.function(*_lists(batch)))
        except BaseException as error:  # noqa: BLE001  (one such as SystemExit would end the loop)
            return error

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, stay_open())
        loop, is_over = opened.result()
        try:
            yield lambda batch: asyncio.run_coroutine_threadsafe(attempt(batch), loop)
        finally:
            loop.call_soon_threadsafe(is_over.set)


def _attempt(metric: RowMetric, batch: Batch) -> Floats | Exception:
    """Return the scores of a batch, or the error that the function raised."""
    try:
        return _checked(metric, batch, metric.function(*_lists(batch)))
    except Exception as error:  # noqa: BLE001  (it is the user's function)
        return error


def _lists(batch: Batch) -> list[list[Any]]:
    """Return the values of each column of a batch."""
    return [list(values) for values in zip(*(row for _, row in batch), strict=True)]


def _checked(metric: RowMetric, batch: Batch, found: Any) -> Floats:
    return read_scores(metric, found, [row for _, row in batch])


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, PairMetricError) else f"{type(error).__name__}: {error}"


def _key(metric: RowMetric, row: tuple[Any, ...]) -> str:
    """Return the text by which a row is known: equal for equal values, and other for another metric."""
    values = json.dumps([metric.name, metric.version, *row], default=str, sort_keys=True)
    return hashlib.sha256(values.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class _Cache:
    """The scores by key, in memory and, if the metric has a cache, in its file."""

    def __init__(self, metric: RowMetric) -> None:
        self._path = None if metric.cache is None else Path(metric.cache).expanduser()
        self.scores: dict[str, float] = {}
        import pyarrow.parquet as pq  # noqa: PLC0415  (rarely needed)

        self._parquet = pq
        if self._path is not None and self._path.exists():
            try:
                table = pq.read_table(self._path, columns=["key", "score"])
                scores = table["score"].to_numpy().astype(np.float64)
            except (pa.ArrowException, OSError, ValueError) as error:
                raise UnknownOptionError(
                    f"RowMetric.cache={show(str(self._path))} is no file of scores ({error}); name another file, or "
                    "remove this one"
                ) from error
            self.scores.update(zip(table["key"].to_pylist(), scores.tolist(), strict=True))
        self._n_written, self._written_at = len(self.scores), time.monotonic()

    def add(self, scores: Mapping[str, float]) -> None:
        """Keep these scores, and write the file about once in a second."""
        self.scores.update(scores)
        if time.monotonic() - self._written_at >= _SECONDS_BETWEEN_WRITES:
            self._write()

    def close(self) -> None:
        """Write what is not written yet."""
        if len(self.scores) > self._n_written:
            self._write()

    def _write(self) -> None:
        if self._path is not None:
            table = pa.table({"key": list(self.scores), "score": np.fromiter(self.scores.values(), np.float64)})
            with replacing(self._path) as part:
                self._parquet.write_table(table, part)
        self._n_written, self._written_at = len(self.scores), time.monotonic()
