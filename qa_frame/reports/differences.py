"""How two conventions disagree on the same rows: why is my F1 not the paper's?"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from qa_frame._typing import Floats
from qa_frame.errors import UnknownOptionError
from qa_frame.frames.names import require_no_overwrite, score_label
from qa_frame.frames.score_columns import append_columns
from qa_frame.frames.text_columns import read_columns, require_predictions
from qa_frame.rules.parts import Convention
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import Missing, make_plan
from qa_frame.scoring.reduction import Reduction

_ROWS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Differences:
    """How two conventions disagree. Printed, or shown in a notebook, it is both tables.

    means: a row each for the conventions, and `shift` for the second less the first: `mean` over the rows that both
    score, `n_scored` (what each scores, and both). rows: the rows whose score changes, those first that only one of the
    two scores, then the largest change, in the frame's order among equals: its columns, the two scores and `shift`;
    the index is the frame's. n: rows in all; n_changed: rows whose score changes.
    """

    metric: str
    means: pd.DataFrame
    rows: pd.DataFrame
    n: int

    @property
    def n_changed(self) -> int:
        """Rows whose score changes."""
        return len(self.rows)

    def _headline(self) -> str:
        return f"{self.metric}: {self.n_changed} of {self.n} rows change"

    def __repr__(self) -> str:
        return f"{self._headline()}\n\n{self.means}\n\n{self.rows}"

    def _repr_html_(self) -> str:
        return f"<p>{self._headline()}</p>{self.means.to_html()}{self.rows.to_html(max_rows=_ROWS_SHOWN)}"


def find_differences(
    frame: pd.DataFrame,
    conventions: tuple[str | Convention, str | Convention],
    *,
    pred: Hashable,
    gold: Hashable,
    metric: str,
    reduce: Reduction,
    missing: Missing,
) -> Differences:
    """What `df.qa.differences` returns; see there."""
    plans = [make_plan([metric], convention, reduce, missing) for convention in conventions]
    first, second = (plan.convention.name for plan in plans)
    if first == second and plans[0].convention != plans[1].convention:
        raise UnknownOptionError(f"a and b are both named {first!r}; rename one: dataclasses.replace(b, name='other')")
    columns = read_columns(frame, pred=pred, gold=gold)
    names = (f"{metric}_{first}", f"{metric}_{second}", "shift")
    require_no_overwrite([score_label(name, frame.columns) for name in names], pred=pred, gold=gold)
    if missing == "raise":
        require_predictions(columns)
    a, b = (score_columns(columns, plan, progress=False)[metric] for plan in plans)
    shift = b - a
    both = ~np.isnan(shift)
    means = pd.DataFrame(
        {
            "mean": [_mean(a[both]), _mean(b[both]), _mean(b[both]) - _mean(a[both])],
            "n_scored": [np.count_nonzero(~np.isnan(a)), np.count_nonzero(~np.isnan(b)), np.count_nonzero(both)],
        },
        index=pd.Index([first, second, "shift"], name="convention"),
    )
    changed = np.flatnonzero((np.isnan(a) != np.isnan(b)) | (both & (shift != 0)))
    size = np.where(np.isnan(shift[changed]), np.inf, np.abs(shift[changed]))
    changed = changed[np.lexsort((changed, -size))]
    scores = dict(zip(names, (a[changed], b[changed], shift[changed]), strict=True))
    rows = append_columns(frame.iloc[changed], scores, append=True)
    return Differences(metric=metric, means=means, rows=rows, n=len(frame))


def _mean(scores: Floats) -> float:
    return float(scores.mean()) if len(scores) else np.nan
