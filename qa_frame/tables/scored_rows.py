"""Which scores a report is made of: the arguments of a call, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qa_frame.checks import is_choice
from qa_frame.errors import UnknownOptionError
from qa_frame.frames.names import require_prefix
from qa_frame.frames.remedy_snippets import renamed
from qa_frame.frames.source import Source, read_source
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pair_metrics import COLUMNS_OF_SUMMARIES, PairMetric
from qa_frame.scoring.plan import Items, ScoreColumns, as_items, name_metrics
from qa_frame.scoring.pooled import POOLED
from qa_frame.stats.row_statistics import statistics_among
from qa_frame.tables.rows import Scoring, require_known


def make_scoring(
    *,
    metrics: ScoreColumns,
    prefix: str = "",
    makes_own: bool = False,
    takes_pooled: bool = False,
    of_questions: bool = False,
    source: Source | None = None,
) -> Scoring:
    """Check the arguments; a wrong one raises UnknownOptionError.

    Parameters
    ----------
    makes_own
        Whether the caller makes the scores of the user's own metrics, so that they are no columns of the frame.
    takes_pooled
        Whether `metrics` may name figures that are pooled from statistics, too. Those that every summary has are asked
        for where it names nothing.
    of_questions
        Whether figures are means over questions that may have several samples. Pooled figures are then refused.
    source
        The frame, where it is known: other names in `metrics` are those of its columns. Where it is not known, that is
        left to `Scoring.require_columns`.
    """
    require_prefix(prefix)
    items = as_items(metrics)
    if of_questions:
        takes_pooled = False
        _refuse_pooled(items)
    is_all = items == "all"
    figures = (*POOLED,) if takes_pooled else ()
    texts = () if is_all else tuple(each for each in items or () if isinstance(each, str) and each != "all")
    named = name_metrics(items, others=(*figures, *texts))
    scored = {name for name, metric in named.items() if name in METRICS or (makes_own and metric != name)}
    names = None if items is None else tuple(named)
    of_rows = statistics_among(names or ()) if takes_pooled else ()
    others_than_means = {*figures, *(figure.name for figure in of_rows)}
    means = None if names is None else tuple(name for name in names if name not in others_than_means)
    adds_pooled = takes_pooled and (names is None or is_all)
    pooled = None if adds_pooled else tuple(name for name in names or () if name in figures)
    columns = tuple(name for name in means or () if name not in scored)
    means = None if is_all else means
    scoring = Scoring(means, pooled, prefix, columns, takes_pooled, of_rows)
    _require_free(columns, means or ())
    if source is not None:
        scoring.require_columns(source)
    return scoring


def read_metrics(data: Any, metrics: ScoreColumns, **scores: Any) -> tuple[Source, Scoring]:
    """Return a frame, and the scores of it that a call asks for. scores: see `make_scoring`."""
    source = read_source(data)
    return source, make_scoring(metrics=metrics, source=source, **scores)


def read_one_metric(data: Any, metric: str | PairMetric) -> tuple[Source, Scoring]:
    """Return a frame and the scores of one metric; UnknownOptionError where it is none, nor a column's name."""
    source = read_source(data)
    require_one_metric(metric, source)
    return source, make_scoring(metrics=metric, source=source)


def _require_free(columns: Sequence[str], means: Sequence[str]) -> None:
    """Raise UnknownOptionError where a summary would have two columns of one name."""
    others = {f"{name}{end}" for name in means for end in ("_lo", "_hi")} | {f"n_scored_{name}" for name in means}
    for name in columns:
        if name in {*COLUMNS_OF_SUMMARIES, *others}:
            raise UnknownOptionError(
                f"metrics={name!r} has the name of another column of summaries; rename it first, as in {renamed(name)}"
            )


def _refuse_pooled(items: Items) -> None:
    """Raise UnknownOptionError for a figure that is made of sums over rows, of which a question has no score."""
    for name in items or ():
        if is_choice(name, POOLED):
            raise UnknownOptionError(
                f"metrics={name!r} is made of sums over rows, and here each question needs a score of its own; leave "
                "it out"
            )


def require_one_metric(metric: object, source: Source) -> None:
    """Raise UnknownOptionError unless it is a metric, one of the user's own, or the name of a column."""
    if not isinstance(metric, PairMetric) and not is_choice(metric, METRICS):
        require_known("metric", metric, source)
