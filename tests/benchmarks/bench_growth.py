"""How time grows with degenerate text: `python -m tests.benchmarks.bench_growth --help`.

For each convention and family of metrics, and each kind of input that language models write when they go wrong: the
exponent by which the processor's time grows when the input grows fourfold, and the time a byte at the larger size. 1 is
linear. The longest common subsequence of one pair of long texts grows by the product of their lengths, so 2 there.
`--memory` prints the most memory that each input of full size takes beside it, in a process of its own.
`--files` prints the memory of the largest process that scores or summarises a Parquet file, which must not grow with the
file's rows.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa

import qa_frame
from qa_frame.scoring.metrics import METRICS
from tests.benchmarks import bench_files

Columns = tuple[list[str], list[list[str]]]


def same(text: str) -> Columns:
    """One row, whose gold is the prediction."""
    return [text], [[text]]


INPUTS: dict[str, tuple[Callable[[int], Columns], int]] = {
    "one word": (lambda n: same("word " * n), 100_000),
    "two words in turn": (lambda n: ([("no yes " * n)], [["yes no " * n]]), 50_000),
    "one mark": (lambda n: same("!" * n), 100_000),
    "a.a.a.": (lambda n: same("a." * n), 100_000),
    "digits and commas": (lambda n: same("1," * n), 100_000),
    "hyphens at line ends": (lambda n: same("-\n" * n), 100_000),
    "brackets": (lambda n: same("(" * n), 100_000),
    "entities": (lambda n: same("&amp;" * n), 100_000),
    "quotes after stops": (lambda n: same('x?"' * n), 100_000),
    "one Chinese character": (lambda n: same("的" * n), 100_000),
    "signs before a number": (lambda n: same("-" * n + "1"), 100_000),
    "equal sentences": (lambda n: same("It was so. " * n), 100_000),
    "one long word": (lambda n: same("x" * n), 50_000_000),
    "golds": (lambda n: (["gold 7"], [[f"gold {number}" for number in range(n)]]), 200_000),
    "equal rows": (lambda n: (["The Seine."] * n, [["Seine", "the River Seine"]] * n), 1_000_000),
}
"""By name: what makes an input of size n, and the size that must still be scored."""

FILES = [1_000_000, 2_000_000, 4_000_000, 8_000_000]
"""Rows of the files whose memory is measured."""

START = 250
SECONDS = 0.08
"""The smaller size is the first that takes so long."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one Markdown table a convention; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conventions", nargs="*", choices=list(qa_frame.conventions), default=None)
    parser.add_argument("--inputs", nargs="*", choices=list(INPUTS), default=list(INPUTS))
    parser.add_argument("--memory", action="store_true", help="time and memory of the inputs of full size instead")
    parser.add_argument(
        "--files", type=int, nargs="*", metavar="ROWS", help="memory of files with so many rows instead"
    )
    options = parser.parse_args(arguments)
    if options.files is not None:
        measure_files(options.files or FILES)
        return 0
    conventions = options.conventions or list(qa_frame.conventions)
    for convention in conventions:
        families = metrics_by_family(convention)
        write_row([convention, *families])
        write_row(["---", *["---:"] * len(families)])
        measure = measure_full if options.memory else measure_growth
        for name in options.inputs:
            write_row([name, *(measure(name, convention, metrics) for metrics in families.values())])
        write_row([])
    return 0


def metrics_by_family(convention: str) -> dict[str, list[str]]:
    """The metrics that a convention has rules for, by the family whose tokens and counts they share."""
    families: dict[str, list[str]] = {}
    for name, metric in METRICS.items():
        if metric.is_in(qa_frame.conventions[convention]):
            families.setdefault(metric.family, []).append(name)
    return families


def make_frame(name: str, n: int) -> pd.DataFrame:
    preds, golds = INPUTS[name][0](n)
    columns = {"response": pa.array(preds, pa.large_string()), "answers": pa.array(golds)}
    return pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype)


def seconds(name: str, n: int, convention: str, metrics: list[str]) -> float:
    """The processor's time for one call, the least of two."""
    frame = make_frame(name, n)
    taken = []
    for _ in range(2):
        start = time.process_time()
        frame.qa.score("response", "answers", convention=convention, metrics=metrics, append=False, progress=False)
        taken.append(time.process_time() - start)
    return min(taken)


def measure_growth(name: str, convention: str, metrics: list[str]) -> str:
    """The exponent, and the nanoseconds a unit of the input at the larger size."""
    most = INPUTS[name][1]
    n, taken = START, 0.0
    while taken < SECONDS and 4 * n < most:
        n *= 2
        taken = seconds(name, n, convention, metrics)
    larger = seconds(name, 4 * n, convention, metrics)
    return f"{math.log(larger / max(taken, 1e-6), 4):.2f} ({larger / (4 * n) * 1e9:,.0f} ns)"


FULL = """
import resource, sys, time
from tests.benchmarks.bench_growth import INPUTS, make_frame
name, convention, *metrics = sys.argv[1:]
frame = make_frame(name, INPUTS[name][1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
frame.qa.score("response", "answers", convention=convention, metrics=metrics, append=False, progress=False)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(f"{time.perf_counter() - start:.2f} s, {max(peak - before, 0) / 1024:.0f} MiB")
"""


def measure_full(name: str, convention: str, metrics: list[str]) -> str:
    """Seconds and the memory on top of the input, at full size."""
    command = [sys.executable, "-c", FULL, name, convention, *metrics]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def measure_files(sizes: Sequence[int]) -> None:
    """Print the MiB of the largest process, by call, number of jobs and rows of one file."""
    write_row(["call", "n_jobs", *(f"{n_rows:,} rows" for n_rows in sizes)])
    write_row(["---", *["---:"] * (1 + len(sizes))])
    with tempfile.TemporaryDirectory() as folder:
        sources = [Path(folder, f"{n_rows}.parquet") for n_rows in sizes]
        for source, n_rows in zip(sources, sizes, strict=True):
            bench_files.write_one_file(source, "short", n_rows)
        for call, script in (("score_files", bench_files.SCORE), ("summary_files", bench_files.SUMMARISE)):
            for n_jobs in (1, 2):
                write_row([call, str(n_jobs), *(most_mib(script, source, n_jobs) for source in sources)])


def most_mib(script: str, source: Path, n_jobs: int) -> str:
    with tempfile.TemporaryDirectory() as target:
        command = [sys.executable, "-c", script, str(source), str(Path(target, "out.parquet")), str(n_jobs)]
        return f"{bench_files.run_and_watch(command)[1] / 1024:.0f}"


def write_row(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n" if cells else "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
