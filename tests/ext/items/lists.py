"""What this feature adds to tests that go through all functions."""

from __future__ import annotations

import qa_frame
from tests.tables.called import SCORED, call

CALLS = {
    "items": [
        call(qa_frame.items, data=SCORED, by="model", question="question"),
        call(qa_frame.items, data=SCORED, by="model", question="question", metric="em", threshold=1),
    ],
}
METHODS = ["items"]
TABLES = {
    "items": ("items", {"by": "model", "question": "question_id", "metric": "f1"}),
}
TYPED = """
hard: pd.DataFrame = qa_frame.items(scored, by="m", question=["q"], metric="em", threshold=1)
"""
WRONGLY_TYPED = {
    'qa_frame.items(df, "m", "q", threshold="half")': "threshold",
}
