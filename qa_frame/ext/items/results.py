"""The table of `items`."""

from qa_frame.tables.result_kinds import ResultKind

FIGURES = ("mean", "discrimination")

RESULTS = (ResultKind("items", frozenset({*FIGURES, "all_miss"}), FIGURES),)
