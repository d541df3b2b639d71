"""The table of `item_analysis`."""

from qa_frame.tables.result_tables import ResultKind

ESTIMATES = ("mean", "discrimination")

RESULTS = (ResultKind("item_analysis", frozenset({*ESTIMATES, "all_miss"}), ESTIMATES),)
