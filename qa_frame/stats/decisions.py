"""What is decided of the pairs of one statistic: p-values corrected for their number, with bounds that say the same.

Holm's procedure (1979) runs over all pairs, once for "better" and "worse", and once for each side of a margin. An
interval has the level of its pair's own step, so that it excludes 0 exactly where Holm's procedure rejects. What is
better at its step is as good, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Floats
from qa_frame.checks import Correction
from qa_frame.stats.differences import adjust_p_values, levels_of_steps
from qa_frame.stats.intervals import Bounds
from qa_frame.stats.p_function import PFunction


@dataclass(frozen=True, slots=True)
class Family:
    """All pairs of a statistic, whose p-values are corrected together.

    Attributes
    ----------
    parts
        The function P of the pairs, some pairs at a time; see `PFunction`.
    correction, alpha
        The correction, and the level of tests.
    """

    parts: Sequence[PFunction]
    correction: Correction
    alpha: float

    @property
    def p(self) -> Floats:
        """The p-values of "the difference is 0" before correction, shape (pairs,)."""
        return np.concatenate([part.p for part in self.parts])

    @property
    def difference(self) -> Floats:
        """The observed differences, shape (pairs,)."""
        return np.concatenate([part.difference for part in self.parts])

    def difference_columns(self) -> dict[str, Floats]:
        """Return the bounds of differences and the corrected p-values, each by the name of its column in tables."""
        p_adj, level = self._correct(self.p)
        low, high = self._bounds(level / 2, p_adj < self.alpha)
        return {"diff_lo": low, "diff_hi": high, "p_adj": p_adj}

    def margin_columns(self, margin: float) -> dict[str, Floats]:
        """Return the corrected p-values of a margin, and bounds, by the names of their columns in tables.

        The p-values are those of non-inferiority (the lower side) and of equivalence (the larger of both sides). The
        bounds are inside the margin exactly where these p-values are below alpha.
        """
        below, above = (
            np.concatenate(side) for side in zip(*(part.p_beyond(margin) for part in self.parts), strict=True)
        )
        p_low, low = self._correct_side(below, margin, 1)
        p_high, high = self._correct_side(above, margin, -1)
        return {"p_noninferior": p_low, "p_equivalent": np.maximum(p_low, p_high), "tost_lo": low, "tost_hi": -high}

    def _correct_side(self, p: Floats, margin: float, sign: int) -> tuple[Floats, Floats]:
        """Return the corrected p-values of one side of a margin, and the bounds on this side times the sign.

        p: the p-values before correction. sign: 1 for "not worse", -1 for "not better".
        """
        p_of_0, level_of_0 = self._correct(self.p)
        is_beyond = (p_of_0 < self.alpha) & (sign * self.difference > 0)
        p_adj, tail = self._correct(p)
        p_adj = np.where(is_beyond, np.minimum(p_adj, p_of_0), p_adj)
        tail = np.where(is_beyond, np.maximum(tail, level_of_0 / 2), tail)
        bounds = self._bounds(tail, is_beyond | (self.p / 2 < tail))
        bound = bounds[0] if sign > 0 else -bounds[1]
        # Where a p-value just is the level, rounding must not decide in another way here than there.
        inside, outside = np.maximum(bound, np.nextafter(-margin, np.inf)), np.minimum(bound, -margin)
        return p_adj, np.where(p_adj < self.alpha, inside, outside)

    def _correct(self, p: Floats) -> tuple[Floats, Floats]:
        """Return the corrected p-values, and the level at which each pair is tested; see `levels_of_steps`."""
        p_adj = adjust_p_values(p, self.correction)
        return p_adj, levels_of_steps(p, p_adj, self.correction, self.alpha)

    def _bounds(self, tail: Floats, excludes_0: Flags) -> Bounds:
        """Return the bounds of all pairs; see `PFunction.bounds`."""
        ends = np.cumsum([len(part.p) for part in self.parts])
        of_parts = [slice(end - len(part.p), end) for part, end in zip(self.parts, ends.tolist(), strict=True)]
        bounds = [part.bounds(tail[its], excludes_0[its]) for part, its in zip(self.parts, of_parts, strict=True)]
        low, high = np.concatenate(bounds, axis=1)
        return low, high
