"""Which values of a file are predictions and golds, where its records do not have the usual names, or have several."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from qa_frame.errors import show
from qa_frame.ext.files.containers import objects_in_lists
from qa_frame.ext.files.harnesses.other_files import are_by_id
from qa_frame.ext.files.harnesses.plain import with_own_names, with_row_for_each
from qa_frame.ext.files.open_files import NameNotFoundError
from qa_frame.ext.files.record_fields import paths_in, value_at
from qa_frame.ext.files.records import Kind, Place, ResultFile
from qa_frame.frames.names import USUAL_NAMES, name_in
from qa_frame.frames.source import Source, read_source
from qa_frame.tables.likely_columns import (
    COLUMNS,
    QUESTION_WORDS,
    LikelyColumns,
    are_predictions,
    find_likely_columns,
    is_neutral,
    words_of,
)

_RECORDS, _FEW = 2000, 5
"""Of so many records, some tell what a file holds; so many places of texts are named."""
_LONGEST_NAME = 5
"""The words of a name, at most. A name of more is a text."""
_Records = Callable[[ResultFile], Iterable[tuple[Place, Any]]]


_ROLES = {"response": ("pred", "predictions", "the golds"), "answers": ("gold", "golds", "the predictions")}
"""For each column its argument, what a remark calls its values, and the values that they are like."""


def remark_on_names(source: ResultFile, kind: Kind) -> None:
    """Add a remark if a plain table has several values that look like predictions by their names, and differ.

    The remark says which one is read, and which one may be meant; likewise for golds.
    """
    _, first = next(_read_again(source, kind.records), (None, None))
    names = first if isinstance(first, dict) else {}
    of_column = {"response": [name for name in names if are_predictions(name)]}
    taken = {*of_column["response"], name_in(names, "response")}
    of_column["answers"] = [name for name in USUAL_NAMES["answers"] if name in names and name not in taken]
    if any(len(each) > 1 for each in of_column.values()):
        places = _read_places(source, kind.records)
        source.remarks += [text for column, each in of_column.items() if (text := _say_rivals(places, column, each))]


def _say_rivals(places: Source, column: str, names: Sequence[Any]) -> str:
    """Return the remark on the values of a column if there are several that differ; else "".

    places: some values of the file. names: those that look like values of the column.
    """
    values: dict[Any, list[Any]] = {name: [*places.columns[name]] for name in names if name in places.names}
    argument, what, side = _ROLES[column]
    taken = name_in(names, column)
    if taken not in values:
        return ""
    likely = find_likely_columns(places).names.get(column, taken)
    usual = [name for name in USUAL_NAMES[column] if name != taken]
    other = next((name for name in (likely, *usual) if name in values and _differ(values[name], values[taken])), None)
    if other is None:
        return ""
    advice = f"; {argument}={likely!r} is more like {side}" if likely != taken else ""
    shown = [f"{name!r} (such as {show(values[name][0]):.60})" for name in (taken, other)]
    return f"{what} are taken from {shown[0]}, and not from {shown[1]}{advice}; {argument}= chooses another"


def _differ(values: list[Any], taken: list[Any]) -> bool:
    """Return whether most values are not those that are taken, nor in the list of these, nor have them in a list."""
    pairs = [(one, other) for one, other in zip(values, taken, strict=True) if one != other]
    n_apart = sum(not any(isinstance(b, list) and a in b for a, b in (pair, pair[::-1])) for pair in pairs)
    return 2 * n_apart > len(values)


@dataclass(frozen=True, slots=True)
class LikelyValues:
    """The values that may be predictions and golds in a file of no known kind, judged by some of its records.

    source: the file. columns: the places of the likely predictions and golds. places: the paths of all values.
    """

    source: ResultFile
    columns: LikelyColumns
    places: Sequence[Any]

    @staticmethod
    def of(source: ResultFile) -> LikelyValues:
        """Return the likely predictions and golds of a file."""
        places = _read_places(source, _records_in_lists)
        return LikelyValues(source, find_likely_columns(places), places.names)

    def kind(self, table: Kind, lists: str, *, needs_golds: bool) -> Kind | None:
        """Return the kind that reads the likely predictions and golds, and remark on them; None if they are uncertain.

        They are certain if predictions and golds are alike, or, without `needs_golds`, if one value has the name of
        predictions. If several values may equally be predictions, each record has a row for each of them. table: the
        plain kind to build on. lists: as in `read_results`. needs_golds: whether the golds stand in this file.
        """
        names: dict[str, Any] = dict(self.columns.names)
        several: list[Any] = self.columns.rivals
        gold = names.get("answers") if needs_golds else None
        if "response" not in names and not (several and needs_golds):
            return None
        if needs_golds and (gold is None or not self.columns.are_alike):
            return None
        preds = several or [names["response"]]
        taken = " and ".join([f"pred={each!r}" for each in preds] + [f"gold={gold!r}"] * needs_golds)
        rows = "; each record has a row for each of these predictions, whose name is its 'key'" * bool(several)
        remark = f"is of no known kind; by names and texts it is read as {taken}{rows}; pred= chooses another"
        self.source.remarks.append(remark)
        pred = None if several else preds[0]
        kind = with_own_names(table, self.source, pred, gold, lists)
        return with_row_for_each(kind, several, lists) if several else kind

    def remedy(self) -> str:
        """Return the advice on how to read the file, for the message of an error."""
        return self._say_by_id() or self._say_heading() or self._say_names()

    def _say_names(self) -> str:
        """Return the advice to name predictions and golds, with the places where they may be."""
        names, roles = self.columns.names, {*self.columns.names, *self.columns.uncertain_roles}
        record = self.source.first
        nulls = [name for name in USUAL_NAMES["answers"] if name in self.source.names and record[name] is None]
        empty = f" ({nulls[0]!r} is null in all records)" if {*nulls[:1]} - {*self.places} else ""
        gold = names.get("answers")
        if roles == {"answers"} and is_neutral(gold):
            return (
                f"If {gold!r} is the prediction, give pred={gold!r}, and the file of the golds as golds={empty}. "
                "If it is the gold, give the file of the predictions, and this one as golds="
            )
        parts = [str(self.columns)] if roles else []
        if "response" in names and "answers" not in roles:
            parts[0] += f", and nothing looks like golds{empty}, which may be in another file"
            several = next((each for each in self.places if _holds_several_questions(record, each)), None)
            parts[0] += f"; or make a record of each question, as {several!r} has several" * (several is not None)
        if self.columns.texts and "response" not in roles:
            parts.append(f"for pred, texts are in {', '.join(map(repr, self.columns.texts[:_FEW]))}")
        all_parts = "; ".join(["Name its values with pred= and gold=", *parts])
        return f"{all_parts}. If its golds stand in another file, give that as golds="

    def _say_by_id(self) -> str:
        """Return the advice for a file in which one value holds predictions by question id; "" for any other file."""
        place = next((name for name in self.source.names if are_by_id(self.source.first[name])), None)
        call = f"give pred={place!r}, and the data set with the golds as golds="
        return f"{place!r} has predictions by id: {call}" if place is not None else ""

    def _say_heading(self) -> str:
        """Return the advice to add a heading to a table whose first line seems to be a row; "" for any other file."""
        names = self.source.names if self.source.format in {"csv", "tsv"} else ()
        is_of_lines = len(names) == 1 and not self.columns.names
        if not is_of_lines and not any(len(name.split()) > _LONGEST_NAME or name.isdecimal() for name in names):
            return ""
        sep = "," if self.source.format == "csv" and len(names) > 1 else "\\t"
        columns = ["question_id", "question", "response"][-len(names) :]
        columns += [f"column_{number}" for number in range(len(columns) + 1, len(names) + 1)]
        table = f"pandas.read_csv(path, sep='{sep}', skip_blank_lines=False, header=None, names={columns})"
        return (
            "If its first line is a row and no heading, write it with one, with names in the order of its columns, as "
            f"{table}.to_csv('with_heading.csv', index=False) does, and give the golds as golds="
        )


def _holds_several_questions(record: Any, place: str) -> bool:
    """Return whether a record has a list of several items at a place whose name has a word such as "questions"."""
    value = _value_or_null(record, place)
    return isinstance(value, list) and len(value) > 1 and bool(words_of(place) & QUESTION_WORDS)


def _records_in_lists(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield the place and the value of each record, also of those that stand in lists inside an object."""
    return ((place, each) for place, value in source.records() for each in objects_in_lists(value))


def _read_places(source: ResultFile, read: _Records) -> Source:
    """Return a frame with a row for each of the first records, and a column for each path of a value in them.

    read: yields the records of the file.
    """
    some = [record for _, record in itertools.islice(_read_again(source, read), _RECORDS)]
    paths = dict.fromkeys(path for record in some for path in paths_in(record))
    values = {path: [_value_or_null(record, path) for record in some] for path in itertools.islice(paths, COLUMNS)}
    return read_source(pd.DataFrame(values, dtype=object))


def _read_again(source: ResultFile, read: _Records) -> Iterator[tuple[Place, Any]]:
    """Return an iterator over the records of a file from its beginning.

    Records that cannot be read are passed over and not counted, except in a JSON document.
    """
    trial = source if source.format == "json" else ResultFile(source.content, "skip")
    trial.heading = source.heading
    return iter(read(trial))


def _value_or_null(record: Any, path: str) -> Any:
    """Return the value at a path of a record; None if the record has no such path."""
    try:
        return value_at(record, path, "")
    except NameNotFoundError:
        return None
