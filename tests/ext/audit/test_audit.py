"""`qa_frame.audit`: each planted check is found with its rows, a clean frame has none, and each remedy works."""

from __future__ import annotations

import html
import pickle
import re
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any

import hypothesis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import strategies as st

import qa_frame
from qa_frame.ext.audit.data_checks import DATA_CHECKS
from qa_frame.extraction.refusals import PHRASE, are_refusals
from qa_frame.rules.parts import FAMILIES, gold_tokens_of
from qa_frame.terminal import columns_of
from tests.kinds import KINDS, as_pandas
from tests.strategies import usual_conventions

DATA = Path(__file__).parents[4] / "shared" / "data" / "evouna.parquet"
SOURCE = {"pred": "response", "gold": "answers"}
CITIES = [
    "Lisbon",
    "Madrid",
    "Berlin",
    "Vienna",
    "Prague",
    "Warsaw",
    "Athens",
    "Dublin",
    "London",
    "Brussels",
    "Budapest",
    "Belgrade",
    "Helsinki",
    "Oslo",
    "Stockholm",
    "Copenhagen",
    "Reykjavik",
    "Zagreb",
    "Skopje",
    "Valletta",
]
CONVENTIONS = list(qa_frame.conventions)


def rules_of(convention, *families):
    """Whether the convention has a rule for any of these families."""
    return any(getattr(qa_frame.conventions[convention], family) is not None for family in families)


def of_other_texts(names, *families):
    """One convention for each way in which these families prepare texts, where they have a rule."""
    rules = {name: [getattr(qa_frame.conventions[name], family) for family in families] for name in names}
    return [*{repr([rule and rule.text for rule in each]): name for name, each in rules.items() if any(each)}.values()]


def has_same_tokens(convention):
    """Whether golds become tokens as predictions do. Else the words of these frames may be none of its answers."""
    rules = qa_frame.conventions[convention]
    if convention == "helm_final_number" or (rules.contains is not None and rules.contains.place == "stated_bug"):
        return False
    return all(rule is None or gold_tokens_of(rule) is None for rule in (getattr(rules, name) for name in FAMILIES))


WITH_SAME_TOKENS = [*filter(has_same_tokens, CONVENTIONS)]
METRICS = {name: None if qa_frame.conventions[name].exact else "f1" for name in CONVENTIONS}
FIRST = 1000
"""The label of the first row."""


def clean(n_models=2) -> pd.DataFrame:
    """Right and wrong answers, of models that are asked the same questions; labels that are no positions."""
    rows = [
        {
            "model": f"model {model}",
            "question": f"question {number}",
            "response": [name, f"It is {name}", CITIES[number - 1]][number % 3],
            "answers": [name, city] if number % 2 else [name],
        }
        for model in range(n_models)
        for number, city in enumerate(CITIES)
        for name in [f"{city} on its old river"]
    ]
    return pd.DataFrame(rows, index=range(FIRST, FIRST + len(rows)))


def planted(rows: dict[int, tuple[Any, Any]]) -> pd.DataFrame:
    """The clean frame with these predictions and golds, by label."""
    frame = clean()
    responses, golds = frame["response"].tolist(), frame["answers"].tolist()
    for label, (response, answers) in rows.items():
        place = label - FIRST
        responses[place], golds[place] = response, answers
    return frame.assign(response=responses, answers=golds)


def audit(frame, **settings):
    return qa_frame.audit(frame, **SOURCE, **settings)


def found(frame, check, **settings):
    """The count and the examples of a finding; None where it is not told."""
    table = audit(frame, **settings).set_index("finding")
    return (int(table.loc[check, "count"]), table.loc[check, "examples"]) if check in table.index else None


LONG = "It is said by nearly everybody who was ever asked, and by many who never were, that this is Lisbon of course."

PLANTS: dict[str, tuple[dict[int, tuple[Any, Any]], dict[str, Any]]] = {
    "gold_without_tokens": ({1003: ("A", ["A"]), 1007: ("x", ["y", "The The"])}, {}),
    "blank_golds": ({1008: ("x", [""]), 1009: ("x", ["y", " \n"])}, {}),
    "lost_letter": ({1003: ("Vitamin", ["Vitamin A"]), 1030: ("type", ["type (A)"])}, {}),
    "lost_sign_or_point": ({1002: ("314", ["3.14"]), 1004: ("5", ["-5"]), 1006: ("C", ["C", "C++"])}, {}),
    "gold_without_ngrams": (
        {1002: ("Москва", ["Москва"]), 1003: ("x", ["Tokyo", "東京"]), 1009: ("x", ["Αθήνα"])},
        {"metrics": "rouge_l"},
    ),
    "inside_word": ({1000: ("in 1999", ["9"]), 1004: ("I know", ["no"]), 1011: ("Romero", ["Rome"])}, {}),
    "gold_in_longer_answer": ({label: (LONG, ["Lisbon"]) for label in range(1010, 1016)}, {}),
    "marks_alone": ({1003: ("1914–1918", ["1914-1918"]), 1005: ("AT&amp;T</s>", ["x", "AT&T"])}, {}),
    "refusals": ({1001: ("I cannot say.", ["x y"]), 1002: ("Well. As an AI, no.", ["z"])}, {}),
    "null_texts": ({1001: ("nan", ["x y"]), 1002: ("None", ["y"]), 1003: ("<NA>", ["z"]), 1004: (" null", ["z"])}, {}),
    "uncut_script": (
        {1001: ("上海。", ["上海"]), 1003: ("答案是上海", ["上海"]), 1005: ("กรุงเทพฯ", ["กรุงเทพ"])},
        {"metrics": ["em", "f1"]},
    ),
    "run_ons": (
        {1001: ("Rome\n\nQuestion: Where?\nAnswer: Oslo", ["Rome"]), 1005: ("Rome\n\nQ: Who?", ["Rome"])},
        {},
    ),
    "answer_phrases": ({1001: ("The answer is Rome.", ["Rome"]), 1005: ("**Answer:** Rome", ["Rome"])}, {}),
    "think_tags": (
        {1005: ("<think>Is it Oslo?</think> Rome", ["Rome"]), 1006: ("<reasoning>x</reasoning> Rome", ["Rome"])},
        {},
    ),
    "answer_tags": ({1005: ("It is <answer>Rome</answer>", ["Rome"])}, {}),
    "boxed": ({1005: (r"So \boxed{Rome}", ["Rome"])}, {}),
    "bold": ({1005: ("It is **Rome**.", ["Rome"])}, {}),
    "code_fences": ({1005: ("So\n```text\nRome\n```", ["Rome"])}, {}),
    "html": ({1005: ("It is <b>Rome</b>", ["Rome"]), 1006: ("Rome<br/>", ["Rome"])}, {}),
    "choice_letters": (
        {label: ("B", ["B"]) for label in range(1000, 1040)}
        | {1001: ("(B)", ["B"]), 1003: ("B.", ["C"]), 1005: ("The answer must be B", ["D"])},
        {},
    ),
    "several_letters": (
        {label: ("BD", ["BD"]) for label in range(1000, 1040)}
        | {1001: ("D, B", ["BD"]), 1003: ("B.", ["B"]), 1005: ("Answer: b and e", ["b,e"])},
        {},
    ),
    "no_option": (
        {label: ("B", ["B"]) for label in range(1000, 1040)} | {1005: ("B", ["E"]), 1006: ("B", ["(f)"])},
        {},
    ),
    "joined_golds": ({label: ("x", ["Rome|Roma"]) for label in range(1000, 1006)}, {}),
}
"""For each finding: rows that have it, and the settings of the call."""


@pytest.mark.parametrize("convention", usual_conventions(WITH_SAME_TOKENS))
def test_a_clean_frame_has_none(convention):
    settings = {"convention": convention, "by": "model", "question": "question"}
    table = audit(clean(), **settings)
    assert table.empty, table


@pytest.mark.parametrize("check", PLANTS)
def test_each_planted_finding_is_found(check):
    rows, settings = PLANTS[check]
    frame = planted(rows)
    labels = list(rows)
    if check in {"choice_letters", "several_letters"}:
        labels = [1001, 1003, 1005]
    if check == "no_option":
        frame, labels = frame.assign(choices=[["Bern", "Rome", "Oslo", "Bonn"]] * len(frame)), [1005, 1006]
    assert found(frame, check, **settings) == (len(labels), labels[:5])
    assert audit(frame, **settings).set_index("finding").loc[check, "share"] == len(labels) / len(frame)


# ---------------------------------------------------------------------------------------------------- the remedies


def follow(remedy: str, frame: Any, settings: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Do what the remedy says, to the letter: its code is run, and its arguments are given."""
    names = {"qa_frame": qa_frame, "re": re, "pyarrow": pa, "data": frame}
    code = re.split(r": (?=data\b|text\b)", remedy, maxsplit=1)[1] if re.search(r": (data|text)\b", remedy) else ""
    code = remedy[remedy.index("data = ") :] if "data = " in remedy else code
    if code:
        exec(code.replace("; convention", "\nconvention"), names)
    if "convention" in names:
        return names["data"], {**settings, "convention": names["convention"]}
    for argument, end in (
        ("convention", r"(?:;|, which|$)"),
        ("extract", r" takes "),
        ("metrics", r"(?:$|, which)"),
        ("missing", r"$"),
    ):
        given = re.search(rf"\b{argument}=(?=[^,)\s])(.+?){end}", remedy)
        if given and not code:
            return frame, {**settings, argument: eval(given[1], names)}
    assert code, remedy
    return names["data"], settings


@pytest.mark.parametrize("check", [name for name in PLANTS if name != "no_option"])  # which needs a column of options
@pytest.mark.parametrize("kind", ["pandas", "arrow", "polars"])
def test_each_remedy_works(check, kind):
    rows, settings = PLANTS[check]
    frame = KINDS[kind](planted(rows))
    table = as_pandas(audit(frame, **settings)).set_index("finding")
    remedy = table.loc[check, "remedy"]
    if remedy.startswith("the same as for "):
        remedy = table.loc[remedy.split()[4].strip(","), "remedy"]
    better, better_settings = follow(remedy, frame, settings)
    assert check not in as_pandas(audit(better, **better_settings))["finding"].tolist()
    qa_frame.score(better, **SOURCE, **{k: v for k, v in better_settings.items() if k != "by"})


def test_a_remedy_that_is_told_already_is_not_spelled_again():
    rows = PLANTS["lost_letter"][0] | PLANTS["lost_sign_or_point"][0]
    remedies = audit(planted(rows)).set_index("finding")["remedy"]
    assert "or keep the characters" in remedies["lost_letter"]
    assert remedies["lost_sign_or_point"] == "the same as for lost_letter, above"


BOLD = {label: (f"It is **{right}**, and not {wrong}", ["Rome"]) for label, right, wrong in [
    (1001, "Rome", "Oslo"), (1002, "Rome", "Bonn"), (1005, "Oslo", "Rome")]}  # fmt: skip
WRONG = {label: (f"Rome, and **not {city}**", ["Rome"]) for label, city in [(1001, "Bern"), (1002, "Bonn")]}
LETTERS: dict[int, tuple[Any, Any]] = {label: ("B", ["B"]) for label in range(1000, 1040)} | {1001: ("B.", ["B"])}
CHINESE = {
    label: (f"答案是北京,因为它是中国的首都{label}年来有很多历史古迹可以参观" * 6, ["北京"])
    for label in range(1010, 1016)
}
TRIED = {
    "rules that keep points, where others end with one": (
        "lost_sign_or_point",
        {1002: ("314", ["3.14"]), 1003: ("Rome.", ["Rome"])},
        "scoring without deleting characters was tried and lowers the scores of 1 of 39 other rows",
    ),
    "letters, where other rows are right as they are": (
        "choice_letters",
        LETTERS | {1004: ("Rome", ["Rome"]), 1006: ("Oslo", ["Oslo"])},
        "taking out the answer was tried and lowers the scores of 2 of 2 other rows",
    ),
    "no refusals, where a gold is one": (
        "refusals",
        {1001: ("I cannot say.", ["x y"]), 1003: ("I cannot say.", ["I cannot say"])},
        "taking out the answer was tried and lowers the scores of 1 of 39 other rows",
    ),
    "no text of a null, where a gold is one": (
        "null_texts",
        {1001: ("None", ["Rome"]), 1003: ("None", ["None"])},
        "lowers the scores of 1 of 39 other rows",
    ),
    "what is bold, where it is not the answer": ("bold", WRONG, "tried and lowers the scores of these rows"),
    "a convention for unanswerable questions that counts other rows otherwise": (
        "blank_golds",
        {1008: ("x", [""]), 1003: ("Rome the", ["the the Rome"])},
        "make them null",
    ),
    "golds cut at a mark, where all of it is the answer": (
        "joined_golds",
        {label: ("Rome|Oslo", ["Rome|Oslo"]) for label in range(1010, 1016)},
        "cutting them at '|' was tried and lowers the scores of these rows",
    ),
}
"""A check and rows where its remedy is not given, and what is said in its place."""


@pytest.mark.parametrize("case", TRIED)
def test_a_remedy_that_lowers_scores_is_not_given(case):
    check, rows, said = TRIED[case]
    settings = {"convention": "context_bench"} if check == "blank_golds" else {}
    remedy = audit(planted(rows), **settings).set_index("finding").loc[check, "remedy"]
    assert said in remedy
    assert not re.search(r"(?:extract|convention|metrics)=|qa_frame\.", remedy)
    rows = {label: row for label, row in rows.items() if label not in (1003, 1004, 1006)}
    if len(rows) < len(TRIED[case][1]) and not settings:  # without the rows that it would lower it is given
        assert said not in audit(planted(rows)).set_index("finding").loc[check, "remedy"]


@pytest.mark.parametrize("rows", [BOLD, WRONG])
def test_the_verdicts_of_people_decide_on_a_remedy(rows):
    """Where what is bold is the right answer to people, it is taken out, and else it is not."""
    right = [label in rows and "**Rome**" in rows[label][0] for label in clean().index]
    frame = planted(rows).assign(human=right)
    remedy = audit(frame, metrics=["em", "f1"]).set_index("finding").loc["bold", "remedy"]
    assert ("extract=" in remedy) == any(right)
    lenient = frame.assign(human=[label in rows for label in frame.index])
    remedy = audit(lenient, metrics=["recall"]).set_index("finding").loc["bold", "remedy"]
    assert remedy.startswith("taking out the answer was tried and agrees less with people's verdicts")
    for other in ("right", 3.0, None, pd.NA, float("inf")):  # no verdicts that are known
        assert len(audit(frame.assign(human=[other] * len(frame))))


def test_metrics_that_are_0_are_not_advised():
    frame = planted(CHINESE)
    remedies = audit(frame).set_index("finding")["remedy"]
    named = eval(re.search(r"metrics=(\[.*?\])", remedies["gold_without_ngrams"])[1])
    scores = frame.qa.score(**SOURCE, metrics=named, append=False).loc[list(CHINESE)]
    assert (scores.mean() > 0).all()
    for name in re.findall(r"'(\w+)'", remedies["uncut_script"]):
        assert frame.qa.score(**SOURCE, metrics="f1", convention=name).loc[list(CHINESE), "f1"].mean() > 0


@pytest.mark.parametrize("convention", ["squad", "helm", "continuous_eval"])
def test_who_asks_for_a_tools_numbers_is_told_that_they_are_the_tools(convention):
    frame = pd.DataFrame({"response": ["上海。", "答案是北京", "广州"] * 4, "answers": ["上海", "北京", "深圳"] * 4})
    remedy = audit(frame, convention=convention, metrics="f1").set_index("finding").loc["uncut_script", "remedy"]
    with pytest.warns(qa_frame.errors.ScoringWarning, match="in a script without spaces"):
        frame.qa.score(**SOURCE, convention=convention, metrics="f1")
    is_of_tool = convention != "squad"
    assert (f"the source of {convention} scores them so, too; for other figures, score these" in remedy) == is_of_tool


def test_some_of_many_rows_are_tried_whatever_their_order(monkeypatch):
    monkeypatch.setattr("qa_frame.ext.audit.trials._MOST_ROWS", 30)
    taken = []
    scored = qa_frame.ext.audit.trials.score_columns
    monkeypatch.setattr(
        "qa_frame.ext.audit.trials.score_columns",
        lambda columns, plan, **more: taken.append(sorted(columns.pred.to_pylist())) or scored(columns, plan, **more),
    )
    rows = [{"response": f"about {n}.", "answers": [f"about {n}"]} for n in range(90)]
    rows += [{"response": f"{n}14", "answers": [f"{n}.14"]} for n in range(20)]
    frame = pd.DataFrame(rows)
    remedy = audit(frame)["remedy"][0]
    assert "lowers the scores of 30 of 30 other rows" in remedy
    assert {len(texts) for texts in taken} == {50}
    first = list(taken)
    taken.clear()
    assert audit(frame.sample(frac=1, random_state=0).reset_index(drop=True))["remedy"][0] == remedy
    assert taken == first


@pytest.mark.parametrize("convention", usual_conventions(CONVENTIONS))
def test_remedies_of_every_kind_of_rules_leave_other_rows_as_they_are(convention):
    frame = planted({1002: ("314", ["3.14"]), 1003: ("A cat.", ["The cat"]), 1005: ("It is **Rome**.", ["Rome"])})
    table = audit(frame, convention=convention)
    for row in table[~table["remedy"].str.contains("the same as|by themselves|metrics=")].to_dict("records"):
        if "extract=" in row["remedy"] or "convention=" in row["remedy"]:
            better, settings = follow(row["remedy"], frame, {"convention": convention})
            rules = {"reduce": "max"}
            after = better.qa.score(**SOURCE, **settings, **rules, append=False)
            before = frame.qa.score(**SOURCE, convention=convention, **rules, append=False)
            both = [name for name in before if name in after]
            others = ~frame.index.isin(row["examples"])
            pd.testing.assert_frame_equal(before.loc[others, both], after.loc[others, both], rtol=0, atol=1e-9)


@pytest.mark.thorough
@pytest.mark.skipif(not DATA.exists(), reason="needs the real results, which are not part of the package")
def test_a_remedy_for_real_rows_agrees_no_less_with_people():
    frame = pd.read_parquet(DATA)
    table = audit(frame, metrics=["em", "f1", "contains"])

    def accuracy(settings):
        scores = frame.qa.score(**SOURCE, metrics=["em", "f1", "contains"], append=False, **settings)
        return (scores >= 0.5).eq(frame["human"], axis=0).to_numpy().mean()

    before = accuracy({})
    assert "lowers the scores of" in table.set_index("finding").loc["lost_letter", "remedy"]
    given = table[table["remedy"].str.contains("extract='|extract=\\[|convention=|extract=qa")]["remedy"]
    for_all = given[~given.str.contains("by themselves")]
    assert len(for_all)
    assert all(accuracy(follow(remedy, frame, {})[1]) >= before for remedy in for_all)


@pytest.mark.thorough
@pytest.mark.skipif(not DATA.exists(), reason="needs the real results, which are not part of the package")
def test_golds_without_tokens_of_real_rows():
    table = audit(pd.read_parquet(DATA), metrics=["em", "f1", "contains"]).set_index("finding")
    assert table.loc["gold_without_tokens", "count"] == 24


def test_responses_that_run_on_are_named_with_the_share_of_each_group():
    text = "The answer is (I).\n\nQuestion: Who?\nAnswer: The answer is (A)."
    frame = planted(dict.fromkeys(range(1020, 1030), (text, ["I"])))
    remedies = audit(frame, by="model", metrics="em").set_index("finding")["remedy"]
    taken = "extract='before_next_question' takes what stands before the next question, or else the whole response"
    assert remedies["run_ons"] == f"{taken}; their share: 'model 1' 50%, 'model 0' 0%"
    assert remedies["answer_phrases"].startswith("extract=['before_next_question', 'answer_is|all'] takes")


def test_texts_without_spaces_are_not_inside_words():
    """The advice does not drop the only metric that finds them, and names rules that cut them."""
    frame = pd.DataFrame({"response": ["上海。", "答案是北京", "广州"] * 10, "answers": ["上海", "北京", "深圳"] * 10})
    table = audit(frame, metrics=["em", "f1", "contains"]).set_index("finding")
    assert table.index.tolist() == ["uncut_script"]
    assert "convention='unicode'" in table.loc["uncut_script", "remedy"]


@pytest.mark.filterwarnings("ignore::qa_frame.errors.ExtractionWarning")
def test_steps_are_added_to_those_that_are_there():
    frame = planted({1005: ("<think>x</think> So <answer>Rome</answer>", ["Rome"])})
    settings = {"metrics": "em"}
    for check in ("think_tags", "answer_tags"):
        remedy = audit(frame, **settings).set_index("finding").loc[check, "remedy"]
        frame, settings = follow(remedy, frame, settings)
    assert settings["extract"] == ["after_think", "answer_tag|all"]
    again = re.compile("(?s).+")
    extended = planted({1005: ("<b>Rome</b> **x**", ["Rome"])})
    remedy = audit(extended, extract=["last_line", again]).set_index("finding").loc["html", "remedy"]
    _, settings = follow(remedy, extended, {})
    assert settings["extract"][:2] == ["last_line", again]
    assert extended.qa.score(**SOURCE, metrics="em", extract=settings["extract"]).loc[1005, "em"] == 1.0


# --------------------------------------------------------------------------------------------- golds, rows, metrics


@pytest.mark.parametrize(
    "texts",
    [
        ["['Rome', 'Roma']"] * 40,  # score refuses these
        ["[1999, 2001]"] * 40,  # score warns of these
        ["""["it's" 'Roma']"""] * 30 + ["Rome"] * 10,
        [["['Rome', 'Roma']"]] * 30 + [["Rome"]] * 10,
    ],
)
@pytest.mark.parametrize("kind", ["pandas", "arrow", "polars"])
def test_golds_that_were_written_out(texts, kind):
    frame = KINDS[kind](clean().assign(answers=texts))
    table = as_pandas(audit(frame)).set_index("finding")
    assert table.loc["written_lists", "count"] in (30, 40)
    better, _ = follow(table.loc["written_lists", "remedy"], frame, {})
    assert "written_lists" not in as_pandas(audit(better))["finding"].tolist()


@pytest.mark.filterwarnings("ignore:.* were cut off:qa_frame.errors.ScoringWarning")
def test_of_golds_that_were_written_out_nothing_else_is_said():
    sample = qa_frame.sample().reset_index(drop=True).assign(finish_reason=["length", "stop"] * 180)
    texts = sample.assign(answers=sample["answers"].map(str, na_action="ignore"))
    table = audit(texts)
    assert table["finding"].tolist() == ["written_lists", "cut_off", "bold"]
    read, _ = follow(table["remedy"][0], texts.copy(), {})
    pd.testing.assert_frame_equal(audit(read), audit(sample))
    few = sample.assign(answers=texts["answers"].where(sample.index < 100, "Rome"))
    assert "gold_in_longer_answer" in audit(few.assign(response=LONG.replace("Lisbon", "Rome")))["finding"].tolist()


@pytest.mark.parametrize(("sep", "n"), [("|", 5), (";", 21), (" / ", 21)])
@pytest.mark.parametrize("is_text", [True, False])
def test_golds_that_were_joined(sep, n, is_text):
    """Of a bar more than a tenth of the rows tells, of other separators more than half."""
    joined = [f"Rome{sep}Roma"] * n + ["Rome"] * (40 - n)
    frame = clean().assign(answers=joined if is_text else [[text] for text in joined])
    assert found(frame, "joined_golds") == (n, [*range(FIRST, FIRST + 5)])
    remedy = audit(frame).set_index("finding").loc["joined_golds", "remedy"]
    assert remedy == f"cut them first: data['answers'] = qa_frame.to_golds(data['answers'], sep={sep.strip()!r})"
    better, _ = follow(remedy, frame, {})
    assert list(better["answers"].iloc[0]) == ["Rome", "Roma"]
    assert found(better, "joined_golds") is None
    fewer = [*joined[1:], "Rome"]
    assert found(clean().assign(answers=[[text] for text in fewer]), "joined_golds") is None


@pytest.mark.parametrize("kind", ["pandas", "arrow", "polars"])
def test_rows_that_are_there_twice(kind):
    frame = pd.concat([clean(), clean().loc[[1002, 1025]].set_axis([7, 8])])
    named = {"by": "model", "question": "question"}
    table = as_pandas(audit(KINDS[kind](frame), **named)).set_index("finding")
    assert table.loc["duplicate_rows", "count"] == 2
    assert list(table.loc["duplicate_rows", "examples"]) == ([7, 8] if kind == "pandas" else [40, 41])
    better, _ = follow(table.loc["duplicate_rows", "remedy"], KINDS[kind](frame), {})
    assert as_pandas(audit(better, **named)).empty
    assert len(better) == 40
    assert found(frame, "duplicate_rows") is None  # no columns are named
    assert found(frame, "duplicate_rows", question="question")[0] == 22  # both models answer each question


def test_a_prediction_that_says_what_a_gold_says_is_no_finding():
    rows = {
        1001: ("None", ["None"]),
        1002: ("nan", ["x", "nan"]),
        1003: ("unknown", ["unknown"]),
        1004: ("N/A", ["n/a"]),
    }
    assert audit(planted(rows)).empty
    rows = {1001: ("None of them", ["x y"]), 1002: ("Nan Goldin", ["x y"]), 1003: ("Unknown Pleasures", ["x y"])}
    assert audit(planted(rows)).empty


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("I pick C because A is wrong", "C"),
        ("A careful look: the answer is D", "D"),
        ("A careful look", None),
        ("I'd say C", "C"),
        ("I think that A is wrong. The answer is C. B is not.", "C"),
        ("The answer must be B", "B"),
        ("(B)", "B"),
        ("B.", "B"),
        ("B) Paris", "B"),
        ("**D**: Paris", "D"),
        ("C\nA is wrong", "C"),
        ("I would choose E.", "E"),
        ("Answer: F", "F"),
        ("J", "J"),
    ],
)
def test_the_advice_for_choices_takes_no_other_letter(response, letter):
    frame = planted(
        {label: ("B", ["B"]) for label in range(1000, 1040)} | {1001: (response, ["B"]), 1002: ("(C)", ["C"])}
    )
    remedy = audit(frame).set_index("finding").loc["choice_letters", "remedy"]
    _, settings = follow(remedy, frame, {})
    taken = qa_frame.extract_answers(frame["response"], settings["extract"])
    assert [letter_of if isinstance(letter_of, str) else None for letter_of in taken.loc[[1001, 1002]]] == [letter, "C"]


@pytest.mark.parametrize("golds", [["Rome", "Oslo", "Paris"], [["Rome"], ["Oslo"], ["Paris"]], ["1", "2", "0"]])
@pytest.mark.parametrize("kind", ["pandas", "arrow", "polars"])
def test_golds_of_choices_that_are_no_letters(golds, kind):
    frame = pd.DataFrame({"response": ["(B)", "The answer is C", "A"] * 4, "answers": golds * 4})
    frame = frame.assign(options=[["Paris", "Rome", "Oslo"]] * 12)
    for settings, n in (({}, 8), ({"extract": "choice", "choices": "options"}, 12)):
        given = KINDS[kind](frame.copy())
        table = as_pandas(audit(given, **settings)).set_index("finding")
        assert table.loc["choice_letters", "count"] == n
        told = re.findall(r"(choices|gold_is)='(\w+)'", table.loc["choice_letters", "remedy"])
        scores = qa_frame.score(given, **SOURCE, extract="choice", **dict(told), metrics="em")["em"]
        assert sum(scores.to_pylist() if kind == "arrow" else scores) == 12


@pytest.mark.parametrize("kind", ["pandas", "arrow", "polars"])
@pytest.mark.parametrize(
    "options",
    [
        {"opts": [["Paris", "Rome", "Oslo"]] * 12},
        {"alternatives": [{"A": "Paris", "B": "Rome", "C": "Oslo"}] * 12},
        {"A": ["Paris"] * 12, "B": ["Rome"] * 12, "C": ["Oslo"] * 12},
        {"option_a": ["Paris"] * 12, "option_b": ["Rome"] * 12, "option_c": ["Oslo"] * 12},
        {"opts": ["['Paris', 'Rome', 'Oslo']"] * 12},
    ],
    ids=["lists", "dicts", "letters", "names", "written"],
)
def test_the_advice_for_texts_of_options_runs_wherever_they_stand(options, kind):
    frame = pd.DataFrame({"response": ["(B)", "The answer is C", "A"] * 4, "answers": ["Rome", "Oslo", "Paris"] * 4})
    given = KINDS[kind](frame.assign(**options))
    remedy = as_pandas(audit(given)).set_index("finding").loc["choice_letters", "remedy"]
    names = {"qa_frame": qa_frame, "pyarrow": pa, "polars": pl, "data": given}
    _, code, made = remedy.partition(" first: ")
    if code:
        exec(made, names)
    told = re.findall(r"(choices|gold_is)='(\w+)'", remedy)
    scores = qa_frame.score(names["data"], **SOURCE, extract="choice", **dict(told), metrics="em")["em"]
    assert sum(scores.to_pylist() if kind == "arrow" else scores) == 12


def test_the_advice_for_several_letters_lowers_no_right_score():
    golds = ["C", "B", "D", "BD", "ABD", "C", "B", "AC", "D", "C", "ABC", "B"]
    responses = ["C", "B.", "D", "BD", "D, A, B", "C", "B", "AC", "D) the last", "C", "a, b and c", "B"]
    frame = pd.DataFrame({"response": responses, "answers": golds})
    table = audit(frame).set_index("finding")
    assert list(table.index) == ["several_letters"]
    assert table.loc["several_letters", "examples"] == [1, 4, 8, 10]
    _, settings = follow(table.loc["several_letters", "remedy"], frame, {})
    assert qa_frame.score(frame, **SOURCE, **settings, metrics="em")["em"].tolist() == [1.0] * 12


def test_golds_of_a_letter_with_its_text_are_told():
    frame = pd.DataFrame({"response": ["B", "C", "A"] * 4, "answers": ["(B) Rome", "C. Oslo", "A) Paris"] * 4})
    remedy = audit(frame).set_index("finding").loc["choice_letters", "remedy"]
    _, settings = follow(remedy, frame, {})
    assert qa_frame.score(frame, **SOURCE, **settings, metrics="em")["em"].sum() == 12


# ------------------------------------------------------------------------------------------------- every convention

LOST = {
    "lost_sign_or_point": [("3.14", "314"), ("-5", "5"), ("\u22125", "5"), ("C++", "C"), ("in C# 7", "in C 7")],
    "lost_letter": [("Vitamin A", "Vitamin"), ("Vitamin D", "Vitamin"), ("plan s", "plan"), ("type (I)", "type")],
}


@pytest.mark.parametrize("convention", of_other_texts(WITH_SAME_TOKENS, "exact", "overlap"))
@pytest.mark.parametrize("check", LOST)
def test_what_is_lost_is_what_the_scores_cannot_tell_apart(convention, check):
    """By any convention of tokens, a gold is told exactly if a prediction without what it means scores 1."""
    exact = qa_frame.conventions[convention].exact
    metric = "em" if exact else "f1"
    if exact and (exact.numbers or exact.agreed_text):
        assert all(
            found(planted({1004: (b, [a])}), check, metrics="em", convention=convention) is None for a, b in LOST[check]
        )
        return
    swapped = [(without, whole) for whole, without in LOST[check]] if check == "lost_sign_or_point" else []
    for whole, without in LOST[check] + swapped:
        frame = planted({1004: (without, [whole])})
        scores = frame.qa.score(**SOURCE, metrics=metric, convention=convention, reduce="max")
        same = scores.loc[1004, metric] == 1.0
        assert (found(frame, check, metrics=metric, convention=convention) is not None) == same, whole


MADE_EQUAL = "-5|5 3.14|314 1/2|12 10-12|1012 10:30|1030 x^2|x2 50%|50 1.000|1000 .5|5 -.5|.5 1.2.3|1.23 C++|C# 2+2|22"


@pytest.mark.parametrize("texts", MADE_EQUAL.split())
def test_signs_and_points_that_either_side_loses(texts):
    one, other = texts.split("|")
    for pred, gold in [(one, other), (other, one)]:
        frame = planted({1004: (pred, [gold])})
        assert frame.qa.score(**SOURCE).loc[1004, "em"] == 1.0
        assert found(frame, "lost_sign_or_point") == (1, [1004])
        remedy = audit(frame).set_index("finding").loc["lost_sign_or_point", "remedy"]
        better, settings = follow(remedy, frame, {})
        assert better.qa.score(**SOURCE, **settings).loc[1004, "em"] == 0.0


@pytest.mark.parametrize(
    ("pred", "golds"),
    [("1,000", ["1000"]), ("50 %", ["50%"]), ("10/12", ["10-12"]), ("F-16", ["F16"]), ("Paris.", ["Paris"]),
     ("+5", ["5"]), ("5.", ["5"]), ("about 5%", ["5"]), ("50%", ["50", "50%"]), ("50", ["50", "50%"])],
)  # fmt: skip
def test_characters_that_change_no_number(pred, golds):
    assert found(planted({1004: (pred, golds)}), "lost_sign_or_point") is None


@pytest.mark.parametrize("convention", of_other_texts(WITH_SAME_TOKENS, "overlap"))
def test_golds_without_tokens_of_every_convention(convention):
    """A gold without tokens gets no F1 even from itself, unless it stands for "no answer"."""
    rules = qa_frame.conventions[convention]
    for gold in ("A", "The The", "---", "to be", "Rome", "東京"):
        own = qa_frame.Convention(name="own", overlap=qa_frame.rules.Overlap(text=rules.overlap.text))
        frame = planted({1004: (gold, [gold])})
        is_empty = frame.qa.score(**SOURCE, metrics="f1", convention=own).loc[1004, "f1"] == 0.0
        assert (found(frame, "gold_without_tokens", metrics="f1", convention=convention) is not None) == (
            is_empty and not rules.no_answer
        ), gold
    blank = planted({1004: ("x", [""])})
    assert (found(blank, "blank_golds", convention=convention) is None) == rules.no_answer
    assert (found(blank, "gold_without_tokens", convention=convention) is None) == rules.no_answer


def finds_any_substring(convention):
    rule = qa_frame.conventions[convention].contains
    return rule is not None and rule.place == "anywhere" and not rule.numbers


@pytest.mark.parametrize("convention", [name for name in CONVENTIONS if finds_any_substring(name)])
def test_golds_inside_words_of_every_convention(convention):
    rows = {1000: ("in 1999", ["9"]), 1004: ("I know", ["no"]), 1005: ("Roman-Catholic, in Rome.", ["Rome"])}
    rows |= {1006: ("cats, dogs and boxes", ["cat"]), 1007: ("cats, dogs and boxes", ["box"]), 1008: ("(42)", ["42"])}
    rows |= {1009: ("Kyōto は京都", ["京都"]), 1010: ("U.S. army", ["U.S."])}
    count, examples = found(planted(rows), "inside_word", convention=convention, metrics="contains")
    assert examples[:2] == [1000, 1004]
    assert count == 2 + (1009 in examples)  # a script without spaces shows no words
    if rules_of(convention, "overlap"):
        assert found(planted(rows), "inside_word", convention=convention, metrics="f1") is None


@pytest.mark.parametrize("convention", ["inspect_match", "inspect_match_begin", "inspect_match_numeric_any"])
def test_what_is_looked_for_at_a_place_or_among_numbers_is_in_no_longer_word(convention):
    assert found(planted({1000: ("in 1999", ["9"])}), "inside_word", convention=convention) is None


def test_findings_are_those_of_the_metrics_that_are_asked_for():
    rows = {1002: ("Москва", ["Москва"])} | {label: (LONG, ["Lisbon"]) for label in range(1010, 1016)}
    frame = planted(rows)
    assert set(audit(frame)["finding"]) == {"gold_without_ngrams", "gold_in_longer_answer"}
    assert audit(frame, metrics=["recall", "contains"]).empty
    assert set(audit(frame, metrics="rouge_l")["finding"]) == {"gold_without_ngrams"}


# ----------------------------------------------------------------------------------------- marks that differ alone

MARKS = {
    "nfc": lambda text: unicodedata.normalize("NFD", text),
    "straighten_punctuation": lambda text: text.replace("'", "\u2019").replace("-", "\u2013").replace('"', "\u201c"),
    "delete_invisible": "\u200b".join,
    "unify_forms": lambda text: text.replace("fi", "\ufb01"),
    "unescape_html": lambda text: html.escape(text).encode("ascii", "xmlcharrefreplace").decode(),
    "delete_template_marks": lambda text: f"<s>[INST]{text}</s><|im_end|>",
}
"""By the step that takes each change of a text away."""
WORDS = ["Café", "Schindler's", "List", "1914-1918", "office", "fine", "AT&T", "Zürich", "Coca-Cola", "x^2"]
MARKED = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


@hypothesis.settings(deadline=None, max_examples=20)
@hypothesis.given(texts=st.lists(st.tuples(MARKED, st.sets(st.sampled_from([*MARKS]))), min_size=1, max_size=5))
def test_marks_that_differ_alone_are_found_and_the_remedy_makes_them_equal(texts):
    """Exactly the rows are found that are right once each change is taken away, and are not before."""
    rows = {}
    for place, (text, changes) in enumerate(texts):
        changed = text
        for step in filter(changes.__contains__, MARKS):
            changed = MARKS[step](changed)
        rows[FIRST + place] = (changed, [text])
    frame = planted(rows)
    before = frame.qa.score(**SOURCE, metrics="em")["em"]
    wrong = [label for label in rows if before[label] == 0]
    assert found(frame, "marks_alone", metrics="em") == ((len(wrong), wrong) if wrong else None)
    if not wrong:
        return
    remedy = audit(frame, metrics="em").set_index("finding").loc["marks_alone", "remedy"]
    better, named = follow(remedy, frame, {"metrics": "em"})
    assert (better.qa.score(**SOURCE, **named).loc[wrong, "em"] == 1).all()
    steps = re.findall(r"'(\w+)'", remedy)[1:]
    for step in steps:
        fewer = [other for other in steps if other != step]
        rules = qa_frame.conventions["squad"].with_steps(*fewer)
        assert frame.qa.score(**SOURCE, metrics="em", convention=rules).loc[wrong, "em"].mean() < 1


@pytest.mark.parametrize(
    ("pred", "gold"),
    [("10²", "102"), ("Café", "Cafe"), ("½", "1"), ("naïve – art", "naive"), ("a\u200bb", "a b"), ("Rome&", "Rome")],
)
def test_what_differs_in_more_than_marks_is_not_found(pred, gold):
    assert found(planted({1004: (pred, [gold])}), "marks_alone") is None


@pytest.mark.parametrize("convention", of_other_texts(WITH_SAME_TOKENS, "exact"))
def test_marks_alone_of_every_convention_are_rows_that_its_em_counts_wrong(convention):
    rows = {1000: ("1914–1918", ["1914-1918"]), 1003: ("o\ufb03ce", ["office"]), 1004: ("AT&amp;T", ["AT&T"])}
    rows |= {1006: ("Cafe\u0301", ["Café"]), 1007: ("Rome</s>", ["Rome"]), 1009: ("Ro\u00adme", ["Rome"])}
    frame = planted(rows)
    rules = {"metrics": "em", "convention": convention}
    straight = qa_frame.conventions[convention].with_steps(*MARKS)
    before, after = (
        frame.qa.score(**SOURCE, metrics="em", convention=each, reduce="max")["em"] for each in (convention, straight)
    )
    exact = qa_frame.conventions[convention].exact
    wrong = [label for label in rows if before[label] < 1 == after[label]]
    if exact.numbers or exact.agreed_text:
        wrong = []
    assert found(frame, "marks_alone", **rules) == ((len(wrong), wrong[:5]) if wrong else None)


# --------------------------------------------------------------------------------------- golds inside longer answers


def chatty(said: str, n: int = 20) -> pd.DataFrame:
    """A model that answers in a word, and one that answers in a sentence."""
    rows = [("terse", f"City{i}", [f"City{i}"]) for i in range(n)]
    rows += [("chatty", said.format(country=f"Country{i}", city=f"City{i}"), [f"City{i}"]) for i in range(n)]
    return pd.DataFrame(rows, columns=["model", "response", "answers"])


@pytest.mark.parametrize(
    "said",
    [
        "The capital of {country} is {city}.",
        "We look it up. The answer is {city}. It is large.",
        "It is known that, in {country}, this is **{city}**, of course.",
        "Let me think of {country} first.\nIt is large.\n{city}",
        "{city}\n\nAs the capital of {country}, it is large.",
        'Of {country}, they say "{city}" as a rule, as anybody knows.',
        "The capital of {country}: {city}",
        "Of all in {country}, we take one.\n#### {city}",
    ],
)
def test_steps_that_take_out_the_answer_are_named_and_work(said):
    frame = chatty(said)
    remedy = audit(frame, by="model", metrics=["em", "f1"]).set_index("finding").loc["gold_in_longer_answer", "remedy"]
    assert "em becomes 1 in 20 of 20 rows tried of 'chatty'; their share: 'chatty' 100%, 'terse' 0%" in remedy
    extract = eval(re.search(r"extract=(.*?) takes", remedy)[1])
    scored = frame.qa.score(**SOURCE, metrics=["em", "f1"], extract=extract)
    assert (scored[["em", "f1"]] == 1).all(axis=None)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("In {country}, people know {city} as their capital, of course.", ("City1", ["City1"])),
        ("The capital of {country} is {city}.", ("The end of it is near.", ["The end of it is near"])),
    ],
    ids=["none that helps", "one that lowers another row"],
)
def test_steps_that_do_not_help_or_lower_others_are_not_named(said, other):
    frame = chatty(said)
    frame.loc[len(frame)] = ("terse", *other)
    remedy = audit(frame, by="model").set_index("finding").loc["gold_in_longer_answer", "remedy"]
    assert "extract" not in remedy
    metrics = eval(re.search(r"metrics=(\[.*?\])", remedy)[1])
    scores = frame[frame["model"] == "chatty"].qa.score(**SOURCE, metrics=metrics, append=False)
    assert (scores.mean() > 0).all()


def test_golds_that_are_inside_answers_by_chance_are_no_reason_to_score_by_recall():
    said = ["Well, yes or no: I would say {}, as far as that goes.", "It is {}, not the other of yes and no, I think."]
    rows = [(said[n % 2].format(gold), [gold]) for n in range(40) for gold in ["yes", "no"][n % 2 :][:1]]
    frame = pd.DataFrame(rows, columns=["response", "answers"])
    remedy = audit(frame, metrics=["em", "f1"]).set_index("finding").loc["gold_in_longer_answer", "remedy"]
    assert remedy.startswith("golds such as yes, no or A are inside answers by chance: take out the answer first")
    assert "recall" not in remedy


def test_longer_answers_need_five_rows_and_a_tenth_of_a_group():
    frame = chatty("The capital of {country} is {city}.", 30)
    for n, is_told in ((4, False), (5, True)):
        few = pd.concat([frame[:30], frame[30 : 30 + n]])
        assert (found(few, "gold_in_longer_answer") is not None) == is_told
    terse = pd.concat([frame[:30]] * 2 + [frame[30:35]])  # 5 of 65
    assert found(terse, "gold_in_longer_answer") is None
    assert found(terse, "gold_in_longer_answer", by="model") == (5, [*range(30, 35)])


# ---------------------------------------------------------------------------------------------------- kinds of frames


@pytest.mark.parametrize("kind", ["pandas", "arrow", "polars"])
def test_empty_frames_and_clean_ones_have_the_same_columns(kind):
    empty = pa.table({"response": pa.array([], pa.string()), "answers": pa.array([], pa.list_(pa.string()))})
    frames = {"pandas": empty.to_pandas(), "arrow": empty, "polars": pl.from_arrow(empty)}
    schemas = []
    for frame in (frames[kind], KINDS[kind](clean()), KINDS[kind](planted(PLANTS["bold"][0]))):
        table = audit(frame)
        schemas.append(table.schema if kind != "pandas" else table.dtypes.to_dict())
    assert schemas[0] == schemas[1]
    if kind != "pandas":
        assert schemas[0] == schemas[2]
    assert len(audit(frames[kind])) == 0


def test_the_frame_is_not_changed_and_batches_do_not_matter(monkeypatch):
    rows = {label: plant for plants, _ in PLANTS.values() for label, plant in plants.items()}
    frame = planted(rows)
    before = frame.copy(deep=True)
    whole = audit(frame)
    pd.testing.assert_frame_equal(frame, before)
    monkeypatch.setattr("qa_frame.scoring.batches._ROWS_AT_ONCE", 3)
    pd.testing.assert_frame_equal(audit(frame), whole)


def test_rows_without_golds_or_predictions():
    frame = planted({1001: (None, []), 1002: ("<think>", None), 1003: (None, ["A"]), 1004: ("x", [None, "3.14"])})
    table = audit(frame).set_index("finding")
    assert table["examples"].to_dict() == {
        "lost_letter": [1003], "lost_sign_or_point": [1004]
    }  # fmt: skip
    nothing = clean().assign(response=None, answers=None)
    with pytest.warns(qa_frame.errors.ScoringWarning) as told:
        assert audit(nothing, by="model", question="question").empty
    assert [re.search("(?:are|have) (.*?)[;,]", str(w.message))[1] for w in told] == ["missing predictions", "no gold"]


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_printed_audit_has_each_remedy_whole(width, monkeypatch):
    """Also where texts and labels are as wide as those of Chinese, and after rows were chosen."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(width))
    rows = {label: plant for plants, _ in PLANTS.values() for label, plant in plants.items()}
    frame = planted(rows).rename(index=lambda label: f"第{label}个问题的编号很长")
    frame["model"] = frame["model"].map({"model 0": "千问的名字很长很长", "model 1": "深度求索"})
    table = audit(frame, by="model", question="question", metrics="all")
    assert isinstance(table, pd.DataFrame)
    for shown in (table, table[table["count"] > 1], pickle.loads(pickle.dumps(table))):
        text = repr(shown)
        assert max(map(columns_of, text.split("\n"))) <= width
        joined = "".join(text.split())
        for row in shown.to_dict("records"):
            assert "".join(f"{row['finding']}{row['count']}{row['share']:.3f}".split()) in joined
            assert "".join(row["remedy"].split()) in joined
        assert "<table>" in shown._repr_html_()
    assert repr(table[["finding", "count"]]) == repr(pd.DataFrame(table[["finding", "count"]]))


@pytest.mark.parametrize("taken_out", [False, True])
def test_a_table_without_rows_prints_a_sentence(taken_out):
    table = audit(planted(PLANTS["bold"][0]))[:0] if taken_out else audit(clean())
    assert repr(table) == "This table lists no finding of the data checks of audit."
    assert table._repr_html_() == f"<p>{table!r}</p>"
    assert repr(table[["finding"]]).startswith("Empty")


# ------------------------------------------------------------------------------------------------------------ refusals


def test_refusals():
    refused = [
        "I cannot say",
        "I can’t tell.",
        "Sorry, but I don't know",
        "Hm. AS AN AI, I",
        "\"I'm sorry",
        "well, I'm unable",
        "idk",
        "N/A",
        "unknown",
        "Unknown.",
        "No answer",
        "The passage does not say.",
        "I'm sorry, but the given context doesn't mention it.",
        "I cannot say. However, I can help with others.",
        "n/a\n",
    ]
    answered = [
        "Mexico",
        "He sang 'Can I cannot'",
        "Kai cannot",
        "Asan airport",
        "I do know",
        "as Anais",
        "Malai cannot",
    ]
    answered += [
        "I don't know, but maybe Paris",
        "I don't know. Probably Paris.",
        "idk, but it's Paris",
        "I cannot be sure. My best guess is Paris.",
        "Unknown Pleasures",
        "Na",
    ]
    for text in refused:
        assert re.search(PHRASE, text), text  # where Arrow looks first
        assert pc.match_substring_regex(pa.array([text]), PHRASE)[0].as_py(), text
    given = pd.Series([*refused, *answered, "two\nlines", "", None])
    taken = qa_frame.extract_answers(given, qa_frame.rules.NO_REFUSAL)
    assert taken.isna().tolist() == [True] * len(refused) + [False] * (len(answered) + 2) + [True]
    assert taken.dropna().tolist() == [*answered, "two\nlines", ""]
    known = given.dropna()
    refuses = [True] * len(refused) + [False] * (len(answered) + 2)
    assert [qa_frame.rules.REFUSAL.search(text) is not None for text in known] == refuses
    assert are_refusals(pa.array(known)).tolist() == refuses


def test_a_refusal_takes_time_by_its_length_alone():
    start = time.process_time()
    for text in ("I cannot, " * 50_000, "I don't know " * 50_000 + "maybe", " " * 200_000, "\n " * 20_000):
        qa_frame.extract_answers(pd.Series([text]), qa_frame.rules.NO_REFUSAL)
    assert time.process_time() - start < 60


def test_the_documentation_names_every_check_with_its_threshold():
    page = Path(__file__).parents[3] / "notebooks" / "pages" / "data_checks.md"
    told = dict(re.findall(r"^\| `(\w+)` \| .* \| (always|\d+ %) \|$", page.read_text("utf-8"), re.MULTILINE))
    assert told == {
        name: f"{round(100 * check.least)} %" if check.least else "always" for name, check in DATA_CHECKS.items()
    }
