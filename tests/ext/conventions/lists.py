"""What this feature adds to tests that go through all functions."""

from __future__ import annotations

import inspect

import qa_frame
from qa_frame.scoring.call_rules import GoldArguments
from tests.tables.called import ROWS, SCORED, SOURCE, call


def differ(data, a, b, others="remem", **settings):
    """`differences` of three conventions, the third by keyword."""
    return qa_frame.differences(data, a, b, others, **settings)


CALLS = {
    "identify": [call(qa_frame.identify, data=SCORED, **SOURCE, score="em", metrics="em", n=1)],
    "differences": [
        call(differ, data=ROWS, a="squad", b="squad2", others="remem", **SOURCE),
    ],
}
SIGNATURES = {
    "differences": inspect.signature(qa_frame.differences),
}
METHODS = ["differences", "identify"]
DOORS = {"differences": ("metric", GoldArguments)}
TYPED = """
found = qa_frame.differences(df, "squad", "squad2", pred="r", gold="a")
n: int = found.n_changed
n_changed: int = qa.differences("squad", "squad2", pred="r", gold="a").n_changed
"""
WRONGLY_TYPED = {
    'qa.differences("squad", "squad3", pred="r", gold="a")': "squad3",
    'qa_frame.differences(df, "squad", "drop", pred="r", gold="a", metric="rouge-l")': "metric",
}
