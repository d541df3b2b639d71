"""The same rows give the same scores in every form that a column can have."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import qa_frame
from qa_frame.frames.text_columns import read_texts

PREDS = ["in Paris", None, "", "the", "Dvořák 🎻 東京", "no gold", "null golds", "only a null", "The Seine."]
GOLDS = [
    ["Paris", "Paris, France"],
    ["Rome"],
    ["", "nothing"],
    ["a an", None],
    ["東京", "dvořák 🎻 東京"],
    [],
    None,
    [None],
    ["Seine", "the Seine"],
]
EM = [0, 0, 1, 1, 1, np.nan, np.nan, np.nan, 1]
F1 = [2 / 3, 0, 0, 0, 1, np.nan, np.nan, np.nan, 1]

TEXT_GOLDS = ["Paris", "Rome", "", "a an", "dvořák 🎻 東京", None, None, None, "Seine"]


def objects(values):
    """A column of Python objects, as they are."""
    return pd.Series(list(values), dtype=object)


def in_pandas(array):
    return pd.Series(pd.arrays.ArrowExtensionArray(array))


def encoded(values):
    return [None if value is None else value.encode() for value in values]


def nulls_in_turn(values):
    """Python objects, with None, NaN and pd.NA for nulls by turns."""
    nulls = iter([None, np.nan, pd.NA] * len(values))
    return objects([next(nulls) if value is None else value for value in values])


def of_dtype(dtype):
    return lambda values: pd.Series(values, dtype=dtype)


def of_arrow(kind):
    return lambda values: in_pandas(pa.array(values, kind))


TEXT_FORMS = {
    "object": objects,
    "object-any-null": nulls_in_turn,
    "object-bytes": lambda values: objects(encoded(values)),
    "inferred": pd.Series,
    "str": of_dtype("str"),
    "string-python": of_dtype("string[python]"),
    "string-pyarrow": of_dtype("string[pyarrow]"),
    "category": of_dtype("category"),
    "category-of-string": lambda values: pd.Series(values, dtype="string").astype("category"),
    "arrow-string": of_arrow(pa.string()),
    "arrow-large-string": of_arrow(pa.large_string()),
    "arrow-string-view": of_arrow(pa.string_view()),
    "arrow-dictionary": of_arrow(pa.dictionary(pa.int8(), pa.string())),
    "arrow-dictionary-of-large": lambda values: in_pandas(pa.array(values, pa.large_string()).dictionary_encode()),
    "arrow-binary": lambda values: in_pandas(pa.array(encoded(values), pa.binary())),
    "arrow-large-binary": lambda values: in_pandas(pa.array(encoded(values), pa.large_binary())),
    "arrow-binary-view": lambda values: in_pandas(pa.array(encoded(values), pa.binary_view())),
    "arrow-run-ends": lambda values: in_pandas(pc.run_end_encode(pa.array(values, pa.string()))),
}


def lists_as(kind):
    return lambda golds: objects([None if gold is None else kind(gold) for gold in golds])


def code_without_nulls(gold):
    return np.array([text for text in gold if text is not None], dtype=np.str_)


def pairs_with_null(golds):
    """Fixed-size lists of two, filled up with nulls."""
    return pa.array([None if gold is None else [*gold, None, None][:2] for gold in golds], pa.list_(pa.string(), 2))


def bytes_lists(golds):
    return pa.array([None if gold is None else encoded(gold) for gold in golds], pa.list_(pa.binary()))


LIST_TYPES = {
    "list": pa.list_(pa.string()),
    "large-list": pa.large_list(pa.large_string()),
    "list-of-views": pa.list_(pa.string_view()),
    "list-of-dictionary": pa.list_(pa.dictionary(pa.int8(), pa.string())),
}

LIST_FORMS = {
    "lists": objects,
    "tuples": lists_as(tuple),
    "object-ndarrays": lists_as(lambda gold: np.array(gold, dtype=object)),
    "unicode-ndarrays": lists_as(code_without_nulls),
    "any-null-for-a-list": nulls_in_turn,
    "any-null-in-a-list": lists_as(lambda gold: [*gold, None, np.nan, pd.NA]),
    "lists-of-bytes": lists_as(encoded),
    "scalars-of-arrow": lists_as(pa.scalar),
    **{f"arrow-{name}": of_arrow(kind) for name, kind in LIST_TYPES.items()},
    "arrow-fixed-size-list": lambda golds: in_pandas(pairs_with_null(golds)),
    "arrow-list-of-binary": lambda golds: in_pandas(bytes_lists(golds)),
}


def score(pred, gold, **options):
    frame = pd.DataFrame({"response": objects(pred) if isinstance(pred, list) else pred})
    frame["answers"] = objects(gold) if isinstance(gold, list) else gold
    return frame.qa.score("response", "answers", append=False, **options)


def score_table(pred, gold):
    return qa_frame.score(pa.table({"response": pred, "answers": gold}), "response", "answers", append=False)


def assert_same(scores, expected):
    """Equal to the last bit, whatever the index and wherever nulls are NaN."""
    scores = scores.to_pandas() if isinstance(scores, pa.Table) else scores.reset_index(drop=True)
    pd.testing.assert_frame_equal(scores, expected.reset_index(drop=True), check_exact=True)


@pytest.fixture(scope="module")
def expected():
    return score(PREDS, GOLDS)


@pytest.fixture(scope="module")
def expected_of_texts():
    return score(PREDS, [None if gold is None else [gold] for gold in TEXT_GOLDS])


def test_the_reference_by_hand(expected):
    np.testing.assert_allclose(expected[["em", "f1"]], np.transpose([EM, F1]), rtol=1e-15)


def test_the_reference_of_texts_by_hand(expected_of_texts):
    np.testing.assert_array_equal(expected_of_texts["em"], EM)


@pytest.mark.parametrize("n_rows", [0, len(PREDS)])
@pytest.mark.parametrize("form", TEXT_FORMS)
def test_predictions(form, n_rows, expected):
    assert_same(score(TEXT_FORMS[form](PREDS[:n_rows]), GOLDS[:n_rows]), expected[:n_rows])


@pytest.mark.parametrize("n_rows", [0, len(PREDS)])
@pytest.mark.parametrize("form", LIST_FORMS)
def test_lists_of_golds(form, n_rows, expected):
    assert_same(score(PREDS[:n_rows], LIST_FORMS[form](GOLDS[:n_rows])), expected[:n_rows])


@pytest.mark.parametrize("n_rows", [0, len(PREDS)])
@pytest.mark.parametrize("form", TEXT_FORMS)
def test_one_gold_a_row(form, n_rows, expected_of_texts):
    assert_same(score(PREDS[:n_rows], TEXT_FORMS[form](TEXT_GOLDS[:n_rows])), expected_of_texts[:n_rows])


ALL_NULL_FORMS = {
    "object-none": objects([None] * 9),
    "object-na": objects([pd.NA] * 9),
    "float-nan": pd.Series([np.nan] * 9),
    "string": pd.Series([None] * 9, dtype="string"),
    "category": pd.Series([None] * 9, dtype="category"),
    "arrow-null": in_pandas(pa.nulls(9)),
    "arrow-string": in_pandas(pa.nulls(9, pa.string())),
}


@pytest.mark.parametrize("form", ALL_NULL_FORMS)
def test_all_predictions_null(form):
    scores = score(ALL_NULL_FORMS[form], GOLDS)
    np.testing.assert_array_equal(scores["f1"], np.where(np.isnan(EM), np.nan, 0.0))


@pytest.mark.parametrize("form", [*ALL_NULL_FORMS, "arrow-list"])
def test_all_golds_null(form):
    golds = {**ALL_NULL_FORMS, "arrow-list": in_pandas(pa.nulls(9, pa.list_(pa.string())))}[form]
    assert score(PREDS, golds).isna().to_numpy().all()


# --- Arrow layouts


def list_view(golds, *, large=False, backwards=False):
    """A list view; backwards, its lists lie in its values in the reverse of their order."""
    places = {}
    values = []
    for row in reversed(range(len(golds))) if backwards else range(len(golds)):
        places[row] = len(values), len(golds[row] or [])
        values += golds[row] or []
    kind, width = (pa.LargeListViewArray, pa.int64()) if large else (pa.ListViewArray, pa.int32())
    offsets, sizes = ([places[row][part] for row in range(len(golds))] for part in (0, 1))
    return kind.from_arrays(
        pa.array(offsets, width),
        pa.array(sizes, width),
        pa.array(values, pa.string()),
        mask=pa.array([gold is None for gold in golds], pa.bool_()),
    )


LIST_ARRAYS = {
    **{name: lambda golds, kind=kind: pa.array(golds, kind) for name, kind in LIST_TYPES.items()},
    "fixed-size-list": pairs_with_null,
    "list-of-binary": bytes_lists,
    "list-view": list_view,
    "list-view-backwards": lambda golds: list_view(golds, backwards=True),
    "large-list-view": lambda golds: list_view(golds, large=True),
    "large-list-view-backwards": lambda golds: list_view(golds, large=True, backwards=True),
}

TEXT_ARRAYS = {
    "string": lambda texts: pa.array(texts, pa.string()),
    "large-string": lambda texts: pa.array(texts, pa.large_string()),
    "string-view": lambda texts: pa.array(texts, pa.string_view()),
    "dictionary": lambda texts: pa.array(texts, pa.string()).dictionary_encode(),
    "run-ends": lambda texts: pc.run_end_encode(pa.array(texts, pa.string())),
    "binary": lambda texts: pa.array(encoded(texts), pa.binary()),
}


def whole(make, values):
    return make(values)


def sliced(make, values):
    """The same values from the middle of a longer array, so that offsets and validity start past zero."""
    return make([*values[:3], *values, *values[-2:]]).slice(3, len(values))


def chunked(make, values):
    """A row a chunk, with empty chunks before, between and after."""
    chunks = [make([])]
    for value in values:
        chunks += [make([value]), make([])]
    return pa.chunked_array(chunks, chunks[0].type)


def chunked_slices(make, values):
    """Chunks that are slices of one array, cut unevenly."""
    array = make([*values[:2], *values])
    return pa.chunked_array([array.slice(2, 4), array.slice(6, 0), array.slice(6)])


LAYOUTS = pytest.mark.parametrize("layout", [whole, sliced, chunked, chunked_slices])


@LAYOUTS
@pytest.mark.parametrize("form", LIST_ARRAYS)
def test_layouts_of_golds(form, layout, expected):
    golds = layout(LIST_ARRAYS[form], GOLDS)
    assert_same(score_table(pa.array(PREDS), golds), expected)


@LAYOUTS
@pytest.mark.parametrize("form", TEXT_ARRAYS)
def test_layouts_of_predictions(form, layout, expected):
    preds = layout(TEXT_ARRAYS[form], PREDS)
    assert_same(score_table(preds, pa.array(GOLDS)), expected)


@LAYOUTS
@pytest.mark.parametrize("form", TEXT_ARRAYS)
def test_layouts_of_one_gold_a_row(form, layout, expected_of_texts):
    golds = layout(TEXT_ARRAYS[form], TEXT_GOLDS)
    assert_same(score_table(pa.array(PREDS), golds), expected_of_texts)


@LAYOUTS
def test_layouts_in_a_frame(layout, expected):
    preds = in_pandas(layout(TEXT_ARRAYS["string"], PREDS))
    golds = in_pandas(layout(LIST_ARRAYS["list"], GOLDS))
    assert_same(score(preds, golds), expected)


def test_both_columns_chunked_differently(expected):
    preds = pa.chunked_array([PREDS[:2], PREDS[2:7], PREDS[7:]])
    golds = pa.chunked_array([GOLDS[:5], GOLDS[5:]], pa.list_(pa.string()))
    assert_same(score_table(preds, golds), expected)


@pytest.mark.parametrize("form", LIST_ARRAYS)
@pytest.mark.parametrize("start", [0, 500])
def test_one_row_of_a_long_column_has_no_other_texts(form, start):
    """They would be cast and checked with it."""
    column = LIST_ARRAYS[form]([["Paris", "Rome"]] * 1000).slice(start, 1)
    lists = read_texts(column, "gold='g'", None, levels=1).chunk(0)
    assert lists.to_pylist() == [["Paris", "Rome"]]
    assert len(lists.values) == 2


def test_no_chunks(expected):
    empty = pa.chunked_array([], pa.string()), pa.chunked_array([], pa.list_(pa.string()))
    assert_same(score_table(*empty), expected[:0])


def test_rows_that_share_their_golds():
    views = pa.ListViewArray.from_arrays(pa.array([0, 0], pa.int32()), pa.array([2, 1], pa.int32()), ["Rome", "Paris"])
    assert score_table(["Paris", "Rome"], views)["em"].to_pylist() == [1.0, 1.0]


def test_null_lists_over_values():
    """What lies under a null list is no gold."""
    golds = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3]), ["a", "b", "c"], mask=pa.array([False, True, False]))
    assert score_table(["a", "b", "c"], golds)["em"].to_pylist() == [1.0, None, 1.0]


def test_null_among_the_categories():
    preds = pa.DictionaryArray.from_arrays([0, 1, 0], pa.array(["a", None]))
    assert score_table(preds, [["a"]] * 3)["em"].to_pylist() == [1.0, 0.0, 1.0]


def test_other_dictionary_in_each_chunk():
    preds = pa.chunked_array([pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "b"]).dictionary_encode()])
    assert score_table(preds, [["a"], ["b"], ["c"], ["x"]])["em"].to_pylist() == [1.0, 1.0, 1.0, 0.0]


# --- Parquet


BACKENDS = pytest.mark.parametrize(
    "backend",
    [{}, {"dtype_backend": "pyarrow"}, {"dtype_backend": "numpy_nullable"}],
    ids=["default", "pyarrow", "numpy_nullable"],
)


@BACKENDS
@pytest.mark.parametrize("form", ["lists", "object-ndarrays", "unicode-ndarrays"])
def test_parquet_round_trip(form, backend, tmp_path, expected):
    path = tmp_path / "results.parquet"
    pd.DataFrame({"response": PREDS, "answers": LIST_FORMS[form](GOLDS)}).to_parquet(path)
    assert_same(pd.read_parquet(path, **backend).qa.score("response", "answers", append=False), expected)


@BACKENDS
@pytest.mark.parametrize("form", ["list", "large-list", "list-of-binary"])
def test_parquet_from_arrow(form, backend, tmp_path, expected):
    path = tmp_path / "results.parquet"
    pq.write_table(pa.table({"response": PREDS, "answers": LIST_ARRAYS[form](GOLDS)}), path)
    assert_same(pd.read_parquet(path, **backend).qa.score("response", "answers", append=False), expected)


@BACKENDS
@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_parquet_round_trip_of_one_gold_a_row(dtype, backend, tmp_path, expected_of_texts):
    path = tmp_path / "results.parquet"
    pd.DataFrame({"response": PREDS, "answers": pd.Series(TEXT_GOLDS, dtype=dtype)}).to_parquet(path)
    assert_same(pd.read_parquet(path, **backend).qa.score("response", "answers", append=False), expected_of_texts)
