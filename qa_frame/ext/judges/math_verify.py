"""The metric `math_verify`: whether two mathematical answers have the same value, by Hugging Face's package."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import logging
import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from qa_frame.errors import MissingPackageError, ScoringWarning, plural, show, warn
from qa_frame.parallel.pool import run_in_workers
from qa_frame.scoring.pair_metrics import PairMetric

NAME = "math_verify"

_PACKAGES = ("math_verify", "joblib")
_SECONDS = 15.0
"""What a pair may take: the sum of the limits by default of the package's `parse`, twice, and of its `verify`."""


def math_verify_metric() -> PairMetric:
    """Return the metric `math_verify` as a PairMetric; MissingPackageError where a package is not installed."""
    for package in _PACKAGES:
        if importlib.util.find_spec(package) is None:
            raise MissingPackageError(
                f"metrics={NAME!r} needs the package {package.replace('_', '-')}; install it with: "
                'pip install "qa-frame[math]"'
            )
    return PairMetric(NAME, _have_same_values, batch_size=1 << 14, version=importlib.metadata.version("math-verify"))


def _have_same_values(preds: Sequence[str], golds: Sequence[str]) -> list[bool]:
    """Return whether each prediction has the value of its gold. Pairs that take too long are wrong, with a warning."""
    pairs = list(zip(golds, preds, strict=True))
    n_workers = min(os.cpu_count() or 1, 1 + len(pairs) // 8)
    verdicts = [*run_in_workers(_verify, pairs, n_workers, seconds=_SECONDS)]
    slow = [pair for pair, is_same in zip(pairs, verdicts, strict=True) if is_same is None]
    if slow:
        gold, pred = slow[0]
        warn(
            f"{NAME}: {plural(len(slow), 'pair')} took longer than {_SECONDS:g} seconds and count as wrong, the first "
            f"of them {show(pred)} and {show(gold)}",
            ScoringWarning,
            see="slow-pairs",
        )
    return [bool(is_same) for is_same in verdicts]


def _verify(pair: tuple[str, str]) -> bool:
    """Return whether a gold and a prediction have the same value, as the package says. It runs in a worker process.

    pair: the gold, then the prediction.
    """
    gold, pred = pair
    return bool(_load_package().verify(_parse(gold), _parse(pred), timeout_seconds=None))


@lru_cache(maxsize=1 << 12)
def _parse(text: str) -> Any:
    """Return the values that the package reads in a text."""
    return _load_package().parse(text, parsing_timeout=None)


@lru_cache(maxsize=1)
def _load_package() -> Any:
    """Return the module math_verify, which is imported without its warnings."""
    logging.getLogger(NAME).setLevel(logging.ERROR)  # it would say that its own limits of time are off
    return importlib.import_module(NAME)
