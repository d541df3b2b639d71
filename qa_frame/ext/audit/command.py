"""`qa-frame audit`: Find what in the rows of files is likely to mislead their scores."""

from __future__ import annotations

from typing import Any

import click
import pandas as pd

import qa_frame
from qa_frame.errors import plural
from qa_frame.ext.shell import inputs, options, summary, tables
from qa_frame.ext.shell.exits import SUCCESS, THRESHOLD_FAILED, spell_for_shell
from qa_frame.ext.shell.files import print_text


@click.command(cls=options.Command, epilog=options.EPILOG)
@options.options_of(qa_frame.audit, without=["data", "pred", "gold"])
@inputs.takes_rows()
@click.option("--fail-if-found", is_flag=True, help="End with status 1 if anything is found.")
@tables.takes_output
def command(rows: inputs.InputFiles, table: tables.Output, *, fail_if_found: bool, **settings: Any) -> int:
    """Find what in the rows of files is likely to mislead their scores: one row per finding, with what to do about it.

    count and share tell how many rows it concerns; examples are the first of these, counted from 0 over all files. The
    page "The data checks of audit" describes each finding. Remedies name the options of `qa-frame score` and `summary`;
    where there is none, they say that they need Python.
    """
    frame = rows.read(table.path)
    findings = qa_frame.audit(frame, **inputs.COLUMNS, **settings)
    findings["remedy"] = [spell_for_shell(remedy, summary.command) for remedy in findings["remedy"]]
    note = _say_how_many_found(len(findings), frame)
    if findings.empty and table.is_for_people and not table.in_summary_of_step:
        print_text(note)
    else:
        table.show(findings, note=note)
    return THRESHOLD_FAILED if fail_if_found and len(findings) else SUCCESS


def _say_how_many_found(n: int, frame: pd.DataFrame) -> str:
    """Return a sentence with the number of findings and of rows, and how many rows have a gold if some have none.

    If no row has a gold, it says that alone, as most checks look only at rows with a gold. n: the findings.
    """
    n_gold = int((frame[inputs.COLUMNS["gold"]].str.len() > 0).sum())
    if not n_gold:
        return f"no gold in {plural(len(frame), 'row')}, so that no prediction was compared with one"
    rows = plural(len(frame), "row") + f", of which {n_gold:,} have a gold" * (n_gold < len(frame))
    return f"{plural(n, 'finding')} in {rows}" if n else f"the data checks have no finding in {rows}"
