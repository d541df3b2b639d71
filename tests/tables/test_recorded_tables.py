"""Tables whose figures were recorded with functions that also made the scores that they read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import qa_frame
from tests.features import FOLDER, added, lists_of

RECORDED: dict[str, dict[str, list[Any]]] = json.loads(
    (Path(__file__).parent.parent / "golden" / "tables.json").read_text(encoding="utf-8")
)
for feature in lists_of("TABLES"):
    RECORDED |= json.loads((FOLDER / feature / "tables.json").read_text(encoding="utf-8"))
QUESTIONS = {"by": "model", "question": "question_id"}
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "summary": ("summary", {"by": "model", "ci": 0.95}),
    "summary of datasets in percent": (
        "summary",
        {"by": ["model", "dataset"], "ci": 0.9, "percent": True, "metrics": ["em", "f1"]},
    ),
    "summary over datasets": ("summary", {"by": "model", "macro": "dataset", "ci": 0.95, "metrics": "f1"}),
    "summary of clusters": ("summary", {"by": "model", "cluster": "question_id", "ci": 0.95}),
    "summary of samples": (
        "summary",
        {
            "by": "dataset",
            "question": "question_id",
            "pass_at": (1, 2),
            "pass_all": 2,
            "ci": 0.95,
            "metrics": ["em", "f1"],
        },
    ),
    "summary by the bootstrap": (
        "summary",
        {"by": "model", "ci": 0.95, "method": "bootstrap", "seed": 3, "metrics": ["f1", "corpus_bleu"]},
    ),
    "compare": ("compare", QUESTIONS),
    "compare within datasets": ("compare", {**QUESTIONS, "within": "dataset", "baseline": "heron-7b", "metrics": "f1"}),
    "compare with a margin": ("compare", {**QUESTIONS, "margin": 0.05, "metrics": "f1"}),
    "compare over datasets": ("compare", {**QUESTIONS, "macro": "dataset", "weights": "size", "metrics": "f1"}),
    **added("TABLES"),
}
RENAMED = {"difficulty": "mean", "samples": "n_samples"}


@pytest.fixture(scope="module")
def scored() -> pd.DataFrame:
    sample = qa_frame.sample()
    place = np.arange(len(sample))
    few = sample["human"].where(place % 4 == 0)
    judged = sample.assign(confidence=(place * 7919 % 101) / 101, few=few)
    return judged.qa.score("response", "answers", metrics=["em", "f1", "bleu"], stats=True)


def assert_as_recorded(table: pd.DataFrame, recorded: dict[str, list[Any]]) -> None:
    found = table.reset_index() if table.index.names != [None] else table
    for name, values in recorded.items():
        column = found[RENAMED.get(name, name)][: len(values)]
        if pd.api.types.is_float_dtype(column.dtype):
            expected = np.array(values, np.float64)
            # Versions of numpy and scipy differ in the last bits.
            np.testing.assert_allclose(column.to_numpy(np.float64), expected, rtol=1e-12, atol=1e-12, err_msg=name)
        else:
            expected = [None if pd.api.types.is_scalar(value) and pd.isna(value) else value for value in column]
            assert [str(value) for value in expected] == [str(value) for value in values], name


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("case", CALLS)
def test_tables_are_as_recorded(case, scored):
    function, options = CALLS[case]
    table = getattr(qa_frame, function)(scored, **options)
    assert_as_recorded(table, RECORDED[case])


def test_ranks_are_as_recorded(scored):
    assert_as_recorded(scored.qa.compare(**QUESTIONS).qa.ranks(), RECORDED["ranks"])


def test_all_are_tested():
    assert {*RECORDED} == {*CALLS, "ranks"}
