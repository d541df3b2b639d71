"""Each row of the page "Coming from another tool": its call gives what the settings beside it give.

The call is that of the source's own package where it is installed, and else the source's own functions in
`tests/reference`. Texts are those of the sample, and made-up ones as chat models write them.
"""

from __future__ import annotations

import doctest
import importlib
import re
import statistics
import string
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import sacrebleu
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from rapidfuzz.distance import Levenshtein
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

import qa_frame
from tests.reference.oracles import exact_match, nmt_bleu, token_overlap
from tests.reference.oracles_of_all import ORACLES_PER_CONVENTION
from tests.reference.oracles_of_languages import word_tokenize
from tests.reference.oracles_of_libraries import locomo_f1
from tests.reference.oracles_of_numbers import all_of_it
from tests.rules.test_parity_of_conventions import assert_same, expect, score

pytestmark = pytest.mark.whole

PAGE = Path(__file__).parents[1] / "notebooks" / "pages" / "coming_from.md"
COMPOSED = PAGE.parent / "conventions" / "composed.md"
Rows = list[tuple[str, list[str]]]


def rows_of_page() -> dict[str, tuple[str, str]]:
    """The calls of the table, each with its source and the settings that stand beside it."""
    lines = PAGE.read_text("utf-8").partition("\n## ")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines if line.startswith("| ")]
    return {call.strip("`"): (source, " | ".join(ours)) for source, call, *ours in cells[2:]}


ROWS = rows_of_page()

MADE_UP: Rows = [
    ("a  b", ["a b"]),
    ("The Eiffel Tower is in  Paris,\n\nFrance.", ["Paris", "Paris, France"]),
    (" It was 1,969; July 20th.\t", ["July 20, 1969", "1969"]),
    ("I'm sorry, but I don't know.", ["Møller"]),
    ("It’s “Beyoncé” – as far as I know…", ["Beyonce", "Beyoncé"]),
    ("J. R. R. Tolkien wrote it (in 1937).", ["J.R.R. Tolkien"]),
    ("- Bern\n- Basel\n- Zürich", ["Zurich", "Bern; Basel; Zürich"]),
    ("$3.5 million, i.e. 3,500,000 US-dollars", ["$3.5 million"]),
    ("Əzərbaycan İstanbul STRASSE straße", ["azerbaycan istanbul strasse straße"]),
    ("北京 (Beijing) 是中国的首都。", ["北京"]),
    ("Москва", ["Москва", "Moscow"]),
    ("no", ["No."]),
    ("", ["nothing"]),
    ("a", ["the"]),
    ("The the  the", ["the"]),
    ("\u3000full\u00a0width\u2003space ", ["full width space"]),
    ("C++ and C#", ["C", "C++"]),
    ("well-known well-known  well-known fact", ["well-known  fact"]),
    ("It is 42\r\nIt is 42", ["42"]),
    ("x" * 300 + "  y", ["x" * 290 + " y"]),
]
"""White space, marks, scripts, repetitions and lists, as they stand in the responses of chat models."""

SAMPLE: Rows = [
    (response, [gold for gold in golds if isinstance(gold, str)])
    for response, golds in zip(qa_frame.sample()["response"], qa_frame.sample()["answers"], strict=True)
    if isinstance(response, str) and golds is not None and any(isinstance(gold, str) for gold in golds)
]
TEXTS = [*MADE_UP, *SAMPLE]


def of_pairs(call: Callable[[str, str], float]) -> Callable[[str, list[str]], float]:
    return lambda pred, golds: max(call(pred, gold) for gold in golds)


def rouge_score(pred: str, golds: list[str]) -> float:
    return float(RougeScorer(["rougeL"]).score_multi(golds, pred)["rougeL"].fmeasure)


def sacrebleu_sentence(**options: Any) -> Callable[[str, list[str]], float]:
    return of_pairs(lambda pred, gold: BLEU(**options).sentence_score(pred, [gold]).score / 100)


def rapidfuzz(change: Callable[[str], str]) -> Callable[[str, list[str]], float]:
    return of_pairs(lambda pred, gold: Levenshtein.normalized_similarity(change(pred), change(gold)))


def rouge_score_rs(tokenizer: str) -> Callable[[str, list[str]], float]:
    tokenizers = importlib.import_module("rouge_score_rs.tokenizers")
    scorer = importlib.import_module("rouge_score_rs").RougeScorer(
        ["rougeL"], tokenizer=getattr(tokenizers, tokenizer)()
    )
    return of_pairs(lambda pred, gold: scorer.score(gold, pred)["rougeL"].fmeasure)


def anls_star(pred: str, golds: list[str]) -> float:
    return float(importlib.import_module("anls_star").anls_score(tuple(golds), pred))


def autoevals(name: str) -> Callable[[str, list[str]], float]:
    scorer = getattr(importlib.import_module("autoevals"), name)()
    return of_pairs(lambda pred, gold: scorer(pred, gold).score)


def math_verify(pred: str, gold: str) -> float:
    module = importlib.import_module("math_verify")
    return float(module.verify(module.parse(gold), module.parse(pred)))


def of_nltk(method: str) -> Callable[[], dict[str, Callable[[str, list[str]], float]]]:
    smooth = getattr(SmoothingFunction(), method)
    return lambda: {
        "bleu": lambda pred, golds: float(
            sentence_bleu([gold.split() for gold in golds], pred.split(), smoothing_function=smooth)
        )
    }


def hf_exact_match(pred: str, gold: str) -> float:
    """With all flags: patterns first, then case, marks and digits."""
    table = str.maketrans("", "", string.punctuation + string.digits)
    pred, gold = (re.sub("the ", "", text).lower().translate(table) for text in (pred, gold))
    return float(pred == gold)


PARTS = ("Bleu", "Delete", "EditDistance", "Exact", "Replace", "Text")
SQUAD = {"em": of_pairs(exact_match), "f1": of_pairs(lambda pred, gold: token_overlap(pred, gold)[2])}
THEIRS: dict[str, tuple[str | None, Callable[[], dict[str, Callable[[str, list[str]], float]]]]] = {
    "metric_max_over_ground_truths(f1_score, pred, golds)": (None, lambda: SQUAD),
    'load("squad").compute(predictions=..., references=...)': (None, lambda: SQUAD),
    'load("bleu").compute(predictions=[pred], references=[[gold]], max_order=1)': (
        None,
        lambda: {"bleu1": of_pairs(lambda pred, gold: nmt_bleu(pred, gold, max_order=1))},
    ),
    'RougeScorer(["rougeL"]).score_multi(golds, pred)': ("rouge_score", lambda: {"rouge_l": rouge_score}),
    "sentence_bleu(pred, golds)`, `sentence_chrf(pred, golds)": (
        "sacrebleu",
        lambda: {
            "bleu": lambda pred, golds: sacrebleu.sentence_bleu(pred, golds).score / 100,
            "chrf": lambda pred, golds: sacrebleu.sentence_chrf(pred, golds).score / 100,
        },
    ),
    **{
        f"sentence_bleu(..., smoothing_function=SmoothingFunction().{method})": (None, of_nltk(method))
        for method in ("method1", "method4")
    },
    'load("exact_match").compute(..., regexes_to_ignore=["the "], ignore_case=True, ignore_punctuation=True, '
    "ignore_numbers=True)": (None, lambda: {"em": of_pairs(hf_exact_match)}),
    'scorer=match(location="exact")': (None, lambda: {"em": of_pairs(all_of_it)}),
    "BLEU(effective_order=True).sentence_score(pred, [gold])": (
        "sacrebleu",
        lambda: {"bleu": sacrebleu_sentence(effective_order=True)},
    ),
    'BLEU(tokenize="intl").sentence_score(pred, [gold])': (
        "sacrebleu",
        lambda: {"bleu": sacrebleu_sentence(tokenize="intl")},
    ),
    'Levenshtein.normalized_similarity(" ".join(pred.lower().split()), " ".join(gold.lower().split()))': (
        "rapidfuzz",
        lambda: {"edit_similarity": rapidfuzz(lambda text: " ".join(text.lower().split()))},
    ),
    "Levenshtein.normalized_similarity(pred, gold)": ("rapidfuzz", lambda: {"edit_similarity": rapidfuzz(str)}),
    "Levenshtein.normalized_similarity(pred.lower(), gold.lower())": (
        "rapidfuzz",
        lambda: {"edit_similarity": rapidfuzz(str.lower)},
    ),
    "anls_score(tuple(golds), pred)": ("anls_star", lambda: {"anls": anls_star}),
    'RougeScorer(["rougeL"], tokenizer=UnicodeTokenizer())': (
        "rouge_score_rs",
        lambda: {"rouge_l": rouge_score_rs("UnicodeTokenizer")},
    ),
    'RougeScorer(["rougeL"], tokenizer=CharacterTokenizer())': (
        "rouge_score_rs",
        lambda: {"rouge_l": rouge_score_rs("CharacterTokenizer")},
    ),
    "verify(parse(gold), parse(pred))": ("math_verify", lambda: {"math_verify": of_pairs(math_verify)}),
    "ExactMatch()`, `Levenshtein()": (
        "autoevals",
        lambda: {"em": autoevals("ExactMatch"), "edit_similarity": autoevals("Levenshtein")},
    ),
}
"""For a call of the page its package, None for functions of `tests/reference`, and the score of a row by metric."""


def settings_of(ours: str) -> dict[str, Any]:
    """The keywords that a cell of the page gives in code, or the convention that it composes."""
    first = re.search(r"`((?:metrics|convention|bleu|edit|exact)=[^`]*)`", ours)[1]
    settings = eval(f"dict({first})", {name: getattr(qa_frame.rules, name) for name in PARTS})
    is_part = not settings.keys() & {"metrics", "convention"}
    return {"convention": qa_frame.Convention(name="own", **settings)} if is_part else settings


@pytest.mark.needs("judges")
@pytest.mark.parametrize("call", THEIRS)
def test_the_settings_give_what_the_call_gives(call):
    package, make = THEIRS[call]
    if package is not None:
        pytest.importorskip(package)
    settings, theirs = settings_of(ROWS[call][1]), make()
    rows = [row for row in TEXTS if len(row[0]) < 200] if package == "math_verify" else TEXTS
    frame = pd.DataFrame(rows, columns=["pred", "gold"])
    found = frame.qa.score("pred", "gold", append=False, **{"metrics": [*theirs], **settings})
    expected = {name: [score_row(pred, golds) for pred, golds in rows] for name, score_row in theirs.items()}
    pd.testing.assert_frame_equal(
        found[[*theirs]].reset_index(drop=True), pd.DataFrame(expected), check_dtype=False, rtol=0, atol=1e-9
    )


CONVENTIONS = {name: call for call, (_, ours) in ROWS.items() for name in re.findall(r'"(\w+)"', ours)}


@pytest.mark.parametrize("name", [name for name in CONVENTIONS if name in ORACLES_PER_CONVENTION and name != "squad"])
def test_the_convention_gives_what_the_sources_functions_give(name):
    rows = [(pred, golds) for pred, golds in TEXTS if len(pred) < 200]
    assert_same(score(name, rows), expect(name, rows))


def code_of_page(heading: str) -> dict[str, Any]:
    """What the code of a section defines that composes a convention."""
    section = COMPOSED.read_text("utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    defined: dict[str, Any] = {"pd": pd, "qa_frame": qa_frame, **vars(qa_frame.rules)}
    defined |= {name: getattr(qa_frame.rules, name) for name in (*PARTS, "Empty", "Overlap")}
    for example in doctest.DocTestParser().get_examples(section):
        if not example.source.startswith("df.qa"):
            exec(example.source, defined)
    return defined


def score_by(frame_rows: Rows, metrics: Any, **options: Any) -> pd.DataFrame:
    frame = pd.DataFrame(frame_rows, columns=["pred", "gold"]).astype({"pred": "string"})
    return frame.qa.score("pred", "gold", metrics=metrics, append=False, **options).reset_index(drop=True)


def test_locomo_with_parts():
    def of_parts(pred: str, gold: str) -> float:
        parts = pred.split(",")
        return statistics.fmean(max(locomo_f1(part, each) for part in parts) for each in gold.split(","))

    metric = code_of_page("LoCoMo: golds of several parts")["of_parts"]
    expected = [max(of_parts(pred, gold) for gold in golds) for pred, golds in TEXTS]
    assert score_by(TEXTS, metric)[metric.name].to_list() == pytest.approx(expected, rel=0, abs=1e-9)


def test_azure_with_its_tokens():
    bleu = code_of_page("azure-ai-evaluation: `BleuScoreEvaluator`")["azure"].bleu
    own = qa_frame.Convention(name="own", bleu=replace(bleu, text=qa_frame.rules.Text(split=word_tokenize())))
    smooth = SmoothingFunction().method4

    def bleu_of_pair(pred: str, gold: str) -> float:
        return float(sentence_bleu([word_tokenize()(gold)], word_tokenize()(pred), smoothing_function=smooth))

    expected = [max(bleu_of_pair(pred, gold) for gold in golds) for pred, golds in TEXTS]
    assert score_by(TEXTS, "bleu", convention=own)["bleu"].to_list() == pytest.approx(expected, rel=0, abs=1e-9)


MKQA_ARTICLES = {
    "de": r"\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b",
    "fr": r"\b(le|la|l'|les|du|de|d'|des|un|une|des)",
    "ar": r"\sال^|ال",
    "ja": "",
}


@pytest.mark.parametrize("language", MKQA_ARTICLES)
def test_mkqa_of_a_language(language: str):
    made = code_of_page("MKQA: a language")
    steps = ["lower", "delete_ascii_punctuation"]
    if MKQA_ARTICLES[language]:
        steps.append(qa_frame.rules.Replace(MKQA_ARTICLES[language], " "))
    text = qa_frame.rules.Text(steps, "characters_without_space" if language == "ja" else "words")
    assert language != "de" or text == made["text"]
    mkqa = replace(made["mkqa"], exact=replace(made["mkqa"].exact, text=text))
    mkqa = replace(mkqa, overlap=replace(mkqa.overlap, text=text))

    def tokens(text: str) -> list[str]:
        text = text.lower().translate(str.maketrans("", "", string.punctuation))
        text = re.sub(MKQA_ARTICLES[language], " ", text) if MKQA_ARTICLES[language] else text
        return " ".join(text).split() if language == "ja" else text.split()

    def f1(pred: str, gold: str) -> float:
        sides = tokens(pred), tokens(gold)
        common = (Counter(sides[0]) & Counter(sides[1])).total()
        return 2 * common / sum(map(len, sides)) if all(sides) else float(sides[0] == sides[1])

    rows = [*TEXTS, ("", ["der"]), ("Die Elbe, l'eau", ["der Elbe", "eau"]), ("", [""]), ("x", [""])]
    found = score_by(rows, ["em", "f1"], convention=mkqa)
    assert found["f1"].to_list() == pytest.approx([max(f1(p, g) for g in golds) for p, golds in rows], rel=0, abs=1e-9)
    assert found["em"].to_list() == [float(any(tokens(p) == tokens(g) for g in golds)) for p, golds in rows]


def test_truthfulqa_with_right_and_wrong_references():
    truthful = code_of_page("TruthfulQA: right and wrong references")["truthful"]

    def bleu(pred: str, gold: str) -> float:
        options = {"smooth_method": "exp", "tokenize": "intl", "use_effective_order": False}
        return sacrebleu.corpus_bleu([pred], [[gold]], **options).score / 100

    expected = [max(bleu(pred, gold) for gold in golds) for pred, golds in TEXTS]
    assert score_by(TEXTS, "bleu", convention=truthful)["bleu"].to_list() == pytest.approx(expected, rel=0, abs=1e-9)


def test_corpus_figures():
    assert ROWS['corpus_bleu(preds, golds, smooth_method="none")'][1].startswith("`stats=True`, then")
    assert 'metrics="chrf", stats=True`' in ROWS["CHRF().corpus_score(preds, [golds])"][1]
    preds, golds = [pred for pred, _ in TEXTS], [golds for _, golds in TEXTS]
    streams = [list(each) for each in zip_longest(*golds)]
    frame = pd.DataFrame({"pred": preds, "gold": golds})
    found = frame.qa.score("pred", "gold", stats=True).qa.summary()["corpus_bleu"].item()
    assert found == pytest.approx(sacrebleu.corpus_bleu(preds, streams, smooth_method="none").score / 100, abs=1e-12)
    one = frame.assign(gold=[[each[0]] for each in golds])
    scored = one.qa.score("pred", "gold", metrics="chrf", stats=True)
    expected = sacrebleu.CHRF().corpus_score(preds, [[each[0] for each in golds]]).score / 100
    assert scored.qa.summary(metrics="corpus_chrf")["corpus_chrf"].item() == pytest.approx(expected, abs=1e-12)


@pytest.mark.needs("judges")
def test_each_call_of_an_installed_package_is_made():
    packages = "rouge_score sacrebleu rapidfuzz anls_star rouge-score-rs math_verify"
    named = {
        call for call, (source, _) in ROWS.items() if source.strip("`").partition("`")[0].split(",")[0] in packages
    }
    assert named - THEIRS.keys() <= {
        'corpus_bleu(preds, golds, smooth_method="none")', "CHRF().corpus_score(preds, [golds])"
    }  # fmt: skip
