"""A metric of one's own: a function of (prediction, gold) pairs, called on the distinct pairs alone."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qa_frame._typing import Floats
from qa_frame.checks import require_text, require_whole_number
from qa_frame.errors import OwnMetricError, UnknownOptionError, plural, show
from qa_frame.rules.signature import digest
from qa_frame.scoring.metrics import ALL_STATISTICS, METRICS
from qa_frame.scoring.pooled import COUNTS, POOLED, SAMPLE_COUNTS

COLUMNS_OF_SUMMARIES = (*COUNTS, *SAMPLE_COUNTS, *POOLED)
"""Other columns of summaries, which a metric's column must not be taken for."""

Cache = MutableMapping[tuple[str, str], float]


class OwnMetric:
    """A metric of the user's own: the fields, the signature and the `repr` that metrics of pairs and of rows share."""

    __slots__ = ()
    name: str
    function: Callable[..., Any]
    batch_size: int
    version: str | None

    def __repr__(self) -> str:
        function = getattr(self.function, "__qualname__", None) or show(self.function)
        return f"{type(self).__name__}({self.name!r}, {function})"

    @property
    def signature(self) -> str:
        """The name, and the version or the function's digest, which tell it from another function of that name."""
        return f"{self.name}#{digest(self.function) if self.version is None else self.version}"


class MetricOfRows(OwnMetric):
    """A metric that scores rows by any of their columns, which `columns` names."""

    __slots__ = ()
    columns: Sequence[str]

    def _score_rows(self, columns: Sequence[list[Any]], *, progress: bool | None) -> Floats:
        """Return the score of each row, float64 of shape (rows,), NaN for a row that is not scored.

        Each subclass defines this. columns: for each name in `columns` of the metric, the values of all rows. progress:
        as in `score_columns`.
        """
        raise NotImplementedError


def score_by_columns(metric: MetricOfRows, columns: Sequence[list[Any]], *, progress: bool | None) -> Floats:
    """Return the metric's score of each row, float64 of shape (rows,), NaN for a row that is not scored.

    columns, progress: as in `MetricOfRows._score_rows`.
    """
    return metric._score_rows(columns, progress=progress)  # noqa: SLF001  (users do not call it)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairMetric(OwnMetric):
    """A metric of your own: a function that scores (prediction, gold) pairs.

    Functions that score rows take it in `metrics`, beside the names of other metrics: `metrics=["em", own]`. Its scores
    become a column of its name. They are reduced over golds, pooled and compared as all others.

    The function gets the texts before normalisation; what `extract` or the convention cuts from a response is cut. It
    is called for each distinct pair once, and not for null predictions or rows without golds: a null prediction is 0,
    as by every metric, or not scored with `missing="null"`, which fits where 0 is not the worst. All of this happens in
    the process that calls: with a `PairMetric`, `n_jobs` starts no workers. Only the engines dask and spark send the
    function to theirs, and each of those keeps results of its own.

    Parameters
    ----------
    name : str
        Name of the score column. It must not be that of another metric or of another column.
    function : callable
        Takes two lists of str of the same length, predictions and golds, and returns as many numbers: a list, an array
        or a Series. They need not lie between 0 and 1. NaN or None means that a pair is not scored; True is 1. With
        several golds, those whose pair is not scored are left out. A function of one pair is given as
        `lambda *lists: [*map(function, *lists)]`.
    batch_size : int
        Largest number of pairs in one call of the function. Rows are scored in blocks of this size, too, and the
        progress bar moves once per block.
    cache : dict or bool, optional
        Place where results are kept, so that no pair is scored twice. None: in memory, until the call of `qa_frame`
        ends. A dict, or anything like one, keeps them from call to call, by (prediction, gold). The function is not
        called for the pairs in it, and after an error it holds all pairs that were scored before. True: in a dict of
        this object's own, its attribute `cache`. False: only for the rows that are handled at once, so that memory
        stays bounded.
    version : str, optional
        Text that stands for the function in the signature of the scores, such as the name of a model. By default it
        is a digest of the function's code and of the values that it captures. The digest of a large captured object
        takes long, so give a version then.

    Raises
    ------
    UnknownOptionError
        If the name is that of a metric or a column of `summary`, or a value is not one of those allowed.

    See Also
    --------
    Convention : Rules of your own for the metrics that are there.

    Examples
    --------
    The similarity of embeddings. Here a text is embedded by its counts of letters; a sentence encoder takes a list of
    texts in the same way:

    >>> import numpy as np, pandas as pd, qa_frame
    >>> def embed(texts):
    ...     counts = np.array([[text.lower().count(letter) for letter in map(chr, range(97, 123))] for text in texts])
    ...     return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1)
    >>> def cosine(preds, golds):
    ...     return (embed(preds) * embed(golds)).sum(axis=1)
    >>> similarity = qa_frame.PairMetric("similarity", cosine)
    >>> df = pd.DataFrame({"response": ["In Paris.", "Rome"], "answers": [["Paris", "paris, France"], ["Oslo"]]})
    >>> scored = df.qa.score("response", "answers", metrics=["f1", similarity])
    >>> scored[["f1", "similarity"]].round(3)
          f1  similarity
    0  0.667       0.894
    1  0.000       0.408
    >>> scored.qa.summary().round(3)
         n     f1  similarity  n_rows  n_missing  n_no_gold
    all  2  0.333       0.651       2          0          0

    The verdicts of a judge, looked up by prediction and gold; a pair without a verdict is not scored:

    >>> verdicts = {("In Paris.", "Paris"): True, ("Rome", "Oslo"): False}
    >>> def look_up(preds, golds):
    ...     return [verdicts.get(pair) for pair in zip(preds, golds)]
    >>> judge = qa_frame.PairMetric("judge", look_up)
    >>> df.qa.score("response", "answers", metrics=judge, append=False)
       judge
    0    1.0
    1    0.0
    """

    name: str
    function: Callable[[list[str], list[str]], Any]
    batch_size: int = 1024
    cache: Cache | bool | None = None
    version: str | None = None

    def __post_init__(self) -> None:
        check_fields(self, "two lists of str")
        if self.cache is not None and not isinstance(self.cache, bool | MutableMapping):
            raise UnknownOptionError(f"PairMetric.cache={show(self.cache)} is neither a dict, nor True, False or None")
        if self.cache is True:
            object.__setattr__(self, "cache", {})

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the metric without its cached results: another process keeps results of its own."""
        cache = self.cache if self.cache is None or isinstance(self.cache, bool) else None
        return PairMetric, (self.name, self.function, self.batch_size, cache, self.version)


def check_fields(metric: OwnMetric, arguments: str) -> None:
    """Raise UnknownOptionError if one of the fields that all metrics of the user's own share has a wrong value.

    arguments: what the function takes, for the message.
    """
    kind, name = type(metric).__name__, metric.name
    require_text(f"{kind}.name", name, "give the name of a column")
    if not name or name in {"all", *METRICS, *ALL_STATISTICS, *COLUMNS_OF_SUMMARIES}:
        finding = "is empty, or the name of a metric or column"
        raise UnknownOptionError.of(f"{kind}.name", finding, "give another name", value=name)
    if name.endswith(("_lo", "_hi")):
        raise UnknownOptionError(f"{kind}.name={show(name)} ends as the bounds of intervals do; give another name")
    if not callable(metric.function):
        remedy = f"give a function of {arguments}"
        raise UnknownOptionError.of(f"{kind}.function", "is not callable", remedy, value=metric.function)
    require_whole_number(f"{kind}.batch_size", metric.batch_size, least=1)
    if metric.version is not None:
        require_text(f"{kind}.version", metric.version, "give a str")


def prepare_for_call(metric: PairMetric) -> PairMetric:
    """Return the metric with its version fixed, and with a new empty cache if its `cache` is None."""
    version = digest(metric.function) if metric.version is None else metric.version
    return replace(metric, cache={} if metric.cache is None else metric.cache, version=version)


def score_own(metric: PairMetric, preds: Sequence[str], golds: Sequence[str]) -> Floats:
    """Return the metric's score of each pair, float64 of shape (pairs,), NaN for a pair that is not scored.

    The function gets each distinct pair once, and no pair that is in the metric's cache.

    Raises OwnMetricError where the function raises an error, or returns something else than one number per pair.
    """
    known: Cache = {} if metric.cache is None or isinstance(metric.cache, bool) else metric.cache
    pairs = list(zip(preds, golds, strict=True))
    new = [pair for pair in dict.fromkeys(pairs) if pair not in known]
    for start in range(0, len(new), metric.batch_size):
        batch = new[start : start + metric.batch_size]
        scores = call_function(metric, batch)
        if isinstance(scores, Exception):
            raise scores
        known.update(zip(batch, scores.tolist(), strict=True))
    return np.fromiter((_read_cached(metric, known[pair]) for pair in pairs), np.float64, count=len(pairs))


def call_function(metric: OwnMetric, items: Sequence[tuple[Any, ...]]) -> Floats | Exception:
    """Return the function's scores of these pairs or rows, float64; or the error that names what it did, unraised."""
    try:
        return read_scores(metric, metric.function(*as_lists(items)), items)
    except Exception as error:  # noqa: BLE001  (it is the user's function)
        return as_own_error(metric, error, items)


def as_lists(items: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    """Return the lists that the function gets, one per argument: of each pair or row, the value at that place."""
    return [list(values) for values in zip(*items, strict=True)]


def read_scores(metric: OwnMetric, returned: Any, items: Sequence[tuple[Any, ...]]) -> Floats:
    """Return what the function returned for pairs or rows as float64, NaN for those that it does not score.

    Raises OwnMetricError where that is not one number for each, or an infinite one is among them.
    """
    scores = _convert_scores(returned)
    if scores is None:
        raise _make_error(metric, f"returned {show(returned)} ({type(returned).__name__})", items)
    if len(scores) != len(items):
        raise _make_error(metric, f"returned {plural(len(scores), 'number')}", items)
    if np.isinf(scores).any():
        values = " and ".join(map(show, items[int(np.argmax(np.isinf(scores)))]))
        raise _make_error(metric, f"returned an infinite number for {values}", items)
    return scores


def as_own_error(metric: OwnMetric, error: Exception, items: Sequence[tuple[Any, ...]]) -> Exception:
    """Return an OwnMetricError that names the error which the function raised; an OwnMetricError as it is.

    items: the pairs or rows that the function got.
    """
    if isinstance(error, OwnMetricError):
        return error
    takes_lists = isinstance(error, TypeError) or "list" in str(error)
    refused = _make_error(metric, f"raised {type(error).__name__}: {error}", items, says_form=takes_lists)
    refused.__cause__ = error
    return refused


def _make_error(
    metric: OwnMetric, what: str, items: Sequence[tuple[Any, ...]], *, says_form: bool = True
) -> OwnMetricError:
    """Return the error for what the function did. says_form: whether to add what the function must take and return."""
    unit = "pair" if isinstance(metric, PairMetric) else "row"
    whose = f"the function of PairMetric {metric.name!r}" if unit == "pair" else "its function"
    message = f"{whose} {what} for {plural(len(items), unit)}"
    if not says_form:
        return OwnMetricError(message)
    name = getattr(metric.function, "__name__", "function")
    name = name if name.isidentifier() else "function"
    lists = "two lists of str, predictions and golds," if unit == "pair" else plural(len(items[0]), "list")
    of_row = "[None if None in row else {0}(*row) for row in zip(*lists)]" if unit == "row" else "[*map({0}, *lists)]"
    each = f"lambda *lists: {of_row.format(name)}"
    if inspect.iscoroutinefunction(metric.function):
        each = f"async def {name}_of_all(*lists): return await asyncio.gather(*map({name}, *lists))"
    form = f"it takes {lists} with a value for each {unit}, and must return one finite number, NaN or None for each"
    alone = " with batch_size=1 (the page RAG has lines that count null responses as wrong)" * (unit == "row")
    return OwnMetricError.of("", message, f"{form}; give a function of one {unit}{alone} as {each}")


def _convert_scores(returned: Any) -> Floats | None:
    """Return what a function returned as float64, NaN for None; None if it is no one-dimensional list of numbers."""
    try:
        returned = np.asarray(returned)
        if returned.dtype.kind not in "biufO" or returned.ndim != 1:
            return None
        if returned.dtype.kind != "O":
            floats: Floats = returned.astype(np.float64)
            return floats
        values = [math.nan if _is_null(value) else value for value in returned.tolist()]
        if not all(isinstance(value, numbers.Real | np.bool_) for value in values):
            return None
        return np.array([float(value) for value in values])
    except Exception:  # noqa: BLE001  (what a function returns may raise anything)
        return None


def _is_null(value: object) -> bool:
    """Return whether a value is None, or the NA of pandas, which this room does not import."""
    return value is None or type(value).__name__ == "NAType"


def _read_cached(metric: PairMetric, score: Any) -> float:
    """Return a score from the cache as a float, NaN for None.

    Raises OwnMetricError for any other value than a number, and for an infinite one: the user may have filled the
    cache.
    """
    if score is None:
        return math.nan
    if not isinstance(score, numbers.Real | np.bool_) or math.isinf(score):
        finding = f"the cache of PairMetric {metric.name!r} holds {show(score)}"
        raise OwnMetricError.of("", finding, "it must hold a number by (prediction, gold)")
    return float(score)
