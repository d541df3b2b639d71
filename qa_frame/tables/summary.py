"""`qa_frame.summary`: scores → pooled figures by group, with intervals."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Frame, Ints, Unpack
from qa_frame.errors import ScoringWarning, StratumWarning, UnknownOptionError, plural, show, warn
from qa_frame.frames.scoring_metadata import describe_table
from qa_frame.frames.source import read_source
from qa_frame.scoring.pooled import MISSING, NO_GOLD, NOT_EXTRACTED, SAMPLE_COUNTS, TRUNCATED
from qa_frame.scoring.row_flag_warnings import warn_of_groups
from qa_frame.scoring.row_flags import FLAGS
from qa_frame.stats.estimates import Estimate, GroupedSums, estimate, group_sums, reasons_to_distrust
from qa_frame.stats.grouping import GroupColumns, GroupValues, make_group_columns, order_groups, plain_names
from qa_frame.stats.intervals import RESAMPLES, Interval
from qa_frame.stats.rows import without_rounding
from qa_frame.stats.samples import Passes, RightShare, count_samples, questions_as_rows
from qa_frame.stats.strata import Weights
from qa_frame.stats.sums import Facts, Sums, regroup
from qa_frame.tables.groups import warn_of_doubtful, warn_of_mixed
from qa_frame.tables.methods import takes
from qa_frame.tables.metric_fit import warn_of_order_changes
from qa_frame.tables.options import (
    DEFAULTS,
    SummaryArguments,
    TableArguments,
    read_passes,
    read_threshold,
    read_weights,
    require_samples,
)
from qa_frame.tables.row_sums import RowSums, SumsPlan
from qa_frame.tables.rows import kinds_of, make_scoring

_FEWEST_ROWS = 10
"""Of fewer rows, figures are mostly chance."""
LONG_COLUMNS = ("metric", "value", "lo", "hi", "n")


@takes(SummaryArguments, DEFAULTS, after="question")
def summary(
    data: Frame,
    by: By = None,
    question: Hashable | Sequence[Hashable] | None = None,
    **arguments: Unpack[SummaryArguments],
) -> Frame:
    """Pool the scores of each group of rows: one row per group, or for all.

    `df.qa.summary(...)` is `qa_frame.summary(df, ...)`. See the page "Confidence intervals".

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
    >>> qa_frame.summary(scored, by="model").round(3)
                  n     em     f1  n_rows  n_missing  n_no_gold
    model
    heron-7b    115  0.087  0.206     120          4          5
    lynx-70b    115  0.435  0.724     120          2          5
    otter-chat  115  0.000  0.339     120          2          5
    >>> qa_frame.summary(scored, by="model", metrics="f1", ci=0.95, long=True).round(3)
            model metric  value     lo     hi    n
    0    heron-7b     f1  0.206  0.152  0.269  115
    1    lynx-70b     f1  0.724  0.661  0.782  115
    2  otter-chat     f1  0.339  0.307  0.372  115

    Parameters
    ----------
    data
        Scored frame of any kind: pandas, polars or Arrow; or a pandas `groupby`, whose keys then stand for `by`.
    by
        Column(s) or index levels to group by. None gives one row for all.
    question
        Column(s) that identify a question, where models answered each several times (samples). Figures are then means
        over questions, and a question is one observation for the intervals.
    {arguments}

    Returns
    -------
    frame
        The kind of frame that was given; in pandas, groups are the index. A frame without rows gives no row, or without
        `by` one row with `n` 0. The columns are

        - `n`: the number of rows with a score of any metric.
        - Each figure, with `<name>_lo` and `<name>_hi` where `ci` is given. A figure from fewer rows than `n`, or
          with `question` from fewer questions than `n_questions`, has a count of its own, `n_<name>`.
        - `n_rows`: all rows. `n_missing`: null predictions, which include responses in which `extract` found no answer.
          `n_not_extracted`: the latter alone; a column only after `extract`. `n_no_gold`: rows without a gold.
          `n_truncated`: responses cut off at a limit of length, where a column such as `finish_reason` says so. Counts
          are `<NA>` where the frame does not know how it was scored; `with_scoring_of` restores that.
        - With `question`: `n_questions`, the questions with a score, and `n_samples_min` and `n_samples_max`, the
          smallest and the largest number of their scored samples.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or argument cannot be used.
    PairingError
        Where samples of more than a tenth of the questions have different golds; a PairingWarning where fewer have.

    Warns
    -----
    IntervalWarning, StratumWarning, PairingWarning, MixedScoresWarning, ScoringWarning
        Where a figure may mislead.
    """
    sums, table = plan_summary(by, question, **arguments)
    sums = replace(sums, finds_repeated=table.interval.level is not None and not sums.levels.cluster)
    source = read_source(data)
    made = summarise(RowSums(sums).add(source), table)
    return source.like(made, has_keys=table.has_keys)


# ------------------------------------------------------------------------------------------------------------ arguments


@dataclass(frozen=True, slots=True)
class TablePlan:
    """How the sums of a summary become its table.

    Attributes
    ----------
    interval
        The intervals of its figures.
    passes
        The numbers of samples for which chances are asked.
    weights
        How much datasets count.
    percent, long
        Whether figures are percent, and whether each metric has a row.
    observed
        Whether only categories that occur are groups; else all categories are.
    dropna
        Whether rows with a null in `by` are left out; else they are a group of their own.
    has_keys
        Whether the index of the table holds the keys of groups.
    """

    interval: Interval
    passes: Passes
    weights: Weights
    percent: bool
    long: bool
    observed: bool
    dropna: bool
    has_keys: bool


def plan_summary(
    by: By = None,
    question: By = None,
    *,
    keep_rows: bool | None = None,
    makes_own: bool = False,
    **arguments: Any,
) -> tuple[SumsPlan, TablePlan]:
    """Return which sums a summary keeps, and how they become its table; UnknownOptionError for a wrong argument.

    Parameters
    ----------
    keep_rows
        None: the plan is for this table alone, and every row's scores are kept only if it needs them. True or False:
        the plan is for any later table, with or without rows; False raises UnknownOptionError for a statistic that
        needs rows.
    makes_own
        Whether the caller makes the scores of the user's own metrics.
    arguments
        The others of the summary.
    """
    settings: dict[str, Any] = {**DEFAULTS, **arguments}
    levels = make_group_columns(by, macro=settings["macro"], cluster=settings["cluster"], question=question)
    table = plan_table(levels, **{name: settings[name] for name in TableArguments.__annotations__})
    threshold = read_threshold(settings["threshold"])
    scoring = make_scoring(
        metrics=settings["metrics"],
        prefix=settings["prefix"],
        makes_own=makes_own,
        takes_pooled=True,
        of_questions=bool(levels.question),
    )
    require_samples(has_samples=bool(levels.question), majority=settings["majority"])
    if scoring.of_rows and keep_rows is False:
        finding, remedy = "is made of all rows, and this Pool would keep only their sums", "give keep_rows=True, too"
        raise UnknownOptionError.of("metrics", finding, remedy, value=scoring.of_rows[0].name)
    has_bounds, has_units = table.interval.level is not None, bool(levels.cluster or levels.question)
    draws_rows = has_bounds and table.interval.method == "bootstrap" and not has_units
    sums = SumsPlan(
        levels=levels,
        scoring=scoring,
        threshold=threshold,
        has_votes=bool(settings["majority"]),
        keep_rows=bool(scoring.of_rows) or draws_rows if keep_rows is None else keep_rows,
        keep_products=not levels.question and (keep_rows is not None or has_bounds),
    )
    return sums, table


def plan_table(levels: GroupColumns, **arguments: Unpack[TableArguments]) -> TablePlan:
    """Return how sums become a table; UnknownOptionError for a wrong argument.

    levels: the columns that `by` and the like name. arguments: those of the call; others have their defaults.
    """
    settings: dict[str, Any] = {**DEFAULTS, **arguments}
    level = None if settings["ci"] is None else float(settings["ci"])
    interval = Interval(level, settings["method"], int(settings["n_resamples"] or RESAMPLES), int(settings["seed"]))
    passes = read_passes(settings["pass_at"], settings["pass_all"], has_samples=bool(levels.question))
    unfit = None if level is None or interval.method == "normal" else f"method={interval.method!r}"
    weights = read_weights(settings["weights"], settings["datasets"], levels.macro, without_strata=unfit)
    has_keys = bool(levels.by) and not settings["long"]
    flags = {name: settings[name] for name in ("percent", "long", "observed", "dropna")}
    return TablePlan(interval, passes, weights, **flags, has_keys=has_keys)


# ------------------------------------------------------------------------------------------------------------ the table


def summarise(rows: RowSums, table: TablePlan) -> pd.DataFrame:
    """Return the table of all rows whose sums these are, and warn of figures that may mislead.

    Raises the errors of `RowSums.check_and_combine`, and with observed=False those of
    `RowSums.require_same_categories`.
    """
    if not table.observed:
        rows.require_same_categories()
    made = tabulate(rows.check_and_combine(), table, by_chance=rows.by_chance, tool=rows.tool)
    warn_of_order_changes(rows.order_changes)
    return made


def tabulate(sums: Sums, wanted: TablePlan, *, by_chance: bool = False, tool: str = "") -> pd.DataFrame:
    """Return the table of a summary, indexed by groups unless it is long, and warn of figures that may mislead.

    by_chance, tool: as in `describe_groups`.
    """
    has_samples, level = bool(sums.keys.question), wanted.interval.level
    grouped = group_sums(questions_as_rows(sums, wanted.passes) if has_samples else sums, wanted.weights)
    by_group = regroup(sums, GroupValues(sums.keys.by))[0] if has_samples else grouped.by_group
    index, places = order_groups(by_group.keys.by, observed=wanted.observed, dropna=wanted.dropna)
    estimated = estimate(grouped, wanted.interval)
    if sums.facts.signature is None:
        warn_of_mixed({name: np.append(each.n, 0)[places] for name, each in estimated.items()}, index.tolist())
    _warn_of_lacking(grouped, index, places)
    _warn_of_short_answers(estimated)
    if level is not None:
        warn_of_doubtful(reasons_to_distrust(grouped, estimated), index, places)
    of_groups = {"n": by_group.n, "n_rows": by_group.n_rows, **by_group.counts}
    counts: dict[str, Any] = {name: np.append(values, 0)[places] for name, values in of_groups.items()}
    unknown = sums.facts.uncounted - {TRUNCATED, *FLAGS}
    known = {name: each for name, each in counts.items() if name not in unknown}
    warn_of_groups(index.tolist(), known, sums.facts.columns_of_kind("metrics"), by_chance=by_chance, tool=tool)
    counts = {name: each for name, each in counts.items() if name not in FLAGS}
    if has_samples:
        of_samples = zip(SAMPLE_COUNTS, count_samples(sums), strict=True)
        counts |= {name: np.append(values, 0)[places] for name, values in of_samples}
    estimates = {name: _take_places(each, places, 100 if wanted.percent else 1) for name, each in estimated.items()}
    large = [name for name, each in estimated.items() if (without_rounding(np.abs(each.value) - 1) > 0).any()]
    if large and wanted.percent:
        most = np.nanmax(estimates[large[0]].value)
        finding = f"percent=True makes {most:.4g} of {large[0]!r}, whose scores pass 1"
        warn(f"{finding}; leave out percent, or such metrics", ScoringWarning)
    if wanted.long:
        table = _one_row_a_statistic(index, estimates, is_grouped=bool(sums.keys.by))
    else:
        _null_unknown_counts(counts, sums.facts)
        table = _one_row_a_group(index, counts, estimates, of_rows=estimated, has_bounds=level is not None)
    keys = index.names if sums.keys.by else []
    columns = ["value"] if wanted.long else [*estimated]
    metrics = _kinds_of_statistics(estimated, sums.facts)
    notes = describe_table(
        "summary", keys=keys, estimates=columns, metrics=metrics, level=level, percent=wanted.percent, long=wanted.long
    )
    table.attrs = notes if sums.facts.signature is None else {"qa": sums.facts.signature, **notes}  # type: ignore[assignment, dict-item]
    return table


def _kinds_of_statistics(names: Iterable[str], facts: Facts) -> dict[str, str]:
    """Return the kind of each statistic, see `kinds_of`; "samples" for those of samples, such as pass@k."""
    metrics = {each.of for each in facts.statistics if isinstance(each, RightShare)}
    kinds = kinds_of(names)
    return kinds | {name: "samples" for name in kinds if metrics and name not in metrics}


def _take_places(estimate: Estimate, places: Ints, factor: int) -> Estimate:
    """Return the estimate of these groups, times the factor. places: one after the last is a group without rows."""
    value_and_bounds = (estimate.value, estimate.low, estimate.high)
    value, low, high = (np.append(each, np.nan)[places] * factor for each in value_and_bounds)
    return Estimate(value, low, high, np.append(estimate.n, 0)[places])


def _null_unknown_counts(counts: dict[str, Any], facts: Facts) -> None:
    """Change `counts`: put null for those that are not known, and delete those of flags that no row was checked for.

    Only the counts of responses without an extracted answer, and of those cut off, are deleted.
    """
    if MISSING in facts.uncounted:
        nulls = pd.array([pd.NA] * len(counts[MISSING]), dtype="Int64")
        counts |= dict.fromkeys((MISSING, NOT_EXTRACTED, NO_GOLD), nulls)
    for name in (NOT_EXTRACTED, TRUNCATED):
        if name not in facts.counted:
            del counts[name]


def _one_row_a_group(
    index: pd.Index,
    counts: dict[str, Any],
    estimates: Mapping[str, Estimate],
    *,
    of_rows: Collection[str],
    has_bounds: bool,
) -> pd.DataFrame:
    """Return one row per group. `n` is taken out of `counts`.

    A figure that is scored on other rows than `n` gets a count of its own. UnknownOptionError where `counts` has its
    name.

    of_rows: the figures that may have bounds and such a count.
    """
    n = counts.get(SAMPLE_COUNTS[0], counts["n"])
    own = {f"n_{name}": estimates[name].n for name in of_rows if (estimates[name].n != n).any()}
    taken = [name for name in own if name in counts]
    if taken:
        finding = f"{taken[0].removeprefix('n_')!r} has scores of other rows, and {taken[0]!r}, which would count them"
        raise UnknownOptionError.of("", f"{finding}, is another column of summaries", "rename it first")
    columns = {"n": counts.pop("n")}
    for name, each in estimates.items():
        bounds = {f"{name}_lo": each.low, f"{name}_hi": each.high} if has_bounds and name in of_rows else {}
        columns |= {name: each.value, **bounds}
    return pd.DataFrame({**columns, **counts, **own}, index=index)


def _warn_of_lacking(grouped: GroupedSums, index: pd.Index, places: Ints) -> None:
    """Warn of groups that have no figure, as they lack the scores of some stratum."""
    if grouped.strata is None or grouped.by_stratum is None:
        return
    names = plain_names(tuple(key.name for key in grouped.by_stratum.by_group.keys.stratum))
    lacking = grouped.strata.find_missing(grouped.by_stratum.by_group.n)
    labels = index[np.isin(places, np.flatnonzero(lacking.any(axis=1)))]
    if len(labels):
        first = grouped.strata.names[int(np.argmax(lacking[lacking.any(axis=1)][0]))]
        finding = f"{len(labels)} of {len(index)} groups have no figures over macro={show(names)}"
        reason = f"they have no scores of some of its values: first {show(labels[0])}, which has none of {show(first)}"
        remedy = "add these rows, or drop those of the same value in all groups"
        warn(f"{finding}, as {reason}; {remedy}", StratumWarning)


def _warn_of_short_answers(estimates: Mapping[str, Estimate]) -> None:
    """Warn of groups whose corpus BLEU is 0 although their mean BLEU is 0.5 or more: no four tokens in a row match."""
    if estimates.keys() >= {"bleu", "corpus_bleu"}:
        bleu, is_zero = estimates["bleu"], estimates["corpus_bleu"].value == 0
        n = int(np.count_nonzero(is_zero & (bleu.value >= 0.5) & (bleu.n >= _FEWEST_ROWS)))
        if n:
            finding = f"corpus_bleu is 0 beside a bleu of 0.5 or more in {plural(n, 'group')}"
            reason = "no four tokens in a row are right there"
            remedy = "for answers so short, name metrics='corpus_bleu1'"
            warn(f"{finding}, as {reason}; {remedy}", ScoringWarning, see="no-four-tokens-in-a-row")


def _one_row_a_statistic(index: pd.Index, estimates: Mapping[str, Estimate], *, is_grouped: bool) -> pd.DataFrame:
    """Return one row per group and metric.

    Raises UnknownOptionError if `by` names a column twice, or one with the name of a column of this table.
    """
    names = list(index.names) if is_grouped else []
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        finding = f"names {repeated[0]!r} twice, which long=True cannot have as columns"
        raise UnknownOptionError.of("by", finding, "name it once")
    taken = [name for name in names if name in LONG_COLUMNS]
    if taken:
        raise UnknownOptionError(f"by={taken[0]!r} has the name of a column of long=True; rename it first")

    columns = {"metric": np.tile(np.array(list(estimates), dtype=object), len(index))}
    for name, field in zip(LONG_COLUMNS[1:], ("value", "low", "high", "n"), strict=True):
        columns[name] = np.stack([getattr(each, field) for each in estimates.values()], axis=1).ravel()
    table = pd.DataFrame(columns, index=index.take(np.repeat(np.arange(len(index)), len(estimates))))
    return table.reset_index(drop=not is_grouped)
