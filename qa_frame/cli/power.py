"""`qa-frame power`: how many questions the next evaluation needs, perhaps from the files of a pilot."""

from __future__ import annotations

from typing import Any

import click

import qa_frame
from qa_frame.cli import inputs, options, tables


@click.command(epilog=options.EPILOG)
@options.options_of(qa_frame.power, without=["pilot"])
@inputs.takes_rows(required=False)
@inputs.takes_scoring
@tables.takes_output
def command(rows: inputs.Rows, table: tables.Output, *, scored: bool, **settings: Any) -> None:
    """Tell how many questions a comparison needs, which difference n questions detect, or with what power.

    Give two of --difference, --n and --power (0.8 by default). How much scores vary is said by --sd, by --win-rate and
    --loss-rate, or by FILES: a pilot of two models or more, which is scored. Without --by and --question, models and
    questions are found as by compare. Without --metric it is f1, or with --scored the files' only score.
    """
    pilot = None
    if rows.paths:
        frame = inputs.with_short_names(rows.read(table.path))
        finds_groups = "by" not in settings
        by, question = inputs.take_keys(frame, settings)
        by = inputs.with_filters(frame, by, []) if finds_groups else by
        pilot, settings = rows.scored(frame, ({} if scored else {"metric": "f1"}) | settings, scored=scored)
        settings |= {"by": by, "question": question}
    elif unused := [*["scored"] * scored, *options.split(settings, inputs.SCORING)[0]]:
        raise click.UsageError(f"--{unused[0].replace('_', '-')} is of use with FILES; give some, or leave it out")
    table.show(qa_frame.power(pilot, **settings), common=["metric", "n_samples", "ci", "unit"])
