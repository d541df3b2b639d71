"""What the shell proposes: commands, options and their values, as `completion.json` lists them.

The commands themselves import pandas, which takes longer than somebody waits who presses TAB. So the list is stored; a
test compares it with the commands, and `python -m tests.cli.outline` writes it anew.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

LIST = Path(__file__).with_name("completion.json")


def command(name: str, help_text: str) -> click.Command:
    """Return a command that has the options of the one of this name, and proposes their values, but does nothing."""
    parameters = [_parameter(dict(each)) for each in _outline()["commands"][name]]
    settings = {"help_option_names": ["-h", "--help"]}
    return click.Command(name, params=parameters, short_help=help_text, context_settings=settings)


@functools.cache
def _outline() -> dict[str, Any]:
    outline: dict[str, Any] = json.loads(LIST.read_text("utf-8"))
    return outline


def _parameter(entry: dict[str, Any]) -> click.Parameter:
    declarations, values = entry.pop("declarations"), entry.pop("values")
    if values == "paths":
        entry["type"] = click.Path()
    else:
        entry["shell_complete"] = _proposing(values)
    return click.Option(declarations, **entry) if "help" in entry else click.Argument(declarations, **entry)


def _proposing(values: str | list[str]) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return a function that proposes these values, all "conventions", or the "metrics" of the convention given."""
    metrics: dict[str, list[str]] = _outline()["metrics"]

    def propose(context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
        if values == "metrics":
            before, comma, last = begun.rpartition(",")  # a list such as `em,f`
            names = metrics.get(context.params.get("convention") or next(iter(metrics)), [])
            return [before + comma + name for name in _beginning(last, names)]
        return _beginning(begun, metrics if values == "conventions" else values)

    return propose


def _beginning(begun: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(begun)]
