"""`RowMetric`: which rows the function is called for, what is kept, and what happens where it fails."""

import asyncio
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.errors import ColumnNotFoundError, PairMetricError, ScoringWarning, UnknownOptionError

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


def test_frames_of_all_kinds_have_the_same_scores():
    for frame in (pl.from_pandas(ROWS), pa.Table.from_pandas(ROWS)):
        scored = qa_frame.score(frame, "response", "answers", metrics=metric_of(Judge()), append=False)
        assert type(scored) is type(frame)
        assert pa.table(scored)["judge"].to_pylist()[:3] == [1.0, 0.0, 1.0]


def test_a_cache_is_kept_from_call_to_call_and_a_version_asks_anew(tmp_path):
    first, second, third = Judge(fails_at=["Is 3 even?"]), Judge(), Judge()
    cache = tmp_path / "judge.parquet"
    with pytest.warns(ScoringWarning, match=r"failed for 1 of 4 rows.*TimeoutError: too slow.*#failed-rows"):
        ROWS.qa.score("response", "answers", metrics=metric_of(first, cache=cache, batch_size=1))
    scored = ROWS.qa.score("response", "answers", metrics=metric_of(second, cache=cache))
    assert second.asked == [("Is 3 even?", "yes")]
    np.testing.assert_array_equal(scored["judge"], [1.0, 0.0, 1.0, np.nan])
    ROWS.qa.score("response", "answers", metrics=metric_of(third, cache=cache, version="2"))
    assert len(third.asked) == 3
    assert [each.name for each in tmp_path.iterdir()] == ["judge.parquet"]


def test_scores_before_an_interrupt_are_kept(tmp_path):
    def interrupted(questions, _responses):
        if "Is 3 even?" in questions:
            raise KeyboardInterrupt
        return [1.0] * len(questions)

    cache, judge = tmp_path / "judge.parquet", Judge()
    with pytest.raises(KeyboardInterrupt):
        ROWS.qa.score("response", "answers", metrics=metric_of(interrupted, cache=cache, batch_size=1))
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
    with pytest.raises(PairMetricError, match=said):
        ROWS.qa.score("response", "answers", metrics=metric_of(lambda *_: found))


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
        ({"cache": {}}, UnknownOptionError, "Parquet"),
        ({"version": 1}, UnknownOptionError, "version=1"),
    ],
)
def test_a_wrong_argument_is_named(settings, error, said):
    arguments = {"name": "judge", "function": Judge(), "columns": ["question", "response"], **settings}
    with pytest.raises(error, match=said):
        ROWS.qa.score("response", "answers", metrics=qa_frame.RowMetric(**arguments))


def test_a_cache_that_is_no_file_of_scores_is_refused(tmp_path):
    (tmp_path / "cache").write_text("other")
    with pytest.raises(UnknownOptionError, match="name another file"):
        ROWS.qa.score("response", "answers", metrics=metric_of(Judge(), cache=tmp_path / "cache"))
    assert (tmp_path / "cache").read_text() == "other"


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


def test_a_cache_without_numbers_is_refused(tmp_path):
    pd.DataFrame({"key": ["a"], "score": ["x"]}).to_parquet(tmp_path / "judge.parquet")
    judge = qa_frame.RowMetric("judge", len, columns=["question"], cache=tmp_path / "judge.parquet")
    with pytest.raises(UnknownOptionError, match="is no file of scores"):
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
