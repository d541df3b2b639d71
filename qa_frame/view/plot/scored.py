"""Reading scored frames for plots: the scores of rows, and their groups."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_frame._typing import Floats
from qa_frame.errors import UnknownOptionError, VerdictError
from qa_frame.frames.kinds import Source, read_source
from qa_frame.reports.agreement import read_verdicts
from qa_frame.reports.scored_rows import make_scoring, require_one_metric
from qa_frame.scoring.plan import ScoreColumns
from qa_frame.stats.agreement import judge
from qa_frame.stats.grouping import KeyCodes, make_levels
from qa_frame.view.plot.labels import name_of
from qa_frame.view.results import label


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoredGroups:
    """The scores of one metric, by group.

    Attributes
    ----------
    source
        The frame that was given.
    metric
        The name of the metric.
    scores
        The score of each row, NaN for a row without score, shape (rows,).
    keys
        The group of each row.
    """

    source: Source
    metric: str
    scores: Floats
    keys: KeyCodes

    @property
    def labels(self) -> list[str]:
        """The names of the groups."""
        return list(map(name_of, self.keys.labels.tolist()))

    @property
    def title(self) -> str:
        """The names of the keys."""
        return ", ".join(label(column.name) for column in self.keys.columns if column.name is not None)


def read_groups(data: Any, metric: str | None, by: Hashable | Sequence[Hashable] | None) -> ScoredGroups:
    """Return the scores of a frame by group; all rows are one group, "all", where `by` is None."""
    source = read_source(data)
    if metric is not None:
        require_one_metric(metric, source)
    scoring = make_scoring(metrics=metric, source=source)
    rows = scoring.read(source, make_levels(by))
    scores = rows.scores
    if len(scores) > 1:
        raise UnknownOptionError(f"metric is not given, and data has the scores {list(scores)}; choose one of them")
    ((name, values),) = scores.items()
    return ScoredGroups(source, name, values, rows.groups)


def read_roc(data: Any, human: Hashable, metrics: ScoreColumns) -> dict[str, tuple[Floats, Floats] | None]:
    """Return the ROC curve of each metric: the shares of wrong and of right answers that score at least so high.

    Both shares rise from 0 to 1. The curve is None if all verdicts on scored rows are the same. Grades raise
    VerdictError.
    """
    source = read_source(data)
    scoring = make_scoring(metrics=metrics, source=source)
    rows = scoring.read(source, human=[human])
    verdicts = read_verdicts(rows.frame, human)
    n_grades = len(np.unique(verdicts[~np.isnan(verdicts)]))
    if n_grades > 2:
        raise VerdictError(
            f"human={human!r} holds {n_grades} grades, and a ROC curve needs right and wrong; choose from which grade "
            f"on an answer is right, as in df.assign(right=df[{human!r}] >= grade), and give human='right'"
        )
    return {name: _roc_curve(scores, verdicts) for name, scores in rows.scores.items()}


def _roc_curve(scores: Floats, verdicts: Floats) -> tuple[Floats, Floats] | None:
    counts = judge(scores, verdicts, None).counts
    if len(counts) < 2:
        return None
    from_best = np.cumsum(counts[:, ::-1], axis=1)
    shares = np.concatenate([np.zeros((2, 1)), from_best / from_best[:, -1:]], axis=1)
    return shares[0], shares[1]
