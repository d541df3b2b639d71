"""Warnings that say, once in a call, what makes scores doubtful."""

from __future__ import annotations

import re
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from qa_frame import ExtractionWarning, GoldFormatWarning, ScoringWarning
from qa_frame.scoring import batches
from tests.strategies import each_convention

SOURCE = {"pred": "response", "gold": "answers"}


def warned(function, *arguments, **settings):
    """The warnings of a call: category and message of each."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*arguments, **settings)
    return [(each.category, str(each.message)) for each in caught]


def only(found, category, *parts):
    """Check that there is one warning, of this class, with all these parts; return its message."""
    assert [kind for kind, _ in found] == [category], found
    assert all(part in found[0][1] for part in parts), found
    return found[0][1]


def frame_of(n=40, response="Paris", answers="Paris"):
    return pd.DataFrame({"response": [response] * n, "answers": [answers] * n})


KINDS = {
    "pandas": lambda frame: frame,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "polars": pl.from_pandas,
}


@pytest.fixture
def chatty():
    """Two models that answer with a phrase, and three that answer with a word, one of them in nine tenths of rows."""
    rows = [
        {"model": model, "question": question, "answers": ["Paris"], "verdict": question % 2, "response": text}
        for model, texts in {
            "a": ["The answer is Paris."],
            "b": ["Paris"],
            "c": ["Paris"] + ["Answer: Paris"] * 9,
        }.items()
        for question in range(40)
        for text in [texts[question % len(texts)]]
    ]
    return pd.DataFrame(rows)


# --------------------------------------------------------------------------------------------------- joined golds


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("sep", "n"), [("|", 21), (";", 21), (" / ", 21), (";", 40)])
@pytest.mark.parametrize("is_list", [False, True])
def test_joined_golds_are_told_with_a_remedy_that_works(kind, sep, n, is_list):
    texts = [f"Paris{sep}City of Paris"] * n + ["Paris"] * (40 - n)
    frame = frame_of().assign(answers=[[text] for text in texts] if is_list else texts)
    found = warned(qa_frame.score, KINDS[kind](frame), **SOURCE, metrics="em")
    message = only(found, GoldFormatWarning, f"{n} of 40", repr(sep))
    (made,) = re.findall(r"df\['answers'\] = (.*) in pandas, ", message)
    (in_polars,) = re.findall(r"df = (df.with_columns\(.*\)) in polars$", message)
    assert eval(in_polars, {"qa_frame": qa_frame, "df": pl.from_pandas(frame)})["answers"].to_list()[0] == [
        "Paris",
        "City of Paris",
    ]
    better = frame.assign(answers=eval(made, {"qa_frame": qa_frame, "df": frame}))
    assert warned(qa_frame.score, better, **SOURCE, metrics="em") == []
    assert qa_frame.score(better, **SOURCE, metrics="em")["em"].mean() == 1.0


@pytest.mark.parametrize(
    "answers",
    [
        ["Paris;Lyon"] * 20 + ["Paris"] * 20,  # no more than half
        [["Paris;Lyon", "Paris"]] * 40,  # several golds
        ["Paris;"] * 40,
        ["Paris/Lyon"] * 40,
    ],
)
def test_golds_that_are_not_joined(answers):
    assert warned(qa_frame.score, frame_of().assign(answers=answers), **SOURCE) == []


ITEMS = [["Paris"], ["Rome", "Roma"]]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("sep", ["\n", ";", ", "])
def test_items_in_one_text_are_told_with_a_remedy_that_works(kind, sep):
    texts = [f"Rome{sep}Paris"] * 11 + ["Rome"] * 28 + [None]
    frame = frame_of().assign(response=texts, answers=[ITEMS] * 40)
    given = frame if kind == "pandas" else pl.from_pandas(frame)
    found = warned(qa_frame.score, given, **SOURCE, convention="ambigqa")
    message = only(found, ScoringWarning, "11 of 39 (28 %) predictions", repr(sep.strip(" ")), "'ambigqa'")
    pattern = r"df\['response'\] = (.*) in pandas, " if kind == "pandas" else r"df = (df.with_columns\(.*\)) in polars$"
    assert warned(qa_frame.summary, given, **SOURCE, convention="ambigqa")[0][1] == message
    made = eval(re.findall(pattern, message)[0], {"qa_frame": qa_frame, "df": given})
    better = frame.assign(response=made) if kind == "pandas" else made
    assert warned(qa_frame.score, better, **SOURCE, convention="ambigqa") == []
    assert next(iter(qa_frame.score(better, **SOURCE, convention="ambigqa")["f1"])) == 1.0


def test_items_of_answers_that_are_extracted_are_told_with_a_remedy_that_works():
    frame = frame_of(response="So,\nRome; Paris").assign(answers=[ITEMS] * 40)
    settings = {**SOURCE, "convention": "ambigqa"}
    message = only(warned(qa_frame.score, frame, **settings, extract="last_line"), ScoringWarning, "leave extract out")
    (made,) = re.findall(r"df\['response'\] = (.*) in pandas, ", message)
    better = frame.assign(response=eval(made, {"qa_frame": qa_frame, "df": frame}))
    assert qa_frame.score(better, **settings)["f1"].mean() == 1.0


@pytest.mark.parametrize("convention", ["ambigqa", "qampari", "squad", "drop"])
def test_texts_that_are_items_say_nothing(convention):
    """A quarter is not more than a quarter, and a convention that cuts texts, or compares them, has no doubt."""
    n = 10 if convention == "ambigqa" else 40
    frame = frame_of().assign(response=["Rome, Paris"] * n + ["Rome"] * (40 - n), answers=[["Rome"]] * 40)
    assert warned(qa_frame.score, frame, **SOURCE, convention=convention) == []
    assert warned(qa_frame.score, frame.assign(response=[["Rome, Paris"]] * 40), **SOURCE, convention="ambigqa") == []


def test_golds_that_are_joined_are_told_wherever_they_stand():
    joined = ["a1;b1"] * 6001 + ["Paris"] * 6000
    for texts in (joined, joined[::-1], np.random.default_rng(0).permutation(joined)):
        found = warned(qa_frame.score, frame_of(12001).assign(answers=texts), **SOURCE, metrics="em")
        only(found, GoldFormatWarning, "6,001 of 12,001 (50 %)")


# -------------------------------------------------------------------------------------- golds that become nothing


@pytest.mark.parametrize("kind", KINDS)
def test_golds_that_any_prediction_contains(kind):
    frame = frame_of().assign(answers=[["A"]] * 2 + [["Rome", "the The"]] + [["Paris"]] * 37)
    found = warned(qa_frame.score, KINDS[kind](frame), **SOURCE)
    only(found, ScoringWarning, "gold='answers'", "of a gold of 3 rows", "1 there in contains;")
    both = warned(qa_frame.score, frame, **SOURCE, metrics=["prefix", "f1", "contains"])
    only(both, ScoringWarning, "1 there in prefix and contains;")
    assert qa_frame.score(frame[3:], **SOURCE)["contains"].mean() == 1.0  # nothing is said of the others


def test_metrics_that_are_not_concerned_say_nothing():
    frame = frame_of(answers="A")
    assert warned(qa_frame.score, frame, **SOURCE, metrics=["em", "f1", "recall", "rouge_l", "bleu"]) == []
    assert warned(qa_frame.score, frame.assign(response=None)[:9], **SOURCE) == []
    assert warned(qa_frame.score, frame.assign(response="the"), **SOURCE) == []  # which is right
    assert warned(qa_frame.score, frame, **SOURCE, convention="triviaqa_lm_eval") == []


@pytest.mark.parametrize("convention", each_convention(qa_frame.conventions))
def test_golds_are_told_where_the_score_does_not_depend_on_the_answer(convention):
    for gold in ("A", "", "!", "Paris"):
        frame = frame_of(answers=[gold]).assign(response=["Rome x y", "Oslo 7"] * 20)
        if "contains" not in qa_frame.score(frame[:0], **SOURCE, metrics="all", convention=convention):
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ScoringWarning)
            scores = qa_frame.score(frame, **SOURCE, metrics="contains", convention=convention)["contains"]
        found = warned(qa_frame.score, frame, **SOURCE, metrics="contains", convention=convention)
        assert len(found) == (scores == 1.0).all(), gold


# ------------------------------------------------------------------------------------------ letters of options

CHOICES = {"extract": "choice", "choices": "options"}


def choices_of(golds, n=20):
    frame = pd.DataFrame({"response": ["B", "The answer is C", "A"] * n, "answers": golds * n})
    return frame.assign(options=[["Paris", "Rome", "Oslo"]] * 3 * n)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize(
    "golds",
    [["Rome", "Oslo", "Paris"], [["Rome"], ["Oslo"], ["Paris"]], ["1", "2", "0"], [["1"], ["2"], ["0"]]],
)
def test_golds_that_are_no_letters_are_told_with_a_remedy_that_works(kind, golds):
    frame = KINDS[kind](choices_of(golds))
    found = warned(qa_frame.score, frame, **SOURCE, **CHOICES, metrics="em")
    message = only(found, GoldFormatWarning, "gold='answers' has no letter in any of 60 rows", "extract='choice'")
    assert ("numbers of options from 0" in message) == ("1" in golds[0])
    assert warned(qa_frame.summary, frame, **SOURCE, **CHOICES, metrics="em") == found
    made, assigned = re.findall(
        r"letters = (.*), then df\['answers'\] = letters in pandas, (df = .*) in polars$", message
    )[0]
    names = {"qa_frame": qa_frame, "polars": pl, "df": frame}
    names["letters"] = eval(made, names)
    exec(assigned if kind == "polars" else "df['answers'] = letters", names)
    assert warned(qa_frame.score, names["df"], **SOURCE, **CHOICES, metrics="em") == []
    assert sum(qa_frame.score(names["df"], **SOURCE, **CHOICES, metrics="em")["em"]) == 60


@pytest.mark.parametrize("extract", ["choice|all", "choice|answer_is", [["choice", re.compile("Rome")]]])
def test_steps_that_may_give_texts_are_not_told(extract):
    frame = pd.DataFrame({"response": ["Rome", "The answer is Oslo", "(B)"], "answers": ["Rome", "Oslo", "Bern"]})
    found = warned(qa_frame.score, frame, **SOURCE, extract=extract, metrics="em")
    assert GoldFormatWarning not in {kind for kind, _ in found}


@pytest.mark.parametrize("convention", ["drop", "qampari"])
def test_lists_of_spans_are_not_told_of_letters(convention):
    frame = pd.DataFrame({"response": ["(B)"] * 3, "answers": [[["a"]], [["d"]], [["B"]]]})
    assert warned(qa_frame.score, frame, **SOURCE, convention=convention, extract="choice") == []


@pytest.mark.parametrize("extract", [["after_think", "choice"], "simple_evals|choice", "choice"])
def test_every_step_that_gives_letters_is_told(extract):
    frame = choices_of(["Rome", "Oslo", "Paris"])
    message = only(warned(qa_frame.score, frame, **SOURCE, extract=extract, metrics="em"), GoldFormatWarning)
    assert "'choices' is their column" in message


@pytest.mark.parametrize(
    "golds", [["B", "C", "A"], ["(B)", "c.", " A "], [["Rome"], ["Oslo", "C"], ["Paris"]], [None, None, None]]
)
def test_golds_among_which_is_a_letter_say_nothing(golds):
    frame = choices_of(golds, 3)  # so few that no golds at all say nothing either
    assert warned(qa_frame.score, frame, **SOURCE, **CHOICES, metrics="em") == []
    others = choices_of(["Rome", "Oslo", "Paris"])
    for steps in (None, "answer_is|all", ["choice", "untex"]):
        assert warned(qa_frame.score, others, **SOURCE, extract=steps, metrics="em") == []


def test_files_and_pools_tell_of_golds_that_are_no_letters(tmp_path):
    for part, golds in enumerate((["Rome", "Oslo", "Paris"], ["1", "2", "0"])):
        choices_of(golds).to_parquet(tmp_path / f"{part}.parquet")
    found = warned(qa_frame.summary_files, tmp_path, **SOURCE, **CHOICES, metrics="em")
    only(found, GoldFormatWarning, "in any of 120 rows")
    choices_of(["B", "C", "A"]).to_parquet(tmp_path / "letters.parquet")
    assert warned(qa_frame.summary_files, tmp_path, **SOURCE, **CHOICES, metrics="em") == []


def test_a_letter_that_no_sample_has_is_found():
    frame = choices_of(["Rome", "Oslo", "Paris"], 1000)
    frame.loc[1, "answers"] = "C"
    assert warned(qa_frame.score, frame, **SOURCE, **CHOICES, metrics="em") == []


def test_letters_of_which_nothing_is_left():
    frame = choices_of(["B", "C", "A"])
    found = warned(qa_frame.score, frame, **SOURCE, **CHOICES)
    only(found, ScoringWarning, "a gold of 20 rows", "and the right one has 0 there in f1 and recall; metrics='em'")
    frame.loc[2, "response"] = "B"
    found = warned(qa_frame.score, frame, **SOURCE, **CHOICES)
    only(
        found, ScoringWarning, "any prediction has 1 there in contains, and the right one has 0 there in f1 and recall"
    )
    assert warned(qa_frame.score, frame, **SOURCE, **CHOICES, metrics="em") == []
    assert warned(qa_frame.score, frame, **SOURCE, **CHOICES, metrics=["em", "f1"], convention="squad2") == []


# ------------------------------------------------------------------------------------------- nothing to be scored


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_that_are_all_null(kind):
    frame = frame_of(50).assign(response=pd.Series([None] * 50, dtype="str"))
    only(
        warned(qa_frame.score, KINDS[kind](frame), **SOURCE),
        ScoringWarning,
        "pred='response': all 50",
        "count as wrong",
    )
    only(warned(qa_frame.score, frame, **SOURCE, missing="null"), ScoringWarning, "are not scored")
    found = warned(qa_frame.summary, KINDS[kind](frame), **SOURCE, metrics="em")
    only(found, ScoringWarning, "all predictions are null: 50 of 50")
    some = frame.assign(response=[None] * 49 + ["Paris"])
    assert warned(qa_frame.score, some, **SOURCE) == []


@pytest.mark.parametrize("gold", [None, [], [None]])
def test_golds_that_are_all_null(gold):
    frame = frame_of(50).assign(answers=[gold] * 50, model=["a", "b"] * 25)
    found = warned(qa_frame.score, frame, **SOURCE)
    only(found, ScoringWarning, "gold='answers': none of 50 rows has a gold", "the right column")
    found = warned(qa_frame.summary, frame, **SOURCE, metrics="em")
    only(found, ScoringWarning, "no row has a gold: 50 of 50", "the right column")
    scored = frame.assign(em=np.nan)
    assert warned(qa_frame.summary, scored, **SOURCE, reuse_scores=True) == found
    some = frame.assign(answers=[gold, "Paris"] * 25 if gold is None else [gold, ["Paris"]] * 25)
    assert warned(qa_frame.score, some, **SOURCE) == []
    found = warned(qa_frame.summary, some, "model", **SOURCE, metrics="em")
    only(found, ScoringWarning, "no row has a gold: in 1 of 2 groups, 'a' 25 of 25 (100 %), and none is scored")
    assert warned(qa_frame.score, frame[:9], **SOURCE) == []
    for function in (qa_frame.score, qa_frame.summary):  # where a list without golds says "no answer"
        assert len(warned(function, frame, **SOURCE, convention="squad2", metrics="em")) == (gold is None)


# ------------------------------------------------------------------------------------------------------ extraction


@pytest.mark.parametrize("kind", KINDS)
def test_responses_without_answer_are_told_with_a_remedy_that_works(chatty, kind):
    frame = KINDS[kind](chatty)
    found = warned(qa_frame.score, frame, **SOURCE, metrics="em", extract=["after_think", "answer_is"])
    message = only(found, ExtractionWarning, "extract=['after_think', 'answer_is'] finds no answer in 44 of 120 (37 %)")
    (better,) = re.findall(r"extract=(\[[^]]*\]) takes the whole text", message)
    assert "leaves thoughts out" not in message
    assert warned(qa_frame.score, frame, **SOURCE, metrics="em", extract=eval(better)) == []
    pattern = re.compile(r"(?:is|:) (\w+)")
    message = only(warned(qa_frame.score, frame, **SOURCE, metrics="em", extract=pattern), ExtractionWarning)
    (better,) = re.findall(r"extract=(\[\[.*\]\]) takes the whole text", message)
    assert warned(qa_frame.score, frame, **SOURCE, metrics="em", extract=eval(better)) == []
    scored = qa_frame.score(frame, **SOURCE, metrics="em", extract=eval(better))
    assert sum(scored["em"].to_numpy()) == 120


def test_a_remedy_leaves_thoughts_out():
    frame = frame_of(response="<think>A?</think>B", answers="B")
    message = only(warned(qa_frame.score, frame, **SOURCE, metrics="em", extract="choice"), ExtractionWarning)
    (better,) = re.findall(r"extract=(\[[^]]*\]) leaves thoughts out first", message)
    assert warned(qa_frame.score, frame, **SOURCE, metrics="em", extract=eval(better)) == []
    assert qa_frame.score(frame, **SOURCE, metrics="em", extract=eval(better))["em"].mean() == 1.0


def test_a_tenth_is_not_more_than_a_tenth():
    frame = frame_of().assign(response=["Paris"] * 4 + ["Answer: Paris"] * 36)
    assert warned(qa_frame.score, frame, **SOURCE, extract="answer_is") == []
    frame.loc[10, "response"] = None  # which is no response
    only(warned(qa_frame.score, frame, **SOURCE, extract="answer_is"), ExtractionWarning, "4 of 39 (10 %)")


def test_groups_without_answers_are_named(chatty):
    settings = {"metrics": "em", "extract": "answer_is"}
    named = ("in 1 of 3 groups, 'b' 40 of 40 (100 %),", "qa_frame.extract_answers", "'after_think'", "'|all'")
    only(warned(qa_frame.summary, chatty, "model", **SOURCE, **settings), ExtractionWarning, *named)
    only(warned(qa_frame.compare, chatty, "model", "question", **SOURCE, **settings), ExtractionWarning, *named)
    with pytest.warns(ExtractionWarning, match="44 of 120"):
        scored = chatty.qa.score(**SOURCE, **settings)
    only(warned(scored.qa.summary, "model"), ExtractionWarning, *named)
    only(warned(scored.qa.compare, "model", "question"), ExtractionWarning, *named)
    only(warned(scored.qa.summary), ExtractionWarning, "44 of 120 (37 %), and these")
    pool = qa_frame.Pool("model")
    for part in (scored[:50], scored[50:]):
        assert warned(pool.update, part) == []
    only(warned(pool.summary), ExtractionWarning, *named)
    with_fallback = chatty.qa.score(**SOURCE, metrics="em", extract="answer_is|all")
    assert warned(with_fallback.qa.compare, "model", "question") == []


def test_agreement_says_it_too(chatty):
    pytest.importorskip("scipy")
    settings = {"human": "verdict", "metrics": "f1", "extract": "answer_is", "n_resamples": 20}
    only(warned(chatty.qa.agreement, **SOURCE, **settings), ExtractionWarning, "44 of 120 (37 %), and these")


# ------------------------------------------------------------------------------------- jobs, files, engines, once


def doubtful(n):
    """Rows with joined golds, and a quarter with a gold of which nothing is left."""
    return pd.DataFrame(
        {
            "model": ["a", "b"] * (n // 2),
            "response": ["Paris", "x y"] * (n // 2),
            "answers": [["Paris;Rome"], ["Rome;Paris"], ["Oslo;Paris"], ["A"]] * (n // 4),
        }
    )


SETTINGS = {**SOURCE, "metrics": ["em", "contains"], "extract": "boxed|all"}


def test_jobs_tell_it_once_and_the_same(monkeypatch):
    pytest.importorskip("joblib")
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", 500)
    frame = doubtful(4000)
    alone = warned(qa_frame.score, frame, **SETTINGS)
    assert {kind for kind, _ in alone} == {GoldFormatWarning, ScoringWarning}
    assert "of a gold of 1,000 rows" in alone[1][1]
    assert warned(qa_frame.score, frame, **SETTINGS, n_jobs=2) == alone


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_files_tell_it_once(tmp_path, ending, n_jobs):
    pytest.importorskip("joblib")
    for name in "ab":
        path = tmp_path / "runs" / f"{name}.{ending}"
        path.parent.mkdir(exist_ok=True)
        frame = doubtful(400)
        frame.to_parquet(path) if ending == "parquet" else frame.to_json(path, orient="records", lines=True)
    settings = {**SETTINGS, "extract": "boxed|hashes", "n_jobs": n_jobs}
    score = (qa_frame.score_files, tmp_path / "runs", tmp_path / "scored")
    found = dict(warned(*score, **{**settings, "extract": None}))
    assert set(found) == {GoldFormatWarning, ScoringWarning}
    assert "600 of 800" in found[GoldFormatWarning]
    assert "of a gold of 200 rows" in found[ScoringWarning]
    assert warned(*score, **{**settings, "extract": None}) == []  # nothing is scored
    found = warned(qa_frame.score_files, tmp_path / "runs", tmp_path / "others", **settings)
    assert [kind for kind, _ in found] == [GoldFormatWarning, ExtractionWarning]
    assert "800 of 800" in found[1][1]
    found = warned(qa_frame.summary_files, tmp_path / "runs", "model", **settings)
    assert [kind for kind, _ in found] == [GoldFormatWarning, ExtractionWarning]
    assert "in 2 of 2 groups, 'a' 400 of 400 (100 %), 'b' 400 of 400 (100 %)" in found[1][1]


def test_lazy_queries_tell_it_where_all_rows_are_seen():
    pytest.importorskip("qa_frame.engines.polars")
    lazy = pl.from_pandas(doubtful(400)).lazy()
    settings = {**SETTINGS, "extract": "boxed"}
    scored = lazy.qa.score(**settings)
    assert warned(scored.collect) == []
    found = warned(lazy.qa.summary, "model", **settings)
    assert [kind for kind, _ in found] == [GoldFormatWarning, ExtractionWarning]


def test_dask_tells_it_where_all_rows_are_seen():
    dask = pytest.importorskip("dask")
    dd = pytest.importorskip("dask.dataframe")
    pytest.importorskip("qa_frame.engines.dask")
    with dask.config.set({"dataframe.convert-string": False, "scheduler": "synchronous"}):
        lazy = dd.from_pandas(doubtful(400), npartitions=3)
        settings = {**SETTINGS, "extract": "boxed"}
        assert warned(lambda: lazy.qa.score(**settings).compute()) == []
        found = warned(lazy.qa.summary, "model", **settings)
    assert [kind for kind, _ in found] == [GoldFormatWarning, ExtractionWarning]


def test_an_error_tells_nothing_else():
    with pytest.raises(qa_frame.MissingPredictionError):  # and no warning, which would be raised here
        frame_of(answers="A").assign(response=None).qa.score(**SOURCE, missing="raise")


# --------------------------------------------------------------------------------------------------- unseen scripts


UNSEEN = ["Привет, мир", "今天天气", "สวัสดี", "नमस्ते", "مرحبا", "שלום", "안녕", "٤٢"]


def unseen_frame():
    texts = [*UNSEEN, "cat", "The", "…", "", "😀"]
    return pd.DataFrame(
        {"response": [*texts, None, "cat"], "answers": [*([text] for text in texts), ["мир"], ["мир", "cat"]]}
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_script_that_a_metric_does_not_see_is_told_with_a_remedy_that_works(kind):
    frame = KINDS[kind](unseen_frame())
    found = warned(qa_frame.score, frame, **SOURCE, metrics=["em", "rouge_1", "rouge_l"])
    message = only(found, ScoringWarning, "'squad'", f"rouge_1 rouge_l in {len(UNSEEN) + 1} of 15 (60 %) rows")
    (name,) = re.findall("give convention='(.*?)'", message)
    assert warned(qa_frame.score, frame, **SOURCE, metrics=["em", "rouge_1", "rouge_l"], convention=name) == []
    seen = qa_frame.score(unseen_frame()[: len(UNSEEN)], **SOURCE, metrics="rouge_l", convention=name)
    assert (seen["rouge_l"] == 1.0).all()


def test_an_installation_is_named_only_where_the_package_is_missing(monkeypatch):
    def remedies():
        (told,) = warned(qa_frame.score, unseen_frame(), **SOURCE, metrics="rouge_l")
        hazards = qa_frame.audit(unseen_frame(), **SOURCE, metrics="rouge_l").set_index("hazard")
        return told[1], hazards.loc["lost_script", "remedy"]

    assert all("'unicode', which sees every script" in text and "install" not in text for text in remedies())
    monkeypatch.setitem(sys.modules, "unicode_segmentation_rs", None)
    assert all("every script (pip install 'qa-frame[unicode]')" in text for text in remedies())


def test_each_call_tells_of_unseen_scripts_once(tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", 4)
    frame = pd.concat([unseen_frame().assign(model=name, question=range(15)) for name in "ab"], ignore_index=True)
    calls = {
        "score": lambda: qa_frame.score(frame, **SOURCE),
        "summary": lambda: qa_frame.summary(frame, by="model", **SOURCE),
        "compare": lambda: qa_frame.compare(frame, by="model", on="question", **SOURCE),
    }
    for name, call in calls.items():
        told = [text for _, text in warned(call) if "leaves no token" in text]
        assert len(told) == 1, name
        assert "rouge_l in 18 of 30 (60 %) rows" in told[0], name
    for part in range(2):
        frame[part::2].to_json(tmp_path / f"{part}.jsonl", orient="records", lines=True)
    for function in (qa_frame.summary_files, qa_frame.score_files):
        places = (tmp_path / "out",) if function is qa_frame.score_files else ()
        told = [
            text for _, text in warned(function, str(tmp_path / "*.jsonl"), *places, **SOURCE) if "leaves no" in text
        ]
        assert len(told) == 1
        assert "rouge_l in 18 of 30 (60 %) rows" in told[0]


def test_metrics_that_see_the_script_are_not_named():
    frame = pd.DataFrame({"response": ["мир"], "answers": [["мир"]]})
    assert warned(qa_frame.score, frame, **SOURCE, metrics=["em", "f1", "contains", "bleu", "chrf", "anls"]) == []
    assert warned(qa_frame.score, frame, **SOURCE, convention="characters") == []
    of_ascii = pd.DataFrame({"response": ["The", "!", "the\u3000"], "answers": [["a"], ["?"], ["an …"]]})
    assert warned(qa_frame.score, of_ascii, **SOURCE, metrics=["f1", "rouge_l"]) == []
    of_all_golds = pd.DataFrame({"response": ["东京"], "answers": [["", "北京"]]})
    assert warned(qa_frame.score, of_all_golds, **SOURCE, metrics="bleu", convention="flashrag") == []
