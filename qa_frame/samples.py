"""Made-up results to try things on."""

from __future__ import annotations

from importlib import resources

import pandas as pd


def sample() -> pd.DataFrame:
    """360 made-up results of three fictional models on two datasets of 60 questions each; the facts are true.

    Columns `question_id`, `model`, `dataset`, `question`, `response` (text, some empty, some null) and `answers`
    (lists of text; three empty and two null for each model).

    >>> import qa_frame
    >>> qa_frame.sample().groupby(["dataset", "model"]).size().unstack()
    model    heron-7b  lynx-70b  otter-chat
    dataset
    explain        60        60          60
    facts          60        60          60
    """
    import pyarrow.parquet as pq  # noqa: PLC0415  (costs more to import than this whole package)

    with (resources.files("qa_frame") / "data" / "sample.parquet").open("rb") as file:
        frame: pd.DataFrame = pq.read_table(file).to_pandas()
    return frame
