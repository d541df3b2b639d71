"""The embedded sample."""

from __future__ import annotations

import importlib.util
import pathlib

import pandas as pd
import pytest

import qa_frame

DATASETS = ["facts", "explain"]
MODELS = ["heron-7b", "lynx-70b", "otter-chat"]
COLUMNS = ["question_id", "model", "dataset", "question", "response", "answers", "human"]


@pytest.fixture(scope="module")
def build():
    """The module that wrote the sample."""
    path = pathlib.Path(__file__).parent / "sample" / "build.py"
    spec = importlib.util.spec_from_file_location("build_sample", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def built(build):
    return build.build().to_pandas().astype({"human": "boolean"})


@pytest.fixture
def sample():
    return qa_frame.sample()


def test_the_sample_is_what_its_source_builds(built, sample):
    pd.testing.assert_frame_equal(sample, built)


def test_the_rows_of_the_sample(sample):
    assert list(sample.columns) == COLUMNS
    assert len(sample) >= 300
    sizes = sample.groupby(["dataset", "model"]).size()
    assert sizes.to_dict() == {(dataset, model): 60 for dataset in DATASETS for model in MODELS}


def test_every_model_answers_every_question_once(sample):
    assert not sample.duplicated(["question_id", "model"]).any()
    assert (sample.groupby("question_id").size() == len(MODELS)).all()
    questions = sample.assign(answers=sample["answers"].map(repr))[["question_id", "dataset", "question", "answers"]]
    assert not questions.drop_duplicates().duplicated("question_id").any()


KINDS_OF_ROW = {
    "missing-response": lambda rows: rows["response"].isna(),
    "empty-response": lambda rows: rows["response"].eq(""),
    "non-ascii-response": lambda rows: rows["response"].map(lambda text: isinstance(text, str) and not text.isascii()),
    "several-golds": lambda rows: rows["answers"].map(lambda golds: golds is not None and len(golds) > 1),
    "no-gold": lambda rows: rows["answers"].map(lambda golds: golds is not None and len(golds) == 0),
    "null-golds": lambda rows: rows["answers"].isna(),
}


@pytest.mark.parametrize("kind", KINDS_OF_ROW)
def test_the_sample_has_rows_of_each_kind(sample, kind):
    assert KINDS_OF_ROW[kind](sample).any()


@pytest.mark.parametrize("dataset", DATASETS)
def test_the_sample_tells_models_apart(sample, dataset):
    rows = sample[sample["dataset"].eq(dataset)]
    means = rows.qa.score(pred="response", gold="answers", stats=True).qa.summary(by="model")["f1"]
    assert means.between(0.05, 0.95).all()
    assert means.nunique() == len(MODELS)


def test_verdicts_are_null_exactly_where_nothing_can_be_judged(sample):
    assert sample["human"].dtype == "boolean"
    assert sample["human"].isna().tolist() == (sample["response"].isna() | sample["answers"].isna()).tolist()


def test_an_empty_response_is_never_right(sample):
    verdicts = sample.loc[sample["response"].eq("") & sample["answers"].notna(), "human"]
    assert len(verdicts) > 0
    assert not verdicts.any()


def test_an_exact_match_is_right_but_for_a_lost_minus_sign(sample):
    matches = sample[sample.qa.score("response", "answers")["em"].eq(1)]
    assert len(matches) > 50
    wrong = matches[~matches["human"]]
    assert wrong["response"].tolist() == ["40"]
    assert "-40" in wrong["answers"].iloc[0]


def test_verdicts_rank_the_models(sample):
    shares = sample.groupby("model")["human"].mean()
    assert shares["heron-7b"] < shares["otter-chat"] < shares["lynx-70b"]


@pytest.mark.parametrize("dataset", DATASETS)
def test_verdicts_tell_models_apart(sample, dataset):
    shares = sample[sample["dataset"].eq(dataset)].groupby("model")["human"].mean()
    assert shares["heron-7b"] < 0.5
    assert shares.drop("heron-7b").min() > 0.9


def test_a_long_right_reply_scores_low(sample):
    scored = sample.qa.score("response", "answers", metrics="f1")
    right = scored[scored["human"].fillna(value=False)].groupby("model")["f1"].mean()
    assert right["otter-chat"] < right["heron-7b"]


@pytest.mark.parametrize("human", ["", "y-", "y-nn", "yyn", "--n", "x-n", "y n"], ids=repr)
def test_a_verdict_on_nothing_or_none_on_a_reply_is_refused(build, human):
    entry = {"question_id": "q-1", "answers": ["Ann"], "heron-7b": "Ann", "lynx-70b": None, "otter-chat": "Bob"}
    with pytest.raises(ValueError, match="q-1"):
        build.read_verdicts(entry | {"human": human})
    assert build.read_verdicts(entry | {"human": "y-n"}) == [True, None, False]


def test_each_call_gives_a_frame_of_its_own(built, sample):
    sample["answers"].iloc[0][0] = "changed"
    sample.loc[0, "response"] = "changed"
    sample.attrs["note"] = "changed"
    fresh = qa_frame.sample()
    pd.testing.assert_frame_equal(fresh, built)
    assert fresh.attrs == {}
