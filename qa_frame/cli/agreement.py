"""`qa-frame agreement`: files with people's verdicts → how well each metric agrees with them."""

from __future__ import annotations

from typing import Any

import click

import qa_frame
from qa_frame.cli import inputs, options, tables


@click.command(epilog=options.EPILOG)
@options.files
@options.options_of(qa_frame.agreement, without=["data", "pred", "gold"])
@options.reading()
@click.option("--scored", is_flag=True, help="Use the score columns that the files have, instead of scoring the rows.")
@tables.format_options
@tables.output_options
def command(
    paths: tuple[str, ...],
    scored: bool,  # noqa: FBT001  (click gives all options by keyword)
    shape: str | None,
    output: str | None,
    overwrite: bool,  # noqa: FBT001
    **settings: Any,
) -> None:
    """Show how well each metric agrees with people's verdicts on the same rows.

    auc is how often a right answer scores higher than a wrong one; kappa and accuracy are at the threshold that agrees
    best. This needs scipy: pip install "qa-frame[stats]".
    """
    tables.check_output(output, shape, paths, overwrite=overwrite)
    reading, agreeing = options.split(options.given(settings), inputs.READING)
    columns: dict[str, Any] = {} if scored else inputs.COLUMNS
    table = qa_frame.agreement(inputs.read(paths, reading, output), **columns, **agreeing)
    tables.show(table.reset_index(), shape, output)
