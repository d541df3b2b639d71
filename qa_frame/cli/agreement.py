"""`qa-frame agreement`: files with people's verdicts → how well each metric agrees with them."""

from __future__ import annotations

from typing import Any

import pandas as pd

import qa_frame
from qa_frame.cli import inputs, tables


@inputs.command_on_scores(qa_frame.agreement)
def command(frame: pd.DataFrame, table: tables.Output, **asked: Any) -> None:
    """Show how well each metric agrees with people's verdicts on the same rows.

    auc is how often a right answer scores higher than a wrong one. The threshold is the one that agrees best; kappa and
    accuracy are of rows that it was not chosen on. This needs scipy: pip install "qa-frame[stats]".
    """
    table.show(qa_frame.agreement(frame, **asked).reset_index(), common=["n", "n_not_used"])
