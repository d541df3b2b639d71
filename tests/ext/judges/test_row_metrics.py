"""`RowMetric`: which rows the function is called for, what is kept, and what happens where it fails."""

import asyncio
import contextlib
import copy
import datetime as dt
import functools
import os
import sqlite3
import subprocess
import sys
import threading
import time
import uuid
import warnings
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import qa_frame
from qa_frame.errors import (
    ColumnNotFoundError,
    ColumnTypeError,
    OwnMetricError,
    ResultWriteError,
    ScoringWarning,
    UnknownOptionError,
)
from qa_frame.ext.judges import row_metrics

QUESTIONS = ["Is 2 even?", "Is 3 even?", "Is 2 even?", None]
ROWS = pd.DataFrame({"question": QUESTIONS, "response": ["yes"] * 4, "answers": ["yes", "no", "yes", "yes"]})


class Judge:
    """Whether a response is right, by its question; it notes the rows that it is asked for."""

    def __init__(self, fails_at=()):
        self.asked, self.fails_at, self.lock = [], {*fails_at}, threading.Lock()

    def __call__(self, questions, responses):
        with self.lock:
            self.asked += zip(questions, responses, strict=True)
        if self.fails_at.intersection(questions):
            raise TimeoutError("too slow")
        return [None if each is None else "2" in each for each in questions]

    async def later(self, questions, responses):
        await asyncio.sleep(0.001)
        return self(questions, responses)


def metric_of(function, **settings):
    return qa_frame.RowMetric("judge", function, columns=["question", "response"], **settings)


@pytest.mark.parametrize("settings", [{}, {"batch_size": 1}, {"batch_size": 1, "concurrency": 3}])
@pytest.mark.parametrize("is_async", [False, True])
def test_each_distinct_row_is_asked_for_once_and_scores_do_not_depend_on_batches(settings, is_async):
    judge = Judge()
    metric = metric_of(judge.later if is_async else judge, **settings)
    scored = ROWS.qa.score("response", "answers", metrics=["em", metric])
    np.testing.assert_array_equal(scored["judge"], [1.0, 0.0, 1.0, np.nan])
    assert sorted(judge.asked, key=str) == sorted({*zip(QUESTIONS, ROWS["response"], strict=True)}, key=str)
    assert scored.qa.summary(metrics=["em", "judge"])[["n", "judge"]].iloc[0].tolist() == [4, 2 / 3]


def test_a_cache_is_kept_from_call_to_call_and_a_version_asks_anew(tmp_path):
    first, second, third = Judge(fails_at=["Is 3 even?"]), Judge(), Judge()
    cache = tmp_path / "judge.sqlite"
    with pytest.warns(ScoringWarning, match=r"failed for 1 of 4 rows.*TimeoutError: too slow.*\"Failed rows\""):
        ROWS.qa.score("response", "answers", metrics=metric_of(first, cache=cache, batch_size=1))
    scored = ROWS.qa.score("response", "answers", metrics=metric_of(second, cache=cache))
    assert second.asked == [("Is 3 even?", "yes")]
    np.testing.assert_array_equal(scored["judge"], [1.0, 0.0, 1.0, np.nan])
    ROWS.qa.score("response", "answers", metrics=metric_of(third, cache=cache, version="2"))
    assert len(third.asked) == 3
    assert [each.name for each in tmp_path.iterdir()] == ["judge.sqlite"]


def test_a_row_that_always_fails_does_not_end_a_call_whose_other_rows_are_known(tmp_path):
    metric = metric_of(Judge(fails_at=["Is 3 even?"]), cache=tmp_path / "judge.sqlite", batch_size=1)
    for _ in range(2):
        with pytest.warns(ScoringWarning, match=r"failed for 1 of 4 rows"):
            scored = ROWS.qa.score("response", "answers", metrics=["em", metric])
        assert scored["judge"].isna().tolist() == [False, True, False, True]
    alone = ROWS[ROWS["question"] == "Is 3 even?"]
    with pytest.raises(OwnMetricError, match="failed for all rows"):
        alone.qa.score("response", "answers", metrics=metric)


def strict(questions, _responses):
    return [0.0] * len(questions)


def mild(questions, _responses):
    return [1.0] * len(questions)


def of_limit(limit):
    return lambda questions, _responses: [limit] * len(questions)


def warnings_of(function, **settings):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ROWS.qa.score("response", "answers", metrics=metric_of(function, **settings))
    return [str(each.message) for each in caught if issubclass(each.category, ScoringWarning)]


def test_scores_of_other_code_are_used_with_a_warning(tmp_path):
    cache = tmp_path / "cache"
    assert warnings_of(strict, cache=cache) == []
    assert warnings_of(strict, cache=cache) == []
    (said,) = warnings_of(mild, cache=cache)
    assert "judge', mild) takes the scores of 4 of 4 rows from its cache, and the code" in said
    assert "give a `version`, or another `cache`" in said
    assert warnings_of(mild, cache=cache, version="mild") == warnings_of(strict, cache=cache, version="mild") == []
    assert warnings_of(mild) == warnings_of(mild, cache=tmp_path / "other") == []


def test_what_a_function_captures_is_no_code(tmp_path):
    """An object such as a client or a counter may be another one at each call."""
    for functions in ((of_limit(0.5), of_limit(0.6)), (Judge(), Judge(["x"])), (functools.partial(strict), strict)):
        cache = tmp_path / str(id(functions))
        assert [said for function in functions for said in warnings_of(function, cache=cache)] == []


def test_code_of_another_python_is_not_compared(tmp_path):
    assert warnings_of(strict, cache=tmp_path / "cache") == []
    with contextlib.closing(sqlite3.connect(tmp_path / "cache")) as file:
        file.execute("UPDATE qa_frame_scores SET code = 'cpython-39 abc'")
        file.commit()
    assert warnings_of(strict, cache=tmp_path / "cache") == []


def test_a_cache_that_another_process_holds(tmp_path, monkeypatch):
    assert warnings_of(strict, cache=tmp_path / "cache") == []
    monkeypatch.setattr(row_metrics, "_SECONDS_OF_WAITING", 0.1)
    with contextlib.closing(sqlite3.connect(tmp_path / "cache", isolation_level=None)) as file:
        file.execute("BEGIN EXCLUSIVE")
        with pytest.raises(ResultWriteError, match=r"cache is locked: another .* wait until .* each run a file of its"):
            warnings_of(strict, cache=tmp_path / "cache")
    assert warnings_of(strict, cache=tmp_path / "cache") == []


def test_scores_before_an_interrupt_are_kept(tmp_path):
    def interrupted(questions, _responses):
        if "Is 3 even?" in questions:
            raise KeyboardInterrupt
        return [1.0] * len(questions)

    cache, judge = tmp_path / "judge.sqlite", Judge()
    with pytest.raises(KeyboardInterrupt):
        ROWS.qa.score("response", "answers", metrics=metric_of(interrupted, cache=cache, batch_size=1))
    with pytest.warns(ScoringWarning, match="takes the scores of 2 of 4 rows from its cache"):
        ROWS.qa.score("response", "answers", metrics=metric_of(judge, cache=cache))
    assert ("Is 2 even?", "yes") not in judge.asked


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([1.0], "returned 1 number for 3 rows"),
        ("yes", "returned 'yes'"),
        ([1.0, 2.0, float("inf")], "one finite number"),
    ],
)
def test_what_fails_for_all_rows_is_an_error(found, said):
    with pytest.raises(OwnMetricError, match=said):
        ROWS.qa.score("response", "answers", metrics=metric_of(lambda *_: found))


def starts(question, response):
    return float(response.lower().startswith(question[0].lower()))


async def later(question, response):
    return starts(question, response)


FORMS = {
    "one row": starts,
    "one row, which gives a number for lists, too": lambda question, response: question == response,
    "one row, later": later,
}


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("of_pairs", [False, True])
def test_a_function_of_one_row_or_pair_is_told_its_form_and_the_form_works(kind, of_pairs):
    rows = pd.DataFrame({"question": ["yes", "no"], "response": ["yes", "yes"]})

    def score(function):
        if of_pairs:
            metric = qa_frame.PairMetric("judge", function)
        else:
            metric = qa_frame.RowMetric("judge", function, columns=["question", "response"])
        return rows.qa.score("question", "response", metrics=metric)["judge"].tolist()

    function = FORMS[kind]
    if of_pairs and function is later:
        return  # no function of pairs is awaited
    with pytest.raises(OwnMetricError, match=r"lists? .*with a value for each") as found:
        score(function)
    assert ("PairMetric" in str(found.value), "RowMetric" in str(found.value)) == (of_pairs, not of_pairs)
    name = "function" if function.__name__ == "<lambda>" else function.__name__
    form = str(found.value).rpartition(" as " if not of_pairs else " pair as ")[2]
    given = {"asyncio": asyncio, name: function}
    if form.startswith("async def"):
        exec(form, given)
        assert score(given[f"{name}_of_all"]) == [1.0, 0.0]
    else:
        assert score(eval(form, given)) == [1.0, 0.0]


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"name": "f1"}, UnknownOptionError, "name of a metric"),
        ({"columns": "question"}, UnknownOptionError, "columns='question'"),
        ({"columns": []}, UnknownOptionError, "columns"),
        ({"columns": ["context"]}, ColumnNotFoundError, "context"),
        ({"function": 1}, UnknownOptionError, "not callable"),
        ({"batch_size": 0}, UnknownOptionError, "batch_size=0"),
        ({"concurrency": 0}, UnknownOptionError, "concurrency=0"),
        ({"cache": {}}, UnknownOptionError, "cache={} is not a path"),
        ({"cache": ""}, UnknownOptionError, "cache='' is an empty path"),
        ({"cache": "a\0b"}, UnknownOptionError, "null character"),
        ({"version": 1}, UnknownOptionError, "version=1"),
    ],
)
def test_a_wrong_argument_is_named(settings, error, said):
    arguments = {"name": "judge", "function": Judge(), "columns": ["question", "response"], **settings}
    with pytest.raises(error, match=said):
        ROWS.qa.score("response", "answers", metrics=qa_frame.RowMetric(**arguments))


def make_table(path, sql="CREATE TABLE key (score REAL)", journal="delete"):
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute(f"PRAGMA journal_mode={journal}")
        file.execute(sql)


FILES = {
    "text": lambda path: path.write_text("other"),
    "a Parquet cache of before": lambda path: pd.DataFrame({"key": ["a"], "score": [1.0]}).to_parquet(path),
    "another database": make_table,
    "another database with a log": functools.partial(make_table, journal="wal"),
    "another table of that name": functools.partial(make_table, sql="CREATE TABLE qa_frame_scores (key, score)"),
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("name", ["cache", "missing/../cache"])
def test_a_file_that_is_no_cache_is_refused_before_a_call_and_left_as_it_is(tmp_path, kind, name):
    FILES[kind](tmp_path / "cache")
    before, judge = (tmp_path / "cache").read_bytes(), Judge()
    with pytest.raises(UnknownOptionError, match=r"cache=.*cache' is no cache of a RowMetric.*name another file"):
        ROWS.qa.score("response", "answers", metrics=metric_of(judge, cache=f"{tmp_path}/{name}"))
    assert (tmp_path / "cache").read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["cache"]
    assert not judge.asked


def test_a_folder_or_pipe_is_no_cache(tmp_path):
    paths = [tmp_path]
    if hasattr(os, "mkfifo"):
        paths.append(tmp_path / "pipe")
        os.mkfifo(paths[-1])
    for path in paths:
        with pytest.raises(UnknownOptionError, match="is no cache of a RowMetric"):
            ROWS.qa.score("response", "answers", metrics=metric_of(Judge(), cache=path))


def score_letters(cache, n_rows=2000):
    rows = pd.DataFrame({"text": [f"{place} {'x' * 50}" for place in range(n_rows)], "pred": "a", "gold": "a"})
    asked = []

    def count(texts):
        asked.extend(texts)
        return [len(text) for text in texts]

    metric = qa_frame.RowMetric("length", count, columns=["text"], batch_size=n_rows, cache=cache)
    return rows.qa.score("pred", "gold", metrics=metric, append=False), asked


@pytest.mark.parametrize("kind", ["cut", "overwritten", "a text for a score"])
def test_a_damaged_cache_is_an_error_before_a_call(tmp_path, kind):
    cache = tmp_path / "cache"
    score_letters(cache)
    raw = cache.read_bytes()
    assert len(raw) > 5 * 4096
    if kind == "a text for a score":
        with contextlib.closing(sqlite3.connect(cache)) as file:
            file.execute("PRAGMA ignore_check_constraints = 1")
            file.execute("UPDATE qa_frame_scores SET score = 'high'")
            file.commit()
    else:
        cache.write_bytes(raw[: 3 * 4096] + (b"" if kind == "cut" else os.urandom(4096) + raw[4 * 4096 :]))
    damaged = cache.read_bytes()
    judge = Judge()
    with pytest.raises(UnknownOptionError, match="is no cache of a RowMetric"):
        ROWS.qa.score("response", "answers", metrics=metric_of(judge, cache=cache))
    assert not judge.asked
    assert cache.read_bytes() == damaged


def test_a_cache_that_cannot_be_written_is_an_error_before_a_call(tmp_path):
    score_letters(tmp_path / "cache")
    (tmp_path / "cache-journal").mkdir()  # where SQLite writes first
    judge = Judge()
    with pytest.raises(ResultWriteError, match="cache cannot be written"):
        ROWS.qa.score("response", "answers", metrics=metric_of(judge, cache=tmp_path / "cache"))
    assert not judge.asked


def test_a_cache_is_made_in_a_folder_that_is_not_there_under_the_path_that_is_checked(tmp_path):
    score_letters(tmp_path / "new" / "cache")
    assert not score_letters(tmp_path / "missing" / ".." / "new" / "cache")[1]
    assert [each.name for each in tmp_path.iterdir()] == ["new"]


def test_runs_that_share_a_cache_lose_no_score_and_take_those_of_each_other(tmp_path):
    """Some rows are those of both, and both begin with them."""
    cache, asked = tmp_path / "cache", []
    begin = threading.Barrier(2)

    def score(others):
        def slow(texts):
            asked.extend(texts)
            time.sleep(0.002)
            return [1.0] * len(texts)

        texts = [*(f"both {place}" for place in range(100)), *(f"{others} {place}" for place in range(20))]
        rows = pd.DataFrame({"text": texts, "pred": "a", "gold": "a"})
        begin.wait()
        metric = qa_frame.RowMetric("own", slow, columns=["text"], batch_size=2, cache=cache)
        assert rows.qa.score("pred", "gold", metrics=metric)["own"].eq(1.0).all()

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(score, "ab"))
    assert {*asked} == {f"{who} {place}" for who in ("both", "a", "b") for place in range(100 if who == "both" else 20)}
    assert len(asked) < 190  # of 140 rows; each run for itself asks 240 times
    with contextlib.closing(sqlite3.connect(cache)) as file:
        assert file.execute("SELECT count(*) FROM qa_frame_scores").fetchone() == (140,)


ASKING = """
import os, pathlib, sys, time, pandas as pd, qa_frame
first, n, ends, n_runs, cache = *map(int, sys.argv[1:5]), pathlib.Path(sys.argv[5])
n_calls = 0
def own(texts):
    global n_calls
    n_calls += 1
    cache.with_suffix(f".{first}").touch()
    while len([*cache.parent.glob("*.*0")]) < n_runs:  # so that all runs have begun
        time.sleep(0.01)
    if n_calls == ends:
        os._exit(9)
    return [float(len(text)) for text in texts]
rows = pd.DataFrame({"text": [f"row {place}" for place in range(first, first + n)], "pred": "a", "gold": "a"})
rows.qa.score("pred", "gold", metrics=qa_frame.RowMetric("own", own, columns=["text"], batch_size=4, cache=cache))
print(n_calls)
"""


def ask(cache, first, n, *, ends=0, n_runs=1):
    given = [sys.executable, "-c", ASKING, *map(str, (first, n, ends, n_runs, cache))]
    return subprocess.Popen(given, stdout=subprocess.PIPE, text=True)


@pytest.mark.thorough
def test_processes_that_share_a_cache_lose_no_score(tmp_path):
    started = [ask(tmp_path / "cache", first, 40, n_runs=2) for first in (0, 40)]
    assert [int(each.communicate()[0]) for each in started] == [10, 10]
    assert ask(tmp_path / "cache", 0, 80).communicate()[0].strip() == "0"


@pytest.mark.thorough
def test_a_run_that_is_killed_loses_the_call_that_went_on(tmp_path):
    killed = ask(tmp_path / "cache", 0, 40, ends=4)
    killed.communicate()
    assert killed.returncode == 9
    assert ask(tmp_path / "cache", 0, 40).communicate()[0].strip() == "7"


CIRCULAR: list = []
CIRCULAR.append(CIRCULAR)
DEEP = functools.reduce(lambda inner, _: [inner], range(3000), "a")


@pytest.mark.parametrize("cache", ["cache", None])
@pytest.mark.parametrize(
    "value", [{1: "a", "b": 2}, 10**5000, DEEP, {"a": CIRCULAR}], ids=["mixed keys", "large", "deep", "circular"]
)
def test_a_value_that_cannot_be_part_of_a_key_is_an_error_before_a_call(tmp_path, value, cache):
    asked = []
    cache = cache and tmp_path / cache
    metric = qa_frame.RowMetric("own", asked.extend, columns=["text", "meta"], cache=cache)
    rows = pd.DataFrame({"text": ["a", "b"], "pred": "a", "gold": "a"})
    rows["meta"] = pd.Series([1, value], dtype=object)
    with pytest.raises(ColumnTypeError, match=r"RowMetric.columns=.*'meta'.*(row at position 1|holds itself)"):
        rows.qa.score("pred", "gold", metrics=metric)
    assert not asked
    assert not [*tmp_path.iterdir()]


class Thing:
    """Its `repr` is an address, which another object may have later."""


def test_an_object_without_a_lasting_text_is_known_by_itself_and_by_no_cache(tmp_path):
    one, other = Thing(), Thing()
    rows = pd.DataFrame({"thing": [one, other, one], "pred": "a", "gold": "a"})
    asked = []

    def keep(things):
        asked.extend(things)
        return [1.0] * len(things)

    rows.qa.score("pred", "gold", metrics=qa_frame.RowMetric("own", keep, columns=["thing"]))
    assert asked == [one, other]
    kept = qa_frame.RowMetric("own", keep, columns=["thing"], cache=tmp_path / "cache")
    with pytest.raises(ColumnTypeError, match="Thing is neither text nor a number"):
        rows.qa.score("pred", "gold", metrics=kept)


DIFFERENT = [
    *(Decimal(1), Decimal("1.0"), "1", 1, 1.0, True, b"1", None, "None", "", [], [1], ["1"], [[1]], [1, 1], [1, [1]]),
    *(
        {},
        {"1": 1},
        {1: 1},
        {"1": "1"},
        "{'1':1}",
        "[1]",
        "1,1",
        ["1,1"],
        ["1", "1"],
        {"a": 1, "b": 2},
        {"a": {"b": 2}},
    ),
    *(dt.date(2026, 1, 1), dt.datetime(2026, 1, 1), "2026-01-01", "2026-01-01 00:00:00"),  # noqa: DTZ001
    *(dt.time(1), "01:00:00", dt.timedelta(hours=1), "1:00:00", uuid.UUID(int=1), str(uuid.UUID(int=1))),
]


def test_different_values_have_different_keys_and_equal_ones_the_same(tmp_path):
    def number(values):
        return [asked.append(each) or len(asked) for each in values]

    asked: list = []
    rows = pd.DataFrame({"value": pd.Series([*DIFFERENT, *copy.deepcopy(DIFFERENT)], dtype=object)})
    rows = rows.assign(pred="a", gold="a")
    metric = qa_frame.RowMetric("own", number, columns=["value"], cache=tmp_path / "cache")
    scored = rows.qa.score("pred", "gold", metrics=metric)["own"].tolist()
    assert scored == [*range(1, len(DIFFERENT) + 1)] * 2
    assert rows.qa.score("pred", "gold", metrics=metric)["own"].tolist() == scored


@pytest.mark.thorough
def test_the_key_of_a_set_is_the_same_in_another_process():
    code = (
        "import pandas as pd; from qa_frame.frames.source import read_source;"
        "print(read_source(pd.DataFrame({'a': [{'x', 'y', 'z', 'u', 'v'}]})).values('a', 'a'))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "12"
    }
    assert len(found) == 1


def test_two_metrics_of_one_name_are_refused():
    with pytest.raises(UnknownOptionError, match="two different metrics 'judge'"):
        ROWS.qa.score("response", "answers", metrics=[metric_of(Judge()), metric_of(Judge())])


@pytest.mark.parametrize("error", [asyncio.CancelledError, SystemExit])
def test_what_is_no_exception_ends_the_call(error):
    async def cancelled(_):
        raise error

    def ended(_):
        raise error

    for function, concurrency in ((cancelled, 1), (ended, 2)):
        judge = qa_frame.RowMetric("judge", function, columns=["question"], concurrency=concurrency)
        with pytest.raises(error):
            ROWS.qa.score("response", "answers", metrics=judge)


@pytest.mark.parametrize("rest", [[-2.0], [*range(1200)]])
def test_rows_that_differ_inside_of_nested_arrays_are_different(tmp_path, rest):
    """NumPy shows few digits of arrays, and few of their numbers; pandas reads nested lists of Parquet as arrays."""
    values = [-0.1234567891, -0.1234567899]
    frame = pd.DataFrame({"meta": [{"logprobs": [*rest, value]} for value in values]})
    frame.to_parquet(tmp_path / "rows.parquet")
    metric = qa_frame.RowMetric("last", lambda meta: [each["logprobs"][-1] for each in meta], columns=["meta"])
    rows = pd.read_parquet(tmp_path / "rows.parquet").assign(pred="a", gold="a")
    scored = rows.qa.score("pred", "gold", metrics=[metric])
    assert scored["last"].tolist() == values


def test_what_a_function_gets_is_plain():
    given = []

    def keep(values):
        given.extend(values)
        return [1.0] * len(values)

    held = [{"text": np.array(["a"])}, [np.nan, "a"], (np.int64(1), None), np.nan]
    frame = pd.DataFrame({"meta": pd.Series(held, dtype=object), "pred": "a", "gold": "a"})
    frame.qa.score("pred", "gold", metrics=[qa_frame.RowMetric("own", keep, columns=["meta"])])
    assert given == [{"text": ["a"]}, [None, "a"], [1, None], None]
