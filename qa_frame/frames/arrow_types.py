"""Which Arrow types hold text, and which hold lists."""

from __future__ import annotations

import pyarrow as pa


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text: strings or bytes of any width, dictionary-encoded or not."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    tests = ("is_string", "is_large_string", "is_string_view", "is_binary", "is_large_binary", "is_binary_view")
    return any(getattr(pa.types, test)(kind) for test in tests)


def is_list(kind: pa.DataType) -> bool:
    """Whether a column of this type holds lists of any kind."""
    tests = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return any(getattr(pa.types, test)(kind) for test in tests)
