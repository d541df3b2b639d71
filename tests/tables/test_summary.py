"""Summaries: counts that leave nothing out, and the means that `groupby` would give."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

import qa_frame

pytestmark = pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")

COUNTS = ["n", "n_rows", "n_missing", "n_no_gold"]
DEFAULT = ["em", "f1", "recall", "contains", "rouge_l", "bleu"]

ROWS = [
    ("a", "facts", "Paris", ["Paris"]),
    ("a", "facts", None, ["Rome"]),
    ("a", "jokes", "x", []),
    ("b", "facts", "Rome", ["Paris", None]),
    ("b", "jokes", None, None),
    ("b", "jokes", "the Rome", ["Rome", "Roma"]),
    (None, "facts", "x", [None]),
    (None, "facts", "in Rome", ["Rome"]),
]


@pytest.fixture
def frame():
    return pd.DataFrame(ROWS, columns=["model", "dataset", "response", "answers"], index=[7, 7, -1, 0, 3, 3, 9, 2])


@pytest.fixture
def scored(frame):
    return frame.qa.score("response", "answers")


@pytest.fixture(scope="module")
def scored_sample():
    return qa_frame.sample().qa.score("response", "answers")


def assert_counts(summary, expected):
    pd.testing.assert_frame_equal(summary[COUNTS], expected.rename_axis(summary.index.names), check_index_type=False)


def counts(rows, index):
    return pd.DataFrame(rows, columns=["n_rows", "n", *COUNTS[2:]], index=index)[COUNTS]


# ------------------------------------------------------------------------------------------------------- columns


def test_columns(scored):
    summary = scored.qa.summary(by="model")
    assert list(summary.columns) == ["n", *DEFAULT, *COUNTS[1:]]
    assert [str(kind) for kind in summary.dtypes] == ["int64"] + ["float64"] * 6 + ["int64"] * 3


@pytest.mark.parametrize(
    ("metrics", "names"),
    [("f1", ["f1"]), (["f1", "em"], ["f1", "em"]), (("bleu", "bleu"), ["bleu"])],
    ids=["name", "list", "duplicates"],
)
def test_metrics_asked_for(scored, metrics, names):
    summary = scored.qa.summary(metrics=metrics)
    assert list(summary.columns) == ["n", *names, *COUNTS[1:]]
    assert summary[names].equals(scored.qa.summary()[names])


# ------------------------------------------------------------------------------------------------------------ by


def test_without_by_one_row(scored):
    summary = scored.qa.summary()
    assert_counts(summary, counts([[8, 5, 2, 3]], ["all"]))
    assert summary["em"].tolist() == [2 / 5]


BY_MODEL = counts([[3, 2, 1, 1], [3, 2, 1, 1], [2, 1, 0, 1]], ["a", "b", np.nan])


@pytest.mark.parametrize("by", ["model", ["model"]], ids=["name", "list"])
def test_by_a_column(scored, by):
    summary = scored.qa.summary(by=by)
    assert_counts(summary, BY_MODEL)
    assert summary.index.name == "model"
    assert summary["em"].tolist() == [1 / 2, 1 / 2, 0]


def test_by_several_columns(scored):
    summary = scored.qa.summary(by=["dataset", "model"], dropna=True)
    index = pd.MultiIndex.from_product([["facts", "jokes"], ["a", "b"]], names=["dataset", "model"])
    assert_counts(summary, counts([[2, 2, 1, 0], [1, 1, 0, 0], [1, 0, 0, 1], [2, 1, 1, 1]], index))
    np.testing.assert_array_equal(summary["em"], [1 / 2, 0, np.nan, 1])


@pytest.mark.parametrize("append", [False, True], ids=["alone", "with-a-column"])
def test_by_an_index_level(scored, append):
    levels = scored.set_index("model", append=True)
    by = ["dataset", "model"] if append else "model"
    pd.testing.assert_frame_equal(levels.qa.summary(by=by), scored.qa.summary(by=by))


def test_by_the_index(scored):
    summary = scored.rename_axis("run").qa.summary(by="run")
    rows = [[1, 0, 0, 1], [1, 1, 0, 0], [1, 1, 0, 0], [2, 1, 1, 1], [2, 2, 1, 0], [1, 0, 0, 1]]
    assert_counts(summary, counts(rows, [-1, 0, 2, 3, 7, 9]))


def test_a_column_goes_before_an_index_level(scored):
    named = scored.set_index(pd.Index(range(8), name="model"))
    pd.testing.assert_frame_equal(named.qa.summary(by="model"), scored.qa.summary(by="model"))


@pytest.mark.parametrize("by", ["n", "em", "response", "level_0"])
def test_by_a_column_named_like_another_thing(scored, by):
    renamed = scored.assign(**{by: ["u", "u", "v", "v", "v", "u", "u", "u"]})
    summary = renamed.qa.summary(by=by, metrics="f1")
    assert summary.index.name == by
    assert summary["n_rows"].to_dict() == {"u": 5, "v": 3}


@pytest.mark.parametrize("label", [0, ("run", "model"), 1.5], ids=["int", "tuple", "float"])
def test_by_a_label_that_is_no_string(scored, label):
    labelled = scored.copy()
    labelled.columns = pd.Index([label if name == "model" else name for name in scored.columns], tupleize_cols=False)
    summary = labelled.qa.summary(by=label)
    assert_counts(summary, BY_MODEL)
    assert summary.index.names == [label]


@pytest.mark.parametrize(
    ("by", "message"),
    [
        (["u", "v"], "by='u' is not a column"),
        (np.zeros(8), r"by holds a ndarray, .*: add the values as a column, and name that"),
        (pd.Series(range(8)), "by holds a Series"),
        (pd.Categorical(range(8)), "by holds a Categorical"),
        (["model", len], "by=<built-in function len> is not a column"),
        ([["model"]], "by holds a list"),
        ([{"a": 1}], "by holds a dict"),
    ],
)
def test_by_what_has_no_groups(scored, by, message):
    with pytest.raises(qa_frame.QaFrameError, match=message):
        scored.qa.summary(by=by)


# -------------------------------------------------------------------------------------------- intervals, long tables


def test_each_figure_is_followed_by_its_bounds(scored):
    summary = scored.qa.summary(by="model", metrics=["f1", "em"], ci=0.9)
    assert list(summary.columns) == ["n", "f1", "f1_lo", "f1_hi", "em", "em_lo", "em_hi", *COUNTS[1:]]
    pd.testing.assert_frame_equal(
        summary[["n", "f1", "em", *COUNTS[1:]]], scored.qa.summary(by="model", metrics=["f1", "em"]), check_exact=True
    )


@pytest.mark.parametrize("method", ["normal", "bootstrap"])
def test_percent_of_bounds(scored_sample, method):
    settings = {"by": "model", "ci": 0.9, "method": method, "n_resamples": 20}
    summary, percent = (scored_sample.qa.summary(**settings, percent=percent) for percent in (False, True))
    pd.testing.assert_frame_equal(percent[COUNTS], summary[COUNTS])
    rest = summary.columns.drop(COUNTS)
    pd.testing.assert_frame_equal(percent[rest], summary[rest] * 100, check_exact=True)


@pytest.mark.parametrize("by", [None, "model", ["dataset", "model"]], ids=["none", "one", "two"])
@pytest.mark.parametrize("ci", [None, 0.9])
def test_long(scored, by, ci):
    wide, long = (scored.qa.summary(by=by, ci=ci, long=each) for each in (False, True))
    keys = [] if by is None else list(wide.reset_index().columns[: wide.index.nlevels])
    assert list(long.columns) == [*keys, "metric", "value", "lo", "hi", "n"]
    assert isinstance(long.index, pd.RangeIndex)
    assert long["metric"].tolist() == DEFAULT * len(wide)
    np.testing.assert_array_equal(long["value"], wide[DEFAULT].to_numpy().ravel())
    if ci is None:
        assert long[["lo", "hi"]].isna().all(axis=None)
    else:
        names = [name for metric in DEFAULT for name in (f"{metric}_lo", f"{metric}_hi")]
        np.testing.assert_array_equal(long[["lo", "hi"]].to_numpy().ravel(), wide[names].to_numpy().ravel())
    assert long["n"].tolist() == np.repeat(wide["n"], 6).tolist()
    if keys:
        pd.testing.assert_frame_equal(
            long[keys].iloc[::6].reset_index(drop=True), wide.reset_index()[keys], check_exact=True
        )
    assert long.attrs["qa"] == wide.attrs["qa"]


@pytest.mark.parametrize("name", ["metric", "value", "n"])
def test_long_by_a_column_of_its_names(scored, name):
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match=f"by='{name}' has the name of a column of long=True; rename"
    ):
        scored.rename(columns={"model": name}).qa.summary(by=name, long=True)


# ----------------------------------------------------------------------------------------- groups as groupby has them


def categorical(scored):
    return scored.assign(model=pd.Categorical(scored["model"], ["c", "b", "a"], ordered=True))


def test_categories_without_rows(scored):
    summary = categorical(scored).qa.summary(by="model", observed=False, dropna=True)
    assert summary.index.tolist() == ["c", "b", "a"]
    assert summary[COUNTS].to_numpy().tolist() == [[0, 0, 0, 0], [2, 3, 1, 1], [2, 3, 1, 1]]
    np.testing.assert_array_equal(summary["em"], [np.nan, 1 / 2, 1 / 2])
    assert summary["n_rows"].dtype == np.int64


@pytest.mark.parametrize(
    "by",
    ["model", "dataset", ["model", "dataset"], ["dataset", "model"]],
    ids=["model", "dataset", "both", "both-turned"],
)
@pytest.mark.parametrize("missing", ["zero", "null"])
def test_means_are_those_of_groupby(by, missing):
    scored = qa_frame.sample().qa.score("response", "answers", metrics="all", missing=missing)
    summary = scored.qa.summary(by=by)
    metrics = list(summary.columns.drop(COUNTS))
    groups = scored.groupby(by)
    pd.testing.assert_frame_equal(summary[metrics], groups[metrics].mean(), rtol=1e-14)
    pd.testing.assert_series_equal(summary["n_rows"], groups.size(), check_names=False)
    pd.testing.assert_series_equal(summary["n"], groups["f1"].count(), check_names=False)


# -------------------------------------------------------------------------------------------------------- missing


@pytest.mark.parametrize(
    ("missing", "n", "em"),
    [("zero", [2, 2, 1], [1 / 2, 1 / 2, 0]), ("null", [1, 2, 1], [1, 1 / 2, 0])],
    ids=["zero", "null"],
)
def test_missing_predictions(frame, missing, n, em):
    summary = frame.qa.score("response", "answers", missing=missing).qa.summary(by="model")
    assert_counts(summary, BY_MODEL.assign(n=n))
    assert summary["em"].tolist() == em


# ------------------------------------------------------------------------------------------------ one way or another


def test_prefix(frame, scored):
    both = frame.qa.score("response", "answers", prefix="x_").qa.score("response", "answers", reduce="min", prefix="y_")
    plain = scored.qa.summary(by="model")
    pd.testing.assert_frame_equal(both.qa.summary(by="model", prefix="x_"), plain)
    assert both.qa.summary(prefix="y_").attrs["qa"] != both.qa.summary(prefix="x_").attrs["qa"]
    assert both.qa.summary(by="model", prefix="x_").attrs == plain.attrs


# ------------------------------------------------------------------------------------------------ what is remembered


def test_signature(frame):
    scored = frame.qa.score("response", "answers", reduce="best", missing="null")
    signature = scored.qa.summary().attrs["qa"]
    assert qa_frame.conventions["squad"].signature in signature
    assert "reduce:best" in signature
    assert "missing:null" in signature
    assert qa_frame.__version__ in signature
    assert "\n" not in signature


def without_attrs(scored):
    scored = scored.copy()
    scored.attrs = {}
    return scored


FORGETFUL = {
    "no-attrs": without_attrs,
    "no-prediction": lambda scored: scored.drop(columns="response"),
    "no-gold": lambda scored: scored.drop(columns="answers"),
    "renamed": lambda scored: scored.rename(columns={"answers": "golds"}),
    "scores-alone": lambda scored: scored[["model", *DEFAULT]],
    "twice-the-gold": lambda scored: pd.concat([scored, scored[["answers"]]], axis=1),
}


@pytest.mark.parametrize("by", [None, "model"])
@pytest.mark.parametrize("name", FORGETFUL)
def test_counts_that_cannot_be_known(scored, name, by):
    summary = FORGETFUL[name](scored).qa.summary(by=by)
    known = scored.qa.summary(by=by)
    unknown = ["n_missing", "n_no_gold"]
    assert (summary[unknown].dtypes == "Int64").all()
    assert summary[unknown].isna().all(axis=None)
    pd.testing.assert_frame_equal(summary.drop(columns=unknown), known.drop(columns=unknown))


def test_gold_column_put_to_other_use(scored):
    """The scores are still there to be pooled."""
    summary = scored.assign(answers=np.arange(8) / 2).qa.summary()
    assert summary["em"].tolist() == [2 / 5]
    assert summary["n_no_gold"].isna().all()


def test_two_scored_frames_together(frame):
    halves = [half.qa.score("response", "answers") for half in (frame.iloc[:3], frame.iloc[3:])]
    together = pd.concat(halves).qa.summary(by="model")
    whole = frame.qa.score("response", "answers").qa.summary(by="model")
    pd.testing.assert_frame_equal(together, whole)
    assert together.attrs == whole.attrs


def test_two_frames_scored_differently_together(frame):
    halves = [
        half.qa.score("response", "answers", reduce=reduce)
        for half, reduce in ((frame.iloc[:3], "max"), (frame.iloc[3:], "mean"))
    ]
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="by different rules: squad"):
        pd.concat(halves).qa.summary()


@pytest.mark.parametrize(
    "backend",
    [{}, {"dtype_backend": "pyarrow"}, {"dtype_backend": "numpy_nullable"}],
    ids=["default", "pyarrow", "nullable"],
)
def test_parquet_round_trip(scored, tmp_path, backend):
    scored.to_parquet(tmp_path / "scored.parquet")
    read = pd.read_parquet(tmp_path / "scored.parquet", **backend)
    summary, expected = read.qa.summary(by="model"), scored.qa.summary(by="model")
    assert summary.index[:2].tolist() == ["a", "b"]
    pd.testing.assert_frame_equal(summary.reset_index(drop=True), expected.reset_index(drop=True))
    assert summary.attrs == expected.attrs
    assert read.attrs == scored.attrs


def test_summary_survives_parquet(scored, tmp_path):
    summary = scored.qa.summary(by="model", dropna=True)
    summary.to_parquet(tmp_path / "summary.parquet")
    read = pd.read_parquet(tmp_path / "summary.parquet")
    pd.testing.assert_frame_equal(read, summary)
    assert read.attrs["qa"] == summary.attrs["qa"]


# -------------------------------------------------------------------------------------------------------- no rows


@pytest.mark.parametrize("by", ["model", ["model", "dataset"]], ids=["one", "two"])
def test_no_rows_by_a_column(frame, by):
    summary = frame.iloc[:0].qa.score("response", "answers").qa.summary(by=by)
    assert summary.shape == (0, 10)
    assert summary.index.names == (["model"] if by == "model" else by)
    assert [str(kind) for kind in summary.dtypes] == ["int64"] + ["float64"] * 6 + ["int64"] * 3


@pytest.mark.parametrize("more", [{}, {"cluster": "question_id"}], ids=["rows", "clusters"])
def test_no_rows_have_no_interval_to_warn_of(frame, more):
    """Any warning fails the test."""
    with_ids = frame.assign(question_id=range(len(frame)))
    summary = with_ids.iloc[:0].qa.score("response", "answers", stats=True).qa.summary(ci=0.95, **more)
    assert summary[["n_rows", "f1_lo", "corpus_bleu_hi"]].isna().to_numpy().tolist() == [[False, True, True]]


def judge_all(values):
    return [1.0] * len(values)


@pytest.mark.needs("judges")
@pytest.mark.parametrize("metrics", [None, "judge", "em", ["judge", "human"], "human"])
@pytest.mark.parametrize("first", [True, False])
def test_golds_are_counted_whatever_scores_are_there(metrics, first):
    """A judge scores rows without a gold, too, and which metric is asked for says nothing of golds."""
    sample = qa_frame.sample()
    judge = qa_frame.RowMetric("judge", judge_all, columns=["response"])
    own = ["judge", "em"] if first else ["em", "judge"]
    scored = sample.qa.score("response", "answers", metrics=[judge if name == "judge" else name for name in own])
    summary = scored.qa.summary("model", metrics=metrics)
    if metrics == "human":  # which is no score of this package, so that its texts are not known
        assert summary["n_no_gold"].isna().all()
    else:
        assert summary["n_no_gold"].tolist() == [5, 5, 5]
        assert summary["n_missing"].tolist() == [4, 2, 2]


@pytest.mark.needs("files", "judges")
@pytest.mark.parametrize("tokeniser", [None, str.split])
def test_a_null_is_no_gold_where_an_empty_list_is_one_whatever_is_scored(tmp_path, tokeniser):
    """Under `squad2`, also where a function makes the convention one that cannot be kept."""
    rows = pd.DataFrame({"response": [None, "a", "a", None, None], "answers": [[], [], None, [None], ["a"]]})
    convention = qa_frame.conventions["squad2"]
    if tokeniser is not None:
        overlap = dataclasses.replace(convention.overlap, text=qa_frame.rules.Text(("lower",), tokeniser))
        convention = dataclasses.replace(convention, name="own", overlap=overlap)
    judge = qa_frame.RowMetric("judge", judge_all, columns=["response"])
    rules = {"convention": convention, "missing": "null"}
    scored = rows.qa.score("response", "answers", metrics=["f1", judge], **rules)
    assert scored["f1"].isna().tolist() == [True, False, True, True, True]
    for metrics in (None, "f1", "judge"):
        assert scored.qa.summary(metrics=metrics)["n_no_gold"].tolist() == [1]
    rows.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    done = qa_frame.score_files(
        tmp_path / "rows.jsonl", tmp_path / "scored.jsonl", pred="response", gold="answers", metrics="f1", **rules
    )
    assert done["n_no_gold"].tolist() == [1]


@pytest.mark.parametrize("convention", ["helm", "squad", "qasper"])
def test_all_metrics_are_those_that_the_convention_defines(convention):
    sample, rules = qa_frame.sample()[:60], {"pred": "response", "gold": "answers", "convention": convention}
    scored = list(qa_frame.score(sample, **rules, metrics="all", append=False))
    made = qa_frame.score(sample, **rules, metrics="all")
    summary = qa_frame.summary(made, metrics="all")
    assert [name for name in summary if name in qa_frame.metrics] == scored
    compared = qa_frame.compare(made, "model", "question_id", metrics="all", n_resamples=99)
    assert [name for name in dict.fromkeys(compared["metric"]) if name in qa_frame.metrics] == scored
