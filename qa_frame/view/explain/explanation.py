"""The results of `qa_frame.explain`: explanations of one row and of several, which show themselves."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

from qa_frame.errors import plural
from qa_frame.view.explain.explained import ExplainedRow
from qa_frame.view.explain.html import as_folded_html, as_html
from qa_frame.view.explain.text import as_text

_MOST_ROWS_OF_TEXT = 20


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
    notes
        Sentences on what differs from the frame's scores: a rule that was given, or texts that were changed.
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


@dataclass(frozen=True, slots=True, repr=False)
class Explanations(Sequence[Explanation]):
    """The explanations of several rows, in the order in which they were asked for: a sequence of `Explanation`.

    In a notebook each row is a line that opens. Printed it is the text of one row after the other. Both say how many
    rows they leave out: text those after the first 20, HTML those beyond a million bytes.

    Attributes
    ----------
    rows
        One `Explanation` for each row.
    """

    rows: tuple[Explanation, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Explanation: ...

    @overload
    def __getitem__(self, place: slice) -> Explanations: ...

    def __getitem__(self, place: int | slice) -> Explanation | Explanations:
        """Return the explanation at a place, or those of a slice."""
        return Explanations(self.rows[place]) if isinstance(place, slice) else self.rows[place]

    def __repr__(self) -> str:
        n_left = len(self) - _MOST_ROWS_OF_TEXT
        more = f"… and {plural(n_left, 'more row')}; [{_MOST_ROWS_OF_TEXT}:] has them"
        shown = list(map(as_text, self.rows[:_MOST_ROWS_OF_TEXT]))
        return "\n\n\n".join([*shown, *[more] * (n_left > 0)]) or "no rows"

    def _repr_html_(self) -> str:
        return as_folded_html(self.rows)
