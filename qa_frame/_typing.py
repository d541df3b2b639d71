"""Short names for the types of arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Scores, and figures that are computed from them."""

Ints = NDArray[np.int64]
"""Counts, positions and offsets."""

Flags = NDArray[np.bool_]
"""Whether something holds, for each row, pair or text."""

Ids = NDArray[np.int32]
"""Ids of tokens."""

Bytes = NDArray[np.uint8]
"""Text in UTF-8, one byte per item."""

BigInts = NDArray[np.object_]
"""Python's own integers, which have no limit."""
