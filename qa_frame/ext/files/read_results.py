"""`qa_frame.read_results`: the result files of evaluation harnesses → a pandas frame."""

from __future__ import annotations

import pandas as pd

from qa_frame.ext.files.batches import joined
from qa_frame.ext.files.harnesses.description import Reader
from qa_frame.ext.files.paths import Paths
from qa_frame.ext.files.result_rows import Reading
from qa_frame.frames.conversions import frame_of


def read_results(
    path: Paths,
    kind: str | Reader | None = None,
    *,
    pred: str | None = None,
    gold: str | None = None,
    on_bad_lines: str = "error",
) -> pd.DataFrame:
    """Read the result files of evaluation harnesses: one row per response, for `df.qa.score("response", "answers")`.

    The kind of a file is recognised from its content. Files are read as a stream.

    Examples
    --------
    >>> import json, pathlib, tempfile, qa_frame
    >>> record = {"id": 0, "prediction": "The Seine.", "answers": ["Seine", "the Seine"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "rivers.jsonl")
    ...     _ = path.write_text(json.dumps(record))
    ...     df = qa_frame.read_results(path)
    >>> df.qa.score("response", "answers")[["question_id", "response", "em", "f1"]]
      question_id    response   em   f1
    0           0  The Seine.  1.0  1.0

    Parameters
    ----------
    path
        A file, a pattern such as `"logs/**/*.jsonl"`, a folder, or a list of these.
    kind
        The kind, as `lm_eval` or `inspect`: the page "Result files of harnesses" lists them. None: each file's
        own. Files of several kinds give one frame. Or a function of your own, which gets a record and returns its row
        as a dict with `response` and `answers`, or a list of rows.
    pred, gold
        The places of the prediction and of the gold in a record, if they differ from the usual ones: a name, or a path
        such as `"scores.match.answer"` or `"doc.answer.aliases"`.
    on_bad_lines
        How records that cannot be read (damaged, or without text) are handled: `"error"`, or leave them out with
        (`"warn"`) or without (`"skip"`) a warning.

    Returns
    -------
    pandas.DataFrame
        With at least these columns:

        - `response`: text.
        - `answers`: lists of text. Null where a harness writes empty text.
        - `question_id`, `question`, `model`, `dataset`: text, where the files say so.
        - `file`: text, the path; unless `path` is one single file.
        - `sample`: int64, from 0, where a record has several responses: one row each.
        - `harness_*`: the harness's own scores

        `frame.attrs["qa_files"]` has each file's kind, its rows, how many records were left out, and its SHA-256;
        `frame.attrs["qa_files_not_read"]` the files of a folder that are not result files.

    Raises
    ------
    ResultFileNotFoundError
        If a path or a pattern matches no file.
    ResultFileError
        If a file cannot be read or is of no known kind. It names file and line.
    ColumnNotFoundError
        If no record has the place that is named.
    GoldFormatError
        If most golds of a file are lists that were written out as text.

    Warns
    -----
    ResultFileWarning
        If records were left out, a file holds no golds, or its run was not finished.
    """
    reading = Reading(path, kind, pred=pred, gold=gold, on_bad_lines=on_bad_lines)
    frame = frame_of(joined([*reading.batches()]))
    frame.attrs["qa_files"] = reading.notes
    if reading.not_read:
        frame.attrs["qa_files_not_read"] = reading.not_read
    return frame
