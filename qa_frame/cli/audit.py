"""`qa-frame audit`: files → what in their rows is likely to mislead."""

from __future__ import annotations

from typing import Any

import click

import qa_frame
from qa_frame.cli import inputs, options, tables
from qa_frame.cli.exits import SUCCESS, THRESHOLD_FAILED
from qa_frame.cli.files import print_text


@click.command(epilog=options.EPILOG)
@options.files
@options.options_of(qa_frame.audit, without=["data", "pred", "gold"])
@options.reading()
@click.option("--fail-if-found", is_flag=True, help="End with status 1 if any hazard is found.")
@tables.format_options
@tables.output_options
def command(
    *,
    paths: tuple[str, ...],
    fail_if_found: bool,
    shape: str | None,
    output: str | None,
    overwrite: bool,
    **settings: Any,
) -> int:
    """Find what in the rows of files is likely to mislead their scores: one row a hazard, with what to do about it.

    count and share tell how many rows it concerns; examples are the first of these, counted from 0 over all files.
    `help(qa_frame.audit)` in Python describes each hazard. The remedies are written for Python: extract='boxed' is
    --extract boxed here, and to_golds(sep=';') is --sep ';'.
    """
    tables.check_output(output, shape, paths, overwrite=overwrite)
    reading, auditing = options.split(options.given(settings), inputs.READING)
    frame = inputs.read(paths, reading, output)
    table = qa_frame.audit(frame, **inputs.COLUMNS, **auditing)
    found = int(table["found"].sum() if "found" in table else len(table))
    note = f"{found} hazard{'s' * (found != 1)} in {len(frame)} row{'s' * (len(frame) != 1)}"
    if not found and (shape, output) == (None, None) and "found" not in table:
        print_text(note)
    else:
        tables.show(table, shape, output, note=note, below="remedy")
    return THRESHOLD_FAILED if fail_if_found and found else SUCCESS
