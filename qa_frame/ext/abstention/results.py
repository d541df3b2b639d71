"""The tables of `abstention` and `risk_coverage`."""

from qa_frame.tables.result_tables import ResultKind

RATES = ("coverage", "answered", "overall", "harmonic", "has_ans", "no_ans")
"""The figures of `abstention`."""

CURVE = ("threshold", "coverage", "score", "risk")
"""The figures of a risk-coverage curve."""

RESULTS = (
    ResultKind("abstention", frozenset({"coverage", "harmonic"}), RATES),
    ResultKind("risk_coverage", frozenset(CURVE), CURVE, has_picture=True),
)
