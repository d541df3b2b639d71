"""The errors and warnings of `qa_frame` about its input, and checks that several modules share.

Each message names the argument, what was found and the remedy. Every error is a `QaFrameError`, and also the built-in
exception that a caller would expect.
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
    "GoldFormatWarning",
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
    """The base class of all errors of this package.

    Examples
    --------
    >>> import qa_frame
    >>> try:
    ...     qa_frame.sample().qa.score("response", "answers", metrics="f2")
    ... except qa_frame.QaFrameError as error:
    ...     print(type(error).__name__)
    UnknownOptionError
    """


class ColumnNotFoundError(QaFrameError, KeyError):
    """A named column is not in the frame, or several columns have that name.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.sample().qa.score("reply", "answer")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.ColumnNotFoundError: pred='reply' is not a column...
    """

    def __str__(self) -> str:  # KeyError would print the message's repr
        return str(self.args[0])


class ColumnTypeError(QaFrameError, TypeError):
    """A column holds something other than text, or than lists of text; or the data are not a frame.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> pd.DataFrame({"response": [42], "answers": ["42"]}).qa.score("response", "answers")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.ColumnTypeError: pred='response' holds int64, where text is needed; ...
    """


class GoldFormatError(QaFrameError, ValueError):
    """A gold column holds lists that were written out as text, as a CSV file has them.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> pd.DataFrame({"response": ["a"], "answers": ["['a', 'b']"]}).qa.score(
    ...     "response", "answers"
    ... )  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.GoldFormatError: gold='answers' holds golds written out as text, ...
    """


class InvalidTextError(QaFrameError, ValueError):
    """A column holds bytes that are not UTF-8, or a lone surrogate.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"response": ["café".encode("latin-1")], "answers": ["café"]})
    >>> df.qa.score("response", "answers")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.InvalidTextError: pred='response' holds bytes that are not UTF-8 ...
    """


class ColumnOverwriteError(QaFrameError, ValueError):
    """A new column would take the place of the prediction or gold column.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> pd.DataFrame({"em": ["a"], "answers": ["a"]}).qa.score("em", "answers")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.ColumnOverwriteError: the score column 'em' would take the place of pred='em'; ...
    """


class GoldFormatWarning(UserWarning):
    """A gold column holds text that may be lists written out, such as `[0, 1]`.

    Convert it with `qa_frame.to_golds` if it is.
    """


class IntervalWarning(UserWarning):
    """An interval rests on so few rows or clusters that it may not hold as often as its level says.

    Examples
    --------
    >>> import warnings, qa_frame
    >>> warnings.simplefilter("ignore", qa_frame.IntervalWarning)  # if you know and do not mind
    """


class MissingPackageError(QaFrameError, ImportError):
    """An optional package is needed and not installed. The message says how to install it.

    Examples
    --------
    >>> import qa_frame
    >>> issubclass(qa_frame.MissingPackageError, ImportError)
    True
    """


class MissingPredictionError(QaFrameError, ValueError):
    """A prediction is null, and `missing="raise"` forbids that.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"response": ["a", None], "answers": ["a", "b"]})
    >>> df.qa.score("response", "answers", missing="raise")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.MissingPredictionError: missing='raise', and 1 of 2 predictions are null, ...
    """


class PairingError(QaFrameError, ValueError):
    """Rows of two groups cannot be paired by question: a key is null or not unique, or the groups are not two.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"model": ["a", "a", "b"], "question": [1, 1, 1], "f1": [0.0, 0.5, 1.0]})
    >>> df.qa.compare("model", "question", metrics="f1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.PairingError: ...
    """


class PoolMismatchError(QaFrameError, ValueError):
    """Rows or pools that were scored or grouped in different ways cannot be pooled together.

    Examples
    --------
    >>> import qa_frame
    >>> sample = qa_frame.sample()
    >>> pool = qa_frame.Pool().update(sample.qa.score("response", "answers"))
    >>> pool.update(sample.qa.score("response", "answers", convention="squad2"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.PoolMismatchError: ...
    """


class ReductionError(QaFrameError, TypeError):
    """A function given as `reduce` returned something other than one number.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.sample().qa.score("response", "answers", reduce=sorted)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.ReductionError: reduce=sorted returned ...
    """


class TokeniserError(QaFrameError, TypeError):
    """A function given as a tokeniser returned something other than a list of text.

    Examples
    --------
    >>> import qa_frame
    >>> exact = qa_frame.Exact(text=qa_frame.Text(split=len))
    >>> own = qa_frame.Convention(name="own", exact=exact)
    >>> qa_frame.sample().qa.score("response", "answers", convention=own)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.TokeniserError: the tokeniser len returned ...
    """


class UnknownOptionError(QaFrameError, ValueError):
    """An argument has a value that is not allowed.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.sample().qa.score("response", "answers", metrics="rouge")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.UnknownOptionError: metrics='rouge' is not known; did you mean 'rouge_l'? ...
    """


class VerdictError(QaFrameError, ValueError):
    """A column of people's verdicts holds no numbers, or the same number throughout.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"f1": [0.0, 0.5, 1.0], "human": [1, 1, 1]})
    >>> df.qa.agreement(human="human", metrics="f1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.VerdictError: ...
    """


def unknown_option(argument: str, found: object, allowed: Iterable[str]) -> UnknownOptionError:
    """The error for `argument=found` where only the `allowed` names are known."""
    names = list(allowed)
    return UnknownOptionError(f"{argument}={found!r} is not known{suggestion(found, names)} Choose from {names}")


def suggestion(found: object, names: Sequence[object]) -> str:
    """Return `"; did you mean 'f1'?"` if one of the names is close to what was found, else a full stop."""
    import difflib  # noqa: PLC0415  (only for errors)

    by_text = {str(name): name for name in names}
    close = difflib.get_close_matches(str(found), list(by_text), n=1, cutoff=0.5)
    return f"; did you mean {by_text[close[0]]!r}?" if close else "."


# --- checks that several modules share


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
    """Make the field `name` of a frozen dataclass a tuple. It may be any iterable.

    A text is iterable, too, but nobody means its letters: like all else, it raises UnknownOptionError.
    """
    value = getattr(part, name)
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise UnknownOptionError(f"{type(part).__name__}.{name}={value!r:.60} is not a tuple; put it into one")
    object.__setattr__(part, name, tuple(value))
