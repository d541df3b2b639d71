"""`df.qa`: the functions of `tables/` and of `ext/` as methods of frames, and nothing more.

This is the one list of methods. pandas frames have it, and those of polars where polars was imported before. Else
`import qa_frame.engines.polars` gives it to them.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

import pandas as pd

from qa_frame.extensions import is_there

if TYPE_CHECKING:
    from qa_frame.ext.abstention.abstention import abstention, risk_coverage
    from qa_frame.ext.annotation.agreement import agreement, disagreements
    from qa_frame.ext.annotation.few_labels import human_mean, sample_for_annotation
    from qa_frame.ext.audit.audit import audit
    from qa_frame.ext.conventions.compare_conventions import compare_conventions
    from qa_frame.ext.conventions.infer_convention import infer_convention
    from qa_frame.ext.explain.explain import explain
    from qa_frame.ext.fields.score_fields import score_fields
    from qa_frame.ext.items.item_analysis import item_analysis
    from qa_frame.ext.report.report import report
    from qa_frame.ext.style.style import style
    from qa_frame.tables.changed import changed
    from qa_frame.tables.compare import compare
    from qa_frame.tables.ranks import ranks
    from qa_frame.tables.restored import with_scoring_of
    from qa_frame.tables.score import score
    from qa_frame.tables.summary import summary
    from qa_frame.tables.worst import worst

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")


class _Method(Generic[Arguments, Returned]):
    """A method that imports its function when it is first asked for, so that `import qa_frame` is fast.

    module: where the function is. _function: returns it, for type checkers; it is never called.
    """

    def __init__(
        self, module: str, _function: Callable[[], Callable[Concatenate[pd.DataFrame, Arguments], Returned]]
    ) -> None:
        self.module = module

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, accessor: Any, owner: type) -> Callable[Arguments, Returned]:
        """Put the method itself in the place of this object, and return it, bound to the accessor if there is one."""
        from qa_frame.tables.methods import as_method  # noqa: PLC0415

        function = getattr(importlib.import_module(self.module), self._name)
        setattr(self._owner, self._name, as_method(function, self._owner.__name__))
        method: Callable[Arguments, Returned] = getattr(owner if accessor is None else accessor, self._name)
        return method


@pd.api.extensions.register_dataframe_accessor("qa")
class QAAccessor:
    """Question answering on this frame: `df.qa.score(...)` is `qa_frame.score(df, ...)`, and so are the others.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"response": ["The Seine.", "Rome"], "answers": [["Seine", "the Seine"], ["Paris"]]})
    >>> df.qa.score(pred="response", gold="answers", metrics=["em", "f1"])[["response", "answers", "em", "f1"]]
         response             answers   em   f1
    0  The Seine.  [Seine, the Seine]  1.0  1.0
    1        Rome             [Paris]  0.0  0.0
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def __repr__(self) -> str:
        from qa_frame.tables.methods import describe  # noqa: PLC0415

        return describe(self._frame, [name for name in vars(QAAccessor) if not name.startswith("_")])

    score = _Method("qa_frame.tables.score", lambda: score)
    summary = _Method("qa_frame.tables.summary", lambda: summary)
    compare = _Method("qa_frame.tables.compare", lambda: compare)
    ranks = _Method("qa_frame.tables.ranks", lambda: ranks)
    agreement = _Method("qa_frame.ext.annotation.agreement", lambda: agreement)
    human_mean = _Method("qa_frame.ext.annotation.few_labels", lambda: human_mean)
    disagreements = _Method("qa_frame.ext.annotation.agreement", lambda: disagreements)
    abstention = _Method("qa_frame.ext.abstention.abstention", lambda: abstention)
    risk_coverage = _Method("qa_frame.ext.abstention.abstention", lambda: risk_coverage)
    item_analysis = _Method("qa_frame.ext.items.item_analysis", lambda: item_analysis)
    with_scoring_of = _Method("qa_frame.tables.restored", lambda: with_scoring_of)
    sample_for_annotation = _Method("qa_frame.ext.annotation.few_labels", lambda: sample_for_annotation)
    compare_conventions = _Method("qa_frame.ext.conventions.compare_conventions", lambda: compare_conventions)
    infer_convention = _Method("qa_frame.ext.conventions.infer_convention", lambda: infer_convention)
    score_fields = _Method("qa_frame.ext.fields.score_fields", lambda: score_fields)
    worst = _Method("qa_frame.tables.worst", lambda: worst)
    changed = _Method("qa_frame.tables.changed", lambda: changed)
    explain = _Method("qa_frame.ext.explain.explain", lambda: explain)
    audit = _Method("qa_frame.ext.audit.audit", lambda: audit)
    report = _Method("qa_frame.ext.report.report", lambda: report)
    style = _Method("qa_frame.ext.style.style", lambda: style)


for _name, _method in list(vars(QAAccessor).items()):
    if isinstance(_method, _Method) and not is_there(_method.module):
        delattr(QAAccessor, _name)


def register_polars(polars: Any) -> None:
    """Give `qa` to the frames and queries of polars, once. What queries need is imported when it is first asked for."""
    if getattr(polars.DataFrame, "qa", None) is not QAAccessor:
        polars.api.register_dataframe_namespace("qa")(QAAccessor)
        polars.api.register_lazyframe_namespace("qa")(_qa_of_query)


def _qa_of_query(query: Any) -> Any:
    """Return the methods of a query of polars."""
    return importlib.import_module(_OF_QUERIES).LazyFrameQA(query)


_OF_QUERIES = "qa_frame.ext.engines.polars"
if hasattr(sys.modules.get("polars"), "DataFrame") and is_there(_OF_QUERIES):
    register_polars(sys.modules["polars"])
