"""What this feature adds to tests that go through all functions."""

from __future__ import annotations

import qa_frame
from qa_frame.scoring.call_rules import AuditArguments
from tests.tables.called import ROWS, SOURCE, call

CALLS = {
    "audit": [
        call(qa_frame.audit, data=ROWS, by="model", question="question", **SOURCE),
    ],
}
METHODS = ["audit"]
DOORS = {"audit": ("metrics", AuditArguments)}
