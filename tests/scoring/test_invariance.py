"""A row's scores are its own, to the last bit: however rows are batched, ordered, chunked, labelled or shared out."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.frames.text_columns import read_columns
from qa_frame.scoring import batches
from qa_frame.scoring.metrics import METRICS
from tests.benchmarks import synth
from tests.strategies import USUAL, each_convention

ROWS_MADE = {"short": 300, "medium": 100, "long": 20, "essay": 2}
SCHEMA = pa.schema({"response": pa.string(), "answers": pa.list_(pa.string())})


def _spread(scores: np.ndarray) -> float:
    return float(scores.max() - scores.min())


REDUCTIONS = ("max", "best", _spread)


@functools.cache
def mixed_table() -> pa.Table:
    """Some 1,300 rows in no order: the sample twice, made-up results, and what is unlike all others."""
    sample = pa.Table.from_pandas(qa_frame.sample()[["response", "answers"]], schema=SCHEMA, preserve_index=False)
    made = [synth.make_table(shape, rows, seed=4) for shape, rows in ROWS_MADE.items()]
    table = pa.concat_tables([sample, *made, _odd_rows(), sample])
    return table.take(np.random.default_rng(4).permutation(len(table))).combine_chunks()


def _odd_rows() -> pa.Table:
    """Missing and empty sides, many golds, repeated rows, white space and marks, and a text of thousands of words."""
    rows = [
        (None, ["Seine"]),
        ("Seine", None),
        ("Seine", []),
        ("Seine", [None]),
        ("", [""]),
        ("the", ["a", None, ""]),
        ("Seine", ["Seine"] * 40),
        ("one two three", [f"one two {word} three" for word in "abcdefghijklmnopqrstuvwxyz"]),
        ("well-\nknown\u2003İstanbul ΟΔΟΣ.", ["well-known İstanbul", "ΟΔΟΣ"]),
        ("1,000.5 ,,5 .5", ["1,000.5", ".5"]),
    ]
    long_row = (" ".join(["so it goes on"] * 300), ["goes on", " ".join(["it goes so on"] * 250)])
    preds, golds = zip(*rows * 12, long_row, strict=True)
    return pa.table([preds, golds], schema=SCHEMA)


def as_frame(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def score(frame: pd.DataFrame, reduce, *, n_jobs: int = 1) -> np.ndarray:
    """All metrics of all rows, shape (rows, metrics)."""
    scored = frame.qa.score("response", "answers", metrics="all", reduce=reduce, append=False, n_jobs=n_jobs)
    return scored.to_numpy()


@functools.cache
def expected_scores(reduce) -> np.ndarray:
    scores = score(as_frame(mixed_table()), reduce)
    scores.flags.writeable = False
    return scores


def assert_same_bits(found: np.ndarray, expected: np.ndarray) -> None:
    """Equal as bits, but that every NaN is as good as another."""
    assert found.dtype == expected.dtype == np.float64
    assert found.shape == expected.shape
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    same = np.nan_to_num(found, nan=-1).view(np.uint64) == np.nan_to_num(expected, nan=-1).view(np.uint64)
    assert same.all(), f"{np.count_nonzero(~same)} scores differ, first in rows {np.unique(np.nonzero(~same)[0])[:5]}"


@pytest.fixture(params=REDUCTIONS, ids=lambda reduce: getattr(reduce, "__name__", reduce))
def reduce(request):
    return request.param


def test_the_rows_are_worth_scoring(reduce):
    scores = expected_scores(reduce)
    assert 1_200 < len(scores) < 1_300
    scored = scores[~np.isnan(scores[:, 0])]
    assert len(scores) - len(scored) > 50
    assert not np.isnan(scored).any()
    assert all(len(np.unique(of_metric)) > 1 for of_metric in scored.T)
    assert len(np.unique(scored)) > 1_000


@pytest.mark.parametrize(
    ("rows", "nbytes"),
    [(60, 1 << 40), pytest.param(1 << 40, 20_000, marks=pytest.mark.thorough)],
)
def test_any_size_of_batches(monkeypatch, reduce, rows, nbytes):
    expected, frame = expected_scores(reduce), as_frame(mixed_table())
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", rows)
    monkeypatch.setattr(batches, "_BYTES_AT_ONCE", nbytes)
    assert len(batches.split_rows(read_columns(frame, pred="response", gold="answers"))) > 2
    assert_same_bits(score(frame, reduce), expected)


@pytest.mark.parametrize(
    ("reduce", "rows_at_once"),
    [("max", 150), *(pytest.param(*each, marks=pytest.mark.thorough) for each in (("max", 600), ("best", 150)))],
)
def test_any_number_of_jobs(monkeypatch, reduce, rows_at_once):
    expected = expected_scores(reduce)
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", rows_at_once)
    assert_same_bits(score(as_frame(mixed_table()), reduce, n_jobs=2), expected)


def test_rows_once_or_thrice(reduce):
    table = mixed_table()
    thrice = as_frame(pa.concat_tables([table, table, table]))
    assert_same_bits(score(thrice, reduce), np.tile(expected_scores(reduce), (3, 1)))


def test_any_part_of_the_rows(reduce):
    table = mixed_table()
    for start, stop in ((0, 1), (1, 2), (17, 400), (900, len(table))):
        part = as_frame(table.slice(start, stop - start))
        assert_same_bits(score(part, reduce), expected_scores(reduce)[start:stop])
    assert score(as_frame(table.slice(5, 0)), reduce).shape == (0, len(METRICS))


@pytest.mark.parametrize("kind", ["one label", "text", "two levels"])
def test_any_index(kind):
    frame = as_frame(mixed_table())
    places = np.arange(len(frame))
    indices = {
        "one label": pd.Index(np.zeros(len(frame), np.int64)),
        "text": pd.Index([f"question {place % 7}" for place in places]),
        "two levels": pd.MultiIndex.from_arrays([places % 3, places // 3]),
    }
    frame.index = indices[kind]
    assert_same_bits(score(frame, "max"), expected_scores("max"))


def test_any_type_of_columns():
    table = mixed_table()
    wide = table.cast(pa.schema({"response": pa.large_string(), "answers": pa.large_list(pa.large_string())}))
    for frame in (table.to_pandas(), as_frame(wide), table.to_pandas(types_mapper={pa.string(): pd.StringDtype()}.get)):
        assert_same_bits(score(frame, "max"), expected_scores("max"))


@pytest.mark.parametrize("metric", METRICS)
def test_any_choice_of_metrics(metric):
    frame = as_frame(mixed_table())
    alone = frame.qa.score("response", "answers", metrics=metric, reduce="best", append=False).to_numpy()
    place = list(METRICS).index(metric)
    assert_same_bits(alone, expected_scores("best")[:, [place]])


# --- every convention, with its statistics


@functools.cache
def small_table() -> pa.Table:
    """300 rows: the sample, what is unlike all others, and what conventions look at."""
    sample = pa.Table.from_pandas(qa_frame.sample()[["response", "answers"]], schema=SCHEMA, preserve_index=False)
    nasty = [
        ("one two. Two one.. Three", ["two one. one two", ". one", " one. "]),
        ("他说：“我爱北京 Tiananmen。”\nx", ["我爱北京Tiananmen", "他说我爱"]),
        ("can't cannot 1e3 'twas", ["1000 can not", "can't", "the 'twas"]),
        ("...", ["", "x"]),
        ("The", ["", "a", "b"]),
        (" cat ", ["CAT", "at"]),
        ("The answer is: B", ["main", "B"]),
    ]
    preds, golds = zip(*nasty * 20, strict=True)
    table = pa.concat_tables([sample, _odd_rows(), pa.table([preds, golds], schema=SCHEMA)])
    return table.take(np.random.default_rng(8).permutation(len(table))[:300]).combine_chunks()


def score_all(frame: pd.DataFrame, name: str, *, n_jobs: int = 1, reduce: str | None = None) -> np.ndarray:
    """All metrics and statistics of all rows."""
    return frame.qa.score(
        "response",
        "answers",
        metrics="all",
        convention=name,
        reduce=reduce,
        stats=True,
        append=False,
        n_jobs=n_jobs,
    ).to_numpy(np.float64)


@functools.cache
def expected_of_convention(name: str, reduce: str | None = None) -> np.ndarray:
    scores = score_all(as_frame(small_table()), name, reduce=reduce)
    scores.flags.writeable = False
    return scores


@pytest.fixture(params=each_convention(qa_frame.conventions))
def convention(request):
    return request.param


def test_the_rows_are_worth_scoring_by_each_convention(convention):
    scores = expected_of_convention(convention)
    assert len(scores) == 300
    assert all(len(np.unique(column[~np.isnan(column)])) > 1 for column in scores.T)


@pytest.mark.parametrize(("rows", "nbytes"), [(30, 1 << 40), (1 << 40, 1_500)], ids=["few rows", "few bytes"])
def test_any_batches_of_each_convention(monkeypatch, convention, rows, nbytes):
    expected, frame = expected_of_convention(convention), as_frame(small_table())
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", rows)
    monkeypatch.setattr(batches, "_BYTES_AT_ONCE", nbytes)
    assert len(batches.split_rows(read_columns(frame, pred="response", gold="answers"))) > 9
    assert_same_bits(score_all(frame, convention), expected)


@pytest.mark.thorough
@pytest.mark.parametrize("convention", sorted(USUAL))
def test_two_jobs_of_the_usual_conventions(monkeypatch, convention):
    expected, frame = expected_of_convention(convention), as_frame(small_table())
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", 30)
    assert_same_bits(score_all(frame, convention, n_jobs=2), expected)


def test_any_order_of_rows_of_each_convention(convention):
    assert_any_order(convention, "max")


@pytest.mark.thorough
@pytest.mark.parametrize("reduce", ["mean", "first", "best"])
@pytest.mark.parametrize("convention", ["squad", "continuous_eval", "mindformers"])
def test_any_order_of_rows_by_each_reduction(convention, reduce):
    assert_any_order(convention, reduce)


def assert_any_order(convention: str, reduce: str) -> None:
    order = np.random.default_rng(9).permutation(300)
    shuffled = as_frame(small_table().take(order))
    assert_same_bits(score_all(shuffled, convention, reduce=reduce), expected_of_convention(convention, reduce)[order])


def test_any_chunks_and_rows_alone_of_each_convention(convention):
    table, expected = small_table(), expected_of_convention(convention)
    chunked = pa.concat_tables([table.slice(0, 0), table.slice(0, 3), table.slice(3, 200), table.slice(203)])
    assert_same_bits(score_all(as_frame(chunked), convention), expected)
    scored = qa_frame.score(
        chunked, "response", "answers", metrics="all", convention=convention, stats=True, append=False
    )
    assert_same_bits(scored.to_pandas().to_numpy(np.float64), expected)
    for row in np.random.default_rng(10).choice(300, 6, replace=False).tolist():
        assert_same_bits(score_all(as_frame(table.slice(row, 1)), convention), expected[[row]])


def test_statistics_change_no_score(convention):
    frame = as_frame(small_table())
    plain = frame.qa.score("response", "answers", metrics="all", convention=convention, append=False).to_numpy()
    assert_same_bits(expected_of_convention(convention)[:, : plain.shape[1]].copy(), plain)


@pytest.mark.thorough
@pytest.mark.parametrize("convention", sorted(USUAL))
def test_any_choice_of_metrics_of_the_usual_conventions(convention):
    frame, expected = as_frame(small_table()), expected_of_convention(convention)
    of_all = {"metrics": "all", "convention": convention, "append": False}
    names = list(frame.head(1).qa.score("response", "answers", **of_all))
    places = {
        name: place for place, name in enumerate(frame.head(1).qa.score("response", "answers", **of_all, stats=True))
    }
    for metric in names:
        alone = frame.qa.score("response", "answers", **of_all | {"metrics": metric}, stats=True)
        assert next(iter(alone)) == metric
        assert_same_bits(alone.to_numpy(np.float64), expected[:, [places[name] for name in alone]])
