"""Which rows of two groups answer the same question: every row in its place, whatever the order."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from qa_frame.stats import contrasts
from qa_frame.tables.pairs import PairArguments, pair_up


@st.composite
def answers(draw):
    """Rows of up to four groups, each with a question at most once, in any order."""
    rows = draw(st.sets(st.tuples(st.sampled_from("abcd"), st.integers(0, 6)), min_size=2, max_size=20))
    frame = pd.DataFrame(draw(st.permutations(sorted(rows))), columns=["model", "question"])
    return frame.assign(document=frame["question"] // 3)


@given(frame=answers(), in_clusters=st.booleans())
def test_every_row_stands_where_its_group_and_question_say(frame, in_clusters):
    if frame["model"].nunique() < 2:
        return
    _, _, (paired,) = pair_up(
        frame, PairArguments(by="model", question="question", cluster="document" if in_clusters else None)
    )
    groups, questions = sorted(set(frame["model"])), sorted(set(frame["question"]))
    assert paired.groups.tolist() == groups
    assert paired.row_of.shape == (len(groups), len(questions))
    # Questions stand in the order of their documents, here that of the questions themselves.
    for place, model in enumerate(groups):
        for column, question in enumerate(questions):
            found = frame.index[(frame["model"] == model) & (frame["question"] == question)]
            assert paired.row_of[place, column] == (found[0] if len(found) else -1)
    documents = [question // 3 for question in questions]
    starts = np.unique(documents, return_index=True)[1] if in_clusters else np.arange(len(questions))
    assert paired.unit_starts.tolist() == starts.tolist()


@given(frame=answers())
def test_pairs_are_each_with_each_or_each_with_the_baseline(frame):
    groups = sorted(set(frame["model"]))
    if len(groups) < 2:
        return
    _, _, (every,) = pair_up(frame, PairArguments(by="model", question="question"))
    pairs = [(a, b) for place, a in enumerate(groups) for b in groups[place + 1 :]]
    assert [(groups[a], groups[b]) for a, b in zip(every.first, every.second, strict=True)] == pairs
    for baseline in groups:
        _, _, (against,) = pair_up(frame, PairArguments(by="model", question="question", baseline=baseline))
        pairs = [(other, baseline) for other in groups if other != baseline]
        assert [(groups[a], groups[b]) for a, b in zip(against.first, against.second, strict=True)] == pairs


def test_clusters_that_are_not_in_the_order_of_questions():
    frame = pd.DataFrame({"model": ["a", "b"] * 3, "question": [1, 1, 2, 2, 3, 3], "document": list("yyxxyy")})
    _, _, (paired,) = pair_up(frame, PairArguments(by="model", question="question", cluster="document"))
    assert paired.row_of.tolist() == [[2, 0, 4], [3, 1, 5]]
    assert paired.unit_starts.tolist() == [0, 1]


def test_blocks_are_the_whole(monkeypatch):
    frame = pd.DataFrame({"model": np.repeat(list("abcde"), 4), "question": np.tile(range(4), 5)})
    _, _, (whole,) = pair_up(frame, PairArguments(by="model", question="question"))
    assert len(list(whole.blocks(n_sums=2))) == 1
    monkeypatch.setattr(contrasts, "_SUMS", 25)
    blocks = list(whole.blocks(n_sums=2))
    assert [len(block.first) for block in blocks] == [3, 3, 3, 1]
    for side in ("first", "second"):
        assert np.concatenate([getattr(block, side) for block in blocks]).tolist() == getattr(whole, side).tolist()
