"""What this feature adds to tests that go through all functions."""

from __future__ import annotations

import qa_frame
from tests.tables.called import ROWS, SCORED, call

CALLS = {
    "agreement": [
        call(qa_frame.agreement, data=SCORED),
        call(qa_frame.agreement, data=SCORED, by="model", metrics="f1"),
    ],
    "human_mean": [
        call(qa_frame.human_mean, data=SCORED, human="human", cluster="question"),
        call(qa_frame.human_mean, data=SCORED, human="human", by="model"),
    ],
    "disagreements": [
        call(qa_frame.disagreements, data=SCORED, human="human"),
        call(qa_frame.disagreements, data=SCORED, human="human", threshold=0.5),
    ],
    "sample_for_annotation": [call(qa_frame.sample_for_annotation, data=ROWS, n=2)],
}
METHODS = ["agreement", "human_mean", "disagreements", "sample_for_annotation"]
TABLES = {
    "agreement": ("agreement", {"by": "model", "metrics": ["em", "f1"]}),
    "human_mean": ("human_mean", {"by": "model", "human": "few", "metric": "f1"}),
}
TYPED = """
agreed: pd.DataFrame = qa_frame.agreement(scored, human="h")
means: pd.DataFrame = qa_frame.human_mean(scored, human="h", metric="f1", by="m")
differing: pd.DataFrame = qa_frame.disagreements(scored, human="h")
"""
