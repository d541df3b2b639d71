"""What this feature adds to tests that go through all functions."""

from __future__ import annotations

import inspect

import qa_frame
from qa_frame.scoring.call_rules import GoldArguments
from tests.tables.called import ROWS, SCORED, SOURCE, call


def differ(data, a, b, others="remem", **settings):
    """`compare_conventions` of three conventions, the third by keyword."""
    return qa_frame.compare_conventions(data, a, b, others, **settings)


CALLS = {
    "infer_convention": [call(qa_frame.infer_convention, data=SCORED, **SOURCE, score="em", metrics="em")],
    "compare_conventions": [
        call(differ, data=ROWS, a="squad", b="squad2", others="remem", **SOURCE),
    ],
}
SIGNATURES = {
    "compare_conventions": inspect.signature(qa_frame.compare_conventions),
}
METHODS = ["compare_conventions", "infer_convention"]
DOORS = {"compare_conventions": ("metric", GoldArguments)}
TYPED = """
found = qa_frame.compare_conventions(df, "squad", "squad2", pred="r", gold="a")
n: int = found.n_changed
n_changed: int = qa.compare_conventions("squad", "squad2", pred="r", gold="a").n_changed
"""
WRONGLY_TYPED = {
    'qa.compare_conventions("squad", "squad3", pred="r", gold="a")': "squad3",
    'qa_frame.compare_conventions(df, "squad", "drop", pred="r", gold="a", metric="rouge-l")': "metric",
}
