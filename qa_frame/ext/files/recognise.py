"""Which harness wrote a file: all kinds of result files, and the first that fits.

Every `Kind` that a module of `harnesses` has by name is found here. No two kinds fit one file, so that their order does
not matter; only tables with usual names come last, as a harness may use such names, too.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

from qa_frame.errors import ResultFileError, UnknownOptionError
from qa_frame.ext.files import harnesses
from qa_frame.ext.files.containers import objects_in_lists
from qa_frame.ext.files.harnesses.other_files import describe_other_file
from qa_frame.ext.files.harnesses.plain import PLAIN, PLAIN_CSV, kind_of_rows, with_own_names
from qa_frame.ext.files.likely_values import LikelyValues, remark_on_names
from qa_frame.ext.files.records import Kind, Place, Reader, ResultFile
from qa_frame.ext.files.zips import JsonZip


def _named_in_modules() -> Iterator[Any]:
    """Yield every module-level value in the modules of `harnesses`, module after module in alphabetical order."""
    for module in sorted(module.name for module in pkgutil.iter_modules(harnesses.__path__)):
        yield from vars(importlib.import_module(f"{harnesses.__name__}.{module}")).values()


_PLAIN = (PLAIN.name, PLAIN_CSV.name)
_BY_NAME = {each.name: each for each in _named_in_modules() if isinstance(each, Kind)}
KINDS: dict[str, Kind] = {name: _BY_NAME[name] for name in (*sorted(_BY_NAME.keys() - _PLAIN), *_PLAIN)}
"""All kinds by name, in the order in which they are tried."""


def _kind_of_reader(read: Reader) -> Kind:
    """Return the kind whose records become rows by a function of the user's.

    A record for which the function raises an error is rejected. The kind raises UnknownOptionError if the function
    returns something other than a dict or a list of dicts, and ResultFileError for a zip.
    """
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
    """Return the first known kind that recognises a file; None if none does.

    kind: the name of the only kind to try. None tries all kinds, and so does a function.
    """
    kinds = [KINDS[kind]] if isinstance(kind, str) else KINDS.values()
    return next((each for each in kinds if each.is_this(source)), None)


def kind_of(
    source: ResultFile,
    kind: str | Reader | None = None,
    *,
    pred: str | None = None,
    gold: str | None = None,
    lists: str = "spans",
    needs_golds: bool = True,
) -> Kind:
    """Return the kind by which a file is read. Raise ResultFileError if it is not of `kind`, or of no kind at all.

    A file of no known kind is a plain table if `pred` or `gold` is given, or if its texts show which values are
    predictions and golds. kind, pred, gold, lists: as in `read_results`. needs_golds: whether the golds stand in this
    file.
    """
    if callable(kind):
        return with_own_names(_kind_of_reader(kind), source, pred, gold, lists)
    if source.format != "zip" and not source.first:
        raise ResultFileError(f"{source.path} holds no records: its run may have failed")
    are_named = pred is not None or gold is not None
    fitting = fitting_kind(source, kind)
    if fitting is not None:
        if kind is None and fitting.name in _PLAIN and not are_named:
            remark_on_names(source, fitting)
        return with_own_names(fitting, source, pred, gold, lists)
    other = describe_other_file(source, are_named=are_named)
    if other:
        raise ResultFileError(f"{source.path} {other}")
    table = PLAIN_CSV if source.format in {"csv", "tsv"} else PLAIN
    if are_named and kind is None and source.names:
        return with_own_names(table, source, pred, gold, lists)
    likely = None if kind is not None or source.format == "zip" else LikelyValues.of(source)
    by_texts = None if likely is None else likely.kind(table, lists, needs_golds=needs_golds)
    if by_texts is None:
        raise _error_of_kind(source, kind, likely)
    return by_texts


def _error_of_kind(source: ResultFile, kind: str | None, likely: LikelyValues | None) -> ResultFileError:
    """Return the error for a file that is not of the kind that the caller named, or of no known kind.

    likely: the values of the file that may be predictions and golds; None for a zip, or where a kind is named.
    """
    record = objects_in_lists(source.first)[0]
    names = sorted(map(str, record)) if isinstance(record, dict) else []
    holds = f"its first record has the names {names!s:.300}" if names else f"a {source.format} without names"
    if kind is not None:
        other = fitting_kind(source)
        remedy = f"kind={other.name!r} fits; or leave kind out" if other else "leave kind out if it is another"
        return ResultFileError.of("", f"{source.path} is not of kind={kind!r}: {holds}", remedy)
    if likely is None:
        members = ", ".join(map(repr, JsonZip(source.content).names[:5]))
        finding = f"{source.path} is a zip of several files and of no known kind; it begins with {members}"
        return ResultFileError.of("", finding, "unpack it, and give its folder")
    remedy = f"{likely.remedy()}. The known kinds are {list(KINDS)}"
    return ResultFileError.of("", f"{source.path} is of no known kind: {holds}", remedy)
