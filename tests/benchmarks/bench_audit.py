"""What `audit` costs beside `score`: `python -m tests.benchmarks.bench_audit --help`.

For each shape of rows, the processor's time of both on the same table, the least of several runs, and their ratio. It
first proves that the audit looks at every row: the same finding that is put into each row is counted in each.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

import qa_frame
from tests.benchmarks.synth import make_table

SOURCE = {"pred": "response", "gold": "answers"}


def main() -> int:
    """Print a row for each shape; status 1 if any ratio is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--shapes", nargs="+", default=["short", "medium"])
    parser.add_argument("--limit", type=float, default=3.0, help="the highest ratio that is allowed")
    options = parser.parse_args()
    highest = 0.0
    sys.stdout.write("| shape | score s | audit s | ratio |\n|---|---|---|---|\n")
    for shape in options.shapes:
        table = make_table(shape, options.rows)
        require_all_rows(table)
        score = least_time(lambda t=table: qa_frame.score(t, **SOURCE, progress=False), options.repeats)
        audit = least_time(lambda t=table: qa_frame.audit(t, **SOURCE), options.repeats)
        highest = max(highest, audit / score)
        sys.stdout.write(f"| {shape} | {score:.2f} | {audit:.2f} | {audit / score:.2f} |\n")
    return int(highest > options.limit)


def require_all_rows(table: pa.Table) -> None:
    """Raise ValueError unless a tag that each prediction ends with is counted in each row."""
    tagged = pc.binary_join_element_wise(table["response"], "<think>", "")
    found = qa_frame.audit(table.set_column(0, "response", tagged), **SOURCE).to_pandas().set_index("finding")
    if found.loc["think_tags", "count"] != len(table):
        raise ValueError(f"{found.loc['think_tags', 'count']} of {len(table)} rows were looked at")


def least_time(run: Callable[[], object], repeats: int) -> float:
    """The least processor time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    raise SystemExit(main())
