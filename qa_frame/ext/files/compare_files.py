"""`qa_frame.compare_files`: scored files of any size → the comparison of their groups, by scores alone."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from qa_frame._typing import Datasets, Shares, Unpack
from qa_frame.checks import Correction, is_equal
from qa_frame.errors import ResultFileError
from qa_frame.ext.files.inputs import find_inputs, plan_chunks
from qa_frame.ext.files.open_files import errors_naming_file
from qa_frame.ext.files.paths import Paths
from qa_frame.ext.files.summary_files import Chunk, Keys, open_rows, require_alike, require_key_names
from qa_frame.frames.scoring_metadata import noted_columns, without_sources
from qa_frame.frames.source import Source, read_source, set_notes
from qa_frame.parallel.jobs import count_all_jobs, run_jobs
from qa_frame.scoring.plan import ScoreColumns, as_items
from qa_frame.scoring.pooled import POOLED
from qa_frame.stats.grouping import Names, list_keys
from qa_frame.tables.compare import compare
from qa_frame.tables.options import SumArguments
from qa_frame.tables.row_sums import SumsPlan
from qa_frame.tables.summary import plan_summary


class CompareArguments(SumArguments, total=False):
    """The arguments of `qa_frame.compare` beside the frame, `by` and `question`."""

    samples: bool
    within: Keys
    baseline: Hashable | None
    correction: Correction
    pass_at: int | Sequence[int]
    pass_all: int | Sequence[int]
    weights: Shares | Mapping[Any, float]
    datasets: Datasets
    ci: float
    margin: float | Mapping[str, float] | None
    n_resamples: int | None
    seed: int


def compare_files(
    source: Paths, by: Keys, question: Keys = None, **arguments: Unpack[CompareArguments]
) -> pd.DataFrame:
    """Compare groups over all rows of scored files: `qa_frame.compare` for files that do not fit into memory.

    Files are read in chunks. Kept are scores and what names groups and questions, but no predictions and golds.
    Score the files by `qa_frame.score_files` before.

    Examples
    --------
    >>> import pathlib, tempfile, qa_frame
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for model, rows in qa_frame.sample().groupby("model"):
    ...         scored = rows.qa.score("response", "answers", metrics=["em", "f1"])
    ...         scored.to_parquet(pathlib.Path(folder, f"{model}.parquet"))
    ...     table = qa_frame.compare_files(folder, "model", "question_id", metrics="f1")
    >>> table[["metric", "a", "b", "n", "diff", "p_adj", "verdict"]].round(3)
      metric         a           b    n   diff  p_adj verdict
    0     f1  heron-7b    lynx-70b  115 -0.517    0.0   worse
    1     f1  heron-7b  otter-chat  115 -0.133    0.0   worse
    2     f1  lynx-70b  otter-chat  115  0.384    0.0  better

    Parameters
    ----------
    source
        Files with score columns, as in `qa_frame.summary_files`.
    by, question
        Names of columns, or of folders as in `qa_frame.summary_files`.
    arguments
        All others of `qa_frame.compare`.

    Returns
    -------
    pandas.DataFrame
        The table of `qa_frame.compare` for a frame with the rows of all files.

    Raises
    ------
    ResultFileNotFoundError, ResultFileError
        If a file does not exist, cannot be read, or has other types than those before.
    QaFrameError
        The errors of `qa_frame.compare`.
    """
    require_key_names(by)
    settings: dict[str, Any] = {name: arguments.get(name) for name in ("cluster", "macro")}
    settings |= {"metrics": _without_pooled(arguments.get("metrics")), "prefix": arguments.get("prefix", "")}
    planned, _ = plan_summary(by, question, **settings)
    plan = ScoresPlan(
        within=list_keys(arguments.get("within")),
        **{each.name: getattr(planned, each.name) for each in fields(planned)},
    )
    files = find_inputs(source)
    inputs = [open_rows(file, plan, None) for file in files]
    require_alike(inputs)
    n_workers = 1 if all(file.is_parquet for file in files) else count_all_jobs(None)
    _, most_rows = plan_chunks((each.n_rows for each in inputs), n_workers)
    chunks = (chunk for each in inputs for chunk in each.chunks(most_rows))
    frames = [*run_jobs(scores_of, chunks, n_workers)]
    if not frames:
        raise ResultFileError.of("source", "holds no rows", "give files of scored rows", value=source)
    with_rows = [frame for frame in frames if len(frame)] or frames[:1]  # pandas takes no types of empty ones
    return compare(pd.concat(with_rows, ignore_index=True), by, question, **arguments)


def _without_pooled(metrics: ScoreColumns) -> Any:
    """Return the metrics without pooled figures such as `corpus_bleu`, whose statistics are always read.

    None, which means all metrics, if only pooled figures are named. "all" and None stay as they are.
    """
    items = as_items(metrics)
    return ([each for each in items if each not in POOLED] or None) if isinstance(items, tuple) else items


@dataclass(frozen=True, kw_only=True)
class ScoresPlan(SumsPlan):
    """A plan for reading scores and keys alone, without the texts from which the scores were made.

    within: further key columns, which are read where a file has them. `compare` raises the error if they are missing.
    """

    within: Names

    def needed_columns(self, source: Source, texts: Sequence[Hashable] = ()) -> list[Hashable]:
        """Return the columns of scores and keys, and those that warnings need, in the order of the source.

        texts: as in `SumsPlan.needed_columns`.
        """
        unread = noted_columns(source.notes) - {key for _, key in self.named_columns}
        needed = {*super().needed_columns(source, texts)} - unread
        return [name for name in source.names if name in needed or any(is_equal(name, key) for key in self.within)]


def scores_of(chunk: Chunk) -> pd.DataFrame:
    """Return the rows of a chunk as a pandas frame, with the scoring metadata.

    The metadata leaves out the names of the columns that were scored.
    """
    with errors_naming_file(chunk.path):
        source = read_source(chunk.frame())
        rows: pd.DataFrame = set_notes(source.as_pandas({"by": chunk.columns}), without_sources(source.notes))
        return rows
