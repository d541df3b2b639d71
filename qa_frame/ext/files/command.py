"""`qa-frame convert`: Read the logs of evaluation harnesses and write Parquet, JSON Lines or CSV."""

from __future__ import annotations

import click
import pandas as pd

from qa_frame.ext.shell import files, inputs, options, tables
from qa_frame.ext.shell.files import OutputPath, name_of


@click.command(cls=options.Command, epilog=options.EPILOG)
@click.option("-o", "--output", required=True, type=OutputPath(), help="File to write: .parquet, .jsonl or .csv.")
@inputs.takes_rows()
@click.option("--overwrite", is_flag=True, help="Replace the file if it is there.")
@tables.format_options
def command(rows: inputs.InputFiles, *, output: str, overwrite: bool, shape: str | None = None) -> None:
    """Read result files and write all their rows into one file.

    Prints the kind of each file, its rows, and how many records were left out.
    """
    files.check_rows_destination(output, rows.paths, overwrite=overwrite)
    frame = rows.read(output)
    notes = frame.attrs["qa_files"]
    files.write_frame(frame, output)
    table = [{"source": name_of(source), "destination": name_of(output), **note} for source, note in notes.items()]
    tables.Output(shape).show(pd.DataFrame(table).drop(columns="sha256"), common=["destination"])
