"""The ROC curve of each metric against people's verdicts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from qa_frame._typing import Floats
from qa_frame.errors import VerdictError
from qa_frame.ext.annotation.concordance import judge
from qa_frame.ext.plot import drawing, labels
from qa_frame.ext.plot.curves import draw_curves
from qa_frame.ext.plot.fonts import Axes
from qa_frame.frames.source import read_source
from qa_frame.tables.human_verdicts import read_verdicts
from qa_frame.tables.result_tables import read_table
from qa_frame.tables.rows import make_scoring


def roc(
    data: Any,
    human: Hashable = "human",
    metrics: str | Sequence[str] | None = None,
    *,
    cluster: Hashable | None = None,
    ci: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw the ROC curve of each metric against people's verdicts, with the AUC that `agreement` gives.

    A point of the curve is a threshold: the share of right answers, and of wrong ones, that score as high or higher.

    Parameters
    ----------
    data
        Scored frame of any kind, with a column of verdicts.
    human
        Column of verdicts: truth values, or two numbers of which the larger means right.
    metrics
        Score column(s) to draw. None draws all of the frame.
    cluster
        Column(s) that rows share which are not independent, for the interval of the AUC.
    ci
        Confidence level of that interval, such as 0.95.
    ax
        Axes of matplotlib to draw into. None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        It has a curve per metric. The legend, or the title of one curve, says its AUC. The dotted diagonal is chance.

    Raises
    ------
    VerdictError
        Where verdicts are not numbers, or all the same, or grades: these do not have a ROC curve.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers")
    >>> ax = qa_frame.plot.roc(scored, metrics="f1")
    >>> ax.get_title()
    'f1: AUC 0.881 [0.834, 0.918]'
    """
    from qa_frame.ext.annotation.agreement import agreement  # noqa: PLC0415  (needs no other function here)

    curves = _read_roc(data, human, metrics)
    table = read_table(agreement(data, human=human, metrics=metrics, cluster=cluster, ci=ci))
    aucs = {row["metric"]: row for row in table.to_dict("records")}
    lines = dict[str, tuple[Floats, Floats]]()
    for name, (wrong, right) in curves.items():
        row = aucs[name]
        legend = f"{name}: AUC {row['auc']:.3f} [{row['auc_lo']:.3f}, {row['auc_hi']:.3f}]"
        lines[legend] = wrong, right[:, None] * (1, np.nan, np.nan)
    x, y = "wrong answers that score so high (0 to 1)", "right answers that score so high (0 to 1)"
    axes = draw_curves(ax, lines, x=x, y=y, grid="both", fewer="choose some with metrics=")
    if len(lines) == 1:
        labels.name_axes(axes, above=legend)
    axes.plot([0, 1], [0, 1], color=drawing.tone(axes, drawing.GREY), linestyle=":", linewidth=1, zorder=1)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    return axes


def _read_roc(data: Any, human: Hashable, metrics: Any) -> dict[str, Floats]:
    """Return the ROC curve of each metric: the shares of wrong and of right answers that score at least so high.

    Both shares rise from 0 to 1, shape (2, thresholds). VerdictError for grades, and where all verdicts on scored rows
    are the same.
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
    curves = {}
    for name, scores in rows.scores.items():
        counts = judge(scores, verdicts, None).counts
        if len(counts) < 2:
            raise VerdictError(
                f"human={human!r} has the same verdict in all rows that {name!r} is scored on; a ROC curve needs right "
                "and wrong answers: choose other rows or metrics"
            )
        from_best = np.cumsum(counts[:, ::-1], axis=1)
        curves[name] = np.concatenate([np.zeros((2, 1)), from_best / from_best[:, -1:]], axis=1)
    return curves
