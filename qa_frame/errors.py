"""The errors and warnings of `qa_frame` about its input, and checks that several modules share.

Each message names the argument, the value that was found and the remedy. Every error is a `QaFrameError`, and also the
built-in exception that a caller would expect.
"""

from __future__ import annotations

import math
import numbers
import os
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

_CODES = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, characters that end a line or change its direction, and halves of characters."""


def visible(text: str, *, keep: str = "", quote: Callable[[str], str] = ascii) -> str:
    r"""Return the text with escapes, such as `\x1b`, for the characters that a terminal would obey.

    keep: characters to leave as they are. quote: returns a character as an escape between quotation marks.
    """
    return _CODES.sub(lambda found: found[0] if found[0] in keep else quote(found[0])[1:-1], text)


def text_width() -> int:
    """Return how many columns text for people may take: those of the terminal, from 60 to 100, and 100 without one."""
    is_terminal = getattr(sys.stdout, "isatty", lambda: False)()
    return min(100, max(60, shutil.get_terminal_size((100, 24)).columns)) if is_terminal else 100


class _Visible:
    """An error or a warning that may name a file or quote a text, and shows nothing that a terminal would obey."""

    def __str__(self) -> str:
        args: tuple[object, ...] = self.args  # type: ignore[attr-defined]
        # KeyError would print the message's repr, and OSError two of its arguments.
        return visible(str(args[0]) if len(args) == 1 else super().__str__(), keep="\n\t")


class QaFrameError(_Visible, Exception):
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
    """A new column would take the place of the prediction or gold column, or of a key of a report.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> pd.DataFrame({"em": ["a"], "answers": ["a"]}).qa.score("em", "answers")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.ColumnOverwriteError: the score column 'em' would take the place of pred='em'; ...
    """


class GoldFormatWarning(_Visible, UserWarning):
    """A gold column holds text that may be several golds: lists written out, such as `[0, 1]`, or joined golds.

    Convert it with `qa_frame.to_golds` if it is. Or it holds no letter, where `extract="choice"` gives letters.
    """


class IntervalWarning(_Visible, UserWarning):
    """An interval rests on so few rows or clusters that it may not hold as often as its level says.

    `compare` gives it where p-values rest on too few draws for the number of pairs.

    Examples
    --------
    >>> import warnings, qa_frame
    >>> warnings.simplefilter("ignore", qa_frame.IntervalWarning)  # if you know and do not mind
    """


class ScoringWarning(_Visible, UserWarning):
    """Scores say less than they seem to: all predictions are null, or nothing is left of golds after normalisation.

    Examples
    --------
    >>> import warnings, qa_frame
    >>> warnings.simplefilter("ignore", qa_frame.ScoringWarning)  # if you know and do not mind
    """


class ExtractionWarning(ScoringWarning):
    """`extract=` finds no answer in more than a tenth of the responses, of all or of a group.

    Examples
    --------
    >>> import warnings, qa_frame
    >>> warnings.simplefilter("ignore", qa_frame.ExtractionWarning)  # if you know and do not mind
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


class MixedScoresWarning(_Visible, UserWarning):
    """Metrics are means over different rows, as where frames that were scored in several ways are put together.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> sample = qa_frame.sample()
    >>> one = sample[:60].qa.score("response", "answers", metrics=["em", "f1"])
    >>> other = sample[60:120].qa.score("response", "answers", metrics="em", convention="helm")
    >>> both = pd.concat([one, other])
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     both.qa.summary()[["n", "n_scored", "n_scored_f1"]]
    ...     [each.category.__name__ for each in caught]
           n  n_scored  n_scored_f1
    all  120       120           60
    ['MixedScoresWarning']
    """


class PairMetricError(QaFrameError, TypeError):
    """The function of a `PairMetric` raised an error, or returned something other than a number for each pair.

    Examples
    --------
    >>> import qa_frame
    >>> own = qa_frame.PairMetric("own", lambda preds, golds: [1.0])
    >>> qa_frame.sample().qa.score("response", "answers", metrics=own)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.PairMetricError: the function of PairMetric 'own' returned 1 number for ...
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


class PairingWarning(_Visible, UserWarning):
    """Rows have one key and seem to be of different questions, or groups that are compared have none in common.

    Examples
    --------
    >>> import warnings, qa_frame
    >>> warnings.simplefilter("ignore", qa_frame.PairingWarning)  # if you know and do not mind
    """


class PlotWarning(_Visible, UserWarning):
    """A picture has more than eight series, which people cannot tell apart by their colours and markers.

    Examples
    --------
    >>> import warnings, qa_frame
    >>> warnings.simplefilter("ignore", qa_frame.PlotWarning)  # if you know and do not mind
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
    """A function given as `reduce` raised an error, or returned something other than one number.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.sample().qa.score("response", "answers", reduce=sorted)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.ReductionError: reduce=sorted returned ...
    """


class ResultFileError(QaFrameError, ValueError):
    """A result file cannot be read: it is damaged, of no known kind, or holds no text to score.

    Examples
    --------
    >>> import pathlib, tempfile, qa_frame
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "results.jsonl")
    ...     _ = path.write_text('{"response": "Seine", "answers": ["Seine"]}' + chr(10) + '{"response":')
    ...     try:
    ...         qa_frame.read_results(path)
    ...     except qa_frame.ResultFileError as error:
    ...         print(str(error).replace(folder, "")[1:41])
    results.jsonl, line 2: is not valid JSON
    """


class ResultFileNotFoundError(ResultFileError, FileNotFoundError):
    """A path names no file, a pattern matches none, or a folder holds no result files.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.read_results("no/such/*.jsonl")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.ResultFileNotFoundError: path='no/such/*.jsonl' matches no file; ...
    """

    def __new__(cls, *args: object) -> ResultFileNotFoundError:  # noqa: PYI034  (Self needs Python 3.11)
        """Make it as an OSError, which some that unpickle it ask for: ValueError stands before it, and cannot."""
        return FileNotFoundError.__new__(cls, *args)


class ResultWriteError(QaFrameError, OSError):
    """A result file cannot be written: the disk is full, or the folder is not writable.

    Examples
    --------
    >>> import qa_frame
    >>> issubclass(qa_frame.ResultWriteError, OSError)
    True
    """


class ResultFileWarning(_Visible, UserWarning):
    """Records of a result file were left out, or a file holds no golds or belongs to an unfinished run.

    Or notes beside a file name a pattern that found its answers. It is not run, as the caller has not given it.

    Examples
    --------
    >>> import warnings, qa_frame
    >>> warnings.simplefilter("ignore", qa_frame.ResultFileWarning)  # if you know and do not mind
    """


class SampleError(QaFrameError, OSError):
    """The file of `qa_frame.sample` cannot be read.

    Examples
    --------
    >>> import qa_frame
    >>> issubclass(qa_frame.SampleError, OSError)
    True
    """


class StratumWarning(_Visible, UserWarning):
    """Some groups have no rows of a dataset that other groups have, and so no average over datasets.

    Examples
    --------
    >>> import warnings, pandas as pd, qa_frame
    >>> rows = pd.DataFrame({"model": ["a", "a", "b"], "dataset": ["nq", "drop", "nq"], "em": [1, 0, 1]})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", qa_frame.StratumWarning)  # if you know and do not mind
    ...     table = qa_frame.summary(rows, by="model", macro="dataset")
    >>> table["em"].tolist()
    [0.5, nan]
    """


class TokeniserError(QaFrameError, TypeError):
    """A function given as a tokeniser raised an error, or returned something other than a list of text.

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


class UnknownConventionError(UnknownOptionError, KeyError):
    """`qa_frame.conventions` has no convention of this name.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.conventions["SQuAD"]  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.UnknownConventionError: name='SQuAD' is not known; did you mean 'squad'? ...
    """


class UnknownMetricError(UnknownOptionError, KeyError):
    """`qa_frame.metrics` has no metric of this name.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.metrics["rougeL"]  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.UnknownMetricError: name='rougeL' is not known; did you mean 'rouge_l'? ...
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


class WorkerError(QaFrameError, RuntimeError):
    """A worker process died before its work was done, or cannot be started or given its work.

    Examples
    --------
    >>> import qa_frame
    >>> issubclass(qa_frame.WorkerError, RuntimeError)
    True
    """


_SHOWN = 60
"""So many characters of a wrong value stand in a message."""

_CLOSE = 0.7
"""Of two names that are close, such a share of the characters is alike."""

_OTHERS = {
    "pred": "prediction predictions",
    "gold": "reference references target targets",
    "by": "group groups groupby grouping",
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
    found: object,
    allowed: Iterable[str],
    other_names: Mapping[str, str] | None = None,
    *,
    listed_by: str | None = None,
) -> UnknownOptionError:
    """The error for `argument=found` where only the `allowed` names are known.

    Parameters
    ----------
    other_names
        The names that other tools have for them, in lower case without marks, and the name that is meant.
    listed_by
        What lists the names, where they are too many for a message. It then names a few that are close.
    """
    names = list(allowed)
    close = suggestion(found, names, other_names, most=1 if listed_by is None else 4)
    choose = f"Choose from {names}" if listed_by is None else f"{listed_by} lists all {len(names)}"
    return UnknownOptionError(f"{argument}={show(found)} is not known{close} {choose}")


def suggestion(
    found: object, names: Sequence[object], other_names: Mapping[str, str] | None = None, *, most: int = 1
) -> str:
    """Return `"; did you mean 'f1'?"` if one of the names is close to the one that was found, else a full stop.

    Capital letters and marks do not count, so "F-1" is close to "f1". A name is close, too, to one that begins with it.
    A wrong advice is worse than none, so that nothing is said of other names. most: so many names at most.
    """
    import difflib  # noqa: PLC0415  (only for errors)

    looked_for = _letters(found)
    by_letters = {_letters(name): name for name in reversed(names)}
    known = {**OTHER_NAMES, **(other_names or {})}
    meant: list[object] = [by_letters.get(looked_for, known.get(looked_for))]
    if meant[0] not in names:
        close = difflib.get_close_matches(looked_for, [*by_letters], most, _CLOSE)
        begun = [each for each in by_letters if min(len(each), len(looked_for)) > 1 and _begins(each, looked_for)]
        meant = [by_letters[each] for each in close or sorted(begun, key=len)[-1:]]
    *others, last = map(repr, meant or [None])
    return f"; did you mean {', '.join(others)}{' or ' * bool(others)}{last}?" if meant else "."


def _begins(name: str, other: str) -> bool:
    return name.startswith(other) or other.startswith(name)


def _letters(name: object) -> str:
    """A name in lower case, without marks; the marks alone where there is nothing else."""
    text = name[:_SHOWN] if isinstance(name, str) else show(name)
    return "".join(filter(str.isalnum, text.lower())) or text


def show(value: object) -> str:
    """Return the beginning of a value's `repr`, in one line, for a message."""
    try:
        shown = repr(value)
    except Exception:  # noqa: BLE001  (a class of the caller's may raise anything)
        return f"<{type(value).__name__}>"
    if "\n" in shown or len(shown) > 10 * _SHOWN:
        shown = " ".join(shown[: 10 * _SHOWN].split())
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."


def above_range(number: float) -> str:
    """Return what a message says of a number that is too large for figures from 0 to 1."""
    meant = f"; {number:g} percentage points are {number / 100:g}" if number <= 100 else ""
    return f"scores are from 0 to 1, and not in percent{meant}"


def plural(n: int, unit: str) -> str:
    """Return a number with its unit, which gets an s unless there is one of it: "1 row", "2,000 rows"."""
    return f"{n:,} {unit}{'s' * (n != 1)}"


def warn(message: str, category: type[Warning]) -> None:
    """Warn, and name the line of the caller's that led here: the last one outside this package."""
    level, frame = 2, sys._getframe(1)  # noqa: SLF001  (warnings' own skip_file_prefixes needs Python 3.12)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "qa_frame":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


# --- checks that several modules share. No value makes them raise anything but a QaFrameError.


def is_equal(value: object, other: object) -> bool:
    """Whether two values are equal. Values that cannot be compared, or have no single answer, are not."""
    if value is other:
        return True
    try:
        return bool(value == other)
    except Exception:  # noqa: BLE001  (a class of the caller's may raise anything)
        return False


def is_hashable(value: object) -> bool:
    """Whether the value has a hash. A tuple says that it has one even where it holds lists."""
    try:
        hash(value)
    except Exception:  # noqa: BLE001  (a class of the caller's may raise anything)
        return False
    return True


def is_unicode(text: str) -> bool:
    """Whether the text can be written as UTF-8, which no lone surrogate can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_choice(found: object, allowed: Iterable[str]) -> bool:
    """Whether `found` is one of these names."""
    return isinstance(found, str) and found in allowed


def require_choice(argument: str, found: object, allowed: Sequence[str]) -> None:
    """Raise UnknownOptionError unless `found` is one of the allowed names."""
    if not is_choice(found, allowed):
        raise unknown_option(argument, found, allowed)


def require_flag(argument: str, found: object) -> None:
    """Raise UnknownOptionError unless `found` is True or False, of Python or of numpy."""
    kind = type(found)  # numpy's need not be imported for this
    if f"{kind.__module__}.{kind.__qualname__}" not in {"builtins.bool", "numpy.bool"}:
        raise UnknownOptionError(f"{argument}={show(found)} is neither True nor False; give one of them")


def require_text(argument: str, found: object, remedy: str) -> None:
    """Raise UnknownOptionError unless `found` is a str that can be written as UTF-8."""
    if not isinstance(found, str):
        raise UnknownOptionError(f"{argument}={show(found)} is not text; {remedy}")
    if not is_unicode(found):
        raise UnknownOptionError(f"{argument}={show(found)} holds a lone surrogate, which is not valid text; {remedy}")


def require_path(argument: str, found: object, remedy: str) -> Path:
    """Return the path of a file or folder to write; UnknownOptionError as `text_of_path`, or if it is not UTF-8."""
    text = text_of_path(argument, found, remedy)
    require_text(argument, text, remedy)
    return Path(text)


def text_of_path(argument: str, found: object, remedy: str) -> str:
    """Return the text of a path; UnknownOptionError if `found` is something else, or no file can have this name."""
    text = os.fspath(found) if isinstance(found, str | os.PathLike) else None
    if not isinstance(text, str):
        raise UnknownOptionError(f"{argument}={show(found)} is not a path; {remedy}")
    if "\0" in text:
        raise UnknownOptionError(f"{argument}={show(found)} holds a null character; {remedy}")
    return text


def require_items(argument: str, found: Any, wanted: str) -> tuple[Any, ...]:
    """Return an iterable as a tuple; UnknownOptionError for any other value.

    Text and bytes are iterable, too, but nobody means their letters.

    wanted: names an allowed value, such as "a tuple".
    """
    is_one = isinstance(found, str | bytes | bytearray) or getattr(found, "ndim", 1) == 0
    if is_one or not isinstance(found, Iterable):
        raise UnknownOptionError(f"{argument}={show(found)} is not {wanted}")
    return tuple(found)


def require_kind(part: object, name: str, kinds: type | tuple[type, ...], wanted: str) -> None:
    """Raise UnknownOptionError unless the field `name` is of these kinds."""
    _require_kind(f"{type(part).__name__}.{name}", getattr(part, name), kinds, wanted)


def require_kinds(part: object, name: str, kinds: type | tuple[type, ...], wanted: str) -> None:
    """Make the field `name` of a frozen dataclass a tuple, and raise UnknownOptionError unless its items are of these.

    It may be any iterable but text.
    """
    argument = f"{type(part).__name__}.{name}"
    items = require_items(argument, getattr(part, name), "a tuple; put it into one")
    for item in items:
        _require_kind(argument, item, kinds, wanted)
    object.__setattr__(part, name, items)


def _require_kind(argument: str, found: object, kinds: type | tuple[type, ...], wanted: str) -> None:
    if not isinstance(found, kinds):
        raise UnknownOptionError(f"{argument}: {show(found)} is not {wanted}")
    if isinstance(found, str) and not is_unicode(found):
        raise UnknownOptionError(f"{argument}: {show(found)} holds a lone surrogate, which is not valid text")


def require_number(argument: str, found: object, *, most: float) -> None:
    """Raise UnknownOptionError unless `found` is a finite number from 0 to `most`."""
    if not is_number(found) or not 0 <= float(found) <= most:
        wanted = "a number of 0 or more" if math.isinf(most) else f"a number from 0 to {most:g}"
        raise UnknownOptionError(f"{argument}={show(found)} is not {wanted}; give one")


def is_number(found: Any) -> TypeGuard[float]:
    """Whether the value is a finite number that a float can hold. True and False are not numbers here."""
    if isinstance(found, bool) or not isinstance(found, numbers.Real):
        return False
    try:
        return math.isfinite(float(found))
    except (OverflowError, ValueError):
        return False


def require_whole_number(argument: str, found: Any, *, least: int, most: int | None = None) -> None:
    """Raise UnknownOptionError unless `found` is a whole number of these bounds."""
    if isinstance(found, bool) or not isinstance(found, numbers.Integral) or int(found) < least:
        raise UnknownOptionError(f"{argument}={show(found)} is not a whole number of {least} or more; give one")
    if most is not None and int(found) > most:
        raise UnknownOptionError(f"{argument}={show(found)} is more than {most:_}; give a smaller one")
