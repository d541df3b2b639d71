"""Pictures of results: `qa_frame.plot`. Each function draws what another function of this package returned::

    ax = qa_frame.plot.summary(scored.qa.summary(by="model", ci=0.95))
    ax.figure.savefig("models.pdf")

Each takes and returns an `Axes` of matplotlib, and makes a figure of its own where none is given. No setting of
matplotlib is changed. Colours are those of Okabe and Ito, and no two series differ in colour alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Floats
from qa_frame.errors import (
    ColumnNotFoundError,
    ColumnTypeError,
    IntervalWarning,
    UnknownOptionError,
    VerdictError,
    is_choice,
    require_flag,
    require_number,
    require_text,
    require_whole_number,
    unknown_option,
)
from qa_frame.view import drawing
from qa_frame.view.drawing import Axes
from qa_frame.view.result_tables import floats, label, read_compared, read_summary, read_table
from qa_frame.view.scored import ScoredGroups, read_column, read_groups, read_roc

__all__ = ["compare", "conventions", "distribution", "heatmap", "length", "roc", "summary"]

_MOST_BINS = 1000
_SHARE_WRITTEN = 0.07
_LEAST_SPAN = 0.1


def summary(
    table: Any, metrics: str | Sequence[str] | None = None, *, percent: bool | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the figures of each group as points, with their intervals where the table has them.

    Each group is a row and each metric a series. A single metric of a table by two keys or more has a series for each
    value of the last key instead.

    Parameters
    ----------
    table
        What `qa_frame.summary` or `Pool.summary` returned, wide or long; in pandas, polars or Arrow.
    metrics
        The figures to draw; None for all of the table.
    percent
        Whether the figures are in percent, for the label of the axis. None: what the table says of itself, and where
        it does not, as a polars frame: they are where one is greater than 1.
    ax
        Where to draw; None for a new figure, which grows with the number of rows.

    Returns
    -------
    matplotlib.axes.Axes
        With one line of points a series. A figure that is NaN has no point; a row without any says "not scored".

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else, or an argument has a value that is not allowed.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers")
    >>> ax = qa_frame.plot.summary(scored.qa.summary(by="model", ci=0.95), ["em", "f1"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['heron-7b', 'lynx-70b', 'otter-chat']
    >>> ax.get_xlabel()
    'mean (0 to 1)'
    """
    read = read_summary(table, metrics)
    is_percent = _is_percent(percent, read.is_percent)
    is_split = len(read.figures) == 1 and len(read.key_names) > 1
    if is_split:
        rows, series = _split(read.groups, next(iter(read.figures.values())))
        title, legend = ", ".join(read.key_names[:-1]), read.key_names[-1]
    else:
        rows, series = read.labels, read.figures
        title, legend = ", ".join(read.key_names), ""
    axes = drawing.require_axes(ax, height=drawing.height_of(rows, n_series=len(series)))
    shifts = drawing.offsets(len(series))
    for place, (name, values) in enumerate(series.items()):
        drawing.draw_intervals(axes, values, np.arange(len(rows)) + shifts[place], series=place, name=name)
    every = np.stack(list(series.values()))
    drawing.write_absent(axes, np.flatnonzero(np.isnan(every[..., 0]).all(axis=0)).tolist(), "not scored")
    drawing.name_rows(axes, rows, title=title)
    drawing.limit_to_scale(axes, every, is_percent=is_percent)
    what = next(iter(read.figures)) if len(read.figures) == 1 else "mean"
    axes.set_xlabel(drawing.with_unit(what, every, is_percent=is_percent), parse_math=False)
    if len(series) > 1:
        drawing.draw_legend(axes, title=legend)
    return axes


def compare(
    table: Any,
    metrics: str | Sequence[str] | None = None,
    *,
    alpha: float = 0.05,
    percent: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw paired differences with their intervals, as a forest: what lies right of 0 is in favour of the first group.

    Parameters
    ----------
    table
        What `qa_frame.compare` returned; in pandas, polars or Arrow.
    metrics
        The metrics to draw, each a series; None for all of the table.
    alpha
        Points are filled where `p_adj` is below it, else open; a stroke where `p_adj` is null, as nothing could be
        tested. From 0 to 1.
    percent
        Draw percentage points: differences times 100.
    ax
        Where to draw; None for a new figure, which grows with the number of pairs.

    Returns
    -------
    matplotlib.axes.Axes
        Each pair is a row, "a - b". A pair without questions in common says "nothing paired".

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else, or an argument has a value that is not allowed.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
    >>> ax = qa_frame.plot.compare(scored.qa.compare(by="model", on="question_id", baseline="heron-7b"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['lynx-70b − heron-7b', 'otter-chat − heron-7b']
    """
    require_number("alpha", alpha, most=1)
    require_flag("percent", percent)
    frame = read_compared(table)
    pairs = [f"{label(a)} − {label(b)}" for a, b in zip(frame["a"].tolist(), frame["b"].tolist(), strict=True)]
    rows = list(dict.fromkeys(pairs))
    names = frame["metric"].astype(str)
    wanted = _names_among("metrics", metrics, names.unique().tolist())
    values = np.stack([floats(frame, name) for name in ("diff", "diff_lo", "diff_hi")], axis=1) * (
        100 if percent else 1
    )
    place_of_row = np.array([rows.index(pair) for pair in pairs], dtype=np.int64)
    p = floats(frame, "p_adj")
    is_clear, is_known = p < float(alpha), ~np.isnan(p)
    axes = drawing.require_axes(ax, height=drawing.height_of(rows, n_series=len(wanted)))
    axes.axvline(0, color=drawing.GREY, linewidth=1, zorder=1)
    shifts = drawing.offsets(len(wanted))
    for place, name in enumerate(wanted):
        of_metric = (names == name).to_numpy()
        at = place_of_row[of_metric] + shifts[place]
        marks = {"filled": is_clear[of_metric], "tested": is_known[of_metric]}
        drawing.draw_intervals(axes, values[of_metric], at, series=place, name=name, **marks)
    drawn = names.isin(wanted).to_numpy() & ~np.isnan(values[:, 0])
    absent = sorted(set(range(len(rows))) - set(place_of_row[drawn].tolist()))
    drawing.write_absent(axes, absent, "nothing paired")
    drawing.name_rows(axes, rows)
    what = wanted[0] if len(wanted) == 1 else "score"
    is_unit = not (np.abs(values[drawn, 0]) > 1).any()
    unit = " (percentage points)" if percent else " (0 to 1)" if is_unit else ""
    untested = "" if is_known[drawn].all() else "; |: not tested"
    axes.set_xlabel(f"difference in {what}{unit}; filled: p_adj < {alpha:g}{untested}", parse_math=False)
    if len(wanted) > 1:
        drawing.draw_legend(axes)
    return axes


def heatmap(table: Any, metric: str | None = None, *, percent: bool | None = None, ax: Axes | None = None) -> Axes:
    """Draw one figure of a table by two keys as a map: the first key in rows, the second in columns.

    Parameters
    ----------
    table
        What `qa_frame.summary(by=[a, b])` returned, wide or long; in pandas, polars or Arrow.
    metric
        The figure to draw; None where the table has one only.
    percent
        Whether the figures are in percent. None: as in `summary`.
    ax
        Where to draw; None for a new figure, which grows with the map.

    Returns
    -------
    matplotlib.axes.Axes
        Each cell has its figure written in it; the colours go from 0 (dark) to 1 or 100 (bright), or from the lowest to
        the highest figure where one is beyond. What is not there, or not scored, is a grey cell with a dash.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else or is not by two keys, or an argument has a value that is not allowed.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers")
    >>> ax = qa_frame.plot.heatmap(scored.qa.summary(by=["model", "dataset"], percent=True), "f1")
    >>> [text.get_text() for text in ax.texts]
    ['13.1', '28.3', '66.6', '78.2', '41.0', '26.8']
    """
    read = read_summary(table, None)
    name = _one_of(metric, list(read.figures))
    if len(read.key_names) != 2:
        raise UnknownOptionError(
            f"table is by {list(read.key_names)}, and a map needs two keys; give qa_frame.summary(data, by=[a, b])"
        )
    is_percent = _is_percent(percent, read.is_percent)
    rows, series = _split(read.groups, read.figures[name])
    columns = list(series)
    values = np.stack([each[:, 0] for each in series.values()], axis=1)
    widest = max(len(text) for text in columns)
    axes = drawing.require_axes(
        ax, width=max(4.0, 2.6 + 0.75 * len(columns)), height=drawing.height_of(rows) + min(0.07 * widest, 2.2)
    )
    drawing.name_rows(axes, rows, title=read.key_names[0], bands=False)
    _draw_map(axes, values, is_percent=is_percent)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    is_crowded = widest > 9
    axes.set_xticks(
        np.arange(len(columns)),
        [drawing.wrap(text) for text in columns],
        parse_math=False,
        fontsize="small",
        rotation=40 if is_crowded else 0,
        ha="right" if is_crowded else "center",
        rotation_mode="anchor" if is_crowded else "default",
    )
    axes.set_xlabel(read.key_names[1], parse_math=False)
    axes.set_title(drawing.with_unit(name, values, is_percent=is_percent), parse_math=False, fontsize="medium")
    return axes


def _draw_map(axes: Axes, values: Floats, *, is_percent: bool) -> None:
    low, high = drawing.scale_of(values, is_percent=is_percent)
    axes.set_facecolor(drawing.PALE)
    axes.imshow(np.ma.masked_invalid(values), cmap="cividis", vmin=low, vmax=high, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        is_dark = value < low + 0.55 * (high - low)
        text = "–" if np.isnan(value) else f"{value:.1f}" if is_percent else f"{value:.2f}"
        axes.text(column, row, text, ha="center", va="center", fontsize="small", color="white" if is_dark else "black")
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def distribution(
    data: Any, metric: str | None = None, by: Hashable | Sequence[Hashable] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw how the scores of each group are distributed: the shares of 0, of 1, and of four ranges between them.

    Scores of question answering heap up at 0 and 1, which curves of density hide.

    Parameters
    ----------
    data
        A scored frame of any kind; its score columns have the names that `score` gave them.
    metric
        The score column; None where the frame has one only.
    by
        A column, index level or a list of them. Nulls are a group of their own.
    ax
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Each group is a bar, named with the number of rows that are scored; shares of 7 % and more are written in it.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column is not there or holds something else, or a score lies beyond 0 and 1.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers")
    >>> ax = qa_frame.plot.distribution(scored, "f1", by="model")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['heron-7b (115 of 120 scored)', 'lynx-70b (115 of 120 scored)', 'otter-chat (115 of 120 scored)']
    """
    groups = read_groups(data, metric, by)
    found = groups.scores[~np.isnan(groups.scores)]
    if len(found) and (found.min() < 0 or found.max() > 1):
        raise ColumnTypeError(
            f"data has {groups.metric!r} scores from {found.min():g} to {found.max():g}, and this plot is of scores "
            "from 0 to 1; divide the column by the largest possible score first"
        )
    shares, n_scored, n_rows = _shares(groups)
    labels = [f"{text} ({n} of {m} scored)" for text, n, m in zip(groups.labels, n_scored, n_rows, strict=True)]
    axes = drawing.require_axes(ax, width=7.2, height=drawing.height_of(labels) + 0.4)
    from matplotlib import colormaps  # noqa: PLC0415  (it is there: there are axes)

    tones = colormaps["cividis"](np.linspace(0, 1, len(_RANGES)))
    left = np.zeros(len(labels))
    for place, name in enumerate(_RANGES):
        width = 100 * shares[:, place]
        axes.barh(np.arange(len(labels)), width, 0.8, left, color=tones[place], edgecolor="white", label=name)
        for row in np.flatnonzero(shares[:, place] >= _SHARE_WRITTEN).tolist():
            tone = "white" if place < 3 else "black"
            axes.text(
                left[row] + width[row] / 2,
                row,
                f"{width[row]:.0f}",
                ha="center",
                va="center",
                color=tone,
                fontsize="small",
            )
        left += width
    drawing.write_absent(axes, np.flatnonzero(n_scored == 0).tolist(), "not scored")
    drawing.name_rows(axes, labels, title=groups.title)
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of scored rows (%)")
    drawing.draw_legend(axes, title=groups.metric)
    return axes


_RANGES = ("0", "0 to 0.25", "0.25 to 0.5", "0.5 to 0.75", "0.75 to 1", "1")
"""Of scores. Those between have the upper end, and not the lower one, but 1 has a range of its own."""


def _shares(groups: ScoredGroups) -> tuple[Floats, Any, Any]:
    """The share of each range, shape (groups, ranges); the rows that are scored, and all rows."""
    place = np.searchsorted([0.0, 0.25, 0.5, 0.75], groups.scores, side="left")
    place = np.where(groups.scores == 1, len(_RANGES) - 1, place)
    is_scored = ~np.isnan(groups.scores)
    n_groups = len(groups.labels)
    counts = np.zeros((n_groups, len(_RANGES)))
    np.add.at(counts, (groups.codes[is_scored], place[is_scored]), 1)
    n_scored = counts.sum(axis=1).astype(np.int64)
    return counts / np.maximum(n_scored, 1)[:, None], n_scored, np.bincount(groups.codes, minlength=n_groups)


def length(
    data: Any,
    metric: str | None = None,
    by: Hashable | Sequence[Hashable] | None = None,
    *,
    of: Hashable = "pred_len",
    bins: int = 8,
    ci: float | None = 0.95,
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
        The column of lengths, any numbers; by default `pred_len`, the tokens that `score(stats=True)` counted. Others
        are made as in `df.assign(letters=df["response"].str.len())`.
    bins
        At most so many bins, from 1 to 1000. Rows of equal length are never parted.
    ci
        The level of the intervals; None for none.
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
    lengths = read_column(groups, of, "of")
    used = np.flatnonzero(~np.isnan(lengths) & ~np.isnan(groups.scores))
    if not len(used):
        raise ColumnTypeError(f"data has no row with a score of {groups.metric!r} and a number in of={of!r}")
    edges = np.unique(np.quantile(lengths[used], np.linspace(0, 1, int(bins) + 1)))
    rows = pd.DataFrame(
        {
            groups.metric: groups.scores[used],
            "group": groups.codes[used],
            "bin": np.searchsorted(edges[1:-1], lengths[used], side="left"),
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntervalWarning)  # it would name bins by numbers that nobody knows
        table = summarise(rows, ["group", "bin"], metrics=groups.metric, ci=ci)
    middle = rows.assign(length=lengths[used]).groupby(["group", "bin"])["length"].mean()
    axes = drawing.require_axes(ax)
    _draw_lines(axes, table, middle, groups)
    n_left = len(lengths) - len(used)
    axes.set_xlabel(f"{label(of)} ({n_left} of {len(lengths)} rows left out)", parse_math=False)
    axes.set_ylabel(drawing.with_unit(groups.metric, groups.scores[used], is_percent=False), parse_math=False)
    drawing.plain(axes, "y")
    if len(groups.labels) > 1:
        drawing.draw_legend(axes, title=groups.title)
    return axes


def _draw_lines(axes: Axes, table: pd.DataFrame, middle: pd.Series[float], groups: ScoredGroups) -> None:
    name = groups.metric
    for place in table.index.get_level_values("group").unique():
        of_group, at = table.loc[place], middle.loc[place].to_numpy()
        tone = drawing.colour(place)
        marker, line = (each[place % len(each)] for each in (drawing.MARKERS, drawing.LINES))
        if f"{name}_lo" in of_group:
            axes.vlines(at, of_group[f"{name}_lo"], of_group[f"{name}_hi"], colors=tone, linewidth=1.2, alpha=0.7)
        axes.plot(
            at, of_group[name], color=tone, marker=marker, linestyle=line, markersize=5, label=groups.labels[place]
        )


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
        As in `agreement`, for the interval of the AUC.
    ci
        The level of that interval.
    ax
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        With a curve a metric; the dotted diagonal is chance.

    Raises
    ------
    VerdictError
        Where verdicts are no numbers, all the same, or grades, which have no ROC curve.
    MissingPackageError
        Without matplotlib, or scipy, which `agreement` needs: `pip install "qa-frame[plot,stats]"` installs both.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers")
    >>> ax = qa_frame.plot.roc(scored, metrics="f1")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['f1: AUC 0.881 [0.836, 0.915]', 'chance']
    """
    from qa_frame.api.agreement import agreement  # noqa: PLC0415  (needs no other function here)

    curves = read_roc(data, human, metrics)
    table = read_table(agreement(data, human, metrics=metrics, cluster=cluster, ci=ci, n_resamples=1))
    aucs = {row["metric"]: row for row in table.to_dict("records")}
    axes = drawing.require_axes(ax, width=5.6, height=5.0)
    for place, (name, curve) in enumerate(curves.items()):
        row = aucs[name]
        if curve is None:
            raise VerdictError(
                f"human={human!r} has the same verdict in all rows that {name!r} is scored on; a ROC curve needs right "
                "and wrong answers: choose other rows or metrics"
            )
        said = f"{name}: AUC {row['auc']:.3f} [{row['auc_lo']:.3f}, {row['auc_hi']:.3f}]"
        marker, line = (each[place % len(each)] for each in (drawing.MARKERS, drawing.LINES))
        every = max(1, len(curve[0]) // 8)
        axes.plot(
            *curve,
            color=drawing.colour(place),
            linestyle=line,
            marker=marker,
            markevery=every,
            markersize=5,
            label=said,
        )
    axes.plot([0, 1], [0, 1], color=drawing.GREY, linestyle=":", linewidth=1, label="chance")
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    axes.set_xlabel("wrong answers that score so high (0 to 1)")
    axes.set_ylabel("right answers that score so high (0 to 1)")
    drawing.plain(axes, "both")
    drawing.draw_legend(axes, outside=False)
    return axes


def conventions(table: Any, *, metric: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw one metric on the same rows by several conventions, with what each differs from the first.

    Parameters
    ----------
    table
        What `qa_frame.differences` returned: the means over the rows that all conventions score are drawn. Or a table
        with the columns `convention` (or an index of that name) and `mean`, in pandas, polars or Arrow.
    metric
        The name of the metric, for the label of the axis; a result of `differences` knows it.
    ax
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Each convention is a row, with its mean and the shift from the first one's written beside it.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Examples
    --------
    >>> import qa_frame
    >>> found = qa_frame.sample().qa.differences("squad", "context_bench", pred="response", gold="answers")
    >>> ax = qa_frame.plot.conventions(found)
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.get_xlabel()
    (['squad', 'context_bench'], 'mean f1 (0 to 1)')
    """
    from qa_frame.reports.differences import Differences  # noqa: PLC0415  (rarely needed)

    is_result = isinstance(table, Differences)
    if metric is not None:
        require_text("metric", metric, "give the name of the metric, or None")
    frame = read_table(table.means if is_result else table)
    of = "mean_shared" if is_result else "mean"
    for name in ("convention", of):
        if name not in frame.columns:
            raise ColumnNotFoundError(
                f"table has no column {name!r}; give a result of qa_frame.differences, or a table with the columns "
                f"'convention' and 'mean'. Columns: {list(frame.columns)}"
            )
    if is_result:
        frame = frame.iloc[:-1] if table.shifts is None else frame  # the last row of two conventions is their shift
        metric = metric or table.metric
    names, means = list(map(label, frame["convention"].tolist())), floats(frame, of)
    if not names:
        raise ColumnTypeError("table has no rows; give one a convention")
    axes = drawing.require_axes(ax, height=drawing.height_of(names))
    nothing = np.full_like(means, np.nan)
    drawing.draw_intervals(
        axes, np.stack([means, nothing, nothing], axis=1), np.arange(len(names), dtype=np.float64), series=0, name=None
    )
    axes.axvline(means[0], color=drawing.GREY, linewidth=1, linestyle="--", zorder=1)
    is_percent = not is_result and bool((means > 1).any())
    digits = 1 if is_percent else 3
    for row, mean in enumerate(means):
        if not np.isnan(mean):
            shift = "" if row == 0 or np.isnan(means[0]) else f" ({mean - means[0]:+.{digits}f})"
            axes.annotate(
                f"{mean:.{digits}f}{shift}",
                (mean, row),
                (7, 0),
                textcoords="offset points",
                va="center",
                fontsize="small",
            )
    drawing.write_absent(axes, np.flatnonzero(np.isnan(means)).tolist(), "not scored")
    drawing.name_rows(axes, names, title="convention")
    axes.margins(x=0.35)
    low, high = axes.get_xlim()
    widen = max(0.0, _LEAST_SPAN * (100 if is_percent else 1) - (high - low)) / 2  # small shifts are to look small
    axes.set_xlim(low - widen, high + widen)
    axes.set_xlabel(drawing.with_unit(f"mean {metric or 'score'}", means, is_percent=is_percent), parse_math=False)
    return axes


# --- what the functions share


def _is_percent(percent: Any, found: bool) -> bool:  # noqa: FBT001  (it stands for the argument where that is None)
    if percent is None:
        return found
    require_flag("percent", percent)
    return bool(percent)


def _split(groups: Sequence[tuple[Any, ...]], values: Floats) -> tuple[list[str], dict[str, Floats]]:
    """The figures of groups in rows by all keys but the last, and in a series for each value of the last."""
    firsts = [", ".join(map(label, keys[:-1])) for keys in groups]
    lasts = [label(keys[-1]) for keys in groups]
    rows = list(dict.fromkeys(firsts))
    series = {last: np.full((len(rows), 3), np.nan) for last in lasts}
    for first, last, three in zip(firsts, lasts, values, strict=True):
        series[last][rows.index(first)] = three
    return rows, series


def _one_of(metric: Any, there: Sequence[str]) -> str:
    """The figure to draw: the one that is asked for, or the only one."""
    if metric is not None:
        if not is_choice(metric, there):
            raise unknown_option("metric", metric, there)
        return str(metric)
    if metric is None and len(there) > 1:
        raise UnknownOptionError(f"metric is not given, and the table has {list(there)}; choose one of them")
    return there[0]


def _names_among(argument: str, wanted: Any, there: Sequence[str]) -> list[str]:
    if wanted is None:
        return list(there)
    names = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(names, list | tuple) or not names:
        raise unknown_option(argument, wanted, there)
    for name in names:
        if not is_choice(name, there):
            raise unknown_option(argument, name, there)
    return list(dict.fromkeys(names))
