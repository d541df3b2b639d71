"""Levels of keys, proven with figures of these tests: units that become one row each, and strata that are weighted."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import qa_frame
from qa_frame.errors import UnknownOptionError
from qa_frame.reports import rows as rows_module
from qa_frame.stats.estimates import estimate, group_sums
from qa_frame.stats.figures import Mean
from qa_frame.stats.grouping import Keys
from qa_frame.stats.intervals import Interval, wilson
from qa_frame.stats.rows import ScoredRows, is_any_scored
from qa_frame.stats.sums import collect, combine

pytestmark = [
    pytest.mark.filterwarnings("ignore::qa_frame.IntervalWarning"),
    pytest.mark.filterwarnings("ignore::qa_frame.MixedScoresWarning"),
]

NORMAL, BOOTSTRAP, NONE = (
    Interval(0.9, "normal", 1, 0),
    Interval(0.9, "bootstrap", 100, 4),
    Interval(None, "normal", 1, 0),
)


class OfUnits(Mean):
    """The mean over units of one score per unit."""

    def of_units(self, sums):
        is_scored = sums.n > 0
        scores = np.where(is_scored, self.score(sums), 0.0)
        return self.sums(scores[None], is_scored, np.arange(len(scores)), len(scores), with_products=False)


class MeanOfAnswers(OfUnits):
    """The score of a question is the mean of its answers."""

    def score(self, sums):
        return self.exact_value(sums)


@dataclass(frozen=True)
class PassAt(OfUnits):
    """The score of a question is the chance that one of k answers, drawn from its n answers, is right."""

    k: int = 2

    def score(self, sums):
        n_right = np.rint(sums.as_floats()[:, 0]).astype(int)
        return np.array([pass_at(self.k, *counts) for counts in zip(sums.n, n_right, strict=True)])


def pass_at(k, n, n_right):
    return 1 - math.comb(n - n_right, k) / math.comb(n, k) if n >= k else np.nan


class MeanOfStrata(Mean):
    """The mean of the means of a group's strata."""

    def stratum_weights(self, n, group, n_groups):  # noqa: ARG002
        return 1 / np.bincount(group, minlength=n_groups)[group]


def make_answers(n_questions=60, seed=0):
    """Two to five answers to each question, of which all are right or wrong; some are not scored."""
    random = np.random.default_rng(seed)
    question = np.repeat(np.arange(n_questions), random.integers(2, 6, n_questions))
    frame = pd.DataFrame({"question": question, "model": np.where(question % 3, "a", "b")})
    frame["dataset"] = np.where(question % 7 < 3, "x", "y")
    right = random.random(n_questions)[question]
    frame["em"] = (random.random(len(frame)) < right).astype(float)
    frame["f1"] = np.where(random.random(len(frame)) < 0.1, np.nan, np.round(random.random(len(frame)) * right, 3))
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def sums_of(frame, figures, *, stratum=(), unit=(), with_products=False, with_rows=False):
    scores = {figure.name: frame[figure.name].to_numpy() for figure in figures}
    rows = ScoredRows(len(frame), scores, {}, is_any_scored(scores, len(frame)), {})
    levels = (tuple(frame[name] for name in names) for names in (["model"], stratum, unit))
    return collect(rows, figures, Keys(*levels), with_products=with_products, with_rows=with_rows)


def figures_of(sums, interval):
    """By figure and group: the value, the bounds and the rows."""
    grouped = group_sums(sums)
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


# ------------------------------------------------------------------------------------------------------- units → rows


@pytest.mark.parametrize(
    ("figure", "score"),
    [
        (MeanOfAnswers("f1"), lambda values: values.mean()),
        (MeanOfAnswers("em"), lambda values: values.mean()),
        (PassAt("em", k=2), lambda values: pass_at(2, len(values), int(values.sum()))),
    ],
    ids=["mean-f1", "mean-em", "pass-at-2"],
)
def test_units_are_as_one_row_each(figure, score):
    """Value, normal interval and bootstrap are those of a frame with one row per unit."""
    frame = make_answers()
    found = sums_of(frame, [figure], unit=["question"])
    once = frame.groupby(["model", "question"])[figure.name].agg(lambda values: score(values.dropna())).reset_index()
    expected = sums_of(once, [Mean(figure.name)], with_products=True, with_rows=True)
    for interval, rtol in ((NONE, 1e-14), (NORMAL, 1e-9), (BOOTSTRAP, 1e-12)):
        of_units, of_rows = figures_of(found, interval), figures_of(expected, interval)
        assert of_units.keys() == of_rows.keys()
        for key, values in of_units.items():
            np.testing.assert_allclose(values, of_rows[key], rtol=rtol)


@pytest.mark.parametrize("interval", [NONE, NORMAL, BOOTSTRAP], ids=["none", "normal", "bootstrap"])
def test_units_in_several_parts_are_put_together_first(interval):
    frame, figures = make_answers(), [MeanOfAnswers("f1"), PassAt("em")]
    expected = figures_of(sums_of(frame, figures, unit=["question"]), interval)
    cuts = [frame.iloc[:50], frame.iloc[50:51], frame.iloc[51:]]
    for order in itertools.permutations(cuts):
        first, *others = (sums_of(part, figures, unit=["question"]) for part in order)
        found = figures_of(combine([first, combine(others)]), interval)
        assert_same(found, expected)


def test_summaries_and_pools_take_such_a_figure(monkeypatch):
    monkeypatch.setattr(rows_module, "mean_of", lambda name: (MeanOfAnswers if name == "f1" else Mean)(name))
    frame = make_answers()
    whole = frame.qa.summary(by="model", ci=0.9, cluster="question")
    pool = qa_frame.Pool("model", cluster="question")
    for start in (100, 0, 200):
        pool.merge(qa_frame.Pool("model", cluster="question").update(frame.iloc[start : start + 100]))
    pd.testing.assert_frame_equal(pool.summary(ci=0.9), whole, check_exact=True)
    by_question = frame.groupby(["model", "question"])[["em", "f1"]].mean().groupby("model").mean()
    np.testing.assert_allclose(whole["f1"], by_question["f1"], rtol=1e-12)
    np.testing.assert_allclose(whole["em"], frame.groupby("model")["em"].mean(), rtol=1e-12)


# ------------------------------------------------------------------------------------------------------------- strata


def test_strata_are_weighted():
    frame, figure = make_answers(), MeanOfStrata("em")
    sums = sums_of(frame, [figure], stratum=["dataset"], with_products=True)
    for (_, model), (value, low, high, n) in figures_of(sums, NORMAL).items():
        strata = [part["em"] for _, part in frame[frame["model"] == model].groupby("dataset")]
        assert value == pytest.approx(np.mean([part.mean() for part in strata]), rel=1e-14)
        assert n == sum(map(len, strata))
        sizes = np.array([len(part) for part in strata])
        variances = np.array([part.var(ddof=1) / len(part) for part in strata])
        largest = np.array([part.mean() * (1 - part.mean()) for part in strata])
        shifted = ((sizes - 1) * variances + largest / sizes / 2) / (sizes - 1 / 2)
        df = variances.sum() ** 2 / sum(variances**2 / (sizes - 1))
        effective = value * (1 - value) / (shifted.sum() / 4)
        quantile = stats.t.ppf(0.95, df)
        expected = wilson(np.array([value]), np.array([effective]), np.array([quantile]))
        np.testing.assert_allclose((low, high), np.ravel(expected), rtol=1e-9)


def test_strata_have_units_of_their_own():
    """Of questions in strata: the value is that of questions, and parts may come in any order."""
    frame = make_answers()
    figures = [type("Both", (MeanOfAnswers, MeanOfStrata), {})("f1"), Mean("em")]
    levels = {"stratum": ["dataset"], "unit": ["question"]}
    levels["with_products"] = True
    expected = figures_of(sums_of(frame, figures, **levels), NORMAL)
    of_questions = frame.groupby(["model", "dataset", "question"])["f1"].mean()
    of_strata = of_questions.groupby(["model", "dataset"]).mean().groupby("model").mean()
    for model, value in of_strata.items():
        assert expected["f1", model][0] == pytest.approx(value, rel=1e-12)
    parts = [sums_of(part, figures, **levels) for part in (frame.iloc[70:], frame.iloc[:70])]
    assert_same(figures_of(combine(parts), NORMAL), expected)


def test_rows_of_all_strata_are_added_up_by_default():
    frame, figures = make_answers(), [Mean("em"), Mean("f1")]
    for interval in (NONE, NORMAL, BOOTSTRAP):
        sums, with_strata = (
            sums_of(frame, figures, stratum=stratum, with_products=True, with_rows=True)
            for stratum in ([], ["dataset"])
        )
        assert_same(figures_of(with_strata, interval), figures_of(sums, interval))


def test_a_stratum_without_scored_rows_has_no_figure():
    frame = make_answers()
    frame.loc[(frame["model"] == "a") & (frame["dataset"] == "x"), "em"] = np.nan
    found = figures_of(sums_of(frame, [MeanOfStrata("em")], stratum=["dataset"], with_products=True), NORMAL)
    assert np.isnan(found["em", "a"][:3]).all()
    assert not np.isnan(found["em", "b"][:3]).any()


def test_the_bootstrap_does_not_draw_in_strata():
    sums = sums_of(make_answers(), [MeanOfStrata("em")], stratum=["dataset"], with_rows=True)
    with pytest.raises(UnknownOptionError, match="has no bounds of em over strata; give method='normal'"):
        figures_of(sums, BOOTSTRAP)
