"""The stored lists of names, for the shell's proposals and for editors: `python -m tests.cli.outline` writes them anew."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import pandas as pd

import qa_frame
from qa_frame import _names
from qa_frame.cli.commands import COMMANDS, commands
from qa_frame.cli.completion import LIST

SPECIAL = {"convention": "conventions", "name": "conventions", "metrics": "metrics"}
"""Parameters whose values are not listed with each command."""


def outline() -> dict[str, Any]:
    """The options and arguments of each command, and the metrics of each convention; the default one first."""
    context = click.Context(commands)
    found = {name: commands.get_command(context, name) for name in COMMANDS}
    return {
        "commands": {name: [describe(each) for each in command.params] for name, command in found.items()},
        "metrics": {name: metrics_of(name) for name in qa_frame.conventions},
    }


def describe(parameter: click.Parameter) -> dict[str, Any]:
    entry: dict[str, Any] = {"nargs": parameter.nargs, "required": False, "values": values_of(parameter)}
    if isinstance(parameter, click.Option):
        flags = "/".join([*parameter.opts[-1:], *parameter.secondary_opts])
        entry |= {"declarations": [parameter.name, *parameter.opts[:-1], flags], "help": parameter.help or ""}
        entry |= {"is_flag": parameter.is_flag, "multiple": parameter.multiple}
    else:
        entry["declarations"] = [parameter.name]
    return entry


def values_of(parameter: click.Parameter) -> str | list[str]:
    if isinstance(parameter.type, click.Path):
        return "paths"
    listed = (parameter.metavar or "")[1:-1] if "|" in (parameter.metavar or "") else ""
    return SPECIAL.get(parameter.name) or [*getattr(parameter.type, "choices", listed.split("|") if listed else [])]


def metrics_of(convention: str) -> list[str]:
    empty = pd.DataFrame({"response": pd.Series(dtype=str), "answers": pd.Series(dtype=str)})
    return [*qa_frame.score(empty, "response", "answers", metrics="all", convention=convention, append=False), "all"]


def written() -> str:
    return json.dumps(outline(), indent=None, separators=(",", ":")).replace('{"nargs"', '\n{"nargs"') + "\n"


NAMES = Path(_names.__file__)


def names_written() -> str:
    """The module of the names as types. Type checkers read no values, so they need these names in full."""
    types = {"MetricName": [*qa_frame.metrics, "math_verify"], "ConventionName": qa_frame.conventions}
    described = "The names of metrics and of conventions as types. `python -m tests.cli.outline` writes them anew."
    parts = [f'"""{described}"""', "from typing import Literal", *(literal(*each) for each in types.items())]
    return "\n\n".join(parts) + "\n"


def literal(name: str, values: Iterable[str]) -> str:
    lines = textwrap.wrap(", ".join(f'"{value}"' for value in values), 115)
    return f"{name} = Literal[\n{textwrap.indent(chr(10).join(lines), '    ')},\n]  # fmt: skip"


if __name__ == "__main__":
    LIST.write_text(written(), "utf-8")
    NAMES.write_text(names_written(), "utf-8")
