"""Figures that are pooled from statistics columns, as objects that statistics work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import ColumnTypeError
from qa_frame.scoring.pooled import Definition
from qa_frame.stats.figures import Figure
from qa_frame.stats.rows import ScoredRows


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
