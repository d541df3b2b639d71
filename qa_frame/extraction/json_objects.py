"""The JSON object in a response: in a fence of Markdown, between sentences, or alone."""

from __future__ import annotations

import json
import re

_STRING_OR_BRACE = re.compile(r'"(?:[^"\\\n]|\\.)*"|[{}]')
"""Strings of JSON have no line breaks, so that an odd quotation mark is worth its line alone."""


def last_json_object(text: str) -> str | None:
    """Return the last JSON object of a text that stands in no other one; None if there is none."""
    opened: list[int] = []
    closed: list[tuple[int, int]] = []
    for match in _STRING_OR_BRACE.finditer(text):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            start = opened.pop()
            while closed and closed[-1][0] > start:  # those are inside
                closed.pop()
            closed.append((start, match.end()))
    parts = (text[start:end] for start, end in reversed(closed))
    return next((part for part in parts if parse_object(part) is not None), None)


def parse_object(text: str) -> dict[str, object] | None:
    """Return the JSON object that a text is; None if it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
