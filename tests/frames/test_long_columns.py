"""Columns whose texts are longer together than offsets of 32 bits count, though a file or a dictionary is short."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import qa_frame
from qa_frame.frames.arrow_types import decode, take_rows

LONG = ("x" * 999 + " ") * 40_000
N_ROWS = 60
"""So many texts of 40 MB are more than 2 GiB."""


def dictionary(texts):
    return pa.array(texts).dictionary_encode()


def in_lists(array):
    return pa.ListArray.from_arrays(pa.array(range(len(array) + 1), pa.int32()), array)


COLUMNS = {
    "dictionary": dictionary,
    "dictionary-of-bytes": lambda texts: pa.array([text.encode() for text in texts]).dictionary_encode(),
    "run-ends": lambda texts: pc.run_end_encode(pa.array(texts)),
    "run-ends-of-dictionary": lambda texts: pa.RunEndEncodedArray.from_arrays(
        pa.array(range(1, len(texts) + 1), pa.int32()), dictionary(texts)
    ),
    "list-of-dictionary": lambda texts: in_lists(dictionary(texts)),
    "dictionary-of-lists": lambda texts: pa.DictionaryArray.from_arrays(
        pa.array([texts.index(text) for text in texts]), in_lists(pa.array(texts))
    ),
    "list-of-lists-of-dictionary": lambda texts: in_lists(in_lists(dictionary(texts))),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_what_is_decoded_has_offsets_of_64_bits(name):
    array = COLUMNS[name](["a", "b", "a"])
    decoded = decode(array)
    assert decoded.to_pylist() == array.to_pylist()
    kind = decoded.type
    while pa.types.is_large_list(kind):
        kind = kind.value_type
    assert kind in {pa.large_string(), pa.large_binary()}


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string()), pa.int64()])
@pytest.mark.parametrize("rows", [[], [0], [5, 0, 3, 3, 5], [4, 3, 2, 1, 0]])
def test_rows_of_several_chunks(rows, kind):
    values = ["1", "2", None, "3", "4", "5"]
    pieces = [pa.array(values[start:stop]).cast(kind) for start, stop in ((0, 2), (2, 2), (2, 5), (5, 6), (6, 6))]
    taken = take_rows(pa.chunked_array(pieces), np.array(rows, np.int64))
    assert taken.cast(pa.string()).to_pylist() == [values[row] for row in rows]
    assert take_rows(pa.chunked_array([], kind), np.zeros(0, np.int64)).to_pylist() == []


@pytest.mark.thorough
def test_rows_of_a_long_table():
    """Its chunks are one and the same, so that it needs 40 MB; what is chosen is copied."""
    chunk = pa.array([LONG])
    table = pa.table({"response": pa.chunked_array([chunk] * N_ROWS), "f1": np.arange(N_ROWS) / N_ROWS})
    chosen = qa_frame.worst(table, 2, metric="f1")
    assert chosen["f1"].to_pylist() == [0.0, 1 / N_ROWS]
    assert pc.binary_length(chosen["response"]).to_pylist() == [len(LONG)] * 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dictionary", "run-ends", "category", "list-of-dictionary"])
def test_scores_of_long_columns(name):
    golds = [[LONG[:999]]] * N_ROWS
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * N_ROWS, pa.int32()), pa.array([LONG]))
    if name == "category":
        frame = pd.DataFrame({"response": pd.Categorical.from_codes([0] * N_ROWS, [LONG]), "answers": golds})
    elif name == "list-of-dictionary":
        frame = pa.table({"response": [LONG[:999]] * N_ROWS, "answers": in_lists(texts)})
    else:
        runs = pa.RunEndEncodedArray.from_arrays(pa.array([N_ROWS], pa.int32()), pa.array([LONG]))
        frame = pa.table({"response": texts if name == "dictionary" else runs, "answers": golds})
    scored = qa_frame.score(frame, "response", "answers", metrics=["em", "f1"], append=False, progress=False)
    scores = scored if isinstance(scored, pd.DataFrame) else scored.to_pandas()
    assert scores["em"].tolist() == [0.0] * N_ROWS
    np.testing.assert_allclose(scores["f1"], 2 / 40_001)


@pytest.mark.slow
def test_conversions_of_long_columns():
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * N_ROWS, pa.int32()), pa.array([LONG]))
    assert len(qa_frame.to_text(texts)) == N_ROWS
    assert len(qa_frame.to_golds(texts)) == N_ROWS
