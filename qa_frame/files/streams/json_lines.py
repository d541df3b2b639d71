"""Files of JSON lines in a stream: blocks of lines, which a worker parses, scores and writes again."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from qa_frame.errors import ResultFileError
from qa_frame.files.contents import damage_named, parse_json, why_not_json
from qa_frame.files.streams.inputs import InputFile

_BYTES_AT_ONCE = 4 << 20


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines of a file.

    Attributes
    ----------
    path
        The file.
    first
        The number of the first line, counted from 1.
    raw
        The lines.
    keys
        What the names of the file's folders say.
    """

    path: Path
    first: int
    raw: bytes
    keys: Mapping[str, Any]

    def parse(self) -> Records:
        """Return the objects in the lines that are not blank."""
        lines, objects, numbers = [], [], []
        for number, line in enumerate(self.raw.split(b"\n"), self.first):
            stripped = line.strip()
            if stripped:
                lines.append(stripped)
                objects.append(self._parse_line(stripped, number))
                numbers.append(number)
        return Records(lines, objects, pd.Index(numbers, name="line"), self.keys)

    def _parse_line(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            parsed = parse_json(line)
        except (ValueError, RecursionError) as error:
            raise ResultFileError(f"{self.path}, line {number}: {why_not_json(error)}; repair the line") from error
        if not isinstance(parsed, dict):
            raise ResultFileError(
                f"{self.path}, line {number}: holds a JSON {type(parsed).__name__}, where an object is needed; "
                "repair the line"
            )
        return parsed


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The objects that some lines hold.

    Attributes
    ----------
    lines
        The lines as they are written.
    objects
        What each line says.
    numbers
        The number of each line in its file.
    keys
        What the names of the file's folders say.
    """

    lines: list[bytes]
    objects: list[dict[str, Any]]
    numbers: pd.Index
    keys: Mapping[str, Any]

    def frame(self, columns: Sequence[str]) -> pa.Table | pd.DataFrame:
        """Return these columns, one row an object.

        A value that an object does not have is that of the file's folder, else null. Values that no Arrow column can
        hold make a frame of Python's objects, labelled by line: who reads it says what is wrong.
        """
        values = {name: [each.get(name, self.keys.get(name)) for each in self.objects] for name in columns}
        with contextlib.suppress(pa.ArrowException, UnicodeEncodeError, TypeError, ValueError, OverflowError):
            return pa.table({name: pa.array(of) for name, of in values.items()})
        columns_of_objects = {name: pd.Series(of, self.numbers, dtype=object) for name, of in values.items()}
        return pd.DataFrame(columns_of_objects, self.numbers)

    def with_scores(self, scores: Mapping[str, Any], *, append: bool) -> bytes:
        """Return the lines with the scores as more values, or the scores alone. NaN becomes null.

        A line stays as it is written unless it has a value of a score's name already, which is then replaced.
        """
        names = list(scores)
        rows = zip(*(column.tolist() for column in scores.values()), strict=True)
        written = []
        for line, each, row in zip(self.lines, self.objects, rows, strict=True):
            new = {name: None if math.isnan(value) else value for name, value in zip(names, row, strict=True)}
            if not append:
                whole = json.dumps(new)
            elif new.keys() & each.keys():
                whole = _with_values(line.decode(), new)
            else:
                comma = ", " if each else ""
                whole = f"{line[:-1].rstrip().decode()}{comma}{json.dumps(new)[1:]}"
            written.append(whole)
        return "".join(f"{line}\n" for line in written).encode()


_raw_decode = json.JSONDecoder().raw_decode


def _with_values(line: str, new: Mapping[str, Any]) -> str:
    """The object of a line with these values, in the place of those of the same names, if any, and else at its end.

    All else stays as it is written: numbers beyond all floats, lone surrogates that are escaped, names that come twice.
    """

    def after_space(place: int) -> int:
        while line[place] in " \t\r\n":
            place += 1
        return place

    written, copied, added = [], 0, dict(new)
    place = after_space(1)
    while line[place] != "}":
        name, place = _raw_decode(line, place)
        start = after_space(after_space(place) + 1)  # behind the colon
        _, place = _raw_decode(line, start)
        if name in new:
            added.pop(name, None)
            written += [line[copied:start], json.dumps(new[name])]
            copied = place
        end, place = place, after_space(place)
        if line[place] == ",":
            place = after_space(place + 1)
    written.append(line[copied:end])
    return f"{''.join(written)}, {json.dumps(added)[1:]}" if added else f"{''.join(written)}}}"


class JsonLinesInput:
    """A file of JSON lines, of which the first object has been read.

    Parameters
    ----------
    file
        Where it is.
    """

    n_rows = None

    def __init__(self, file: InputFile) -> None:
        self.file = file
        self._content = file.content
        self.names = self._names_of_first()

    def blocks(self) -> Iterator[Lines]:
        """Yield its lines in order, some at a time, and at least one block."""
        first, some, n_bytes = 1, [], 0
        with damage_named(self.file.path):
            for line in self._content.lines():
                some.append(line)
                n_bytes += len(line)
                if n_bytes >= _BYTES_AT_ONCE:
                    yield Lines(self.file.path, first, b"".join(some), self.file.keys)
                    first, some, n_bytes = first + len(some), [], 0
        if some or first == 1:
            yield Lines(self.file.path, first, b"".join(some), self.file.keys)

    def _names_of_first(self) -> list[str]:
        for block in self.blocks():
            first = next((line for line in block.raw.split(b"\n") if line.strip()), None)
            if first is not None:
                before = block.raw[: block.raw.index(first)].count(b"\n")
                (record,) = Lines(self.file.path, block.first + before, first, {}).parse().objects
                return [*record, *(name for name in self.file.keys if name not in record)]
        return list(self.file.keys)


def compressing(stream: Any, compression: str) -> Any:
    """Return a stream that compresses what is written to it into `stream`, which stays open when it is closed."""
    if compression == "gzip":
        return gzip.GzipFile("", fileobj=stream, mode="wb", mtime=0)  # "": it would note the name of the stream
    return pa.CompressedOutputStream(pa.PythonFile(_StaysOpen(stream), mode="w"), compression)


class _StaysOpen(io.RawIOBase):
    """A stream to write to, which its user cannot close."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return int(self._stream.write(data))
