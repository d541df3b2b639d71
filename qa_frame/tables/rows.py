"""The rows of a frame with their scores, and the checked arguments that say which scores a report is made of."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.checks import is_choice
from qa_frame.errors import ColumnNotFoundError, MixedScoresWarning, UnknownOptionError, plural, warn
from qa_frame.frames.diagnosis import code_renaming
from qa_frame.frames.names import are_cut_off, name_in, require_prefix
from qa_frame.frames.row_rules import FLAGS_LABEL, RULES_LABEL, lack_rules, read_flags, require_one_scoring
from qa_frame.frames.scoring_metadata import own_scores
from qa_frame.frames.source import Source, read_source
from qa_frame.frames.text_columns import TextColumns
from qa_frame.rules.parts import Convention
from qa_frame.scoring.call_rules import require_metric
from qa_frame.scoring.metrics import ALL_STATISTICS, METRICS
from qa_frame.scoring.pair_metrics import COLUMNS_OF_SUMMARIES, PairMetric
from qa_frame.scoring.plan import Items, ScoreColumns, as_items, index_metrics
from qa_frame.scoring.pooled import COUNTS, MISSING, NO_GOLD, NOT_EXTRACTED, POOLED, TRUNCATED
from qa_frame.scoring.row_flags import FLAGS
from qa_frame.stats.bootstrap import RowStatistic, find_row_statistics
from qa_frame.stats.grouping import (
    NO_GROUP_COLUMNS,
    NO_GROUP_VALUES,
    GroupCodes,
    GroupColumns,
    GroupValues,
    code_groups,
    group_rows,
)
from qa_frame.stats.influence import ClusteredRows
from qa_frame.stats.rows import ScoredRows, is_any_scored
from qa_frame.stats.statistic import Mean, Statistic
from qa_frame.tables.existing_scores import Made, label_of, named_scores, read_row_scores
from qa_frame.tables.pooled import POOLED_STATISTICS, Pooled
from qa_frame.tables.same_questions import FILTER, distinguishing_columns, find_repeating_filters

_RANKS = {name: rank for rank, name in enumerate(METRICS)}


@dataclass(frozen=True, eq=False, repr=False)
class ReadRows(ScoredRows):
    """The scored rows of a frame, of which every report is made: keys, scores, counts, and what makes them doubtful.

    Attributes
    ----------
    estimators
        The statistics to estimate from them.
    texts
        The predictions and golds of each row; None if they are not known.
    convention
        The convention by which they were scored; None if it is not known.
    frame
        The columns that were read, in pandas.
    keys
        The keys of each row, by level.
    filters
        The filters by which groups have an answer several times.
    rules
        The rules of the scores by their names, as the column of rules says; none where it says none.
    """

    estimators: tuple[Statistic, ...] = ()
    texts: TextColumns | None = None
    convention: Convention | None = None
    frame: pd.DataFrame = field(default_factory=pd.DataFrame)
    keys: GroupValues = NO_GROUP_VALUES
    filters: tuple[str, ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict)

    @property
    def golds(self) -> Any:
        """The golds of each row, an Arrow array of texts or lists; None if they are not known."""
        return None if self.texts is None else self.texts.golds

    @functools.cached_property
    def groups(self) -> GroupCodes:
        """The group of each row, by the keys of `by`."""
        return code_groups(self.keys.by, self.n_rows)

    @functools.cached_property
    def clustered(self) -> ClusteredRows:
        """The groups and clusters of the rows."""
        unit = group_rows(self.keys.unit, self.n_rows, "cluster")[0] if self.keys.unit else None
        return ClusteredRows(self.groups.codes, len(self.groups), unit)

    @property
    def members(self) -> list[Ints]:
        """The places of the rows of each group."""
        return self.clustered.members if len(self.groups) else []

    def units_of(self, places: Ints) -> Ints | None:
        """Return the clusters of these rows; None where each row is a unit."""
        return None if self.clustered.unit is None else self.clustered.unit[places]


@dataclass(frozen=True, slots=True)
class Scoring:
    """The arguments that say which scores a report is made of. They always travel together, and are checked once.

    Attributes
    ----------
    metrics
        The scores asked for, in this order; None for all that are there.
    pooled
        The pooled figures asked for; None for those that every summary has.
    prefix
        What stands in front of the names of score columns and statistics.
    columns
        The names in `metrics` that this package does not score: any columns of numbers of the frame.
    takes_pooled
        Whether figures that are pooled from statistics may be asked for.
    of_rows
        The figures asked for that need all rows, such as the median of a score.
    """

    metrics: tuple[str, ...] | None
    pooled: tuple[str, ...] | None
    prefix: str
    columns: tuple[str, ...] = ()
    takes_pooled: bool = False
    of_rows: tuple[RowStatistic, ...] = ()

    def read(
        self,
        source: Source,
        levels: GroupColumns = NO_GROUP_COLUMNS,
        made: Made | None = None,
        /,
        **columns: Sequence[Any],
    ) -> ReadRows:
        """Return the rows of a frame with their keys, scores and statistics.

        Parameters
        ----------
        levels
            The columns that name groups, datasets, clusters and questions.
        made
            The scores of these rows, where they were made just now. None: those that the frame has.
        columns
            By argument, other columns to read.

        Raises
        ------
        ColumnNotFoundError, ColumnTypeError
            If a column that is asked for is not there, or holds something else.
        UnknownOptionError
            If rows of one score were scored by different rules, or a figure that is asked for is not defined.
        """
        self.require_columns(source)
        others = columns_for_warnings(source, has_questions=bool(levels.question or columns.get("question")))
        frame, keys = levels.read(source, columns, [*self.names, *others])
        named = {**levels.named, **columns}
        has_own = made is None
        if made is None:
            made = read_row_scores(source, frame, self.metrics, self.columns, self.prefix)
        scores = {
            name: made.scores[name] if name in made.scores else named_scores(frame, name, self.prefix)
            for name in self.metrics or made.scores
        }
        statistics = self._choose_statistics(scores, made)
        rules = dict[str, str]()
        rules_label = self.prefix + RULES_LABEL
        is_by_mark = any(isinstance(each, str) and each == rules_label for each in named["by"])
        if has_own and not is_by_mark:  # groups of one rule each mix none
            own = own_scores(source.notes)
            made_here = [name for name in scores if name in METRICS or self.prefix + name in own]
            read = (*made_here, *(name for each in statistics if isinstance(each, Pooled) for name in each.statistics))
            marked = require_one_scoring(source.columns, [self.prefix + name for name in read])
            rules = {name.removeprefix(self.prefix): rule for name, rule in marked.items()}
            _warn_of_rows_without_rules(source, rules_label, {name: scores[name] for name in made_here})
        return ReadRows(
            len(frame),
            {**scores, **{each.name: scores[each.of] for each in self.of_rows}},
            made.statistics,
            is_any_scored(made.scores, len(frame)),
            _flag_rows(made, frame, name_in(source.names, "finish_reason"), source.columns, self.prefix + FLAGS_LABEL),
            made.signature,
            statistics,
            made.texts,
            made.convention,
            frame,
            keys,
            find_repeating_filters(frame, named) if FILTER in frame else (),
            rules,
        )

    @property
    def named(self) -> tuple[str, ...] | None:
        """All figures that are named; None if all that are there are asked for."""
        of_rows = (each.name for each in self.of_rows)
        return None if self.metrics is None else (*self.metrics, *of_rows, *(self.pooled or ()))

    @property
    def names(self) -> list[str]:
        """The names of columns that may be read: scores and statistics with the prefix, `columns` also without it."""
        return [*(self.prefix + name for name in (*METRICS, *ALL_STATISTICS, *self.columns)), *self.columns]

    def require_columns(self, source: Source) -> None:
        """Raise UnknownOptionError unless the frame has all columns that are named beside metrics.

        Also raise it if a statistic that is asked for, such as `f1_median`, has the name of a column.
        """
        for name in self.columns:
            require_known("metrics", name, source, self.prefix, POOLED if self.takes_pooled else ())
        for name in (each.name for each in self.of_rows):
            if label_of(name, self.prefix, source.column_labels) is not None:
                finding = "is a column, and the name of a statistic of another one that is named"
                remedy = f"rename the column first, as in {code_renaming(name)}"
                raise UnknownOptionError.of("metrics", finding, remedy, value=name)

    def _choose_statistics(self, scores: Iterable[str], made: Made) -> tuple[Statistic, ...]:
        """Return the statistics to estimate: means of scores, then statistics of all rows, then pooled figures.

        Pooled figures are as the convention defines them, if it is known. Those that are asked for must be there, see
        `_require_pooled`.

        scores: the names of the scores.
        """
        self._require_pooled(made.statistics, made.counted_by)
        there = (each for each in POOLED_STATISTICS.values() if made.statistics.keys() >= set(each.statistics))
        wanted = (each for each in there if (each.is_default if self.pooled is None else each.name in self.pooled))
        pooled = (each if made.counted_by is None else each.under(made.counted_by) for each in wanted)
        means = (mean_of(name) for name in scores if self.metrics is None or name in self.metrics)
        of_rows = (replace(each, rank=mean_of(each.of).rank) for each in self.of_rows)
        return (*means, *of_rows, *filter(None, pooled))

    def _require_pooled(self, statistics: Mapping[str, Ints], convention: Convention | None) -> None:
        """Raise ColumnNotFoundError where the columns of a pooled statistic that is named are not there.

        UnknownOptionError where the convention does not define the statistic.
        """
        for pooled in (POOLED_STATISTICS[name] for name in self.pooled or ()):
            if not statistics.keys() >= set(pooled.statistics):
                metrics = f"metrics=[{pooled.metric!r}], " if pooled.metric else ""
                rule = f", by sacrebleu's settings of {pooled.metric}" if pooled.metric else ""
                finding = f"needs the statistics {list(pooled.statistics)}"
                remedy = f"score the frame first with df.qa.score(pred, gold, {metrics}stats=True){rule}"
                raise ColumnNotFoundError.of("metrics", finding, remedy, value=pooled.name)
            if convention is not None and pooled.under(convention) is None:
                finding = f"is not part of the convention {convention.name!r}, whose source has BLEU of single rows"
                remedy = "ask for 'bleu', the mean of these"
                raise UnknownOptionError.of("metrics", f"{finding} alone", remedy, value=pooled.name)


def _flag_rows(made: Made, frame: pd.DataFrame, end: str | None, columns: Any, label: str) -> dict[str, Flags | None]:
    """Return whether each row has a flag, by the flag's name, shape (rows,); None for a flag that is not known.

    end: the column of `frame` that says why answers end; None if there is none. label: the column of flags, which may
    be among `columns`.
    """
    of_scoring = read_flags(columns, label, [*FLAGS]) if made.flags is None else made.flags
    flags: dict[str, Flags | None] = {**dict.fromkeys((*COUNTS[2:], *FLAGS)), **of_scoring}
    if made.texts is not None:
        flags[MISSING], flags[NOT_EXTRACTED] = made.texts.is_missing, made.texts.is_not_extracted
        flags[NO_GOLD] = made.texts.lack_gold(no_answer=made.no_answer)
    if end is not None:
        flags[TRUNCATED] = are_cut_off(frame[end])
    return flags


def _warn_of_rows_without_rules(source: Source, rules_label: str, scores: Mapping[str, Floats]) -> None:
    """Warn where some scored rows do not say by which rules they were scored, and others do.

    rules_label: the column of rules. scores: the scores that this package made, by name.
    """
    lacks_rules = lack_rules(source.columns, rules_label)
    if lacks_rules is None:
        return
    is_scored = is_any_scored(scores, len(lacks_rules))
    n = int(np.count_nonzero(lacks_rules & is_scored))
    if n:
        n_scored = plural(int(np.count_nonzero(is_scored)), "scored row")
        finding = f"{n} of {n_scored} have no value in {rules_label!r}, so that their rules are not known"
        warn(f"{finding}, and others have one; score all rows in one call", MixedScoresWarning, see="mixed-scores")


def columns_for_warnings(source: Source, *, has_questions: bool) -> list[str]:
    """Return the columns that warnings and counts need, which the call may not have named.

    has_questions: whether the call names `question`.
    """
    end = name_in(source.names, "finish_reason")
    return [*distinguishing_columns(source.column_labels, has_questions=has_questions), *([] if end is None else [end])]


def mean_of(name: str) -> Mean:
    """Return the mean of a score as a statistic. The user's own metrics come after those of this package."""
    return Mean(name, _RANKS.get(name, len(METRICS)))


def require_known(argument: str, name: object, source: Source, prefix: str = "", others: Sequence[str] = ()) -> None:
    """Raise UnknownOptionError unless `name` is a column, a metric, or one of `others`."""
    if isinstance(name, str) and name != "all" and label_of(name, prefix, source.column_labels) is not None:
        return
    require_metric(argument, name, list(dict.fromkeys([*METRICS, *others, *source.number_names])))


def kinds_of(statistics: Iterable[str]) -> dict[str, str]:
    """Return the kind of each statistic for the notes of a table: "pooled", "metric", or "own" for the user's own."""
    return {name: "pooled" if name in POOLED else "metric" if name in METRICS else "own" for name in statistics}


# ----------------------------------------------------------------------------------------------------------- arguments


def make_scoring(
    *,
    metrics: ScoreColumns,
    prefix: str = "",
    makes_own: bool = False,
    takes_pooled: bool = False,
    of_questions: bool = False,
    source: Source | None = None,
) -> Scoring:
    """Return the scores that `metrics` and `prefix` name; UnknownOptionError for a wrong argument.

    Parameters
    ----------
    makes_own
        Whether the caller makes the scores of the user's own metrics, so that they are no columns of the frame.
    takes_pooled
        Whether `metrics` may name figures that are pooled from statistics, too. Those that every summary has are asked
        for where it names nothing.
    of_questions
        Whether figures are means over questions that may have several samples. Pooled figures are then refused.
    source
        The frame, where it is known: other names in `metrics` are those of its columns. Where it is not known, that is
        left to `Scoring.require_columns`.
    """
    require_prefix(prefix)
    items = as_items(metrics)
    if of_questions:
        takes_pooled = False
        _refuse_pooled(items)
    takes_all = items is None or items == "all"
    every_pooled = POOLED if takes_pooled else ()
    texts = () if takes_all else tuple(each for each in items or () if isinstance(each, str) and each != "all")
    named = {} if items is None else index_metrics(items, others=(*every_pooled, *texts))
    of_rows = find_row_statistics(tuple(named)) if takes_pooled else ()
    means = tuple(name for name in named if name not in {*every_pooled, *(each.name for each in of_rows)})
    scored = {name for name, metric in named.items() if name in METRICS or (makes_own and metric != name)}
    columns = tuple(name for name in means if name not in scored)
    metrics = None if takes_all else means
    pooled = None if takes_pooled and takes_all else tuple(name for name in named if name in every_pooled)
    scoring = Scoring(metrics, pooled, prefix, columns, takes_pooled, of_rows)
    _require_free(columns, metrics or ())
    if source is not None:
        scoring.require_columns(source)
    return scoring


def read_metrics(data: Any, metrics: ScoreColumns, **scores: Any) -> tuple[Source, Scoring]:
    """Return the frame as a source, and the arguments that say which of its scores a call asks for, checked.

    scores: the other arguments of `make_scoring`, which raises UnknownOptionError for a wrong one.
    """
    source = read_source(data)
    return source, make_scoring(metrics=metrics, source=source, **scores)


def read_one_metric(data: Any, metric: str | PairMetric) -> tuple[Source, Scoring]:
    """Return the frame as a source, and the arguments that ask for the scores of this one metric or column.

    Raises UnknownOptionError if `metric` is neither.
    """
    source = read_source(data)
    require_one_metric(metric, source)
    return source, make_scoring(metrics=metric, source=source)


def _require_free(columns: Sequence[str], means: Sequence[str]) -> None:
    """Raise UnknownOptionError where a summary would have two columns of one name.

    columns: the user's columns that are asked for. means: all scores whose means are asked for.
    """
    others = {f"{name}{end}" for name in means for end in ("_lo", "_hi")} | {f"n_{name}" for name in means}
    for name in columns:
        if name in {*COLUMNS_OF_SUMMARIES, *others}:
            finding = "has the name of another column of summaries"
            raise UnknownOptionError.of("metrics", finding, f"rename it first, as in {code_renaming(name)}", value=name)


def _refuse_pooled(items: Items) -> None:
    """Raise UnknownOptionError for a figure that is made of sums over rows, of which a question has no score."""
    for name in items or ():
        if is_choice(name, POOLED):
            finding = "is made of sums over rows, and here each question needs a score of its own"
            raise UnknownOptionError.of("metrics", finding, "leave it out", value=name)


def require_one_metric(metric: object, source: Source) -> None:
    """Raise UnknownOptionError unless it is a metric, one of the user's own, or the name of a column."""
    name = metric.name if isinstance(metric, PairMetric) else metric
    if not is_choice(name, METRICS):
        require_known("metric", name, source)
