"""The stored list of names for editors: `python -m tests.ext.shell.outline` writes it anew."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path

import qa_frame
from qa_frame import _names
from qa_frame.rules.aliases import ALIASES

NAMES = Path(_names.__file__)


def names_written() -> str:
    """The module of the names as types. Type checkers read no values, so they need these names in full."""
    types = {"MetricName": [*qa_frame.metrics, "math_verify"], "ConventionName": [*qa_frame.conventions, *ALIASES]}
    described = (
        "The names of metrics and of conventions as types. `python -m tests.ext.shell.outline` writes them anew."
    )
    parts = [f'"""{described}"""', "from typing import Literal", *(literal(*each) for each in types.items())]
    return "\n\n".join(parts) + "\n"


def literal(name: str, values: Iterable[str]) -> str:
    lines = textwrap.wrap(", ".join(f'"{value}"' for value in values), 115)
    return f"{name} = Literal[\n{textwrap.indent(chr(10).join(lines), '    ')},\n]  # fmt: skip"


if __name__ == "__main__":
    NAMES.write_text(names_written(), "utf-8")
