"""Every error that `qa_frame` raises about its input.

Each message names the argument, what was found and the remedy. All derive from `QaFrameError`,
and each also from the built-in exception that a caller would expect.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence

__all__ = [
    "ColumnNotFoundError",
    "ColumnOverwriteError",
    "ColumnTypeError",
    "GoldFormatError",
    "IntervalWarning",
    "InvalidTextError",
    "MissingPackageError",
    "MissingPredictionError",
    "PairingError",
    "PoolMismatchError",
    "QaFrameError",
    "ReductionError",
    "TokeniserError",
    "UnknownOptionError",
    "VerdictError",
]


class QaFrameError(Exception):
    """The base of all errors of this package."""


class ColumnNotFoundError(QaFrameError, KeyError):
    """A named column is not in the frame, or its name stands for several columns."""

    def __str__(self) -> str:  # KeyError would print the message's repr
        return str(self.args[0])


class ColumnTypeError(QaFrameError, TypeError):
    """A column holds something that is not text, or not lists of text."""


class GoldFormatError(QaFrameError, ValueError):
    """A gold column holds lists written out as strings, as they come back from CSV."""


class InvalidTextError(QaFrameError, ValueError):
    """A column holds bytes that are not UTF-8, or a lone surrogate."""


class ColumnOverwriteError(QaFrameError, ValueError):
    """A score column would take the place of the prediction or gold column."""


class IntervalWarning(UserWarning):
    """An interval rests on so little that it may not hold as often as its level says."""


class MissingPackageError(QaFrameError, ImportError):
    """An optional package, which an extra of this one would install, is needed here and not there."""


class MissingPredictionError(QaFrameError, ValueError):
    """A prediction is null where `missing="raise"` forbids it."""


class PairingError(QaFrameError, ValueError):
    """Rows cannot be paired by question: a key is null or stands twice, or there are not two groups."""


class PoolMismatchError(QaFrameError, ValueError):
    """Rows or pools that were scored, or are grouped, in different ways are to be pooled together."""


class ReductionError(QaFrameError, TypeError):
    """A callable given as `reduce` returned something that is not a number."""


class TokeniserError(QaFrameError, TypeError):
    """A function given as a tokeniser returned something that is not a list of text."""


class UnknownOptionError(QaFrameError, ValueError):
    """An argument has a value that is not one of those allowed."""


class VerdictError(QaFrameError, ValueError):
    """A column of people's verdicts holds no numbers, or always the same."""


def unknown_option(argument: str, found: object, allowed: Iterable[str]) -> UnknownOptionError:
    """The error for `argument=found` where only `allowed` names are accepted."""
    names = list(allowed)
    return UnknownOptionError(f"{argument}={found!r} is not known{suggestion(found, names)} Choose from {names}")


def suggestion(found: object, names: Sequence[object]) -> str:
    """`"; did you mean 'f1'?"` where a name is close to what was found, else a full stop."""
    import difflib  # noqa: PLC0415  (only for errors)

    by_text = {str(name): name for name in names}
    close = difflib.get_close_matches(str(found), list(by_text), n=1, cutoff=0.5)
    return f"; did you mean {by_text[close[0]]!r}?" if close else "."


# --- checks that several parts share


def require_choice(argument: str, found: object, allowed: tuple[str, ...]) -> None:
    """Raise UnknownOptionError unless `found` is one of the allowed names."""
    if found not in allowed:
        raise unknown_option(argument, found, allowed)


def require_kinds(part: object, name: str, kinds: type | tuple[type, ...], wanted: str) -> None:
    """Raise UnknownOptionError unless the field `name`, or each item of it if it is a tuple, is of these kinds."""
    value = getattr(part, name)
    for item in value if isinstance(value, tuple) else [value]:
        if not isinstance(item, kinds):
            raise UnknownOptionError(f"{type(part).__name__}.{name}: {item!r:.60} is not {wanted}")


def require_number(part: object, name: str, *, most: float) -> None:
    """Raise UnknownOptionError unless the field `name` is a finite number from 0 to `most`."""
    value = getattr(part, name)
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not 0 <= float(value) <= most or math.isinf(float(value)):
        wanted = "a number from 0 on" if math.isinf(most) else f"a number from 0 to {most:g}"
        raise UnknownOptionError(f"{type(part).__name__}.{name}={value!r:.60} is not {wanted}")


def require_tuple(part: object, name: str) -> None:
    """Make a tuple of the field `name` of a frozen part, which may be any iterable but not a text.

    A text is iterable, too, but nobody means its letters: it raises UnknownOptionError, as all else does.
    """
    value = getattr(part, name)
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise UnknownOptionError(f"{type(part).__name__}.{name}={value!r:.60} is not a tuple; put it into one")
    object.__setattr__(part, name, tuple(value))
