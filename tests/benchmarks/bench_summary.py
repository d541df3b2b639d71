"""Seconds for summaries, beside pandas' own `groupby().mean()`: `python -m tests.benchmarks.bench_summary --help`.

Before anything is timed, the means are shown to equal those of pandas. Every figure is the least of some repeats, all
of the same run and taken in turns; the bootstrap is timed once.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

import qa_frame
from tests.reference.statistics import STATISTICS

BY = ["model", "dataset"]
METRICS = ["em", "f1", "recall", "contains", "rouge_l", "bleu"]
HEADER = ("rows", "groups", "columns", "what", "seconds", "ratio to groupby().mean()")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one Markdown table; returns the exit status."""
    options = parse(arguments)
    write_row(HEADER)
    write_row(["---:", "---:", "---", "---", "---:", "---:"])
    for with_statistics in (False, True):
        frame = make_frame(options.rows, options.groups, with_statistics=with_statistics)
        columns = list(frame.columns[2:])
        prove_equal(frame)
        least = take_turns(summaries(frame, columns), options.repeats)
        for what, seconds in least.items():
            write(frame, options, what, seconds, least["groupby().mean()"])
        for by, what in ((BY, "method='bootstrap'"), (None, "method='bootstrap', by=None")):
            start = time.perf_counter()
            frame.qa.summary(by=by, ci=0.95, method="bootstrap", n_resamples=options.resamples)
            seconds = time.perf_counter() - start
            write(frame, options, f"{what}, {options.resamples} resamples", seconds, None)
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--groups", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    return parser.parse_args(arguments)


def summaries(frame: pd.DataFrame, columns: list[str]) -> dict[str, Callable[[], object]]:
    parts = np.array_split(np.arange(len(frame)), 10)
    return {
        "groupby().mean()": lambda: frame.groupby(BY)[columns].mean(),  # noqa: PLW0108 - to group is timed, too
        "summary": lambda: frame.qa.summary(by=BY),
        "ci=0.95": lambda: frame.qa.summary(by=BY, ci=0.95),
        "ci=0.95, cluster of 10 rows": lambda: frame.assign(question=np.arange(len(frame)) // 10).qa.summary(
            by=BY, ci=0.95, cluster="question"
        ),
        "Pool of 10 updates, ci=0.95": lambda: pool(frame, parts).summary(ci=0.95),
    }


def pool(frame: pd.DataFrame, parts: Sequence[np.ndarray]) -> qa_frame.Pool:
    grown = qa_frame.Pool(BY)
    for part in parts:
        grown.update(frame.iloc[part[0] : part[-1] + 1])
    return grown


def make_frame(n_rows: int, n_groups: int, *, with_statistics: bool) -> pd.DataFrame:
    """Scored rows, made up: scores as ratios of small numbers, groups in no order."""
    random = np.random.default_rng(0)
    groups = random.integers(0, n_groups, n_rows)
    n_datasets = max(1, round(n_groups**0.5 / 2))
    names = [np.array([f"{kind}-{number}" for number in range(n_groups)]) for kind in BY]
    frame = pd.DataFrame({"model": names[0][groups // n_datasets], "dataset": names[1][groups % n_datasets]})
    for metric in METRICS:
        whole = random.integers(1, 30, n_rows)
        frame[metric] = random.integers(0, whole + 1) / whole
    for metric in ("em", "contains"):
        frame[metric] = (random.random(n_rows) < 0.3).astype(float)
    return add_statistics(frame, random) if with_statistics else frame


def add_statistics(frame: pd.DataFrame, random: np.random.Generator) -> pd.DataFrame:
    lengths = random.integers(1, 40, (4, len(frame)))
    columns = dict(zip(("pred_len", "gold_len", "bleu_pred_len", "bleu_ref_len"), lengths, strict=True))
    columns["overlap"] = random.integers(0, lengths[:2].min(axis=0) + 1)
    matches = columns["bleu_pred_len"]
    for lost in range(4):
        matches = random.integers(0, np.minimum(matches, np.maximum(columns["bleu_pred_len"] - lost, 0)) + 1)
        columns[f"bleu_match{lost + 1}"] = matches
    return frame.assign(**{name: columns[name] for name in STATISTICS})


def prove_equal(frame: pd.DataFrame) -> None:
    """Raise AssertionError unless the means are those of pandas."""
    expected = frame.groupby(BY)[METRICS].mean()
    for found in (frame.qa.summary(by=BY), frame.qa.summary(by=BY, ci=0.95, method="bootstrap", n_resamples=2)):
        pd.testing.assert_frame_equal(found[METRICS], expected, rtol=1e-12)


def take_turns(timed: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """The least seconds of each; a slow spell of the machine falls on all alike."""
    least = dict.fromkeys(timed, float("inf"))
    for _ in range(repeats):
        for name, function in timed.items():
            start = time.perf_counter()
            function()
            least[name] = min(least[name], time.perf_counter() - start)
    return least


def write(
    frame: pd.DataFrame,
    options: argparse.Namespace,
    what: str,
    seconds: float,
    base: float | None,
) -> None:
    columns = "6 metrics, 9 statistics" if STATISTICS[0] in frame else "6 metrics"
    ratio = "" if base is None else f"{seconds / base:.1f}"
    write_row([f"{len(frame):,}", f"{options.groups:,}", columns, what, f"{seconds:.3f}", ratio])


def write_row(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
