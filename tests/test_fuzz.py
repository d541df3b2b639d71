"""The comparison on made-up text, run for a few thousand values, and that it finds what differs."""

from __future__ import annotations

import random

import pytest

from tests import fuzz
from tests.reference.oracles_of_conventions import ORACLES_PER_CONVENTION
from tests.strategies import each_convention


@pytest.mark.parametrize("convention", each_convention(ORACLES_PER_CONVENTION))
def test_no_value_differs_from_its_source(convention):
    outcome = fuzz.fuzz(convention, values=1_000, seed=1, long_texts=0)
    assert outcome.n_values >= 1_000
    assert outcome.n_mismatches == 0, str(outcome)


def test_long_texts():
    outcome = fuzz.Outcome("squad")
    maker = fuzz.Maker(random.Random(2))
    maker.new_vocabulary()
    fuzz.compare_batch(outcome, [maker.long_row(), maker.row()], reduce="max", missing="zero")
    assert outcome.n_mismatches == 0, str(outcome)


@pytest.mark.parametrize(("metric", "added"), [("f1", 1e-8), ("em", float("nan"))])
@pytest.mark.parametrize("reduce", ["max", "best", "first"])
def test_a_score_that_differs_is_found_and_shown(monkeypatch, metric, added, reduce):
    oracles = ORACLES_PER_CONVENTION["remem"]
    right = oracles[metric]
    monkeypatch.setitem(oracles, metric, lambda pred, gold: right(pred, gold) + added)
    outcome = fuzz.Outcome("remem")
    fuzz.compare_batch(outcome, [("a cat", ["cat sat"]), ("x", None)], reduce=reduce, missing="zero")
    assert outcome.n_mismatches == 1
    assert f"'{metric}'" in str(outcome)
    assert "row = ('a cat', ['cat sat'])" in str(outcome)


def test_a_statistic_that_differs_is_found(monkeypatch):
    tokens, common = fuzz.OVERLAP_TOKENS["squad"]
    monkeypatch.setitem(fuzz.OVERLAP_TOKENS, "squad", (lambda text: [*tokens(text), "more"], common))
    outcome = fuzz.Outcome("squad")
    fuzz.compare_batch(outcome, [("cat", ["dog"])], reduce="mean", missing="zero")
    assert outcome.n_mismatches == 3


def test_the_command_line(capsys, monkeypatch):
    assert fuzz.main(["--convention", "context_bench", "--values", "2000", "--seed", "3"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("context_bench")
    assert " 0 mismatches" in shown
    monkeypatch.setitem(ORACLES_PER_CONVENTION["context_bench"], "f1", lambda _pred, _gold: 0.5)
    assert fuzz.main(["--convention", "context_bench", "--values", "2000"]) == 1


def test_the_texts_are_of_every_kind():
    """Every category of Unicode but surrogates, empties and nulls; and golds that are nearly the prediction."""
    rows = fuzz.Maker(random.Random(4), long_texts=0).rows(3_000)
    texts = [text for pred, golds in rows for text in (pred, *(golds or [])) if text is not None]
    letters = set("".join(texts))
    assert all(letters & set(characters) for characters in fuzz.characters_by_category())
    assert letters >= set(fuzz.SPACES[:-2])
    assert "" in texts
    assert any(pred is None for pred, _ in rows)
    assert {None, 0} <= {None if golds is None else len(golds) for _, golds in rows}
    assert any(None in golds for _, golds in rows if golds)
    assert max(len(golds) for _, golds in rows if golds) >= 30
