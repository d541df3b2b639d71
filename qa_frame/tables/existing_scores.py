"""Score columns that a frame has already."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.checks import is_hashable
from qa_frame.errors import ColumnNotFoundError, ColumnTypeError, QaFrameError, show
from qa_frame.extraction.steps import steps_from_notes
from qa_frame.frames.names import require_column, score_label
from qa_frame.frames.number_columns import as_floats
from qa_frame.frames.remedy_snippets import scoring_line
from qa_frame.frames.scoring_metadata import TABLE, Origin, origins, own_scores, recall_scoring
from qa_frame.frames.source import Source
from qa_frame.frames.text_columns import TextColumns
from qa_frame.rules.listing import DEFAULT, conventions
from qa_frame.rules.parts import Convention
from qa_frame.rules.plain_data import convention_from_plain
from qa_frame.scoring.metrics import ALL_STATISTICS, BLEU_STATISTICS, METRICS
from qa_frame.scoring.predictions import extract_predictions
from qa_frame.stats.exact_sums import LIMIT
from qa_frame.stats.rows import is_any_scored
from qa_frame.tables.pooled import FIGURES
from qa_frame.tables.rows import Made, Scoring


@dataclass(frozen=True, slots=True)
class ExistingScores(Scoring):
    """Score columns that are there."""

    def _make(self, source: Source, frame: pd.DataFrame) -> Made:
        """Return the scores that were made before."""
        notes = source.notes
        _refuse_results(notes)
        own = [metric for column, metric in own_scores(notes).items() if column == self.prefix + metric]
        every = existing_scores(frame, self.prefix, own=tuple(own))
        remembered_names = [name for name in self.columns if name in origins(notes)]
        every |= {name: self.named_scores(frame, name) for name in remembered_names}
        labels = [score_label(self.prefix + name, frame.columns) for name in self.metrics or ()]
        if not (every or self.columns or any(label in frame.columns for label in labels)):
            noted = [name for name in frame.columns if is_hashable(name) and name in origins(notes)]
            prefixed = [name for name in noted if not str(name).endswith(ALL_STATISTICS)]
            if prefixed and not self.prefix:
                raise ColumnNotFoundError(
                    f"the frame has no score column with the name of a metric; name one of {prefixed} as the metric"
                )
            wanted = f" {show(self.metrics[0])}" if self.metrics else ""
            wanted += f" with prefix={self.prefix!r}" if self.prefix else ""
            raise ColumnNotFoundError(
                f"the frame has no score column{wanted}; score it first with {scoring_line(source.names)}, "
                f"or name a column of numbers as the metric. Columns: {list(source.names)}"
            )
        for name, label in zip(self.metrics or (), labels, strict=True):
            if name in METRICS and label not in frame.columns:
                raise ColumnNotFoundError(
                    f"metrics={label!r} is not a column; score it first with {scoring_line(source.names, name)}; "
                    f"columns: {list(source.names)}"
                )
        asked = [name for name in self.metrics or every if name in every]
        scored = [name if name in remembered_names else self.prefix + name for name in asked]

        def read(origin: Origin) -> TextColumns:
            named = {"choices": origin.choices, "gold_is": origin.rules.get("gold_is")}
            texts = source.texts(pred=origin.pred, gold=origin.gold, **named, spans=True)
            return extract_predictions(texts, steps_from_notes(origin.extract))

        remembered, signature = recall_scoring(notes, scored, read) if scored else (None, None)
        used = [] if remembered is None else [origins(notes)[name] for name in scored]
        convention = convention_of(used[0]) if used else None
        statistics = existing_statistics(frame, self.prefix, is_any_scored(every, len(frame)))
        no_answer = any(map(_has_no_answer, used))
        counted = origins(notes).get(self.prefix + BLEU_STATISTICS[-1])
        counted_by = None if counted is None else convention_of(counted)
        return Made(every, statistics, remembered, convention, signature, no_answer=no_answer, counted_by=counted_by)


def _refuse_results(notes: Mapping[str, Any]) -> None:
    """Raise ColumnTypeError for a table of results, of which each row is a figure of many rows."""
    note = notes.get(TABLE)
    if isinstance(note, Mapping) and note.get("kind"):
        raise ColumnTypeError(
            f"data is a result of {note['kind']}, whose rows are groups; give the scored frame. Where you want these "
            "rows as scores, take its notes away: data.attrs.clear() in pandas, data.clone() in polars, "
            "data.replace_schema_metadata(None) in Arrow"
        )


def convention_of(origin: Origin) -> Convention | None:
    """Return the convention by which scores were made; None where the notes do not hold all of it."""
    with contextlib.suppress(QaFrameError):
        return convention_from_plain(origin.rules.get("convention", DEFAULT.name))
    return None


def _has_no_answer(origin: Origin) -> bool:
    """Whether a list without golds is a gold by these rules, which holds of them also where a function is not kept."""
    plain = origin.rules.get("convention", DEFAULT.name)
    return bool(plain.get("no_answer")) if isinstance(plain, Mapping) else conventions[plain].no_answer


def existing_scores(frame: pd.DataFrame, prefix: str, *, own: tuple[str, ...] = ()) -> dict[str, Floats]:
    """Return the score columns of a frame, without their prefix, in their order.

    own: the user's own metrics, of which there may be scores.
    """
    labels: dict[Hashable, str] = {score_label(prefix + metric, frame.columns): metric for metric in (*METRICS, *own)}
    found = [label for label in dict.fromkeys(frame.columns) if label in labels]
    for label in found:
        require_column(label, list(frame.columns), "metrics")
    read = {labels[label]: _as_scores(frame[label]) for label in found}
    return {metric: values for metric, values in read.items() if values is not None}


def existing_statistics(frame: pd.DataFrame, prefix: str, has_score: Flags) -> dict[str, Ints]:
    """Return the statistics in a frame, of those figures for which all are there."""
    statistics: dict[str, Ints] = {}
    for figure in FIGURES.values():
        labels = {name: score_label(prefix + name, frame.columns) for name in figure.statistics}
        if not all(label in frame.columns for label in labels.values()):
            continue
        for name, label in labels.items():
            require_column(label, list(frame.columns), "stats")
            statistics[name] = _as_counts(frame[label], has_score)
    return statistics


def _as_scores(column: pd.Series[Any]) -> Floats | None:
    """Return a column as floats, NaN for null; None if it holds other values."""
    if column.dtype.kind == "c":  # these are numbers, but no scores
        raise _not_scores(column)
    return as_floats(column)


def _not_scores(column: pd.Series[Any]) -> ColumnTypeError:
    return ColumnTypeError(f"the column {column.name!r} holds {column.dtype}, not scores; drop or rename it")


def _as_counts(column: pd.Series[Any], has_score: Flags) -> Ints:
    """Return a column of statistics as int64. A null counts nothing, and is an error in a row that is scored."""
    if column.dtype == np.int64:
        counts = column.to_numpy()
    else:
        values = _as_scores(column)
        if values is None:
            raise _not_scores(column)
        n_null = int((np.isnan(values) & has_score).sum())
        if n_null:
            raise ColumnTypeError(
                f"the statistics {column.name!r} are null in {n_null} scored rows; score all rows with stats=True, or "
                "drop the statistics"
            )
        values = np.nan_to_num(values, nan=0.0, posinf=-1.0, neginf=-1.0)
        counts = np.where(values == np.trunc(values), values, -1.0).astype(np.int64)
    if counts.min(initial=0) < 0 or counts.max(initial=0) >= LIMIT:
        raise ColumnTypeError(f"the column {column.name!r} holds other than counts of tokens; drop or rename it")
    return counts
