"""The sample: made-up results to try things on."""

from __future__ import annotations

from importlib import resources

import pandas as pd

from qa_frame.errors import SampleError


def sample() -> pd.DataFrame:
    """Made-up results to try things on: three fictional models answer 60 questions from each of two datasets.

    The questions and their answers are true facts. The responses and the verdicts were written for the sample, one by
    one; they come neither from real models nor from annotators.

    Returns
    -------
    pandas.DataFrame, 360 rows
        A new frame at each call, with these columns:

        - `question_id`, `model`, `dataset`, `question`: text.
        - `response`: text; some are empty, some are null, which is NaN here: `.fillna("")` makes them empty, too.
        - `answers`: lists of text. For each model three lists are empty, two are null, and one holds a null; these
          nulls are None.
        - `human`: whether a fair person would call the response right, nullable boolean. Null where the response or
          the answers are null.

    Raises
    ------
    SampleError
        Where the file in the package is damaged or gone.

    Examples
    --------
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
    import pyarrow.parquet as pq  # noqa: PLC0415  (slow to import)

    try:
        with (resources.files("qa_frame") / "data" / "sample.parquet").open("rb") as file:
            frame: pd.DataFrame = pq.read_table(file).to_pandas()
        frame["answers"] = frame["answers"].map(list, na_action="ignore")  # Arrow gives arrays
        return frame.astype({"human": "boolean"})
    except Exception as error:  # what Arrow raises depends on what is broken
        finding = f"sample: the file in the package cannot be read ({error})"
        remedy = "install the package again, from where it was: in its clone, pip install --force-reinstall --no-deps ."
        raise SampleError.of("", finding, remedy) from error
