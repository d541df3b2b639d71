"""An explanation → the blocks of which text and HTML are made: lines, tables, and aligned tokens.

Sentences hold quoted texts. Those that could turn others around stand between `ISOLATES`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from qa_frame.errors import plural, show
from qa_frame.terminal import columns_of
from qa_frame.view.explain.explained import Comparison, ExplainedRow
from qa_frame.view.visible import clip, isolate, quote, quote_several

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

_TITLES = {
    "multiset": "common tokens",
    "set": "common tokens, each distinct one once",
    "distinct": "common tokens, each distinct one once",
    "run": "longest common run",
    "subsequence": "longest common subsequence",
    "union": "common words, of the longest common subsequences of sentences",
    "substring": "the gold's place in the prediction",
}


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


@dataclass(frozen=True, slots=True)
class Column:
    """Two tokens above each other, each with its sign. n: the number of columns that this one stands for."""

    pred: str = ""
    gold: str = ""
    pred_sign: Sign = ""
    gold_sign: Sign = ""
    n: int = 1

    @property
    def width(self) -> int:
        """How many columns of a terminal it takes, with a space behind it."""
        return max(columns_of(self.pred), columns_of(self.gold)) + 1


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
            yield [Column(f"… {sum(each.n for each in columns[place:]):,} more")]
            return
        line.append(column)
    yield line


def blocks_of(explanation: ExplainedRow) -> tuple[list[Block], list[list[Block]]]:
    """Return the blocks that say how the scores come about, and those of each comparison of tokens."""
    sections = [list(_blocks_of_comparison(explanation, each)) for each in explanation.comparisons]
    notes = [Line(note, "note") for note in explanation.notes]
    return [_headline(explanation), *notes, *_texts(explanation), _scores(explanation)], sections


def summary_line(explanation: ExplainedRow) -> Line:
    """The row, its scores, and the beginning of its response."""
    scores = ", ".join(f"{name} {score_text(metric.score)}" for name, metric in explanation.metrics.items())
    response = "null" if explanation.response is None else quote(explanation.response, 100, alone=False)
    return Line(f": {scores} {response}", "head", _row_of(explanation))


def score_text(score: float) -> str:
    """Return a score in few characters. It is shown as 0 or 1 only if it is exactly that."""
    shown = f"{score:.3f}"
    if (shown == "1.000" and score != 1) or (shown in {"0.000", "-0.000"} and score != 0):
        return f"{score:.3g}" if abs(score) < 0.5 else repr(score)
    return "-" if score != score else shown  # noqa: PLR0124  (NaN)


def _row_of(explanation: ExplainedRow) -> str:
    return f"row {isolate(clip(show(explanation.label), _OF_LABEL))}"


def _headline(explanation: ExplainedRow) -> Line:
    """The row, its status and the rules in one line."""
    where = "" if explanation.label == explanation.position else f" (position {explanation.position})"
    rules = f"convention {explanation.convention}"
    if len(explanation.golds) > 1:
        rules += f", {explanation.reduce} over {len(explanation.golds)} golds"
    return Line(f"{where}: {explanation.status}, {rules}", "head", _row_of(explanation))


def _texts(explanation: ExplainedRow) -> Iterator[Block]:
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


def _scores(explanation: ExplainedRow) -> Table:
    has_several = len(explanation.golds) > 1
    rows: list[tuple[list[str], str | None]] = []
    for name, metric in explanation.metrics.items():
        gold = ["-" if metric.gold is None else f"{metric.gold}"] * has_several
        rows.append(([name, score_text(metric.score), *gold], metric.why))
    return Table(["metric", "score", *["gold"] * has_several, "why"], rows)


def _blocks_of_comparison(explanation: ExplainedRow, comparison: Comparison) -> Iterator[Block]:
    gold = f"golds[{comparison.gold}]" if len(explanation.golds) > 1 else "the gold"
    gold = "no answer (an empty gold)" if comparison.gold is None else gold
    yield Line(f"{', '.join(comparison.metrics)} with {gold}", "title")
    yield Line(f"tokens by {clip(comparison.normalisation, _OF_STEPS)}", "small")
    for side, dropped in (("prediction", comparison.pred_dropped), ("gold", comparison.gold_dropped)):
        if dropped:
            yield Line(f"deleted in the {side}: {quote_several(dropped, 8, alone=False)}", "small")
    columns = _columns_shown(comparison)
    yield columns
    if any("+" in (column.pred_sign, column.gold_sign) for column in columns):
        yield Line("+ counts as common, but stands at another place", "small")
    common = quote_several(comparison.common, 8, alone=False) or "none"
    yield Line(f"{_TITLES[comparison.counting]} ({len(comparison.common):,}): {common}")
    of_most_orders = max((explanation.metrics[name] for name in comparison.metrics), key=lambda each: len(each.counts))
    yield from map(Line, of_most_orders.lines)


def _columns_shown(comparison: Comparison) -> list[Column]:
    """The columns of a comparison, with one in place of each long stretch in which nothing counts."""
    pred_counts, gold_counts = set(comparison.pred_matched), set(comparison.gold_matched)
    aligned, columns = set(comparison.aligned or ()), []
    for pred, gold in comparison.columns:
        is_both = (pred, gold) in aligned and pred in pred_counts and gold in gold_counts
        of_pred = _token(comparison.pred_tokens, pred, counts=pred in pred_counts, is_both=is_both)
        of_gold = _token(comparison.gold_tokens, gold, counts=gold in gold_counts, is_both=is_both)
        columns.append(Column(of_pred[0], of_gold[0], of_pred[1], of_gold[1]))
    shown: list[Column] = []
    for is_near, stretch in itertools.groupby(zip(columns, _are_near(columns), strict=True), key=lambda each: each[1]):
        found = [column for column, _ in stretch]
        shown += found if is_near else [Column(f"…{len(found):,}…", n=len(found))]
    if comparison.pred_tokens and comparison.gold_tokens:
        return shown
    sides = (comparison.pred_tokens, comparison.gold_tokens)
    empty = ["" if side else "(no tokens)" for side in sides]
    return [Column(pred=empty[0], gold=empty[1]), *shown]


def _token(tokens: tuple[str, ...], place: int | None, *, counts: bool, is_both: bool) -> tuple[str, Sign]:
    """The token at a place, as it is shown, and its sign; nothing for no place."""
    if place is None:
        return "", ""
    sign: Sign = "=" if is_both else "+" if counts else "-"
    return f"{'+' if sign == '+' else ''}{clip(tokens[place], _OF_TOKEN)}", sign


def _are_near(columns: list[Column]) -> list[bool]:
    """Whether each column is near one that counts, or in a stretch that is short."""
    counting = [place for place, column in enumerate(columns) if not {column.pred_sign, column.gold_sign} <= {"-", ""}]
    shown = [False] * len(columns)
    edges = [-1, *counting, len(columns)]
    for before, after in itertools.pairwise(edges):
        stretch = after - before - 1
        # At an end of the text there is nothing that counts on one side, but the first words are of use.
        n_shown = stretch if stretch <= _FEW else _AROUND
        shown[before + 1 : before + 1 + n_shown] = [True] * n_shown
        shown[after - n_shown : after + 1] = [True] * (n_shown + 1)
    return shown[: len(columns)]
