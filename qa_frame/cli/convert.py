"""`qa-frame convert`: the logs of harnesses → Parquet, JSON Lines or CSV."""

from __future__ import annotations

from typing import Any

import click
import pandas as pd

from qa_frame.cli import frames, inputs, options, tables
from qa_frame.cli.files import name_of


@click.command(epilog=options.EPILOG)
@options.files
@click.option("-o", "--output", required=True, type=click.Path(), help="The file to write: .parquet, .jsonl or .csv.")
@options.reading()
@click.option("--overwrite", is_flag=True, help="Replace the file if it is there.")
@tables.format_options
def command(
    paths: tuple[str, ...],
    output: str,
    overwrite: bool,  # noqa: FBT001  (click gives all options by keyword)
    shape: str | None,
    **settings: Any,
) -> None:
    """Read result files and write all their rows into one file.

    Prints the kind of each file, its rows, and how many records were left out.
    """
    frames.check_destination(output, paths, overwrite=overwrite)
    frame = inputs.read(paths, options.given(settings), output)
    notes = frame.attrs["qa_files"]
    frames.write_frame(frame, output)
    table = [{"source": name_of(source), "destination": name_of(output), **note} for source, note in notes.items()]
    tables.show(pd.DataFrame(table), shape, common=["destination"])
