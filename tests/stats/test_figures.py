"""Figures: each by its source's definition, its gradient by numeric derivatives, and what all have in common."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from qa_frame.stats.figures import MEAN, POOLED, divide_where, figure_of

FIGURES = {"mean": MEAN, **POOLED}

counts = st.integers(1, 60)


@st.composite
def statistics(draw, n_rows=None):
    """Columns of statistics of some rows, as `score(stats=True)` gives them."""
    n_rows = draw(st.integers(1, 8)) if n_rows is None else n_rows
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_pred, n_gold = random.integers(1, 30, n_rows), random.integers(1, 30, n_rows)
    columns = {"pred_len": n_pred, "gold_len": n_gold, "overlap": random.integers(0, np.minimum(n_pred, n_gold) + 1)}
    columns |= {"bleu_pred_len": n_pred + draw(st.integers(0, 3)), "bleu_ref_len": n_gold}
    matches = n_pred
    for order in (1, 2, 3, 4):
        matches = random.integers(matches // 2, matches + 1).clip(0, (n_pred - order + 1).clip(0))
        columns[f"bleu_match{order}"] = matches
    return columns


def sums_of(name, columns):
    """The sums of a figure's variables, and the number of rows."""
    if name == "mean":
        return np.array([columns["overlap"].sum() / 40, len(columns["overlap"])])
    variables = POOLED[name].variables_per_row(columns)
    return np.append(variables.sum(axis=1), variables.shape[1]).astype(float)


# ------------------------------------------------------------------------------------------------------------- values


CORPUS_BLEUS = {
    "corpus_bleu": (4, "none"),
    **{f"corpus_bleu{order}": (order, "none") for order in (1, 2, 3, 4)},
    "corpus_bleu_exp": (4, "exp"),
}
"""The highest order, and the smoothing by its name in `sacrebleu`."""


def corpus_bleu_of_sacrebleu(columns, name):
    lengths, (max_order, smoothing) = columns["bleu_pred_len"], CORPUS_BLEUS[name]
    score = BLEU.compute_bleu(
        [int(columns[f"bleu_match{order + 1}"].sum()) for order in range(max_order)],
        [int((lengths - lost).clip(0).sum()) for lost in range(max_order)],
        int(lengths.sum()),
        int(columns["bleu_ref_len"].sum()),
        smooth_method=smoothing,
        max_ngram_order=max_order,
    )
    return score.score / 100


@pytest.mark.parametrize("name", CORPUS_BLEUS)
@given(columns=statistics(), unmatched_from=st.integers(1, 5))
def test_corpus_bleu_is_that_of_sacrebleu(name, columns, unmatched_from):
    columns |= {f"bleu_match{order}": np.zeros_like(columns["pred_len"]) for order in range(unmatched_from, 5)}
    found = POOLED[name].value(sums_of(name, columns))
    assert found == pytest.approx(corpus_bleu_of_sacrebleu(columns, name), abs=1e-12)


@given(data=st.data())
def test_smoothing_changes_only_what_has_an_order_without_matches(data):
    """To the last bit, also where figures with and without such an order come together."""
    columns = [data.draw(statistics()) for _ in range(4)]
    for place, order in ((1, 4), (3, 3), (3, 4)):
        columns[place][f"bleu_match{order}"] = np.zeros_like(columns[place]["pred_len"])
    sums = np.stack([sums_of("corpus_bleu_exp", each) for each in columns])
    smoothed, plain = POOLED["corpus_bleu_exp"], POOLED["corpus_bleu"]
    has_matches = (sums[:, :4] > 0).all(axis=1)
    np.testing.assert_array_equal(smoothed.value(sums)[has_matches], plain.value(sums)[has_matches])
    np.testing.assert_array_equal(smoothed.support(sums), np.where(has_matches, plain.support(sums), 0))
    np.testing.assert_array_equal(smoothed.gradient(sums), plain.gradient(sums))


@given(columns=statistics())
def test_micro_f1_is_that_of_the_counts(columns):
    n_tokens = int(columns["pred_len"].sum() + columns["gold_len"].sum())
    found = POOLED["f1_micro"].value(sums_of("f1_micro", columns))
    assert found == pytest.approx(2 * int(columns["overlap"].sum()) / n_tokens, abs=1e-15)


def test_a_mean_is_a_mean():
    np.testing.assert_array_equal(MEAN.value(np.array([[3.0, 4], [0, 2], [0, 0]])), [0.75, 0, np.nan])


@pytest.mark.parametrize("name", FIGURES)
def test_no_rows_have_no_figure(name):
    sums = np.zeros((2, FIGURES[name].n_variables + 1))
    sums[1, -1] = 3  # rows, but nothing in them
    values = FIGURES[name].value(sums)
    np.testing.assert_array_equal(values, [np.nan, 0.0])
    np.testing.assert_array_equal(FIGURES[name].gradient(sums)[0], 0.0)


@pytest.mark.parametrize("name", POOLED)
def test_perfect_answers_have_1(name):
    columns = {"pred_len": 9, "gold_len": 9, "overlap": 9, "bleu_pred_len": 9, "bleu_ref_len": 9}
    columns |= {f"bleu_match{order}": 10 - order for order in (1, 2, 3, 4)}
    sums = sums_of(name, {each: np.full(7, value) for each, value in columns.items()})
    assert POOLED[name].value(sums) == 1.0


# ---------------------------------------------------------------------------------------- what holds for every figure


@pytest.mark.parametrize("name", FIGURES)
@given(data=st.data())
def test_gradients_are_derivatives(name, data):
    figure, sums = FIGURES[name], sums_of(name, data.draw(statistics()))
    if name in CORPUS_BLEUS:  # away from 0 and from the brevity's edge
        assume((sums[: CORPUS_BLEUS[name][0]] > 2).all())
        assume(abs(sums[-2]) > 0.5)
    step = 1e-5
    steps = np.eye(len(sums)) * step
    numeric = (figure.value(sums + steps) - figure.value(sums - steps)) / (2 * step)
    np.testing.assert_allclose(figure.gradient(sums), numeric, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", FIGURES)
@given(data=st.data(), factor=st.sampled_from([2, 3, 10, 0.5]))
def test_values_do_not_change_when_all_sums_are_multiplied(name, data, factor):
    figure, sums = FIGURES[name], sums_of(name, data.draw(statistics()))
    assume(name != "corpus_bleu_exp" or (sums[:4] > 0).all())  # half a match is less of more n-grams
    assert figure.value(factor * sums) == pytest.approx(figure.value(sums), rel=1e-14)
    gradient = figure.gradient(sums)
    assert gradient @ sums == pytest.approx(0, abs=1e-12 * np.abs(gradient * sums).sum() + 1e-300)


@pytest.mark.parametrize("name", FIGURES)
@given(data=st.data())
def test_many_at_once_as_each_alone(name, data):
    """To the last bit: a group's figure does not depend on other groups."""
    figure = FIGURES[name]
    sums = np.stack([sums_of(name, data.draw(statistics())) for _ in range(data.draw(st.integers(1, 6)))])
    alone = [(figure.value(each), figure.gradient(each), figure.support(each)) for each in sums]
    for together, each in zip((figure.value, figure.gradient, figure.support), zip(*alone, strict=True), strict=True):
        np.testing.assert_array_equal(together(sums), np.stack(each))
        np.testing.assert_array_equal(together(np.asfortranarray(sums)), np.stack(each))


@pytest.mark.parametrize("name", FIGURES)
@given(data=st.data())
def test_figures_are_from_0_to_1_and_rest_on_their_rows(name, data):
    sums = sums_of(name, data.draw(statistics()))
    assert 0 <= FIGURES[name].value(sums) <= 1
    assert 0 <= FIGURES[name].support(sums) <= sums[-1]


def test_corpus_bleu_rests_on_four_grams():
    """Two-word answers have none: they tell nothing of how often four words match."""
    columns = dict.fromkeys(["bleu_match2", "bleu_match3", "bleu_match4"], np.array([1, 0]))
    columns |= {"bleu_match1": np.array([2, 2]), "bleu_pred_len": np.array([2, 5]), "bleu_ref_len": np.array([2, 2])}
    assert POOLED["corpus_bleu"].support(sums_of("corpus_bleu", columns)) == 2
    short = {name: values[:1] for name, values in columns.items()} | {"bleu_match4": np.zeros(1, int)}
    assert POOLED["corpus_bleu"].support(sums_of("corpus_bleu", short)) == 0


def test_names():
    assert figure_of("corpus_bleu") is POOLED["corpus_bleu"]
    assert figure_of("em") is MEAN
    assert [name for name, figure in FIGURES.items() if figure.is_mean] == ["mean"]
    for figure in FIGURES.values():
        assert figure.n_counts <= figure.n_variables
    with pytest.raises(ValueError, match="the variable of a mean is its score"):
        MEAN.variables_per_row({})


def test_division_where_there_is_something_to_divide_by():
    found = divide_where(np.array([1.0, 2.0, 3.0]), np.array([[4.0], [0.0], [-1.0]]), -9.0)
    np.testing.assert_array_equal(found, [[0.25, 0.5, 0.75], [-9.0] * 3, [-9.0] * 3])
