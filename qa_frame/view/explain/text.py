"""An explanation as text, as wide as the terminal (at most 100 columns) and of bounded length."""

from __future__ import annotations

from collections.abc import Iterator

from qa_frame.errors import plural, show, text_width
from qa_frame.view.explain import shared
from qa_frame.view.explain.comparisons import Comparison
from qa_frame.view.explain.explained import ExplainedRow
from qa_frame.view.visible import clip, columns_of, pad, quote_several, wrap

_MOST_GOLDS = 10
_MOST_LINES = 4
"""The largest number of lines of aligned tokens for one comparison."""
_OF_TOKEN = 40


def as_text(explanation: ExplainedRow) -> str:
    """All of it in lines."""
    return "\n".join([*_head(explanation), "", *_metrics(explanation), *_comparisons(explanation)])


def _head(explanation: ExplainedRow) -> Iterator[str]:
    yield from wrap(f"{clip(show(explanation.label), 60)}{shared.headline(explanation)}", "row ")
    golds = [(f"golds[{place}]", gold) for place, gold in enumerate(explanation.golds[:_MOST_GOLDS])]
    for name, text in [*shared.predictions(explanation), *golds]:
        shown = "null" if text is None else f"'{clip(text, 300)}'"
        yield from wrap(shown, f"  {pad(name, 12)}", " " * 14)
    if len(explanation.golds) > len(golds):
        yield f"  … and {plural(len(explanation.golds) - len(golds), 'more gold')}"


def _metrics(explanation: ExplainedRow) -> Iterator[str]:
    has_several = len(explanation.golds) > 1
    scores = [shared.score_text(metric.score) for metric in explanation.metrics.values()]
    name_width, score_width = max(map(len, ["metric", *explanation.metrics])), max(map(len, ["score", *scores]))
    yield f"  {'metric':{name_width}}  {'score':{score_width}}  {'gold  ' if has_several else ''}why"
    for (name, metric), score in zip(explanation.metrics.items(), scores, strict=True):
        gold = f"{'-' if metric.gold is None else metric.gold!s:4}  " if has_several else ""
        first = f"  {name:{name_width}}  {score:{score_width}}  {gold}"
        yield from wrap(metric.why, first, " " * len(first))


def _comparisons(explanation: ExplainedRow) -> Iterator[str]:
    for comparison in explanation.comparisons:
        yield ""
        yield from wrap(shared.title_of(explanation, comparison), "", "  ")
        yield from wrap(clip(comparison.normalisation, 300), "  tokens by ")
        for said, dropped in shared.deleted_in(comparison):
            yield from wrap(quote_several(dropped), f"  {said}")
        yield from _aligned(comparison)
        common = quote_several(comparison.common, 8) or "none"
        yield from wrap(common, f"  {shared.common_tokens(comparison)}")
        for line in shared.bleu_lines(explanation, comparison):
            yield from wrap(line, "  ")


def _aligned(comparison: Comparison) -> Iterator[str]:
    """The tokens of both sides above each other, with a sign between those that are aligned and count."""
    columns, room = list(shared.columns_shown(comparison)), text_width() - 14
    lines = [[""] * 3]
    for place, column in enumerate(columns):
        cells = _cells(column)
        width = max(map(columns_of, cells)) + 1
        if any(lines[-1]) and columns_of(lines[-1][0]) + width > room:
            lines.append([""] * 3)
        if len(lines) > _MOST_LINES:
            lines[-1][0] = f"… {shared.n_left(columns[place:]):,} more"
            break
        lines[-1] = [line + pad(cell, width) for line, cell in zip(lines[-1], cells, strict=True)]
    if not comparison.pred_tokens:
        lines[0][0] = "(no tokens)"
    if not comparison.gold_tokens:
        lines[0][2] = "(no tokens)"
    for line in lines:
        for name, cells_of_line in zip(("prediction", "", "gold"), line, strict=True):
            if cells_of_line.strip() or name:
                yield f"  {pad(name, 10)}  {cells_of_line}".rstrip()
    if shared.counts_elsewhere(columns):
        yield f"  {shared.ELSEWHERE}"


def _cells(column: shared.Column) -> tuple[str, str, str]:
    """The token of the prediction, the sign and the token of the gold: `=` for tokens that count.

    A token that counts, but is not aligned with its like, has the sign on its own side.
    """
    if column.n_hidden:
        return f"…{column.n_hidden:,}…", "", ""
    pred, gold = (clip(token, _OF_TOKEN) if token is not None else "" for token in (column.pred, column.gold))
    width = max(columns_of(pred), columns_of(gold))
    if column.is_aligned and column.pred_counts and column.gold_counts:
        return pred, "=" * width, gold
    return f"+{pred}" if column.pred_counts else pred, "", f"+{gold}" if column.gold_counts else gold
