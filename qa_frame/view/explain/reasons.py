"""Why a metric has its score, in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from qa_frame.errors import plural
from qa_frame.rules.parts import Empty, Exact, Overlap
from qa_frame.scoring.countings import Counting
from qa_frame.text.numerals import number_of, numbers_in
from qa_frame.view.explain.comparisons import Comparison
from qa_frame.view.explain.explained import BleuScore
from qa_frame.view.visible import quote, quote_several

_MEANINGS = {
    "tokens": "has no tokens",
    "text": "is the empty text",
    "white_space": "holds nothing but white space",
    "punctuation": "holds nothing but ASCII punctuation",
}
"""How a side is empty, by `Empty.of`."""

_PLACES = {
    "anywhere": "in",
    "words": "among the words of",
    "start": "at the start of",
    "end": "at the end of",
    "either": "in or around",
    "pattern": "matched in",
    "stated_option": "the option that is stated in",
    "stated_bug": "the answer that is stated in",
}
"""Where the gold is in the prediction, by `Contains.place`."""


@dataclass(frozen=True, slots=True)
class Sides:
    """A prediction and a gold: their texts and their tokens."""

    pred: str
    gold: str
    pred_tokens: tuple[str, ...]
    gold_tokens: tuple[str, ...]

    def nothing(self) -> str:
        """Name the sides of which normalisation leaves nothing."""
        sides = ((self.pred, self.pred_tokens), (self.gold, self.gold_tokens))
        texts = dict.fromkeys(text for text, tokens in sides if text.strip() and not tokens)
        return "; ".join(f"{quote(text)} normalises to nothing" for text in texts)


def rule_for_empty(empty: Empty, *, pred_is_empty: bool, gold_is_empty: bool) -> str | None:
    """Say which rule for empty sides gives the score; None where none does."""
    rules = (
        (pred_is_empty and gold_is_empty, empty.both, "the prediction and the gold each"),
        (gold_is_empty, empty.gold, "the gold"),
        (pred_is_empty, empty.pred, "the prediction"),
    )
    for is_empty, value, who in rules:
        if is_empty and value is not None:
            return f"{who} {_MEANINGS[empty.of]}, for which the convention gives {value:g}"
    return None


def why_exact(score: float, sides: Sides, comparison: Comparison) -> str:
    """Say why `em` is 0 or 1."""
    if score == 1:
        return f"both are {quote(' '.join(sides.gold_tokens))} after normalisation"
    pred, gold = Counter(sides.pred_tokens), Counter(sides.gold_tokens)
    only_pred, only_gold = list(pred - gold), list(gold - pred)
    if not only_pred and not only_gold:
        return "both have the same tokens, in another order"
    alone = {"prediction": only_pred, "gold": only_gold}
    parts = [f"{_quoted(tokens, 'is', 'are')} in the {side} alone" for side, tokens in alone.items() if tokens]
    deleted = list(dict.fromkeys((*comparison.pred_dropped, *comparison.gold_dropped)))
    start = f"{_quoted(deleted, 'was', 'were')} deleted, but " if deleted else ""
    return start + ", and ".join(parts)


def why_kind(score: float, rule: Exact) -> str:
    """Say why `em` is not what the tokens alone say."""
    kinds = {
        "as numbers": rule.numbers is not None or rule.tolerance is not None,
        "item by item": bool(rule.separators),
        "by the rule for golds that agree": rule.agreed_text is not None,
    }
    named = " or ".join(kind for kind, holds in kinds.items() if holds)
    return f"they are compared {named}, and are {'' if score else 'not '}equal"


def why_contains(score: float, sides: Sides, place: str) -> str:
    """Say why `contains` or `prefix` is 0 or 1. place: as in `Contains.place`."""
    pred, gold = " ".join(sides.pred_tokens), " ".join(sides.gold_tokens)
    if not gold:
        return "an empty gold is part of every prediction" if score else "the gold is empty"
    return f"{quote(gold)} is {'' if score else 'not '}{_PLACES[place]} {quote(pred, 60)}"


def why_number(sides: Sides) -> str | None:
    """Say in which numbers a gold that is a number was looked for; None for any other gold."""
    wanted, numbers = number_of(sides.gold), [*numbers_in(sides.pred)]
    if wanted is None:
        return None
    return f"the gold is the number {wanted}; those of the prediction are {', '.join(numbers) or 'none'}"


def why_nothing(rule: Overlap) -> str:
    """Say why the rule of the overlap gives 0, whatever the tokens are."""
    answers = f"one side is nothing but {' or '.join(map(quote, rule.only_equal))}, and the other is not the same"
    numbers = "no number of the gold is in the prediction"
    reasons = [reason for reason, holds in ((answers, rule.only_equal), (numbers, rule.numbers_must_match)) if holds]
    return f"the convention gives 0, as {', or '.join(reasons)}"


_ROUNDED = 0.01
"""A score further from the F-measure than this is another function of the counts. Some rules round to two decimals."""


def why_overlap(
    score: float,
    sides: Sides,
    counts: tuple[int, int, int],
    counting: Counting,
    *,
    figure: str,
    beta: float = 1.0,
    epsilon: float = 0.0,
) -> str:
    """Say how a precision, a recall or an F-measure comes about. For any other function, name the counts alone.

    counts: common units, those of the prediction, those of the gold. figure: "precision", "recall" or another name.
    """
    common, n_pred, n_gold = counts
    unit = counting.unit
    if not common:
        return _nothing_common(sides, unit)
    shares = {
        "precision": f"{common:,} of {plural(n_pred, unit)} of the prediction",
        "recall": f"{common:,} of {plural(n_gold, unit)} of the gold",
    }
    which = shares.get(figure) or " and ".join(shares.values())
    what = f"{which} {'is' if common == 1 and figure in shares else 'are'} {counting.words}"
    precision, recall = common / n_pred, common / n_gold
    f_measure = (1 + beta**2) * precision * recall / (beta**2 * precision + recall + epsilon)
    if figure in shares or score == 1 or abs(f_measure - score) > _ROUNDED:
        return what
    return f"{what}: {_f_measure(precision, recall, beta, epsilon)}"


def why_highest(precision: float, recall: float, *, figure: str, beta: float, epsilon: float) -> str:
    """Say how a figure of ROUGE comes about that takes the golds of a row together.

    figure: "precision", "recall" or another name.
    """
    if figure in {"precision", "recall"}:
        return f"the highest {figure} of any gold"
    return f"the highest precision and the highest recall of any gold: {_f_measure(precision, recall, beta, epsilon)}"


def _f_measure(precision: float, recall: float, beta: float, epsilon: float) -> str:
    weight = "" if beta == 1 else f"{beta**2:.3g}"
    added = f" + {epsilon:g}" if epsilon else ""
    return f"{1 + beta**2:.3g}PR / ({weight}P + R{added}) with P = {precision:.3g} and R = {recall:.3g}"


def _nothing_common(sides: Sides, unit: str = "token") -> str:
    empty = [name for name, tokens in (("prediction", sides.pred_tokens), ("gold", sides.gold_tokens)) if not tokens]
    if empty:
        return f"the {' and the '.join(empty)} {'have' if len(empty) > 1 else 'has'} no tokens"
    return f"no {unit} of {quote(' '.join(sides.gold_tokens))} is in {quote(' '.join(sides.pred_tokens))}"


def why_edits(score: float, edits: int, longer: int, *, of: str) -> str:
    """Say how a similarity comes about. edits: the edit distance. longer: the length of the longer side, in `of`."""
    if not edits:
        return "both are the same after normalisation"
    similarity = max(1 - edits / longer, 0)
    too_little = f" = {similarity:.3g}, too little for the threshold" if not score and similarity else ""
    what = f"{plural(edits, 'edit')} for {plural(longer, of)} of the longer side"
    return f"{what}: 1 - {edits} / {longer}{too_little}"


def why_chrf(sides: Sides, precision: float, recall: float, *, n_orders: int, beta: float) -> str:
    """Say how chrF comes about, from the means of the precisions and recalls of all orders."""
    if not precision:
        gold, pred = (quote(" ".join(side.split())) for side in (sides.gold, sides.pred))
        return f"no character of {gold} is in {pred}" if n_orders else _nothing_common(sides)
    means = f"mean precision {precision:.3g} and recall {recall:.3g} of {plural(n_orders, 'order')}"
    return f"{means}: (1 + {beta**2:g})PR / ({beta**2:g}P + R)"


def why_bleu(score: float, sides: Sides, bleu: BleuScore) -> str:
    """Say how BLEU comes about."""
    if score == 1:
        return "every n-gram of the prediction is matched, and it is no shorter than the gold"
    if bleu.brevity_penalty is None or bleu.effective_order is None:
        if not bleu.ngrams[0].n_matched:
            return _nothing_common(sides)
        if not bleu.n_gold:
            return "the shortest gold has no tokens"
        first = next(each for each in bleu.ngrams if not each.n_matched)
        if not first.n_pred:
            wanted = f"the convention wants orders up to {len(bleu.ngrams)}"
            return f"the prediction has no {first.order}-grams, and {wanted}"
        return f"no {first.order}-gram of the prediction is in the gold, and the convention does not smooth it"
    precisions = " ".join("-" if each.precision is None else f"{each.precision:.3g}" for each in bleu.ngrams)
    orders = f", {bleu.effective_order} orders" if len(bleu.ngrams) > 1 else ""
    if bleu.weights is not None:
        orders = f", weights {' '.join(f'{weight:.3g}' for weight in bleu.weights)}"
    lengths = f"{plural(bleu.n_pred, 'token')}, and {bleu.n_gold:,} in the gold"
    return f"precisions {precisions}{orders}; brevity penalty {bleu.brevity_penalty:.3g} for {lengths}"


def _quoted(texts: list[str], one: str, several: str) -> str:
    """Return some texts with their verb: `one` for a single text, else `several`."""
    return f"{quote_several(texts)} {one if len(texts) == 1 else several}"
