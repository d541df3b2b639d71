"""Paired comparisons: nothing left out, p-values as by enumeration, by scipy and by sacrebleu, intervals by formula."""

from __future__ import annotations

import itertools
import re
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
from scipy import stats

import qa_frame
from qa_frame.stats import contrasts, permutation
from qa_frame.stats.differences import adjust_p_values
from qa_frame.tables.pooled import POOLED_STATISTICS as POOLED
from tests.reference.p_function import Oracle
from tests.reference.statistics import p_by_enumeration, statistics
from tests.scored_first import scored_first

COLUMNS = ["metric", "a", "b", "n", "mean_a", "mean_b", "wins", "ties", "losses", "mdd"]
COLUMNS += ["n_only_a", "n_only_b", "n_not_scored", "diff_lo", "diff_hi", "p", "diff", "p_adj", "verdict"]
FIGURES = ["mean_a", "mean_b", "mdd", "diff_lo", "diff_hi", "p", "diff", "p_adj"]
OF_MARGIN = ["p_noninferior", "p_equivalent", "tost_lo", "tost_hi"]

pytestmark = pytest.mark.filterwarnings("ignore:intervals and p:qa_frame.errors.IntervalWarning")


def make_pair(a, b, *, metric="f1", **columns):
    """A frame with two models' scores on the same questions. columns: one value a question."""
    n = len(a)
    frame = pd.DataFrame({"model": ["a"] * n + ["b"] * n, "question_id": [*range(n), *range(n)]})
    return frame.assign(**{metric: [*a, *b]}, **{name: [*values, *values] for name, values in columns.items()})


def compared(frame, **options):
    frame, options = scored_first(frame, options)
    return frame.qa.compare(**{"by": "model", "question": "question_id"} | options)


def only(frame, **options):
    """The one row of a comparison of one metric and two groups."""
    result = compared(frame, **options)
    assert len(result) == 1
    return result.iloc[0]


@pytest.fixture(scope="module")
def scored():
    return qa_frame.sample().qa.score("response", "answers", metrics=["em", "f1", "bleu"])


@pytest.fixture(scope="module")
def with_statistics():
    sample = qa_frame.sample()
    scored = sample.qa.score("response", "answers", metrics=["f1", "bleu"])
    return pd.concat([scored, statistics(sample["response"].fillna(""), sample["answers"])], axis=1)


def random_pair(seed, n, *, effect=0.03):
    random = np.random.default_rng(seed)
    ease = random.beta(0.7, 0.7, n)
    a, b = (np.clip(ease + shift + random.normal(0, 0.3, n), 0, 1).round(2) for shift in (effect, 0))
    return a, b


# ------------------------------------------------------------------------------------------------------------ the frame


@pytest.mark.parametrize("margin", [None, 0.05])
def test_what_decides_is_printed_at_80_columns(scored, margin):
    """As pandas and polars print tables that are too wide, by their defaults."""
    result = compared(scored, margin=margin)
    assert list(result.columns)[-3:] == ["diff", "p_adj", "verdict"]
    with pd.option_context("display.width", 80, "display.max_columns", 0):
        head = repr(result).splitlines()[0].split()
    assert head[:1] + head[-3:] == ["metric", "diff", "p_adj", "verdict"]
    with pl.Config(tbl_cols=8, tbl_width_chars=80):
        text = str(pl.from_pandas(result))
    assert all(re.search(rf"\b{name}\b", text) for name in ("metric", "a", "b", "diff", "p_adj", "verdict"))


def test_columns(scored):
    result = compared(scored)
    assert list(result.columns) == COLUMNS
    assert (result.dtypes[["n", "n_only_a", "n_only_b", "n_not_scored"]] == "int64").all()
    assert (result.dtypes[["wins", "ties", "losses"]] == "Int64").all()
    assert (result.dtypes[FIGURES] == "float64").all()
    assert result["metric"].tolist() == ["em"] * 3 + ["f1"] * 3 + ["bleu"] * 3
    pairs = [("heron-7b", "lynx-70b"), ("heron-7b", "otter-chat"), ("lynx-70b", "otter-chat")]
    assert list(zip(result["a"], result["b"], strict=True)) == pairs * 3
    assert result.index.tolist() == list(range(9))


def test_counts_of_what_cannot_be_paired():
    frame = make_pair([1, 0.5, 0, np.nan, np.nan, 1], [1, 0, 0.5, 1, np.nan, 1])
    frame = frame[~((frame["model"] == "b") & (frame["question_id"] == 5))]
    frame = pd.concat(
        [frame, pd.DataFrame({"model": "b", "question_id": [7, 8], "f1": [0, np.nan]})], ignore_index=True
    )
    row = only(frame)
    assert row[["n", "n_only_a", "n_only_b", "n_not_scored"]].tolist() == [3, 1, 2, 2]
    assert row[["wins", "ties", "losses"]].tolist() == [1, 1, 1]
    assert row[["mean_a", "mean_b", "diff"]].tolist() == [0.5, 0.5, 0]


def test_attrs_name_every_setting(scored):
    attrs = compared(scored, n_resamples=50, seed=3, cluster="question", ci=0.9, correction="none").attrs
    assert attrs["qa"] == scored.qa.summary().attrs["qa"]
    wanted = {"correction": "none", "cluster": "question", "ci": 0.9, "n_resamples": 50, "seed": 3}
    assert wanted.items() <= attrs["qa_compare"].items()


# -------------------------------------------------------------------------------------------------------------- margins


def oracle_of(row, d, cluster=None, *, n_draws=10_000):
    """P in plain Python. d: differences of questions."""
    code = np.arange(len(d)) if cluster is None else np.unique(cluster, return_inverse=True)[1]
    totals, sizes = np.bincount(code, weights=d), np.bincount(code).astype(float)
    return Oracle(totals.tolist(), sizes.tolist(), row["p"], n_draws=n_draws)


@pytest.mark.parametrize("margin", [0, 0.03, 0.2])
def test_margins_in_plain_python(margin):
    a, b = random_pair(5, 80)
    row = only(make_pair(a, b), margin=margin, n_resamples=200)
    oracle = oracle_of(row, a - b, n_draws=200)
    above, below = oracle.p_below(margin), oracle.p_above(margin)
    expected = [above, max(above, below), *oracle.bounds(0.05)]
    np.testing.assert_allclose(row[OF_MARGIN].astype(float), expected, rtol=1e-9, atol=1e-13)
    found = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    np.testing.assert_allclose(row["mdd"], found * oracle.error, rtol=1e-9)


def test_a_margin_of_two_names_in_one_is_not_asked_for_as_a_list(scored):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="is not known") as raised:
        scored.qa.compare("model", ["dataset", "question_id"], margin={"em,f1": 0.02})
    assert "give a list" not in str(raised.value)


def test_two_columns_of_one_name_do_not_hide_the_error_of_pairs():
    frame = pd.DataFrame(
        [[model, 1, "x", "x", 1.0] for model in "aab"], columns=["model", "q", "dataset", "dataset", "em"]
    )
    with pytest.raises(qa_frame.errors.PairingError, match="samples=True"):
        frame.qa.compare("model", "q")


def test_margins_by_metric(scored):
    table = compared(scored, margin={"f1": 0.05}, n_resamples=100).set_index("metric")
    assert table.loc["f1", OF_MARGIN].notna().all(axis=None)
    assert table.loc[["em", "bleu"], OF_MARGIN].isna().all(axis=None)
    assert table.attrs["qa_compare"]["margin"] == {"f1": 0.05}
    every = compared(scored, margin=0.05, n_resamples=100).set_index("metric")
    pd.testing.assert_frame_equal(every.loc[["f1"], OF_MARGIN], table.loc[["f1"], OF_MARGIN])


@pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")
def test_margins_of_pooled_figures_and_of_nothing(with_statistics):
    row = compared(with_statistics, metrics="corpus_bleu", margin=0.05, n_resamples=200).iloc[0]
    assert (row["p_noninferior"] < 0.05) == (row["tost_lo"] > -0.05)
    assert row["tost_lo"] < row["diff"] < row["tost_hi"]
    same = with_statistics[with_statistics["model"] == "lynx-70b"]
    row = only(pd.concat([same, same.assign(model="copy")], ignore_index=True), metrics="corpus_bleu", margin=0.05)
    # A win and a loss are added, and so many questions make little of them.
    error = np.sqrt(2) / (row["n"] + 1)
    np.testing.assert_allclose(row["mdd"], (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * error, rtol=1e-9)
    assert row["p_equivalent"] < 1e-3
    one = only(make_pair([1.0], [0.5]), margin=0.05)
    assert one[["mdd", *OF_MARGIN]].isna().all()


def test_margins_that_no_score_could_exceed(scored, with_statistics):
    said = r"margin={} is 1 or more, so that {} could not fail: .*; 5 percentage points are 0.05"
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=said.format(5, "em")):
        compared(scored, margin=5)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=said.format(r"\{'f1': 5\}", "f1")):
        compared(scored, margin={"f1": 5})
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=said.format(5, "corpus_bleu")):
        compared(with_statistics, metrics="corpus_bleu", margin=5)
    in_percent = scored.assign(f1=100 * scored["f1"], stars=scored["f1"])
    for metric in ("f1", "stars"):
        assert compared(in_percent, metrics=metric, margin=5, n_resamples=100)["p_noninferior"].notna().all()


def test_margins_that_are_wrong(scored):
    for margin in (-0.01, {"f1": -0.01}, "0.05", True, np.nan, [0.05]):
        with pytest.raises(
            qa_frame.errors.UnknownOptionError, match=r"margin=.* is not a number of 0 or more; give how much"
        ):
            compared(scored, margin=margin)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"margin='f2' is not known; did you mean 'f1'\?"):
        compared(scored, margin={"f2": 0.01})
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match=r"ci=0\.5 tests a margin at the level 0.5, which is no level"
    ):
        compared(scored, margin=0.1, ci=0.5)


# ----------------------------------------------------------------------------------------------------------------- keys


def test_several_columns_by(scored):
    twice = pd.concat([scored.assign(prompt=prompt) for prompt in ("x", "y")], ignore_index=True)
    result = compared(twice, by=["model", "prompt"], metrics="f1", baseline=("heron-7b", "x"))
    assert result["a"].tolist()[:2] == [("heron-7b", "y"), ("lynx-70b", "x")]
    assert result[["n", "diff", "p", "ties"]].iloc[0].tolist() == [115, 0, 1, 115]


def test_by_and_on_index_levels(scored):
    pd.testing.assert_frame_equal(compared(scored.set_index(["model", "question_id"])), compared(scored))


def test_categories_keep_their_order(scored):
    models = pd.Categorical(scored["model"], ["none", "otter-chat", "lynx-70b", "heron-7b"])
    result = compared(scored.assign(model=models), metrics="f1")
    assert next(zip(result["a"], result["b"], strict=True)) == ("otter-chat", "lynx-70b")
    assert len(result) == 3


# ----------------------------------------------------------------------------------------------------------- invariance


@pytest.mark.filterwarnings("ignore::qa_frame.errors.MixedScoresWarning")
@pytest.mark.parametrize(
    "options",
    [{}, {"cluster": "question"}],
    ids=["plain", "cluster"],
)
def test_rows_in_any_order_with_any_index(with_statistics, options):
    expected = compared(with_statistics, n_resamples=300, **options)
    for seed in range(3):
        shuffled = with_statistics.sample(frac=1, random_state=seed)
        shuffled.index = np.random.default_rng(seed).integers(0, 5, len(shuffled))
        pd.testing.assert_frame_equal(compared(shuffled, n_resamples=300, **options), expected, check_exact=True)


def test_names_turned_round():
    a, b = random_pair(0, 60)
    row, turned = (only(make_pair(*pair), n_resamples=500) for pair in ((a, b), (b, a)))
    assert turned["p"] == row["p"]
    np.testing.assert_allclose(
        turned[["diff", "diff_lo", "diff_hi"]].tolist(), [-row["diff"], -row["diff_hi"], -row["diff_lo"]], atol=1e-15
    )
    assert turned[["wins", "losses"]].tolist() == row[["losses", "wins"]].tolist()


def test_seeds(scored):
    first, again, other = (compared(scored, metrics="bleu", seed=seed)["p"].tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_a_pair_is_tested_alike_whatever_else_is(with_statistics):
    """One set of swaps serves all: fewer metrics or pairs do not change the others."""
    keys = ["metric", "a", "b"]
    every = compared(with_statistics).set_index(keys)
    some = compared(with_statistics, metrics=["corpus_bleu", "f1"], baseline="otter-chat").set_index(keys)
    assert some["p"].equals(every.loc[some.index, "p"])


def test_batches_do_not_matter(with_statistics, monkeypatch):
    expected = compared(with_statistics, n_resamples=300)
    monkeypatch.setattr(permutation, "_ELEMENTS", 1000)
    monkeypatch.setattr(contrasts, "_SUMS", 500)
    pd.testing.assert_frame_equal(compared(with_statistics, n_resamples=300), expected)


# ------------------------------------------------------------------------------------------------ p-values, permutation


twelfths = st.integers(0, 12)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(twelfths, twelfths, st.integers(0, 4)), min_size=1, max_size=30))
def test_exact_p_values_in_clusters(rows):
    a, b, cluster = (list(side) for side in zip(*rows, strict=True))
    row = only(make_pair(np.array(a) / 12, np.array(b) / 12, cluster=cluster), cluster="cluster")
    sums = pd.Series([Fraction(one - other, 12) for one, other in zip(a, b, strict=True)]).groupby(cluster).sum()
    assert row["p"] == pytest.approx(p_by_enumeration(sums.tolist(), takes_mid=len(sums) == len(a)), abs=1e-12)


def test_scores_equal_but_for_rounding_are_ties():
    row = only(make_pair([0.1 + 0.2, 2 / 3, 1.0], [0.3, 1 - 1 / 3, 0.5]))
    assert row[["wins", "ties", "losses"]].tolist() == [1, 2, 0]
    assert row["p"] == 1 / 2


@pytest.mark.parametrize(
    ("n_up", "n_down", "n_same"), [(0, 1, 3), (7, 3, 0), (60, 40, 10), (1300, 1200, 0), (2000, 0, 1)]
)
def test_binary_scores_are_tested_exactly(n_up, n_down, n_same):
    a = [1] * n_up + [0] * n_down + [1] * n_same
    b = [0] * n_up + [1] * n_down + [1] * n_same
    exact = stats.binomtest(n_up, n_up + n_down).pvalue
    mid = exact - stats.binom.pmf(n_up, n_up + n_down, 0.5)
    assert only(make_pair(a, b, metric="em"), n_resamples=1)["p"] == pytest.approx(mid, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_p_values_are_those_of_scipy(seed):
    a, b = random_pair(seed, 200)
    row = only(make_pair(a, b))
    theirs = stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=3000,
        random_state=0,
    ).pvalue
    error = np.sqrt(row["p"] * (2 - row["p"]) / 3000 + row["p"] * (1 - row["p"]) / 10_000)  # theirs: twice one side
    assert 0.001 < row["p"] < 0.999
    assert abs(row["p"] - theirs) < 4 * error


def test_least_sampled_p_value():
    """The one found is counted too."""
    assert only(make_pair(np.linspace(0.5, 1, 50), np.zeros(50)), n_resamples=99)["p"] == 1 / 100


# ------------------------------------------------------------------------------------------------------- corpus figures


def corpus(with_statistics, model):
    """Predictions and lists of golds of a model, of the rows that are scored, by question."""
    rows = with_statistics[(with_statistics["model"] == model) & with_statistics["f1"].notna()].sort_values(
        "question_id"
    )
    golds = rows["answers"].tolist()
    streams = [[row[place] if place < len(row) else None for row in golds] for place in range(max(map(len, golds)))]
    return rows["response"].fillna("").tolist(), streams


def test_corpus_bleu_is_that_of_sacrebleu(with_statistics):
    result = compared(with_statistics, metrics="corpus_bleu", n_resamples=500).set_index(["a", "b"])
    for (a, b), row in result.iterrows():
        for model, value in ((a, row["mean_a"]), (b, row["mean_b"])):
            preds, streams = corpus(with_statistics, model)
            assert value == pytest.approx(
                BLEU(smooth_method="none").corpus_score(preds, streams).score / 100, abs=1e-12
            )
    assert result["n"].tolist() == [115] * 3
    assert result[["wins", "ties", "losses"]].isna().all(axis=None)


def test_corpus_bleu_is_tested_as_by_sacrebleu(with_statistics, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "1")
    few = with_statistics[with_statistics["dataset"] == "explain"]
    few = few[few["question_id"].isin(few["question_id"].unique()[:25])]
    models = ["lynx-70b", "otter-chat"]
    row = only(few[few["model"].isin(models)], metrics="corpus_bleu")
    systems = [(model, corpus(few, model)[0]) for model in models]
    paired = PairedTest(
        systems, {"BLEU": BLEU(smooth_method="none")}, corpus(few, "lynx-70b")[1], test_type="ar", n_samples=3000
    )
    theirs = paired()[1]["BLEU"][1]
    assert row["mean_b"] * 100 == pytest.approx(theirs.score)
    assert abs(row["p"] - theirs.p_value) < 5 * np.sqrt(max(row["p"], 1e-3) / 3000) + 1 / 3000


def test_swaps_of_statistics_by_enumeration(with_statistics):
    """Corpus BLEU and micro F1 of eight questions, for each way to give their two answers to two systems."""
    questions = with_statistics["question_id"].unique()[[0, 3, 5, 9, 70, 71, 75, 80]]
    few = with_statistics[with_statistics["question_id"].isin(questions) & (with_statistics["model"] != "heron-7b")]
    few = few[few.groupby("question_id")["f1"].transform("count") == 2]
    sides = [rows.sort_values("question_id") for _, rows in few.groupby("model")]
    for metric, figure in (("corpus_bleu", bleu_of), ("f1_micro", f1_of)):
        counts = [side[list(POOLED[metric].statistics)].to_numpy() for side in sides]
        differences = []
        for flips in itertools.product((0, 1), repeat=len(sides[0])):
            swap = np.array(flips, bool)[:, None]
            first, second = (np.where(swap, *pair).sum(axis=0) for pair in (counts[::-1], counts))
            differences.append(abs(figure(*first) - figure(*second)) if metric == "f1_micro" else 0.0)
            if metric == "corpus_bleu":
                rows = [np.where(swap, *pair) for pair in (counts[::-1], counts)]
                differences[-1] = abs(figure(rows[0]) - figure(rows[1]))
        row = only(few, metrics=metric)
        assert abs(row["diff"]) == pytest.approx(differences[0], abs=1e-12)
        assert 0 < row["p"] < 1
        assert row["p"] == pytest.approx(np.mean(np.array(differences) >= differences[0] - 1e-12))


def bleu_of(counts):
    """By sacrebleu's own arithmetic. counts: shape (rows, 6)."""
    pred_len = counts[:, 4]
    n_grams = [int(np.maximum(pred_len - order, 0).sum()) for order in range(4)]
    score = BLEU.compute_bleu(
        [int(total) for total in counts[:, :4].sum(axis=0)],
        n_grams,
        int(pred_len.sum()),
        int(counts[:, 5].sum()),
        smooth_method="none",
    )
    return score.score / 100


def f1_of(overlap, pred_len, gold_len):
    return 2 * overlap / (pred_len + gold_len)


# ------------------------------------------------------------------------------------------------------------ intervals


@pytest.mark.parametrize("n", [2, 3, 50])
@pytest.mark.parametrize("ci", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("is_graded", [True, False])
def test_interval_has_a_win_and_a_loss_more_than_there_are(n, ci, is_graded):
    a, b = random_pair(n, n, effect=0.1)
    if not is_graded:
        a, b = a.round(), b.round()
    row = only(make_pair(a, b), ci=ci, n_resamples=1000)
    expected = oracle_of(row, a - b, n_draws=1000).bounds((1 - ci) / 2)
    if ci < 0.999:  # for which so few draws are not enough
        np.testing.assert_allclose(row[["diff_lo", "diff_hi"]].tolist(), expected, rtol=1e-8, atol=1e-10)
    assert row["diff_lo"] <= row["diff"] <= row["diff_hi"]


@pytest.mark.parametrize("n_clusters", [2, 9, 25])
def test_interval_in_clusters(n_clusters):
    a, b = random_pair(5, 60)
    cluster = np.random.default_rng(5).integers(0, n_clusters, 60)
    row = only(make_pair(a, b, cluster=cluster), cluster="cluster", n_resamples=1000)
    expected = oracle_of(row, a - b, cluster, n_draws=1000).bounds(0.025)
    np.testing.assert_allclose(row[["diff_lo", "diff_hi"]].tolist(), expected, rtol=1e-8, atol=1e-9)


def test_interval_of_a_corpus_bleu_of_zero_is_unknown(with_statistics):
    nothing = with_statistics.assign(
        bleu_match4=with_statistics["bleu_match4"].where(with_statistics["model"] != "lynx-70b", 0)
    )
    row = compared(nothing, metrics="corpus_bleu").iloc[2]
    assert row["mean_a"] == 0
    assert row[["diff_lo", "diff_hi"]].isna().all()
    assert row[["diff", "p"]].notna().all()


def test_two_corpus_bleus_of_zero_do_not_differ(with_statistics):
    row = compared(with_statistics.assign(bleu_match4=0), metrics="corpus_bleu", n_resamples=50).iloc[0]
    assert row[["mean_a", "mean_b", "diff", "p"]].tolist() == [0, 0, 0, 1]


# ----------------------------------------------------------------------------------------------------------- correction


@pytest.mark.parametrize("correction", ["holm", "none"])
def test_metrics_are_families_of_their_own(scored, correction):
    result = compared(scored, correction=correction, n_resamples=200)
    for _, family in result.groupby("metric"):
        assert family["p_adj"].tolist() == adjust_p_values(family["p"].to_numpy(), correction).tolist()


# ---------------------------------------------------------------------------------------------------------- few or none


def test_one_shared_question():
    row = only(make_pair([1], [0.5]))
    assert row[["n", "diff"]].tolist() == [1, 0.5]
    assert row[["diff_lo", "diff_hi"]].isna().all()


def test_one_cluster():
    row = only(make_pair([1, 0.5], [0.5, 0.75], cluster=[1, 1]), cluster="cluster")
    assert row[["diff_lo", "diff_hi"]].isna().all()


@pytest.mark.parametrize("metric", ["f1", "f1_micro", "corpus_bleu"])
def test_no_shared_question(with_statistics, metric):
    questions = with_statistics["question_id"].unique()
    is_kept = with_statistics["question_id"].isin(questions[:60]) == (with_statistics["model"] == "lynx-70b")
    said = "2 of 3 rows compare groups that have no question in common, first 'heron-7b' and 'lynx-70b'"
    with pytest.warns(qa_frame.errors.PairingWarning, match=said):
        result = compared(with_statistics[is_kept], metrics=metric, n_resamples=100)
    unpaired = result[(result["a"] == "lynx-70b") | (result["b"] == "lynx-70b")]
    assert unpaired["n"].tolist() == [0, 0]
    assert unpaired[["n_only_a", "n_only_b"]].to_numpy().tolist() == [[60, 60], [60, 60]]
    assert unpaired[FIGURES].isna().all(axis=None)
    assert result["p_adj"][1] == result["p"][1]  # the only one that was tested


def test_no_shared_question_at_all():
    """With a baseline and without, and also where the keys are only of different types."""
    frame = make_pair([1, 0], [0, 1]).assign(question_id=[1, 2, "1", "2"])
    for options in ({}, {"baseline": "b"}):
        with pytest.warns(
            qa_frame.errors.PairingWarning, match="1 of 1 row compares groups that have no question in common"
        ):
            row = only(frame, **options)
        assert row[["n", "n_only_a", "n_only_b"]].tolist() == [0, 2, 2]


# --------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"by": "modle"}, qa_frame.errors.ColumnNotFoundError, ["by='modle'", "did you mean 'model'"]),
        ({"question": "id"}, qa_frame.errors.ColumnNotFoundError, ["question='id'", "question_id"]),
        ({"question": ["dataset", "id"]}, qa_frame.errors.ColumnNotFoundError, ["question='id'"]),
        ({"question": ("dataset", "question_id")}, qa_frame.errors.ColumnNotFoundError, ["give a list"]),
        ({"question": []}, qa_frame.errors.ColumnNotFoundError, ["question=[]"]),
        ({"cluster": "doc"}, qa_frame.errors.ColumnNotFoundError, ["cluster='doc'"]),
        (
            {"baseline": "lynx"},
            qa_frame.errors.UnknownOptionError,
            ["baseline='lynx'", "did you mean 'lynx-70b'", "otter-chat"],
        ),
        ({"baseline": ["lynx-70b"]}, qa_frame.errors.UnknownOptionError, ["baseline=['lynx-70b']", "otter-chat"]),
        ({"correction": "Holm"}, qa_frame.errors.UnknownOptionError, ["correction='Holm'", "did you mean 'holm'"]),
        ({"metrics": "f2"}, qa_frame.errors.UnknownOptionError, ["metrics='f2'", "corpus_bleu"]),
        ({"metrics": []}, qa_frame.errors.UnknownOptionError, ["metrics=[]"]),
        ({"metrics": 3}, qa_frame.errors.UnknownOptionError, ["metrics=3"]),
        ({"metrics": "rouge_l"}, qa_frame.errors.ColumnNotFoundError, ["metrics='rouge_l'"]),
        ({"metrics": "corpus_bleu"}, qa_frame.errors.ColumnNotFoundError, ["corpus_bleu", "stats=True"]),
        ({"prefix": "x_"}, qa_frame.errors.ColumnNotFoundError, ["prefix='x_'", "df.qa.score"]),
        (
            {"by": "dataset", "question": "question"},
            qa_frame.errors.PairingError,
            ["by='dataset'", "question='question'", "give samples=True", "drop_duplicates"],
        ),
        ({"cluster": "response"}, qa_frame.errors.PairingError, ["cluster='response'", "null"]),
        ({"cluster": "model"}, qa_frame.errors.PairingError, ["cluster='model'", "property of the question"]),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, dict) else "",
)
def test_errors(scored, options, error, parts):
    with pytest.raises(error) as caught:
        compared(scored, **options)
    for part in parts:
        assert part in str(caught.value)


def test_other_questions_are_told_apart_by_the_dataset_only_where_it_does_so(scored):
    twice = pd.concat([scored, scored])
    for question in (["dataset", "question_id"], "question_id"):
        with pytest.raises(
            qa_frame.errors.PairingError, match="let `question` name what tells them apart; if they are copies"
        ):
            compared(twice, question=question)
    other = pd.concat([scored, scored.assign(dataset="other", question=scored["question"] + " (again)")])
    with pytest.raises(
        qa_frame.errors.PairingError, match=r"tells them apart, as question=\['dataset', 'question_id'\] does; if"
    ):
        compared(other, question="question_id")
    assert len(compared(other, question=["dataset", "question_id"]))


def test_one_group(scored):
    with pytest.raises(qa_frame.errors.PairingError, match=r"by='model' makes 1 group \(\['lynx-70b'\]\)"):
        compared(scored[scored["model"] == "lynx-70b"])


def test_no_rows(scored):
    with pytest.raises(qa_frame.errors.PairingError, match="makes 0 groups"):
        compared(scored.iloc[:0])


@pytest.mark.parametrize("column", ["model", "question_id"])
def test_nulls_in_keys(scored, column):
    holey = scored.set_index(scored.index + 1000)
    holey.loc[[1003, 1100], column] = None
    with pytest.raises(
        qa_frame.errors.PairingError, match=rf"={column!r} is null in 2 of 360 rows.*1003, 1100.*dropna"
    ):
        compared(holey)


def test_duplicates_are_named(scored):
    doubled = pd.concat([scored, scored.iloc[[4, 7]]])
    with pytest.raises(
        qa_frame.errors.PairingError, match=r"4 rows share.*lynx-70b.*index labels 4, 7, 4, 7.*drop_duplicates"
    ):
        compared(doubled)


# ------------------------------------------------------------------------------------------------- enough random draws


def many_models(n_models, n_questions, *, gap=0.02):
    """Models that are the better the later they come, on the same questions."""
    random = np.random.default_rng(0)
    ease = random.random(n_questions) * (1 - gap * n_models)
    scores = [(ease + gap * model + random.normal(0, 0.02, n_questions)).clip(0, 1) for model in range(n_models)]
    models = np.repeat([f"m{model:02d}" for model in range(n_models)], n_questions)
    return pd.DataFrame(
        {"model": models, "question_id": np.tile(range(n_questions), n_models), "f1": np.concatenate(scores)}
    )


@pytest.mark.thorough
def test_so_many_pairs_as_there_are_there_are_draws_enough():
    """33 models make 528 pairs; 10,000 draws could show no p_adj below 528 / 10,001."""
    found = compared(many_models(33, 60))
    assert len(found) == 528
    assert (found["p_adj"] < 0.05).sum() > 450
    assert found["p"].min() < 0.05 / 528 / 19
    assert found.attrs["qa_compare"]["n_resamples"] == 211_200


@pytest.mark.thorough
def test_pairs_that_are_not_significant_are_tested_by_the_same_draws_whatever_their_number():
    """More draws are for those that they can make significant."""
    frame = many_models(30, 60, gap=0.002)
    every = compared(frame).set_index(["a", "b"])
    few = compared(frame[frame["model"].isin(["m00", "m01", "m02"])]).set_index(["a", "b"])
    known = few[few["p"] >= 0.05].index
    assert len(known) >= 1
    assert every.loc[known, "p"].tolist() == few.loc[known, "p"].tolist()


def test_too_few_draws_are_told_with_the_number_that_would_do():
    frame = many_models(12, 60)
    with pytest.warns(
        qa_frame.errors.IntervalWarning, match=r"1000 draws are too few for 66 tests.*n_resamples=26400,"
    ) as found:
        few = compared(frame, n_resamples=1000)
    assert len(found) == 1
    assert few["p_adj"].isna().sum() > 50
    assert few.loc[few["p_adj"].isna(), "p"].tolist() == [1 / 1001] * few["p_adj"].isna().sum()
    assert (few["p_adj"].dropna() >= 0.05).all()
    followed = compared(frame, n_resamples=26400)
    assert followed["p_adj"].notna().all()
    assert (followed["p_adj"] < 0.05).sum() > 50


@pytest.mark.needs("plot", "style")
@pytest.mark.thorough
def test_what_could_not_be_tested_is_marked_in_no_table_and_no_picture():
    frame = many_models(12, 60)
    with pytest.warns(qa_frame.errors.IntervalWarning):
        few = compared(frame, n_resamples=1000)
    marks = qa_frame.style(frame.qa.summary("model"), compared=few).marks["f1"]
    assert marks.count("best") == 1
    unknown = few[(few["b"] == "m11") & few["p_adj"].isna()]["a"].tolist()
    assert len(unknown) >= 10
    assert all(marks[int(model[1:])] == "" for model in unknown)
    axes = qa_frame.plot.compare(few, ax=Figure((6.4, 16)).subplots())
    assert "|: not tested" in axes.get_xlabel()
    strokes = [line for line in axes.get_lines() if line.get_marker() == "|"]
    assert sum(len(line.get_xdata()) for line in strokes) == few["p_adj"].isna().sum()


def test_too_few_draws_without_a_correction_and_at_a_high_level():
    frame = many_models(3, 60)
    with pytest.warns(qa_frame.errors.IntervalWarning, match=r"10 draws are too few for 1 test at .*n_resamples=400,"):
        compared(frame, correction="none", n_resamples=10)
    with pytest.warns(qa_frame.errors.IntervalWarning, match=r"3 tests at ci=0.999:.*n_resamples=60000,"):
        compared(frame, ci=0.999, n_resamples=1000)
    assert compared(frame, ci=0.999)["p_adj"].max() < 0.001


# -------------------------------------------------------------------------------------- questions of different datasets


@pytest.fixture
def two_datasets():
    """Ids that begin anew in each dataset, as lm-evaluation-harness writes them."""
    random = np.random.default_rng(3)
    parts = [
        pd.DataFrame(
            {
                "dataset": dataset,
                "model": model,
                "question_id": range(40),
                "question": [f"{dataset}, question {number}?" for number in range(40)],
                "answers": [[f"{dataset} {number}"] for number in range(40)],
                "response": [
                    f"{dataset} {number}" if right else "no" for number, right in enumerate(random.random(40) < p)
                ],
            }
        )
        for dataset, p in (("nq", 0.3), ("trivia", 0.7))
        for model in ("m1", "m2")
    ]
    return pd.concat(parts, ignore_index=True).qa.score("response", "answers", metrics=["em", "f1"])


@pytest.mark.needs("style")
def test_within_a_dataset_alone(two_datasets):
    found = compared(two_datasets, within="dataset", metrics="f1", correction="none")
    assert [*zip(found["a"], found["b"], strict=True)] == [
        (("nq", "m1"), ("nq", "m2")),
        (("trivia", "m1"), ("trivia", "m2")),
    ]
    assert found[["n", "n_only_a", "n_only_b"]].to_numpy().tolist() == [[40, 0, 0]] * 2
    holm = compared(two_datasets, within="dataset", metrics="f1")
    assert holm["p_adj"].tolist() == adjust_p_values(found["p"].to_numpy(), "holm").tolist()
    for dataset, row in zip(("nq", "trivia"), found.itertuples(), strict=True):
        alone = only(two_datasets[two_datasets["dataset"] == dataset], metrics="f1")
        assert [row.diff, row.p, row.diff_lo] == [alone["diff"], alone["p"], alone["diff_lo"]]
    named = compared(two_datasets, by=["dataset", "model"], within="dataset", metrics="f1")
    pd.testing.assert_frame_equal(named, holm)
    in_polars = qa_frame.compare(pl.from_pandas(two_datasets), "model", "question_id", within="dataset", metrics="f1")
    assert in_polars["p"].to_list() == found["p"].tolist()
    styled = qa_frame.style(two_datasets.qa.summary(["dataset", "model"]), compared=found, within="dataset")
    assert set(styled.marks["f1"]) == {"best", "close"}


@pytest.mark.parametrize("frame_of", [pl.from_pandas, pa.Table.from_pandas])
def test_keys_of_several_types_are_texts_in_arrow(two_datasets, frame_of):
    frame = frame_of(two_datasets.assign(part=(two_datasets["dataset"] == "nq").astype(int)))
    found = qa_frame.compare(frame, "model", "question_id", within="part", metrics="f1")
    keys = [found[name].to_pylist() if isinstance(found, pa.Table) else found[name].to_list() for name in ("a", "b")]
    assert keys == [[["0", "m1"], ["1", "m1"]], [["0", "m2"], ["1", "m2"]]]


def test_a_pair_without_a_common_question():
    questions = {"question_id": [0, 1, 1, 2], "document": [0, 0, 0, 0]}
    frame = pd.DataFrame({"model": ["m1", "m2", "m3", "m3"], **questions, "f1": [0.5, 1.0, 0.0, 1.0]})
    with pytest.warns((qa_frame.errors.IntervalWarning, qa_frame.errors.PairingWarning)):
        found = frame.qa.compare("model", "question_id", metrics="f1", cluster="document")
    assert found["n"].tolist() == [0, 0, 1]


def test_within_in_any_order_and_by_clusters(two_datasets):
    options = {"within": "dataset", "cluster": "document", "metrics": "f1"}
    frame = two_datasets.assign(document=two_datasets["question_id"] // 4 + (two_datasets["dataset"] == "nq"))
    expected = compared(frame, **options)
    pd.testing.assert_frame_equal(compared(frame.sample(frac=1, random_state=1), **options), expected, check_exact=True)


def test_a_baseline_within(two_datasets):
    found = compared(two_datasets, within="dataset", baseline="m1", metrics="f1")
    assert found["a"].tolist() == [("nq", "m2"), ("trivia", "m2")]
    assert found["b"].tolist() == [("nq", "m1"), ("trivia", "m1")]
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"baseline='m3' .*Groups: \['m1', 'm2'\]"):
        compared(two_datasets, within="dataset", baseline="m3")
    gone = two_datasets[(two_datasets["dataset"] == "nq") | (two_datasets["model"] == "m2")]
    with pytest.raises(qa_frame.errors.PairingError, match="baseline='m1' has no rows within 'trivia'; leave out"):
        compared(gone, within="dataset", baseline="m1")
    assert len(compared(gone, within="dataset", metrics="f1")) == 1


def test_nothing_to_compare_within(two_datasets):
    with pytest.raises(qa_frame.errors.PairingError, match="by='dataset' names nothing beside within=\\['dataset'\\]"):
        compared(two_datasets, by="dataset", question=["model", "question_id"], within="dataset")
    apart = two_datasets[(two_datasets["dataset"] == "nq") == (two_datasets["model"] == "m1")]
    with pytest.raises(qa_frame.errors.PairingError, match="within='dataset' leaves nothing to compare"):
        compared(apart, within="dataset")
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="within='datset'"):
        compared(two_datasets, within="datset")
    with pytest.raises(qa_frame.errors.PairingError, match="within='dataset' is null in 40 of 160"):
        compared(two_datasets.assign(dataset=two_datasets["dataset"].where(two_datasets.index >= 40)), within="dataset")


def test_an_id_that_stands_for_several_questions_is_refused(two_datasets):
    options = {"by": ["dataset", "model"], "metrics": "f1"}
    said = (
        r"question='question_id' takes rows of different questions for one: of 40 questions with several rows, 40 have "
        r"different golds, 40 have different texts in 'question', first \['nq 0'\] and \['trivia 0'\] in the rows at "
        r"positions 0 and 80 .*give within='dataset'"
    )
    with pytest.raises(qa_frame.errors.PairingError, match=said):
        compared(two_datasets, **options)
    without_text = two_datasets.drop(columns="question")
    for frame in (without_text, qa_frame.with_scoring_of(pl.from_pandas(without_text).to_arrow(), two_datasets)):
        with pytest.raises(qa_frame.errors.PairingError, match=r"40 have different golds, first .*within='dataset'"):
            qa_frame.compare(frame, question="question_id", **options)
    plain = pd.DataFrame(two_datasets.drop(columns=["answers", "response"]))
    plain.attrs = {}
    with pytest.warns(
        qa_frame.errors.PairingWarning, match=r"40 have different texts in 'question'; give within='dataset'"
    ):
        compared(plain, **options)
    compared(two_datasets, **options, within="dataset")  # the remedy


def test_golds_in_another_order_are_the_same(two_datasets):
    golds = [
        [*row, "x", None] if model == "m1" else ["x", *row]
        for row, model in two_datasets[["answers", "model"]].to_numpy()
    ]
    options = {"within": "dataset", "pred": "response", "gold": "answers", "metrics": "f1"}
    compared(two_datasets.assign(answers=golds), **options)
    said = r"of 80 questions with several rows, {} have different golds(, first .*)?; let `question` name what"
    for n_changed, told in (
        (1, pytest.warns(qa_frame.errors.PairingWarning, match=said.format(1))),
        (8, pytest.warns(qa_frame.errors.PairingWarning, match=said.format(8))),
        (9, pytest.raises(qa_frame.errors.PairingError, match=said.format(9))),
    ):
        other = two_datasets.assign(answers=[["y"] if row < n_changed else gold for row, gold in enumerate(golds)])
        with told:
            compared(other, **options)
    unknown = two_datasets.assign(answers=[None if row == 3 else gold for row, gold in enumerate(golds)])
    compared(unknown, **options)


def test_groups_that_share_no_question_are_told(scored):
    with pytest.warns(
        qa_frame.errors.PairingWarning, match=r"9 of 15 rows .*differ in 'dataset'; give within='dataset'"
    ):
        every = compared(scored, by=["dataset", "model"], metrics="f1")
    inside = compared(scored, by=["dataset", "model"], within="dataset", metrics="f1")
    assert (every["n"] == 0).sum() == 9
    assert len(inside) == 6
    assert (inside["n"] > 0).all()


# ------------------------------------------------------------------------------------------------- few of them, or many


@pytest.mark.parametrize(
    ("n", "options", "said"),
    [
        (5, {}, "5 questions or fewer, which show hardly any difference at ci=0.95 in 1 of 1 row"),
        (7, {"ci": 0.99}, "7 questions or fewer, which show hardly any difference at ci=0.99 in 1 of 1 row"),
        (10, {"cluster": "half"}, "5 clusters or fewer, which show hardly any difference at ci=0.95 in 1 of 1 row"),
        (18, {"cluster": "half"}, "fewer than 10 clusters in 1 of 1 row"),
    ],
)
def test_few_questions_are_said(n, options, said):
    frame = make_pair(*random_pair(0, n)).assign(half=np.tile(np.arange(n) // 2, 2))
    with pytest.warns(qa_frame.errors.IntervalWarning, match=f"intervals and p may be misleading: {said}"):
        compared(frame, **options)


@pytest.mark.parametrize(("n", "options"), [(20, {}), (40, {"cluster": "half"})])
def test_as_many_as_are_needed_are_not(n, options):
    frame = make_pair(*random_pair(0, n)).assign(half=np.tile(np.arange(n) // 2, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compared(frame, **options)


def test_a_corpus_bleu_of_few_questions_is_said(with_statistics):
    few = with_statistics[with_statistics["question_id"].isin(with_statistics["question_id"].unique()[:49])]
    with pytest.warns(qa_frame.errors.IntervalWarning, match="corpus_bleu of fewer than 50 questions in 3 of 6 rows"):
        compared(few, metrics=["f1", "corpus_bleu"])


def test_mixed_scores_are_told_inside_each_value_of_within():
    rows = [(model, data, question) for model in "ab" for data in ("nq", "drop") for question in range(12)]
    frame = pd.DataFrame(rows, columns=["model", "dataset", "question"]).assign(em=1.0, f1=0.5)
    frame.loc[0, "em"] = np.nan
    with pytest.warns(qa_frame.errors.MixedScoresWarning, match=r"1 of 4 groups, first in \('nq', 'a'\)"):
        frame.qa.compare("model", "question", within="dataset")
