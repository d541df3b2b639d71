"""What `df.qa.score` promises, whatever the data: columns, dtypes, nulls, reductions, and an input left alone."""

from __future__ import annotations

import copy
import cProfile
import pstats
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import qa_frame
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.reduction import reduce_over_golds

DEFAULT = ["em", "f1", "recall", "contains", "rouge_l", "bleu"]
ALL = list(METRICS)
ANY_REDUCTION = ["max", "mean", "min", "first", "best", pytest.param(np.median, id="callable")]
COLUMNS = ["model", "response", "answers", "year"]
MISSING_PREDICTION, NO_GOLD, NEITHER = 1, 2, 3


def make_frame():
    frame = pd.DataFrame(
        {
            "model": pd.Categorical(["a", "b", "a", "b", "a"]),
            "response": ["in Paris", None, "Rome", None, "The Seine."],
            "answers": [["Paris", "Paris, France"], ["Rome"], [], None, ["Seine", None, "Thames"]],
            "year": [2020, 2021, 2022, 2023, 2024],
        },
        index=[7, 7, -1, 0, 3],
    )
    frame.attrs = {"source": "test", "tags": ["x"]}
    return frame


@pytest.fixture
def frame():
    return make_frame()


def score(pred, golds, **options):
    """The scores of one row, as a dict."""
    frame = pd.DataFrame({"response": [pred], "answers": [golds]})
    return frame.qa.score("response", "answers", append=False, **options).iloc[0].to_dict()


# ------------------------------------------------------------------------------------------------------- columns


@pytest.mark.parametrize("append", [True, False])
def test_prefix(frame, append):
    scored = frame.qa.score("response", "answers", metrics=["f1", "em"], prefix="qa_", append=append)
    plain = frame.qa.score("response", "answers", metrics=["f1", "em"], append=append)
    assert list(scored.columns) == [
        *([*COLUMNS, "qa_qa_rules", "qa_qa_flags"] if append else []),
        "qa_f1",
        "qa_em",
    ]
    renamed = scored.set_axis(plain.columns, axis=1)[["f1", "em"]]
    pd.testing.assert_frame_equal(renamed, plain[["f1", "em"]])


@pytest.mark.parametrize(
    ("metrics", "names"),
    [
        pytest.param(None, DEFAULT, id="default"),
        pytest.param("all", ALL, id="all"),
        pytest.param("rouge_l", ["rouge_l"], id="a-name"),
        pytest.param(["bleu2", "em", "f1"], ["bleu2", "em", "f1"], id="list"),
        pytest.param(("bleu2", "em"), ["bleu2", "em"], id="tuple"),
        pytest.param(["f1", "em", "f1"], ["f1", "em"], id="duplicates"),
    ],
)
def test_metrics_in_the_order_asked_for(frame, metrics, names):
    scores = frame.qa.score("response", "answers", metrics=metrics, append=False)
    assert list(scores.columns) == names


@pytest.mark.parametrize("name", ALL)
def test_a_metric_does_not_depend_on_its_company(frame, name):
    alone = frame.qa.score("response", "answers", metrics=name, append=False)
    together = frame.qa.score("response", "answers", metrics="all", append=False)
    pd.testing.assert_series_equal(alone[name], together[name], check_exact=True)


@pytest.mark.parametrize("rows", [slice(None), slice(0), slice(2, 4)], ids=["some-scored", "no-rows", "none-scored"])
def test_scores_are_float64_from_0_to_1(frame, rows):
    scores = frame.iloc[rows].qa.score("response", "answers", metrics="all", append=False)
    assert set(scores.dtypes) == {np.dtype("float64")}
    assert (scores.isna() | ((scores >= 0) & (scores <= 1))).all(axis=None)


def test_values_by_hand(frame):
    scores = frame.qa.score("response", "answers", metrics=["em", "f1", "contains"], append=False)
    expected = [[0, 2 / 3, 1], [0, 0, 0], [np.nan] * 3, [np.nan] * 3, [1, 1, 1]]
    np.testing.assert_allclose(scores, expected, rtol=1e-15)


# ----------------------------------------------------------------------------------------------------- the input

CALLS = {
    "append": {},
    "alone": {"append": False},
    "all": {"metrics": "all"},
    "best": {"reduce": "best"},
    "callable": {"reduce": np.median},
}
FAILING_CALLS = {
    "unknown-metric": {"metrics": "g1"},
    "missing": {"missing": "raise"},
    "callable": {"reduce": lambda _: None},
}


def assert_as_made(frame):
    pd.testing.assert_frame_equal(frame, make_frame())
    assert frame.attrs == make_frame().attrs


@pytest.mark.parametrize("name", CALLS)
def test_input_is_left_alone(frame, name):
    frame.qa.score("response", "answers", **CALLS[name])
    assert_as_made(frame)


@pytest.mark.parametrize("name", FAILING_CALLS)
def test_input_is_left_alone_by_an_error(frame, name):
    with pytest.raises(qa_frame.QaFrameError):
        frame.qa.score("response", "answers", **FAILING_CALLS[name])
    assert_as_made(frame)


@pytest.mark.parametrize("column", ["response", "year", "em"])
def test_result_can_be_written_to(frame, column):
    """Also where nothing is appended, as all scores are there already."""
    frame = frame.qa.score("response", "answers")
    before = frame.copy(deep=True)
    again = frame.qa.score("response", "answers")
    again.iloc[0, again.columns.get_loc(column)] = frame[column].iloc[-1]
    assert again[column].iloc[0] == frame[column].iloc[-1]
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("append", [True, False])
def test_result_can_be_annotated(frame, append):
    scored = frame.qa.score("response", "answers", append=append)
    scored.attrs["note"] = "mine"
    scored.attrs.get("tags", []).append("y")
    scored.index.name = scored.columns.name = "mine"
    assert_as_made(frame)


def test_notes_of_a_frame_that_is_scored_again_are_its_own(frame):
    once = frame.qa.score("response", "answers", metrics="em")
    before = copy.deepcopy(once.attrs)
    again = once.qa.score("response", "answers", metrics="f1", convention="drop")
    again.attrs["qa_scored"]["scorings"][0]["rules"]["convention"] = "another"
    assert once.attrs == before


# --------------------------------------------------------------------------------------------------------- nulls


@pytest.mark.parametrize(
    ("missing", "expected"), [pytest.param("zero", 0.0, id="zero"), pytest.param("null", np.nan, id="null")]
)
@pytest.mark.parametrize("reduce", ANY_REDUCTION)
def test_missing_prediction(frame, missing, expected, reduce):
    scores = frame.qa.score("response", "answers", metrics="all", missing=missing, reduce=reduce, append=False)
    np.testing.assert_array_equal(scores.iloc[MISSING_PREDICTION], [expected] * len(ALL))
    assert scores.iloc[[NO_GOLD, NEITHER]].isna().all(axis=None)
    assert scores.iloc[[0, 4]].notna().all(axis=None)


@pytest.mark.parametrize("golds", [None, [], [None], [None, None]], ids=["null", "empty", "a-null", "nulls"])
@pytest.mark.parametrize("pred", ["Rome", "", None], ids=["text", "empty", "missing"])
@pytest.mark.parametrize("missing", ["zero", "null"])
def test_without_gold_nothing_is_scored(pred, golds, missing):
    assert all(np.isnan(value) for value in score(pred, golds, metrics="all", missing=missing).values())


@pytest.mark.parametrize("reduce", ANY_REDUCTION)
def test_nulls_among_the_golds_are_dropped(reduce):
    golds = ["the Thames", "Seine", "river Seine"]
    with_nulls = [None, golds[0], None, None, *golds[1:], None]
    assert score("Seine", with_nulls, reduce=reduce) == score("Seine", golds, reduce=reduce)


# ----------------------------------------------------------------------------------------------------- rescoring


def test_scoring_again_replaces_where_the_columns_stand(frame):
    first = frame.qa.score("response", "answers", metrics=["em", "f1"])[["em", *COLUMNS, "f1"]]
    first["response"] = "Seine"
    again = first.qa.score("response", "answers", metrics=["f1", "recall", "em"])
    assert list(again.columns) == [*first.columns, "qa_rules", "qa_flags", "recall"]
    assert again["em"].tolist()[-1] == 1.0
    np.testing.assert_array_equal(again["em"], [0, 0, np.nan, np.nan, 1])


# ---------------------------------------------------------------------------------------------------- reductions

PRED = "alpha beta"
LONG, SHORT = (
    "alpha beta gamma delta epsilon",
    "alpha",
)  # F1 of 4/7 and 2/3, recall of 2/5 and 1, precision of 1 and 1/2


@pytest.mark.parametrize(
    ("reduce", "precision", "recall", "f1"),
    [
        ("max", 1, 1, 2 / 3),
        ("min", 1 / 2, 2 / 5, 4 / 7),
        ("mean", 3 / 4, 7 / 10, 13 / 21),
        ("first", 1, 2 / 5, 4 / 7),
        ("best", 1 / 2, 1, 2 / 3),
    ],
)
def test_reductions_by_hand(reduce, precision, recall, f1):
    scores = score(PRED, [LONG, SHORT], metrics=["precision", "recall", "f1"], reduce=reduce)
    assert scores == pytest.approx({"precision": precision, "recall": recall, "f1": f1}, rel=1e-15)


@pytest.mark.parametrize("metrics", [["em"], ["em", "f1"], "all"], ids=["without-f1", "with-f1", "all"])
@pytest.mark.parametrize(
    ("golds", "em"), [(["b c", "c b"], 0.0), (["c b", "b c"], 1.0)], ids=["other-first", "same-first"]
)
def test_best_of_equals_is_the_first(golds, em, metrics):
    """Both golds have an F1 of 1; only the order of words tells them apart."""
    assert score("c b", golds, metrics=metrics, reduce="best")["em"] == em


CALLABLES = {
    "built-in-max": ("max", max),
    "numpy-max": ("max", np.max),
    "own-max": ("max", lambda scores: scores.max()),
    "built-in-min": ("min", min),
    "numpy-min": ("min", np.min),
    "own-min": ("min", lambda scores: scores.min()),
    "numpy-mean": ("mean", np.mean),
    "own-mean": ("mean", lambda scores: scores.mean()),
    "own-first": ("first", lambda scores: scores[0]),
}


@pytest.mark.parametrize(("name", "function"), CALLABLES.values(), ids=CALLABLES)
def test_callable_as_its_name(frame, name, function):
    named, called = (
        frame.qa.score("response", "answers", metrics="all", reduce=reduce, append=False) for reduce in (name, function)
    )
    pd.testing.assert_frame_equal(named, called, rtol=1e-15)


def test_callable_sees_the_scores_of_each_scored_row(frame):
    seen = []

    def keep(scores):
        seen.append(scores)
        return 0.0

    frame.qa.score("response", "answers", metrics=["contains"], reduce=keep)
    assert [scores.tolist() for scores in seen] == [[1.0, 0.0], [1.0, 0.0]]
    assert {(type(scores), scores.dtype, scores.ndim) for scores in seen} == {(np.ndarray, np.dtype("float64"), 1)}


def test_callable_is_given_its_own_copy():
    def spoil(of_row):
        highest = of_row.max()
        of_row[:] = -1.0
        return highest

    per_pair = np.array([0.5, 1.0, 0.25])
    per_row = reduce_over_golds(per_pair, np.array([0, 2, 2, 3]), spoil)
    np.testing.assert_array_equal(per_row, [1.0, np.nan, 0.25])
    assert per_pair.tolist() == [0.5, 1.0, 0.25]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2, 2.0),
        (-1.5, -1.5),
        (True, 1.0),
        (np.float32(0.5), 0.5),
        (np.array(0.25), 0.25),
        (np.True_, 1.0),
        (np.nan, np.nan),
    ],
    ids=["int", "float", "bool", "float32", "0-d", "numpy-bool", "nan"],
)
def test_callable_may_return_any_number(value, expected):
    np.testing.assert_equal(score("x", ["x"], metrics=["em"], reduce=lambda _: value), {"em": expected})


def test_callable_may_lack_a_hash():
    class Highest:
        __hash__ = None

        def __call__(self, scores):
            return scores.max()

    assert score(PRED, [LONG, SHORT], reduce=Highest()) == score(PRED, [LONG, SHORT])


@pytest.mark.parametrize(
    ("progress", "is_shown"), [(True, True), (False, False), (None, False)], ids=["true", "false", "none"]
)
def test_progress(frame, capsys, progress, is_shown):
    scored = frame.qa.score("response", "answers", progress=progress)
    shown = capsys.readouterr()
    assert ("5.00/5.00" in shown.err) == is_shown
    assert (shown.err == "") != is_shown
    assert shown.out == ""
    pd.testing.assert_frame_equal(scored, frame.qa.score("response", "answers"), check_exact=True)


@pytest.mark.parametrize(("metrics", "most"), [(None, 650), ("f1", 450)], ids=["defaults", "one"])
def test_one_row_takes_few_calls(metrics, most):
    """Few rows take as long as the calls of functions do. Only those of this package are counted."""
    row = pd.DataFrame({"response": ["in Paris"], "answers": [["Paris"]]})
    package, counts = str(Path(qa_frame.__file__).parent), []
    for _ in range(4):  # the first makes what is kept for the next ones; Python may collect what other tests left
        profile = cProfile.Profile()
        profile.runcall(row.qa.score, "response", "answers", metrics=metrics)
        calls = pstats.Stats(profile).stats.items()
        counts.append(sum(of[1] for (file, *_), of in calls if file.startswith(package)))
    assert min(counts) <= most, counts
