"""What a report shows: the scored rows, and the tables that the package's own functions make of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags
from qa_frame.checks import Correction, is_choice, is_equal, unknown_option
from qa_frame.errors import (
    PairingWarning,
    UnknownOptionError,
    VerdictError,
    hearing_warnings,
    plural,
    warn,
)
from qa_frame.ext.annotation.concordance import auc, judge
from qa_frame.ext.audit.audit import FailedCheck, look_at, run_checks
from qa_frame.frames.conversions import as_floats
from qa_frame.frames.names import name_in, require_column
from qa_frame.frames.scoring_metadata import notes_of_columns
from qa_frame.frames.source import Source, read_source
from qa_frame.scoring.metrics import METRICS, OTHER_NAMES
from qa_frame.scoring.pooled import COUNTS
from qa_frame.scoring.row_flag_warnings import Sentence, say_of_groups
from qa_frame.scoring.row_flags import LONGER
from qa_frame.stats.grouping import list_keys, read_codes
from qa_frame.tables.compare import compare_groups
from qa_frame.tables.human_verdicts import read_verdicts
from qa_frame.tables.pairs import make_pair_arguments, read_pairs
from qa_frame.tables.ranks import ranks
from qa_frame.tables.restored import KnownScores, ScoringMetadata, refuse_key, without_keys
from qa_frame.tables.results import label
from qa_frame.tables.rows import read_metrics
from qa_frame.tables.same_questions import telling_apart
from qa_frame.tables.significance_settings import make_testing
from qa_frame.tables.summary import summary
from qa_frame.tables.visible import cut, isolate

_QUESTION = "question"
"""The column of the questions' texts, which is shown if it is there."""

MOST_OF_NAME = 200
"""Names of groups, datasets and questions have at most so many characters on the page."""

_LEADS = ("f1", "em")
"""The metrics that rank by default, the first that is there."""

LEFT_OUT = "comparisons leave out"
"""The warning of questions with several rows begins so."""

_VERDICTS = ("human", "verdict")
"""Columns of these names are taken for people's verdicts."""

_MOST_LISTED = 20
"""Groups that an error lists."""

_MOST_REPEATED = 0.05
"""Up to this share of the questions is left out of comparisons, where a group has them twice."""


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
    pred, gold
        The predictions and the golds; None if the frame has none.
    question
        The texts of the questions; None if the frame has none.
    cluster
        The column of what belongs together; None if each row stands alone.
    macro
        The columns whose values have equal weights in figures.
    """

    by: Hashable
    on: list[Hashable]
    within: list[Hashable]
    has_samples: bool
    pred: Hashable | None
    gold: Hashable | None
    question: Hashable | None
    cluster: Hashable | None
    macro: list[Hashable]

    @property
    def questions(self) -> list[Hashable]:
        """The columns that tell all questions apart."""
        return [*self.within, *self.on]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReportData:
    """All that a report shows.

    Attributes
    ----------
    rows
        The scored rows in pandas, numbered from 0: the columns of `columns`, then the scores.
    columns
        The names of the columns.
    metrics, rank_by
        The score columns, and the one that ranks.
    human
        The column of people's verdicts, which is among `metrics`; None if there is none.
    agreed
        How often a right answer has the higher score of two, by metric, the highest first; empty without verdicts.
    ci
        The level of the intervals.
    baseline
        The group that others are compared with; None for all pairs.
    margin
        How much worse is still as good: of all metrics, by metric, or None.
    overall, by_dataset
        The figures in percent by group, best first; and by dataset and group, None without `within`.
    own
        The metrics that have scores beyond 1 or below -1, whose figures are in their own units.
    n_left_out
        The questions that comparisons leave out, as a group has several rows of each.
    compared
        The paired differences; None without questions, or for a single group.
    ranked
        The ranks that the differences in `rank_by` leave to each group, by group; None without differences.
    hazards
        The hazards that concern rows, with their rows; None where the texts or their rules are not known.
    doubts
        What is said of groups that have many rows of a kind that makes their scores say less.
    signature
        The line that names all settings of the scoring.
    warned
        The warnings that the functions gave, with their categories.
    """

    rows: pd.DataFrame
    columns: Columns
    metrics: list[str]
    rank_by: str
    human: str | None
    agreed: dict[str, float]
    ci: float
    baseline: Any
    margin: float | Mapping[str, float] | None
    overall: pd.DataFrame
    by_dataset: pd.DataFrame | None
    own: list[str]
    n_left_out: int
    compared: pd.DataFrame | None
    ranked: pd.DataFrame | None
    hazards: list[FailedCheck] | None
    doubts: list[Sentence]
    signature: str
    warned: dict[str, type[Warning]] = field(default_factory=dict)

    @property
    def groups(self) -> list[Any]:
        """The values of `by`, in the order of the leaderboard."""
        return self.overall.index.tolist()

    def pairs(self, metric: str) -> pd.DataFrame:
        """Return the comparisons by a metric, each pair in both orders; no rows where groups are not compared.

        `mdd` is the difference that so many questions find, where a pair is undecided; else NaN.
        """
        names = ["a", "b", "diff", "p_adj", "verdict", "mdd"]
        if self.compared is None:
            return pd.DataFrame(columns=names)
        found = self.compared.loc[self.compared["metric"] == metric, names]
        found["mdd"] = found["mdd"].where(found["verdict"] == "undecided")
        verdicts = [{"better": "worse", "worse": "better"}.get(each, each) for each in found["verdict"]]
        turned = found.assign(a=found["b"], b=found["a"], diff=-found["diff"], verdict=verdicts)
        return pd.concat([found, turned]).sort_index(kind="stable")


def find_verdicts(
    source: Source, known: KnownScores, human: Hashable | None, keys: Sequence[Hashable]
) -> tuple[KnownScores, str | None]:
    """Return the scores with people's verdicts behind them, and the column of these; None where there is none.

    keys: the columns that make groups, which are no verdicts on these.
    """
    refuse_key("human", human, keys)
    numbers = without_keys(source.number_names, keys)
    found = next((name for name in _VERDICTS if name in numbers), None) if human is None else str(human)
    if found is None:
        return known, None
    try:
        read_verdicts(source.as_pandas({"human": [found]}), found)
    except VerdictError:
        if human is not None:
            raise
        return known, None  # it only has the name
    return replace(known, names=[*(name for name in known.names if name != found), found]), found


def read_report_data(
    source: Source, known: KnownScores, *, samples: bool, baseline: Any, **settings: Any
) -> ReportData:
    """Return the tables of the rows. Warnings are given, and kept.

    samples, baseline: the arguments of `report`. settings: others that name columns, those of the tests, the metric
    that ranks as `rank_by`, and the column of verdicts as `human`.
    """
    keys = {name: list_keys(settings.pop(name)) for name in ("by", "question", "within", "macro", "cluster")}
    for name, least in (("by", 1), ("cluster", 0)):
        if not least <= len(keys[name]) <= 1:
            joined = " + ' ' + ".join(f"df[{each!r}].astype(str)" for each in keys[name])
            remedy = f"add one column of all and name that, as in df.assign(key={joined})" if joined else "name one"
            raise UnknownOptionError(
                f"{name} names {plural(len(keys[name]), 'column')}, {[*keys[name]]}, and a report takes one; {remedy}"
            )
    read = _read_rows(source, known, keys)
    within = [name for name in keys["within"] if name != keys["by"][0]]
    question = _QUESTION if _QUESTION in read else None
    cluster = next(iter(keys["cluster"]), None)
    columns = Columns(
        keys["by"][0], [*keys["question"]], within, samples, known.pred, known.gold, question, cluster, [*keys["macro"]]
    )
    groups, names = _name_groups(read, columns.by)
    rows = read.assign(**{name: as_floats(read[name]) for name in known.names})
    rows[columns.by] = groups
    for name in within:
        rows[name], _ = _name_groups(read, name)
    if baseline is not None:
        baseline = _find_name(baseline, names)
    with hearing_warnings() as told:
        rows.attrs |= notes_of_columns(source.notes, known.names) or {}
        report_data = _make_tables(rows, columns, known, baseline=baseline, **settings)
    for text in [text for text in told if "at least twice as many others" in text][1:]:
        del told[text]  # which says of groups inside datasets what the first one says of groups
    for text, category in told.items():
        warn(text, category)
    report_data.warned.update(told)
    return report_data


def _read_rows(source: Source, known: KnownScores, keys: Mapping[str, Sequence[Hashable]]) -> pd.DataFrame:
    """Return the rows in pandas, numbered from 0, with all columns that are needed. Levels of the index become columns.

    keys: by argument, the columns that it names; ColumnNotFoundError where one is not there.
    """
    texts = {"pred": [*list_keys(known.pred)], "gold": [*list_keys(known.gold)]}
    if known.recalled is not None and known.recalled.plan.rules.choices is not None:
        texts["choices"] = [known.recalled.plan.rules.choices]
    others = [_QUESTION, name_in(source.names, "finish_reason"), *telling_apart(source.names, has_questions=False)]
    read = source.as_pandas({**keys, **texts}, [*known.names, *filter(None, others)])
    asked = [_QUESTION, *(name for names in keys.values() for name in names)]
    levels = [name for name in read.index.names if any(is_equal(name, each) for each in asked) and name not in read]
    read = read.reset_index(levels).reset_index(drop=True)
    for argument, names in {**keys, **texts}.items():
        for name in names:
            require_column(name, list(read.columns), argument)
    if not len(read):
        raise UnknownOptionError("data has no rows, so there is nothing to report; give a frame with rows")
    return read


def _name_groups(rows: pd.DataFrame, key: Hashable) -> tuple[pd.Categorical[str], dict[str, Any]]:
    """Return a column of groups as short texts, in the order of their values, and the value of each text."""
    groups, names = read_codes(rows, key, "by", has_nulls=True), dict[str, Any]()
    for number, value in enumerate(groups.labels.tolist()):
        name = cut(label(value), MOST_OF_NAME)
        names[name if name not in names else f"{name} ({number})"] = value
    return pd.Categorical.from_codes(groups.codes, pd.Index([*names]), ordered=True), names


def _find_name(baseline: Any, names: Mapping[str, Any]) -> str:
    """Return the name on the page of the group that others are compared with."""
    found = next((name for name, value in names.items() if is_equal(value, baseline)), None)
    if found is None:
        raise unknown_option("baseline", baseline, [*names][:_MOST_LISTED])
    return found


def _make_tables(
    scored: pd.DataFrame,
    columns: Columns,
    known: KnownScores,
    *,
    rank_by: str | None,
    ci: float,
    human: str | None,
    baseline: Any,
    **tests: Any,
) -> ReportData:
    metrics, macro = known.names, columns.macro or None
    agreed = {} if human is None else _measure_agreement(scored, metrics, human)
    rank_by = _choose_rank_by(rank_by, metrics, agreed)
    own = [name for name in metrics if name in scored and scored[name].abs().max() > 1]
    figures: dict[str, Any] = {"ci": ci, "cluster": columns.cluster, "metrics": metrics, "macro": macro}
    if columns.has_samples:
        figures["question"] = columns.questions
    overall = _in_percent(summary(scored, columns.by, **figures), {*metrics} - {*own})
    by_dataset = None
    if columns.within:
        inside = [name for name in columns.macro if name not in columns.within]  # of others, a dataset has one value
        by_dataset = summary(scored, [*columns.within, columns.by], **figures | {"macro": inside or None})
        by_dataset = _in_percent(by_dataset, {*metrics} - {*own})
    n_left_out, is_left_out = _find_repeated(scored, columns)
    compared = ranked = None
    if columns.on and len(overall) > 1:
        compared = _compare(scored[~is_left_out], columns, metrics, ci=ci, baseline=baseline, **tests)
    if compared is not None and baseline is None:
        ranked = ranks(compared[compared["metric"] == rank_by], ci=ci).set_index("group")
    if compared is not None and own:  # differences are shown times 100
        compared.loc[compared["metric"].isin(own), ["diff", "diff_lo", "diff_hi", "mdd"]] /= 100
    hazards = [] if known.recalled is None else _find_hazards(scored, columns, known.recalled)
    return ReportData(
        rows=scored,
        columns=columns,
        metrics=metrics,
        rank_by=rank_by,
        human=human,
        agreed=agreed,
        ci=ci,
        baseline=baseline,
        margin=tests["margin"],
        overall=overall.sort_values(rank_by, ascending=False, kind="stable"),
        by_dataset=by_dataset,
        n_left_out=n_left_out,
        compared=compared,
        ranked=ranked,
        own=own,
        hazards=None if known.recalled is None else [hazard for hazard in hazards if hazard.is_found],
        doubts=_say_of_groups(scored, columns, overall, hazards, metrics),
        signature=known.signature,
    )


def _compare(
    scored: pd.DataFrame,
    columns: Columns,
    metrics: list[str],
    *,
    ci: float,
    baseline: Any,
    correction: Correction,
    margin: float | Mapping[str, float] | None,
    seed: int,
) -> pd.DataFrame:
    """Return what `qa_frame.compare` does, but with intervals that hold together, as the p-values do."""
    testing = make_testing(correction, ci=ci, n_resamples=None, seed=seed, margin=margin, hold_together=True)
    strata = columns.macro or None
    arguments = make_pair_arguments(
        columns.by,
        columns.questions,
        samples=columns.has_samples,
        baseline=baseline,
        cluster=columns.cluster,
        macro=strata,
    )
    of_questions = columns.has_samples or strata is not None
    source, scoring = read_metrics(scored, metrics, takes_pooled=True, of_questions=of_questions)
    return compare_groups(read_pairs(source, scoring, arguments), testing)


def _in_percent(table: pd.DataFrame, metrics: set[str]) -> pd.DataFrame:
    """Return a summary with the figures of these metrics in percent."""
    names = [f"{name}{end}" for name in metrics for end in ("", "_lo", "_hi")]
    return table.assign(**{name: 100 * table[name] for name in names if name in table})


def _measure_agreement(scored: pd.DataFrame, metrics: list[str], human: str) -> dict[str, float]:
    """Return how often the better one of two answers, by people, has the higher score, by metric, best first.

    Of equals, those that do not count the length of responses are first. Metrics without two such answers are left out.
    """
    verdicts = scored[human].to_numpy(np.float64)
    judged = {name: judge(scored[name].to_numpy(np.float64), verdicts, None) for name in metrics if name != human}
    found = {name: auc(each) for name, each in judged.items() if len(each.verdicts) > 1}
    counting = {name for name in metrics if name in METRICS and not METRICS[name].ignores_length}
    return dict(sorted(found.items(), key=lambda each: (-each[1], each[0] in counting)))


def _find_repeated(scored: pd.DataFrame, columns: Columns) -> tuple[int, Flags]:
    """Return how many questions have several rows of a group, and which rows are theirs. None, where these are many."""
    if columns.has_samples or not columns.on:
        return 0, np.zeros(len(scored), np.bool_)
    question = scored.groupby(columns.questions, sort=False, dropna=False, observed=True).ngroup()
    is_twice = pd.DataFrame({"question": question, "by": scored[columns.by]}).duplicated().to_numpy()
    repeated, n = question[is_twice].unique(), question.nunique()
    if not len(repeated) or len(repeated) > _MOST_REPEATED * n:
        return 0, np.zeros(len(scored), np.bool_)
    first = cut(label(tuple(scored.loc[is_twice, columns.questions].iloc[0])), MOST_OF_NAME)
    warn(
        f"{LEFT_OUT} {plural(len(repeated), 'question')} of {n:,}, as a group has several rows of each, first "
        f"{first!r}; if these are other questions, let question= name what tells them apart",
        PairingWarning,
    )
    return len(repeated), question.isin(repeated).to_numpy()


def _find_hazards(rows: pd.DataFrame, columns: Columns, recalled: ScoringMetadata) -> list[FailedCheck]:
    question = None if columns.has_samples else columns.questions or None  # of which no group has a second answer
    return run_checks(look_at(read_source(rows), recalled, by=columns.by, question=question))


def _say_of_groups(
    rows: pd.DataFrame, columns: Columns, overall: pd.DataFrame, hazards: Sequence[FailedCheck], metrics: Sequence[str]
) -> list[Sentence]:
    """Return what a summary of the groups says of their rows, and what is no warning there."""
    known = [name for name in COUNTS if name in overall and overall[name].notna().all()]
    counts = {name: overall[name].to_numpy(np.int64) for name in known}
    for hazard in hazards:
        if hazard.name == LONGER:
            of_group = pd.Series(hazard.flags).groupby(rows[columns.by].to_numpy(object)).sum()
            counts[LONGER] = of_group.reindex(overall.index).to_numpy(np.int64)
    return say_of_groups(overall.index.tolist(), counts, metrics)


def isolating(report_data: ReportData) -> Callable[[str], str]:
    """Return what isolates the names of groups, datasets and columns inside a sentence, as the user's own texts.

    Else a name that is written from right to left takes a figure behind it to its other side. A warning has names
    between quotation marks, of which only those of questions are looked for.
    """
    columns, rows = report_data.columns, report_data.rows
    names = {str(name) for name in (columns.by, *columns.questions, *columns.macro, *report_data.metrics)}
    names |= {name for key in (columns.by, *columns.within) for name in rows[key].cat.categories}
    turning = sorted({name for name in names if isolate(name) != name}, key=len, reverse=True)
    named = "|".join(["'[^'<>]*'", *map(re.escape, turning)])
    parts = re.compile(f"(?<!\u2068)(?:{named})")  # pictures may have isolated some themselves
    return lambda text: parts.sub(lambda found: isolate(found[0]), text)


def rows_with(hazard: FailedCheck) -> Flags:
    """Return which rows a hazard concerns, shape (rows,). A hazard of all rows marks none, as it tells none apart."""
    return np.zeros_like(hazard.flags) if hazard.flags.all() else hazard.flags


def _choose_rank_by(rank_by: str | None, metrics: list[str], agreed: Mapping[str, float]) -> str:
    if rank_by is None:
        return next((name for name in (*agreed, *_LEADS) if name in metrics), metrics[0])
    if not is_choice(rank_by, metrics):
        raise unknown_option("rank_by", rank_by, metrics, OTHER_NAMES)
    return rank_by
