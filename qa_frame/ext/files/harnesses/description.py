"""The description of a kind of result file: how it is recognised, and how its records become rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from qa_frame.ext.files.records import Place, ResultFile

Texts = list[str | None]
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
    responses: Callable[[Any], Texts]
    golds: Callable[[Any], Golds | None]
    others: Callable[[Any], dict[str, Any]]
    records: Callable[[ResultFile], Iterable[tuple[Place, Any]]] = ResultFile.records
    reads_written_golds: bool = False
    keeps_empty_golds: bool = False
    about: Callable[[ResultFile], dict[str, Any]] = lambda _: {}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that harnesses write beside their results: how it is recognised, and which file to read instead.

    may_be_table: whether it is a plain table where the caller names the prediction or the gold.
    """

    is_this: Callable[[ResultFile], bool]
    remedy: str
    may_be_table: bool = False
