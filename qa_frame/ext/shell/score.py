"""`qa-frame score`: Score the rows of files and write them with their scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pandas as pd

import qa_frame
from qa_frame.errors import hearing_warnings
from qa_frame.ext.files.formats import COMPRESSIONS
from qa_frame.ext.shell import exits, files, inputs, options, tables
from qa_frame.ext.shell.files import OutputPath, name_of


@click.command(cls=options.Command, epilog=options.EPILOG)
@click.option(
    "-o",
    "--output",
    required=True,
    type=OutputPath(),
    help="File to write: .parquet, .jsonl or .csv; or a folder.",
)
@options.options_of(qa_frame.score_files, without=["source", "destination"])
@options.options_of(qa_frame.score, only=inputs.SCORING)
@inputs.takes_rows(without=["pred", "gold"])
@tables.format_options
def command(rows: inputs.InputFiles, *, output: str, shape: str | None = None, **settings: Any) -> None:
    """Score each row and write all rows with their scores.

    Prints a table of the written files: n rows, n_missing null predictions, n_no_gold rows that cannot be scored. Where
    --pred and --gold name the columns and -o is a folder or has the ending of the one file, the file keeps all that it
    holds, and a call that was stopped goes on where it was. Else all rows go into one file, as `qa-frame convert` reads
    them.
    """

    def stream() -> pd.DataFrame:
        return qa_frame.score_files(rows.source, output, **rows.settings, **settings)

    def read_first() -> pd.DataFrame:
        return _score_frame(rows, output, **settings)

    is_folder = Path(output).suffix.lower() not in {*files.FORMATS_OF_ROWS, *COMPRESSIONS}
    endings, folder = ", ".join(files.FORMATS_OF_ROWS), Path(output)
    if is_folder and (output == "-" or (folder.exists() and not folder.is_dir())):
        raise click.UsageError(f"-o {output} tells no format to write; give a file that ends in one of {endings}")
    if is_folder and rows.settings.keys() != {"pred", "gold"}:
        if folder.suffix and not folder.is_dir():
            files.check_rows_destination(output, rows.paths, overwrite=True)  # it says which endings can be written
        raise click.UsageError(
            f"-o {output} has no ending of a file, so it names a folder; files are written into it one by one where "
            "--pred and --gold name their columns, and no other option of reading is given, else all rows into one "
            f"file ({endings})"
        )
    if is_folder:
        try:
            report = stream()
        except (qa_frame.errors.ColumnTypeError, qa_frame.errors.GoldFormatError) as error:
            raise click.UsageError(f"{error}. Or write all rows into one file, such as -o scored.parquet") from error
    elif _joins_or_converts(rows.paths, output):
        report = read_first()
    else:
        report = rows.stream_or_read(stream, read_first)
    tables.Output(shape).show(report, common=["destination", "status"])


def _joins_or_converts(paths: tuple[str, ...], output: str) -> bool:
    """Return whether `output` is one file of rows that joins several sources, changes their format, or is CSV."""
    endings = files.FORMATS_OF_ROWS
    own = [endings.get(Path(path).suffix.lower()) for path in paths]
    wanted = endings.get(Path(output).suffix.lower())
    is_one = len(paths) == 1 and Path(paths[0]).is_file()
    return wanted is not None and (not is_one or own != [wanted] or wanted == "csv")


def _score_frame(
    rows: inputs.InputFiles, output: str, *, append: bool = True, overwrite: bool = False, **scoring: Any
) -> pd.DataFrame:
    """Read all rows, score them, and write them into one file. Return one row per source, with its counts.

    scoring: the arguments of `qa_frame.score`.
    """
    files.check_rows_destination(output, rows.paths, overwrite=overwrite)
    frame = rows.read(output)
    with hearing_warnings() as of_rows:
        scored = qa_frame.score(frame, **inputs.COLUMNS, **scoring)
    with exits.warning_once(of_rows):
        counted = qa_frame.summary(scored, "file" if "file" in frame else None, prefix=scoring.get("prefix", ""))
    new = list(qa_frame.score(frame.iloc[:0], **inputs.COLUMNS, **scoring, append=False))
    files.write_frame(scored if append else scored[new], output)
    report = pd.DataFrame({"source": counted.index if "file" in frame else list(map(name_of, rows.paths))})
    counts = [name for name in map(str, counted) if name.startswith("n_")]
    return report.assign(
        destination=name_of(output), status="written", **{name: counted[name].to_numpy() for name in counts}
    )
