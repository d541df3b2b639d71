"""`worst` and `changed` against plain pandas, on any frame; `score_one` against `score`."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from tests.kinds import KINDS, as_pandas
from tests.strategies import usual_conventions

SOURCE = {"pred": "response", "gold": "answers"}


def scores_frame(seed=0, n=60):
    rng = np.random.default_rng(seed)
    f1 = rng.integers(0, 5, n) / 4
    f1[rng.random(n) < 0.2] = np.nan
    models = rng.choice(["x", "y", None], n)
    return pd.DataFrame({"question": rng.permutation(n), "model": models, "f1": f1})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 7, 1000])
def test_the_lowest(kind, n):
    frame = scores_frame()
    found = qa_frame.worst(KINDS[kind](frame), n)
    assert type(found) is type(KINDS[kind](frame))
    wanted = frame.dropna(subset="f1").sort_values("f1", kind="stable").head(n)
    assert as_pandas(found)["f1"].tolist() == wanted["f1"].tolist()
    expected = frame.sample(frac=1, random_state=3).qa.worst(n)
    assert as_pandas(found)["question"].tolist() == expected["question"].tolist()
    pd.testing.assert_frame_equal(expected, frame.loc[expected.index])


@pytest.mark.parametrize("kind", KINDS)
def test_of_each_group(kind):
    frame = scores_frame(1)
    found = as_pandas(qa_frame.worst(KINDS[kind](frame), 3, by="model"))
    scored = frame.dropna(subset="f1")
    groups = [scored[scored["model"] == "x"], scored[scored["model"] == "y"], scored[scored["model"].isna()]]
    wanted = pd.concat([qa_frame.worst(group, 3) for group in groups])
    assert found["question"].tolist() == wanted["question"].tolist()


def test_ties_are_broken_by_the_other_metrics():
    """In the order of the metrics, and rows that are not scored last."""
    em, recall, f1 = [0, 0, 0, 0, 0, 1], [0.5, 0.25, 0.25, np.nan, 0.75, 0.0], [0.0] * 6
    frame = pd.DataFrame({"f1": f1, "recall": recall, "em": em, "bleu": [0.3, 0.2, 0.1, 0.0, 0.0, 0.0]})
    assert frame.qa.worst(6).index.tolist() == [2, 1, 0, 4, 3, 5]
    assert frame.qa.worst(2, metric="em").index.tolist() == [2, 1]


def many_zeros(n=400):
    questions = [f"question {number}" for number in range(n)]
    golds = [[f"gold {number}", "another"] for number in range(n)]
    return pd.DataFrame({"question": questions, "response": "no", "answers": golds, "number": np.arange(n) / 2})


def test_equals_come_at_random_whatever_the_order_of_rows():
    frame = many_zeros().qa.score(**SOURCE, metrics=["em", "f1"])
    chosen = frame.qa.worst(10)["question"].tolist()
    assert chosen != frame["question"].head(10).tolist()
    turned = frame.sample(frac=1, random_state=5)[frame.columns[::-1]].rename(index=str)
    assert turned.qa.worst(10)["question"].tolist() == chosen
    for kind in (KINDS["arrow"], KINDS["polars"]):
        assert as_pandas(qa_frame.worst(kind(frame), 10))["question"].tolist() == chosen
    assert 150 < frame.qa.worst(100).index.to_numpy().mean() < 250  # of 0 to 399


def test_rows_of_a_flag_come_shortest_first():
    """Whatever the kind of frame, the prefix, and the order of rows; without texts, all that is known of them."""
    texts = ["It is the city of Rome.", "Rome", "It is, I think, Rome.", "Oslo", "Here: Rome, of all.", None]
    frame = pd.DataFrame({"response": texts, "answers": "Rome", "place": range(6)})
    for kind, prefix in ((kind, prefix) for kind in KINDS for prefix in ("", "s_")):
        scored = qa_frame.score(KINDS[kind](frame), "response", "answers", metrics=["em", "f1"], prefix=prefix)
        found = as_pandas(qa_frame.worst(scored, 5, metric=f"{prefix}f1", flag="gold_in_longer_answer"))
        assert found["place"].tolist() == [4, 2, 0]
        assert as_pandas(qa_frame.worst(scored, 1, metric=f"{prefix}f1", flag="uncut_script"))["place"].tolist() == []
    without = frame.qa.score("response", "answers", metrics=["em", "f1"]).drop(columns=["response", "answers"])
    assert sorted(without.qa.worst(5, flag="gold_in_longer_answer")["place"]) == [0, 2, 4]
    assert without.qa.worst(5, flag="gold_in_longer_answer").attrs["qa_chosen"]["n"] == 6
    prefixed = frame.qa.score("response", "answers", metrics="f1", prefix="x_").assign(judged=1.0)
    assert len(prefixed.qa.worst(5, metric="judged", flag="gold_in_longer_answer")) == 3
    bare = frame.qa.score("response", "answers", metrics="f1").drop(columns="qa_flags")
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="'qa_flags'; score it without append=False"):
        bare.qa.worst(flag="gold_in_longer_answer")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="flag='longer'"):
        without.qa.worst(flag="longer")


def test_rows_that_hold_the_same_come_as_they_stand():
    frame = pd.DataFrame({"f1": [0.0] * 5, "text": list("aabab"), "odd": [object() for _ in range(5)]})
    found = frame.qa.worst(5)
    of_a, of_b = (found.index[found["text"] == text].tolist() for text in "ab")
    assert (of_a, of_b) == ([0, 1, 3], [2, 4])


@pytest.mark.parametrize("kind", KINDS)
def test_any_column_of_numbers_is_a_metric(kind):
    frame = pd.DataFrame({"verdict": [True, None, False, True], "f1": [0.5, 0.1, 0.9, 0.2]}).convert_dtypes()
    made = KINDS[kind](frame)
    assert as_pandas(qa_frame.worst(made, 2, metric="verdict"))["f1"].tolist() == [0.9, 0.2]
    other = KINDS[kind](frame.assign(verdict=[True, True, True, False]))
    moved = qa_frame.changed(
        made if kind != "pandas" else frame.assign(row=range(4)),
        other if kind != "pandas" else frame.assign(row=range(4), verdict=[True, True, True, False]),
        question="row" if kind == "pandas" else "f1",
        metric="verdict",
    )
    assert as_pandas(moved)["diff"].tolist() == [-1.0, 1.0]


def test_what_is_left_out_is_counted():
    frame = scores_frame()
    counted = {"metric": "f1", "n_rows": 60, "n": int(frame["f1"].notna().sum())}
    counted["n_not_scored"] = 60 - counted["n"]
    assert counted["n_not_scored"] > 0
    assert frame.qa.worst().attrs["qa_chosen"] == counted
    table = qa_frame.worst(pa.Table.from_pandas(frame, preserve_index=False))
    assert json.loads(table.schema.metadata[b"qa_frame"])["qa_chosen"] == counted


def test_a_metric_that_is_not_there():
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="em"):
        scores_frame().qa.worst(metric="em")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="metric='corpus_bleu' is a figure of all rows"):
        scores_frame().qa.worst(metric="corpus_bleu")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="metric='own' is not known"):
        scores_frame().qa.worst(metric=qa_frame.PairMetric("own", lambda preds, golds: [1.0] * len(preds)))  # noqa: ARG005


# --- changed


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other_kind", KINDS)
def test_changed(kind, other_kind):
    new, old = scores_frame(2), scores_frame(3, n=50).assign(question=lambda rows: rows["question"] + 20)
    found = qa_frame.changed(KINDS[kind](new), KINDS[other_kind](old), question="question")
    assert type(found) is type(KINDS[kind](new))
    both = new.reset_index().merge(old[["question", "f1"]], on="question", suffixes=("", "_other"))
    both["diff"] = both["f1"] - both["f1_other"]
    moved = both[both["diff"].notna() & (both["diff"] != 0)]
    moved = moved.assign(size=moved["diff"].abs()).sort_values(["size", "index"], ascending=[False, True])
    for name in ("question", "f1", "f1_other", "diff"):
        assert as_pandas(found)[name].tolist() == moved[name].tolist()
    if kind != "polars":
        notes = found.attrs if kind == "pandas" else json.loads(found.schema.metadata[b"qa_frame"])
        counted = notes["qa_changed"]
        assert counted["n_only_data"] == len(new) - len(both) > 0
        assert counted["n_only_other"] == len(old) - len(both) > 0
        assert counted["n"] + counted["n_not_scored"] == len(both)
        assert counted["n_changed"] == len(moved) < counted["n"]


def test_what_is_only_rounded_differently_has_not_changed():
    new = pd.DataFrame({"question": range(5), "f1": [0.2, 0.1 + 0.2, 0.5 + 0.3, 1.0, 0.0]})
    old = pd.DataFrame({"question": range(5), "f1": [1 - 0.8, 0.3, 0.5, 0.7 + 2e-16, 5e-78]})
    assert (new["f1"] != old["f1"]).all()
    moved = qa_frame.changed(new, old, "question")
    assert moved["question"].tolist() == [2, 3]  # equal in size, and so in the frame's order
    assert moved.attrs["qa_changed"]["n_changed"] == 2


def test_two_runs_scored_now():
    sample = qa_frame.sample()
    old = sample.assign(response=[text if place % 3 else "no" for place, text in enumerate(sample["response"])])
    other = old.sample(frac=1, random_state=1).qa.score(**SOURCE, metrics="em")
    found = sample.qa.score(**SOURCE, metrics="em").qa.changed(other, ["model", "question_id"], metric="em")
    first = sample.qa.score("response", "answers", metrics="em")["em"]
    second = old.qa.score("response", "answers", metrics="em")["em"]
    moved = first.index[first.notna() & (first != second)]
    assert sorted(found.index) == sorted(moved)
    assert found["diff"].tolist() == (first - second)[found.index].tolist()
    assert found["em_other"].tolist() == second[found.index].tolist()
    assert found.attrs["qa_changed"]["signature"] == found.attrs["qa_changed"]["signature_other"]


def test_keys_that_cannot_be_paired():
    new, old = scores_frame(2), scores_frame(3)
    with pytest.raises(qa_frame.errors.PairingError, match=r"^2 rows share their question='question'"):
        new.assign(question=[0, 0, *range(2, 60)]).qa.changed(old, "question")
    with pytest.raises(qa_frame.errors.PairingError, match=r"^other: 2 rows share their question='question'"):
        new.qa.changed(old.assign(question=[0, 0, *range(2, 60)]), "question")
    with pytest.raises(qa_frame.errors.PairingError, match="question='model' is null"):
        new.qa.changed(old, ["question", "model"])
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="other: question='question' is not a column"):
        new.qa.changed(old[["f1"]], "question")


# --- score_one


@pytest.mark.parametrize("name", usual_conventions(qa_frame.conventions))
def test_one_row(name):
    sample = qa_frame.sample()[::40]
    scored = sample.qa.score("response", "answers", metrics="all", convention=name, append=False)
    for place, (pred, golds) in enumerate(zip(sample["response"], sample["answers"], strict=True)):
        found = qa_frame.score_one(None if pd.isna(pred) else pred, golds, metrics="all", convention=name)
        wanted = scored.iloc[place].to_dict()
        assert found == wanted or all(map(math.isnan, found.values()))
        assert all(type(score) is float for score in found.values())


def test_one_gold_as_text():
    assert qa_frame.score_one("The Seine", "Seine", metrics="em") == {"em": 1.0}
    assert math.isnan(qa_frame.score_one("Seine", None, metrics="em")["em"])
    assert qa_frame.score_one("Seine", [], metrics="f1", convention="squad2") == {"f1": 0.0}
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="pred=7 is not text"):
        qa_frame.score_one(7, "Seine")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="gold=7 is not text, nor several"):
        qa_frame.score_one("Seine", 7)
    with pytest.raises(qa_frame.errors.MissingPredictionError):
        qa_frame.score_one(None, "Seine", missing="raise")


@pytest.mark.parametrize("convert", [None, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("name", ["diff", "f1_other"])
def test_changed_keeps_columns_of_the_users_own(convert, name):
    new = pd.DataFrame({"question": [1, 2], "f1": [1.0, 0.25], name: ["mine", "mine"]})
    old = new.assign(f1=[1.0, 0.5])
    if convert is not None:
        new, old = convert(new), convert(old)
    with pytest.raises(
        qa_frame.errors.ColumnOverwriteError,
        match=f"new column '{name}' would take the place of a column; rename",
    ):
        qa_frame.changed(new, old, "question")


def test_runs_without_a_common_question_are_a_warning():
    scored = pd.DataFrame({"question": [1, 2], "f1": [1.0, 0.0]})
    other = scored.assign(question=["1", "2"])
    with pytest.warns(qa_frame.errors.PairingWarning, match="no question in common"):
        assert not len(scored.qa.changed(other, "question"))


@pytest.mark.needs("annotation")
def test_more_rows_than_any_frame_has():
    scored = qa_frame.sample().qa.score("response", "answers", metrics="f1")
    for n in (10**400, 10**5000):
        assert scored.qa.worst(n).equals(scored.qa.worst(1000))
        assert scored.qa.worst(n, by="model").equals(scored.qa.worst(1000, by="model"))
        with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"n=.* is more than 9_223"):
            scored.qa.sample_for_annotation(n)
