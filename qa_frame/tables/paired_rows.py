"""The rows that a comparison pairs: one a question and group, also where these have several samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import IntervalWarning, StratumWarning, plural, warn
from qa_frame.stats.contrasts import Contrast, Pairing, make_contrast
from qa_frame.stats.differences import Draws
from qa_frame.stats.estimates import FEW_CLUSTERS
from qa_frame.stats.grouping import GroupValues
from qa_frame.stats.p_function import Differences, make_p_function
from qa_frame.stats.permutation import sign_flip_test
from qa_frame.stats.rows import is_any_scored
from qa_frame.stats.samples import Passes, scores_of_questions, statistics_of_samples
from qa_frame.stats.sums import sum_by_group
from qa_frame.tables.options import SignificanceTest, require_reached
from qa_frame.tables.rows import ReadRows
from qa_frame.tables.same_questions import warn_of_pairs_without_questions

_FEW_DISCORDANT = 7.0
"""Intervals that rest on fewer independent units in which two groups differ may hold too seldom."""


@dataclass(frozen=True, slots=True)
class ArgumentTexts:
    """What warnings call the arguments of a comparison. It is made when the frame is read: no names are kept after.

    Attributes
    ----------
    units
        What is independent: questions, clusters or datasets.
    by
        What names the groups, each key as it is written in a call.
    question
        The argument that names the questions, as it is written.
    macro
        The argument that names the strata, as it is written; None where there are none.
    has_baseline
        Whether all groups are compared with one.
    """

    units: str
    by: tuple[str, ...]
    question: str
    macro: str | None
    has_baseline: bool


@dataclass(frozen=True, slots=True)
class PairedRows:
    """Rows, and how they are paired.

    Attributes
    ----------
    rows
        One row for each question of a group, with the statistics that are compared.
    pairings
        The pairs of groups, and which of the rows are paired.
    n_samples
        How many scored samples each row is made of, shape (rows,); None where it is a row as it stands.
    texts
        What warnings call the arguments of the comparison.
    settings
        What a table notes of these arguments.
    """

    rows: ReadRows
    pairings: list[Pairing]
    n_samples: Ints | None
    texts: ArgumentTexts
    settings: Mapping[str, object]

    @property
    def n_pairs(self) -> int:
        """How many pairs of groups are compared."""
        return sum(len(pairing.first) for pairing in self.pairings)

    def differences(self, test: SignificanceTest, draws: Draws) -> Iterator[Iterator[Differences]]:
        """Yield the differences of each statistic, some pairs at a time.

        Those of a statistic are to be used up before the next one is asked for.
        """
        for statistic in self.rows.estimators:
            sums_per_row, is_scored = statistic.sums_per_row(self.rows)
            blocks = (block for pairing in self.pairings for block in pairing.blocks(n_sums=statistic.n_sums + 1))
            contrasts = (make_contrast(statistic, sums_per_row, is_scored, block) for block in blocks)
            yield (self._test(each, is_scored, test, draws) for each in contrasts)

    def _test(self, pairs: Contrast, is_scored: Flags, test: SignificanceTest, draws: Draws) -> Differences:
        """Return the differences of the pairs of a contrast, with their test by sign flips.

        is_scored: whether the statistic is scored on each row, shape (rows,).
        """
        pairing = pairs.pairing
        a, b = (pairing.groups.iloc[each].reset_index(drop=True) for each in (pairing.first, pairing.second))
        tested, margin = sign_flip_test(pairs, draws), test.margin_of(pairs.statistic.name)
        tail = test.alpha / 2 if margin is None else test.alpha
        p_function = make_p_function(pairs, tested.p, draws, tail=tail, margin=margin)
        counts, units = pairs.counts | self._count_samples(pairing, is_scored), pairs.units(p_function.error)
        name, values = pairs.statistic.name, pairs.side_values
        return Differences(name, a, b, values, counts, p_function, tested.is_exhausted, units)

    def _count_samples(self, pairing: Pairing, is_scored: Flags) -> dict[str, Ints]:
        """Return `n_samples_a` and `n_samples_b`: samples on paired questions, shape (pairs,); {} without samples."""
        if self.n_samples is None:
            return {}
        sides = pairing.row_of[np.stack([pairing.first, pairing.second])]  # (2, pairs, questions)
        is_paired = ((sides >= 0) & is_scored[sides]).all(axis=0)
        n_a, n_b = (self.n_samples[sides] * is_paired).sum(axis=-1)
        return {"n_samples_a": n_a, "n_samples_b": n_b}

    def warn_of_few(self, compared: pd.DataFrame, units: Floats, test: SignificanceTest) -> None:
        """Warn of pairs with few questions or clusters, without a common question, or with no difference over `macro`.

        units: see `Contrast.units`.
        """
        self._warn_of_few_units(compared, units, test)
        texts = self.texts
        warn_of_pairs_without_questions(compared, texts.by, texts.question, has_baseline=texts.has_baseline)
        n_lacking = int((compared["diff"].isna() & (compared["n"] > 0)).sum())
        if texts.macro is not None and n_lacking:
            finding = (
                f"{n_lacking} of {plural(len(compared), 'row')} {'has' if n_lacking == 1 else 'have'} no difference"
            )
            reason = f"over {texts.macro}, as no question of some of its values is paired"
            remedy = "add these rows, or drop those of the same value in all groups"
            warn(f"{finding} {reason}; {remedy}", StratumWarning)

    def _warn_of_few_units(self, compared: pd.DataFrame, units: Floats, test: SignificanceTest) -> None:
        """Warn of pairs with few questions, clusters or datasets, or a small effective number of these."""
        named, (n_units, n_eff, n_discordant), n = self.texts.units, units, compared["n"].to_numpy()
        too_few = math.floor(1 - math.log2(test.alpha))  # with them all 2**units swaps have p >= 1 - ci
        few = f"{plural(too_few, named.removesuffix('s'))} or fewer"
        reasons = {f"{few}, which show hardly any difference at ci={test.ci:g}": n_units <= too_few}
        has_enough = n_units > too_few
        if named != "questions":
            reasons[f"fewer than {FEW_CLUSTERS} {named}"] = has_enough & (n_units < FEW_CLUSTERS)
            has_enough = n_units >= FEW_CLUSTERS
        is_uneven = (n_units >= FEW_CLUSTERS) & (n_eff < FEW_CLUSTERS - 1e-6)
        reasons[f"{named} so unequal that they are worth fewer than {FEW_CLUSTERS}"] = is_uneven
        few_discordant = f"{named} on which the two differ count as fewer than {_FEW_DISCORDANT:g} independent ones"
        reasons[few_discordant] = has_enough & (n_discordant > 0) & (n_discordant < _FEW_DISCORDANT)
        for statistic in self.rows.estimators:
            is_few = (compared["metric"] == statistic.name).to_numpy() & (n < statistic.trusted_from)
            reasons[f"{statistic.name} of fewer than {statistic.trusted_from} questions"] = is_few
        counted = {reason: np.count_nonzero(is_few & (n > 0)) for reason, is_few in reasons.items()}
        of_rows = f"of {plural(len(n), 'row')}"
        message = "; ".join(f"{reason} in {count} {of_rows}" for reason, count in counted.items() if count)
        if message:
            message = f"intervals and p may be misleading: {message}; gather more {named}, or do not rely on them"
            warn(message, IntervalWarning, see="coverage#differences")


def average_samples(rows: ReadRows, cells: Ints, passes: Passes, threshold: float) -> tuple[ReadRows, Ints]:
    """Return one row for each question of a group, with its means over samples, and how many samples it has.

    Only samples with a score count, int64 of shape (new rows,). Raises UnknownOptionError for a threshold that no score
    can reach.

    cells: a number for each row, the same for the samples of one question in a group; see `pair_up`. passes, threshold:
    the numbers k of pass@k, and the minimum score of a right answer.
    """
    of_question = GroupValues((), question=(pd.Series(cells),))
    require_reached(threshold, rows.scores)
    statistics = statistics_of_samples(rows.estimators, threshold)
    sums = sum_by_group(rows, statistics, of_question, with_products=False, with_rows=False)
    by_statistic = scores_of_questions(sums, passes)
    scores = {statistic.name: values for statistic, values in by_statistic.items()}
    has_score = is_any_scored(scores, sums.n_groups)
    made = replace(rows, n_rows=sums.n_groups, scores=scores, statistics={}, has_score=has_score, flags={})
    return replace(made, estimators=tuple(by_statistic)), sums.n
