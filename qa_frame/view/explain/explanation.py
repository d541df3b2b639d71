"""The result of `qa_frame.explain`: how one row's scores come about, as plain values that show themselves."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from qa_frame.view.explain.explained import ExplainedRow
from qa_frame.view.explain.html import as_html
from qa_frame.view.explain.text import as_text


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(ExplainedRow):
    """Why one row has the scores that it has. Printed it is text as wide as the terminal, in a notebook HTML.

    Both cut long texts, and say how much they leave out. The attributes hold all of it.

    Attributes
    ----------
    label
        The row's label: that of its index in pandas, else its position.
    position
        Its position in the frame.
    status
        `"scored"`, `"missing prediction"` (null), `"not extracted"` (no answer was found in the response) or
        `"no gold"`. A missing prediction has scores of 0 with `missing="zero"`.
    convention, signature
        The name of the convention, and the line that names all settings.
    reduce
        How scores of several golds become one.
    response
        The text in the frame; None for null.
    prediction
        The scored part of the response; None for a row without one.
    golds
        The row's golds, without nulls.
    metrics
        The `MetricScore` of each metric, by name.
    comparisons
        The tokens of the prediction beside those of each gold that a score is from: one `Comparison` for each way of
        counting.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as dicts, tuples, numbers and text.

        Returns
        -------
        dict
            The attributes by name.

        Examples
        --------
        >>> import pandas as pd, qa_frame
        >>> df = pd.DataFrame({"response": ["The Seine."], "answers": [["Seine"]]})
        >>> qa_frame.explain(df, 0, pred="response", gold="answers", metrics="em").to_dict()["metrics"]["em"]["score"]
        1.0
        """
        return dataclasses.asdict(self)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)
