"""`qa-frame human-mean`: files with people's verdicts on a few rows → the mean verdict over all."""

from __future__ import annotations

from typing import Any

import click

import qa_frame
from qa_frame.cli import inputs, options, tables


@click.command(epilog=options.EPILOG)
@options.options_of(qa_frame.human_mean, without=["data"])
@inputs.takes_rows()
@inputs.takes_scoring
@tables.takes_output
def command(rows: inputs.Rows, table: tables.Output, *, scored: bool, **settings: Any) -> None:
    """Show how many answers people would find right, from their verdicts on a few rows and the scores of all.

    human_mean is the estimate, labels_alone the mean of the verdicts that are there. The rows with a verdict must be
    drawn at random.
    """
    settings.setdefault("metric", "f1")
    frame, asked = rows.scored(rows.read(table.path), settings, scored=scored)
    means = qa_frame.human_mean(frame, **asked)
    table.show(means.reset_index() if "by" in settings else means)
