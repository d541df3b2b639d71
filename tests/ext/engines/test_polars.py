"""What is polars' own: the methods of frames, and queries that are optimised, streamed and written."""

from __future__ import annotations

import inspect
import subprocess
import sys
import threading

import polars as pl
import pyarrow as pa
import pytest

import qa_frame
import qa_frame.engines.polars
from qa_frame.engines.polars import LazyFrameQA
from qa_frame.tables.row_sums import RowSums
from tests.ext.engines.shared import ROWS, TABLE

FRAME = pl.from_arrow(TABLE)
METRICS = ["em", "f1"]


@pytest.fixture(params=["in-memory", "streaming"])
def collected(request):
    return lambda query: query.collect(engine=request.param)


@pytest.fixture
def parts(monkeypatch):
    """The number of rows of each part that is scored."""
    part_scorer, found, lock = qa_frame.engines.polars.part_scorer, [], threading.Lock()

    def recorder(**arguments):
        score_part = part_scorer(**arguments)

        def recorded(part):
            with lock:
                found.append(len(part))
            return score_part(part)

        return recorded

    monkeypatch.setattr(qa_frame.engines.polars, "part_scorer", recorder)
    return found


def test_a_method_gives_what_its_function_gives():
    scored = FRAME.qa.score("response", "answers", metrics=METRICS)
    assert scored.equals(qa_frame.score(FRAME, "response", "answers", metrics=METRICS))
    assert scored.qa.summary("model", ci=0.9).equals(qa_frame.summary(scored, "model", ci=0.9))
    compared = scored.qa.compare("model", "question_id", n_resamples=200)
    assert compared.equals(qa_frame.compare(scored, "model", "question_id", n_resamples=200))


@pytest.mark.parametrize(("name", "without"), [("score", {"progress", "n_jobs"}), ("summary", set())])
def test_queries_take_the_arguments_of_the_functions(name, without):
    function = inspect.signature(getattr(qa_frame, name)).parameters
    method = inspect.signature(getattr(LazyFrameQA, name)).parameters
    assert list(method.values())[1:] == [each for each in list(function.values())[1:] if each.name not in without]


# ----------------------------------------------------------------------------------------------------------- pushdown


QUERIES = {
    "filter by a score": lambda frame: frame.filter(pl.col("f1") > 0.5),
    "filter by a column": lambda frame: frame.filter(pl.col("model") == "lynx-70b"),
    "filter by both": lambda frame: frame.filter((pl.col("em") == 0) & (pl.col("dataset") == "facts")),
    "filter by the prediction": lambda frame: frame.filter(pl.col("response").is_null()),
    "rows from the middle": lambda frame: frame.slice(100, 33),
    "the last rows": lambda frame: frame.tail(7),
    "one score": lambda frame: frame.select("f1"),
    "sorted, some": lambda frame: frame.sort("f1", "question_id", "model").head(5),
    "grouped": lambda frame: frame.group_by("model").agg(pl.col("em").max(), pl.len()).sort("model"),
    "a filter after a slice": lambda frame: frame.head(150).filter(pl.col("em") == 1),
    "two branches": lambda frame: frame.join(frame.filter(pl.col("em") == 1), on=["question_id", "model"], how="semi"),
}


@pytest.mark.parametrize("query", QUERIES)
def test_optimised_queries_give_what_they_give_on_the_scored_frame(collected, query):
    expected = QUERIES[query](FRAME.qa.score("response", "answers", metrics=METRICS))
    found = collected(QUERIES[query](FRAME.lazy().qa.score("response", "answers", metrics=METRICS)))
    assert found.equals(expected.select(found.columns))


def test_a_filter_of_a_column_that_a_score_replaces(collected):
    """The filter before the scoring sees the old values, the one after it the new ones."""
    frame = FRAME.with_columns(em=pl.int_range(pl.len()).cast(pl.Float64))
    scored = frame.filter(pl.col("em") < 50).qa.score("response", "answers", metrics="em").filter(pl.col("em") == 1)
    query = frame.lazy().filter(pl.col("em") < 50).qa.score("response", "answers", metrics="em")
    assert len(scored) > 0
    assert collected(query.filter(pl.col("em") == 1)).equals(scored)


def test_no_row_is_scored_that_a_filter_leaves_out(parts):
    query = FRAME.lazy().qa.score("response", "answers", metrics="em").filter(pl.col("model") == "lynx-70b")
    query.collect(engine="in-memory")
    assert sum(parts) == 120


def test_no_row_is_scored_if_no_score_is_asked_for(parts):
    query = FRAME.lazy().qa.score("response", "answers")
    query.collect_schema()
    query.select("model", "response").collect()
    assert parts == []


def test_a_file_gives_only_the_needed_columns(tmp_path):
    FRAME.write_parquet(tmp_path / "rows.parquet")
    query = pl.scan_parquet(tmp_path / "rows.parquet").qa.score("response", "answers", metrics="em")
    assert "PROJECT 3/11 COLUMNS" in query.select("model", "em").explain()
    assert "SELECTION" in query.filter(pl.col("model") == "lynx-70b").explain()


# ------------------------------------------------------------------------------------------------------------ streaming


def test_a_query_streams_to_a_file(tmp_path, parts):
    rows = pl.concat([pl.from_arrow(ROWS)] * 6)
    rows.write_parquet(tmp_path / "rows.parquet", row_group_size=3_000)
    query = pl.scan_parquet(tmp_path / "rows.parquet").qa.score("response", "answers", metrics=METRICS)
    query.sink_parquet(tmp_path / "scored.parquet")
    assert sum(parts) == len(rows)
    assert max(parts) < len(rows)
    expected = qa_frame.score(rows, "response", "answers", metrics=METRICS)
    assert pl.read_parquet(tmp_path / "scored.parquet").equals(expected)


def test_a_summary_reads_batch_by_batch(tmp_path, monkeypatch):
    rows = pl.concat([pl.from_arrow(ROWS)] * 3)
    rows.write_parquet(tmp_path / "rows.parquet", row_group_size=1_000)
    monkeypatch.setattr(qa_frame.engines.polars, "_ROWS_AT_ONCE", 1_000)
    sizes = []
    add = RowSums.add
    monkeypatch.setattr(RowSums, "add", lambda sums, rows: sizes.append(rows.columns.shape) or add(sums, rows))
    options = {"by": "model", "ci": 0.9}
    found = (
        pl.scan_parquet(tmp_path / "rows.parquet").qa.score("response", "answers", metrics="f1").qa.summary(**options)
    )
    assert len(sizes) > 10
    assert max(n_rows for n_rows, _ in sizes) < 4_000
    assert {n_columns for n_rows, n_columns in sizes if n_rows} == {6}
    expected = rows.qa.score("response", "answers", metrics="f1").qa.summary(**options)
    assert found.equals(expected)


# ------------------------------------------------------------------------------------------------------------- columns


def test_odd_names_of_columns(collected):
    """Names that polars would read as patterns, and the name that the scores have in between."""
    frame = FRAME.select("response", "answers", "model").rename(
        {"response": "^.*$", "answers": "*", "model": "qa_frame"}
    )
    scored = collected(frame.lazy().qa.score("^.*$", "*", metrics=METRICS))
    assert scored.equals(frame.qa.score("^.*$", "*", metrics=METRICS))
    lazy, eager = (each.qa.score("^.*$", "*", metrics=METRICS).qa.summary("qa_frame") for each in (frame.lazy(), frame))
    assert lazy.equals(eager)


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(sorted({*FRAME["model"], "none"}))], ids=["category", "enum"])
def test_categories(collected, kind):
    frame = FRAME.with_columns(pl.col("model").cast(kind), pl.col("response").cast(pl.Categorical))
    lazy = collected(frame.lazy().qa.score("response", "answers"))
    assert lazy.equals(frame.qa.score("response", "answers"))
    options = {"by": "model", "observed": kind == pl.Categorical}
    found, expected = (each.qa.score("response", "answers").qa.summary(**options) for each in (frame.lazy(), frame))
    assert pa.table(found).to_pydict() == pa.table(expected).to_pydict()


def test_no_pandas_on_the_way(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("pandas is asked")

    monkeypatch.setattr(pl.DataFrame, "to_pandas", refuse)
    monkeypatch.setattr("qa_frame.frames.source._to_pandas", refuse)
    FRAME.qa.score("response", "answers")
    FRAME.lazy().qa.score("response", "answers").collect()


# ----------------------------------------------------------------------------------------------------- where `qa` is


def run(script: str) -> str:
    """What a process prints whose warnings are errors."""
    command = [sys.executable, "-W", "error", "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


_SCORE = 'pl.{}({{"response": ["Seine"], "answers": [["Seine"]]}}).qa.score("response", "answers", metrics="em")'


@pytest.mark.thorough
def test_polars_that_was_imported_before_has_qa():
    before = f"""
import sys
import polars as pl, qa_frame
assert pl.DataFrame.qa is qa_frame.accessor.QAAccessor
assert not [name for name in sys.modules if name.startswith("qa_frame.ext.")]
print({_SCORE.format("DataFrame")}["em"].to_list())
assert "qa_frame.ext.engines.polars" not in sys.modules
print({_SCORE.format("LazyFrame")}.collect()["em"].to_list())
import qa_frame.engines.polars
print({_SCORE.format("LazyFrame")}.qa.summary()["em"].to_list())
"""
    assert run(before) == "[1.0]\n" * 3


def test_polars_that_is_imported_later_has_qa_by_its_module():
    later = f"""
import qa_frame
import polars as pl
assert not hasattr(pl.DataFrame, "qa")
import qa_frame.engines.polars
print({_SCORE.format("DataFrame")}["em"].to_list())
print({_SCORE.format("LazyFrame")}.collect()["em"].to_list())
"""
    assert run(later) == "[1.0]\n" * 2


@pytest.mark.parametrize("module", ["None", "types.ModuleType('polars')"], ids=["blocked", "half imported"])
@pytest.mark.thorough
def test_a_module_that_has_no_frames_is_let_be(module):
    assert run(f"import sys, types; sys.modules['polars'] = {module}; import qa_frame; print(qa_frame.score_one)")
