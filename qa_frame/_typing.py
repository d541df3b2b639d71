"""Short names for types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack  # noqa: PLC0414  (typing has it from Python 3.11 on)
else:
    Unpack = None

Frame = TypeVar("Frame")
"""Any kind of frame. A function returns the kind that it was given."""

Column = TypeVar("Column")
"""Any kind of column. A function returns the kind that it was given."""

By = Annotated[Any, "keys"]  # the mark tells it from any other value
"""A column's label, an index level's name, or a list of these."""

Shares = Literal["equal", "size"]
Datasets = Literal["fixed", "random"]
"""How much each dataset counts."""

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

CountName = str
"""The name of a count of pairs."""
