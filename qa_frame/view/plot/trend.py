"""Pictures of figures along numbers: those of a key, such as the step of training, and those of samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_frame._typing import Floats
from qa_frame.errors import ColumnNotFoundError, UnknownOptionError, is_choice, is_number, show
from qa_frame.reports.result_tables import is_null
from qa_frame.stats.samples import name_of_pass, read_pass
from qa_frame.view.plot import drawing
from qa_frame.view.plot.fonts import Axes
from qa_frame.view.plot.summaries import Summary, choose_metrics, choose_rows, mean_of_known, read_summary


def trend(
    table: Any,
    metrics: str | Sequence[str] | None = None,
    *,
    over: str | None = None,
    sort: bool = False,
    top: int | None = None,
    percent: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw figures along a key of numbers, such as the checkpoint, step or shots, with bands for their intervals.

    Parameters
    ----------
    table
        A result of `qa_frame.summary` or `Pool.summary` by a key of numbers, and by others if you like, wide or long;
        in pandas, polars or Arrow.
    metrics
        The figures to draw; None for all of the table.
    over
        The key along the x axis; None where one key only holds numbers. All other keys make groups.
    sort
        Whether the legend begins with the group of the highest mean, by the first metric drawn. Otherwise groups are in
        the order of the table.
    top
        At most so many groups are drawn, those with the highest means; None for all.
    percent
        Whether the table is in percent, where it has no note that says so. None: as the table says or shows.
    ax
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        It has a line per group and metric, with a point for each number. A figure that is NaN is a gap. More than eight
        lines have no bands. Groups whose key is null are left out, and the label of the x axis counts them.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else or has no key of numbers, or an argument has a value that is not allowed.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Warns
    -----
    PlotWarning
        Where there are more than eight lines.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics="f1")
    >>> scored["shots"] = scored["question_id"].str[-2:].astype(int) % 3
    >>> ax = qa_frame.plot.trend(scored.qa.summary(by=["model", "shots"], metrics="f1"))
    >>> [line.get_label() for line in ax.lines], ax.get_xlabel(), ax.get_ylabel()
    (['heron-7b', 'lynx-70b', 'otter-chat'], 'shots', 'f1 (0 to 1)')
    """
    read = read_summary(table, metrics, percent)
    read = read.led_by(_key_of_numbers(read, over))
    key, *others = read.key_names
    numbers = np.array([np.nan if is_null(keys[0]) else float(keys[0]) for keys in read.groups])
    names = [drawing.name_of(keys[1:]) for keys in read.groups]
    rows_of: dict[str, list[int]] = {name: [] for name in names}
    for row in np.argsort(numbers, kind="stable")[: np.count_nonzero(~np.isnan(numbers))].tolist():
        rows_of[names[row]].append(row)
    first = next(iter(read.figures.values()))[:, 0]
    means = np.array([mean_of_known(first[rows]) for rows in rows_of.values()])
    kept = [list(rows_of)[group] for group in choose_rows(means, sort=sort, top=top).tolist()]
    drawn = {
        ", ".join([name] * (len(kept) > 1) + [metric] * (len(read.figures) > 1)) or name: (rows_of[name], figures)
        for metric, figures in read.figures.items()
        for name in kept
    }
    axes = drawing.require_axes(ax, **drawing.size_beside([*drawn]))
    for series, (name, (rows, figures)) in enumerate(drawn.items()):
        has_band = len(drawn) <= drawing.MOST_TOLD_APART
        _draw_figures(axes, series, name, numbers[rows], figures[rows], has_band=has_band)
    n_null = np.count_nonzero(np.isnan(numbers))
    x = f"{key} ({n_null} of {len(numbers)} groups left out)" if n_null else key
    every = np.concatenate(list(read.figures.values()))
    what = next(iter(read.figures)) if len(read.figures) == 1 else "score"
    y = drawing.with_unit(what, every, is_percent=read.is_percent)
    title = ", ".join(others) if len(read.figures) == 1 else ""
    drawing.set_ticks(axes, integer=bool((numbers[~np.isnan(numbers)] % 1 == 0).all()))
    return drawing.finish_lines(axes, x, y, n_series=len(drawn), title=title, per_group=len(read.figures))


def _key_of_numbers(read: Summary, over: Any) -> str:
    """Return the key along the x axis; UnknownOptionError where it, or none, holds numbers."""
    keys = zip(read.key_names, zip(*read.groups, strict=True), strict=False)
    found = [
        name
        for name, values in keys
        if all(is_null(value) or is_number(value) for value in values) and not all(map(is_null, values))
    ]
    if over is None and len(found) > 1:
        raise UnknownOptionError(f"over is not given, and table has the keys of numbers {found}; choose one of them")
    if not found or not (over is None or is_choice(over, found)):
        raise UnknownOptionError(
            f"over={show(over)}: of the keys {list(read.key_names)} of table, {found or 'none'} hold numbers; make a "
            "column of numbers, as in df.assign(step=df['checkpoint'].str.extract(r'(\\d+)', expand=False)"
            ".astype(float)), and give qa_frame.summary(df, by=['model', 'step'])"
        )
    return found[0] if over is None else str(over)


def _draw_figures(axes: Axes, series: int, name: str, at: Floats, values: Floats, *, has_band: bool) -> None:
    """Draw one line with its band. A point between gaps has its interval as a stroke, as a band has no width there."""
    look = drawing.look_of_line(axes, series)
    axes.plot(at, values[:, 0], label=name, **look)
    _, low, high = values.T
    has_bounds = ~np.isnan(values.sum(axis=1)) & has_band
    if not has_bounds.any():
        return
    axes.fill_between(at, low, high, where=has_bounds, color=look["color"], alpha=0.15, linewidth=0)
    is_alone = has_bounds & ~np.append(has_bounds[1:], False) & ~np.append(False, has_bounds[:-1])
    axes.vlines(at[is_alone], low[is_alone], high[is_alone], colors=look["color"], linewidth=1.2)


def pass_at(
    table: Any,
    metrics: str | Sequence[str] | None = None,
    *,
    sort: bool = False,
    top: int | None = None,
    percent: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the chance that one of k samples is right, and that all are, against k: a line per group and metric.

    Parameters
    ----------
    table
        A result of `qa_frame.summary` or `Pool.summary` with `pass_at`, `pass_all` or both; in pandas, polars or Arrow.
    metrics
        The metrics to draw, such as `"em"`; None for all that have such figures.
    sort
        Whether the legend begins with the group of the highest chance. Otherwise groups are in the order of the table.
    top
        At most so many groups are drawn, those with the highest chances; None for all.
    percent
        Whether the table is in percent, where it has no note that says so. None: as the table says or shows.
    ax
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Lines with filled markers are pass@k, dotted ones with open markers pass^k. A vertical stroke is the interval.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else or has no such figures, or an argument has a value that is not allowed.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Warns
    -----
    PlotWarning
        Where there are more than eight lines.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> answers = pd.DataFrame({"model": list("aaaabbbb"), "question_id": list("xxyyxxyy"), "em": [1, 0, 0, 0] * 2})
    >>> table = qa_frame.summary(answers, by="model", samples="question_id", pass_at=(1, 2))
    >>> ax = qa_frame.plot.pass_at(table)
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_legend().get_texts()]
    ('k, samples of a question', ['a', 'b'])
    """
    read = read_summary(table, None, percent)
    curves = _read_curves(read)
    if not curves:
        raise ColumnNotFoundError(
            "table has no figures of several samples; give a result of summary with samples='question_id' and "
            f"pass_at=(1, 2, 4). Figures: {list(read.figures)}"
        )
    known = list(dict.fromkeys(metric for metric, _ in curves))
    chosen = choose_metrics(metrics, known)
    kinds = list(dict.fromkeys(kind for metric, kind in curves if metric in chosen))
    first = next(values for (metric, _), (_, values) in curves.items() if metric == chosen[0])
    kept = choose_rows(mean_of_known(first[..., 0]), sort=sort, top=top).tolist()
    pairs = [(metric, group) for metric in chosen for group in kept]
    drawn = {
        (series, kind): ", ".join(
            [read.labels[group]] * (len(kept) > 1) + [metric] * (len(chosen) > 1) + [f"pass{kind}k"] * (len(kinds) > 1)
        )
        for series, (metric, group) in enumerate(pairs)
        for kind in kinds
        if (metric, kind) in curves
    }
    axes = drawing.require_axes(ax, **drawing.size_beside([*drawn.values()]))
    for (series, kind), name in drawn.items():
        metric, group = pairs[series]
        numbers, values = curves[metric, kind]
        _draw_chances(axes, series, numbers, values[group], name or metric, is_all=kind == "^")
    every = np.concatenate([values.ravel() for (metric, _), (_, values) in curves.items() if metric in chosen])
    what = f"{chosen[0] if len(chosen) == 1 else 'score'}, {' and '.join(f'pass{kind}k' for kind in kinds)}"
    y = drawing.with_unit(what, every, is_percent=read.is_percent)
    title = ", ".join(read.key_names) if len(chosen) == 1 else ""
    drawing.set_ticks(axes, integer=True)
    x, per_group = "k, samples of a question", len(chosen) * len(kinds)
    return drawing.finish_lines(axes, x, y, n_series=len(drawn), title=title, per_group=per_group)


def _read_curves(read: Summary) -> dict[tuple[str, str], tuple[list[int], Floats]]:
    """Return by metric and kind the numbers k, and the value and bounds, shape (groups, numbers, 3)."""
    numbers: dict[tuple[str, str], list[int]] = {}
    for name in read.figures:
        found = read_pass(name)
        if found is not None:
            metric, kind, k = found
            numbers.setdefault((metric, kind), []).append(k)
    return {
        (metric, kind): (
            sorted(ks),
            np.stack([read.figures[name_of_pass(metric, kind, k)] for k in sorted(ks)], axis=1),
        )
        for (metric, kind), ks in numbers.items()
    }


def _draw_chances(axes: Axes, series: int, numbers: list[int], values: Floats, label: str, *, is_all: bool) -> None:
    """Draw one line with its intervals."""
    look = drawing.look_of_line(axes, series) | (
        {"linestyle": ":", "markerfacecolor": drawing.ground_of(axes)} if is_all else {}
    )
    axes.plot(numbers, values[:, 0], label=label, **look)
    has_bounds = ~np.isnan(values).any(axis=1)
    axes.vlines(np.array(numbers)[has_bounds], *values[has_bounds, 1:].T, colors=look["color"], linewidth=1.2, zorder=2)
