"""What other packages say of made-up results, recorded in `tests/golden/`, as these packages are large.

pip download --no-deps transformers==4.57.6 && unzip -j transformers-*.whl '*/squad_metrics.py'
python -m tests.reference.record_decisions squad squad_metrics.py       # squad_thresholds.jsonl
pip install ppi-python==0.2.3
python -m tests.reference.record_decisions ppi                          # labelled_means.jsonl
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

GOLDEN = Path(__file__).parents[1] / "golden"
SQUAD, LABELLED = GOLDEN / "squad_thresholds.jsonl", GOLDEN / "labelled_means.jsonl"
N_CASES = 400
ANSWERS = ["", "", "the", "Paris", "in Paris", "Paris, France", "Rome", "a cat sat"]
GOLDS = [[], [], [], ["Paris"], ["Rome", "in Rome"], ["the cat sat"], ["the"]]


def main(what: str, *paths: str) -> None:
    """Write the results of one package."""
    path, lines = {"squad": (SQUAD, squad_cases), "ppi": (LABELLED, ppi_cases)}[what]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines(*paths)), "utf-8")


def squad_cases(path: str) -> Iterator[dict[str, Any]]:
    """Predictions with probabilities of no answer, many of them equal, and what `squad_evaluate` returns."""
    source = load_squad_metrics(Path(path))
    random = np.random.default_rng(0)
    for _ in range(N_CASES):
        n = int(random.integers(1, 9))
        preds = [ANSWERS[place] for place in random.integers(0, len(ANSWERS), n)]
        golds = [GOLDS[place] for place in random.integers(0, len(GOLDS), n)]
        no_answer = (random.integers(0, 5, n) / 8).tolist()
        examples = [
            SimpleNamespace(qas_id=place, answers=[{"text": gold} for gold in each]) for place, each in enumerate(golds)
        ]
        evaluated = source.squad_evaluate(examples, dict(enumerate(preds)), dict(enumerate(no_answer)))
        yield {"preds": preds, "golds": golds, "no_answer": no_answer, "evaluated": evaluated}


def load_squad_metrics(path: Path) -> ModuleType:
    """The module of a package that is not installed: it needs no more of it than names."""
    logger = SimpleNamespace(get_logger=lambda _name: None)
    stubs = {"": {}, ".data": {}, ".data.metrics": {}, ".models": {}, ".models.bert": {"BasicTokenizer": None}}
    for name, contents in (stubs | {".utils": {"logging": logger}}).items():
        stub = ModuleType(f"transformers{name}")
        vars(stub).update(contents, __path__=[])
        sys.modules[stub.__name__] = stub
    spec = importlib.util.spec_from_file_location("transformers.data.metrics.squad_metrics", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ppi_cases() -> Iterator[dict[str, Any]]:
    """Labels, their scores and other scores, a lambda, and the point estimate of PPI++ for that."""
    from ppi_py import ppi_mean_pointestimate  # noqa: PLC0415  (only to record)

    random = np.random.default_rng(1)
    for _ in range(N_CASES // 4):
        n, n_others = int(random.integers(3, 16)), int(random.integers(1, 31))
        scores = random.random(n).round(3)
        labels = (random.random(n) < 0.2 + 0.6 * scores).astype(float)
        others = random.random(n_others).round(3)
        slope = float(np.polyfit(scores, labels, 1)[0])
        power = slope / (1 + n / n_others)
        value = float(ppi_mean_pointestimate(labels, scores, others, lam=power)[0])
        yield {"labels": labels.tolist(), "scores": scores.tolist(), "others": others.tolist(), "value": value}


if __name__ == "__main__":
    main(*sys.argv[1:])
