"""`qa-frame items`: files of several models → which questions are hard, and which golds look wrong."""

from __future__ import annotations

from typing import Any

import click
import numpy as np
import pandas as pd

import qa_frame
from qa_frame.cli import inputs, tables
from qa_frame.errors import plural

_SHOWN = 20
"""So many questions are printed as text by default."""

_LONG = 24
"""Keys of more characters stand below their row."""


@inputs.command_on_scores(qa_frame.items, {"metric": "f1"})
@click.option(
    "--top",
    type=click.IntRange(min=1),
    help="So many questions, the first ones. By default 20 where the table is printed as text, else all.",
)
def command(frame: pd.DataFrame, table: tables.Output, *, top: int | None = None, **asked: Any) -> None:
    """Show how hard each question is, and whether its golds look wrong: one row per question.

    mean is the mean score over the models, discrimination its correlation with the rest. gold_doubtful is true
    where most wrong answers are the same one, wrong_answer, which n_same models give, more than give a gold: these
    questions stand first, by n_same, then all others, the hardest first.

    Give one file per model, or one file of several. Without --by and --question, models and questions are found as
    by compare.
    """
    frame = inputs.with_short_names(frame)
    items = _in_order_of_use(qa_frame.items(frame, *inputs.take_keys(frame, asked), **asked))
    n_shown = top or (_SHOWN if table.is_for_people else len(items))
    shown = items.head(n_shown).reset_index()
    keys = [str(name) for name in items.index.names]
    long = [name for name in keys if shown[name].astype(str).str.len().max() > _LONG]
    note = f"{len(shown):,} of {plural(len(items), 'question')}"
    if table.is_for_people and top is None and len(shown) < len(items):
        note += f"; --top {len(items)} shows all, and so do --csv, --json and -o"
    table.show(shown, note=note, common=["n", "n_not_scored"], below=[*(long or keys[-1:]), "wrong_answer"])


def _in_order_of_use(items: pd.DataFrame) -> pd.DataFrame:
    """Return the questions with doubtful golds first, by how many models agree against them, then the hardest."""
    is_doubtful = items["gold_doubtful"].fillna(value=False).astype(bool)
    fewer = -items["n_same"].where(is_doubtful, 0).astype(float)
    return items.iloc[np.lexsort([items["mean"], fewer])]
