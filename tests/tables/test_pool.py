"""Pools: however rows come in, the summary is that of all rows at once, and equals plain Python's and sacrebleu's."""

from __future__ import annotations

import pickle
import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

import qa_frame
from qa_frame.scoring.metrics import STATISTICS
from qa_frame.tables import row_sums
from tests.reference.statistics import mean_bounds, with_statistics
from tests.strategies import ordinary_texts

pytestmark = [
    pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning"),
    pytest.mark.filterwarnings("ignore::qa_frame.errors.MixedScoresWarning"),
]

COUNTS = ["n", "n_rows", "n_missing", "n_no_gold"]
METRICS = ["em", "f1", "bleu"]


def scored_sample(**options):
    sample = qa_frame.sample().assign(question=lambda frame: frame["question_id"].astype(str))
    scored = sample.qa.score("response", "answers", metrics=METRICS, **options)
    return with_statistics(scored, "response", "answers")


@pytest.fixture(scope="module")
def scored():
    return scored_sample()


def sample_pool(scored, by="model", **options):
    return qa_frame.Pool(by, **options).update(scored)


def assert_same(found, expected):
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert found.attrs == expected.attrs


# -------------------------------------------------------------------------------------------------- all at once is one


def one_of_each(draw):
    """Arguments of a summary that a Pool can have too."""
    by = draw(st.sampled_from([None, "model", ["dataset", "model"], "group", "kind", "number", "when"]))
    cluster = draw(st.sampled_from([None, "question"]))
    making = {"by": by, "cluster": cluster}
    asking = {
        "dropna": draw(st.booleans()),
        "ci": draw(st.sampled_from([None, 0.9])),
        "method": draw(st.sampled_from(["normal", "bootstrap"])),
        "n_resamples": 10,
        "long": draw(st.booleans()),
    }
    return making, asking


@st.composite
def scored_frames(draw):
    """A few scored rows: scores that are null or anything a function may give, statistics, keys of many types."""
    n_rows = draw(st.integers(0, 25))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    scale = draw(st.sampled_from([1.0, -3.5, 1e6]))
    n_tokens = random.integers(0, 9, n_rows)
    frame = pd.DataFrame(
        {
            "model": random.choice(["a", "b", None], n_rows),
            "dataset": random.integers(0, 3, n_rows),
            "group": pd.Categorical(random.choice(["u", "v"], n_rows), ["w", "v", "u"]),
            "kind": random.choice(np.array([True, None, False], object), n_rows),
            "number": random.choice([0.5, np.nan, -1], n_rows),
            "when": pd.to_datetime(random.choice(["2024-01-01", "2023-05-05"], n_rows)),
            "question": random.integers(0, 5, n_rows),
            "em": random.integers(0, 2, n_rows).astype(float),
            "f1": np.where(random.random(n_rows) < 0.3, np.nan, random.random(n_rows) * scale),
            **{name: random.integers(0, n_tokens // 2 + 1) for name in STATISTICS},
        }
    ).assign(pred_len=n_tokens, bleu_pred_len=n_tokens + 6, gold_len=n_tokens + 1, bleu_ref_len=n_tokens + 3)
    for order in (2, 3, 4):
        frame[f"bleu_match{order}"] = frame[f"bleu_match{order}"].clip(upper=frame[f"bleu_match{order - 1}"])
    return frame.sample(frac=1, random_state=0).set_axis(random.integers(0, 4, n_rows))


@settings(deadline=None, max_examples=60)
@given(data=st.data(), frame=scored_frames())
def test_parts_merged_in_any_order_and_nesting(data, frame):
    """To the last bit, and for each kind of key, with nulls."""
    making, asking = one_of_each(data.draw)
    keep_rows = asking["method"] == "bootstrap" and making["cluster"] is None
    part_of_row = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(frame), max_size=len(frame))), int)
    pools = []
    for part in range(5):
        pool = qa_frame.Pool(**making, keep_rows=keep_rows)
        for rows in np.array_split(np.flatnonzero(part_of_row == part), data.draw(st.integers(1, 3))):
            pool.update(frame.iloc[rows])
        pools.append(pool)
    while len(pools) > 1:
        into, other = data.draw(st.permutations(range(len(pools))))[:2]
        pools[into].merge(pools[other])
        del pools[other]
    assert_same(pools[0].summary(**asking), frame.qa.summary(**making, **asking))


@pytest.mark.parametrize("cluster", [None, "question"])
def test_many_batches(scored, cluster, monkeypatch):
    """Parts are combined on the way."""
    monkeypatch.setattr(row_sums, "_PENDING_GROUPS", 5)
    pool = qa_frame.Pool(["model", "dataset"], cluster=cluster)
    most = 0
    for start in range(0, len(scored), 15):
        pool.update(scored[start : start + 15])
        most = max(most, len(pool._sums._parts))
    assert 1 < most < len(scored) / 15 / 2
    assert_same(
        pool.summary(ci=0.95, percent=True),
        scored.qa.summary(["model", "dataset"], ci=0.95, percent=True, cluster=cluster),
    )


def test_by_levels(scored):
    levels = scored.set_index(["dataset", "question"])
    by = ["dataset", "model"]
    pool = qa_frame.Pool(by).update(levels[:100]).merge(qa_frame.Pool(by).update(levels[100:]))
    assert_same(pool.summary(), levels.qa.summary(by))


def test_prefix(scored):
    renamed = scored.rename(columns={name: f"x_{name}" for name in [*METRICS, *STATISTICS]})
    found = qa_frame.Pool("model", prefix="x_").update(renamed).merge(qa_frame.Pool("model").update(scored)).summary()
    twice = pd.concat([scored, scored]).qa.summary("model")
    unknown = ["n_missing", "n_no_gold"]
    pd.testing.assert_frame_equal(found.drop(columns=unknown), twice.drop(columns=unknown), check_exact=True)


# --------------------------------------------------------------------------------------- more rows than can be kept


def doubled(pool, times):
    """The pool merged with itself so often."""
    for _ in range(times):
        pool.merge(pool)
    return pool


def exact_mean(values):
    """Of the values as multiples of 2**-64, rounded once."""
    return float(Fraction(sum(round(Fraction(value) * 2**64) for value in values), len(values) * 2**64))


@pytest.mark.parametrize("cluster", [None, "question"])
@pytest.mark.parametrize("times", [33, 45])
def test_far_more_rows_than_digits_alone_could_hold(scored, times, cluster):
    """Beside exact fractions: sums of 2**33 rows a group and more, whose digits would overflow without a carry."""
    pool = doubled(sample_pool(scored, cluster=cluster), times)
    summary, once = pool.summary(ci=0.95), scored.qa.summary("model")
    pd.testing.assert_frame_equal(summary[COUNTS], once[COUNTS] * 2**times)
    for model, rows in scored.groupby("model"):
        for metric in METRICS:
            assert summary.loc[model, metric] == exact_mean(rows[metric].dropna().tolist())
        overlap, n_tokens = (int(rows[names].to_numpy().sum()) for names in (["overlap"], ["pred_len", "gold_len"]))
        assert summary.loc[model, "f1_micro"] == pytest.approx(float(Fraction(2 * overlap, n_tokens)), rel=1e-15)
        assert summary.loc[model, "corpus_bleu"] == pytest.approx(once.loc[model, "corpus_bleu"], rel=1e-14)


@pytest.mark.parametrize("metric", METRICS)
def test_intervals_of_far_more_rows_than_digits_alone_could_hold(scored, metric):
    """Variances by exact fractions, too."""
    times = 36
    summary = doubled(sample_pool(scored), times).summary(ci=0.95)
    for model, rows in scored.groupby("model"):
        values = [Fraction(value) for value in rows[metric].dropna().tolist()]
        n, mean = len(values) * 2**times, sum(values) / len(values)
        variance = sum((value - mean) ** 2 for value in values) / len(values) / (n - 1)
        expected = mean_bounds(float(mean), float(variance), n - 1, n_units=n, n_rows=n, level=0.95)
        found = summary.loc[model, [f"{metric}_lo", f"{metric}_hi"]].astype(float)
        half = max((expected[1] - expected[0]) / 2, 1e-15)
        np.testing.assert_allclose(found, expected, atol=1e-3 * half)


@pytest.mark.parametrize("value", [1.0, 0.0, 1 / 3])
def test_what_no_integer_holds_is_refused(value):
    """Rather than a wrong number in silence."""
    pool = doubled(qa_frame.Pool().update(pd.DataFrame({"f1": [value] * 3})), 60)
    assert pool.summary()["n_rows"].item() == 3 * 2**60
    with pytest.raises(qa_frame.QaFrameError, match=r"beyond 2\*\*62"):
        doubled(pool, 1).summary()


# ------------------------------------------------------------------------------------------- corpus BLEU and micro F1

GOLDS = st.lists(ordinary_texts | st.none(), max_size=4) | st.none()


@settings(deadline=None, max_examples=50)
@given(rows=st.lists(st.tuples(st.sampled_from("ab"), ordinary_texts | st.none(), GOLDS), min_size=1, max_size=9))
def test_ratios_are_those_of_sacrebleu_and_of_plain_python(rows):
    """A null prediction counts as an empty one, a row without golds not at all."""
    frame = pd.DataFrame(rows, columns=["model", "response", "answers"]).astype({"response": object})
    scored = with_statistics(frame.qa.score("response", "answers", metrics="em"), "response", "answers")
    summary = scored.qa.summary("model")
    for model, group in scored.groupby("model"):
        kept = group[group["em"].notna()]
        if not len(kept):
            assert summary.loc[model, ["corpus_bleu", "f1_micro"]].isna().all()
            continue
        preds = ["" if pd.isna(pred) else pred for pred in kept["response"]]
        golds = [[gold for gold in each if gold is not None] for each in kept["answers"]]
        most = max(map(len, golds))
        ragged = [[each[place] if place < len(each) else None for each in golds] for place in range(most)]
        expected = sacrebleu.corpus_bleu(preds, ragged, smooth_method="none").score / 100
        assert summary.loc[model, "corpus_bleu"] == pytest.approx(expected, abs=1e-12)
        tokens = kept["pred_len"].sum() + kept["gold_len"].sum()
        expected = 2 * kept["overlap"].sum() / tokens if tokens else 0.0
        assert summary.loc[model, "f1_micro"] == pytest.approx(expected, abs=1e-15)


def test_of_some_statistics_only_their_ratio(scored):
    without_bleu = scored.drop(columns="bleu_match3")
    assert list(without_bleu.qa.summary().columns) == ["n", *METRICS, "f1_micro", *COUNTS[1:]]
    assert list(scored.drop(columns=list(STATISTICS)).qa.summary().columns) == ["n", *METRICS, *COUNTS[1:]]


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float64", "Int64", "int64[pyarrow]", "object"])
def test_statistics_of_any_type(scored, dtype):
    assert_same(scored.astype(dict.fromkeys(STATISTICS, dtype)).qa.summary("model"), scored.qa.summary("model"))


def test_statistics_that_are_null_where_rows_are_not_scored(scored):
    blank = scored.copy()
    blank[list(STATISTICS)] = blank[list(STATISTICS)].astype(float).where(blank["em"].notna())
    assert_same(blank.qa.summary("model", ci=0.9), scored.qa.summary("model", ci=0.9))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("overlap", np.nan, "'overlap' are null in 1 scored rows"),
        ("overlap", 0.5, "'overlap' holds other than counts"),
        ("gold_len", -1, "'gold_len' holds other than counts"),
        ("pred_len", 2.0**31, "'pred_len' holds other than counts"),
        ("pred_len", np.inf, "'pred_len' holds other than counts"),
        ("overlap", 1000, "more matches than there are tokens"),
        ("bleu_match2", 1000, "more matches than there are tokens"),
        ("bleu_ref_len", "x", "'bleu_ref_len' holds object"),
    ],
)
def test_statistics_that_are_none(scored, name, value, message):
    column = scored[name].astype(object if isinstance(value, str) else float)
    column[scored["em"].first_valid_index()] = value
    with pytest.raises(qa_frame.errors.ColumnTypeError, match=message):
        scored.assign(**{name: column}).qa.summary()


# ------------------------------------------------------------------------------------------------------------- Arrow


def test_arrow(scored):
    table = pa.table({name: pa.array(scored[name], from_pandas=True) for name in scored})
    expected = scored.qa.summary(["model", "dataset"], ci=0.95)
    found = sample_pool(table, ["model", "dataset"]).summary(ci=0.95)
    assert found["n_missing"].isna().all()
    unknown = ["n_missing", "n_no_gold"]
    pd.testing.assert_frame_equal(found.drop(columns=unknown), expected.drop(columns=unknown), check_exact=True)
    named = qa_frame.Pool(["model", "dataset"]).update(qa_frame.with_scoring_of(table, scored)).summary(ci=0.95)
    pd.testing.assert_frame_equal(named, expected, check_exact=True)


# -------------------------------------------------------------------------------------------------- counts, signatures


def test_counts_are_known_or_not(scored):
    forgotten = scored.copy()
    forgotten.attrs = {}
    known, unknown = sample_pool(scored), sample_pool(forgotten)
    assert known.summary()["n_missing"].dtype == np.int64
    for both in (
        sample_pool(scored).merge(unknown),
        sample_pool(forgotten).merge(known),
        sample_pool(scored).update(forgotten),
    ):
        summary = both.summary()
        assert summary[["n_missing", "n_no_gold"]].isna().all(axis=None)
        assert (summary["n_rows"] == 2 * known.summary()["n_rows"]).all()
        assert "qa" not in summary.attrs


def test_no_rows_are_known_to_lack_nothing(scored):
    forgotten = scored[:0].copy()
    forgotten.attrs = {}
    assert_same(sample_pool(scored).update(forgotten).summary(), sample_pool(scored).summary())


def test_a_merged_pool_is_left_alone(scored):
    other = sample_pool(scored[100:])
    before = other.summary(ci=0.9)
    sample_pool(scored[:100]).merge(other).update(scored)
    assert_same(other.summary(ci=0.9), before)


@pytest.mark.parametrize("making", [{}, {"cluster": "question"}, {"keep_rows": True}, {"by": ["model", "question"]}])
def test_pickle(scored, making):
    pool = qa_frame.Pool(**{"by": "model", **making}).update(scored[:100])
    copied = pickle.loads(pickle.dumps(pool))
    assert_same(copied.update(scored[100:]).summary(ci=0.9), pool.update(scored[100:]).summary(ci=0.9))
    assert_same(copied.merge(pool).summary(), pool.merge(pool).summary())


def test_clear(scored):
    pool = sample_pool(scored_sample(reduce="min"))
    assert_same(pool.clear().update(scored).summary(), scored.qa.summary("model"))


@pytest.mark.parametrize("by", [None, "model", ["model", "question"]])
@pytest.mark.parametrize("metrics", [None, ["em", "f1"]])
@pytest.mark.parametrize("ci", [None, 0.9])
def test_empty(by, metrics, ci):
    pool = qa_frame.Pool(by, metrics=metrics)
    summary = pool.summary(ci=ci)
    names = [name for metric in metrics or [] for name in ([metric] if ci is None else [metric, f"{metric}_lo"])]
    assert [name for name in summary if not name.endswith("_hi")] == [COUNTS[0], *names, *COUNTS[1:]]
    assert summary[COUNTS].to_numpy().tolist() == ([[0] * 4] if by is None else [])
    assert pool.merge(qa_frame.Pool(by, metrics=metrics)).summary(ci=ci).equals(summary)


def test_empty_pools_are_neutral(scored):
    expected = scored.qa.summary("model", ci=0.9)
    assert_same(qa_frame.Pool("model").merge(sample_pool(scored)).summary(ci=0.9), expected)
    assert_same(sample_pool(scored).merge(qa_frame.Pool("model")).summary(ci=0.9), expected)


def test_metrics_of_the_first_frame_come_in_one_order(scored):
    turned = scored[[*scored.columns[::-1]]]
    turned.attrs = scored.attrs
    merged = [
        a.merge(b).summary() for a, b in ([sample_pool(f) for f in fs] for fs in ((scored, turned), (turned, scored)))
    ]
    assert_same(*merged)
    assert list(sample_pool(turned).summary().columns[1:4]) == METRICS[::-1]


# ----------------------------------------------------------------------------------------------------- what differs


@pytest.mark.parametrize(
    ("mine", "theirs", "message"),
    [
        ({"by": "model"}, {"by": "dataset"}, "by='model' in this Pool, by='dataset' in the other"),
        ({"by": "model"}, {}, "by='model' in this Pool, by=None"),
        ({"cluster": "question"}, {}, "cluster='question' in this Pool, cluster=None"),
        ({"keep_rows": True}, {}, "keep_rows=True"),
        ({"metrics": "em"}, {"metrics": "f1"}, r"metrics=\['em'\] in this Pool, \['f1'\]"),
        ({"metrics": "em"}, {}, r"metrics differ: \['em'\] here, \['em', 'f1', 'bleu'\] there"),
    ],
)
def test_pools_made_differently(scored, mine, theirs, message):
    pool, other = qa_frame.Pool(**mine).update(scored), qa_frame.Pool(**theirs).update(scored)
    before = pool.summary()
    with pytest.raises(qa_frame.errors.PoolMismatchError, match=message):
        pool.merge(other)
    assert_same(pool.summary(), before)


def other_rows(scored):
    return {
        "signature": (scored_sample(reduce="min"), "reduce:max.*reduce:min"),
        "metrics": (scored.drop(columns="f1"), r"metrics differ: \['em', 'f1', 'bleu'\] here, \['em', 'bleu'\] there"),
        "statistics": (scored.drop(columns="overlap"), "statistics differ: .*'overlap'.*stats=True"),
    }


@pytest.mark.parametrize("name", ["signature", "metrics", "statistics"])
def test_rows_scored_differently(scored, name):
    other, message = other_rows(scored)[name]
    pool = sample_pool(scored)
    with pytest.raises(qa_frame.errors.PoolMismatchError, match=message):
        pool.update(other)
    with pytest.raises(qa_frame.errors.PoolMismatchError, match=message):
        pool.merge(sample_pool(other))
    assert_same(pool.summary(), sample_pool(scored).summary())


def test_unknown_rows_between_do_not_hide_a_difference(scored):
    forgotten = scored.copy()
    forgotten.attrs = {}
    with pytest.raises(qa_frame.errors.PoolMismatchError, match="signatures"):
        sample_pool(scored).update(forgotten).update(scored_sample(reduce="min"))


@pytest.mark.parametrize("other", [None, {}, pd.DataFrame()])
def test_merging_what_is_no_pool(other):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="not a Pool"):
        qa_frame.Pool().merge(other)


@pytest.mark.parametrize("by", [pd.Series(["a"]), np.array(["a"]), ["model", pd.Series(["a"])], [["model"]], {"a": 1}])
def test_groups_that_fit_one_frame_only(by):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="by holds a"):
        qa_frame.Pool(by)


def test_a_pool_without_rows_cannot_resample(scored):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="Pool\\(keep_rows=True\\)"):
        sample_pool(scored).summary(ci=0.95, method="bootstrap")


# -------------------------------------------------------------------------------------------------------- categories


def by_categories(scored, categories):
    return scored.assign(model=pd.Categorical(scored["model"], categories))


NAMES = ["otter-chat", "lynx-70b", "heron-7b"]


def test_categories_keep_their_order(scored):
    frame = by_categories(scored, ["none", *NAMES])
    for observed in (True, False):
        by, asking = ["dataset", "model"], {"observed": observed, "ci": 0.9, "long": True}
        pool = qa_frame.Pool(by).update(frame[100:]).update(frame[:100])
        assert_same(pool.summary(**asking), frame.qa.summary(by, **asking))


@pytest.mark.parametrize("other", [NAMES[::-1], [*NAMES, "none"]], ids=["turned", "more"])
def test_categories_that_differ(scored, other):
    """Their order would be that of whichever came first; values sort themselves."""
    frames = by_categories(scored, NAMES)[:200], by_categories(scored, other)[200:]
    for first, second in (frames, frames[::-1]):
        assert_same(qa_frame.Pool("model").update(first).update(second).summary(), scored.qa.summary("model"))
    both = qa_frame.Pool("model").update(frames[0]).update(frames[1])
    merged = qa_frame.Pool("model").update(frames[0]).merge(qa_frame.Pool("model").update(frames[1]))
    into_empty = pickle.loads(pickle.dumps(qa_frame.Pool("model").merge(both)))
    for pool in (both, merged, into_empty):
        with pytest.raises(qa_frame.errors.PoolMismatchError, match="categories of by='model' are not the same"):
            pool.summary(observed=False)
        assert both.clear().update(frames[0]).summary(observed=False)["n_rows"].sum() == 200


def test_tables_with_dictionaries():
    """Each has categories of its own."""
    tables = [pa.table({"model": pa.array([name]).dictionary_encode(), "em": [1.0]}) for name in NAMES]
    pool = qa_frame.Pool("model")
    for table in tables:
        pool.update(table)
    assert pool.summary().index.tolist() == sorted(NAMES)


def test_a_frame_without_scores_says_who_scores_it():
    frame = qa_frame.sample()
    with pytest.raises(
        qa_frame.errors.ColumnNotFoundError, match=r"score it first with df\.qa\.score\(pred='response'"
    ):
        qa_frame.Pool("model").update(frame)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: qa_frame.Pool(metric="f1"), r"Pool\(\) got .* 'metric'; did you mean 'metrics'\? Write qa_frame.Pool"),
        (lambda: qa_frame.Pool().summary(percents=True), r"Write pool\.summary\(percent=True\)"),
    ],
)
def test_a_call_that_does_not_fit_says_which_does(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_categories_of_large_integers_keep_their_values():
    pool = qa_frame.Pool("model", metrics=["em"])
    for labels in ([2**63 + 1, 2**63 + 3], [2, 3]):
        models = pd.Categorical.from_codes([0, 1], pd.Index(labels, dtype="uint64"))
        pool.update(pd.DataFrame({"model": models, "em": [0.0, 1.0]}))
    table = pool.summary()
    assert table.index.tolist() == [2, 3, 2**63 + 1, 2**63 + 3]
    assert table["n_rows"].tolist() == [1] * 4


def test_a_batch_without_texts_takes_no_warning_away():
    rows = pd.DataFrame({"model": ["a", "b"] * 25, "gold": "no"})
    rows["pred"] = np.where(rows["model"] == "b", "word " * 40, "no")
    rows.loc[rows["model"] == "b", "pred"] += "no"
    scored = rows.qa.score("pred", "gold", metrics=["f1"])
    pool = qa_frame.Pool("model").update(scored).update(pd.DataFrame({"model": ["a"], "f1": [1.0]}))
    with pytest.warns(qa_frame.errors.ScoringWarning, match=r"100 % of b's answers contain a gold .* \(a: 0 %\)"):
        pool.summary()


@pytest.mark.parametrize("function", ["summary", "abstention", "compare"])
def test_no_cluster_is_named_by_none(scored, function):
    settings = {"question": "question"} if function == "compare" else {}
    settings |= {"declined": "response"} if function == "abstention" else {}
    with pytest.raises(qa_frame.QaFrameError, match=r"cluster=\[\] names no column"):
        getattr(qa_frame, function)(scored, "model", cluster=[], **settings)


def test_a_pool_takes_no_columns_by_place():
    with pytest.raises(TypeError) as error:
        qa_frame.Pool("model", "question", "response")
    assert "Pool(by='model', question='question', metrics='response')" in str(error.value)


def test_batches_of_other_rules_are_refused_by_their_marks():
    """As of frames that forgot how they were scored, whose column of marks still says it."""
    sample = qa_frame.sample()
    one, other = (
        sample.qa.score("response", "answers", metrics=["em", "f1"], convention=name) for name in ("squad", "helm")
    )
    one.attrs = other.attrs = {}
    pool = qa_frame.Pool("model", metrics=["em", "f1"]).update(one)
    before = pool.summary()
    with pytest.raises(
        qa_frame.errors.PoolMismatchError, match=r"the rules of 'em' differ, .*: squad \w+ in the rows before, helm"
    ):
        pool.update(other)
    pd.testing.assert_frame_equal(pool.summary(), before)
    with pytest.raises(qa_frame.errors.PoolMismatchError, match="the rules of 'em' differ"):
        pickle.loads(pickle.dumps(pool)).merge(qa_frame.Pool("model", metrics=["em", "f1"]).update(other))
    again = qa_frame.Pool("model", metrics=["em", "f1"]).update(one).update(one)
    assert again.summary()["n_rows"].tolist() == [240, 240, 240]


@pytest.mark.parametrize("by", [None, "model"])
def test_a_pool_without_rows_has_bounds_of_the_bootstrap(scored, by):
    pool = qa_frame.Pool(by, keep_rows=True).update(scored[:0])
    made = pool.summary(ci=0.95, method="bootstrap", n_resamples=20)
    assert_same(made, scored[:0].qa.summary(by, ci=0.95, method="bootstrap", n_resamples=20))
    assert made["f1_lo"].isna().all()
    assert len(made) == (by is None)


@pytest.mark.parametrize("making", [{}, {"cluster": "question"}, {"keep_rows": True}, {"question": "question_id"}])
def test_a_pickle_is_read_where_modules_have_moved(scored, making):
    pool = qa_frame.Pool(by="model", threshold=0.5, **making).update(scored)
    pickled = pickle.dumps(pool)
    moved = re.sub(rb"qa_frame\.(stats|scoring|tables)\.", lambda name: b"qa_frame." + name[1][::-1] + b".", pickled)
    assert moved != pickled
    assert_same(pickle.loads(moved).summary(ci=0.9), pool.summary(ci=0.9))
