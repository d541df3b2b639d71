"""`qa-frame conventions`: List the conventions: whose rules the metrics follow."""

from __future__ import annotations

import click
import pandas as pd

import qa_frame
from qa_frame.errors import hearing_warnings
from qa_frame.ext.shell import tables
from qa_frame.ext.shell.exits import warning_once
from qa_frame.ext.shell.files import print_text
from qa_frame.terminal import text_width, wrap


@click.command()
@click.argument("name", required=False)
@tables.takes_output
def command(name: str | None, table: tables.Output) -> None:
    """List the conventions, or show one: what it follows, its metrics and its signature.

    The signature names every setting that is not at its default, so that a paper can cite it.
    """
    if table.in_summary_of_step:
        raise click.UsageError("--step-summary is of no use with conventions; leave it out")
    if name is None and table.is_for_people:
        print_text(str(qa_frame.conventions))
        return
    rows = [_row(qa_frame.conventions[each]) for each in ([*qa_frame.conventions] if name is None else [name])]
    if not table.is_for_people:
        table.show(pd.DataFrame(rows))
        return
    lines = [rows[0].pop("name")]
    for title, text in rows[0].items():
        first = f"  {title:10}"
        for part in text.replace("|", "|\n").splitlines():  # each part of a signature has its own line
            lines += wrap(part, first, _INDENT)
            first = _INDENT
    print_text("\n".join(lines))


def _row(convention: qa_frame.Convention) -> dict[str, str]:
    row = {name: getattr(convention, name) for name in ("name", "follows", "metrics", "differs", "signature")}
    return row | {"metrics": " ".join(convention.metrics or ())}


_INDENT = " " * 12


# --- `qa-frame demo`


@click.command()
def demo() -> None:
    """Score the sample that comes with the package and show its summary by model, below the code that makes it."""
    frame = qa_frame.sample()
    with hearing_warnings() as of_rows:
        scored = qa_frame.score(frame, pred="response", gold="answers", metrics=["em", "f1", "recall"])
    with warning_once(of_rows):
        means = qa_frame.summary(scored, by="model", percent=True).round(1)
    with pd.option_context("display.width", text_width(), "display.max_columns", 20):
        print_text(f"df = qa_frame.sample()  # {len(frame)} rows")
        print_text('metrics = ["em", "f1", "recall"]')
        print_text('scored = df.qa.score(pred="response", gold="answers", metrics=metrics)')
        print_text('scored.qa.summary(by="model", percent=True).round(1)\n')
        print_text(str(means))
