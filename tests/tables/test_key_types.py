"""Groups, questions and clusters by columns of every type: a result, or an error that names the argument."""

from __future__ import annotations

import datetime as dt
import functools
import re
import uuid
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.extensions import is_there

pytestmark = pytest.mark.filterwarnings("ignore:.*no question in common:qa_frame.errors.PairingWarning")


class Extension(pa.ExtensionType):
    """A type of the user's own, over whole numbers."""

    def __init__(self):
        super().__init__(pa.int64(), "qa_frame.tests.extension")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        return cls()


NUMBERS = ["int8", "uint64", "float64"]
DATES = [dt.date(2020, 1, 1), dt.date(2021, 1, 1)]
DECIMALS = [Decimal("1.5"), Decimal("2.5")]
INDICES = pa.array([0, 1])

GROUPED = {
    **{name: pa.array([0, 1], getattr(pa, name)()) for name in NUMBERS},
    "float16": pa.array([np.float16(0.5), np.float16(1.5)], pa.float16()),
    "bool": pa.array([False, True]),
    **{name: pa.array(["u", "v"], getattr(pa, name)()) for name in ("string", "large_string", "string_view")},
    **{name: pa.array([b"u", b"\xff"], getattr(pa, name)()) for name in ("binary", "large_binary", "binary_view")},
    "fixed-binary": pa.array([b"uu", b"vv"], pa.binary(2)),
    **{name: pa.array(DECIMALS, getattr(pa, name)(5, 2)) for name in ("decimal128", "decimal256")},
    **{name: pa.array(DECIMALS, getattr(pa, name)(5, 2)) for name in ("decimal32", "decimal64") if hasattr(pa, name)},
    **{name: pa.array(DATES, getattr(pa, name)()) for name in ("date32", "date64")},
    "time32-ms": pa.array([0, 1], pa.time32("ms")),
    "time64-us": pa.array([0, 1], pa.time64("us")),
    "timestamp-ns": pa.array([0, 1], pa.timestamp("ns")),
    "zoned-s": pa.array([0, 1], pa.timestamp("s", "Europe/Paris")),
    "zone-of-hours": pa.array([0, 1], pa.timestamp("us", "+05:30")),
    "duration-ns": pa.array([0, 1], pa.duration("ns")),
    "dictionary": pa.array(["u", "v"], pa.dictionary(pa.int8(), pa.string())),
    "dictionary-of-numbers": pa.array([5, 6], pa.dictionary(pa.uint32(), pa.int64())),
    "dictionary-of-float16": pa.DictionaryArray.from_arrays(INDICES, pa.array([np.float16(0), np.float16(1)])),
    "run-ends": pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array(["u", "v"])),
    "extension": pa.ExtensionArray.from_storage(Extension(), pa.array([1, 2])),
}
"""Two values of each type that rows can be grouped by."""
if hasattr(pa, "uuid"):
    UUIDS = pa.array([uuid.UUID(int=number).bytes for number in (0, 1)], pa.binary(16))
    GROUPED["uuid"] = pa.ExtensionArray.from_storage(pa.uuid(), UUIDS)
if hasattr(pa, "json_"):
    GROUPED["json"] = pa.ExtensionArray.from_storage(pa.json_(), pa.array(["1", "2"]))

REFUSED = {
    "list": pa.array([["u"], ["v"]]),
    "large-list": pa.array([["u"], ["v"]], pa.large_list(pa.string())),
    "fixed-list": pa.array([["u"], ["v"]], pa.list_(pa.string(), 1)),
    "list-view": pa.array([["u"], ["v"]], pa.list_view(pa.string())),
    "struct": pa.array([{"u": 1}, {"u": 2}]),
    "map": pa.array([[("u", 1)], [("v", 2)]], pa.map_(pa.string(), pa.int64())),
    "interval": pa.array([(1, 2, 3), (2, 3, 4)], pa.month_day_nano_interval()),
    "union": pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["u", "v"])]),
    "dictionary-of-lists": pa.DictionaryArray.from_arrays(INDICES, pa.array([["u"], ["v"]])),
    "year-5881580": pa.array([0, 2**31 - 1], pa.int32()).cast(pa.date32()),
    "no-such-zone": pa.array([0, 1], pa.timestamp("us", "No/Where")),
}
"""Values that have no order, or that Python cannot hold."""

ODD = {
    "null": pa.nulls(2),
    "time64-ns": pa.array([0, 1], pa.time64("ns")),
    "far-timestamp": pa.array([0, 2**62], pa.timestamp("s")),
    "far-duration": pa.array([0, 2**62], pa.duration("s")),
    "dictionary-with-a-value-twice": pa.DictionaryArray.from_arrays(INDICES, pa.array(["u", "u"])),
    "dictionary-with-null": pa.DictionaryArray.from_arrays(INDICES, pa.array(["u", None])),
    "dense-union": pa.UnionArray.from_dense(
        pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(["u"])]
    ),
}
"""What depends on the version of pandas, or on nulls."""

BASE = {
    "model": ["x", "x", "y", "y"],
    "question": [1, 2, 1, 2],
    "f1": [0.0, 1.0, 0.5, 0.25],
    "human": [0, 1, 0, 1],
}
COMMON = pd.DataFrame(BASE | {"key": ["u", "u", "v", "v"]})


def to_arrow_dtype(table):
    return pd.DataFrame(BASE).assign(key=pd.Series(table["key"], dtype=pd.ArrowDtype(table["key"].type)))


KINDS = {
    "arrow": lambda table: table,
    "arrow-in-pandas": to_arrow_dtype,
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.from_arrow,
}

each_kind = pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind == "arrow" else pytest.mark.thorough) for kind in KINDS]
)

CALLS = {
    "summary": lambda data: qa_frame.summary(data, by="key", ci=0.9),
    "summary-of-two": lambda data: qa_frame.summary(data, by=["model", "key"]),
    "cluster": lambda data: qa_frame.summary(data, cluster="key", ci=0.9),
    "compare": lambda data: qa_frame.compare(data, by="key", question="question", n_resamples=9),
    "question": lambda data: qa_frame.compare(data, by="model", question=["question", "key"], n_resamples=9),
    "pool": lambda data: qa_frame.Pool(by="key").update(data).update(data).summary(),
}
if is_there("ext.annotation"):
    CALLS["agreement"] = lambda data: qa_frame.agreement(data, by="key")


def calls_of(kind):
    """All calls with one kind of frame, and some with the others, whose keys are read by the same code from then on."""
    return CALLS if kind == "arrow" else ["summary", "question", "compare"]


def make(array, kind, rows=(0, 0, 1, 1)):
    """A frame of four rows with the array's values as keys; None where the kind of frame cannot hold them."""
    values = [array[row : row + 1] if row is not None else pa.nulls(1, array.type) for row in rows]
    try:
        return KINDS[kind](pa.table({**BASE, "key": pa.chunked_array(values, array.type)}))
    except BaseException as error:  # polars panics
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


def run(call, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qa_frame.errors.IntervalWarning)
        return CALLS[call](data)


@functools.cache
def figures_by_text(call):
    """What the same groups give by text."""
    return figures(run(call, COMMON))


def figures(result):
    """The numbers of a result, whatever kind of frame it is."""
    table = result if isinstance(result, pd.DataFrame) else result.to_pandas()
    numbers = table.reset_index(drop=True).select_dtypes("number")
    return numbers.drop(columns=[name for name in ("key", "model") if name in numbers]).astype(float)


@each_kind
@pytest.mark.parametrize("name", GROUPED)
def test_types_that_group(name, kind):
    """Each type gives what the same groups give by text."""
    data = make(GROUPED[name], kind)
    if data is None:
        assert kind in {"pandas", "polars"}
        pytest.skip("this kind of frame cannot hold the type")
    for call in calls_of(kind):
        if call != "compare":
            expected = figures_by_text(call)
            pd.testing.assert_frame_equal(figures(run(call, data))[expected.columns], expected)
    assert len(run("compare", data)) == 1


@each_kind
@pytest.mark.parametrize("name", REFUSED)
def test_types_that_do_not_group(name, kind):
    data = make(REFUSED[name], kind)
    if data is None:
        pytest.skip("this kind of frame cannot hold the type")
    as_python_has_them = kind != "arrow-in-pandas"
    for call in calls_of(kind):
        if as_python_has_them and name in {"interval", "year-5881580"} and call == "cluster":
            continue  # nothing is sorted by clusters
        if kind in {"pandas", "polars"} and name in {"year-5881580", "no-such-zone", "map", "list-view"}:
            continue  # another type there
        if kind == "arrow" and name == "no-such-zone" and call == "pool":
            continue
        with pytest.raises(
            qa_frame.errors.ColumnTypeError, match=r"(by|on|cluster)='key' holds .*make them text, as in df"
        ):
            run(call, data)


@each_kind
@pytest.mark.parametrize("name", [*GROUPED, *REFUSED, *ODD])
def test_types_with_nulls(name, kind):
    """Whatever the type: a result that prints, or an error that names the argument."""
    array = (GROUPED | REFUSED | ODD)[name]
    rows = (0, 0, 1, 1) if pa.types.is_union(array.type) else (0, None, 1, 1)  # a union has no nulls of its own
    data = make(array, kind, rows)
    if data is None:
        pytest.skip("this kind of frame cannot hold the type")
    for call in calls_of(kind):
        message = outcome(call, data)
        assert message is None or re.search(r"(by|on|cluster)=\[?'(key|model)", message), message


def outcome(call, data):
    """The message of the error; None for a result."""
    try:
        str(run(call, data))
    except qa_frame.QaFrameError as error:
        return str(error)
    return None


def category(texts):
    distinct = pd.Index(["u", texts[-1]], dtype=object)
    return pd.Series(pd.Categorical.from_codes([list(distinct).index(text) for text in texts], distinct))


ODD_TEXTS = {
    "object": lambda texts: pd.Series(texts, dtype=object),
    "python-strings": lambda texts: pd.Series(np.array(texts, object), dtype="string[python]"),
    "category": category,
    "with-numbers": lambda texts: pd.Series([1, *texts[1:]], dtype=object),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("form", ODD_TEXTS)
def test_lone_surrogates_are_no_keys(form, call):
    data = pd.DataFrame(BASE).assign(key=ODD_TEXTS[form](["u", "u", "v\udc80", "v\udc80"]))
    with pytest.raises(
        qa_frame.errors.InvalidTextError, match=r"(by|on|cluster)='key' holds 'v\\udc80'.*encode"
    ) as raised:
        run(call, data)
    assert (
        "clean each such text first, as text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace') does"
        in str(raised.value)
    )
    cleaned = [
        text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in ["u", "u", "v\udc80", "v\udc80"]
    ]
    assert len(run(call, data.assign(key=cleaned)))


@pytest.mark.parametrize("call", CALLS)
def test_signalling_nans_are_no_keys(call):
    values = [Decimal(1), Decimal(1), Decimal("sNaN"), Decimal("sNaN")]
    data = pd.DataFrame(BASE).assign(key=pd.Series(values, dtype=object))
    with pytest.raises(qa_frame.errors.ColumnTypeError, match=r"(by|on|cluster)='key' holds Decimal.*map\(str\)"):
        run(call, data)
    assert len(run(call, data.assign(key=data["key"].map(str))))


class Unprintable:
    def __repr__(self):
        raise RuntimeError


def test_a_warning_names_groups_that_cannot_be_printed():
    key = Unprintable()
    data = pd.DataFrame(BASE).assign(key=pd.Series([key] * 4, dtype=object))
    with pytest.warns(qa_frame.errors.IntervalWarning, match="<Unprintable>"):
        assert len(qa_frame.summary(data, by="key", cluster="question", ci=0.9)) == 1
