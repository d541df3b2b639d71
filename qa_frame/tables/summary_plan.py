"""The plan of a summary: its arguments, checked once. `row_sums` follows it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from qa_frame._typing import By, Unpack
from qa_frame.errors import PoolMismatchError, UnknownOptionError
from qa_frame.frames.marks import MARK
from qa_frame.frames.scoring_metadata import noted_columns, own_scores
from qa_frame.frames.source import Source
from qa_frame.rules.signature import digest
from qa_frame.stats.grouping import GroupColumns, make_group_columns, plain_names
from qa_frame.stats.intervals import RESAMPLES, Interval
from qa_frame.stats.samples import Passes
from qa_frame.stats.strata import Weights
from qa_frame.tables.options import (
    DEFAULTS,
    TableArguments,
    read_passes,
    read_threshold,
    read_weights,
    require_questions,
)
from qa_frame.tables.rows import Scoring, looked_at
from qa_frame.tables.same_questions import Naming
from qa_frame.tables.scored_rows import make_scoring


@dataclass(frozen=True, slots=True)
class TablePlan:
    """How the sums of a summary become its table.

    Attributes
    ----------
    interval
        The intervals of its figures.
    passes
        The numbers of samples for which chances are asked.
    weights
        How much datasets count.
    percent, long
        Whether figures are percent, and whether each metric has a row.
    """

    interval: Interval
    passes: Passes
    weights: Weights
    percent: bool
    long: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPlan:
    """The checked arguments of a summary: which sums it keeps of rows, and how these become its table.

    Attributes
    ----------
    levels
        What names the keys of groups, datasets, clusters and questions.
    scoring
        The scores that it takes.
    table
        How the table is made.
    observed
        Whether only categories that occur are groups; else all categories are.
    dropna
        Whether rows with a null in `by` are left out; else they are a group of their own.
    threshold
        The score from which a sample is right.
    has_votes
        Whether the answers of a question vote, as in `majority` of `qa_frame.summary`. Then its rows come at once.
    keep_rows, keep_products
        Whether every row's scores are kept, which draws of rows need, and sums of products of scores by group, which
        intervals need.
    """

    levels: GroupColumns
    scoring: Scoring
    table: TablePlan
    observed: bool
    dropna: bool
    threshold: float
    has_votes: bool
    keep_rows: bool
    keep_products: bool

    @property
    def naming(self) -> Naming:
        """What names questions with several samples."""
        return Naming(self.levels.question, (*self.levels.by, *self.levels.macro))

    @property
    def has_keys(self) -> bool:
        """Whether the table's index holds the keys of groups."""
        return bool(self.levels.by) and not self.table.long

    @property
    def named_columns(self) -> list[tuple[str, Hashable]]:
        """The columns that the arguments name, each with its argument."""
        return [(argument, key) for argument, keys in self.levels.named.items() for key in keys]

    def looked_at(self, source: Source) -> list[str]:
        """Return the columns that warnings need, which nobody may have named."""
        return looked_at(source.names, has_questions=bool(self.levels.question))

    def needed_columns(self, source: Source, texts: Sequence[Hashable] = ()) -> list[Hashable]:
        """Return the columns of a frame that the summary reads, in the frame's order.

        texts: those of which the caller makes scores. Then the frame's own scores are not read.

        Raises UnknownOptionError where the frame lacks a column that is named beside metrics.
        """
        self.scoring.require_columns(source)
        needed = {key for _, key in self.named_columns if isinstance(key, Hashable)}
        prefix, columns = self.scoring.prefix, self.scoring.columns
        needed |= {*columns, *(prefix + name for name in columns)}
        needed.update(texts)
        if not texts:
            needed |= {MARK, *self.scoring.names, *noted_columns(source.notes), *own_scores(source.notes)}
        needed.update(self.looked_at(source))
        return [name for name in source.names if name in needed]

    def require_same(self, other: SummaryPlan) -> None:
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


def plan_summary(
    by: By = None,
    question: By = None,
    *,
    keep_rows: bool | None = None,
    makes_own: bool = False,
    **arguments: Any,
) -> SummaryPlan:
    """Check the arguments of `qa_frame.summary`; a wrong one raises UnknownOptionError.

    Parameters
    ----------
    keep_rows
        Whether every row's scores are kept, for any table that may be asked for. None: for what this table needs.
    makes_own
        Whether the caller makes the scores of the user's own metrics.
    arguments
        The others of the summary.
    """
    given: dict[str, Any] = {**DEFAULTS, **arguments}
    levels = make_group_columns(by, macro=given["macro"], cluster=given["cluster"], question=question)
    table = plan_table(levels, **{name: given[name] for name in TableArguments.__annotations__})
    threshold = read_threshold(given["threshold"])
    scoring = make_scoring(
        metrics=given["metrics"],
        prefix=given["prefix"],
        makes_own=makes_own,
        takes_pooled=True,
        of_questions=bool(levels.question),
    )
    require_questions(levels, majority=given["majority"])
    if scoring.of_rows and keep_rows is False:
        raise UnknownOptionError(
            f"metrics={scoring.of_rows[0].name!r} is made of all rows, and this Pool would keep only their sums; give "
            "keep_rows=True, too"
        )
    has_bounds, has_units = table.interval.level is not None, bool(levels.cluster or levels.question)
    draws_rows = has_bounds and table.interval.method == "bootstrap" and not has_units
    return SummaryPlan(
        levels=levels,
        scoring=scoring,
        table=table,
        observed=given["observed"],
        dropna=given["dropna"],
        threshold=threshold,
        has_votes=bool(given["majority"]),
        keep_rows=bool(scoring.of_rows) or draws_rows if keep_rows is None else keep_rows,
        keep_products=not levels.question and (keep_rows is not None or has_bounds),
    )


def plan_table(levels: GroupColumns, **arguments: Unpack[TableArguments]) -> TablePlan:
    """Check the arguments that say how sums become a table; a wrong one raises UnknownOptionError."""
    given: dict[str, Any] = {**DEFAULTS, **arguments}
    level = None if given["ci"] is None else float(given["ci"])
    interval = Interval(level, given["method"], int(given["n_resamples"] or RESAMPLES), int(given["seed"]))
    passes = read_passes(levels, given["pass_at"], given["pass_all"])
    weights = read_weights(levels, given["weights"], given["datasets"], interval.without_strata)
    return TablePlan(interval, passes, weights, given["percent"], given["long"])


def _as_given(argument: str, value: Any) -> Any:
    """Return a setting as the argument gives it."""
    if not isinstance(value, tuple):
        return value
    return list(value) if argument == "by" else plain_names(value)
