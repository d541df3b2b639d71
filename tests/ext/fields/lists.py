"""What this feature adds to tests that go through all functions."""

from __future__ import annotations

import pandas as pd

import qa_frame
from qa_frame.ext.fields.score_fields import RecordArguments
from tests.tables.called import SOURCE, call

RECORDS = pd.DataFrame({"response": ['{"name": "a"}'] * 2, "answers": ['{"name": "a"}'] * 2})
CALLS = {
    "score_fields": [call(qa_frame.score_fields, data=RECORDS, **SOURCE, fields={"name": "f1"})],
}
METHODS = ["score_fields"]
DOORS = {"score_fields": ("fields", RecordArguments)}
