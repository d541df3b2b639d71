"""What this feature adds to tests that go through all functions."""

from __future__ import annotations

import qa_frame
from tests.tables.called import SCORED, call

CALLS = {
    "report": [
        call(
            qa_frame.report,
            data=SCORED,
            path="report.html",
            by="model",
            question="question",
            metrics="f1",
            overwrite=True,
        )
    ],
}
METHODS = ["report"]
