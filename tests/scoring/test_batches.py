"""Each distinct text of a batch is handled once, and each job gets as many batches."""

from __future__ import annotations

import pandas as pd
import pytest

import qa_frame
from qa_frame.frames.text_columns import read_columns
from qa_frame.scoring import batches

FRESH = [f"{number:05d}" for number in range(1200)]


def columns_of(preds, golds):
    frame = pd.DataFrame({"response": preds, "answers": golds})
    return read_columns(frame, pred="response", gold="answers")


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
