"""Golds in another file than the predictions: read, and joined to the rows by id, by question or by order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from qa_frame.errors import ResultFileError, ResultFileWarning, plural, show, warn
from qa_frame.ext.files.containers import groups_in
from qa_frame.ext.files.harnesses.other_files import are_by_id, are_predictions_by_id, predictions_by_id
from qa_frame.ext.files.harnesses.plain import (
    PLAIN,
    PLAIN_CSV,
    has_written_golds,
    in_lower_case,
    kind_of_rows,
    records_of,
    rows_of_columns,
    with_own_names,
)
from qa_frame.ext.files.likely_values import LikelyValues
from qa_frame.ext.files.open_files import Content, UnusableRecordError
from qa_frame.ext.files.paths import Paths, find_files
from qa_frame.ext.files.recognise import fitting_kind, kind_of
from qa_frame.ext.files.record_fields import as_golds, as_texts, first_of, json_text, read_golds, value_at
from qa_frame.ext.files.records import Golds, Kind, Place, Reader, ResultFile, numbered
from qa_frame.frames.names import USUAL_NAMES, name_in
from qa_frame.tables.likely_columns import are_alike_by_chance

PlacedRow = tuple[Place, dict[str, Any]]
"""The place of a record, and a row that is made of it."""

_Row = tuple[str | None, str | None, Golds, str | None]
"""The id, the text, the golds and the dataset of a question."""

_ReadGolds = Callable[[Any], Golds | None]

_COLUMNS = ("question_id", "question")
_IDS = (*USUAL_NAMES["question_id"], "QuestionId")
_TEXTS = ("text", "value", "answer")
"""Names of an answer's text beside other values of it."""
_OF_A_ROW = ("model", "dataset", "key", "filter", "epoch", "sample")
"""The columns that tell rows of one question apart."""
_MOST_NAMED = 5


# --- the file of predictions: of any kind, or a table, or one object of predictions by id as official scripts take them


def kind_without_golds(source: ResultFile, kind: str | Reader | None, pred: str | None, lists: str) -> Kind:
    """Return the kind of a file of predictions; its records need no golds, as these stand in another file.

    kind, pred, lists: as in `read_results`.
    """
    found = _kind_of_predictions(source, kind, pred, lists)
    return replace(found, golds=lambda record: _own_golds(found, record))


def _kind_of_predictions(source: ResultFile, kind: str | Reader | None, pred: str | None, lists: str) -> Kind:
    """Return the kind by which a file of predictions is read. kind, pred, lists: as in `read_results`.

    The file may be one object of predictions by id, a table with a column of predictions, or of any kind that `kind_of`
    recognises.
    """
    below: Any = source.first.get(pred, {}) if kind is None and isinstance(source.first, dict) else {}
    if are_by_id(below):
        return _kind_by_id({"response": below})
    is_table = kind is None and pred is None and fitting_kind(source) is None
    if is_table and _has_responses(source):
        table = PLAIN_CSV if source.format in {"csv", "tsv"} else PLAIN
        return with_own_names(replace(table, records=_prediction_records), source, None, None, lists)
    if is_table and predictions_by_id(source):
        return _kind_by_id(predictions_by_id(source))
    return kind_of(source, kind, pred=pred, lists=lists, needs_golds=False)


def _own_golds(kind: Kind, record: Any) -> Golds | None:
    """Return the golds of a record in the file of predictions itself; None where it has none that can be read."""
    try:
        return kind.golds(record)
    except (UnusableRecordError, LookupError):
        return None


def has_predictions(source: ResultFile) -> bool:
    """Return whether a file is a table with predictions, or seems to be one object of predictions by id."""
    return _has_responses(source) or are_predictions_by_id(source)


def _has_responses(source: ResultFile) -> bool:
    """Return whether the first record, or one that stands below it, has a usual name of a prediction."""
    return _has_response(source.first) or any(group.has_records for group in groups_in(source.first, _has_response))


def _has_response(value: Any) -> bool:
    """Return whether a value is an object with a usual name of a prediction, in whatever case."""
    return isinstance(value, dict) and name_in(in_lower_case(value), "response") is not None


def _prediction_records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield the place and the value of each record of predictions, with usual names in lower case.

    If `output` is a list of objects with an `answer`, as in KILT, the first `answer` becomes the `output`, and the list
    becomes `output_in_file`.
    """
    for place, record in records_of(source, _has_response):
        output = record.get("output") if isinstance(record, dict) else None
        if isinstance(output, list) and output and isinstance(output[0], dict) and "answer" in output[0]:  # as KILT's
            record = {**record, "output": output[0]["answer"], "output_in_file": output}  # noqa: PLW2901
        yield place, in_lower_case(record)


def _kind_by_id(columns: dict[str, dict[str, Any]]) -> Kind:
    """Return the kind of a file whose columns are objects of values by question id.

    columns: by name of a column, its values by id. An id that a column lacks has null there.
    """

    def records(_: ResultFile) -> Iterator[tuple[Place, Any]]:
        for name in dict.fromkeys(itertools.chain(*columns.values())):
            yield f"id {name!r}", {"question_id": name, **{column: each.get(name) for column, each in columns.items()}}

    return kind_of_rows("by_id", records)


# --- the file of golds


@dataclass(frozen=True, slots=True)
class OtherGolds:
    """The golds of a data set, which stand in another file than the predictions.

    Attributes
    ----------
    name
        The paths of the files.
    rows
        The id, the text, the golds and the dataset of each question.
    n_left_out
        The number of records that cannot be read.
    """

    name: str
    rows: Sequence[_Row]
    n_left_out: int

    def positions_by(self, column: int, *, of_datasets: bool) -> dict[tuple[str | None, str | None], int]:
        """Return the position in `rows` of each question, by its id (column 0) or its text (column 1), and dataset.

        Raise ResultFileError if several rows have these in common, but different golds; with the same golds the first
        counts. of_datasets: whether datasets are told apart; else each is taken for None.
        """
        numbers: dict[tuple[str | None, str | None], int] = {}
        for number, row in enumerate(self.rows):
            name: Any = row[column]
            key = name, row[3] if of_datasets else None
            if name is not None and self.rows[numbers.setdefault(key, number)][2] != row[2]:
                finding = f": {_COLUMNS[column]} {show(name)} stands twice in {self.name}, with other golds"
                raise ResultFileError.of("golds", finding, "keep one, or name the dataset of each in both files")
        return numbers


def read_other_golds(paths: Paths, gold: str | None, on_bad_lines: str) -> OtherGolds:
    """Return the golds that files hold. Raise ResultFileError if a file holds none.

    gold: the place of the golds in a record, if it is not a usual one. on_bad_lines: as in `read_results`.
    """
    rows: list[_Row] = []
    n_left_out = 0
    names = [str(file.path) for file in find_files(paths, argument="golds")[0]]
    for name in names:
        source = ResultFile(Content(Path(name)), on_bad_lines)
        rows += _rows_of_golds(source, gold)
        n_left_out += source.n_rejected
        if source.n_rejected and on_bad_lines == "warn":
            left_out = f"{plural(source.n_rejected, 'record')} left out, first {source.first_rejected}"
            warn(f"golds={name!r}: {left_out}", ResultFileWarning)
    return OtherGolds(", ".join(names), rows, n_left_out)


def _rows_of_golds(source: ResultFile, gold: str | None) -> list[_Row]:
    """Return the id, the text and the golds of each question of a file. Raise ResultFileError if it has no golds.

    The golds may stand in or below the file's records, in columns of one JSON object, or in one object by id.
    """
    by_id = {} if gold else predictions_by_id(source).get("response", {})
    of_ids = [{"question_id": name, "answers": golds} for name, golds in by_id.items()]
    read = read_golds if has_written_golds(source, gold) else as_golds
    for records in (source.records(), numbered("row", rows_of_columns(source) or []), numbered("id", of_ids)):
        rows = [row for place, value in records for row in _rows_below(source, place, value, gold, read)]
        if rows:
            return rows
    if source.n_rejected:
        raise ResultFileError.of("", f"{source.path}, {source.first_rejected}; no gold can be read", source.remedy)
    finding = "holds no golds under a usual name" if gold is None else f"has no {show(gold)} in any record"
    likely = {} if gold is not None else LikelyValues.of(source).columns.names
    place = repr(likely["answers"]) if "answers" in likely else ""
    raise ResultFileError.of("golds", finding, f"name the place of the golds with gold={place}", value=str(source.path))


def _rows_below(source: ResultFile, place: Place, value: Any, gold: str | None, read: _ReadGolds) -> Iterator[_Row]:
    """Yield the id, the text and the golds of each object with golds in a value or below it.

    An object whose golds cannot be read is rejected at `place`. gold: as in `_objects_with_golds`. read: turns golds
    into texts, as `as_golds` does.
    """
    for record in _objects_with_golds(value, gold):
        key, question = first_of(record, *_IDS), first_of(record, *USUAL_NAMES["question"])
        try:
            golds = [each for each in _answers_in(_written_golds(record, gold), read) if each is not None]
            yield json_text(key), json_text(question), golds, json_text(first_of(record, *USUAL_NAMES["dataset"]))
        except UnusableRecordError as error:
            source.reject(place, error)


def _objects_with_golds(value: Any, gold: str | None) -> Iterator[dict[str, Any]]:
    """Yield the objects that have golds, with usual names in lower case: a value itself, or else those below it.

    gold: the place of the golds in such an object, if it is not a usual one.
    """
    if isinstance(value, dict):
        lower = in_lower_case(value)
        if not isinstance(_written_golds(lower, gold), _NoGolds):
            yield lower
            return
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, dict | list):
            yield from _objects_with_golds(each, gold)


class _NoGolds:
    """The value of `_written_golds` for an object that has none, as None may be what it has."""


def _written_golds(record: dict[str, Any], gold: str | None) -> Any:
    """Return the golds of an object as they are written there; `_NoGolds` if it has none.

    In DROP these are the golds of all annotators, in KILT the list `output`. gold: their place, if it is not a usual
    one.
    """
    if gold is not None:
        try:
            return value_at(record, gold, "gold")
        except UnusableRecordError:
            return _NoGolds()
    name = name_in(record, "answers")
    if name is None:
        output = record.get("output")
        return output if isinstance(output, list) and any(map(_holds_answer, output)) else _NoGolds()  # as in KILT
    value = record[name]
    if isinstance(value, dict) and not _holds_answer(value):
        return _NoGolds()
    return [value, *(record.get("validated_answers") or [])] if _is_of_drop(value) else value


def _holds_answer(value: Any) -> bool:
    """Return whether a value is an object that is one answer: of DROP, or with a text under one of `_TEXTS`."""
    return isinstance(value, dict) and (_is_of_drop(value) or not {*_TEXTS}.isdisjoint(map(str.lower, value)))


def _is_of_drop(value: Any) -> bool:
    """Return whether a value is an answer as DROP writes it: an object with a number, spans and a date."""
    return isinstance(value, dict) and {"number", "spans", "date"} <= value.keys()


def _answers_in(value: Any, read: _ReadGolds) -> list[Any]:
    """Return the answers that golds hold, with their aliases. An answer of several spans is a list.

    value: the golds as they are written in the file. read: turns golds that are no objects into texts, as `as_golds`
    does.
    """
    if isinstance(value, list) and any(isinstance(each, dict) for each in value):
        return [answer for each in value if _holds_answer(each) for answer in _answers_in(each, read)]
    if not _holds_answer(value):
        return [*(read(value) or [])]
    if _is_of_drop(value):
        date = " ".join(filter(None, map(value["date"].get, ("day", "month", "year"))))
        spans = as_texts(value["spans"] or value["number"] or date)
        return [spans if len(spans) > 1 else spans[0]]
    lower = {name.lower(): each for name, each in value.items()}
    return list(dict.fromkeys(as_texts(first_of(lower, *_TEXTS)) + as_texts(lower.get("aliases") or [])))


# --- both


def join_golds(rows: list[PlacedRow], golds: OtherGolds, source: ResultFile) -> list[PlacedRow]:
    """Return the rows with the golds of another file, joined by id, by the question's text, or by order.

    The rows are changed in place. Their own golds move to `answers_in_file`, a row without a partner has null golds,
    and a row without a question gets that of its golds. `source.notes` gets the paths of the golds, how many rows have
    a partner, and what joins them. `source.remarks` gets rows and golds without a partner, and rows of one question
    that no column tells apart.

    Raises
    ------
    ResultFileError
        If no row has a partner, if a question has two different golds, or if rows joined by order resemble their golds
        no more than the golds of other rows.
    """
    by, partners = _find_partners(rows, golds, n_left_out=source.n_rejected + golds.n_left_out)
    if not any(partner is not None for partner in partners):
        keys = [next((show(row[0] or row[1]) for row in some), "none") for some in (_keys_of(rows), golds.rows)]
        first = (
            f"the first of {plural(len(rows), 'row')} is of {keys[0]}, of {plural(len(golds.rows), 'gold')} {keys[1]}"
        )
        finding = f"{source.path}: none of its rows has golds in golds={golds.name!r}: {first}"
        remedy = "give the golds of these questions: by id, by the question's text, or without both, all in one order"
        raise ResultFileError.of("", finding, remedy)
    _check_partners(rows, partners, by, golds, source)
    for (_, row), partner in zip(rows, partners, strict=True):
        if row.get("answers") is not None:
            row["answers_in_file"] = row["answers"]
        row["answers"] = None
        if partner is not None:
            _, question, row["answers"], _ = golds.rows[partner]
            row["question"] = row.get("question") or question
    column = _COLUMNS.index(by) if by in _COLUMNS else 0
    joined = {golds.rows[partner][column] for partner in partners if partner is not None}
    source.notes = {"golds": golds.name, "joined": len(rows) - partners.count(None), "joined_by": by}
    if by == "order":
        source.remarks.append("rows and golds were joined by their order, as not both files have ids or questions")
    alone = [key[0] or key[1] for key, partner in zip(_keys_of(rows), partners, strict=True) if partner is None]
    unused = [row[0] or row[1] for row in golds.rows if row[column] not in joined]
    wrong = "; such golds are in no mean, unless you add rows with a null prediction, which count as wrong"
    for some, what, lack, effect in ((alone, "row", "golds", ""), (unused, "gold", "a row", wrong)):
        if some:
            shown = ", ".join(map(show, some[:_MOST_NAMED])) + ", ..." * (len(some) > _MOST_NAMED)
            source.remarks.append(f"{plural(len(some), what)} without {lack} in the other file: {shown}{effect}")
    return rows


def _keys_of(rows: list[PlacedRow]) -> list[tuple[str | None, ...]]:
    """Return the id, the text and the dataset of each row's question, each None where it is missing."""
    return [tuple(json_text(row.get(name)) for name in (*_COLUMNS, "dataset")) for _, row in rows]


def _find_partners(rows: list[PlacedRow], golds: OtherGolds, n_left_out: int) -> tuple[str, list[int | None]]:
    """Return what joins rows and golds, and for each row the position of its golds in `golds.rows` or None.

    What joins them is "question_id", "question" or "order"; it is "" if nothing does. The order counts only if the
    files do not both have ids, nor both have questions, no record was left out, and they have equally many records.
    n_left_out: the number of records left out of both files.
    """
    keys = _keys_of(rows)
    of_datasets = bool({key[2] for key in keys} & {row[3] for row in golds.rows} - {None})
    for column, name in enumerate(_COLUMNS):
        if {key[column] for key in keys} & {row[column] for row in golds.rows} - {None}:
            numbers = golds.positions_by(column, of_datasets=of_datasets)
            of_all = [numbers.get((key[column], None)) if key[column] else None for key in keys]
            partners = [numbers.get((key[column], key[2]), any_) for key, any_ in zip(keys, of_all, strict=True)]
            if column or not _have_other_texts(keys, partners, golds):
                return name, partners if column else _with_texts_alike(keys, partners, golds)
    records = {place: number for number, place in enumerate(dict.fromkeys(place for place, _ in rows))}
    share_a_name = any(any(key[column] for key in keys) and any(row[column] for row in golds.rows) for column in (0, 1))
    if share_a_name or n_left_out or len(records) != len(golds.rows):
        return "", [None] * len(rows)
    return "order", [records[place] for place, _ in rows]


def _have_other_texts(keys: list[tuple[str | None, ...]], partners: list[int | None], golds: OtherGolds) -> bool:
    """Return whether the ids seem to join the wrong questions.

    That is so if more than a tenth of the joined rows have another text than the gold with their id, and one that
    another gold has.
    """
    texts = {row[1] for row in golds.rows}
    joined = [(key[1], golds.rows[number][1]) for key, number in zip(keys, partners, strict=True) if number is not None]
    return 10 * sum(mine != other and mine in texts for mine, other in joined if mine) > len(joined)


def _with_texts_alike(
    keys: list[tuple[str | None, ...]], partners: list[int | None], golds: OtherGolds
) -> list[int | None]:
    """Return the partners of rows that were joined by id, but for rows whose question has another text.

    Such a row gets the golds of its text, where another question has that. It has no partner if rows of several
    datasets have its id. Else the id decides, as texts may be written in other ways.
    """
    by_text = {row[1]: number for number, row in reversed([*enumerate(golds.rows)])}
    datasets_of: dict[str | None, set[str | None]] = {}
    for key in keys:
        datasets_of.setdefault(key[0], set()).add(key[2])
    mended = []
    for key, partner in zip(keys, partners, strict=True):
        known = by_text.get(key[1], None if len(datasets_of[key[0]]) > 1 else partner)
        mended.append(known if partner is not None and _is_other_text(key, golds.rows[partner]) else partner)
    return mended


def _is_other_text(key: tuple[str | None, ...], row: _Row) -> bool:
    """Return whether the texts of a row's question and of golds are both known, and differ."""
    return key[1] is not None and row[1] not in {None, key[1]}


def _check_partners(
    rows: list[PlacedRow], partners: list[int | None], by: str, golds: OtherGolds, source: ResultFile
) -> None:
    """Remark on rows of one question that no column tells apart, and on golds that seem to be of other questions.

    Raise ResultFileError if golds that were joined by order seem to be of other questions. partners: by row, the
    position of its golds, or None. by: what joins them.
    """
    joined = [(row, partner) for (_, row), partner in zip(rows, partners, strict=True) if partner is not None]
    n_distinct = len({(partner, *(str(row.get(name)) for name in _OF_A_ROW)) for row, partner in joined})
    if n_distinct < len(joined):
        again = plural(len(joined) - n_distinct, "row")
        source.remarks.append(
            f"{again} more than one of a question, which no column tells apart; if they are of several models or "
            f"samples, name these in a column such as {_OF_A_ROW[0]!r}"
        )
    pairs = ((row.get("question"), golds.rows[number][1]) for row, number in joined)
    others = [pair for pair in pairs if None not in pair and pair[0] != pair[1]]
    if others:
        shown = " and ".join(f"{show(text):.60}" for text in others[0])
        source.remarks.append(
            f"{len(others):,} of {plural(len(joined), 'row')} that were joined by {by} have another text of the "
            f"question than their golds, first {shown}"
        )
    if not are_alike_by_chance([row["response"] for row, _ in joined], [golds.rows[number][2] for _, number in joined]):
        return
    finding = f"predictions are no more like the golds of their row in golds={golds.name!r} than like those of others"
    remedy = "give both files the ids of the questions, or their texts"
    if by == "order":
        raise ResultFileError.of("", f"{source.path}: joined by order, {finding}", remedy)
    source.remarks.append(f"{finding}: look whether {by!r} is of the same questions in both files")
