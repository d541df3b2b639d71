"""One result file → its records, one after the other, whatever its format; and what describes a kind of file.

Only a single JSON document is held in memory as a whole.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from qa_frame.errors import ResultFileError, plural
from qa_frame.ext.files.csv_rows import read_rows
from qa_frame.ext.files.formats import Format, format_of_content
from qa_frame.ext.files.json_lines import parse_json, parse_object, replace_lone_surrogates
from qa_frame.ext.files.open_files import BOM, Content, UnusableRecordError, damage_named, open_binary
from qa_frame.ext.files.parquet_files import BYTES_OF_TABLE, ParquetInput, arrow_batches

Place = int | str
"""The place of a record: a line or a number counted from 1, or the name of a part of the file."""

_UNITS = {"jsonl": "line", "json": "record", "csv": "line", "tsv": "line", "parquet": "row", "arrow": "row", "zip": ""}
_ROWS_A_BATCH = 1024
_WRITE_AGAIN = "write the file again"
_OTHER_MARKS = (";", "\t", "|", ",")
"""Marks between fields that other programs write."""


class ResultFile:
    """A result file that is read record by record, with counts and remarks about what was found in it.

    Parameters
    ----------
    content
        The file.
    on_bad_lines
        `"error"`, `"warn"` or `"skip"`: whether `reject` raises, or counts.
    """

    def __init__(self, content: Content, on_bad_lines: str = "error") -> None:
        self.content = content
        self.path: Path = content.path
        self.n_rejected: int = 0
        self.first_rejected: str = ""
        self.remedy: str = ""
        self.remarks: list[str] = []
        self.heading: frozenset[str] | None = None
        self.notes: dict[str, Any] = {}
        self._raises = on_bad_lines == "error"
        with damage_named(self.path):
            self.format: Format = format_of_content(content)

    def reject(self, place: Place, reason: UnusableRecordError | str) -> None:
        """Count a record that cannot be used, or raise ResultFileError if `on_bad_lines` is "error".

        reason: why, as the end of a sentence about the record.
        """
        where = self.name_place(place)
        remedy = "" if isinstance(reason, str) else reason.remedy
        if self._raises:
            again = f"{remedy}, or " * bool(remedy) + "give on_bad_lines='warn' to leave out and count such records"
            raise ResultFileError.of("", f"{self.path}, {where}: {reason}", again)
        self.n_rejected += 1
        if not self.first_rejected:
            self.first_rejected = f"{where}: {reason}"
            self.remedy = remedy

    def name_place(self, place: Place) -> str:
        """Return how errors name the place of a record, such as "line 3"."""
        return place if isinstance(place, str) else f"{_UNITS[self.format]} {place}"

    def records(self) -> Iterator[tuple[Place, Any]]:
        """Yield the place and the value of each record. A JSON document that is not a list is one record.

        The place is a number from 1: of the line, the row or the item.
        """
        with damage_named(self.path):
            if self.format == "jsonl":
                yield from self._json_lines()
            elif self.format == "json":
                document = self.document
                yield from enumerate(document if isinstance(document, list) else [document], 1)
            elif self.format in {"csv", "tsv"}:
                yield from self._csv_rows()
            else:
                rows = (row for batch in self.batches() for row in batch.to_pylist())
                yield from enumerate(rows, 1)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches of a Parquet or Arrow file."""
        with damage_named(self.path):
            if self.format == "arrow":
                yield from arrow_batches(self.content)
                return
            n_bytes = 0
            for table in ParquetInput(self.content).tables(most_rows=_ROWS_A_BATCH):
                n_bytes += table.nbytes
                self.content.require_size(n_bytes, least=BYTES_OF_TABLE)
                yield from table.to_batches()

    @cached_property
    def document(self) -> Any:
        """The value of the JSON document, as a whole."""
        with damage_named(self.path), open_binary(self.content) as stream:
            written = self.content.read(stream).removeprefix(BOM)
        try:
            return parse_json(replace_lone_surrogates(self.content, "the document", written))
        except UnusableRecordError as error:
            raise ResultFileError.of("", f"{self.path}: {error}", error.remedy or _WRITE_AGAIN) from error

    @cached_property
    def first(self) -> Any:
        """The first record that can be read; None for a zip and for a file without records.

        A JSON document that is an empty list gives this list. Raise ResultFileError if the file has records, but none
        that can be read.
        """
        if self.format == "zip":
            return None
        if self.format == "json":
            document = self.document
            return document[0] if isinstance(document, list) and document else document
        trial = ResultFile(self.content, "skip")
        trial.heading = self.heading
        for _, record in trial.records():
            return record
        if trial.n_rejected:
            finding = f"{self.path}, {trial.first_rejected}; no record of the file can be read"
            raise ResultFileError.of("", finding, trial.remedy)
        return None

    @cached_property
    def has_one_record(self) -> bool:
        """Whether exactly one record of the file can be read."""
        return len([*itertools.islice(ResultFile(self.content, "skip").records(), 2)]) == 1

    def without_heading(self) -> ResultFile | None:
        """Return a JSON Lines file without its first record, if that holds what all rows share and is no row itself.

        None if the first record shares a name with the second, if it is the only one, or for another format.
        """
        if self.format != "jsonl" or self.has_one_record:
            return None
        body = ResultFile(self.content, "error" if self._raises else "skip")
        body.heading = self.names
        if self.names & body.names:
            return None
        names = f"the first record is a heading and no row: it has the names {sorted(self.names)!s:.200}"
        body.remarks.append(f"{names}, where others have {sorted(body.names)!s:.200}")
        return body

    @property
    def names(self) -> frozenset[str]:
        """The names in the first record; empty if it is no object."""
        return frozenset(self.first) if isinstance(self.first, Mapping) else frozenset()

    def _json_lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the number and the object of each line that is neither blank nor a heading.

        Headings also stand further down, where files were put together. Lines without an object are rejected.
        """
        for number, line in enumerate(self.content.lines(), 1):
            if line.isspace():
                continue
            try:
                record = parse_object(replace_lone_surrogates(self.content, number, line))
            except UnusableRecordError as error:
                is_cut = error.__cause__ is not None and not line.endswith(b"\n")
                self.reject(number, f"{error}; the file ends here, it may have been cut off" if is_cut else error)
                continue
            if self.heading is None or record.keys() != self.heading:
                yield number, record

    def _csv_rows(self) -> Iterator[tuple[int, dict[str, str | None]]]:
        """Yield the number of each row's last line, and the row as a dict by column. Blank lines are passed over.

        Rows with too few or too many fields are rejected, and repeated headings are passed over, with a remark. Fields
        may be separated by the mark that the heading shows. Raise ResultFileError if the heading cannot be read, or
        names a column twice.
        """
        rows = read_rows(self.content, "," if self.format == "csv" else "\t")
        _, first = next(rows)
        mark = None if isinstance(first, UnusableRecordError) else _mark_between(first)
        if mark is not None:
            rows = read_rows(self.content, mark)
            _, first = next(rows)
            _, first = next(rows, (1, first)) if first == ["sep=", None] else (1, first)  # Excel's first line
        if isinstance(first, UnusableRecordError):
            raise ResultFileError.of("", f"{self.path}: its heading {first}", first.remedy or _WRITE_AGAIN)
        header = [name or "" for name in first]
        twice = sorted({name for name in header if header.count(name) > 1})
        if twice:
            raise ResultFileError.of("", f"{self.path}: several columns are named {twice[0]!r}", "rename all but one")
        n_headings = 0
        for number, fields in rows:
            if isinstance(fields, UnusableRecordError):
                self.reject(number, fields)
            elif fields == first:
                n_headings += 1
            elif len(fields) == len(header):
                yield number, dict(zip(header, fields, strict=True))
            elif fields:
                self.reject(number, f"has {plural(len(fields), 'field')}, where the header has {len(header)}")
        if n_headings:
            self.remarks.append(f"repeats its heading {plural(n_headings, 'time')}, which are no rows")


def _mark_between(heading: Sequence[str | None]) -> str | None:
    """Return the mark that separates a heading which was read as one field; None if none does."""
    return next((mark for mark in _OTHER_MARKS if len(heading) == 1 and mark in (heading[0] or "")), None)


def records_in(name: str, unit: str) -> Callable[[ResultFile], Iterator[tuple[Place, Any]]]:
    """Return the function that yields a file's records: the items of the list `name` in its first object, if any.

    Otherwise they are the records of the file itself. unit: the word for an item, in the places of the items.
    """

    def records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
        return numbered(unit, source.first[name]) if name in source.names else source.records()

    return records


def numbered(unit: str, records: Iterable[Any]) -> Iterator[tuple[Place, Any]]:
    """Yield each record behind its place, which is the word `unit` and a number from 1, such as `sample 1`."""
    return ((f"{unit} {number}", record) for number, record in enumerate(records, 1))


# --- kinds of files: how one is recognised, and how its records become rows


Texts = list[str | None]
Responses = Sequence[str | Texts | None]
"""The predictions of a record, several of which are samples. A prediction may be a list of spans."""
Golds = Sequence[str | Texts | None]
"""The golds of a record. A gold may be a list of spans."""


Reader = Callable[[Any], Any]
"""A user's own kind: a function of a record, which returns a row as a dict, or a list of rows."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of result file.

    Attributes
    ----------
    name
        The name that `kind=` takes.
    is_this
        Tells whether a file is of this kind.
    responses, golds, others
        Return the predictions of a record (a record may have several), its golds, and its other values by the column's
        name. They raise UnusableRecordError if the record has no text.
    records
        Yields the records of a file.
    reads_written_golds
        Whether a gold may be a list that was written out as text.
    keeps_empty_golds
        Whether empty text is a gold, as in a table of one's own, and not what a harness writes where there is none.
    about
        Returns the values that all rows of a file share.
    """

    name: str
    is_this: Callable[[ResultFile], bool]
    responses: Callable[[Any], Responses]
    golds: Callable[[Any], Golds | None]
    others: Callable[[Any], dict[str, Any]]
    records: Callable[[ResultFile], Iterable[tuple[Place, Any]]] = ResultFile.records
    reads_written_golds: bool = False
    keeps_empty_golds: bool = False
    about: Callable[[ResultFile], dict[str, Any]] = lambda _: {}
