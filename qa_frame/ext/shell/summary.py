"""`qa-frame summary`: Show the mean of each metric, by group, with intervals."""

from __future__ import annotations

import inspect
from typing import Any, Literal

import click

import qa_frame
from qa_frame.ext.shell import exits, inputs, options, tables, thresholds
from qa_frame.parallel.jobs import count_all_jobs
from qa_frame.tables.options import TableArguments
from qa_frame.tables.summary import plan_summary

_READ_WHOLE = "these files are read as a whole; give --pred and --gold to read Parquet and JSON Lines in chunks"


@click.command(cls=options.Command, epilog=options.EPILOG)
@options.options_of(qa_frame.summary_files, without=["source", "as_pool"])
@inputs.takes_rows(without=["pred", "gold"])
@inputs.takes_scoring
@options.options_of(qa_frame.summary, without=["data", "majority"])
@thresholds.limit_option(
    "--fail-under",
    "Fail if this figure of any group is lower, as f1=0.6; f1=60 with --percent. Repeatable.",
)
@click.option(
    "--at",
    type=click.Choice(["value", "lower"]),
    default="value",
    help="Whether --fail-under looks at the figure or its lower bound.",
)
@tables.takes_output
def command(
    rows: inputs.InputFiles,
    table: tables.Output,
    *,
    scored: bool,
    fail_under: thresholds.Limits,
    at: str,
    **settings: Any,
) -> int:
    """Show the mean of each metric over the rows of files, by group.

    Rows are scored first. n counts rows with a score, n_rows all rows, n_missing null predictions, n_no_gold rows that
    cannot be scored.
    """
    if at == "lower":
        thresholds.require_gate("--at lower", "fail_under", fail_under)
        if settings.get("ci") is None:
            raise click.UsageError("--at lower needs the bounds of intervals; give --ci 0.95, too")
    if scored:
        inputs.refuse_scoring_options([*rows.settings.keys() & {"pred", "gold", "sep"}])
    elif "metrics" not in settings:  # figures of all rows together are shown where they are asked for
        kinds = thresholds.kinds_of_statistics(settings)
        settings["metrics"] = [name for name, kind in kinds.items() if kind != "pooled" or name in dict(fail_under)]
    thresholds.check_limits(fail_under, settings, scored=scored)
    plan_summary(**options.split(settings, inspect.signature(qa_frame.summary).parameters)[0])  # it raises the errors

    def stream() -> Any:
        of_table, others = options.split(settings, TableArguments.__annotations__)
        others.pop("prefix", None)  # that of scores in files, where there is one, is for `read_first`
        draws_rows = of_table.get("method") == "bootstrap" and not {"cluster", "question"} & others.keys()
        kept: Literal["sums", "rows"] = "rows" if draws_rows else "sums"
        pool = qa_frame.summary_files(list(rows.paths), as_pool=kept, **rows.settings, **others)
        return pool.summary(**of_table)

    def read_first() -> Any:
        unused, others = options.split(settings, ["n_jobs", "progress"])
        if unused:
            count_all_jobs(settings.get("n_jobs"))
            names = " and ".join(f"--{name.replace('_', '-')}" for name in sorted(unused))
            exits.say(f"{names} had no effect: {_READ_WHOLE}")
        return rows.tabulate(rows.read(table.path), others, qa_frame.summary, scored=scored)

    summary = rows.stream_or_read(stream, read_first, scored=scored and "prefix" not in settings)
    keys = [name for name in summary.index.names if name is not None]
    summary = summary.reset_index() if keys else summary
    if settings.get("long"):
        keys = list(summary.columns[: list(summary.columns).index("metric")])
    gates = thresholds.gates_of_limits(summary, fail_under, keys, at, percent=settings.get("percent", False))
    brief = [*keys, "n", *dict(fail_under)] if fail_under and not settings.get("long") else ()
    table.show(summary, common=["n", "n_rows", "n_missing", "n_no_gold"], gates=gates, brief=brief)
    return thresholds.report_gates(gates)
