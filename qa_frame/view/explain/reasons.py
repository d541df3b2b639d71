"""One pair and the rule of a metric → how its score comes about: in words, in counts, and the score that these give.

Every number is one that scoring computes. What the words do not tell, `Told.score` lacks: so a setting without words
is noticed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import or_
from typing import Any

import numpy as np

from qa_frame.errors import plural
from qa_frame.kernels.pair_counts import CLIPPED, PairCounts
from qa_frame.rules.parts import Bleu, Chrf, Convention, EditDistance, Exact, Overlap, empties_of
from qa_frame.scoring.countings import COUNTINGS, Counting, common_counts
from qa_frame.scoring.metrics import (
    METRICS,
    bleu_parts,
    chrf_parts,
    chrf_per_order,
    contains_gold,
    edit_similarity,
    f_measure,
    f_measure_of,
    ratio,
    round_scores,
)
from qa_frame.text.numerals import number_of, numbers_in
from qa_frame.view import visible
from qa_frame.view.explain.marks import Side, count_edits_between, dropped_words, find_first

quote: Callable[..., str] = partial(visible.quote, alone=False)
quote_several: Callable[..., str] = partial(visible.quote_several, alone=False)

_ROUNDING = 1e-9

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
}
"""Where the gold is in the prediction, by `Contains.place`."""


@dataclass(frozen=True, slots=True, eq=False)
class PairOfMetric:
    """A prediction and a gold, as the rule of a metric looks at them.

    Attributes
    ----------
    metric, rule
        The metric, and the convention's rule for it.
    score
        The score that scoring gives.
    counts
        The counts of the rule's family, of this pair alone.
    pred, gold, pred_tokens, gold_tokens
        The texts before normalisation, and their tokens.
    golds, counts_of_golds
        The tokens of the golds that the score is of, and the counts with each: of this one, or of all golds of the row
        where the rule takes them together.
    """

    metric: str
    rule: Any
    score: float
    counts: PairCounts
    pred: str
    gold: str
    pred_tokens: Side
    gold_tokens: Side
    golds: tuple[Side, ...]
    counts_of_golds: PairCounts

    @property
    def figure(self) -> str:
        """The metric's share of common tokens, "precision" or "recall", "f" for the mean of both; "" for others."""
        last = self.metric.rpartition("_")[2]
        is_f_measure = self.metric == "f1" or self.metric.startswith("rouge")
        return last if last in {"precision", "recall"} else "f" if is_f_measure else ""


@dataclass(frozen=True, slots=True)
class Told:
    """What there is to say of a score. See `MetricScore`.

    score: the one that these words give; NaN where they claim none.
    """

    why: str
    score: float
    counts: Mapping[str, int]
    parts: Mapping[str, float] = field(default_factory=dict)
    lines: tuple[str, ...] = ()


def tell(pair: PairOfMetric) -> Told:
    """Say how the score comes about, but for empty sides."""
    return _TELL[METRICS[pair.metric].family](pair)


def what_else(score: float, told: float) -> str:
    """Say that the words do not tell the whole score, where it is another one than they give."""
    if math.isnan(told) or abs(score - told) <= _ROUNDING:
        return ""
    return f"; that gives {told:.3g}, and a setting of the convention that has no words here makes {score:.3g} of it"


def why_no_answer(convention: Convention, pred: str, gold: str) -> str | None:
    """Say whether the prediction agrees with a gold that says "no answer"; None for any other gold."""
    if not gold or gold != convention.no_answer_gold:
        return None
    so = "so does the prediction" if pred == gold else "the prediction does not say so"
    return f"the gold says that there is no answer, and {so}"


def why_empty(rule: Any, is_empty: Mapping[str, tuple[bool, bool]]) -> str | None:
    """Say which rule for empty sides gives the score; None where none does.

    is_empty: whether the prediction is, and the gold, by `Empty.of`.
    """
    for empty in empties_of(rule):
        pred_is_empty, gold_is_empty = is_empty[empty.of]
        for holds, value, who in (
            (pred_is_empty and gold_is_empty, empty.both, "the prediction and the gold each"),
            (gold_is_empty, empty.gold, "the gold"),
            (pred_is_empty, empty.pred, "the prediction"),
        ):
            if holds and value is not None:
                return f"{who} {_MEANINGS[empty.of]}, for which the convention gives {value:g}"
    return None


def nothing_left(pair: PairOfMetric) -> str:
    """Name the sides of which normalisation leaves nothing."""
    sides = ((pair.pred, pair.pred_tokens), (pair.gold, pair.gold_tokens))
    texts = dict.fromkeys(text for text, tokens in sides if text.strip() and not tokens)
    return "; ".join(f"{quote(text)} normalises to nothing" for text in texts)


# --- equal, or contained


def _tell_exact(pair: PairOfMetric) -> Told:
    rule: Exact = pair.rule
    equal, has_same = int(pair.counts["equal"][0]), pair.pred_tokens == pair.gold_tokens
    kinds = {
        "as numbers": rule.numbers is not None or rule.tolerance is not None,
        "item by item": bool(rule.separators),
        "by the rule for golds that agree": rule.agreed_text is not None,
    }
    named = " or ".join(kind for kind, holds in kinds.items() if holds)
    if named and has_same != bool(equal):
        why = f"they are compared {named}, and are {'' if equal else 'not '}equal"
        return Told(why, equal, {"equal": equal})
    return Told(_why_same(pair), has_same, {"equal": equal})


def _why_same(pair: PairOfMetric) -> str:
    """Say why both sides have the same tokens, or not."""
    if pair.pred_tokens == pair.gold_tokens:
        return f"both are {quote(' '.join(pair.gold_tokens))} after normalisation"
    pred, gold = Counter(pair.pred_tokens), Counter(pair.gold_tokens)
    alone = {"prediction": list(pred - gold), "gold": list(gold - pred)}
    if not any(alone.values()):
        return "both have the same tokens, in another order"
    parts = [f"{_quoted(tokens, 'is', 'are')} in the {side} alone" for side, tokens in alone.items() if tokens]
    of_gold = pair.rule.gold_text or pair.rule.text
    deleted = dict.fromkeys((*dropped_words(pair.pred, pair.rule.text), *dropped_words(pair.gold, of_gold)))
    start = f"{_quoted(list(deleted), 'was', 'were')} deleted, but " if deleted else ""
    return start + ", and ".join(parts)


def _quoted(texts: list[str], one: str, several: str) -> str:
    """Return some texts with their verb: `one` for a single text, else `several`."""
    return f"{quote_several(texts)} {one if len(texts) == 1 else several}"


def _tell_contains(pair: PairOfMetric) -> Told:
    place = "start" if pair.metric == "prefix" else pair.rule.place
    contained = int(contains_gold(pair.counts, pair.rule, place=place)[0])
    pred, gold = " ".join(pair.pred_tokens), " ".join(pair.gold_tokens)
    if pair.rule.numbers and (wanted := number_of(pair.gold)) is not None:
        numbers = ", ".join(numbers_in(pair.pred)) or "none"
        why = f"the gold is the number {wanted}; those of the prediction are {numbers}"
    elif not gold:
        why = "an empty gold is part of every prediction" if contained else "the gold is empty"
    else:
        why = f"{quote(gold)} is {'' if contained else 'not '}{_PLACES[place]} {quote(pred, 60)}"
    return Told(why, contained, {"contained": contained})


# --- common tokens


def _tell_overlap(pair: PairOfMetric) -> Told:
    counting = METRICS[pair.metric].counting_under(pair.rule)
    common, n_pred, n_gold = (int(of_side[0]) for of_side in common_counts(pair.counts, counting))
    counts = {"common": common, "n_pred": n_pred, "n_gold": n_gold}
    nothing = pair.counts.get("nothing_in_common")
    if nothing is not None and nothing[0]:
        return Told(_why_nothing(pair.rule), 0.0, counts)
    of_golds = common_counts(pair.counts_of_golds, counting)
    precision, recall = (float(ratio(of_golds[0], n_units).max()) for n_units in of_golds[1:])
    if pair.figure == "f":
        plain = float(f_measure_of(np.array(precision), np.array(recall), pair.rule))
    else:
        plain = {"precision": precision, "recall": recall}.get(pair.figure, math.nan)
    score = float(round_scores(np.array([plain]), pair.rule)[0])
    if len(pair.golds) == 1 and not common:
        return Told(_nothing_common(pair, COUNTINGS[counting].unit), score, counts)
    why = _why_common(pair, counts, COUNTINGS[counting])
    if pair.figure == "f" and (plain != 1 or len(pair.golds) > 1):
        why += f": {_formula(precision, recall, getattr(pair.rule, 'beta', 1.0), getattr(pair.rule, 'epsilon', 0.0))}"
    return Told(why + _rounded(pair.rule, plain, score), score, counts)


def _why_common(pair: PairOfMetric, counts: Mapping[str, int], counting: Counting) -> str:
    """Say how many units are common, or of which golds the shares are."""
    shares = ("precision", "recall")
    if len(pair.golds) > 1:
        highest = [f"the highest {share}" for share in shares if pair.figure in {share, "f"}]
        return f"{' and '.join(highest)} of any gold"
    parts = [
        f"{counts['common']:,} of {plural(counts[n_units], counting.unit)} of the {side}"
        for share, n_units, side in zip(shares, ("n_pred", "n_gold"), ("prediction", "gold"), strict=True)
        if pair.figure == share or pair.figure not in shares
    ]
    is_one = counts["common"] == 1 and len(parts) == 1
    return f"{' and '.join(parts)} {'is' if is_one else 'are'} {counting.words}"


def _why_nothing(rule: Overlap) -> str:
    """Say why the rule of the overlap gives 0, whatever the tokens are."""
    answers = f"one side is nothing but {' or '.join(map(quote, rule.only_equal))}, and the other is not the same"
    numbers = "no number of the gold is in the prediction"
    reasons = [reason for reason, holds in ((answers, rule.only_equal), (numbers, rule.numbers_must_match)) if holds]
    return f"the convention gives 0, as {', or '.join(reasons)}"


def _nothing_common(pair: PairOfMetric, unit: str = "token") -> str:
    empty = [side for side, tokens in (("prediction", pair.pred_tokens), ("gold", pair.gold_tokens)) if not tokens]
    if empty:
        return f"the {' and the '.join(empty)} {'have' if len(empty) > 1 else 'has'} no tokens"
    return f"no {unit} of {quote(' '.join(pair.gold_tokens))} is in {quote(' '.join(pair.pred_tokens))}"


def _formula(precision: float, recall: float, beta: float, epsilon: float) -> str:
    weight = "" if beta == 1 else f"{beta**2:.3g}"
    added = f" + {epsilon:g}" if epsilon else ""
    return f"{1 + beta**2:.3g}PR / ({weight}P + R{added}) with P = {precision:.3g} and R = {recall:.3g}"


def _rounded(rule: Any, plain: float, score: float) -> str:
    """Say that a rule rounds its score, where that changes it."""
    digits = getattr(rule, "digits", None)
    if digits is None or score == plain or math.isnan(plain):
        return ""
    return f", rounded to {plural(digits, 'decimal')}{' by numpy' * (getattr(rule, 'rounding', '') == 'numpy')}"


# --- edit distances


def _tell_edits(pair: PairOfMetric) -> Told:
    rule: EditDistance = pair.rule
    edits = count_edits_between(pair.pred_tokens, pair.gold_tokens)  # scoring counts them only as it needs
    counts = {"edits": edits, "n_pred": len(pair.pred_tokens), "n_gold": len(pair.gold_tokens)}
    of_pair = pair.counts.having(edits=np.array([edits]))
    similarity = float(edit_similarity(of_pair)[0])
    is_kept = similarity >= rule.threshold if rule.inclusive else similarity > rule.threshold
    if not edits:
        why = "both are the same after normalisation"
    else:
        in_text = of_pair.get("longer")
        longer = (
            f"{plural(int(in_text[0]), 'character')}"
            if in_text is not None
            else plural(max(counts["n_pred"], counts["n_gold"]), "token")
        )
        why = f"{plural(edits, 'edit')} for {longer} of the longer side: 1 - {edits} / {longer.split()[0]}"
    if pair.metric != "anls" or is_kept or not similarity:
        return Told(why, similarity, counts)
    threshold = f"{'below' if rule.inclusive else 'not above'} the threshold of {rule.threshold:g}"
    return Told(f"{why} = {similarity:.3g}, {threshold}", 0.0, counts)


# --- n-grams


def _tell_bleu(pair: PairOfMetric) -> Told:
    rule: Bleu = pair.rule
    max_order = int(METRICS[pair.metric].wanted(rule)[CLIPPED])
    n_pred, n_gold = int(pair.counts.n_pred[0]), int(pair.counts.n_gold[0])
    counts: dict[str, int] = {}
    for order, n_matched in enumerate(pair.counts["clipped"][:max_order, 0].tolist(), start=1):
        counts |= {f"matched{order}": n_matched, f"total{order}": max(0, n_pred - order + 1)}
    counts |= {"n_pred": n_pred, "n_gold": n_gold}
    bleu = bleu_parts(pair.counts, rule, max_order=max_order)
    score, parts = 0.0, {}
    if len(bleu.places):
        score = float((np.exp(bleu.log_means) * bleu.brevity_penalty)[0])
        parts = {
            f"precision{order}": float(np.exp(log_precision[0]))
            for order, log_precision in enumerate(bleu.log_precisions, start=1)
            if counts[f"total{order}"] or not _leaves_out(rule, order)
        }
        parts["brevity_penalty"] = float(bleu.brevity_penalty[0])
        parts["effective_order"] = int(bleu.effective_order[0])
    why = _why_bleu(pair, parts, bleu.weights, max_order) if parts else _why_no_bleu(pair, counts, max_order)
    if score == 1:
        why = "every n-gram of the prediction is matched, and it is no shorter than the gold"
    lines = tuple(_line_of_order(pair, order, counts) for order in range(1, max_order + 1))
    return Told(why, score, counts, parts, lines)


def _leaves_out(rule: Bleu, order: int) -> bool:
    """Whether an order that the prediction is too short for is left out: not where smoothing gives it n-grams."""
    is_smoothed = rule.smoothing == "add_k" and rule.smoothing_value > 0 and order >= rule.smooth_from
    return rule.effective_order and not is_smoothed


def _why_no_bleu(pair: PairOfMetric, counts: Mapping[str, int], max_order: int) -> str:
    """Say why BLEU is 0, whatever the precisions are."""
    if not counts["matched1"]:
        return _nothing_common(pair)
    if not counts["n_gold"]:
        return "the shortest gold has no tokens"
    first = next(order for order in range(1, max_order + 1) if not counts[f"matched{order}"])
    if not counts[f"total{first}"]:
        return f"the prediction has no {first}-grams, and the convention wants orders up to {max_order}"
    return f"no {first}-gram of the prediction is in the gold, and the convention does not smooth it"


def _why_bleu(pair: PairOfMetric, parts: Mapping[str, float], weights: tuple[float, ...] | None, max_order: int) -> str:
    shown = (parts.get(f"precision{order}") for order in range(1, max_order + 1))
    precisions = " ".join("-" if each is None else f"{each:.3g}" for each in shown)
    orders = f", {parts['effective_order']} orders" if max_order > 1 else ""
    if weights is not None:
        orders = f", weights {' '.join(f'{weight:.3g}' for weight in weights)}"
    lengths = f"{plural(int(pair.counts.n_pred[0]), 'token')}, and {int(pair.counts.n_gold[0]):,} in the gold"
    rule: Bleu = pair.rule
    value = f" ({rule.smoothing_value:g})" if rule.smoothing in {"floor", "add_k"} else ""
    smoothing = "" if rule.smoothing == "none" else f"; smoothing {rule.smoothing}{value}"
    return f"precisions {precisions}{orders}; brevity penalty {parts['brevity_penalty']:.3g} for {lengths}{smoothing}"


def _line_of_order(pair: PairOfMetric, order: int, counts: Mapping[str, int]) -> str:
    """Say how many n-grams of one order are matched, and which."""
    line = f"{order}-grams: {counts[f'matched{order}']:,} of {counts[f'total{order}']:,} matched"
    sides = (pair.pred_tokens, *pair.golds)
    pred, *golds = ([*zip(*(side[start:] for start in range(order)), strict=False)] for side in sides)
    matched = [" ".join(pred[place]) for place in find_first(pred, reduce(or_, map(Counter, golds)))]
    # The single tokens are shown above.
    return f"{line}: {quote_several(matched, 4)}" if order > 1 and matched else line


def _tell_chrf(pair: PairOfMetric) -> Told:
    rule: Chrf = pair.rule
    counts: dict[str, int] = {}
    for kind, of_kind, orders in (
        ("", pair.counts, rule.char_order),
        ("word_", pair.counts.get("words"), rule.word_order),
    ):
        if of_kind is not None and orders:
            counts |= {f"{kind}matched{order + 1}": int(of_kind["clipped"][order, 0]) for order in range(orders)}
            counts |= {f"{kind}n_pred": int(of_kind.n_pred[0]), f"{kind}n_gold": int(of_kind.n_gold[0])}
    if rule.eps_smoothing:
        per_order = [float(values[0]) for values in chrf_per_order(pair.counts, rule)]
        listed = ", ".join(f"{value:.3g}" for value in per_order)
        why = f"mean of F ({rule.beta:g} times the weight on recall) of each order: {listed}"
        return Told(why, float(np.mean(per_order)), counts, {})
    precision, recall, n_orders = (float(values[0]) for values in chrf_parts(pair.counts, rule))
    score = float(f_measure(np.array(precision), np.array(recall), beta=rule.beta))
    means = f"mean precision {precision:.3g} and recall {recall:.3g} of {plural(int(n_orders), 'order')}"
    why = f"{means}: (1 + {rule.beta**2:g})PR / ({rule.beta**2:g}P + R)"
    if not precision:
        gold, pred = (quote(" ".join(side.split())) for side in (pair.gold, pair.pred))
        why = f"no character of {gold} is in {pred}" if n_orders else _nothing_common(pair)
    return Told(why, score, counts, {"precision": precision, "recall": recall, "orders": n_orders})


_TELL: Mapping[str, Callable[[PairOfMetric], Told]] = {
    "exact": _tell_exact,
    "overlap": _tell_overlap,
    "contains": _tell_contains,
    "rouge_l": _tell_overlap,
    "bleu": _tell_bleu,
    "bleu_n": _tell_bleu,
    "chrf": _tell_chrf,
    "chrf_pp": _tell_chrf,
    "edit": _tell_edits,
}
"""By the family of a metric, what there is to say of its scores."""
