"""One row of a frame → why it has its scores. Every number is one that scoring computes."""

from __future__ import annotations

import math
import operator
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from qa_frame._typing import Flags, Floats
from qa_frame.frames.kinds import Source
from qa_frame.frames.text_columns import TextColumns
from qa_frame.kernels import long_pairs
from qa_frame.kernels.pair_counts import PairCounts
from qa_frame.kernels.sequences import count_edits
from qa_frame.rules.parts import Bleu, Chrf, Contains, EditDistance, RougeL, empties_of
from qa_frame.scoring.countings import COUNTINGS, common_counts
from qa_frame.scoring.metrics import METRICS, bleu_parts, chrf_parts
from qa_frame.scoring.pipeline import ScoredPairs, score_columns, score_pairs
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.scoring.reduction import best_pairs
from qa_frame.text.extraction import describe_steps
from qa_frame.text.lexicon import simplify_split, tokenise
from qa_frame.text.numerals import number_of
from qa_frame.text.specification import Text
from qa_frame.view import reasons
from qa_frame.view.comparisons import Comparison, TokensOfPair, compare_texts, compare_tokens
from qa_frame.view.explained import BleuScore, MetricScore, NGrams, Status
from qa_frame.view.explanation import Explanation


def explain_row(
    row: Source, plan: Plan, *, pred: Hashable, gold: Hashable, label: Hashable, position: int
) -> Explanation:
    """Explain the scores of the only row of `row`, which stands at this place in its frame."""
    responses = row.texts(pred=pred, gold=gold)
    columns = prepare_predictions(responses, plan)
    scores = {name: float(values[0]) for name, values in score_columns(columns, plan, progress=False).items()}
    pairs = score_pairs(columns, plan)
    golds = _golds_of(columns)
    status = _status(columns, pairs)
    metrics: dict[str, MetricScore]
    if status == "scored":
        described = _Row(plan, pairs, golds, _places_of_golds(pairs, golds))
        metrics = {name: described.explain(name, score) for name, score in scores.items()}
        comparisons = described.comparisons()
    else:
        why = _why_not(status, plan)
        metrics = {name: MetricScore(score, None, (score,) * len(golds), why, {}) for name, score in scores.items()}
        comparisons = ()
    return Explanation(
        label=label,
        position=position,
        status=status,
        convention=plan.convention.name,
        signature=plan.signature,
        reduce=plan.reduce if isinstance(plan.reduce, str) else getattr(plan.reduce, "__name__", "a function"),
        response=responses.pred[0].as_py(),
        prediction=pairs.batch.texts[pairs.batch.pairs.pred[0]].as_py() if len(pairs.batch.pairs) else None,
        golds=golds,
        metrics=metrics,
        comparisons=comparisons,
    )


def _golds_of(columns: TextColumns) -> tuple[str, ...]:
    """The golds of the only row, without nulls."""
    found = columns.golds[0].as_py()
    golds = [found] if isinstance(found, str) else found or []
    return tuple(gold for gold in golds if gold is not None)


def _places_of_golds(pairs: ScoredPairs, golds: tuple[str, ...]) -> list[int | None]:
    """The place of each pair's gold in `golds`: some may be left out. None for one that is not there."""
    texts = pairs.batch.texts.take(pairs.batch.pairs.gold.tolist()).to_pylist()
    ahead = iter(enumerate(golds))
    return [next((place for place, gold in ahead if gold == text), None) for text in texts]


def _status(columns: TextColumns, pairs: ScoredPairs) -> Status:
    if not pairs.batch.has_gold[0]:
        return "no gold"
    if columns.is_not_extracted is not None and columns.is_not_extracted[0]:
        return "not extracted"
    return "missing prediction" if columns.is_missing[0] else "scored"


def _why_not(status: Status, plan: Plan) -> str:
    if status == "no gold":
        return "the row has no gold, so it cannot be scored"
    what = "the prediction is null"
    if status == "not extracted":
        what = f"extract ({describe_steps(plan.extract)}) finds no answer in the response"
    counts_as = "counts as wrong" if plan.missing == "zero" else "is not scored"
    return f"{what}, which {counts_as} with missing={plan.missing!r}"


_IS_AT = {"start": str.startswith, "end": str.endswith}


@dataclass(frozen=True, slots=True)
class _Row:
    """A row that is scored.

    places: those of its pairs' golds in `golds`.
    """

    plan: Plan
    pairs: ScoredPairs
    golds: tuple[str, ...]
    places: list[int | None]

    def explain(self, metric: str, score: float) -> MetricScore:
        """Explain one metric's score of the row."""
        winner, pair = self._winner(metric), self._compared_pair(metric)
        per_gold = [math.nan] * len(self.golds)
        for place, value in zip(self.places, self._scores_alone(metric).tolist(), strict=True):
            if place is not None:
                per_gold[place] = value
        explained = self._explain_pair(metric, pair)
        return MetricScore(
            score=score,
            gold=None if winner is None else self.places[winner],
            per_gold=tuple(per_gold),
            why=self._over_golds(metric, pair, winner) + explained.why,
            counts=explained.counts,
            is_empty_side=explained.is_empty_side,
            bleu=explained.bleu,
        )

    def comparisons(self) -> tuple[Comparison, ...]:
        """The tokens of each pair that a metric's score is from, once for each way of counting."""
        metrics_of: dict[tuple[Text, int, str], list[str]] = {}
        # Those that only ask whether texts are equal, or one in the other, join the others of the same tokens.
        for metric in sorted(self.plan.metrics, key=lambda name: self._counting(name) in {"equal", "substring"}):
            counting, text, pair = self._counting(metric), self._rule(metric).text, self._compared_pair(metric)
            key = (text, pair, "multiset" if counting == "equal" else counting)
            if counting in {"equal", "substring"}:
                key = next((known for known in metrics_of if known[:2] == (text, pair)), key)
            metrics_of.setdefault(key, []).append(metric)
        return tuple(self._compare(*key, tuple(metrics)) for key, metrics in metrics_of.items())

    def _compare(self, text: Text, pair: int, counting: str, metrics: tuple[str, ...]) -> Comparison:
        tokens, gold = self._tokens(text, pair), self.places[pair]
        in_order = tuple(name for name in self.plan.metrics if name in metrics)
        if counting == "substring":
            rule, place = self._rule(metrics[0]), self._place(metrics[0])
            of_gold = self._tokens(rule.gold_text or text, pair)
            pred_text, gold_text = " ".join(tokens.spell(tokens.pred_ids)), " ".join(of_gold.spell(of_gold.gold_ids))
            is_number = rule.numbers and number_of(self._texts(pair)[1]) is not None
            is_found = not is_number and _IS_AT.get(place, operator.contains)(pred_text, gold_text)
            start = (pred_text.rfind if place == "end" else pred_text.find)(gold_text) if is_found else -1
            return compare_texts(pred_text, gold_text, text, metrics=in_order, gold=gold, start=start)
        return compare_tokens(tokens, text, counting, metrics=in_order, gold=gold, raw=self._texts(pair))

    def _winner(self, metric: str) -> int | None:
        """The pair whose score is the row's; None where the score is made of several.

        Of pairs with equal scores it is the one that is best by all metrics together, so that metrics that cannot tell
        golds apart are explained with the gold that others chose.
        """
        scores, reduction = self.pairs.scores[metric], self.plan.reduce
        if self._takes_golds_together(metric):
            return None
        if callable(reduction) or (reduction in ("mean", "leave_one_out") and len(scores) > 1):
            return None
        if reduction == "first":
            return 0
        if reduction == "best":
            return int(best_pairs(self.pairs.scores[self.plan.best_by], self.pairs.batch.pair_offsets)[0])
        return self._closest(scores == (scores.min() if reduction == "min" else scores.max()))

    def _closest(self, is_candidate: Flags) -> int:
        """The candidate with the highest sum of all metrics' scores, the first of equals."""
        total = np.sum([self.pairs.scores[name] for name in self.plan.metrics], axis=0)
        return int(np.where(is_candidate, total, -1.0).argmax())

    def _compared_pair(self, metric: str) -> int:
        winner, scores = self._winner(metric), self.pairs.scores[metric]
        return self._closest(scores == scores.max()) if winner is None else winner

    def _takes_golds_together(self, metric: str) -> bool:
        """Whether the score is one of several golds together."""
        return len(self.places) > 1 and getattr(self._rule(metric), "references", "each") == "together"

    def _scores_alone(self, metric: str) -> Floats:
        """The score with each gold alone, shape (pairs,)."""
        if not self._takes_golds_together(metric):
            return self.pairs.scores[metric]
        pairs = range(len(self.places))
        (pred, _), golds = self._texts(0), [self._texts(pair)[1] for pair in pairs]
        texts = (pa.chunked_array([pa.array(side, pa.large_string())]) for side in ([pred] * len(golds), golds))
        return score_pairs(TextColumns(*texts), self.plan).scores[metric]

    def _over_golds(self, metric: str, pair: int, winner: int | None) -> str:
        if winner is not None:
            return ""
        if self._takes_golds_together(metric):
            return f"{len(self.places)} golds together: "
        name = (
            self.plan.reduce if isinstance(self.plan.reduce, str) else getattr(self.plan.reduce, "__name__", "reduce")
        )
        return f"{name} of {len(self.places)} golds; the closest is golds[{self.places[pair]}]: "

    def _rule(self, metric: str) -> Any:
        return getattr(self.plan.convention, METRICS[metric].family)

    def _place(self, metric: str) -> str:
        """Where `contains` or `prefix` looks for the gold."""
        place: str = "start" if metric == "prefix" else self._rule(metric).place
        return place

    def _counting(self, metric: str) -> str:
        """Which tokens count as common: as `Comparison.counting`, or `"equal"`."""
        counting = METRICS[metric].counting_under(self._rule(metric))
        return COUNTINGS[counting].marks if counting in COUNTINGS else counting

    def _texts(self, pair: int) -> tuple[str, str]:
        """The prediction and the gold of a pair, as they were before normalisation."""
        batch = self.pairs.batch
        pred, gold = (batch.texts[side[pair]].as_py() for side in (batch.pairs.pred, batch.pairs.gold))
        return pred, gold

    def _tokens(self, text: Text, pair: int) -> TokensOfPair:
        pairs = self.pairs.batch.pairs
        tokenised = tokenise(self.pairs.words, simplify_split(text, self.pairs.words))
        return TokensOfPair(tokenised, int(pairs.pred[pair]), int(pairs.gold[pair]))

    def _explain_pair(self, metric: str, pair: int) -> MetricScore:
        """Explain the score with one gold; its place is not looked at."""
        rule, family, counting = self._rule(metric), METRICS[metric].family, self._counting(metric)
        tokens = self._tokens(rule.text, pair)
        pred, gold = self._texts(pair)
        pred_tokens, gold_tokens = tokens.spell(tokens.pred_ids), tokens.spell(tokens.gold_ids)
        sides = reasons.Sides(pred, gold, pred_tokens, gold_tokens)
        score, counts = float(self.pairs.scores[metric][pair]), self.pairs.counts[family]
        empty, bleu = self._why_no_answer(pair) or self._why_empty(rule, family, pair), None
        if counting == "equal":
            numbers = {"equal": int(counts.equal[pair])}
            why = reasons.why_exact(score, sides, self._compare(rule.text, pair, "multiset", (metric,)))
        elif counting == "substring":
            numbers = {"contained": int(score)}
            sides = self._sides_of_contains(rule, sides, pair)
            of_number = reasons.why_number(sides) if rule.numbers else None
            why = of_number or reasons.why_contains(score, sides, self._place(metric))
        elif isinstance(rule, EditDistance):
            # The distance, which scoring counts only as exactly as it needs.
            edits = int(count_edits(tokens.texts.tokens, self.pairs.batch.pairs[pair : pair + 1])[0])
            numbers = {"edits": edits, "n_pred": len(pred_tokens), "n_gold": len(gold_tokens)}
            longer = max(len(pred_tokens), len(gold_tokens)) if counts.longer is None else int(counts.longer[pair])
            why = reasons.why_edits(score, edits, longer, of="token" if counts.longer is None else "character")
        elif isinstance(rule, Bleu):
            bleu = self._bleu(metric, tokens, pair)
            numbers = _bleu_counts(bleu)
            why = reasons.why_bleu(score, sides, bleu)
        elif isinstance(rule, Chrf):
            numbers = _chrf_counts(counts, rule, pair)
            precision, recall, n_orders = (float(values[pair]) for values in chrf_parts(counts, rule))
            why = reasons.why_chrf(sides, precision, recall, n_orders=int(n_orders), beta=rule.beta)
        else:
            common = self._common(metric, pair)
            numbers = dict(zip(("common", "n_pred", "n_gold"), common, strict=True))
            why = self._why_overlap(metric, pair, sides, common)
        if counts.nothing_in_common is not None and counts.nothing_in_common[pair]:
            why = reasons.why_nothing(rule)
        parts = [part for part in (sides.nothing(), why if empty is None else empty) if part]
        return MetricScore(score, None, (), "; ".join(parts), numbers, empty is not None, bleu)

    def _sides_of_contains(self, rule: Contains, sides: reasons.Sides, pair: int) -> reasons.Sides:
        """The sides, with the gold's own tokens where it becomes text in a way of its own."""
        if rule.gold_text is None:
            return sides
        of_gold = self._tokens(rule.gold_text, pair)
        return replace(sides, gold_tokens=of_gold.spell(of_gold.gold_ids))

    def _why_overlap(self, metric: str, pair: int, sides: reasons.Sides, common: tuple[int, int, int]) -> str:
        """Say how a share of common tokens, or the F-measure of both shares, comes about."""
        rule, figure = self._rule(metric), metric.rpartition("_")[2]
        settings = {"beta": rule.beta, "epsilon": rule.epsilon} if isinstance(rule, RougeL) else {}
        if not self._takes_golds_together(metric):
            counting = COUNTINGS[METRICS[metric].counting_under(rule)]
            score = float(self.pairs.scores[metric][pair])
            return reasons.why_overlap(score, sides, common, counting, figure=figure, **settings)
        name = metric.removesuffix(f"_{figure}") if figure in {"precision", "recall"} else metric
        counts = self.pairs.counts[METRICS[metric].family]
        of_golds = (METRICS[f"{name}_{part}"].score_per_pair(counts, rule) for part in ("precision", "recall"))
        precision, recall = (float(per_pair.max()) for per_pair in of_golds)
        return reasons.why_highest(precision, recall, figure=figure, **settings)

    def _why_no_answer(self, pair: int) -> str | None:
        """Say what a gold that says "no answer" makes of the score; None for any other gold."""
        pred, gold = self._texts(pair)
        if not gold or gold != self.plan.convention.no_answer_gold:
            return None
        so = "so does the prediction" if pred == gold else "the prediction does not say so"
        return f"the gold says that there is no answer, and {so}"

    def _why_empty(self, rule: Any, family: str, pair: int) -> str | None:
        """Say which rule for empty sides gives the score; None where none does."""
        for empty in empties_of(rule):
            pred_is_empty, gold_is_empty = (bool(flags[pair]) for flags in self.pairs.empty_sides[family][empty.of])
            why = reasons.rule_for_empty(empty, pred_is_empty=pred_is_empty, gold_is_empty=gold_is_empty)
            if why is not None:
                return why
        return None

    def _common(self, metric: str, pair: int) -> tuple[int, int, int]:
        counts, counting = self.pairs.counts[METRICS[metric].family], METRICS[metric].counting_under(self._rule(metric))
        common, n_pred, n_gold = common_counts(counts, counting)
        return int(common[pair]), int(n_pred[pair]), int(n_gold[pair])

    def _bleu(self, metric: str, tokens: TokensOfPair, pair: int) -> BleuScore:
        rule, counts = self._rule(metric), self.pairs.counts[METRICS[metric].family]
        max_order = METRICS[metric].wanted(rule).orders
        parts = bleu_parts(counts, rule, max_order=max_order)
        (place,) = np.nonzero(parts.places == pair)
        pred = tokens.spell(tokens.pred_ids)
        ngrams = []
        others = range(len(self.places)) if self._takes_golds_together(metric) else [pair]
        golds = (self._tokens(rule.text, other).gold_ids for other in others)
        by_gold = (long_pairs.matched_ngrams(tokens.pred_ids, gold, orders=max_order) for gold in golds)
        flags = [np.logical_or.reduce(of_order) for of_order in zip(*by_gold, strict=True)]
        for order, matched in enumerate(flags, start=1):
            n_pred = max(0, len(pred) - order + 1)
            is_left_out = not len(place) or (rule.effective_order and _is_left_out(rule, order, n_pred))
            precision = None if is_left_out else float(np.exp(parts.log_precisions[order - 1][place[0]]))
            found = tuple(" ".join(pred[start : start + order]) for start in np.flatnonzero(matched).tolist())
            ngrams.append(NGrams(order, found, int(counts.clipped[order - 1, pair]), n_pred, precision))
        return BleuScore(
            ngrams=tuple(ngrams),
            n_pred=int(counts.n_pred[pair]),
            n_gold=int(counts.n_gold[pair]),
            brevity_penalty=_at(parts.brevity_penalty, place),
            effective_order=int(parts.effective_order[place[0]]) if len(place) else None,
            smoothing=rule.smoothing,
            smoothing_value=rule.smoothing_value,
            weights=parts.weights,
        )


def _is_left_out(rule: Bleu, order: int, n_pred: int) -> bool:
    """Whether an order that the prediction is too short for is left out: not where smoothing gives it n-grams."""
    return n_pred == 0 and not (rule.smoothing == "add_k" and rule.smoothing_value > 0 and order >= rule.smooth_from)


def _at(values: Floats, place: Any) -> float | None:
    return float(values[place[0]]) if len(place) else None


def _chrf_counts(counts: PairCounts, rule: Chrf, pair: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for kind, of_kind, orders in (("", counts, rule.char_order), ("word_", counts.words, rule.word_order)):
        if of_kind is not None and orders:
            found |= {f"{kind}matched{order + 1}": int(of_kind.clipped[order, pair]) for order in range(orders)}
            found |= {f"{kind}n_pred": int(of_kind.n_pred[pair]), f"{kind}n_gold": int(of_kind.n_gold[pair])}
    return found


def _bleu_counts(bleu: BleuScore) -> dict[str, int]:
    counts: dict[str, int] = {}
    for each in bleu.ngrams:
        counts |= {f"matched{each.order}": each.n_matched, f"total{each.order}": each.n_pred}
    return {**counts, "n_pred": bleu.n_pred, "n_gold": bleu.n_gold}
