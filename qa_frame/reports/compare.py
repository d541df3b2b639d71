"""Groups that answered the same questions, or questions of their own → the table of their differences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats
from qa_frame.checks import MOST_RESAMPLES
from qa_frame.errors import IntervalWarning, plural, warn
from qa_frame.frames.kinds import Source
from qa_frame.frames.provenance import describe_table
from qa_frame.reports.independent_groups import IndependentContrast, IndependentGroups, read_independent
from qa_frame.reports.paired_rows import PairedRows, read_pairs
from qa_frame.reports.pairing import PairKeys
from qa_frame.reports.result_tables import COMPARED_FIGURES
from qa_frame.reports.rows import Scoring, kinds_of
from qa_frame.reports.testing import Testing
from qa_frame.reports.verdicts import verdicts_of
from qa_frame.stats.contrasts import OUTCOMES, Contrast
from qa_frame.stats.intervals import Bounds
from qa_frame.stats.p_values import Draws, adjust, plan_draws
from qa_frame.stats.permutation import swap_test
from qa_frame.stats.power import POWER, standard_errors

Design = PairedRows | IndependentGroups
"""Which rows are compared, and how: the contrasts of its groups, the test of these, and its warnings."""


def compare_groups(source: Source, scoring: Scoring, testing: Testing, keys: PairKeys) -> pd.DataFrame:
    """Return one row per figure and pair of groups."""
    design: Design = (read_independent if keys.question is None else read_pairs)(source, scoring, keys)
    by_name = {figure.name: figure for figure in design.rows.figures}
    names = (*by_name,) if keys.has_samples else scoring.named or (*by_name,)
    testing.require_margins_in_range(names, design.rows)
    n_tests = design.n_pairs if testing.correction != "none" else 1
    draws = plan_draws(testing.n_resamples, n_tests=n_tests, ci=1 - testing.alpha, seed=testing.seed)
    of_figures = design.contrasts([by_name[name] for name in names], testing)
    tables, units, are_few = zip(*(_compare_pairs(design, each, testing, draws) for each in of_figures), strict=True)
    compared: pd.DataFrame = pd.concat(tables, ignore_index=True)
    design.warn_of_few(compared, np.concatenate(units, axis=1), testing)
    _put_null_for_unknown(compared, np.concatenate(are_few), testing, draws)
    settings = {"correction": testing.correction, "cluster": keys.cluster, "ci": testing.ci}
    settings |= {"simultaneous": testing.hold_together}
    settings |= {"n_resamples": draws.n_all, "seed": testing.seed, **keys.described}
    settings |= {} if testing.margin is None else {"margin": testing.margin}
    compared.attrs |= describe_table(
        "compare",
        keys=["metric", "a", "b"],
        figures=[name for name in COMPARED_FIGURES if name in compared],
        metrics=kinds_of(names),
        level=testing.ci,
        settings=settings,
        signature=design.rows.signature,
    )
    return compared


def _compare_pairs(
    design: Design, contrasts: Iterable[Contrast | IndependentContrast], testing: Testing, draws: Draws
) -> tuple[pd.DataFrame, Floats, Flags]:
    """Return one row per pair of a figure, p corrected within it; the units of pairs, and which have too few draws."""
    tables, units, are_few = [], [], []
    for pairs in contrasts:
        if isinstance(pairs, IndependentContrast):
            bounds, tested = pairs.test(draws)
        else:
            bounds, tested = swap_test(pairs, draws, ci=testing.level(design.n_pairs))
        tables.append(_tabulate_pairs(pairs, bounds, tested.p, testing))
        units.append(pairs.units)
        are_few.append(tested.is_exhausted)
    table, of_pairs = pd.concat(tables, ignore_index=True), np.concatenate(units, axis=1)
    table["p_adj"] = adjust(table["p"].to_numpy(), testing.correction)
    table["verdict"] = verdicts_of(table, testing.alpha)
    return table, of_pairs, np.concatenate(are_few)


def _tabulate_pairs(pairs: Contrast | IndependentContrast, bounds: Bounds, p: Floats, testing: Testing) -> pd.DataFrame:
    """Return one row per pair, without what depends on how many are tested."""
    compared, (low, high), (mean_a, mean_b) = pairs.pairing, bounds, pairs.side_values
    a, b = (compared.groups.iloc[places].reset_index(drop=True) for places in (compared.first, compared.second))
    columns = {"metric": pairs.figure.name, "a": a, "b": b, "n": pairs.counts["n"], "mean_a": mean_a, "mean_b": mean_b}
    columns |= {"diff": pairs.found, "diff_lo": low, "diff_hi": high, "p": p}
    columns |= dict.fromkeys(("p_adj", "verdict"))  # in their place; see `_compare_pairs`
    columns |= {name: pairs.counts[name] for name in OUTCOMES}
    columns |= _size_columns(pairs, testing)
    return pd.DataFrame(columns | {name: each for name, each in pairs.counts.items() if name not in columns})


def _size_columns(pairs: Contrast | IndependentContrast, testing: Testing) -> dict[str, Any]:
    """Return what tells how large a difference may be: the least that can be found, and the tests of a margin."""
    located, alpha = pairs.located(), 1 - testing.ci
    columns: dict[str, Any] = {"mdd": standard_errors(alpha, POWER) * located.error}
    if testing.margin is None:
        return columns
    margin = testing.margin_of(pairs.figure.name)
    (above, below), (low, high) = located.p_beyond(margin or 0.0), located.bounds(1 - 2 * alpha)
    columns |= {"p_noninferior": above, "p_equivalent": np.maximum(above, below), "tost_lo": low, "tost_hi": high}
    return columns if margin is not None else columns | dict.fromkeys(list(columns)[1:], np.nan)


def _put_null_for_unknown(compared: pd.DataFrame, are_few: Flags, testing: Testing, draws: Draws) -> None:
    """Put NaN for each p_adj that is not known for want of draws, and warn.

    Such a p_adj is at most the least one that the draws can show, and that is not below 1 - ci.
    """
    is_unknown = are_few & (compared["p_adj"] >= testing.alpha).to_numpy()
    if not is_unknown.any() or draws.n_all >= draws.n_enough:
        return
    compared.loc[is_unknown, "p_adj"] = np.nan
    remedy = f"give n_resamples={draws.n_enough}, or leave it out"
    if draws.n_enough > MOST_RESAMPLES:
        remedy = (
            f"{draws.n_enough} would do, which is too many: compare fewer groups, with a baseline, or at a lower ci"
        )
    n_tests = round(testing.alpha / draws.target)
    warn(
        f"{draws.n_all} draws are too few for {plural(n_tests, 'test')} at ci={testing.ci:g}: p_adj is null "
        f"in {int(is_unknown.sum())} of {plural(len(compared), 'row')}, where none was as far from 0 as the difference "
        f"found, and so few cannot show a p_adj below {1 - testing.ci:g}; {remedy}",
        IntervalWarning,
    )
