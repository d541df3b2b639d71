"""`qa-frame audit`: Find what in the rows of files is likely to mislead their scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pandas as pd

import qa_frame
from qa_frame.errors import plural
from qa_frame.ext.shell import inputs, options, summary, tables
from qa_frame.ext.shell.exits import SUCCESS, THRESHOLD_FAILED, spell_for_shell
from qa_frame.ext.shell.files import check_not_read, print_text


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
    where there is none, they say that they need Python.
    """
    if held and (fail_if_found or settings):
        named = ["--fail-if-found"] * fail_if_found + [f"--{name.replace('_', '-')}" for name in settings]
        raise click.UsageError(f"--held looks for no hazards, so {' and '.join(named)} would do nothing; leave one out")
    if held:
        _show_holdings(rows, table)
        return SUCCESS
    frame = rows.read(table.path)
    hazards = qa_frame.audit(frame, **inputs.COLUMNS, **settings)
    hazards["remedy"] = [spell_for_shell(remedy, summary.command) for remedy in hazards["remedy"]]
    found = int(hazards["found"].sum() if "found" in hazards else len(hazards))
    note = f"{plural(found, 'hazard')} in {plural(len(frame), 'row')}"
    if not found and table.is_for_people and "found" not in hazards and not table.in_summary_of_step:
        print_text(note)
    else:
        table.show(hazards, note=note)
    return THRESHOLD_FAILED if fail_if_found and found else SUCCESS


def _show_holdings(rows: inputs.Rows, table: tables.Output) -> None:
    """Show what the columns of tables hold, by their own names; or those of `read_results`, for files of a harness."""
    if table.path is not None:
        check_not_read(table.path, rows.paths)
    try:
        frame = rows.read(table.path)
    except qa_frame.errors.ResultFileNotFoundError:
        raise
    except qa_frame.QaFrameError as error:  # it is of no kind that is known
        held, n = _find_holdings_as_named(rows)
        if held is None:
            raise error from None
    else:
        held, n = qa_frame.audit(frame), len(frame)
        if {note["kind"] for note in frame.attrs["qa_files"].values()} <= {"plain", "csv"}:
            own, _ = _find_holdings_as_named(rows)
            held = held if own is None else own
    table.show(held, note=f"of {plural(n, 'row')}; the calls are Python")


def _find_holdings_as_named(rows: inputs.Rows) -> tuple[pd.DataFrame | None, int]:
    """Return what tables hold by their own names, and their rows; None where no call can be told of these names."""
    named = {name: rows.settings[argument] for argument, name in inputs.COLUMNS.items() if argument in rows.settings}
    if rows.settings.keys() - {*inputs.COLUMNS} or not all(Path(path).is_file() for path in rows.paths):
        return None, 0
    try:
        frame = rows.read_as_named()
        if not {*named.values()} <= {*frame}:
            return None, 0
        usual = frame.drop(columns=named.keys() - {*named.values()}, errors="ignore")
        held = qa_frame.audit(usual.rename(columns={given: name for name, given in named.items()}))
    except qa_frame.QaFrameError:
        return None, 0
    held["column"] = held["column"].replace(named)
    for name, given in named.items():
        held["call"] = held["call"].str.replace(repr(name), repr(given), regex=False)
    return held, len(frame)
