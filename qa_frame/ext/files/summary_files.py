"""`qa_frame.summary_files`: files of any size → the summary of all their rows."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
import pandas as pd
import pyarrow as pa

from qa_frame._typing import Unpack
from qa_frame.checks import require_choice
from qa_frame.errors import ResultFileError, UnknownOptionError
from qa_frame.ext.files.inputs import InputFile, find_inputs, plan_chunks
from qa_frame.ext.files.json_lines import JsonLinesInput, LineBlock
from qa_frame.ext.files.open_files import errors_naming_file
from qa_frame.ext.files.outputs import read_note
from qa_frame.ext.files.parquet_files import ParquetInput
from qa_frame.ext.files.paths import Paths
from qa_frame.extraction.steps import accept_patterns, accepted_patterns, find_foreign_pattern, warn_of_foreign
from qa_frame.frames.names import require_column
from qa_frame.frames.scoring_metadata import NOTED, are_notes, origins, without_sources
from qa_frame.frames.source import Source, read_source, with_notes
from qa_frame.frames.text_columns import require_text_types
from qa_frame.parallel.jobs import consume_with_progress, count_all_jobs, run_jobs
from qa_frame.scoring.call_rules import DEFAULTS as RULES
from qa_frame.scoring.call_rules import RuleArguments, Rules, make_rules
from qa_frame.scoring.pipeline import score_and_count
from qa_frame.scoring.plan import Items, Plan, ScoreColumns, as_items, make_plan, with_added_metrics
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.scoring.row_flag_warnings import warn_of_golds
from qa_frame.scoring.row_flags import FLAGS, RowFlags, are_flagged
from qa_frame.tables.existing_scores import Made
from qa_frame.tables.methods import takes
from qa_frame.tables.options import DEFAULTS
from qa_frame.tables.pool import Pool, pool_of
from qa_frame.tables.pooled import POOLED_STATISTICS
from qa_frame.tables.row_sums import RowSums, SumsPlan, start_row_sums
from qa_frame.tables.rows import Scoring, columns_for_warnings
from qa_frame.tables.summary import plan_summary, summarise

Keys = Hashable | Sequence[Hashable] | None


class _Arguments(RuleArguments, total=False):
    """The columns, the rules by which rows are scored, and those arguments of a summary that say what is summed."""

    pred: Hashable | None
    gold: Hashable | None
    metrics: ScoreColumns
    ci: float | None
    cluster: Hashable | Sequence[Hashable] | None
    threshold: float
    macro: Hashable | Sequence[Hashable] | None
    progress: bool | None
    n_jobs: int | None


_OF_SUMMARY = ("metrics", "ci", "cluster", "threshold", "macro")
_DEFAULTS: dict[str, Any] = {"pred": None, "gold": None, **RULES, **{name: DEFAULTS.get(name) for name in _OF_SUMMARY}}
_DEFAULTS |= {"progress": None, "n_jobs": None}
_POOLS = ("sums", "rows")


@overload
def summary_files(
    source: Paths, by: Keys = ..., question: Keys = ..., *, as_pool: None = ..., **arguments: Unpack[_Arguments]
) -> pd.DataFrame: ...


@overload
def summary_files(
    source: Paths,
    by: Keys = ...,
    question: Keys = ...,
    *,
    as_pool: Literal["sums", "rows"],
    **arguments: Unpack[_Arguments],
) -> Pool: ...


@takes(_Arguments, _DEFAULTS, after="question")
def summary_files(
    source: Paths,
    by: Keys = None,
    question: Keys = None,
    *,
    as_pool: Literal["sums", "rows"] | None = None,
    **arguments: Unpack[_Arguments],
) -> pd.DataFrame | Pool:
    """Pool the scores of all rows of some files by group: `qa_frame.summary` for files, on all cores.

    Memory is bounded: only the needed columns are read, in chunks, and only sums by group, and by cluster or
    question where these are named, are kept. The table has the means, with intervals where `ci` is given. For other
    figures, ask for a Pool: `summary_files(..., as_pool="sums").summary(percent=True)`. Its summary takes further
    arguments of `qa_frame.summary`, such as `method`, `pass_at`, `weights` and `long`, but no `majority`. Pools of
    several machines are merged: `pool.merge(other)`.

    Parameters
    ----------
    source
        File(s) to read: a path, a pattern such as `"runs/**/*.parquet"`, a folder, or a list of these. They are Parquet
        (`.parquet`) or JSON Lines (`.jsonl`, `.jsonl.gz`, `.jsonl.zst`).
    by
        Column(s) to group by. Names of folders are columns of text, too: the rows of
        `year=2024/model=heron/part-0.parquet`, below a folder given as `source`, have the columns `year` and `model`.
        None gives one row for all.
    pred
        Column of predictions, if the rows are to be scored first; give `gold`, too. None pools the score columns of the
        files; the rules of scoring, from `convention` to `gold_is`, then have no effect, but for `extract` (see Warns).
    gold
        Column of golds, if the rows are to be scored first.
    {arguments}
    question
        Column(s) that identify a question, where models answered each several times (samples). Figures are then means
        over questions.
    metrics
        Columns to pool, or with `pred` and `gold` the metrics to compute; also pooled figures such as `corpus_bleu`.
        None takes all scores, or the convention's default metrics, and the usual pooled figures with them. Scores with
        a prefix must be named: `"x_em"`.
    ci
        Confidence level of the intervals, such as 0.95. None gives no intervals. With `as_pool`, give it to the summary
        of the Pool.
    cluster
        Column(s) that rows share which are not independent, such as the document of their questions. Only intervals
        change.
    threshold
        Minimum score of a right answer, for `pass_at` and `pass_all` of a Pool's summary.
    macro
        Column(s) that name the dataset of a row. Each figure is then an average of the datasets' figures (a macro
        average).
    progress
        Whether to show a progress bar that counts rows. None shows one in a terminal, after two seconds.
    n_jobs
        Number of worker processes, as in joblib; -1 is one per processor. None does the same if joblib is installed.
    as_pool
        Kind of `Pool` to return in place of the table: `"sums"` keeps sums, `"rows"` every row's scores, too, as
        `Pool(keep_rows=True)` does. A Pool can be pickled, merged with others, and asked for any table.

    Returns
    -------
    pandas.DataFrame or Pool
        The table equals, to the last bit, that of `qa_frame.summary` for a frame with the rows of all files. So does
        the summary of the Pool, or of several merged Pools.

    Raises
    ------
    ResultFileNotFoundError, ResultFileError
        If a file does not exist or cannot be read, or a column of keys, such as `by`, has another type than in the
        files before.
    ColumnNotFoundError, ColumnTypeError
        If a file lacks a column, or its column of scores holds no numbers. These errors, and all that
        `qa_frame.summary` raises, name the file.

    Warns
    -----
    ResultFileWarning
        If the metadata that `score_files` wrote into a file says that a regular expression found the scored answers,
        and this process was not given it as `extract`. The expression is not run, and `n_missing` and `n_no_gold` are
        null.

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
    require_key_names(by)
    if as_pool is not None:
        require_choice("as_pool", as_pool, _POOLS)
    values: dict[str, Any] = {**_DEFAULTS, **arguments}
    pred, gold, metrics = values["pred"], values["gold"], values["metrics"]
    if (pred is None) != (gold is None):
        named, lacking = ("gold", "pred") if pred is None else ("pred", "gold")
        remedy = "give both to score the rows first, or neither"
        raise UnknownOptionError.of(named, f"is given without {lacking}", remedy)
    if as_pool is not None and values["ci"] is not None:
        remedy = f"give it to the summary of the Pool, as in .summary(ci={values['ci']!r})"
        raise UnknownOptionError.of("ci", "is that of a table, and not of a Pool", remedy, value=values["ci"])
    makes_scores = pred is not None
    rules = make_rules(**{name: values[name] for name in RULES})  # its patterns count as given, also without pred
    if makes_scores:
        metrics = with_added_metrics(as_items(metrics))
    of_summary = {name: values[name] for name in _OF_SUMMARY} | {"metrics": metrics}
    keep_rows = None if as_pool is None else as_pool == "rows"
    plan, table = plan_summary(by, question, keep_rows=keep_rows, makes_own=makes_scores, **of_summary)
    texts = plan_texts(pred, gold, metrics, rules, plan.scoring) if makes_scores else None
    n_workers = 1 if texts is not None and texts.plan.own else count_all_jobs(values["n_jobs"])
    files = find_inputs(source)
    inputs = [open_rows(file, plan, texts) for file in files]
    require_alike(inputs)
    n_rows, most_rows = plan_chunks((each.n_rows for each in inputs), n_workers)
    chunks = (chunk for each in inputs for chunk in each.chunks(most_rows))
    merged, counts = start_row_sums(plan), RowFlags()

    def pool_chunks() -> Generator[int, None, None]:
        """Add the sums and counts of each chunk to those of all files, and yield its number of rows."""
        nonlocal counts
        work = functools.partial(sum_chunk, plan=plan, texts=texts, patterns=accepted_patterns())
        with contextlib.closing(run_jobs(work, chunks, n_workers)) as done:
            for n, sums, of_chunk in done:
                merged.merge(sums)
                counts += of_chunk
                yield n

    consume_with_progress(pool_chunks(), n_rows=n_rows, progress=values["progress"])
    for file in files:
        file.content.warn_of_surrogates()
    if texts is not None:
        warn_of_golds(counts, texts.gold)
    return summarise(merged, table) if as_pool is None else pool_of(merged)


def require_key_names(by: object) -> None:
    """Raise UnknownOptionError unless `by` is None, the name of a column as text, or a list of such names."""
    for key in by if isinstance(by, list) else [by]:
        if key is not None and not isinstance(key, str):
            finding = "is not the name of a column, and files have nothing else to group by"
            raise UnknownOptionError.of("by", finding, "give a name, or a list of names", value=key)


# --- the work on one file: chunks of it go to workers, which make sums of each


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows of a file, for a worker.

    Attributes
    ----------
    path
        The file.
    rows
        The needed columns, or the lines that hold them.
    columns
        The names of the needed columns.
    notes
        What is known of the scores in lines. A table has its own.
    """

    path: Path
    rows: pa.Table | LineBlock
    columns: list[str]
    notes: dict[str, Any] = field(default_factory=dict)

    def frame(self) -> Any:
        """Return the rows as an Arrow table or a pandas frame that has the scoring metadata."""
        if isinstance(self.rows, LineBlock):
            return with_notes(self.rows.parse().frame(self.columns), self.notes)
        return self.rows


@dataclass(frozen=True, slots=True)
class TextPlan:
    """How the rows of files are scored before they are summed.

    Attributes
    ----------
    pred, gold
        The columns of predictions and golds.
    plan
        The plan of their scores and statistics.
    is_needed
        Whether the summary has any of these scores or statistics; else it has only columns of numbers of the files.
    """

    pred: Hashable
    gold: Hashable
    plan: Plan
    is_needed: bool

    @property
    def columns(self) -> dict[str, Hashable]:
        """The columns that are read, by argument."""
        named = {"pred": self.pred, "gold": self.gold, "choices": self.plan.rules.choices}
        return {argument: name for argument, name in named.items() if name is not None}

    def score(self, source: Source) -> tuple[Made, RowFlags]:
        """Return the scores and statistics of some rows, and the counts of their flags.

        Without `is_needed`, there are no scores, statistics or counts; null predictions and missing golds are still
        known.
        """
        plan = self.plan
        columns = prepare_predictions(source.texts(pred=self.pred, gold=self.gold, **plan.reading_arguments), plan)
        # The user's own metrics may take long, and have a bar.
        progress = None if plan.own else False
        if self.is_needed:
            made, counts, marks = score_and_count(columns, plan, progress=progress)
        else:
            made, counts, marks = {}, RowFlags(), np.zeros(len(columns), np.int8)
        scores = {name: values for name, values in made.items() if name in plan.metrics}
        statistics = {name: values for name, values in made.items() if name in plan.statistics}
        rules = plan.convention
        flags = {flag: are_flagged(marks, flag) for flag in FLAGS}
        return Made(scores, statistics, columns, rules, plan.signature, rules.no_answer, rules, flags), counts


def plan_texts(pred: Hashable, gold: Hashable, metrics: Items, rules: Rules, scoring: Scoring) -> TextPlan:
    """Return how rows are scored for a summary.

    metrics: those that the caller asked for. scoring: tells which of these are columns of the files or figures and are
    not scored, and which statistics the figures need.
    """
    wanted: Any = metrics
    if isinstance(metrics, tuple):
        others = {*scoring.columns, *(scoring.pooled or ()), *(each.name for each in scoring.of_rows)}
        wanted = tuple(each for each in metrics if each not in others) or None
    plan = make_plan(wanted, rules, stats=True)
    if scoring.pooled is not None:
        needed = (name for each in scoring.pooled for name in POOLED_STATISTICS[each].statistics)
        plan = replace(plan, stats=frozenset(needed))
    is_needed = scoring.pooled is None or scoring.named is None or not {*scoring.named} <= {*scoring.columns}
    return TextPlan(pred, gold, plan, is_needed)


def sum_chunk(
    chunk: Chunk, plan: SumsPlan, texts: TextPlan | None, patterns: frozenset[tuple[str, int]]
) -> tuple[int, RowSums, RowFlags]:
    """Return the number of rows of a chunk, their sums by group, and the counts of their flags.

    texts: how the rows are scored; None if they have scores already. patterns: the regular expressions that the caller
    gave.
    """
    accept_patterns(patterns)
    with errors_naming_file(chunk.path):
        frame = chunk.frame()
        return len(frame), *_sum(frame, plan, texts)


def _sum(frame: Any, plan: SumsPlan, texts: TextPlan | None) -> tuple[RowSums, RowFlags]:
    """Return the sums of a frame's rows by group, and the counts of their flags; no flags if `texts` is None."""
    source = read_source(frame)
    made, counts = (None, RowFlags()) if texts is None else texts.score(source)
    return start_row_sums(plan).add(source, made), counts


@dataclass(frozen=True, slots=True)
class FileRows:
    """The rows of a file that a summary reads.

    Attributes
    ----------
    path
        The file.
    n_rows
        The number of its rows; None if the file does not tell it.
    kinds
        The types of those columns whose types must be alike in all files.
    chunks
        Yields the rows in chunks of at most so many rows. Chunks of JSON lines are blocks of lines, of any number.
    """

    path: Path
    n_rows: int | None
    kinds: dict[str, pa.DataType]
    chunks: Callable[[int], Iterator[Chunk]]


def open_rows(file: InputFile, plan: SumsPlan, texts: TextPlan | None) -> FileRows:
    """Return the rows of a file, which are read later. Raise an error if its columns do not fit the plan."""
    return (_parquet_rows if file.is_parquet else _lines_rows)(file, plan, texts)


def _parquet_rows(file: InputFile, plan: SumsPlan, texts: TextPlan | None) -> FileRows:
    """Return the rows of a Parquet file. Raise an error if its columns do not fit."""
    parquet = ParquetInput(file.content, file.keys)
    empty, named = parquet.schema.empty_table(), {} if texts is None else texts.columns

    def chunks(most_rows: int) -> Iterator[Chunk]:
        for table in parquet.tables(most_rows=most_rows, columns=columns):
            yield Chunk(file.path, table.replace_schema_metadata(empty.schema.metadata), columns)

    with errors_naming_file(file.path):
        notes = read_source(empty).notes
        if notes != (safe := _without_foreign_patterns(notes, file.path)):
            empty = with_notes(empty.replace_schema_metadata(None), safe)
        _sum(empty, plan, texts)  # errors come before anything is read
        if texts is not None:
            require_text_types(empty, pred=texts.pred, gold=texts.gold, spans=texts.plan.convention.spans)
    source = read_source(empty)
    columns = [str(name) for name in plan.needed_columns(source, [*named.values()])]
    of_any_type = {named.get("pred"), named.get("gold"), *plan.scoring.names}
    of_any_type |= {*columns_for_warnings(source, has_questions=bool(plan.levels.question))}
    of_any_type -= {key for _, key in plan.named_columns}
    kinds = {name: empty.schema.field(name).type for name in columns if name not in of_any_type}
    return FileRows(file.path, parquet.n_rows, kinds, chunks)


def _without_foreign_patterns(notes: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return the notes, without source columns and rules if they hold a pattern that the caller has not given.

    A warning says so. The pattern of somebody else is then never run. Signatures stay.
    """
    pattern = find_foreign_pattern([step for origin in origins(notes).values() for step in origin.extract])
    if pattern is None:
        return notes
    warn_of_foreign(pattern, str(path))
    return without_sources(notes)


def _lines_rows(file: InputFile, plan: SumsPlan, texts: TextPlan | None) -> FileRows:
    """Return the rows of a file of JSON lines. Raise an error if its columns do not fit."""
    lines = JsonLinesInput(file.content, file.keys)
    with errors_naming_file(file.path):
        texts_named = {} if texts is None else texts.columns
        for argument, key in [*plan.named_columns, *texts_named.items()]:
            require_column(key, lines.names, argument)
        noted = {NOTED: (read_note(file.path) or {}).get(NOTED, {})}  # by `score_files`, beside the file
        notes = _without_foreign_patterns(noted, file.path) if are_notes(noted) else {}
        named = with_notes(pd.DataFrame(columns=lines.names), notes)
        columns = [str(name) for name in plan.needed_columns(read_source(named), [*texts_named.values()])]
    return FileRows(
        file.path, None, {}, lambda _: (Chunk(file.path, block, columns, notes) for block in lines.chunks())
    )


def require_alike(inputs: list[FileRows]) -> None:
    """Raise ResultFileError if a column has different types in two files. Nulls alone fit any type."""
    first_of: dict[str, tuple[Path, pa.DataType]] = {}
    for each in inputs:
        for name, kind in each.kinds.items():
            if pa.types.is_null(kind):
                continue  # nulls alone may have any type
            path, known = first_of.setdefault(name, (each.path, kind))
            if _type_of_values(known) != _type_of_values(kind):
                finding = f"{each.path}: column {name!r} is {kind}, where {path} has {known}"
                raise ResultFileError.of("", finding, "write them with one type")


def _type_of_values(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values in a column: dictionaries are decoded, and all types of text are one."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if kind in {pa.string(), pa.large_string(), pa.string_view()} else kind
