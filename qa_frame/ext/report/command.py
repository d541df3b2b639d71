"""`qa-frame report`: Write one HTML file that shows which model is better, by how much, and on which rows."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import click

import qa_frame
from qa_frame.errors import plural
from qa_frame.ext.report.report import is_report
from qa_frame.ext.shell import inputs, options
from qa_frame.ext.shell.files import OutputPath, check_destination, format_of, is_stdout, name_of, print_text


@click.command(cls=options.Command, epilog=options.EPILOG)
@click.option("-o", "--output", required=True, type=OutputPath(), help="HTML file to write.")
@options.options_of(qa_frame.report, without=["data", "path"])
@inputs.takes_rows()
@inputs.takes_scoring
def command(
    rows: inputs.InputFiles, *, output: str, scored: bool, overwrite: bool | None = None, **settings: Any
) -> None:
    """Write one HTML file: leaderboard, pictures, paired differences, what may mislead, and the rows themselves.

    The file needs no network and opens in any browser. Without --by the groups are the models, or else the files.
    Without --question, questions are paired by question_id, or else by question, inside each dataset. It needs the
    extra report: pip install "qa-frame[report]".
    """
    if Path(output).suffix:
        format_of(output, {".html": "html", ".htm": "html"})
    check_destination(output, rows.paths, overwrite=bool(overwrite) or is_report(Path(output)))
    frame = inputs.with_short_names(rows.read(output))
    takes_usual_groups, takes_usual_questions = "by" not in settings, "question" not in settings
    by, question = inputs.take_keys(frame, settings)
    if takes_usual_groups:
        by = inputs.add_filter_to_groups(frame, by, inputs.listed(settings.get("within", [])))
    if takes_usual_questions:
        *datasets, question = question
        settings.setdefault("within", datasets or None)
    write = functools.partial(qa_frame.report, path=output, by=by, question=question, overwrite=True)
    rows.tabulate(frame, settings, write, scored=scored)
    if not is_stdout(output):
        print_text(f"{plural(len(frame), 'row')} written to {name_of(output)}")
