"""Levels of keys: questions with several samples become one row each, and strata are weighted."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from qa_frame.errors import UnknownOptionError
from qa_frame.stats.estimates import estimate, group_sums
from qa_frame.stats.grouping import GroupValues, find_split_keys
from qa_frame.stats.intervals import (
    Interval,
    Spread,
    measure_unit_sizes,
    spread_of_rows,
    student_interval,
    unit_bounds,
)
from qa_frame.stats.rows import ScoredRows, is_any_scored
from qa_frame.stats.samples import (
    Passes,
    count_samples,
    is_majority_answer,
    pass_all,
    pass_at,
    questions_as_rows,
    statistics_of_samples,
)
from qa_frame.stats.statistic import Mean
from qa_frame.stats.strata import Weights
from qa_frame.stats.sums import combine, sum_by_group

NORMAL, BOOTSTRAP, NONE = (
    Interval(0.9, "normal", 1, 0),
    Interval(0.9, "bootstrap", 100, 4),
    Interval(None, "normal", 1, 0),
)
PASSES = Passes((1, 2), (2,))


def make_answers(n_questions=60, seed=0):
    """Two to five answers to each question, of which all are right or wrong; some are not scored."""
    random = np.random.default_rng(seed)
    question = np.repeat(np.arange(n_questions), random.integers(2, 6, n_questions))
    frame = pd.DataFrame({"question": question, "model": np.where(question % 3, "a", "b")})
    frame["dataset"] = np.where(question % 7 < 3, "x", "y")
    frame["document"] = question // 4
    right = random.random(n_questions)[question]
    frame["em"] = (random.random(len(frame)) < right).astype(float)
    frame["f1"] = np.where(random.random(len(frame)) < 0.1, np.nan, np.round(random.random(len(frame)) * right, 3))
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def sums_of(frame, names, *, stratum=(), unit=(), question=(), with_rows=False):
    scores = {name: frame[name].to_numpy() for name in names}
    rows = ScoredRows(len(frame), scores, {}, is_any_scored(scores, len(frame)), {})
    levels = (tuple(frame[name] for name in names) for names in (["model"], stratum, unit, question))
    figures = [Mean(name) for name in names]
    figures = statistics_of_samples(figures, 1.0) if question else figures
    return sum_by_group(rows, figures, GroupValues(*levels), with_products=True, with_rows=with_rows)


def figures_of(sums, interval, weights=None):
    """By figure and group: the value, the bounds and the rows."""
    grouped = group_sums(questions_as_rows(sums, PASSES) if sums.keys.question else sums, weights)
    labels = grouped.by_group.keys.by[0].tolist()
    return {
        (name, label): (each.value[place], each.low[place], each.high[place], each.n[place])
        for name, each in estimate(grouped, interval).items()
        for place, label in enumerate(labels)
    }


def assert_same(found, expected):
    """To the last bit."""
    assert found.keys() == expected.keys()
    for key, values in found.items():
        np.testing.assert_array_equal(values, expected[key])


# -------------------------------------------------------------------------------------------------- samples → questions


@pytest.mark.parametrize("interval", [NONE, NORMAL, BOOTSTRAP], ids=["none", "normal", "bootstrap"])
@pytest.mark.parametrize("unit", [[], ["document"]], ids=["questions", "clusters"])
def test_questions_are_as_one_row_each(interval, unit):
    """To the last bit: the figures are those of a frame with the mean and the chances of each question."""
    frame = make_answers()
    found = figures_of(sums_of(frame, ["f1", "em"], unit=unit, question=["question"]), interval)
    keys = ["model", "document", "question"]
    once = frame.groupby(keys)[["em", "f1"]].agg(lambda scores: math.fsum(scores.dropna()) / scores.count())
    counts = frame.groupby(keys)["em"].agg(["count", "sum"]).to_numpy(int).T
    for name, scores in {"em_pass@1": pass_at(*counts, 1), "em_pass@2": pass_at(*counts, 2)}.items():
        once[name] = scores
    once["em_pass^2"] = pass_all(*counts, 2)
    rows = sums_of(once.reset_index(), list(once), unit=unit, with_rows=True)
    expected = figures_of(rows, interval)
    assert_same({key: values for key, values in found.items() if not key[0].startswith("f1_")}, expected)


def test_questions_in_several_parts_are_put_together_first():
    frame = make_answers()
    whole = sums_of(frame, ["f1", "em"], unit=["document"], question=["question"])
    cuts = [frame.iloc[:50], frame.iloc[50:51], frame.iloc[51:]]
    for order in itertools.permutations(cuts):
        first, *others = (sums_of(part, ["f1", "em"], unit=["document"], question=["question"]) for part in order)
        merged = combine([first, combine(others)])
        for interval in (NONE, NORMAL, BOOTSTRAP):
            assert_same(figures_of(merged, interval), figures_of(whole, interval))


@given(st.integers(1, 60), st.data())
def test_chances_are_those_of_all_ways_to_draw(n, data):
    right, j = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    some, every = pass_at(np.array([n]), np.array([right]), j), pass_all(np.array([n]), np.array([right]), j)
    assert some[0] == float(1 - Fraction(math.comb(n - right, j), math.comb(n, j)))
    assert every[0] == float(Fraction(math.comb(right, j), math.comb(n, j)))
    assert 0 <= every[0] <= some[0] <= 1
    if n <= 8:
        drawn = list(itertools.combinations([1] * right + [0] * (n - right), j))
        assert some[0] == pytest.approx(np.mean([max(draw) for draw in drawn]), rel=1e-12)
        assert every[0] == pytest.approx(np.mean([min(draw) for draw in drawn]), rel=1e-12)


def test_chances_of_more_samples_than_there_are():
    n, right = np.array([4, 3, 0, 1000]), np.array([1, 3, 0, 999])
    np.testing.assert_array_equal(pass_at(n, right, 4), [1.0, np.nan, np.nan, 1.0])
    np.testing.assert_array_equal(pass_all(n, right, 4), [0.0, np.nan, np.nan, 0.996])
    with pytest.raises(UnknownOptionError, match=r"pass_at=6 needs that many samples .* more than 5 with a score"):
        questions_as_rows(sums_of(make_answers(), ["em"], question=["question"]), Passes((2, 6)))


def test_counts_of_samples():
    frame = make_answers()
    frame.loc[frame["question"] == 3, "f1"] = np.nan
    found = count_samples(sums_of(frame, ["f1"], question=["question"]))
    of_question = frame.dropna(subset="f1").groupby(["model", "question"])["f1"].count()
    labels = frame["model"].unique()
    expected = of_question.groupby("model").agg(["size", "min", "max"]).loc[labels].to_numpy()
    np.testing.assert_array_equal(np.transpose(found), expected)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.booleans()), max_size=30))
def test_answers_with_the_most_votes(rows):
    question, answers, is_scored = np.array(rows, np.int64).reshape(-1, 3).T
    found = is_majority_answer(answers, question, is_scored.astype(bool))
    for place, (asked, answer, has_vote) in enumerate(rows):
        others = [each for of, each, counts in rows if of == asked and counts]
        assert found[place] == (has_vote and others.count(answer) == max(map(others.count, others), default=0))


# ------------------------------------------------------------------------------------------------------------- strata


@pytest.mark.parametrize(
    ("weights", "shares"),
    [("equal", lambda _: [0.5, 0.5]), ("size", lambda n: n / n.sum()), ({"x": 0.9, "y": 0.1}, lambda _: [0.9, 0.1])],
    ids=["equal", "size", "given"],
)
def test_strata_are_weighted(weights, shares):
    frame = make_answers()
    found = figures_of(sums_of(frame, ["em"], stratum=["dataset"]), NORMAL, Weights(weights))
    for (_, model), (value, low, high, n) in found.items():
        strata = [part["em"] for _, part in frame[frame["model"] == model].groupby("dataset")]
        sizes = np.array([len(part) for part in strata])
        share, means = np.asarray(shares(sizes)), np.array([part.mean() for part in strata])
        assert value == pytest.approx(share @ means, rel=1e-14)
        assert n == sizes.sum()
        spread = spread_of_rows(np.array([part.var(ddof=1) / len(part) for part in strata]), sizes)
        of_variance = share**2 / sizes
        parts = student_interval(means, spread, sizes.astype(float), of_variance / of_variance.sum())
        expected = parts.add_up(share, add_up).bounds(0.9)
        np.testing.assert_allclose([low, high], np.ravel(expected), rtol=1e-9)


def add_up(values):
    """Of one group."""
    return values.sum(keepdims=True)


@pytest.mark.parametrize("weights", ["equal", {"x": 0.9, "y": 0.1}], ids=["equal", "given"])
@pytest.mark.parametrize("factor", [1, 5])
def test_strata_that_are_drawn_are_units(weights, factor):
    """Grades beyond [0, 1] have Student's interval of the means of strata, as by scipy where these count alike."""
    frame = make_answers().assign(em=lambda rows: factor * rows["em"])
    found = figures_of(sums_of(frame, ["em"], stratum=["dataset"]), NORMAL, Weights(weights, are_sampled=True))
    shares = np.array([0.5, 0.5] if weights == "equal" else list(weights.values()))
    for (_, model), (value, low, high, n) in found.items():
        means = frame[frame["model"] == model].groupby("dataset")["em"].mean().to_numpy()
        assert value == pytest.approx(shares @ means, rel=1e-14)
        variance = float(((shares * (means - value)) ** 2 / (1 - shares)).sum())
        if weights == "equal":
            assert variance == pytest.approx(stats.sem(means) ** 2, rel=1e-12)
        constant = measure_unit_sizes(shares[None])
        spread = Spread(np.array([variance]), constant.df, constant.df + 1, np.array([float(n)]))
        expected = unit_bounds(np.array([value]), spread, spread.n_units, 0.9)
        if factor > 1:
            expected = stats.t.interval(0.9, constant.df, value, variance**0.5)
        np.testing.assert_allclose([low, high], np.ravel(expected), rtol=1e-9)


def test_a_stratum_without_variance_counts():
    """Of 50 zeros the share may be 0.05."""
    frame = pd.DataFrame({"model": "a", "dataset": ["x"] * 50 + ["y"] * 500, "em": 0.0})
    frame.loc[frame.index[50:55], "em"] = 1.0
    ((value, low, high, _),) = figures_of(
        sums_of(frame, ["em"], stratum=["dataset"]), NORMAL, Weights("equal")
    ).values()
    assert (value, low) == (0.005, 0)
    assert high > 0.02


def test_grades_beyond_1_have_students_interval_over_strata():
    frame = make_answers()
    frame = frame[frame["model"] == "a"].assign(em=lambda rows: 5 * rows["em"])
    ((value, low, high, _),) = figures_of(
        sums_of(frame, ["em"], stratum=["dataset"]), NORMAL, Weights("equal")
    ).values()
    sides = [part["em"].to_numpy() for _, part in frame.groupby("dataset")]
    parts = np.array([part.var(ddof=1) / len(part) / 4 for part in sides])
    df = parts.sum() ** 2 / sum(part**2 / (len(side) - 1) for part, side in zip(parts, sides, strict=True))
    assert value == pytest.approx(np.mean([side.mean() for side in sides]))
    np.testing.assert_allclose([low, high], stats.t.interval(0.9, df, value, parts.sum() ** 0.5), rtol=1e-9)


def test_strata_of_questions():
    """The value is that of questions, and parts may come in any order."""
    frame, levels = make_answers(), {"stratum": ["dataset"], "unit": ["document"], "question": ["question"]}
    frame["document"] = frame["dataset"] + frame["document"].astype(str)
    expected = figures_of(sums_of(frame, ["f1", "em"], **levels), NORMAL, Weights("equal"))
    of_questions = frame.groupby(["model", "dataset", "question"])["f1"].mean()
    of_strata = of_questions.groupby(["model", "dataset"]).mean().groupby("model").mean()
    for model, value in of_strata.items():
        assert expected["f1", model][0] == pytest.approx(value, rel=1e-12)
    parts = [sums_of(part, ["f1", "em"], **levels) for part in (frame.iloc[70:], frame.iloc[:70])]
    assert_same(figures_of(combine(parts), NORMAL, Weights("equal")), expected)


@pytest.mark.parametrize("weights", ["equal", "size"])
@pytest.mark.parametrize("is_there", [True, False], ids=["unscored", "absent"])
def test_a_stratum_without_scored_rows_has_no_figure(weights, is_there):
    frame = make_answers()
    lacks = (frame["model"] == "a") & (frame["dataset"] == "x")
    frame = frame.assign(em=frame["em"].mask(lacks)) if is_there else frame[~lacks]
    found = figures_of(sums_of(frame, ["em"], stratum=["dataset"]), NORMAL, Weights(weights))
    assert np.isnan(found["em", "a"][:3]).all()
    assert not np.isnan(found["em", "b"][:3]).any()


def test_a_group_of_one_row_has_its_figure():
    one = make_answers().iloc[:1].assign(em=0.25)
    ((value, *_),) = figures_of(sums_of(one, ["em"], stratum=["dataset"]), NONE, Weights("equal")).values()
    assert value == 0.25


def test_a_stratum_that_no_group_has():
    sums = sums_of(make_answers(), ["em"], stratum=["dataset"])
    found = figures_of(sums, NONE, Weights({"x": 0.5, "y": 0.25, "z": 0.25}))
    assert np.isnan([values[0] for values in found.values()]).all()
    with pytest.raises(UnknownOptionError, match="weights have no entry for 'y', a value of 'dataset'"):
        figures_of(sums, NONE, Weights({"x": 1.0}))


def test_keys_under_two_others():
    by, inner, outer = ((pd.Series(list(keys)),) for keys in ("aabb", "1112", "xyxx"))
    assert find_split_keys(by, inner, outer).tolist() == [0]
    assert find_split_keys(by, inner, inner).tolist() == []
