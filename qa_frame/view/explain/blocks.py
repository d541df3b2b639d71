"""An explanation → the blocks of which text and HTML are made: lines, tables, and aligned tokens.

Sentences hold quoted texts. Those that could turn others around stand between `ISOLATES`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from qa_frame.errors import plural, show
from qa_frame.scoring.countings import COUNTINGS
from qa_frame.view.explain.explained import Comparison, ExplainedRow
from qa_frame.view.visible import clip, columns_of, isolate, quote, quote_several

_MOST_GOLDS = 10
_MOST_LINES = 4
"""The largest number of lines of aligned tokens for one comparison."""

_OF_LABEL = 100
_OF_STEPS = 300
_OF_TOKEN = 40

_AROUND = 4
"""The number of columns that are shown at each side of one that counts as common."""

_FEW = 24
"""A stretch without common tokens is shown as a whole if it has at most so many columns."""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence, or a few words. start: what stands before it and names the row."""

    text: str
    kind: Literal["head", "note", "title", "small", "plain"] = "plain"
    start: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Short cells in columns. The last one holds sentences, or raw texts, None for null. head: empty where none is."""

    head: list[str]
    rows: list[tuple[list[str], str | None]]
    is_raw: bool = False


Sign = Literal["=", "+", "-", ""]
"""What a token is: common and aligned with its like, common but elsewhere, not common; or no token, but words on it."""

SIDES = ("prediction", "gold")


@dataclass(frozen=True, slots=True)
class Column:
    """Two tokens above each other, of the prediction and of the gold, each with its sign.

    n: the number of columns that this one stands for.
    """

    tokens: tuple[str, str]
    signs: tuple[Sign, Sign] = ("", "")
    n: int = 1

    @property
    def width(self) -> int:
        """How many columns of a terminal it takes, with a space behind it."""
        return max(map(columns_of, self.tokens)) + 1


Block = Line | Table | list[Column]


def in_lines(columns: list[Column], room: int) -> Iterator[list[Column]]:
    """Yield the columns in a few lines of at most `room` columns of a terminal, without those that do not fit."""
    line: list[Column] = []
    n_lines, taken = 1, 0
    for place, column in enumerate(columns):
        taken += column.width
        if line and taken > room:
            yield line
            line, n_lines, taken = [], n_lines + 1, column.width
        if n_lines > _MOST_LINES:
            yield [Column((f"… {sum(each.n for each in columns[place:]):,} more", ""))]
            return
        line.append(column)
    yield line


def blocks_of(explanation: ExplainedRow) -> tuple[list[Block], list[list[Block]]]:
    """Return the blocks that say how the scores come about, and those of each comparison of tokens."""
    sections = [list(_describe_comparison(explanation, each)) for each in explanation.comparisons]
    notes = [Line(note, "note") for note in explanation.notes]
    return [_write_headline(explanation), *notes, *_list_texts(explanation), _list_scores(explanation)], sections


def summary_line(explanation: ExplainedRow) -> Line:
    """The row, its scores, and the beginning of its response."""
    scores = ", ".join(f"{name} {score_text(metric.score)}" for name, metric in explanation.metrics.items())
    response = "null" if explanation.response is None else quote(explanation.response, 100, alone=False)
    return Line(f": {scores} {response}", "head", _name_row(explanation))


def score_text(score: float) -> str:
    """Return a score in few characters. It is shown as 0 or 1 only if it is exactly that."""
    shown = f"{score:.3f}"
    if (shown == "1.000" and score != 1) or (shown in {"0.000", "-0.000"} and score != 0):
        return f"{score:.3g}" if abs(score) < 0.5 else repr(score)
    return "-" if score != score else shown  # noqa: PLR0124  (NaN)


def _name_row(explanation: ExplainedRow) -> str:
    return f"row {isolate(clip(show(explanation.label), _OF_LABEL))}"


def _write_headline(explanation: ExplainedRow) -> Line:
    """The row, its status and the rules in one line."""
    where = "" if explanation.label == explanation.position else f" (position {explanation.position})"
    rules = f"convention {explanation.convention}"
    if len(explanation.golds) > 1:
        rules += f", {explanation.reduce} over {len(explanation.golds)} golds"
    return Line(f"{where}: {explanation.status}, {rules}", "head", _name_row(explanation))


def _list_texts(explanation: ExplainedRow) -> Iterator[Block]:
    """The response, the scored part of it where that is another text, and the golds, each with its scores."""
    metrics = explanation.metrics if len(explanation.golds) > 1 else {}
    rows: list[tuple[list[str], str | None]] = [(["response", *[""] * len(metrics)], explanation.response)]
    if explanation.prediction not in {explanation.response, None}:
        rows.append((["scored part", *[""] * len(metrics)], explanation.prediction))
    for place, gold in enumerate(explanation.golds[:_MOST_GOLDS]):
        rows.append(([f"golds[{place}]", *(score_text(each.per_gold[place]) for each in metrics.values())], gold))
    yield Table(["of", *metrics, "text"] if metrics else [], rows, is_raw=True)
    if len(explanation.golds) > _MOST_GOLDS:
        yield Line(f"… and {plural(len(explanation.golds) - _MOST_GOLDS, 'more gold')}", "small")


def _list_scores(explanation: ExplainedRow) -> Table:
    has_several = len(explanation.golds) > 1
    rows: list[tuple[list[str], str | None]] = []
    for name, metric in explanation.metrics.items():
        gold = ["-" if metric.gold is None else f"{metric.gold}"] * has_several
        rows.append(([name, score_text(metric.score), *gold], metric.why))
    return Table(["metric", "score", *["gold"] * has_several, "why"], rows)


def _describe_comparison(explanation: ExplainedRow, comparison: Comparison) -> Iterator[Block]:
    gold = f"golds[{comparison.gold}]" if len(explanation.golds) > 1 else "the gold"
    gold = "no answer (an empty gold)" if comparison.gold is None else gold
    yield Line(f"{', '.join(comparison.metrics)} with {gold}", "title")
    yield Line(f"tokens by {clip(comparison.normalisation, _OF_STEPS)}", "small")
    for side, dropped in zip(SIDES, (comparison.pred_dropped, comparison.gold_dropped), strict=True):
        if dropped:
            yield Line(f"deleted in the {side}: {quote_several(dropped, 8, alone=False)}", "small")
    columns = _mark_columns(comparison)
    yield [*_leave_out_far_ones(columns)]
    if any("+" in column.signs for column in columns):
        yield Line("+ counts as common, but stands at another place", "small")
    counting = COUNTINGS.get(comparison.counting)
    what = (
        "the gold's place in the prediction" if counting is None else re.sub("^common", "common tokens", counting.words)
    )
    common = quote_several(comparison.common, 8, alone=False) or "none"
    yield Line(f"{what} ({len(comparison.common):,}): {common}")
    of_most_orders = max((explanation.metrics[name] for name in comparison.metrics), key=lambda each: len(each.counts))
    yield from map(Line, of_most_orders.lines)


def _mark_columns(comparison: Comparison) -> list[Column]:
    """The columns of a comparison. A side without tokens says so in the first one."""
    sides = (comparison.pred_tokens, comparison.gold_tokens)
    matched = (set(comparison.pred_matched), set(comparison.gold_matched))
    aligned, columns = set(comparison.aligned or ()), list[Column]()
    if not all(sides):
        columns.append(Column(("" if sides[0] else "(no tokens)", "" if sides[1] else "(no tokens)")))
    for places in comparison.columns:
        counts = [place in of_side for place, of_side in zip(places, matched, strict=True)]
        common: Sign = "=" if all(counts) and places in aligned else "+"
        pred, gold = (
            _show_token(tokens, place, common if is_common else "-")
            for tokens, place, is_common in zip(sides, places, counts, strict=True)
        )
        columns.append(Column((pred[0], gold[0]), (pred[1], gold[1])))
    return columns


def _show_token(tokens: tuple[str, ...], place: int | None, sign: Sign) -> tuple[str, Sign]:
    """The token at a place, as it is shown, with its sign; nothing for no place."""
    return ("", "") if place is None else (f"{'+' * (sign == '+')}{clip(tokens[place], _OF_TOKEN)}", sign)


def _leave_out_far_ones(columns: list[Column]) -> Iterator[Column]:
    """Yield the columns, with one in place of each long stretch in which nothing counts."""
    counting = [place for place, column in enumerate(columns) if not {*column.signs} <= {"-", ""}]
    for before, after in itertools.pairwise([-1, *counting, len(columns)]):
        stretch = columns[before + 1 : after]
        # At an end of the text there is nothing that counts on one side, but the first words are of use.
        if len(stretch) > _FEW:
            n_left = len(stretch) - 2 * _AROUND
            stretch[_AROUND:-_AROUND] = [Column((f"…{n_left:,}…", ""), n=n_left)]
        yield from stretch + columns[after : after + 1]
