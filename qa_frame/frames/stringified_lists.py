"""Lists of golds that were written out as text, by JSON, Python or numpy → the lists, in time by their length."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Mapping
from typing import Any

_ENDS = {"[": "]", "(": ")", "{": "}"}

_LONG = "|".join(rf"{quote}(?:[^\\]|\\.)*?{quote}" for quote in ("'''", '"""'))
_SHORT = "|".join(rf"{quote}[^{quote}\\\n]*(?:\\.[^{quote}\\\n]*)*{quote}" for quote in "'\"")
_LITERAL = rf"""(?:[bB]?[rR]?|[rR][bB]|[uU])(?:{_LONG}|(?!'''|\"\"\")(?:{_SHORT}))"""
NULL = r"(?:(?:None|null|nan|NaN|NaT)\b|<NA>|np\.float\d+\(nan\))"
"""The nulls of Python, JSON, numpy and pandas."""
_NUMPY = (
    r"array(?=\(\[)|np\.(?:str_|bool_?|u?int\d+|float\d+)(?=\()"
    r"|,\s*(?:shape=\([\d,\s]*\)|dtype=[^(),\[\]]*)(?=[,)])"
)
"""What numpy writes around its lists and values, as in `array(['a'], dtype=object)` and `np.str_('a')`."""
_REPLACED = re.compile(rf"(?P<text>{_LITERAL})|(?P<null>(?<![\w.]){NULL})|{_NUMPY}", re.DOTALL)

_NUMPY_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_NUMPY_ITEM = rf"(?:{NULL}|True|False|(?:np\.\w+\()?(?:{_LITERAL}|{_NUMPY_NUMBER})\)?)"
_NUMPY_ITEMS = re.compile(rf"\[\s*{_NUMPY_ITEM}(?:\s+{_NUMPY_ITEM})+\s*\]", re.DOTALL)
_NUMPY_NUMBERS = re.compile(rf"\[\s*{_NUMPY_NUMBER}(?:\s+{_NUMPY_NUMBER})+\s*\]")
_LEFT_OUT = re.compile(r"""(?:\d\.?|['"])\s+\.\.\.\s+(?:['"]|[-+]?\.?\d)""")


class ShortenedError(Exception):
    """The list was shortened when it was written, so that some of its items are lost."""


def read_written(text: str) -> list[Any] | tuple[Any, ...] | Mapping[Any, Any] | set[Any] | None:
    """Return the list, tuple, dict or set that was written out as this text; None for a text that is none of these.

    Raises
    ------
    ShortenedError
        If items were left out for `...`.
    """
    text = text.strip()
    text = text.removeprefix("array") if text.startswith("array([") else text
    if not text or _ENDS.get(text[0]) != text[-1]:
        return None
    for read in (json.loads, _read_numpy, _read_python):
        try:
            value = read(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        if not isinstance(value, list | tuple | Mapping | set):
            return None
        lists = [value, *value.values()] if isinstance(value, Mapping) else [value]
        if any(item is ... for each in lists if isinstance(each, list | tuple) for item in each):
            raise ShortenedError
        return value
    if text[0] == "[" and _LEFT_OUT.search(text):
        raise ShortenedError
    return None


def _read_numpy(text: str) -> list[Any]:
    """Read texts, numbers and nulls that have white space alone between them, where Python would join texts.

    Raise ValueError for any other text.
    """
    if _NUMPY_NUMBERS.fullmatch(text):
        return [float(number) if re.search("[.eE]", number) else int(number) for number in text[1:-1].split()]
    if _NUMPY_ITEMS.fullmatch(text):
        return [_read_python(item[0]) for item in re.finditer(_NUMPY_ITEM, text, re.DOTALL)]
    raise ValueError(text)


def _read_python(text: str) -> Any:
    """Return the value that `ast.literal_eval` reads, where numpy's names are left out, and all nulls are None."""
    plain = _REPLACED.sub(_without_names, text.replace("\r\n", "\n").replace("\r", "\n"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of escapes that it does not know, and reads them
        return ast.literal_eval(plain)


def _without_names(part: re.Match[str]) -> str:
    """Return the replacement of a match of `_REPLACED`: a literal as it is, None for a null, nothing for a name."""
    return part["text"] or ("None" if part["null"] else "")
