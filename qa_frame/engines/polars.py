"""The public name of `qa_frame/ext/engines/polars.py`."""

import sys

from qa_frame.ext.engines import polars as _module
from qa_frame.ext.engines.polars import *  # noqa: F403  (for type checkers)

sys.modules[__name__] = _module
