"""A metric of one's own: what its function is asked, what becomes of its results, and what is refused."""

from __future__ import annotations

import functools
import math
import pickle
from collections import UserDict

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qa_frame
from qa_frame import PairMetric
from qa_frame.scoring.pooled import COUNTS, POOLED
from tests.strategies import nasty_frames

ROWS = pd.DataFrame(
    {
        "model": ["x", "y", "x", "y", "x"],
        "question": [1, 1, 2, 2, 3],
        "response": ["in Paris", "in Paris", None, "Rome", "Oslo"],
        "answers": [["Paris", "Paris, France"], ["Paris"], ["Rome"], ["Rome", "Roma", "Rome"], []],
    }
)


class Recorder:
    """A function that records what it is asked: the difference in length of each pair."""

    def __init__(self):
        self.calls = []

    def __call__(self, preds, golds):
        assert isinstance(preds, list)
        assert isinstance(golds, list)
        assert all(isinstance(text, str) for text in (*preds, *golds))
        self.calls.append(list(zip(preds, golds, strict=True)))
        return [float(len(pred) - len(gold)) for pred, gold in self.calls[-1]]

    @property
    def asked(self):
        return [pair for call in self.calls for pair in call]


def score(metric, rows=ROWS, **options):
    return qa_frame.score(rows, "response", "answers", metrics=metric, append=False, **options)


def of(values, name="own", **options):
    """A metric that gives these values, whatever the pairs are."""
    return PairMetric(name, lambda preds, golds: values, **options)  # noqa: ARG005


# --- what the function is asked


def test_each_distinct_pair_is_asked_once_and_missing_predictions_and_rows_without_golds_are_not():
    recorder = Recorder()
    found = score(PairMetric("own", recorder))
    assert sorted(recorder.asked) == [
        ("Rome", "Roma"), ("Rome", "Rome"), ("in Paris", "Paris"), ("in Paris", "Paris, France"),
    ]  # fmt: skip
    assert found["own"].tolist()[:4] == [3.0, 3.0, 0.0, 0.0]
    assert math.isnan(found["own"][4])


@pytest.mark.parametrize("batch_size", [1, 2, 3, 1000])
def test_a_call_has_at_most_batch_size_pairs_and_results_outlive_batches_of_rows(batch_size):
    recorder = Recorder()
    rows = pd.concat([ROWS] * 5, ignore_index=True)
    found = score(PairMetric("own", recorder, batch_size=batch_size), rows)
    assert max(map(len, recorder.calls)) <= batch_size
    assert len(recorder.asked) == len({*recorder.asked}) == 4
    expected = score(PairMetric("own", Recorder()))
    pd.testing.assert_frame_equal(found, pd.concat([expected] * 5, ignore_index=True))


def test_texts_are_raw_but_for_what_is_extracted():
    recorder = Recorder()
    responses = ["<think>x</think> The Seine. ", "\n The Elbe \nIt is"]
    rows = pd.DataFrame({"response": responses, "answers": [["A"], ["B"]]})
    score(PairMetric("own", recorder), rows)
    assert recorder.asked == [(rows["response"][0], "A"), (rows["response"][1], "B")]
    recorder.calls.clear()
    score(PairMetric("own", recorder), rows[:1], extract="after_think")
    score(PairMetric("own", recorder), rows[1:], convention="mindformers")
    assert recorder.asked == [("The Seine.", "A"), ("The Elbe ", "B")]


def test_the_function_may_change_its_lists():
    def greedy(preds, golds):
        found = [float(len(gold)) for gold in golds]
        preds.clear()
        golds.clear()
        return found

    assert score(PairMetric("own", greedy))["own"].tolist()[:2] == [13.0, 5.0]


def test_nothing_to_ask():
    recorder = Recorder()
    assert score(PairMetric("own", recorder), ROWS[:0])["own"].tolist() == []
    assert math.isnan(score(PairMetric("own", recorder), ROWS[4:])["own"].iloc[0])
    assert score(PairMetric("own", recorder), ROWS[2:3])["own"].tolist() == [0.0]
    assert not recorder.calls


# --- caches


def test_a_dict_keeps_results_from_call_to_call():
    recorder, cache = Recorder(), {("in Paris", "Paris"): 0.25}
    metric = PairMetric("own", recorder, cache=cache)
    first = score(metric)
    assert ("in Paris", "Paris") not in recorder.asked
    assert first["own"][1] == 0.25
    assert len(cache) == 4
    recorder.calls.clear()
    pd.testing.assert_frame_equal(score(metric), first)
    assert not recorder.calls


def test_a_cache_of_its_own_is_kept_and_can_be_read():
    recorder = Recorder()
    metric = PairMetric("own", recorder, cache=True)
    score(metric)
    n_asked = len(recorder.asked)
    score(metric)
    assert len(recorder.asked) == n_asked == len(metric.cache)


@pytest.mark.parametrize(("cache", "n_asked"), [(None, 8), (False, 8)])
def test_without_a_cache_each_call_asks_anew(cache, n_asked):
    recorder = Recorder()
    metric = PairMetric("own", recorder, cache=cache)
    score(metric)
    score(metric)
    assert len(recorder.asked) == n_asked


def test_without_any_cache_pairs_are_only_known_within_the_rows_at_once():
    recorder = Recorder()
    score(PairMetric("own", recorder, batch_size=1, cache=False))
    assert len(recorder.asked) == 5  # "in Paris" with "Paris" is in two rows


def test_what_was_scored_before_an_error_is_kept():
    cache, calls = {}, []

    def fails_later(preds, golds):
        calls.append(golds)
        if len(calls) == 3:
            raise TimeoutError("the judge is tired")
        return [1.0] * len(preds)

    metric = PairMetric("own", fails_later, batch_size=1, cache=cache)
    with pytest.raises(qa_frame.errors.OwnMetricError, match=r"raised TimeoutError: the judge is tired for 1 pair$"):
        score(metric)
    assert len(cache) == 2
    score(metric)
    assert len(calls) == 5


def test_any_mapping_is_a_cache():
    cache = UserDict()
    score(PairMetric("own", Recorder(), cache=cache))
    assert len(cache) == 4


@pytest.mark.parametrize("kept", ["1", math.inf, (1.0,)])
def test_a_cache_with_something_else_is_refused(kept):
    with pytest.raises(qa_frame.errors.OwnMetricError, match="the cache of PairMetric 'own' holds"):
        score(PairMetric("own", Recorder(), cache={("Rome", "Roma"): kept}))


# --- results


@pytest.mark.parametrize(
    "make",
    [
        list, tuple, np.array, pd.Series, pa.array, pl.Series, lambda values: np.array(values, np.float32),
        lambda values: np.array(values, object), lambda values: pd.Series(values, dtype="Float64"),
        lambda values: [*map(np.float64, values)],
    ],
)  # fmt: skip
def test_numbers_may_come_in_any_kind(make):
    metric = PairMetric("own", lambda preds, golds: make([len(p) / 2 - len(g) for p, g in zip(preds, golds)]))  # noqa: B905
    assert score(metric)["own"].tolist()[:4] == [-1.0, -1.0, 0.0, -2.0]


@pytest.mark.parametrize("none", [None, math.nan, pd.NA, np.float32("nan")])
def test_a_pair_may_have_no_score(none):
    verdicts = {("in Paris", "Paris"): True, ("Rome", "Roma"): False, ("Rome", "Rome"): none}
    judge = PairMetric("judge", lambda preds, golds: [verdicts.get(pair) for pair in zip(preds, golds)])  # noqa: B905
    assert score(judge)["judge"].tolist()[:4] == [1.0, 1.0, 0.0, 0.0]
    means = score(judge, reduce="mean", missing="null")["judge"]
    assert means[[0, 1, 3]].tolist() == [1.0, 1.0, 0.0]
    assert means[[2, 4]].isna().all()
    first = score(judge, reduce="first")["judge"]
    assert first[:2].tolist() == [1.0, 1.0]
    assert math.isnan(first[3])
    assert math.isnan(score(judge, ROWS[3:4].assign(answers=[["Rome"]]))["judge"].iloc[0])


REDUCTIONS = {"max": max, "min": min, "mean": np.mean, "first": lambda scores: scores[0], np.median: np.median}


@settings(deadline=None, max_examples=60)
@given(rows=nasty_frames(), reduction=st.sampled_from([*REDUCTIONS]), batch_size=st.integers(1, 5))
def test_scores_equal_a_loop_over_rows(rows, reduction, batch_size):
    frame = pd.DataFrame({"response": [pred for pred, _ in rows], "answers": [golds for _, golds in rows]})

    def plain(pred, gold):
        return float(len(pred) - 2 * len(gold))

    metric = PairMetric("own", lambda preds, golds: [*map(plain, preds, golds)], batch_size=batch_size)
    found = score(metric, frame, reduce=reduction)["own"].tolist()
    for (pred, golds), value in zip(rows, found, strict=True):
        golds = [gold for gold in golds or [] if gold is not None]  # noqa: PLW2901
        if not golds:
            assert math.isnan(value)
        else:
            assert value == (0.0 if pred is None else REDUCTIONS[reduction]([plain(pred, gold) for gold in golds]))


def test_the_best_gold_is_chosen_by_another_metric():
    metric = PairMetric("own", lambda preds, golds: [float(len(gold)) for gold in golds])  # noqa: ARG005
    rows = pd.DataFrame({"response": ["in Paris"], "answers": [["Paris", "Paris, the capital of France"]]})
    assert score([metric, "f1"], rows, reduce="best")["own"].tolist() == [5.0]
    assert score(metric, rows)["own"].tolist() == [28.0]


def test_other_columns_are_what_they_are_without_it():
    frame = qa_frame.sample()
    with_own = score(["em", PairMetric("own", Recorder()), "f1"], frame, stats=True)
    assert [*with_own][:3] == ["em", "own", "f1"]
    without = score(["em", "f1"], frame, stats=True)
    pd.testing.assert_frame_equal(with_own.drop(columns="own"), without, check_exact=True)


def test_jobs_and_backends_make_no_difference_as_this_process_scores():
    frame = pd.concat([qa_frame.sample()] * 3, ignore_index=True)
    seen = []

    def unpicklable(preds, golds, lock=seen):
        lock.append(len(preds))
        return [float(len(gold)) for gold in golds]

    metric = PairMetric("own", unpicklable, batch_size=100)
    one = score(["em", metric], frame)
    n_calls = len(seen)
    pd.testing.assert_frame_equal(score(["em", metric], frame, n_jobs=2), one)
    with joblib.parallel_config("threading", n_jobs=2):
        pd.testing.assert_frame_equal(score(["em", metric], frame), one)
    assert len(seen) == 3 * n_calls  # the list of this process was filled by all of them


def test_the_bar_counts_rows(capsys):
    score(PairMetric("own", Recorder(), batch_size=2), progress=True)
    assert "5.00/5.00" in capsys.readouterr().err
    score(PairMetric("own", Recorder(), batch_size=2), progress=False)
    assert capsys.readouterr().err == ""


# --- signatures and pickles


def test_the_signature_names_it_and_tells_functions_apart():
    def signature(metric):
        scored = qa_frame.score(ROWS, "response", "answers", metrics=["em", metric])
        return scored.attrs["qa_scored"]["scorings"][0]["signature"]

    one = signature(PairMetric("own", lambda preds, golds: [1.0] * len(preds)))  # noqa: ARG005
    same = signature(PairMetric("own", lambda preds, golds: [1.0] * len(preds)))  # noqa: ARG005
    other = signature(PairMetric("own", lambda preds, golds: [2.0] * len(preds)))  # noqa: ARG005
    assert "|metric:own#" in one
    assert one == same != other
    assert signature(PairMetric("own", Recorder(), version="minilm-v2")).endswith("|metric:own#minilm-v2")


def test_a_version_spares_the_digest():
    class Model:
        def __reduce__(self):
            raise AssertionError("a large model is not pickled")

        def score(self, preds, golds):
            return [float(pred == gold) for pred, gold in zip(preds, golds, strict=True)]

    assert score(PairMetric("own", Model().score, version="large"))["own"].tolist()[3] == 1.0


def half(preds, _golds):
    return [0.5] * len(preds)


def test_a_pickled_one_scores_the_same_and_leaves_its_cache_behind():
    metric = PairMetric("own", half, batch_size=7, cache={("a", "b"): 1.0}, version="v")
    copied = pickle.loads(pickle.dumps(metric))
    kept = (copied.name, copied.function, copied.batch_size, copied.cache, copied.version)
    assert kept == ("own", half, 7, None, "v")
    assert score(copied)["own"].tolist()[:2] == [0.5, 0.5]


def test_its_repr_is_short():
    assert repr(PairMetric("own", half)) == "PairMetric('own', half)"
    assert repr(PairMetric("own", functools.partial(half))).startswith("PairMetric('own', functools.partial(<function")


# --- what works on its column


@pytest.fixture(params=["pandas", "polars", "arrow"])
def scored(request):
    frame = qa_frame.sample()
    if request.param != "pandas":
        frame = pa.Table.from_pandas(frame)
    if request.param == "polars":
        frame = pl.from_arrow(frame)
    return qa_frame.score(frame, "response", "answers", metrics=["em", LENGTHS])


LENGTHS = PairMetric("lengths", lambda preds, golds: [float(len(p) - len(g)) for p, g in zip(preds, golds)])  # noqa: B905


def as_pandas(table):
    return table if isinstance(table, pd.DataFrame) else table.to_pandas()


def test_summaries_and_comparisons_find_the_column(scored):
    means = as_pandas(qa_frame.summary(scored, "model", metrics=["em", LENGTHS], ci=0.9))
    sample = qa_frame.sample()
    now = qa_frame.summary(
        qa_frame.score(sample, pred="response", gold="answers", metrics=["em", LENGTHS]),
        "model",
        metrics=["em", LENGTHS],
        ci=0.9,
    )
    np.testing.assert_array_equal(means["lengths"], now["lengths"])
    np.testing.assert_array_equal(means["lengths_hi"], now["lengths_hi"])
    assert (means["lengths_lo"] < means["lengths"]).all()
    compared = as_pandas(qa_frame.compare(scored, "model", "question_id", metrics=LENGTHS, n_resamples=100))
    assert {*compared["metric"]} == {"lengths"}
    again = qa_frame.compare(
        qa_frame.score(sample, pred="response", gold="answers", metrics=LENGTHS),
        "model",
        "question_id",
        metrics=LENGTHS,
        n_resamples=100,
    )
    pd.testing.assert_frame_equal(compared, again, check_dtype=False)


def test_it_is_known_by_name(scored):
    assert {"em", "lengths"} <= {*as_pandas(qa_frame.summary(scored))}
    by_name, by_object = (as_pandas(qa_frame.summary(scored, metrics=metrics)) for metrics in ("lengths", LENGTHS))
    pd.testing.assert_frame_equal(by_name, by_object)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="did you mean 'lengths'"):
        qa_frame.summary(scored, metrics="lenghts")
    worst = as_pandas(qa_frame.worst(scored, 3, metric="lengths"))
    assert worst["lengths"].tolist() == sorted(as_pandas(scored)["lengths"].dropna())[:3]
    assert len(qa_frame.changed(scored, scored, ["model", "question_id"], metric="lengths")) == 0


@pytest.mark.needs("annotation")
def test_agreement_and_the_rows_with_the_lowest_scores(scored):
    if isinstance(scored, pl.DataFrame):
        verdicts = scored.with_columns(right=pl.col("em").fill_null(0))
    elif isinstance(scored, pa.Table):
        verdicts = scored.append_column("right", scored["em"])
    else:
        verdicts = scored.assign(right=scored["em"])
    agreed = as_pandas(qa_frame.agreement(verdicts, human="right", metrics=[LENGTHS, "em"]))
    assert agreed["n"].iloc[0] > 300
    worst = qa_frame.worst(scored, 2, metric=LENGTHS)
    assert as_pandas(worst)["lengths"].tolist() == sorted(as_pandas(scored)["lengths"].dropna())[:2]


def test_pools_merge_it_in_any_order():
    frame = qa_frame.sample()
    parts = [
        qa_frame.score(frame[:150], "response", "answers", metrics=["em", LENGTHS]),
        qa_frame.score(frame[150:], "response", "answers", metrics=[LENGTHS, "em"]),
    ]
    pools = [qa_frame.Pool("model").update(part) for part in parts]
    both = qa_frame.Pool("model").merge(pools[1]).merge(pools[0]).summary()
    whole = qa_frame.summary(qa_frame.score(frame, "response", "answers", metrics=["em", LENGTHS]), "model")
    pd.testing.assert_frame_equal(both, whole, check_exact=True)
    assert pickle.loads(pickle.dumps(qa_frame.Pool(metrics=[LENGTHS]))).update(pl.from_pandas(parts[0]))


def test_a_prefix_stands_before_its_name_too():
    scored = qa_frame.score(ROWS, "response", "answers", metrics=["em", LENGTHS], prefix="squad_")
    scored = qa_frame.score(scored, "response", "answers", metrics=["em"])
    assert "lengths" not in qa_frame.summary(scored)
    assert qa_frame.summary(scored, prefix="squad_")["lengths"].notna().all()
    assert "squad_lengths" in repr(scored.qa)


def test_other_doors_take_it():
    assert qa_frame.score_one("in Paris", ["Paris", "x"], metrics=["em", LENGTHS]) == {"em": 0.0, "lengths": 7.0}


# --- what is refused


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([1.0], r"returned 1 number for 4 pairs"),
        ([1.0] * 5, "returned 5 numbers"),
        (["1", "2", "3", "4"], r"returned \['1', '2', '3', '4'\] \(list\)"),
        ([1, 2, 3, "4"], "returned"),
        ([1.0, 2.0, math.inf, 0.0], "returned an infinite number for"),
        ([[1.0]] * 4, "returned"),
        (1.0, r"returned 1.0 \(float\)"),
        (None, "returned None"),
        ([1j] * 4, "returned"),
        ({1: 2}, "returned"),
        ((value for value in [1.0] * 4), "returned <generator"),
        ([pd.Timestamp(0)] * 4, "returned"),
    ],
)
def test_what_the_function_must_not_return(values, what):
    with pytest.raises(qa_frame.errors.OwnMetricError, match=f"the function of PairMetric 'own' {what}"):
        score(of(values))


def test_an_error_of_the_function_is_named():
    def raises(_preds, _golds):
        raise KeyError("no such verdict")

    with pytest.raises(qa_frame.errors.OwnMetricError, match="raised KeyError: 'no such verdict'") as caught:
        score(PairMetric("own", raises))
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("name", ["em", "all", "", "overlap", "f1_lo", 3, None, "\ud800", *COUNTS, *POOLED])
def test_names_that_are_taken_or_none(name):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"PairMetric\.name="):
        PairMetric(name, half)


@pytest.mark.parametrize(
    ("argument", "value"),
    [("function", "em"), ("batch_size", 0), ("batch_size", 1.5), ("cache", "yes"), ("cache", []), ("version", 1)],
)
def test_wrong_settings_are_refused(argument, value):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=f"PairMetric.{argument}="):
        PairMetric(**{"name": "own", "function": half, argument: value})


def test_two_of_one_name_are_refused_and_one_twice_is_not():
    one, other = PairMetric("own", half), PairMetric("own", Recorder())
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="two different metrics 'own'"):
        score([one, other])
    assert [*score([one, "em", one])] == ["own", "em"]


def test_another_column_is_not_replaced_but_its_own_is():
    metric = PairMetric("model", half)
    with pytest.raises(
        qa_frame.errors.ColumnOverwriteError, match="column 'model' of a metric of your own would take the place"
    ):
        qa_frame.score(ROWS, "response", "answers", metrics=metric)
    with pytest.raises(qa_frame.errors.ColumnOverwriteError):
        qa_frame.score(ROWS, "response", "answers", metrics=PairMetric("response", half))
    assert [*score(metric)] == ["model"]
    once = qa_frame.score(ROWS, "response", "answers", metrics=PairMetric("own", half))
    twice = qa_frame.score(once, "response", "answers", metrics=LENGTHS)
    again = qa_frame.score(twice, "response", "answers", metrics=PairMetric("own", LENGTHS.function))
    assert [*again][-4:] == ["qa_rules", "qa_flags", "own", "lengths"]
    assert again["own"].equals(again["lengths"])


def test_lists_of_spans_are_refused():
    spans = pd.DataFrame({"response": [["a", "b"]], "answers": [[["a"], ["b"]]]})
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="takes texts, and pred or gold holds lists of spans"):
        qa_frame.score(spans, "response", "answers", metrics=LENGTHS, convention="drop")


@pytest.mark.needs("audit", "explain")
@pytest.mark.parametrize("as_iterator", [False, True])
@pytest.mark.parametrize("name", ["explain", "audit"])
def test_what_looks_at_tokens_does_not_take_it(name, as_iterator):
    metrics = iter(["em", LENGTHS]) if as_iterator else ["em", LENGTHS]
    options = {"pred": "response", "gold": "answers", "metrics": metrics}
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match="a function, of which only scores are known; leave it out"
    ):
        qa_frame.explain(ROWS, 0, **options) if name == "explain" else qa_frame.audit(ROWS, **options)


def test_it_is_no_built_in_metric():
    assert "lengths" not in qa_frame.metrics
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="metrics='lengths' is not known"):
        score("lengths")
