"""Conventions and their parts: what they take, and what they refuse."""

from __future__ import annotations

import re
from collections.abc import Callable

import pandas as pd
import pytest

import qa_frame
from qa_frame import Convention
from qa_frame.rules import Blank, Bleu, Contains, Delete, Drop, EditDistance, Empty, Exact, Overlap, RougeL, Text
from qa_frame.rules.parts import FAMILIES

WORDS = Text(("lower",))
CHARACTERS = Text(("lower",), split="characters")


def own(**rules: object) -> Convention:
    return Convention(name="own", **(rules or {"exact": Exact(text=WORDS)}))


def score_one(convention: object, **options: object) -> pd.DataFrame:
    frame = pd.DataFrame({"pred": ["a cat"], "golds": [["cat"]]})
    return frame.qa.score("pred", "golds", convention=convention, append=False, **options)


BAD_FIELDS: dict[str, tuple[Callable[[], object], str]] = {
    "empty": (lambda: Empty(of="nothing"), "Empty.of='nothing'"),
    "overlap": (
        lambda: Overlap(text=WORDS, counting="sets"),
        "Overlap.counting='sets' is not known; did you mean 'set'",
    ),
    "rouge_l": (lambda: RougeL(text=WORDS, counting="lcs"), "RougeL.counting='lcs'"),
    "union": (lambda: RougeL(text=WORDS, counting="union"), "takes Text(split='sentences'), not split='words'"),
    "bleu": (lambda: Bleu(text=WORDS, smoothing="add-k"), "Bleu.smoothing='add-k' is not known; did you mean 'add_k'"),
    "prediction": (lambda: own(exact=Exact(text=WORDS), prediction="last"), "Convention.prediction='last'"),
    "a rule of another family": (lambda: own(exact=Overlap(text=WORDS)), "Convention.exact: Overlap("),
    "a text for a rule": (lambda: own(overlap="words"), "Convention.overlap: 'words' is not a Overlap, or None"),
    "no rule": (lambda: Convention(name="own"), "Convention 'own' has no rule"),
    "no answer": (lambda: own(exact=Exact(text=WORDS), no_answer=True), "Convention.no_answer needs a rule"),
    "blanked letters": (lambda: Blank("the"), "Blank.words='the' is not a tuple"),
    "dropped letters": (lambda: Drop("the"), "Drop.words='the' is not a tuple"),
    "one step": (lambda: Text("lower"), "Text.steps='lower' is not a tuple"),
    "a step alone": (lambda: Text(Delete("x")), "Text.steps=Delete("),
    "step": (lambda: score_one(own(exact=Exact(text=Text(("lowr",))))), "text.steps='lowr' is not known; did you mean"),
    "step of golds that agree": (
        lambda: score_one(own(exact=Exact(text=WORDS, agreed_text=Text(("lowr",))))),
        "convention.exact.agreed_text.steps='lowr' is not known; did you mean",
    ),
    "split of items": (
        lambda: score_one(own(exact=Exact(text=WORDS, item_text=Text(split="word")))),
        "convention.exact.item_text.split='word' is not known; did you",
    ),
    "split": (lambda: score_one(own(exact=Exact(text=Text(split="word")))), "text.split='word' is not known; did you"),
    "metric": (lambda: score_one(own(exact=Exact(text=WORDS), metrics=("f1",))), "convention.metrics='f1'"),
    "name": (lambda: score_one("mindformer"), "convention='mindformer' is not known; did you mean 'mindformers'"),
    "neither": (lambda: score_one(3), "convention=3 is neither a name from"),
    "best": (lambda: score_one(own(), reduce="best"), "reduce='best' needs f1, for which convention 'own' has no rule"),
}


@pytest.mark.parametrize(("make", "message"), BAD_FIELDS.values(), ids=BAD_FIELDS.keys())
def test_bad_fields(make, message):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=re.escape(message)):
        make()


FIELDS: dict[str, tuple[Convention, str, str, dict[str, float]]] = {
    "digits": (own(overlap=Overlap(text=WORDS, digits=1)), "a b c", "a", {"precision": 0.3, "recall": 1.0, "f1": 0.5}),
    "inclusive": (own(edit=EditDistance(text=CHARACTERS, inclusive=False)), "ab", "ac", {"anls": 0.0}),
}


@pytest.mark.parametrize(("convention", "pred", "gold", "scores"), FIELDS.values(), ids=FIELDS.keys())
def test_what_a_field_does(convention, pred, gold, scores):
    assert qa_frame.score_one(pred, gold, metrics=[*scores], convention=convention) == scores


def test_steps_and_words_may_be_any_iterable():
    text = Text(["lower", Blank(["a", "the"]), Drop(word for word in "xy")])
    assert text == Text(("lower", Blank(("a", "the")), Drop(("x", "y"))))
    assert score_one(own(exact=Exact(text=text)))["em"].to_list() == [1.0]


BAD_RULES = {
    "text": lambda: Exact(text="lower"),
    "no text": lambda: Contains(text=None),
    "empty": lambda: Exact(text=Text(), empty=1.0),
    "empty value": lambda: Empty(both="1"),
    "empty above 1": lambda: Empty(gold=2.0),
    "epsilon": lambda: RougeL(text=Text(), epsilon="a"),
    "negative epsilon": lambda: RougeL(text=Text(), epsilon=-1.0),
    "beta": lambda: RougeL(text=Text(), beta=-1.0),
    "references": lambda: RougeL(text=Text(), references="all"),
    "numbers": lambda: Contains(text=Text(), numbers=1),
    "gold_text": lambda: Contains(text=Text(), gold_text="lower"),
    "smoothing_value": lambda: Bleu(text=Text(), smoothing="floor", smoothing_value=10),
    "steps": lambda: Text(([1],)),
    "split": lambda: Text((), ["words"]),
    "blank": lambda: Blank((1,)),
    "drop": lambda: Drop((None,)),
    "delete": lambda: Delete((",", ".")),
    "metrics": lambda: Convention(name="x", metrics="em", exact=Exact(text=Text())),
}


@pytest.mark.parametrize("make", BAD_RULES.values(), ids=BAD_RULES)
def test_rules_check_themselves(make):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"is not|is neither"):
        make()


@pytest.mark.parametrize("place", ["either", "words"])
def test_numbers_are_looked_for_at_places_alone(place):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=f"place='{place}'; leave numbers out"):
        Contains(text=Text(), place=place, numbers=True)


def test_golds_together_have_no_rule_for_empty_sides():
    RougeL(text=Text(), references="together", empty=(Empty(), Empty()))
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="leave empty out"):
        RougeL(text=Text(), references="together", empty=Empty(both=1.0))


def test_tokens_that_are_no_text():
    convention = Convention(name="x", overlap=Overlap(text=Text((), lambda text: [text, "\ud800"])))
    with pytest.raises(qa_frame.errors.TokeniserError, match="must return a list of str"):
        score_one(convention)


@pytest.mark.parametrize("name", ["squad", "helm", "triviaqa", "unicode"])
def test_steps_before_those_of_a_convention(name):
    """Each rule has them, and scores as on texts that were changed before."""
    own = qa_frame.conventions[name]
    changed = own.with_steps("unescape_html", "straighten_punctuation")
    rules = [getattr(changed, family) for family in FAMILIES if getattr(own, family) is not None]
    assert all(rule.text.steps[:2] == ("unescape_html", "straighten_punctuation") for rule in rules)
    frame = pd.DataFrame({"pred": ["AT&amp;T \u2019x\u2019", "1914\u20131918"], "gold": ["AT&T 'x'", "1914-1918"]})
    plain = pd.DataFrame({"pred": frame["gold"], "gold": frame["gold"]})
    found = frame.qa.score("pred", "gold", convention=changed, append=False)
    pd.testing.assert_frame_equal(found, plain.qa.score("pred", "gold", convention=own, append=False))
    assert changed.signature != own.signature
    assert own.with_steps().exact == own.exact
