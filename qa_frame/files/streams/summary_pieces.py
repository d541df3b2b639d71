"""The work of `summary_files` on one file: pieces of it go to workers, which make sums of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from qa_frame.errors import ResultFileError
from qa_frame.files.json_lines import JsonLinesInput, Lines
from qa_frame.files.open_files import naming
from qa_frame.files.parquet_files import ParquetInput
from qa_frame.files.streams.inputs import InputFile
from qa_frame.files.streams.side_notes import read_note
from qa_frame.frames.kinds import read_source, with_notes
from qa_frame.frames.names import require_column
from qa_frame.frames.provenance import NOTED, are_notes, noted_extractions, without_sources
from qa_frame.frames.text_columns import require_text_types
from qa_frame.reports.row_sums import RowSums, sum_parts
from qa_frame.reports.summary_plan import SummaryPlan
from qa_frame.text.answers.extraction import foreign_pattern, take_as_given, warn_of_foreign


@dataclass(frozen=True, slots=True)
class Piece:
    """Some rows of a file, for a worker.

    Attributes
    ----------
    path
        The file.
    rows
        The needed columns, or the lines that hold them.
    columns
        The names of the needed columns.
    notes
        What is known of the scores in lines. A table has its own.
    """

    path: Path
    rows: pa.Table | Lines
    columns: list[str]
    notes: dict[str, Any] = field(default_factory=dict)


def pool_piece(piece: Piece, plan: SummaryPlan, patterns: frozenset[tuple[str, int]]) -> tuple[int, RowSums]:
    """Return the number of rows of a piece, and their sums. patterns: those that the caller has given."""
    take_as_given(patterns)
    with naming(piece.path):
        frame = piece.rows
        if isinstance(frame, Lines):
            frame = with_notes(frame.parse().frame(piece.columns), piece.notes)
        return len(frame), sum_parts(plan, [frame], empty=frame)


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a file that a summary reads.

    Attributes
    ----------
    path
        The file.
    n_rows
        The number of its rows; None if the file does not tell it.
    kinds
        The types of those columns whose types must be alike in all files.
    pieces
        Yields the rows in pieces of at most so many rows. Pieces of JSON lines are blocks of lines, of any number.
    """

    path: Path
    n_rows: int | None
    kinds: dict[str, pa.DataType]
    pieces: Callable[[int], Iterator[Piece]]


def open_rows(file: InputFile, plan: SummaryPlan) -> Rows:
    """Return the rows of a file. Raise an error if its columns do not fit."""
    return (_parquet_rows if file.is_parquet else _lines_rows)(file, plan)


def _parquet_rows(file: InputFile, plan: SummaryPlan) -> Rows:
    parquet = ParquetInput(file.content, file.keys)
    empty, scoring = parquet.schema.empty_table(), plan.scoring

    def pieces(most_rows: int) -> Iterator[Piece]:
        for table in parquet.tables(most_rows=most_rows, columns=columns):
            yield Piece(file.path, table.replace_schema_metadata(empty.schema.metadata), columns)

    with naming(file.path):
        notes = read_source(empty).notes
        if notes != (safe := _without_foreign(notes, file.path)):
            empty = with_notes(empty.replace_schema_metadata(None), safe)
        sum_parts(plan, [empty], empty=empty)  # errors come before anything is read
        if scoring.pred is not None:
            require_text_types(empty, pred=scoring.pred, gold=scoring.gold, spans=scoring.plan.convention.spans)
    source = read_source(empty)
    columns = [str(name) for name in plan.needed_columns(source)]
    of_any_type = {scoring.pred, scoring.gold, *scoring.names, *plan.looked_at(source)} - {
        key for keys in plan.levels.named.values() for key in keys
    }
    kinds = {name: empty.schema.field(name).type for name in columns if name not in of_any_type}
    return Rows(file.path, parquet.n_rows, kinds, pieces)


def _without_foreign(notes: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return the notes, but not from which columns scores were made, where a pattern that the caller has not given did.

    Then no piece of the file tells them, and the pattern of somebody else is not run.
    """
    pattern = foreign_pattern(noted_extractions(notes))
    if pattern is None:
        return notes
    warn_of_foreign(pattern, str(path))
    return without_sources(notes)


def _notes_beside(path: Path) -> dict[str, Any]:
    """Return what the note of `score_files` beside a file says of its scores; nothing where it has none."""
    notes = {NOTED: (read_note(path) or {}).get(NOTED, {})}
    return _without_foreign(notes, path) if are_notes(notes) else {}


def _lines_rows(file: InputFile, plan: SummaryPlan) -> Rows:
    lines = JsonLinesInput(file.content, file.keys)
    with naming(file.path):
        for argument, key in plan.named_columns:
            require_column(key, lines.names, argument)
        named, notes = pd.DataFrame(columns=lines.names), _notes_beside(file.path)
        named.attrs |= notes
        columns = [str(name) for name in plan.needed_columns(read_source(named))]
    return Rows(file.path, None, {}, lambda _: (Piece(file.path, block, columns, notes) for block in lines.pieces()))


def require_alike(inputs: list[Rows]) -> None:
    """Raise ResultFileError if two files have different types of a column."""
    first_of: dict[str, tuple[Path, pa.DataType]] = {}
    for each in inputs:
        for name, kind in each.kinds.items():
            if pa.types.is_null(kind):
                continue  # nulls alone may have any type
            path, known = first_of.setdefault(name, (each.path, kind))
            if _type_of_values(known) != _type_of_values(kind):
                raise ResultFileError(
                    f"{each.path}: column {name!r} is {kind}, where {path} has {known}; write them with one type"
                )


def _type_of_values(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values, however text is stored and whether it is encoded or not."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if kind in {pa.string(), pa.large_string(), pa.string_view()} else kind
