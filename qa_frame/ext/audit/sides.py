"""A batch of rows as an audit looks at it: the distinct texts of each side, and the rows that have them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags, Ints
from qa_frame.frames.text_columns import TextColumns
from qa_frame.kernels.tokens import Pairs
from qa_frame.rules.parts import gold_tokens_of
from qa_frame.scoring.batches import Batch, make_batch
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pipeline import score_pairs
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.row_flags import Marks, mark_rows
from qa_frame.text.raw_texts import PREDICTIONS
from qa_frame.text.specification import Text
from qa_frame.text.words import Words, cut_words

_ANSWERING = ("exact", "overlap", "contains")
"""The families of metrics whose normalisation decides whether an answer is right."""


@dataclass(frozen=True, eq=False, repr=False)
class Sides:
    """A batch of rows, and the metrics and rules of the call."""

    columns: TextColumns
    plan: Plan

    @cached_property
    def batch(self) -> Batch:
        """The texts and pairs. A missing prediction is the empty text."""
        prepare = PREDICTIONS[self.plan.convention.prediction]
        return make_batch(self.columns, prepare_pred=prepare, missing_as_empty=True)

    @cached_property
    def words(self) -> Words:
        """The words of all texts."""
        return cut_words(self.batch.texts, whole_texts_only=self.plan.needs.takes_whole_texts)

    @cached_property
    def golds(self) -> Ints:
        """The places of the golds in the batch's texts, each once."""
        return np.unique(self.batch.pairs.gold)

    @cached_property
    def gold_texts(self) -> pa.Array:
        """The distinct golds."""
        return self.batch.texts.take(pa.array(self.golds))

    @cached_property
    def pred_texts(self) -> pa.Array:
        """The distinct predictions."""
        return self.batch.texts.take(pa.array(np.unique(self.batch.pairs.pred)))

    @cached_property
    def marks(self) -> Marks:
        """What makes the scores of rows doubtful, as scoring marks it."""
        scored = score_pairs(self.columns, self.plan, whole_texts=False)
        return mark_rows(scored.batch, scored.counts, scored.scores, self.plan.convention)

    @property
    def no_rows(self) -> Flags:
        """Flags of all rows that are all False."""
        return np.zeros(self.batch.n_rows, np.bool_)

    @property
    def has_one_gold(self) -> Flags:
        """The rows with one gold."""
        one: Flags = np.diff(self.batch.pair_offsets) == 1
        return one

    @property
    def families(self) -> list[str]:
        """The families of the metrics that are asked for."""
        return list(dict.fromkeys(METRICS[metric].family for metric in self.plan.metrics))

    @property
    def answering_texts(self) -> list[Text]:
        """How golds become tokens for the metrics that decide if answers are right, or else for all metrics."""
        chosen = [family for family in _ANSWERING if family in self.families] or self.families
        rules = [getattr(self.plan.convention, family) for family in chosen]
        return list(dict.fromkeys(gold_tokens_of(rule) or rule.text for rule in rules))

    @property
    def tokens_decide(self) -> bool:
        """Whether an answer is right where its tokens are those of the gold, and nowhere else."""
        rules = [getattr(self.plan.convention, family) for family in self.families]
        exact = self.plan.convention.exact if "exact" in self.families else None
        is_other_kind = exact is not None and not (exact.numbers is None and exact.agreed_text is None)
        return not is_other_kind and all(gold_tokens_of(rule) is None for rule in rules)

    def rows(self, is_pair: Flags) -> Flags:
        """The rows that have any of these pairs."""
        found = self.no_rows
        found[self.batch.row_per_pair[is_pair]] = True
        return found

    def rows_of_golds(self, is_gold: Flags) -> Flags:
        """The rows that have any of these golds. is_gold: shape (golds,)."""
        return self._rows_of(self.batch.pairs.gold, is_gold)

    def rows_of_preds(self, is_pred: Flags) -> Flags:
        """The rows that have any of these predictions. is_pred: shape (preds,)."""
        return self._rows_of(self.batch.pairs.pred, is_pred)

    def _rows_of(self, side: Ints, is_text: Flags) -> Flags:
        """The rows that have any of these texts on a side of their pairs. is_text: of its distinct texts, in order."""
        flagged = np.zeros(len(self.batch.texts), np.bool_)
        flagged[np.unique(side)] = is_text
        return self.rows(flagged[side])

    def used_texts(self, pairs: Pairs) -> tuple[pa.Array, Pairs]:
        """The texts that these pairs have, and the pairs with places in these texts."""
        used, places = np.unique(np.concatenate((pairs.pred, pairs.gold)), return_inverse=True)
        return self.batch.texts.take(pa.array(used)), Pairs(*np.split(places, 2))


def matches(texts: pa.Array, pattern: str) -> Flags:
    """Whether a regular expression is found in each text."""
    return as_flags(pc.match_substring_regex(texts, pattern))


def as_flags(array: pa.Array) -> Flags:
    """Return an Arrow array of truth values as an array of numpy."""
    flags: Flags = array.to_numpy(zero_copy_only=False)
    return flags
