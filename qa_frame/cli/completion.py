"""What the shell proposes as values of options: conventions, metrics, and the choices of other parameters."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Callable
from typing import Any, Literal

import click
import pandas as pd

import qa_frame

Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def of(function: Callable[..., Any], name: str) -> Complete:
    """Return what proposes the values of a function's parameter."""
    if name == "convention":
        return lambda _context, _option, begun: _beginning(begun, qa_frame.conventions)
    if name == "metrics":
        return _metrics
    return lambda _context, _option, begun: _beginning(begun, choices(function, name))


def conventions(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    """Return the names of conventions that begin so."""
    return _beginning(begun, qa_frame.conventions)


@functools.cache
def choices(function: Callable[..., Any], name: str) -> tuple[str, ...]:
    """Return the texts that a parameter's type allows; none where it allows any."""
    alone = types.SimpleNamespace(__annotations__={name: function.__annotations__[name]})
    try:
        return tuple(_literals(typing.get_type_hints(alone, function.__globals__)[name]))
    except NameError:  # a type that only type checkers import: keys, which may be any column
        return ()


def _literals(kind: Any) -> list[str]:
    if typing.get_origin(kind) is Literal:
        return [value for value in typing.get_args(kind) if isinstance(value, str)]
    return [value for each in typing.get_args(kind) for value in _literals(each)]


def _metrics(context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    """Complete the last name of a list such as `em,f`."""
    before, comma, last = begun.rpartition(",")
    empty = pd.DataFrame({"response": pd.Series(dtype=str), "answers": pd.Series(dtype=str)})
    convention = context.params.get("convention") or next(iter(qa_frame.conventions))  # the default
    names = [*qa_frame.score(empty, "response", "answers", metrics="all", convention=convention, append=False), "all"]
    return [before + comma + name for name in _beginning(last, names)]


def _beginning(begun: str, names: Any) -> list[str]:
    return [str(name) for name in names if str(name).startswith(begun)]
