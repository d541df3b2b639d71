"""Where the scores of a report come from: rows scored now, or the score columns that a frame has already."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pandas as pd

from qa_frame.checks import is_choice
from qa_frame.errors import UnknownOptionError
from qa_frame.frames.kinds import Source, read_source
from qa_frame.frames.names import require_prefix
from qa_frame.frames.steps_in_code import renamed
from qa_frame.frames.text_columns import TextColumns
from qa_frame.reports.existing_scores import ExistingScores
from qa_frame.reports.pooled import FIGURES
from qa_frame.reports.rows import Made, Scoring, require_known
from qa_frame.scoring.call_rules import Rules, make_rules
from qa_frame.scoring.doubts import Doubts
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pair_metrics import COLUMNS_OF_SUMMARIES, PairMetric
from qa_frame.scoring.pipeline import score_with_doubts
from qa_frame.scoring.plan import Items, ScoreColumns, as_items, make_plan, name_metrics, with_math_verify
from qa_frame.scoring.pooled import POOLED
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.stats.row_statistics import statistics_among


@dataclass(frozen=True, slots=True)
class NewScores(Scoring):
    """Scores that are made now from `pred` and `gold`, by `plan`, beside columns of numbers that are there."""

    is_now: ClassVar[bool] = True

    def _make(self, source: Source, frame: pd.DataFrame) -> Made:  # noqa: ARG002
        """Score the rows."""
        plan = self.plan
        columns = prepare_predictions(source.texts(pred=self.pred, gold=self.gold, **plan.reading), plan)
        found, doubts = self._score(columns)
        scores, statistics = (
            {name: values for name, values in found.items() if name in names}
            for names in (plan.metrics, plan.statistics)
        )
        rules = plan.convention
        return Made(scores, statistics, columns, rules, plan.signature, doubts, rules.no_answer, counted_by=rules)

    def _score(self, columns: TextColumns) -> tuple[Mapping[str, Any], Doubts]:
        """Return the scores and statistics that figures are made of, and the doubts about them."""
        if self.pooled is not None and self.named is not None and {*self.named} <= {*self.columns}:
            return {}, Doubts()
        needed = frozenset(name for figure in self.pooled or () for name in FIGURES[figure].statistics)
        wanted = self.plan if self.pooled is None else replace(self.plan, stats=needed)
        # The user's own metrics may take long, and have a bar.
        return score_with_doubts(columns, wanted, progress=None if wanted.own else False)


def make_scoring(
    *,
    metrics: ScoreColumns,
    prefix: str = "",
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    rules: Rules | None = None,
    takes_pooled: bool = False,
    of_questions: bool = False,
    source: Source | None = None,
) -> Scoring:
    """Check the arguments; a wrong one raises UnknownOptionError.

    Parameters
    ----------
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
    require_both(pred, gold)
    items = as_items(metrics)
    if of_questions:
        takes_pooled = False
        _refuse_pooled(items)
    is_now = pred is not None
    items = with_math_verify(items) if is_now else items
    is_all = items == "all"
    figures = (*POOLED,) if takes_pooled else ()
    texts = () if is_all else tuple(each for each in items or () if isinstance(each, str) and each != "all")
    named = name_metrics(items, others=(*figures, *texts))
    scored = {name: metric for name, metric in named.items() if name in METRICS or (is_now and metric != name)}
    names = None if items is None else tuple(named)
    of_rows = statistics_among(names or ()) if takes_pooled else ()
    others_than_means = {*figures, *(figure.name for figure in of_rows)}
    means = None if names is None else tuple(name for name in names if name not in others_than_means)
    adds_pooled = takes_pooled and (names is None or is_all)
    pooled = None if adds_pooled else tuple(name for name in names or () if name in figures)
    columns = tuple(name for name in means or () if name not in scored)
    wanted = "all" if is_all else tuple(scored[name] for name in means or () if name in scored)
    plan = make_plan(wanted or None, make_rules() if rules is None else rules, stats=True)
    if is_all:  # all that the convention defines, or that the frame has
        means = plan.metrics if is_now else None
    arguments = (pred, gold, plan, means, pooled, prefix, columns, takes_pooled, of_rows)
    scoring = NewScores(*arguments) if is_now else ExistingScores(*arguments)
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


def require_both(pred: Hashable | None, gold: Hashable | None) -> None:
    """Raise UnknownOptionError if one of them is given without the other."""
    if (pred is None) != (gold is None):
        given, lacking = ("gold", "pred") if pred is None else ("pred", "gold")
        raise UnknownOptionError(f"{given} is given without {lacking}; give both to score the rows first, or neither")
