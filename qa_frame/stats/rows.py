"""Scored rows: what all figures are made of, and the one place that says on which rows a figure is scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import ColumnTypeError
from qa_frame.scoring.doubts import NO_DOUBTS, Doubts
from qa_frame.stats.exact_sums import LIMIT
from qa_frame.stats.figures import POOLED

_DECIMALS = 9
"""Two scores of a row are the same if they differ by less: 1/3 + 1/3 and 2/3 are not always the same float."""


def without_rounding(changes: Floats) -> Floats:
    """Changes of scores to nine decimals, so that what is only a rounding of floats is 0."""
    return np.round(changes, _DECIMALS)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoredRows:
    """Rows with their scores and statistics, by position.

    Attributes
    ----------
    n_rows
        How many rows there are.
    scores
        By metric: float64, shape (rows,), NaN where the row is not scored.
    statistics
        By column: int64, shape (rows,), 0 where the row is not scored.
    has_score
        Whether the row has a score of any metric, of those in `scores` or of others; shape (rows,).
    is_missing, has_no_gold
        Whether the prediction is null, and whether the row could not be scored for want of a gold; shape (rows,).
        None where that is not known.
    is_not_extracted
        Whether the prediction is null as no answer was found in the response, shape (rows,). None where that is not
        known, or answers were not looked for.
    golds
        The golds of each row, an Arrow array of texts or lists; None where they are not known.
    signature
        Of the scoring, None where it is not known.
    wanted
        The figures to make; None for a mean of each score, and the pooled figures that every summary has.
    doubts
        What makes the scores doubtful, of rows that were scored just now.
    """

    n_rows: int
    scores: Mapping[str, Floats]
    statistics: Mapping[str, Ints]
    has_score: Flags
    is_missing: Flags | None = None
    has_no_gold: Flags | None = None
    is_not_extracted: Flags | None = None
    golds: Any = None
    signature: str | None = None
    wanted: tuple[str, ...] | None = None
    doubts: Doubts = NO_DOUBTS

    @property
    def figures(self) -> tuple[str, ...]:
        """The wanted figures that can be made: means, then those whose statistics are all there."""
        known = self.statistics.keys()
        pooled = (name for name, figure in POOLED.items() if known >= set(figure.statistics))
        if self.wanted is None:
            return (*self.scores, *(name for name in pooled if POOLED[name].is_default))
        return tuple(name for name in (*self.scores, *pooled) if name in self.wanted)

    def variables(self, figure: str) -> tuple[Floats | Ints, Flags]:
        """Return a figure's variables, shape (variables, rows), 0 where it is not scored, and on which rows it is.

        A mean is scored where its score is not NaN. A figure that is pooled from statistics is scored where the row has
        any score, or any of its variables is not 0: other metrics that are partly null make no difference to it.

        Raises
        ------
        ColumnTypeError
            Where scores cannot be summed exactly, or statistics contradict each other.
        """
        if figure in self.scores:
            scores = self.scores[figure]
            is_scored = ~np.isnan(scores)
            values = scores if is_scored.all() else np.where(is_scored, scores, 0.0)
            _require_summable(figure, values)
            return values[None], is_scored
        variables = POOLED[figure].variables_per_row(self.statistics)
        if (variables[: POOLED[figure].n_counts] < 0).any():
            raise ColumnTypeError(
                f"the statistics {list(POOLED[figure].statistics)} have more matches than there are tokens; score the "
                "rows again with stats=True, or drop these columns"
            )
        is_scored = self.has_score if self.has_score.all() else self.has_score | variables.any(axis=0)
        return variables, is_scored


def _require_summable(metric: str, scores: Floats) -> None:
    largest = max(scores.max(initial=0.0), -scores.min(initial=0.0))
    if not largest < LIMIT:
        raise ColumnTypeError(
            f"the scores {metric!r} are as large as {largest}; only finite numbers below 2**31 can be summed exactly: "
            "scale them, or put null in place of infinity"
        )


def require_finite(metric: str, scores: Floats) -> None:
    """Raise ColumnTypeError where a score is infinite."""
    n_endless = int(np.isinf(scores).sum())
    if n_endless:
        raise ColumnTypeError(
            f"the scores {metric!r} are infinite in {n_endless} of {len(scores)} rows; put numbers or nulls there"
        )


def is_any_scored(scores: Mapping[str, Floats], n_rows: int) -> Flags:
    """Return whether a row has any of these scores, shape (rows,)."""
    found = np.zeros(n_rows, np.bool_)
    for values in scores.values():
        found |= ~np.isnan(values)
    return found
