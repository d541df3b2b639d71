"""The oracles of all conventions: those of each module beside this one, put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.reference import (
    oracles_of_answers,
    oracles_of_conventions,
    oracles_of_harnesses,
    oracles_of_languages,
    oracles_of_libraries,
    oracles_of_multihop,
    oracles_of_numbers,
    oracles_of_scripts,
)
from tests.reference.oracles import Oracle

OracleOfRow = Callable[[str, Sequence[str]], float]
OverGolds = Callable[[Sequence[float]], float]

_MODULES = (
    oracles_of_answers,
    oracles_of_conventions,
    oracles_of_multihop,
    oracles_of_numbers,
    oracles_of_harnesses,
    oracles_of_languages,
    oracles_of_libraries,
    oracles_of_scripts,
)


def _merged(name: str) -> Any:
    found: dict[str, Any] = {}
    for module in _MODULES:
        of_module = getattr(module, name, {})
        assert found.keys().isdisjoint(of_module)
        found |= of_module
    return found


ORACLES_PER_CONVENTION: Mapping[str, Mapping[str, Oracle]] = _merged("ORACLES_PER_CONVENTION")
"""The score of one prediction and one gold, by convention and metric."""

ORACLES_OF_ROWS: Mapping[str, Mapping[str, OracleOfRow]] = _merged("ORACLES_OF_ROWS")
"""The score of a prediction and all its golds together, for the metrics that take them so."""

OVER_GOLDS: Mapping[str, OverGolds] = _merged("OVER_GOLDS")
"""What the source makes of the scores of several golds, where it is not the maximum."""

GOLDS_THAT_COUNT: Mapping[str, Callable[[Sequence[str]], Sequence[str]]] = _merged("GOLDS_THAT_COUNT")
"""The golds of a row that the source compares, where it leaves some out."""
