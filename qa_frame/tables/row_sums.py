"""Rows of frames → exact sums by group, which merge in any order: the one road to the table of a summary."""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qa_frame._typing import Ints
from qa_frame.errors import PoolMismatchError, UnknownOptionError, plural
from qa_frame.frames.row_rules import FLAGS_LABEL, RULES_LABEL
from qa_frame.frames.scoring_metadata import noted_columns, own_scores
from qa_frame.frames.source import Source
from qa_frame.scoring.chance import is_by_chance
from qa_frame.scoring.normalised import number_answers
from qa_frame.scoring.pooled import COUNTS
from qa_frame.scoring.row_flag_warnings import tool_of
from qa_frame.scoring.row_flags import FLAGS, LONGER, RowFlags, are_many
from qa_frame.stats.grouping import (
    GroupCodes,
    GroupColumns,
    GroupValues,
    group_rows,
    have_same_categories,
    plain_names,
)
from qa_frame.stats.rows import ScoredRows
from qa_frame.stats.samples import is_majority_answer, name_of_vote, statistics_of_samples
from qa_frame.stats.statistic import Mean, Statistic
from qa_frame.stats.sums import Facts, Sums, combine, regroup, sum_by_group
from qa_frame.tables.existing_scores import Made
from qa_frame.tables.metric_fit import find_fit
from qa_frame.tables.options import require_reached
from qa_frame.tables.repeated_questions import warn_of_repeated
from qa_frame.tables.rows import ReadRows, Scoring, columns_for_warnings, mean_of
from qa_frame.tables.same_questions import (
    DATASET,
    QUESTION,
    Mixed,
    Naming,
    find_mixed,
    is_among,
    refuse_mixed,
    warn_of_filters,
)

_PENDING_GROUPS = 1 << 14
"""Sums are combined once the new ones have so many groups, or as many as the combined ones: that is rare then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SumsPlan:
    """The checked arguments of a summary that say which sums of rows are kept.

    Attributes
    ----------
    levels
        The columns that name groups, datasets, clusters and questions.
    scoring
        Which scores are summed.
    threshold
        The minimum score of a right sample.
    has_votes
        Whether the answers of a question vote, as in `majority` of `qa_frame.summary`. All rows of a question are then
        added at once.
    keep_rows, keep_products
        Whether every row's scores are kept, as medians and draws of rows need them; and whether sums of products are
        kept by group, as intervals need them.
    finds_repeated
        Whether to warn of questions that are repeated under other ids, which make intervals too narrow.
    """

    levels: GroupColumns
    scoring: Scoring
    threshold: float
    has_votes: bool
    keep_rows: bool
    keep_products: bool
    finds_repeated: bool = False

    @property
    def naming(self) -> Naming:
        """How the call names questions that have several samples."""
        return Naming(self.levels.question, (*self.levels.by, *self.levels.macro))

    @property
    def named_columns(self) -> list[tuple[str, Hashable]]:
        """The columns that the arguments name, as pairs of an argument and a column."""
        return [(argument, key) for argument, keys in self.levels.named.items() for key in keys]

    def needed_columns(self, source: Source, texts: Sequence[Hashable] = ()) -> list[Hashable]:
        """Return the columns of a frame that the summary reads, in the frame's order.

        texts: the columns of texts that the caller will score. If there are any, the frame's own scores are not read.

        Raises UnknownOptionError if `metrics` names a column that the frame lacks, as `Scoring.require_columns` does.
        """
        self.scoring.require_columns(source)
        needed = {key for _, key in self.named_columns}
        prefix, columns = self.scoring.prefix, self.scoring.columns
        needed |= {*columns, *(prefix + name for name in columns)}
        needed.update(texts)
        if not texts:
            needed |= {*self.scoring.names, prefix + RULES_LABEL, prefix + FLAGS_LABEL}
            needed |= {*noted_columns(source.notes), *own_scores(source.notes)}
        needed.update(columns_for_warnings(source, has_questions=bool(self.levels.question)))
        return [name for name in source.names if name in needed]

    def require_same(self, other: SumsPlan) -> None:
        """Raise PoolMismatchError if the other plan has other columns, metrics, threshold or `keep_rows`.

        The prefix may differ. Metrics are compared only if both plans name some.
        """
        names = ("keep_rows", "threshold")
        settings, others = ({name: getattr(each, name) for name in names} | each.levels.named for each in (self, other))
        for name, mine in settings.items():
            theirs = others[name]
            if mine != theirs:
                shown = [plain_names(each) if isinstance(each, tuple) else each for each in (mine, theirs)]
                finding = f"{name}={shown[0]!r} in this Pool, {name}={shown[1]!r} in the other"
                raise PoolMismatchError.of("", finding, "make both alike")
        mine, theirs = self.scoring.named, other.scoring.named
        if mine and theirs and set(mine) != set(theirs):
            raise PoolMismatchError(f"metrics={list(mine)} in this Pool, {list(theirs)} in the other; make both alike")


class RowSums:
    """Counts and exact sums of rows by group, by a plan. `summary` makes one of a frame, files one of each chunk."""

    def __init__(self, plan: SumsPlan) -> None:
        self.plan = plan
        self._parts: list[Sums] = []
        self._filters: set[str] = set()
        self._mixed: list[Mixed] = []
        self._facts: Facts | None = None
        self._rules: dict[str, str] = {}
        self._mixed_categories: set[Hashable] = set()
        """The columns of `by` whose categories are not the same in all rows, which observed=False needs."""
        self._moved = RowFlags()
        self._order_changes: list[str] = []
        self.tool: str = ""
        """The convention of the rows, where it gives a tool's numbers."""

    def to_bytes(self) -> bytes:
        """Return the sums without the plan, as a pickle for `restore`."""
        return pickle.dumps({name: value for name, value in vars(self).items() if name != "plan"})

    def restore(self, pickled: bytes) -> None:
        """Replace these sums by those that `to_bytes` pickled. The plan stays as it is."""
        vars(self).update(_Unpickler(io.BytesIO(pickled)).load())

    def __str__(self) -> str:
        sums, _ = regroup(self._combine_parts(), GroupValues(self._combine_parts().keys.by))
        metrics = sums.facts.columns_of_kind("metrics") or self.plan.scoring.named or ("those of the first frame",)
        n_groups, n_rows = plural(sums.n_groups, "group"), plural(int(sums.n_rows.sum()), "row")
        return f"{n_groups}, {n_rows}, metrics: {' '.join(metrics)}"

    def add(self, source: Source, made: Made | None = None) -> RowSums:
        """Add the rows of a frame, and return these sums.

        made: the scores of the rows, if they were made just now. None takes the scores that the frame has.
        """
        plan = self.plan
        rows = plan.scoring.read(source, plan.levels, made)
        statistics: Sequence[Statistic] = rows.estimators
        if plan.levels.question:
            require_reached(plan.threshold, rows.scores)
        if plan.has_votes:
            rows = with_votes(rows, plan.threshold)
        if plan.levels.question:
            statistics = statistics_of_samples(statistics, plan.threshold, has_votes=plan.has_votes)
        groups = group_rows(rows.keys.columns, rows.n_rows)
        kept = {"with_products": plan.keep_products, "with_rows": plan.keep_rows}
        sums = sum_by_group(rows, statistics, rows.keys, **kept, groups=groups)
        self._absorb(sums, rows.rules)
        self._filters.update(rows.filters)
        self.tool = tool_of(rows.convention)
        self._note_longer_answers(rows, groups[0], sums)
        if plan.finds_repeated and not is_among(QUESTION, plan.levels.question):
            codes = rows.groups.codes if plan.levels.question else groups[0]
            warn_of_repeated(source, rows, codes, groups[0] if plan.levels.question else None)
        if plan.levels.question:
            signs = (QUESTION, DATASET) if rows.golds is None else ()
            self._mixed.append(find_mixed(rows.frame, rows.golds, groups[0], plan.naming, signs))
        return self

    def _note_longer_answers(self, rows: ReadRows, codes: Ints, sums: Sums) -> None:
        """Note whether golds are in longer answers by chance, and which groups change order if these count as right.

        Nothing is noted if no group has many longer answers that hold a gold.

        codes: the place of each row's group in `sums`.
        """
        is_longer, keys, order_changes = rows.flags[LONGER], sums.keys, ""
        has_own_sums, n = len(keys.columns) == len(keys.by), sums.counts[LONGER]
        has_many = are_many(n, sums.n_rows) if has_own_sums else are_many(n.sum(), 0)
        if is_longer is not None and np.any(has_many):
            groups = GroupCodes(codes, keys.by) if has_own_sums else rows.groups
            fit = find_fit(replace(rows, flags={LONGER: is_longer}), groups)
            self._moved += fit.moved
            order_changes = "" if keys.stratum or keys.question else fit.say_order_changes()
        self._order_changes = [*self._order_changes, order_changes][:2]

    @property
    def order_changes(self) -> str:
        """The sentences of `MetricFit.say_order_changes`; "" where rows were added in several parts."""
        return self._order_changes[0] if len(self._order_changes) == 1 else ""

    @property
    def by_chance(self) -> bool:
        """Whether golds are inside longer answers by chance."""
        return is_by_chance(self._moved)

    def merge(self, other: RowSums) -> RowSums:
        """Add the rows of other sums, which stay as they are, and return these sums.

        Raises PoolMismatchError if the two differ in their plans or metrics, or in the rules or signatures of their
        scores.
        """
        self.plan.require_same(other.plan)
        if not other._parts:
            return self
        part, scoring = combine(other._parts), self.plan.scoring
        pooled = [each.name for each in part.facts.statistics if each.kind != "metrics" and scoring.pooled]
        there = [*part.facts.columns_of_kind("metrics"), *pooled]
        if scoring.named is not None and set(scoring.named) != set(there):
            raise PoolMismatchError(f"the metrics differ: {list(scoring.named)} here, {there} there; make both alike")
        self._absorb(part, other._rules)
        self._filters |= other._filters
        self._mixed += other._mixed
        self._mixed_categories |= other._mixed_categories
        self._moved += other._moved
        self.tool = self.tool or other.tool
        self._order_changes = [*self._order_changes, *other._order_changes][:2]  # more of them say nothing more
        return self

    def check_and_combine(self) -> Sums:
        """Return the sums of all rows so far, checked.

        Warns of answers that count once for each of several filters, and of questions whose rows differ. Raises
        PairingError if many questions have different golds, and ColumnTypeError if a question or cluster of a group has
        two clusters or datasets.
        """
        sums = self._combine_parts()
        sums.keys.require_nested()
        if any(part.differing for part in self._mixed):
            refuse_mixed(self._mixed, self.plan.naming)
        warn_of_filters(sorted(self._filters))
        return sums

    def require_same_categories(self) -> None:
        """Raise PoolMismatchError if the categories of a column of `by` differ between rows.

        It is then not known which groups have no rows.
        """
        for name in self._mixed_categories:
            finding = f"the categories of by={name!r} are not the same in all rows"
            remedy = "with observed=False give the same categories, in the same order, everywhere"
            raise PoolMismatchError.of("", finding, remedy)

    def _require_same_rules(self, rules: Mapping[str, str]) -> None:
        """Raise PoolMismatchError where the column of rules says that a score was made by other rules than before."""
        for name, rule in rules.items():
            before = self._rules.get(name, rule)
            if before != rule:
                rules_differ = f"{before} in the rows before, {rule} in these"
                finding = f"the rules of {name!r} differ, by the column {RULES_LABEL!r}: {rules_differ}"
                raise PoolMismatchError.of("", finding, "score all rows in the same way")

    def _absorb(self, part: Sums, rules: Mapping[str, str]) -> None:
        """Add the sums of more rows, and note the rules of their scores, by the names of the scores.

        Raises PoolMismatchError if the rows were scored in another way than those before; these sums then stay as they
        were.
        """
        facts = part.facts if self._facts is None else self._facts.merge(part.facts)
        self._require_same_rules(rules)
        for levels in zip(self._parts[0].keys.by, part.keys.by, strict=True) if self._parts else ():
            if not have_same_categories(levels):
                self._mixed_categories.add(levels[0].name)
        self._facts, self._rules = facts, {**self._rules, **rules}
        self._parts.append(part)
        if sum(each.n_groups for each in self._parts[1:]) > max(self._parts[0].n_groups, _PENDING_GROUPS):
            self._combine_parts()

    def _combine_parts(self) -> Sums:
        """Return the sums of all rows as one part, which is kept in the place of the several parts."""
        if not self._parts:
            return _sums_of_no_rows(self.plan)
        self._parts = [combine(self._parts)]
        return self._parts[0]


def start_row_sums(plan: SumsPlan) -> RowSums:
    """Return sums without rows, to which rows are added in several parts.

    Raises UnknownOptionError with `majority`, as one part may not hold all answers to a question.
    """
    if plan.has_votes:
        finding = "compares the answers to a question, which may stand in several parts of these rows"
        remedy = "give qa_frame.summary a frame that holds all of them"
        raise UnknownOptionError.of("majority", finding, remedy)
    return RowSums(plan)


def _sums_of_no_rows(plan: SumsPlan) -> Sums:
    """Return the sums that `RowSums` has before its first rows."""
    metrics, keys = plan.scoring.metrics or (), plan.levels.keys_of_no_rows()
    flags = dict.fromkeys((*COUNTS[2:], *FLAGS))
    rows = ScoredRows(0, dict.fromkeys(metrics, np.zeros(0)), {}, np.zeros(0, np.bool_), flags)
    return sum_by_group(rows, [*map(mean_of, metrics)], keys, with_products=plan.keep_products, with_rows=True)


def with_votes(rows: ReadRows, threshold: float) -> ReadRows:
    """Return the rows with one more score for each mean: 1 or 0 (right or not) for a most frequent answer, else NaN.

    Answers are equal if the convention's exact match would say so. A null prediction is the answer "".
    UnknownOptionError where the texts or the convention are not known.

    threshold: the minimum score of a right answer.
    """
    if rows.texts is None or rows.convention is None:
        finding = "compares the predictions, and the frame does not know how it was scored"
        remedy = "tell it with df.qa.with_scoring_of(scored), or score it again"
        raise UnknownOptionError.of("majority", finding, remedy)
    question, _ = group_rows(rows.keys.columns, rows.n_rows)
    answers = number_answers(rows.texts.pred, rows.convention)
    scores = dict(rows.scores)
    for each in rows.estimators:
        if isinstance(each, Mean):
            has_vote = is_majority_answer(answers, question, ~np.isnan(rows.scores[each.name]))
            scores[name_of_vote(each.name)] = np.where(has_vote, rows.scores[each.name] >= threshold, np.nan)
    return replace(rows, scores=scores)


# ------------------------------------------------------------------------------------------------------------- pickles


class _Unpickler(pickle.Unpickler):
    """Finds the classes of this package by their names alone, so that their modules may move."""

    def find_class(self, module: str, name: str) -> Any:
        """Return the class or function of this name."""
        if not module.startswith("qa_frame."):
            return super().find_class(module, name)
        ours = (vars(each) for key, each in [*sys.modules.items()] if key.startswith("qa_frame."))
        return next(names[name] for names in ours if name in names)
