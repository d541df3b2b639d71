"""The first paragraph of a report: whether the metrics fit the responses, what people say, and who is best by what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from qa_frame.ext.report.pictures import figure
from qa_frame.ext.report.report_data import ReportData
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.row_flag_warnings import name_groups, name_metrics
from qa_frame.scoring.row_flags import LEAST_SHARE, LONGER
from qa_frame.tables.restored import NOT_KNOWN
from qa_frame.tables.results import label
from qa_frame.tables.visible import number

_MOST_NAMED, _MOST_RANKED, _MOST_HAZARDS = 4, 6, 2
_OF_SENTENCE = ("long_predictions", "cut_off")
"""The hazards that have a sentence of their own."""

_MOST_ROWS = 0.5
"""The share of rows with a hazard that is worth a sentence where all groups are alike."""


def first_words(report_data: ReportData) -> list[tuple[str, bool]]:
    """Return the sentences of the first paragraph, each with whether it says that something is not to be trusted."""
    doubts = [*_say_what_misleads(report_data)]
    words = [(text, True) for text in doubts] or [(_say_that_all_fits(report_data), False)]
    words += [(text, False) for text in (*_say_what_people_say(report_data), *_say_who_is_best(report_data))]
    return [(text[:1].upper() + text[1:] if is_doubt else text, is_doubt) for text, is_doubt in words if text]


# --- whether the metrics fit


def _say_what_misleads(report_data: ReportData) -> Iterator[str]:
    for doubt in report_data.doubts:
        yield f"{doubt.text}.{_say_who_leads_else(report_data) if doubt.check.count == LONGER else ''}"
    yield from _say_what_is_missing(report_data)
    groups, names = (
        report_data.rows[report_data.columns.by].to_numpy(object),
        [label(group) for group in report_data.groups],
    )
    large = []
    for hazard in report_data.hazards or ():
        of_groups = pd.Series(hazard.flags).groupby(groups).agg(["sum", "size"]).reindex(report_data.groups).to_numpy()
        n, n_rows = of_groups.T
        if hazard.name not in _OF_SENTENCE and (np.ptp(n / n_rows) >= 0.2 or min(n / n_rows) >= _MOST_ROWS):
            subject, others = name_groups(names, n, n_rows, n_rows > 0)
            large.append(f"{subject} have the hazard {hazard.name}{others}.")
    yield from large[:_MOST_HAZARDS]


def _say_who_leads_else(report_data: ReportData) -> str:
    """Say who leads by a metric that does not count words, where the one that ranks does."""
    free = [name for name in report_data.metrics if name in METRICS and METRICS[name].ignores_length]
    if not free or report_data.rank_by in free or len(report_data.groups) < 2:
        return ""
    return f" By {free[0]}, {_say_who_leads(_find_first_by(report_data, free[0]))}."


def _say_what_is_missing(report_data: ReportData) -> Iterator[str]:
    """Say that all scores are 0, and which questions are missing, where they are many."""
    rows, columns = report_data.rows, report_data.columns
    scores = rows[report_data.rank_by].dropna()
    if len(scores) and not scores.any():
        yield f"All scores are 0 by {report_data.rank_by}."
    if columns.on:
        question = rows.groupby(columns.questions, sort=False, dropna=False, observed=True).ngroup()
        n_answered = question.groupby(rows[columns.by].to_numpy(object)).nunique().sort_values(kind="stable")
        n, least, most = question.nunique(), n_answered.iloc[0], n_answered.iloc[-1]
        if least <= (1 - LEAST_SHARE) * n:
            fewest, greatest = map(label, n_answered.index[[0, -1]])
            yield (
                f"Of {n:,} questions, {fewest} has {least:,} and {greatest} has {most:,}: a mean is of a group's own, "
                "and a comparison of those that both have."
            )


def _say_that_all_fits(report_data: ReportData) -> str:
    if report_data.signature == NOT_KNOWN:
        return "How the scores were made is not known, so that nothing is said of whether they fit the responses."
    if report_data.hazards is None:
        return "The texts are not known, so that nothing is said of whether the scores fit the responses."
    if any(name in METRICS and not METRICS[name].ignores_length for name in report_data.metrics):
        few = f"fewer than {100 * LEAST_SHARE:g}\u00a0% hold a gold in a longer answer"
        return f"The metrics fit the length of the responses: {few}."
    return ""


# --- what people say


def _say_what_people_say(report_data: ReportData) -> Iterator[str]:
    human, table = report_data.human, report_data.overall
    if human is None:
        return
    known = table[human].dropna().sort_values(ascending=False, kind="stable")
    ranked = [f"{label(group)} {number(value, '.1f')}" for group, value in known.items()]
    more = f" and {len(ranked) - _MOST_RANKED} more" if len(ranked) > _MOST_RANKED else ""
    found = _find_verdict_on_first_two(report_data, known.index)
    close = f"; between the first two they are {found}" if found else ""
    yield f"People\u2019s verdicts, the column {human}, rank {', '.join(ranked[:_MOST_RANKED])}{more}{close}."
    if not report_data.agreed:
        return
    first, *others = report_data.agreed.items()
    rest = f"; {others[-1][0]} in {100 * others[-1][1]:.0f}\u00a0%, the fewest" if others else ""
    leads = " and leads here" if first[0] == report_data.rank_by else ""
    yield (
        f"{first[0]} agrees with them best{leads}: of two answers, the right one has the higher {first[0]} in "
        f"{100 * first[1]:.0f}\u00a0% of cases{rest}."
    )


def _find_verdict_on_first_two(report_data: ReportData, ranked: pd.Index) -> str:
    """Return the verdict of a comparison of the first two groups by people; "" where these are not compared."""
    pairs = report_data.pairs(str(report_data.human))
    is_theirs = pairs["a"].isin(ranked[:2]) & pairs["b"].isin(ranked[:2])
    found = pairs.loc[is_theirs & pairs["verdict"].isin(_OF_EQUALS), ["verdict", "mdd"]]
    for verdict, mdd in found.itertuples(index=False, name=None):
        return f"{verdict}{_say_margin(report_data, str(report_data.human), verdict)}{say_what_is_found([mdd])}"
    return ""


# --- who is best


def _say_who_is_best(report_data: ReportData) -> Iterator[str]:
    """Say which group is best by the leading metric, how it compares with others, and who leads by other metrics."""
    table, rank_by = report_data.overall, report_data.rank_by
    known = table[table[rank_by].notna()]
    if len(report_data.groups) < 2 or known.empty:
        return
    first = _find_first_by(report_data, rank_by)
    told = f"By {rank_by}, {_say_who_leads(first)}"
    told += f" with {figure(known.iloc[0], rank_by)}" if len(first) == 1 else f" ({known[rank_by].iloc[0]:.1f})"
    if report_data.compared is None:
        yield f"{told}; groups were not compared, as question= was not given."
    elif report_data.baseline is None:
        whose = f"{label(first[0])} is " if len(first) > 1 else ""
        yield f"{told}: {whose}{_say_verdicts(report_data, first[0])}."
    else:
        verdicts = _say_verdicts(report_data, report_data.baseline, of_others=True)
        yield f"{told}. Beside {label(report_data.baseline)}: {verdicts}."
    first_by: dict[str, list[str]] = {}
    for name in report_data.metrics:
        if name not in {rank_by, report_data.human} and (known[name] > known[name].iloc[0]).any():
            first_by.setdefault(_name_all(_find_first_by(report_data, name)), []).append(name)
    if first_by:
        named = "; ".join(f"{who} by {name_metrics(by)}" for who, by in first_by.items())
        yield f"Others lead by other metrics: {named}."


def _find_first_by(report_data: ReportData, metric: str) -> list[Any]:
    """Return the group with the highest figure, or all that have exactly the same."""
    figures = report_data.overall[metric]
    return [*figures.index[figures == figures.max()]]


def _say_who_leads(groups: list[Any]) -> str:
    return f"{_name_all(groups)} {'leads' if len(groups) == 1 else 'are equal'}"


def _name_all(groups: list[Any]) -> str:
    return f"{len(groups)} groups" if len(groups) > _MOST_NAMED else " and ".join(map(label, groups))


def _say_verdicts(report_data: ReportData, group: object, *, of_others: bool = False) -> str:
    """Say which verdicts the pairs of a group have, by the leading metric. of_others: as those of the other groups."""
    pairs, (own, other) = report_data.pairs(report_data.rank_by), "ba" if of_others else "ab"
    theirs = pairs.loc[pairs[own] == group, [other, "verdict", "mdd"]]
    found: dict[str, dict[str, Any]] = {}
    for name, verdict, mdd in theirs.itertuples(index=False, name=None):
        found.setdefault("undecided" if pd.isna(verdict) else verdict, {})[label(name)] = mdd
    n = sum(map(len, found.values()))
    within = {verdict: _say_margin(report_data, report_data.rank_by, verdict) for verdict in found}
    if of_others:
        return "; ".join(f"{verdict}{within[verdict]}: {_name_groups(found[verdict])}" for verdict in sorted(found))
    told = (f"{verdict} {_PREPOSITIONS[verdict]} {_name_groups(others, n)}" for verdict, others in found.items())
    return ", ".join(map("".join, zip(told, within.values(), strict=True)))


def _say_margin(report_data: ReportData, metric: str, verdict: str) -> str:
    """Say in brackets which difference a verdict leaves out of account; nothing where it rests on none."""
    margin = report_data.margin.get(metric) if isinstance(report_data.margin, Mapping) else report_data.margin
    if margin is None or verdict not in {"as good", "equivalent"}:
        return ""
    if metric in report_data.own:
        return f" (within {margin:g})"
    return f" (within {100 * margin:g} {'point' if margin == 0.01 else 'points'})"


_OF_EQUALS = {"as good": "as", "equivalent": "to", "undecided": "against"}
_PREPOSITIONS = {"better": "than", "worse": "than", **_OF_EQUALS}


def _name_groups(mdd_of: Mapping[str, Any], n: int = 0) -> str:
    """Name groups, or say how many they are of n others, and which differences are found where this is known."""
    if len(mdd_of) == n > 1:
        return f"all others{say_what_is_found(mdd_of.values())}"
    if len(mdd_of) > _MOST_NAMED:
        return f"{len(mdd_of)} others{say_what_is_found(mdd_of.values())}"
    names = [f"{name}{say_what_is_found([mdd])}" for name, mdd in mdd_of.items()]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def say_what_is_found(mdds: Iterable[Any]) -> str:
    """Say in brackets which difference so many questions find with a power of 0.8; nothing where none is known."""
    known = sorted({number(100 * mdd, ".1f") for mdd in mdds if not pd.isna(mdd)}, key=float)
    several = f" to {known[-1]}" if len(known) > 1 else ""
    return f" (so many questions find a difference of {known[0]}{several} in 80 of 100 evaluations)" if known else ""
