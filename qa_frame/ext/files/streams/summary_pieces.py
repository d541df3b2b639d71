"""The work of `summary_files` on one file: pieces of it go to workers, which make sums of each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from qa_frame.errors import ResultFileError
from qa_frame.ext.files.json_lines import JsonLinesInput, Lines
from qa_frame.ext.files.open_files import naming
from qa_frame.ext.files.parquet_files import ParquetInput
from qa_frame.ext.files.streams.inputs import InputFile
from qa_frame.ext.files.streams.sidecar import read_note
from qa_frame.extraction.steps import foreign_pattern, take_as_given, warn_of_foreign
from qa_frame.frames.names import require_column
from qa_frame.frames.scoring_metadata import NOTED, are_notes, noted_extractions, without_sources
from qa_frame.frames.source import Source, read_source, with_notes
from qa_frame.frames.text_columns import require_text_types
from qa_frame.scoring.call_rules import Rules
from qa_frame.scoring.pipeline import score_with_doubts
from qa_frame.scoring.plan import Items, Plan, make_plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.scoring.row_flags import FLAGS, RowFlags, are_marked
from qa_frame.tables.existing_scores import Made
from qa_frame.tables.pooled import FIGURES
from qa_frame.tables.row_sums import RowSums, SumsPlan, sums_of_parts
from qa_frame.tables.rows import Scoring


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


@dataclass(frozen=True, slots=True)
class TextPlan:
    """How the rows of files are scored before they are summed.

    Attributes
    ----------
    pred, gold
        The columns of predictions and golds.
    plan
        The plan of their scores and statistics.
    is_needed
        Whether the summary has any of these: else it only has columns of numbers that the files hold.
    """

    pred: Hashable
    gold: Hashable
    plan: Plan
    is_needed: bool

    @property
    def columns(self) -> dict[str, Hashable]:
        """The columns that are read, by argument."""
        named = {"pred": self.pred, "gold": self.gold, "choices": self.plan.rules.choices}
        return {argument: name for argument, name in named.items() if name is not None}

    def score(self, source: Source) -> tuple[Made, RowFlags]:
        """Return the scores of some rows, and what makes them doubtful."""
        plan = self.plan
        columns = prepare_predictions(source.texts(pred=self.pred, gold=self.gold, **plan.reading), plan)
        # The user's own metrics may take long, and have a bar.
        progress = None if plan.own else False
        if self.is_needed:
            found, doubts, marks = score_with_doubts(columns, plan, progress=progress)
        else:
            found, doubts, marks = {}, RowFlags(), np.zeros(len(columns), np.uint16)
        scores = {name: values for name, values in found.items() if name in plan.metrics}
        statistics = {name: values for name, values in found.items() if name in plan.statistics}
        rules = plan.convention
        flags = {flag: are_marked(marks, flag) for flag in FLAGS}
        return Made(scores, statistics, columns, rules, plan.signature, rules.no_answer, rules, flags), doubts


def plan_texts(pred: Hashable, gold: Hashable, metrics: Items, rules: Rules, scoring: Scoring) -> TextPlan:
    """Return how rows are scored for a summary. metrics: those asked for; scoring: which figures they are or need."""
    wanted: Any = metrics
    if isinstance(metrics, tuple):
        others = {*scoring.columns, *(scoring.pooled or ()), *(figure.name for figure in scoring.of_rows)}
        wanted = tuple(each for each in metrics if each not in others) or None
    plan = make_plan(wanted, rules, stats=True)
    if scoring.pooled is not None:
        plan = replace(plan, stats=frozenset(name for figure in scoring.pooled for name in FIGURES[figure].statistics))
    is_needed = scoring.pooled is None or scoring.named is None or not {*scoring.named} <= {*scoring.columns}
    return TextPlan(pred, gold, plan, is_needed)


def sum_piece(
    piece: Piece, plan: SumsPlan, texts: TextPlan | None, patterns: frozenset[tuple[str, int]]
) -> tuple[int, RowSums, RowFlags]:
    """Return the number of rows of a piece, their sums, and what makes them doubtful if they were scored now.

    patterns: those that the caller has given.
    """
    take_as_given(patterns)
    with naming(piece.path):
        frame = piece.rows
        if isinstance(frame, Lines):
            frame = with_notes(frame.parse().frame(piece.columns), piece.notes)
        return len(frame), *_sum(frame, plan, texts)


def _sum(frame: Any, plan: SumsPlan, texts: TextPlan | None) -> tuple[RowSums, RowFlags]:
    source = read_source(frame)
    made, doubts = (None, RowFlags()) if texts is None else texts.score(source)
    return sums_of_parts(plan).add(source, made), doubts


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


def open_rows(file: InputFile, plan: SumsPlan, texts: TextPlan | None) -> Rows:
    """Return the rows of a file. Raise an error if its columns do not fit."""
    return (_parquet_rows if file.is_parquet else _lines_rows)(file, plan, texts)


def _parquet_rows(file: InputFile, plan: SumsPlan, texts: TextPlan | None) -> Rows:
    parquet = ParquetInput(file.content, file.keys)
    empty, named = parquet.schema.empty_table(), {} if texts is None else texts.columns

    def pieces(most_rows: int) -> Iterator[Piece]:
        for table in parquet.tables(most_rows=most_rows, columns=columns):
            yield Piece(file.path, table.replace_schema_metadata(empty.schema.metadata), columns)

    with naming(file.path):
        notes = read_source(empty).notes
        if notes != (safe := _without_foreign(notes, file.path)):
            empty = with_notes(empty.replace_schema_metadata(None), safe)
        _sum(empty, plan, texts)  # errors come before anything is read
        if texts is not None:
            require_text_types(empty, pred=texts.pred, gold=texts.gold, spans=texts.plan.convention.spans)
    source = read_source(empty)
    columns = [str(name) for name in plan.needed_columns(source, [*named.values()])]
    of_any_type = {named.get("pred"), named.get("gold"), *plan.scoring.names, *plan.looked_at(source)} - {
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


def _lines_rows(file: InputFile, plan: SumsPlan, texts: TextPlan | None) -> Rows:
    lines = JsonLinesInput(file.content, file.keys)
    with naming(file.path):
        texts_named = {} if texts is None else texts.columns
        for argument, key in [*plan.named_columns, *texts_named.items()]:
            require_column(key, lines.names, argument)
        named, notes = pd.DataFrame(columns=lines.names), _notes_beside(file.path)
        named.attrs |= notes
        columns = [str(name) for name in plan.needed_columns(read_source(named), [*texts_named.values()])]
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
                finding = f"{each.path}: column {name!r} is {kind}, where {path} has {known}"
                raise ResultFileError.of("", finding, "write them with one type")


def _type_of_values(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values, however text is stored and whether it is encoded or not."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if kind in {pa.string(), pa.large_string(), pa.string_view()} else kind
