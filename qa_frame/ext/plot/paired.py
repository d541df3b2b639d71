"""The picture of two groups on the same questions: who got which, and by how much their scores differ."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.checks import is_equal, require_items, require_number
from qa_frame.errors import PairingError, UnknownOptionError, show
from qa_frame.ext.plot import drawing, labels
from qa_frame.ext.plot.distribution import read_rows_of_one_metric
from qa_frame.ext.plot.fonts import Axes, with_fonts
from qa_frame.scoring.metrics import THRESHOLD
from qa_frame.stats.grouping import list_keys, read_codes, require_names
from qa_frame.stats.rows import without_rounding
from qa_frame.tables.pairs import require_unique
from qa_frame.tables.visible import number

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
        A scored frame of any kind.
    by
        The column, index level or list of them that makes the groups, such as the model. Nulls are a group.
    question
        The column, index level or list of them that identifies a question. A group may have each question once.
    metric
        The score column; None where the frame has one only.
    pair
        The two groups, as they stand in `by`: tuples where it is a list. None where there are only two.
    threshold
        The score from which a group got a question, 0 or more.
    ax
        Where to draw; None for a new figure.

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
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

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
    said = f"questions ({n_all - len(places)} of {n_all} left out)"
    labels.name_axes(axes, f"difference in {metric}: {a} − {b}", said)
    labels.draw_legend(axes)
    drawing.plain(axes, "y")
    return with_fonts(axes)


def _scores_of_both(data: Any, by: Any, question: Any, metric: Any, pair: Any) -> tuple[list[str], Floats, str]:
    """Return the names of two groups, their scores of all questions, shape (2, questions), and the metric."""
    if by is None:
        raise PairingError("by=None names no column; name what tells the groups apart, such as the model")
    require_names(list_keys(by))
    rows = read_rows_of_one_metric(data, metric, by, question=list_keys(question))
    ((name, of_rows),) = rows.scores.items()
    models, questions = rows.groups, read_codes(rows.frame, question, "question")
    require_unique(rows.frame, models, questions, by=by, question=question)
    places = _choose_pair(models.labels.tolist(), by, pair)
    scores = np.full((len(models), len(questions)), np.nan)
    scores[models.codes, questions.codes] = of_rows
    is_asked = np.isin(np.arange(len(questions)), questions.codes[np.isin(models.codes, places)])
    return [labels.name_of(models.labels[place]) for place in places], scores[places][:, is_asked], name


def _choose_pair(groups: list[Any], by: Any, pair: Any) -> Ints:
    """Return the places of the two groups."""
    if len(groups) < 2:
        raise PairingError(f"by={show(by)} makes {len(groups)} group{'s' * (not groups)}; give the rows of two or more")
    wanted = groups if pair is None else require_items("pair", pair, "two groups, such as ('a', 'b')")
    found = [[place for place, label in enumerate(groups) if is_equal(label, name)] for name in wanted]
    if len(found) != 2 or not all(found):
        raise UnknownOptionError(
            f"pair={show(pair)} does not name two of the groups of by={show(by)}, {show(groups)}; give two of them, as "
            f"in pair={tuple(groups[:2])!r}"
        )
    return np.array([places[0] for places in found])


def _sort_into_bars(differences: Floats) -> tuple[Ints, float]:
    """Return the bar of each difference, from -10 to 10, and the difference at the end of the last one.

    A bar includes the end that is farther from 0, and the bar 0 holds the differences of 0 alone.
    """
    largest = float(np.abs(differences).max(initial=0.0))
    span = 1.0 if largest <= 1 else largest
    sizes = np.ceil(without_rounding(np.abs(differences) * _BINS / span)).astype(np.int64)
    return np.where(differences < 0, -sizes, sizes), span
