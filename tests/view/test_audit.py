"""`qa_frame.audit`: each planted hazard is found with its rows, a clean frame has none, and each remedy works."""

from __future__ import annotations

import re
import time
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import qa_frame
from qa_frame.rules.parts import FAMILIES, gold_tokens_of
from qa_frame.text.refusals import PHRASE, are_refusals
from qa_frame.view.audit.hazards import HAZARDS
from tests.strategies import each_convention

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


def has_same_tokens(convention):
    """Whether golds become tokens as predictions do. Else the words of these frames may be none of its answers."""
    rules = qa_frame.conventions[convention]
    if rules.contains is not None and rules.contains.place == "stated_bug":
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


def found(frame, hazard, **settings):
    """The count and the examples of a hazard; None where it is not told."""
    table = audit(frame, **settings).set_index("hazard")
    return (int(table.loc[hazard, "count"]), table.loc[hazard, "examples"]) if hazard in table.index else None


LONG = "It is said by nearly everybody who was ever asked, and by many who never were, that this is Lisbon of course."

PLANTS: dict[str, tuple[dict[int, tuple[Any, Any]], dict[str, Any]]] = {
    "empty_golds": ({1003: ("A", ["A"]), 1007: ("x", ["y", "The The"])}, {}),
    "blank_golds": ({1008: ("x", [""]), 1009: ("x", ["y", " \n"])}, {}),
    "lost_letter": ({1003: ("Vitamin", ["Vitamin A"]), 1030: ("(A)", ["(A)"])}, {}),
    "lost_sign_or_point": ({1002: ("314", ["3.14"]), 1004: ("5", ["-5"]), 1006: ("C", ["C", "C++"])}, {}),
    "number_forms": (
        {1001: ("1,234,567,890 people", ["1234567890"]), 1002: ("2", ["2.0"]), 1005: ("3.50", ["3.5"])},
        {"convention": "continuous_eval_docs"},
    ),
    "lost_script": ({1002: ("Москва", ["Москва"]), 1003: ("x", ["Tokyo", "東京"]), 1009: ("x", ["Αθήνα"])}, {}),
    "inside_word": ({1000: ("in 1999", ["9"]), 1004: ("I know", ["no"]), 1011: ("Romero", ["Rome"])}, {}),
    "long_predictions": ({label: (LONG, ["Lisbon"]) for label in range(1010, 1016)}, {}),
    "refusals": ({1001: ("I cannot say.", ["x y"]), 1002: ("Well. As an AI, no.", ["z"])}, {}),
    "null_texts": ({1001: ("nan", ["x y"]), 1002: ("None", ["y"]), 1003: ("<NA>", ["z"]), 1004: (" null", ["z"])}, {}),
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
    "joined_golds": ({label: ("x", ["Rome|Roma"]) for label in range(1000, 1006)}, {}),
    "duplicate_golds": ({1001: ("x", ["Rome", "the Rome"]), 1002: ("x", ["Oslo", "Riga", "Oslo"])}, {}),
    "uneven_missing": (
        {1000: (None, ["Rome"]), **{label: (None, ["Rome"]) for label in range(1020, 1034)}},
        {"by": "model"},
    ),
}
"""For each hazard: rows that have it, and the settings of the call."""


@pytest.mark.parametrize("convention", each_convention(WITH_SAME_TOKENS))
def test_a_clean_frame_has_none(convention):
    settings = {"convention": convention, "by": "model", "question": "question"}
    table = audit(clean(), **settings)
    assert table.empty, table
    shown = audit(clean(), show_all=True, **settings)
    assert shown["hazard"].tolist() == list(HAZARDS)
    assert not shown["found"].any()
    assert (shown["remedy"].str.len() > 20).all()


@pytest.mark.parametrize("hazard", PLANTS)
def test_each_planted_hazard_is_found(hazard):
    rows, settings = PLANTS[hazard]
    frame = planted(rows)
    labels = list(rows)
    if hazard == "choice_letters":
        labels = [1001, 1003, 1005]
    if hazard == "uneven_missing":
        labels = labels[1:]  # the first one is of the model that lacks no more than the other
    assert found(frame, hazard, **settings) == (len(labels), labels[:5])
    table = audit(frame, show_all=True, **settings).set_index("hazard")
    assert table.loc[hazard, "share"] == len(labels) / len(frame)
    assert table.loc[hazard, "found"]


# ---------------------------------------------------------------------------------------------------- the remedies


def follow(remedy: str, frame: Any, settings: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Do what the remedy says, to the letter: its code is run, and its arguments are given."""
    names = {"qa_frame": qa_frame, "re": re, "pyarrow": pa, "data": frame}
    code = remedy.partition(": ")[2] if re.search(r": (data|text)\b", remedy) else ""
    code = remedy[remedy.index("data = ") :] if "data = " in remedy else code
    if code:
        exec(code.replace("; convention", "\nconvention"), names)
    if "convention" in names:
        return names["data"], {**settings, "convention": names["convention"]}
    for argument, end in (
        ("convention", r"(?:;|, which)"),
        ("extract", r" takes "),
        ("metrics", r"$"),
        ("missing", r"$"),
    ):
        given = re.search(rf"\b{argument}=(?=[^,)\s])(.+?){end}", remedy)
        if given and not code:
            return frame, {**settings, argument: eval(given[1], names)}
    assert code, remedy
    return names["data"], settings


@pytest.mark.parametrize("hazard", sorted(PLANTS.keys() - {"duplicate_golds"}))
@pytest.mark.parametrize("kind", ["pandas", "arrow", "polars"])
def test_each_remedy_works(hazard, kind):
    rows, settings = PLANTS[hazard]
    frame = KINDS[kind](planted(rows))
    table = as_pandas(audit(frame, **settings)).set_index("hazard")
    remedy = table.loc[hazard, "remedy"]
    if remedy.startswith("the same as for "):
        remedy = table.loc[remedy.split()[4].strip(","), "remedy"]
    better, better_settings = follow(remedy, frame, settings)
    assert hazard not in as_pandas(audit(better, **better_settings))["hazard"].tolist()
    qa_frame.score(better, **SOURCE, **{k: v for k, v in better_settings.items() if k != "by"})


def test_a_remedy_that_is_told_already_is_not_spelled_again():
    rows = PLANTS["empty_golds"][0] | PLANTS["lost_sign_or_point"][0]
    remedies = audit(planted(rows)).set_index("hazard")["remedy"]
    assert remedies["empty_golds"].startswith("score by rules")
    assert remedies["lost_letter"] == remedies["lost_sign_or_point"] == "the same as for empty_golds, above"
    assert audit(clean(), show_all=True)["remedy"].duplicated().sum() == 2


def test_the_remedy_of_duplicate_golds():
    """It says which reductions give the same scores with and without them, and which one does not."""
    rows, _ = PLANTS["duplicate_golds"]
    frame = planted({label: ("Oslo", golds) for label, (_, golds) in rows.items()})
    single = planted({1001: ("Oslo", ["Rome"]), 1002: ("Oslo", ["Oslo", "Riga"])})
    remedy = audit(frame).set_index("hazard").loc["duplicate_golds", "remedy"]
    assert remedy.startswith("reduce='max', reduce='min' and reduce='best' give the same scores")
    for reduce in ("max", "min", "best", "mean"):
        scores = [
            each.qa.score(**SOURCE, metrics=["em", "f1"], reduce=reduce, append=False) for each in (frame, single)
        ]
        assert scores[0].equals(scores[1]) == (reduce != "mean")


@pytest.mark.filterwarnings("ignore::qa_frame.ExtractionWarning")
def test_steps_are_added_to_those_that_are_there():
    frame = planted({1005: ("<think>x</think> So <answer>Rome</answer>", ["Rome"])})
    settings = {"metrics": "em"}
    for hazard in ("think_tags", "answer_tags"):
        remedy = audit(frame, **settings).set_index("hazard").loc[hazard, "remedy"]
        frame, settings = follow(remedy, frame, settings)
    assert settings["extract"] == ["after_think", "answer_tag|all"]
    again = re.compile("(?i)rome")
    extended = planted({1005: ("<b>Rome</b> **x**", ["Rome"])})
    remedy = audit(extended, extract=["last_line", again], show_all=True).set_index("hazard").loc["html", "remedy"]
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
    table = as_pandas(audit(frame, show_all=True)).set_index("hazard")
    assert table.loc["written_lists", "found"]
    assert table.loc["written_lists", "count"] in (30, 40)
    better, _ = follow(table.loc["written_lists", "remedy"], frame, {})
    assert not as_pandas(audit(better, show_all=True)).set_index("hazard").loc["written_lists", "count"]


@pytest.mark.parametrize(("sep", "n"), [("|", 5), (";", 21), (" / ", 21)])
@pytest.mark.parametrize("is_text", [True, False])
def test_golds_that_were_joined(sep, n, is_text):
    """Of a bar more than a tenth of the rows tells, of other separators more than half."""
    joined = [f"Rome{sep}Roma"] * n + ["Rome"] * (40 - n)
    frame = clean().assign(answers=joined if is_text else [[text] for text in joined])
    assert found(frame, "joined_golds") == (n, [*range(FIRST, FIRST + 5)])
    remedy = audit(frame).set_index("hazard").loc["joined_golds", "remedy"]
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
    table = as_pandas(audit(KINDS[kind](frame), **named)).set_index("hazard")
    assert table.loc["duplicate_rows", "count"] == 2
    assert list(table.loc["duplicate_rows", "examples"]) == ([7, 8] if kind == "pandas" else [40, 41])
    better, _ = follow(table.loc["duplicate_rows", "remedy"], KINDS[kind](frame), {})
    assert as_pandas(audit(better, **named)).empty
    assert len(better) == 40
    assert found(frame, "duplicate_rows") is None  # no columns are named
    assert found(frame, "duplicate_rows", question="question")[0] == 22  # both models answer each question


def test_a_prediction_that_says_what_a_gold_says_is_no_hazard():
    rows = {
        1001: ("None", ["None"]),
        1002: ("nan", ["x", "nan"]),
        1003: ("unknown", ["unknown"]),
        1004: ("N/A", ["n/a"]),
    }
    assert audit(planted(rows)).empty
    rows = {1001: ("None of them", ["x y"]), 1002: ("Nan Goldin", ["x y"]), 1003: ("Unknown Pleasures", ["x y"])}
    assert audit(planted(rows)).empty


def test_text_made_of_nulls_is_told():
    frame = planted({1001: (None, ["x y"]), 1002: (float("nan"), ["x y"])})
    assert found(frame, "null_texts") is None
    assert found(frame.assign(response=frame["response"].map(str)), "null_texts") == (2, [1001, 1002])


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
    remedy = audit(frame).set_index("hazard").loc["choice_letters", "remedy"]
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
        table = as_pandas(audit(given, **settings)).set_index("hazard")
        assert table.loc["choice_letters", "count"] == n
        remedy = table.loc["choice_letters", "remedy"].replace("data['choices']", "data['options']")
        names = {"qa_frame": qa_frame, "polars": pl, "pyarrow": pa, "data": given}
        exec(remedy[re.search(r": (data\b)", remedy).start(1) :], names)
        scores = qa_frame.score(names["data"], **SOURCE, extract="choice", metrics="em")["em"]
        assert sum(scores.to_pylist() if kind == "arrow" else scores) == 12


def test_missing_predictions_that_are_even_are_none():
    rows = {label: (None, ["Rome"]) for label in (*range(1000, 1010), *range(1020, 1030))}
    assert found(planted(rows), "uneven_missing", by="model") is None
    few = {label: (None, ["Rome"]) for label in range(1020, 1022)}  # two of twenty may be chance
    assert found(planted(few), "uneven_missing", by="model") is None


def test_a_constant_metric():
    frame = clean().assign(answers=[["Nowhere"]] * 40)
    table = audit(frame, metrics=["em", "rouge_l", "bleu"]).set_index("hazard")
    assert table.loc["constant_metric", "count"] == 40
    assert "are pred='response' and gold='answers' the right columns" in table.loc["constant_metric", "remedy"]
    partly = planted({label: ("It was Rome", ["Rome"]) for label in range(1000, 1040, 2)} | {
        label: ("x", ["Rome"]) for label in range(1001, 1040, 2)})  # fmt: skip
    remedy = audit(partly, metrics=["em", "f1"]).set_index("hazard").loc["constant_metric", "remedy"]
    assert remedy == "em is 0 in all rows; leave it out: metrics=['f1']"
    better, settings = follow(remedy, partly, {})
    assert found(better, "constant_metric", **settings) is None
    assert found(partly[:19], "constant_metric", metrics="em") is None  # of few rows it tells nothing


# ------------------------------------------------------------------------------------------------- every convention

LOST = {
    "lost_sign_or_point": [("3.14", "314"), ("-5", "5"), ("\u22125", "5"), ("C++", "C"), ("in C# 7", "in C 7")],
    "lost_letter": [("Vitamin A", "Vitamin"), ("Vitamin D", "Vitamin"), ("plan s", "plan"), ("type (I)", "type")],
}


@pytest.mark.parametrize("convention", [name for name in WITH_SAME_TOKENS if rules_of(name, "exact", "overlap")])
@pytest.mark.parametrize("hazard", LOST)
def test_what_is_lost_is_what_the_scores_cannot_tell_apart(convention, hazard):
    """By any convention of tokens, a gold is told exactly if a prediction without what it means scores 1."""
    exact = qa_frame.conventions[convention].exact
    metric = "em" if exact else "f1"
    if exact and (exact.numbers or exact.agreed_text):
        assert all(
            found(planted({1004: (b, [a])}), hazard, metrics="em", convention=convention) is None
            for a, b in LOST[hazard]
        )
        return
    swapped = [(without, whole) for whole, without in LOST[hazard]] if hazard == "lost_sign_or_point" else []
    for whole, without in LOST[hazard] + swapped:
        frame = planted({1004: (without, [whole])})
        scores = frame.qa.score(**SOURCE, metrics=metric, convention=convention, reduce="max")
        same = scores.loc[1004, metric] == 1.0
        assert (found(frame, hazard, metrics=metric, convention=convention) is not None) == same, whole


MADE_EQUAL = "-5|5 3.14|314 1/2|12 10-12|1012 10:30|1030 x^2|x2 50%|50 1.000|1000 .5|5 -.5|.5 1.2.3|1.23 C++|C# 2+2|22"


@pytest.mark.parametrize("texts", MADE_EQUAL.split())
def test_signs_and_points_that_either_side_loses(texts):
    one, other = texts.split("|")
    for pred, gold in [(one, other), (other, one)]:
        frame = planted({1004: (pred, [gold])})
        assert frame.qa.score(**SOURCE).loc[1004, "em"] == 1.0
        assert found(frame, "lost_sign_or_point") == (1, [1004])
        remedy = audit(frame).set_index("hazard").loc["lost_sign_or_point", "remedy"]
        better, settings = follow(remedy, frame, {})
        assert better.qa.score(**SOURCE, **settings).loc[1004, "em"] == 0.0


@pytest.mark.parametrize(
    ("pred", "golds"),
    [("1,000", ["1000"]), ("50 %", ["50%"]), ("10/12", ["10-12"]), ("F-16", ["F16"]), ("Paris.", ["Paris"]),
     ("+5", ["5"]), ("5.", ["5"]), ("about 5%", ["5"]), ("50%", ["50", "50%"]), ("50", ["50", "50%"])],
)  # fmt: skip
def test_characters_that_change_no_number(pred, golds):
    assert found(planted({1004: (pred, golds)}), "lost_sign_or_point") is None


@pytest.mark.parametrize("convention", [name for name in WITH_SAME_TOKENS if rules_of(name, "overlap")])
def test_golds_without_tokens_of_every_convention(convention):
    """A gold without tokens gets no F1 even from itself, unless it stands for "no answer"."""
    rules = qa_frame.conventions[convention]
    for gold in ("A", "The The", "---", "to be", "Rome", "東京"):
        own = qa_frame.Convention(name="own", overlap=qa_frame.Overlap(text=rules.overlap.text))
        frame = planted({1004: (gold, [gold])})
        is_empty = frame.qa.score(**SOURCE, metrics="f1", convention=own).loc[1004, "f1"] == 0.0
        assert (found(frame, "empty_golds", metrics="f1", convention=convention) is not None) == is_empty, gold
    blank = planted({1004: ("x", [""])})
    assert (found(blank, "blank_golds", convention=convention) is None) == rules.no_answer
    assert found(blank, "empty_golds", convention=convention) is None


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


def test_hazards_are_those_of_the_metrics_that_are_asked_for():
    rows = {1002: ("Москва", ["Москва"])} | {label: (LONG, ["Lisbon"]) for label in range(1010, 1016)}
    frame = planted(rows)
    assert set(audit(frame)["hazard"]) == {"lost_script", "long_predictions"}
    assert audit(frame, metrics=["recall", "contains"]).empty
    assert set(audit(frame, metrics="rouge_l")["hazard"]) == {"empty_golds", "lost_script", "long_predictions"}


# ---------------------------------------------------------------------------------------------------- kinds of frames

KINDS = {
    "pandas": lambda frame: frame,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "polars": pl.from_pandas,
}


def as_pandas(table: Any) -> pd.DataFrame:
    return table if isinstance(table, pd.DataFrame) else table.to_pandas()


@pytest.mark.parametrize("kind", ["arrow", "polars"])
def test_any_frame(kind):
    rows = {label: plant for plants, _ in PLANTS.values() for label, plant in plants.items()}
    frame = planted(rows)
    wanted = audit(frame, by="model", question="question", show_all=True)
    table = audit(KINDS[kind](frame), by="model", question="question", show_all=True)
    assert isinstance(table, type(KINDS[kind](frame)))
    got = as_pandas(table)
    for name in ("hazard", "count", "share", "found"):
        assert got[name].tolist() == wanted[name].tolist()
    assert [[place + FIRST for place in places] for places in got["examples"]] == wanted["examples"].tolist()
    same = frame.qa.audit(**SOURCE, by="model", question="question", show_all=True)
    pd.testing.assert_frame_equal(same, wanted)


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
    assert len(audit(frames[kind], show_all=True)) == len(HAZARDS)


def test_the_frame_is_not_changed_and_batches_do_not_matter(monkeypatch):
    rows = {label: plant for plants, _ in PLANTS.values() for label, plant in plants.items()}
    frame = planted(rows)
    before = frame.copy(deep=True)
    whole = audit(frame, show_all=True)
    pd.testing.assert_frame_equal(frame, before)
    monkeypatch.setattr("qa_frame.scoring.batches._ROWS_AT_ONCE", 3)
    pd.testing.assert_frame_equal(audit(frame, show_all=True), whole)


def test_rows_without_golds_or_predictions():
    frame = planted({1001: (None, []), 1002: ("<think>", None), 1003: (None, ["A"]), 1004: ("x", [None, "3.14"])})
    table = audit(frame).set_index("hazard")
    assert table["examples"].to_dict() == {
        "empty_golds": [1003], "lost_letter": [1003], "lost_sign_or_point": [1004]
    }  # fmt: skip
    nothing = clean().assign(response=None, answers=None)
    assert audit(nothing, by="model", question="question").empty


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
    taken = qa_frame.extract_answers(given, qa_frame.NO_REFUSAL)
    assert taken.isna().tolist() == [True] * len(refused) + [False] * (len(answered) + 2) + [True]
    assert taken.dropna().tolist() == [*answered, "two\nlines", ""]
    known = given.dropna()
    refuses = [True] * len(refused) + [False] * (len(answered) + 2)
    assert [qa_frame.REFUSAL.search(text) is not None for text in known] == refuses
    assert are_refusals(pa.array(known)).tolist() == refuses


def test_a_refusal_takes_time_by_its_length_alone():
    start = time.process_time()
    for text in ("I cannot, " * 50_000, "I don't know " * 50_000 + "maybe", " " * 200_000, "\n " * 20_000):
        qa_frame.extract_answers(pd.Series([text]), qa_frame.NO_REFUSAL)
    assert time.process_time() - start < 60


def test_errors():
    frame = clean()
    with pytest.raises(qa_frame.ColumnNotFoundError, match="question='questions'"):
        audit(frame, question="questions")
    with pytest.raises(qa_frame.ColumnNotFoundError, match="by='models'"):
        audit(frame, by="models")
    with pytest.raises(qa_frame.ColumnNotFoundError, match="gold='golds'"):
        qa_frame.audit(frame, pred="response", gold="golds")
    with pytest.raises(qa_frame.UnknownOptionError, match="show_all=1 is neither"):
        audit(frame, show_all=1)
    with pytest.raises(qa_frame.MissingPredictionError):
        audit(planted({1001: (None, ["x"])}), missing="raise")
    assert np.array_equal(frame.index, clean().index)


def test_the_documentation_names_every_hazard_with_its_threshold():
    told = dict(re.findall(r"^ *`(\w+)` .* (always|\d+ %)$", qa_frame.audit.__doc__, re.MULTILINE))
    assert told == {
        name: f"{round(100 * hazard.least)} %" if hazard.least else "always" for name, hazard in HAZARDS.items()
    }
