"""The tables of `audit`: of findings, and of what a frame holds that was not scored."""

from qa_frame.tables.result_tables import ResultKind

AUDITED = ("finding", "count", "share", "remedy")
DESCRIBED = ("what", "column", "holds", "call")

RESULTS = (
    ResultKind("audit", frozenset(AUDITED), ("share",), long_texts=("remedy",)),
    ResultKind("described_columns", frozenset(DESCRIBED), ("call",), long_texts=("call",)),
)
