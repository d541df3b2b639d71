"""`qa-frame conventions`: whose rules the metrics follow."""

from __future__ import annotations

import textwrap

import click
import pandas as pd

import qa_frame
from qa_frame.cli import completion, tables
from qa_frame.cli.files import print_text


@click.command()
@click.argument("name", required=False, shell_complete=completion.conventions)
@tables.format_options
@tables.output_options
def command(name: str | None, shape: str | None, output: str | None, overwrite: bool) -> None:  # noqa: FBT001
    """List the conventions, or show one: what it follows, its metrics and its signature.

    The signature names every setting, so that a paper can cite it.
    """
    tables.check_output(output, shape, overwrite=overwrite)
    names = list(qa_frame.conventions) if name is None else [name]
    rows = [_row(qa_frame.conventions[each]) for each in names]
    if (shape, output) != (None, None):
        tables.show(pd.DataFrame(rows), shape, output)
    elif name is None:
        print_text("\n\n".join(_entry({**row, "signature": ""}) for row in rows))
    else:
        print_text(_entry(rows[0]))


def _row(convention: qa_frame.Convention) -> dict[str, str]:
    return {
        "name": convention.name,
        "follows": convention.follows,
        "metrics": " ".join(convention.metrics or ()),
        "differs": convention.differs,
        "signature": convention.signature,
    }


def _entry(row: dict[str, str]) -> str:
    """The name, and below it what is known, one line or more each. A signature has a line for each of its parts."""
    lines = [row["name"]]
    for title, text in list(row.items())[1:]:
        first = f"  {title:10}"
        for part in text.replace("|", "|\n").splitlines():
            lines += textwrap.wrap(part, 100, initial_indent=first, subsequent_indent=_INDENT, break_on_hyphens=False)
            first = _INDENT
    return "\n".join(lines)


_INDENT = " " * 12
