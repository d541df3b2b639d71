"""Names of array types, each spelled once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Scores, and figures made of them."""

Ints = NDArray[np.int64]
"""Counts, places and offsets."""

Flags = NDArray[np.bool_]
"""Yes or no, for each row, pair or text."""

Ids = NDArray[np.int32]
"""Ids of words or tokens."""

Bytes = NDArray[np.uint8]
"""Text in UTF-8."""

BigInts = NDArray[np.object_]
"""Python's own integers, of any size."""
