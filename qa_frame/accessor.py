"""`df.qa`: the functions of `qa_frame.api` and of `qa_frame.view` as methods of pandas frames, and nothing more."""

from __future__ import annotations

import pandas as pd

from qa_frame.api.agreement import agreement
from qa_frame.api.changed import changed
from qa_frame.api.compare import compare
from qa_frame.api.differences import differences
from qa_frame.api.methods import as_method, describe
from qa_frame.api.score import score
from qa_frame.api.summary import summary
from qa_frame.api.worst import best, worst
from qa_frame.view.audit import audit
from qa_frame.view.explain import explain


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

    def __repr__(self) -> str:
        return describe(self._frame, [name for name in vars(QAAccessor) if not name.startswith("_")])

    score = as_method(score, "QAAccessor", pd.DataFrame)
    summary = as_method(summary, "QAAccessor", pd.DataFrame)
    compare = as_method(compare, "QAAccessor", pd.DataFrame)
    agreement = as_method(agreement, "QAAccessor", pd.DataFrame)
    differences = as_method(differences, "QAAccessor", pd.DataFrame)
    worst = as_method(worst, "QAAccessor", pd.DataFrame)
    best = as_method(best, "QAAccessor", pd.DataFrame)
    changed = as_method(changed, "QAAccessor", pd.DataFrame)
    explain = as_method(explain, "QAAccessor", pd.DataFrame)
    audit = as_method(audit, "QAAccessor", pd.DataFrame)
