"""The map: columns of text in, columns of scores out, one stage a line in `_score_batch` and `_score_rows`."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from operator import or_
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from qa_frame.batches import Batch, make_batch, split_rows
from qa_frame.columns import TextColumns
from qa_frame.conventions import Convention, conventions
from qa_frame.errors import UnknownOptionError, unknown_option
from qa_frame.kernels.counts import Counts, Map, count_matches
from qa_frame.kernels.tokens import Pairs
from qa_frame.metrics import DEFAULT_METRICS, METRICS
from qa_frame.reduction import REDUCTIONS, Reduction, best_pairs, reduce_over_golds, vectorised
from qa_frame.text.contains import contains_per_pair
from qa_frame.text.cut import Words, cut_words
from qa_frame.text.lexicon import TokenisedTexts, simplest, tokenise
from qa_frame.text.tokenisers import TOKENISERS, Tokeniser

T = TypeVar("T")
R = TypeVar("R")
Scores = NDArray[np.float64]
Metrics = Sequence[str] | str | None
Missing = Literal["zero", "null", "raise"]

MISSING: tuple[Missing, ...] = ("zero", "null", "raise")


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compute: checked arguments of a scoring call."""

    metrics: tuple[str, ...]
    convention: Convention
    reduce: Reduction
    missing: Missing

    @property
    def signature(self) -> str:
        """One line that names every setting on which the scores depend."""
        reduction = self.reduce if isinstance(self.reduce, str) else getattr(self.reduce, "__name__", repr(self.reduce))
        return f"{self.convention.signature}|reduce:{reduction}|missing:{self.missing}"


def make_plan(metrics: Metrics, convention: str | Convention, reduction: Reduction, missing: Missing) -> Plan:
    """Check the arguments of a scoring call; an unknown name raises UnknownOptionError."""
    if isinstance(convention, str):
        if convention not in conventions:
            raise unknown_option("convention", convention, conventions)
        convention = conventions[convention]
    elif not isinstance(convention, Convention):
        raise UnknownOptionError(
            f"convention={convention!r} is neither a name from {list(conventions)} nor a Convention"
        )
    if not callable(reduction) and reduction not in REDUCTIONS:
        raise unknown_option("reduce", reduction, [*REDUCTIONS, "a callable"])
    if missing not in MISSING:
        raise unknown_option("missing", missing, MISSING)
    return Plan(_metric_names(metrics), convention, vectorised(reduction), missing)


def _metric_names(metrics: Metrics) -> tuple[str, ...]:
    if metrics is None:
        return DEFAULT_METRICS
    if isinstance(metrics, str):
        metrics = list(METRICS) if metrics == "all" else [metrics]
    for name in metrics:
        if name not in METRICS:
            raise unknown_option("metrics", name, [*METRICS, "all"])
    if not metrics:
        raise UnknownOptionError(f"metrics={metrics!r} names no metric. Choose from {[*METRICS, 'all']}")
    return tuple(dict.fromkeys(metrics))


def score_columns(
    columns: TextColumns, plan: Plan, *, threads: int | None = None, progress: bool | None = None
) -> dict[str, Scores]:
    """Scores a row for each metric of the plan: float64, shape (rows,), NaN where a row is not scored.

    threads: None for as many as there are processors. The scores do not depend on it, nor on how rows are batched.
    """
    threads = _n_threads(threads) if not callable(plan.reduce) else 1  # a caller's function need not be thread-safe
    out = {name: np.empty(len(columns)) for name in plan.metrics}
    batches = split_rows(columns, threads=threads)
    with contextlib.closing(_Threads(threads)) as pool:
        # Threads share the batches, or each batch's pairs where there are too few batches.
        across, within = (pool.map, map) if len(batches) >= threads else (map, pool.map)
        done = across(lambda bounds: _score_batch(make_batch(columns, *bounds), plan, out, within), batches)
        _follow(done, total=len(columns), progress=progress)
    return out


def _score_batch(batch: Batch, plan: Plan, out: Mapping[str, Scores], run: Map) -> int:
    """texts → words → tokens → counts → scores a pair → scores a row, into `out`. Returns the rows done."""
    words = cut_words(batch.texts)
    tokenisers = {metric: _tokeniser(metric, plan.convention, words) for metric in _needed_metrics(plan)}
    distinct = list(dict.fromkeys(tokenisers.values()))
    texts = dict(zip(distinct, run(partial(tokenise, words), distinct), strict=True))
    counts = {tokeniser: _count(texts[tokeniser], batch.pairs, tokeniser, tokenisers, run) for tokeniser in distinct}
    scored = run(lambda metric: METRICS[metric].score_per_pair(counts[tokenisers[metric]]), list(tokenisers))
    per_row = _reduce(dict(zip(tokenisers, scored, strict=True)), batch.pair_offsets, plan, run)
    for metric, scores in per_row.items():
        out[metric][batch.start : batch.stop] = _fill_missing(scores, batch, plan.missing)
    return batch.stop - batch.start


def _needed_metrics(plan: Plan) -> tuple[str, ...]:
    """The plan's metrics, and F1 where it chooses the gold."""
    return tuple(dict.fromkeys((*plan.metrics, "f1"))) if plan.reduce == "best" else plan.metrics


def _tokeniser(metric: str, convention: Convention, words: Words) -> Tokeniser:
    """The metric's tokeniser under the convention, as simple as these words allow."""
    name = getattr(convention, METRICS[metric].family)
    return simplest(TOKENISERS[name], words)


def _count(
    texts: TokenisedTexts, pairs: Pairs, tokeniser: Tokeniser, tokenisers: Mapping[str, Tokeniser], run: Map
) -> Counts:
    """The counts that all metrics with this tokeniser need."""
    metrics = [metric for metric, its_tokeniser in tokenisers.items() if its_tokeniser == tokeniser]
    wanted = functools.reduce(or_, (METRICS[metric].wanted for metric in metrics))
    counts = count_matches(texts.tokens, pairs, wanted, run=run)
    if "contains" in metrics:
        counts = dataclasses.replace(counts, run=contains_per_pair(texts, pairs, counts))
    return counts


def _reduce(per_pair: Mapping[str, Scores], pair_offsets: NDArray[np.int64], plan: Plan, run: Map) -> dict[str, Scores]:
    """One score a row for each of the plan's metrics."""
    reduction = plan.reduce
    if reduction == "best":
        best = best_pairs(per_pair["f1"], pair_offsets)
        per_pair = {metric: scores[best] for metric, scores in per_pair.items()}
        pair_offsets = np.concatenate(([0], np.cumsum(np.diff(pair_offsets) > 0)))
        reduction = "first"
    reduced = run(lambda metric: reduce_over_golds(per_pair[metric], pair_offsets, reduction), plan.metrics)
    return dict(zip(plan.metrics, reduced, strict=True))


def _fill_missing(scores: Scores, batch: Batch, missing: Missing) -> Scores:
    """Null predictions count as wrong where there is a gold, if so asked; else they stay NaN."""
    if missing == "zero":
        scores[batch.is_missing & batch.has_gold] = 0.0
    return scores


def _n_threads(threads: int | None) -> int:
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise UnknownOptionError(f"threads={threads!r} is not a number of threads; give 1 or more, or None for all")
    return threads


class _Threads:
    """A pool of threads that is only begun when used. An error stops the work not yet begun."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._executor: ThreadPoolExecutor | None = None

    def close(self) -> None:
        """Wait for the work begun."""
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)

    def map(self, function: Callable[[T], R], parts: Sequence[T]) -> Iterable[R]:
        """As the built-in `map`, in the threads where there are several of them and several parts."""
        if self._threads == 1 or len(parts) < 2:
            return map(function, parts)
        self._executor = self._executor or ThreadPoolExecutor(self._threads, thread_name_prefix="qa_frame")
        return self._executor.map(function, parts)


def _follow(done: Iterable[int], *, total: int, progress: bool | None) -> None:
    """Run `done` to its end under a progress bar; with None, only in a terminal and only if it takes seconds."""
    if progress is False:
        for _ in done:
            pass
        return
    from tqdm.auto import tqdm  # noqa: PLC0415  (costs more to import than this whole package)

    shown = {"disable": None, "delay": 2} if progress is None else {}
    with tqdm(total=total, unit="row", unit_scale=True, **shown) as bar:
        for n_rows in done:
            bar.update(n_rows)
