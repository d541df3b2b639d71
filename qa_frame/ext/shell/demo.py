"""`qa-frame demo`: Score the sample that comes with the package and show its summary."""

from __future__ import annotations

import click
import pandas as pd

import qa_frame
from qa_frame.errors import hearing_warnings
from qa_frame.ext.shell.exits import warning_once
from qa_frame.ext.shell.files import print_text
from qa_frame.terminal import text_width


@click.command()
def command() -> None:
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
