"""Pictures of scores as lines: by the length of texts, by people's verdicts (ROC), and by how sure answers are."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Floats
from qa_frame.checks import require_whole_number
from qa_frame.errors import ColumnTypeError, VerdictError, hearing_warnings
from qa_frame.reports.abstention import CURVE
from qa_frame.reports.result_tables import read_table, require_columns
from qa_frame.view.plot import drawing, labels
from qa_frame.view.plot.fonts import Axes
from qa_frame.view.plot.lines import draw_curves
from qa_frame.view.plot.scored import read_groups, read_lengths, read_roc
from qa_frame.view.plot.summaries import choose_rows
from qa_frame.view.results import columns_of_floats, label, read_result

_MOST_BINS = 1000


def length(
    data: Any,
    metric: str | None = None,
    by: Hashable | Sequence[Hashable] | None = None,
    *,
    of: Hashable = "pred_len",
    bins: int = 8,
    ci: float | None = 0.95,
    sort: bool = False,
    top: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the mean score against length, such as that of the prediction in tokens.

    Rows are sorted into bins of about equally many rows by their length, the same bins for all groups. Each point is
    the mean score of a group's rows in a bin, with the interval of `summary`, at their mean length.

    Parameters
    ----------
    data
        A scored frame of any kind.
    metric
        The score column; None where the frame has one only.
    by
        A column, index level or a list of them, each group a line. Nulls are a group of their own.
    of
        The column of lengths, any numbers. The default is `pred_len`, the tokens that `score(stats=True)` counted. You
        make others by `df.assign(letters=df["response"].str.len())`.
    bins
        The largest number of bins, from 1 to 1000. Rows of equal length are in the same bin.
    ci
        The level of the intervals; None for none.
    sort
        Whether the legend begins with the group of the highest mean. Otherwise groups are in the order of their keys.
    top
        At most so many groups are drawn, those with the highest means; None for all.
    ax
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Rows without score or without length are left out; the label of the x axis counts them.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column is not there or holds something else, or an argument has a value that is not allowed.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Warns
    -----
    PlotWarning
        Where there are more than eight groups.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", stats=True)
    >>> ax = qa_frame.plot.length(scored, "f1", by="model")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('pred_len (15 of 360 rows left out)', 'f1 (0 to 1)')
    """
    from qa_frame.api.summary import summary as summarise  # noqa: PLC0415  (the name here is that of the plot)

    require_whole_number("bins", bins, least=1, most=_MOST_BINS)
    groups = read_groups(data, metric, by)
    lengths = read_lengths(groups, of)
    kept = choose_rows(groups.means, sort=sort, top=top)
    is_kept = np.isin(groups.keys.codes, kept)
    used = np.flatnonzero(is_kept & ~np.isnan(lengths) & ~np.isnan(groups.scores))
    if not len(used):
        raise ColumnTypeError(f"data has no row with a score of {groups.metric!r} and a number in of={of!r}")
    edges = np.unique(np.quantile(lengths[used], np.linspace(0, 1, int(bins) + 1)))
    bin_per_row = np.searchsorted(edges[1:-1], lengths[used], side="left")
    rows = pd.DataFrame({groups.metric: groups.scores[used], "group": groups.keys.codes[used], "bin": bin_per_row})
    with hearing_warnings():  # of intervals, which would name bins by numbers that nobody knows
        table = summarise(rows, ["group", "bin"], metrics=groups.metric, ci=ci)
    middle = rows.assign(length=lengths[used]).groupby(["group", "bin"])["length"].mean()
    columns = (groups.metric, f"{groups.metric}_lo", f"{groups.metric}_hi")
    curves = {
        name: (middle.loc[place], columns_of_floats(table.loc[place], *columns))
        for place, name in zip(kept.tolist(), np.array(groups.labels, object)[kept], strict=True)
        if place in middle
    }
    n_rows = np.count_nonzero(is_kept)
    x = f"{label(of)} ({n_rows - len(used)} of {n_rows} rows left out)"
    return draw_curves(ax, {(groups.metric, ""): curves}, x=x, title=groups.title)


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
        A scored frame of any kind, with a column of verdicts.
    human
        The column of verdicts: booleans, or two numbers of which the larger means right.
    metrics
        The score columns; None for all of the frame.
    cluster
        The column of clusters, for the interval of the AUC.
    ci
        The level of that interval.
    ax
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        It has a curve per metric. The legend, or the title of one curve, says its AUC. The dotted diagonal is chance.

    Raises
    ------
    VerdictError
        Where verdicts are not numbers, or all the same, or grades: these do not have a ROC curve.
    MissingPackageError
        Without matplotlib, or scipy, which `agreement` needs: `pip install "qa-frame[plot,stats]"` installs both.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.

    Warns
    -----
    PlotWarning
        Where there are more than eight metrics.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers")
    >>> ax = qa_frame.plot.roc(scored, metrics="f1")
    >>> ax.get_title()
    'f1: AUC 0.881 [0.835, 0.916]'
    """
    from qa_frame.api.agreement import agreement  # noqa: PLC0415  (needs no other function here)

    curves = read_roc(data, human, metrics)
    table = read_table(agreement(data, human=human, metrics=metrics, cluster=cluster, ci=ci))
    aucs = {row["metric"]: row for row in table.to_dict("records")}
    lines = dict[str, tuple[Floats, Floats]]()
    for name, curve in curves.items():
        if curve is None:
            raise VerdictError(
                f"human={human!r} has the same verdict in all rows that {name!r} is scored on; a ROC curve needs right "
                "and wrong answers: choose other rows or metrics"
            )
        row, (wrong, right) = aucs[name], curve
        said = f"{name}: AUC {row['auc']:.3f} [{row['auc_lo']:.3f}, {row['auc_hi']:.3f}]"
        lines[said] = wrong, right[:, None] * (1, np.nan, np.nan)
    x, y = "wrong answers that score so high (0 to 1)", "right answers that score so high (0 to 1)"
    axes = draw_curves(ax, {("", ""): lines}, x=x, y=y, title="", grid="both", fewer="choose some with metrics=")
    if len(lines) == 1:
        labels.name_axes(axes, above=said)
    axes.plot([0, 1], [0, 1], color=drawing.tone(axes, drawing.GREY), linestyle=":", linewidth=1, zorder=1)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    return axes


def risk_coverage(table: Any, *, sort: bool = False, top: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw risk-coverage curves: the mean loss of the surest answers against the share of questions they are.

    A curve that rises to the right shows a confidence that knows which answers are wrong; a flat one knows nothing. The
    lower the curve, the better.

    Parameters
    ----------
    table
        A result of `qa_frame.risk_coverage`; in pandas, polars or Arrow.
    sort
        Whether the legend begins with the group of the lowest mean risk. Otherwise groups stand as in the table.
    top
        At most so many groups are drawn, those with the lowest mean risks; None for all.
    ax
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Each group is a line, with a point for each distinct confidence.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else, or an argument has a value that is not allowed.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Warns
    -----
    PlotWarning
        Where there are more than eight groups.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"sure": [0.9, 0.8, 0.7, 0.6], "em": [1, 1, 0, 0]})
    >>> ax = qa_frame.plot.risk_coverage(qa_frame.risk_coverage(df, confidence="sure", metric="em"))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('coverage: the share that is answered', 'risk: 1 - the mean score of these')
    """
    result = read_result(table)
    require_columns(result.frame, CURVE, "a result of qa_frame.risk_coverage")
    if result.kind != "risk_coverage":
        raise ColumnTypeError(f"table is a result of {result.kind}; give one of qa_frame.risk_coverage")
    keys = [labels.name_of(key) for key in zip(*(result.frame[name].tolist() for name in result.keys), strict=True)]
    keys = keys or [""] * len(result.frame)
    values = columns_of_floats(result.frame, "coverage", "risk", None, None)
    of_groups = {group: values[[key == group for key in keys]] for group in dict.fromkeys(keys)}
    curves = {("risk", ""): {group: (found[:, 0], found[:, 1:]) for group, found in of_groups.items()}}
    x, y = "coverage: the share that is answered", "risk: 1 - the mean score of these"
    look: Any = {"sort": sort, "top": top, "is_lower_better": True, "grid": "both"}
    axes = draw_curves(ax, curves, x=x, y=y, title=", ".join(map(label, result.keys)), **look)
    axes.set_xlim(0, 1.02)
    axes.set_ylim(0, max(0.1, 1.05 * float(np.nanmax(values[:, 1], initial=0.0))))
    return axes
