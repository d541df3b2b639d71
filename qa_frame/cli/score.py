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
@options.files
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    help="The file to write: .parquet, .jsonl or .csv. For files that are read piece by piece also a folder.",
)
@options.options_of(qa_frame.score_files, without=["source", "destination"])
@options.reading(without=["pred", "gold"])
@tables.format_options
def command(paths: tuple[str, ...], output: str, shape: str | None, **settings: Any) -> None:
    """Score each row and write all rows with their scores.

    Prints what was written: n rows, n_missing null predictions, n_no_gold rows that cannot be scored. Where --pred and
    --gold name the columns and -o is a folder or has the ending of the one file, the file keeps all that it holds, and
    a call that was stopped goes on where it was. Else all rows go into one file, as `qa-frame convert` reads them.
    """
    reading, scoring = options.split(options.given(settings), inputs.READING)
    source = paths[0] if len(paths) == 1 else list(paths)

    def stream() -> pd.DataFrame:
        return qa_frame.score_files(source, output, **reading, **scoring)

    def read_first() -> pd.DataFrame:
        return _score_frame(paths, output, reading, scoring)

    is_folder = _ending(output) not in {*frames.FORMATS, ".gz", ".zst"}
    if is_folder and reading.keys() != {"pred", "gold"}:
        endings = ", ".join(frames.FORMATS)
        raise click.UsageError(
            f"-o {output} is a folder; files are written one by one where --pred and --gold name their columns, and no "
            f"other option of reading is given, else all rows into one file ({endings})"
        )
    if is_folder:
        report = stream()
    elif _is_rows_of_another_format(paths, output):
        report = read_first()
    else:
        report = inputs.stream_or_read(paths, reading, stream, read_first)
    tables.show(report, shape, common=["destination", "status"])


def _is_rows_of_another_format(paths: tuple[str, ...], output: str) -> bool:
    """Whether all rows go into one file, which is not written as its source is."""
    endings = frames.FORMATS
    own = [endings.get(_ending(path)) for path in paths]
    wanted = endings.get(_ending(output))
    is_one = len(paths) == 1 and Path(paths[0]).is_file()
    return wanted is not None and (not is_one or own != [wanted] or wanted == "csv")


def _ending(path: str) -> str:
    return path[path.rfind(".") :].lower() if "." in path else ""


def _score_frame(
    paths: tuple[str, ...], output: str, reading: dict[str, Any], settings: dict[str, Any]
) -> pd.DataFrame:
    """Read all rows, score them, and write them into one file. Returns what was written, one row a source."""
    scoring = {name: value for name, value in settings.items() if name not in {"append", "overwrite"}}
    frames.check_destination(output, paths, overwrite=settings.get("overwrite", False))
    frame = inputs.read(paths, reading, output)
    scored = qa_frame.score(frame, **inputs.COLUMNS, **scoring)
    counted = qa_frame.summary(scored, "file" if "file" in frame else None, prefix=scoring.get("prefix", ""))
    new = list(qa_frame.score(frame.iloc[:0], **inputs.COLUMNS, **scoring, append=False))
    frames.write_frame(scored if settings.get("append", True) else scored[new], output)
    report = pd.DataFrame({"source": counted.index if "file" in frame else list(map(name_of, paths))})
    counts = [name for name in map(str, counted) if name == "n" or (name.startswith("n_") and name != "n_scored")]
    return report.assign(
        destination=name_of(output), status="written", **{name: counted[name].to_numpy() for name in counts}
    )
