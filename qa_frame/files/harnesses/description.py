"""The description of a kind of result file: how it is recognised, and how its records become rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from qa_frame.files.records import Place, ResultFile

Texts = list[str | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of result file.

    name: what `kind=` takes. is_this: whether a file is of this kind. responses, golds, others: of one record, its
    predictions (several where several were drawn), its golds, and its other values by the column's name; they raise
    UnusableRecordError where a record has no text. records: the records of a file. reads_written_golds: a gold may be
    a list that was written out as text. about: values for all rows.
    """

    name: str
    is_this: Callable[[ResultFile], bool]
    responses: Callable[[Any], Texts]
    golds: Callable[[Any], Texts | None]
    others: Callable[[Any], dict[str, Any]]
    records: Callable[[ResultFile], Iterable[tuple[Place, Any]]] = ResultFile.records
    reads_written_golds: bool = False
    about: Callable[[ResultFile], dict[str, Any]] = lambda _: {}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that harnesses write beside their results: how it is recognised, and which file to read instead."""

    is_this: Callable[[ResultFile], bool]
    remedy: str
