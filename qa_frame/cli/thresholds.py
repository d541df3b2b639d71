"""Figures compared with limits, so that a script or continuous integration can stop."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import click
import pandas as pd

import qa_frame
from qa_frame.checks import above_range, suggestion
from qa_frame.cli.exits import SUCCESS, THRESHOLD_FAILED, say, spell_options
from qa_frame.cli.files import check_destination
from qa_frame.errors import plural
from qa_frame.replacement import replacing
from qa_frame.reports.verdicts import say_verdict
from qa_frame.terminal import visible

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
    doubt
        Why little may follow from it, as a sentence; empty if nothing speaks against it.
    """

    limit: str
    subject: str
    failure: str
    doubt: str = ""


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
                if os.path.realpath(junit) == os.path.realpath(settings.get("output") or ""):
                    raise click.UsageError(f"-o and --junit are both {junit}; give two files")
            try:
                return command(*arguments, junit=junit, **settings)
            except (Exception, KeyboardInterrupt) as error:
                if junit is not None:
                    _report([], junit, error=error)
                raise

        text = (
            "Write each gate as a test case into this JUnit XML file, which is replaced, also by the error of a "
            "command that could not judge. A folder that is not there is made."
        )
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
    for doubt in dict.fromkeys(gate.doubt for gate in gates if gate.doubt):
        say(doubt)
    for gate in failed:
        say(f"{gate.limit} failed: {gate.failure}")
    if junit is not None:
        _report(gates, junit)
    return THRESHOLD_FAILED if failed else SUCCESS


def _report(gates: Sequence[Gate], junit: str, error: BaseException | None = None) -> None:
    """Write gates into a JUnit file, or the error for which there are none."""
    context = click.get_current_context()
    name, n_failed = context.command_path, sum(bool(gate.failure) for gate in gates)
    counts = {"tests": len(gates) + (error is not None), "failures": n_failed, "errors": int(error is not None)}
    described = {"name": name, **{key: str(count) for key, count in counts.items()}}
    suites = ET.Element("testsuites", described)
    suite = ET.SubElement(suites, "testsuite", described)
    for gate in gates:
        case = _case(suite, f"{name} {gate.limit}", gate.subject)
        if gate.failure:
            ET.SubElement(case, "failure", {"message": visible(gate.failure)})
        if gate.doubt:
            ET.SubElement(case, "system-err").text = visible(gate.doubt)
    if error is not None:
        said = error.format_message() if isinstance(error, click.ClickException) else str(error)
        message = spell_options(said, context.command) or type(error).__name__
        ET.SubElement(_case(suite, name, "all gates"), "error", {"message": visible(message)})
    ET.indent(suites)
    with replacing(junit) as part:
        ET.ElementTree(suites).write(part, encoding="utf-8", xml_declaration=True)


def _case(suite: ET.Element, where: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", {"classname": visible(where), "name": visible(name)})


def check_limits(limits: Limits, settings: Mapping[str, Any], *, scored: bool) -> None:
    """Raise UsageError, before anything is read, for a limit that no figure of a summary can be meant by.

    settings: those of the summary. scored: whether scores are those of the files, which may have other names and be in
    percent.
    """
    percent = settings.get("percent", False)
    kinds = {} if not limits else kinds_of_figures(settings)
    for name, limit in limits:
        if not scored and not any(name == known or name.startswith(f"{known}_") for known in kinds):
            raise _not_a_figure(name, [*kinds])
        if kinds.get(name.partition("_pass")[0], "own") == "own":
            continue  # a column of the user's own, of any range, or what is never in percent
        given = f"--fail-under {name}={limit:g}"
        if percent and 0 < limit <= 1:
            raise click.UsageError(
                f"{given} is {limit:g} % with --percent, where limits are in percent, too; give "
                f"{name}={100 * limit:g}, or leave out --percent"
            )
        if not scored and limit > (100 if percent else 1):
            why = "figures are up to 100" if percent else above_range(limit)
            raise click.UsageError(f"{given} cannot be reached: {why}; give a lower one")


def kinds_of_figures(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return what each figure of a summary is, such as "own" for a column of the user's, from one of no rows."""
    asked = settings.get("metrics") or []
    names = {"response": str, "answers": str} | dict.fromkeys([asked] if isinstance(asked, str) else asked, float)
    nothing = pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in names.items()})
    rules = {name: settings[name] for name in ("metrics", "convention") if name in settings}
    pool = qa_frame.Pool(pred="response", gold="answers", **rules).update(nothing)
    kinds: dict[str, str] = pool.summary().attrs["qa_table"]["metrics"]
    return kinds


def _not_a_figure(name: str, names: Sequence[str]) -> click.UsageError:
    close = suggestion(name, names)
    return click.UsageError(
        f"--fail-under names {name!r}, which is not among the figures{close} They are {', '.join(names)}; choose from "
        "these, or give it to --metrics, too"
    )


def lowest(table: pd.DataFrame, limits: Limits, keys: list[str], at: str, *, percent: bool) -> list[Gate]:
    """Return whether each figure of each row of a summary reaches its limit. NaN reaches none.

    at: `"value"`, or `"lower"` for the lower bound of the figure's interval. percent: whether figures are times 100.
    """
    gates = []
    for name, limit in limits:
        column, rows = _figures(table, name, at)
        least = limit / 100 * 100 if percent else limit  # rounded as the figure is: 0.57 times 100 is below 57
        bound = "the lower bound of " if at == "lower" else ""
        for row in rows.to_dict("records"):
            group = f" of {_group(tuple(row[key] for key in keys))}" if keys else ""
            subject = f"{bound}{name}{group}"
            failure = "" if row[column] >= least else f"{subject} is {_shown(row[column])}"
            gates.append(Gate(f"--fail-under {name}={limit:g}", subject, failure))
    return gates


def margins_of(limits: Limits, allowed: float) -> dict[str, float]:
    """Return the margin of each metric, the smallest where it has several; UsageError for one below 0.

    allowed: the share of questions that may be missing, which is of use with a margin alone.
    """
    if allowed:
        require_gate("--allow-missing", "fail_if_worse", limits)
    for name, margin in limits:
        if margin < 0:
            raise click.UsageError(
                f"--fail-if-worse {name}={margin:g} is below 0; give how much worse is still as good, as {name}=0.02"
            )
    return {name: min(margin for other, margin in limits if other == name) for name, _ in limits}


def not_worse(compared: pd.DataFrame, margins: Mapping[str, float], ci: float, *, allowed: float) -> list[Gate]:
    """Return whether each group is shown not to be worse than the baseline by a margin.

    compared: a comparison with these margins. A p-value that is not defined shows nothing. PairingError where two
    groups have no question in common, as then there is nothing to judge. allowed: the share of the old run's questions
    that the new one may have no answer to.
    """
    empty = compared[compared["n"] + compared["n_not_scored"] == 0]
    if margins and len(empty):
        new, old = (_group(empty[side].iloc[0]) for side in ("a", "b"))
        raise qa_frame.errors.PairingError(
            f"--fail-if-worse cannot judge {new} against {old}, as they have no question in common; give files with "
            "the same questions, or name the column that tells questions apart with --question"
        )
    gates = []
    for name, margin in margins.items():
        rows = compared[compared["metric"] == name]
        lacking = map(_lacking, rows.to_dict("records"))
        for row, (share, lacks) in zip(rows.to_dict("records"), lacking, strict=True):
            new, old, p = row["a"], row["b"], row["p_noninferior"]
            subject = f"{name} of {_group(new)} minus {_group(old)}"
            failures = []
            if not p < round(1 - ci, 12):
                failures.append(
                    f"{subject} is {_shown(row['diff'])}, {say_verdict(row, margin)} (tost_lo is "
                    f"{_shown(row['tost_lo'])}; p_noninferior is {p:.4g}, not below {1 - ci:.4g})"
                )
            if share > allowed:
                remedy = f"add the others, or give --allow-missing {math.ceil(100 * share) / 100:g}"
                failures.append(f"{lacks}; {remedy}")
            doubt = lacks if 0 < share <= allowed else ""
            gates.append(Gate(f"--fail-if-worse {name}={margin:g}", subject, "; ".join(failures), doubt))
    return gates


def _lacking(row: Mapping[Any, Any]) -> tuple[float, str]:
    """Return the share of the old run's questions that the new run, `a`, has no answer to, and what to say of it."""
    n_common, n_lacking = row["n"] + row["n_not_scored"], row["n_only_b"]
    n_old = n_common + n_lacking
    new, old = _group(row["a"]), _group(row["b"])
    return n_lacking / n_old, (
        f"{new} has no answer to {n_lacking:,} of the {plural(n_old, 'question')} of {old}: --fail-if-worse judges "
        f"the {n_common:,} that both answered"
    )


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
        raise _not_a_figure(name, names)
