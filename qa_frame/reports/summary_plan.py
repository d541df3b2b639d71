"""The plan of a summary: its arguments, checked once. `row_sums` follows it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

from qa_frame._typing import By
from qa_frame.checks import require_allowed
from qa_frame.errors import PoolMismatchError
from qa_frame.frames.kinds import Source
from qa_frame.frames.provenance import noted_columns, own_scores
from qa_frame.reports.arguments import DEFAULTS
from qa_frame.reports.asked import Asked, make_asked, needs_questions, read_threshold
from qa_frame.reports.levels import Levels, make_levels, plain_names
from qa_frame.reports.rows import Scoring, looked_at
from qa_frame.reports.same_questions import Naming
from qa_frame.reports.scored_rows import make_scoring
from qa_frame.rules.signature import digest
from qa_frame.stats.intervals import RESAMPLES, Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPlan:
    """The checked arguments of a summary: which sums it keeps of rows, and how these become its table.

    Attributes
    ----------
    levels
        What names the keys of groups, datasets, clusters and questions.
    scoring
        The scores that it takes.
    observed
        Whether only categories that occur are groups; else all categories are.
    dropna
        Whether rows with a null in `by` are left out; else they are a group of their own.
    threshold
        The score from which a sample is right.
    keep_rows, keep_products
        Whether every row's scores are kept, which draws of rows need, and sums of products of scores by group, which
        intervals need.
    has_votes
        Whether the answers of a question vote, as in `majority` of `qa_frame.summary`. Then its rows come at once.
    interval, asked, percent, long
        How the table is made: its intervals, its figures beside the means, and its form.
    """

    levels: Levels
    scoring: Scoring
    observed: bool
    dropna: bool
    threshold: float
    keep_rows: bool
    keep_products: bool
    has_votes: bool
    interval: Interval
    asked: Asked
    percent: bool
    long: bool

    @property
    def naming(self) -> Naming:
        """What names questions with several samples."""
        return Naming(self.levels.question, (*self.levels.by, *self.levels.macro))

    def looked_at(self, source: Source) -> list[str]:
        """Return the columns that warnings need, which nobody may have named."""
        return looked_at(source.names, has_questions=bool(self.levels.question))

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

    @property
    def has_keys(self) -> bool:
        """Whether the table's index holds the keys of groups."""
        return bool(self.levels.by) and not self.long

    @property
    def named_columns(self) -> list[tuple[str, Hashable]]:
        """The columns that the arguments name, each with its argument."""
        named: list[tuple[str, Hashable]] = [
            (argument, key) for argument, keys in self.levels.named.items() for key in keys
        ]
        if self.scoring.pred is not None:
            named += [("pred", self.scoring.pred), ("gold", self.scoring.gold)]
        if self.scoring.plan.rules.choices is not None:
            named.append(("choices", self.scoring.plan.rules.choices))
        return named

    def for_table(self, **arguments: Any) -> SummaryPlan:
        """Return the plan with other arguments of the table, which are checked."""
        return replace(self, **_read_table(self.levels, arguments))

    def needed_columns(self, source: Source) -> list[Hashable]:
        """Return the columns of a frame that the summary reads, in the frame's order.

        Raises UnknownOptionError where the frame lacks a column that is named beside metrics.
        """
        self.scoring.require_columns(source)
        needed = {key for _, key in self.named_columns if isinstance(key, Hashable)}
        prefix, columns = self.scoring.prefix, self.scoring.columns
        needed |= {*columns, *(prefix + name for name in columns)}
        if not self.scoring.is_now:
            needed |= {*self.scoring.names, *noted_columns(source.notes), *own_scores(source.notes)}
        needed.update(self.looked_at(source))
        return [name for name in source.names if name in needed]


def plan_summary(by: By = None, question: By = None, **arguments: Any) -> SummaryPlan:
    """Check the arguments of `qa_frame.summary`; a wrong one raises UnknownOptionError.

    arguments: the others but the frame; where rows are scored, also `pred`, `gold` and the checked `rules`.
    """
    given: dict[str, Any] = {**DEFAULTS, **arguments}
    levels = make_levels(by, macro=given.pop("macro"), cluster=given.pop("cluster"), question=question)
    table = _read_table(levels, given)
    observed, dropna, majority = (given.pop(name) for name in ("observed", "dropna", "majority"))
    threshold = read_threshold(given.pop("threshold"))
    scoring = make_scoring(**given, takes_pooled=True, of_questions=bool(levels.question))
    if majority and not levels.question:
        raise needs_questions("majority")
    interval: Interval = table["interval"]
    has_bounds, has_units = interval.level is not None, bool(levels.cluster or levels.question)
    return SummaryPlan(
        levels=levels,
        scoring=scoring,
        observed=observed,
        dropna=dropna,
        threshold=threshold,
        keep_rows=bool(scoring.of_rows) or (has_bounds and interval.method == "bootstrap" and not has_units),
        keep_products=table["asked"].variance if levels.question else has_bounds,
        has_votes=bool(majority),
        **table,
    )


def _read_table(levels: Levels, arguments: dict[str, Any]) -> dict[str, Any]:
    """Take the arguments that say how the table is made, and return them checked, as fields of a plan."""
    require_allowed(arguments, DEFAULTS)
    ci, method, n_resamples, seed = (arguments.pop(name) for name in ("ci", "method", "n_resamples", "seed"))
    level = None if ci is None else float(ci)
    interval = Interval(level, method, int(n_resamples or RESAMPLES), int(seed))
    flags = {name: arguments.pop(name) for name in ("percent", "long")}
    figures = {name: arguments.pop(name) for name in ("pass_at", "pass_all", "weights", "datasets", "variance")}
    asked = make_asked(levels, **figures, without_strata=interval.without_strata)
    return {"interval": interval, "asked": asked, **flags}


def _as_given(argument: str, value: Any) -> Any:
    """Return a setting as the argument gives it."""
    if not isinstance(value, tuple):
        return value
    return list(value) if argument == "by" else plain_names(value)
