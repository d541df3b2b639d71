"""Conventions of short answers: numbers, lists, votes of several people, mathematics; as plain Python has them.

Each is a twin of the source's own code, which needs packages that the tests do not have.
"""

from __future__ import annotations

import math
import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial

from rapidfuzz.distance import Levenshtein
from rouge_score.rouge_scorer import RougeScorer

from qa_frame.text.answer_steps import _CONTRACTED
from tests.reference.oracles import Oracle, chrf, normalize_answer, token_overlap

OracleOfRow = Callable[[str, Sequence[str]], float]

_STEMMED = RougeScorer(["rougeL"], use_stemmer=True)
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def read_float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


# --- ChartQA ---


def relaxed_correctness(pred: str, gold: str) -> float:
    """A gold of 0 is compared as text."""
    found, wanted = (
        None if value is None else value / (100 if text.endswith("%") else 1)
        for text, value in ((text, read_float(text.rstrip("%"))) for text in (pred, gold))
    )
    if found is not None and wanted:
        return float(abs(found - wanted) / abs(wanted) <= 0.05)
    return float(pred.lower() == gold.lower())


# --- GAIA ---


def gaia_text(text: str, *, is_item: bool) -> str:
    text = re.sub(r"\s", "", text).lower()
    return text if is_item else text.translate(_NO_PUNCTUATION)


def gaia_score(pred: str, gold: str, *, is_item: bool = False) -> float:
    """By the gold's kind: a number, a list, or a text."""
    number = read_float(gold)
    if number is not None:
        found = read_float(re.sub("[$%,]", "", pred))
        return float((float("inf") if found is None else found) == number)
    if not is_item and re.search("[,;]", gold):
        preds, golds = re.split("[,;]", pred), re.split("[,;]", gold)
        if len(preds) != len(golds):
            return 0.0
        return float(all(gaia_score(*items, is_item=True) for items in zip(preds, golds, strict=True)))
    return float(gaia_text(pred, is_item=is_item) == gaia_text(gold, is_item=is_item))


# --- VQA ---

_VQA_MARKS = ';/[]"{}()=+\\_-><@`,?!'
_COMMA, _FULL_STOP = r"\d,\d", r"\.(?!\d)"
_NAMES_OF_DIGITS = "none zero one two three four five six seven eight nine ten"
_DIGITS = dict(zip(_NAMES_OF_DIGITS.split(), map(str, (0, *range(11))), strict=True))


def contraction(word: str) -> str:
    """The word with the apostrophe that it lacks."""
    if word == "somebody'd":
        return "somebodyd"
    completed = {f"{word[:place]}'{word[place:]}" for place in range(len(word) + 1)}
    return next((known for known in _CONTRACTED.split() if known in completed), word)


def trimmed(text: str) -> str:
    return text.replace("\n", " ").replace("\t", " ").strip()


def vqa_words(text: str, *, comma: str = _COMMA) -> str:
    changed = text
    for mark in _VQA_MARKS:
        is_deleted = f"{mark} " in text or f" {mark}" in text or re.search(comma, text)
        changed = changed.replace(mark, "" if is_deleted else " ")
    changed = re.sub(_FULL_STOP, "", changed, count=32)
    words = [_DIGITS.get(word, word) for word in changed.lower().split()]
    return " ".join(contraction(word) for word in words if word not in {"a", "an", "the"})


def textvqa_answer(text: str) -> str:
    text = text.lower().replace(",", "").replace("?", "").replace("'s", " 's").strip()
    return vqa_words(trimmed(text), comma=r"\d,+\d")


def votes(scores: Sequence[float]) -> float:
    """The mean of min(1, n / 3) over the golds, for the n right ones among the others."""
    return math.fsum(min(1.0, (math.fsum(scores) - score) / 3) for score in scores) / len(scores)


def same(pred: str, gold: str, *, normalise: Callable[[str], str]) -> float:
    return float(normalise(pred) == normalise(gold))


def same_vqa_words(pred: str, gold: str, **patterns: str) -> float:
    return same(pred, gold, normalise=lambda text: vqa_words(trimmed(text), **patterns))


def vqa_row(pred: str, golds: Sequence[str]) -> float:
    """Where the golds are all the same, nothing is normalised."""
    texts = [*map(trimmed, (pred, *golds))]
    if len({*texts[1:]}) > 1:
        texts = [*map(vqa_words, texts)]
    return votes([float(text == texts[0]) for text in texts[1:]])


# --- MATH ---


def math_text(text: str) -> str:
    for old in ("\n", "\\!"):
        text = text.replace(old, "")
    text = text.replace("\\\\", "\\").replace("tfrac", "frac").replace("dfrac", "frac")
    for old in ("\\left", "\\right", "^{\\circ}", "^\\circ", "\\$"):
        text = text.replace(old, "")
    units = text.split("\\text{ ")
    if len(units) > 2:
        raise ValueError(text)
    text = units[0].replace("\\%", "").replace(" .", " 0.").replace("{.", "{0.")
    text = re.sub(r"\A\.", "0.", text)
    text = re.sub(r"\A[^=]{0,2}=([^=]*)\Z", r"\1", text)
    if re.search(r"\\sqrt(\Z|\\sqrt)", text):
        raise ValueError(text)
    text = re.sub(r"\\sqrt([^{])", r"\\sqrt{\1}", text).replace(" ", "")
    text = braced_fractions(text)
    text = "\\frac{1}{2}" if text == "0.5" else text
    return re.sub(r"\A(0|-?[1-9][0-9]*)/(0|-?[1-9][0-9]*)\Z", r"\\frac{\1}{\2}", text)


def braced_fractions(text: str) -> str:
    parts = text.split("\\frac")
    for place, part in enumerate(parts[1:], 1):
        if not part:
            raise ValueError(text)
        if part[0] == "{":
            continue
        if len(part) == 1:
            return text
        parts[place] = f"{{{part[0]}}}" + (part[1:] if part[1] == "{" else f"{{{part[1]}}}{part[2:]}")
    return "\\frac".join(parts)


def math_text_or_whole(text: str) -> str:
    try:
        return math_text(text)
    except ValueError:
        return text


def is_equiv(pred: str, gold: str) -> float:
    try:
        return float(math_text(pred) == math_text(gold))
    except ValueError:
        return float(pred == gold)


# --- OpenAI evals ---


def fuzzy_match(pred: str, gold: str) -> float:
    pred, gold = normalize_answer(pred), normalize_answer(gold)
    return float(pred in gold or gold in pred) if pred and gold else float(pred == gold)


# --- DPR ---


def drqa_tokens(text: str) -> list[str]:
    """Runs of letters, numbers and combining marks, or single characters that are no separators and no controls."""
    found = [""]
    for character in text:
        kind = unicodedata.category(character)[0]
        if kind in "LNM":
            found[-1] += character
        else:
            found += ["" if kind in "ZC" else character, ""]
    return [*filter(None, found)]


def has_answer(pred: str, gold: str) -> float:
    sides = (drqa_tokens(unicodedata.normalize("NFD", text)) for text in (pred, gold))
    tokens, wanted = ([token.lower() for token in side] for side in sides)
    return float(any(tokens[start:][: len(wanted)] == wanted for start in range(len(tokens) + 1)))


# --- ANLS ---


def anls(pred: str, gold: str, *, of_raw: bool = False) -> float:
    normalised = [" ".join(text.lower().split()) for text in (pred, gold)]
    distance, lengths = Levenshtein.distance(*normalised), map(len, normalised)
    longer = max(len(text.upper()) for text in (pred, gold)) if of_raw else max(lengths)
    similarity = 1 - distance / longer if longer else 1.0
    return similarity if similarity >= 0.5 else 0.0


# --- GSM8K ---


def gsm8k_answer(text: str) -> str:
    text = text.replace(",", "").replace("$", "")
    text = text.rpartition("#### ")[2]
    end = "\n" * text.endswith("\n")
    return (text.removesuffix(end).removesuffix(".") + end).lower()


# --- InfiniteBench and LongBench ---


def first_digits(text: str) -> str:
    return next(iter(re.findall("[0-9]+", text)), "")


def first_number(text: str) -> str:
    found = re.search(r"\d+\.\d+|\d+", text)
    return found[0] if found else ""


def last_whole_number(text: str) -> str:
    """The last word, where it may be one."""
    *_, last = "", *re.sub("[\n.`'\":]", " ", text).split()
    return "" if re.search("[A-Za-z]", last) else last


def equal_numbers(pred: str, gold: str, *, answer: Callable[[str], str]) -> float:
    found, wanted = answer(pred), gold
    numbers = None if wanted[:1].isspace() else read_float(found), read_float(wanted)
    return float(found == wanted or (None not in numbers and numbers[0] == numbers[1]))


# --- lists of items ---


def as_lists(pred: str | Sequence[str], items: Sequence[str | Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """A text is a list of one."""
    lists = [[item] if isinstance(item, str) else list(item) for item in items]
    return [pred] if isinstance(pred, str) else list(pred), lists


# --- all of them ---

ORACLES_PER_CONVENTION: dict[str, dict[str, Oracle]] = {
    "chartqa": {"em": relaxed_correctness},
    "gaia": {"em": gaia_score},
    "vqa": {},
    "vqa_lmms_eval": {"em": partial(same_vqa_words, comma=r"\d,+\d")},
    "textvqa": {"em": partial(same, normalise=textvqa_answer)},
    "math": {"em": is_equiv},
    "openai_evals_fuzzy_match": {"contains": fuzzy_match, "f1": lambda pred, gold: token_overlap(pred, gold)[2]},
    "openai_evals_match": {"contains": lambda pred, gold: float(pred.startswith(gold))},
    "openai_evals_includes": {"contains": lambda pred, gold: float(gold in pred)},
    "openai_evals_includes_ignore_case": {"contains": lambda pred, gold: float(gold.lower() in pred.lower())},
    "dpr": {"contains": has_answer},
    "ragas": {
        "em": partial(same, normalise=str),
        "contains": lambda pred, gold: float(gold in pred),
        "rouge_l": lambda pred, gold: float(_STEMMED.score(gold, pred)["rougeL"].fmeasure),
        "chrf": lambda pred, gold: chrf(pred, gold) if pred.strip() and gold.strip() else 0.0,
        "edit_similarity": Levenshtein.normalized_similarity,
    },
    "autoevals": {"em": partial(same, normalise=str), "edit_similarity": Levenshtein.normalized_similarity},
    "deepeval": {"em": partial(same, normalise=str.strip)},
    "deepeval_quasi": {"em": lambda pred, gold: float(pred != "" and same(pred, gold, normalise=normalize_answer))},
    "docvqa": {"anls": partial(anls, of_raw=True)},
    "anls_star": {"anls": anls},
    "qasper": {"f1": lambda pred, gold: token_overlap(pred, gold)[2]},
    "alce_asqa": {"contains": lambda pred, gold: float(normalize_answer(gold) in normalize_answer(pred))},
    "nolima": {"contains": lambda pred, gold: float(gold in pred)},
    "nolima_em": {"em": lambda pred, gold: float(pred.strip() == gold)},
    "gsm8k_lm_eval": {"em": partial(same, normalise=gsm8k_answer)},
    "infinitebench_number": {"em": lambda pred, gold: float(first_digits(pred) == gold)},
    "infinitebench_math_find": {"em": partial(equal_numbers, answer=first_number)},
    "infinitebench_code_run": {"em": partial(equal_numbers, answer=last_whole_number)},
}
"""For each convention the metrics of its source, by name."""

ORACLES_OF_ROWS: dict[str, dict[str, OracleOfRow]] = {
    "vqa": {"em": vqa_row},
}
"""The metrics that take all golds of a row together."""

OVER_GOLDS: dict[str, Callable[[Sequence[float]], float]] = dict.fromkeys(("vqa", "vqa_lmms_eval", "textvqa"), votes)
"""How the source makes one score of those of several golds, where it is not the maximum."""
