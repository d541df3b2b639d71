"""Which Arrow types hold text, which hold lists, and how a column of any of them is made plain."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


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


def decode(array: pa.Array) -> pa.Array:
    """Return the array without extension types, dictionaries, run ends and views, in lists, too.

    Text becomes `large_string` or `large_binary`, a list `large_list`. Done here, as Arrow's own casts misread some of
    these types and do not know others.
    """
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return decode(array.storage)
    if pa.types.is_run_end_encoded(kind):
        ends = np.minimum(array.run_ends.to_numpy() - array.offset, len(array))
        lengths = np.diff(np.maximum(ends, 0), prepend=0)
        return decode(array.values).take(pa.array(np.repeat(np.arange(len(lengths)), lengths)))
    if pa.types.is_dictionary(kind):
        return decode(array.dictionary).take(array.indices)
    if is_list(kind):
        lengths = pc.list_value_length(array).fill_null(0).to_numpy(zero_copy_only=False)
        offsets = pa.array(np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))))
        mask = array.is_null() if array.null_count else None
        return pa.LargeListArray.from_arrays(offsets, decode(array.flatten()), mask=mask)
    views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    return array.cast(views[kind]) if kind in views else array
