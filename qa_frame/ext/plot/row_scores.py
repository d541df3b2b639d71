"""Pictures of the scores of rows: how they are distributed, and how those of two groups differ on each question."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.checks import is_equal, require_items, require_number
from qa_frame.errors import ColumnTypeError, PairingError, UnknownOptionError, show
from qa_frame.ext.plot import drawing, labels
from qa_frame.ext.plot.fonts import SIZE, Axes, inches, with_fonts
from qa_frame.frames.source import read_source
from qa_frame.scoring.metrics import THRESHOLD
from qa_frame.stats.grouping import list_keys, make_group_columns, read_codes, require_names
from qa_frame.stats.rows import without_rounding
from qa_frame.tables.pairs import require_unique
from qa_frame.tables.results import label
from qa_frame.tables.rows import ReadRows, make_scoring, require_one_metric
from qa_frame.tables.visible import number

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
    rows = _read_rows_of_one_metric(data, metric, by)
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


def _read_rows_of_one_metric(data: Any, metric: Any, by: Any, **columns: Sequence[Any]) -> ReadRows:
    """Return the rows of a frame with one metric; all rows are one group, "all", where `by` is None.

    columns: by argument, other columns to read.
    """
    source = read_source(data)
    if metric is not None:
        require_one_metric(metric, source)
    rows = make_scoring(metrics=metric, source=source).read(source, make_group_columns(by), **columns)
    if len(rows.scores) > 1:
        raise UnknownOptionError(f"metric is not given, and data has the scores {[*rows.scores]}; choose one of them")
    return rows


def _draw_shares(axes: Axes, shares: Floats) -> None:
    """Draw the bars, with their shares in them where there is room. shares: shape (groups, ranges)."""
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
    """The share of each range, shape (groups, ranges); the rows that are scored, and all rows, shape (groups,)."""
    place = np.searchsorted([0.0, 0.25, 0.5, 0.75, np.nextafter(1.0, 0.0)], scores, side="left")
    is_scored, counts = ~np.isnan(scores), np.zeros((n_groups, len(_RANGES)))
    np.add.at(counts, (codes[is_scored], place[is_scored]), 1)
    n_scored = counts.sum(axis=1).astype(np.int64)
    return counts / np.maximum(n_scored, 1)[:, None], n_scored, np.bincount(codes, minlength=n_groups)


# --- two groups


_BINS = 10
"""Bars on either side of 0."""


def paired(
    data: Any,
    by: Hashable | Sequence[Hashable],
    question: Hashable | Sequence[Hashable],
    *,
    metric: str | None = None,
    pair: Sequence[Any] | None = None,
    threshold: float = THRESHOLD,
    ax: Axes | None = None,
) -> Axes:
    """Draw by how much two groups differ on each question, and which questions one, both or neither got.

    Parameters
    ----------
    data
        Scored frame of any kind.
    by
        Column(s) or index levels that make the groups, such as the model. Nulls are a group.
    question
        Column(s) or index levels that identify a question. A group may have each question once.
    metric
        Score column to draw. None where the frame has one only.
    pair
        Two groups to compare, as they stand in `by`: tuples where it is a list. None where there are only two.
    threshold
        Minimum score of a right answer, 0 or more.
    ax
        Axes of matplotlib to draw into. None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Each bar counts the questions whose difference lies in a tenth of the scale; equal scores, to nine decimals,
        have the bar at 0. A bar is parted by who got the questions, and the legend counts these. Questions that one
        group has not, or has no score for, are left out, and the label of the y axis counts them.

    Raises
    ------
    PairingError
        Where a group has a question twice, or there are fewer than two groups.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column is not there or holds something else, or an argument has a value that is not allowed.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics="em")
    >>> ax = qa_frame.plot.paired(scored, "model", "question_id", pair=("lynx-70b", "heron-7b"), threshold=1.0)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['only lynx-70b (41)', 'both (9)', 'neither (64)', 'only heron-7b (1)']
    """
    require_number("threshold", threshold, most=np.inf)
    (a, b), scores, metric = _scores_of_both(data, by, question, metric, pair)
    shared = scores[:, ~np.isnan(scores).any(axis=0)]
    got_a, got_b = without_rounding(shared - threshold) >= 0
    places, span = _sort_into_bars(without_rounding(shared[0] - shared[1]))
    axes = drawing.require_axes(ax)
    parts = [
        (f"only {a}", got_a & ~got_b, drawing.COLOURS[0]),
        ("both", got_a & got_b, drawing.tone(axes, 0.7)),
        ("neither", ~got_a & ~got_b, drawing.tone(axes, 0.3)),
        (f"only {b}", got_b & ~got_a, drawing.COLOURS[1]),
    ]
    below, at = np.zeros(2 * _BINS + 1), np.arange(-_BINS, _BINS + 1)
    for name, is_its, colour in parts:
        counts = np.bincount(places[is_its] + _BINS, minlength=len(at))
        axes.bar(at, counts, 0.86, below, color=colour, label=f"{name} ({np.count_nonzero(is_its)})")
        below += counts
    if not len(places):
        axes.text(0, 0.5, "nothing paired", ha="center", transform=axes.get_xaxis_transform(), style="italic")
    edges = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
    axes.set_xticks(edges * _BINS + 0.5 * np.sign(edges), [number(span * edge, "g") for edge in edges])
    axes.set_xlim(-_BINS - 0.8, _BINS + 0.8)
    axes.set_ylim(0, 1.05 * max(1.0, below.max()))
    drawing.set_ticks(axes.yaxis, are_whole=True)
    n_all = scores.shape[1]
    counted = f"questions ({n_all - len(places)} of {n_all} left out)"
    labels.name_axes(axes, f"difference in {metric}: {a} − {b}", counted)
    labels.draw_legend(axes)
    drawing.plain(axes, "y")
    return with_fonts(axes)


def _scores_of_both(data: Any, by: Any, question: Any, metric: Any, pair: Any) -> tuple[list[str], Floats, str]:
    """Return the names of two groups, their scores of all questions, shape (2, questions), and the metric."""
    if by is None:
        raise PairingError("by=None names no column; name what tells the groups apart, such as the model")
    require_names(list_keys(by))
    rows = _read_rows_of_one_metric(data, metric, by, question=list_keys(question))
    ((name, of_rows),) = rows.scores.items()
    models, questions = rows.groups, read_codes(rows.frame, question, "question")
    require_unique(rows.frame, models, questions, by=by, question=question)
    places = _choose_pair(models.labels.tolist(), by, pair)
    scores = np.full((len(models), len(questions)), np.nan)
    scores[models.codes, questions.codes] = of_rows
    has_question = np.isin(np.arange(len(questions)), questions.codes[np.isin(models.codes, places)])
    return [labels.name_of(models.labels[place]) for place in places], scores[places][:, has_question], name


def _choose_pair(groups: list[Any], by: Any, pair: Any) -> Ints:
    """Return the places of the two groups."""
    if len(groups) < 2:
        raise PairingError(f"by={show(by)} makes {len(groups)} group{'s' * (not groups)}; give the rows of two or more")
    wanted = groups if pair is None else require_items("pair", pair, "two groups, such as ('a', 'b')")
    places = [[place for place, group in enumerate(groups) if is_equal(group, name)] for name in wanted]
    if len(places) != 2 or not all(places):
        raise UnknownOptionError(
            f"pair={show(pair)} does not name two of the groups of by={show(by)}, {show(groups)}; give two of them, as "
            f"in pair={tuple(groups[:2])!r}"
        )
    return np.array([first for first, *_ in places])


def _sort_into_bars(differences: Floats) -> tuple[Ints, float]:
    """Return the bar of each difference, from -10 to 10, and the difference at the end of the last one.

    A bar includes the end that is farther from 0, and the bar 0 holds the differences of 0 alone.
    """
    largest = float(np.abs(differences).max(initial=0.0))
    span = 1.0 if largest <= 1 else largest
    sizes = np.ceil(without_rounding(np.abs(differences) * _BINS / span)).astype(np.int64)
    return np.where(differences < 0, -sizes, sizes), span
