"""What this feature adds to tests that go through all functions."""

from __future__ import annotations

import qa_frame
from tests.tables.called import SCORED, call

CALLS = {
    "item_analysis": [
        call(qa_frame.item_analysis, data=SCORED, by="model", question="question"),
        call(qa_frame.item_analysis, data=SCORED, by="model", question="question", metric="em", threshold=1),
    ],
}
METHODS = ["item_analysis"]
TABLES = {
    "item_analysis": ("item_analysis", {"by": "model", "question": "question_id", "metric": "f1"}),
}
TYPED = """
hard: pd.DataFrame = qa_frame.item_analysis(scored, by="m", question=["q"], metric="em", threshold=1)
"""
WRONGLY_TYPED = {
    'qa_frame.item_analysis(df, "m", "q", threshold="half")': "threshold",
}
