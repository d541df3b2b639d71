"""Signatures tell settings apart, in any process, and reports go by them."""

from __future__ import annotations

import dataclasses
import functools
import os
import pickle
import re
import subprocess
import sys
import typing
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import qa_frame
from qa_frame import Convention, conventions
from qa_frame.rules import Blank, Bleu, Chrf, Delete, Drop, Empty, Exact, Numbers, Overlap, Replace, Space, Text
from qa_frame.rules.parts import FAMILIES, IN_WORDS
from qa_frame.rules.plain_data import _to_plain, convention_from_plain
from qa_frame.rules.signature import all_settings
from qa_frame.text import steps, tokenisers

PACKAGE, TESTS = Path(qa_frame.__file__).parent, Path(__file__).parents[1]
WORDS = Text(("lower",))


def own(**rules: object) -> Convention:
    return Convention(name="own", **rules)


# --- settings of every kind


def captured(word: str) -> Callable[[str], list[str]]:
    return lambda text: [part for part in text.split() if part != word]


def of_set(text: str) -> list[str]:
    return [word for word in text.split() if word not in {"alpha", "beta", "gamma", "delta", "epsilon"}]


def with_default(text: str, end: str = ".") -> list[str]:
    return text.split(end)


class Splitter:
    def __init__(self, mark: str) -> None:
        self.mark = mark

    def __call__(self, text: str) -> list[str]:
        return text.split(self.mark)

    def split(self, text: str) -> list[str]:
        return text.split(self.mark)


FUNCTIONS: list[Callable[..., list[str]]] = [
    str.split,
    str.splitlines,
    re.compile("x").split,
    re.compile("y").split,
    captured("a"),
    captured("b"),
    of_set,
    with_default,
    functools.partial(with_default, end=","),
    functools.partial(with_default, end=";"),
    Splitter("a"),
    Splitter("b"),
    Splitter("a").split,
    Splitter("b").split,
    lambda text: text.split("x"),
    lambda text: text.split("y"),
    lambda text: text.rsplit("x"),
    lambda text: [part.strip() for part in text.split("x")],
    lambda text: [part.lower() for part in text.split("x")],
]


class Prefixes:
    """A tokeniser with a state that no `repr` shows."""

    __slots__ = ("n",)

    def __init__(self, n: int) -> None:
        self.n = n

    def __call__(self, text: str) -> list[str]:
        return [word[: self.n] for word in text.split()]

    def __repr__(self) -> str:
        return "Prefixes()"


TEXTS = [
    Text(),
    *(Text((step,)) for step in steps.STEPS),
    Text(("lower", "nfkc")),
    Text(("nfkc", "lower")),
    *(Text((kind(words),)) for kind in (Blank, Drop) for words in (("a",), ("b",), ("a", "b"), ("a b",), ())),
    Text((Blank(tuple(map(str, range(50)))),)),
    Text((Blank(tuple(map(str, range(51)))),)),
    Text((Delete("ab"),)),
    Text((Delete("a"), Delete("b"))),
    Text((Space("ab"),)),
    Text((Replace("a", "b"),)),
    Text((Replace("a", "c"),)),
    *(Text((function,)) for function in (str.upper, str.title, lambda text: text + "a", lambda text: text + "b")),
    *(Text(split=split) for split in tokenisers.SPLITS if split != "words"),
    *(Text(split=function) for function in FUNCTIONS),
]
EMPTIES = [
    Empty(),
    *(Empty(of=of) for of in ("text", "punctuation")),
    *(Empty(**{side: value}) for side in ("both", "gold", "pred") for value in (0.0, 0.5, 1.0)),
]

VALUES: dict[object, list[object]] = {
    Text: [Text(split="sentences"), *TEXTS],  # the first one goes with every other setting
    Empty | tuple[Empty, ...]: [
        *EMPTIES,
        (Empty(both=1.0), Empty(of="text", gold=0.5)),
        (Empty(both=1.0), Empty(gold=0.5)),
    ],
    float | None: [None, 0.0, 0.5],
    Text | None: [None, *TEXTS],
    Text | tuple[Text, ...] | None: [None, *TEXTS, (Text(), Text(("lower",))), (Text(("lower",)), Text())],
    Numbers | None: [None, Numbers(), Numbers(of="gold"), Numbers(tolerance=0.1), Numbers(percent=True)],
    str: ["", ",", ";"],
    tuple[float, ...] | typing.Literal["highest"] | None: [None, "highest", (0.0, 1.0), (0.5, 0.5)],
    int | None: [None, 0, 2],
    tuple[str, ...]: [(), ("yes",), ("yes", "no"), ("yes no",)],
    bool: [False, True],
    int: [2, 1, 6],
    float: [0.0, 1e-8, 1.0],
}
"""Values of a field, by its type. Those of a `Literal` are its own."""


def values_of(kind: object) -> list[object]:
    return list(typing.get_args(kind)) if typing.get_origin(kind) is typing.Literal else VALUES[kind]


def variants_of(rule: type) -> list[object]:
    """The rule with each of its fields at each of its values, the others at their first."""
    values = {field: values_of(kind) for field, kind in typing.get_type_hints(rule).items()}
    if rule is Chrf:
        values["text"] = [text for text in TEXTS if text.split in {"characters_without_space", "characters"}]
        values["beta"] = [2.0, 1.0]
    first = {field: of_field[0] for field, of_field in values.items()}
    varied = [rule(**{**first, field: value}) for field, of_field in values.items() for value in of_field]
    return list(dict.fromkeys(varied))


def all_variants() -> list[Convention]:
    rule = Exact(text=WORDS)
    of_rules = [own(**{family: variant}) for family, kind in FAMILIES.items() for variant in variants_of(kind)]
    of_convention = [
        Convention(name="other", exact=rule),
        own(exact=rule, bleu=Bleu(text=Text())),
        own(exact=rule, follows="other"),
        own(exact=rule, reduce="mean"),
        own(exact=rule, reduce="best", best_by="em"),
        own(exact=rule, prediction="first_line"),
        own(exact=rule, prediction="stripped"),
        own(exact=rule, no_answer_gold="CANNOTANSWER"),
        own(overlap=Overlap(text=WORDS), no_answer=True),
    ]
    return [*conventions.values(), *of_rules, *of_convention]


def test_the_variants_are_of_every_field_of_every_rule():
    for kind, variants in [(Convention, all_variants()), *((rule, variants_of(rule)) for rule in FAMILIES.values())]:
        for field in dataclasses.fields(kind):
            assert len({getattr(variant, field.name) for variant in variants}) > 1, field
    assert {type(variant) for family in FAMILIES for variant in variants_of(FAMILIES[family])} == set(FAMILIES.values())


# --- what a signature tells


def test_signatures_differ_for_any_two_different_settings():
    variants = all_variants()
    assert len(variants) > 150
    for signatures in (Counter(each.signature for each in variants), Counter(each.signature_long for each in variants)):
        assert [signature for signature, times in signatures.items() if times > 1] == []
        assert all("\n" not in signature for signature in signatures)


def test_words_about_a_convention_are_not_in_its_signature():
    rule = Exact(text=WORDS)
    in_words = {"differs": "other", "source": "other", "family": "other", "language": "de", "metrics": ("em",)}
    for field, value in in_words.items():
        assert own(exact=rule, **{field: value}).signature == own(exact=rule).signature


def test_signatures_are_equal_for_equal_settings():
    for variant, again in zip(all_variants(), all_variants(), strict=True):
        assert variant.signature == again.signature
    made_twice = [own(exact=Exact(text=Text(split=captured("a")))).signature for _ in range(2)]
    assert made_twice[0] == made_twice[1]
    methods = [own(exact=Exact(text=Text(split=Splitter("a").split))).signature for _ in range(2)]
    assert methods[0] == methods[1]


def test_a_function_that_captures_itself_has_a_signature():
    def parts(text: str) -> list[str]:
        return [text] if len(text) < 3 else [*parts(text[:2]), *parts(text[2:])]

    convention = own(exact=Exact(text=Text(split=parts)))
    assert convention.signature == convention.signature
    frame = pd.DataFrame({"pred": ["a cat"], "golds": [["cat"]]})
    assert frame.qa.score("pred", "golds", convention=convention)["em"].to_list() == [0.0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Prefixes(1), Prefixes(5)),
        (re.compile("a" * 400 + "b").findall, re.compile("a" * 400 + "c").findall),
        (functools.partial(Prefixes.__call__, Prefixes(1)), functools.partial(Prefixes.__call__, Prefixes(2))),
    ],
    ids=["slots", "pattern", "partial"],
)
def test_tokenisers_with_a_state_have_signatures_of_their_own(one, other):
    signatures = {
        Convention(name="x", overlap=Overlap(text=Text((), function))).signature for function in (one, other, one)
    }
    assert len(signatures) == 2


SCRIPT = """
import qa_frame, functools
from tests.rules.test_signature import FUNCTIONS
for function in FUNCTIONS:
    print(qa_frame.Convention(name="own", exact=qa_frame.rules.Exact(text=qa_frame.rules.Text(split=function))).signature)
"""


@pytest.mark.thorough
def test_signatures_are_the_same_in_every_process():
    printed = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=TESTS.parent,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([str(TESTS.parent), str(PACKAGE.parent)])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert len(printed[0].splitlines()) == len(FUNCTIONS)
    assert printed[0] == printed[1]


@pytest.mark.parametrize("name", conventions)
def test_a_signature_names_what_a_reader_looks_for(name):
    convention = conventions[name]
    for part in (f"convention:{name}", f"follows:{convention.follows}", f"qa_frame:{qa_frame.__version__}", "digest:"):
        assert part in convention.signature
    rules = [family for family in FAMILIES if getattr(convention, family) is not None]
    assert all(f"|{family}:(" in convention.signature for family in rules)


@pytest.mark.parametrize("name", conventions)
def test_the_long_signature_names_every_setting(name):
    convention = conventions[name]
    rules = {family: getattr(convention, family) for family in FAMILIES if getattr(convention, family) is not None}
    parts = {part.partition(":")[0]: part for part in convention._signature_parts(with_defaults=True)}
    assert convention.signature_long == "|".join(parts.values())
    for family, rule in rules.items():
        assert all(f"{field.name}=" in parts[family] for field in dataclasses.fields(rule))
    settings = {field.name for field in dataclasses.fields(Convention)} - IN_WORDS - {"name"}
    assert settings <= {*parts}


def with_a_new_setting(convention: Convention, **settings: bool) -> Convention:
    """The convention, if its rule of the overlap had one more setting."""
    new = dataclasses.field(default=False)
    kind = dataclasses.make_dataclass(
        "Overlap", [("another", bool, new)], bases=(Overlap,), frozen=True, slots=True, kw_only=True
    )
    return dataclasses.replace(convention, overlap=kind(**all_settings(convention.overlap), **settings))


@pytest.mark.parametrize("name", ["squad", "hotpotqa", "drop"])
def test_a_new_setting_shows_only_where_it_is_not_at_its_default(name):
    convention = conventions[name]
    widened, other = with_a_new_setting(convention), with_a_new_setting(convention, another=True)
    assert (widened.signature, _to_plain(widened)) == (convention.signature, _to_plain(convention))
    assert "another=False" in widened.signature_long
    assert "another=True" in other.signature
    assert other.signature.split("digest:")[1] != convention.signature.split("digest:")[1]
    assert _to_plain(other.overlap)["another"] is True


def test_settings_that_were_kept_before_a_part_had_a_new_one_are_read():
    kept = _to_plain(own(overlap=Overlap(text=WORDS)))
    assert kept["overlap"] == {"part": "Overlap", "text": {"part": "Text", "steps": ["lower"]}}
    assert convention_from_plain(kept) == own(overlap=Overlap(text=WORDS))


def test_a_summary_carries_the_signature():
    frame = pd.DataFrame({"pred": ["cat"], "golds": [["cat"]]})
    scored = frame.qa.score("pred", "golds", convention="remem", reduce="mean")
    assert str(scored.qa.summary().attrs["qa"]).count(conventions["remem"].signature) == 1


# --- what reports do with them


@pytest.fixture(scope="module")
def sample():
    return qa_frame.sample()


@pytest.fixture(scope="module")
def scored(sample):
    return sample.qa.score("response", "answers", stats=True)


def signature_of(frame, reduce):
    return (
        frame.qa.score(pred="response", gold="answers", metrics="f1", reduce=reduce)
        .qa.summary(metrics="f1")
        .attrs["qa"]
    )


def test_functions_as_reduce_have_signatures_of_their_own(sample):
    functions = [lambda s: s[0], lambda s: s[-1], lambda s: s.max(), functools.partial(np.quantile, q=0.5)]
    functions.append(functools.partial(np.quantile, q=0.25))
    signatures = [signature_of(sample, function) for function in functions]
    assert len(set(signatures)) == len(functions)
    assert not any("0x" in signature for signature in signatures)
    assert signature_of(sample, functools.partial(np.quantile, q=0.5)) == signatures[3]


def test_pools_of_other_functions_do_not_mix(sample):
    first, second = (
        sample.qa.score("response", "answers", metrics="f1", reduce=reduce)
        for reduce in (lambda s: s[0], lambda s: s.max())
    )
    pool = qa_frame.Pool().update(first)
    with pytest.raises(qa_frame.errors.PoolMismatchError, match="signature"):
        pool.update(second)


def test_pools_of_callables_meet_after_pickling(sample):
    reduce = functools.partial(np.quantile, q=0.5)
    halves = [sample[:180], sample[180:]]
    pools = [
        pickle.loads(pickle.dumps(qa_frame.Pool().update(half.qa.score("response", "answers", reduce=reduce))))
        for half in halves
    ]
    assert pools[0].merge(pools[1]).summary().loc["all", "n_rows"] == 360
