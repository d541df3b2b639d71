"""The rows that a comparison pairs: one a question and group, also where these have several samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.checks import is_equal
from qa_frame.errors import IntervalWarning, PairingError, StratumWarning, plural, show, warn
from qa_frame.frames.source import Source
from qa_frame.stats.contrasts import Contrast, contrast
from qa_frame.stats.estimates import FEW_CLUSTERS, SMALL_TOTAL
from qa_frame.stats.grouping import GroupValues
from qa_frame.stats.pairing import Pairing
from qa_frame.stats.rows import is_any_scored
from qa_frame.stats.samples import sample_statistics, scores_of_questions
from qa_frame.stats.statistic import Statistic
from qa_frame.stats.sums import collect
from qa_frame.tables.groups import warn_of_rows, warn_of_unknown_rules
from qa_frame.tables.options import require_reached
from qa_frame.tables.pairs import PairKeys, pair_up
from qa_frame.tables.rows import ReadRows, Scoring
from qa_frame.tables.same_questions import (
    DATASET,
    Naming,
    find_mixed,
    refuse_mixed,
    refuse_repeated,
    say_filters,
    warn_of_filters,
    warn_of_pairs_without_questions,
)
from qa_frame.tables.significance_settings import Testing


@dataclass(frozen=True, slots=True)
class PairedRows:
    """Rows, and how they are paired.

    Attributes
    ----------
    rows
        One row for each question of a group.
    pairings
        Which of these are paired.
    n_samples
        How many scored samples each row is made of, shape (rows,); None where it is a row as it stands.
    keys
        The arguments that say so.
    """

    rows: ReadRows
    pairings: list[Pairing]
    n_samples: Ints | None
    keys: PairKeys

    @property
    def n_pairs(self) -> int:
        """How many pairs of groups are compared."""
        return sum(len(pairing.first) for pairing in self.pairings)

    def contrasts(self, figures: Sequence[Statistic], _: Testing) -> Iterator[Iterator[Contrast]]:
        """Yield the differences of each figure, some pairs at a time; they are to be used before the next figure."""
        for figure in figures:
            sums_per_row, is_scored = figure.sums_per_row(self.rows)
            blocks = (block for pairing in self.pairings for block in pairing.blocks(n_parts=figure.n_sums + 1))
            yield (self._count_samples(contrast(figure, sums_per_row, is_scored, block), is_scored) for block in blocks)

    def _count_samples(self, pairs: Contrast, is_scored: Flags) -> Contrast:
        """Return them with the samples of both sides of each pair, on the questions that are paired."""
        if self.n_samples is None:
            return pairs
        sides = pairs.pairing.row_of[np.stack([pairs.pairing.first, pairs.pairing.second])]  # (2, pairs, questions)
        is_paired = ((sides >= 0) & is_scored[sides]).all(axis=0)
        n_a, n_b = (self.n_samples[sides] * is_paired).sum(axis=-1)
        return replace(pairs, counts=pairs.counts | {"n_samples_a": n_a, "n_samples_b": n_b})

    def warn_of_few(self, compared: pd.DataFrame, units: Floats, testing: Testing) -> None:
        """Warn of pairs that rest on little, or on nothing. units: see `Contrast.units`."""
        self._warn_of_few_units(compared, units, testing)
        keys = self.keys
        question, has_baseline = f"question={show(keys.question)}", keys.baseline is not None
        warn_of_pairs_without_questions(compared, keys.by, question, has_baseline=has_baseline)
        n_lacking = int((compared["diff"].isna() & (compared["n"] > 0)).sum())
        if keys.macro is not None and n_lacking:
            warn(
                f"{n_lacking} of {plural(len(compared), 'row')} {'has' if n_lacking == 1 else 'have'} no difference "
                f"over macro={show(keys.macro)}, as no question of some "
                "of its values is paired; add these rows, or drop those of the same value in all groups",
                StratumWarning,
            )

    def _warn_of_few_units(self, compared: pd.DataFrame, units: Floats, testing: Testing) -> None:
        """Warn of pairs that have few units, or units that are worth few."""
        named, (n_units, n_eff, n_discordant), n = self.keys.units, units, compared["n"].to_numpy()
        too_few = math.floor(1 - math.log2(testing.alpha))  # with them all 2**units swaps have p >= 1 - ci
        few = f"{plural(too_few, named.removesuffix('s'))} or fewer"
        reasons = {f"{few}, which show hardly any difference at ci={testing.ci:g}": n_units <= too_few}
        is_told = n_units > too_few
        if named != "questions":
            reasons[f"fewer than {FEW_CLUSTERS} {named}"] = is_told & (n_units < FEW_CLUSTERS)
            is_told = n_units >= FEW_CLUSTERS
            is_uneven = is_told & (n_eff < FEW_CLUSTERS - 1e-6)
            reasons[f"{named} so unequal that they are worth fewer than {FEW_CLUSTERS}"] = is_uneven
        told = f"{named} worth fewer than {SMALL_TOTAL:g} independent ones that tell the two apart"
        reasons[told] = is_told & (n_discordant > 0) & (n_discordant < SMALL_TOTAL)
        if self.keys.macro is not None:
            has_none = (n_units > too_few) & (compared["diff"].notna() & compared["diff_lo"].isna()).to_numpy()
            lone = f"no interval, as a value of macro={show(self.keys.macro)} has one of its {named} alone,"
            reasons[lone] = has_none
        for figure in self.rows.figures:
            is_few = (compared["metric"] == figure.name).to_numpy() & (n < figure.trusted_from)
            reasons[f"{figure.name} of fewer than {figure.trusted_from} questions"] = is_few
        counted = {reason: np.count_nonzero(is_few & (n > 0)) for reason, is_few in reasons.items()}
        of_rows = f"of {plural(len(n), 'row')}"
        said = "; ".join(f"{reason} in {count} {of_rows}" for reason, count in counted.items() if count)
        if said:
            warn(
                f"intervals and p may be misleading: {said}; gather more {named}, or do not rely on them",
                IntervalWarning,
                see="coverage#differences",
            )


def read_pairs(source: Source, scoring: Scoring, keys: PairKeys) -> PairedRows:
    """Return the rows of a frame, paired, and warn of what makes them doubtful. A question counts once in a group."""
    rows, pairings, cells = read_answers(source, scoring, keys)
    if not keys.has_samples:
        return PairedRows(rows, pairings, None, keys)
    questions, n_samples = _as_questions(rows, cells, keys)
    return PairedRows(questions, pairings, n_samples, keys)


def read_answers(source: Source, scoring: Scoring, keys: PairKeys) -> tuple[ReadRows, list[Pairing], Ints]:
    """Return the rows of a frame, how they are paired, and the cell of each; see `pair_up`."""
    rows = scoring.read(source, **keys.named)
    if rows.filters and not keys.has_samples:
        raise PairingError(say_filters(rows.filters))
    warn_of_filters(rows.filters)
    groups, cells, pairings = pair_up(rows.frame, keys)
    _refuse_other_questions(rows, pairings, keys, cells)
    warn_of_rows(rows, groups)
    warn_of_unknown_rules(rows, rows.frame.index)
    return rows, pairings, cells


def _refuse_other_questions(rows: ReadRows, pairings: list[Pairing], keys: PairKeys, cells: Ints) -> None:
    """Raise PairingError where rows that are paired, or are samples of one question, do not answer the same one."""
    groups, around, named = keys.named["by"], keys.named["within"], keys.named["question"]
    row_of = np.concatenate([pairing.row_of for pairing in pairings], axis=1)
    question = np.full(rows.n_rows + 1, -1)  # the last is for questions that a group has no row for
    question[row_of] = np.arange(row_of.shape[1])
    others = dict.fromkeys([*(groups if len(groups) > 1 else ()), DATASET])
    inside = [name for name in others if isinstance(name, str) and not any(is_equal(name, key) for key in named)]
    naming = Naming(named, around, inside, with_samples="" if keys.has_samples else "samples=True")
    refuse_mixed([find_mixed(rows.frame, rows.golds, question[cells], naming)], naming)
    if keys.cluster is None:
        refuse_repeated(rows.frame, rows.golds, naming, groups, row_of.shape[1])


def _as_questions(rows: ReadRows, cells: Ints, keys: PairKeys) -> tuple[ReadRows, Ints]:
    """Return one row for each question of a group, and the scored samples of each."""
    of_question = GroupValues((), question=(pd.Series(cells),))
    require_reached(keys.threshold, rows.scores)
    figures = sample_statistics(rows.figures, keys.threshold)
    sums = collect(rows, figures, of_question, with_products=False, with_rows=False)
    found = scores_of_questions(sums, keys.passes)
    scores = {figure.name: values for figure, values in found.items()}
    has_score = is_any_scored(scores, sums.n_groups)
    made = replace(
        rows, n_rows=sums.n_groups, scores=scores, statistics={}, has_score=has_score, flags={}, figures=tuple(found)
    )
    return made, sums.n_scored
