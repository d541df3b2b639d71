"""Errors name a call that works."""

from __future__ import annotations

import json
import pathlib
import re
import uuid

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.extensions import is_there

if is_there("ext.engines"):
    import qa_frame.engines.polars

DF = qa_frame.sample()
SCORED = DF.qa.score("response", "answers")
SOURCE = {"pred": "response", "gold": "answers"}


def error_of(call, *arguments, **options):
    with pytest.raises((TypeError, ValueError, LookupError)) as caught:
        call(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("method", "given", "settings", "call"),
    [
        ("summary", ("model", "f1"), {}, "df.qa.summary(by='model', metrics='f1')"),
        ("summary", ("f1", "em"), {}, "df.qa.summary(by='f1', metrics='em')"),
        (
            "compare",
            ("model", "question_id", "f1"),
            {},
            "df.qa.compare(by='model', question='question_id', metrics='f1')",
        ),
        ("score", ("response", "answers", "f1"), {}, "df.qa.score(pred='response', gold='answers', metrics='f1')"),
        ("worst", ("f1",), {"n": 5}, "df.qa.worst(n=5, metric='f1')"),
    ],
)
def test_a_metric_by_position(method, given, settings, call):
    said = error_of(getattr(SCORED.qa, method), *given, **settings)
    assert said.endswith(f"Write {call}")
    if "'f1'," not in call and "'r'" not in call:
        eval(call, {"df": SCORED})


def test_a_function_as_a_metric():
    def first(preds, golds):
        return [float(pred == gold) for pred, gold in zip(preds, golds, strict=True)]

    for metrics in (first, ["em", first]):
        said = error_of(DF.qa.score, pred="response", gold="answers", metrics=metrics)
        assert "qa_frame.PairMetric('my_metric', function)" in said
        assert "PairMetric" in error_of(SCORED.qa.summary, metrics=metrics)
    assert "PairMetric" in error_of(SCORED.qa.worst, metric=first)
    DF.qa.score("response", "answers", metrics=qa_frame.PairMetric("my_metric", first))


@pytest.mark.needs("engines")
def test_a_lazy_frame():
    said = error_of(qa_frame.score, pl.from_pandas(DF).lazy(), "response", "answers")
    assert "data.collect(), or it stays lazy: import qa_frame.engines.polars, then call data.qa.score" in said


@pytest.mark.needs("files")
def test_texts_inside_of_dicts(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": 1, "output": {"n": 3, "text": "Paris"}, "expected": ["Paris"]}), "utf-8")
    said = error_of(qa_frame.read_results, path)
    assert "'output' holds a dict; name the text in it, as in pred='output.text'" in said
    assert qa_frame.read_results(path, pred="output.text")["response"].tolist() == ["Paris"]


def test_percent_of_scores_that_are_no_shares():
    rows = SCORED.assign(judge=3.024)
    with pytest.warns(qa_frame.errors.ScoringWarning, match="percent=True makes 302.4 of 'judge'"):
        rows.qa.summary("model", metrics=["f1", "judge"], percent=True)
    assert rows.qa.summary("model", metrics=["f1", "judge"])["judge"].round(3).tolist() == [3.024] * 3
    rows.assign(judge=1.0).qa.summary("model", metrics=["f1", "judge"], percent=True)


@pytest.mark.needs("audit")
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_numbers_of_options(kind):
    rows = {"r": ["The answer is B.", "A"], "g": [1, 1], "o": [["x", "y"], ["x", "y"]]}
    df = kind(rows)
    options = {"pred": "r", "gold": "g", "choices": "o", "extract": "choice", "metrics": "em"}
    with pytest.warns(qa_frame.errors.GoldFormatWarning, match="has a letter in 0 of 2 rows"):
        assert list(qa_frame.score(df, **options)["em"]) == [0.0, 0.0]
    found = qa_frame.audit(df, **options)
    remedy = dict(zip(found["finding"], found["remedy"], strict=True))["choice_letters"]
    assert "gold_is='index0'" in remedy
    assert list(qa_frame.score(df, **options, gold_is="index0")["em"]) == [1.0, 0.0]


def test_one_row_reads_golds_as_a_column_does():
    squad = {"text": ["Paris", "Lutetia"], "answer_start": [3, 9]}
    assert qa_frame.score_one("Lutetia", squad, metrics="em") == {"em": 1.0}
    assert qa_frame.score_one("text", squad, metrics="em") == {"em": 0.0}
    for gold in ({"answers": ["Paris"]}, {"Paris"}, frozenset(["Paris"]), {}):
        assert "SQuAD's {'text': [...]" in error_of(qa_frame.score_one, "Paris", gold)
    for gold in ('["3", "4"]', "['a', 'b']"):
        with pytest.raises(qa_frame.errors.GoldFormatError, match="give the list itself"):
            qa_frame.score_one("3", gold)
    assert qa_frame.score_one("[3, 4]", "[3, 4]", metrics="em") == {"em": 1.0}


def test_columns_in_one_text():
    assert "give a list: ['model', 'dataset']." in error_of(SCORED.qa.summary, by="model, dataset")


GOLDS = {
    "lists in dicts": ([{"values": ["a"]}, None], ["a"]),
    "texts in dicts": ([{"id": 3, "text_of_it": "a"}, None], "a"),
    "a text and its aliases": ([{"value": "b", "aliases": ["a"]}, None], ["b", "a"]),
    "TriviaQA": ([{"aliases": ["a"], "matched_wiki_entity_name": "", "type": "x", "value": "b"}, None], ["b", "a"]),
    "aliases alone": ([{"matched_wiki_entity_name": "", "aliases": ["a"]}, None], ["a"]),
    "sets of several types": ([{"a", 4}, None], ["4", "a"]),
    "objects": ([pathlib.Path("a"), None], "a"),
    "ranges": ([range(2), None], ["0", "1"]),
    "lists of objects": ([[pathlib.Path("a"), None], None], ["a", "None"]),
    "identifiers": ([uuid.UUID(int=5), None], str(uuid.UUID(int=5))),
}


@pytest.mark.parametrize("name", GOLDS)
def test_code_that_makes_golds_of_objects_runs_where_a_row_is_null(name):
    values, first = GOLDS[name]
    df = pd.DataFrame({"response": ["a", "b"], "answers": pd.Series(values, dtype=object)})
    code = re.search(r"as in (df\['answers'\].*?)(?: in pandas, (.*) in polars)?$", error_of(df.qa.score, **SOURCE))
    made = eval(code[1])
    assert (made[0], made.isna().tolist()) == (first, [False, True])
    assert qa_frame.score(df.assign(answers=made), **SOURCE, metrics="em")["em"].isna().tolist() == [False, True]
    if code[2]:
        assert eval(code[2], {"df": pl.from_pandas(df), "polars": pl}).to_list() == [first, None]


@pytest.mark.needs("annotation")
@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["True", "False", None, "False"], [1, 0, None, 0]),
        (["1", "0.5", None, "0"], [1, 0.5, None, 0]),
        (["INCORRECT", "NOT_ATTEMPTED", "CORRECT", None], [0, 0, 1, None]),
        (["I", "C", "P", None], [0, 1, 0, None]),
    ],
)
def test_code_that_makes_numbers_of_verdicts_runs(values, numbers):
    frame = pd.DataFrame({"em": [1.0, 0.0, 1.0, 0.0], "verdict": values})
    made = re.search(
        r"(df\['verdict'\].*|pandas\..*) in pandas, (.*) in polars$", error_of(frame.qa.agreement, human="verdict")
    )
    for code, df in ((made[1], frame), (made[2], pl.from_pandas(frame))):
        found = eval(code, {"df": df, "pandas": pd})
        assert [None if pd.isna(each) else each for each in found.to_list()] == numbers


@pytest.mark.needs("annotation")
def test_code_is_not_given_where_no_text_is_known_to_mean_right():
    for values in (list("ABCA"), [[1]] * 4, [f"text {n}" for n in range(4)], [*map(str.upper, "abcd"), *"efghij"]):
        frame = pd.DataFrame({"em": 1.0, "verdict": values})
        assert error_of(frame.qa.agreement, human="verdict").endswith("such as 1 for right and 0 for wrong")


def test_another_usual_name_of_a_column_is_said():
    assert "question='qid' is not a column; did you mean 'question_id'?" in error_of(SCORED.qa.compare, "model", "qid")
    assert "pred='output' is not a column; did you mean 'response'?" in error_of(DF.qa.score, "output", "answers")
    assert "did you mean" not in error_of(DF.qa.score, "nothing", "answers")


def test_scores_that_are_texts_are_named():
    frame = SCORED.assign(em="0,5", f1="0,5")[["model", "em", "f1"]]
    frame.attrs = {}
    assert "metrics='em' holds text such as '0,5'" in error_of(frame.qa.summary, "model")


@pytest.mark.needs("explain", "audit")
def test_columns_of_two_levels_are_refused_where_notes_are_read():
    two = DF.set_axis(pd.MultiIndex.from_product([["all"], DF.columns]), axis=1)
    scored = two.qa.score(("all", "response"), ("all", "answers"), metrics="em")
    for call in (scored.qa.explain, scored.qa.audit, scored.qa.with_scoring_of):
        given = {"explain": (0,), "with_scoring_of": (scored,)}.get(call.__name__, ())
        assert "data has columns of 2 levels" in error_of(call, *given)
    code = "[' '.join(map(str, name)).strip() for name in df.columns]"
    flat = two.set_axis(eval(code, {"df": two}), axis=1)
    assert flat.qa.score("all response", "all answers", metrics="em").qa.explain(0) is not None


def test_a_column_is_no_frame():
    assert "data is a Series; give a pandas" in error_of(qa_frame.summary, SCORED["f1"])


@pytest.mark.needs("annotation", "items")
def test_a_threshold_in_percent():
    for ask in (
        lambda frame, **names: frame.qa.summary(by="model", question="question_id", pass_at=1, threshold=50, **names),
        lambda frame, **names: frame.qa.item_analysis("model", "question_id", threshold=50, **names),
        lambda frame, **names: frame.qa.disagreements(threshold=50, **names),
        lambda frame, **names: frame.qa.compare("model", "question_id", samples=True, pass_at=1, threshold=50, **names),
    ):
        assert "50 percentage points are 0.5; give a threshold of 1 or less" in error_of(ask, SCORED)
    graded = SCORED.assign(grade=100 * SCORED["f1"])
    graded.qa.summary(by="model", question="question_id", pass_at=1, threshold=50, metrics=["f1", "grade"])


def test_a_result_is_not_taken_for_rows():
    table = SCORED.qa.summary(by=["model", "dataset"], metrics="f1")
    for data in (table, table.reset_index()):
        assert "give the scored frame" in error_of(data.qa.summary, by="model")
    assert "data is a result of summary" in error_of(table.reset_index().qa.compare, "model", "dataset", metrics="f1")
    rows = table.reset_index()
    rows.attrs.clear()
    assert len(rows.qa.summary(by="model", metrics="f1"))


def test_datasets_inside_groups():
    assert "macro='dataset' stands in by, too" in error_of(SCORED.qa.summary, by=["model", "dataset"], macro="dataset")


def test_scores_with_a_prefix_are_named():
    scored = DF.qa.score("response", "answers", metrics=["em", "f1"], prefix="x_")
    assert "name one of ['x_em', 'x_f1'] as the metric" in error_of(scored.qa.summary, by="model")
    assert "name one of ['x_em', 'x_f1'] as the metric" in error_of(scored.qa.worst)
    assert list(scored.qa.summary(metrics=["x_em"]))[1] == "x_em"


@pytest.mark.parametrize(
    ("make", "plain"),
    [(pl.from_pandas, pl.DataFrame.clone), (pa.Table.from_pandas, pa.Table.replace_schema_metadata)],
    ids=["polars", "Arrow"],
)
def test_a_result_becomes_rows_as_its_error_says(make, plain):
    table = qa_frame.summary(make(SCORED), by=["model", "dataset"], metrics="f1")
    assert plain.__name__ in error_of(qa_frame.summary, table, by="model")
    assert len(qa_frame.summary(plain(table), by="model", metrics="f1"))


def test_a_note_of_another_program_is_no_result():
    df = pd.DataFrame({"f1": [1.0, 0.0]})
    df.attrs["qa_table"] = "theirs"
    assert df.qa.summary()["f1"].tolist() == [0.5]


def test_statistics_are_not_named_as_metrics():
    scored = DF.qa.score("response", "answers", metrics=["em", "f1"], prefix="x_", stats=True)
    assert "name one of ['x_em', 'x_f1'] as the metric" in error_of(scored.qa.summary)


@pytest.mark.parametrize("kind", ["lists", "structs"])
def test_keys_that_cannot_be_compared_become_text(kind):
    frame = pl.from_pandas(SCORED)
    keys = {"lists": pl.concat_list("model", "dataset"), "structs": pl.struct("model", "dataset")}[kind]
    frame = frame.with_columns(key=keys)
    said = error_of(qa_frame.summary, frame, by="key")
    call = said.partition("in pandas, ")[2].removesuffix(" in polars").replace("column", "'key'")
    texts = eval(call, {"polars": pl, "df": frame})
    assert len(qa_frame.summary(frame.with_columns(key=texts), by="key")) == 6
