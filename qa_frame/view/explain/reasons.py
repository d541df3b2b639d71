"""One pair and the rule of a metric → how its score comes about: in words, in counts, and the score that these give.

Every number is one that scoring computes. Each function also returns the score that its words give. Where scoring gives
another one, a setting has no words, and the explanation says so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, reduce
from operator import or_
from typing import Any

import numpy as np

from qa_frame.errors import plural
from qa_frame.kernels.pair_counts import CLIPPED
from qa_frame.rules.parts import Bleu, Chrf, EditDistance, Exact, Overlap, empties_of
from qa_frame.scoring.countings import COUNTINGS, common_counts
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
from qa_frame.view.explain.blocks import SIDES
from qa_frame.view.explain.explained import MetricScore
from qa_frame.view.explain.marks import count_edits_between, find_first
from qa_frame.view.explain.rule_pair import RulePair

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

_SHARES = {"precision": ("n_pred", "prediction"), "recall": ("n_gold", "gold")}
"""What a share of common tokens is a share of: the name of the count, and the side."""


def tell(pair: RulePair) -> MetricScore:
    """Say how the score of a pair comes about. Rules for "no answer" and for empty sides come first."""
    told = _TELL[pair.family](pair)  # its score is the one that the words give
    why = first = _why_no_answer(pair) or _why_empty(pair)
    if not first:
        why = told.why + _say_what_else(pair.score, told.score)
    return replace(told, score=pair.score, why="; ".join([*_name_what_is_lost(pair), why]), is_empty_side=bool(first))


def _say_what_else(score: float, told: float) -> str:
    """Say that the words do not tell the whole score, where it is another one than they give."""
    if math.isnan(told) or abs(score - told) <= _ROUNDING:
        return ""
    return f"; that gives {told:.3g}, and a setting of the convention that has no words here makes {score:.3g} of it"


def _why_no_answer(pair: RulePair) -> str:
    """Say whether the prediction agrees with a gold that says "no answer"; nothing for any other gold."""
    pred, gold = pair.texts
    if not gold or gold != pair.convention.no_answer_gold:
        return ""
    so = "so does the prediction" if pred == gold else "the prediction does not say so"
    return f"the gold says that there is no answer, and {so}"


def _why_empty(pair: RulePair) -> str:
    """Say which rule for empty sides gives the score; nothing where none does."""
    for empty in empties_of(pair.rule):
        pred_is_empty, gold_is_empty = (side[pair.place] for side in pair.pairs.empty_sides[pair.family][empty.of])
        for holds, value, who in (
            (pred_is_empty and gold_is_empty, empty.both, "the prediction and the gold each"),
            (gold_is_empty, empty.gold, "the gold"),
            (pred_is_empty, empty.pred, "the prediction"),
        ):
            if holds and value is not None:
                return f"{who} {_MEANINGS[empty.of]}, for which the convention gives {value:g}"
    return ""


def _name_what_is_lost(pair: RulePair) -> list[str]:
    """Name the texts of which normalisation leaves nothing."""
    lost = (text for text, tokens in zip(pair.texts, pair.tokens, strict=True) if text.strip() and not tokens)
    return [f"{quote(text)} normalises to nothing" for text in dict.fromkeys(lost)]


# --- equal, or contained


def _tell_exact(pair: RulePair) -> MetricScore:
    rule: Exact = pair.rule
    equal, has_same = int(pair.counts["equal"][0]), pair.tokens[0] == pair.tokens[1]
    kinds = {
        "as numbers": rule.numbers is not None or rule.tolerance is not None,
        "item by item": bool(rule.separators),
        "by the rule for golds that agree": rule.agreed_text is not None,
    }
    named = " or ".join(kind for kind, holds in kinds.items() if holds)
    if named and has_same != bool(equal):
        why = f"they are compared {named}, and are {'' if equal else 'not '}equal"
        return MetricScore(equal, why=why, counts={"equal": equal})
    return MetricScore(has_same, why=_why_same(pair), counts={"equal": equal})


def _why_same(pair: RulePair) -> str:
    """Say why both sides have the same tokens, or not."""
    if pair.tokens[0] == pair.tokens[1]:
        return f"both are {quote(' '.join(pair.tokens[1]))} after normalisation"
    pred, gold = map(Counter, pair.tokens)
    alone = {side: list(tokens) for side, tokens in zip(SIDES, (pred - gold, gold - pred), strict=True) if tokens}
    if not alone:
        return "both have the same tokens, in another order"
    deleted = list(dict.fromkeys((*pair.dropped[0], *pair.dropped[1])))
    start = f"{_quote_with_verb(deleted, 'was', 'were')} deleted, but " if deleted else ""
    parts = (f"{_quote_with_verb(tokens, 'is', 'are')} in the {side} alone" for side, tokens in alone.items())
    return start + ", and ".join(parts)


def _quote_with_verb(texts: list[str], one: str, several: str) -> str:
    return f"{quote_several(texts)} {one if len(texts) == 1 else several}"


def _tell_contains(pair: RulePair) -> MetricScore:
    place = "start" if pair.metric == "prefix" else pair.rule.place
    contained = int(contains_gold(pair.counts, pair.rule, place=place)[0])
    pred, gold = map(" ".join, pair.tokens)
    if pair.rule.numbers and (wanted := number_of(pair.texts[1])) is not None:
        numbers = ", ".join(numbers_in(pair.texts[0])) or "none"
        why = f"the gold is the number {wanted}; those of the prediction are {numbers}"
    elif not gold:
        why = "an empty gold is part of every prediction" if contained else "the gold is empty"
    else:
        why = f"{quote(gold)} is {'' if contained else 'not '}{_PLACES[place]} {quote(pred, 60)}"
    return MetricScore(contained, why=why, counts={"contained": contained})


# --- common tokens


def _tell_overlap(pair: RulePair) -> MetricScore:
    counting = METRICS[pair.metric].counting_under(pair.rule)
    n_units = (int(each[0]) for each in common_counts(pair.counts, counting))
    counts = dict(zip(("common", "n_pred", "n_gold"), n_units, strict=True))
    nothing = pair.counts.get("nothing_in_common")
    if nothing is not None and nothing[0]:
        return MetricScore(0.0, why=_why_nothing(pair.rule), counts=counts)
    common, n_pred, n_gold = common_counts(pair.counts_of_golds, counting)
    shares = {"precision": float(ratio(common, n_pred).max()), "recall": float(ratio(common, n_gold).max())}
    figure = pair.metric.rpartition("_")[2]
    is_f_measure = pair.metric == "f1" or pair.metric.startswith("rouge")
    if figure in shares:
        plain, of_shares = shares[figure], [figure]
    elif is_f_measure:
        precision, recall = map(np.array, shares.values())
        plain, of_shares = float(f_measure_of(precision, recall, pair.rule)), [*shares]
    else:  # another function of the counts, which these words do not know
        plain, of_shares = math.nan, [*shares]
    score = float(round_scores(np.array([plain]), pair.rule)[0])
    if len(pair.together) > 1:
        why = f"{' and '.join(f'the highest {share}' for share in of_shares)} of any gold"
    elif not counts["common"]:
        return MetricScore(score, why=_why_nothing_is_common(pair, COUNTINGS[counting].unit), counts=counts)
    else:
        sides = [_SHARES[share] for share in of_shares]
        unit, words = COUNTINGS[counting].unit, COUNTINGS[counting].words
        parts = [f"{counts['common']:,} of {plural(counts[n], unit)} of the {side}" for n, side in sides]
        is_one = counts["common"] == 1 and len(parts) == 1
        why = f"{' and '.join(parts)} {'is' if is_one else 'are'} {words}"
    if figure not in shares and is_f_measure and (plain != 1 or len(pair.together) > 1):
        why += f": {_write_f_measure(shares, pair.rule)}"
    rounding = "" if math.isnan(plain) else _say_rounding(pair.rule, plain, score)
    return MetricScore(score, why=why + rounding, counts=counts)


def _why_nothing(rule: Overlap) -> str:
    """Say why the rule of the overlap gives 0, whatever the tokens are."""
    answers = f"one side is nothing but {' or '.join(map(quote, rule.only_equal))}, and the other is not the same"
    numbers = "no number of the gold is in the prediction"
    reasons = [reason for reason, holds in ((answers, rule.only_equal), (numbers, rule.numbers_must_match)) if holds]
    return f"the convention gives 0, as {', or '.join(reasons)}"


def _why_nothing_is_common(pair: RulePair, unit: str = "token") -> str:
    empty = [side for side, tokens in zip(SIDES, pair.tokens, strict=True) if not tokens]
    if empty:
        return f"the {' and the '.join(empty)} {'have' if len(empty) > 1 else 'has'} no tokens"
    pred, gold = (quote(" ".join(tokens)) for tokens in pair.tokens)
    return f"no {unit} of {gold} is in {pred}"


def _write_f_measure(shares: Mapping[str, float], rule: Any) -> str:
    factor, epsilon = getattr(rule, "beta", 1.0) ** 2, getattr(rule, "epsilon", 0.0)
    weight, added = f"{factor:.3g}" * (factor != 1), f" + {epsilon:g}" * bool(epsilon)
    with_shares = f"P = {shares['precision']:.3g} and R = {shares['recall']:.3g}"
    return f"{1 + factor:.3g}PR / ({weight}P + R{added}) with {with_shares}"


def _say_rounding(rule: Any, plain: float, score: float) -> str:
    """Say that a rule rounds its score, where that changes it."""
    if score == plain:
        return ""
    return f", rounded to {plural(rule.digits, 'decimal')}{' by numpy' * (rule.rounding == 'numpy')}"


# --- edit distances


def _tell_edits(pair: RulePair) -> MetricScore:
    rule: EditDistance = pair.rule
    edits = count_edits_between(*pair.tokens)  # scoring counts them only as it needs
    counts = {"edits": edits, "n_pred": len(pair.tokens[0]), "n_gold": len(pair.tokens[1])}
    similarity = float(edit_similarity(pair.counts.having(edits=np.array([edits])))[0])
    in_text = pair.counts.get("longer")
    longer = max(map(len, pair.tokens)) if in_text is None else int(in_text[0])
    units = plural(longer, "token" if in_text is None else "character")
    why = "both are the same after normalisation"
    if edits:
        why = f"{plural(edits, 'edit')} for {units} of the longer side: 1 - {edits} / {longer:,}"
    is_kept = similarity >= rule.threshold if rule.inclusive else similarity > rule.threshold
    if pair.metric != "anls" or is_kept or not similarity:
        return MetricScore(similarity, why=why, counts=counts)
    threshold = f"{'below' if rule.inclusive else 'not above'} the threshold of {rule.threshold:g}"
    return MetricScore(0.0, why=f"{why} = {similarity:.3g}, {threshold}", counts=counts)


# --- n-grams


def _tell_bleu(pair: RulePair) -> MetricScore:
    rule: Bleu = pair.rule
    max_order = int(METRICS[pair.metric].wanted(rule)[CLIPPED])
    n_pred, n_gold = int(pair.counts.n_pred[0]), int(pair.counts.n_gold[0])
    counts: dict[str, int] = {}
    for order, n_matched in enumerate(pair.counts["clipped"][:max_order, 0].tolist(), start=1):
        counts |= {f"matched{order}": n_matched, f"total{order}": max(0, n_pred - order + 1)}
    counts |= {"n_pred": n_pred, "n_gold": n_gold}
    lines = tuple(_say_matches_of_order(pair, order, counts) for order in range(1, max_order + 1))
    bleu = bleu_parts(pair.counts, rule, max_order=max_order)
    if not len(bleu.places):
        return MetricScore(0.0, why=_why_no_bleu(pair, counts, max_order), counts=counts, lines=lines)
    score = float((np.exp(bleu.log_means) * bleu.brevity_penalty)[0])
    parts = {
        f"precision{order}": float(np.exp(log_precision[0]))
        for order, log_precision in enumerate(bleu.log_precisions, start=1)
        if counts[f"total{order}"] or not _leaves_out(rule, order)
    }
    parts["brevity_penalty"] = float(bleu.brevity_penalty[0])
    parts["effective_order"] = int(bleu.effective_order[0])
    why = _why_bleu(rule, counts, parts, bleu.weights, max_order)
    if score == 1:
        why = "every n-gram of the prediction is matched, and it is no shorter than the gold"
    return MetricScore(score, why=why, counts=counts, parts=parts, lines=lines)


def _leaves_out(rule: Bleu, order: int) -> bool:
    """Whether an order that the prediction is too short for is left out: not where smoothing gives it n-grams."""
    is_smoothed = rule.smoothing == "add_k" and rule.smoothing_value > 0 and order >= rule.smooth_from
    return rule.effective_order and not is_smoothed


def _why_no_bleu(pair: RulePair, counts: Mapping[str, int], max_order: int) -> str:
    """Say why BLEU is 0, whatever the precisions are."""
    if not counts["matched1"]:
        return _why_nothing_is_common(pair)
    if not counts["n_gold"]:
        return "the shortest gold has no tokens"
    first = next(order for order in range(1, max_order + 1) if not counts[f"matched{order}"])
    if not counts[f"total{first}"]:
        return f"the prediction has no {first}-grams, and the convention wants orders up to {max_order}"
    return f"no {first}-gram of the prediction is in the gold, and the convention does not smooth it"


def _why_bleu(
    rule: Bleu, counts: Mapping[str, int], parts: Mapping[str, float], weights: tuple[float, ...] | None, max_order: int
) -> str:
    shown = (parts.get(f"precision{order}") for order in range(1, max_order + 1))
    precisions = " ".join("-" if each is None else f"{each:.3g}" for each in shown)
    orders = f", {parts['effective_order']} orders" if max_order > 1 else ""
    if weights is not None:
        orders = f", weights {' '.join(f'{weight:.3g}' for weight in weights)}"
    lengths = f"{plural(counts['n_pred'], 'token')}, and {counts['n_gold']:,} in the gold"
    value = f" ({rule.smoothing_value:g})" if rule.smoothing in {"floor", "add_k"} else ""
    smoothing = "" if rule.smoothing == "none" else f"; smoothing {rule.smoothing}{value}"
    return f"precisions {precisions}{orders}; brevity penalty {parts['brevity_penalty']:.3g} for {lengths}{smoothing}"


def _say_matches_of_order(pair: RulePair, order: int, counts: Mapping[str, int]) -> str:
    """Say how many n-grams of one order are matched, and which."""
    line = f"{order}-grams: {counts[f'matched{order}']:,} of {counts[f'total{order}']:,} matched"
    if order == 1:  # the single tokens are shown above
        return line
    sides = (pair.tokens[0], *pair.golds)
    pred, *golds = ([*zip(*(side[start:] for start in range(order)), strict=False)] for side in sides)
    matched = [" ".join(pred[place]) for place in find_first(pred, reduce(or_, map(Counter, golds)))]
    return f"{line}: {quote_several(matched, 4)}" if matched else line


def _tell_chrf(pair: RulePair) -> MetricScore:
    rule: Chrf = pair.rule
    counts: dict[str, int] = {}
    of_kinds = {"": (pair.counts, rule.char_order), "word_": (pair.counts.get("words"), rule.word_order)}
    for kind, (of_kind, orders) in of_kinds.items():
        if of_kind is not None and orders:
            counts |= {f"{kind}matched{order + 1}": int(of_kind["clipped"][order, 0]) for order in range(orders)}
            counts |= {f"{kind}n_pred": int(of_kind.n_pred[0]), f"{kind}n_gold": int(of_kind.n_gold[0])}
    if rule.eps_smoothing:
        per_order = [float(values[0]) for values in chrf_per_order(pair.counts, rule)]
        listed = ", ".join(f"{value:.3g}" for value in per_order)
        why = f"mean of F ({rule.beta:g} times the weight on recall) of each order: {listed}"
        return MetricScore(float(np.mean(per_order)), why=why, counts=counts)
    precision, recall, n_orders = (float(values[0]) for values in chrf_parts(pair.counts, rule))
    score = float(f_measure(np.array(precision), np.array(recall), beta=rule.beta))
    means = f"mean precision {precision:.3g} and recall {recall:.3g} of {plural(int(n_orders), 'order')}"
    why = f"{means}: (1 + {rule.beta**2:g})PR / ({rule.beta**2:g}P + R)"
    if not precision:
        pred, gold = (quote(" ".join(side.split())) for side in pair.texts)
        why = f"no character of {gold} is in {pred}" if n_orders else _why_nothing_is_common(pair)
    parts = {"precision": precision, "recall": recall, "orders": n_orders}
    return MetricScore(score, why=why, counts=counts, parts=parts)


_TELL: Mapping[str, Callable[[RulePair], MetricScore]] = {
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
