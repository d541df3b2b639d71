"""Score columns that a frame has already, and what it remembers of them."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.checks import is_hashable
from qa_frame.errors import ColumnNotFoundError, ColumnTypeError, QaFrameError, show
from qa_frame.extraction.steps import steps_from_notes
from qa_frame.frames.conversions import as_floats, read_numbers
from qa_frame.frames.names import require_column, score_label
from qa_frame.frames.scoring_metadata import TABLE, Origin, origins, own_scores, restore_scoring
from qa_frame.frames.source import Source
from qa_frame.frames.text_columns import TextColumns
from qa_frame.rules.listing import DEFAULT, conventions
from qa_frame.rules.parts import Convention
from qa_frame.rules.plain_data import convention_from_plain
from qa_frame.scoring.metrics import ALL_STATISTICS, BLEU_STATISTICS, METRICS
from qa_frame.scoring.predictions import extract_predictions
from qa_frame.stats.exact_sums import LIMIT
from qa_frame.stats.rows import is_any_scored
from qa_frame.tables.likely_columns import scoring_line
from qa_frame.tables.pooled import POOLED_STATISTICS


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Made:
    """The scores of rows, made just now or read from a frame, of metrics that are asked for and of others.

    Attributes
    ----------
    scores, statistics
        By name, shape (rows,) each.
    texts, convention, signature
        The predictions and golds, and what they were scored by; None for what is not known.
    no_answer
        Whether a list without golds is a gold by these rules.
    counted_by
        The convention by whose BLEU the statistics were counted; None if it is not known.
    flags
        Which rows have each flag of `FLAGS`; None to read it from the frame.
    """

    scores: Mapping[str, Floats]
    statistics: Mapping[str, Ints]
    texts: TextColumns | None
    convention: Convention | None
    signature: str | None
    no_answer: bool = False
    counted_by: Convention | None = None
    flags: Mapping[str, Flags] | None = None


def read_row_scores(
    source: Source, frame: pd.DataFrame, metrics: Sequence[str] | None, columns: Sequence[str], prefix: str
) -> Made:
    """Return the scores that a frame has, and what it remembers of their scoring.

    Raises ColumnNotFoundError if there are no scores, or not those of a metric that is asked for, and ColumnTypeError
    for a table of results, or for columns of other things than numbers.

    frame: what `source` holds of these, in pandas. metrics, columns, prefix: see `Scoring`.
    """
    _refuse_results(source.notes)
    known = origins(source.notes)
    remembered = [name for name in columns if name in known]
    own = [metric for column, metric in own_scores(source.notes).items() if column == prefix + metric]
    scores = existing_scores(frame, prefix, own=tuple(own))
    scores |= {name: named_scores(frame, name, prefix) for name in remembered}
    labels = {name: score_label(prefix + name, frame.columns) for name in metrics or ()}
    lacking = {name: label for name, label in labels.items() if label not in frame.columns}
    if not (scores or columns) and len(lacking) == len(labels):
        raise _error_without_scores(source, frame, prefix, [*labels])
    _require_metrics(source, lacking)
    read = [name for name in metrics or scores if name in scores]
    scored = [name if name in remembered else prefix + name for name in read]
    texts, signature = _restore_texts(source, scored)
    used = [] if texts is None else [known[name] for name in scored]
    counted = known.get(prefix + BLEU_STATISTICS[-1])
    return Made(
        scores,
        existing_statistics(frame, prefix, is_any_scored(scores, len(frame))),
        texts,
        convention_of(used[0]) if used else None,
        signature,
        no_answer=any(map(_has_no_answer, used)),
        counted_by=None if counted is None else convention_of(counted),
    )


def _error_without_scores(
    source: Source, frame: pd.DataFrame, prefix: str, metrics: Sequence[str]
) -> ColumnNotFoundError:
    """Return the error for a frame without scores, which names what may be taken in their place.

    metrics: the names that the call gives; [] for none.
    """
    known, names = origins(source.notes), source.names
    noted = [name for name in frame.columns if is_hashable(name) and name in known]
    prefixed = [name for name in noted if not str(name).endswith(ALL_STATISTICS)]
    if prefixed and not prefix:
        finding = "the frame has no score column with the name of a metric"
        return ColumnNotFoundError.of("", finding, f"name one of {prefixed} as the metric")
    for metric in METRICS:
        label = score_label(prefix + metric, frame.columns)
        if label in frame.columns and not frame[label].isna().all():
            read_numbers(frame, label, "metrics", metric)  # it holds something else, and the error says what
    wanted = f" {show(metrics[0])}" if metrics else ""
    wanted += f" with prefix={prefix!r}" if prefix else ""
    remedy = f"score it first with {scoring_line(source)}, or name a column of numbers as the metric. Columns: {names}"
    return ColumnNotFoundError.of("", f"the frame has no score column{wanted}", remedy)


def _require_metrics(source: Source, lacking: Mapping[str, Hashable]) -> None:
    """Raise ColumnNotFoundError if a metric is among the scores that the frame lacks.

    lacking: the labels that the columns of these scores would have, by score.
    """
    for name, label in lacking.items():
        if name in METRICS:
            remedy = f"score it first with {scoring_line(source, name)}; columns: {source.names}"
            raise ColumnNotFoundError.of("", f"the frame has no score column {show(label)}", remedy)


def _restore_texts(source: Source, labels: Sequence[str]) -> tuple[TextColumns | None, str | None]:
    """Return the texts that these score columns were made from, and their signature; None for each that is not known.

    See `restore_scoring`.
    """

    def read(origin: Origin) -> TextColumns:
        named = {"choices": origin.choices, "gold_is": origin.rules.get("gold_is")}
        texts = source.texts(pred=origin.pred, gold=origin.gold, **named, spans=True)
        return extract_predictions(texts, steps_from_notes(origin.extract))

    return restore_scoring(source.notes, labels, read) if labels else (None, None)


def _refuse_results(notes: Mapping[str, Any]) -> None:
    """Raise ColumnTypeError for a table of results, of which each row is a figure of many rows."""
    note = notes.get(TABLE)
    if isinstance(note, Mapping) and note.get("kind"):
        remedy = "give the scored frame. Where you want these rows as scores, take its notes away: data.attrs.clear() "
        remedy += "in pandas, data.clone() in polars, data.replace_schema_metadata(None) in Arrow"
        raise ColumnTypeError.of("data", f"is a result of {note['kind']}, whose rows are groups", remedy)


def convention_of(origin: Origin) -> Convention | None:
    """Return the convention by which scores were made; None where the notes do not hold all of it."""
    with contextlib.suppress(QaFrameError):
        return convention_from_plain(origin.rules.get("convention", DEFAULT.name))
    return None


def _has_no_answer(origin: Origin) -> bool:
    """Whether these scores take an empty list of golds for the gold "no answer"; known without the whole convention."""
    plain = origin.rules.get("convention", DEFAULT.name)
    return bool(plain.get("no_answer")) if isinstance(plain, Mapping) else conventions[plain].no_answer


def label_of(name: str, prefix: str, columns: pd.Index) -> Hashable | None:
    """Return the label of the column that is named, with the prefix or as it stands; None if there is none."""
    labels = (score_label(each, columns) for each in (prefix + name, name))
    return next((label for label in labels if label in columns), None)


def named_scores(frame: pd.DataFrame, name: str, prefix: str) -> Floats:
    """Return the numbers of the column `name`, with the prefix or without; a metric's column always has the prefix."""
    label = label_of(name, prefix, frame.columns) if name not in METRICS else None
    label = score_label(prefix + name, frame.columns) if label is None else label
    return read_numbers(frame, label, "metrics", name)


def existing_scores(frame: pd.DataFrame, prefix: str, *, own: tuple[str, ...] = ()) -> dict[str, Floats]:
    """Return the scores of a frame as floats, by metric and in the order of its columns.

    A column that does not hold numbers is left out. own: the user's own metrics, of which there may be scores.
    """
    labels: dict[Hashable, str] = {score_label(prefix + metric, frame.columns): metric for metric in (*METRICS, *own)}
    present = [label for label in dict.fromkeys(frame.columns) if label in labels]
    for label in present:
        require_column(label, list(frame.columns), "metrics")
    read = {labels[label]: as_floats(frame[label]) for label in present}
    return {metric: values for metric, values in read.items() if values is not None}


def existing_statistics(frame: pd.DataFrame, prefix: str, has_score: Flags) -> dict[str, Ints]:
    """Return the statistics columns by name without prefix, int64: those of pooled figures that have all of theirs.

    Raises ColumnTypeError for a column of other things than counts, or with a null in a row that has a score.

    has_score: whether each row has a score, shape (rows,).
    """
    statistics: dict[str, Ints] = {}
    for pooled in POOLED_STATISTICS.values():
        labels = {name: score_label(prefix + name, frame.columns) for name in pooled.statistics}
        if not all(label in frame.columns for label in labels.values()):
            continue
        for name, label in labels.items():
            require_column(label, list(frame.columns), "stats")
            statistics[name] = _as_counts(frame[label], has_score)
    return statistics


def _as_counts(column: pd.Series[Any], has_score: Flags) -> Ints:
    """Return a column of statistics as int64. A null becomes 0.

    Raises ColumnTypeError for a null in a row that has a score, and for other values than counts.
    """
    if column.dtype == np.int64:
        counts = column.to_numpy()
    else:
        values = as_floats(column)
        if values is None:
            raise ColumnTypeError(f"the column {column.name!r} holds {column.dtype}, not counts; drop or rename it")
        n_null = int((np.isnan(values) & has_score).sum())
        if n_null:
            finding = f"the statistics {column.name!r} are null in {n_null} scored rows"
            raise ColumnTypeError.of("", finding, "score all rows with stats=True, or drop the statistics")
        values = np.nan_to_num(values, nan=0.0, posinf=-1.0, neginf=-1.0)
        counts = np.where(values == np.trunc(values), values, -1.0).astype(np.int64)
    if counts.min(initial=0) < 0 or counts.max(initial=0) >= LIMIT:
        raise ColumnTypeError(f"the column {column.name!r} holds other than counts of tokens; drop or rename it")
    return counts
