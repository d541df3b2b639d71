"""What a report shows: the scored rows, and the tables that the package's own functions make of them."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags
from qa_frame.api.compare import compare
from qa_frame.api.ranks import ranks
from qa_frame.api.score import score
from qa_frame.api.summary import summary
from qa_frame.errors import (
    ColumnNotFoundError,
    ColumnOverwriteError,
    PairingError,
    UnknownOptionError,
    is_choice,
    unknown_option,
    warn,
)
from qa_frame.frames.kinds import Source, read_source
from qa_frame.frames.names import name_rows, require_column
from qa_frame.frames.number_columns import as_floats
from qa_frame.frames.provenance import NOTED
from qa_frame.reports.same_questions import filters_left_out, say_filters, telling_apart, warn_of_filters
from qa_frame.scoring.metrics import OTHER_NAMES
from qa_frame.scoring.plan import Plan
from qa_frame.stats.grouping import list_keys, read_codes
from qa_frame.view.audit.table import FoundHazard, find_hazards, look_at
from qa_frame.view.report.known_scores import Notes

_RESPONSES = ("response", "answers")
"""The columns that are scored if none is named and the frame does not remember others."""

_QUESTION = "question"
"""The column of the questions' texts, which is shown if it is there."""

_LEADS = ("f1", "em")
"""The metrics that rank by default, the first that is there."""


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
        The predictions and the golds.
    question
        The texts of the questions; None if the frame has none.
    cluster
        The column of what belongs together; None if each row stands alone.
    choices
        The texts of the options, where answers are letters of choices; else None.
    """

    by: Hashable
    on: list[Hashable]
    within: list[Hashable]
    has_samples: bool
    pred: Hashable
    gold: Hashable
    question: Hashable | None
    cluster: Hashable | None
    choices: Hashable | None

    @property
    def questions(self) -> list[Hashable]:
        """The columns that tell all questions apart."""
        return [*self.within, *self.on]

    @property
    def all(self) -> list[Hashable]:
        """Each of them once."""
        named = [self.by, *self.within, *self.on, self.question, self.cluster, self.pred, self.gold, self.choices]
        return [name for name in dict.fromkeys(named) if name is not None]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Gathered:
    """All that a report shows.

    Attributes
    ----------
    rows
        The scored rows in pandas, numbered from 0: the columns of `columns`, then the scores.
    columns
        The names of the columns.
    metrics, lead
        The score columns, and the one that ranks.
    ci
        The level of the intervals.
    overall, by_dataset
        The figures in percent by group, best first; and by dataset and group, None without `within`.
    compared
        The paired differences; None without `on`, or for a single group.
    ranked
        The ranks that the differences in `lead` leave to each group, by group; None without differences.
    hazards
        The hazards that concern rows, with their rows.
    signature
        The line that names all settings of the scoring.
    warned
        The warnings that the functions gave.
    """

    rows: pd.DataFrame
    columns: Columns
    metrics: list[str]
    lead: str
    ci: float
    overall: pd.DataFrame
    by_dataset: pd.DataFrame | None
    compared: pd.DataFrame | None
    ranked: pd.DataFrame | None
    hazards: list[FoundHazard]
    signature: str
    warned: list[str]

    @property
    def groups(self) -> list[Any]:
        """The values of `by`, in the order of the leaderboard."""
        return self.overall.index.tolist()


def find_columns(
    source: Source, *, by: Any, on: Any, samples: Any, within: Any, pred: Any, gold: Any, choices: Any, cluster: Any
) -> Columns:
    """Return the columns to read, from the arguments of `report`; ColumnNotFoundError where one is not there."""
    # The columns that the frame's scores were made from, else those of `read_results`.
    noted = (note for note in source.notes.get(NOTED, {}).values() if "pred" in note)
    known_pred, known_gold = next(((note["pred"], note["gold"]) for note in noted), _RESPONSES)
    given = {
        "by": (by,),
        "on": list_keys(on),
        "samples": list_keys(samples),
        "within": list_keys(within),
        "pred": (known_pred if pred is None else pred,),
        "gold": (known_gold if gold is None else gold,),
        "choices": () if choices is None else (choices,),
        "cluster": () if cluster is None else (cluster,),
    }
    levels = source.columns.index.names if isinstance(source.columns, pd.DataFrame) else []
    for argument, names in given.items():
        for name in names:
            if isinstance(name, str) and name in levels and name not in source.names:
                raise ColumnNotFoundError(
                    f"{argument}={name!r} is a level of the index, and a report reads columns; give df.reset_index()"
                )
            require_column(name, source.names, argument)
    datasets = [name for name in given["within"] if name != by]
    if given["on"] and given["samples"]:
        raise UnknownOptionError(
            "on and samples are both given; give samples where a group has several answers, else on"
        )
    question = _QUESTION if _QUESTION in source.names else None
    questions = [*given["on"], *given["samples"]]
    has_samples = bool(given["samples"])
    answers = given["pred"][0], given["gold"][0]
    return Columns(by, questions, datasets, has_samples, *answers, question, cluster, choices)


def gather(
    source: Source,
    columns: Columns,
    plan: Plan,
    rules: Mapping[str, Any],
    *,
    known: Notes,
    metric: str | None,
    ci: float,
    n_jobs: int | None,
    **tests: Any,
) -> Gathered:
    """Score the rows unless their scores are known, and return the tables of them. Warnings are given, and kept.

    rules, metric, ci, n_jobs: the arguments of `report`. tests: those that `compare` takes, too.
    """
    read = source.as_pandas({"columns": columns.all}, [*known, *telling_apart(source.names)])
    filters = filters_left_out(read, {"by": [columns.by], "on": columns.questions})
    rows = read[[*columns.all, *known]].reset_index(drop=True)
    if not len(rows):
        raise UnknownOptionError("data has no rows, so there is nothing to report; give a frame with rows")
    _refuse_nulls(rows, columns)
    if filters and columns.on and not columns.has_samples:
        raise PairingError(say_filters(filters))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_filters(filters_left_out(read, {"by": [columns.by]}))  # which the leaderboard has
        if known:
            scored = rows.assign(**{name: as_floats(rows[name]) for name in known})
            scored.attrs = {NOTED: known}
        else:
            _refuse_names_of_metrics(columns, plan)
            scored = score(rows, columns.pred, columns.gold, metrics=list(plan.metrics), n_jobs=n_jobs, **rules)
        gathered = _gather(scored, columns, plan, metric=metric, ci=ci, tests=tests)
    told = {str(each.message): each.category for each in caught}
    for text, category in told.items():
        warn(text, category)
    gathered.warned.extend(told)
    return gathered


def _gather(
    scored: pd.DataFrame, columns: Columns, plan: Plan, *, metric: str | None, ci: float, tests: Mapping[str, Any]
) -> Gathered:
    metrics = [*scored.attrs[NOTED]]
    lead = _lead(metric, metrics)
    figures: dict[str, Any] = {"ci": ci, "cluster": columns.cluster, "percent": True}
    if columns.has_samples:
        figures["samples"] = columns.questions
    overall = summary(scored, columns.by, **figures)
    compared, ranked = _compare(scored, columns, metrics=metrics, ci=ci, cluster=columns.cluster, **tests), None
    if compared is not None:
        ranked = ranks(compared[compared["metric"] == lead], alpha=1 - ci).set_index("group")
    return Gathered(
        rows=scored,
        columns=columns,
        metrics=metrics,
        lead=lead,
        ci=ci,
        overall=overall.sort_values(lead, ascending=False, kind="stable"),
        by_dataset=summary(scored, [*columns.within, columns.by], **figures) if columns.within else None,
        compared=compared,
        ranked=ranked,
        hazards=_hazards(scored, columns, plan),
        signature=scored.attrs[NOTED][lead]["signature"],
        warned=[],
    )


def _compare(scored: pd.DataFrame, columns: Columns, **settings: Any) -> pd.DataFrame | None:
    if not columns.on or scored[columns.by].nunique() < 2:
        return None
    if not columns.has_samples:
        _require_once(scored, columns.by, columns.questions)
    questions: dict[str, Any] = {"samples" if columns.has_samples else "on": columns.questions}
    try:
        return compare(scored, columns.by, **questions, **settings)
    except PairingError as error:
        raise PairingError(f"the groups of a report are compared on `on`: {error}") from error


def _require_once(rows: pd.DataFrame, by: Hashable, questions: list[Hashable]) -> None:
    """Raise PairingError where a group has a question in several rows, with the remedies that a report has."""
    keys = list(dict.fromkeys([by, *questions]))
    codes = read_codes(rows, keys, "on").codes
    twice = np.flatnonzero(np.bincount(codes)[codes] > 1)
    if len(twice):
        raise PairingError(
            f"{len(twice)} rows share their {keys!r} with another, first {name_rows(twice, None)}, counted from 0. If "
            "a group has several samples of a question, give samples= in place of on=. If they are copies, keep one "
            f"each: df.drop_duplicates({keys!r}). If they are other questions, let `on` name what tells them apart"
        )


def _hazards(rows: pd.DataFrame, columns: Columns, plan: Plan) -> list[FoundHazard]:
    question = None if columns.has_samples else columns.questions or None  # of which no group has a second answer
    answers = {"pred": columns.pred, "gold": columns.gold}
    scores = {name: rows[name].to_numpy(np.float64) for name in plan.metrics if name in rows}
    audited = look_at(read_source(rows), plan, by=columns.by, question=question, scores=scores, **answers)
    return [hazard for hazard in find_hazards(audited) if hazard.is_found]


def rows_with(hazard: FoundHazard) -> Flags:
    """Return which rows a hazard concerns, shape (rows,). A hazard of all rows marks none, as it tells none apart."""
    return np.zeros_like(hazard.flags) if hazard.flags.all() else hazard.flags


def _refuse_names_of_metrics(columns: Columns, plan: Plan) -> None:
    """Raise ColumnOverwriteError where scores would take the place of a column that the report reads."""
    for name in columns.all:
        if name in plan.metrics:
            raise ColumnOverwriteError(
                f"the column {name!r} has the name of a metric, and its scores would take its place; rename it first, "
                f"as in df.rename(columns={{{name!r}: {f'my_{name}'!r}}}), or leave that metric out of metrics"
            )


def _refuse_nulls(rows: pd.DataFrame, columns: Columns) -> None:
    for name in (columns.by, *columns.within):
        n_null = int(rows[name].isna().sum())
        if n_null:
            raise ColumnNotFoundError(
                f"the column {name!r} is null in {n_null} of {len(rows)} rows; fill it, or leave these rows out, as "
                f"with df.dropna(subset=[{name!r}]) in pandas or df.drop_nulls({name!r}) in polars"
            )


def _lead(metric: str | None, metrics: list[str]) -> str:
    if metric is None:
        return next((name for name in _LEADS if name in metrics), metrics[0])
    if not is_choice(metric, metrics):
        raise unknown_option("metric", metric, metrics, OTHER_NAMES)
    return metric
