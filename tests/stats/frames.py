"""Scored frames, made up, for tests of statistics."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from qa_frame.scoring.metrics import ALL_STATISTICS
from qa_frame.tables.pooled import POOLED_STATISTICS as POOLED

METRICS = ["em", "f1", "contains", "bleu"]
FIGURES = [*METRICS, "corpus_bleu", "f1_micro"]


@st.composite
def statistics(draw, n_rows=None):
    """Columns of statistics of some rows, as `score(stats=True)` gives them."""
    n_rows = draw(st.integers(1, 8)) if n_rows is None else n_rows
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_pred, n_gold = random.integers(1, 30, n_rows), random.integers(1, 30, n_rows)
    columns = {"pred_len": n_pred, "gold_len": n_gold, "overlap": random.integers(0, np.minimum(n_pred, n_gold) + 1)}
    columns |= {"bleu_pred_len": n_pred + draw(st.integers(0, 3)), "bleu_ref_len": n_gold}
    matches = n_pred
    for order in (1, 2, 3, 4):
        matches = random.integers(matches // 2, matches + 1).clip(0, (n_pred - order + 1).clip(0))
        columns[f"bleu_match{order}"] = matches
    return columns | statistics_of_chrf(random, n_pred, n_gold)


def statistics_of_chrf(random, n_pred, n_gold):
    columns = {}
    for name, orders in (("chrf_match", 6), ("chrf++_match", 6), ("chrf++_word_match", 2)):
        for order in range(orders):
            columns[f"{name}{order + 1}"] = random.integers(0, (np.minimum(n_pred, n_gold) - order).clip(0) + 1)
    for side, n_tokens in (("pred", n_pred), ("gold", n_gold)):
        columns |= dict.fromkeys([f"chrf_{side}_len", f"chrf++_{side}_len", f"chrf++_{side}_words"], n_tokens)
    return columns


def sums_of(name, columns):
    """The sums of a figure's variables, and the number of rows."""
    if name == "mean":
        return np.array([columns["overlap"].sum() / 40, len(columns["overlap"])])
    sums_per_row = POOLED[name].summands_per_row(columns)
    return np.append(sums_per_row.sum(axis=1), sums_per_row.shape[1]).astype(float)


def make_frame(n_rows=300, n_groups=3, seed=0):
    """A scored frame with statistics: `em` and `contains` 0 or 1, `f1` and `bleu` between, some of it null."""
    random = np.random.default_rng(seed)
    n_pred, n_gold = random.integers(1, 30, n_rows), random.integers(1, 9, n_rows)
    frame = pd.DataFrame(
        {
            "model": random.choice([f"m{i}" for i in range(n_groups)], n_rows),
            "question": random.integers(0, max(1, n_rows // 5), n_rows),
            "em": (random.random(n_rows) < 0.2).astype(float),
            "f1": random.integers(0, 9, n_rows) / random.integers(9, 17, n_rows),
            "contains": (random.random(n_rows) < 0.5).astype(float),
            "bleu": random.random(n_rows) ** 3,
            "pred_len": n_pred,
            "gold_len": n_gold,
            "overlap": random.integers(0, np.minimum(n_pred, n_gold) + 1),
            "bleu_pred_len": n_pred,
            "bleu_ref_len": n_pred + random.integers(-5, 9, n_rows).clip(1 - n_pred),
        }
    )
    matches = n_pred
    for order in (1, 2, 3, 4):
        matches = random.integers(matches // 2, matches + 1).clip(0, (n_pred - order + 1).clip(0))
        frame[f"bleu_match{order}"] = matches
    frame = frame.assign(**statistics_of_chrf(np.random.default_rng(seed), n_pred, n_gold))
    is_scored = random.random(n_rows) < 0.9
    frame.loc[~is_scored, METRICS] = np.nan
    frame.loc[~is_scored, list(ALL_STATISTICS)] = 0
    return frame


def bounds_of(summary, name):
    """Shape (groups, 2)."""
    return summary[[f"{name}_lo", f"{name}_hi"]].to_numpy()


def all_bounds(summary):
    """The columns of bounds alone."""
    return summary[[name for name in summary if name.endswith(("_lo", "_hi"))]]
