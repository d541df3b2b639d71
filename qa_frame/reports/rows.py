"""The rows of a frame with their scores, and the checked arguments that say which scores a report is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import ColumnNotFoundError, ColumnTypeError
from qa_frame.frames.kinds import Source
from qa_frame.frames.names import score_label
from qa_frame.frames.number_columns import read_numbers
from qa_frame.frames.text_columns import TextColumns
from qa_frame.scoring.call_rules import require_metric
from qa_frame.scoring.doubts import NO_DOUBTS, Doubts
from qa_frame.scoring.metrics import METRICS, STATISTICS
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.pooled import COUNTS, POOLED, Definition
from qa_frame.stats.figures import Figure, Mean
from qa_frame.stats.rows import ScoredRows, is_any_scored

MISSING, NOT_EXTRACTED, NO_GOLD = COUNTS[2:]
_RANKS = {name: rank for rank, name in enumerate(METRICS)}


@dataclass(frozen=True, slots=True)
class Pooled(Figure):
    """A figure that is made of statistics: whole numbers per row, whose sums it is a function of."""

    name: str
    definition: Definition
    rank: int = 0
    kind: ClassVar[str] = "statistics"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return self.definition.statistics

    @property
    def n_variables(self) -> int:
        """How many variables it has."""
        return self.definition.n_variables

    @property
    def trusted_from(self) -> int:  # type: ignore[override]
        """With fewer rows, intervals are not to be trusted."""
        return self.definition.trusted_from

    def variables(self, rows: ScoredRows) -> tuple[Floats | Ints, Flags]:
        """Return the variables, and on which rows the figure is scored.

        These are the rows that have any score, or any variable that is not 0. So it makes no difference to the figure
        which other scores are partly null.
        """
        variables = self.definition.variables_per_row(rows.statistics)
        if (variables[: self.definition.n_counts] < 0).any():
            raise ColumnTypeError(
                f"the statistics {list(self.columns)} have more matches than there are tokens; score the rows again "
                "with stats=True, or drop these columns"
            )
        is_scored = rows.has_score if rows.has_score.all() else rows.has_score | variables.any(axis=0)
        return variables, is_scored

    def value(self, sums: Floats) -> Floats:
        """Return the figure; NaN if there are no rows."""
        return self.definition.value(sums)

    def gradient(self, sums: Floats) -> Floats:
        """Return the derivatives of the value by each sum."""
        return self.definition.gradient(sums)

    def support(self, sums: Floats) -> Floats:
        """Return how many rows at most the value rests on."""
        return self.definition.support(sums)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReadRows(ScoredRows):
    """The rows of a frame.

    Attributes
    ----------
    figures
        The figures to make of them.
    texts
        The predictions and golds of each row; None if they are not known.
    doubts
        What makes the scores of rows doubtful that were scored just now.
    """

    figures: tuple[Figure, ...] = ()
    texts: TextColumns | None = None
    doubts: Doubts = NO_DOUBTS

    @property
    def golds(self) -> Any:
        """The golds of each row, an Arrow array of texts or lists; None if they are not known."""
        return None if self.texts is None else self.texts.golds


@dataclass(frozen=True, slots=True)
class Scoring(ABC):
    """The arguments that say which scores a report is made of. They always travel together, and are checked once.

    Attributes
    ----------
    pred, gold
        The columns of predictions and golds; None if they are not given.
    plan
        The rules by which rows are scored.
    metrics
        The scores asked for, in this order; None for all that are there.
    pooled
        The pooled figures asked for; None for those that every summary has.
    prefix
        What stands in front of the names of score columns and statistics.
    columns
        The names in `metrics` that this package does not score: any columns of numbers of the frame.
    takes_pooled
        Whether figures that are pooled from statistics may be asked for.
    """

    pred: Hashable | None
    gold: Hashable | None
    plan: Plan
    metrics: tuple[str, ...] | None
    pooled: tuple[str, ...] | None
    prefix: str
    columns: tuple[str, ...] = ()
    takes_pooled: bool = False
    is_now: ClassVar[bool]

    @abstractmethod
    def read(self, source: Source, frame: pd.DataFrame, *, n_jobs: int = 1, progress: bool | None = False) -> ReadRows:
        """Return the rows of a frame with their scores and statistics.

        Parameters
        ----------
        source
            The frame as the caller gave it, for its text columns.
        frame
            The same in pandas: its score columns and statistics.
        n_jobs, progress
            How many processes score, and whether a bar shows it, if rows are scored. The user's own metrics have a bar
            even if `progress` is False.

        Raises
        ------
        ColumnNotFoundError, ColumnTypeError
            If a score column that is asked for is not there, or holds something else.
        UnknownOptionError
            If rules are asked for that the frame's scores were not made by.
        """

    @property
    def named(self) -> tuple[str, ...] | None:
        """All figures that are named; None if all that are there are asked for."""
        return None if self.metrics is None else (*self.metrics, *(self.pooled or ()))

    @property
    def names(self) -> list[str]:
        """The names that columns may have which are read: of scores and statistics, and those that are named."""
        return [*(self.prefix + name for name in (*METRICS, *STATISTICS, *self.columns)), *self.columns]

    def makes(self, metric: str) -> bool:
        """Return whether the scores of a metric are made now, and are not a column of the frame."""
        return self.is_now and metric not in self.columns

    def texts_of(self, source: Source) -> TextColumns:
        """Return the columns of predictions and golds; both must be given."""
        assert self.pred is not None
        assert self.gold is not None
        return source.texts(pred=self.pred, gold=self.gold, choices=self.plan.choices, spans=self.plan.takes_spans)

    def require_columns(self, source: Source) -> None:
        """Raise UnknownOptionError unless the frame has all columns that are named beside metrics."""
        for name in self.columns:
            require_known("metrics", name, source, self.prefix, (*POOLED,) if self.takes_pooled else ())

    def named_scores(self, frame: pd.DataFrame, name: str) -> Floats:
        """Return the numbers of a column that is named, with or without the prefix."""
        label = label_of(name, self.prefix, frame.columns) if name not in METRICS else None
        label = score_label(self.prefix + name, frame.columns) if label is None else label
        return read_numbers(frame, label, "metrics", name)

    def rows(
        self,
        scores: Mapping[str, Floats],
        every: Mapping[str, Floats],
        statistics: Mapping[str, Ints],
        columns: TextColumns | None,
        *,
        signature: str | None,
        n_rows: int,
        doubts: Doubts = NO_DOUBTS,
        knows_golds: bool = True,
    ) -> ReadRows:
        """Return the rows with the figures to make of them; ColumnNotFoundError where statistics are not there.

        Parameters
        ----------
        every
            The scores that this package made, of metrics that are asked for or of others.
        knows_golds
            Whether scores tell which rows could not be scored for want of a gold.
        """
        flags: dict[str, Flags | None] = dict.fromkeys(COUNTS[2:])
        if columns is not None:
            made = {name: values for name, values in scores.items() if name in every}
            # A convention may score rows without golds; those are not counted as such.
            has_no_gold = (columns.n_golds == 0) & ~is_any_scored(made or every, n_rows)
            flags = {
                MISSING: columns.is_missing,
                NOT_EXTRACTED: columns.is_not_extracted,
                NO_GOLD: has_no_gold if knows_golds else np.zeros(n_rows, np.bool_),
            }
        return ReadRows(
            n_rows,
            scores,
            statistics,
            is_any_scored(every, n_rows),
            flags,
            signature,
            self._figures(scores, statistics),
            columns,
            doubts,
        )

    def _figures(self, scores: Iterable[str], statistics: Mapping[str, Ints]) -> tuple[Figure, ...]:
        """Return the figures to make; ColumnNotFoundError unless the statistics of all that are named are there."""
        for name in self.pooled or ():
            if not statistics.keys() >= set(POOLED[name].statistics):
                raise ColumnNotFoundError(
                    f"metrics={name!r} needs the statistics {list(POOLED[name].statistics)}; score the frame first "
                    "with df.qa.score(pred, gold, stats=True)"
                )
        pooled = (
            Pooled(name, definition, len(METRICS) + 1 + rank)
            for rank, (name, definition) in enumerate(POOLED.items())
            if statistics.keys() >= set(definition.statistics)
            and (definition.is_default if self.pooled is None else name in self.pooled)
        )
        means = (mean_of(name) for name in scores if self.metrics is None or name in self.metrics)
        return (*means, *pooled)


def mean_of(name: str) -> Mean:
    """Return the mean of a score as a figure. The user's own metrics come after those of this package."""
    return Mean(name, _RANKS.get(name, len(METRICS)))


def require_known(argument: str, name: object, source: Source, prefix: str, others: Sequence[str] = ()) -> None:
    """Raise UnknownOptionError unless it is the name of a column."""
    if isinstance(name, str) and name != "all" and label_of(name, prefix, source.index) is not None:
        return
    require_metric(argument, name, list(dict.fromkeys([*METRICS, *others, *source.number_names])))


def label_of(name: str, prefix: str, columns: pd.Index) -> Hashable | None:
    """Return the label of the column that is named, with the prefix or as it stands; None if there is none."""
    labels = (score_label(each, columns) for each in (prefix + name, name))
    return next((label for label in labels if label in columns), None)


def kinds_of(figures: Iterable[str]) -> dict[str, str]:
    """Return what each figure is, as tables of results say it of themselves."""
    return {name: "pooled" if name in POOLED else "metric" if name in METRICS else "own" for name in figures}
