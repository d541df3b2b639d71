"""The rows of CSV and TSV. A field without anything is null; one that is empty between quotes is empty text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import cast

from qa_frame.errors import ResultFileError
from qa_frame.files.contents import Content, open_binary

_LONGEST_FIELD = 2**31 - 1
"""The most that Python's `csv` takes on every platform. `max_record_bytes` is the limit here."""

Row = list[str | None]


def read_rows(content: Content, delimiter: str) -> Iterator[tuple[int, Row | csv.Error]]:
    """Yield each row and the number of its last line; an error in the place of a row that is not valid CSV.

    Bytes that are not UTF-8 become lone surrogates.
    """
    _allow_long_fields()
    with open_binary(content) as stream:
        lines = _Lines(io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline=""), content)
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        while True:
            lines.begin_row()
            try:
                fields = next(reader, None)
            except csv.Error as error:
                _refuse_short_fields(content)
                yield reader.line_num, error
                continue
            if fields is None:
                return
            yield reader.line_num, _with_nulls(fields, lines.of_row, delimiter)


def _allow_long_fields() -> None:
    """Let `csv` take long fields. The limit is one for all threads, so that it is never lowered again."""
    if csv.field_size_limit() < _LONGEST_FIELD:
        csv.field_size_limit(_LONGEST_FIELD)


def _refuse_short_fields(content: Content) -> None:
    """Raise ResultFileError where something else in this process has lowered the limit, so that good rows are lost."""
    if csv.field_size_limit() < _LONGEST_FIELD:
        raise ResultFileError(
            f"{content.path} cannot be read: csv.field_size_limit was set to {csv.field_size_limit()} meanwhile, by "
            "another thread; read the file again when that is done"
        )


class _Lines:
    """The lines of a text for `csv.reader`, and those of the row that it is reading."""

    def __init__(self, text: io.TextIOWrapper, content: Content) -> None:
        self.of_row: list[str] = []
        self._text = text
        self._content = content
        self._number = self._n_characters = 0

    def begin_row(self) -> None:
        """Forget the lines of the row before."""
        self.of_row.clear()
        self._n_characters = 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._text.readline(self._content.max_record_bytes + 1)
        if not line:
            raise StopIteration
        self._number += 1
        self._n_characters += len(line)
        self.of_row.append(line)
        if self._n_characters > self._content.max_record_bytes:
            raise self._content.too_large(f"line {self._number}")
        return line


def _with_nulls(fields: list[str], lines: list[str], delimiter: str) -> Row:
    """The fields, None for those that are empty without quotes."""
    row = cast("Row", fields)
    if "" not in fields:
        return row
    written = "".join(lines)
    if '""' not in written:
        return [field or None for field in fields]
    pattern = _FIELDS[delimiter]
    are_quoted = (match[0].startswith('"') for match in pattern.finditer(written))
    return [field if field or is_quoted else None for field, is_quoted in zip(fields, are_quoted, strict=False)]


_FIELDS = {mark: re.compile(rf'(?:"[^"]*(?:""[^"]*)*"|[^{mark}\r\n]*)(?:{mark}|[\r\n]*\Z)') for mark in (",", "\t")}
"""A field of a valid row with what follows it. More are found behind the last, which are of no use."""
