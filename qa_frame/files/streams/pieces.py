"""Pieces of files: how many rows they have, and how errors in them name the file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa

from qa_frame.errors import QaFrameError

ROWS_DECODED_AT_ONCE = 256
"""Rows of Parquet or Arrow: so few that memory holds them, whatever they are decoded to.

A long text that many rows repeat takes next to nothing in such a file, and its length in each row when it is read.
"""

_FEWEST_ROWS = 2000
_PIECES_PER_JOB = 4


def rows_a_piece(n_rows: int | None, n_jobs: int) -> int:
    """Return how many rows a piece may have at most, so that there is work for all jobs. n_rows: of all files."""
    if n_rows is None or n_jobs == 1:
        return 1 << 40
    return max(_FEWEST_ROWS, -(-n_rows // (_PIECES_PER_JOB * n_jobs)))


def gathered(batches: Iterable[pa.RecordBatch], *, most_rows: int, most_bytes: int) -> Iterator[list[pa.RecordBatch]]:
    """Yield batches that follow each other, as many at a time as have these rows and bytes, and at least one."""
    held: list[pa.RecordBatch] = []
    n_rows = n_bytes = 0
    for batch in batches:
        if held and (n_rows + len(batch) > most_rows or n_bytes + batch.nbytes > most_bytes):
            yield held
            held, n_rows, n_bytes = [], 0, 0
        held.append(batch)
        n_rows += len(batch)
        n_bytes += batch.nbytes
    if held:
        yield held


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Put the file's name in front of an error's message."""
    try:
        yield
    except QaFrameError as error:
        if str(error.args[0]).startswith(str(path)):
            raise
        raise type(error)(f"{path}: {error}") from error
