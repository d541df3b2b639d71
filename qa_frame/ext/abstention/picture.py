"""Risk-coverage curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from qa_frame.errors import ColumnTypeError
from qa_frame.ext.abstention.results import CURVE
from qa_frame.ext.plot import labels
from qa_frame.ext.plot.curves import draw_curves
from qa_frame.ext.plot.fonts import Axes
from qa_frame.tables.result_tables import require_columns
from qa_frame.tables.results import columns_of_floats, label, read_result


def risk_coverage(table: Any, *, ax: Axes | None = None) -> Axes:
    """Draw risk-coverage curves: the mean loss of the surest answers against the share of questions they are.

    A curve that rises to the right shows a confidence that knows which answers are wrong; a flat one knows nothing. The
    lower the curve, the better.

    Parameters
    ----------
    table
        Result of `qa_frame.risk_coverage`; in pandas, polars or Arrow.
    ax
        Axes of matplotlib to draw into. None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Each group is a line, with a point for each distinct confidence.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else, or an argument has a value that is not allowed.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"sure": [0.9, 0.8, 0.7, 0.6], "em": [1, 1, 0, 0]})
    >>> ax = qa_frame.plot.risk_coverage(qa_frame.risk_coverage(df, confidence="sure", metric="em"))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('coverage: the share that is answered', 'risk: 1 - the mean score of these')
    """
    result = read_result(table)
    require_columns(result.frame, CURVE, "a result of qa_frame.risk_coverage")
    if result.kind != "risk_coverage":
        raise ColumnTypeError(f"table is a result of {result.kind}; give one of qa_frame.risk_coverage")
    keys = [labels.name_of(key) for key in zip(*(result.frame[name].tolist() for name in result.keys), strict=True)]
    keys = keys or [""] * len(result.frame)
    values = columns_of_floats(result.frame, "coverage", "risk", None, None)
    of_groups = {group: values[[key == group for key in keys]] for group in dict.fromkeys(keys)}
    curves = {group: (points[:, 0], points[:, 1:]) for group, points in of_groups.items()}
    x, y = "coverage: the share that is answered", "risk: 1 - the mean score of these"
    form: Any = {"title": ", ".join(map(label, result.keys)), "fewer": "keep fewer groups of the table"}
    axes = draw_curves(ax, curves, x=x, y=y, grid="both", **form)
    axes.set_xlim(0, 1.02)
    axes.set_ylim(0, max(0.1, 1.05 * float(np.nanmax(values[:, 1], initial=0.0))))
    return axes
