"""How often a test finds a difference where there is none: `python -m tests.benchmarks.calibration --help`.

Two models' answers to each question change places at random, so that neither can be better; then they are compared.
Of many such runs, 5 % should have p < 0.05, and 5 % an interval that leaves 0 out. In clusters, each question stands
ten times, and its copies change places together.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import qa_frame  # noqa: F401 - registers df.qa
from tests.benchmarks.bench_compare import make_frame, write_row

HEADER = ("metric", "rows drawn and compared by", "p < 0.05", "0 outside the interval", "no interval")
COPIES = 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one Markdown table; returns the exit status."""
    options = parse(arguments)
    frame = read(options.parquet, options.models, options.metrics) if options.parquet else make_frame(2, 5000)
    print(f"{options.runs} runs of {options.questions} questions, {options.resamples} resamples; per cent\n")
    write_row(HEADER)
    write_row(["---"] * 2 + ["---:"] * 3)
    for clustering, settings in CLUSTERINGS.items():
        if clustering in options.clusterings:
            report(simulate(frame, options, settings=settings), clustering)
    return 0


CLUSTERINGS = {
    "question": {"question": ["question_id"]},
    "copied question, in clusters": {"question": ["question_id", "copy"], "cluster": "question_id"},
    "copied question, without clusters": {"question": ["question_id", "copy"]},
}


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parquet", type=Path, help="file with model, dataset, question, response, answers")
    parser.add_argument("--models", nargs=2, help="two of its models; else the first two")
    parser.add_argument("--metrics", nargs="*", default=["em", "f1", "contains", "bleu", "corpus_bleu"])
    parser.add_argument("--clusterings", nargs="*", choices=CLUSTERINGS, default=list(CLUSTERINGS))
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--questions", type=int, default=300, help="drawn anew for each run")
    parser.add_argument("--resamples", type=int, default=999)
    return parser.parse_args(arguments)


def read(path: Path, models: Sequence[str] | None, metrics: Sequence[str]) -> pd.DataFrame:
    """Two models' scores, and their statistics where sacrebleu counts them."""
    from tests.reference.statistics import statistics  # noqa: PLC0415  (needs sacrebleu)

    frame = pd.read_parquet(path).drop_duplicates(["model", "dataset", "question"], ignore_index=True)
    frame = frame[frame["model"].isin(models or frame["model"].unique()[:2])].reset_index(drop=True)
    frame["question_id"] = frame.groupby(["dataset", "question"]).ngroup()
    scored = frame.qa.score("response", "answers", metrics=[name for name in metrics if name != "corpus_bleu"])
    return pd.concat([scored, statistics(frame["response"], frame["answers"])], axis=1)


def simulate(frame: pd.DataFrame, options: argparse.Namespace, *, settings: dict) -> pd.DataFrame:
    """One row a run and metric."""
    random = np.random.default_rng(0)
    pair = as_pair(frame)
    runs = []
    for run in range(options.runs):
        null = swapped(pair, random, n_questions=options.questions)
        if "copy" in settings["question"]:
            null = pd.concat([null.assign(copy=copy) for copy in range(COPIES)], ignore_index=True)
        runs.append(
            null.qa.compare("model", metrics=options.metrics, n_resamples=options.resamples, seed=run, **settings)
        )
    return pd.concat(runs, ignore_index=True)


def as_pair(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """Both models' rows, on the questions that both have, in the same order."""
    sides = [rows.set_index("question_id").select_dtypes("number") for _, rows in frame.groupby("model")]
    shared = sides[0].index.intersection(sides[1].index)
    return [side.loc[shared] for side in sides]


def swapped(pair: Sequence[pd.DataFrame], random: np.random.Generator, *, n_questions: int) -> pd.DataFrame:
    """Some questions, with replacement, each with its two answers under either name."""
    drawn = random.integers(0, len(pair[0]), n_questions)
    is_first = random.integers(0, 2, n_questions)
    models = [np.where(is_first == place, "a", "b") for place in (0, 1)]
    sides = [
        side.iloc[drawn].assign(model=names, question_id=np.arange(n_questions)).reset_index(drop=True)
        for side, names in zip(pair, models, strict=True)
    ]
    return pd.concat(sides, ignore_index=True)


def report(runs: pd.DataFrame, clustering: str) -> None:
    for metric, of_metric in runs.groupby("metric", sort=False):
        has_interval = of_metric["diff_lo"].notna()
        misses = (of_metric["diff_lo"] > 0) | (of_metric["diff_hi"] < 0)
        shares = ((of_metric["p"] < 0.05).mean(), misses[has_interval].mean(), 1 - has_interval.mean())
        write_row([metric, clustering, *(f"{share:.1%}" for share in shares)])


if __name__ == "__main__":
    sys.exit(main())
