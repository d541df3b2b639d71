"""What all tests share."""

import pytest
from hypothesis import HealthCheck, settings

from qa_frame.scoring import batches

# How long an example takes says little while other tests run beside it.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")


@pytest.fixture(autouse=True)
def threads_for_little_text(monkeypatch):
    """Let small frames be scored in several threads too, so that the tests see them at work."""
    monkeypatch.setattr(batches, "_BYTES_WORTH_A_THREAD", 1)
