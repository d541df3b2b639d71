"""Every kind of frame gives the same numbers, and its own kind back."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import qa_frame

pytestmark = pytest.mark.filterwarnings("ignore::qa_frame.IntervalWarning")

CONSTRUCTORS = {
    "pandas": lambda table: table.to_pandas(),
    "pandas-arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "pyarrow": lambda table: table,
}
KINDS = {"pandas": pd.DataFrame, "pandas-arrow": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}
METRICS = ["em", "f1", "bleu"]


@pytest.fixture(params=CONSTRUCTORS)
def constructor(request):
    return CONSTRUCTORS[request.param]


@pytest.fixture
def kind(request):
    return KINDS[request.node.callspec.params["constructor"]]


def make_table():
    """Two groups are null, a question has no gold, some predictions are null, some verdicts too."""
    sample = qa_frame.sample().reset_index(drop=True)
    places = np.arange(len(sample))
    columns = {
        "human": pd.array(np.where(places % 7 == 0, None, places % 3 == 0), dtype="boolean"),
        "grade": pd.array(places % 4, dtype="Int64"),
        "prompt": pd.array(np.where(places % 5 == 0, None, places % 2), dtype="Int64"),
        "document": sample["question_id"].str.len() + places % 12,
    }
    return pa.Table.from_pandas(sample.assign(**columns), preserve_index=False).replace_schema_metadata(None)


TABLE = make_table()


def records(frame, *, has_keys):
    """The columns of any frame as Python's values.

    has_keys: whether pandas has groups in the index, where the others have columns.
    """
    if isinstance(frame, pd.DataFrame):
        table = pa.Table.from_pandas(frame.reset_index() if has_keys else frame, preserve_index=False)
    else:
        table = pa.table(frame)
    return table.to_pydict()


def same_columns(found, expected):
    """To the last bit, but for the counts that polars cannot know."""
    assert list(found) == list(expected)
    for name in found:
        assert len(found[name]) == len(expected[name])
        unknown = name in ("n_missing", "n_no_gold") and set(found[name]) == {None}
        assert unknown or found[name] == expected[name], name


def of_pandas(function, *arguments, has_keys, **options):
    """What pandas gives, whose tests are elsewhere."""
    frame = TABLE.to_pandas().qa.score("response", "answers", metrics=METRICS, stats=True)
    return records(function(frame, *arguments, **options), has_keys=has_keys)


@pytest.fixture
def scored(constructor):
    return qa_frame.score(constructor(TABLE), "response", "answers", metrics=METRICS, stats=True)


# --------------------------------------------------------------------------------------------------------------- score


@pytest.mark.parametrize("append", [True, False])
@pytest.mark.parametrize("options", [{}, {"stats": True, "prefix": "qa_"}, {"missing": "null", "reduce": "best"}])
def test_score(constructor, kind, append, options):
    frame = constructor(TABLE)
    found = qa_frame.score(frame, "response", "answers", append=append, **options)
    assert type(found) is kind
    expected = TABLE.to_pandas().qa.score("response", "answers", append=append, **options)
    scores = [name for name in expected if name not in TABLE.column_names]
    found, expected = records(found, has_keys=False), records(expected, has_keys=False)
    same_columns({name: found[name] for name in scores}, {name: expected[name] for name in scores})
    assert list(found) == list(expected)


def test_the_columns_given_come_back(constructor, scored):
    given, found = records(constructor(TABLE), has_keys=False), records(scored, has_keys=False)
    assert {name: found[name] for name in given} == given
    assert list(found)[: len(given)] == list(given)


def test_score_replaces_scores_where_they_stand(constructor, kind):
    frame = constructor(TABLE.add_column(1, "em", pa.array([9.0] * len(TABLE))))
    found = qa_frame.score(frame, "response", "answers", metrics=["f1", "em"])
    assert type(found) is kind
    found = records(found, has_keys=False)
    assert list(found) == [TABLE.column_names[0], "em", *TABLE.column_names[1:], "f1"]
    assert 9.0 not in found["em"]


def test_a_row_that_is_not_scored_is_nan_in_pandas_and_null_elsewhere(scored):
    if isinstance(scored, pd.DataFrame):
        assert scored["em"].isna().sum() == 15
    else:
        em = pa.table(scored)["em"]
        assert em.null_count == 15
        assert not np.isnan(em.drop_null().to_numpy()).any()


# ------------------------------------------------------------------------------------------------------------- summary


@pytest.mark.parametrize(
    "by", [None, "model", ["model"], ["dataset", "model"], "prompt", ["prompt", "dataset"]], ids=str
)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ci": 0.9},
        {"ci": 0.9, "method": "bootstrap", "n_resamples": 30, "cluster": "document", "percent": True},
        {"ci": 0.5, "long": True, "metrics": ["f1", "em"]},
    ],
    ids=["plain", "normal", "bootstrap", "long"],
)
def test_summary(scored, kind, by, options):
    found = qa_frame.summary(scored, by, **options)
    assert type(found) is kind
    has_keys = by is not None and not options.get("long")
    expected = of_pandas(qa_frame.summary, by, has_keys=has_keys, **options)
    same_columns(records(found, has_keys=has_keys), expected)


def test_groups_are_columns_where_there_is_no_index(scored, kind):
    summary = qa_frame.summary(scored, ["dataset", "model"])
    if kind is pd.DataFrame:
        assert summary.index.names == ["dataset", "model"]
    else:
        assert records(summary, has_keys=False).keys() >= {"dataset", "model", "n", "f1", "corpus_bleu"}
        assert "all" not in records(qa_frame.summary(scored), has_keys=False)


def test_counts_that_polars_cannot_know_are_null(scored, kind):
    summary = records(qa_frame.summary(scored, "model"), has_keys=True)
    if kind is pl.DataFrame:
        assert summary["n_missing"] == summary["n_no_gold"] == [None] * 3
    else:
        assert summary["n_missing"] == [4, 2, 2]
        assert summary["n_no_gold"] == [5, 5, 5]
    assert summary["n"] == [120] * 3


def test_rows_scored_now_have_all_counts(constructor, kind):
    found = qa_frame.summary(constructor(TABLE), "model", pred="response", gold="answers", metrics="f1")
    assert type(found) is kind
    found = records(found, has_keys=True)
    assert (found["n_missing"], found["n_no_gold"]) == ([4, 2, 2], [5, 5, 5])


def test_dropna(scored):
    found = records(qa_frame.summary(scored, "prompt", dropna=True), has_keys=True)
    assert found["prompt"] == [0, 1]
    same_columns(found, of_pandas(qa_frame.summary, "prompt", dropna=True, has_keys=True))


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_categories_without_rows(name):
    categories = pa.DictionaryArray.from_arrays([2, 1, 1, None], ["none", "v", "u"], ordered=True)
    frame = CONSTRUCTORS[name](pa.table({"group": categories, "em": [1.0, 0.0, 1.0, 1.0]}))
    found = records(qa_frame.summary(frame, "group", observed=False), has_keys=True)
    # polars has one set of categories for all columns, and knows no unused ones.
    groups = ["none", "v", "u", None] if name != "polars" else found["group"]
    assert found["group"] == groups
    assert dict(zip(found["group"], found["n"], strict=True)).items() >= {"v": 2, "u": 1, None: 1}.items()


# -------------------------------------------------------------------------------------- compare, agreement, differences


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"baseline": "lynx-70b", "test": "bootstrap"},
        {"cluster": "dataset", "metrics": ["f1", "corpus_bleu"]},
        {"on": ["dataset", "question_id"], "by": ["model"]},
    ],
    ids=["plain", "bootstrap", "cluster", "lists"],
)
def test_compare(scored, kind, options):
    options = {"by": "model", "on": "question_id", "n_resamples": 60} | options
    found = qa_frame.compare(scored, **options)
    assert type(found) is kind
    same_columns(records(found, has_keys=False), of_pandas(qa_frame.compare, has_keys=False, **options))


@pytest.mark.parametrize(
    "options",
    [{}, {"by": "model"}, {"by": ["dataset", "prompt"], "human": "grade"}, {"cluster": "question_id", "metrics": "f1"}],
    ids=["plain", "by", "grades", "cluster"],
)
def test_agreement(scored, kind, options):
    options = {"n_resamples": 10} | options
    found = qa_frame.agreement(scored, **options)
    assert type(found) is kind
    same_columns(records(found, has_keys=True), of_pandas(qa_frame.agreement, has_keys=True, **options))


def test_differences(constructor, kind):
    options = {"pred": "response", "gold": "answers"}
    found = qa_frame.differences(constructor(TABLE), "squad", "continuous_eval", **options)
    expected = TABLE.to_pandas().qa.differences("squad", "continuous_eval", **options)
    assert type(found.means) is type(found.rows) is kind
    same_columns(records(found.means, has_keys=True), records(expected.means, has_keys=True))
    found_rows, expected_rows = (records(each.rows, has_keys=False) for each in (found, expected))
    same_columns(found_rows, expected_rows)
    assert (found.n, found.n_changed) == (expected.n, expected.n_changed)
    assert repr(found).startswith(f"f1: {expected.n_changed} of 360 rows change")
    assert f"{expected.n_changed} of 360" in found._repr_html_()


def test_differences_of_nothing(constructor, kind):
    found = qa_frame.differences(constructor(TABLE), "squad", "squad", pred="response", gold="answers")
    assert (found.n_changed, len(found.rows), type(found.rows)) == (0, 0, kind)


@pytest.mark.parametrize("name", ["polars", "pyarrow"])
def test_differences_of_text_views(name):
    """Arrow cannot take rows of them, and pandas neither."""
    schema = pa.schema([("response", pa.string_view()), ("answers", pa.large_list(pa.string_view()))])
    options = {"a": "squad", "b": "continuous_eval", "pred": "response", "gold": "answers"}
    found, expected = (
        qa_frame.differences(frame, **options)
        for frame in (CONSTRUCTORS[name](TABLE.select(schema.names).cast(schema)), TABLE.select(schema.names))
    )
    same_columns(records(found.rows, has_keys=False), records(expected.rows, has_keys=False))


def test_pools_take_every_kind(scored):
    pool = qa_frame.Pool(["dataset", "prompt"]).update(scored, pred="response", gold="answers")
    expected = qa_frame.Pool(["dataset", "prompt"]).update(
        TABLE.to_pandas().qa.score("response", "answers", metrics=METRICS, stats=True)
    )
    found, expected = (records(each.summary(ci=0.9), has_keys=True) for each in (pool, expected))
    same_columns(found, expected)


# ------------------------------------------------------------------------------------------------- what is remembered


def test_the_input_is_left_alone(constructor):
    frame, twin = constructor(TABLE), constructor(TABLE)
    scored = qa_frame.score(frame, "response", "answers", metrics="f1")
    qa_frame.summary(scored, "model", ci=0.9)
    qa_frame.compare(scored, "model", "question_id", n_resamples=5)
    if isinstance(frame, pd.DataFrame):
        pd.testing.assert_frame_equal(frame, twin)
        assert frame.attrs == twin.attrs == {}
    else:
        assert frame.equals(twin)
        assert isinstance(frame, pl.DataFrame) or not frame.schema.metadata


def test_a_table_keeps_what_it_remembers_through_parquet(tmp_path):
    scored = qa_frame.score(TABLE, "response", "answers", metrics="f1")
    pq.write_table(scored, tmp_path / "scored.parquet")
    summary = qa_frame.summary(pq.read_table(tmp_path / "scored.parquet"), "model")
    assert summary["n_missing"].to_pylist() == [4, 2, 2]
    signature = json.loads(summary.schema.metadata[b"qa_frame"])["qa"]
    assert signature == TABLE.to_pandas().qa.score("response", "answers", metrics="f1").qa.summary().attrs["qa"]


def test_results_as_tables_say_how_they_were_made():
    scored = qa_frame.score(TABLE, "response", "answers", metrics="f1")
    for found, key in (
        (qa_frame.compare(scored, "model", "question_id", n_resamples=5), "qa_compare"),
        (qa_frame.agreement(scored, n_resamples=5), "qa_agreement"),
    ):
        notes = json.loads(found.schema.metadata[b"qa_frame"])
        assert "n_resamples:5" in notes[key]
        assert "squad" in notes["qa"]


def test_rules_that_scores_were_not_made_by_are_refused(scored):
    with pytest.raises(qa_frame.UnknownOptionError, match="convention, reduce and missing are of use"):
        qa_frame.summary(scored, reduce="min")


# ----------------------------------------------------------------------------------------------------------- odd cases


def test_no_rows(constructor, kind):
    scored = qa_frame.score(constructor(TABLE.slice(0, 0)), "response", "answers", metrics="f1")
    for by in (None, "model", ["model", "dataset"]):
        summary = qa_frame.summary(scored, by, ci=0.9)
        assert type(summary) is kind
        assert len(summary) == (by is None)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda frame: qa_frame.summary(frame, "modle"), "by='modle' is not a column; did you mean 'model'"),
        (lambda frame: qa_frame.summary(frame, cluster="doc", ci=0.9), "cluster='doc' is not a column"),
        (lambda frame: qa_frame.summary(frame, metrics="recall"), "metrics='recall' is not a column"),
        (lambda frame: qa_frame.compare(frame, "model", "id"), "on='id' is not a column"),
        (lambda frame: qa_frame.agreement(frame, "humam"), "human='humam' is not a column; did you mean 'human'"),
        (lambda frame: qa_frame.score(frame, "respons", "answers"), "pred='respons' is not a column"),
        (lambda frame: qa_frame.summary(frame, prefix="x_"), "no score column with prefix='x_'"),
    ],
    ids=["by", "cluster", "metrics", "on", "human", "pred", "prefix"],
)
def test_errors_are_the_same(scored, call, message):
    with pytest.raises(qa_frame.ColumnNotFoundError, match=message):
        call(scored)


@pytest.mark.parametrize("name", ["polars", "pyarrow"])
def test_functions_of_labels_need_an_index(name):
    scored = qa_frame.score(CONSTRUCTORS[name](TABLE), "response", "answers", metrics="f1")
    with pytest.raises(qa_frame.UnknownOptionError, match="an Arrow table has no index; name a column"):
        qa_frame.summary(scored, str)


@pytest.mark.parametrize("name", ["polars", "pyarrow"])
def test_groups_by_values_that_are_no_column(name):
    """An array with a key a row is taken by every kind."""
    scored = qa_frame.score(CONSTRUCTORS[name](TABLE), "response", "answers", metrics="f1")
    parts = np.arange(len(TABLE)) % 2
    found = records(qa_frame.summary(scored, pd.Series(parts, name="part")), has_keys=True)
    expected = of_pandas(qa_frame.summary, pd.Series(parts, name="part"), metrics="f1", has_keys=True)
    assert found["part"] == [0, 1]
    assert found["f1"] == expected["f1"]


@pytest.mark.parametrize("data", [["a"], {"response": ["a"]}, None, pl.LazyFrame({"em": [1.0]})])
@pytest.mark.parametrize("function", [qa_frame.summary, qa_frame.agreement])
def test_data_that_is_no_frame(function, data):
    with pytest.raises(qa_frame.ColumnTypeError, match=f"data is a {type(data).__name__}"):
        function(data)


def test_a_lazy_frame_is_told_to_collect():
    with pytest.raises(qa_frame.ColumnTypeError, match=r"data\.collect\(\)"):
        qa_frame.summary(pl.LazyFrame({"em": [1.0]}))
