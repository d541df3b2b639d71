"""Microseconds per row, beside compiled peers: `python -m tests.benchmarks.bench_native [--threads 2] [--scale 0.1]`.

The peers, and what they are given, stand in `native_peers.py`. With one thread, all are held to one. With more, qa_frame
has as many worker processes, started before the clock, and the peers have as many threads of their own.

Before anything is timed, the scores are shown to be equal. A figure is the least of some rounds, in which all take
turns. With one thread it is processor time, which other programs change little; with more, it is time by the clock. The
extra `bench` installs the peers. One that is not installed is left out, and named.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

import qa_frame
from tests.benchmarks import synth
from tests.benchmarks.native_peers import Peer, Scores, installed_peers, lists

TOLERANCE = 1e-9
ROWS = {"short": 131_072, "medium": 65_536, "long": 16_384, "essay": 2_000}
HEADER = ("data", "metrics", "qa_frame", "peers", "best peer / qa_frame")

Run = Callable[[pd.DataFrame], Scores]


class NotEqualError(Exception):
    """qa_frame and a peer disagree, so that their times are not to be compared."""


# --- the data


def datasets(options: argparse.Namespace) -> Iterator[tuple[str, pd.DataFrame]]:
    for shape in options.shapes:
        yield shape, synth.make_frame(shape, max(50, round(ROWS[shape] * options.scale)), seed=5)
    for path in options.parquet:
        table = pq.read_table(path, columns=["response", "answers"])
        yield path.stem, scorable(table.to_pandas(types_mapper=pd.ArrowDtype))


def scorable(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows that a peer can take: with a prediction, and with golds that are all texts."""
    preds, golds = lists(frame)
    both = zip(preds, golds, strict=True)
    return frame[[pred is not None and bool(gold) and None not in gold for pred, gold in both]].reset_index(drop=True)


# --- the table


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one Markdown table; returns the exit status."""
    options = parse(arguments)
    for name in ("RAYON_NUM_THREADS", "POLARS_MAX_THREADS"):
        os.environ[name] = str(options.threads)  # read at the first call of a peer
    n_jobs = None if options.threads == 1 else options.threads
    write_row(HEADER)
    write_row(["---", "---", "---:", "---", "---:"])
    for name, frame in datasets(options):
        for metrics, peers in installed_peers().items():
            runs = {"qa_frame": scoring(metrics, n_jobs), **{k: asking(peers[k], metrics, options) for k in peers}}
            prove_equal(name, frame, runs)
            write_row(table_row(name, metrics, take_turns(frame, runs, options), len(frame)))
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="times the usual number of made-up rows")
    parser.add_argument("--shapes", nargs="*", choices=ROWS, default=list(ROWS))
    parser.add_argument("--parquet", nargs="*", type=Path, default=[], help="files with `response` and `answers`")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=10)
    return parser.parse_args(arguments)


def scoring(metrics: Sequence[str], n_jobs: int | None) -> Run:
    def score(frame: pd.DataFrame) -> Scores:
        return qa_frame.score(
            frame, "response", "answers", metrics=metrics, append=False, progress=False, n_jobs=n_jobs
        )

    return score


def asking(peer: Peer, metrics: Sequence[str], options: argparse.Namespace) -> Run:
    return lambda frame: peer(frame, metrics, options.threads)


def prove_equal(data: str, frame: pd.DataFrame, runs: Mapping[str, Run]) -> None:
    """Raise NotEqualError unless each peer gives the same scores of all rows."""
    found = {name: run(frame) for name, run in runs.items()}
    ours = found.pop("qa_frame")
    for peer, scores in found.items():
        for metric, theirs in scores.items():
            unequal = np.flatnonzero(~np.isclose(ours[metric].to_numpy(), theirs, rtol=0, atol=TOLERANCE))
            if len(unequal):
                row = int(unequal[0])
                raise NotEqualError(
                    f"{data}: {metric} of row {row} is {ours[metric][row]!r}, where {peer} has {theirs[row]!r}, "
                    f"in {len(unequal)} rows; nothing is timed"
                )


def take_turns(frame: pd.DataFrame, runs: Mapping[str, Run], options: argparse.Namespace) -> dict[str, float]:
    """The least seconds of each; a slow spell of the machine falls on all alike."""
    clock = time.process_time if options.threads == 1 else time.perf_counter
    least = dict.fromkeys(runs, np.inf)
    for _ in range(options.repeats):
        for name, run in runs.items():
            start = clock()
            run(frame)
            least[name] = min(least[name], clock() - start)
    return least


def table_row(data: str, metrics: Sequence[str], least: Mapping[str, float], n_rows: int) -> list[str]:
    microseconds = {name: seconds * 1e6 / n_rows for name, seconds in least.items()}
    ours = microseconds.pop("qa_frame")
    peers = ", ".join(f"{name} {each:.2f}" for name, each in microseconds.items())
    ratio = f"{min(microseconds.values()) / ours:.2f}" if microseconds else ""
    return [data, f"`{' '.join(metrics)}`", f"{ours:.2f}", peers, ratio]


def write_row(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
