"""Signatures tell settings apart, and nothing is asked for that is then not done."""

from __future__ import annotations

import functools
import pickle
import re

import numpy as np
import pandas as pd
import pytest

import qa_frame
from qa_frame import Blank, Bleu, Contains, Convention, Delete, Drop, Empty, Exact, Overlap, RougeL, Text


@pytest.fixture(scope="module")
def sample():
    return qa_frame.sample()


@pytest.fixture(scope="module")
def scored(sample):
    return sample.qa.score("response", "answers", stats=True)


class Prefixes:
    """A tokeniser with a state that no `repr` shows."""

    __slots__ = ("n",)

    def __init__(self, n: int) -> None:
        self.n = n

    def __call__(self, text: str) -> list[str]:
        return [word[: self.n] for word in text.split()]

    def __repr__(self) -> str:
        return "Prefixes()"


def signature_of(frame, reduce):
    return frame.qa.summary(pred="response", gold="answers", metrics="f1", reduce=reduce).attrs["qa"]


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
    with pytest.raises(qa_frame.PoolMismatchError, match="signature"):
        pool.update(second)


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


def test_several_levels_of_columns_are_remembered(sample):
    deep = sample.copy()
    deep.columns = pd.MultiIndex.from_tuples([("d", name) for name in sample.columns])
    counts = ["n", "n_scored", "n_missing", "n_no_gold"]
    found = deep.qa.score(("d", "response"), ("d", "answers")).qa.summary(by=[("d", "model")])
    expected = sample.qa.score("response", "answers").qa.summary(by="model")
    assert found[counts].to_numpy().tolist() == expected[counts].to_numpy().tolist()


@pytest.mark.parametrize("options", [{"convention": "squad2"}, {"reduce": "min"}, {"missing": "raise"}], ids=str)
def test_rules_for_scores_that_are_there_are_refused(scored, options):
    with pytest.raises(qa_frame.UnknownOptionError, match="give pred and gold, or leave them out"):
        scored.qa.summary(**options)
    with pytest.raises(qa_frame.UnknownOptionError, match="give pred and gold, or leave them out"):
        scored.qa.compare("model", "question_id", metrics="f1", **options)
    with pytest.raises(qa_frame.UnknownOptionError, match="give pred and gold, or leave them out"):
        scored.qa.agreement(metrics="f1", **options)


def test_rules_by_which_the_scores_were_made_are_no_error(sample):
    options = {"convention": "squad2", "reduce": "mean"}
    again = sample.qa.score("response", "answers", **options).qa.summary(**options)
    pd.testing.assert_frame_equal(again, sample.qa.score("response", "answers", **options).qa.summary())


BAD_RULES = {
    "text": lambda: Exact(text="lower"),
    "no text": lambda: Contains(text=None),
    "empty": lambda: Exact(text=Text(), empty=1.0),
    "empty value": lambda: Empty(both="1"),
    "empty above 1": lambda: Empty(gold=2.0),
    "epsilon": lambda: RougeL(text=Text(), epsilon="a"),
    "negative epsilon": lambda: RougeL(text=Text(), epsilon=-1.0),
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
    with pytest.raises(qa_frame.UnknownOptionError, match=r"is not|is neither"):
        make()


def test_tokens_that_are_no_text(sample):
    convention = Convention(name="x", overlap=Overlap(text=Text((), lambda text: [text, "\ud800"])))
    with pytest.raises(qa_frame.TokeniserError, match="must return a list of str"):
        sample.qa.score("response", "answers", convention=convention)


@pytest.mark.parametrize("prefix", [None, 3])
def test_prefix(sample, scored, prefix):
    for call in (
        lambda: sample.qa.score("response", "answers", prefix=prefix),
        lambda: scored.qa.summary(prefix=prefix),
    ):
        with pytest.raises(qa_frame.UnknownOptionError, match="prefix="):
            call()


def test_groups_by_functions_that_give_tuples(scored):
    found = scored.qa.summary(lambda label: (label % 2, "x"), metrics="f1")
    assert found["n"].tolist() == [180, 180]


def test_a_name_twice_in_a_tidy_summary(scored):
    with pytest.raises(qa_frame.UnknownOptionError, match="twice"):
        scored.qa.summary(["model", "model"], long=True)


def test_a_pool_of_some_metrics_takes_no_others(scored):
    with pytest.raises(qa_frame.PoolMismatchError, match="metrics differ"):
        qa_frame.Pool(metrics="f1").merge(qa_frame.Pool().update(scored))


def test_pools_of_callables_meet_after_pickling(sample):
    reduce = functools.partial(np.quantile, q=0.5)
    halves = [sample[:180], sample[180:]]
    pools = [
        pickle.loads(pickle.dumps(qa_frame.Pool().update(half.qa.score("response", "answers", reduce=reduce))))
        for half in halves
    ]
    assert pools[0].merge(pools[1]).summary().loc["all", "n"] == 360


def test_text_is_no_score():
    frame = pd.DataFrame({"em": ["1", "0", "1"], "f1": [0.5, 0.5, 1.0]})
    assert "em" not in frame.qa.summary()
    with pytest.raises(qa_frame.ColumnTypeError, match="'em'"):
        frame.qa.summary(metrics="em")
