"""One line that names every setting of a convention, and a digest that is the same whenever the settings are."""

from __future__ import annotations

import hashlib
import pickle
import re
from dataclasses import fields, is_dataclass
from functools import partial
from types import CellType, CodeType
from typing import TYPE_CHECKING, Any, TypeGuard

from qa_frame.text.specification import Blank, Delete, Drop, Text

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_FEW_WORDS = 12
_ADDRESS = re.compile(" at 0x[0-9A-Fa-f]+")


def spell(value: object) -> str:
    """A setting in few words, for a reader."""
    if isinstance(value, Text):
        return ">".join(map(spell, (*value.steps, value.split)))
    if isinstance(value, Blank | Drop | Delete):
        return _spell_step(value)
    if _is_part(value):
        settings = {field.name: spell(getattr(value, field.name)) for field in fields(value)}
        pairs = ",".join(f"{name}={setting}" for name, setting in settings.items())
        is_default = all(getattr(value, field.name) == field.default for field in fields(value))
        return "as counted" if is_default else f"({pairs})"
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__qualname__))
    return "none" if value is None else str(value)


def _is_part(value: Any) -> TypeGuard[DataclassInstance]:
    """Whether it is a part of a convention, or a whole one: a dataclass that is no tokeniser of the caller's."""
    return is_dataclass(value) and not isinstance(value, type) and not callable(value)


def _spell_step(step: Blank | Drop | Delete) -> str:
    if isinstance(step, Delete):
        return f"delete({step.characters})"
    words = " ".join(step.words) if len(step.words) <= _FEW_WORDS else f"{len(step.words)} words"
    return f"{type(step).__name__.lower()}({words})"


def _in_full(value: object, within: tuple[int, ...] = ()) -> object:
    """A setting as nested tuples whose repr is the same whenever the setting is, in any process.

    within: the ids of the functions that lead to it.
    """
    if _is_part(value):
        return type(value).__name__, *(_in_full(getattr(value, field.name), within) for field in fields(value))
    if isinstance(value, tuple | list):
        return type(value).__name__, *(_in_full(part, within) for part in value)
    if isinstance(value, set | frozenset):  # their order differs from process to process
        return type(value).__name__, *sorted(repr(_in_full(part, within)) for part in value)
    if isinstance(value, CodeType):
        return value.co_code, value.co_names, _in_full(value.co_consts, within)
    if isinstance(value, partial):
        return "partial", _in_full([value.func, value.args, sorted(value.keywords.items())], within)
    return _function_in_full(value, within) if hasattr(value, "__code__") else _without_address(value)


def _function_in_full(function: Any, within: tuple[int, ...]) -> object:
    if id(function) in within:  # it captures itself
        return "itself"
    within = (*within, id(function))
    cells = getattr(function, "__closure__", None) or ()
    captured = [cell.cell_contents for cell in cells if cell != CellType()]  # but what is not yet there
    bound = [getattr(function, name, None) for name in ("__module__", "__qualname__", "__defaults__", "__kwdefaults__")]
    owner = getattr(function, "__self__", None)
    return _in_full(bound, within), _without_address(owner), _in_full([function.__code__, *captured], within)


def _without_address(value: object) -> object:
    """What the object is made of, as pickle has it; or else its repr without addresses, and its attributes likewise."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value)
    try:
        return type(value).__qualname__, hashlib.sha256(pickle.dumps(value, protocol=4)).hexdigest()
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError):
        parts = (getattr(value, name, None) for name in ("__self__", "__dict__"))
        return tuple(_ADDRESS.sub("", repr(part)) for part in (value, *parts))


def digest(value: object) -> str:
    """Twelve hexadecimal digits that are the same whenever the setting is."""
    return hashlib.sha256(repr(_in_full(value)).encode("utf-8", "surrogatepass")).hexdigest()[:12]
