"""`df.qa`: arguments in, frame out. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Hashable

import pandas as pd

from qa_frame.columns import append_columns, read_columns, require_no_overwrite, require_predictions
from qa_frame.conventions import Convention
from qa_frame.pipeline import Metrics, Missing, make_plan, score_columns
from qa_frame.reduction import Reduction


@pd.api.extensions.register_dataframe_accessor("qa")
class QAAccessor:
    """Question-answering scores of a frame's columns."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def score(
        self,
        pred: Hashable,
        gold: Hashable,
        *,
        metrics: Metrics = None,
        convention: str | Convention = "squad",
        reduce: Reduction = "max",
        missing: Missing = "zero",
        prefix: str = "",
        append: bool = True,
        progress: bool | None = None,
        threads: int | None = None,
    ) -> pd.DataFrame:
        plan = make_plan(metrics, convention, reduce, missing)
        names = [prefix + metric for metric in plan.metrics]
        if append:
            require_no_overwrite(names, pred=pred, gold=gold)
        columns = read_columns(self._frame, pred=pred, gold=gold)
        if missing == "raise":
            require_predictions(columns)
        scores = score_columns(columns, plan, threads=threads, progress=progress)
        return append_columns(self._frame, {prefix + name: values for name, values in scores.items()}, append=append)
