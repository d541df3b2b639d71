"""Texts are numbered: each distinct one once, or all of them where few are repeated. Scores do not show which."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qa_frame
from qa_frame.frames.text_columns import read_columns
from qa_frame.scoring import batches
from qa_frame.scoring.batches import make_batch

FRESH = [f"{number:05d}" for number in range(1200)]
REPEATED = ["Seine", "Paris", "Loire", "Rhône"] * 300
DAYS = [f"2024-{month:02d}-{day:02d}" for month in range(1, 13) for day in range(1, 29)]

SIDES = {
    "nothing": (FRESH, [text[::-1] for text in FRESH], False),
    "some golds": (FRESH, [*REPEATED[:300], *[f"{text}?" for text in FRESH[300:]]], False),
    "predictions": (REPEATED, FRESH, True),
    "golds": (FRESH, REPEATED, True),
    "one long prediction": (["I do not know that. " * 20] * 1200, FRESH, True),
    "both": (REPEATED, REPEATED[::-1], True),
    "each other": (FRESH, FRESH, True),
    "far apart": (DAYS * 8, [f"{day}?" for day in DAYS * 8], True),
    "nothing but empty texts": ([""] * 5, [""] * 5, True),
}
"""Predictions, golds, and whether many texts are repeated."""


def columns_of(preds, golds):
    frame = pd.DataFrame({"response": preds, "answers": golds})
    return read_columns(frame, pred="response", gold="answers")


def texts_of_pairs(batch):
    return [batch.texts.take(side.tolist()).to_pylist() for side in (batch.pairs.pred, batch.pairs.gold)]


@pytest.mark.parametrize("repeated", SIDES)
def test_texts_are_looked_up_where_many_are_repeated(repeated):
    preds, golds, has_repeats = SIDES[repeated]
    columns = columns_of(preds, [[gold] for gold in golds])
    batch, distinct = make_batch(columns, only_distinct=False), make_batch(columns)
    assert distinct.texts.to_pylist() == [*dict.fromkeys([*preds, *golds])]
    assert batch.texts.to_pylist() == (distinct.texts.to_pylist() if has_repeats else [*preds, *golds])
    assert texts_of_pairs(batch) == texts_of_pairs(distinct) == [preds, golds]


TEXTS = st.text("ab é", max_size=8)


@given(rows=st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=3)), min_size=1), repeats=st.integers(1, 3))
def test_scores_are_the_same(rows, repeats):
    frame = pd.DataFrame(rows * repeats, columns=["response", "answers"])
    expected = qa_frame.score(frame, "response", "answers", metrics="all", stats=True)
    for least in (0, 1e9):  # so that all texts seem to be repeated, or none
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(batches, "_has_repeats", lambda texts, least=least: len(texts) > least)
            found = qa_frame.score(frame, "response", "answers", metrics="all", stats=True)
        pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_a_function_is_called_once_for_each_distinct_text():
    asked = []

    def split(text: str) -> list[str]:
        asked.append(text)
        return text.split()

    own = qa_frame.Convention(name="own", overlap=qa_frame.rules.Overlap(text=qa_frame.rules.Text(split=split)))
    frame = pd.DataFrame({"response": [*FRESH[:200], "Seine", "Seine"], "answers": [["Seine"], *([["Oise"]] * 201)]})
    frame.qa.score("response", "answers", convention=own)
    assert sorted(asked) == sorted({*FRESH[:200], "Seine", "Oise"})


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 8])
@pytest.mark.parametrize("n_texts", [1, 300, 900, 1150])
def test_each_job_gets_as_many_batches(n_jobs, n_texts, monkeypatch):
    monkeypatch.setattr(batches, "_BYTES_AT_ONCE", 2_000)
    monkeypatch.setattr(batches, "_FEWEST_BYTES", 500)
    columns = columns_of(FRESH[:n_texts], [[text] for text in FRESH[:n_texts]])
    bounds = batches.split_rows(columns, n_jobs=n_jobs)
    assert [row for start, stop in bounds for row in range(start, stop)] == [*range(n_texts)]
    assert len(bounds) % n_jobs == 0 or n_texts == 1
    sizes = [stop - start for start, stop in bounds]
    assert max(sizes) - min(sizes) <= 1
