"""The table of `item_analysis`."""

from qa_frame.tables.result_tables import ResultKind

FIGURES = ("mean", "discrimination")

RESULTS = (ResultKind("item_analysis", frozenset({*FIGURES, "all_miss"}), FIGURES),)
