"""Files in a stream, beside the same rows in memory: `python -m tests.benchmarks.bench_files --help`.

A made-up data set is written into a folder. Then `score_files` and `summary_files` are timed beside `score` and
`summary` of the whole table, with as many processes, plus the bare reading and writing of the same columns. The most
memory is that of the largest process, each run in processes of its own. The written scores are shown to be those in
memory, bit for bit.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import qa_frame
from tests.benchmarks import synth

ROWS_A_FILE = 1_000_000
RULES = {"pred": "response", "gold": "answers"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print Markdown tables; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument(
        "--one-group", type=int, default=5_000_000, help="rows of a file with one row group; 0 for none"
    )
    parser.add_argument("--shape", choices=synth.SHAPES, default="short")
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--time-rows", type=int, default=1_000_000, help="rows for the comparison with memory")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        compare_with_memory(Path(folder), options)
        write_row(["data", "call", "seconds", "µs/row", "MiB of the largest process"])
        write_row(["---", "---", "---:", "---:", "---:"])
        many = Path(folder, "many")
        many.mkdir()
        for number in range(-(-options.rows // ROWS_A_FILE)):
            n_rows = min(ROWS_A_FILE, options.rows - number * ROWS_A_FILE)
            pq.write_table(make(options.shape, n_rows, number), many / f"{number:03}.parquet", row_group_size=250_000)
        measure_memory(f"{options.rows:,} rows, {len(list(many.iterdir()))} files", many, options.rows, options.n_jobs)
        if options.one_group:
            one = Path(folder, "one")
            one.mkdir()
            write_one_group(one / "0.parquet", options.shape, options.one_group)
            measure_memory(f"{options.one_group:,} rows, one row group", one, options.one_group, options.n_jobs)
    return 0


def make(shape: str, n_rows: int, seed: int) -> pa.Table:
    table = synth.make_table(shape, n_rows, seed=seed)
    return table.append_column("model", pa.array(np.arange(n_rows) % 7).cast(pa.string()))


def write_one_file(path: Path, shape: str, n_rows: int) -> None:
    """Write a file of many row groups, of which memory holds one at a time."""
    with pq.ParquetWriter(path, make(shape, 1, 0).schema) as writer:
        for start in range(0, n_rows, ROWS_A_FILE):
            writer.write_table(make(shape, min(ROWS_A_FILE, n_rows - start), start), row_group_size=250_000)


def write_one_group(path: Path, shape: str, n_rows: int) -> None:
    parts = [make(shape, min(ROWS_A_FILE, n_rows - start), start) for start in range(0, n_rows, ROWS_A_FILE)]
    pq.write_table(pa.concat_tables(parts), path, row_group_size=n_rows)


# --- time


def compare_with_memory(folder: Path, options: argparse.Namespace) -> None:
    source, target = folder / "run.parquet", folder / "scored.parquet"
    pq.write_table(make(options.shape, options.time_rows, 0), source, row_group_size=250_000)
    table = pq.read_table(source)
    n_jobs = {"n_jobs": options.n_jobs, "progress": False}
    scored = qa_frame.score(table, **RULES, **n_jobs)  # workers are warm from here on
    rounds = []
    for _ in range(3):
        target.unlink(missing_ok=True)
        rounds.append(
            [
                seconds(lambda: pq.read_table(source)),
                seconds(lambda: pq.write_table(scored, folder / "plain.parquet")),
                seconds(lambda: qa_frame.score(table, **RULES, **n_jobs)),
                seconds(lambda: qa_frame.score_files(source, target, **RULES, **n_jobs)),
                seconds(lambda: qa_frame.summary_files(source, "model", **RULES, **n_jobs)),
                seconds(lambda: qa_frame.summary_files(target, "model", **n_jobs)),
            ]
        )
    if not pq.read_table(target).equals(scored):
        raise ValueError("the scores of files differ from those in memory; nothing is reported")
    read, write, score, files, now, then = (min(of_all) for of_all in zip(*rounds, strict=True))
    write_row(["what, of one file", "µs/row"])
    write_row(["---", "---:"])
    rows = {
        "read": read,
        "write, with scores": write,
        f"score in memory, n_jobs={options.n_jobs}": score,
        f"score_files, n_jobs={options.n_jobs}": files,
        "summary_files, which scores": now,
        "summary_files of scores": then,
    }
    for name, taken in rows.items():
        write_row([name, f"{taken * 1e6 / options.time_rows:.2f}"])
    write_row(["score_files / (read + score + write)", f"{files / (read + write + score):.2f}"])
    write_row([])


def seconds(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


# --- memory


SCORE = """
import sys, qa_frame
source, target, n_jobs = sys.argv[1], sys.argv[2], int(sys.argv[3])
done = qa_frame.score_files(source, target, pred="response", gold="answers", progress=False, n_jobs=n_jobs)
assert (done["status"] == "written").all()
"""
SUMMARISE = """
import sys, qa_frame
qa_frame.summary_files(sys.argv[1], "model", pred="response", gold="answers", progress=False, n_jobs=int(sys.argv[3]))
"""


def measure_memory(name: str, source: Path, n_rows: int, n_jobs: int) -> None:
    with tempfile.TemporaryDirectory(dir=source.parent) as target:
        for call, script in (("score_files", SCORE), ("summary_files", SUMMARISE)):
            command = [sys.executable, "-c", script, str(source), str(Path(target, "out")), str(n_jobs)]
            taken, peak = run_and_watch(command)
            write_row([name, call, f"{taken:.0f}", f"{taken * 1e6 / n_rows:.2f}", f"{peak / 1024:.0f}"])


def run_and_watch(command: list[str]) -> tuple[float, int]:
    """The seconds that a command takes, and the KiB of its largest process at any time."""
    start = time.perf_counter()
    process = subprocess.Popen(command)
    peaks: dict[int, int] = {}
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.05):
            for pid in descendants(process.pid):
                peaks[pid] = max(peaks.get(pid, 0), peak_memory(pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    status = process.wait()
    ended.set()
    watcher.join()
    if status:
        raise RuntimeError(f"{command[2]} ended with status {status}")
    return time.perf_counter() - start, max(peaks.values())


def descendants(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    except OSError:
        return []
    return [pid, *(each for child in children for each in descendants(int(child)))]


def peak_memory(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text("ascii")
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)


def write_row(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n" if cells else "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
