"""Rows that are scored now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pandas as pd

from qa_frame.frames.kinds import Source
from qa_frame.frames.text_columns import TextColumns
from qa_frame.reports.rows import ReadRows, Scoring
from qa_frame.scoring.doubts import NO_DOUBTS, Doubts
from qa_frame.scoring.pipeline import score_with_doubts
from qa_frame.scoring.predictions import prepare_predictions


@dataclass(frozen=True, slots=True)
class NewScores(Scoring):
    """Scores that are made now from `pred` and `gold`, by `plan`, beside columns of numbers that are there."""

    is_now: ClassVar[bool] = True

    def read(self, source: Source, frame: pd.DataFrame, *, n_jobs: int = 1, progress: bool | None = False) -> ReadRows:
        """Score the rows of a frame, and return them."""
        self.require_columns(source)
        columns = prepare_predictions(self.texts_of(source), self.plan)
        found, doubts = self._score(columns, n_jobs=n_jobs, progress=progress)
        made = {name: scores for name, scores in found.items() if name in self.plan.metrics}
        every = made | {name: self.named_scores(frame, name) for name in self.columns}
        return self.rows(
            {name: every[name] for name in self.metrics or made},
            made,
            {name: counts for name, counts in found.items() if name in self.plan.statistics},
            columns,
            signature=self.plan.signature,
            n_rows=len(frame),
            doubts=doubts,
            knows_golds=bool(found) or not self.plan.convention.no_answer,  # else all rows would be scored
        )

    def _score(self, columns: TextColumns, *, n_jobs: int, progress: bool | None) -> tuple[Mapping[str, Any], Doubts]:
        """Return the scores and statistics that figures are made of, and the doubts about them."""
        if self.pooled is not None and self.named is not None and {*self.named} <= {*self.columns}:
            return {}, NO_DOUBTS
        needs_statistics = self.pooled is None or bool(self.pooled)
        wanted = self.plan if needs_statistics else replace(self.plan, stats=False)
        progress = None if wanted.own and progress is False else progress
        return score_with_doubts(columns, wanted, n_jobs=n_jobs, progress=progress)
