"""The public name of `qa_frame/ext/engines/spark.py`."""

import sys

from qa_frame.ext.engines import spark as _module
from qa_frame.ext.engines.spark import *  # noqa: F403  (for type checkers)

sys.modules[__name__] = _module
