"""Tables of figures → text for people, Markdown, LaTeX, CSV, JSON or Parquet.

Text, Markdown and LaTeX show figures with three decimals, or one in percent, and an interval in brackets behind its
figure: `0.206 [0.155, 0.270]`. CSV, JSON and Parquet have all digits and a column for each bound.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import pandas as pd

import qa_frame
from qa_frame.errors import plural
from qa_frame.ext.shell.exits import has_colours
from qa_frame.ext.shell.files import OutputPath, check_destination, csv_lines, format_of, plain, print_text, write_frame
from qa_frame.ext.shell.options import SharedOption
from qa_frame.ext.shell.thresholds import Gate
from qa_frame.replacement import is_stream, replacing
from qa_frame.terminal import visible, wrap

_SUMMARY_OF_STEP = "GITHUB_STEP_SUMMARY"
_MOST_IN_BRIEF = 6
FORMATS = {".txt": "text", ".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".parquet": "parquet"}
"""The formats of tables by the endings of files."""


def format_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that choose the format of its table."""
    helps = {
        "json": "JSON: a list of one object per row, all digits.",
        "csv": "CSV, all digits.",
        "markdown": "Markdown.",
        "latex": "LaTeX, with booktabs.",
    }
    for name, text in reversed(helps.items()):
        settings: dict[str, Any] = {"cls": SharedOption, "home": "convert", "flag_value": name, "help": text}
        command = click.option(f"--{name}", "shape", **settings)(command)
    return command


@dataclass(frozen=True, slots=True)
class Output:
    """Where a command's table goes, and in which format.

    shape: a value of `FORMATS`; None takes that of the file's ending, or text. path: the file; None prints the table.
    in_summary_of_step: whether the table is also appended, as Markdown, to the file that `$GITHUB_STEP_SUMMARY` names.
    """

    shape: str | None = None
    path: str | None = None
    in_summary_of_step: bool = False

    @property
    def is_for_people(self) -> bool:
        """Whether the table is printed as text."""
        return self.shape is None and self.path is None

    def show(
        self,
        table: pd.DataFrame,
        *,
        note: str = "",
        common: Sequence[str] = (),
        gates: Sequence[Gate] = (),
        brief: Sequence[str] = (),
    ) -> None:
        """Print a table, or write it into the file.

        Parameters
        ----------
        table
            Its keys are columns, not an index.
        note
            The line above a table of text.
        common
            Columns that stand above a table of text, too, if all rows have the same value.
        gates
            The limits that figures were held against, with which the summary of a step begins.
        brief
            The columns of the table in the summary of a step, at most six; by default the first ones.
        """
        shape = self.shape or ("text" if self.path is None else format_of(self.path, FORMATS))
        has_style = "style" in dir(qa_frame)
        if self.is_for_people and not has_style:
            shape = "csv"
        if (self.in_summary_of_step or shape not in {"json", "csv", "parquet"}) and not has_style:
            raise click.UsageError("tables for people need qa_frame.style, which is not there; give --json or --csv")
        if self.in_summary_of_step:
            with Path(os.environ[_SUMMARY_OF_STEP]).open("a", encoding="utf-8") as file:
                file.write(_in_brief(table, gates, brief))
        if shape == "parquet" and self.path is not None:
            write_frame(table, self.path)
            return
        is_text = shape == "text"
        in_colour = is_text and self.path is None and has_colours(sys.stdout)
        text = _as_text(table, note, common, in_colour=in_colour) if is_text else _written(table, shape)
        if self.path is None:
            print_text(text.removesuffix("\n"), keep="\x1b" * in_colour)
            return
        with replacing(self.path) as part:
            part.write_text(text, "utf-8")


def _in_brief(table: pd.DataFrame, gates: Sequence[Gate], columns: Sequence[str]) -> str:
    """Return Markdown: whether all gates passed, each gate with its result, and the first six of some columns.

    columns: the columns to choose from; if there are none, all of the table.
    """
    styled, text = qa_frame.style(table, bold=False), ""
    if gates:
        ordered = sorted(gates, key=lambda gate: gate.passes)
        n_failed = sum(not gate.passes for gate in gates)
        n = plural(len(gates), "gate")
        results = ["passed" if gate.passes else "failed" for gate in ordered]
        cells = {
            "gate": [gate.limit for gate in ordered],
            "result": results,
            "found": ["; ".join(filter(None, (gate.found, gate.caveat))) for gate in ordered],
        }
        text = f"**failed**: {n_failed} of {n}\n\n" if n_failed else f"**passed**: {n}\n\n"
        text += replace(styled, cells=cells, numbers=frozenset(), headings={}, note="").to_markdown() + "\n"
    shown = [name for name in columns or styled.cells if name in styled.cells][:_MOST_IN_BRIEF]
    return text + replace(styled, cells={name: styled.cells[name] for name in shown}).to_markdown() + "\n"


def takes_output(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of its table's format and file, as an `Output`.

    Raises UsageError, before anything is computed, where the table cannot be written into the file: its ending does not
    tell the format, it is one of the files to read, or it is there and shall stay.
    """

    @format_options
    @click.option("-o", "--output", type=OutputPath(), help=f"File for the table: {', '.join(FORMATS)}.")
    @click.option("--overwrite", is_flag=True, help="Replace the file of -o.")
    @click.option("--step-summary", is_flag=True, help="Add gates and table to a GitHub Actions summary.")
    @functools.wraps(command)
    def with_output(
        *arguments: Any,
        shape: str | None = None,
        output: str | None = None,
        overwrite: bool = False,
        step_summary: bool = False,
        **settings: Any,
    ) -> Any:
        if output is not None:
            if shape is None and is_stream(output) and not Path(output).suffix:
                shape = "text"
            if shape is None:
                format_of(output, FORMATS)
            check_destination(output, [path for rows in arguments for path in rows.paths], overwrite=overwrite)
        if step_summary and not os.environ.get(_SUMMARY_OF_STEP):
            raise click.UsageError(f"--step-summary needs the variable {_SUMMARY_OF_STEP}, which GitHub Actions sets")
        return command(*arguments, table=Output(shape, output, step_summary), **settings)

    return with_output


def _written(table: pd.DataFrame, shape: str) -> str:
    """Return a table as JSON, CSV, Markdown or LaTeX. shape: one of these, as in `FORMATS`."""
    if shape == "json":
        records = [{str(name): plain(value) for name, value in row.items()} for row in table.to_dict("records")]
        return visible(json.dumps(records, ensure_ascii=False, indent=2), keep="\n", quote=json.dumps) + "\n"
    if shape == "csv":
        return "".join(csv_lines(table))
    styled = qa_frame.style(table, bold=False)
    return styled.to_markdown() if shape == "markdown" else styled.to_latex()


def _as_text(table: pd.DataFrame, note: str, common: Sequence[str], *, in_colour: bool) -> str:
    """Return a table as people read it, below the note and the columns in `common` that have one value.

    Of these, numbers stand in one line. A table of one row has one value a line, unless it has columns of
    long texts, which stand below their row.
    """
    styled = qa_frame.style(table, bold=False)
    same = [name for name in common if name in table and len(table) and len(table[name].unique()) == 1]
    in_common = {name: f"{name} = {styled.cells[name][0]}" for name in same}
    numbers = "; ".join(text for name, text in in_common.items() if name in styled.numbers)
    notes = [note, *(text for name, text in in_common.items() if name not in styled.numbers), numbers]
    lines = [line for each in notes if each for line in wrap(visible(each), "", "")]
    shown = {name: column for name, column in styled.cells.items() if name not in same}
    marks = _coloured_cells(table, shown) if in_colour else {}
    if len(table) == 1 and not styled.below:  # one figure a line
        marks = {"value": [marks.get(name, [""])[0] for name in shown]}
        shown = {"name": [*shown], "value": [cell for (cell,) in shown.values()]}
    # Without headings, columns have the names that --metrics and --by take.
    styled = replace(styled, cells=shown, headings={}, marks=marks)
    return "\n".join([*lines, ""] * bool(lines) + [f"{styled}\n"])


def _coloured_cells(table: pd.DataFrame, cells: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return the marks of cells that a terminal shows in colour, by column: "strong" for best figures, and verdicts."""
    marks = {name: ["strong" * (mark == "best") for mark in of] for name, of in qa_frame.style(table).marks.items()}
    return marks | {"verdict": [verdict * (verdict in {"better", "worse"}) for verdict in cells.get("verdict", [])]}
