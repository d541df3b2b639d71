"""Which rules made a column of scores: conventions, metrics, extractions and reductions are tried."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pandas as pd

from qa_frame._names import ConventionName
from qa_frame._typing import Floats, Ints
from qa_frame.errors import ColumnTypeError, MissingPackageError
from qa_frame.frames.kinds import Source
from qa_frame.frames.text_columns import TextColumns
from qa_frame.rules.listing import conventions
from qa_frame.rules.parts import ReductionName
from qa_frame.scoring.call_rules import known_metrics, make_rules
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import make_plan
from qa_frame.scoring.predictions import prepare_predictions

EXTRACTIONS = (
    *(None, "first_line", "after_think|all", "answer_tag", "boxed", "answer_is", "choice", "hashes", "last_line"),
)
REDUCTIONS: tuple[ReductionName | None, ...] = (None, "max", "mean", "min", "first", "best")
"""What is tried for `extract` and `reduce`. None is the whole response, and the convention's own."""

_FIRST_ROWS, _NEXT_ROWS = 200, 2_000
_KEPT, _MOST_ALIKE = 12, 10
"""How many candidates that differ are tried on more rows, and with how many others that score the few rows alike."""

Tried: TypeAlias = tuple[ConventionName, ReductionName | None, str | None]
"""A convention, how the scores of several golds become one, and what finds the answer in a response."""

_TOLERANCE = 1e-6
"""By how much equal scores may differ, as some are stored as float32."""

_MOST_DECIMALS = 6
"""Scores with fewer decimals are taken for rounded ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """The column of scores whose rules are sought.

    Attributes
    ----------
    scores
        Its numbers from 0 to 1; NaN where there is none. float64 of shape (rows,).
    tolerance
        By how much equal scores may differ, as the column is rounded.
    """

    scores: Floats
    tolerance: float

    def differences(self, scores: Floats) -> Floats:
        """Return by how much each score differs from the recorded one; 1 where only one of them is NaN."""
        differences = np.abs(scores - self.scores)
        return np.where(np.isnan(scores) != np.isnan(self.scores), 1.0, np.nan_to_num(differences))


def read_recorded(values: Floats, argument: str) -> Recorded:
    """Return the recorded scores: shares, or percentages where one is above 1. ColumnTypeError for other numbers."""
    known = values[~np.isnan(values)]
    if not len(known):
        raise ColumnTypeError(f"{argument} has no number in any row; name a column of scores")
    scale = 100.0 if known.max() > 1 else 1.0
    if known.min() < 0 or known.max() > scale:
        raise ColumnTypeError(
            f"{argument} has numbers from {known.min():g} to {known.max():g}; scores are from 0 to 1, or from 0 to "
            "100; divide them by their highest value first"
        )
    fits = (np.abs(known - known.round(places)).max() < _TOLERANCE / 10 for places in range(_MOST_DECIMALS))
    decimals = next((places for places, is_near in enumerate(fits) if is_near), _MOST_DECIMALS)
    is_rounded = decimals > 1 or scale > 1  # else scores of 0 and 1, or of .5
    rounding = 0.5 * 10.0**-decimals if is_rounded else 0.0
    return Recorded(values / scale, rounding / scale + _TOLERANCE)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A metric under rules that may have made the column, with its scores of some rows, and how these agree."""

    rules: Tried
    metric: str
    scores: Floats
    share_equal: float
    max_diff: float

    @property
    def disagreement(self) -> tuple[float, float]:
        """What the best candidate has least of."""
        return -self.share_equal, self.max_diff


def identify_rules(
    source: Source, recorded: Recorded, *, pred: Hashable, gold: Hashable, metrics: Collection[str], most: int
) -> pd.DataFrame:
    """Return a table of the rules under which most scores are the recorded ones, best first.

    All conventions are tried on few rows, with one reduction or extraction after the other until all scores are equal;
    the best of these, with all reductions, on more rows, and the best of those on all rows.
    """
    rows = np.flatnonzero(~np.isnan(recorded.scores))
    without_package: set[str] = set()

    def best_of(asked: Iterable[Tried], n_rows: int) -> list[Candidate]:
        """Return the candidates on so many rows, those with most equal scores first."""
        chosen = rows[_spread(recorded.scores[rows], n_rows)]
        texts = source.take(chosen).texts(pred=pred, gold=gold)
        known = replace(recorded, scores=recorded.scores[chosen])
        return sorted(_tried(texts, known, asked, metrics, without_package), key=lambda each: each.disagreement)

    first: list[Candidate] = []
    settings = [*((reduce, None) for reduce in REDUCTIONS), *((None, extract) for extract in EXTRACTIONS[1:])]
    for reduce, extract in settings:
        first += best_of([(name, reduce, extract) for name in conventions], _FIRST_ROWS)
        if any(each.share_equal == 1 for each in first):
            break
    kept = [*_grouped(sorted(first, key=lambda each: each.disagreement)).values()][:_KEPT]
    asked = [each.rules for group in kept for each in group[:_MOST_ALIKE]]
    best = [group[0].rules for group in kept]
    asked += [(name, reduce, extract) for name, _, extract in best for reduce in REDUCTIONS]
    several = [*_grouped(best_of(dict.fromkeys(asked), _NEXT_ROWS)).values()][: 2 * most]
    found = best_of(dict.fromkeys(each.rules for group in several for each in group), len(rows))
    labels = source.columns.index if isinstance(source.columns, pd.DataFrame) else pd.RangeIndex(len(recorded.scores))
    table = _as_table(found, labels[rows], most)
    table.attrs["qa_identified"] = {"not_tried": sorted(without_package), "tolerance": recorded.tolerance}
    return table


def _spread(scores: Floats, most: int) -> Ints:
    """Return the places of at most so many scores, evenly from the lowest to the highest, in their order."""
    places = np.linspace(0, len(scores) - 1, min(most, len(scores))).astype(np.int64)
    return np.sort(np.argsort(scores, kind="stable")[places])


def _tried(
    texts: TextColumns,
    recorded: Recorded,
    asked: Iterable[Tried],
    metrics: Collection[str],
    without_package: set[str],
) -> Iterator[Candidate]:
    """Yield each metric under each of the rules, with its scores of these rows.

    without_package: gets the names of the conventions that need a package which is not installed.
    """
    for name, reduce, extract in asked:
        known = known_metrics(conventions[name])
        wanted = [metric for metric in known if metric in metrics]
        if not wanted or name in without_package or (reduce == "best" and "f1" not in known):
            continue
        rules = make_rules(convention=name, reduce=reduce, extract=extract)
        try:
            plan = make_plan(wanted, rules)
        except MissingPackageError:
            without_package.add(name)
            continue
        scores = score_columns(prepare_predictions(texts, plan), plan, progress=False)
        for metric in wanted:
            differences = recorded.differences(scores[metric])
            share_equal = float(np.mean(differences <= recorded.tolerance))
            yield Candidate((name, reduce, extract), metric, scores[metric], share_equal, float(differences.max()))


def _grouped(found: Iterable[Candidate]) -> dict[tuple[str, bytes], list[Candidate]]:
    """Return the candidates in groups that score all rows alike, in the order of the first of each."""
    groups: dict[tuple[str, bytes], list[Candidate]] = {}
    for candidate in found:
        groups.setdefault((candidate.metric, candidate.scores.tobytes()), []).append(candidate)
    return groups


def _as_table(found: list[Candidate], labels: pd.Index, most: int) -> pd.DataFrame:
    """Return a row for each of the best candidates. Those that score all rows alike share a row."""
    groups = [*_grouped(found).values()][:most]
    lines = []
    for place, (first, *others) in enumerate(groups):
        other = groups[0 if place else min(1, len(groups) - 1)][0].scores
        apart = np.flatnonzero(~np.isclose(first.scores, other, rtol=0, atol=_TOLERANCE, equal_nan=True))
        name, reduce, extract = first.rules
        lines.append(
            {
                "convention": name,
                "metric": first.metric,
                "reduce": reduce or conventions[name].reduce,
                "extract": extract,
                "n": len(labels),
                "n_equal": round(first.share_equal * len(labels)),
                "max_diff": first.max_diff,
                "apart": labels[apart[0]] if len(apart) else None,
                "alike": " ".join(dict.fromkeys(each.rules[0] for each in others if each.rules[0] != name)),
            }
        )
    return pd.DataFrame(lines).astype({"extract": object})
