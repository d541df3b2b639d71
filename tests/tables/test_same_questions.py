"""Rows that are taken for one question and answer several, and samples that are taken for questions."""

from __future__ import annotations

import re
import warnings

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest

import qa_frame
from qa_frame.extensions import is_there

if is_there("ext.engines"):
    import qa_frame.engines.dask
    import qa_frame.engines.polars

pytestmark = pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")

SOURCE = {"pred": "response", "gold": "answers"}
N_QUESTIONS, N_SAMPLES = 40, 4


def make_runs():
    """Answers of two models, four to each question; the column `sample` has the number of the answer."""
    random = np.random.default_rng(0)
    rows = [
        {
            "model": model,
            "dataset": "nq" if question % 2 else "trivia",
            "question_id": f"q{question}",
            "question": f"What is {question}?",
            "sample": sample,
            "answers": [f"gold {question}", "same"],
            "response": f"gold {question}" if random.random() < easy else "no",
        }
        for model in "ab"
        for question, easy in enumerate(random.random(N_QUESTIONS))
        for sample in range(N_SAMPLES)
    ]
    return pd.DataFrame(rows)


RUNS = make_runs()
SCORED = RUNS.qa.score(**SOURCE, metrics="em")
TRAP = r"question='sample' takes rows of different questions for one: of {} questions with several rows"


def refused(said, call, *arguments, **options):
    with pytest.raises(qa_frame.errors.PairingError, match=said) as caught:
        call(*arguments, **options)
    return str(caught.value)


def quietly(call, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error", qa_frame.errors.PairingWarning)
        return call(*arguments, **options)


@pytest.mark.parametrize(
    "frame",
    [SCORED, SCORED.sample(frac=1, random_state=1), SCORED.drop(columns="dataset"), SCORED.drop(columns="question")],
)
def test_a_summary_refuses_the_number_of_an_answer_as_its_question(frame):
    said = refused(TRAP.format(8), frame.qa.summary, "model", question="sample", pass_at=2)
    assert said.endswith("give question='question_id'")
    assert len(re.findall("'gold ", said)) == 2
    found = quietly(frame.qa.summary, "model", question="question_id", pass_at=2)  # the remedy
    assert found["n_questions"].tolist() == [N_QUESTIONS] * 2


def test_the_dataset_is_advised_only_where_it_tells_golds_apart():
    numbered = SCORED.assign(
        question_id=SCORED.groupby("dataset")["question_id"].transform(lambda ids: ids.factorize()[0])
    )
    numbered = numbered.drop(columns="question")
    both = ["dataset", "question_id"]
    for question in ("sample", ["dataset", "sample"], "question_id"):
        said = refused("have different golds", numbered.qa.summary, "model", question=question)
        assert said.endswith(f"give question={both}")
    for by in ("model", ["model", "dataset"]):
        quietly(numbered.qa.summary, by, question=both)
    quietly(numbered.qa.summary, ["model", "dataset"], question="question_id")
    quietly(numbered.qa.compare, "model", question="question_id", samples=True, within="dataset")
    said = refused("different golds", numbered.drop(columns="question_id").qa.summary, question="sample")
    assert "let `question` name what tells these questions apart" in said
    assert refused("golds", SCORED.drop(columns="question_id").qa.summary, question="sample").endswith("='question'")


@pytest.mark.needs("engines", "files")
def test_every_way_to_a_summary(tmp_path):
    said, options = "have different golds, first .*give question='question_id'", {"by": "model", "question": "sample"}
    paths = {name: tmp_path / f"runs.{name}" for name in ("parquet", "jsonl")}
    RUNS.to_parquet(paths["parquet"])
    RUNS.to_json(paths["jsonl"], orient="records", lines=True)
    for path in paths.values():
        refused(said, qa_frame.summary_files, path, **options, **SOURCE)
    SCORED.to_parquet(tmp_path / "scored.parquet")
    refused(said, qa_frame.summary_files, tmp_path / "scored.parquet", **options)
    rows = pl.from_pandas(RUNS)
    refused(said, rows.lazy().qa.score(**SOURCE).qa.summary, **options)
    for frame in (rows, rows.to_arrow()):
        refused(said, qa_frame.summary, qa_frame.score(frame, **SOURCE), **options)
    with dask.config.set({"dataframe.convert-string": False}):
        partitions = dd.from_pandas(RUNS, npartitions=3)
    refused(said, partitions.qa.score(**SOURCE).qa.summary, **options)


@pytest.mark.thorough
@pytest.mark.parametrize("n_rows", [8, 50, 1000])
def test_a_pool_refuses_whatever_its_batches_are(n_rows):
    pools = [qa_frame.Pool(by="model", question="sample", threshold=1.0) for _ in range(2)]
    for start in range(0, len(SCORED), n_rows):
        pools[start // n_rows % 2].update(SCORED[start : start + n_rows])
    refused("have different golds", pools[0].merge(pools[1]).summary)
    right = qa_frame.Pool(by="model", question="question_id", threshold=1.0)
    for start in range(0, len(SCORED), n_rows):
        quietly(right.update, SCORED[start : start + n_rows])
    quietly(right.summary)


@pytest.mark.needs("engines")
def test_without_golds_other_signs_are_a_warning():
    scored = pl.from_pandas(RUNS).qa.score(**SOURCE, metrics="em").drop("answers")
    for frame, sign in ((scored, "'question'"), (scored.drop("question"), "'dataset'")):
        with pytest.warns(
            qa_frame.errors.PairingWarning, match=f"8 have different texts in {sign}.*give question='question_id'"
        ):
            qa_frame.summary(frame, "model", question="sample")
        quietly(qa_frame.summary, frame, "model", question="question_id")
    quietly(qa_frame.summary, scored.drop("question", "dataset"), "model", question="sample")


def test_a_question_in_other_words_is_one_question():
    asked = SCORED.assign(question=SCORED["question"] + SCORED["sample"].astype(str))
    quietly(asked.qa.summary, "model", question="question_id")
    with pytest.warns(qa_frame.errors.PairingWarning, match="40 have different texts in 'question'"):
        asked.qa.compare("model", question="question_id", samples=True)


def test_a_few_golds_that_were_revised_are_a_warning():
    for n_revised, told in ((4, pytest.warns), (5, pytest.raises)):
        revised = SCORED["question_id"].isin([f"q{place}" for place in range(n_revised)]) & (SCORED["sample"] == 1)
        golds = [["new"] if is_new else old for is_new, old in zip(revised, SCORED["answers"], strict=True)]
        kind = qa_frame.errors.PairingWarning if told is pytest.warns else qa_frame.errors.PairingError
        frame = SCORED.assign(answers=golds)
        frame.attrs = SCORED.attrs
        with told(kind, match=f"of 80 questions with several rows, {2 * n_revised} have different golds"):
            frame.qa.summary("model", question="question_id")
        with told(kind, match=f"of 40 questions with several rows, {n_revised} have different golds"):
            frame.qa.compare("model", question="question_id", samples=True)


@pytest.mark.needs("report")
def test_compare_refuses_the_number_of_an_answer_as_its_question(tmp_path):
    said = refused(TRAP.format(4), SCORED.qa.compare, "model", question="sample", samples=True)
    assert said.endswith("give question='question_id'")
    refused(
        "have different golds", qa_frame.report, SCORED, tmp_path / "r.html", "model", question="sample", samples=True
    )


@pytest.mark.needs("items")
def test_items_and_comparisons_of_other_questions():
    one = SCORED[SCORED["sample"] == 0]
    shifted = one.assign(number=[*range(N_QUESTIONS), *range(1, N_QUESTIONS), 0])
    for call in (shifted.qa.item_analysis, shifted.qa.compare):
        said = refused(
            "of 40 questions with several rows, 40 have different golds", call, "model", "number", **EM[call.__name__]
        )
        assert said.endswith("give question='question_id'")
        quietly(call, "model", "question_id", **EM[call.__name__])


@pytest.mark.needs("items")
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_items_look_at_the_texts_of_questions_in_every_kind_of_frame(kind):
    one = SCORED[SCORED["sample"] == 0]
    shifted = one.assign(number=[*range(N_QUESTIONS), *range(1, N_QUESTIONS), 0])
    rows = kind(shifted[["model", "number", "question", "em"]].to_dict("list"))
    with pytest.warns(qa_frame.errors.PairingWarning, match="40 have different texts in 'question'"):
        qa_frame.item_analysis(rows, "model", "number", metric="em")


EM = {"item_analysis": {"metric": "em"}, "compare": {"metrics": "em"}}


def test_samples_are_not_taken_for_questions():
    keys = ["question_id", "sample"]
    said = r"question=\['question_id', 'sample'\] takes rows that differ in 'sample' alone"
    for frame in (SCORED, SCORED.drop(columns="question")):
        found = refused(said, frame.qa.compare, "model", keys)
        assert "give question='question_id' with samples=True in its place, or cluster='question_id' beside it" in found
        found = refused(said, frame.qa.compare, "model", keys, samples=True)
        assert "give question='question_id' in its place, or cluster=" in found
    assert quietly(SCORED.qa.compare, "model", question="question_id", samples=True)["n"].tolist() == [N_QUESTIONS]
    assert quietly(SCORED.qa.compare, "model", keys, cluster="question_id")["n"].tolist() == [N_QUESTIONS * N_SAMPLES]
    refused("'sample' alone", SCORED.qa.compare, "model", ["dataset", *keys])
    refused("'sample' alone", SCORED.qa.compare, "model", ["question", "sample"])
    named = SCORED.rename(columns={"sample": "seed"})
    with pytest.warns(qa_frame.errors.PairingWarning, match="'seed' alone, and have equal golds"):
        named.qa.compare("model", ["question_id", "seed"])
    quietly(named.drop(columns="question").qa.compare, "model", ["question_id", "seed"])  # nothing tells


def test_ordinary_keys_are_not_taken_for_samples():
    one = SCORED[SCORED["sample"] == 0]
    for on in (["dataset", "question_id"], ["question_id", "question"], ["dataset", "question"]):
        quietly(one.qa.compare, "model", on)
    as_example = one.assign(sample=one.groupby(["model", "dataset"]).cumcount()).drop(columns="question")
    quietly(as_example.qa.compare, "model", ["dataset", "sample"])
    twice = pd.concat([one, one.assign(dataset=one["dataset"] + "_5_shot")], ignore_index=True)
    quietly(twice.qa.compare, "model", ["dataset", "question_id"])
    spoken = pd.concat(
        [one.assign(lang=lang, question=one["question"] + lang) for lang in ("en", "de")], ignore_index=True
    )
    quietly(spoken.qa.compare, "model", ["lang", "question_id"])
    quietly(spoken.qa.compare, "model", "question_id", within="lang")
    sample = qa_frame.sample().qa.score("response", "answers", metrics="em")
    quietly(sample.qa.compare, "model", ["dataset", "question_id"])
    quietly(sample.qa.compare, "model", "question_id")
    quietly(sample.qa.summary, question="question_id")


def settings_of_models(**others):
    """Two models with two settings each of the same questions, and other columns of that many rows."""
    places = pd.DataFrame(
        [(model, mode, number) for model in "ab" for mode in ("closed", "oracle") for number in range(8)],
        columns=["model", "eval_mode", "question_id"],
    )
    frame = places.assign(response="Seine", answers=[["Seine"]] * len(places), **others)
    return frame.qa.score("response", "answers", metrics="em")


@pytest.mark.parametrize("kind", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_settings_of_a_model_are_named_before_samples(kind):
    frame = settings_of_models(seed=[42, 7] * 16, when=range(32), prompt="p")
    said = refused("they differ in 'eval_mode'", qa_frame.compare, kind(frame), "model", question="question_id")
    assert said.index("or by=['model', 'eval_mode'] to compare all") < said.index("give samples=True")
    compared = quietly(qa_frame.compare, kind(frame), ["model", "eval_mode"], question="question_id")  # the remedy
    assert len(compared) == 6
    assert "give by=['eval_mode'], within=['model'] to compare these alone" in said
    alone = quietly(qa_frame.compare, kind(frame), ["eval_mode"], question="question_id", within=["model"])
    assert len(alone) == 2


def test_two_columns_of_settings_and_samples_beside_settings():
    frame = settings_of_models()
    shots = pd.concat([frame.assign(shots=n) for n in (0, 5)], ignore_index=True)
    refused(r"they differ in \['eval_mode', 'shots'\]: give by=", shots.qa.compare, "model", question="question_id")
    epochs = pd.concat([frame.assign(epoch=n) for n in (1, 2)], ignore_index=True)
    refused(
        r"or by=\['model', 'eval_mode'\] to compare all; if they are samples",
        epochs.qa.compare,
        "model",
        question="question_id",
    )
    quietly(epochs.qa.compare, ["model", "eval_mode"], question="question_id", samples=True)


def test_what_numbers_samples_or_tells_questions_apart_is_no_setting():
    frame = settings_of_models()
    one = frame[frame["eval_mode"] == "closed"]
    samples = pd.concat([one.assign(epoch=str(n)) for n in range(3)], ignore_index=True)
    assert "they differ" not in refused("give samples=True", samples.qa.compare, "model", question="question_id")
    golds = frame.assign(answers=[[mode] for mode in frame["eval_mode"]]).qa.score("response", "answers", metrics="em")
    assert "they differ" not in refused("share their by=", golds.qa.compare, "model", question="question_id")
