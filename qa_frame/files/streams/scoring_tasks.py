"""The work of `score_files` on one file: pieces of it go to workers, and the scored rows into another file.

There is one class of tasks for Parquet and one for JSON lines. A worker calls `score_piece`.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from qa_frame.api.score import name_scores, score_no_rows
from qa_frame.errors import ResultFileError
from qa_frame.files.json_lines import JsonLinesInput, Lines
from qa_frame.files.open_files import naming
from qa_frame.files.parquet_files import ParquetInput
from qa_frame.files.streams.destinations import made_by, notes_of
from qa_frame.files.streams.inputs import InputFile
from qa_frame.files.streams.side_notes import write_note
from qa_frame.frames.kinds import read_source, with_attrs_for_pandas
from qa_frame.frames.text_columns import TextColumns, read_columns
from qa_frame.replacement import Replacement
from qa_frame.scoring.doubts import Doubts
from qa_frame.scoring.pipeline import score_with_doubts
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.predictions import prepare_predictions

_BYTES_A_ROW_GROUP = 128 << 20
"""The most that is gathered in memory for a row group of Parquet."""


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
        """Return the predictions and golds of a frame."""
        return read_columns(frame, pred=self.pred, gold=self.gold, labels=labels, **self.plan.reading)

    @property
    def columns(self) -> list[str]:
        """The names of the columns that are read."""
        return [str(name) for name in (self.pred, self.gold, self.plan.rules.choices) if name is not None]


COUNTS = ("n", "n_missing", "n_not_extracted", "n_no_gold")
"""The rows that are counted: all, and those without prediction, without answer in the response, and without gold."""


Piece = tuple[Path, TextColumns | Lines]
"""A file and some of its rows, for a worker."""


def score_piece(piece: Piece, settings: Settings) -> tuple[dict[str, int], Doubts, dict[str, Any] | bytes]:
    """Return the counts of a piece, its doubts, and its scores: as columns, or as lines to write. Workers call this."""
    plan = settings.plan
    path, rows = piece
    with naming(path):
        if isinstance(rows, Lines):
            records = rows.parse()
            columns = settings.read(records.frame(settings.columns), records.numbers)
        else:
            records, columns = None, rows
        columns = prepare_predictions(columns, plan)
        found, doubts = score_with_doubts(columns, plan, progress=False)
    is_scored = np.any([~np.isnan(found[name]) for name in plan.metrics], axis=0)
    n_no_gold = int(((columns.n_golds == 0) & ~is_scored).sum())
    n_not_extracted = 0 if columns.is_not_extracted is None else int(columns.is_not_extracted.sum())
    counts = dict(zip(COUNTS, (len(columns), int(columns.is_missing.sum()), n_not_extracted, n_no_gold), strict=True))
    scores = dict(zip(settings.names, found.values(), strict=True))
    return counts, doubts, scores if records is None else records.with_scores(scores, append=settings.append)


class _Task:
    """One file, and where its scored rows go. Tasks stay in the calling process.

    Attributes
    ----------
    n_rows
        The number of the file's rows; None if the file does not tell it.
    columns, notes
        What the target is to have; for JSON lines the new columns.
    counts, doubts
        The sums over the pieces that are written.
    """

    n_rows: int | None = None
    columns: list[str]
    notes: dict[str, Any]

    def __init__(self, file: InputFile, target: Path, settings: Settings) -> None:
        self.file: InputFile = file
        self.target: Path = target
        self.counts: Counter[str] = Counter(dict.fromkeys(COUNTS, 0))
        self.doubts: Doubts = Doubts()
        self._settings = settings

    def is_complete(self) -> bool:
        """Return whether the target is already as this call would write it. The target must exist.

        Raises
        ------
        ResultFileError
            If another call, or something else, has made the target.
        """
        n_rows, columns, notes = made_by(self.target, is_parquet=self.file.is_parquet)
        is_older = self.target.stat().st_mtime_ns < self.file.path.stat().st_mtime_ns
        has_rows = {*columns} <= {*self.columns} if is_older else (n_rows, columns) == (self.n_rows, self.columns)
        if notes != self.notes or not has_rows:
            raise ResultFileError(
                f"destination: {self.target} is there, and this call would not make it so: its rows, columns or rules "
                "differ; give another destination, or overwrite=True to replace it"
            )
        return not is_older

    def _score_no_rows(self, empty: pa.Table | pd.DataFrame, columns: Hashable, known: dict[Hashable, Any]) -> Any:
        """Return the scored frame without rows. Raise an error if the columns do not fit.

        columns: what tells the columns of one file from those of another. known: the results of other files, by this.
        """
        if columns not in known:
            with naming(self.file.path):
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
        self._schema = with_attrs_for_pandas(scored).schema
        self.columns, self.notes = self._schema.names, notes_of(self._schema)

    def pieces(self, most_rows: int) -> Iterator[tuple[pa.Table, Piece]]:
        """Yield tables, and the piece of each for a worker."""
        start = 0
        for table in self._input.tables(most_rows=most_rows):
            labels = pd.RangeIndex(start, start + len(table), name="row")
            with naming(self.file.path):
                columns = self._settings.read(table, labels)
            yield table, (self.file.path, columns)
            start += len(table)

    @contextlib.contextmanager
    def writing(self) -> Iterator[Callable[[pa.Table, Any], None]]:
        """Give a function that writes a table with its scores; the file is complete at the end."""
        gathered: list[pa.Table] = []

        def write(table: pa.Table, scores: dict[str, Any]) -> None:
            scored = read_source(table).with_columns(scores, append=self._settings.append)
            gathered.append(scored.replace_schema_metadata(self._schema.metadata))
            if sum(each.nbytes for each in gathered) > _BYTES_A_ROW_GROUP:
                write_gathered()

        def write_gathered() -> None:
            if gathered:
                writer.write_table(pa.concat_tables(gathered))
                gathered.clear()

        with (
            Replacement(self.target, looks_for_parts=False) as replacement,
            replacement.naming_the_file(),
            pq.ParquetWriter(replacement.stream, self._schema) as writer,
        ):
            yield write
            write_gathered()


class LinesTask(_Task):
    """A file of JSON lines, which workers parse and write again."""

    def __init__(self, file: InputFile, target: Path, settings: Settings, known: dict[Hashable, Any]) -> None:
        super().__init__(file, target, settings)
        self._input = JsonLinesInput(file.content, file.keys)
        names = self._input.names
        scored = self._score_no_rows(pd.DataFrame(columns=names), tuple(names), known)
        self.columns, self.notes = settings.names, {"append": settings.append, **scored.attrs}

    def pieces(self, most_rows: int) -> Iterator[tuple[None, Piece]]:
        """Yield pieces for workers, each a block of lines. Nothing of them stays in this process."""
        del most_rows
        for block in self._input.pieces():
            yield None, (self.file.path, block)

    @contextlib.contextmanager
    def writing(self) -> Iterator[Callable[[None, Any], None]]:
        """Give a function that writes lines; the file is complete at the end."""
        with (
            Replacement(self.target, looks_for_parts=False) as replacement,
            replacement.naming_the_file(),
            pa.output_stream(replacement.part, compression=self.file.compression) as stream,
        ):
            yield lambda _, lines: stream.write(lines)
        write_note(self.target, {"columns": self.columns, **self.notes})


Task = ParquetTask | LinesTask


def make_tasks(files: Iterable[tuple[InputFile, Path]], settings: Settings) -> list[Task]:
    """Return the tasks for files and their targets. Raise an error if the columns of a file do not fit."""
    known: dict[Hashable, Any] = {}
    return [(ParquetTask if file.is_parquet else LinesTask)(file, target, settings, known) for file, target in files]
