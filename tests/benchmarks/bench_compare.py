"""Seconds for all pairs of models, beside scipy one pair at a time: `python -m tests.benchmarks.bench_compare --help`.

Before anything is timed, differences are shown to equal pandas', and p-values scipy's within the error of both.
scipy does one pair and metric; its time is multiplied by their number. Each figure is the least of some repeats.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from scipy import stats

import qa_frame  # noqa: F401 - registers df.qa

METRICS = ("em", "f1", "recall", "contains", "rouge_l", "bleu")
HEADER = ("what", "pairs x metrics", "qa_frame s", "scipy s (one x their number)", "ratio")


class NotEqualError(Exception):
    """qa_frame and its peers disagree, so that their times are not to be compared."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one Markdown table; returns the exit status."""
    options = parse(arguments)
    frame = make_frame(options.models, options.questions)
    resampling = {"by": "model", "question": "question_id", "n_resamples": options.resamples}
    prove_equal(frame, resampling)
    n_pairs = options.models * (options.models - 1) // 2
    of_scipy = least(1, lambda: scipy_p_value(frame, "f1", "m0", "m1", options.resamples)) if options.scipy else np.nan
    write_row(HEADER)
    write_row(["---", *["---:"] * (len(HEADER) - 1)])
    for name, settings, n_metrics in (
        ("permutation, six metrics", {"metrics": METRICS}, len(METRICS)),
        ("permutation, six metrics, in clusters of ten", {"metrics": METRICS, "cluster": "document"}, len(METRICS)),
        ("permutation, corpus_bleu", {"metrics": "corpus_bleu"}, 1),
    ):
        seconds = least(options.repeats, lambda settings=settings: frame.qa.compare(**resampling, **settings))
        is_peer = "six" in name and "clusters" not in name
        peer = of_scipy * n_pairs * n_metrics if is_peer else np.nan
        times = [f"{peer:.0f}", f"{peer / seconds:.0f}"] if np.isfinite(peer) else ["", ""]
        write_row([name, f"{n_pairs} x {n_metrics}", f"{seconds:.2f}", *times])
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=10)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--no-scipy", dest="scipy", action="store_false", help="leave scipy out")
    return parser.parse_args(arguments)


def make_frame(n_models: int, n_questions: int) -> pd.DataFrame:
    """Made-up scores and BLEU statistics: questions of differing difficulty, models of almost the same skill."""
    random = np.random.default_rng(0)
    keys = pd.MultiIndex.from_product(
        [[f"m{model}" for model in range(n_models)], range(n_questions)], names=["model", "question_id"]
    )
    frame = keys.to_frame(index=False).sample(frac=1, random_state=0, ignore_index=True)
    frame["document"] = frame["question_id"] // 10
    ease = random.beta(0.6, 0.6, n_questions)[frame["question_id"]]
    skill = np.linspace(0, 0.02, n_models)[frame["model"].str[1:].astype(int)]
    for metric in METRICS:
        score = np.clip(ease + skill + random.normal(0, 0.3, len(frame)), 0, 1)
        frame[metric] = (score > 0.5).astype(float) if metric in {"em", "contains"} else np.round(score * 24) / 24
    pred_len = random.integers(1, 20, len(frame))
    for order in (1, 2, 3, 4):
        frame[f"bleu_match{order}"] = random.binomial(np.maximum(pred_len - order + 1, 0), ease**order)
    return frame.assign(bleu_pred_len=pred_len, bleu_ref_len=random.integers(1, 20, len(frame)))


def prove_equal(frame: pd.DataFrame, resampling: dict) -> None:
    """Raise NotEqualError unless differences are pandas', and some p-values scipy's."""
    compared = frame.qa.compare(metrics=METRICS, **resampling).set_index(["metric", "a", "b"])
    means = frame.groupby("model")[list(METRICS)].mean()
    for a, b in itertools.combinations(means.index, 2):
        if not np.allclose(compared.xs((a, b), level=["a", "b"])["diff"], means.loc[a] - means.loc[b], atol=1e-12):
            raise NotEqualError(f"differences of {a} and {b}")
    n_resamples = min(1000, resampling["n_resamples"])
    for metric in ("em", "f1"):
        ours, theirs = compared.loc[(metric, "m0", "m1"), "p"], scipy_p_value(frame, metric, "m0", "m1", n_resamples)
        if abs(ours - theirs) > 5 * np.sqrt(max(ours * (2 - ours), 1 / n_resamples) / n_resamples):  # twice one side
            raise NotEqualError(f"p of {metric}: {ours} here, {theirs} by scipy")


def scipy_p_value(frame: pd.DataFrame, metric: str, a: str, b: str, n_resamples: int) -> float:
    scores = frame.pivot_table(index="question_id", columns="model", values=metric)
    return stats.permutation_test(
        (scores[a].to_numpy(), scores[b].to_numpy()),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=n_resamples,
        batch=100,
        random_state=0,
    ).pvalue


def least(repeats: int, call: Callable[[], object]) -> float:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def write_row(cells: Sequence[str]) -> None:
    print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    sys.exit(main())
