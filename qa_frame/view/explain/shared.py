"""The parts of an explanation that text and HTML show alike: columns of aligned tokens, without long stretches."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from qa_frame.errors import plural
from qa_frame.view.explain.comparisons import Comparison
from qa_frame.view.explain.explained import ExplainedRow, NGrams
from qa_frame.view.visible import quote_several

_AROUND = 4
"""The number of columns that are shown at each side of one that counts as common."""

ELSEWHERE = "+ counts as common, but stands at another place"
"""The meaning of the sign before a token."""

_FEW = 24
"""A stretch without common tokens is shown as a whole if it has at most so many columns."""

TITLES = {
    "multiset": "common tokens",
    "set": "common tokens, each distinct one once",
    "distinct": "common tokens, each distinct one once",
    "in_gold": "tokens of the prediction that the gold has",
    "start": "tokens with which both begin",
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
    shown = _are_near(columns)
    for is_shown, places in itertools.groupby(range(len(columns)), shown.__getitem__):
        if is_shown:
            yield from (columns[place] for place in places)
        else:
            yield Column(n_hidden=len(list(places)))


def _are_near(columns: list[Column]) -> list[bool]:
    """Whether each column is near one that counts, or in a stretch that is short."""
    counting = [place for place, column in enumerate(columns) if column.pred_counts or column.gold_counts]
    shown = [False] * len(columns)
    edges = [-1, *counting, len(columns)]
    for before, after in itertools.pairwise(edges):
        stretch = after - before - 1
        # At an end of the text there is nothing that counts on one side, but the first words are of use.
        n_shown = stretch if stretch <= _FEW else _AROUND
        shown[before + 1 : before + 1 + n_shown] = [True] * n_shown
        shown[after - n_shown : after + 1] = [True] * (n_shown + 1)
    return shown[: len(columns)]


def title_of(explanation: ExplainedRow, comparison: Comparison) -> str:
    """Name the metrics of a comparison, and its gold."""
    gold = f"golds[{comparison.gold}]" if len(explanation.golds) > 1 else "the gold"
    return f"{', '.join(comparison.metrics)} with {'no answer (an empty gold)' if comparison.gold is None else gold}"


def deleted_in(comparison: Comparison) -> list[tuple[str, tuple[str, ...]]]:
    """Return the words that normalisation deletes, with a title, for each side that loses any."""
    sides = (("prediction", comparison.pred_dropped), ("gold", comparison.gold_dropped))
    return [(f"deleted in the {name}: ", dropped) for name, dropped in sides if dropped]


def counts_elsewhere(columns: list[Column]) -> bool:
    """Whether a token counts as common, and stands at another place than its like."""
    return any((column.pred_counts or column.gold_counts) and not column.is_aligned for column in columns)


def n_left(columns: list[Column]) -> int:
    """The number of columns that these stand for."""
    return sum(max(1, column.n_hidden) for column in columns)


def common_tokens(comparison: Comparison) -> str:
    """Say what counts as common, and how many tokens do."""
    return f"{TITLES[comparison.counting]} ({len(comparison.common):,}): "


def headline(explanation: ExplainedRow) -> str:
    """The row, its status and the rules in one line."""
    where = "" if explanation.label == explanation.position else f" (position {explanation.position})"
    rules = f"convention {explanation.convention}"
    if len(explanation.golds) > 1:
        rules += f", {explanation.reduce} over {len(explanation.golds)} golds"
    return f"{where}: {explanation.status}, {rules}"


def predictions(explanation: ExplainedRow) -> list[tuple[str, str | None]]:
    """Return the response with its name, and the scored part of it where that is another text."""
    texts = [("response", explanation.response)]
    if explanation.prediction not in {explanation.response, None}:
        texts.append(("scored part", explanation.prediction))
    return texts


def bleu_lines(explanation: ExplainedRow, comparison: Comparison) -> list[str]:
    """Return the parts of the BLEU of the highest order in lines; none if no metric of the comparison is a BLEU."""
    scores = [explanation.metrics[name].bleu for name in comparison.metrics]
    bleu = max(filter(None, scores), key=lambda bleu: len(bleu.ngrams), default=None)
    if bleu is None:
        return []
    lines = [_ngram_line(each) for each in bleu.ngrams]
    if bleu.brevity_penalty is None or bleu.effective_order is None:
        return lines
    value = f" ({bleu.smoothing_value:g})" if bleu.smoothing in {"floor", "add_k"} else ""
    lengths = f"{plural(bleu.n_pred, 'token')}, {bleu.n_gold:,} in the gold; effective order {bleu.effective_order}"
    return [*lines, f"brevity penalty {bleu.brevity_penalty:.4g}: {lengths}; smoothing {bleu.smoothing}{value}"]


def _ngram_line(ngrams: NGrams) -> str:
    line = f"{ngrams.order}-grams: {ngrams.n_matched:,} of {ngrams.n_pred:,} matched"
    if ngrams.precision is not None:
        line += f", precision {ngrams.precision:.4g}"
    if ngrams.order > 1 and ngrams.matched:  # the tokens are shown above
        line += f": {quote_several(ngrams.matched, 4)}"
    return line


def score_text(score: float) -> str:
    """Return a score in few characters. It is shown as 0 or 1 only if it is exactly that."""
    shown = f"{score:.3f}"
    if (shown == "1.000" and score != 1) or (shown in {"0.000", "-0.000"} and score != 0):
        return f"{score:.3g}" if abs(score) < 0.5 else repr(score)
    return "-" if score != score else shown  # noqa: PLR0124  (NaN)
