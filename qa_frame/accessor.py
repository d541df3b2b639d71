"""`df.qa`: the functions of `qa_frame.api` and of `qa_frame.view` as methods of frames, and nothing more.

This is the one list of methods. pandas frames have it, and `engines/polars.py` gives it to frames of polars.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from qa_frame.api.abstention import abstention, risk_coverage
    from qa_frame.api.agreement import agreement
    from qa_frame.api.changed import changed
    from qa_frame.api.compare import compare
    from qa_frame.api.differences import differences
    from qa_frame.api.disagreements import confusion, disagreements
    from qa_frame.api.human_mean import human_mean
    from qa_frame.api.items import items
    from qa_frame.api.methods import as_method
    from qa_frame.api.ranks import ranks
    from qa_frame.api.score import score
    from qa_frame.api.summary import summary
    from qa_frame.api.worst import best, worst
    from qa_frame.view.audit.audit import audit
    from qa_frame.view.explain.explain import explain


class _Method:
    """A method that imports its function when it is first asked for, so that `import qa_frame` is fast."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, accessor: Any, owner: type) -> Any:
        """Take the place of this with the method itself, and return that."""
        from qa_frame.api.methods import as_method  # noqa: PLC0415

        function = getattr(importlib.import_module(self._module), self._name)
        setattr(self._owner, self._name, as_method(function, self._owner.__name__, pd.DataFrame))
        return getattr(owner if accessor is None else accessor, self._name)


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
        from qa_frame.api.methods import describe  # noqa: PLC0415

        return describe(self._frame, [name for name in vars(QAAccessor) if not name.startswith("_")])

    if TYPE_CHECKING:
        score = as_method(score, "QAAccessor", pd.DataFrame)
        summary = as_method(summary, "QAAccessor", pd.DataFrame)
        compare = as_method(compare, "QAAccessor", pd.DataFrame)
        ranks = as_method(ranks, "QAAccessor", pd.DataFrame)
        agreement = as_method(agreement, "QAAccessor", pd.DataFrame)
        human_mean = as_method(human_mean, "QAAccessor", pd.DataFrame)
        confusion = as_method(confusion, "QAAccessor", pd.DataFrame)
        disagreements = as_method(disagreements, "QAAccessor", pd.DataFrame)
        abstention = as_method(abstention, "QAAccessor", pd.DataFrame)
        risk_coverage = as_method(risk_coverage, "QAAccessor", pd.DataFrame)
        items = as_method(items, "QAAccessor", pd.DataFrame)
        differences = as_method(differences, "QAAccessor", pd.DataFrame)
        worst = as_method(worst, "QAAccessor", pd.DataFrame)
        best = as_method(best, "QAAccessor", pd.DataFrame)
        changed = as_method(changed, "QAAccessor", pd.DataFrame)
        explain = as_method(explain, "QAAccessor", pd.DataFrame)
        audit = as_method(audit, "QAAccessor", pd.DataFrame)
    else:
        score = _Method("qa_frame.api.score")
        summary = _Method("qa_frame.api.summary")
        compare = _Method("qa_frame.api.compare")
        ranks = _Method("qa_frame.api.ranks")
        agreement = _Method("qa_frame.api.agreement")
        human_mean = _Method("qa_frame.api.human_mean")
        confusion = _Method("qa_frame.api.disagreements")
        disagreements = _Method("qa_frame.api.disagreements")
        abstention = _Method("qa_frame.api.abstention")
        risk_coverage = _Method("qa_frame.api.abstention")
        items = _Method("qa_frame.api.items")
        differences = _Method("qa_frame.api.differences")
        worst = _Method("qa_frame.api.worst")
        best = _Method("qa_frame.api.worst")
        changed = _Method("qa_frame.api.changed")
        explain = _Method("qa_frame.view.explain.explain")
        audit = _Method("qa_frame.view.audit.audit")
