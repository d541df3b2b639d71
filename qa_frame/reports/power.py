"""A design → the table of how many questions are needed, or of what they find."""

from __future__ import annotations

import pandas as pd

from qa_frame.frames.provenance import describe_table
from qa_frame.reports.designs import Designs, StatedSpread
from qa_frame.reports.result_tables import PLANNED_FIGURES


def plan_design(designs: Designs, spread: StatedSpread) -> pd.DataFrame:
    """Return one row per design.

    Scores whose differences have a standard deviation above 1 have another range than 0 to 1.
    """
    if spread.sd <= 1:
        designs.require_in_range()
    if spread.is_binary:
        designs = designs.of_binary_scores()
    sds = {samples: spread.of(samples) for samples in designs.samples}
    table = pd.DataFrame([row | {"sd": sds[k], "n_samples": k} for k in sds for row in designs.rows(sds[k], k)])
    table = table.astype({"n": "Int64"})
    table = table.assign(**designs.told, n_samples=table.pop("n_samples"), ci=designs.ci, unit="questions")
    settings = {"sign_test": designs.test.is_sign_test}
    table.attrs |= describe_table(
        "power", keys=[], figures=PLANNED_FIGURES, metrics={}, level=designs.ci, settings=settings
    )
    return table
