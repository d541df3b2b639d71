"""`qa-frame summary`: files → the mean of each metric by group."""

from __future__ import annotations

from typing import Any

import click

import qa_frame
from qa_frame.cli import exits, inputs, options, tables, thresholds

_READ_WHOLE = "these files are read as a whole; give --pred and --gold to read Parquet and JSON Lines piece by piece"


@click.command(epilog=options.EPILOG)
@options.files
@options.options_of(qa_frame.summary_files, without=["source"])
@options.reading(without=["pred", "gold"])
@click.option("--scored", is_flag=True, help="Use the score columns that the files have, instead of scoring the rows.")
@click.option(
    "--fail-under",
    type=thresholds.Limit(),
    multiple=True,
    help="End with status 1 if this figure of any group is below the number, as f1=0.6, or not defined. The number is "
    "in the units that are shown: f1=60 with --percent. Repeatable.",
)
@tables.format_options
@tables.output_options
def command(
    *,
    paths: tuple[str, ...],
    scored: bool,
    fail_under: thresholds.Limits,
    shape: str | None,
    output: str | None,
    overwrite: bool,
    **settings: Any,
) -> int:
    """Show the mean of each metric over the rows of files, by group.

    Rows are scored first. n counts rows, n_scored those with a score, n_missing null predictions, n_no_gold rows that
    cannot be scored.
    """
    tables.check_output(output, shape, paths, overwrite=overwrite)
    reading, summing = options.split(options.given(settings), inputs.READING)
    if scored and {"pred", "gold", "sep"} & reading.keys():
        raise click.UsageError(
            "--scored takes the scores as they are, and --pred, --gold and --sep score again; give one"
        )

    def stream() -> Any:
        return qa_frame.summary_files(list(paths), **_columns(reading), **summing)

    def read_first() -> Any:
        unused, one_process = options.split(summing, ["n_jobs", "progress"])
        if unused:
            names = " and ".join(f"--{name.replace('_', '-')}" for name in sorted(unused))
            exits.say(f"{names} had no effect: {_READ_WHOLE}")
        columns: dict[str, Any] = {} if scored else inputs.COLUMNS
        return qa_frame.summary(inputs.read(paths, reading, output), **columns, **one_process)

    table = inputs.stream_or_read(paths, reading, stream, read_first, scored=scored)
    keys = [name for name in table.index.names if name is not None]
    table = table.reset_index() if keys else table
    if "long" in summing:
        keys = list(table.columns[: list(table.columns).index("metric")])
    tables.show(table, shape, output)
    return thresholds.check_lowest(table, fail_under, keys)


def _columns(reading: dict[str, Any]) -> dict[str, Any]:
    return {name: reading[name] for name in ("pred", "gold", "max_record_bytes") if name in reading}
