"""What is shown of an explanation, in text and in HTML alike: columns of aligned tokens, without long stretches."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from qa_frame.view.comparisons import Comparison
from qa_frame.view.explained import BleuScore, ExplainedRow, NGrams
from qa_frame.view.visible import quote_several

_AROUND = 4
"""So many columns are shown at each side of one that counts as common."""

ELSEWHERE = "+ counts as common, but stands at another place"
"""What the sign before a token means."""

_FEW = 24
"""A stretch without common tokens is shown as a whole if it is no longer than this."""

TITLES = {
    "multiset": "common tokens",
    "set": "common tokens, each distinct one once",
    "distinct": "common tokens, each distinct one once",
    "run": "longest common run",
    "subsequence": "longest common subsequence",
    "union": "common words, of the longest common subsequences of sentences",
    "substring": "the gold's place in the prediction",
}


@dataclass(frozen=True, slots=True)
class Column:
    """Two tokens above each other; None for no token. Each says whether it counts as common.

    `n_hidden` is the number of columns that this one stands for: 0 for one that is shown.
    """

    pred: str | None = None
    gold: str | None = None
    pred_counts: bool = False
    gold_counts: bool = False
    is_aligned: bool = False
    n_hidden: int = 0


def columns_shown(comparison: Comparison) -> Iterator[Column]:
    """Yield the columns of a comparison, one for each long stretch in which nothing counts."""
    pred_counts, gold_counts = set(comparison.pred_matched), set(comparison.gold_matched)
    aligned = set(comparison.aligned or ())
    columns = [
        Column(
            None if pred is None else comparison.pred_tokens[pred],
            None if gold is None else comparison.gold_tokens[gold],
            pred in pred_counts,
            gold in gold_counts,
            (pred, gold) in aligned,
        )
        for pred, gold in comparison.columns
    ]
    hidden = 0
    for column, is_shown in zip(columns, _are_near(columns), strict=True):
        if not is_shown:
            hidden += 1
            continue
        if hidden:
            yield Column(n_hidden=hidden)
            hidden = 0
        yield column
    if hidden:
        yield Column(n_hidden=hidden)


def _are_near(columns: list[Column]) -> list[bool]:
    """Whether each column is near one that counts, or in a stretch that is short."""
    counting = [place for place, column in enumerate(columns) if column.pred_counts or column.gold_counts]
    shown = [False] * len(columns)
    edges = [-1, *counting, len(columns)]
    for before, after in itertools.pairwise(edges):
        stretch = after - before - 1
        if stretch <= _FEW:
            shown[before + 1 : after] = [True] * stretch
        else:
            # At an end of the text there is nothing that counts on one side, but the first words are of use.
            shown[before + 1 : before + 1 + _AROUND] = [True] * _AROUND
            shown[after - _AROUND : after] = [True] * _AROUND
        if after < len(columns):
            shown[after] = True
    return shown


def against(explanation: ExplainedRow, comparison: Comparison) -> str:
    """Name the gold of a comparison."""
    if comparison.gold is None:
        return "no answer (an empty gold)"
    return f"golds[{comparison.gold}]" if len(explanation.golds) > 1 else "the gold"


def headline(explanation: ExplainedRow) -> str:
    """The row, its status and the rules in one line."""
    where = "" if explanation.label == explanation.position else f" (position {explanation.position})"
    rules = f"convention {explanation.convention}"
    if len(explanation.golds) > 1:
        rules += f", {explanation.reduce} over {len(explanation.golds)} golds"
    return f"{where}: {explanation.status}, {rules}"


def bleu_lines(bleu: BleuScore) -> list[str]:
    """The parts of BLEU in lines."""
    lines = [_ngram_line(each) for each in bleu.ngrams]
    if bleu.brevity_penalty is None or bleu.effective_order is None:
        return lines
    value = f" ({bleu.smoothing_value:g})" if bleu.smoothing in {"floor", "add_k"} else ""
    lengths = f"{bleu.n_pred:,} tokens, {bleu.n_gold:,} in the gold"
    rest = f"effective order {bleu.effective_order}; smoothing {bleu.smoothing}{value}"
    return [*lines, f"brevity penalty {bleu.brevity_penalty:.4g}: {lengths}; {rest}"]


def _ngram_line(ngrams: NGrams) -> str:
    line = f"{ngrams.order}-grams: {ngrams.n_matched:,} of {ngrams.n_pred:,} matched"
    if ngrams.precision is not None:
        line += f", precision {ngrams.precision:.4g}"
    if ngrams.order > 1 and ngrams.matched:  # the tokens are shown above
        line += f": {quote_several(ngrams.matched, 4)}"
    return line


def score_text(score: float) -> str:
    """A score in few characters: 0 and 1 only where it is exactly that."""
    shown = f"{score:.3f}"
    if (shown == "1.000" and score != 1) or (shown in {"0.000", "-0.000"} and score != 0):
        return f"{score:.3g}" if abs(score) < 0.5 else repr(score)
    return "-" if score != score else shown  # noqa: PLR0124  (NaN)
