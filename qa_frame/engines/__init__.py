"""The public names of the modules in `ext/engines/`: `qa_frame.engines.polars`, `.dask` and `.spark`."""

from qa_frame.ext import engines

__doc__ = engines.__doc__
