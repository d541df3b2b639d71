"""What an explanation says gives the score; where a setting without words has a part in it, it says so."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import get_args, get_type_hints

import pandas as pd
import pytest

import qa_frame
from qa_frame import Convention
from qa_frame.rules import (
    Bleu,
    Chrf,
    Contains,
    EditDistance,
    Empty,
    Exact,
    Numbers,
    Overlap,
    RougeL,
    Text,
    parts,
)
from qa_frame.scoring.metrics import METRICS
from tests.strategies import each_convention

OTHER = "a setting of the convention that has no words here"
ROWS = pd.DataFrame(
    {
        "response": [
            "the Elbe, 3.14",
            "",
            "B",
            "two 1,000 C++",
            "上海 is a city",
            "x=1/y $5",
            "a the",
            "no",
            "long " * 9,
        ],
        "answers": [
            *(
                [
                    ["Elbe 3.14", "the Oder"],
                    [""],
                    ["(B)", "B"],
                    ["2 1000 c"],
                    ["上海"],
                    ["1/y", "$5"],
                    ["the"],
                    ["yes", "no"],
                ]
            ),
            ["long long", "CANNOTANSWER"],
        ],
    }
)


def explained(rows=None, **settings):
    frame = ROWS if rows is None else rows
    return qa_frame.explain(frame, list(range(len(frame))), pred="response", gold="answers", **settings)


@pytest.mark.parametrize("convention", each_convention(qa_frame.conventions))
def test_the_words_of_each_convention_give_its_scores(convention):
    for each in explained(metrics="all", convention=convention):
        for name, metric in each.metrics.items():
            assert OTHER not in metric.why, (name, each.response, each.golds, metric.why)


@pytest.mark.parametrize("reduce", ["max", "mean", "min", "first", "best", "leave_one_out", "votes"])
def test_the_words_give_the_scores_by_each_reduction(reduce):
    assert OTHER not in str(explained(metrics="all", reduce=reduce)[:])


FAMILIES = {
    "em": "exact",
    "precision": "overlap",
    "recall": "overlap",
    "f1": "overlap",
    "contains": "contains",
    "prefix": "contains",
    "rouge_l": "rouge_l",
    "rouge_2_recall": "rouge_l",
    "bleu": "bleu",
    "bleu2": "bleu_n",
    "chrf": "chrf",
    "anls": "edit",
    "edit_similarity": "edit",
}


@pytest.mark.parametrize("metric", FAMILIES)
def test_a_field_that_halves_a_score_is_seen(monkeypatch, metric):
    """A rule gets a field that scoring follows, and explanations do not know."""
    family = FAMILIES[metric]
    squad = qa_frame.conventions["squad"]
    rule, known = getattr(squad, family), METRICS[metric]

    @dataclass(frozen=True, kw_only=True)
    class Halved(type(rule)):
        share: float = 1.0

    def score_per_pair(counts, rule):
        return known.score_per_pair(counts, rule) * getattr(rule, "share", 1.0)

    monkeypatch.setitem(METRICS, metric, replace(known, score_per_pair=score_per_pair))
    settings = {name: getattr(rule, name) for name in rule.__dataclass_fields__}
    rows = pd.DataFrame({"response": ["Elbe river flows"], "answers": [["Elbe river flows"]]})
    for share in (1.0, 0.5):
        own = replace(squad, name="own", **{family: Halved(**settings, share=share)})
        (found,) = explained(rows, metrics=metric, convention=own)
        assert found.metrics[metric].score == pytest.approx(share)
        assert (f"that gives 1, and {OTHER} makes 0.5 of it" in found.metrics[metric].why) == (share < 1)
    assert OTHER in " ".join(str(found).split())
    assert OTHER in found._repr_html_()


def test_a_rule_that_turns_an_answer_is_seen(monkeypatch):
    known = METRICS["contains"]
    monkeypatch.setitem(
        METRICS, "contains", replace(known, score_per_pair=lambda counts, rule: 1 - known.score_per_pair(counts, rule))
    )
    why = explained(metrics="contains")[0].metrics["contains"].why
    assert OTHER in why


def test_a_sentence_is_from_left_to_right_and_each_quotation_alone():
    rows = pd.DataFrame({"response": ["باريس ليون <b>"], "answers": [["مرسيليا"]]})
    (found,) = explained(rows, metrics=["contains", "em", "bleu"])
    shown = found._repr_html_()
    assert '<td dir="ltr">&#x27;<bdi>مرسيليا</bdi>&#x27; is not in &#x27;<bdi>باريس ليون b</bdi>&#x27;</td>' in shown
    assert shown.count("<bdi") == shown.count("</bdi>")
    assert not {"\u2068", "\u2069"} & {*shown, *str(found)}
    (long,) = explained(rows.assign(response="باريس " * 500), metrics=["contains", "em"])
    assert long._repr_html_().count("<bdi") == long._repr_html_().count("</bdi>")


# --- every field of every part has words

LOWER, CHARACTERS, FOLD = Text(("lower",)), Text(("lower",), "characters"), Text(("lower", "delete_ascii_punctuation"))
BLEU = Bleu(text=LOWER)

FIELDS = {
    Exact: {
        "text": ({"text": Text()}, {"text": LOWER}, "em", "Elbe", ["elbe"]),
        "tolerance": ({}, {"tolerance": 0.1}, "em", "1.01", ["1.02"]),
        "numbers": ({}, {"numbers": Numbers()}, "em", "1.0", ["1"]),
        "separators": ({"numbers": Numbers()}, {"numbers": Numbers(), "separators": ","}, "em", "1.0,2", ["1,2.0"]),
        "item_text": ({"separators": ","}, {"separators": ",", "item_text": FOLD}, "em", "a.,b", ["a,b"]),
        "gold_text": ({}, {"gold_text": FOLD}, "em", "elbe", ["elbe."]),
        "agreed_text": ({}, {"agreed_text": FOLD}, "em", "elbe.", ["elbe", "elbe"]),
        "empty": ({}, {"empty": Empty(both=0.5)}, "em", "", [""]),
    },
    Overlap: {
        "text": ({"text": Text()}, {"text": LOWER}, "f1", "Elbe x", ["elbe"]),
        "counting": ({}, {"counting": "set"}, "f1", "on and on", ["on and on off"]),
        "only_equal": ({}, {"only_equal": ("yes", "no")}, "f1", "yes", ["yes it is"]),
        "numbers_must_match": ({}, {"numbers_must_match": True}, "f1", "5 km", ["6 km"]),
        "digits": ({}, {"digits": 1}, "f1", "elbe x", ["elbe"]),
        "rounding": ({"digits": 2}, {"digits": 2, "rounding": "numpy"}, "recall", "a " * 7, ["a " * 7 + "b " * 33]),
        "empty": ({}, {"empty": Empty(both=0.5)}, "f1", "", [""]),
    },
    Contains: {
        "text": ({"text": Text()}, {"text": LOWER}, "contains", "Elbe x", ["elbe"]),
        "place": ({}, {"place": "start"}, "contains", "an elbe", ["elbe"]),
        "numbers": ({}, {"numbers": True}, "contains", "it is 42.0 km", ["$42"]),
        "gold_text": ({}, {"gold_text": FOLD}, "contains", "elbe", ["elbe."]),
        "empty": ({}, {"empty": Empty(gold=0.5)}, "contains", "x", [""]),
    },
    RougeL: {
        "text": ({"text": Text()}, {"text": LOWER}, "rouge_l", "Elbe x", ["elbe"]),
        "counting": ({}, {"counting": "run"}, "rouge_l", "a x b c", ["a b c"]),
        "epsilon": ({}, {"epsilon": 0.5}, "rouge_l", "a x", ["a"]),
        "beta": ({}, {"beta": 2.0}, "rouge_l", "a x", ["a"]),
        "references": ({}, {"references": "together"}, "rouge_l", "a b c", ["a", "a b c d e"]),
        "empty": ({}, {"empty": Empty(both=0.5)}, "rouge_l", "", [""]),
    },
    Bleu: {
        "text": ({"text": Text()}, {"text": LOWER}, "bleu1", "Elbe x", ["elbe"]),
        "smoothing": ({}, {"smoothing": "exp"}, "bleu2", "a b", ["b a"]),
        "smoothing_value": (*({"smoothing": "floor", "smoothing_value": n} for n in (0.1, 0.2)), "bleu2", "a b", ["b a"]),
        "smooth_from": (
            *({"smoothing": "add_k", "smoothing_value": 1, "smooth_from": n} for n in (1, 2)),
            *("bleu2", "a b c", ["a c"]),
        ),
        "effective_order": ({}, {"effective_order": True}, "bleu2", "a", ["a b"]),
        "pad_orders": (*({"smoothing": "exp", "pad_orders": pads} for pads in (False, True)), "bleu2", "a", ["a b"]),
        "brevity": ({}, {"brevity": False}, "bleu1", "a", ["a b"]),
        "references": ({}, {"references": "together"}, "bleu1", "a b c", ["a x y", "b c"]),
        "reference_length": (
            *({"references": "together", "reference_length": kind} for kind in ("closest", "shortest")),
            *("bleu1", "a b c", ["a b c d", "a"]),
        ),
        "weights": ({}, {"weights": (0.25, 0.75)}, "bleu2", "a b c", ["a b d"]),
        "empty": ({}, {"empty": Empty(pred=0.5)}, "bleu1", "", ["a"]),
    },
    EditDistance: {
        "text": ({"text": Text((), "characters")}, {}, "edit_similarity", "Elbe", ["elbe"]),
        "threshold": ({}, {"threshold": 0.9}, "anls", "hamburg", ["homburg"]),
        "inclusive": ({"threshold": 0.75}, {"threshold": 0.75, "inclusive": False}, "anls", "elba", ["elbe"]),
        "length": ({"text": FOLD}, {"text": FOLD, "length": "text"}, "edit_similarity", "a b", ["a c"]),
        "empty": ({}, {"empty": Empty(both=0.5)}, "edit_similarity", "", [""]),
    },
    Chrf: {
        "text": ({"text": Text((), "characters")}, {}, "chrf", "Elbe x", ["elbe x"]),
        "char_order": ({}, {"char_order": 2}, "chrf", "elba", ["elbe"]),
        "word_order": ({}, {"word_order": 2}, "chrf", "an elba", ["an elbe"]),
        "beta": ({}, {"beta": 3.0}, "chrf", "elbe river", ["elbe"]),
        "eps_smoothing": ({}, {"eps_smoothing": True}, "chrf", "elba", ["elbe"]),
        "empty": ({}, {"empty": Empty(both=0.5)}, "chrf", "", [""]),
    },
    Empty: {
        "of": (*({"empty": Empty(of=of, both=0.5)} for of in ("tokens", "text")), "f1", " ", [" "]),
        "both": ({}, {"empty": Empty(both=0.5)}, "f1", "", [""]),
        "gold": ({}, {"empty": Empty(gold=0.5)}, "f1", "x", [""]),
        "pred": ({}, {"empty": Empty(pred=0.5)}, "f1", "", ["x"]),
    },
    Numbers: {
        "of": (*({"numbers": Numbers(of=of)} for of in ("both", "gold")), "em", "0.0", ["0"]),
        "tolerance": (*({"numbers": Numbers(tolerance=n)} for n in (0.0, 0.5)), "em", "4", ["5"]),
        "percent": (*({"numbers": Numbers(percent=n)} for n in (False, True)), "em", "5%", ["0.05"]),
        "ignored": (*({"numbers": Numbers(ignored=n)} for n in ("", "$")), "em", "$5.0", ["5"]),
    },
}  # fmt: skip
"""Of each field two settings, and a metric and a row whose score they change."""

RULES = {
    "exact": Exact(text=LOWER), "overlap": Overlap(text=LOWER), "contains": Contains(text=LOWER),
    "rouge_l": RougeL(text=LOWER), "bleu_n": BLEU, "chrf": Chrf(text=CHARACTERS), "edit": EditDistance(text=CHARACTERS),
}  # fmt: skip


@pytest.mark.parametrize("part", [*dict.fromkeys(parts.FAMILIES.values()), Empty, Numbers])
def test_every_field_that_changes_scores_has_words(part):
    """A new field fails here, until it has a row and words."""
    assert {*FIELDS[part]} == {field.name for field in fields(part)}
    for name, (*settings, metric, pred, golds) in FIELDS[part].items():
        family = METRICS[metric].family
        rows, told = pd.DataFrame({"response": [pred], "answers": [golds]}), []
        for each in settings:
            own = Convention(name="own", **{family: replace(RULES[family], **each)})
            (found,) = explained(rows, metrics=metric, convention=own)
            told.append(found.metrics[metric])
        assert told[0].score != told[1].score, name
        assert told[0].why != told[1].why, name
        assert OTHER not in told[0].why + told[1].why, name


@pytest.mark.parametrize("place", get_args(get_type_hints(Contains)["place"]))
def test_every_place_of_a_gold_has_words(place):
    own = Convention(name="own", contains=Contains(text=LOWER, place=place))
    told = explained(metrics="contains", convention=own)
    assert all(OTHER not in each.metrics["contains"].why for each in told)


@pytest.mark.parametrize("of", get_args(get_type_hints(Empty)["of"]))
def test_every_kind_of_empty_side_has_words(of):
    own = Convention(name="own", overlap=Overlap(text=LOWER, empty=Empty(of=of, both=0.5)))
    (found,) = explained(pd.DataFrame({"response": [""], "answers": [[""]]}), metrics="f1", convention=own)
    assert found.metrics["f1"].why.startswith("the prediction and the gold each ")
