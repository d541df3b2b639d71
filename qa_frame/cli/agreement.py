"""`qa-frame agreement`: files with people's verdicts → how well each metric agrees with them."""

from __future__ import annotations

from typing import Any

import click

import qa_frame
from qa_frame.cli import inputs, options, tables


@click.command(epilog=options.EPILOG)
@options.options_of(qa_frame.agreement, without=["data"])
@inputs.takes_rows()
@inputs.takes_scoring
@tables.takes_output
def command(rows: inputs.Rows, table: tables.Output, *, scored: bool, **settings: Any) -> None:
    """Show how well each metric agrees with people's verdicts on the same rows.

    auc is how often a right answer scores higher than a wrong one. The threshold is the one that agrees best; kappa and
    accuracy are of rows that it was not chosen on. This needs scipy: pip install "qa-frame[stats]".
    """
    frame, asked = rows.scored(rows.read(table.path), settings, scored=scored)
    table.show(qa_frame.agreement(frame, **asked).reset_index())
