"""Microseconds per row, beside compiled peers: `python -m tests.benchmarks.bench_native [--threads 2] [--scale 0.1]`.

The peers are rouge-score-rs and rouge-rust (Rust), bleuscore (Rust), and RapidFuzz's `cpdist` (C++) on texts that are
normalised in Python. They take lists of strings. Users have columns, so these lists are made inside the time, and so is
the best score over the golds of a row. With one thread, all are held to one. With more, qa_frame has as many worker
processes, started before the clock, and the peers have as many threads of their own.

Before anything is timed, the scores are shown to be equal. A figure is the least of some rounds, in which all take
turns. With one thread it is processor time, which other programs change little; with more, it is time by the clock. The
extra `bench` installs the peers; one that is not installed is left out, and named.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

import qa_frame
from tests.benchmarks import synth

TOLERANCE = 1e-9
ROWS = {"short": 131_072, "medium": 65_536, "long": 16_384, "essay": 2_000}
HEADER = ("data", "metrics", "qa_frame", "peers", "best peer / qa_frame")

Scores = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Predictions and golds as lists, one pair each, and where the pairs of each row begin."""

    preds: list[str]
    golds: list[str]
    starts: list[int]

    def best(self, scores: Any) -> Any:
        """The largest score of each row."""
        return np.maximum.reduceat(np.asarray(scores, np.float64), self.starts)


@dataclass(frozen=True, slots=True)
class Case:
    """Metrics of one call, and the peers that have them: each from pairs to scores by the metric's name."""

    metrics: tuple[str, ...]
    peers: Mapping[str, Callable[[Pairs], Scores]]


class NotEqualError(Exception):
    """qa_frame and a peer disagree, so that their times are not to be compared."""


# --- the peers


def rouge_score_rs(*kinds: str) -> Callable[[Pairs], Scores]:
    from rouge_score_rs import rouge_scorer  # noqa: PLC0415  (optional)

    scorer = rouge_scorer.RougeScorer(list(kinds))

    def score(pairs: Pairs) -> Scores:
        found = scorer.score_batch(pairs.golds, pairs.preds)
        return {our_name(kind): pairs.best([each[kind].fmeasure for each in found]) for kind in kinds}

    return score


def our_name(kind: str) -> str:
    return {"rouge1": "rouge_1", "rouge2": "rouge_2", "rougeL": "rouge_l"}[kind]


def rouge_rust(pairs: Pairs) -> Scores:
    import fast_rouge  # noqa: PLC0415  (optional)

    found = fast_rouge.score_batch_flat(pairs.golds, pairs.preds)
    columns = {"rouge_1": found.rouge1_fmeasure, "rouge_2": found.rouge2_fmeasure, "rouge_l": found.rougeL_fmeasure}
    return {name: pairs.best(column) for name, column in columns.items()}


def bleuscore(pairs: Pairs) -> Scores:
    from bleuscore import compute  # noqa: PLC0415  (optional)

    both = zip(pairs.preds, pairs.golds, strict=True)
    return {"bleu4": pairs.best([compute([[gold]], [pred], max_order=4)["bleu"] for pred, gold in both])}


def cpdist(metric: str, threads: int) -> Callable[[Pairs], Scores]:
    from rapidfuzz import process  # noqa: PLC0415
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415

    def score(pairs: Pairs) -> Scores:
        preds, golds = ([" ".join(text.lower().split()) for text in side] for side in (pairs.preds, pairs.golds))
        found = process.cpdist(
            preds,
            golds,
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=0.5 if metric == "anls" else None,
            dtype=np.float64,
            workers=threads,
        )
        return {metric: pairs.best(found)}

    return score


def cases(threads: int) -> Iterator[Case]:
    rust = is_installed("rouge_score_rs", "rouge-score-rs")
    yield Case(("rouge_l",), {"rouge-score-rs": rouge_score_rs("rougeL")} if rust else {})
    three = {"rouge-score-rs": rouge_score_rs("rouge1", "rouge2", "rougeL")} if rust else {}
    if is_installed("fast_rouge", "rouge-rust"):
        three["rouge-rust"] = rouge_rust
    yield Case(("rouge_1", "rouge_2", "rouge_l"), three)
    yield Case(("bleu4",), {"bleuscore": bleuscore} if is_installed("bleuscore", "bleuscore") else {})
    for metric in ("edit_similarity", "anls"):
        yield Case((metric,), {"cpdist": cpdist(metric, threads)})


def is_installed(module: str, package: str) -> bool:
    is_there = importlib.util.find_spec(module) is not None
    if not is_there:
        sys.stderr.write(f"{package} is not installed, and is left out\n")
    return is_there


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


def lists(frame: pd.DataFrame) -> tuple[list[Any], list[Any]]:
    preds, golds = (frame[name].array.__arrow_array__().to_pylist() for name in ("response", "answers"))
    return preds, golds


def make_pairs(frame: pd.DataFrame) -> Pairs:
    preds, golds = lists(frame)
    starts = np.cumsum([0, *map(len, golds[:-1])]).tolist()
    repeated = [pred for pred, of_row in zip(preds, golds, strict=True) for _ in of_row]
    return Pairs(repeated, [gold for of_row in golds for gold in of_row], starts)


# --- the table


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one Markdown table; returns the exit status."""
    options = parse(arguments)
    os.environ["RAYON_NUM_THREADS"] = str(options.threads)  # read at the first call of a peer
    n_jobs = None if options.threads == 1 else options.threads
    write_row(HEADER)
    write_row(["---", "---", "---:", "---", "---:"])
    for name, frame in datasets(options):
        for case in cases(options.threads):
            runs = {"qa_frame": scoring(case.metrics, n_jobs), **{k: from_frame(f) for k, f in case.peers.items()}}
            prove_equal(name, frame, runs)
            write_row(table_row(name, case, take_turns(frame, runs, options), len(frame)))
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="times the usual number of made-up rows")
    parser.add_argument("--shapes", nargs="*", choices=ROWS, default=list(ROWS))
    parser.add_argument("--parquet", nargs="*", type=Path, default=[], help="files with `response` and `answers`")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=10)
    return parser.parse_args(arguments)


def scoring(metrics: Sequence[str], n_jobs: int | None) -> Callable[[pd.DataFrame], Scores]:
    def score(frame: pd.DataFrame) -> Scores:
        return qa_frame.score(
            frame, "response", "answers", metrics=metrics, append=False, progress=False, n_jobs=n_jobs
        )

    return score


def from_frame(score: Callable[[Pairs], Scores]) -> Callable[[pd.DataFrame], Scores]:
    return lambda frame: score(make_pairs(frame))


def prove_equal(data: str, frame: pd.DataFrame, runs: Mapping[str, Callable[[pd.DataFrame], Scores]]) -> None:
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


def take_turns(
    frame: pd.DataFrame, runs: Mapping[str, Callable[[pd.DataFrame], Scores]], options: argparse.Namespace
) -> dict[str, float]:
    """The least seconds of each; a slow spell of the machine falls on all alike."""
    clock = time.process_time if options.threads == 1 else time.perf_counter
    least = dict.fromkeys(runs, np.inf)
    for _ in range(options.repeats):
        for name, run in runs.items():
            start = clock()
            run(frame)
            least[name] = min(least[name], clock() - start)
    return least


def table_row(data: str, case: Case, least: Mapping[str, float], n_rows: int) -> list[str]:
    microseconds = {name: seconds * 1e6 / n_rows for name, seconds in least.items()}
    ours = microseconds.pop("qa_frame")
    peers = ", ".join(f"{name} {each:.2f}" for name, each in microseconds.items())
    ratio = f"{min(microseconds.values()) / ours:.2f}" if microseconds else ""
    return [data, f"`{' '.join(case.metrics)}`", f"{ours:.2f}", peers, ratio]


def write_row(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
