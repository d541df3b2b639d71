"""Groups that answered the same questions → the table of their paired differences."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.frames.kinds import Source
from qa_frame.frames.provenance import describe_table
from qa_frame.reports.scored_rows import Scoring, kinds_of, read_rows, require_pooled, warn_of_mixed_rows
from qa_frame.stats.contrasts import (
    Correction,
    adjust,
    agree_about_zero,
    bootstrap_test,
    contrast,
    difference_bounds,
    swap_p_values,
)
from qa_frame.stats.figures import figure_of
from qa_frame.stats.grouping import By, list_keys, read_codes
from qa_frame.stats.pairing import Pairing, pair_up

Test = Literal["permutation", "bootstrap"]
TESTS: tuple[Test, ...] = ("permutation", "bootstrap")


def compare_groups(
    source: Source,
    scoring: Scoring,
    *,
    by: By,
    on: By,
    baseline: Hashable | None,
    test: Test,
    correction: Correction,
    cluster: By,
    ci: float,
    n_resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Return one row a figure and pair of groups."""
    keys = {"by": list_keys(by), "on": list_keys(on), "cluster": list_keys(cluster)}
    frame = source.as_pandas(keys, scoring.names)
    pairing = pair_up(frame, by=by, on=on, baseline=baseline, cluster=cluster)
    rows = read_rows(source, frame, scoring)
    wanted = rows.figures if scoring.metrics is None else (*scoring.metrics, *(scoring.pooled or ()))
    require_pooled(rows, [name for name in wanted if name not in rows.scores])
    warn_of_mixed_rows(rows, read_codes(frame, by, "by"))
    compared = []
    for name in wanted:
        variables, is_scored = rows.variables(name)
        blocks = pairing.blocks(n_parts=figure_of(name).n_variables + 1)
        parts = [
            _compare_pairs(name, variables, is_scored, block, test, ci=ci, n_resamples=n_resamples, seed=seed)
            for block in blocks
        ]
        of_figure = pd.concat(parts, ignore_index=True)
        of_figure["p_adj"] = adjust(of_figure["p"].to_numpy(), correction)
        compared.append(of_figure)
    result = pd.concat(compared, ignore_index=True)
    result.attrs |= describe_table(
        "compare", keys=["metric", "a", "b"], figures=["mean_a", "mean_b", "diff"], metrics=kinds_of(wanted)
    )
    settings = f"test:{test}|correction:{correction}|cluster:{cluster}|ci:{ci}|n_resamples:{n_resamples}|seed:{seed}"
    result.attrs["qa_compare"] = settings
    if rows.signature is not None:
        result.attrs["qa"] = rows.signature
    return result


def _compare_pairs(
    name: str,
    variables: Floats | Ints,
    is_scored: Flags,
    pairing: Pairing,
    test: Test,
    *,
    ci: float,
    n_resamples: int,
    seed: int,
) -> pd.DataFrame:
    """One row a pair, without the correction for their number."""
    pairs = contrast(figure_of(name), variables, is_scored, pairing)
    if test == "permutation":
        bounds = difference_bounds(pairs, ci)
        p = swap_p_values(pairs, n_resamples=n_resamples, seed=seed)
    else:
        bounds, p = bootstrap_test(pairs, ci=ci, n_resamples=n_resamples, seed=seed)
    low, high = agree_about_zero(bounds, pairs.found, p, ci)
    a, b = (pairing.groups.iloc[places].reset_index(drop=True) for places in (pairing.first, pairing.second))
    columns = {
        "metric": name,
        "a": a,
        "b": b,
        "n": pairs.counts["n"],
        "mean_a": pairs.side_values[0],
        "mean_b": pairs.side_values[1],
    }
    columns |= {"diff": pairs.found, "diff_lo": low, "diff_hi": high, "p": p, "p_adj": np.nan}
    columns |= {count: pairs.counts[count] for count in ("wins", "ties", "losses")}
    columns |= {count: pairs.counts[count] for count in ("n_only_a", "n_only_b", "n_not_scored")}
    return pd.DataFrame(columns)
