"""What a pool keeps of the rows it has seen: counts and exact sums by group, which are simply added to each other."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import PoolMismatchError
from qa_frame.scoring.metrics import METRICS
from qa_frame.stats.exact_sums import sum_integers, sum_products, sum_scores, sum_squares
from qa_frame.stats.grouping import Keys, concatenate, factorise
from qa_frame.stats.ratios import RATIOS

COUNTS = ("n", "n_scored", "n_missing", "n_no_gold")


@dataclass(frozen=True, slots=True)
class Span:
    """The values of a score column: their bounds, and whether all of them are 0 or 1. Empty: from inf to -inf."""

    low: float = np.inf
    high: float = -np.inf
    is_binary: bool = True

    @property
    def is_unit(self) -> bool:
        """Whether all are from 0 to 1."""
        return self.low >= 0 and self.high <= 1

    def __or__(self, other: Span) -> Span:
        return Span(min(self.low, other.low), max(self.high, other.high), self.is_binary and other.is_binary)


@dataclass(frozen=True, slots=True)
class Facts:
    """What holds for all rows of a part.

    ratios: those whose statistics are there. signatures: of the scorings, None for one that is not known.
    are_counts_known: whether `n_missing` and `n_no_gold` are.
    """

    metrics: tuple[str, ...]
    ratios: tuple[str, ...]
    signatures: frozenset[str | None]
    are_counts_known: bool
    spans: Mapping[str, Span]

    @property
    def signature(self) -> str | None:
        """The one signature of all rows, None where it is not known of all."""
        return next(iter(self.signatures)) if len(self.signatures) == 1 else None

    def __or__(self, other: Facts) -> Facts:
        """What holds for the rows of both; a PoolMismatchError where they must not be pooled together."""
        metrics = self.metrics
        if metrics != other.metrics:
            if set(metrics) != set(other.metrics):
                raise _mismatch("metrics", list(metrics), list(other.metrics), "name the metrics that both have")
            metrics = tuple(metric for metric in METRICS if metric in metrics)  # whichever comes first
        if self.ratios != other.ratios:
            remedy = "score all with stats=True, or drop the statistics where they are"
            raise _mismatch("statistics", _names(self.ratios), _names(other.ratios), remedy)
        signatures = self.signatures | other.signatures
        known = sorted(filter(None, signatures))
        if len(known) > 1:
            raise _mismatch("signatures of the scoring", known[0], known[1], "score all rows in the same way")
        spans = {metric: self.spans[metric] | other.spans[metric] for metric in metrics}
        return Facts(metrics, self.ratios, signatures, self.are_counts_known and other.are_counts_known, spans)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows as they were, for resampling: shape (k, rows) each; codes: the place of their group in `Part.keys`.

    scores: float64, one line a metric, NaN where not scored. variables: for each ratio its variables.
    """

    codes: Ints
    scores: Mapping[str, Floats]
    variables: Mapping[str, Ints]


@dataclass(frozen=True, slots=True)
class Part:
    """Sums by group; a group may be that of a cluster, whose key then is the last.

    keys: for each level a key a group; each combination stands once. n_groups: how many.
    totals: int64, shape (places, groups): digits of sums (see `exact`), or sums themselves.
    """

    facts: Facts
    keys: Keys
    n_groups: int
    totals: Mapping[str, Ints]
    rows: Rows | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """Scored rows, by position. counts: those of COUNTS that are known, for each row."""

    scores: Mapping[str, Floats]
    variables: Mapping[str, Ints]
    counts: Mapping[str, Flags]
    signature: str | None
    n_rows: int


def make_part(scored: Scored, keys: Keys, *, with_spread: bool, with_rows: bool) -> Part:
    """The sums of rows by group.

    with_spread: sums of squares and products, too. with_rows: keep the rows themselves.
    """
    codes, first = factorise(keys, scored.n_rows)
    n_groups = len(first)
    are_counts_known = "n_missing" in scored.counts or not scored.n_rows
    totals = _count(scored, codes, n_groups)
    spans = {}
    for metric, scores in scored.scores.items():
        sums, spans[metric] = _sum_metric(metric, scores, codes, n_groups, with_spread=with_spread)
        totals.update(sums)
    for ratio, variables in scored.variables.items():
        totals.update(_sum_ratio(ratio, variables, codes, n_groups, with_spread=with_spread))
    signatures = frozenset([scored.signature] if scored.n_rows or scored.signature else [])
    facts = Facts(tuple(scored.scores), tuple(scored.variables), signatures, are_counts_known, spans)
    rows = Rows(codes, scored.scores, scored.variables) if with_rows else None
    firsts = tuple(key.iloc[first].reset_index(drop=True) for key in keys)
    return Part(facts, firsts, n_groups, totals, rows)


def combine(parts: Sequence[Part]) -> Part:
    """The part of all their rows. Which comes first makes no difference to any sum."""
    if len(parts) == 1:
        return parts[0]
    facts = functools.reduce(Facts.__or__, (part.facts for part in parts))
    every_key = concatenate([part.keys for part in parts])
    codes, first = factorise(every_key, sum(part.n_groups for part in parts))
    ends = np.cumsum([part.n_groups for part in parts])
    codes_by_part = np.split(codes, ends[:-1])
    n_groups = len(first)
    totals = {name: _add(name, parts, codes_by_part, n_groups) for name in parts[0].totals}
    keys = tuple(key.iloc[first].reset_index(drop=True) for key in every_key)
    return Part(facts, keys, n_groups, totals, _combine_rows(parts, codes_by_part))


def select_groups(part: Part, n_levels: int) -> tuple[Keys, Ints]:
    """The keys of the first levels, each combination once, and which of them each group of the part belongs to."""
    codes, first = factorise(part.keys[:n_levels], part.n_groups)
    return tuple(key.iloc[first].reset_index(drop=True) for key in part.keys[:n_levels]), codes


def add_up(totals: Ints, codes: Ints, n_groups: int) -> Ints:
    """Totals, shape (places, parts of groups), by group."""
    sums = np.zeros((len(totals), n_groups), np.int64)
    for place, values in enumerate(totals):
        np.add.at(sums[place], codes, values)
    return sums


def _count(scored: Scored, codes: Ints, n_groups: int) -> dict[str, Ints]:
    """`n` and the other counts; `n_any`: the rows on which any metric was scored."""
    is_scored = [~np.isnan(scores) for scores in scored.scores.values()]
    counts = {
        "n_scored": np.logical_and.reduce(is_scored),
        "n_any": np.logical_or.reduce(is_scored),
        "n_missing": scored.counts.get("n_missing"),
        "n_no_gold": scored.counts.get("n_no_gold"),
    }
    totals = {"n": np.bincount(codes, minlength=n_groups)[None].astype(np.int64)}
    for name, flags in counts.items():
        zeros = np.zeros((1, n_groups), np.int64)
        totals[name] = zeros if flags is None else sum_integers(flags.astype(np.int64), codes, n_groups)[None]
    return totals


def _sum_metric(
    metric: str, scores: Floats, codes: Ints, n_groups: int, *, with_spread: bool
) -> tuple[dict[str, Ints], Span]:
    is_scored = ~np.isnan(scores)
    if not is_scored.all():
        scores, codes = scores[is_scored], codes[is_scored]
    totals = {
        f"{metric} n": np.bincount(codes, minlength=n_groups)[None].astype(np.int64),
        f"{metric} sum": sum_scores(scores, codes, n_groups),
    }
    span = _span(scores)
    if with_spread:
        totals[f"{metric} square"] = sum_squares(scores, codes, n_groups)
        for power, name in ((3, "cube"), (4, "fourth")):
            totals[f"{metric} {name}"] = (
                totals[f"{metric} sum"] if span.is_binary else _sum_powers(scores, codes, n_groups, power)
            )
    return totals, span


def _span(scores: Floats) -> Span:
    if not len(scores):
        return Span()
    is_binary = bool(((scores[:1000] == 0) | (scores[:1000] == 1)).all() and ((scores == 0) | (scores == 1)).all())
    return Span(float(scores.min()), float(scores.max()), is_binary)


def _sum_powers(scores: Floats, codes: Ints, n_groups: int, power: int) -> Ints:
    """Digits of the sums of powers by group, of scores from 0 to 1; others, whose powers may be too large, count 0."""
    is_unit = (scores >= 0) & (scores <= 1)
    return sum_scores(np.multiply.reduce([np.where(is_unit, scores, 0.0)] * power), codes, n_groups)


def _sum_ratio(ratio: str, variables: Ints, codes: Ints, n_groups: int, *, with_spread: bool) -> dict[str, Ints]:
    totals = {f"{ratio} sum": np.stack([sum_integers(values, codes, n_groups) for values in variables])}
    if with_spread:
        pairs = zip(*np.triu_indices(RATIOS[ratio].n_variables), strict=True)
        products = [sum_products(variables[left], variables[right], codes, n_groups) for left, right in pairs]
        totals[f"{ratio} high"], totals[f"{ratio} low"] = np.stack(products, axis=1)
    return totals


def _add(name: str, parts: Iterable[Part], codes_by_part: Iterable[Ints], n_groups: int) -> Ints:
    parts = list(parts)
    sums = np.zeros((len(parts[0].totals[name]), n_groups), np.int64)
    for part, codes in zip(parts, codes_by_part, strict=True):
        sums[:, codes] += part.totals[name]  # no code twice in one part
    return sums


def _combine_rows(parts: Sequence[Part], codes_by_part: Sequence[Ints]) -> Rows | None:
    kept = [(part.rows, codes) for part, codes in zip(parts, codes_by_part, strict=True) if part.rows is not None]
    if not kept:
        return None
    return Rows(
        np.concatenate([codes[rows.codes] for rows, codes in kept]),
        {name: np.concatenate([rows.scores[name] for rows, _ in kept]) for name in kept[0][0].scores},
        {name: np.concatenate([rows.variables[name] for rows, _ in kept], axis=1) for name in kept[0][0].variables},
    )


def _mismatch(what: str, mine: object, theirs: object, remedy: str) -> PoolMismatchError:
    return PoolMismatchError(f"the {what} differ: {mine!r} here, {theirs!r} there; {remedy}")


def _names(ratios: Sequence[str]) -> Any:
    return [name for ratio in ratios for name in RATIOS[ratio].statistics]
