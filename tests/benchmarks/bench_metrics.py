"""CPU microseconds a row of ROUGE and chrF, beside the packages row by row: `python -m tests.benchmarks.bench_metrics`.

Before anything is timed, the scores are shown to equal the packages'. Times are of the CPU, as other programs on the
machine then matter less. Every figure is the least of some repeats, all of the same run and taken in turns.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import CHRF

import qa_frame
from tests.benchmarks import synth

REPEATS = 5
PEER_ROWS = 400
TOLERANCE = 1e-9

HEADER = ("data", "metrics", "rows", "package µs/row", "qa_frame µs/row", "ratio")

Peer = Callable[[str, list[str]], Sequence[float]]

ROUGE = {"rouge_1": "rouge1", "rouge_2": "rouge2", "rouge_l": "rougeL", "rouge_lsum": "rougeLsum"}


def rouge(*metrics: str) -> Peer:
    """The best F-measures over golds. Each gold is scored alone, as `score_multi` does, too."""
    kinds = [ROUGE[metric] for metric in metrics]
    scorer = RougeScorer(kinds)

    def score_row(pred: str, golds: list[str]) -> Sequence[float]:
        per_gold = [scorer.score(gold, pred) for gold in golds]
        return [max(scores[kind].fmeasure for scores in per_gold) for kind in kinds]

    return score_row


def chrf(word_order: int) -> Peer:
    """The best of the golds, for which `sacrebleu` cuts the prediction once."""
    scorer = CHRF(word_order=word_order)
    return lambda pred, golds: [scorer.sentence_score(pred, golds).score / 100]


PEERS: Mapping[str, Peer] = {
    **{metric: rouge(metric) for metric in ROUGE},
    " ".join(ROUGE): rouge(*ROUGE),
    "chrf": chrf(0),
    "chrf++": chrf(2),
}
"""By the names of the metrics, which are scored in one call."""


class NotEqualError(Exception):
    """qa_frame and a package disagree, so that their times are not to be compared."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one Markdown table; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows-scale", type=float, default=0.5, help="times the usual number of made-up rows")
    parser.add_argument("--shapes", nargs="*", choices=synth.SHAPES, default=["short", "medium"])
    parser.add_argument("--metrics", nargs="*", choices=PEERS, default=list(PEERS))
    parser.add_argument("--repeats", type=int, default=REPEATS)
    options = parser.parse_args(arguments)
    write_row(HEADER)
    write_row(["---", "---", *["---:"] * (len(HEADER) - 2)])
    for shape in options.shapes:
        frame = synth.make_frame(shape, max(PEER_ROWS, round(synth.SHAPES[shape].rows * options.rows_scale)))
        for metrics in options.metrics:
            write_row([shape, metrics, *compare(frame, metrics, options.repeats)])
    return 0


def compare(frame: pd.DataFrame, metrics: str, repeats: int) -> list[str]:
    """Check the metrics on a subset of the rows, and time both."""
    subset = frame.sample(PEER_ROWS, random_state=0)
    preds, golds = (subset[name].array.__arrow_array__().to_pylist() for name in ("response", "answers"))
    peer = PEERS[metrics]
    expected = [peer(pred, of_row) for pred, of_row in zip(preds, golds, strict=True)]
    unequal = ~np.isclose(score(subset, metrics), expected, rtol=0, atol=TOLERANCE).all(axis=1)
    if unequal.any():
        raise NotEqualError(f"{metrics} of row {subset.index[unequal][0]} differs; nothing is timed")
    rounds = [
        (cpu(lambda: [*map(peer, preds, golds)]) / len(subset), cpu(lambda: score(frame, metrics)) / len(frame))
        for _ in range(repeats)
    ]
    of_peer, of_ours = (min(seconds) * 1e6 for seconds in zip(*rounds, strict=True))
    return [f"{len(frame):,}", f"{of_peer:.1f}", f"{of_ours:.2f}", f"{of_peer / of_ours:.0f}"]


def score(frame: pd.DataFrame, metrics: str) -> NDArray[np.float64]:
    """From the frame to its scores, shape (rows, metrics)."""
    options = {"metrics": metrics.split(), "append": False, "progress": False}
    return qa_frame.score(frame, "response", "answers", **options).to_numpy(np.float64)


def cpu(run: Callable[[], object]) -> float:
    """CPU seconds of this process."""
    start = time.process_time()
    run()
    return time.process_time() - start


def write_row(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
