"""Pictures of results. Each function draws a table or a frame that another function of this package returned.

    ax = qa_frame.plot.summary(scored.qa.summary(by="model", ci=0.95))
    ax.figure.savefig("models.pdf")

Each function takes an `Axes` of matplotlib and returns it. Without one, it makes a figure of its own. No setting of
matplotlib is changed. Colours are those of Okabe and Ito, and no two series differ in colour alone. Above eight series
there is a `PlotWarning`, which says how to have fewer.
"""

from qa_frame.view.plot.curves import risk_coverage, roc
from qa_frame.view.plot.distribution import distribution
from qa_frame.view.plot.intervals import compare, ranks, summary
from qa_frame.view.plot.maps import heatmap
from qa_frame.view.plot.paired import paired
from qa_frame.view.plot.trend import pass_at, trend

# fmt: off
__all__ = [
    "compare", "distribution", "heatmap", "paired", "pass_at", "ranks", "risk_coverage", "roc", "summary", "trend",
]
# fmt: on


def __dir__() -> list[str]:
    """Return the names of the functions, for completion."""
    return __all__
