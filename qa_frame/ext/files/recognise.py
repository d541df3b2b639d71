"""Which harness wrote a file: all kinds of result files, and the first that fits.

Every `Kind` and `Refusal` that a module of `harnesses` has by name is found here. No two kinds fit one file, so that
their order does not matter; only tables with usual names come last, as a harness may use such names, too.
"""

from __future__ import annotations

import importlib
import itertools
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pandas as pd

from qa_frame.errors import ResultFileError, UnknownOptionError, show
from qa_frame.ext.files import harnesses
from qa_frame.ext.files.containers import objects_in_lists
from qa_frame.ext.files.harnesses.plain import PLAIN, PLAIN_CSV, kind_of_rows
from qa_frame.ext.files.open_files import NameNotFoundError
from qa_frame.ext.files.record_fields import paths_in, value_at
from qa_frame.ext.files.records import Kind, Place, Reader, Refusal, ResultFile
from qa_frame.ext.files.zips import JsonZip
from qa_frame.frames.names import USUAL_NAMES
from qa_frame.frames.source import Source, read_source
from qa_frame.tables.likely_columns import COLUMNS, likely_in


def _named_in_modules() -> Iterator[Any]:
    """Yield what the modules of `harnesses` have by name, in the order of the modules' names."""
    for module in sorted(module.name for module in pkgutil.iter_modules(harnesses.__path__)):
        yield from vars(importlib.import_module(f"{harnesses.__name__}.{module}")).values()


_NAMED = [*_named_in_modules()]

_PLAIN = (PLAIN.name, PLAIN_CSV.name)
_BY_NAME = {each.name: each for each in _NAMED if isinstance(each, Kind)}
KINDS: dict[str, Kind] = {name: _BY_NAME[name] for name in (*sorted(_BY_NAME.keys() - _PLAIN), *_PLAIN)}
"""All kinds by name, in the order in which they are tried."""

REFUSALS: tuple[Refusal, ...] = tuple(each for each in _NAMED if isinstance(each, Refusal))


def _kind_of_reader(read: Reader) -> Kind:
    """Return the kind of files whose records become rows by a function of the user's."""
    name = getattr(read, "__name__", type(read).__name__)

    def records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
        if source.format == "zip":
            finding = f"{source.path} is a zip, whose members kind={name} does not get"
            raise ResultFileError.of("", finding, "unpack it and give its files")
        for place, record in source.records():
            try:
                rows = read(record)
            except Exception as error:  # noqa: BLE001  (whatever comes up in code of the user's)
                source.reject(place, f"cannot be read by kind={name} ({type(error).__name__}: {error})")
                continue
            for row in [rows] if isinstance(rows, dict) else rows if isinstance(rows, list) else [None]:
                if not isinstance(row, dict):
                    finding = f"kind={name} gives {type(rows).__name__!s} for a record of {source.path}"
                    remedy = "let it give a dict with 'response' and 'answers', or a list of such dicts"
                    raise UnknownOptionError.of("", finding, remedy)
                yield place, row

    return kind_of_rows(name, records)


def fitting_kind(source: ResultFile, kind: str | Reader | None = None) -> Kind | None:
    """Return the kind that a file is of, if it is of a known kind, and of `kind` if that is given."""
    kinds = [KINDS[kind]] if isinstance(kind, str) else KINDS.values()
    return next((each for each in kinds if each.is_this(source)), None)


def kind_of(source: ResultFile, kind: str | Reader | None = None, *, are_named: bool = False) -> Kind:
    """Return the kind of a file, which is `kind` if that is given. Raise ResultFileError if the file is not of it.

    are_named: the caller names the prediction or the gold, so that a file of no known kind is a plain table.
    """
    if callable(kind):
        return _kind_of_reader(kind)
    if source.format != "zip" and not source.first:
        raise ResultFileError(f"{source.path} holds no records: its run may have failed")
    fitting = fitting_kind(source, kind)
    if fitting is not None:
        if kind is None and fitting.name in _PLAIN and not are_named:
            _remark_on_predictions(source, fitting)
        return fitting
    for refusal in REFUSALS:
        if refusal.is_this(source) and not (are_named and refusal.may_be_table):
            raise ResultFileError(f"{source.path} {refusal.remedy}")
    if are_named and kind is None and source.names:
        return PLAIN_CSV if source.format in {"csv", "tsv"} else PLAIN
    record = objects_in_lists(source.first)[0]
    names = sorted(map(str, record)) if isinstance(record, dict) else []
    holds = f"its first record has the names {names!s:.300}" if names else f"a {source.format} without names"
    if kind is not None:
        other = fitting_kind(source)
        remedy = f"kind={other.name!r} fits; or leave kind out" if other else "leave kind out if it is another"
        raise ResultFileError.of("", f"{source.path} is not of kind={kind!r}: {holds}", remedy)
    if source.format == "zip":
        members = ", ".join(map(repr, JsonZip(source.content).names[:5]))
        finding = f"{source.path} is a zip of several files and of no known kind; it begins with {members}"
        raise ResultFileError.of("", finding, "unpack it, and give its folder")
    likely = _say_likely(source)
    two_files = "If its golds stand in another file, give that as golds="
    remedy = f"Name its values with pred= and gold={likely}. {two_files}. The known kinds are {list(KINDS)}"
    raise ResultFileError.of("", f"{source.path} is of no known kind: {holds}", remedy)


# --- which values of a file are predictions and golds

_RECORDS = 2000
"""Of so many records, some tell what a file holds."""
_Records = Callable[[ResultFile], Iterable[tuple[Place, Any]]]


def _say_likely(source: ResultFile) -> str:
    """Say where in its records a file seems to hold predictions and golds."""
    likely = likely_in(_read_places(source, _records_in_lists))
    if "response" in likely.names and "answers" not in {*likely.names, *likely.doubts}:
        return f"; {likely}, and nothing looks like golds, which may be in another file"
    return f"; {likely}" if str(likely) else ", such as pred='output.text'"


def _records_in_lists(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    return ((place, each) for place, value in source.records() for each in objects_in_lists(value))


def _read_places(source: ResultFile, read: _Records) -> Source:
    """Return the values at each path in some records, as the columns of a frame."""
    some = [record for _, record in itertools.islice(_read_again(source, read), _RECORDS)]
    paths = dict.fromkeys(path for record in some for path in paths_in(record))
    values = {path: [_value_or_null(record, path) for record in some] for path in itertools.islice(paths, COLUMNS)}
    return read_source(pd.DataFrame(values, dtype=object))


def _read_again(source: ResultFile, read: _Records) -> Iterator[tuple[Place, Any]]:
    trial = source if source.format == "json" else ResultFile(source.content, "skip")
    trial.n_headings = source.n_headings
    return iter(read(trial))


def _value_or_null(record: Any, path: str) -> Any:
    try:
        return value_at(record, path, "")
    except NameNotFoundError:
        return None


def _remark_on_predictions(source: ResultFile, kind: Kind) -> None:
    """Remark which values become the predictions of a plain table, where several have a usual name."""
    _, first = next(_read_again(source, kind.records), (None, None))
    names = [name for name in USUAL_NAMES["response"] if isinstance(first, dict) and name in first]
    if len(names) < 2:
        return
    places = _read_places(source, kind.records)
    values: dict[str, list[Any]] = {name: list(places.columns[name]) for name in names if name in places.names}
    taken = values.pop(names[0], [])
    texts = {
        name: each
        for name, each in values.items()
        if each != taken and {*map(type, each)} & {str, list, int, float, bool}
    }
    if taken and texts:
        other, (value, *_) = next(iter(texts.items()))
        likely = likely_in(places).names.get("response", names[0])
        advice = f"; pred={likely!r} is more like its golds" if likely != names[0] else ""
        source.remarks.append(
            f"{names[0]!r} is taken for the prediction (such as {show(taken[0]):.60}), and not {other!r} (such as "
            f"{show(value):.60}){advice}; pred= chooses another"
        )
