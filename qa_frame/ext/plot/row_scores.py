"""The picture of how the scores of rows are distributed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.errors import ColumnTypeError, UnknownOptionError
from qa_frame.ext.plot import drawing, labels
from qa_frame.ext.plot.fonts import SIZE, Axes, inches, with_fonts
from qa_frame.frames.source import read_source
from qa_frame.stats.grouping import make_group_columns
from qa_frame.tables.results import label
from qa_frame.tables.rows import make_scoring, require_one_metric

_RANGES = ("0", "0 to 0.25", "0.25 to 0.5", "0.5 to 0.75", "0.75 to 1", "1")
"""The ranges of scores. A range includes its upper end and not its lower one; a score of 1 has a range of its own."""


def distribution(
    data: Any, metric: str | None = None, by: Hashable | Sequence[Hashable] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw how the scores of each group are distributed: the shares of 0, of 1, and of four ranges between them.

    Scores of question answering heap up at 0 and 1, which curves of density hide.

    Parameters
    ----------
    data
        Scored frame of any kind; its score columns have the names that `score` gave them.
    metric
        Score column to draw. None where the frame has one only.
    by
        Column(s) or index levels to group by. Nulls are a group of their own.
    ax
        Axes of matplotlib to draw into. None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Each group is a bar, and its name says how many rows are scored. Shares are written in the bar where
        there is room.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        If a column is not there or holds something else, or a score is below 0 or above 1.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers")
    >>> ax = qa_frame.plot.distribution(scored, "f1", by="model")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['heron-7b (115 of 120 scored)', 'lynx-70b (115 of 120 scored)', 'otter-chat (115 of 120 scored)']
    """
    source = read_source(data)
    if metric is not None:
        require_one_metric(metric, source)
    rows = make_scoring(metrics=metric, source=source).read(source, make_group_columns(by))
    if len(rows.scores) > 1:
        raise UnknownOptionError(f"metric is not given, and data has the scores {[*rows.scores]}; choose one of them")
    ((name, scores),) = rows.scores.items()
    known = scores[~np.isnan(scores)]
    if len(known) and (known.min() < 0 or known.max() > 1):
        raise ColumnTypeError(
            f"data has {name!r} scores from {known.min():g} to {known.max():g}, and this plot is of scores from 0 to "
            "1; divide the column by the largest possible score first"
        )
    keys = rows.groups
    shares, n_scored, n_rows = _count_ranges(scores, keys.codes, len(keys))
    named = zip(map(labels.name_of, keys.labels.tolist()), n_scored, n_rows, strict=True)
    names = [f"{group} ({n} of {m} scored)" for group, n, m in named]
    axes = drawing.require_axes(ax, width=7.2, height=labels.height_of(names) + 0.4)
    labels.name_rows(axes, names, title=", ".join(label(key.name) for key in keys.columns if key.name is not None))
    _draw_shares(axes, shares)
    labels.write_absent(axes, np.flatnonzero(n_scored == 0), "not scored")
    axes.set_xlim(0, 100)
    labels.name_axes(axes, "share of scored rows (%)")
    labels.draw_legend(axes, title=name)
    return with_fonts(axes)


def _draw_shares(axes: Axes, shares: Floats) -> None:
    """Draw the bars, with their shares in them where there is room. shares: from 0 to 1, shape (groups, ranges)."""
    from matplotlib import colormaps  # noqa: PLC0415  (it is there: there are axes)

    widest = max((inches(text.get_text()) for text in axes.get_yticklabels()), default=0.0)
    room = labels.room_of(axes)[0] - widest
    left, ground = np.zeros(len(shares)), drawing.ground_of(axes)
    darkest = 0.25 if drawing.ink_on(ground) == "#ffffff" else 0.0  # to be seen on dark axes
    tones = colormaps["cividis"](np.linspace(darkest, 1, len(_RANGES)))
    for width, tone, name in zip(100 * shares.T, tones, _RANGES, strict=True):
        bars = axes.barh(np.arange(len(width)), width, 0.8, left, color=tone, edgecolor=ground, label=name)
        texts = [f"{share:.0f}" if share / 100 * room > inches("00") + 0.06 else "" for share in width.tolist()]
        axes.bar_label(bars, texts, label_type="center", color=drawing.ink_on(tone), fontsize=SIZE)
        left += width


def _count_ranges(scores: Floats, codes: Ints, n_groups: int) -> tuple[Floats, Ints, Ints]:
    """Return the share of each range, and the numbers of scored rows and of all rows, of each group.

    The shares have the shape (groups, ranges), and are 0 for a group without a score. codes: the group of each row.
    """
    place = np.searchsorted([0.0, 0.25, 0.5, 0.75, np.nextafter(1.0, 0.0)], scores, side="left")
    is_scored, counts = ~np.isnan(scores), np.zeros((n_groups, len(_RANGES)))
    np.add.at(counts, (codes[is_scored], place[is_scored]), 1)
    n_scored = counts.sum(axis=1).astype(np.int64)
    return counts / np.maximum(n_scored, 1)[:, None], n_scored, np.bincount(codes, minlength=n_groups)
