"""The call that makes a report again, as it is written in Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from qa_frame.checks import is_equal


def spell_call(file: str, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """Return the call of `report` with these arguments, but for those that have their defaults.

    A value that cannot be written, as a function of the user's own, stands as a variable of its argument's name.
    """
    asked = [(name, value) for name, value in given.items() if not is_equal(value, defaults[name])]
    arguments = ", ".join([repr(file), *(f"{name}={_spell_value(name, value)}" for name, value in asked)])
    return f"qa_frame.report(data, {arguments})"


def _spell_value(argument: str, value: Any) -> str:
    if isinstance(value, np.generic | np.ndarray | pd.Index | pd.Series):
        value = value.tolist()
    if isinstance(value, list | tuple):
        parts = ", ".join(_spell_value(argument, each) for each in value)
        return f"[{parts}]" if isinstance(value, list) else f"({parts}{',' * (len(value) == 1)})"
    if isinstance(value, Mapping):
        parts = ", ".join(
            f"{_spell_value(argument, key)}: {_spell_value(argument, each)}" for key, each in value.items()
        )
        return f"{{{parts}}}"
    return repr(value) if isinstance(value, str | int | float | None) else argument
