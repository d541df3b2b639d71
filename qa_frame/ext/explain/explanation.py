"""The results of `qa_frame.explain`: explanations of one row and of several, which show themselves."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from qa_frame.errors import plural, show
from qa_frame.ext.explain.blocks import Block, Cell, Line, Table, as_text, describe_comparison, room_for_tokens
from qa_frame.ext.explain.html import WIDTH, as_folded_html, as_html
from qa_frame.ext.explain.reasons import MetricScore
from qa_frame.ext.explain.token_matches import Comparison
from qa_frame.tables.visible import clip, isolate, quote

Status = Literal["scored", "missing prediction", "not extracted", "no gold"]

_MOST_ROWS_OF_TEXT = 20
_MOST_GOLDS = 10
_OF_LABEL, _OF_RESPONSE, _OF_NAME = 100, 100, 60


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
        return as_text(describe(self, room_for_tokens()))

    def _repr_html_(self) -> str:
        return as_html(describe(self, WIDTH))


class Explanations(tuple[Explanation, ...]):
    """The explanations of several rows, in the order of their labels in the call: a tuple of `Explanation`.

    In a notebook each row is a line that opens. Printed it is the text of one row after the other. Both say how many
    rows they leave out: text those after the first 20, HTML those beyond a million bytes.
    """

    __slots__ = ()

    def __getitem__(self, place: Any) -> Any:
        """Return the explanation at a place, or those of a slice."""
        explained = super().__getitem__(place)
        return Explanations(explained) if isinstance(place, slice) else explained

    def __repr__(self) -> str:
        n_left = len(self) - _MOST_ROWS_OF_TEXT
        more = f"… and {plural(n_left, 'more row')}; [{_MOST_ROWS_OF_TEXT}:] has them"
        shown = [*map(repr, self[:_MOST_ROWS_OF_TEXT])]
        return "\n\n\n".join([*shown, *[more] * (n_left > 0)]) or "no rows"

    def _repr_html_(self) -> str:
        return as_folded_html([(_summarise(each), describe(each, WIDTH)) for each in self])


# --- what is shown


def describe(explanation: Explanation, width: int) -> list[list[Block]]:
    """Return the parts of what is shown: the scores with their reasons, then one part for each comparison.

    width: the columns of a line of tokens.
    """
    n_golds = len(explanation.golds)
    where = "" if explanation.label == explanation.position else f" (position {explanation.position})"
    convention, reduction = (clip(name, _OF_NAME) for name in (explanation.convention, explanation.reduce))
    first = f"{_name_row(explanation)}{where}: {explanation.status}, convention {convention}"
    first += f", {reduction} over {n_golds} golds" * (n_golds > 1)
    notes = [Line(note, "note") for note in explanation.notes]
    return [
        [Line(first, "head"), *notes, *_list_texts(explanation), _list_scores(explanation)],
        *([*describe_comparison(each, n_golds, width)] for each in explanation.comparisons),
    ]


def _summarise(explanation: Explanation) -> str:
    """Return the line of a row that is folded: its scores and its response."""
    scores = ", ".join(f"{name} {_write_score(metric.score)}" for name, metric in explanation.metrics.items())
    response = "null" if explanation.response is None else quote(explanation.response, _OF_RESPONSE, alone=False)
    return f"{_name_row(explanation)}: {scores} {response}"


def _name_row(explanation: Explanation) -> str:
    """Return "row" and the label of the row, cut to `_OF_LABEL` columns."""
    return f"row {isolate(clip(show(explanation.label), _OF_LABEL))}"


def _write_score(score: float) -> str:
    """Return a score in few characters; "-" for NaN. It is shown as 0 or 1 only if it is exactly that."""
    shown = f"{score:.3f}"
    if (shown == "1.000" and score != 1) or (shown in {"0.000", "-0.000"} and score != 0):
        return f"{score:.3g}" if abs(score) < 0.5 else repr(score)
    return "-" if score != score else shown  # noqa: PLR0124  (NaN)


def _list_texts(explanation: Explanation) -> Iterator[Block]:
    """Yield the table of the response and the golds, with each gold's scores where there are several golds.

    The scored part of the response has a row where it is another text. A line counts the golds beyond `_MOST_GOLDS`.
    """
    metrics = explanation.metrics if len(explanation.golds) > 1 else {}
    texts: dict[str, str | None] = {"response": explanation.response}
    if explanation.prediction not in {explanation.response, None}:
        texts["scored part"] = explanation.prediction
    rows = [[Cell("of", "name"), *(Cell(name, "name") for name in metrics), Cell("text", "name")]] * bool(metrics)
    rows += [[Cell(name, "name"), *[Cell("")] * len(metrics), Cell(text, "raw")] for name, text in texts.items()]
    for place, gold in enumerate(explanation.golds[:_MOST_GOLDS]):
        scores = [Cell(_write_score(metric.per_gold[place]), "number") for metric in metrics.values()]
        rows.append([Cell(f"golds[{place}]", "name"), *scores, Cell(gold, "raw")])
    yield Table("texts", rows)
    if len(explanation.golds) > _MOST_GOLDS:
        yield Line(f"… and {plural(len(explanation.golds) - _MOST_GOLDS, 'more gold')}", "small")


def _list_scores(explanation: Explanation) -> Table:
    """Return the table of each metric's score and its reason; where there are several golds, also the one that won."""
    has_several = len(explanation.golds) > 1
    rows = [[Cell(name, "name") for name in ("metric", "score", *["gold"] * has_several, "why")]]
    for name, metric in explanation.metrics.items():
        gold = [Cell("-" if metric.gold is None else f"{metric.gold}", "number")] * has_several
        rows.append(
            [Cell(name, "name"), Cell(_write_score(metric.score), "number"), *gold, Cell(metric.why, "sentence")]
        )
    return Table("scores", rows)
