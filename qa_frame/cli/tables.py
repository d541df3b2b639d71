"""Tables of figures → text for people, Markdown, LaTeX, CSV, JSON or Parquet.

Text, Markdown and LaTeX show figures with three decimals, or one in percent, and an interval in brackets behind its
figure: `0.206 [0.155, 0.270]`. CSV, JSON and Parquet have all digits and a column for each bound.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import click
import pandas as pd

import qa_frame
from qa_frame.cli.files import format_of, replacing
from qa_frame.cli.frames import plain, write_frame

Function = TypeVar("Function", bound=Callable[..., Any])

FORMATS = {
    ".txt": "text",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".parquet": "parquet",
}
"""The formats of tables by the endings of files."""

_WIDTH = 100


def format_options(command: Function) -> Function:
    """Give a command the options that choose the format of its table."""
    helps = {
        "json": "The table as a JSON list of one object a row, all digits; null for what is not defined.",
        "csv": "The table as CSV, all digits.",
        "markdown": "The table as Markdown.",
        "latex": "The table as LaTeX (package booktabs).",
    }
    for name, text in reversed(helps.items()):
        command = click.option(f"--{name}", "shape", flag_value=name, default=None, help=text)(command)
    return command


output_option = click.option(
    "-o",
    "--output",
    type=click.Path(),
    help=f"Write the table into this file. Its ending tells the format: {', '.join(FORMATS)}.",
)


def check_output(output: str | None, shape: str | None) -> None:
    """Raise UsageError where the file's ending does not tell its format, before anything is computed."""
    if output is not None and shape is None:
        format_of(output, FORMATS)


def show(
    table: pd.DataFrame,
    shape: str | None = None,
    output: str | None = None,
    *,
    note: str = "",
    common: Sequence[str] = (),
) -> None:
    """Print a table, or write it into a file.

    Parameters
    ----------
    table
        Its keys are columns, not an index.
    shape
        A value of `FORMATS`; None for what the file's ending tells, or text.
    output
        The file; None to print.
    note
        What stands above a table of text.
    common
        Columns that stand there, too, where all rows have the same value.
    """
    if shape is None:
        shape = "text" if output is None else format_of(output, FORMATS)
    if shape == "parquet" and output is not None:
        write_frame(table, output)
        return
    text = _written(table, shape, note, common)
    if output is None:
        click.echo(text, nl=False)
        return
    with replacing(output) as part:
        part.write_text(text, "utf-8")


def _written(table: pd.DataFrame, shape: str, note: str, common: Sequence[str]) -> str:
    if shape == "json":
        records = [{str(name): plain(value) for name, value in row.items()} for row in table.to_dict("records")]
        return json.dumps(records, ensure_ascii=False, indent=2) + "\n"
    if shape == "csv":
        return str(table.to_csv(index=False, lineterminator="\n"))
    styled = qa_frame.style(table, bold=False)
    if shape == "markdown":
        return styled.to_markdown()
    if shape == "latex":
        return styled.to_latex()
    same = [name for name in common if len(table) and len(table[name].unique()) == 1]
    lines = _notes(note, {name: styled.cells[name][0] for name in same}, styled.numbers)
    shown = {name: column for name, column in styled.cells.items() if name not in same}
    return "\n".join([lines + "\n"] * bool(lines) + [f"{replace(styled, cells=shown, note='')}\n"])


def _notes(note: str, values: Mapping[str, str], numbers: frozenset[str]) -> str:
    """The lines above a table: the note, and what has one value in all rows, numbers in one line."""
    in_one_line = "; ".join(f"{name} = {value}" for name, value in values.items() if name in numbers)
    texts = [f"{name} = {value}" for name, value in values.items() if name not in numbers]
    lines = [line for each in [note, *texts, in_one_line] for line in textwrap.wrap(each, _WIDTH)]
    return "\n".join(lines)
