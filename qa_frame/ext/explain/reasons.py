"""One pair and the rule of a metric → how its score comes about: in words, in counts, and the score that these give.

Every number is one that scoring computes. Each function also returns the score that its words give. Where scoring gives
another one, a setting has no words, and the explanation says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from qa_frame._typing import Ints
from qa_frame.errors import plural
from qa_frame.ext.explain.token_matches import Side, count_edits_between, tokens_of_text
from qa_frame.kernels.pair_counts import CLIPPED, PairCounts
from qa_frame.rules.parts import Bleu, Chrf, Convention, EditDistance, Overlap, empties_of, gold_text_of
from qa_frame.rules.signature import changed_settings, describe
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.metrics.bleu import SEES_NEXT_ORDER, bleu_parts
from qa_frame.scoring.metrics.chrf import chrf_parts, chrf_per_order
from qa_frame.scoring.metrics.contains import contains_gold
from qa_frame.scoring.metrics.definition import COUNTINGS, Counting, common_counts
from qa_frame.scoring.metrics.edit import edit_similarity
from qa_frame.scoring.metrics.overlap import f_measure, f_measure_of, ratio, round_scores
from qa_frame.scoring.pipeline import ScoredPairs
from qa_frame.tables import visible
from qa_frame.text.numerals import number_of, numbers_in
from qa_frame.text.tokenisers import SENTENCE_END

quote: Callable[..., str] = partial(visible.quote, alone=False)

_ROUNDING = 1e-9
_MOST_OF_NUMBERS = 300
"""The columns in which the numbers of a prediction are listed."""

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

_SIDES = ("prediction", "gold")
_SIDE_OF = dict(zip(("n_pred", "n_gold"), _SIDES, strict=True))
"""The side whose units a count counts."""


@dataclass(frozen=True, slots=True)
class MetricScore:
    """One metric's score of the row.

    Attributes
    ----------
    score
        The score that `score` gives; NaN if the row is not scored.
    gold
        The place in `Explanation.golds` of the gold that the score is from. Ties go to the gold with the highest sum
        of all metrics. None if the score is made of several golds (`reduce="mean"` or a function), or the row has no
        gold.
    per_gold
        The score with each gold alone, in the order of `Explanation.golds`; NaN for a gold that is left out, and where
        the rule takes golds together.
    why
        How the score comes about, in words.
    counts
        The counts that the score is made of, for the gold that `why` is about. `common n_pred n_gold` for metrics of
        precision and recall, `equal` for `em`, `contained` for `contains`, `edits n_pred n_gold` for edit distances,
        `matched1 total1 ...`, `n_pred` and `n_gold` for BLEU, `matched1 ...`, `n_pred` and `n_gold` for chrF, with
        `word_matched1 ...`, `word_n_pred` and `word_n_gold` for its words.
    parts
        The numbers between the counts and the score. `precision1 ...`, `brevity_penalty` and `effective_order` for
        BLEU, unless the score is 0 already without them; an order that is left out has no precision. `precision recall
        orders` for chrF.
    is_empty_side
        Whether the score is the one that the convention gives for empty sides, and not made of the counts.
    """

    score: float
    gold: int | None = None
    per_gold: tuple[float, ...] = ()
    why: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    parts: Mapping[str, float] = field(default_factory=dict)
    is_empty_side: bool = False


@dataclass(frozen=True)
class RulePair:
    """A prediction and a gold, as the rule of a metric looks at them.

    Attributes
    ----------
    convention, metric
        The convention, and the metric.
    pairs
        The pairs of all rows, with their counts and scores.
    place
        The place of this pair.
    together
        The places of the pairs whose golds the score is of: this one, or all of the row where the rule takes them
        together.
    """

    convention: Convention
    metric: str
    pairs: ScoredPairs
    place: int
    together: Ints

    @property
    def family(self) -> str:
        """The family of the metric."""
        return METRICS[self.metric].family

    @property
    def rule(self) -> Any:
        """The convention's rule for the metric."""
        return getattr(self.convention, self.family)

    @property
    def counting(self) -> str:
        """The way of counting common tokens, a value of `Comparison.counting` or `"equal"`."""
        counting = METRICS[self.metric].counting_under(self.rule)
        return COUNTINGS[counting].marks if counting in COUNTINGS else counting

    @property
    def counts(self) -> PairCounts:
        """The counts of the rule's family, of this pair alone."""
        return self.pairs.counts[self.family].take(np.array([self.place]))

    @cached_property
    def _sides(self) -> tuple[int, int]:
        """The places of the prediction and of the gold among the texts."""
        pred, gold = (int(side[self.place]) for side in (self.pairs.batch.pairs.pred, self.pairs.batch.pairs.gold))
        return pred, gold

    @cached_property
    def texts(self) -> tuple[str, str]:
        """The prediction and the gold, as they were before normalisation."""
        pred, gold = (self.pairs.batch.texts[side].as_py() for side in self._sides)
        return pred, gold

    @cached_property
    def tokens(self) -> tuple[Side, Side]:
        """The tokens of the prediction and of the gold. Some rules make those of the gold in another way."""
        words, (pred, gold) = self.pairs.words, self._sides
        return tokens_of_text(words, pred, self.rule.text), tokens_of_text(words, gold, gold_text_of(self.rule))


def explain_score(pair: RulePair) -> MetricScore:
    """Return the score of a pair, with the reason in words. Rules for "no answer" and for empty sides come first."""
    reason = _EXPLAINED_BY[pair.family](pair)  # its score is the one that the words give
    score, first = float(pair.pairs.scores[pair.metric][pair.place]), _why_no_answer(pair) or _why_empty(pair)
    why = first or reason.why
    if not first and abs(score - reason.score) > _ROUNDING:
        why += f"; that gives {reason.score:.3g}, and a setting of the convention that has no words here makes "
        why += f"{score:.3g} of it"
    return replace(reason, score=score, why=why, is_empty_side=bool(first))


def _why_no_answer(pair: RulePair) -> str:
    """Say whether the prediction agrees with a gold that says "no answer"; "" for any other gold."""
    pred, gold = pair.texts
    if not gold or gold != pair.convention.no_answer_gold:
        return ""
    so = "so does the prediction" if pred == gold else "the prediction does not say so"
    return f"the gold says that there is no answer, and {so}"


def _why_empty(pair: RulePair) -> str:
    """Say which rule for empty sides gives the score; "" where none does."""
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


# --- equal, or contained


def _explain_exact(pair: RulePair) -> MetricScore:
    """Explain a score of `em`: both texts after normalisation, and how they were compared."""
    equal, has_same = bool(pair.counts["equal"][0]), pair.tokens[0] == pair.tokens[1]
    pred, gold = (quote(" ".join(tokens)) for tokens in pair.tokens)
    why = f"both are {gold} after normalisation" if has_same else f"after normalisation, {pred} is not {gold}"
    kinds = {
        "as numbers": pair.rule.numbers is not None or pair.rule.tolerance is not None,
        "item by item": bool(pair.rule.separators),
        "by the rule for golds that agree": pair.rule.agreed_text is not None,
    }
    named = " or ".join(kind for kind, holds in kinds.items() if holds)
    if named and has_same != equal:
        has_same, why = equal, f"they are compared {named}, and are {'' if equal else 'not '}equal"
    return MetricScore(has_same, why=why, counts={"equal": int(equal)})


def _name_settings(rule: Any) -> str:
    """Name the settings of a rule that are not at their defaults, with their values, but for `text` and `empty`."""
    others = {name: value for name, value in changed_settings(rule).items() if name not in {"text", "empty"}}
    return ", ".join(f"{name}={describe(value)}" for name, value in others.items())


def _explain_contains(pair: RulePair) -> MetricScore:
    """Explain a score of `contains` or `prefix`: where the gold is in the prediction, if it is."""
    place = "start" if pair.metric == "prefix" else pair.rule.place
    contained = int(contains_gold(pair.counts, pair.rule, place=place)[0])
    pred, gold = map(" ".join, pair.tokens)
    if pair.rule.numbers and (wanted := number_of(pair.texts[1])) is not None:
        numbers = visible.clip(", ".join(numbers_in(pair.texts[0])) or "none", _MOST_OF_NUMBERS)
        why = f"the gold is the number {wanted}; those of the prediction are {numbers}"
    elif not gold:
        why = "an empty gold is part of every prediction" if contained else "the gold is empty"
    else:
        why = f"{quote(gold)} is {'' if contained else 'not '}{_PLACES[place]} {quote(pred, 60)}"
    return MetricScore(contained, why=why, counts={"contained": contained})


# --- common tokens


def _explain_overlap(pair: RulePair) -> MetricScore:
    """Explain a precision, recall or F of common tokens, of words or of a longest common subsequence, by its counts."""
    name = METRICS[pair.metric].counting_under(pair.rule)
    counts = {key: int(n[0]) for key, n in zip(("common", *_SIDE_OF), common_counts(pair.counts, name), strict=True)}
    nothing = pair.counts.get("nothing_in_common")
    if nothing is not None and nothing[0]:
        return MetricScore(0.0, why=_why_rule_gives_zero(pair.rule), counts=counts)
    common, n_pred, n_gold = common_counts(pair.pairs.counts[pair.family].take(pair.together), name)
    shares = {"precision": float(ratio(common, n_pred).max()), "recall": float(ratio(common, n_gold).max())}
    if not counts["common"] and len(pair.together) == 1:
        return MetricScore(0.0, why=_why_nothing_is_common(pair, COUNTINGS[name].unit), counts=counts)
    share = METRICS[pair.metric].ratio or ""
    plain, formula = shares.get(share, math.nan), ""  # not a number: another function, which these words do not know
    if share == "f":
        plain = float(f_measure_of(np.array(shares["precision"]), np.array(shares["recall"]), pair.rule))
        formula = f": {_write_f_measure(**shares, rule=pair.rule)}" * (plain != 1)
    score = float(round_scores(np.array([plain]), pair.rule)[0])
    why = f"{_say_what_is_common(counts, COUNTINGS[name], share)}{formula}"
    if len(pair.together) > 1:
        why = f"the highest {' and the highest '.join([share] if share in shares else shares)} of any gold{formula}"
    if score != plain and not math.isnan(plain):
        why += f", rounded to {plural(pair.rule.digits, 'decimal')} as {pair.rule.rounding} does"
    return MetricScore(score, why=why, counts=counts)


def _say_what_is_common(counts: Mapping[str, int], counting: Counting, share: str) -> str:
    """Say how many units are common: of one side for a precision or recall, else of both. share: as `Metric.ratio`."""
    sides = {"precision": ("n_pred",), "recall": ("n_gold",)}.get(share, (*_SIDE_OF,))
    parts = [f"{counts['common']:,} of {plural(counts[n], counting.unit)} of the {_SIDE_OF[n]}" for n in sides]
    is_one = counts["common"] == 1 and len(parts) == 1
    return f"{' and '.join(parts)} {'is' if is_one else 'are'} {counting.words}"


def _why_nothing_is_common(pair: RulePair, unit: str) -> str:
    """Return why two texts have nothing in common: a side has no tokens, or no token is shared.

    unit: what a token is called.
    """
    ends = {SENTENCE_END} if pair.counting == "union" else set[str]()  # marks of sentences, which are no words
    pred, gold = ([token for token in tokens if token not in ends] for tokens in pair.tokens)
    empty = [side for side, tokens in zip(_SIDES, (pred, gold), strict=True) if not tokens]
    if empty:
        return f"the {' and the '.join(empty)} {'have' if len(empty) > 1 else 'has'} no tokens"
    return f"no {unit} of {quote(' '.join(gold))} is in {quote(' '.join(pred))}"


def _why_rule_gives_zero(rule: Overlap) -> str:
    """Say which setting of the rule gives 0, whatever tokens are common."""
    answers = f"one side is nothing but {' or '.join(map(quote, rule.only_equal))}, and the other is not the same"
    numbers = "no number of the gold is in the prediction"
    reasons = [reason for reason, holds in ((answers, rule.only_equal), (numbers, rule.numbers_must_match)) if holds]
    return f"the convention gives 0, as {', or '.join(reasons)}"


def _write_f_measure(precision: float, recall: float, rule: Any) -> str:
    """Return the formula of an F measure with its numbers."""
    factor, epsilon = getattr(rule, "beta", 1.0) ** 2, getattr(rule, "epsilon", 0.0)
    weight, added = f"{factor:.3g}" * (factor != 1), f" + {epsilon:g}" * bool(epsilon)
    return f"{1 + factor:.3g}PR / ({weight}P + R{added}) with P = {precision:.3g} and R = {recall:.3g}"


# --- edit distances


def _explain_edits(pair: RulePair) -> MetricScore:
    """Explain an edit similarity by the number of edits and the length of the longer side."""
    rule: EditDistance = pair.rule
    edits = count_edits_between(*pair.tokens)  # scoring counts them only as it needs
    counts = {"edits": edits, "n_pred": len(pair.tokens[0]), "n_gold": len(pair.tokens[1])}
    similarity = float(edit_similarity(pair.counts.with_counts(edits=np.array([edits])))[0])
    in_text = pair.counts.get("longer")
    longer = max(map(len, pair.tokens)) if in_text is None else int(in_text[0])
    units = plural(longer, "token" if in_text is None else "character")
    why = "both are the same after normalisation"
    if edits:
        why = f"{plural(edits, 'edit')} for {units} of the longer side: 1 - {edits} / {longer:,}"
    is_kept = similarity >= rule.threshold if rule.inclusive else similarity > rule.threshold
    if pair.metric != "anls" or is_kept:
        return MetricScore(similarity, why=why, counts=counts)
    threshold = f"{'below' if rule.inclusive else 'not above'} the threshold of {rule.threshold:g}"
    return MetricScore(0.0, why=f"{why} = {similarity:.3g}, {threshold}", counts=counts)


# --- n-grams


def _explain_bleu(pair: RulePair) -> MetricScore:
    """Explain a BLEU by its n-gram precisions and its brevity penalty."""
    rule: Bleu = pair.rule
    max_order = int(METRICS[pair.metric].wanted(rule)[CLIPPED]) - (rule.smoothing in SEES_NEXT_ORDER)
    counts, orders = _list_ngrams(pair.counts, max_order), range(1, max_order + 1)
    counts |= {f"total{order}": max(0, counts["n_pred"] - order + 1) for order in orders}
    matched = ", ".join(f"{counts[f'matched{order}']:,} of {counts[f'total{order}']:,}" for order in orders)
    bleu = bleu_parts(pair.counts, rule, max_order=max_order)
    if not len(bleu.places):
        lacking = next((order for order in orders if not counts[f"matched{order}"]), None)
        what = "the gold is empty" if not counts["n_gold"] else f"no {lacking}-gram is matched"
        return MetricScore(0.0, why=f"matched n-grams: {matched}; the convention gives 0, as {what}", counts=counts)
    parts = {
        f"precision{order}": float(np.exp(log_precision[0]))
        for order, log_precision in zip(orders, bleu.log_precisions, strict=True)
        if counts[f"total{order}"] or not _leaves_out(rule, order)
    }
    precisions = " ".join(f"{value:.3g}" for value in parts.values())
    parts |= {"brevity_penalty": float(bleu.brevity_penalty[0]), "effective_order": int(bleu.effective_order[0])}
    settings = f", by {named}" if (named := _name_settings(rule)) else ""
    lengths = f"{plural(counts['n_pred'], 'token')}, and {counts['n_gold']:,} in the gold"
    why = f"matched n-grams: {matched}; precisions {precisions}{settings}; brevity penalty "
    why += f"{parts['brevity_penalty']:.3g} for {lengths}"
    score = float((np.exp(bleu.log_means) * bleu.brevity_penalty)[0])
    return MetricScore(score, why=why, counts=counts, parts=parts)


def _list_ngrams(counts: PairCounts, orders: int, of: str = "") -> dict[str, int]:
    """Return how many n-grams of each order match, and the lengths of both sides, by name.

    orders: the highest order. of: what the names begin with.
    """
    matched = {f"{of}matched{order + 1}": int(counts["clipped"][order, 0]) for order in range(orders)}
    return {**matched, f"{of}n_pred": int(counts.n_pred[0]), f"{of}n_gold": int(counts.n_gold[0])}


def _leaves_out(rule: Bleu, order: int) -> bool:
    """Return whether BLEU leaves out an order for which the prediction is too short.

    It does not where smoothing gives such an order n-grams.
    """
    is_smoothed = rule.smoothing == "add_k" and rule.smoothing_value > 0 and order >= rule.smooth_from
    return rule.effective_order and not is_smoothed


def _explain_chrf(pair: RulePair) -> MetricScore:
    """Explain a chrF by the n-grams of characters, and of words, in common."""
    rule: Chrf = pair.rule
    counts = _list_ngrams(pair.counts, rule.char_order)
    if rule.word_order:
        counts |= _list_ngrams(pair.counts["words"], rule.word_order, "word_")
    if rule.eps_smoothing:
        per_order = [float(values[0]) for values in chrf_per_order(pair.counts, rule)]
        why = f"mean of the F of each order, by {_name_settings(rule)}: {' '.join(f'{f:.3g}' for f in per_order)}"
        return MetricScore(float(np.mean(per_order)), why=why, counts=counts)
    precision, recall, n_orders = (float(values[0]) for values in chrf_parts(pair.counts, rule))
    score = float(f_measure(np.array(precision), np.array(recall), beta=rule.beta))
    why = f"means of {plural(int(n_orders), 'order')}: {_write_f_measure(precision, recall, rule)}"
    parts = {"precision": precision, "recall": recall, "orders": n_orders}
    return MetricScore(score, why=why, counts=counts, parts=parts)


_EXPLAINED_BY: Mapping[str, Callable[[RulePair], MetricScore]] = {
    "exact": _explain_exact,
    "overlap": _explain_overlap,
    "contains": _explain_contains,
    "rouge_l": _explain_overlap,
    "bleu": _explain_bleu,
    "bleu_n": _explain_bleu,
    "chrf": _explain_chrf,
    "chrf_pp": _explain_chrf,
    "edit": _explain_edits,
}
"""By the family of a metric, what there is to say of its scores."""
