"""What all tests share."""

import os

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says little while other tests run beside it.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")

MOST_EXAMPLES = int(os.environ.get("QA_FRAME_MOST_EXAMPLES", "10_000"))
"""The most examples of a property. CI takes fewer than a developer does, and fewest with the oldest versions."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let no property test take more examples than the environment allows."""
    for item in items:
        function = getattr(item, "function", None)
        own = getattr(function, "_hypothesis_internal_use_settings", None)
        if own is not None and own.max_examples > MOST_EXAMPLES:
            function._hypothesis_internal_use_settings = settings(own, max_examples=MOST_EXAMPLES)
