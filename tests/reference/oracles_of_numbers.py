"""Each metric of the conventions that read numbers, compare places or follow the COCO caption code, by their rules.

They are HELM, inspect, DROP, RULER and NarrativeQA. For one (prediction, gold) pair; those that take all golds
together, for a row.
"""

from __future__ import annotations

import math
import operator
import re
import statistics
import string
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from rouge_score.rouge_scorer import RougeScorer

from qa_frame.text.numerals import number_of, numbers_in
from tests.reference.oracles import Oracle, normalize_answer, remembered

_STEMMED = RougeScorer(["rouge1", "rougeL"], use_stemmer=True)
_MARKS = string.whitespace + string.punctuation
_FEWEST = 1e-15  # what the COCO caption code adds to the matches of an order, and below to its n-grams
_LITTLE = 1e-9

OracleOfRow = Callable[[str, Sequence[str]], float]
IsNumber = Callable[[str], bool]


def f_measure(common: int, n_pred: int, n_gold: int) -> float:
    """In the order of the sources' own steps, as a rounded score depends on the last bit."""
    if not common:
        return 0.0
    precision, recall = common / n_pred, common / n_gold
    return (2 * precision * recall) / (precision + recall)


# --- HELM ---


def of_prediction(oracle: Oracle) -> Oracle:
    """HELM strips predictions; an empty one is never right."""

    def score(pred: str, gold: str) -> float:
        pred = pred.strip()
        return oracle(pred, gold) if pred else 0.0

    return score


def helm_f1(pred: str, gold: str) -> float:
    """F1 of the sets of tokens."""
    pred_tokens, gold_tokens = set(normalize_answer(pred).split()), set(normalize_answer(gold).split())
    return f_measure(len(pred_tokens & gold_tokens), len(pred_tokens), len(gold_tokens))


def stemmed_rouge(kind: str) -> Oracle:
    return lambda pred, gold: float(_STEMMED.score(target=gold, prediction=pred)[kind].fmeasure)


# --- DROP and inspect ---


def is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def is_finite(text: str) -> bool:
    return is_float(text) and math.isfinite(float(text))


def without_punctuation(text: str) -> str:
    return "".join(character for character in text if character not in string.punctuation)


def tokens_of_pieces(text: str, clean: Callable[[str], str], is_number: IsNumber) -> list[str]:
    """The text is cut at spaces and hyphens alone; a number is only seen where it fills a piece."""
    tokens = []
    for piece in re.split("[ -]", text):
        cleaned = piece if is_number(piece) else clean(piece)
        spelled = str(float(cleaned)) if is_number(cleaned) else cleaned
        tokens += re.sub(r"\b(a|an|the)\b", " ", spelled).split()
    return tokens


@remembered
def drop_tokens(text: str) -> list[str]:
    return tokens_of_pieces(text.lower(), without_punctuation, is_float)


def drop_exact(pred: str, gold: str) -> float:
    return float(bool(gold.strip()) and drop_tokens(pred) == drop_tokens(gold))


def drop_overlap(pred: str, gold: str) -> float:
    """F1 of sets, 0 if the gold has numbers and the prediction has none of them."""
    pred_tokens, gold_tokens = set(drop_tokens(pred)), set(drop_tokens(gold))
    if not gold.strip():
        return 0.0
    if not pred_tokens and not gold_tokens:
        return 1.0
    numbers = {token for token in gold_tokens if is_float(token)}
    if numbers and not numbers & pred_tokens:
        return 0.0
    return f_measure(len(pred_tokens & gold_tokens), len(pred_tokens), len(gold_tokens))


def drop_f1(pred: str, gold: str) -> float:
    """Rounded as numpy rounds."""
    return float(np.round(drop_overlap(pred, gold), 2))


@remembered
def inspect_tokens(text: str) -> list[str]:
    """Since release 0.3.253: a number is also seen inside punctuation."""

    def clean(piece: str) -> str:
        stripped = piece.strip(_MARKS)
        return stripped if is_finite(stripped) else without_punctuation(piece)

    return tokens_of_pieces(text.casefold(), clean, is_finite)


def inspect_exact(pred: str, gold: str) -> float:
    return float(bool(inspect_tokens(gold)) and inspect_tokens(pred) == inspect_tokens(gold))


def inspect_f1(pred: str, gold: str) -> float:
    pred_tokens, gold_tokens = inspect_tokens(pred), inspect_tokens(gold)
    common = (Counter(pred_tokens) & Counter(gold_tokens)).total()
    return round(f_measure(common, len(pred_tokens), len(gold_tokens)), 2)


# --- inspect's match and includes ---


def stripped_of_marks(text: str) -> str:
    return text.strip().casefold().strip(_MARKS)


def at_end(pred: str, gold: str) -> float:
    return float(stripped_of_marks(pred).endswith(stripped_of_marks(gold)))


def at_begin(pred: str, gold: str) -> float:
    return float(stripped_of_marks(pred).startswith(stripped_of_marks(gold)))


def anywhere(pred: str, gold: str) -> float:
    return float(stripped_of_marks(gold) in stripped_of_marks(pred))


def all_of_it(pred: str, gold: str) -> float:
    return float(stripped_of_marks(gold) == stripped_of_marks(pred))


def as_number(at_place: Callable[[list[str], str], bool], as_text: Callable[[str, str], bool]) -> Oracle:
    """A gold that is a number is looked for among the prediction's; any other as text, without marks of numbers.

    What is a number is recorded in tests/golden/numerals.json.
    """

    def score(pred: str, gold: str) -> float:
        number = number_of(gold)
        if number is not None:
            return float(at_place([*numbers_in(pred)], number))
        gold = re.sub(r"\\([$,£€*_])", r"\1", gold.strip().casefold())
        gold = re.sub(r"\.(?=\D|$)", "", re.sub("[$,£€*_]", "", gold))
        return float(as_text(stripped_of_marks(pred), gold.strip(_MARKS)))

    return score


# --- NarrativeQA ---


def narrativeqa_text(text: str) -> str:
    return text.lower().rstrip(" .").strip()


def narrativeqa_bleu(order: int) -> OracleOfRow:
    """BLEU of the COCO caption code: a little is added everywhere, and the closest gold's length counts."""

    def score(pred: str, golds: Sequence[str]) -> float:
        words = narrativeqa_text(pred).split()
        references = [narrativeqa_text(gold).split() for gold in golds]
        precisions = []
        for n in range(1, order + 1):
            most: Counter[tuple[str, ...]] = Counter()
            for reference in references:
                most |= n_grams(reference, n)
            found = n_grams(words, n)
            precisions.append(((found & most).total() + _FEWEST) / (found.total() + _LITTLE))
        closest = min(map(len, references), key=lambda length: (abs(length - len(words)), length))
        ratio = (len(words) + _FEWEST) / (closest + _LITTLE)
        penalty = math.exp(1 - 1 / ratio) if ratio < 1 else 1.0
        return statistics.geometric_mean(precisions) * penalty

    return score


def n_grams(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))


def narrativeqa_rouge_l(pred: str, golds: Sequence[str]) -> float:
    """The F-measure, with beta 1.2, of the highest precision and the highest recall, be they of two golds."""
    words = narrativeqa_text(pred).split(" ")
    references = [narrativeqa_text(gold).split(" ") for gold in golds]
    lengths = [common_subsequence(words, reference) for reference in references]
    precision = max(lengths) / len(words)
    recall = max(length / len(reference) for length, reference in zip(lengths, references, strict=True))
    return (1 + 1.2**2) * precision * recall / (recall + 1.2**2 * precision) if precision and recall else 0.0


def common_subsequence(first: list[str], second: list[str]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for word in first:
        diagonal = 0
        for place, other in enumerate(second, 1):
            diagonal, row[place] = row[place], diagonal + 1 if word == other else max(row[place], row[place - 1])
    return row[-1]


# --- all of them ---

_DROP: dict[str, Oracle] = {"em": drop_exact, "f1": drop_f1}

ORACLES_PER_CONVENTION: dict[str, dict[str, Oracle]] = {
    "helm": {
        "em": of_prediction(lambda pred, gold: float(normalize_answer(pred) == normalize_answer(gold))),
        "f1": helm_f1,
        "prefix": of_prediction(lambda pred, gold: float(normalize_answer(pred).startswith(normalize_answer(gold)))),
        "rouge_l": stemmed_rouge("rougeL"),
        "rouge_1": stemmed_rouge("rouge1"),
    },
    "helm_exact": {
        "em": of_prediction(lambda pred, gold: float(pred.strip() == gold.strip())),
        "prefix": of_prediction(lambda pred, gold: float(pred.strip().startswith(gold.strip()))),
    },
    "drop": _DROP,
    "drop_lm_eval": _DROP,
    "inspect_f1": {"em": inspect_exact, "f1": inspect_f1},
    "inspect_match": {"contains": at_end, "em": all_of_it, "prefix": at_begin},
    "inspect_match_begin": {"contains": at_begin},
    "inspect_match_any": {"contains": anywhere},
    "inspect_match_numeric": {
        "contains": as_number(lambda numbers, number: numbers[-1:] == [number], str.endswith),
        "prefix": as_number(lambda numbers, number: numbers[:1] == [number], str.startswith),
    },
    "inspect_match_numeric_any": {"contains": as_number(operator.contains, operator.contains)},
    "inspect_includes": {"contains": lambda pred, gold: float(gold.casefold() in pred.casefold())},
    "narrativeqa": {},  # it takes all golds of a row together
    "ruler": {"contains": lambda pred, gold: float(gold.lower() in pred.lower())},
    "ruler_part": {"contains": lambda pred, gold: float(gold.lower() in pred.lower())},
}
"""For each convention the metrics of its source, by name."""

ORACLES_OF_ROWS: dict[str, dict[str, OracleOfRow]] = {
    "narrativeqa": {
        **{f"bleu{order}": narrativeqa_bleu(order) for order in (1, 2, 3, 4)},
        "rouge_l": narrativeqa_rouge_l,
    }
}
"""The metrics that take all golds of a row together."""

OVER_GOLDS: dict[str, Callable[[list[float]], float]] = {"ruler": statistics.fmean}
"""What the sources make of the scores of several golds, where it is not the maximum."""
