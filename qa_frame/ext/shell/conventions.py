"""`qa-frame conventions`: List the conventions: whose rules the metrics follow."""

from __future__ import annotations

import click
import pandas as pd

import qa_frame
from qa_frame.ext.shell import tables
from qa_frame.ext.shell.files import print_text
from qa_frame.terminal import wrap


@click.command()
@click.argument("name", required=False)
@tables.takes_output
def command(name: str | None, table: tables.Output) -> None:
    """List the conventions, or show one: what it follows, its metrics and its signature.

    The signature names every setting that is not at its default, so that a paper can cite it.
    """
    if table.in_summary_of_step:
        raise click.UsageError("--step-summary is of no use with conventions; leave it out")
    if name is None and table.is_for_people:
        print_text(str(qa_frame.conventions))
        return
    rows = []
    for convention in [*qa_frame.conventions.values()] if name is None else [qa_frame.conventions[name]]:
        row = {each: getattr(convention, each) for each in ("name", "follows", "metrics", "differs", "signature")}
        rows.append(row | {"metrics": " ".join(convention.metrics or ())})
    if not table.is_for_people:
        table.show(pd.DataFrame(rows))
        return
    lines = [rows[0].pop("name")]
    for title, text in rows[0].items():
        first = f"  {title:10}"
        for part in text.replace("|", "|\n").splitlines():  # each part of a signature has its own line
            lines += wrap(part, first, _INDENT)
            first = _INDENT
    print_text("\n".join(lines))


_INDENT = " " * 12
