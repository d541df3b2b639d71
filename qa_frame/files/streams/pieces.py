"""Pieces of files: how many rows they have, and how errors in them name the file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from qa_frame.errors import QaFrameError

_FEWEST_ROWS = 2000
_PIECES_PER_JOB = 4


def rows_a_piece(n_rows: int | None, n_jobs: int) -> int:
    """Return how many rows a piece may have at most, so that there is work for all jobs. n_rows: of all files."""
    if n_rows is None or n_jobs == 1:
        return 1 << 40
    return max(_FEWEST_ROWS, -(-n_rows // (_PIECES_PER_JOB * n_jobs)))


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Put the file's name in front of an error's message."""
    try:
        yield
    except QaFrameError as error:
        if str(error.args[0]).startswith(str(path)):
            raise
        raise type(error)(f"{path}: {error}") from error
