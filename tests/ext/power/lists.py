"""What this feature adds to tests that go through all functions."""

from __future__ import annotations

import qa_frame
from tests.tables.called import call

CALLS = {
    "power": [
        call(qa_frame.power, difference=0.1, sd=0.5, within_sd=0.2, n_samples=2),
        call(qa_frame.power, win_rate=0.2, difference=0.1),
        call(qa_frame.power, win_rate=0.2, difference=0.1, margin=0.1),
        call(qa_frame.power, sd=0.5, n=20, power=0.9),
    ],
}
TYPED = """
needed: pd.DataFrame = qa_frame.power(difference=[0.02, 0.05], sd=0.5, within_sd=0.2, n_samples=4)
"""
