"""`qa-frame score`: files → their rows with scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pandas as pd

import qa_frame
from qa_frame.cli import frames, inputs, options, tables
from qa_frame.cli.files import name_of


@click.command(epilog=options.EPILOG)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    help="The file to write: .parquet, .jsonl or .csv; or a folder, into which files are written piece by piece.",
)
@options.options_of(qa_frame.score_files, without=["source", "destination"])
@options.options_of(qa_frame.score, only=inputs.SCORING)
@inputs.takes_rows(without=["pred", "gold"])
@tables.format_options
def command(rows: inputs.Rows, *, output: str, shape: str | None = None, **settings: Any) -> None:
    """Score each row and write all rows with their scores.

    Prints a table of the written files: n rows, n_missing null predictions, n_no_gold rows that cannot be scored.
    Where -o is a file, all rows go into it, as `qa-frame convert` reads them. Where it is a folder, and --pred and
    --gold name the columns, each file of Parquet or JSON Lines is written there with all that it holds, and a call that
    was stopped goes on where it was.
    """
    folder = Path(output)
    if folder.suffix.lower() in frames.FORMATS:
        report = _score_frame(rows, output, **settings)
    elif rows.settings.keys() == {"pred", "gold"} and (folder.is_dir() or not (folder.exists() or folder.suffix)):
        try:
            report = qa_frame.score_files(rows.source, output, **rows.settings, **settings)
        except (qa_frame.errors.ColumnTypeError, qa_frame.errors.GoldFormatError) as error:
            raise click.UsageError(f"{error}. Or write all rows into one file, such as -o scored.parquet") from error
    else:
        raise click.UsageError(
            f"-o {output} ends in none of {', '.join(frames.FORMATS)}, so it would be a folder; files are written into "
            "one where --pred and --gold name their columns, and no other option of reading is given"
        )
    tables.Output(shape).show(report, common=["destination", "status"])


def _score_frame(
    rows: inputs.Rows, output: str, *, append: bool = True, overwrite: bool = False, **scoring: Any
) -> pd.DataFrame:
    """Read all rows, score them, and write them into one file. Return one row per source, with its counts."""
    frames.check_destination(output, rows.paths, overwrite=overwrite)
    frame = rows.read(output)
    scored = qa_frame.score(frame, **inputs.COLUMNS, **scoring)
    counted = qa_frame.summary(scored, "file" if "file" in frame else None, prefix=scoring.get("prefix", ""))
    new = list(qa_frame.score(frame.iloc[:0], **inputs.COLUMNS, **scoring, append=False))
    frames.write_frame(scored if append else scored[new], output)
    report = pd.DataFrame({"source": counted.index if "file" in frame else list(map(name_of, rows.paths))})
    counts = [name for name in map(str, counted) if name == "n" or (name.startswith("n_") and name != "n_scored")]
    return report.assign(
        destination=name_of(output), status="written", **{name: counted[name].to_numpy() for name in counts}
    )
