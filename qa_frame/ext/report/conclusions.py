"""The first paragraph of a report: what spoils the scores, what people say, and which group is best by what."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame.ext.report.pictures import figure
from qa_frame.ext.report.ranking import FEWEST_VERDICTS
from qa_frame.ext.report.report_data import ReportData
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.row_flag_warnings import MANY, UNEVEN, name_groups, name_metrics
from qa_frame.tables.restored import NOT_KNOWN
from qa_frame.tables.results import label
from qa_frame.tables.visible import number

MOST_SENTENCES = 4
_MOST_DOUBTS = 2
_MOST_NAMED, _MOST_RANKED = 4, 5

_OWN_SENTENCE = ("long_predictions", "cut_off", "empty_golds", "lost_script", "uncut_script", "golds_in_longer_answers")
"""The checks of rows that scoring flags, too, which have a sentence of their own."""

_MOST_ROWS = 0.5
"""The share of rows that fail a check which is worth a sentence where all groups are alike."""


def first_words(report_data: ReportData) -> list[tuple[str, bool]]:
    """Return the sentences of the first paragraph, each with whether it says that something is not to be trusted."""
    doubts = [(text, True) for text in [*_say_what_misleads(report_data)][:_MOST_DOUBTS]]
    others = [*_say_why(report_data), *_say_who_is_best(report_data)]
    return [*doubts, *((text, False) for text in others)][:MOST_SENTENCES]


def other_doubts(report_data: ReportData) -> list[str]:
    """Return what spoils the scores, too, and has no room in the first paragraph."""
    return [*_say_what_misleads(report_data)][_MOST_DOUBTS:]


# --- what spoils the scores


def _say_what_misleads(report_data: ReportData) -> Iterator[str]:
    """Yield sentences, those that decide the order of groups first."""
    sentences = [f"{sentence.text}." for sentence in report_data.fit.sentences()]
    rank_by, ranking = report_data.rank_by, report_data.ranking
    if rank_by in report_data.fit.spoiled and rank_by != ranking.choice:
        sentences[:1] = [f"This page is sorted by {rank_by}, as rank_by= asks, which does not fit: {sentences[0]}"]
    yield from _say_what_is_missing(report_data)
    yield from (_as_one_sentence(text) for text in sentences)
    yield from _say_which_checks_fail(report_data)


def _as_one_sentence(text: str) -> str:
    return text.replace(". ", "; ")


def _say_what_is_missing(report_data: ReportData) -> Iterator[str]:
    """Say that all scores are 0, which questions are missing, and which responses, where they are many."""
    rows, columns = report_data.rows, report_data.columns
    scores = rows[report_data.rank_by].dropna()
    if len(scores) and not scores.any():
        yield f"All scores are 0 by {report_data.rank_by}."
    if columns.on:
        question = rows.groupby(columns.questions, sort=False, dropna=False, observed=True).ngroup()
        n_answered = question.groupby(rows[columns.by].to_numpy(object)).nunique().sort_values(kind="stable")
        n, least, most = question.nunique(), n_answered.iloc[0], n_answered.iloc[-1]
        if least <= (1 - MANY) * n:
            fewest, greatest = map(label, n_answered.index[[0, -1]])
            yield (
                f"{fewest} has answers to {least:,} of {n:,} questions, {greatest} to {most:,}: means are over each "
                "group's own questions, and comparisons over those that both answered."
            )


def _say_which_checks_fail(report_data: ReportData) -> Iterator[str]:
    """Say which checks of the data many rows of a group fail."""
    groups = report_data.rows[report_data.columns.by].to_numpy(object)
    for check in report_data.checks or ():
        counts = pd.Series(check.flags).groupby(groups).agg(["sum", "size"]).reindex(report_data.groups)
        shares = (counts["sum"] / counts["size"]).to_numpy()
        if check.name not in _OWN_SENTENCE and (np.ptp(shares) >= UNEVEN or min(shares) >= _MOST_ROWS):
            subject, others = name_groups([*counts.index], *counts.to_numpy().T, np.ones(len(counts), np.bool_))
            yield f"{subject} fail the check {check.name}{others}."


# --- what people say


def _say_why(report_data: ReportData) -> Iterator[str]:
    """Say how people judge the groups, and why the metric that ranks does so."""
    human, ranking = report_data.human, report_data.ranking
    if human is None:
        if ranking.reason:
            yield f"{ranking.reason[:1].upper()}{ranking.reason[1:]}."
        elif report_data.recalled is None and report_data.rank_by in METRICS:
            what = "the texts" if report_data.signature != NOT_KNOWN else "how the answers were scored"
            yield f"Whether {report_data.rank_by} fits these answers is not known, as the frame does not hold {what}."
        return
    sentence = _say_how_people_judge(report_data, human)
    if 0 < ranking.n_verdicts < FEWEST_VERDICTS:
        sentence += f" ({ranking.n_verdicts} verdicts: enough to choose a metric, too few to order the groups by them)"
    yield f"{sentence}; {ranking.reason}." if ranking.reason else f"{sentence}."


def _say_how_people_judge(report_data: ReportData, human: str) -> str:
    """Say what people think of the groups, the best first."""
    means = report_data.overall[human].dropna().sort_values(ascending=False, kind="stable")
    n_named = len(means) if len(means) <= _MOST_RANKED else _MOST_RANKED - 2
    others = [f"less of {len(means) - n_named} others"] * (n_named < len(means))
    figures = [(number(value, ".1f"), label(group)) for group, value in means[:n_named].items()]
    if report_data.rows[human].dropna().isin([0, 1]).all():
        accepted = [f"{share} % of {name}’s{' answers' * (not at)}" for at, (share, name) in enumerate(figures)]
        return f"People (column {human}) accept {_join([*accepted, *others])}"
    return f"People’s mean verdicts (column {human}) are {_join([f'{mean} for {name}' for mean, name in figures] + others)}"


# --- who is best


def _say_who_is_best(report_data: ReportData) -> Iterator[str]:
    """Say which group is best by the metric that ranks, how it compares with others, and who leads by other metrics."""
    table, rank_by = report_data.overall, report_data.rank_by
    known = table[table[rank_by].notna()]
    if known.empty:
        return
    if len(report_data.groups) < 2:
        yield f"{label(known.index[0])} has a mean {rank_by} of {figure(known.iloc[0], rank_by)}."
        return
    first = _find_first_by(report_data, rank_by)
    leads = f"By {rank_by}, {_say_who_leads(first)}"
    leads += f" with {figure(known.iloc[0], rank_by)}" if len(first) == 1 else f" ({known[rank_by].iloc[0]:.1f})"
    if report_data.compared is None:
        yield f"{leads}; groups are not compared without question=."
    elif not report_data.ranking.fits:
        yield f"{leads}{_say_who_would_lead(report_data, first)}."
    elif report_data.baseline is None:
        whose = f"{label(first[0])} is " if len(first) > 1 else ""
        yield f"{leads}: {whose}{_word_verdicts(report_data, first[0])}."
    else:
        yield f"{leads}. Compared with {label(report_data.baseline)}, {_word_verdicts_of_others(report_data)}."
    first_by: dict[str, list[str]] = {}
    for name in report_data.metrics:
        if name not in {rank_by, report_data.human, *report_data.fit.spoiled} and (known[name] > known[name].iloc[0]).any():
            first_by.setdefault(_name_all(_find_first_by(report_data, name)), []).append(name)
    if first_by:
        yield f"Others lead by other metrics: {'; '.join(f'{who} by {name_metrics(by)}' for who, by in first_by.items())}."


def _say_who_would_lead(report_data: ReportData, first: list[Any]) -> str:
    """Say which groups would be ahead of the first ones if answers that hold a gold counted as right."""
    others = [pair.other for pair in report_data.fit.turned if pair.leader in first]
    names = _name_some(dict.fromkeys(others), "others")
    return f"; if answers that hold a gold counted as right, {names} would be ahead" if others else ""


def _find_first_by(report_data: ReportData, metric: str) -> list[Any]:
    """Return the group with the highest figure, or all that have exactly the same."""
    figures = report_data.overall[metric]
    return [*figures.index[figures == figures.max()]]


def _say_who_leads(groups: list[Any]) -> str:
    return f"{_name_all(groups)} {'leads' if len(groups) == 1 else 'are equal'}"


def _name_all(groups: list[Any]) -> str:
    return f"{len(groups)} groups" if len(groups) > _MOST_NAMED else " and ".join(map(label, groups))


# --- verdicts

_OPEN, _CONTRADICTED = "undecided by people’s verdicts", "decided otherwise by people’s verdicts"
"""What stands in the place of *better* and *worse* where people's verdicts on the same pair do not say it, too."""

_OF_LEADER = {
    "better": "better than",
    "worse": "worse than",
    "as good": "as good as",
    "equivalent": "equivalent to",
    "undecided": "undecided against",
    _OPEN: f"{_OPEN} against",
    _CONTRADICTED: f"{_CONTRADICTED} for",
}
"""The words for each verdict on the leader, before the other groups, in the order in which they stand."""


def _word_verdicts(report_data: ReportData, group: object) -> str:
    """Say how a group compares with the others."""
    pairs = _judge_pairs(report_data, "a", group)
    parts = []
    for verdict, words in _OF_LEADER.items():
        of_verdict = pairs[pairs["verdict"] == verdict]
        if len(of_verdict):
            names = "all others" if len(of_verdict) == len(pairs) > 1 else _name_some(of_verdict["b"], "others")
            parts.append(f"{words} {names}{_say_size(report_data, verdict, of_verdict)}")
    return "; ".join(parts)


def _word_verdicts_of_others(report_data: ReportData) -> str:
    """Say how the other groups compare with the baseline."""
    pairs = _judge_pairs(report_data, "b", report_data.baseline)
    parts = []
    for verdict in _OF_LEADER:
        of_verdict = pairs[pairs["verdict"] == verdict]
        if len(of_verdict):
            names = f"{_name_some(of_verdict['a'], 'others')} {'is' if len(of_verdict) == 1 else 'are'}"
            parts.append(f"{names} {verdict}{_say_size(report_data, verdict, of_verdict)}")
    return "; ".join(parts)


def _judge_pairs(report_data: ReportData, side: str, group: object) -> pd.DataFrame:
    """Return the pairs of a group by the metric that ranks, with verdicts that people do not contradict."""
    pairs = report_data.pairs(report_data.rank_by)
    pairs = pairs[pairs[side] == group].fillna({"verdict": "undecided"})
    if report_data.human in {None, report_data.rank_by}:
        return pairs
    people = report_data.pairs(str(report_data.human))
    verdict_of = people.set_index(["a", "b"])["verdict"].where(people["n"].to_numpy() > 0)
    keys = zip(pairs["a"], pairs["b"], pairs["verdict"], strict=True)
    return pairs.assign(verdict=[_agree(verdict, verdict_of[a, b]) for a, b, verdict in keys])


def _agree(verdict: str, of_people: Any) -> str:
    """Return the verdict, or that people do not decide a pair so. of_people: null where they judged none of its rows."""
    if pd.isna(of_people) or verdict not in {"better", "worse"} or verdict == of_people:
        return verdict
    return _CONTRADICTED if of_people in {"better", "worse"} else _OPEN


def _say_size(report_data: ReportData, verdict: str, pairs: pd.DataFrame) -> str:
    """Say in brackets which difference a verdict rests on: a margin, or the least one that these questions show."""
    margin = report_data.margin
    margin = margin.get(report_data.rank_by) if isinstance(margin, Mapping) else margin
    is_own = report_data.rank_by in report_data.own
    if verdict in {"as good", "equivalent"} and margin is not None:
        points = f"{margin:g}" if is_own else f"{100 * margin:g} {'point' if margin == 0.01 else 'points'}"
        return f" (within {points})"
    if verdict != "undecided" or pairs["mdd"].isna().all():
        return ""
    n = _name_range([f"{n:,}" for n in sorted(pairs["n"])])
    size = _name_range([number(100 * mdd, ".1f") for mdd in sorted(pairs["mdd"].dropna())])
    return f" ({n} questions would show a difference of {size}{'' if is_own else ' points'} or more in about 80 of 100 evaluations)"


def _name_range(numbers: Sequence[str]) -> str:
    """Return the first and the last of these, or the only one."""
    return numbers[0] if numbers[0] == numbers[-1] else f"{numbers[0]} to {numbers[-1]}"


def _name_some(groups: Collection[Any], others: str) -> str:
    """Name groups, or say how many they are."""
    return f"{len(groups)} {others}" if len(groups) > _MOST_NAMED else _join([label(group) for group in groups])


def _join(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
