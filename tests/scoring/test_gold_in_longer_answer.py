"""The flag of golds inside longer answers, and what is said of it: by rows, by groups, and of chance."""

from __future__ import annotations

import re
import string
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qa_frame
from qa_frame.errors import MixedScoresWarning
from qa_frame.frames.source import read_source
from qa_frame.scoring import batches
from qa_frame.scoring.chance import count_moved_golds
from qa_frame.tables.metric_fit import fit_of

SOURCE = {"pred": "response", "gold": "answers"}
FLAG = "gold_in_longer_answer"
HOLD = "contain a gold and at least twice as many other words"
LETTERS = Path(__file__).parents[3] / "shared" / "cases" / "16_letter_golds.jsonl"

pytestmark = pytest.mark.filterwarnings("ignore:intervals")


def said(call):
    """The messages of a call's warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught]


def tokens(text):
    """The tokens of a text by the rules of SQuAD, in plain Python."""
    text = "".join(character for character in text.lower() if character not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", text).split()


def is_longer(pred, golds):
    """Whether a prediction has all tokens of a gold, and no gold is matched well: the slow twin of the flag."""
    found, best_f1, is_equal = False, 0.0, False
    for gold in golds:
        sides = tokens(pred or ""), tokens(gold)
        common = sum((Counter(sides[0]) & Counter(sides[1])).values())
        f1 = 2 * common / max(sum(map(len, sides)), 1)
        found |= bool(sides[1]) and common == len(sides[1])
        best_f1, is_equal = max(best_f1, f1), is_equal or sides[0] == sides[1]
    return pred is not None and found and best_f1 <= 0.5 and not is_equal


TEXTS = st.lists(st.sampled_from(["a", "The", "Rome", "rome.", "river", "Po", "!", "x-y"]), max_size=7).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.none() | TEXTS, st.lists(TEXTS, max_size=3)), min_size=1, max_size=9),
    st.sampled_from(["max", "mean", "min", "first", np.median]),
    st.sampled_from([["em", "f1"], "f1", "recall", ["precision", "bleu"], None]),
)
def test_a_slow_twin_flags_the_same_rows(rows, reduce, metrics):
    """Whatever is scored beside, and however scores of golds become one."""
    frame = pd.DataFrame({"response": pd.Series([pred for pred, _ in rows], dtype=object)})
    frame["answers"] = [golds for _, golds in rows]
    frame["response"] = frame["response"].astype("str") if frame["response"].notna().all() else frame["response"]
    if frame["response"].isna().all():
        return
    scored = frame.qa.score(**SOURCE, metrics=metrics, reduce=reduce)
    assert [FLAG in str(flags) for flags in scored["qa_flags"]] == [is_longer(*row) for row in rows]


def capitals(n=60):
    """A model that answers in a word, and one in sentences. Both are always right."""
    answers = {"terse": "{}", "chatty": "The capital of Country{} is City{}."}
    rows = [
        {"model": model, "qid": place, "response": text, "answers": [f"City{place}"]}
        for place in range(n)
        for model, text in (("terse", f"City{place}"), ("chatty", answers["chatty"].format(place, place)))
    ]
    return pd.DataFrame(rows)


def test_each_call_says_it_of_the_same_rows():
    frame = capitals()
    whole = f"50 % of the answers {HOLD}. em and f1 count these words against them; recall does not"
    groups = f"100 % of chatty's answers {HOLD} (terse: 0 %). em and f1 count these words against them; recall does not"
    turned = "By f1, terse leads chatty. If answers that hold a gold counted as right, chatty would lead"
    (message,) = said(lambda: frame.qa.score(**SOURCE, metrics=["em", "f1"]))
    assert message.startswith(whole)
    frame.loc[frame.index[:2], "response"] = "Oslo"  # so that not all are right
    scored = frame[2:].qa.score(**SOURCE, metrics=["em", "f1"])
    scored.loc[scored.index[0], "f1"] = 0.0
    for call in (lambda: scored.qa.summary("model"), lambda: scored.qa.compare("model", "qid")):
        messages = said(call)
        assert messages[0].startswith(groups)
        assert messages[1].startswith(turned)
    (message,) = said(lambda: scored.qa.summary("model", metrics="em"))[:1]
    assert ". em counts these words against them; recall does not" in message
    assert said(lambda: frame.qa.score(**SOURCE, metrics=["recall", "contains"])) == []


def test_groups_that_differ_in_several_columns_are_not_paired():
    frame = pd.concat([capitals().assign(dataset="a"), capitals().assign(dataset="b")], ignore_index=True)
    scored = frame.qa.score(**SOURCE, metrics=["em", "f1"])
    first = ~scored.duplicated(["model", "dataset"]) & (scored["model"] == "terse")
    scored.loc[first, "f1"] = 0.0  # so that chatty would lead
    (message,) = [text for text in said(lambda: scored.qa.summary(["model", "dataset"])) if text.startswith("By f1")]
    assert "terse/a leads chatty/a" in message
    assert "terse/b leads chatty/a" not in message
    for values in ({"a": np.nan, "b": 1.0}, {"a": None, "b": "x"}):
        some = scored.assign(dataset=scored["dataset"].map(values.get))
        (again,) = [text for text in said(lambda some=some: some.qa.summary(["model", "dataset"])) if "By f1" in text]
        assert again.count(" leads ") == message.count(" leads ") == 2
    tuples = scored[scored["dataset"] == "a"].assign(
        model=[("m", name) for name in scored["model"][: len(scored) // 2]]
    )
    assert any("By f1, m/terse leads m/chatty" in text for text in said(lambda: tuples.qa.summary("model")))


def test_order_batches_and_labels_make_no_difference(monkeypatch):
    frame = capitals().assign(label=lambda rows: [f"row {place}" for place in range(len(rows))])
    scored = frame.qa.score(**SOURCE, metrics=["em", "f1"])
    turned = frame.sample(frac=1, random_state=3).set_index("label", drop=False)
    fit = fit_of(read_source(scored), "model")
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", 7)
    again = turned.qa.score(**SOURCE, metrics=["em", "f1"])
    assert dict(zip(again["label"], again["qa_flags"], strict=True)) == dict(
        zip(scored["label"], scored["qa_flags"], strict=True)
    )
    other = fit_of(read_source(again), "model")
    assert (fit.moved, fit.shares().tolist(), fit.labels) == (other.moved, other.shares().tolist(), other.labels)


def test_groups_are_told_without_texts_from_files(tmp_path):
    scored = capitals().qa.score(**SOURCE, metrics=["em", "f1"])
    without = scored.drop(columns=["response", "answers"])
    without.to_parquet(tmp_path / "rows.parquet")
    without.to_csv(tmp_path / "rows.csv", index=False)
    frames = [
        pd.read_parquet(tmp_path / "rows.parquet"),
        pd.read_csv(tmp_path / "rows.csv"),
        pa.Table.from_pandas(without),
    ]
    frames += [pd.concat([without[:50], without[50:]])]
    for frame in frames:
        messages = said(lambda frame=frame: qa_frame.summary(frame, "model"))
        assert messages[0].startswith(f"100 % of chatty's answers {HOLD} (terse: 0 %)")
        assert fit_of(read_source(frame), "model").choose_metric()[0] == "recall"
    pool = qa_frame.Pool("model").update(without[:70]).update(without[70:])
    assert said(pool.summary)[0].startswith("100 % of chatty's answers")


@pytest.mark.parametrize(
    ("n_flagged", "n", "is_told"), [(5, 50, True), (5, 51, False), (4, 4, False), (10, 101, False)]
)
def test_a_tenth_and_five_rows_are_told(n_flagged, n, is_told):
    rows = [{"response": f"It is in City{each}.", "answers": f"City{each}"} for each in range(n_flagged)]
    rows += [{"response": f"City{each}", "answers": f"City{each}"} for each in range(n_flagged, n)]
    assert len(said(lambda: pd.DataFrame(rows).qa.score(**SOURCE, metrics=["em", "f1"]))) == is_told


def chance(golds, n=80):
    """Answers in which the words of some golds are anyway."""
    rng = np.random.default_rng(0)
    text = "Yes, I think so, and no, that is not what A or B or C or D would say of it here."
    return pd.DataFrame({"response": [f"{text} {place}" for place in range(n)], "answers": rng.choice(golds, n)})


@pytest.mark.parametrize("golds", [["yes", "no"], ["B", "C", "D"]])
def test_golds_that_are_inside_by_chance_are_told_otherwise(golds):
    (message,) = said(lambda: chance(golds).qa.score(**SOURCE, metrics=["em", "f1"]))
    assert f"{HOLD}. Golds such as yes, no or A are inside answers by chance: extract the answer first" in message
    assert "recall does not" not in message
    scored = chance(golds).assign(model=["a", "b"] * 40).qa.score(**SOURCE, metrics=["em", "f1", "recall"])
    fit = fit_of(read_source(scored), "model")
    assert fit.is_by_chance
    assert "recall" not in fit.choose_metric()[0]
    assert any("by chance" in message for message in said(lambda: scored.qa.summary("model")))


def test_the_extraction_that_chance_names_works():
    texts = [("no", "No doubt, {} or not, the answer is yes"), ("yes", "Yes and {}, but the answer is no")]
    rows = [(texts[each % 2][1].format(each), texts[1 - each % 2][0]) for each in range(40)]
    frame = pd.DataFrame(rows, columns=["response", "answers"])
    (message,) = said(lambda: frame.qa.score(**SOURCE, metrics=["em", "f1"]))
    (steps,) = re.findall("extract='(.*?)'", message)
    assert said(lambda: frame.qa.score(**SOURCE, metrics=["em", "f1"], extract=steps)) == []
    assert frame.qa.score(**SOURCE, metrics="em", extract=steps)["em"].mean() == 1


def test_golds_that_are_all_alike_are_not_there_by_chance():
    frame = pd.DataFrame({"response": [f"The answer is yes, of {each}." for each in range(40)], "answers": "yes"})
    (message,) = said(lambda: frame.qa.score(**SOURCE, metrics=["em", "f1"]))
    assert "em and f1 count these words against them; recall does not" in message
    assert "by chance" not in message


def test_chance_does_not_depend_on_the_order_of_rows():
    frame = pd.concat([chance(["yes", "no"], 300), chance(["B", "City"], 300).assign(response="")])
    frame = pd.concat([frame, frame[:100]])
    counts = [
        count_moved_golds(read_source(each).texts(pred="response", gold="answers"), np.ones(len(each), np.bool_))
        for each in (frame, frame[::-1], frame.sample(frac=1, random_state=1))
    ]
    assert counts[0] == counts[1] == counts[2]
    assert counts[0]["n_own_golds"] > 0


@pytest.mark.parametrize(("gold", "is_flagged"), [("京", False), ("北京", True), ("北京市", True)])
def test_chinese_goes_by_characters_and_one_is_too_few(gold, is_flagged):
    frame = pd.DataFrame({"response": ["答案应该是北京市，中国的首都，没有别的。"], "answers": [gold]})
    for convention in ("characters", "mlqa_zh"):
        flags = frame.qa.score(**SOURCE, metrics=["em", "f1"], convention=convention)["qa_flags"]
        assert flags.tolist() == [FLAG if is_flagged else ""]
    assert frame.qa.score(**SOURCE, metrics=["em", "f1"])["qa_flags"].tolist() == ["uncut_script"]


@pytest.mark.skipif(not LETTERS.exists(), reason="the case is not there")
def test_letters_of_a_public_file_are_told():
    frame = pd.read_json(LETTERS, lines=True)
    messages = said(lambda: frame.qa.score(**SOURCE))
    assert any("have nothing to compare there" in message and "'unicode'" in message for message in messages)


def test_a_convention_without_overlap_has_no_such_flag():
    scored = capitals().qa.score(**SOURCE, convention="hf_exact_match")
    assert {*scored["qa_flags"]} == {""}


def test_columns_have_the_prefix_and_one_type():
    """Whatever the rows hold, so that frames of several scorings can be put together."""
    parts = [capitals(n)[:n].qa.score(**SOURCE, metrics=["em", "f1"], prefix="s_") for n in (1, 9)]
    assert [*parts[0]][-4:] == ["s_qa_rules", "s_qa_flags", "s_em", "s_f1"]
    assert parts[0].dtypes.equals(parts[1].dtypes)
    assert pd.concat(parts)["s_qa_flags"].dtype == parts[0]["s_qa_flags"].dtype
    assert parts[0]["s_qa_rules"].tolist() == ["squad 35a89cdf"]
    messages = said(
        lambda: capitals().qa.score(**SOURCE, metrics=["em", "f1"], prefix="s_").qa.summary("model", prefix="s_")
    )
    assert any(message.startswith("100 % of chatty's answers") for message in messages)
    assert list(capitals().qa.score(**SOURCE, metrics="em", append=False)) == ["em"]


def test_scored_rows_without_a_mark_are_told():
    scored = capitals().qa.score(**SOURCE, metrics=["em", "f1"])
    both = pd.concat([scored[:60], scored[60:].drop(columns=["qa_rules", "qa_flags"])], ignore_index=True)
    with pytest.warns(MixedScoresWarning, match="60 of 120 scored rows have no value in 'qa_rules'"):
        both.qa.summary()


def test_groups_of_few_rows_are_named_too():
    """Else "100 % of the answers" would be said of one group of two."""
    rows = [("terse", f"City{n}", [f"City{n}"]) for n in range(5)]
    rows += [("chatty", f"As we know, in that country it is City{n}.", [f"City{n}"]) for n in range(5)]
    frame = pd.DataFrame(rows, columns=["model", "response", "answers"])
    with pytest.warns(qa_frame.errors.ScoringWarning, match="50 % of the answers"):
        scored = frame.qa.score("response", "answers", metrics=["em", "f1"])
    with pytest.warns(qa_frame.errors.ScoringWarning, match="^100 % of chatty's answers contain a gold"):
        scored.qa.summary("model")
