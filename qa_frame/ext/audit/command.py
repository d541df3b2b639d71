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


@click.command(cls=options.Command, epilog=options.EPILOG)
@options.options_of(qa_frame.audit, without=["data", "pred", "gold"])
@inputs.takes_rows()
@click.option("--fail-if-found", is_flag=True, help="End with status 1 if anything is found.")
@click.option("--held", is_flag=True, help="Show what the files hold instead: which column is what, and what to call.")
@tables.takes_output
def command(rows: inputs.Rows, table: tables.Output, *, fail_if_found: bool, held: bool, **settings: Any) -> int:
    """Find what in the rows of files is likely to mislead their scores: one row per finding, with what to do about it.

    count and share tell how many rows it concerns; examples are the first of these, counted from 0 over all files. The
    page "The data checks of audit" describes each finding. Remedies name the options of `qa-frame score` and `summary`;
    where there is none, they say that they need Python.
    """
    if held and (fail_if_found or settings):
        named = ["--fail-if-found"] * fail_if_found + [f"--{name.replace('_', '-')}" for name in settings]
        raise click.UsageError(f"--held checks no data, so {' and '.join(named)} would do nothing; leave one out")
    if held:
        _show_columns(rows, table)
        return SUCCESS
    frame = rows.read(table.path)
    findings = qa_frame.audit(frame, **inputs.COLUMNS, **settings)
    findings["remedy"] = [spell_for_shell(remedy, summary.command) for remedy in findings["remedy"]]
    note = _count_findings(len(findings), frame)
    if findings.empty and table.is_for_people and not table.in_summary_of_step:
        print_text(note)
    else:
        table.show(findings, note=note)
    return THRESHOLD_FAILED if fail_if_found and len(findings) else SUCCESS


def _count_findings(n: int, frame: pd.DataFrame) -> str:
    """Say how many checks have a finding. What needs a gold was not looked at in a row without one."""
    n_gold = int((frame[inputs.COLUMNS["gold"]].str.len() > 0).sum())
    if not n_gold:
        return f"no gold in {plural(len(frame), 'row')}, so that no prediction was compared with one"
    rows = plural(len(frame), "row") + f", of which {n_gold:,} have a gold" * (n_gold < len(frame))
    return f"{plural(n, 'finding')} in {rows}" if n else f"the data checks have no finding in {rows}"


def _show_columns(rows: inputs.Rows, table: tables.Output) -> None:
    """Show what the columns of tables hold, by their own names; or those of `read_results`, for files of a harness."""
    if table.path is not None:
        check_not_read(table.path, rows.paths)
    try:
        frame = rows.read(table.path)
    except qa_frame.QaFrameError as error:  # it is of no kind that is known
        described, n = _describe_as_named(rows)
        if described is None:
            raise error from None
    else:
        described, n = qa_frame.audit(frame), len(frame)
        if {note["kind"] for note in frame.attrs["qa_files"].values()} <= {"plain", "csv"}:
            own, _ = _describe_as_named(rows)
            described = described if own is None else own
    table.show(described, note=f"of {plural(n, 'row')}; the calls are Python")


def _describe_as_named(rows: inputs.Rows) -> tuple[pd.DataFrame | None, int]:
    """Return what tables hold by their own names, and their rows; None where no call can be told of these names."""
    named = {name: rows.settings[argument] for argument, name in inputs.COLUMNS.items() if argument in rows.settings}
    if rows.settings.keys() - {*inputs.COLUMNS} or not all(Path(path).is_file() for path in rows.paths):
        return None, 0
    try:
        frame = rows.read_records()
        if not {*named.values()} <= {*frame}:
            return None, 0
        usual = frame.drop(columns=named.keys() - {*named.values()}, errors="ignore")
        described = qa_frame.audit(usual.rename(columns={own: name for name, own in named.items()}))
    except qa_frame.QaFrameError:
        return None, 0
    described["column"] = described["column"].replace(named)
    for name, own in named.items():
        described["call"] = described["call"].str.replace(repr(name), repr(own), regex=False)
    return described, len(frame)
