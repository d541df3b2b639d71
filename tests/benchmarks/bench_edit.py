"""What `anls` and `edit_similarity` cost: `python -m tests.benchmarks.bench_edit [--scale 0.1] [--repeats 5]`.

Beside them, one row at a time: a loop with the function of one prediction and one gold that scripts of DocVQA have, but
RapidFuzz's distance; a loop that normalises a prediction once for all its golds, with RapidFuzz's similarity and
cutoff; and the first loop with those scripts' distance in plain Python, on a part of the rows. All begin with the
frame. The scores are shown to be equal before anything is timed. Figures are CPU time in microseconds a row: the least
of some repeats, in turns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from rapidfuzz.distance import Levenshtein

import qa_frame  # noqa: F401 - registers df.qa
from tests.benchmarks import synth

SHAPES = ("short", "medium")
PLAIN_ROWS = {"short": 1000, "medium": 300}
THRESHOLD = 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="times the usual number of rows")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print("| data | rows | metrics | qa_frame | RapidFuzz loop | ratio | tuned loop | ratio | plain Python | ratio |")
    print(f"| --- | ---: | --- | {' | '.join(['---:'] * 7)} |")
    for shape in SHAPES:
        frame = synth.make_frame(shape, int(synth.SHAPES[shape].rows * options.scale))
        compare(shape, frame, "anls", options.repeats)
        compare(shape, frame, "edit_similarity", options.repeats)


def compare(shape: str, frame: pd.DataFrame, metric: str, repeats: int) -> None:
    few = frame.head(PLAIN_ROWS[shape])
    peers = {
        "loop": (lambda rows: loop(rows, similarity, metric), frame),
        "tuned": (lambda rows: tuned(rows, metric), frame),
        "plain": (lambda rows: loop(rows, partial(similarity, distance=plain_distance), metric), few),
    }
    found = score(frame, metric)
    for name, (function, rows) in peers.items():
        assert function(rows) == found[: len(rows)], f"{name} differs from qa_frame; nothing is timed"
    seconds = least_in_turns(
        lambda: score(frame, metric), *(lambda f=f, r=r: f(r) for f, r in peers.values()), n=repeats
    )
    ours, *theirs = [took / len(rows) * 1e6 for took, rows in zip(seconds, (frame, frame, frame, few), strict=True)]
    cells = [shape, f"{len(frame):,}", metric, f"{ours:.2f}"]
    for took in theirs:
        cells += [f"{took:.2f}", f"{took / ours:.1f}"]
    print(f"| {' | '.join(cells)} |", flush=True)


def score(frame: pd.DataFrame, metric: str) -> list[float]:
    return frame.qa.score("response", "answers", metrics=metric, append=False, progress=False)[metric].tolist()


def loop(frame: pd.DataFrame, of_pair: Callable[[str, str], float], metric: str) -> list[float]:
    least = THRESHOLD if metric == "anls" else 0.0
    found = []
    for pred, golds in zip(frame["response"], frame["answers"], strict=True):
        best = max(of_pair(pred, gold) for gold in golds)
        found.append(best if best >= least else 0.0)
    return found


def tuned(frame: pd.DataFrame, metric: str) -> list[float]:
    cutoff = THRESHOLD if metric == "anls" else None
    preds, answers = frame["response"].array.__arrow_array__(), frame["answers"].array.__arrow_array__()
    found = []
    for pred, golds in zip(preds.to_pylist(), answers.to_pylist(), strict=True):
        normalised = normalise(pred)
        found.append(
            max(Levenshtein.normalized_similarity(normalised, normalise(gold), score_cutoff=cutoff) for gold in golds)
        )
    return found


def normalise(text: str) -> str:
    return " ".join(text.lower().split())


def similarity(pred: str, gold: str, distance: Callable[[str, str], int] = Levenshtein.distance) -> float:
    """As DocVQA's script has it, over the length of the normalised texts."""
    det_answer = " ".join(pred.strip().lower().split())
    gt_answer = " ".join(gold.strip().lower().split())
    longer = max(len(gt_answer), len(det_answer))
    return 1 - (0.0 if longer == 0 else float(distance(gt_answer, det_answer)) / float(longer))


def plain_distance(some: str, other: str) -> int:
    short, long = sorted((some, other), key=len)
    above = list(range(len(short) + 1))
    for row, letter in enumerate(long, start=1):
        distances = [row]
        for column, same in enumerate(short):
            if letter == same:
                distances.append(above[column])
            else:
                distances.append(1 + min(above[column], above[column + 1], distances[-1]))
        above = distances
    return above[-1]


def least_in_turns(*functions: Callable[[], object], n: int) -> list[float]:
    """CPU seconds of each, which other programs on the machine change less than the time of a clock."""
    rounds = []
    for _ in range(n):
        taken = []
        for function in functions:
            start = time.process_time()
            function()
            taken.append(time.process_time() - start)
        rounds.append(taken)
    least: list[float] = np.min(rounds, axis=0).tolist()
    return least


if __name__ == "__main__":
    main()
