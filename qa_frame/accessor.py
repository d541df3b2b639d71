"""`df.qa`: the functions of `qa_frame.api` as methods of pandas frames, and nothing more."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import pandas as pd

from qa_frame.api.agreement import agreement
from qa_frame.api.compare import compare
from qa_frame.api.differences import differences
from qa_frame.api.score import score
from qa_frame.api.summary import summary


def _on_frame(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function as a method: the same name, documentation and signature, less the frame."""

    @functools.wraps(function)
    def method(self: QAAccessor, *arguments: Any, **settings: Any) -> Any:
        return function(self._frame, *arguments, **settings)

    signature = inspect.signature(function)
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    method.__signature__ = signature.replace(parameters=[itself, *list(signature.parameters.values())[1:]])  # type: ignore[attr-defined]
    method.__qualname__ = f"QAAccessor.{function.__name__}"
    return method


@pd.api.extensions.register_dataframe_accessor("qa")
class QAAccessor:
    """Question answering on this frame: `df.qa.score(...)` is `qa_frame.score(df, ...)`, and so are the others.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"response": ["The Seine.", "Rome"], "answers": [["Seine", "the Seine"], ["Paris"]]})
    >>> df.qa.score(pred="response", gold="answers", metrics=["em", "f1"])
         response             answers   em   f1
    0  The Seine.  [Seine, the Seine]  1.0  1.0
    1        Rome             [Paris]  0.0  0.0
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    score = _on_frame(score)
    summary = _on_frame(summary)
    compare = _on_frame(compare)
    agreement = _on_frame(agreement)
    differences = _on_frame(differences)
