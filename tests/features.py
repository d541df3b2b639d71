"""What the features that are there add to tests that go through all functions.

Each feature has a `lists.py` in its folder of tests, with some of these names:

- `CALLS`: calls that work, whose arguments `tests/tables/test_misuse.py` replaces by wrong values; `SIGNATURES`: the
  signatures of those that stand for another function.
- `METHODS`: its functions that are methods of `df.qa`.
- `DOORS`: its functions that take the rules, each with the argument before them and the rules that it takes.
- `TABLES`: calls whose tables its `tables.json` has.
- `TYPED`: lines of a script that type checkers accept; `WRONGLY_TYPED`: lines that they refuse, and what they say.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from qa_frame import extensions

FOLDER = Path(__file__).with_name("ext")


def lists_of(name: str) -> dict[str, Any]:
    """This list of each feature that has it, by the feature's name."""
    there = [feature for feature in extensions.names() if (FOLDER / feature / "lists.py").is_file()]
    modules = {feature: importlib.import_module(f"tests.ext.{feature}.lists") for feature in there}
    return {feature: getattr(module, name) for feature, module in modules.items() if hasattr(module, name)}


def added(name: str) -> dict[str, Any]:
    """What all features add to a list that is a dictionary."""
    return {key: value for entries in lists_of(name).values() for key, value in entries.items()}


def with_needs(names: Iterable[str], needs: Mapping[str, str]) -> list[Any]:
    """These names as parameters of a test; one that needs a feature is left out where the feature is not there."""
    return [pytest.param(name, marks=pytest.mark.needs(needs[name])) if name in needs else name for name in names]
