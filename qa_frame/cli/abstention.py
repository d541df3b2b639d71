"""`qa-frame abstention`: files → how many questions were answered, and how well."""

from __future__ import annotations

from typing import Any

import click
import pandas as pd

import qa_frame
from qa_frame.cli import inputs, options, tables


def _declined(context: click.Context, option: click.Parameter, value: str | None) -> Any:
    """Read the name of a column, or a pattern behind `re:`; without either, the pattern of refusals."""
    return qa_frame.rules.REFUSAL if value is None else options.read_steps(context, option, (value,))


@inputs.command_on_scores(qa_frame.abstention)
@click.option(
    "--declined",
    metavar="TEXT",
    callback=_declined,
    help="Which rows give no answer: a column of truth values, or a pattern as re:PATTERN that is looked for in the "
    'predictions. By default what qa_frame.rules.REFUSAL finds, as "I don\'t know", and missing predictions.',
)
def command(frame: pd.DataFrame, table: tables.Output, **asked: Any) -> None:
    """Show how many questions were answered, and how well: one row per group and metric.

    coverage is the share that is answered, answered their mean score, overall the mean score where a question that is
    declined scores 0, harmonic the harmonic mean of these two. has_ans and no_ans are the mean scores of questions with
    and without golds; the latter are scored with --convention squad2. With --confidence, aurc is the area under the
    risk-coverage curve, and best the best score that a threshold of confidence gives.
    """
    table.show(qa_frame.abstention(frame, **asked).reset_index(), common=["n", "n_answered", "n_not_used", "coverage"])
