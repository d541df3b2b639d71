"""JSON is parsed here. Files of JSON lines are read in blocks, which a worker parses, scores and writes again."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
import pyarrow as pa

from qa_frame.errors import ResultFileError
from qa_frame.ext.files.open_files import Content, UnusableRecordError, chunked, damage_named, not_utf8

_BYTES_AT_ONCE = 4 << 20
TO_PARQUET = "with qa_frame.read_results, and write the frame with to_parquet"
"""How a file that is not read in a stream becomes one that is."""


_FROM_PYTHON = "write each again as json.dumps(ast.literal_eval(line)) does"


def _finite_or_text(written: str) -> float | str:
    """Return a number as a float; as text if it is beyond all floats, such as 1e400."""
    number = float(written)
    return number if math.isfinite(number) else written


def _with_distinct_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object. Raise UnusableRecordError if it has a name twice, of which one value would be lost."""
    values = dict(pairs)
    if len(values) < len(pairs):
        raise UnusableRecordError(f"has the name {Counter(name for name, _ in pairs).most_common(1)[0][0]!r} twice")
    return values


_DECODER = json.JSONDecoder(parse_float=_finite_or_text)
_CHECKING_DECODER = json.JSONDecoder(parse_float=_finite_or_text, object_pairs_hook=_with_distinct_names)

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_PAIR = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


def without_lone_surrogates(text: bytes) -> tuple[bytes, int]:
    """Return a JSON text with U+FFFD for each escape of a lone surrogate, and the number of replaced escapes.

    No text in UTF-8 can hold a lone surrogate. U+FFFD is no letter, no digit and no punctuation either, so that metrics
    treat it as they treat a lone surrogate.
    """
    has_one = _SURROGATE.search(text) is not None
    if not has_one or (rb"\\u" not in text and _SURROGATE.search(_PAIR.sub(b"", text)) is None):
        return text, 0  # much faster than to look at each escape
    n_lone = sum(escape[1] is not None for escape in _ESCAPE.finditer(text))
    return _ESCAPE.sub(lambda escape: rb"\ufffd" if escape[1] else escape[0], text) if n_lone else text, n_lone


def replace_lone_surrogates(content: Content, place: int | str, text: bytes) -> bytes:
    """Return a JSON text with U+FFFD for each lone surrogate, and count these in `content.lone_surrogates`.

    place: the line, or the name of the record.
    """
    text, n_lone = without_lone_surrogates(text)
    if n_lone:
        content.lone_surrogates[place] = n_lone
    return text


def parse_json(text: bytes, *, checks_names: bool = True) -> Any:
    """Return the value of a JSON text in UTF-8. Raise UnusableRecordError if it is not valid.

    checks_names: whether an object that has a name twice is an error. Otherwise the last value of the name counts.
    """
    try:
        return (_CHECKING_DECODER if checks_names else _DECODER).decode(text.decode())
    except UnicodeDecodeError as error:
        raise not_utf8(error) from error
    except json.JSONDecodeError as error:
        if text.lstrip(b"[ ").startswith(b"{'"):
            raise UnusableRecordError(f"is a dict of Python and no JSON ({error})", _FROM_PYTHON) from error
        raise UnusableRecordError(f"is not valid JSON ({error})") from error
    except ValueError as error:  # Python reads no integer of so many digits, and its setting does not reach workers
        finding = "has an integer of more digits than can be read"
        raise UnusableRecordError(finding, "write it as text, in quotes") from error
    except RecursionError as error:
        raise UnusableRecordError("is nested too deeply") from error


def parse_object(line: bytes) -> dict[str, Any]:
    """Return the JSON object of a line. Raise UnusableRecordError if it is not valid JSON, or no object."""
    parsed = parse_json(line)
    if not isinstance(parsed, dict):
        raise UnusableRecordError(f"is a JSON {type(parsed).__name__}, where an object is needed")
    return parsed


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Some consecutive lines of a file, as bytes.

    Attributes
    ----------
    path
        The file.
    first
        The number of the first line, counted from 1.
    raw
        The lines.
    keys
        The values in the names of the file's folders.
    """

    path: Path
    first: int
    raw: bytes
    keys: Mapping[str, Any]

    def parse(self, most: int | None = None) -> ParsedLines:
        """Return the objects in the lines that are not blank. Raise ResultFileError for a line that holds no object.

        most: the number of lines to parse, without blank ones; None parses all.
        """
        raw = b"" if self.raw.isspace() else self.raw  # as a file may hold millions of blank lines
        stripped = enumerate(map(bytes.strip, raw.split(b"\n")), self.first)
        lines = dict(itertools.islice(((number, line) for number, line in stripped if line), most))
        objects = []
        for number, line in lines.items():
            try:
                objects.append(parse_object(without_lone_surrogates(line)[0]))
            except UnusableRecordError as error:  # noqa: PERF203  (an error names its line)
                if number == self.first == 1 and (line.startswith(b"[") or line == b"{"):
                    finding = f"{self.path} is one JSON document, where each line of JSON Lines is an object"
                    raise ResultFileError.of("", finding, f"read it {TO_PARQUET}") from error
                finding, remedy = f"{self.path}, line {number}: {error}", error.remedy or "repair the line"
                raise ResultFileError.of("", finding, remedy) from error
        return ParsedLines([*lines.values()], objects, pd.Index([*lines], name="line"), self.keys)


@dataclass(frozen=True, slots=True, eq=False)
class ParsedLines:
    """The objects that some lines hold.

    Attributes
    ----------
    lines
        The lines as they are written.
    objects
        The object of each line.
    numbers
        The number of each line in its file.
    keys
        The values in the names of the file's folders.
    """

    lines: list[bytes]
    objects: list[dict[str, Any]]
    numbers: pd.Index
    keys: Mapping[str, Any]

    def frame(self, columns: Sequence[str]) -> pa.Table | pd.DataFrame:
        """Return the named columns as an Arrow table, one row per object.

        A value that an object lacks is taken from the folder's keys, or is null. If Arrow cannot hold the values of a
        column, the frame is one of pandas with Python's objects, labelled by the number of the line; whoever reads it
        raises the error.
        """
        values = {name: [each.get(name, self.keys.get(name)) for each in self.objects] for name in columns}
        with contextlib.suppress(pa.ArrowException, UnicodeEncodeError, TypeError, ValueError, OverflowError):
            return pa.table({name: pa.array(of) for name, of in values.items()})
        columns_of_objects = {name: pd.Series(of, self.numbers, dtype=object) for name, of in values.items()}
        return pd.DataFrame(columns_of_objects, self.numbers)

    def with_scores(self, scores: Mapping[str, Any], *, append: bool) -> bytes:
        """Return the lines as bytes to write, with the scores as further values. NaN becomes null.

        scores: by name, an array with a value per line. append: whether the line's own values are kept; if False, the
        scores stand alone. A line keeps its own spelling unless it already has a value under the name of a score: then
        it is written anew.
        """
        names = list(scores)
        rows = zip(*(column.tolist() for column in scores.values()), strict=True)
        written = []
        for line, each, row in zip(self.lines, self.objects, rows, strict=True):
            new = {
                name: None if isinstance(value, float) and math.isnan(value) else value
                for name, value in zip(names, row, strict=True)
            }
            if not append:
                whole = json.dumps(new)
            elif each.keys() & new.keys():
                whole = json.dumps({**each, **new}, ensure_ascii=False)
            else:
                comma = ", " if each else ""
                whole = f"{line[:-1].rstrip().decode()}{comma}{json.dumps(new)[1:]}"
            written.append(whole)
        return "".join(f"{line}\n" for line in written).encode()


class JsonLinesInput:
    """A file of JSON lines. Its first object is read at once, for the names of the columns.

    Parameters
    ----------
    content
        The file.
    keys
        The values that the names of the file's folders give. They are values of each object that lacks them.
    """

    def __init__(self, content: Content, keys: Mapping[str, str | None] = MappingProxyType({})) -> None:
        self._content, self._keys = content, keys
        first = next((record for block in self.chunks() for record in block.parse(most=1).objects), {})
        self.names: list[str] = [*first, *(name for name in keys if name not in first)]

    def chunks(self) -> Iterator[LineBlock]:
        """Yield the file as blocks of consecutive lines. An empty file gives one empty block.

        The lone surrogates of each line are counted in the file's `Content`.
        """
        first = 1
        with damage_named(self._content.path):
            for some in chunked(self._content.lines(), len, _BYTES_AT_ONCE):
                raw = b"".join(some)
                if _SURROGATE.search(raw) is not None:
                    for number, line in enumerate(some, first):
                        replace_lone_surrogates(self._content, number, line)
                yield LineBlock(self._content.path, first, raw, self._keys)
                first += len(some)
        if first == 1:
            yield LineBlock(self._content.path, first, b"", self._keys)
