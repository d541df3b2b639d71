"""Scores are what they were: a stored digest of each score column of every convention, on the sample and real results.

Where a digest differs, scores have changed. If that is meant, `python -m tests.test_digest --write` stores the new
digests. Only columns that the file names are compared, so a new metric breaks nothing. Real results have those of the
conventions that were there first; the sample has those of all.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import qa_frame
from qa_frame.rules.listing import ALIASES

FILE = Path(__file__).parent / "golden" / "digest.json"
STORED: dict[str, dict[str, dict[str, str]]] = json.loads(FILE.read_text("utf-8"))
"""Digests by frame, convention and column; a column is named by its reduction and its score, as in `max em`.

The reduction `own` is the convention's own one.
"""

DATA = Path(__file__).parents[2] / "shared" / "data"
FRAMES = ("sample", "openqa_eval", "evouna")
EVERY = {("evouna", "continuous_eval"): 8, ("evouna", "continuous_eval_docs"): 8}
"""Where scoring takes long, only every so many rows are scored."""


@functools.cache
def read(frame: str) -> pa.Table | None:
    """The sample, or published results; None where these are absent."""
    if frame == "sample":
        return pa.Table.from_pandas(qa_frame.sample())
    path = DATA / f"{frame}.parquet"
    return pq.read_table(path, columns=["response", "answers"]) if path.exists() else None


def digest(values: NDArray[np.float64]) -> str:
    """The beginning of the SHA-256 of the values, rounded to 10 decimals. NaN has one form, and -0.0 is 0.0.

    `exp` and `log` may differ in the last bits from machine to machine. Rounding removes that difference.
    """
    rounded = np.round(values, 10) + 0.0
    rounded[np.isnan(rounded)] = np.nan
    return hashlib.sha256(rounded.astype("<f8").tobytes()).hexdigest()[:16]


def digests(frame: str, convention: str) -> dict[str, str]:
    """The digest of each column that the convention's metrics and their statistics give on a frame."""
    table = read(frame)
    rows = table.take(np.arange(0, table.num_rows, EVERY.get((frame, convention), 1)))
    found = {}
    for reduction in dict.fromkeys(column.split()[0] for column in STORED[frame].get(convention, ["own"])):
        reduce = None if reduction == "own" else reduction
        options = {"metrics": "all", "convention": convention, "reduce": reduce, "stats": True, "append": False}
        scores = qa_frame.score(rows, "response", "answers", **options)
        found |= {f"{reduction} {name}": digest(scores[name].to_numpy().astype(float)) for name in scores.column_names}
    return found


@pytest.mark.parametrize(
    ("frame", "convention"),
    [
        pytest.param(frame, name, marks=() if frame == "sample" else pytest.mark.thorough)
        for frame in STORED
        for name in STORED[frame]
    ],
)
def test_scores_are_what_they_were(frame, convention):
    if read(frame) is None:
        pytest.skip("the published results are not part of the project")
    found = digests(frame, convention)
    changed = {
        column: "differs" if column in found else "is gone"
        for column, stored in STORED[frame][convention].items()
        if found.get(column) != stored
    }
    assert not changed


def test_each_convention_has_digests():
    assert set(STORED["sample"]) == {*qa_frame.conventions, *ALIASES}


def test_digests_differ_only_where_scores_do():
    values = np.array([0.5, 0.1 + 0.2, 0.0, np.nan])
    assert digest(values) == digest(np.array([0.5, 0.3, -0.0, -np.nan]))
    assert digest(values) != digest(np.array([0.5, 0.3 + 1e-9, 0.0, np.nan]))
    assert digest(values) != digest(values[::-1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", required=True, help="store the digests of the present scores")
    parser.parse_args()
    names = {
        frame: [*qa_frame.conventions, *ALIASES] if frame == "sample" else STORED[frame]
        for frame in STORED
        if read(frame)
    }
    new = {frame: {name: digests(frame, name) for name in known} for frame, known in names.items()}
    FILE.write_text(json.dumps(STORED | new, indent=1) + "\n", "utf-8")
