"""A remedy is tried before it is given: what its rules do to the scores of the rows that it is for, and of others."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import GoldFormatError, QaFrameError, hearing_warnings
from qa_frame.frames.conversions import to_golds
from qa_frame.frames.names import name_in
from qa_frame.frames.source import Source
from qa_frame.frames.text_columns import TextColumns, read_texts
from qa_frame.scoring.call_rules import Rules
from qa_frame.scoring.chance import choose_rows
from qa_frame.scoring.metrics import METRICS, THRESHOLD
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import Plan, make_plan
from qa_frame.scoring.predictions import prepare_predictions, read_single_texts
from qa_frame.tables.human_verdicts import read_verdicts

_MOST_ROWS = 500
"""So many rows of each kind are tried, of those that a remedy is for and of others."""


def read_audited(source: Source, plan: Plan, *, pred: Hashable, gold: Hashable) -> TextColumns:
    """Return the predictions and golds. Golds that are lists written out as text stay texts: they are a finding here.

    Warnings of the reading are not given.
    """
    with hearing_warnings():
        try:
            return read_single_texts(source, plan, pred=pred, gold=gold)
        except GoldFormatError:
            labels = source.columns.index if isinstance(source.columns, pd.DataFrame) else None
            preds, lists = (read_texts(source.columns[name], repr(name), labels) for name in (pred, gold))
            return TextColumns(preds, lists, labels)


@dataclass(frozen=True, eq=False, repr=False)
class Trial:
    """The scores of some rows by the rules of the call, and by those of a remedy.

    Attributes
    ----------
    before, after
        The scores by the call's rules and by those of the remedy, by metric, shape (rows,) each. They have the metrics
        that both conventions have.
    is_concerned
        Which of these rows the remedy is for, shape (rows,).
    places
        The places of these rows in the data, shape (rows,).
    verdicts
        Whether people found each row right, as 1 or 0; NaN where nobody said it.
    """

    before: Mapping[str, Floats]
    after: Mapping[str, Floats]
    is_concerned: Flags
    places: Ints
    verdicts: Floats

    def metrics_above_zero(self, *, everywhere: bool = False) -> list[str]:
        """Return the metrics with a score above 0, by the remedy's rules, in some row that the remedy is for.

        everywhere: whether such a score in any of the rows is enough.
        """
        rows = self.is_concerned | everywhere
        return [name for name, scores in self.after.items() if (scores[rows] > 0).any()]

    def objection(self, *, may_lower: bool) -> str:
        """Say why the remedy is not given for all rows; "" where it may be. may_lower: as in `say_harm`."""
        return self.say_changed_others() or self.say_harm(may_lower=may_lower)

    @property
    def lowers_others(self) -> bool:
        """Whether any row that the remedy is not for gets a lower score."""
        return bool((self._change[:, ~self.is_concerned] < 0).any())

    @property
    def lowers_rows(self) -> bool:
        """Whether the scores of the rows that the remedy is for fall in sum, over all metrics that count all words."""
        counts_words = [not METRICS[name].ignores_length for name in self.before]
        return bool(self._change[counts_words][:, self.is_concerned].sum() < -_TINY)

    def are_made_right(self, metric: str) -> Flags:
        """Return for which rows the remedy raises the score to 1, shape (rows,)."""
        return np.asarray((self.before[metric] < 1) & (self.after[metric] == 1))

    def say_changed_others(self) -> str:
        """Say how many rows that the remedy is not for get other scores; "" where none do."""
        others = ~self.is_concerned
        n_changed = np.count_nonzero(self._change[:, others].any(axis=0))
        what = "lowers" if self.lowers_others else "changes"
        return f"{what} the scores of {n_changed:,} of {np.count_nonzero(others):,} other rows" if n_changed else ""

    def say_harm(self, *, may_lower: bool) -> str:
        """Say how the rows that the remedy is for become worse; "" where they do not.

        may_lower: whether lower scores are no objection, as those of the call are too high. Where people have judged
        some of the rows, the agreement with their verdicts decides instead.
        """
        if not self.before:
            return "has none of these metrics"
        known = self.is_concerned & ~np.isnan(self.verdicts)
        if known.any():
            right = self.verdicts[known] > 0
            sides = [np.array([*scores.values()])[:, known] for scores in (self.before, self.after)]
            agreed = [np.mean((side >= THRESHOLD) == right) for side in sides]
            return "agrees less with people's verdicts" if agreed[1] < agreed[0] else ""
        return "lowers the scores of these rows" if self.lowers_rows and not may_lower else ""

    @cached_property
    def _change(self) -> Floats:
        """The change of each score, shape (metrics, rows); what is not scored is 0."""
        before, after = (np.array([*scores.values()]) for scores in (self.before, self.after))
        change = (np.nan_to_num(after) - np.nan_to_num(before)).reshape(len(before), len(self.is_concerned))
        return np.where(abs(change) > _TINY, change, 0.0)


_TINY = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Trials:
    """What is needed to try rules on the rows of an audit."""

    source: Source
    pred: Hashable
    gold: Hashable
    plan: Plan
    columns: TextColumns
    scored: dict[Any, Mapping[str, Floats]] = field(default_factory=dict)
    """The scores of rows that were tried, by these rows and all that makes the scores."""

    def of(
        self,
        flags: Flags,
        *,
        metrics: Sequence[str] | None = None,
        sep: str | None = None,
        others: bool = True,
        **changed: Any,
    ) -> Trial | None:
        """Return the trial of rules for the rows that are flagged; None where they cannot be tried.

        metrics: those to score; None for those of the call. sep: the separator at which golds are cut first; None for
        no cut. others: whether rows without the flag are tried, too. changed: the fields of `Rules` that differ from
        those of the call.
        """
        rules = replace(self.plan.rules, **changed)
        names = self.plan.metrics if metrics is None else metrics
        common = [name for name in names if METRICS[name].is_in(rules.convention)]
        rows = self._choose(flags, others=others)
        try:
            before, after = self._score(rows, common, self.plan.rules), self._score(rows, common, rules, sep)
        except QaFrameError:  # a package is not installed
            return None
        verdicts = self._verdicts[rows] if len(self._verdicts) else np.full(len(rows), np.nan)
        return Trial(before, after, flags[rows], rows, verdicts)

    def _score(self, rows: Ints, metrics: list[str], rules: Rules, sep: str | None = None) -> Mapping[str, Floats]:
        """Return the scores of the rows at these places, by metric. Each is made once (see `scored`)."""
        key = (rows.tobytes(), *metrics, rules, sep)
        if key not in self.scored:
            self.scored[key] = self._score_anew(self.source.take(rows), metrics, rules, sep)
        return self.scored[key]

    def _score_anew(self, taken: Source, metrics: list[str], rules: Rules, sep: str | None) -> Mapping[str, Floats]:
        """Return the scores of these rows by metric, under the rules. sep: where golds are cut first; None: not."""
        plan = make_plan(metrics, replace(rules, missing="zero" if rules.missing == "raise" else rules.missing))
        columns = read_audited(taken, plan, pred=self.pred, gold=self.gold)
        if sep is not None:
            golds: Any = to_golds(columns.golds, sep)
            columns = replace(columns, golds=golds.cast(pa.large_list(pa.large_string())))
        return score_columns(prepare_predictions(columns, plan), plan, progress=False)

    def _choose(self, flags: Flags, *, others: bool) -> Ints:
        """Return the rows to try: some of those that are flagged and of the others, chosen by a hash of their texts."""
        kinds = (np.flatnonzero(flags), np.flatnonzero(~flags & others))
        chosen = (rows if len(rows) <= _MOST_ROWS else choose_rows(self.columns, rows, _MOST_ROWS) for rows in kinds)
        return np.sort(np.concatenate([*chosen]))

    @cached_property
    def _verdicts(self) -> Floats:
        """People's verdict on each row, as 1, 0 or NaN; empty where no column holds verdicts of just two values."""
        name = name_in(self.source.names, "human")
        with contextlib.suppress(QaFrameError):  # it holds something else
            verdicts = read_verdicts(self.source.as_pandas({"human": [name]}), name)
            if len(np.unique(verdicts[~np.isnan(verdicts)])) == len(("right", "wrong")):
                return np.where(np.isnan(verdicts), np.nan, verdicts == np.nanmax(verdicts))
        return np.zeros(0)
