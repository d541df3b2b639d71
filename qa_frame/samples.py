"""Made-up results to try things on."""

from __future__ import annotations

from importlib import resources

import pandas as pd


def sample() -> pd.DataFrame:
    """360 made-up results of three fictional models on two datasets of 60 questions each; the facts are true.

    Columns `question_id`, `model`, `dataset`, `question`, `response` (text, some empty, some null), `answers` (lists
    of text; three empty and two null for each model) and `human`: whether a fair human grader would call the response
    right, nullable boolean, null where there is no response to judge or nothing to judge it by (null answers). These
    verdicts were written for the sample, one by one, as the responses were; they were not gathered from annotators.

    >>> import qa_frame
    >>> qa_frame.sample().groupby(["dataset", "model"]).size().unstack()
    model    heron-7b  lynx-70b  otter-chat
    dataset
    explain        60        60          60
    facts          60        60          60

    The share of right responses:

    >>> qa_frame.sample().groupby("model")["human"].mean().round(3)
    model
    heron-7b      0.167
    lynx-70b      0.991
    otter-chat    0.966
    Name: human, dtype: Float64
    """
    import pyarrow.parquet as pq  # noqa: PLC0415  (costs more to import than this whole package)

    with (resources.files("qa_frame") / "data" / "sample.parquet").open("rb") as file:
        frame: pd.DataFrame = pq.read_table(file).to_pandas()
    return frame.astype({"human": "boolean"})
