"""Keys of rows: groups as pandas' groupby has them, codes in sorted order, and errors that say what to do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_frame.errors import ColumnNotFoundError, ColumnTypeError, PairingError, UnknownOptionError
from qa_frame.stats.grouping import (
    concatenate_keys,
    group_rows,
    have_same_categories,
    list_keys,
    make_group_columns,
    order_groups,
    read_codes,
    read_keys,
    require_names,
    take_keys,
)

TEXTS = st.sampled_from(["b", "a", "c"])
COLUMNS = {
    "text": (TEXTS, object),
    "text-or-null": (TEXTS | st.none(), object),
    "whole": (st.integers(-2, 2), np.int64),
    "float": (st.sampled_from([0.5, -1.0, np.nan]), np.float64),
    "nullable": (st.integers(0, 2) | st.none(), "Int64"),
    "category": (st.sampled_from(["y", "x"]) | st.none(), pd.CategoricalDtype(["y", "z", "x"])),
    "date": (st.sampled_from(["2024-01-02", "2023-05-05", None]), "datetime64[ns]"),
    "arrow": (TEXTS | st.none(), "string[pyarrow]"),
}


@st.composite
def keyed_frames(draw):
    """One or two columns of keys of any type."""
    names = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=2, unique=True))
    n_rows = draw(st.integers(0, 15))
    columns = {}
    for name in names:
        values, dtype = COLUMNS[name]
        columns[name] = pd.Series(draw(st.lists(values, min_size=n_rows, max_size=n_rows)), dtype=object).astype(dtype)
    return pd.DataFrame(columns).set_axis(draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows)))


@given(frame=keyed_frames(), dropna=st.booleans(), observed=st.booleans())
def test_groups_are_those_of_groupby(frame, dropna, observed):
    keys = read_keys(frame, list(frame.columns))
    codes, first = group_rows(keys, len(frame))
    index, places = order_groups(take_keys(keys, first), observed=observed, dropna=dropna)
    counts = np.append(np.bincount(codes, minlength=len(first)), 0)[places]
    expected = frame.groupby(list(frame.columns), observed=observed, dropna=dropna).size()
    pd.testing.assert_series_equal(pd.Series(counts, index=index), expected)


@given(frame=keyed_frames())
def test_first_rows_and_codes_belong_together(frame):
    codes, first = group_rows(read_keys(frame, list(frame.columns)), len(frame))
    assert codes.dtype == first.dtype == np.int64
    np.testing.assert_array_equal(codes[first], np.arange(len(first)))
    assert (np.diff(first) > 0).all()  # in the order in which groups appear


def test_without_keys_all_rows_are_one_group():
    for n_rows in (0, 3):
        codes, first = group_rows((), n_rows)
        assert (codes.tolist(), first.tolist()) == ([0] * n_rows, [0])
    index, places = order_groups((), observed=True, dropna=False)
    assert (index.tolist(), places.tolist()) == (["all"], [0])


# ----------------------------------------------------------------------------------------------------------- codes


@given(frame=keyed_frames())
def test_codes_follow_the_sorted_order_of_keys(frame):
    codes = read_codes(frame, list(frame.columns), "on", has_nulls=True)
    expected = frame.reset_index(drop=True).groupby(list(frame.columns), dropna=False, observed=True).ngroup()
    assert codes.codes.tolist() == expected.tolist()
    assert len(codes) == len(codes.labels) == expected.nunique()


def test_codes_of_several_columns_have_tuples_for_labels():
    frame = pd.DataFrame({"a": [2, 1, 2], "b": ["x", "x", "w"]})
    assert read_codes(frame, ["a", "b"], "by").labels.tolist() == [(1, "x"), (2, "w"), (2, "x")]
    assert read_codes(frame, "a", "by").labels.tolist() == [1, 2]


def test_nulls_are_no_key_unless_asked_for():
    frame = pd.DataFrame({"question": ["b", None, "a"]}, index=[7, 8, 9])
    with pytest.raises(
        PairingError, match=r"question='question' is null in 1 of 3 rows, first at index label 8; fill them"
    ):
        read_codes(frame, "question", "question")
    assert read_codes(frame, "question", "question", has_nulls=True).codes.tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ([], ColumnNotFoundError, r"question=\[\] names no column"),
        ("c", ColumnNotFoundError, "question='c' is not a column"),
        (("a", "b"), ColumnNotFoundError, "for several columns give a list"),
        ("lists", ColumnTypeError, r"question='lists' holds values that cannot be hashed.*astype\(str\)"),
        ("mixed", ColumnTypeError, r"question='mixed' holds values that cannot be hashed and compared.*astype\(str\)"),
    ],
)
def test_keys_that_cannot_be_coded(names, error, message):
    frame = pd.DataFrame({"a": [1, 2], "b": [1, 2], "lists": [[1], [2]], "mixed": [object(), 1]})
    with pytest.raises(error, match=message):
        read_codes(frame, names, "question")


# --------------------------------------------------------------------------------------------------------- what names


def test_lists_of_keys():
    assert list_keys(None) == ()
    assert list_keys("a") == ("a",)
    assert list_keys(("a", "b")) == (("a", "b"),)  # one label that is a tuple
    assert list_keys(["a", "b"]) == ("a", "b")
    assert list_keys(pd.Index(["a", "b"])) == ("a", "b")


def test_a_column_goes_before_an_index_level():
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index([5, 6], name="a"))
    assert [key.tolist() for key in read_keys(frame, ["a"])] == [[1, 2]]
    assert [key.tolist() for key in read_keys(frame.drop(columns="a"), ["a"])] == [[5, 6]]


@pytest.mark.parametrize("key", [pd.Series([1]), np.zeros(1), pd.Index([1]), pd.Categorical(["a"]), ["a"], {"a": 1}])
def test_keys_that_are_no_names(key):
    with pytest.raises(UnknownOptionError, match=r"by holds a .*, where the name of a column is needed"):
        require_names([key])


def test_lists_and_arrays_are_no_clusters():
    require_names(["a", ("a", 1)])
    for cluster in ([["a"]], np.zeros(2)):
        with pytest.raises(UnknownOptionError, match="cluster holds a"):
            make_group_columns("a", cluster=cluster)


# ------------------------------------------------------------------------------------------------- keys of several sets


def key(values, **options):
    return (pd.Series(values, name="k", **options),)


def test_sets_of_keys_one_after_the_other():
    (joined,) = concatenate_keys([key(["a"]), key([], dtype=object), key(["b", "a"])])
    assert joined.tolist() == ["a", "b", "a"]
    assert joined.name == "k"


@pytest.mark.parametrize("is_same", [True, False])
def test_categories_are_kept_where_they_are_the_same(is_same):
    other = ["y", "x"] if is_same else ["x", "y", "z"]
    sets = [key(pd.Categorical(["x"], ["y", "x"])), key(pd.Categorical(["y"], other))]
    assert have_same_categories([levels[0] for levels in sets]) == is_same
    (joined,) = concatenate_keys(sets)
    assert isinstance(joined.dtype, pd.CategoricalDtype) == is_same
    assert joined.tolist() == ["x", "y"]


def test_whole_numbers_with_nulls_as_categories():
    """Integers have no null; the values stay what they were."""
    (joined,) = concatenate_keys([key(pd.Categorical([1, None])), key(pd.Categorical([2], [2, 1]))])
    assert joined.isna().tolist() == [False, True, False]
    assert joined.dropna().tolist() == [1, 2]
