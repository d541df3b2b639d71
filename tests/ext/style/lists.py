"""What this feature adds to tests that go through all functions."""

from __future__ import annotations

import qa_frame
from tests.tables.called import BY_TWO, COMPARED, ROWS, SUMMED, call

CALLS = {
    "style": [
        call(qa_frame.style, table=SUMMED, compared=COMPARED),
        call(qa_frame.style, table=SUMMED, within="model"),
        call(qa_frame.style, table=BY_TWO, columns="document", mean=SUMMED, counts=True),
        call(qa_frame.style, table=ROWS, caption="rows"),
    ],
}
METHODS = ["style"]
TYPED = """
latex: str = qa_frame.style(table, compared=compared).to_latex()
wide: str = qa_frame.style(table, columns="d", mean=table).to_latex(label="tab:one", width=110)
"""
WRONGLY_TYPED = {
    'qa_frame.style(table, bold="yes")': "bold",
}
