"""`qa_frame.explain`: one row → why it has its scores."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np
import pandas as pd

from qa_frame._typing import Unpack
from qa_frame.checks import require_whole_number
from qa_frame.errors import UnknownOptionError, show
from qa_frame.frames.source import Source, read_source
from qa_frame.scoring.call_rules import DEFAULTS, RuleArguments
from qa_frame.scoring.plan import Metrics
from qa_frame.tables.methods import takes
from qa_frame.tables.restored import recall, without_prefix

if TYPE_CHECKING:
    from qa_frame.ext.explain.explanation import Explanation, Explanations

Several: TypeAlias = "list[Any] | np.ndarray[Any, Any] | pd.Index[Any] | pd.Series[Any] | range"
"""Labels or positions of several rows."""

_MOST_ROWS = 1_000


class ExplainArguments(RuleArguments, total=False):
    """The columns and metrics that `explain` takes, and the rules."""

    pred: Hashable | None
    gold: Hashable | None
    metrics: Metrics


@overload
def explain(
    data: Any, label: Hashable = None, *, position: int | None = None, **arguments: Unpack[ExplainArguments]
) -> Explanation: ...


@overload
def explain(
    data: Any, label: Several | None = None, *, position: Several | None = None, **arguments: Unpack[ExplainArguments]
) -> Explanations: ...


@takes(ExplainArguments, {"pred": None, "gold": None, "metrics": None, **DEFAULTS}, after="position")
def explain(
    data: Any, label: Any = None, *, position: Any = None, **arguments: Unpack[ExplainArguments]
) -> Explanation | Explanations:
    """Explain the scores of a row: which gold won, what normalisation left, what matched, and why a score is 0.

    `df.qa.explain(...)` is `qa_frame.explain(df, ...)`. Rules that are not given are those by which the frame was
    scored. One that is given wins, and the explanation says so. Where its words do not give the
    score, it says that, too.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"response": ["The Loire."], "answers": [["Seine", "the Loire river"]]}, index=["q7"])
    >>> explained = qa_frame.explain(df, "q7", pred="response", gold="answers", metrics=["em", "f1"])
    >>> explained.metrics["em"].why
    "after normalisation, 'loire' is not 'loire river'"
    >>> explained.metrics["f1"].gold
    1
    >>> explained.comparisons[-1].common
    ('loire',)
    >>> [each.metrics["f1"].score for each in qa_frame.explain(df, ["q7", "q7"], pred="response", gold="answers")]
    [0.6666666666666666, 0.6666666666666666]

    Parameters
    ----------
    data
        A frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    label
        The row's label: in pandas that of its index, elsewhere its position (from 0 on).
    position
        The row's position, or a list of positions, instead of `label`: for pandas, where several rows may have one
        label.
    pred, gold
        The columns of predictions and golds. None takes those that the frame was scored from.
    metrics
        Names of metrics, or `"all"`. None takes those that the frame has, or else those of the convention.
    {arguments}

    Returns
    -------
    Explanation or Explanations
        An `Explanation` prints as text as wide as the terminal, at most 100 columns, and shows itself as HTML in a
        notebook. Its scores are those of `score`. Its attributes hold every part, and `to_dict()` gives them as plain
        values. Of several rows, the result is a tuple of them, which a notebook shows folded.

    Raises
    ------
    UnknownOptionError
        If no row has the label, several rows have it, or more than 1,000 rows are asked for. All errors that `score`
        raises are raised, too.
    """
    from qa_frame.ext.explain.explanation import Explanations  # noqa: PLC0415
    from qa_frame.ext.explain.rows import explain_rows  # noqa: PLC0415  (rarely needed)

    source, _ = without_prefix(read_source(data))
    rules: Any = dict(arguments)
    asked = {name: rules.pop(name, None) for name in ("pred", "gold", "metrics")}
    recalled = recall(source, "explain", given=rules, **asked)
    if (label is None) == (position is None):
        both = f"label={show(label)} and position={show(position)} are both given"
        given = "neither is given" if label is None else both
        raise UnknownOptionError(f"explain takes a label or a position, and {given}; give one of them")
    argument, wanted = ("label", label) if position is None else ("position", position)
    # A list, an array or an index has labels. A tuple is a label of several levels.
    is_several = isinstance(wanted, list | range) or getattr(wanted, "ndim", 0) == 1
    items = list(wanted) if is_several else [wanted]
    if len(items) > _MOST_ROWS:
        raise UnknownOptionError(
            f"{len(items):,} rows are to be explained, and at most {_MOST_ROWS:,} can be; give fewer"
        )
    explained = explain_rows(source, [_find_row(source, argument, each) for each in items], recalled)
    return Explanations(explained) if is_several else explained[0]


def _find_row(source: Source, argument: str, value: Any) -> int:
    """The position of the row that is meant."""
    n_rows = len(source.columns)
    if not n_rows:
        raise UnknownOptionError(f"{argument}={show(value)} names a row, and data has none; give a frame with rows")
    if argument == "label" and isinstance(source.columns, pd.DataFrame):
        return _find_label(source.columns.index, value)
    require_whole_number(argument, value, least=0, most=n_rows - 1)
    return int(value)


def _find_label(index: pd.Index, label: Hashable) -> int:
    """The position of the only row with this label."""
    try:
        found = np.atleast_1d(np.arange(len(index))[index.get_loc(label)])
    except Exception as error:  # what pandas raises depends on the index
        raise UnknownOptionError(
            f"label={show(label)} is not in the index, which begins with {show(index[:3].tolist())}; give one of its "
            "labels, or the row's position from 0 on: position=..."
        ) from error
    if len(found) > 1:
        named = ", ".join([*map(str, found[:5].tolist()), *["..."] * (len(found) > 5)])
        raise UnknownOptionError(
            f"label={show(label)} stands in {len(found)} rows, at the positions {named}; give the position of one: "
            f"position={found[0]}"
        )
    return int(found[0])
