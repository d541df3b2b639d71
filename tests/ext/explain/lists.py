"""What this feature adds to tests that go through all functions."""

from __future__ import annotations

import qa_frame
from qa_frame.scoring.call_rules import RuleArguments
from tests.tables.called import ROWS, SOURCE, call

CALLS = {
    "explain": [
        call(qa_frame.explain, data=ROWS, label=1, **SOURCE),
        call(qa_frame.explain, data=ROWS, label=[1, 2], **SOURCE),
    ],
}
METHODS = ["explain"]
DOORS = {"explain": ("metrics", RuleArguments)}
WRONGLY_TYPED = {
    'qa_frame.explain(df, 0, pred="r", gold="a", metrics="rouge-l")': "metrics",
}
