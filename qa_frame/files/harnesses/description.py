"""The description of a kind of result file: how it is recognised, and how its records become rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qa_frame.files.records import Place, ResultFile

Texts = list[str | None]
Golds = Sequence[str | Texts | None]
"""The golds of a record. A gold may be a list of spans."""

Where = str | Callable[[Any], Any]
"""The place of a value in a record, or a function that takes it out.

A place is a path such as `instance.input.text`, or several with bars between them: the first that has a value counts,
and empty text only where no other has one.
"""

Reader = Callable[[Any], Any]
"""A user's own kind: a function of a record, which returns a row as a dict, or a list of rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Recognised:
    """A kind of file that is known by what it holds. marks: names of its first record, or a function of the file."""

    marks: set[str] | Callable[[ResultFile], bool]

    def is_this(self, source: ResultFile) -> bool:
        """Tell whether a file is of this kind."""
        return self.marks <= source.names if isinstance(self.marks, set) else self.marks(source)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Kind(Recognised):
    """One kind of result file.

    Attributes
    ----------
    name
        The name that `kind=` takes.
    responses, golds
        The place of the predictions of a record, which may have several, and of its golds. Or functions that return
        them as texts, and raise UnusableRecordError if the record has no text.
    columns
        The places of other columns by their names; or a function that returns all columns of a record. A path that is
        not there gives null. The name `harness_*` stands for a column of each plain value of a dict, and `*` for such
        columns without more before their names.
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
    responses: Where
    golds: Where
    columns: Mapping[str, Where] | Callable[[Any], dict[str, Any]]
    records: Callable[[ResultFile], Iterable[tuple[Place, Any]]] = ResultFile.records
    reads_written_golds: bool = False
    keeps_empty_golds: bool = False
    about: Callable[[ResultFile], dict[str, Any]] = lambda _: {}


@dataclass(frozen=True, slots=True, eq=False)
class Refusal(Recognised):
    """A file that harnesses write beside their results: how it is recognised, and which file to read instead.

    may_be_table: whether it is a plain table where the caller names the prediction or the gold.
    """

    remedy: str
    may_be_table: bool = False
