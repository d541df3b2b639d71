"""The public name of `qa_frame/ext/engines/dask.py`."""

import sys

from qa_frame.ext.engines import dask as _module
from qa_frame.ext.engines.dask import *  # noqa: F403  (for type checkers)

sys.modules[__name__] = _module
