"""What this feature adds to tests that go through all functions."""

from __future__ import annotations

import re

import qa_frame
from qa_frame.extensions import is_there
from tests.tables.called import SCORED, call, shared_axes

CALLS = {
    "abstention": [
        call(qa_frame.abstention, data=SCORED, by="model", declined="human", ci=0.9),
        call(qa_frame.abstention, data=SCORED, declined="human", metrics="f1", cluster="document", ci=0.9),
        call(qa_frame.abstention, data=SCORED, declined=qa_frame.rules.REFUSAL),
    ],
    "risk_coverage": [
        call(qa_frame.risk_coverage, data=SCORED, confidence="sure", by="model"),
        call(qa_frame.risk_coverage, data=SCORED, confidence="sure", declined="human"),
    ],
}
if is_there("ext.plot"):
    CALLS |= {
        "plot.risk_coverage": [
            call(
                qa_frame.plot.risk_coverage,
                table=SCORED.qa.risk_coverage(confidence="sure", metric="f1", by="model"),
                ax=shared_axes,
            )
        ],
    }
METHODS = ["abstention", "risk_coverage"]
TABLES = {
    "abstention": (
        "abstention",
        {
            "by": "model",
            "declined": re.compile("know"),
            "metrics": ["em", "f1"],
            "ci": 0.95,
        },
    ),
    "risk_coverage": ("risk_coverage", {"by": "model", "confidence": "confidence", "metric": "f1"}),
}
TYPED = """
declined: pd.DataFrame = qa_frame.abstention(scored, "m", declined=qa_frame.rules.REFUSAL, ci=0.95)
curve: pd.DataFrame = qa_frame.risk_coverage(scored, confidence="c", metric="em", declined="d")
qa_frame.plot.risk_coverage(curve).set_title("models")
"""
WRONGLY_TYPED = {
    "qa_frame.abstention(df)": "declined",
}
