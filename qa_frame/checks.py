"""Checks of arguments that several modules share, and what their errors suggest in place of a wrong value.

No value makes a check raise anything but a QaFrameError.
"""

from __future__ import annotations

import functools
import math
import numbers
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeGuard, get_args

from qa_frame.errors import SHOWN, UnknownOptionError, show

_CLOSE = 0.7
"""Of two names that are close, such a share of the characters is alike."""

_OTHERS = {
    "pred": "prediction predictions",
    "gold": "reference references target targets",
    "by": "group groups groupby grouping",
    "question": "on questionid qid",
    "ci": "alpha level conf confidence confidencelevel",
    "n_resamples": "nboot nbootstrap nresample",
    "seed": "randomstate randomseed",
    "reduce": "agg aggregate aggregation reduction",
    "mean": "avg average",
    "null": "drop skip ignore exclude nan none",
    "zero": "wrong",
    "raise": "error",
}
OTHER_NAMES = {other: name for name, others in _OTHERS.items() for other in others.split()}
"""What other packages call arguments and their values: lower case without marks. `suggestion` knows them everywhere."""


def unknown_option(
    argument: str,
    value: object,
    allowed: Iterable[str],
    other_names: Mapping[str, str] | None = None,
    *,
    listed_by: str | None = None,
) -> UnknownOptionError:
    """Return the error for `argument=value` where only the `allowed` names are known.

    Parameters
    ----------
    other_names
        The allowed name that is meant, by the name that other tools have for it: letters and digits alone, lower case.
    listed_by
        What lists the names, such as `qa_frame.metrics`, where they are too many for a message. The message then names
        this and a few names that are close. None: the message lists all names.
    """
    names = list(allowed)
    close = suggestion(value, names, other_names, most=1 if listed_by is None else 4).lstrip("; ")
    choose = f"Choose from {names}" if listed_by is None else f"{listed_by} lists all {len(names)}"
    finding, remedy = ("is not known.", choose) if close == "." else ("is not known", f"{close} {choose}")
    return UnknownOptionError.of(argument, finding, remedy, value=value)


def suggestion(
    value: object, names: Sequence[object], other_names: Mapping[str, str] | None = None, *, most: int = 1
) -> str:
    """Return `"; did you mean 'f1'?"` if one of the names is close to `value`, else a full stop.

    Names that are not close are never suggested.

    other_names: as in `unknown_option`. most: the largest number of names that are suggested.
    """
    *others, last = map(repr, find_close_names(value, names, other_names, most=most) or [None])
    return "." if last == "None" else f"; did you mean {', '.join(others)}{' or ' * bool(others)}{last}?"


def find_close_names(
    value: object, names: Sequence[object], other_names: Mapping[str, str] | None = None, *, most: int = 1
) -> list[object]:
    """Return the names that are close to `value`, at most `most`, the closest first; an empty list if none is.

    Only letters and digits are compared, without case, so "F-1" is close to "f1". A name that is then equal to `value`,
    or for which `value` is another tool's name, is returned alone. If no name is spelled alike, it is the longest one
    that begins with `value`, or with which `value` begins; both need two letters.

    other_names: as in `unknown_option`.
    """
    import difflib  # noqa: PLC0415  (only for errors)

    looked_for = _simplify_name(value)
    by_letters = {_simplify_name(name): name for name in reversed(names)}
    known = {**OTHER_NAMES, **(other_names or {})}
    meant: list[object] = [by_letters.get(looked_for, known.get(looked_for))]
    if meant[0] is None or meant[0] not in names:
        close = difflib.get_close_matches(looked_for, [*by_letters], most, _CLOSE)
        begun = [each for each in by_letters if min(len(each), len(looked_for)) > 1 and _begins(each, looked_for)]
        meant = [by_letters[each] for each in close or sorted(begun, key=len)[-1:]]
    return meant


def _begins(name: str, other: str) -> bool:
    return name.startswith(other) or other.startswith(name)


def _simplify_name(name: object) -> str:
    """Return the letters and digits of a name's beginning, in lower case; the beginning itself if it has none."""
    text = name[:SHOWN] if isinstance(name, str) else show(name)
    return "".join(filter(str.isalnum, text.lower())) or text


def say_above_range(number: float) -> str:
    """Return the part of a message that explains why a number is too large for scores from 0 to 1."""
    meant = f"; {number:g} percentage points are {number / 100:g}" if number <= 100 else ""
    return f"scores are from 0 to 1, and not in percent{meant}"


def is_equal(value: object, other: object) -> bool:
    """Whether two values are one object or equal. False where they cannot be compared, or give several answers."""
    if value is other:
        return True
    try:
        return bool(value == other)
    except Exception:  # noqa: BLE001  (a class of the caller's may raise anything)
        return False


def is_hashable(value: object) -> bool:
    """Whether the value has a hash. `isinstance(value, Hashable)` would be True even for a tuple that holds lists."""
    try:
        hash(value)
    except Exception:  # noqa: BLE001  (a class of the caller's may raise anything)
        return False
    return True


def is_unicode(text: str) -> bool:
    """Return whether the text can be written as UTF-8. A text with a lone surrogate cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_choice(value: object, allowed: Iterable[str]) -> bool:
    """Whether `value` is one of these names."""
    return isinstance(value, str) and value in allowed


def require_choice(argument: str, value: object, allowed: Sequence[str]) -> None:
    """Raise UnknownOptionError unless `value` is one of the allowed names."""
    if not is_choice(value, allowed):
        raise unknown_option(argument, value, allowed)


def require_flag(argument: str, value: object) -> None:
    """Raise UnknownOptionError unless `value` is True or False, of Python or of numpy."""
    kind = type(value)  # numpy's need not be imported for this
    if f"{kind.__module__}.{kind.__qualname__}" not in {"builtins.bool", "numpy.bool"}:
        raise UnknownOptionError.of(argument, "is neither True nor False", "give one of them", value=value)


def require_text(argument: str, value: object, remedy: str) -> None:
    """Raise UnknownOptionError unless `value` is a str that can be written as UTF-8."""
    if not isinstance(value, str):
        raise UnknownOptionError.of(argument, "is not text", remedy, value=value)
    if not is_unicode(value):
        raise UnknownOptionError.of(argument, "holds a lone surrogate, which is not valid text", remedy, value=value)


def require_path(argument: str, value: object, remedy: str) -> Path:
    """Return the path of a file or folder to write, as the system finds it; see `resolve_path`.

    Raises UnknownOptionError as `text_of_path` does, or if the path cannot be written as UTF-8. remedy: the remedy in
    the error.
    """
    text = text_of_path(argument, value, remedy)
    require_text(argument, text, remedy)
    return resolve_path(Path(text))


def resolve_path(path: Path) -> Path:
    """Return the path under which the system finds the file that is written at `path`.

    It is `path` itself, or else the real path: while the folder `new` does not exist, the system finds nothing at
    `new/../a`, and what is written there becomes `a`. Call this once, before anything is checked. Where the working
    folder was removed, it is `path` itself.
    """
    try:
        real = os.path.realpath(path)
    except OSError:  # the working folder was removed
        return path
    exists = os.path.exists(path) or not (".." in path.parts or os.path.exists(real))  # noqa: PTH110
    return path if exists else Path(real)


def text_of_path(argument: str, value: object, remedy: str) -> str:
    """Return the text of a path; UnknownOptionError if `value` is something else, or no file can have this name."""
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(text, str):
        raise UnknownOptionError.of(argument, "is not a path", remedy, value=value)
    if "\0" in text:
        raise UnknownOptionError.of(argument, "holds a null character", remedy, value=value)
    return text


def require_items(argument: str, value: Any, wanted: str) -> tuple[Any, ...]:
    """Return an iterable as a tuple; UnknownOptionError for any other value.

    Text and bytes are iterable, too, but nobody means their letters.

    wanted: names an allowed value, such as "a tuple".
    """
    is_one = isinstance(value, str | bytes | bytearray) or getattr(value, "ndim", 1) == 0
    if is_one or not isinstance(value, Iterable):
        raise UnknownOptionError.of(argument, f"is not {wanted}", value=value)
    return tuple(value)


def make_tuple_field(part: object, name: str, kinds: type | tuple[type, ...], wanted: str) -> None:
    """Make the field `name` of the frozen dataclass `part` a tuple. The field may be any iterable but text.

    Raises UnknownOptionError unless all its items are of `kinds`. wanted: names an allowed item, for the message.
    """
    argument = f"{type(part).__name__}.{name}"
    items = require_items(argument, getattr(part, name), "a tuple; put it into one")
    for item in items:
        require_kind(argument, item, kinds, wanted)
    object.__setattr__(part, name, items)


def require_kind(argument: str, value: object, kinds: type | tuple[type, ...], wanted: str) -> None:
    """Raise UnknownOptionError unless the value is of these kinds, and, if it is text, can be written as UTF-8.

    wanted: names an allowed value, such as "a str".
    """
    if not isinstance(value, kinds):
        raise UnknownOptionError.of(argument, f": {show(value)} is not {wanted}")
    if isinstance(value, str) and not is_unicode(value):
        raise UnknownOptionError.of(argument, f": {show(value)} holds a lone surrogate, which is not valid text")


def require_number(argument: str, value: object, *, most: float) -> None:
    """Raise UnknownOptionError unless `value` is a finite number from 0 to `most`."""
    if not is_number(value) or not 0 <= float(value) <= most:
        wanted = "a number of 0 or more" if math.isinf(most) else f"a number from 0 to {most:g}"
        raise UnknownOptionError.of(argument, f"is not {wanted}", "give one", value=value)


def is_number(value: Any) -> TypeGuard[float]:
    """Whether the value is a finite number that a float can hold. True and False are not numbers here."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        return math.isfinite(float(value))
    except (OverflowError, ValueError):
        return False


def require_whole_number(argument: str, value: Any, *, least: int, most: int | None = None) -> None:
    """Raise UnknownOptionError unless `value` is an integer from `least` to `most`; None for no upper bound."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or int(value) < least:
        raise UnknownOptionError.of(argument, f"is not a whole number of {least} or more", "give one", value=value)
    if most is not None and int(value) > most:
        raise UnknownOptionError.of(argument, f"is more than {most:_}", "give a smaller one", value=value)


def require_level(argument: str, value: Any) -> None:
    """Raise UnknownOptionError unless `value` is a confidence level: above 0, and below 1 by more than rounding."""
    if not is_number(value) or not 0 < float(value) <= 1 - _ROUNDING:
        raise UnknownOptionError.of(argument, "is not a number between 0 and 1", "give 0.95 for 95 %", value=value)


Method = Literal["normal", "bootstrap"]
"""How intervals are made."""

Correction = Literal["holm", "none"]
"""How p-values are corrected for their number."""

_ROUNDING = 1e-12
"""A level that is closer to 1 would be lost in rounding."""

MOST_RESAMPLES = 10_000_000
"""More resamples would make no p-value or interval better that anybody could tell."""

_FLAGS = (
    *("append", "bold", "compute", "counts", "dropna", "keep_rows", "long", "majority", "observed"),
    *("overwrite", "percent", "progress", "samples", "second", "stats"),
)
CONSTRAINTS: dict[str, Callable[[str, Any], None]] = {
    **dict.fromkeys(_FLAGS, require_flag),
    "ci": require_level,
    "correction": functools.partial(require_choice, allowed=get_args(Correction)),
    "method": functools.partial(require_choice, allowed=get_args(Method)),
    "n_resamples": functools.partial(require_whole_number, least=1, most=MOST_RESAMPLES),
    "seed": functools.partial(require_whole_number, least=0, most=2**128 - 1),
}
"""By argument, the check of its value, which is the same in each function that has the argument."""


def require_allowed(arguments: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Raise UnknownOptionError where an argument has a value that its check in `CONSTRAINTS` refuses.

    Arguments that have no check there may have any value. None is allowed where it is the default.
    """
    for argument, value in arguments.items():
        if argument in CONSTRAINTS and (value is not None or defaults.get(argument, ...) is not None):
            CONSTRAINTS[argument](argument, value)
