"""The scores that a report shows where the frame does not hold all of their rules."""

from __future__ import annotations

import numpy as np
import pytest

import qa_frame
from qa_frame.ext.report.known_scores import find_known_scores
from qa_frame.frames.source import read_source


def test_scores_by_a_function_are_shown_without_explanations():
    scored = qa_frame.sample().qa.score("response", "answers", metrics="f1", reduce=np.median)
    with pytest.warns(qa_frame.errors.MixedScoresWarning, match="without explanations .*median"):
        known = find_known_scores(read_source(scored), None)
    assert known.metadata is None
