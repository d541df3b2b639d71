"""What this feature adds to tests that go through all functions."""

from __future__ import annotations

import inspect

import qa_frame
from qa_frame.scoring.call_rules import RuleArguments
from tests.tables.called import FILES, SCORED, SOURCE, call

CALLS = {
    "read_results": [call(qa_frame.read_results, path=lambda: FILES / "rows.jsonl")],
    "score_files": [
        call(
            qa_frame.score_files,
            source=lambda: FILES / "rows.parquet",
            destination=lambda: FILES / "scored.parquet",
            overwrite=True,
            n_jobs=1,
            **SOURCE,
        )
    ],
    "summary_files": [
        call(qa_frame.summary_files, source=lambda: FILES / "rows.parquet", by="model", n_jobs=1, **SOURCE)
    ],
}
SCORED.to_parquet(FILES / "scored_rows.parquet")
CALLS["compare_files"] = [
    call(qa_frame.compare_files, source=lambda: FILES / "scored_rows.parquet", by="model", question="question")
]
_FRAME, *_OTHERS = inspect.signature(qa_frame.compare).parameters.values()
SIGNATURES = {"compare_files": inspect.Signature([_FRAME.replace(name="source"), *_OTHERS])}
DOORS = {"score_files": ("metrics", RuleArguments), "summary_files": ("gold", RuleArguments)}
TYPED = """
qa_frame.score_files("in", "out", pred="r", gold="a", metrics="all", convention="drop")
qa_frame.summary_files("in", "model", ci=0.95).reset_index()
qa_frame.compare_files("in", "model", "question_id", metrics="f1", margin=0.02).reset_index()
qa_frame.summary_files("in", "model", as_pool="sums").merge(qa_frame.Pool("model")).summary(percent=True)
"""
WRONGLY_TYPED = {
    'qa_frame.summary_files("f", pred="r", gold="a", convention="squad3")': "summary_files",
    'qa_frame.summary_files("f", as_pool="all")': "summary_files",
    'qa_frame.compare_files("f", "model", correction="all")': "compare_files",
}
