"""A comparison of tokens → the blocks that show it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping

from qa_frame.scoring.countings import COUNTINGS
from qa_frame.view.explain.blocks import SIDES, Block, Column, Line, Sign
from qa_frame.view.explain.explained import Comparison, MetricScore
from qa_frame.view.visible import clip, quote_several

_OF_STEPS = 300
_OF_TOKEN = 40

_AROUND = 4
"""The number of columns that are shown at each side of one that counts as common."""

_FEW = 24
"""A stretch without common tokens is shown as a whole if it has at most so many columns."""


def describe_comparison(comparison: Comparison, metrics: Mapping[str, MetricScore], n_golds: int) -> Iterator[Block]:
    """Yield the blocks of a comparison. metrics: those of the row. n_golds: the number of its golds."""
    gold = f"golds[{comparison.gold}]" if n_golds > 1 else "the gold"
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
    of_most_orders = max((metrics[name] for name in comparison.metrics), key=lambda each: len(each.counts))
    yield from map(Line, of_most_orders.lines)


def _mark_columns(comparison: Comparison) -> list[Column]:
    """The columns of a comparison. A side without tokens says so in the first one."""
    sides = (comparison.pred_tokens, comparison.gold_tokens)
    matched = (set(comparison.pred_matched), set(comparison.gold_matched))
    aligned, columns = set(comparison.aligned or ()), list[Column]()
    for places in comparison.columns:
        counts = [place in of_side for place, of_side in zip(places, matched, strict=True)]
        common: Sign = "=" if all(counts) and places in aligned else "+"
        pred, gold = (
            _show_token(tokens, place, common if is_common else "-")
            for tokens, place, is_common in zip(sides, places, counts, strict=True)
        )
        columns.append(Column((pred[0], gold[0]), (pred[1], gold[1])))
    if not all(sides):
        first = columns[0] if columns else Column(("", ""))
        columns[:1] = [Column((first.tokens[0] or "(no tokens)", first.tokens[1] or "(no tokens)"), first.signs)]
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
