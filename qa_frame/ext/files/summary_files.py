"""`qa_frame.summary_files`: files of any size → the summary of all their rows."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Generator, Hashable, Sequence
from typing import Any

import pandas as pd

from qa_frame._typing import Unpack
from qa_frame.errors import UnknownOptionError
from qa_frame.ext.files.paths import Paths
from qa_frame.ext.files.streams.inputs import count_rows, find_inputs
from qa_frame.ext.files.streams.summary_pieces import open_rows, plan_texts, require_alike, sum_piece
from qa_frame.extraction.steps import patterns_given
from qa_frame.parallel.jobs import consume_with_progress, count_all_jobs, run_jobs
from qa_frame.scoring.call_rules import DEFAULTS as RULES
from qa_frame.scoring.call_rules import RuleArguments, make_rules
from qa_frame.scoring.plan import as_items, with_added_metrics
from qa_frame.scoring.row_flag_warnings import warn_of_golds
from qa_frame.scoring.row_flags import RowFlags
from qa_frame.tables.methods import takes
from qa_frame.tables.options import DEFAULTS, FileSummaryArguments
from qa_frame.tables.row_sums import sums_of_parts
from qa_frame.tables.summary import plan_summary, summarise


class _Arguments(RuleArguments, FileSummaryArguments, total=False):
    """The rules by which rows are scored, and the arguments of a summary."""


@takes(_Arguments, {**RULES, **DEFAULTS}, after="gold")
def summary_files(
    source: Paths,
    by: Hashable | list[Hashable] | None = None,
    question: Hashable | Sequence[Hashable] | None = None,
    *,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    progress: bool | None = None,
    n_jobs: int | None = None,
    **arguments: Unpack[_Arguments],
) -> pd.DataFrame:
    """Pool the scores of all rows of some files by group: `qa_frame.summary` for files, on all cores.

    Memory is bounded: only the needed columns are read, piece by piece, and only sums by group, and by cluster or
    question where these are named, are kept. `method="bootstrap"` without these keeps every row's scores too.

    Parameters
    ----------
    source
        A file, a glob such as `"runs/**/*.parquet"`, a folder, or a list of these. Files are Parquet (`.parquet`) or
        JSON Lines (`.jsonl`, `.jsonl.gz`, `.jsonl.zst`).
    by
        A column or a list of columns. Names of folders give columns of text, too: below a folder given as `source`,
        the rows of `year=2024/model=heron/part-0.parquet` have the columns `year` and `model`.
    pred, gold
        The columns of predictions and golds. Given both, the rows are scored first, by the rules that follow. Without
        them, the files' score columns are used.
    convention, reduce, best_by, missing, extract, choices, gold_is
        The rules, as in `qa_frame.score`.
    question, metrics, ci, method, cluster, pass_at, pass_all, threshold, macro, weights, datasets
        As in `qa_frame.summary`.
    n_resamples, seed
        As in `qa_frame.summary`.
    percent, prefix, observed, dropna, long
        As in `qa_frame.summary`.
    progress
        True shows a bar that counts rows, and False shows no bar. None: in a terminal.
    n_jobs
        How many worker processes pool at once. None: one per processor, if joblib is installed. 1 means no workers.

    Returns
    -------
    pandas.DataFrame
        The result is, to the last bit, that of `qa_frame.summary` for a frame with the rows of all files.

    Raises
    ------
    ResultFileNotFoundError, ResultFileError
        If a file does not exist or cannot be read.
    ColumnNotFoundError, ColumnTypeError
        If a file lacks a column, or its column has another type than in the files before. These errors, and all that
        `qa_frame.summary` raises, name the file.

    Warns
    -----
    ResultFileWarning
        If a file's notes say that a regular expression found the answers that were scored, and this process was not
        given it as `extract`. It is not run: `n_missing` and `n_no_gold` are null.

    Examples
    --------
    >>> import pathlib, tempfile, qa_frame
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for model, rows in qa_frame.sample().groupby("model"):
    ...         path = pathlib.Path(folder, f"model={model}", "run.jsonl")
    ...         path.parent.mkdir()
    ...         rows.drop(columns="model").to_json(path, orient="records", lines=True)
    ...     table = qa_frame.summary_files(folder, "model", pred="response", gold="answers")
    >>> table[["n", "n_rows", "n_missing", "n_no_gold", "em", "f1"]].round(3)
                  n  n_rows  n_missing  n_no_gold     em     f1
    model
    heron-7b    115     120          4          5  0.087  0.206
    lynx-70b    115     120          2          5  0.435  0.724
    otter-chat  115     120          2          5  0.000  0.339
    """
    _require_names(by)
    if (pred is None) != (gold is None):
        given, lacking = ("gold", "pred") if pred is None else ("pred", "gold")
        remedy = "give both to score the rows first, or neither"
        raise UnknownOptionError.of(given, f"is given without {lacking}", remedy)
    of_summary: dict[str, Any] = {name: value for name, value in arguments.items() if name not in RULES}
    rules: dict[str, Any] = {name: value for name, value in arguments.items() if name in RULES}
    checked, makes_scores = make_rules(**rules), pred is not None  # its patterns count as given, also without pred
    metrics: Any = with_added_metrics(as_items(arguments.get("metrics"))) if makes_scores else arguments.get("metrics")
    plan, table = plan_summary(by, question, makes_own=makes_scores, **of_summary | {"metrics": metrics})
    texts = plan_texts(pred, gold, metrics, checked, plan.scoring) if makes_scores else None
    n_workers = 1 if texts is not None and texts.plan.own else count_all_jobs(n_jobs)
    files = find_inputs(source)
    inputs = [open_rows(file, plan, texts) for file in files]
    require_alike(inputs)
    n_rows, most_rows = count_rows((each.n_rows for each in inputs), n_workers)
    pieces = (piece for each in inputs for piece in each.pieces(most_rows))
    merged, doubts = sums_of_parts(plan), RowFlags()

    def pooled() -> Generator[int, None, None]:
        nonlocal doubts
        work = functools.partial(sum_piece, plan=plan, texts=texts, patterns=patterns_given())
        with contextlib.closing(run_jobs(work, pieces, n_workers)) as done:
            for n, sums, found in done:
                merged.merge(sums)
                doubts += found
                yield n

    consume_with_progress(pooled(), n_rows=n_rows, progress=progress)
    for file in files:
        file.content.warn_of_surrogates()
    if texts is not None:
        warn_of_golds(doubts, texts.gold)
    return summarise(merged, table)


def _require_names(by: object) -> None:
    """Raise UnknownOptionError if groups are not named by columns."""
    for key in by if isinstance(by, list) else [by]:
        if key is not None and not isinstance(key, str):
            finding = "is not the name of a column, and files have nothing else to group by"
            raise UnknownOptionError.of("by", finding, "give a name, or a list of names", value=key)
