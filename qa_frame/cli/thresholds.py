"""Figures compared with limits, so that a script or continuous integration can stop."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import click
import pandas as pd

import qa_frame
from qa_frame.cli.exits import SUCCESS, THRESHOLD_FAILED, say
from qa_frame.cli.files import check_destination, replacing
from qa_frame.errors import visible

Function = Callable[..., Any]
Limits = tuple[tuple[str, float], ...]
if TYPE_CHECKING:
    _ParamType = click.ParamType[tuple[str, float]]
else:  # versions before 8.3 are not generic
    _ParamType = click.ParamType


class Limit(_ParamType):
    """A figure's name and a number, as `f1=0.6`."""

    name = "metric=number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        """Return the name and the number of a text."""
        name, _, number = str(value).partition("=")
        try:
            limit = float(number)
        except ValueError:
            limit = math.nan
        if not math.isfinite(limit):
            self.fail(f"{value!r} is not a metric and a number, such as f1=0.6", param, ctx)
        return name.strip(), limit


@dataclass(frozen=True, slots=True)
class Gate:
    """A limit that one group of rows was held against.

    Attributes
    ----------
    limit
        The limit, as an option gives it: `--fail-under f1=0.6`.
    subject
        The figure and its group, as `f1 of otter`.
    failure
        How it failed, as the rest of a sentence; empty if it holds.
    """

    limit: str
    subject: str
    failure: str


def takes_report(gate: str) -> Callable[[Function], Function]:
    """Give a command the option `--junit`: a file that is replaced, but never one of the files to read.

    gate: the parameter of the command's limits, without which there is nothing to write.
    """

    def decorate(command: Function) -> Function:
        @functools.wraps(command)
        def with_report(*arguments: Any, junit: str | None = None, **settings: Any) -> Any:
            if junit is not None:
                require_gate("--junit", gate, settings[gate])
                paths = [path for rows in arguments for path in rows.paths]
                check_destination(junit, paths, overwrite=True, option="--junit")
            return command(*arguments, junit=junit, **settings)

        text = "Write each gate as a test case into this JUnit XML file, which is replaced."
        return click.option("--junit", type=click.Path(), help=text)(with_report)

    return decorate


def require_gate(option: str, gate: str, limits: Limits) -> None:
    """Raise UsageError where an option has nothing to work on, as no limit is given. gate: the limits' parameter."""
    if not limits:
        name = f"--{gate.replace('_', '-')}"
        raise click.UsageError(f"{option} is of use with {name} alone; give a limit, as {name} f1=0.1, or leave it out")


def conclude(gates: Sequence[Gate], junit: str | None) -> int:
    """Say which gates failed, write all of them into a JUnit file if one is asked for, and return the exit status."""
    failed = [gate for gate in gates if gate.failure]
    for gate in failed:
        say(f"{gate.limit} failed: {gate.failure}")
    if junit is not None:
        name = click.get_current_context().command_path
        counts = {"name": name, "tests": str(len(gates)), "failures": str(len(failed)), "errors": "0"}
        suites = ET.Element("testsuites", counts)
        suite = ET.SubElement(suites, "testsuite", counts)
        for gate in gates:
            described = {"classname": visible(f"{name} {gate.limit}"), "name": visible(gate.subject)}
            case = ET.SubElement(suite, "testcase", described)
            if gate.failure:
                ET.SubElement(case, "failure", {"message": visible(gate.failure)})
        ET.indent(suites)
        with replacing(junit) as part:
            ET.ElementTree(suites).write(part, encoding="utf-8", xml_declaration=True)
    return THRESHOLD_FAILED if failed else SUCCESS


def lowest(table: pd.DataFrame, limits: Limits, keys: list[str], at: str) -> list[Gate]:
    """Return whether each figure of each row of a summary reaches its limit. NaN reaches none.

    at: `"value"`, or `"lower"` for the lower bound of the figure's interval.
    """
    gates = []
    for name, limit in limits:
        column, rows = _figures(table, name, at)
        bound = "the lower bound of " if at == "lower" else ""
        for row in rows.to_dict("records"):
            group = f" of {_group(tuple(row[key] for key in keys))}" if keys else ""
            subject = f"{bound}{name}{group}"
            failure = "" if row[column] >= limit else f"{subject} is {_shown(row[column])}"
            gates.append(Gate(f"--fail-under {name}={limit:g}", subject, failure))
    return gates


def margins_of(limits: Limits) -> dict[str, float]:
    """Return the margin of each metric, the smallest where it has several; UsageError for one below 0."""
    for name, margin in limits:
        if margin < 0:
            raise click.UsageError(
                f"--fail-if-worse {name}={margin:g} is below 0; give how much worse is still as good, as {name}=0.02"
            )
    return {name: min(margin for other, margin in limits if other == name) for name, _ in limits}


def not_worse(compared: pd.DataFrame, margins: Mapping[str, float], ci: float) -> list[Gate]:
    """Return whether each group is shown not to be worse than the baseline by a margin.

    compared: a comparison with these margins. A p-value that is not defined shows nothing. PairingError where two
    groups have no question in common, as then there is nothing to judge.
    """
    empty = compared[compared["n"] + compared["n_not_scored"] == 0]
    if margins and len(empty):
        new, old = (_group(empty[side].iloc[0]) for side in ("a", "b"))
        raise qa_frame.PairingError(
            f"--fail-if-worse cannot judge {new} against {old}, as they have no question in common; give files with "
            "the same questions, or name the column that tells questions apart with --on"
        )
    gates = []
    for name, margin in margins.items():
        rows = compared[compared["metric"] == name]
        for new, old, p, low in zip(rows["a"], rows["b"], rows["p_noninferior"], rows["tost_lo"], strict=True):
            subject = f"{name} of {_group(new)} minus {_group(old)}"
            failure = (
                f"the lower bound of {subject} is {_shown(low)}, not above {-margin:g}; "
                f"p_noninferior is {p:.4g}, not below {1 - ci:.4g}"
            )
            holds = p < round(1 - ci, 12)
            gates.append(Gate(f"--fail-if-worse {name}={margin:g}", subject, "" if holds else failure))
    return gates


def _group(values: Any) -> str:
    return ", ".join(map(str, values)) if isinstance(values, tuple) else str(values)


def _shown(figure: float) -> str:
    return "not defined" if math.isnan(figure) else f"{figure:.6g}"


def _figures(table: pd.DataFrame, name: str, at: str) -> tuple[str, pd.DataFrame]:
    """Return the column and the rows that hold a figure or its lower bound, in a wide or a long summary."""
    is_long = {"metric", "value"} <= set(table.columns)
    column, bound = ("value", "lo") if is_long else (name, f"{name}_lo")
    if is_long:
        _require(name, sorted(set(table["metric"])))
    else:
        _require(name, [str(each) for each in table if pd.api.types.is_float_dtype(table[each])])  # counts are whole
    if at == "lower" and bound not in table:
        raise click.UsageError(f"--at lower needs bounds, and {name} has none; leave --at out, or limit another figure")
    return bound if at == "lower" else column, table[table["metric"] == name] if is_long else table


def _require(name: str, names: list[str]) -> None:
    if name not in names:
        raise click.UsageError(
            f"--fail-under names {name!r}, which is not among the figures: {', '.join(names)}; choose from these, or "
            "give it to --metrics, too"
        )
