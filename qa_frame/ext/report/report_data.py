"""What a report shows: the scored rows, and the tables that the package's own functions make of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags
from qa_frame.checks import is_equal, unknown_option
from qa_frame.errors import (
    PairingWarning,
    ScoringWarning,
    UnknownOptionError,
    VerdictError,
    hearing_warnings,
    plural,
    warn,
)
from qa_frame.ext.annotation.ranking import Ranking, choose_ranking
from qa_frame.ext.audit.audit import FailedCheck, prepare_audit, run_checks
from qa_frame.ext.report.arguments import ReportArguments, cut
from qa_frame.ext.report.known_scores import KnownScores, refuse_key, without_keys
from qa_frame.frames.conversions import as_floats
from qa_frame.frames.names import name_in, require_column
from qa_frame.frames.row_rules import FLAGS_LABEL
from qa_frame.frames.scoring_metadata import notes_of_columns
from qa_frame.frames.source import Source, read_source
from qa_frame.scoring.plan import make_plan
from qa_frame.scoring.row_flags import LEAST_SHARE
from qa_frame.stats.grouping import list_keys, read_codes
from qa_frame.tables.compare import compare
from qa_frame.tables.human_verdicts import read_verdicts
from qa_frame.tables.metric_fit import MetricFit, fit_of
from qa_frame.tables.ranks import ranks
from qa_frame.tables.restored import ScoringMetadata
from qa_frame.tables.results import label
from qa_frame.tables.same_questions import distinguishing_columns
from qa_frame.tables.score import score_by_plan
from qa_frame.tables.summary import summary
from qa_frame.tables.visible import isolate

_QUESTION = "question"
"""The column of the questions' texts, which is shown if it is there."""

MOST_OF_NAME = 200
"""Names of groups, datasets and questions have at most so many characters on the page."""

LEFT_OUT = "comparisons leave out"
"""The warning of questions with several rows begins so."""

ANSWER_INSIDE = "em is 0, but the answer is there"
"""The check of rows whose response holds all words of a gold, and others."""

_VERDICTS = ("human", "verdict")
"""Columns of these names are taken for people's verdicts."""

_MOST_LISTED = 20
"""Groups that an error lists."""

_MOST_REPEATED = 0.05
"""Up to this share of the questions is left out of comparisons, where a group has them twice."""

_SEED = 0
"""Of the draws of all tests."""

OPEN, CONTRADICTED = "undecided by people’s verdicts", "decided otherwise by people’s verdicts"
"""What stands in the place of *better* and *worse* where people's verdicts on the same pair do not say it, too."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a frame that a report reads.

    Attributes
    ----------
    by
        The column that makes the groups, such as the model.
    on, within
        The columns that identify a question, and those inside which questions are told apart, such as the dataset.
    has_samples
        Whether a group may have several answers to a question.
    question
        The column of the questions' texts; None if the frame has none.
    cluster
        The column of what belongs together; None if each row stands alone.
    macro
        The columns whose values have equal weights in figures.
    """

    by: Hashable
    on: list[Hashable]
    within: list[Hashable]
    has_samples: bool
    question: Hashable | None
    cluster: Hashable | None
    macro: list[Hashable]

    @property
    def questions(self) -> list[Hashable]:
        """The columns that tell all questions apart."""
        return [*self.within, *self.on]

    @property
    def datasets(self) -> list[Hashable]:
        """The columns each of whose values has figures of its own."""
        return self.within or [name for name in self.macro if name != self.by]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReportData:
    """All that a report shows.

    Attributes
    ----------
    rows
        The scored rows in pandas, numbered from 0: the columns of `columns`, then the scores.
    columns
        The names of the columns.
    known
        How the scores were made.
    arguments
        Those of the report.
    metrics
        The score columns.
    fit
        How well the metrics fit the answers of each group, by the flags of its rows.
    ranking
        The score column that ranks, and why.
    human
        The column of people's verdicts, which is among `metrics`; None if there is none.
    overall, by_dataset
        The figures in percent by group, best first; and by dataset and group, None without datasets.
    own
        The metrics that have scores beyond 1 or below -1, whose figures are in their own units.
    n_questions, n_answered
        The questions, and those that each group has answers to, the fewest first; None without questions.
    compared
        The paired differences; None without questions, or for a single group.
    ranked
        The ranks that the differences in `rank_by` leave to each group, by group; None without differences. A
        difference that people's verdicts do not confirm leaves both ranks open.
    checks
        The checks of the data that fail, with their rows; None where the texts or their rules are not known.
    warned
        The warnings that the functions gave, with their categories.
    """

    rows: pd.DataFrame
    columns: Columns
    known: KnownScores
    arguments: ReportArguments
    metrics: list[str]
    fit: MetricFit
    ranking: Ranking
    human: str | None
    overall: pd.DataFrame
    by_dataset: pd.DataFrame | None
    own: list[str]
    n_questions: int
    n_answered: pd.Series[int] | None
    compared: pd.DataFrame | None
    ranked: pd.DataFrame | None
    checks: list[FailedCheck] | None
    warned: Mapping[str, type[Warning]] = field(default_factory=dict)

    @property
    def rank_by(self) -> str:
        """The metric that ranks."""
        return self.ranking.metric

    @property
    def lacks_questions(self) -> bool:
        """Whether a group lacks many of the questions that others have answers to."""
        return self.n_answered is not None and self.n_answered.min() <= (1 - LEAST_SHARE) * self.n_questions

    @property
    def groups(self) -> list[Any]:
        """The values of `by`, in the order of the leaderboard."""
        return self.overall.index.tolist()

    def pairs(self, metric: str) -> pd.DataFrame:
        """Return the comparisons by a metric, each pair in both orders; no rows where groups are not compared.

        `mdd` is the difference that so many questions would show, where a pair is undecided; else NaN.
        """
        names = ["a", "b", "n", "diff", "p_adj", "verdict", "mdd"]
        if self.compared is None:
            return pd.DataFrame(columns=names)
        pairs = self.compared.loc[self.compared["metric"] == metric, names]
        pairs["mdd"] = pairs["mdd"].where(pairs["verdict"] == "undecided")
        verdicts = [{"better": "worse", "worse": "better"}.get(each, each) for each in pairs["verdict"]]
        swapped = pairs.assign(a=pairs["b"], b=pairs["a"], diff=-pairs["diff"], verdict=verdicts)
        return pd.concat([pairs, swapped]).sort_index(kind="stable")

    def judged_pairs(self) -> pd.DataFrame:
        """Return the pairs by the metric that ranks. Where people judged them, too, see `_beside_people`."""
        pairs = self.pairs(self.rank_by).fillna({"verdict": "undecided"})
        is_judged = self.human not in {None, self.rank_by}
        return _beside_people(pairs, self.pairs(str(self.human))) if is_judged else pairs


def _beside_people(pairs: pd.DataFrame, of_people: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of a metric, with what people's verdicts on the same pairs make of its verdicts.

    "better" and "worse" become `CONTRADICTED` if people say the opposite, and `OPEN` if people are undecided. Other
    verdicts stay, and those on pairs of which people judged no row.

    of_people: the comparisons by people's verdicts.
    """
    verdict_of = of_people.set_index(["a", "b"])["verdict"].where(of_people["n"].to_numpy() > 0)
    people = verdict_of.reindex(pd.MultiIndex.from_frame(pairs[["a", "b"]])).to_numpy(object)
    is_other = pairs["verdict"].isin(["better", "worse"]) & ~pd.isna(people) & (pairs["verdict"] != people)
    instead = np.where(np.isin(people, ["better", "worse"]), CONTRADICTED, OPEN)
    return pairs.assign(verdict=pairs["verdict"].mask(is_other, pd.Series(instead, pairs.index)))


def find_verdicts(
    source: Source, known: KnownScores, human: Hashable | None, keys: Sequence[Hashable]
) -> tuple[KnownScores, str | None]:
    """Return the scores with people's verdicts as the last one, and the column of these verdicts.

    That column is None where there is none. It is the one that `human` names, or one with a usual name that holds
    verdicts. keys: the columns that make groups, which cannot hold verdicts on these. Raise VerdictError where `human`
    names a column without verdicts, UnknownOptionError where it names one of `keys`.
    """
    refuse_key("human", human, keys)
    numbers = without_keys(source.number_names, keys)
    column = next((name for name in _VERDICTS if name in numbers), None) if human is None else str(human)
    if column is None:
        return known, None
    try:
        read_verdicts(source.as_pandas({"human": [column]}), column)
    except VerdictError:
        if human is not None:
            raise
        return known, None  # it only has the name
    return replace(known, names=[*(name for name in known.names if name != column), column]), column


def read_report_data(
    source: Source, known: KnownScores, arguments: ReportArguments, *, human: str | None
) -> ReportData:
    """Return the rows of a report and its tables. human: the column of people's verdicts; None if there is none.

    Warnings of the tables are given, and kept in the result. UnknownOptionError where no group is the baseline.
    """
    columns, rows = _read_rows(source, known, arguments)
    groups, names = _name_groups(rows, columns.by)
    for name in known.names:
        rows[name] = as_floats(rows[name])
    for key in columns.datasets:
        rows[key], _ = _name_groups(rows, key)
    rows[columns.by] = groups
    if arguments.baseline is not None:
        baseline = next((name for name, value in names.items() if is_equal(value, arguments.baseline)), None)
        if baseline is None:
            raise unknown_option("baseline", arguments.baseline, [*names][:_MOST_LISTED])
        arguments = replace(arguments, baseline=baseline)
    with hearing_warnings() as heard:
        rows.attrs |= notes_of_columns(source.notes, known.names) or {}
        report_data = _make_tables(rows, columns, known, arguments, human)
    for text, category in heard.items():
        warn(text, category)
    return replace(report_data, warned=heard)


# --- rows


def _read_rows(source: Source, known: KnownScores, arguments: ReportArguments) -> tuple[Columns, pd.DataFrame]:
    """Return the rows in pandas, numbered from 0, with all columns that are needed. Levels of the index become columns.

    ColumnNotFoundError where a column that an argument names is not there, UnknownOptionError without rows.
    """
    keys = _list_columns(arguments)
    texts = {"pred": [*list_keys(known.pred)], "gold": [*list_keys(known.gold)]}
    if known.metadata is not None and known.metadata.plan.rules.choices is not None:
        texts["choices"] = [known.metadata.plan.rules.choices]
    others = [_QUESTION, FLAGS_LABEL, name_in(source.names, "finish_reason")]
    others += distinguishing_columns(source.names, has_questions=False)
    rows = source.as_pandas({**keys, **texts}, [*known.names, *filter(None, others)])
    needed = [_QUESTION, *(name for names in keys.values() for name in names)]
    levels = [name for name in rows.index.names if any(is_equal(name, each) for each in needed) and name not in rows]
    rows = rows.reset_index(levels).reset_index(drop=True)
    for argument, names in {**keys, **texts}.items():
        for name in names:
            require_column(name, list(rows.columns), argument)
    if not len(rows):
        raise UnknownOptionError("data has no rows, so there is nothing to report; give a frame with rows")
    question = _QUESTION if _QUESTION in rows else None
    (by,), on, macro = keys["by"], [*keys["question"]], [*keys["macro"]]
    within = [name for name in keys["within"] if name != by]
    return Columns(by, on, within, arguments.samples, question, next(iter(keys["cluster"]), None), macro), rows


def _list_columns(arguments: ReportArguments) -> Mapping[str, Sequence[Hashable]]:
    """Return the columns that each argument names; UnknownOptionError where `by` or `cluster` name several."""
    keys = {name: list_keys(getattr(arguments, name)) for name in ("by", "question", "within", "macro", "cluster")}
    for name, least in (("by", 1), ("cluster", 0)):
        if not least <= len(keys[name]) <= 1:
            joined = " + ' ' + ".join(f"df[{each!r}].astype(str)" for each in keys[name] or ("a", "b"))
            raise UnknownOptionError(
                f"{name} names {plural(len(keys[name]), 'column')}, {[*keys[name]]}, and a report takes one; name one, "
                f"or make one of several, as in df.assign(key={joined})"
            )
    return keys


def _name_groups(rows: pd.DataFrame, key: Hashable) -> tuple[pd.Categorical[str], dict[str, Any]]:
    """Return a column of groups as short texts, in the order of their values, and the value of each text."""
    groups, names = read_codes(rows, key, "by", has_nulls=True), dict[str, Any]()
    for number, value in enumerate(groups.labels.tolist()):
        name = cut(label(value), MOST_OF_NAME)
        names[name if name not in names else f"{name} ({number})"] = value
    return pd.Categorical.from_codes(groups.codes, pd.Index([*names]), ordered=True), names


def _without_repeated(scored: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Return the rows without those questions of which a group has several rows, and warn of them.

    All rows stay where groups have samples, or such questions are more than the share `_MOST_REPEATED`.
    """
    question = scored.groupby(columns.questions, sort=False, dropna=False, observed=True).ngroup()
    is_twice = pd.DataFrame({"question": question, "by": scored[columns.by]}).duplicated().to_numpy()
    repeated, n = question[is_twice].unique(), question.nunique()
    if columns.has_samples or not 0 < len(repeated) <= _MOST_REPEATED * n:
        return scored
    first = cut(label(tuple(scored.loc[is_twice, columns.questions].iloc[0])), MOST_OF_NAME)
    warn(
        f"{LEFT_OUT} {plural(len(repeated), 'question')} of {n:,}, as a group has several rows of each, first "
        f"{first!r}; keep one row of each, or if these are other questions, let question= name what tells them apart",
        PairingWarning,
    )
    return scored[~question.isin(repeated)]


# --- tables


def _make_tables(
    rows: pd.DataFrame, columns: Columns, known: KnownScores, arguments: ReportArguments, human: str | None
) -> ReportData:
    """Return the rows with all tables of the report. human: the column of people's verdicts; None if there is none.

    Recall is scored, too, if it fits the answers best and is not there.
    """
    fit = fit_of(read_source(rows), columns.by, metrics=known.names)
    metrics = known.names
    if fit.choose_metric()[0] not in metrics and known.metadata is not None:
        rows, metrics = _score_recall(rows, metrics, known.metadata)
    ranking = choose_ranking(rows, metrics, columns.by, fit, rank_by=arguments.rank_by, human=human)
    own = [name for name in metrics if name in rows and rows[name].abs().max() > 1]
    overall, by_dataset = _summarise(rows, columns, metrics, own, arguments.ci)
    n_questions, n_answered = _count_questions(rows, columns)
    compared = ranked = None
    if columns.on and len(overall) > 1:
        compared = _compare(_without_repeated(rows, columns), columns, metrics, arguments)
    if compared is not None and arguments.baseline is None:
        of_ranking = compared[compared["metric"] == ranking.metric]
        if human not in {None, ranking.metric}:
            judged = _beside_people(of_ranking, compared[compared["metric"] == human])
            of_ranking = of_ranking.assign(
                p_adj=of_ranking["p_adj"].mask(judged["verdict"].isin([OPEN, CONTRADICTED]), 1.0)
            )
        ranked = ranks(of_ranking, ci=float(arguments.ci)).set_index("group")
    if compared is not None and own:  # differences are shown times 100
        compared.loc[compared["metric"].isin(own), ["diff", "diff_lo", "diff_hi", "mdd"]] /= 100
    report_data = ReportData(
        rows=rows,
        columns=columns,
        known=known,
        arguments=arguments,
        metrics=metrics,
        fit=fit,
        ranking=ranking,
        human=human,
        overall=overall.sort_values(ranking.metric, ascending=False, kind="stable"),
        by_dataset=by_dataset,
        own=own,
        n_questions=n_questions,
        n_answered=n_answered,
        compared=compared,
        ranked=ranked,
        checks=None if known.metadata is None else _find_failed_checks(rows, columns, metrics, known.metadata),
    )
    if ranked is not None and report_data.lacks_questions:  # means are over other questions, and pairs are not
        return replace(report_data, overall=report_data.overall.reindex(ranked.index))
    return report_data


def _count_questions(rows: pd.DataFrame, columns: Columns) -> tuple[int, pd.Series[int] | None]:
    """Return how many questions there are, and how many each group has rows of; 0 and None without questions."""
    if not columns.on:
        return 0, None
    question = rows.groupby(columns.questions, sort=False, dropna=False, observed=True).ngroup()
    return question.nunique(), question.groupby(rows[columns.by].to_numpy(object)).nunique().sort_values(kind="stable")


def _score_recall(rows: pd.DataFrame, metrics: list[str], metadata: ScoringMetadata) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows with a new column of recall, and the metrics with recall first.

    Both stay as they are where the convention has no recall.
    """
    plan = make_plan("recall", metadata.plan.rules)
    settings: dict[str, Any] = {"pred": metadata.pred, "gold": metadata.gold, "prefix": "", "progress": False}
    try:
        return score_by_plan(plan, rows, append=True, **settings)[0], ["recall", *metrics]
    except UnknownOptionError:
        return rows, metrics


def _summarise(
    rows: pd.DataFrame, columns: Columns, metrics: list[str], own: list[str], ci: float
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Return the means with their intervals by group, and by dataset and group; None for the latter without datasets.

    They are in percent, but for the metrics `own`, which have units of their own.
    """
    settings: dict[str, Any] = {"ci": float(ci), "cluster": columns.cluster, "metrics": metrics}
    if columns.has_samples:
        settings["question"] = columns.questions
    overall = _in_percent(summary(rows, columns.by, macro=columns.macro or None, **settings), {*metrics} - {*own})
    if not columns.datasets:
        return overall, None
    inside = [name for name in columns.macro if name not in columns.datasets]  # of others, a dataset has one value
    with hearing_warnings() as heard:
        by_dataset = summary(rows, [*columns.datasets, columns.by], macro=inside or None, **settings)
    for text, category in heard.items():
        if not issubclass(category, ScoringWarning):  # which would repeat what all rows have
            warn(text, category)
    return overall, _in_percent(by_dataset, {*metrics} - {*own})


def _in_percent(table: pd.DataFrame, metrics: set[str]) -> pd.DataFrame:
    """Return a summary with the means and bounds of these metrics in percent."""
    names = [f"{name}{end}" for name in metrics for end in ("", "_lo", "_hi")]
    return table.assign(**{name: 100 * table[name] for name in names if name in table})


def _compare(scored: pd.DataFrame, columns: Columns, metrics: list[str], arguments: ReportArguments) -> pd.DataFrame:
    """Return the comparison of all groups, or of each with the baseline, with the arguments of the report."""
    return compare(
        scored,
        columns.by,
        columns.questions,
        samples=columns.has_samples,
        baseline=arguments.baseline,
        metrics=metrics,
        correction=arguments.correction,
        cluster=columns.cluster or None,
        macro=columns.macro or None,
        ci=arguments.ci,
        margin=arguments.margin,
        seed=_SEED,
    )


# --- what makes scores doubtful


def _find_failed_checks(
    rows: pd.DataFrame, columns: Columns, metrics: list[str], metadata: ScoringMetadata
) -> list[FailedCheck]:
    """Return the checks of `audit` that fail, and one of rows whose em is 0 though their recall is 1."""
    question = None if columns.has_samples else columns.questions or None  # of which no group has a second answer
    failed = run_checks(prepare_audit(read_source(rows), metadata, by=columns.by, question=question))
    if {"em", "recall"} <= {*metrics}:
        flags = (rows["em"].eq(0) & rows["recall"].eq(1)).to_numpy(np.bool_)
        failed += [FailedCheck(ANSWER_INSIDE, flags, "read ten of them, the shortest first")] * bool(flags.any())
    return failed


def rows_with(check: FailedCheck) -> Flags:
    """Return which rows fail a check, shape (rows,); none where all rows fail it, as it then tells none apart."""
    return np.zeros_like(check.flags) if check.flags.all() else check.flags


# --- names


def make_isolator(report_data: ReportData) -> Callable[[str], str]:
    """Return a function that puts the names of groups, datasets and columns in a sentence between Unicode isolates.

    Without these, a name that is written from right to left takes a figure behind it to its other side. Texts between
    quotation marks are isolated, too: so warnings write the names of questions.
    """
    columns, rows = report_data.columns, report_data.rows
    names = {str(name) for name in (columns.by, *columns.questions, *columns.macro, *report_data.metrics)}
    names |= {name for key in (columns.by, *columns.datasets) for name in rows[key].cat.categories}
    turning = sorted({name for name in names if isolate(name) != name}, key=len, reverse=True)
    named = "|".join(["'[^'<>]*'", *map(re.escape, turning)])
    parts = re.compile(f"(?<!\u2068)(?:{named})")  # pictures may have isolated some themselves
    return lambda text: parts.sub(lambda part: isolate(part[0]), text)
