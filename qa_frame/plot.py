"""Pictures of results. Each function draws a table or a frame that another function of this package returned.

    ax = qa_frame.plot.summary(scored.qa.summary(by="model", ci=0.95))
    ax.figure.savefig("models.pdf")

Each function takes an `Axes` of matplotlib and returns it. Without one, it makes a figure of its own. No setting of
matplotlib is changed. Colours are those of Okabe and Ito, and no two series differ in colour alone. Above eight series
there is a `PlotWarning`, which says how to have fewer. Without matplotlib, which `pip install "qa-frame[plot]"`
installs, there is a `MissingPackageError`.
"""

import importlib
from typing import Any

from qa_frame.extensions import is_there, public_names

_homes = public_names(__file__) if is_there("ext.plot") else {}
__all__ = [*sorted(_homes)]  # noqa: PLE0604  (names, which a folder that is gone lacks)


def __getattr__(name: str) -> Any:
    """Import a picture when it is first asked for."""
    if name not in _homes:
        raise AttributeError(f"module 'qa_frame.plot' has no attribute {name!r}")
    globals()[name] = picture = getattr(importlib.import_module(f"qa_frame.{_homes[name]}"), name)
    return picture


def __dir__() -> list[str]:
    """Return the names of the pictures, for completion."""
    return __all__
