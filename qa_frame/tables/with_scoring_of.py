"""`qa_frame.with_scoring_of`: a frame that has forgotten how its scores were made → the same, which knows it again."""

from __future__ import annotations

from typing import Any

from qa_frame._typing import Frame
from qa_frame.errors import QaFrameError, UnknownOptionError
from qa_frame.frames.source import read_source
from qa_frame.tables.methods import says_what_fits


@says_what_fits
def with_scoring_of(data: Frame, scored: Any) -> Frame:
    """Return the frame with what another one remembers of its scoring: the columns, and the rules.

    `df.qa.with_scoring_of(...)` is `qa_frame.with_scoring_of(df, ...)`. It is for frames that have forgotten
    it: those of pandas after `merge` or `join`, those of polars after any step, and files that keep no metadata.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics="f1")
    >>> sizes = pd.DataFrame({"model": ["heron-7b", "lynx-70b", "otter-chat"], "size": [7, 70, 13]})
    >>> merged = scored.merge(sizes, on="model")
    >>> merged.qa.summary(by="size")["n_missing"].tolist()
    [<NA>, <NA>, <NA>]
    >>> merged.qa.with_scoring_of(scored).qa.summary(by="size")["n_missing"].tolist()
    [4, 2, 2]

    Parameters
    ----------
    data
        A frame that has score columns of `scored`.
    scored
        The frame that it was made from, which `score` returned.

    Returns
    -------
    frame
        A new frame with the rows of `data`. It is on the caller that its scores are those of `scored`: `explain` says
        where a score is not that of its texts.

    Raises
    ------
    UnknownOptionError
        Where `scored` remembers nothing of the columns of `data`, or where the column `qa_rules` of `data` says that
        their scores were made by other rules, or by several.
    """
    source = read_source(data)
    try:
        other = read_source(scored)
    except QaFrameError as error:
        raise type(error)(f"scored: {error}") from error
    made: Frame | None = source.with_scoring_of(other)
    if made is None:
        raise UnknownOptionError(
            f"scored remembers no scoring of the columns {source.names}; give the frame that score returned"
        )
    return made
