"""The checked arguments of `report`, which travel together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from qa_frame.checks import Correction, is_equal
from qa_frame.errors import plural, show

_NAMING = ("metrics", "rank_by", "margin", "by", "question", "within", "human", "macro", "cluster")


@dataclass(frozen=True, slots=True)
class ReportArguments:
    """The arguments of `report` that say what the page shows, each with the default that it has there."""

    by: Any
    question: Any = None
    samples: bool = False
    within: Any = None
    metrics: Any = None
    rank_by: str | None = None
    title: str | None = None
    human: Any = None
    macro: Any = None
    baseline: Any = None
    margin: Any = None
    cluster: Any = None
    correction: Correction = "holm"
    ci: float = 0.95

    def renamed(self, names: Mapping[str, str]) -> ReportArguments:
        """Return the arguments with other names of columns. names: the new name of each column that has one."""
        return replace(self, **{name: _rename(names, getattr(self, name)) for name in _NAMING})

    def as_written(self) -> str:
        """Return the arguments that differ from their defaults, as they are written in a call."""
        values = [(each.name, getattr(self, each.name), each.default) for each in fields(self)]
        return ", ".join(f"{name}={show(value)}" for name, value, usual in values if not is_equal(value, usual))


def _rename(names: Mapping[str, str], argument: Any) -> Any:
    """Return the value of an argument with new names of columns: one name, several, or values by name."""
    if isinstance(argument, Mapping):
        return {_rename(names, name): value for name, value in argument.items()}
    if isinstance(argument, tuple | list):
        return type(argument)(_rename(names, each) for each in argument)
    return names.get(argument, argument) if isinstance(argument, str) else argument


def cut(text: str, most: int) -> str:
    """Return the text, cut after `most` characters. It then ends with the number of characters that are left out."""
    return text if len(text) <= most else f"{text[:most]} … ({plural(len(text) - most, 'more character')})"
