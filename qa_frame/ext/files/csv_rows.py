"""The rows of CSV and TSV. An empty field is null without quotes, and empty text between quotes.

pyarrow's reader is not used: for one byte that is not UTF-8 it refuses a whole block, and it does not say in which line
a damaged row stands, so that such a row could be neither named nor left out.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import cast

from qa_frame.checks import is_unicode
from qa_frame.ext.files.open_files import Content, UnusableRecordError, not_utf8, open_binary

_LONGEST_FIELD = 2**31 - 1
"""The most that Python's `csv` takes on every platform. `Content.most_record_bytes` is the limit here."""

Row = list[str | None]


def read_rows(content: Content, delimiter: str) -> Iterator[tuple[int, Row | UnusableRecordError]]:
    """Yield the number of each row's last line, from 1, and its fields, or the error if it is not valid CSV or UTF-8.

    If a row of TSV has quotes that CSV does not allow, or has several lines of which each is as wide as the heading,
    each of its lines is a row, and its quotes are text.
    """
    of_row: list[str] = []
    width = 0
    with open_binary(content) as stream:
        text = io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="")
        reader = csv.reader(_lines_of_rows(text, content, of_row), delimiter=delimiter, strict=True)
        while True:
            of_row.clear()
            csv.field_size_limit(_LONGEST_FIELD)  # all threads share it, so that another one may have lowered it
            try:
                fields = next(reader, None)
            except csv.Error as error:
                if delimiter == "\t":  # TSV is often written without quotes, so that those there are text
                    yield from _rows_of_lines(of_row, reader.line_num, delimiter)
                    continue
                n, first = len(of_row), reader.line_num - len(of_row) + 1
                lines = f"; its quotes begin in line {first} and take {n} lines" if n > 1 else ""
                yield reader.line_num, UnusableRecordError(f"is not valid CSV ({error}){lines}")
                continue
            if fields is None:
                return
            width = width or len(fields)
            if delimiter == "\t" and len(of_row) > 1 and {len(_split_line(line, "\t")) for line in of_row} == {width}:
                yield from _rows_of_lines(of_row, reader.line_num, delimiter)
                continue
            yield reader.line_num, _error_unless_utf8(of_row) or _with_nulls(fields, of_row, delimiter)


def _lines_of_rows(text: io.TextIOWrapper, content: Content, of_row: list[str]) -> Iterator[str]:
    """Yield the lines of a text, and append each to `of_row`, which the caller empties before each row.

    Raise ResultFileError if a row or the whole file is larger than is allowed (see `Content`).
    """
    number = n_characters = n_in_all = 0
    while line := text.readline(content.most_record_bytes + 1):
        number += 1
        n_in_all += len(line)
        content.require_size(n_in_all)
        n_characters = len(line) + (n_characters if of_row else 0)
        of_row.append(line)
        if n_characters > content.most_record_bytes:
            raise content.too_large(f"line {number}")
        yield line


def _rows_of_lines(lines: list[str], last: int, delimiter: str) -> Iterator[tuple[int, Row | UnusableRecordError]]:
    """Yield the number and the fields of each line, in which quotes are text. last: the number of the last line."""
    for number, line in enumerate([*lines], last - len(lines) + 1):
        yield number, _error_unless_utf8([line]) or _split_line(line, delimiter)


def _split_line(line: str, delimiter: str) -> Row:
    """Return the fields of a line in which quotes are text; None for empty fields."""
    return [field or None for field in line.rstrip("\r\n").split(delimiter)]


def _error_unless_utf8(lines: list[str]) -> UnusableRecordError | None:
    """Return the error for lines with bytes that are not UTF-8; None if all are UTF-8.

    The reader has decoded each such byte to a lone surrogate.
    """
    if all(line.isascii() or is_unicode(line) for line in lines):
        return None
    try:
        "".join(lines).encode(errors="surrogateescape").decode()
    except UnicodeDecodeError as error:
        return not_utf8(error)
    return None


def _with_nulls(fields: list[str], lines: list[str], delimiter: str) -> Row:
    """Return the fields of a row, with None for those that are empty and stand without quotes.

    lines: the row as it is written.
    """
    row = cast("Row", fields)
    if "" not in fields:
        return row
    written = "".join(lines)
    if '""' not in written:
        return [field or None for field in fields]
    are_quoted = (match[0].startswith('"') for match in _FIELDS[delimiter].finditer(written))
    return [field if field or is_quoted else None for field, is_quoted in zip(fields, are_quoted, strict=False)]


_FIELDS = {
    mark: re.compile(rf'(?:"[^"]*(?:""[^"]*)*"|[^{end}\r\n]*)(?:{end}|[\r\n]*\Z)')
    for mark, end in ((mark, re.escape(mark)) for mark in ",\t;|")
}
"""A field of a valid row and the mark behind it. Matches behind the last field are passed over."""
