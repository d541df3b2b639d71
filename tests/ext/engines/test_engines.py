"""Every kind of frame and every engine gives the same numbers, and its own kind back."""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import re
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.accessor import QAAccessor
from tests.ext.engines.shared import EAGER, KINDS, LAZY, ROWS, TABLE, Dask, records, same_columns

pytestmark = [
    pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

METRICS = ["em", "f1", "bleu"]


@pytest.fixture(params=EAGER, scope="module")
def constructor(request):
    return EAGER[request.param]


@pytest.fixture
def kind(request):
    return KINDS[request.node.callspec.params["constructor"]]


@functools.cache
def scored_in_pandas():
    return TABLE.to_pandas().qa.score("response", "answers", metrics=METRICS, stats=True)


def of_pandas(function, *arguments, has_keys, **options):
    """What pandas gives, whose tests are elsewhere."""
    return records(function(scored_in_pandas(), *arguments, **options), has_keys=has_keys)


@pytest.fixture(scope="module")
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


def test_a_row_that_is_not_scored_is_nan_in_pandas_and_null_elsewhere(scored):
    if isinstance(scored, pd.DataFrame):
        assert scored["em"].isna().sum() == 15
    else:
        em = pa.table(scored)["em"]
        assert em.null_count == 15
        assert not np.isnan(em.drop_null().to_numpy()).any()


# ------------------------------------------------------------------------------------------------------------- summary


@pytest.mark.parametrize("by", [None, ["dataset", "model"], "prompt"], ids=str)
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


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_categories_without_rows(name):
    categories = pa.DictionaryArray.from_arrays([2, 1, 1, None], ["none", "v", "u"], ordered=True)
    frame = EAGER[name](pa.table({"group": categories, "em": [1.0, 0.0, 1.0, 1.0]}))
    found = records(qa_frame.summary(frame, "group", observed=False), has_keys=True)
    # polars has one set of categories for all columns, and knows no unused ones.
    groups = ["none", "v", "u", None] if name != "polars" else found["group"]
    assert found["group"] == groups
    assert dict(zip(found["group"], found["n_rows"], strict=True)).items() >= {"v": 2, "u": 1, None: 1}.items()


# -------------------------------------------------------------------------------------- compare, agreement, differences


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"baseline": "lynx-70b"},
        {"cluster": "dataset", "metrics": ["f1", "corpus_bleu"]},
        {"question": ["dataset", "question_id"], "by": ["model"]},
    ],
    ids=["plain", "baseline", "cluster", "lists"],
)
def test_compare(scored, kind, options):
    options = {"by": "model", "question": "question_id", "n_resamples": 60} | options
    found = qa_frame.compare(scored, **options)
    assert type(found) is kind
    same_columns(records(found, has_keys=False), of_pandas(qa_frame.compare, has_keys=False, **options))


@pytest.mark.needs("conventions")
def test_differences(constructor, kind):
    options = {"pred": "response", "gold": "answers"}
    found = qa_frame.compare_conventions(constructor(TABLE), "squad", "continuous_eval", **options)
    expected = TABLE.to_pandas().qa.compare_conventions("squad", "continuous_eval", **options)
    assert type(found.means) is type(found.rows) is kind
    same_columns(records(found.means, has_keys=True), records(expected.means, has_keys=True))
    found_rows, expected_rows = (records(each.rows, has_keys=False) for each in (found, expected))
    same_columns(found_rows, expected_rows)
    assert (found.n_rows, found.n_changed) == (expected.n_rows, expected.n_changed)
    assert repr(found).startswith(f"f1: {expected.n_changed} of 360 rows change")
    assert f"{expected.n_changed} of 360" in found._repr_html_()


@pytest.mark.needs("conventions")
@pytest.mark.parametrize("name", ["polars", "pyarrow"])
def test_differences_of_text_views(name):
    """Arrow cannot take rows of them, and pandas neither."""
    schema = pa.schema([("response", pa.string_view()), ("answers", pa.large_list(pa.string_view()))])
    options = {"a": "squad", "b": "continuous_eval", "pred": "response", "gold": "answers"}
    found, expected = (
        qa_frame.compare_conventions(frame, **options)
        for frame in (EAGER[name](TABLE.select(schema.names).cast(schema)), TABLE.select(schema.names))
    )
    same_columns(records(found.rows, has_keys=False), records(expected.rows, has_keys=False))


# ------------------------------------------------------------------------------------------------- what is remembered


def test_the_input_is_left_alone(constructor):
    frame, twin = constructor(TABLE), constructor(TABLE)
    scored = qa_frame.score(frame, "response", "answers", metrics="f1")
    qa_frame.summary(scored, "model", ci=0.9)
    qa_frame.compare(scored, "model", "question_id", n_resamples=200)
    if isinstance(frame, pd.DataFrame):
        pd.testing.assert_frame_equal(frame, twin)
        assert frame.attrs == twin.attrs == {}
    else:
        assert frame.equals(twin)
        assert isinstance(frame, pl.DataFrame) or not frame.schema.metadata


@pytest.mark.needs("annotation")
def test_results_as_tables_say_how_they_were_made():
    scored = qa_frame.score(TABLE, "response", "answers", metrics="f1")
    for found, key, setting in (
        (qa_frame.compare(scored, "model", "question_id", n_resamples=2000), "qa_compare", ("n_resamples", 2000)),
        (qa_frame.agreement(scored, ci=0.9), "qa_agreement", ("ci", 0.9)),
    ):
        notes = json.loads(found.schema.metadata[b"qa_frame"])
        assert setting in notes[key].items()
        assert "squad" in notes["qa"]


# ----------------------------------------------------------------------------------------------------------- odd cases


@pytest.mark.parametrize("name", EAGER)
def test_groups_by_values_that_are_no_column(name):
    scored = qa_frame.score(EAGER[name](TABLE), "response", "answers", metrics="f1")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"by holds a Series, .*: add the values as a column"):
        qa_frame.summary(scored, pd.Series(np.arange(len(TABLE)) % 2, name="part"))


# -------------------------------------------------------------------------------------------------------- lazy engines


@pytest.fixture(params=LAZY)
def engine(request):
    return LAZY[request.param]


TABLES = {"sample": TABLE, "rows": ROWS}


@functools.cache
def made_by(engine, name):
    """One frame a table and engine: a test that needs one that is scored scores it itself."""
    return engine.make(TABLES[name])


@pytest.mark.parametrize("convention", ["squad", "context_bench", "remem"])
@pytest.mark.parametrize("name", TABLES)
def test_engines_score_alike(engine, name, convention):
    frame, expected = made_by(engine, name), qa_frame.score(TABLES[name], "response", "answers", convention=convention)
    scored = engine.score(frame, "response", "answers", convention=convention)
    assert engine.columns(scored) == expected.column_names
    found = engine.table(scored).select(expected.column_names)
    for column in expected.column_names[TABLES[name].num_columns :]:
        assert found[column].to_pylist() == expected[column].to_pylist(), column
    assert found["response"].to_pylist() == expected["response"].to_pylist()


@pytest.mark.parametrize(
    "options",
    [
        {"stats": True, "prefix": "qa_", "append": False},
        {"missing": "null", "reduce": "best", "metrics": "all"},
        {"reduce": lambda scores: float(scores.mean()), "metrics": ["f1"]},
    ],
    ids=["stats", "best", "function"],
)
def test_engines_take_all_options_of_score(engine, options):
    expected = records(qa_frame.score(TABLE, "response", "answers", **options), has_keys=False)
    found = engine.table(engine.score(made_by(engine, "sample"), "response", "answers", **options)).to_pydict()
    scores = [name for name in expected if name not in TABLE.column_names]
    assert list(found) == list(expected)
    same_columns({name: found[name] for name in scores}, {name: expected[name] for name in scores})


BY = [None, ["prompt", "dataset"]]
SUMMARIES = {
    "plain": {},
    "normal": {"ci": 0.9},
    "clusters": {"ci": 0.9, "cluster": "document", "percent": True},
    "bootstrap": {"ci": 0.9, "method": "bootstrap", "n_resamples": 20, "seed": 3},
    "samples": {"ci": 0.9, "question": "question_id", "pass_at": [1, 2], "pass_all": 2},
    "bootstrap of clusters": {"ci": 0.9, "method": "bootstrap", "n_resamples": 20, "cluster": "document"},
    "long": {"ci": 0.5, "long": True, "metrics": ["f1", "em"], "dropna": True},
}


@pytest.mark.parametrize(
    ("by", "name"),
    [
        *((by, "clusters") for by in BY),
        *((["dataset", "model"], name) for name in SUMMARIES if name not in {"clusters", "samples"}),
        (["dataset"], "samples"),
    ],
    ids=str,
)
def test_engines_summarise_alike(engine, by, name):
    options = {"metrics": METRICS} | SUMMARIES[name]
    has_keys = by is not None and not options.get("long")
    scored = engine.score(made_by(engine, "sample"), "response", "answers", metrics=METRICS)
    found = records(engine.summary(scored, by, **options), has_keys=has_keys)
    expected = TABLE.to_pandas().qa.score("response", "answers", metrics=METRICS)
    assert found == records(qa_frame.summary(expected, by, **options), has_keys=has_keys)


def test_engines_summarise_many_rows_alike(engine):
    scored = engine.score(made_by(engine, "rows"), "response", "answers", stats=True)
    found = records(engine.summary(scored, "model", ci=0.95), has_keys=True)
    expected = ROWS.to_pandas().qa.score("response", "answers", stats=True).qa.summary("model", ci=0.95)
    assert found == records(expected, has_keys=True)


def test_engines_average_datasets_alike(engine):
    options = {"macro": "dataset", "ci": 0.9}
    scored = engine.score(made_by(engine, "sample"), "response", "answers", metrics=["em", "f1"])
    expected = TABLE.to_pandas().qa.score("response", "answers", metrics=["em", "f1"])
    for by, more in (("model", {"weights": "size"}), (None, {"question": ["dataset", "question_id"], "pass_at": 2})):
        found = records(engine.summary(scored, by, **options, **more), has_keys=by is not None)
        assert found == records(expected.qa.summary(by, **options, **more), has_keys=by is not None)


def test_engines_summarise_no_rows(engine):
    frame = engine.make(TABLE.slice(0, 0))
    for by in (None, "model"):
        scored = engine.score(frame, "response", "answers", metrics=METRICS)
        found = records(engine.summary(scored, by, ci=0.9), has_keys=by is not None)
        expected = TABLE.slice(0, 0).to_pandas().qa.score("response", "answers", metrics=METRICS)
        assert found == records(expected.qa.summary(by, ci=0.9), has_keys=by is not None)


def test_lazy_engines_stay_lazy(engine):
    """The function would be called if a row were scored."""

    def explode(scores):
        raise RuntimeError(f"a row of {len(scores)} golds was scored")

    scored = engine.score(made_by(engine, "sample"), "response", "answers", reduce=explode)
    assert engine.columns(scored)[-6:] == ["em", "f1", "recall", "contains", "rouge_l", "bleu"]
    with pytest.raises(Exception, match=r"a row of \d+ golds was scored"):
        engine.table(scored)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"pred": "respons"},
            qa_frame.errors.ColumnNotFoundError,
            "pred='respons' is not a column; did you mean 'response'",
        ),
        ({"pred": "weight"}, qa_frame.errors.ColumnTypeError, "pred='weight' holds .*, where text is needed"),
        (
            {"gold": "weight"},
            qa_frame.errors.ColumnTypeError,
            "gold='weight' holds .*, where lists of text, or text, are",
        ),
        ({"metrics": "f2"}, qa_frame.errors.UnknownOptionError, "metrics='f2' is not known"),
        ({"convention": "squat"}, qa_frame.errors.UnknownOptionError, "convention='squat'"),
        ({"progress": True}, TypeError, "unexpected keyword argument 'progress'"),
        ({"n_jobs": 2}, TypeError, "unexpected keyword argument 'n_jobs'"),
    ],
    ids=lambda each: str(each) if isinstance(each, dict) else "",
)
def test_engines_say_at_the_call_what_is_wrong_with_scoring(engine, options, error, message):
    with pytest.raises(error, match=message):
        engine.score(made_by(engine, "sample"), **{"pred": "response", "gold": "answers"} | options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"by": "modle"}, qa_frame.errors.ColumnNotFoundError, "by='modle' is not a column; did you mean 'model'"),
        ({"cluster": "doc"}, qa_frame.errors.ColumnNotFoundError, "cluster='doc' is not a column"),
        ({"by": np.arange(360)}, qa_frame.errors.UnknownOptionError, "by holds a ndarray, where the name of a column"),
        ({"metrics": "bleu4"}, qa_frame.errors.ColumnNotFoundError, "the frame has no score column 'bleu4'"),
        ({"ci": 2}, qa_frame.errors.UnknownOptionError, "ci=2"),
        ({"draws": 2}, TypeError, "unexpected keyword argument 'draws'"),
        ({"question": "quest"}, qa_frame.errors.ColumnNotFoundError, "question='quest' is not a column"),
        (
            {"majority": True, "question": "question_id"},
            qa_frame.errors.UnknownOptionError,
            "majority compares the answers",
        ),
    ],
    ids=["by", "cluster", "array", "scores", "ci", "draws", "question", "majority"],
)
def test_engines_say_at_the_call_what_is_wrong_with_summaries(engine, options, error, message):
    def explode(scores):
        raise RuntimeError(f"a row of {len(scores)} golds was scored")

    scored = engine.score(made_by(engine, "sample"), "response", "answers", reduce=explode)
    with pytest.raises(error, match=message):
        engine.summary(scored, **{"by": "model"} | options)


def test_null_predictions_are_refused_when_the_query_runs(engine):
    scored = engine.score(made_by(engine, "sample"), "response", "answers", missing="raise")
    with pytest.raises(Exception, match=r"missing='raise', and .* predictions are null"):
        engine.table(scored)


# ----------------------------------------------------------------------------------------------------- their packages


@pytest.mark.parametrize(("name", "package"), [("polars", "polars"), ("dask", "dask"), ("spark", "pyspark")])
def test_a_missing_package_is_named(monkeypatch, name, package):
    for home in ("qa_frame.engines", "qa_frame.ext.engines"):
        monkeypatch.delitem(sys.modules, f"{home}.{name}", raising=False)
        monkeypatch.delattr(importlib.import_module(home), name, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    remedy = re.escape(f'needs the package {package}; install it with: pip install "qa-frame[{name}]"')
    with pytest.raises(qa_frame.errors.MissingPackageError, match=remedy):
        importlib.import_module(f"qa_frame.engines.{name}")


# --------------------------------------------------------------------------------------------------------------- flags


def flags_of_engines():
    """Each argument of an engine's methods that is True or False, as (kind of frame, method, argument)."""
    dask = pytest.importorskip("qa_frame.engines.dask")
    polars = importlib.import_module("qa_frame.engines.polars")
    for engine in (dask.DaskQA, QAAccessor, polars.LazyFrameQA):
        for name, method in inspect.getmembers(engine, callable):
            if not name.startswith("_"):
                parameters = inspect.signature(method).parameters.values()
                yield from ((engine, name, each.name) for each in parameters if isinstance(each.default, bool))


def test_flags_are_true_or_false():
    flags = list(flags_of_engines())
    assert len(flags) > 20
    table = pl.from_arrow(TABLE)
    makers = {"DaskQA": Dask().make, "QAAccessor": lambda _: table, "LazyFrameQA": lambda _: table.lazy()}
    needed = {
        "pred": "response",
        "gold": "answers",
        "by": "model",
        "question": "question_id",
        "human": "human",
        "a": "squad",
    }
    needed |= {"b": "helm", "metrics": None, "other": TABLE, "path": "never_written.html"}
    for engine, name, flag in flags:
        method = getattr(makers[engine.__name__](TABLE).qa, name)
        required = [
            each.name
            for each in inspect.signature(method).parameters.values()
            if each.default is each.empty or each.name in {"pred", "gold"}
        ]
        for value in ("x", 1, None):
            with pytest.raises(qa_frame.errors.UnknownOptionError, match=f"{flag}={value!r} is neither True nor False"):
                method(**{each: needed[each] for each in required}, **{flag: value})
