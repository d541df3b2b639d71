"""The settings of a convention as a short description for a reader, and as a digest that tells any two apart."""

from __future__ import annotations

import hashlib
import pickle
import re
from dataclasses import fields, is_dataclass
from functools import partial
from types import CellType, CodeType
from typing import TYPE_CHECKING, Any, TypeGuard

from qa_frame.text.specification import Blank, Delete, Drop, Replace, Space, Text

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_FEW_WORDS = 12
_ADDRESS = re.compile(" at 0x[0-9A-Fa-f]+")


def all_settings(part: DataclassInstance) -> dict[str, Any]:
    """Return all settings of a convention or a part of one, by name."""
    return {field.name: getattr(part, field.name) for field in fields(part)}


def changed_settings(part: DataclassInstance) -> dict[str, Any]:
    """Return the settings that are not at their defaults. Functions are always among them.

    Descriptions, digests and stored rules hold these alone. So they stay the same where a part gets a new setting.
    """
    default = {field.name: field.default for field in fields(part)}
    settings = all_settings(part).items()
    return {name: value for name, value in settings if callable(value) or value != default[name]}


def describe(value: object, *, with_defaults: bool = False) -> str:
    """Return the setting in few words. Long lists of words, and functions, are only named: two settings may look alike.

    with_defaults: also name the settings of a part that are at their defaults.
    """
    words = partial(describe, with_defaults=with_defaults)
    if isinstance(value, Blank | Drop | Delete | Space | Replace):
        return _describe_step(value)
    if isinstance(value, Text):
        return ">".join(map(words, (*value.steps, value.split)))
    if is_part(value):
        settings = all_settings(value) if with_defaults else changed_settings(value)
        named = ",".join(f"{name}={words(setting)}" for name, setting in settings.items())
        return f"({named})" if settings else "as counted"
    if isinstance(value, tuple):
        return f"({' '.join(map(words, value))})" if value else "none"
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__qualname__))
    return "none" if value is None else str(value)


def _describe_step(step: Blank | Drop | Delete | Space | Replace) -> str:
    """Return how a signature names a step that has settings."""
    if isinstance(step, Delete | Space):
        shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in step.characters)
        return f"{type(step).__name__.lower()}({shown})"
    if isinstance(step, Replace):
        return f"replace({step.pattern!r},{step.by!r})"
    words = " ".join(step.words) if len(step.words) <= _FEW_WORDS else f"{len(step.words)} words"
    return f"{type(step).__name__.lower()}({words})"


def digest(value: object) -> str:
    """Return twelve hexadecimal digits, the same for equal settings in any process."""
    return hashlib.sha256(repr(_as_tuples(value)).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def is_part(value: Any) -> TypeGuard[DataclassInstance]:
    """Return whether the value is a convention or a part of one, and not a tokeniser that happens to be a dataclass."""
    return is_dataclass(value) and not isinstance(value, type) and not callable(value)


def _as_tuples(value: object, within: tuple[int, ...] = ()) -> object:
    """Return the setting as nested tuples, without what is at its default.

    Their `repr` is the same for equal settings in any process.

    Parameters
    ----------
    value
        A convention, a part of one, or anything that a function captures.
    within
        The ids of the functions that hold the value, from the outermost on.
    """
    if is_part(value):
        settings = changed_settings(value).items()
        return type(value).__name__, *((name, _as_tuples(setting, within)) for name, setting in settings)
    if isinstance(value, tuple | list):
        return type(value).__name__, *(_as_tuples(part, within) for part in value)
    if isinstance(value, set | frozenset):  # the order of its items differs from process to process
        return type(value).__name__, *sorted(repr(_as_tuples(part, within)) for part in value)
    if isinstance(value, CodeType):
        return value.co_code, value.co_names, _as_tuples(value.co_consts, within)
    if isinstance(value, partial):
        return "partial", _as_tuples([value.func, value.args, sorted(value.keywords.items())], within)
    return _function_as_tuples(value, within) if hasattr(value, "__code__") else _object_as_tuples(value)


def _function_as_tuples(function: Any, within: tuple[int, ...]) -> object:
    """Return a function as tuples: its name, its code, its defaults, its owner and the values that it captures.

    within: as for `_as_tuples`.
    """
    if id(function) in within:  # it captures itself
        return "itself"
    within = (*within, id(function))
    cells = getattr(function, "__closure__", None) or ()
    captured = [cell.cell_contents for cell in cells if cell != CellType()]  # an empty cell has no contents yet
    bound = [getattr(function, name, None) for name in ("__module__", "__qualname__", "__defaults__", "__kwdefaults__")]
    owner = getattr(function, "__self__", None)
    return _as_tuples(bound, within), _object_as_tuples(owner), _as_tuples([function.__code__, *captured], within)


def _object_as_tuples(value: object) -> object:
    """Return the `repr` of a plain value, or what stands for any other object.

    This is the digest of its pickle, or its `repr` and those of its attributes if it cannot be pickled.
    """
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value)
    try:
        return type(value).__qualname__, hashlib.sha256(pickle.dumps(value, protocol=4)).hexdigest()
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError):
        parts = (getattr(value, name, None) for name in ("__self__", "__dict__"))
        return tuple(_ADDRESS.sub("", repr(part)) for part in (value, *parts))
