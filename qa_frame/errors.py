"""The errors and warnings of `qa_frame` about its input, and how their messages show what was found.

Each message names the argument, the value that was found and the remedy. Every error is a `QaFrameError`, and also the
built-in exception that a caller would expect.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from contextvars import ContextVar
from typing import TypeVar

from qa_frame.terminal import visible


class _Visible:
    """The base of errors and warnings. Their messages may quote texts, and show nothing that a terminal would obey."""

    def __str__(self) -> str:
        args: tuple[object, ...] = self.args  # type: ignore[attr-defined]
        # KeyError would print the message's repr, and OSError two of its arguments.
        return visible(str(args[0]) if len(args) == 1 else super().__str__(), keep="\n\t")


_NO_VALUE = object()
_Kind = TypeVar("_Kind", bound="QaFrameError")


class QaFrameError(_Visible, Exception):
    """Any error of this package is one of these.

    Catch it to catch them all. Its attributes are the parts of its message.

    Attributes
    ----------
    argument
        The argument that is wrong; "" where it is something else, as a file.
    value
        Its value, as `show` does; "" where the message shows none.
    head
        The argument with its value, with which the message begins.
    finding
        What is wrong with it.
    remedy
        What to do.

    Examples
    --------
    >>> import qa_frame
    >>> try:
    ...     qa_frame.sample().qa.score("response", "answers", metrics="f2")
    ... except qa_frame.QaFrameError as error:
    ...     print(type(error).__name__)
    UnknownOptionError
    """

    argument = value = finding = remedy = head = ""

    @classmethod
    def of(  # noqa: PYI019  (Self needs Python 3.11)
        cls: type[_Kind], argument: str, finding: str, remedy: str = "", *, value: object = _NO_VALUE
    ) -> _Kind:
        """Make an error from its parts, which it keeps. Its message is the sentence that they make."""
        shown = "" if value is _NO_VALUE else show(value)
        head = f"{argument}={shown}" if shown else argument
        error = cls(as_sentence(head, finding, remedy))
        error.argument, error.value, error.finding, error.remedy, error.head = argument, shown, finding, remedy, head
        return error


def as_sentence(head: str, finding: str, remedy: str) -> str:
    """Return the message of an error from its parts."""
    sentence = f"{head}{finding}" if not head or finding.startswith(":") else f"{head} {finding}"
    ends = sentence.endswith(".") and not sentence.endswith("...")
    mark = "" if ends else "." if remedy[:1].isupper() else ";"
    return f"{sentence}{mark} {remedy}" if remedy else sentence


class ColumnNotFoundError(QaFrameError, KeyError):
    """A named column is not in the frame, or several columns have that name.

    Take a name that the message lists, or rename one of the columns that share it.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.sample().qa.score("reply", "answer")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.ColumnNotFoundError: pred='reply' is not a column...
    """


class ColumnTypeError(QaFrameError, TypeError):
    """A column holds something other than text or lists of text, or `data` is not a frame.

    Convert the column by `qa_frame.to_text` or `qa_frame.to_golds`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> pd.DataFrame({"response": [4.2], "answers": ["4.2"]}).qa.score("response", "answers")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.ColumnTypeError: pred='response' holds double, where text is needed; ...
    """


class GoldFormatError(QaFrameError, ValueError):
    """A gold column holds lists that were written out as text, as in a CSV file.

    Convert it by `qa_frame.to_golds`.

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

    Read the file with its own encoding.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"response": ["café".encode("latin-1")], "answers": ["café"]})
    >>> df.qa.score("response", "answers")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.InvalidTextError: pred='response' holds bytes that are not UTF-8 ...
    """


class ColumnOverwriteError(QaFrameError, ValueError):
    """A new column would replace the prediction or gold column, or a key of a table.

    Give `prefix=`, or rename the column.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> pd.DataFrame({"em": ["a"], "answers": ["a"]}).qa.score("em", "answers")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.ColumnOverwriteError: the score column 'em' would take the place of pred='em'; ...
    """


class GoldFormatWarning(_Visible, UserWarning):
    """Golds may be several in one text, as `[0, 1]` or `a; b`; or, with `extract="choice"`, they hold no letter.

    Convert them by `qa_frame.to_golds`, or give `gold_is=`.
    """


class IntervalWarning(_Visible, UserWarning):
    """Too few rows, clusters or random draws stand behind an interval or a p-value.

    Report it with this doubt, or collect more rows; for too few draws, raise `n_resamples`.

    Examples
    --------
    >>> import warnings, qa_frame
    >>> warnings.simplefilter("ignore", qa_frame.errors.IntervalWarning)  # if you know and do not mind
    """


class ScoringWarning(_Visible, UserWarning):
    """Scores may mislead: for example, all predictions are null, or golds have no words left.

    Read the remedy in the message, or run `audit`.

    Examples
    --------
    >>> import warnings, qa_frame
    >>> warnings.simplefilter("ignore", qa_frame.errors.ScoringWarning)  # if you know and do not mind
    """


class ExtractionWarning(ScoringWarning):
    """`extract=` finds no answer in more than a tenth of all responses, or of one group's.

    Read some of these responses, and name the step that fits them.

    Examples
    --------
    >>> import warnings, qa_frame
    >>> warnings.simplefilter("ignore", qa_frame.errors.ExtractionWarning)  # if you know and do not mind
    """


class MissingPackageError(QaFrameError, ImportError):
    """An optional package is needed and not installed.

    Install it by the command in the message.

    Examples
    --------
    >>> import qa_frame
    >>> issubclass(qa_frame.errors.MissingPackageError, ImportError)
    True
    """


class MissingPredictionError(QaFrameError, ValueError):
    """A prediction is null, and `missing="raise"` forbids that.

    Fill or drop these rows, or give `missing="zero"` or `"null"`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"response": ["a", None], "answers": ["a", "b"]})
    >>> df.qa.score("response", "answers", missing="raise")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.MissingPredictionError: missing='raise', and 1 of 2 predictions are null, ...
    """


class MixedScoresWarning(_Visible, UserWarning):
    """The means of a table are over different rows, because frames with different scores were concatenated.

    Score all rows in one call.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> sample = qa_frame.sample()
    >>> one = sample[:60].qa.score("response", "answers", metrics=["em", "f1"])
    >>> other = sample[60:120].qa.score("response", "answers", metrics="em")
    >>> both = pd.concat([one, other])
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     both.qa.summary()[["n", "n_rows", "n_f1"]]
    ...     caught[0].category.__name__
           n  n_rows  n_f1
    all  120     120    60
    'MixedScoresWarning'
    """


class OwnMetricError(QaFrameError, TypeError):
    """The function of a `PairMetric` or `RowMetric` failed, or did not return one number per pair or row.

    Correct the function.

    Examples
    --------
    >>> import qa_frame
    >>> own = qa_frame.PairMetric("own", lambda preds, golds: [1.0])
    >>> qa_frame.sample().qa.score("response", "answers", metrics=own)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.OwnMetricError: the function of PairMetric 'own' returned 1 number for ...
    """


class PairingError(QaFrameError, ValueError):
    """Rows cannot be paired by question: a key is null or not unique, or there are not two groups.

    Name all columns that identify a question, or give `samples=True`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"model": ["a", "a", "b"], "question": [1, 1, 1], "f1": [0.0, 0.5, 1.0]})
    >>> df.qa.compare("model", "question", metrics="f1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.PairingError: ...
    """


class PairingWarning(_Visible, UserWarning):
    """Rows with one key seem to be of different questions, or compared groups share no question.

    Name all columns that identify a question.

    Examples
    --------
    >>> import warnings, qa_frame
    >>> warnings.simplefilter("ignore", qa_frame.errors.PairingWarning)  # if you know and do not mind
    """


class PlotWarning(_Visible, UserWarning):
    """A picture has more than eight series, which colours and markers no longer tell apart.

    Draw fewer groups or metrics.

    Examples
    --------
    >>> import warnings, qa_frame
    >>> warnings.simplefilter("ignore", qa_frame.errors.PlotWarning)  # if you know and do not mind
    """


class PoolMismatchError(QaFrameError, ValueError):
    """Rows or pools that were scored or grouped in different ways are pooled together.

    Score and group all of them alike.

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
    """A function given as `reduce` failed, or returned something other than one number.

    Correct the function.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.sample().qa.score("response", "answers", reduce=sorted)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.ReductionError: reduce=sorted returned ...
    """


class ResultFileError(QaFrameError, ValueError):
    """A result file cannot be read: it is damaged, of no known kind, or holds no text to score.

    Name its places by `pred=` and `gold=`; leave out damaged lines by `on_bad_lines="warn"`.

    Examples
    --------
    >>> import pathlib, tempfile, qa_frame
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "results.jsonl")
    ...     _ = path.write_text('{"response": "Seine", "answers": ["Seine"]}' + chr(10) + '{"response":')
    ...     try:
    ...         qa_frame.read_results(path)
    ...     except qa_frame.errors.ResultFileError as error:
    ...         print(str(error).replace(folder, "")[1:41])
    results.jsonl, line 2: is not valid JSON
    """


class ResultFileNotFoundError(ResultFileError, FileNotFoundError):
    """A path names no file, a pattern matches none, or a folder holds no result files.

    Correct the path.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.read_results("no/such/*.jsonl")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.ResultFileNotFoundError: path='no/such/*.jsonl' matches no file; ...
    """

    def __new__(cls, *args: object) -> ResultFileNotFoundError:  # noqa: PYI034  (Self needs Python 3.11)
        """Make it as an OSError does, which some unpicklers need; of its bases, ValueError comes first."""
        return FileNotFoundError.__new__(cls, *args)


class ResultWriteError(QaFrameError, OSError):
    """A file cannot be written: the disk is full, the folder is read-only, or another file is there.

    Choose another path, or give `overwrite=True`.

    Examples
    --------
    >>> import qa_frame
    >>> issubclass(qa_frame.errors.ResultWriteError, OSError)
    True
    """


class ResultFileWarning(_Visible, UserWarning):
    """Records were left out, a file holds no golds, its run is unfinished, or its `extract=` is unknown here.

    Check the counts in `frame.attrs["qa_files"]`, and give `golds=` or `extract=`.

    Examples
    --------
    >>> import warnings, qa_frame
    >>> warnings.simplefilter("ignore", qa_frame.errors.ResultFileWarning)  # if you know and do not mind
    """


class SampleError(QaFrameError, OSError):
    """The file of `qa_frame.sample` cannot be read.

    Install the package again.

    Examples
    --------
    >>> import qa_frame
    >>> issubclass(qa_frame.errors.SampleError, OSError)
    True
    """


class StratumWarning(_Visible, UserWarning):
    """Some groups lack rows of a dataset that others have, and so have no average over datasets.

    Add these rows, or leave the dataset out for all groups.

    Examples
    --------
    >>> import warnings, pandas as pd, qa_frame
    >>> rows = pd.DataFrame({"model": ["a", "a", "b"], "dataset": ["nq", "drop", "nq"], "em": [1, 0, 1]})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", qa_frame.errors.StratumWarning)  # if you know and do not mind
    ...     table = qa_frame.summary(rows, by="model", macro="dataset")
    >>> table["em"].tolist()
    [0.5, nan]
    """


class TokeniserError(QaFrameError, TypeError):
    """A function given as a tokeniser failed, or returned something other than a list of text.

    Correct the function.

    Examples
    --------
    >>> import qa_frame
    >>> exact = qa_frame.rules.Exact(text=qa_frame.rules.Text(split=len))
    >>> own = qa_frame.Convention(name="own", exact=exact)
    >>> qa_frame.sample().qa.score("response", "answers", convention=own)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.TokeniserError: the tokeniser len returned ...
    """


class UnknownOptionError(QaFrameError, ValueError):
    """An argument has a value that is not allowed.

    Take one that the message lists.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.sample().qa.score("response", "answers", metrics="rouge")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.UnknownOptionError: metrics='rouge' is not known; did you mean 'rouge_l'? ...
    """


class UnknownConventionError(UnknownOptionError, KeyError):
    """`qa_frame.conventions` has no convention of this name.

    Print `qa_frame.conventions` for their names.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.conventions["SQuAD"]  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.UnknownConventionError: name='SQuAD' is not known; did you mean 'squad'? ...
    """


class UnknownMetricError(UnknownOptionError, KeyError):
    """`qa_frame.metrics` has no metric of this name.

    Print `qa_frame.metrics` for their names.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.metrics["rougeL"]  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.UnknownMetricError: name='rougeL' is not known; did you mean 'rouge_l'? ...
    """


class VerdictError(QaFrameError, ValueError):
    """A column of verdicts holds no numbers, or the same number throughout.

    Name the right column by `human=`, or judge more rows.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"f1": [0.0, 0.5, 1.0], "human": [1, 1, 1]})
    >>> df.qa.agreement(human="human", metrics="f1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    qa_frame.errors.VerdictError: ...
    """


class WorkerError(QaFrameError, RuntimeError):
    """A worker process died, cannot be started, or cannot be given its work.

    Give `n_jobs=1`, or free memory.

    Examples
    --------
    >>> import qa_frame
    >>> issubclass(qa_frame.errors.WorkerError, RuntimeError)
    True
    """


SHOWN = 60
"""So many characters of a wrong value stand in a message."""


def show(value: object) -> str:
    """Return the beginning of a value's `repr` in one line, for a message; `<its class>` where `repr` fails."""
    try:
        shown = repr(value)
    except Exception:  # noqa: BLE001  (a class of the caller's may raise anything)
        return f"<{type(value).__name__}>"
    if "\n" in shown or len(shown) > 10 * SHOWN:
        shown = " ".join(shown[: 10 * SHOWN].split())
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}..."


def plural(n: int, unit: str) -> str:
    """Return a number with its unit, which gets an s unless there is one of it: "1 row", "2,000 rows"."""
    return f"{n:,} {unit}{'s' * (n != 1)}"


def warn(message: str, category: type[Warning], *, see: str = "") -> None:
    """Warn, and name the line of the caller's that led here: the last one outside this package.

    Inside `hearing_warnings` the warning is collected in place of being given.

    message: one line of what was found and in how many rows. see: where to read on, a heading of the page of warnings,
    or a page and a heading of it, as "coverage#differences".
    """
    if see:
        page, _, heading = see.rpartition("#")
        heading, page = (
            name.replace("-", " ").replace("_", " ").capitalize() for name in (heading, page or "warnings")
        )
        message = f'{message}; see "{heading}" on the page "{page}" of the documentation'
    heard = _heard.get()
    if heard is not None:
        heard[str(category(message))] = category
        return
    level, frame = 2, sys._getframe(1)  # noqa: SLF001  (warnings' own skip_file_prefixes needs Python 3.12)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "qa_frame":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


_heard: ContextVar[dict[str, type[Warning]] | None] = ContextVar("_heard", default=None)


@contextlib.contextmanager
def hearing_warnings() -> Iterator[dict[str, type[Warning]]]:
    """Collect the warnings of this package in place of giving them: yield a dict of their categories by text.

    Warnings of other threads are given as always. `warnings.catch_warnings` would catch them, too.
    """
    heard: dict[str, type[Warning]] = {}
    token = _heard.set(heard)
    try:
        yield heard
    finally:
        _heard.reset(token)
