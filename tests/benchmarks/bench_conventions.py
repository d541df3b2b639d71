"""What conventions cost: `python -m tests.benchmarks.bench_conventions [--scale 0.1] [--mindformers METRIC.PY]`.

Each convention beside `squad` on the same metrics. Then two
beside the peer that they follow, one row at a time: PyPI's `rouge`, and MindFormers' rule, whose scores are shown to be
equal before anything is timed. Least of five, in turns.

--mindformers: the file `mindformers/core/metric/metric.py` of an unpacked MindFormers, whose own functions are then the
peer; without it, this project's plain twin of them is.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import jieba
import numpy as np
import pandas as pd
from rouge import Rouge

import qa_frame
from tests.benchmarks import synth
from tests.reference import oracles_of_conventions as oracles

REPEATS = 5
PEER_ROWS = 1500
CHINESE = "北京 上海 郑州市 河南省 中华人民共和国 是 的 首都 位于 城市 人口 约 一千万 大学 历史 悠久 "
CHINESE += "in China 2023年 GDP hello。"

Pairs = list[tuple[str, str]]
Peer = Callable[[str, str], Sequence[float]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--mindformers", type=Path)
    options = parser.parse_args()
    print("| what | rows | µs/row | of | µs/row | ratio |\n| --- | ---: | ---: | --- | ---: | ---: |")
    frame = synth.make_table("short", int(40_000 * options.scale)).to_pandas(types_mapper=pd.ArrowDtype)
    for name, convention in qa_frame.conventions.items():
        shared = [metric for metric in convention.metrics if "squad" in qa_frame.metrics[metric].conventions]
        beside_squad(frame, name, shared)
    rng = random.Random(3)
    names = ["rouge_l_recall", "rouge_l_precision", "rouge_l"]
    pairs = [(sentences(rng), sentences(rng)) for _ in range(int(400 * options.scale))]
    beside_peer("ROUGE-L of 200 words", "continuous_eval", names, pairs, rouge_l, most=40)
    chinese = [(words(rng, 12), words(rng, 8)) for _ in range(int(20_000 * options.scale))]
    peer = twin if options.mindformers is None else peer_from(options.mindformers)
    beside_peer("Chinese", "mindformers", ["f1", "em"], chinese, peer, most=PEER_ROWS)


def sentences(rng: random.Random) -> str:
    return " ".join(f"w{rng.randrange(300)}{'.' if rng.random() < 0.06 else ''}" for _ in range(200))


def words(rng: random.Random, most: int) -> str:
    return "".join(rng.choice(CHINESE.split()) for _ in range(rng.randint(1, most)))


def rouge_l(pred: str, gold: str) -> Sequence[float]:
    return list(Rouge(metrics=["rouge-l"]).get_scores(pred, gold)[0]["rouge-l"].values())


def twin(pred: str, gold: str) -> Sequence[float]:
    oracles.run_overlap.cache_clear()
    oracles.mixed_segmentation.cache_clear()
    return oracles.run_overlap(pred, gold)[2], oracles.em_without_separators(pred, gold)


def peer_from(path: Path) -> Peer:
    """The methods of `EmF1Metric`, without the framework that the class derives from."""
    source = re.search(r"class EmF1Metric\(.*?(?=\nclass |\n@|\Z)", path.read_text("utf-8"), flags=re.DOTALL)
    if source is None:
        raise SystemExit(f"{path} has no EmF1Metric")
    methods = source[0].partition("    def mixed_segmentation")[2]
    scope = {"re": re, "jieba": jieba}
    exec(f"class Peer:\n    def mixed_segmentation{methods}", scope)
    peer = scope["Peer"]()
    return lambda pred, gold: (
        peer.calc_f1_score([gold], oracles.first_line(pred)),
        peer.calc_em_score([gold], oracles.first_line(pred)),
    )


def beside_squad(frame: pd.DataFrame, convention: str, metrics: list[str]) -> None:
    def score(name: str) -> Callable[[], object]:
        return lambda: frame.qa.score("response", "answers", metrics=metrics, convention=name, reduce="max")

    ours, squad = least_in_turns(score(convention), score("squad"))
    write(f"{convention}: {' '.join(metrics)}", len(frame), ours, "squad", squad)


def beside_peer(what: str, convention: str, metrics: list[str], pairs: Pairs, peer: Peer, *, most: int) -> None:
    frame = pd.DataFrame(pairs, columns=["pred", "gold"])
    scored = frame.qa.score("pred", "gold", metrics=metrics, convention=convention, append=False)
    few = pairs[:most]
    peer(*few[0])  # what is loaded once
    start = time.perf_counter()
    expected = [peer(pred, gold) for pred, gold in few]
    theirs = (time.perf_counter() - start) / len(few) * len(frame)
    np.testing.assert_allclose(scored.to_numpy()[: len(few)], np.array(expected, float), rtol=0, atol=1e-9)
    (ours,) = least_in_turns(
        lambda: frame.qa.score("pred", "gold", metrics=metrics, convention=convention, append=False)
    )
    write(f"{convention}, {what}", len(frame), ours, f"peer, on {len(few)}", theirs)


def least_in_turns(*functions: Callable[[], object]) -> list[float]:
    seconds = [float("inf")] * len(functions)
    for _ in range(REPEATS):
        for place, function in enumerate(functions):
            start = time.perf_counter()
            function()
            seconds[place] = min(seconds[place], time.perf_counter() - start)
    return seconds


def write(what: str, rows: int, ours: float, of: str, theirs: float) -> None:
    """A row of the table; the ratio is ours to that of squad, or a peer's to ours."""
    ratio = ours / theirs if of == "squad" else theirs / ours
    cells = (what, f"{rows:,}", f"{ours / rows * 1e6:.2f}", of, f"{theirs / rows * 1e6:.2f}", f"{ratio:.2f}")
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
