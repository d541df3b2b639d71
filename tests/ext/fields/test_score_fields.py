"""`score_fields`: each field has the score that the metric gives its text, and what is no record is counted."""

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import qa_frame
from qa_frame.errors import ColumnNotFoundError, GoldFormatError, MissingPredictionError, UnknownOptionError
from qa_frame.extraction.steps import last_json_object
from tests.reference.oracles import exact_match, token_overlap

words = st.sampled_from(["the Elbe", "Elbe", "Oder", "a river", "1990", "river Elbe", ""])
records = st.dictionaries(st.sampled_from(["name", "year", "place"]), words | st.none())


def frame_of(preds, golds):
    return pd.DataFrame({"response": pd.Series(preds, dtype=object), "answers": pd.Series(golds, dtype=object)})


def row_of(*row, fields="em", **settings):
    """The scores of one row, by name, without NaN."""
    scored = frame_of([row[0]], [row[1]]).qa.score_fields("response", "answers", fields, **settings)
    return scored.iloc[0, 2:].dropna().to_dict()


@settings(deadline=None, max_examples=40)
@given(rows=st.lists(st.tuples(records, records), min_size=1, max_size=4))
def test_fields_have_the_scores_of_their_texts(rows):
    preds, golds = map(list, zip(*rows, strict=True))
    known = {name for gold in golds for name, value in gold.items() if value is not None}
    assume(not known or known & {"name", "year"})  # fields that no gold has are refused
    found = frame_of(list(map(json.dumps, preds)), golds).qa.score_fields(
        "response", "answers", {"name": "f1", "year": "em"}
    )
    for place, (pred, gold) in enumerate(rows):
        total = 0.0
        sides = [{name for name in ("name", "year") if side.get(name) is not None} for side in (pred, gold)]
        for name, metric, oracle in (
            ("name", "f1", lambda *sides: token_overlap(*sides)[2]),
            ("year", "em", exact_match),
        ):
            score = found[f"{metric}.{name}"][place]
            if gold.get(name) is None:
                assert pd.isna(score)
                continue
            expected = 0.0 if pred.get(name) is None else oracle(pred[name], gold[name])
            assert score == pytest.approx(expected, abs=1e-12)
            total += expected
        n_fields = sum(map(len, sides))
        assert found["fields_f1"][place] == pytest.approx(2 * total / n_fields if n_fields else 1.0)
        assert found["fields_missing"][place] == len(sides[1] - sides[0])
        assert found["fields_extra"][place] == len(sides[0] - sides[1])


@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_one_metric_for_all_is_anls_star_where_both_have_the_same_fields(data):
    anls_star = pytest.importorskip("anls_star")
    names = data.draw(st.lists(st.sampled_from("abcd"), min_size=1, unique=True))
    pred, gold = ({name: data.draw(words.filter(bool)) for name in names} for _ in range(2))
    found = row_of(json.dumps(pred), json.dumps(gold), fields="anls", convention="anls_star")
    assert found["fields_f1"] == pytest.approx(anls_star.anls_score(pred, gold))


def test_nested_records_numbers_and_lists():
    gold = {"place": {"city": "Dresden", "km": 18.5}, "tags": ["river", "The border"], "deep": True, "none": None}
    pred = '{"place": {"city": "dresden", "km": 18.5}, "tags": ["border", "sea"], "deep": true, "other": 1}'
    found = row_of(pred, gold)
    assert found == {
        "em.place.city": 1, "em.place.km": 1, "set.tags": 0.5, "em.deep": 1, "fields_f1": 2 * 3.5 / 9,
        "fields_equal": 0, "fields_valid": 1, "fields_missing": 0, "fields_extra": 1,
    }  # fmt: skip
    assert row_of(gold, gold)["fields_equal"] == 1
    assert row_of('{"tags": []}', {"tags": []})["set.tags"] == 1
    assert row_of("{}", {"tags": []})["set.tags"] == 0


def test_a_whole_number_is_the_same_with_a_decimal_point():
    gold = {"n": 2, "km": 18.5, "years": [1990, 1991.0]}
    assert row_of('{"n": 2.0, "km": 18.50, "years": [1990.0, 1991]}', gold)["fields_equal"] == 1
    assert row_of('{"n": 2.5}', gold)["em.n"] == 0


@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_lists_of_records_are_assigned_as_in_anls_star(data):
    """It counts fields in another way where one side has more records."""
    anls_star = pytest.importorskip("anls_star")
    items = st.fixed_dictionaries({"name": words.filter(bool), "year": words.filter(bool)})
    n_records = data.draw(st.integers(1, 3))
    pred, gold = ({"all": data.draw(st.lists(items, min_size=n_records, max_size=n_records))} for _ in range(2))
    found = row_of(json.dumps(pred), gold, fields="anls", convention="anls_star")
    assert found["records.all"] == pytest.approx(anls_star.anls_score(pred, gold))
    fields = {"all": {"name": "anls", "year": "anls"}}
    assert row_of(pred, gold, fields=fields, convention="anls_star")["records.all"] == found["records.all"]


def test_lists_of_records_of_other_lengths():
    gold = {"all": [{"a": "x", "b": "y"}, {"a": "z"}]}
    fields = {"all": {"a": "em", "b": "em"}}
    assert row_of({"all": [{"a": "z"}]}, gold, fields=fields)["records.all"] == 2 * 1 / (1 + 3)
    assert row_of({"all": [{"a": "z", "c": 1}, {"b": "y", "a": "x"}]}, gold, fields=fields)["records.all"] == 1
    assert row_of({"all": [{"a": "z", "c": 1}, {"b": "y", "a": "x"}]}, gold)["records.all"] == 2 * 3 / (4 + 3)
    assert row_of({"all": ["z", {"b": "y"}]}, gold)["records.all"] == 2 * 1 / (1 + 3)
    assert row_of({"all": []}, gold)["records.all"] == row_of({}, gold)["records.all"] == 0
    assert row_of({"all": []}, {"all": []}, fields=fields)["records.all"] == 1
    nested = {"all": [{"a": [{"b": "x"}]}]}
    assert row_of(nested, nested)["records.all"] == 1


@pytest.mark.parametrize("pred", ["no JSON", "[1]", "{", '"a"', None, '{"name": ' * 5000, "NaN", {}, 3])
def test_what_is_no_record_is_wrong_and_counted(pred):
    found = row_of(pred, {"name": "Elbe"})
    assert found["em.name"] == found["fields_f1"] == found["fields_equal"] == 0
    assert found["fields_missing"] == 1
    assert found["fields_valid"] == (pred == {})


def test_nulls():
    frame = frame_of(['{"a": "x"}', None], [None, '{"a": "x"}'])
    found = frame.qa.score_fields("response", "answers")
    assert found.iloc[0, 2:].isna().all()
    assert frame.qa.score_fields("response", "answers", missing="null").iloc[:, 2:].isna().all(axis=None)
    with pytest.raises(MissingPredictionError, match="position 1"):
        frame.qa.score_fields("response", "answers", missing="raise")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Here:\n```json\n{"a": {"b": "}"}}\n```\nDone.', '{"a": {"b": "}"}}'),
        ('{"a": 1} or rather {"a": 2}', '{"a": 2}'),
        ('It\'s 5" wide {\n{"a": "\\"}"} {x}', '{"a": "\\"}"}'),
        ("{x: 1}", None),
        ("no braces", None),
        ("}{", None),
    ],
)
def test_the_last_json_object(text, expected):
    assert last_json_object(text) == expected
    found = qa_frame.extract_answers(pd.Series([text]), "json")
    assert [None if pd.isna(each) else each for each in found] == [expected]


def test_many_open_braces_take_no_long_time():
    assert last_json_object("{" * 200_000 + '{"a": 1}') == '{"a": 1}'
    assert last_json_object('{"a":' * 100_000) is None


def test_columns_are_pooled_and_compared_as_others_and_every_kind_of_frame_is_taken():
    rows = [
        (f"m{i % 2}", i // 2, json.dumps({"name": "Elbe" if i % 3 else "Oder"}), {"name": "Elbe"}) for i in range(40)
    ]
    frame = pd.DataFrame(rows, columns=["model", "question", "response", "answers"])
    scored = frame.qa.score_fields("response", "answers", "em")
    asked = ["em.name", "fields_f1", "fields_valid"]
    summary = scored.qa.summary(by="model", metrics=asked, ci=0.95)
    assert summary["em.name"].tolist() == scored.groupby("model")["em.name"].mean().tolist()
    assert scored.qa.compare(by="model", question="question", metrics="em.name")["n"].tolist() == [20]
    for made in (pl.DataFrame(frame), pa.Table.from_pandas(frame)):
        again = qa_frame.score_fields(made, "response", "answers", "em")
        assert type(again) is type(made)
        assert pd.DataFrame({name: again[name].to_numpy() for name in asked}).equals(scored[asked])


@pytest.mark.parametrize(
    ("golds", "settings", "error", "said"),
    [
        ("Elbe", {}, GoldFormatError, "position 0 .*'Elbe', which is no record"),
        ([{"a": 1}, {"a": 2}], {}, GoldFormatError, "no record"),
        ({"tags": ["a"]}, {"fields": {"tags": "f1"}}, GoldFormatError, "'tags': 'set'"),
        ({"all": ["a"]}, {"fields": {"all": {"a": "em"}}}, GoldFormatError, "no list of records"),
        ({"a": 1}, {"fields": {"a": {"b": 3}}}, UnknownOptionError, "fields=3"),
        ({"a": 1}, {"fields": {"a": "f11"}}, UnknownOptionError, "did you mean 'f1'"),
        ({"a": 1}, {"fields": {}}, UnknownOptionError, r"fields=\{\}"),
        ({"a": 1}, {"fields": ["a"]}, UnknownOptionError, "neither a metric"),
        ({"a": 1}, {"fields": {3: "em"}}, UnknownOptionError, "fields"),
        ({"a": 1}, {"pred": "reply"}, ColumnNotFoundError, "reply"),
        ({f"f{i}": i for i in range(201)}, {}, UnknownOptionError, "201 fields"),
    ],
    ids=str,
)
def test_what_is_refused(golds, settings, error, said):
    frame = frame_of(["{}"], [golds])
    with pytest.raises(error, match=said):
        frame.qa.score_fields(**{"pred": "response", "gold": "answers", **settings})


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"nmae": "f1"}, "no gold has the field 'nmae'; they have ['name', 'address.city', 'tags']"),
        ({"address": {"city": "em"}}, "name a field of a record inside a record as 'address.city'"),
        ({"tags": {"labl": "em"}}, "no gold has the field 'labl'; they have ['label']"),
    ],
)
def test_a_field_that_no_gold_has_is_not_taken_for_equal(fields, said):
    made = [{"name": "Ann", "address": {"city": "Bonn"}, "tags": [{"label": tag}]} for tag in ("x", "y")]
    frame = pd.DataFrame({"response": made[:1], "answers": made[1:]})
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=re.escape(said)):
        frame.qa.score_fields("response", "answers", fields)


def test_columns_of_objects_are_read_as_arrow_has_them():
    golds = [np.array([{"name": "Ann"}], dtype=object), pd.NA]
    frame = pd.DataFrame({"response": pd.Series(['{"name": "Ann"}', pd.NA], dtype=object), "answers": golds})
    scored = frame.qa.score_fields("response", "answers")
    assert scored["fields_equal"].tolist() == [1.0, pytest.approx(np.nan, nan_ok=True)]


def test_a_column_of_another_kind_is_kept():
    own = qa_frame.PairMetric("own", lambda preds, golds: [1.0] * len(preds))  # noqa: ARG005
    frame = pd.DataFrame({"response": ['{"a": "b"}'], "answers": ['{"a": "b"}'], "own.a": ["text"]})
    with pytest.raises(qa_frame.errors.ColumnOverwriteError, match=r"'own\.a'"):
        frame.qa.score_fields("response", "answers", {"a": own})


def test_a_pair_that_several_fields_have_is_asked_for_once():
    asked = []

    def judge(preds, golds):
        asked.extend(zip(preds, golds, strict=True))
        return [1.0] * len(preds)

    own = qa_frame.PairMetric("own", judge)
    frame = pd.DataFrame({"pred": [{"a": "x", "b": "x"}, {"a": "y", "b": "z"}], "gold": [{"a": "x", "b": "x"}] * 2})
    frame.qa.score_fields("pred", "gold", fields={"a": own, "b": own})
    assert sorted(asked) == [("x", "x"), ("y", "x"), ("z", "x")]
