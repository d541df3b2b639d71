"""`qa-frame human-mean`: files with people's verdicts on a few rows → the mean verdict over all."""

from __future__ import annotations

from typing import Any

import pandas as pd

import qa_frame
from qa_frame.cli import inputs, tables


@inputs.command_on_scores(qa_frame.human_mean, {"metric": "f1"})
def command(frame: pd.DataFrame, table: tables.Output, **asked: Any) -> None:
    """Show how many answers people would find right, from their verdicts on a few rows and the scores of all.

    human_mean is the estimate, labels_alone the mean of the verdicts that are there. The rows with a verdict must be
    drawn at random.
    """
    means = qa_frame.human_mean(frame, **asked)
    table.show(means.reset_index() if "by" in asked else means, common=["n", "n_not_used"])
