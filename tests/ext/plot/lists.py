"""What this feature adds to tests that go through all functions."""

from __future__ import annotations

import qa_frame
from tests.tables.called import COMPARED, SCORED, SUMMED, call, shared_axes

CALLS = {
    "plot.summary": [
        call(qa_frame.plot.summary, table=SUMMED, ax=shared_axes),
        call(qa_frame.plot.summary, table=SCORED.qa.summary(["model", "document"]), ax=shared_axes),
    ],
    "plot.compare": [call(qa_frame.plot.compare, table=COMPARED, ax=shared_axes)],
    "plot.trend": [call(qa_frame.plot.trend, table=SCORED.qa.summary("question"), over="question", ax=shared_axes)],
    "plot.ranks": [call(qa_frame.plot.ranks, table=COMPARED.qa.ranks(), ax=shared_axes)],
    "plot.heatmap": [
        call(qa_frame.plot.heatmap, table=SCORED.qa.summary(["model", "document"]), metric="f1", ax=shared_axes)
    ],
    "plot.distribution": [call(qa_frame.plot.distribution, data=SCORED, metric="f1", by="model", ax=shared_axes)],
}
TYPED = """
qa_frame.plot.summary(table, ["em", "f1"]).set_title("models")
qa_frame.plot.heatmap(table, "f1")
qa_frame.plot.trend(table, "f1", over="step")
"""
WRONGLY_TYPED = {
    "qa_frame.plot.heatmap(df, metric=3)": "metric",
}
