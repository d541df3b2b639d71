"""What one metric alone costs, beside the same metric written by hand: `python -m tests.benchmarks.bench_single`.

The functions by hand score one row at a time, at their best: patterns are compiled once, and a prediction is normalised
or counted once for all its golds. They begin with lists of Python strings, qa_frame begins with the frame. Their scores
are shown to equal qa_frame's in all rows before anything is timed, and they are then timed on a part of the rows.
Figures are CPU time: the least of some repeats, all of the same run and taken in turns.

The second table has the CPU time of one call on few rows for all six default metrics, beside the loop over the peers of
`bench_score`: the least of many calls, taken in turns.
"""

from __future__ import annotations

import argparse
import math
import re
import string
import sys
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

import qa_frame
from tests.benchmarks import peers, synth
from tests.benchmarks.bench_score import as_lists
from tests.benchmarks.bench_score import score as score_defaults

REPEATS = 5
TOLERANCE = 1e-9
HAND_ROWS = 4000
FEW_ROWS = (1, 10, 100, 1000)
SECONDS_OF_CALLS = 0.2
"""About how long the calls on few rows take in each repeat."""

HEADER = ("data", "metric", "rows", "by hand µs/row", "qa_frame µs/row", "ratio")
HEADER_OF_FEW = ("data", "rows", "peers ms", "qa_frame ms", "ratio")

ByHand = Callable[[str, list[str]], float]
"""The best score over the golds of one row."""

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_ROUGE_WORDS = re.compile("[a-z0-9]+")
MAX_ORDER = 4


def squad_tokens(text: str) -> list[str]:
    """As `peers.normalise`, but `str.translate` deletes the punctuation, which takes less time."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def squad_normalise(text: str) -> str:
    return " ".join(squad_tokens(text))


def em(pred: str, golds: list[str]) -> float:
    normal_pred = squad_normalise(pred)
    for gold in golds:  # takes less time than `any`
        if squad_normalise(gold) == normal_pred:
            return 1.0
    return 0.0


def contains(pred: str, golds: list[str]) -> float:
    normal_pred = squad_normalise(pred)
    for gold in golds:
        if squad_normalise(gold) in normal_pred:
            return 1.0
    return 0.0


def f1(pred: str, golds: list[str]) -> float:
    pred_tokens = squad_tokens(pred)
    pred_counts = Counter(pred_tokens)
    best = 0.0
    for gold in golds:
        gold_tokens = squad_tokens(gold)
        common = count_common(pred_counts, gold_tokens)
        if common:
            best = max(best, 2 * common / (len(pred_tokens) + len(gold_tokens)))
    return best


def rouge_l(pred: str, golds: list[str]) -> float:
    pred_tokens = _ROUGE_WORDS.findall(pred.lower())
    best = 0.0
    for gold in golds:
        gold_tokens = _ROUGE_WORDS.findall(gold.lower())
        common = LCSseq.similarity(pred_tokens, gold_tokens)
        if common:
            best = max(best, 2 * common / (len(pred_tokens) + len(gold_tokens)))
    return best


def make_bleu() -> ByHand:
    """As `BLEU(effective_order=True).sentence_score` of `sacrebleu`, which smooths by `exp`.

    The tokeniser keeps the texts that it has seen, so each round begins with a new one.
    """
    tokenise = Tokenizer13a()

    def bleu(pred: str, golds: list[str]) -> float:
        pred_tokens = tokenise(pred.rstrip()).split()
        counts_per_order = [Counter(pred_tokens)]
        best = 0.0
        for gold in golds:
            gold_tokens = tokenise(gold.rstrip()).split()
            matches = count_matches(pred_tokens, gold_tokens, counts_per_order)
            if matches:
                best = max(best, bleu_of_counts(matches, len(pred_tokens), len(gold_tokens)))
        return best

    return bleu


def count_matches(
    pred_tokens: Sequence[str], gold_tokens: Sequence[str], counts_per_order: list[Counter[Hashable]]
) -> list[int]:
    """The clipped matches of each order, up to the first order without any.

    counts_per_order: the prediction's n-grams; the orders that no gold before this one needed are added.
    """
    matches = []
    for order in range(1, min(MAX_ORDER, len(pred_tokens), len(gold_tokens)) + 1):
        if len(counts_per_order) < order:
            counts_per_order.append(Counter(n_grams(pred_tokens, order)))
        grams = gold_tokens if order == 1 else [*n_grams(gold_tokens, order)]
        common = count_common(counts_per_order[order - 1], grams)
        if not common:
            break
        matches.append(common)
    return matches


def n_grams(tokens: Sequence[str], order: int) -> Iterable[tuple[str, ...]]:
    return zip(*(tokens[start:] for start in range(order)), strict=False)


def bleu_of_counts(matches: Sequence[int], n_pred: int, n_gold: int) -> float:
    """matches: of the orders that have any, at least of one."""
    effective_order = min(MAX_ORDER, n_pred)
    halvings, log_sum = 0, 0.0
    for order in range(effective_order):
        if order < len(matches):
            log_sum += math.log(matches[order] / (n_pred - order))
        else:
            halvings += 1
            log_sum -= math.log(2**halvings * (n_pred - order))
    log_brevity = min(0.0, 1 - n_gold / n_pred)
    return math.exp(log_brevity + log_sum / effective_order)


def count_common(pred_counts: Counter[Hashable], gold_tokens: Sequence[Hashable]) -> int:
    """How many tokens or n-grams both sides have, clipped. Most pairs of the data have none."""
    if pred_counts.keys().isdisjoint(gold_tokens):
        return 0
    common = 0
    for token, n_gold in Counter(gold_tokens).items():
        if token in pred_counts:
            n_pred = pred_counts[token]
            common += n_gold if n_gold < n_pred else n_pred  # noqa: FURB136 - `min` takes more time
    return common


BY_HAND: Mapping[str, Callable[[], ByHand]] = {
    "em": lambda: em,
    "f1": lambda: f1,
    "contains": lambda: contains,
    "rouge_l": lambda: rouge_l,
    "bleu": make_bleu,
}
"""What makes the function of each metric, which is done once a round."""


class NotEqualError(Exception):
    """qa_frame and a package disagree, so that their times are not to be compared."""


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Print two Markdown tables; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows-scale", type=float, default=0.5, help="times the usual number of made-up rows")
    parser.add_argument("--shapes", nargs="*", choices=synth.SHAPES, default=["short", "medium", "long"])
    parser.add_argument("--metrics", nargs="*", choices=BY_HAND, default=list(BY_HAND))
    parser.add_argument("--repeats", type=int, default=REPEATS)
    options = parser.parse_args(arguments)
    write_head(HEADER, n_names=2)
    for shape in options.shapes:
        frame = synth.make_frame(shape, max(1, round(synth.SHAPES[shape].rows * options.rows_scale)))
        for metric in options.metrics:
            write_row([shape, metric, *compare(frame, metric, options.repeats)])
    print()
    write_head(HEADER_OF_FEW, n_names=1)
    for shape in options.shapes:
        for n_rows in FEW_ROWS:
            write_row([shape, f"{n_rows:,}", *compare_calls(synth.make_frame(shape, n_rows), options.repeats)])
    return 0


def write_head(names: Sequence[str], *, n_names: int) -> None:
    """The names of the columns; from the column `n_names` on, they hold numbers."""
    write_row(names)
    write_row([*["---"] * n_names, *["---:"] * (len(names) - n_names)])


def compare(frame: pd.DataFrame, metric: str, repeats: int) -> list[str]:
    """Check the metric in all rows, and time both."""
    prove_equal(frame, metric)
    part = frame.sample(min(HAND_ROWS, len(frame)), random_state=0)
    preds, golds = as_lists(part)
    rounds = [
        (
            cpu(lambda: [*map(BY_HAND[metric](), preds, golds)]) / len(part),
            cpu(lambda: score(frame, metric)) / len(frame),
        )
        for _ in range(repeats)
    ]
    by_hand, ours = (min(seconds) * 1e6 for seconds in zip(*rounds, strict=True))
    return [f"{len(frame):,}", f"{by_hand:.2f}", f"{ours:.2f}", f"{by_hand / ours:.2f}"]


def compare_calls(few: pd.DataFrame, repeats: int) -> list[str]:
    """Time one call for the default metrics, and the loop over the peers."""
    lists = as_lists(few)
    timed = (lambda: peers.score_rows(*lists), lambda: score_defaults(few))
    once = sum(map(cpu, timed))
    n_calls = repeats * max(1, round(SECONDS_OF_CALLS / once))
    theirs, ours = (min(seconds) * 1e3 for seconds in zip(*([*map(cpu, timed)] for _ in range(n_calls)), strict=True))
    return [f"{theirs:.2f}", f"{ours:.2f}", f"{theirs / ours:.2f}"]


def prove_equal(frame: pd.DataFrame, metric: str) -> None:
    """Raise NotEqualError unless the function by hand gives the score of each row."""
    expected = np.array([*map(BY_HAND[metric](), *as_lists(frame))])
    unequal = ~np.isclose(score(frame, metric)[:, 0], expected, rtol=0, atol=TOLERANCE)
    if unequal.any():
        raise NotEqualError(f"{metric} of row {frame.index[unequal][0]} differs; nothing is timed")


if __name__ == "__main__":
    raise SystemExit(main())
