"""The table of `power`."""

from qa_frame.tables.result_tables import ResultKind

PLANNED = ("difference", "n", "power", "sd", "n_samples", "ci", "unit")
PLANNED_ESTIMATES = ("difference", "power", "sd")

RESULTS = (ResultKind("power", frozenset(PLANNED), PLANNED_ESTIMATES),)
