"""`qa-frame power`: how many questions the next evaluation needs, perhaps from the scored files of a pilot."""

from __future__ import annotations

from typing import Any

import click

import qa_frame
from qa_frame.cli import inputs, options, tables


@click.command(epilog=options.EPILOG)
@options.options_of(qa_frame.power, without=["pilot"])
@inputs.takes_rows(required=False)
@tables.takes_output
def command(rows: inputs.Rows, table: tables.Output, **settings: Any) -> None:
    """Tell how many questions a comparison needs, which difference n questions detect, or with what power.

    Give two of --difference, --n and --power (0.8 by default). How much scores vary is said by --sd, by --win-rate and
    --loss-rate, or by FILES: a pilot that `qa-frame score` has scored, with --by, --question and --metric.
    """
    pilot = rows.read(table.path) if rows.paths else None
    table.show(qa_frame.power(pilot, **settings), common=["metric", "n_samples", "ci", "unit"])
