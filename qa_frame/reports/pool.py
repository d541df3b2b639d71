"""`Pool`: a summary that grows, batch by batch."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By
from qa_frame.errors import PoolMismatchError, UnknownOptionError, plural, require_flag
from qa_frame.frames.kinds import Source, read_source
from qa_frame.reports.asked import Asked, make_asked, read_threshold
from qa_frame.reports.existing_scores import ExistingScores
from qa_frame.reports.levels import Levels, make_levels, plain_names
from qa_frame.reports.rows import Scoring, mean_of
from qa_frame.reports.same_questions import filters_left_out, telling_apart, warn_of_filters, warn_of_mixed_samples
from qa_frame.reports.scored_rows import make_scoring, require_both
from qa_frame.reports.summary import tabulate
from qa_frame.reports.votes import with_votes
from qa_frame.rules.signature import digest
from qa_frame.scoring.call_rules import make_rules
from qa_frame.scoring.doubts import NO_DOUBTS, warn_of_texts
from qa_frame.scoring.plan import Metrics
from qa_frame.scoring.pooled import COUNTS
from qa_frame.scoring.predictions import extract_predictions
from qa_frame.stats.figures import Figure
from qa_frame.stats.grouping import KeyColumns, Keys, have_same_categories, require_names
from qa_frame.stats.intervals import Interval, Method, make_interval
from qa_frame.stats.rows import ScoredRows
from qa_frame.stats.samples import sample_figures
from qa_frame.stats.strata import Shares
from qa_frame.stats.sums import Facts, Sums, collect, combine, regroup
from qa_frame.text.extraction import Extract, make_steps, require_choice_step

_PENDING_GROUPS = 1 << 14
"""Sums are combined once the new ones have so many groups, or as many as the combined ones: that is rare then."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The arguments that a Pool was made with.

    Attributes
    ----------
    levels
        What names the keys of groups, clusters and questions.
    observed
        Whether only categories that occur are groups; else all categories are.
    dropna
        Whether rows with a null in `by` are left out; else they are a group of their own.
    threshold
        The score from which a sample is right.
    scoring
        The scores that it takes.
    keep_rows, keep_products
        Whether it keeps every row's scores, which draws of rows need, and sums of products of scores by group, which
        intervals need.
    has_votes
        Whether the answers of a question vote, as in `majority` of `qa_frame.summary`. Then its rows come at once.
    """

    levels: Levels
    scoring: Scoring
    observed: bool
    dropna: bool
    keep_rows: bool
    keep_products: bool
    threshold: float = 1.0
    has_votes: bool = False

    def require_same(self, other: Settings) -> None:
        """Raise PoolMismatchError where they would keep different things. The prefix may differ."""
        names = ("observed", "dropna", "keep_rows", "threshold")
        settings, others = ({name: getattr(each, name) for name in names} | each.levels.named for each in (self, other))
        for name, mine in settings.items():
            theirs = others[name]
            # A function of `by` that was sent to another process comes back as another object.
            if mine != theirs and not (name == "by" and digest(mine) == digest(theirs)):
                shown = [_as_given(name, each) for each in (mine, theirs)]
                raise PoolMismatchError(
                    f"{name}={shown[0]!r} in this Pool, {name}={shown[1]!r} in the other; make both alike"
                )
        mine, theirs = self.scoring.named, other.scoring.named
        if mine and theirs and set(mine) != set(theirs):
            raise PoolMismatchError(f"metrics={list(mine)} in this Pool, {list(theirs)} in the other; make both alike")


class Pool:
    """A summary that grows: scored rows go in batch by batch, and only counts and exact sums are kept.

    Rows and pools may come together in any order, any batches and any nesting: the summary is the same to the last bit,
    and the same as that of `qa_frame.summary` on all rows at once. Pools can be pickled, if the functions in `by` can.

    Parameters
    ----------
    by
        Names of columns or index levels, or functions of index labels, or a list of these. None gives one row, `all`.
    metrics
        Which scores to pool: names of score columns, of figures of statistics such as `corpus_bleu`, or of any columns
        of numbers or truth values. By default these are all score columns of the first frame. Those of a `PairMetric`
        are named by it. Whether other names are columns shows with the first frame.
    cluster
        A column or index level. Rows with the same value of it are not independent of each other, such as several
        models' answers to one question. Sums are then kept for each cluster of each group.
    samples
        The column or columns that say which question a row is a sample of. A figure is then a mean over questions, each
        of which counts once. Sums are kept for each question of each group, from which `summary` makes any `pass_at`
        and `pass_all`.
    threshold
        The score from which a sample is right.
    macro
        The column or columns that say which dataset a row is of. A figure is then the weighted mean of the datasets'
        figures. Sums are kept for each dataset of each group.
    prefix
        What stands in front of the names of score columns and statistics.
    observed
        Whether only categories that occur are groups, as in pandas' groupby; else all categories are.
    dropna
        Whether rows with a null in `by` are left out, as in pandas' groupby; else they are a group of their own.
    keep_rows
        Keep every row's scores. `method="bootstrap"` needs them unless there are clusters or samples.

    Raises
    ------
    UnknownOptionError
        Where an argument has a value that is not allowed.

    Examples
    --------
    >>> import qa_frame
    >>> pool, df = qa_frame.Pool(by="model", metrics=["em", "f1"]), qa_frame.sample()
    >>> for start in range(0, len(df), 100):
    ...     scored = df[start : start + 100].qa.score(pred="response", gold="answers")
    ...     pool = pool.update(scored)
    >>> pool.summary(percent=True).round(1)
                  n  n_scored  n_missing  n_no_gold    em    f1
    model
    heron-7b    120       115          4          5   8.7  20.6
    lynx-70b    120       115          2          5  43.5  72.4
    otter-chat  120       115          2          5   0.0  33.9
    """

    def __init__(
        self,
        by: By = None,
        *,
        metrics: Metrics = None,
        cluster: Hashable | None = None,
        samples: Hashable | Sequence[Hashable] | None = None,
        threshold: float = 1.0,
        macro: Hashable | Sequence[Hashable] | None = None,
        prefix: str = "",
        observed: bool = True,
        dropna: bool = False,
        keep_rows: bool = False,
    ) -> None:
        levels = make_levels(by, macro=macro, cluster=cluster, samples=samples)
        require_names(levels.by)
        for argument, value in (("observed", observed), ("dropna", dropna), ("keep_rows", keep_rows)):
            require_flag(argument, value)
        scoring = make_scoring(
            pred=None,
            gold=None,
            metrics=metrics,
            rules=make_rules(),  # a Pool takes scores by whatever rules they were made
            prefix=prefix,
            takes_pooled=True,
            of_questions=bool(levels.samples),
            remedy="give qa_frame.summary pred=... and gold=...",
        )
        least = read_threshold(threshold)
        self._settings = Settings(levels, scoring, observed, dropna, keep_rows, keep_products=True, threshold=least)
        self.clear()

    def __repr__(self) -> str:
        keys = [key.__name__ if callable(key) and hasattr(key, "__name__") else key for key in self._settings.levels.by]
        sums, _ = regroup(self._combined(), Keys(self._combined().keys.by))
        metrics = sums.facts.inputs("metrics") or self._settings.scoring.named or ()
        n_rows = int(sums.n.sum())
        return (
            f"Pool(by={keys}, {plural(sums.n_groups, 'group')}, {plural(n_rows, 'row')}, "
            f"metrics: {' '.join(metrics) or 'those of the first frame'})"
        )

    def clear(self) -> Pool:
        """Forget all rows and their signature. Returns this Pool."""
        self._parts: list[Sums] = []
        self._doubts = NO_DOUBTS
        self._filters: set[str] = set()
        self._facts: Facts | None = None
        return self

    def update(
        self,
        data: Any,
        *,
        pred: Hashable | None = None,
        gold: Hashable | None = None,
        extract: Extract = None,
        choices: Hashable | None = None,
    ) -> Pool:
        """Add scored rows.

        Parameters
        ----------
        data
            A frame with score columns, of any kind that `qa_frame.summary` takes. A score that is null is not scored.
        pred, gold
            The columns that the scores were made from, for `n_missing` and `n_no_gold`. By default they are those that
            the frame remembers. Where it does not, as in polars, these counts are `<NA>` from then on.
        extract
            With `pred` and `gold`, what part of the responses was scored, as `score` was told.
        choices
            With `extract="choice"`, the column of the options' texts, as `score` was told.

        Returns
        -------
        Pool
            This one.

        Raises
        ------
        ColumnNotFoundError, ColumnTypeError, UnknownOptionError
            Where the frame or an argument cannot be used.
        PoolMismatchError
            Where these rows were scored in another way than those before. After an error the Pool is as it was.
        """
        require_both(pred, gold)
        steps = make_steps(extract)
        require_choice_step(choices, steps)
        if steps and pred is None:
            raise UnknownOptionError("extract is given without pred and gold; give all three, or none")
        source = read_source(data)
        if pred is None:
            return self._add(source)
        texts = extract_predictions(source.texts(pred=pred, gold=gold, choices=choices, spans=True), steps)
        assert isinstance(self._settings.scoring, ExistingScores)
        return self._add(source, replace(self._settings.scoring, texts=texts))

    def _add(self, source: Source, scoring: Scoring | None = None) -> Pool:
        """Add the rows of a frame, for `update` and `summary`. scoring: None for that of the Pool."""
        settings = self._settings
        scoring = scoring or settings.scoring
        scoring.require_columns(source)
        frame = source.as_pandas(settings.levels.named, [*scoring.names, *telling_apart(source.names)])
        keys = settings.levels.read(frame)
        filters = filters_left_out(frame, {name: of for name, of in settings.levels.named.items() if name != "cluster"})
        if settings.levels.samples and not settings.levels.macro:
            warn_of_mixed_samples(frame, keys, settings.levels.samples)
        rows = scoring.read(source, frame)
        figures: Sequence[Figure] = rows.figures
        if settings.has_votes:
            rows = with_votes(rows, keys, scoring.plan.convention, settings.threshold)
        if settings.levels.samples:
            figures = sample_figures(figures, settings.threshold, has_votes=settings.has_votes)
        self._absorb(collect(rows, figures, keys, with_products=settings.keep_products, with_rows=settings.keep_rows))
        self._doubts += rows.doubts
        self._filters.update(filters)
        return self

    def merge(self, other: Pool) -> Pool:
        """Add the rows of another Pool, which stays as it is.

        Parameters
        ----------
        other
            A Pool that was made with the same arguments; `prefix` may differ.

        Returns
        -------
        Pool
            This one.

        Raises
        ------
        PoolMismatchError
            Where they differ in an argument that they were made with, in metrics, statistics or the scores' signature.
        """
        if not isinstance(other, Pool):
            raise UnknownOptionError(f"other is a {type(other).__name__}, not a Pool; for scored rows there is update")
        self._settings.require_same(other._settings)
        if not other._parts:
            return self
        part, scoring = combine(other._parts), self._settings.scoring
        pooled = [figure.name for figure in part.facts.figures if figure.kind != "metrics" and scoring.pooled]
        there = [*part.facts.inputs("metrics"), *pooled]
        if scoring.named is not None and set(scoring.named) != set(there):
            raise PoolMismatchError(f"the metrics differ: {list(scoring.named)} here, {there} there; make both alike")
        self._absorb(part)
        self._doubts += other._doubts
        self._filters |= other._filters
        return self

    def summary(
        self,
        *,
        ci: float | None = None,
        method: Method = "normal",
        n_resamples: int = 1000,
        seed: int = 0,
        percent: bool = False,
        long: bool = False,
        pass_at: int | Sequence[int] = (),
        pass_all: int | Sequence[int] = (),
        variance: bool = False,
        weights: Shares | Mapping[Any, float] = "equal",
    ) -> pd.DataFrame:
        """Return the summary of all rows so far: the same as that of `qa_frame.summary` on all of them at once.

        Parameters
        ----------
        ci
            The level of confidence intervals, as 0.95. None gives no intervals.
        method
            How intervals are made: `"normal"` (Wilson's, with the effective sample size and Student's t), `"bootstrap"`
            (percentiles of draws of units) or `"exact"` (Clopper and Pearson's, for columns of 0 and 1; it needs
            scipy). `"bootstrap"` needs `keep_rows=True`, `samples` or a `cluster`.
        n_resamples, seed
            The number of bootstrap samples, and the seed of their random draws.
        percent
            Whether figures and bounds are multiplied by 100.
        long
            Whether there is one row per group and metric. Its columns are those of `by`, then `metric value lo hi n`,
            where n is the number of rows that the metric is scored on.
        pass_at
            For a Pool with samples: numbers k for `<metric>_pass@k`, the chance that one or more of k samples of a
            question are right. A question with fewer than k scored samples is not scored for it.
        pass_all
            For a Pool with samples: numbers k for `<metric>_pass^k`, the chance that all of k samples are right.
        variance
            For a Pool with samples: also the parts of each metric's variance, within and between questions.
        weights
            For a Pool with `macro`: how much each dataset counts, `"equal"`, `"size"` (by its scored rows, or questions
            with samples), or a mapping from each dataset to a number above 0, which sum to 1.

        Returns
        -------
        pandas.DataFrame
            One row per group, or one row for all. Its columns are the counts `n`, `n_scored`, `n_missing` and
            `n_no_gold`, then the figures, each with `<name>_lo` and `<name>_hi` where `ci` is given. A group without a
            scored row has NaN.

        Raises
        ------
        UnknownOptionError
            Where an argument has a value that is not allowed, or asks for what this Pool does not keep.
        """
        interval = make_interval(ci, method, n_resamples, seed)
        asked = make_asked(
            self._settings.levels,
            pass_at=pass_at,
            pass_all=pass_all,
            weights=weights,
            variance=variance,
            without_strata=interval.without_strata,
        )
        require_flag("percent", percent)
        require_flag("long", long)
        return self._table(interval, asked, percent=percent, long=long)

    def _table(self, interval: Interval, asked: Asked, *, percent: bool, long: bool) -> pd.DataFrame:
        """Return the summary of all rows so far, by arguments that are checked."""
        settings, sums = self._settings, self._combined()
        settings.levels.require_nested(sums.keys)
        warn_of_filters(sorted(self._filters))
        warn_of_texts(self._doubts, settings.scoring.plan, pred=settings.scoring.pred, gold=settings.scoring.gold)
        return tabulate(
            sums, interval, asked, percent=percent, observed=settings.observed, dropna=settings.dropna, long=long
        )

    def _absorb(self, part: Sums) -> None:
        facts = part.facts if self._facts is None else self._facts.merged(part.facts)
        if self._parts and not self._settings.observed:
            _require_same_categories(self._parts[0].keys.by, part.keys.by)
        self._facts = facts
        self._parts.append(part)
        if sum(each.n_groups for each in self._parts[1:]) > max(self._parts[0].n_groups, _PENDING_GROUPS):
            self._combined()

    def _combined(self) -> Sums:
        """Return all rows as one part, which takes the place of the others."""
        if not self._parts:
            return _no_rows(self._settings)
        self._parts = [combine(self._parts)]
        return self._parts[0]


def _as_given(argument: str, value: Any) -> Any:
    """Return a setting as the argument gives it."""
    if not isinstance(value, tuple):
        return value
    return list(value) if argument == "by" else plain_names(value)


def make_pool(settings: Settings) -> Pool:
    """Return a Pool without rows, which scores the rows that it is given if its `scoring` says so."""
    pool = Pool.__new__(Pool)
    pool._settings = settings  # noqa: SLF001
    return pool.clear()


def _require_same_categories(mine: KeyColumns, theirs: KeyColumns) -> None:
    """Raise PoolMismatchError where groups without rows could not be told."""
    for levels in zip(mine, theirs, strict=True):
        if not have_same_categories(levels):
            raise PoolMismatchError(
                f"the categories of by={levels[0].name!r} differ from those before; with observed=False give the same "
                "categories, in the same order, everywhere"
            )


def _no_rows(settings: Settings) -> Sums:
    """Return the sums that a Pool has before its first rows."""
    metrics, keys = settings.scoring.metrics or (), settings.levels.no_rows()
    rows = ScoredRows(0, dict.fromkeys(metrics, np.zeros(0)), {}, np.zeros(0, np.bool_), dict.fromkeys(COUNTS[2:]))
    return collect(rows, [*map(mean_of, metrics)], keys, with_products=settings.keep_products, with_rows=True)
