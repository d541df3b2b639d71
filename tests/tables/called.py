"""Calls that work, and the small frames that they are given: what `CALLS` in the `lists.py` of a feature are made of."""

from __future__ import annotations

import functools
import importlib
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

import qa_frame

ROWS = pd.DataFrame(
    {
        "model": ["x", "x", "x", "y", "y", "y"],
        "question": [1, 2, 3, 1, 2, 3],
        "document": ["u", "u", "v", "u", "u", "v"],
        "response": ["the cat", "a dog", None, "cat", "in the house", "no"],
        "answers": [["cat"], ["dog", "a hound"], ["x"], ["cat"], ["a hound", "dog"], []],
        "human": [1, 0, 1, 1, 0, 1],
        "sure": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4],
    }
)
SCORED = ROWS.qa.score("response", "answers", stats=True)
FOLDER = tempfile.TemporaryDirectory()
"""Deleted when the tests end."""
FILES = Path(FOLDER.name)
ROWS.to_parquet(FILES / "rows.parquet")
ROWS.to_json(FILES / "rows.jsonl", orient="records", lines=True)


class Call(NamedTuple):
    """A call that works. Any of its arguments is then replaced by something wrong."""

    function: Callable[..., Any]
    arguments: dict[str, Callable[[], Any]]


def call(function: Callable[..., Any], /, **arguments: Any) -> Call:
    """A call with these arguments; a function among them makes its argument anew each time."""
    return Call(
        function, {name: value if callable(value) else (lambda v=value: v) for name, value in arguments.items()}
    )


BY_TWO = SCORED.drop(columns="bleu_ref_len").qa.summary(["model", "document"])
SUMMED = SCORED.drop(columns="bleu_ref_len").qa.summary("model", ci=0.9)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", qa_frame.errors.IntervalWarning)  # of a few questions
    COMPARED = SCORED.qa.compare("model", "question", n_resamples=5)


@functools.cache
def shared_axes() -> Any:
    """Axes of a figure that pyplot does not keep. All calls draw on these, as new ones take longer than a plot."""
    return importlib.import_module("matplotlib.figure").Figure().subplots()


SOURCE = {"pred": "response", "gold": "answers"}
BOOTSTRAP = {"method": "bootstrap", "n_resamples": 5, "ci": 0.9}
