"""`qa_frame.read_results`: the result files of evaluation harnesses → a pandas frame."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame.checks import require_choice
from qa_frame.errors import (
    GoldFormatError,
    QaFrameError,
    ResultFileError,
    ResultFileWarning,
    UnknownOptionError,
    plural,
    warn,
)
from qa_frame.ext.files.batches import (
    LISTS,
    SPANS,
    batch_of,
    can_convert_whole_columns,
    columnar_batches,
    join_batches,
    with_numbers,
)
from qa_frame.ext.files.golds import (
    OtherGolds,
    PlacedRow,
    has_predictions,
    join_golds,
    kind_without_golds,
    read_other_golds,
)
from qa_frame.ext.files.open_files import (
    Content,
    NameNotFoundError,
    UnusableRecordError,
    chunked,
    digest_of,
)
from qa_frame.ext.files.paths import Paths, SourceFile, find_files
from qa_frame.ext.files.recognise import KINDS, fitting_kind, kind_of
from qa_frame.ext.files.records import Golds, Kind, Place, Reader, Responses, ResultFile
from qa_frame.frames.conversions import series_of
from qa_frame.frames.diagnosis import find_written_golds, refuse_written_lists


def read_results(
    path: Paths,
    kind: str | Reader | None = None,
    *,
    pred: str | None = None,
    gold: str | None = None,
    golds: str | os.PathLike[str] | None = None,
    lists: Literal["spans", "samples"] = "spans",
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
        File(s) to read: a path, a pattern such as `"logs/**/*.jsonl"`, a folder, or a list of these.
    kind
        Kind of the files, such as `"lm_eval"` or `"inspect"`; the page "Kinds of result files" lists them. None
        recognises each file by its content, and several kinds make one frame. A function of your own gets a record, and
        returns its row as a dict with `response` and `answers`, or a list of rows.
    pred
        Name or path of the prediction in a record, such as `"output"` or `"scores.match.answer"`. None looks for the
        usual names.
    gold
        Name or path of the golds in a record, such as `"doc.answer.aliases"`. With `golds`, it names a place in the
        records of that file. None looks for the usual names.
    golds
        File of the golds, where they are not in the files of `path`, such as SQuAD's `dev.json`. A prediction gets the
        golds of its id, or else those of its question's text, of the same dataset where both files name it; if neither
        exists, those at the same place in the order.
    lists
        Meaning of a prediction that is a list of texts, in plain records: `"spans"` of one answer, which a convention
        such as `"drop"` scores, or `"samples"`, which become one row each. In logs of harnesses, such lists are always
        samples.
    on_bad_lines
        Treatment of records that cannot be read or have no text: `"error"` raises an error, `"warn"` leaves them out
        with a warning, `"skip"` leaves them out silently.

    Returns
    -------
    pandas.DataFrame
        One row per response. The page "Kinds of result files" says what each kind of file gives. Columns that hold only
        nulls are left out, except `response` and `answers`:

        - `response`: text, or lists of text where a prediction has several spans. Null if the run failed for this
          question.
        - `answers`: lists of text, the golds. Null where a log of a harness has none. Plain records need golds, or the
          argument `golds`.
        - `question_id`, `question`, `model`, `dataset`, `finish_reason`: text, where the files have them.
        - `file`: the path, unless `path` is one single file. `sample`: a number from 0, where a record has several
          responses.
        - `harness_*`: the harness's own scores. `metadata_*`: its metadata.

        `frame.attrs["qa_files"]` has, for each file, its kind, its number of rows and of records left out, its SHA-256,
        and with `golds` how many rows were joined, and by what. `frame.attrs["qa_files_not_read"]` has the files of a
        folder whose ending, such as `.json` or `.csv`, is one of result files, but in which no results were recognised.
        Files with other endings are ignored.

    Raises
    ------
    ResultFileNotFoundError
        If a path or a pattern matches no file.
    ResultFileError
        If a file is empty, cannot be read, or is of no known kind and its texts do not show which are predictions and
        which golds. It names file and line. Also where the file `golds` has a question twice, with different golds, and
        where rows were joined by order, but their predictions resemble their own golds no more than others.
    ColumnNotFoundError
        If no record has the place that `pred` or `gold` names.
    GoldFormatError
        If most golds of a file are lists that were written out as text.

    Warns
    -----
    ResultFileWarning
        If records were left out, a log holds no golds, or its run was not finished. Also where rows and golds were
        joined by their order, have no partner in the other file, or have other texts of the question, where a
        prediction is a list of spans, where golds are the solutions of GSM8K, and where only the texts show which
        values are predictions and which golds, or several names may be those of either.
    """
    reading = Reading(path, kind, pred=pred, gold=gold, golds=golds, lists=lists, on_bad_lines=on_bad_lines)
    frame = frame_of(join_batches([*reading.batches()]))
    frame.attrs["qa_files"] = reading.notes
    if reading.not_read:
        frame.attrs["qa_files_not_read"] = reading.not_read
    return frame


# --- files → rows in Arrow record batches, one batch after the other


_ROWS_A_BLOCK = 512
"""Rows that are converted at once: few enough that they still stand in the processor's cache."""
_BLOCKS_A_BATCH = 16
_CHARACTERS_A_BATCH = 1 << 25
_LISTS = ("spans", "samples")
_ON_BAD_LINES = ("error", "warn", "skip")
_READ_LISTS = "read the file with pandas, and make them lists: df['answers'] = qa_frame.to_golds(df['answers'])"
_SOLUTION = r"\n#### -?\$?\d[\d.,]*\s*$"
"""The end of a gold of GSM8K."""
_WRONG_FORM = (KeyError, IndexError, TypeError, AttributeError, ValueError)
"""The errors that come up where a file or a record is not built as its harness builds it."""


@dataclass(slots=True)
class Reading:
    """Result files that are being read, with notes on the files that were read so far.

    notes: by path of a file, its kind, its number of rows, the number of records left out, and its SHA-256. not_read:
    the paths of files in a folder that are no result files. The other fields are arguments of `read_results`.
    """

    path: Paths
    kind: str | Reader | None = None
    pred: str | None = field(default=None, kw_only=True)
    gold: str | None = field(default=None, kw_only=True)
    golds: Paths | None = field(default=None, kw_only=True)
    lists: str = field(default="spans", kw_only=True)
    on_bad_lines: str = field(default="error", kw_only=True)
    notes: dict[str, dict[str, Any]] = field(init=False, default_factory=dict)
    not_read: list[str] = field(init=False, default_factory=list)
    _files: list[tuple[SourceFile, Content]] = field(init=False)
    _tells_file: bool = field(init=False)
    _other_golds: OtherGolds | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Check the arguments, find the files, and read the file of the golds, if there is one."""
        if self.kind is not None and not callable(self.kind):
            require_choice("kind", self.kind, tuple(KINDS))
        require_choice("lists", self.lists, _LISTS)
        require_choice("on_bad_lines", self.on_bad_lines, _ON_BAD_LINES)
        for argument, named in (("pred", self.pred), ("gold", self.gold)):
            if named is not None and not isinstance(named, str):
                raise UnknownOptionError.of(argument, "is not text", "give a name such as 'output.text'", value=named)
        files, self._tells_file = find_files(self.path)
        self._files = [(file, Content(file.path)) for file in files]
        if self.golds is not None:
            self._other_golds = read_other_golds(self.golds, self.gold, self.on_bad_lines)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows of all files as batches, each with the columns of `FIXED` and those of its own file.

        Raise ResultFileError if a file is damaged, or if no file is of a known kind.
        """
        for file, content in self._files:
            try:
                yield from self._batches_of_file(file, content)
            except QaFrameError:  # noqa: PERF203  (an error names its file)
                raise
            except (*_WRONG_FORM, UnusableRecordError) as error:
                why = f"{type(error).__name__}: {error}"
                raise ResultFileError(f"{file.path} is damaged, or not as its harness writes it ({why})") from error
        if not self.notes:
            remedy = f"name one of them, to be told why. The known kinds are {list(KINDS)}"
            raise ResultFileError.of("path", ": no file there is of a known kind", remedy, value=self.path)

    def _batches_of_file(self, file: SourceFile, content: Content) -> Iterator[pa.RecordBatch]:
        """Yield the batches of one file. A file in a folder that is of no known kind is added to `not_read` instead."""
        source = ResultFile(content, self.on_bad_lines)
        if not callable(self.kind) and not self._is_known(source):
            body = source.without_heading()
            source = body if body is not None and self._is_known(body) else source
            if file.is_in_folder and source is not body:
                self.not_read.append(str(file.path))
                return
        if self._other_golds is not None:
            kind = kind_without_golds(source, self.kind, self.pred, self.lists)
        else:
            kind = kind_of(source, self.kind, pred=self.pred, gold=self.gold, lists=self.lists)
        yield from self._batches_of(source, kind)

    def _is_known(self, source: ResultFile) -> bool:
        """Return whether a file is of a known kind, or has predictions to join with golds of another file.

        If the caller names a kind, return whether the file is of this kind.
        """
        is_joined = self._other_golds is not None and self.kind is None and has_predictions(source)
        return is_joined or fitting_kind(source, self.kind) is not None

    def _batches_of(self, source: ResultFile, kind: Kind) -> Iterator[pa.RecordBatch]:
        """Yield the batches of a file. At its end, add its notes and warn of its remarks.

        Raise ResultFileError if it holds no records, and GoldFormatError if most golds of its first batch are lists
        written as text.
        """
        counts: Counter[str] = Counter()
        for batch in self._batches_without_path(source, kind):
            alone = _golds_alone(batch)
            if not counts["rows"]:
                _refuse_written_golds(alone, source)
            counts.update(_count_in_batch(batch, alone))
            yield _with_file(batch, source.path) if self._tells_file else batch
        n_rows = counts["rows"]
        if not n_rows and not source.n_rejected:
            raise ResultFileError(f"{source.path} holds no records: its run may have failed")
        note = {"kind": kind.name, "rows": n_rows, "left_out": source.n_rejected, "sha256": digest_of(source.content)}
        self.notes[str(source.path)] = note | source.notes
        source.remarks += _say_counts(counts)
        if source.n_rejected and self.on_bad_lines == "warn":
            were = "was" if source.n_rejected == 1 else "were"
            remark = f"{plural(source.n_rejected, 'record')} {were} left out, first {source.first_rejected}"
            source.remarks.append(remark)
        source.content.warn_of_surrogates()
        for remark in dict.fromkeys(source.remarks):
            warn(f"{source.path}: {remark}", ResultFileWarning)

    def _batches_without_path(self, source: ResultFile, kind: Kind) -> Iterator[pa.RecordBatch]:
        """Yield the batches of a file without the column `file`, read by column where possible, else by record."""
        if kind.name == "plain" and self.golds is None and can_convert_whole_columns(source, self.pred, self.gold):
            return columnar_batches(source, self.pred, self.gold)
        about = kind.about(source)
        rows = self._rows(source, kind)
        if self._other_golds is not None:
            rows = iter(join_golds([*rows], self._other_golds, source))
        blocks = chunked(rows, _count_characters, _CHARACTERS_A_BATCH, _ROWS_A_BLOCK)
        small = (_batch_of_block(block, about, source) for block in blocks)
        if source.format in {"csv", "tsv"}:  # only all rows tell whether a column holds numbers
            return iter(with_numbers(join_batches([*small])).combine_chunks().to_batches())
        some_at_a_time = chunked(small, attrgetter("nbytes"), _CHARACTERS_A_BATCH, _BLOCKS_A_BATCH)
        return (batch for some in some_at_a_time for batch in join_batches(some).combine_chunks().to_batches())

    def _rows(self, source: ResultFile, kind: Kind) -> Iterator[PlacedRow]:
        """Yield the place of each record and a row of it. A record with several responses gives several rows.

        Records that cannot be used are rejected. Raise ColumnNotFoundError if no record has the place that `pred` or
        `gold` names, or no record of a plain table has a usual name of predictions or of golds.
        """
        first_without: tuple[Place, NameNotFoundError] | None = None
        has_names = False
        for place, record in kind.records(source):
            parts = _parts_of(kind, record)
            if isinstance(parts, NameNotFoundError) and not has_names:
                first_without = first_without or (place, parts)
                if self.on_bad_lines == "error":
                    continue  # those that follow tell whether this record is to blame
            if isinstance(parts, UnusableRecordError):
                source.reject(place, parts)
                continue
            if first_without is not None and not has_names and self.on_bad_lines == "error":
                source.reject(*first_without)
            has_names = True
            responses, golds, others = parts
            others["answers"] = golds if kind.keeps_empty_golds or not golds or any(golds) else None
            ends = others.pop("finish_reason", None)  # one for all responses, or one for each
            for number, response in enumerate(responses):
                end = dict(enumerate(ends)).get(number) if isinstance(ends, list) else ends
                row = {**others, "response": response, "finish_reason": end}
                yield place, row if len(responses) == 1 else {**row, "sample": number}
        if first_without is not None and not has_names:
            raise first_without[1].of_file(source.path)


def _parts_of(kind: Kind, record: Any) -> tuple[Responses, Golds | None, dict[str, Any]] | UnusableRecordError:
    """Return the responses, the golds and the other values of a record; or the error if the record cannot be used."""
    try:
        return kind.responses(record) or [None], kind.golds(record), kind.others(record)
    except UnusableRecordError as error:
        return error
    except RecursionError:
        return UnusableRecordError("is nested too deeply")
    except KeyError as error:
        return UnusableRecordError(f"has no {error.args[0]!r}, as records of the kind {kind.name!r} have")
    except _WRONG_FORM as error:
        return UnusableRecordError(f"is not as records of the kind {kind.name!r} are ({type(error).__name__}: {error})")


def _with_file(batch: pa.RecordBatch, path: Path) -> pa.RecordBatch:
    """Return the batch with the path of its file as its first column, `file`."""
    others = {name: batch.column(name) for name in batch.schema.names if name != "file"}
    return pa.RecordBatch.from_pydict({"file": pa.repeat(str(path), len(batch)), **others})


def _count_characters(placed: PlacedRow) -> int:
    """Return roughly how many characters a row takes: those of its response and its question."""
    _, row = placed
    return len(str(row["response"] or "")) + len(str(row.get("question") or ""))


def _batch_of_block(block: list[PlacedRow], about: dict[str, Any], source: ResultFile) -> pa.RecordBatch:
    """Return the batch of some rows, without those that are not Unicode: their records are rejected.

    about: values that all rows of the file share.
    """
    try:
        return batch_of([row for _, row in block], about)
    except UnicodeEncodeError:
        return batch_of([row for place, row in block if _is_unicode(place, row, source)], about)


def _refuse_written_golds(alone: pa.Array, source: ResultFile) -> None:
    """Raise GoldFormatError if most golds that stand alone in their rows are lists that were written out as text."""
    try:
        refuse_written_lists(pa.chunked_array([alone]), "gold='answers'")
    except GoldFormatError as error:
        finding = f"{source.path} holds golds written out as text, such as {alone[0].as_py()!r:.60}"
        raise GoldFormatError.of("", finding, _READ_LISTS) from error


def _count_in_batch(batch: pa.RecordBatch, alone: pa.Array) -> dict[str, int]:
    """Return the rows of a batch, and how many have golds, or what `_say_counts` tells. alone: see `_golds_alone`."""
    kinds = {"with_golds": pc.greater(pc.list_value_length(batch.column("answers")), 0)}
    if batch.column("response").type == LISTS:
        kinds["lists"] = pc.greater(pc.list_value_length(batch.column("response")), 1)
    kinds["solutions"] = pc.match_substring_regex(alone, _SOLUTION)
    counts = {kind: pc.sum(has_it).as_py() or 0 for kind, has_it in kinds.items()}
    return {"rows": len(batch), "written": len(find_written_golds(alone)), **counts}


def _say_counts(counts: Mapping[str, int]) -> Iterator[str]:
    """Yield remarks on the rows of a file that score otherwise than people expect. counts: of `_count_in_batch`."""
    if n := counts["lists"]:
        finding = f"the predictions of {plural(n, 'row')} are lists, and each is one answer of several spans"
        yield f"{finding}, as convention='drop' scores; if they are samples, give lists='samples'"
    if counts["rows"] and not counts["with_golds"]:
        yield "holds no golds, so that its rows cannot be scored"
    if n := counts["written"]:
        finding = f"the only golds of {plural(n, 'row')} look like lists written out as text"
        yield f"{finding}, and each counts as one gold; if they are lists, {_READ_LISTS}"
    if n := counts["solutions"]:
        finding = f"the golds of {plural(n, 'row')} are solutions that end in '#### ' and the answer"
        remedy = "give score convention='gsm8k_lm_eval', and extract='last_number' where responses are sentences"
        yield f"{finding}; {remedy}"


def _golds_alone(batch: pa.RecordBatch) -> pa.Array:
    """Return the golds of the rows that have exactly one gold, as an array of texts; empty where golds are spans."""
    golds = batch.column("answers")
    if golds.type == SPANS:
        return pa.array([], pa.string())
    return golds.filter(pc.equal(pc.list_value_length(golds), 1)).flatten()


def _is_unicode(place: Place, row: dict[str, Any], source: ResultFile) -> bool:
    """Return whether the texts of a row are Unicode, and reject its record if they are not."""
    try:
        batch_of([row], {})
    except UnicodeEncodeError:
        source.reject(place, "holds a lone surrogate, which is not valid text")
        return False
    return True


def frame_of(table: pa.Table) -> pd.DataFrame:
    """Return a table as a pandas frame that pandas can write to Parquet or Feather and read again.

    Columns of texts, numbers, truth values and times keep their Arrow type (`pd.ArrowDtype`). Lists, dicts and all else
    whose type pandas cannot read again become Python's objects. The names of the columns must be distinct.
    """
    return pd.DataFrame({name: series_of(table[name]) for name in table.column_names}, pd.RangeIndex(len(table)))
