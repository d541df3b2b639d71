"""Conventions and their parts ↔ dicts, lists, text and numbers, which Parquet can keep as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qa_frame.errors import UnknownOptionError, show
from qa_frame.rules import parts
from qa_frame.rules.listing import conventions
from qa_frame.rules.parts import Convention
from qa_frame.rules.signature import changed_settings, is_part
from qa_frame.text import specification
from qa_frame.text.specification import Replace

_PART, _FUNCTION = "part", "function"
_CLASSES = {
    name: kind for module in (specification, parts) for name, kind in vars(module).items() if isinstance(kind, type)
}
_patterns: set[str] = set()
"""The patterns of `Replace` that the caller has given in this process: those that come with a file are not run."""


def convention_to_plain(convention: Convention) -> Any:
    """Return the name of a listed convention, or the changed settings of another one. A function is only named.

    `convention_from_plain` reads it again.
    """
    if conventions.get(convention.name) == convention:
        return convention.name
    return _to_plain(convention)


def convention_from_plain(plain: Any) -> Convention:
    """Return the convention that `convention_to_plain` made plain.

    Raises UnknownOptionError for a function, for a pattern that nobody has given in this process, and for data that are
    no convention.
    """
    if isinstance(plain, str) and plain in conventions:
        return conventions[plain]
    try:
        convention = _from_plain(plain)
    except (TypeError, KeyError) as error:
        raise UnknownOptionError.of("convention", "was not noted by score", "give it again", value=plain) from error
    if not isinstance(convention, Convention):
        finding = "is not known to this version of qa_frame"
        raise UnknownOptionError.of("convention", finding, "give it again", value=plain)
    return convention


def function_to_plain(function: Any) -> dict[str, str]:
    """Return the name of a function, which is all that can be kept of it."""
    return {_FUNCTION: str(getattr(function, "__qualname__", type(function).__qualname__))}


def name_of_function(plain: Any) -> str | None:
    """Return the name of a function that was not kept; None for anything else."""
    return str(plain.get(_FUNCTION)) if isinstance(plain, Mapping) and _FUNCTION in plain else None


def _to_plain(value: Any) -> Any:
    """Return a setting as JSON can hold it: a part of a rule is a dict with its changed settings.

    The patterns of `Replace` are kept in `_patterns`.
    """
    if isinstance(value, tuple | list):
        return [*map(_to_plain, value)]
    if is_part(value):
        if isinstance(value, Replace):
            _patterns.add(value.pattern)
        changed = changed_settings(value)
        return {_PART: type(value).__name__} | {name: _to_plain(setting) for name, setting in changed.items()}
    return function_to_plain(value) if callable(value) else value


def _from_plain(plain: Any) -> Any:
    """Return the setting that `_to_plain` made plain.

    Raises UnknownOptionError for a function, which is not kept, and for a pattern that is not in `_patterns`. KeyError
    or TypeError for an unknown part or setting.
    """
    if isinstance(plain, list):
        return tuple(map(_from_plain, plain))
    if not isinstance(plain, Mapping):
        return plain
    function = name_of_function(plain)
    if function is not None:
        raise UnknownOptionError(f"the convention holds the function {function}, which is not kept; give convention=")
    settings = {name: _from_plain(value) for name, value in plain.items() if name != _PART}
    if plain[_PART] == Replace.__name__ and settings.get("pattern") not in _patterns:
        finding = f"the convention replaces the pattern {show(settings.get('pattern'))}"
        reason = "a pattern that comes with data is not run"
        raise UnknownOptionError.of("", f"{finding}, and {reason}", "give convention=")
    return _CLASSES[plain[_PART]](**settings)
