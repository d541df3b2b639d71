"""`qa-frame conventions`: whose rules the metrics follow."""

from __future__ import annotations

import click
import pandas as pd

import qa_frame
from qa_frame.cli import tables
from qa_frame.cli.files import print_text
from qa_frame.terminal import wrap


@click.command()
@click.argument("name", required=False)
@tables.takes_output
def command(name: str | None, table: tables.Output) -> None:
    """List the conventions, or show one: what it follows, its metrics and its signature.

    The signature names every setting that is not at its default, so that a paper can cite it.
    """
    names = list(qa_frame.conventions) if name is None else [name]
    rows = [_row(qa_frame.conventions[each]) for each in names]
    if not table.is_for_people:
        table.show(pd.DataFrame(rows))
    elif name is None:
        print_text("\n\n".join(_entry({**row, "signature": ""}) for row in rows))
    else:
        print_text(_entry(rows[0]))


def _row(convention: qa_frame.Convention) -> dict[str, str]:
    row = {name: getattr(convention, name) for name in ("name", "follows", "metrics", "differs", "signature")}
    return row | {"metrics": " ".join(convention.metrics or ())}


def _entry(row: dict[str, str]) -> str:
    """Return the name, and below it each other value in a line or more. Each part of a signature has its own line."""
    lines = [row["name"]]
    for title, text in list(row.items())[1:]:
        first = f"  {title:10}"
        for part in text.replace("|", "|\n").splitlines():
            lines += wrap(part, first, _INDENT)
            first = _INDENT
    return "\n".join(lines)


_INDENT = " " * 12
