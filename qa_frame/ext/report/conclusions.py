"""The first paragraph of a report: what spoils the scores, what people say, and which group is best by what."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame.ext.annotation.ranking import FEWEST_VERDICTS
from qa_frame.ext.report.known_scores import NOT_KNOWN
from qa_frame.ext.report.pictures import write_mean
from qa_frame.ext.report.report_data import ANSWER_INSIDE, CONTRADICTED, OPEN, ReportData
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pooled import COUNTS, MISSING, NOT_EXTRACTED
from qa_frame.scoring.row_flag_warnings import GROUP_CHECKS, name_groups
from qa_frame.scoring.row_flags import FLAGS, LEAST_SHARE, NULL
from qa_frame.tables.results import label
from qa_frame.tables.visible import number

MOST_SENTENCES = 4
_MOST_CAUTIONS = 2
_MOST_NAMED, _MOST_RANKED = 4, 5

_OWN_SENTENCE = ("cut_off", *FLAGS, ANSWER_INSIDE)
"""The checks of rows that scoring flags, too, which have a sentence of their own."""

_UNEVEN, _MOST_ROWS = 0.2, 0.5
"""Shares of rows that fail a check are worth a sentence where two groups differ so much, or all groups have so many."""


def first_sentences(report_data: ReportData) -> list[tuple[str, bool]]:
    """Return the sentences of the first paragraph, each with True if it says that scores are not to be trusted.

    There are at most `MOST_SENTENCES`.
    """
    cautions = [(text, True) for text in _say_what_misleads(report_data)[:_MOST_CAUTIONS]]
    others = [(_bind_percent_signs(text), False) for text in (*_say_why(report_data), *_say_who_is_best(report_data))]
    return [*cautions, *others][:MOST_SENTENCES]


def other_cautions(report_data: ReportData) -> list[str]:
    """Return the sentences on misleading scores that have no room in the first paragraph."""
    return _say_what_misleads(report_data)[_MOST_CAUTIONS:]


def starts_of_known_warnings(report_data: ReportData) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return how those warnings begin that the sentences of the page repeat, and those of flags that few rows have."""
    order_changes = report_data.fit.say_order_changes()
    texts = [*_say_what_flags_mean(report_data), *_say_which_rows_lack(report_data), order_changes]
    return tuple(filter(None, texts)), tuple(_say_what_flags_mean(report_data, of_few=True))


# --- what spoils the scores


def _say_what_misleads(report_data: ReportData) -> list[str]:
    """Return sentences on what makes the scores misleading. Those that decide the order of groups come first."""
    flags = _say_what_flags_mean(report_data)
    rank_by = report_data.rank_by
    if rank_by in report_data.fit.spoiled and rank_by != report_data.ranking.choice:
        flags[0] = f"This page is sorted by {rank_by}, as rank_by= asks, which does not fit: {flags[0]}"
    cautions = [
        *_say_what_is_missing(report_data),
        *(f"{text[:1].upper()}{text[1:]}" for text in (*flags, *_say_which_rows_lack(report_data))),
        *_say_which_checks_fail(report_data),
    ]
    return [_bind_percent_signs(f"{text}.".replace(". ", "; ")) for text in dict.fromkeys(cautions)]


def _bind_percent_signs(sentence: str) -> str:
    """Return a sentence in which no line ends between a number and its percent sign."""
    return sentence.replace(" %", "\u00a0%")


def _say_what_flags_mean(report_data: ReportData, *, of_few: bool = False) -> list[str]:
    """Return sentences on what flags do to the metrics: those of the flags that many rows of a group have.

    of_few: whether to take the flags that only few rows of each group have, instead.
    """
    fit = report_data.fit
    sentences = [each for each in fit.sentences() if each.check.count in FLAGS]
    return [each.text for each in sentences if (fit.shares(each.check.count).max() < LEAST_SHARE) == of_few]


def _say_what_is_missing(report_data: ReportData) -> Iterator[str]:
    """Yield a sentence if all scores are 0, and one if a group lacks many of the questions."""
    scores = report_data.rows[report_data.rank_by].dropna()
    if len(scores) and not scores.any():
        yield f"All scores are 0 by {report_data.rank_by}"
    n_answered, n = report_data.n_answered, report_data.n_questions
    if n_answered is not None and report_data.lacks_questions:
        fewest, greatest = (
            f"{label(group)} has answers to {n_answered[group]:,}" for group in n_answered.index[[0, -1]]
        )
        sorts = "" if report_data.ranked is None else ", by which this page is sorted,"
        yield (
            f"Of {n:,} questions, {fewest}, {greatest}: means are over each group's own questions, and "
            f"comparisons{sorts} over those that both answered"
        )


def _say_which_rows_lack(report_data: ReportData) -> Iterator[str]:
    """Yield sentences on groups that lack many predictions or golds, or have many answers that were cut off."""
    table = report_data.overall
    counts = {name: table[name] for name in COUNTS[2:] if name in table and table[name].notna().all()}
    counts[NULL] = counts.pop(MISSING, 0 * table["n_rows"]) - counts.get(NOT_EXTRACTED, 0)
    n_rows = table["n_rows"].to_numpy(np.int64)
    for check in GROUP_CHECKS:
        n = counts.get(check.count, 0 * table["n_rows"]).to_numpy(np.int64)
        if (n >= LEAST_SHARE * n_rows).any():
            subject, others = name_groups(report_data.groups, n, n_rows, n >= LEAST_SHARE * n_rows)
            yield f"{subject} {check.what}{others}"


def _say_which_checks_fail(report_data: ReportData) -> Iterator[str]:
    """Yield a sentence on each check that half of the rows of every group fail, or one group far more than another.

    The checks in `_OWN_SENTENCE` are left out.
    """
    groups = report_data.rows[report_data.columns.by].to_numpy(object)
    for check in report_data.checks or ():
        counts = pd.Series(check.flags).groupby(groups).agg(["sum", "size"]).reindex(report_data.groups)
        shares = (counts["sum"] / counts["size"]).to_numpy()
        if check.name not in _OWN_SENTENCE and (np.ptp(shares) >= _UNEVEN or min(shares) >= _MOST_ROWS):
            of_groups = counts["sum"].to_numpy(), counts["size"].to_numpy()
            subject, others = name_groups(report_data.groups, *of_groups, shares > 0)
            yield f"{subject} fail the check {check.name}{others}"


# --- what people say


def _say_why(report_data: ReportData) -> Iterator[str]:
    """Yield a sentence on how people judge the groups, and why the metric that ranks was chosen.

    Without people's verdicts, it has only the reason; or says that the fit of the metric is not known; or there is
    none.
    """
    human, ranking = report_data.human, report_data.ranking
    if human is None:
        if ranking.reason:
            yield f"Without people’s verdicts, {ranking.reason}."
        elif report_data.known.metadata is None and report_data.rank_by in METRICS:
            what = "the texts" if report_data.known.signature != NOT_KNOWN else "how the answers were scored"
            yield f"Whether {report_data.rank_by} fits these answers is not known, as the frame does not hold {what}."
        return
    sentence = _say_how_people_judge(report_data, human)
    if 0 < ranking.n_verdicts < FEWEST_VERDICTS and len(report_data.groups) > 1:
        sentence += f" ({ranking.n_verdicts} verdicts: enough to choose a metric, too few to order the groups by them)"
    yield f"{sentence}; {ranking.reason}." if ranking.reason else f"{sentence}."


def _say_how_people_judge(report_data: ReportData, human: str) -> str:
    """Say which share of each group's answers people accept, or their mean verdict, the best group first."""
    means = report_data.overall[human].dropna().sort_values(ascending=False, kind="stable")
    n_named = len(means) if len(means) <= _MOST_RANKED else _MOST_RANKED - 2
    others = [f"less of {len(means) - n_named} others"] * (n_named < len(means))
    means_by_name = [(number(value, ".1f"), label(group)) for group, value in means[:n_named].items()]
    if report_data.rows[human].dropna().isin([0, 1]).all():
        accepted = [f"{share} % of {name}’s{' answers' * (not at)}" for at, (share, name) in enumerate(means_by_name)]
        return f"People (column {human}) accept {_join([*accepted, *others])}"
    means_of_groups = [f"{mean} for {name}" for mean, name in means_by_name]
    return f"People’s mean verdicts (column {human}) are {_join([*means_of_groups, *others])}"


# --- who is best


def _say_who_is_best(report_data: ReportData) -> Iterator[str]:
    """Yield the sentence on which group is best by the metric that ranks, and how it compares with others.

    There is none where no group has a score.
    """
    table, rank_by, baseline = report_data.overall, report_data.rank_by, report_data.arguments.baseline
    known = table[table[rank_by].notna()]
    if known.empty:
        return
    best = write_mean(known.iloc[0], rank_by)
    if len(table) < 2:
        yield f"{label(known.index[0])} has a mean {rank_by} of {best}."
        return
    first = _find_leaders(report_data)
    names = _name_some(first, "groups")
    leads = f"By {rank_by}, {names} {f'leads with {best}' if len(first) == 1 else f'are equal ({best})'}"
    if report_data.compared is None:
        yield f"{leads}; groups are not compared without question=."
    elif not report_data.ranking.fits:
        yield f"{leads}{_say_who_would_lead(report_data, first)}."
    elif baseline is None and len(first) == len(table):
        pairs = report_data.judged_pairs()
        yield f"{leads}{_say_size(report_data, 'undecided', pairs[pairs['a'] == first[0]])}."
    elif baseline is None:
        whose = f"{label(first[0])} is " if len(first) > 1 else ""
        yield f"{leads}: {whose}{_say_verdicts(report_data, first[0])}."
    else:
        verdicts = _say_verdicts(report_data, baseline, of_others=True)
        yield f"{leads}. Compared with {label(baseline)}, {verdicts}."


def _find_leaders(report_data: ReportData) -> list[Any]:
    """Return the groups with the highest mean; or those of rank 1, where a group lacks many questions.

    Only groups that are exactly equal are several.
    """
    if report_data.ranked is not None and report_data.lacks_questions:
        return [*report_data.ranked.index[report_data.ranked["rank"] == 1]]
    means = report_data.overall[report_data.rank_by]
    return [*means.index[means == means.max()]]


def _say_who_would_lead(report_data: ReportData, first: list[Any]) -> str:
    """Say which groups would be ahead of the leaders if answers that hold a gold counted as right; "" for none.

    first: the leaders.
    """
    others = dict.fromkeys(other for leader, other in report_data.fit.order_changes if leader in first)
    would_lead = f"; if answers that hold a gold counted as right, {_name_some(others, 'others')} would be ahead"
    return would_lead if others else ""


# --- verdicts

_OF_LEADER = {
    "better": "better than",
    "worse": "worse than",
    "as good": "as good as",
    "equivalent": "equivalent to",
    "undecided": "undecided against",
    OPEN: "undecided by people’s verdicts against",
    CONTRADICTED: "decided otherwise by people’s verdicts for",
}
"""The words for each verdict on the leader, before the other groups, in the order in which they stand."""


def _say_verdicts(report_data: ReportData, group: object, *, of_others: bool = False) -> str:
    """Say how a group compares with the others. of_others: with the others as the subject."""
    own, other = "ba" if of_others else "ab"
    pairs = report_data.judged_pairs()
    pairs = pairs[pairs[own] == group]
    parts = []
    for verdict, words in _OF_LEADER.items():
        of_verdict = pairs[pairs["verdict"] == verdict]
        if len(of_verdict):
            names = "all others" if len(of_verdict) == len(pairs) > 1 else _name_some(of_verdict[other], "others")
            size = _say_size(report_data, verdict, of_verdict)
            be = "is" if len(of_verdict) == 1 else "are"
            parts.append(f"{names} {be} {verdict}{size}" if of_others else f"{words} {names}{size}")
    return "; ".join(parts)


def _say_size(report_data: ReportData, verdict: str, pairs: pd.DataFrame) -> str:
    """Say in brackets which difference a verdict rests on: a margin, or the least one that these questions show.

    It is "" for verdicts that rest on neither. pairs: those with this verdict.
    """
    margin = report_data.arguments.margin
    margin = margin.get(report_data.rank_by) if isinstance(margin, Mapping) else margin
    is_own = report_data.rank_by in report_data.own
    if verdict in {"as good", "equivalent"} and margin is not None:
        points = f"{margin:g}" if is_own else f"{100 * margin:g} {'point' if margin == 0.01 else 'points'}"
        return f" (within {points})"
    if verdict != "undecided" or pairs["mdd"].isna().all():
        return ""
    n = _name_range([f"{n:,}" for n in sorted(pairs["n"])])
    size = _name_range([number(100 * mdd, ".1f") for mdd in sorted(pairs["mdd"].dropna())])
    unit = "" if is_own else " points"
    return f" (these {n} questions would show a difference of {size}{unit} or more in about 80 of 100 evaluations)"


def _name_range(numbers: Sequence[str]) -> str:
    """Return the first and the last of these texts, as "3 to 5"; one of them where both are equal."""
    return numbers[0] if numbers[0] == numbers[-1] else f"{numbers[0]} to {numbers[-1]}"


def _name_some(groups: Collection[Any], several: str) -> str:
    """Name the groups, or say how many they are, as "5 others". several: the noun, such as "others"."""
    return f"{len(groups)} {several}" if len(groups) > _MOST_NAMED else _join([*map(label, groups)])


def _join(names: Sequence[str]) -> str:
    """Return names as "a, b and c"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
