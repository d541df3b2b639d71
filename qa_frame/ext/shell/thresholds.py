"""Figures compared with limits, so that a script or continuous integration can stop."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import click
import pandas as pd

import qa_frame
from qa_frame.checks import say_above_range, suggestion
from qa_frame.errors import plural
from qa_frame.ext.shell.exits import SUCCESS, THRESHOLD_FAILED, say
from qa_frame.ext.shell.options import numbers_by_name

Limits = tuple[tuple[str, float], ...]


def limit_option(flag: str, text: str) -> Callable[[Any], Any]:
    """Return a decorator that adds an option with metrics and numbers, as f1=0.6. The command gets them as `Limits`."""
    return click.option(flag, multiple=True, callback=_read_limits, metavar="METRIC=NUMBER", help=text)


def _read_limits(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> Limits:
    """Return the pairs of metric and number that were given. BadParameter for any other text, and for nan or inf."""
    try:
        limits = tuple(numbers_by_name(values))
    except ValueError:
        limits = (("", math.nan),)
    if not all(math.isfinite(limit) for _, limit in limits):
        wrong = f"{', '.join(values)!r} is not a metric and a number, such as f1=0.6"
        raise click.BadParameter(wrong, context, option)
    return limits


@dataclass(frozen=True, slots=True)
class Gate:
    """A limit that one group of rows was held against, and the result.

    Attributes
    ----------
    limit
        The limit, as an option gives it: `--fail-under f1=0.6`.
    found
        What was found, as `f1 of otter is 0.339`.
    passes
        Whether the limit holds.
    caveat
        A sentence that says why the result may mislead; empty if there is no reason.
    """

    limit: str
    found: str
    passes: bool
    caveat: str = ""


def require_gate(option: str, gate: str, limits: Limits) -> None:
    """Raise UsageError if there are no limits, as the given `option` then has no effect.

    gate: the parameter of the option that gives the limits, such as "fail_under".
    """
    if not limits:
        name = f"--{gate.replace('_', '-')}"
        raise click.UsageError(f"{option} is of use with {name} alone; give a limit, as {name} f1=0.1, or leave it out")


def report_gates(gates: Sequence[Gate]) -> int:
    """Print to stderr which gates passed and which failed, with what was found. Return the exit status, 0 or 1."""
    for caveat in dict.fromkeys(gate.caveat for gate in gates if gate.caveat):
        say(caveat, "yellow")
    for gate in gates:
        result, colour = ("passed", "green") if gate.passes else ("failed", "red")
        say(f"{gate.limit} {result}: {gate.found}", colour)
    return SUCCESS if all(gate.passes for gate in gates) else THRESHOLD_FAILED


def check_limits(limits: Limits, settings: Mapping[str, Any], *, scored: bool) -> None:
    """Raise UsageError, before files are read, if a limit names no statistic of the summary or is beyond its range.

    settings: the arguments of the summary. scored: whether scores are those of the files. These may have any name and
    be in percent, so that only a share given with `--percent` is refused.
    """
    percent = settings.get("percent", False)
    kinds = {} if not limits else kinds_of_statistics(settings)
    for name, limit in limits:
        if not scored and not any(name == known or name.startswith(f"{known}_") for known in kinds):
            raise _error_of_statistic(name, [*kinds])
        if kinds.get(name.partition("_pass")[0], "own") == "own":
            continue  # a column of the user's own, of any range, or what is never in percent
        option = f"--fail-under {name}={limit:g}"
        if percent and 0 < limit <= 1:
            raise click.UsageError(
                f"{option} is {limit:g} % with --percent, where limits are in percent, too; give "
                f"{name}={100 * limit:g}, or leave out --percent"
            )
        if not scored and limit > (100 if percent else 1):
            why = "figures are up to 100" if percent else say_above_range(limit)
            raise click.UsageError(f"{option} cannot be reached: {why}; give a lower one")


def kinds_of_statistics(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the kind of each statistic of a summary, by name, such as "own" for a column of the user's.

    The kinds are those of `describe_table`. They are found by a summary of no rows. settings: its arguments.
    """
    named = settings.get("metrics")
    pool = qa_frame.Pool(metrics=named, keep_rows=True)
    own = [name for name, kind in _kinds_in(pool).items() if kind == "own"]  # pooled figures and medians need a frame
    no_rows = pd.DataFrame(dict.fromkeys(own, 0.0) | {"response": "", "answers": ""}, index=[0])[:0]
    names = [named] if isinstance(named, str) else named or []
    metrics: Any = named if named == "all" else [name for name in names if name in qa_frame.metrics] or None
    rules = {"convention": settings["convention"]} if "convention" in settings else {}
    return _kinds_in(pool.update(qa_frame.score(no_rows, "response", "answers", metrics=metrics, stats=True, **rules)))


def _kinds_in(pool: qa_frame.Pool) -> dict[str, str]:
    kinds: dict[str, str] = pool.summary().attrs["qa_table"]["metrics"]
    return kinds


def _error_of_statistic(name: str, names: Sequence[str]) -> click.UsageError:
    """Return the error for a limit on a statistic that the summary does not have. names: those that it has."""
    close = suggestion(name, names)
    return click.UsageError(
        f"--fail-under names {name!r}, which is not among the figures{close} They are {', '.join(names)}; choose from "
        "these, or give it to --metrics, too"
    )


def gates_of_limits(table: pd.DataFrame, limits: Limits, keys: list[str], at: str, *, percent: bool) -> list[Gate]:
    """Return a gate for each limit and row of a summary: whether the statistic is at least the limit. NaN is not.

    keys: the columns that name the groups. at: `"value"`, or `"lower"` for the lower bound of the statistic's interval.
    percent: whether statistics are times 100.
    """
    gates = []
    for name, limit in limits:
        column, rows = _find_statistic(table, name, at)
        least = limit / 100 * 100 if percent else limit  # rounded as the figure is: 0.57 times 100 is below 57
        bound = "the lower bound of " if at == "lower" else ""
        for row in rows.to_dict("records"):
            group = f" of {_group(tuple(row[key] for key in keys))}" if keys else ""
            finding, passes = f"{bound}{name}{group} is {_format_statistic(row[column])}", bool(row[column] >= least)
            low = row.get("lo" if column == "value" else f"{column}_lo", least)  # of the bound itself there is none
            if passes and low < least:
                finding += f"; its interval begins at {_format_statistic(low)}, by which --at lower judges"
            gates.append(Gate(f"--fail-under {name}={limit:g}", finding, passes))
    return gates


def margins_of(limits: Limits, allowed: float) -> dict[str, float]:
    """Return the margin of each metric, the smallest where it has several; UsageError for one below 0.

    allowed: the share of `gates_of_margins`. UsageError if it is above 0 and there are no limits.
    """
    if allowed:
        require_gate("--allow-missing", "fail_if_worse", limits)
    for name, margin in limits:
        if margin < 0:
            raise click.UsageError(
                f"--fail-if-worse {name}={margin:g} is below 0; give how much worse is still as good, as {name}=0.02"
            )
    return {name: min(margin for other, margin in limits if other == name) for name, _ in limits}


Scored: TypeAlias = Mapping[str, Mapping[Any, frozenset[Any]]]
"""By metric and group, the questions of which it has a score."""


def scored_questions(frame: pd.DataFrame, keys: list[str], question: list[str], columns: Mapping[str, str]) -> Scored:
    """Return the questions that each group has scores of. columns: by metric, the column of its scores."""
    groups = [*frame.groupby(keys if len(keys) > 1 else keys[0], observed=True)]
    return {
        metric: {
            group: frozenset(rows.loc[rows[column].notna(), question].itertuples(index=False, name=None))
            for group, rows in groups
        }
        for metric, column in columns.items()
        if column in frame
    }


def gates_of_margins(
    compared: pd.DataFrame,
    margins: Mapping[str, float],
    ci: float,
    scored: Scored = MappingProxyType({}),
    *,
    allowed: float,
    old: tuple[Any, ...] = (),
) -> list[Gate]:
    """Return a gate for each comparison: whether the group is not worse than the baseline by the metric's margin.

    A test that is not defined does not pass. Raise PairingError if two groups have no question in common, as then there
    is nothing to judge.

    Parameters
    ----------
    compared
        A comparison with these margins, with the new group as `a` and the baseline as `b`.
    margins
        The margin by metric. Other metrics have no gate.
    ci
        The level of the comparison's intervals.
    scored
        The scored questions of all groups, by metric; a pooled figure may have none.
    allowed
        The share of the old run's scored questions that the new one may have no score of.
    old
        What ends the names of the old run's groups, where runs are compared inside the values of a column.
    """
    empty = compared[compared["n"] + compared["n_not_scored"] == 0]
    if margins and len(empty):
        sides = " against ".join(_group(empty[side].iloc[0]) for side in ("a", "b"))
        raise qa_frame.errors.PairingError(
            f"--fail-if-worse cannot judge {sides}, as they have no question in common; give files with "
            "the same questions, or name the column that tells questions apart with --question"
        )
    gates = []
    for row in compared[compared["metric"].isin(margins)].to_dict("records"):
        margin = margins[row["metric"]]
        judged, passes = _judge(row, margin, ci)
        findings = [f"{_describe_difference(row)}; {judged}"]
        share, lacks = _share_without_score(row, scored.get(row["metric"], {}))
        if share > allowed:
            findings += [lacks, f"add the others, or give --allow-missing {math.ceil(100 * share) / 100:g}"]
        caveat = lacks if 0 < share <= allowed else ""
        limit = f"--fail-if-worse {row['metric']}={margin:g}"
        gates.append(Gate(limit, "; ".join(findings), passes and share <= allowed, caveat))
    for metric, by_group in scored.items():
        of_metric = compared[compared["metric"] == metric]
        alone = [group for group in by_group if old and group[-len(old) :] == old and group not in {*of_metric["b"]}]
        for group in alone:
            finding = f"{_group(group)} is compared with nothing, as no new run has rows there"
            gates.append(Gate(f"--fail-if-worse {metric}={margins[metric]:g}", finding, allowed == 1))
    return gates


def _describe_difference(row: Mapping[Any, Any]) -> str:
    """Return words such as "f1 of new is 0.13 higher than that of old on 115 questions"."""
    new, old, diff = _group(row["a"]), _group(row["b"]), row["diff"]
    if math.isnan(diff):
        return f"the difference in {row['metric']} of {new} and {old} is not defined"
    apart = f"{abs(diff):.4g} {_way(diff)} than" if diff else "the same as"
    return f"{row['metric']} of {new} is {apart} that of {old} on {plural(int(row['n']), 'question')}"


def _judge(row: Mapping[Any, Any], margin: float, ci: float) -> tuple[str, bool]:
    """Return in words what the comparison of new, `a`, with old shows, and whether new is not worse by the margin."""
    if row["diff"] == 0 and row["n"] and not pd.isna(row["ties"]) and row["ties"] == row["n"]:
        same = "the two have the same score on each of these questions"
        if math.isnan(row["tost_lo"]):
            return f"{same}, which does not show that they are equal", True
        return f"{same}; on others, {_describe_bound(row['tost_lo'], ci)}", True
    loss = f"that it is lower by {margin:g} or more" if margin else "that it is the same or lower"
    if math.isnan(row["p_noninferior"]):
        return f"these questions do not allow a test, and so cannot exclude {loss}", False
    passes = bool(row["p_noninferior"] < round(1 - ci, 12))
    judged = f"the test {'excludes' if passes else 'does not exclude'} {loss}"
    if not math.isnan(row["tost_lo"]):
        judged += f": {_describe_bound(row['tost_lo'], ci)}"
    if row["verdict"] == "undecided" and not pd.isna(row["mdd"]):
        judged += f"; so many questions find a difference of {row['mdd']:.4g} in about 80 of 100 evaluations"
    return judged, passes


def _describe_bound(bound: float, ci: float) -> str:
    """Return words such as "with one-sided 95 % confidence, it is at most 0.012 lower"."""
    least = "least" if bound > 0 else "most"
    return f"with one-sided {100 * ci:g} % confidence, it is at {least} {abs(bound):.4g} {_way(bound)}"


def _way(difference: float) -> str:
    return "higher" if difference > 0 else "lower"


def _share_without_score(row: Mapping[Any, Any], scored: Mapping[Any, frozenset[Any]]) -> tuple[float, str]:
    """Return the share of the old run's questions that the new run, `a`, has no score of, and a sentence about it.

    scored: the scored questions by group. Where they are not known, all questions with an answer count.
    """
    n_old, n_lacking = row["n"] + row["n_not_scored"] + row["n_only_b"], row["n_only_b"]
    if row["b"] in scored:
        n_old, n_lacking = len(scored[row["b"]]), len(scored[row["b"]] - scored.get(row["a"], frozenset()))
    new, old = _group(row["a"]), _group(row["b"])
    return n_lacking / max(n_old, 1), (
        f"{new} has no scored answer to {n_lacking:,} of the {plural(n_old, 'question')} of {old}: --fail-if-worse "
        f"judges the {n_old - n_lacking:,} that both answered"
    )


def _group(values: Any) -> str:
    return ", ".join(map(str, values)) if isinstance(values, tuple) else str(values)


def _format_statistic(figure: float) -> str:
    return "not defined" if math.isnan(figure) else f"{figure:.6g}"


def _find_statistic(table: pd.DataFrame, name: str, at: str) -> tuple[str, pd.DataFrame]:
    """Return the name of the column with a statistic or its lower bound, and the rows of the summary that have it.

    In a long summary, these are the metric's rows. Raise UsageError if the summary lacks the statistic or its bound.
    """
    is_long = {"metric", "value"} <= set(table.columns)
    column, bound = ("value", "lo") if is_long else (name, f"{name}_lo")
    floats = [str(each) for each in table if pd.api.types.is_float_dtype(table[each])]  # counts are whole
    names = sorted(set(table["metric"])) if is_long else floats
    if name not in names:
        raise _error_of_statistic(name, names)
    if at == "lower" and bound not in table:
        raise click.UsageError(f"--at lower needs bounds, and {name} has none; leave --at out, or limit another figure")
    return bound if at == "lower" else column, table[table["metric"] == name] if is_long else table
