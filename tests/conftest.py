"""What all tests share."""

import pytest

from qa_frame.scoring import batches


@pytest.fixture(autouse=True)
def threads_for_little_text(monkeypatch):
    """Let small frames be scored in several threads too, so that the tests see them at work."""
    monkeypatch.setattr(batches, "_BYTES_WORTH_A_THREAD", 1)
