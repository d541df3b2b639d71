"""The results of `qa_frame.explain`: explanations of one row and of several, which show themselves."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from qa_frame.errors import plural, show
from qa_frame.view.explain.blocks import Block, Line, Shown, Table
from qa_frame.view.explain.compared_tokens import describe_comparison
from qa_frame.view.explain.explained import Comparison, MetricScore, Status
from qa_frame.view.explain.html import as_folded_html, as_html
from qa_frame.view.explain.text import as_text
from qa_frame.view.visible import clip, isolate, quote

_MOST_ROWS_OF_TEXT = 20
_MOST_GOLDS = 10
_OF_LABEL, _OF_RESPONSE = 100, 100


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
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

    label: Hashable
    position: int
    status: Status
    convention: str
    signature: str
    reduce: str
    response: str | None
    prediction: str | None
    golds: tuple[str, ...]
    metrics: Mapping[str, MetricScore]
    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...] = ()

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
        return as_text(describe(self))

    def _repr_html_(self) -> str:
        return as_html(describe(self))


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
        shown = [as_text(describe(each)) for each in self.rows[:_MOST_ROWS_OF_TEXT]]
        return "\n\n\n".join([*shown, *[more] * (n_left > 0)]) or "no rows"

    def _repr_html_(self) -> str:
        return as_folded_html([*map(describe, self.rows)])


# --- what is shown


def describe(explanation: Explanation) -> Shown:
    """Return what text and HTML show: how the scores come about, and each comparison of tokens."""
    row = f"row {isolate(clip(show(explanation.label), _OF_LABEL))}"
    scores = ", ".join(f"{name} {_write_score(metric.score)}" for name, metric in explanation.metrics.items())
    response = "null" if explanation.response is None else quote(explanation.response, _OF_RESPONSE, alone=False)
    where = "" if explanation.label == explanation.position else f" (position {explanation.position})"
    rules, n_golds = f"convention {explanation.convention}", len(explanation.golds)
    if n_golds > 1:
        rules += f", {explanation.reduce} over {n_golds} golds"
    first = Line(f"{where}: {explanation.status}, {rules}", "head", row)
    notes = [Line(note, "note") for note in explanation.notes]
    return Shown(
        Line(f": {scores} {response}", "head", row),
        [first, *notes, *_list_texts(explanation), _list_scores(explanation)],
        [[*describe_comparison(each, explanation.metrics, n_golds)] for each in explanation.comparisons],
    )


def _write_score(score: float) -> str:
    """Return a score in few characters. It is shown as 0 or 1 only if it is exactly that."""
    shown = f"{score:.3f}"
    if (shown == "1.000" and score != 1) or (shown in {"0.000", "-0.000"} and score != 0):
        return f"{score:.3g}" if abs(score) < 0.5 else repr(score)
    return "-" if score != score else shown  # noqa: PLR0124  (NaN)


def _list_texts(explanation: Explanation) -> Iterator[Block]:
    """The response, the scored part of it where that is another text, and the golds, each with its scores."""
    metrics = explanation.metrics if len(explanation.golds) > 1 else {}
    rows: list[tuple[list[str], str | None]] = [(["response", *[""] * len(metrics)], explanation.response)]
    if explanation.prediction not in {explanation.response, None}:
        rows.append((["scored part", *[""] * len(metrics)], explanation.prediction))
    for place, gold in enumerate(explanation.golds[:_MOST_GOLDS]):
        rows.append(([f"golds[{place}]", *(_write_score(each.per_gold[place]) for each in metrics.values())], gold))
    yield Table(["of", *metrics, "text"] if metrics else [], rows, is_raw=True)
    if len(explanation.golds) > _MOST_GOLDS:
        yield Line(f"… and {plural(len(explanation.golds) - _MOST_GOLDS, 'more gold')}", "small")


def _list_scores(explanation: Explanation) -> Table:
    has_several = len(explanation.golds) > 1
    rows: list[tuple[list[str], str | None]] = []
    for name, metric in explanation.metrics.items():
        gold = ["-" if metric.gold is None else f"{metric.gold}"] * has_several
        rows.append(([name, _write_score(metric.score), *gold], metric.why))
    return Table(["metric", "score", *["gold"] * has_several, "why"], rows)
