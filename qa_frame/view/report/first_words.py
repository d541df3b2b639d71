"""The first paragraph of a report: whether the metrics fit the responses, what people say, and who is best by what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from qa_frame.scoring.doubt_warnings import are_uneven, name_metrics, name_uneven, say_who_is_cut
from qa_frame.scoring.metrics import METRICS
from qa_frame.view.known_scores import NOT_KNOWN
from qa_frame.view.report.gathered import Gathered
from qa_frame.view.report.pictures import figure
from qa_frame.view.results import label

_MOST_NAMED, _MOST_RANKED, _MOST_HAZARDS = 4, 6, 2
_TURNED = {"better": "worse", "worse": "better"}
_OF_SENTENCE = ("long_predictions", "cut_off")
"""The hazards that have a sentence of their own."""


def first_words(gathered: Gathered) -> list[tuple[str, bool]]:
    """Return the sentences of the first paragraph, each with whether it says that something is not to be trusted."""
    doubts = [*_say_what_misleads(gathered)]
    words = [(text, True) for text in doubts] or [(_say_that_all_fits(gathered), False)]
    words += [(text, False) for text in (*_say_what_people_say(gathered), *_say_who_is_best(gathered))]
    return [(text, is_doubt) for text, is_doubt in words if text]


# --- whether the metrics fit


def _say_what_misleads(gathered: Gathered) -> Iterator[str]:
    if gathered.misfit:
        free = [name for name in gathered.metrics if name in METRICS and METRICS[name].ignores_length]
        is_news = free and gathered.lead not in free and len(gathered.groups) > 1
        leader = f" By {free[0]}, {_first_by(gathered, free[0])} leads." if is_news else ""
        yield f"{gathered.misfit}.{leader}"
    groups = gathered.rows[gathered.columns.by]
    names = [label(group) for group in gathered.groups]
    told = 0
    for hazard in gathered.hazards:
        by_group = pd.Series(hazard.flags).groupby(groups.to_numpy(object)).agg(["sum", "count"])
        n_found, n = by_group.reindex(gathered.groups).to_numpy(int).T
        if hazard.name == "cut_off" and (said := say_who_is_cut(names, n_found, n)):
            yield f"{said}."
        elif hazard.name not in _OF_SENTENCE and are_uneven(n_found / n) and told < _MOST_HAZARDS:
            yield f"{name_uneven(names, n_found / n)} have the hazard {hazard.name}."
            told += 1


def _say_that_all_fits(gathered: Gathered) -> str:
    if gathered.signature == NOT_KNOWN:
        return "How the scores were made is not known, so that nothing is said of whether they fit the responses."
    if any(name in METRICS and not METRICS[name].ignores_length for name in gathered.metrics):
        return "The metrics fit the length of the responses: hardly any is many times as long as its gold."
    return ""


# --- what people say


def _say_what_people_say(gathered: Gathered) -> Iterator[str]:
    human, table = gathered.human, gathered.overall
    if human is None:
        return
    known = table[human].dropna().sort_values(ascending=False, kind="stable")
    ranked = [f"{label(group)} {value:.1f}" for group, value in known.items()]
    more = f" and {len(ranked) - _MOST_RANKED} more" if len(ranked) > _MOST_RANKED else ""
    close = (
        f"; between the first two they are {found}" if (found := _verdict_on_first_two(gathered, known.index)) else ""
    )
    yield f"People\u2019s verdicts, the column {human}, rank {', '.join(ranked[:_MOST_RANKED])}{more}{close}."
    if not gathered.agreed:
        return
    first, *others = gathered.agreed.items()
    rest = f"; {others[-1][0]} in {100 * others[-1][1]:.0f} %, the fewest" if others else ""
    leads = " and leads here" if first[0] == gathered.lead else ""
    yield (
        f"{first[0]} agrees with them best{leads}: of two answers, the right one has the higher {first[0]} in "
        f"{100 * first[1]:.0f} % of cases{rest}."
    )


def _verdict_on_first_two(gathered: Gathered, ranked: pd.Index) -> str:
    """Return the verdict of a comparison of the first two groups by people; "" where these are not compared."""
    if gathered.compared is None or len(ranked) < 2:
        return ""
    pairs = gathered.compared[gathered.compared["metric"] == gathered.human]
    is_theirs = pairs["a"].isin(ranked[:2]) & pairs["b"].isin(ranked[:2])
    return next((verdict for verdict in pairs["verdict"][is_theirs] if verdict not in _TURNED), "")


# --- who is best


def _say_who_is_best(gathered: Gathered) -> Iterator[str]:
    """Say which group is best by the leading metric, how it compares with others, and who leads by other metrics."""
    table, lead = gathered.overall, gathered.lead
    known = table[table[lead].notna()]
    if len(gathered.groups) < 2 or known.empty:
        return
    best = known.index[0]
    told = f"By {lead}, {label(best)} leads with {figure(known.iloc[0], lead)}"
    if gathered.compared is None:
        yield f"{told}; groups were not compared, as question= was not given."
    elif gathered.baseline is None:
        yield f"{told}: {_say_verdicts(gathered, best)}."
    else:
        verdicts = _say_verdicts(gathered, gathered.baseline, of_others=True)
        yield f"{told}. Beside {label(gathered.baseline)}: {verdicts}."
    first_by: dict[str, list[str]] = {}
    for name in gathered.metrics:
        if name not in {lead, gathered.human} and (known[name] > known[name].iloc[0]).any():
            first_by.setdefault(_first_by(gathered, name), []).append(name)
    if first_by:
        named = "; ".join(f"{who} by {name_metrics(by)}" for who, by in first_by.items())
        yield f"Others lead by other metrics: {named}."


def _first_by(gathered: Gathered, metric: str) -> str:
    return label(gathered.overall[metric].idxmax())


def _say_verdicts(gathered: Gathered, group: object, *, of_others: bool = False) -> str:
    """Say which verdicts the pairs of a group have, by the leading metric. of_others: as those of the other groups."""
    assert gathered.compared is not None
    pairs = gathered.compared[gathered.compared["metric"] == gathered.lead]
    others: dict[str, list[str]] = {}
    for a, b, verdict in pairs[["a", "b", "verdict"]].itertuples(index=False, name=None):
        if group in (a, b):
            is_first = (a == group) is not of_others
            told = verdict if is_first else _TURNED.get(verdict, verdict)
            others.setdefault("undecided" if pd.isna(told) else told, []).append(label(b if a == group else a))
    n = sum(map(len, others.values()))
    if of_others:
        return "; ".join(f"{verdict}: {_name(names)}" for verdict, names in sorted(others.items()))
    return ", ".join(f"{verdict} {_PREPOSITIONS[verdict]} {_name(names, n)}" for verdict, names in others.items())


_PREPOSITIONS = {"better": "than", "worse": "than", "as good": "as", "equivalent": "to", "undecided": "against"}


def _name(names: Sequence[str], n: int = 0) -> str:
    """Name groups, or say how many they are of n others."""
    if len(names) == n > 1:
        return "all others"
    if len(names) > _MOST_NAMED:
        return f"{len(names)} others"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
