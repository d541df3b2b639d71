"""Sums of rows ⇄ plain dicts, lists and arrays: what a pickled Pool holds, so that modules may move meanwhile."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from qa_frame.stats.grouping import GroupValues
from qa_frame.stats.rows import KeptUnits
from qa_frame.stats.samples import Passes
from qa_frame.stats.statistic import Statistic, StatisticSums
from qa_frame.stats.sums import Facts, Sums
from qa_frame.tables.same_questions import Mixed

_PARTS: tuple[type, ...] = (Sums, Facts, GroupValues, StatisticSums, KeptUnits, Mixed, Passes)


def as_plain(value: Any) -> Any:
    """Return a value whose parts of ours are plain: `("object", name of the class, fields)`."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        values = {each.name: as_plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
        return "object", type(value).__name__, values
    if isinstance(value, tuple):
        return "tuple", [*map(as_plain, value)]
    if isinstance(value, Mapping):
        return {name: as_plain(each) for name, each in value.items()}
    return [*map(as_plain, value)] if isinstance(value, list) else value


def from_plain(value: Any) -> Any:
    """Return what `as_plain` was given."""
    if isinstance(value, tuple):
        if value[0] == "tuple":
            return tuple(map(from_plain, value[1]))
        return _find_class(value[1])(**from_plain(value[2]))
    if isinstance(value, dict):
        return {name: from_plain(each) for name, each in value.items()}
    return [*map(from_plain, value)] if isinstance(value, list) else value


def _find_class(name: str) -> type:
    return next(each for each in (*_PARTS, *_subclasses(Statistic)) if each.__name__ == name)


def _subclasses(of: type) -> Iterator[type]:
    """Yield the classes that modules have. A dataclass with slots is a copy, whose original is a subclass, too."""
    found: list[type] = of.__subclasses__()
    for each in found:
        if getattr(sys.modules[each.__module__], each.__name__, None) is each:
            yield each
        yield from _subclasses(each)
