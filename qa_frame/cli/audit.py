"""`qa-frame audit`: files → the hazards in their rows, which are likely to mislead."""

from __future__ import annotations

from typing import Any

import click

import qa_frame
from qa_frame.cli import inputs, options, summary, tables
from qa_frame.cli.exits import SUCCESS, THRESHOLD_FAILED, spell_options
from qa_frame.cli.files import print_text
from qa_frame.errors import plural


@click.command(epilog=options.EPILOG)
@options.options_of(qa_frame.audit, without=["data", "pred", "gold"])
@inputs.takes_rows()
@click.option("--fail-if-found", is_flag=True, help="End with status 1 if any hazard is found.")
@click.option("--held", is_flag=True, help="Show what the files hold instead: which column is what, and what to call.")
@tables.takes_output
def command(rows: inputs.Rows, table: tables.Output, *, fail_if_found: bool, held: bool, **settings: Any) -> int:
    """Find what in the rows of files is likely to mislead their scores: one row per hazard, with what to do about it.

    count and share tell how many rows it concerns; examples are the first of these, counted from 0 over all files. The
    page Rows of the documentation describes each hazard. Remedies name the options of `qa-frame score` and `summary`;
    where there is none, they are code of Python.
    """
    if held and (fail_if_found or settings):
        named = ["--fail-if-found"] * fail_if_found + [f"--{name.replace('_', '-')}" for name in settings]
        raise click.UsageError(f"--held looks for no hazards, so {' and '.join(named)} would do nothing; leave one out")
    frame = rows.read(table.path)
    if held:
        table.show(qa_frame.audit(frame), note=f"of {plural(len(frame), 'row')}")
        return SUCCESS
    hazards = qa_frame.audit(frame, **inputs.COLUMNS, **settings)
    hazards["remedy"] = [spell_options(remedy, summary.command) for remedy in hazards["remedy"]]
    found = int(hazards["found"].sum() if "found" in hazards else len(hazards))
    note = f"{plural(found, 'hazard')} in {plural(len(frame), 'row')}"
    if not found and table.is_for_people and "found" not in hazards and not table.in_summary_of_step:
        print_text(note)
    else:
        table.show(hazards, note=note)
    return THRESHOLD_FAILED if fail_if_found and found else SUCCESS
