"""An explanation as HTML for a notebook: escaped, without scripts, readable in light and dark, of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib import resources

from qa_frame.errors import plural, show
from qa_frame.view.explain import shared
from qa_frame.view.explain.comparisons import Comparison
from qa_frame.view.explain.explained import ExplainedRow
from qa_frame.view.visible import clip_html

MOST_BYTES = 50_000
"""The HTML is at most so long."""

_MOST_BYTES_OF_ALL = 1_000_000
_MOST_GOLDS = 10
_OF_RAW_TEXT = 1_500
_LONG = 300
_OF_GOLD = 400
_OF_TOKEN = 120
_OF_COLUMNS = 3_500
_OF_WHY = 600
_OF_LINE = 500
_OF_END = 400
"""The bytes that are kept for the words at the end."""

_STYLE = resources.files(__package__).joinpath("explanation.css").read_text("utf-8")
"""The rules of the element's look. They hold for classes inside `qa-explain` alone.

Rules of tables name this class three times, so that JupyterLab's own rules of tables, which name two, give way.
"""


def as_html(explanation: ExplainedRow) -> str:
    """All of it in one element, at most `MOST_BYTES` long in UTF-8."""
    parts = [f"<style>\n{_STYLE}</style>", '<div class="qa-explain">']
    label = clip_html(show(explanation.label), _OF_LINE)
    parts.append(f"<p><b>row <bdi>{label}</bdi></b>{clip_html(shared.headline(explanation), _OF_LINE)}</p>")
    parts += [_texts(explanation), _metrics(explanation)]
    size = sum(len(part.encode()) for part in parts)
    for place, comparison in enumerate(explanation.comparisons):
        section = "".join(_comparison(explanation, comparison))
        size += len(section.encode())
        if size > MOST_BYTES - _OF_END:
            more = len(explanation.comparisons) - place
            parts.append(
                f"<p>… and {plural(more, 'more comparison')} of tokens, in the attribute <code>comparisons</code></p>"
            )
            break
        parts.append(section)
    return "".join([*parts, "</div>"])


def as_folded_html(explanations: Sequence[ExplainedRow]) -> str:
    """Several of them, each below a line that opens it, at most about `_MOST_BYTES_OF_ALL` long in UTF-8."""
    style = f"<style>\n{_STYLE}</style>"
    parts, size = [style], 0
    for place, explanation in enumerate(explanations):
        inside = as_html(explanation).removeprefix(style)
        row = f'<details class="qa-explain"><summary>{_in_one_line(explanation)}</summary>{inside}</details>'
        size += len(row.encode())
        if size > _MOST_BYTES_OF_ALL:
            parts.append(
                f"<p>… and {plural(len(explanations) - place, 'more row')}, in the attribute <code>rows</code></p>"
            )
            break
        parts.append(row)
    return "".join(parts if explanations else ["<p>no rows</p>"])


def _in_one_line(explanation: ExplainedRow) -> str:
    """The row, its scores, and the beginning of its response."""
    scores = ", ".join(f"{escape(name)} {shared.score_text(each.score)}" for name, each in explanation.metrics.items())
    response = "<i>null</i>" if explanation.response is None else f"<q>{clip_html(explanation.response, 100)}</q>"
    return f"<b>row <bdi>{clip_html(show(explanation.label), 100)}</bdi></b>: {scores} <bdi>{response}</bdi>"


def _texts(explanation: ExplainedRow) -> str:
    """The raw texts, with the scores of each gold."""
    metrics = explanation.metrics if len(explanation.golds) > 1 else {}
    names = "".join(f"<th>{escape(name)}</th>" for name in metrics)
    rows = [_text_row(*each, n_cells=len(metrics)) for each in shared.predictions(explanation)]
    for place, gold in enumerate(explanation.golds[:_MOST_GOLDS]):
        shown = f'<th>golds[{place}]</th><td class="t" dir="auto">{clip_html(gold, _OF_GOLD, keep=_KEPT)}</td>'
        for metric in metrics.values():
            kind = "n w" if metric.gold == place else "n"
            shown += f'<td class="{kind}">{shared.score_text(metric.per_gold[place])}</td>'
        rows.append(f"<tr>{shown}</tr>")
    if len(explanation.golds) > _MOST_GOLDS:
        rows.append(f"<tr><td></td><td>… and {plural(len(explanation.golds) - _MOST_GOLDS, 'more gold')}</td></tr>")
    return f"<table><tr><th></th><th>text</th>{names}</tr>{''.join(rows)}</table>"


_KEPT = "\n\t"
"""Characters of raw texts that show themselves."""


def _text_row(name: str, text: str | None, *, n_cells: int) -> str:
    shown = "<i>null</i>" if text is None else clip_html(text, _OF_RAW_TEXT, keep=_KEPT)
    # The box may hide the end of the text, which says how much is cut.
    size = f"<small>{len(text):,} characters</small>" if text is not None and len(text) > _LONG else ""
    box = f'<td class="t" dir="auto"><div class="r">{shown}</div></td>'
    return f"<tr><th>{name}{size}</th>{box}{'<td></td>' * n_cells}</tr>"


def _metrics(explanation: ExplainedRow) -> str:
    has_several = len(explanation.golds) > 1
    rows = f"<tr><th>metric</th><th>score</th>{'<th>from</th>' if has_several else ''}<th>why</th></tr>"
    for name, metric in explanation.metrics.items():
        gold = "" if metric.gold is None else f"golds[{metric.gold}]"
        rows += f'<tr><th>{escape(name)}</th><td class="n">{shared.score_text(metric.score)}</td>'
        rows += f"<td>{gold}</td>" if has_several else ""
        rows += f"<td><bdi>{clip_html(metric.why, _OF_WHY)}</bdi></td></tr>"
    return f"<table>{rows}</table>"


def _comparison(explanation: ExplainedRow, comparison: Comparison) -> Iterator[str]:
    yield f"<section><h4>{clip_html(shared.title_of(explanation, comparison), _OF_LINE)}</h4>"
    yield f"<p><small>tokens by {clip_html(comparison.normalisation, _OF_LINE)}</small></p>"
    for said, dropped in shared.deleted_in(comparison):
        yield f"<p><small>{said}{_listed(dropped)}</small></p>"
    columns = list(shared.columns_shown(comparison))
    yield '<div class="a"><div class="l"><bdi>prediction</bdi><bdi>gold</bdi></div><div class="s">'
    yield from _columns(comparison, columns)
    yield "</div></div>"
    if shared.counts_elsewhere(columns):
        yield f"<p><small>{shared.ELSEWHERE}</small></p>"
    yield f"<p>{shared.common_tokens(comparison)}{_listed(comparison.common) or 'none'}</p>"
    for line in shared.bleu_lines(explanation, comparison):
        yield f"<p><bdi>{clip_html(line, _OF_LINE)}</bdi></p>"
    yield "</section>"


def _columns(comparison: Comparison, columns: list[shared.Column]) -> Iterator[str]:
    """The aligned tokens, until there are too many bytes of them."""
    if not comparison.pred_tokens or not comparison.gold_tokens:
        empty = ("no tokens" if not side else "" for side in (comparison.pred_tokens, comparison.gold_tokens))
        yield f"<span>{''.join(f'<bdi><i>{text}</i></bdi>' for text in empty)}</span>"
    size = 0
    for place, column in enumerate(columns):
        shown = f"<bdi>…{column.n_hidden:,}…</bdi><bdi></bdi>"
        if not column.n_hidden:
            shown = _token(column.pred, column.pred_counts, column) + _token(column.gold, column.gold_counts, column)
        shown = f"<span>{shown}</span>"
        size += len(shown.encode())
        if size > _OF_COLUMNS:
            yield f"<span><bdi>… {shared.n_left(columns[place:]):,} more</bdi><bdi></bdi></span>"
            return
        yield shown


def _token(token: str | None, counts: bool, column: shared.Column) -> str:  # noqa: FBT001  (as a column has them)
    if token is None:
        return "<bdi></bdi>"
    shown = clip_html(token, _OF_TOKEN)
    kind = "x" if not counts else "m" if column.is_aligned else "o"
    return f'<bdi class="{kind}">{"+" if kind == "o" else ""}{shown}</bdi>'


def _listed(texts: tuple[str, ...]) -> str:
    """The first few texts, each isolated, so that none changes the direction of the others."""
    shown = [f"<bdi><q>{clip_html(text, 60)}</q></bdi>" for text in texts[:8]]
    more = f" and {len(texts) - len(shown):,} more" if len(texts) > len(shown) else ""
    return f"{' '.join(shown)}{more}"
