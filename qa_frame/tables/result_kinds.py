"""The kinds of result tables: each function that makes one registers its columns, its figures and its picture here."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from qa_frame.extensions import modules


@dataclass(frozen=True, slots=True)
class ResultKind:
    """A kind of result table.

    Attributes
    ----------
    name
        The function that makes it.
    columns
        The columns by which a table is recognised that does not say what it is, as one that was read from a file.
    figures
        Its columns of figures, without their bounds.
    has_picture
        Whether `qa_frame.plot` has a picture of the same name.
    long_texts
        The columns of long texts, which `style` sets below their row.
    """

    name: str
    columns: frozenset[str]
    figures: tuple[str, ...]
    has_picture: bool = False
    long_texts: tuple[str, ...] = ()


COMPARED = ("metric", "a", "b", "diff", "diff_lo", "diff_hi", "p_adj")
"""A result of `compare` has these columns."""

COMPARED_FIGURES = ("mean_a", "mean_b", "diff", "mdd", "tost_lo", "tost_hi")
"""Its columns of figures; the last two where a margin was tested."""

RANKED = ("metric", "group", "rank", "rank_lo", "rank_hi", "n_groups")
"""A result of `ranks` has these columns."""

_OF_THE_CORE = (
    ResultKind("compare", frozenset(COMPARED), COMPARED_FIGURES, has_picture=True),
    ResultKind("ranks", frozenset(RANKED), ("rank", "mean", "win_rate"), has_picture=True),
)


@functools.cache
def result_kinds() -> dict[str, ResultKind]:
    """Return the kinds of the core and of the extensions by their names. `summary` is none: it may have any columns."""
    added = (kind for module in modules("results.py") for kind in module.RESULTS)
    return {kind.name: kind for kind in (*_OF_THE_CORE, *added)}
