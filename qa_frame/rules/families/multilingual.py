"""Any language: other languages than English, and text of any script.

- `mlqa_*`: MLQA's evaluation script, one convention for each language of an answer.
- `cmrc2018`: CMRC 2018's evaluation script, for Chinese.
- `mindformers`: the metric `EmF1Metric` of MindFormers, for Chinese.
- `korquad`: KorQuAD 1.0's evaluation script.
- `unicode`, `characters`: the words and the characters of Unicode, as `rouge-score-rs` has them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from qa_frame.rules.families import squad
from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.parts import Bleu, Contains, Convention, Exact, Overlap, RougeL
from qa_frame.text.specification import Blank, Delete, Replace, Space, Step, Text


def _mlqa(language: str, differs: str, *articles: Step, split: str = "words") -> Convention:
    """Return MLQA's convention for one language. articles: the steps that take them out."""
    text = Text(("lower", "delete_punctuation", "delete_ascii_punctuation", *articles), split)
    return Convention(
        name=f"mlqa_{language}",
        follows=f"MLQA mlqa_evaluation_v1.py, answers in {language}",
        differs=f"all Unicode punctuation{differs}",
        language=language,
        source="facebookresearch/MLQA mlqa_evaluation_v1.py, v1.0, 2019-10-16",
        metrics=("em", "f1"),
        exact=Exact(text=text),
        overlap=Overlap(text=text),
    )


MLQA_AR = _mlqa("ar", "; each ال becomes a space, also inside and at the end of words", Replace(ARTICLES["ar"][0], " "))
MLQA_DE = _mlqa("de", "; German articles", Blank(ARTICLES["de"]))
MLQA_EN = _mlqa("en", "", Blank(ARTICLES["en"]))
MLQA_ES = _mlqa("es", "; Spanish articles", Blank(ARTICLES["es"]))
MLQA_HI = _mlqa("hi", "; no articles")
MLQA_VI = _mlqa("vi", "; Vietnamese classifiers and function words for articles", Blank(ARTICLES["vi"]))
MLQA_ZH = _mlqa("zh", "; each Chinese character is a token; no articles", split="mixed_cjk")

_CHINESE_STEPS = ("lower", "strip", Delete("-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』"))

CMRC2018 = Convention(
    name="cmrc2018",
    follows="CMRC 2018 cmrc2018_evaluate.py v6; NLTK 3.10.4",
    differs="Chinese characters and NLTK's words; F1 of the longest common run of tokens; no articles",
    language="zh",
    source="ymcui/cmrc2018 baseline/cmrc2018_evaluate.py, v6, 2022-04-27; squad-style-data/ has v5",
    metrics=("em", "f1"),
    exact=Exact(text=Text(_CHINESE_STEPS, "none")),
    overlap=Overlap(text=Text(_CHINESE_STEPS, "mixed_cjk_nltk"), counting="run"),
)

_WITH_JIEBA = Text(_CHINESE_STEPS, "mixed_cjk_jieba")

MINDFORMERS = Convention(
    name="mindformers",
    follows="MindFormers 2.1.0 EmF1Metric",
    differs="first line; Chinese characters and jieba's words; F1 of the longest common run of tokens",
    language="zh",
    source="MindFormers 2.1.0, EmF1Metric",
    metrics=("em", "f1"),
    exact=Exact(text=_WITH_JIEBA),
    overlap=Overlap(text=_WITH_JIEBA, counting="run"),
    prediction="first_line",
)

_KOREAN_STEPS = (Space("'\"《》<>〈〉()‘’"), "lower", "delete_ascii_punctuation")

KORQUAD = Convention(
    name="korquad",
    follows="KorQuAD 1.0 evaluate-v1.0.py",
    differs="F1 of characters; quotes and brackets become spaces, other ASCII punctuation is deleted; no articles",
    language="ko",
    source="korquad/korquad.github.io dataset/evaluate-v1.0.py, 2018-12-20",
    metrics=("em", "f1"),
    exact=Exact(text=Text(_KOREAN_STEPS)),
    overlap=Overlap(text=Text(_KOREAN_STEPS, "characters_without_space")),
)


def _any_script(name: str, differs: str, tokeniser: str, split: str, place: Literal["anywhere", "words"]) -> Convention:
    """Return a convention for texts of any script, whose tokens are those of one of rouge-score-rs's tokenisers."""
    text = Text(("nfkc", "casefold", "nfkc"), split)
    return replace(
        squad.SQUAD,
        name=name,
        follows=f"rouge-score-rs 0.2.1 with its {tokeniser}, for ROUGE; the same tokens for all else",
        differs=differs,
        source=f"PyPI rouge-score-rs 0.2.1, {tokeniser}, 2026; Unicode Standard Annex 29, revision of Unicode 17",
        language="",
        exact=Exact(text=text),
        overlap=Overlap(text=text),
        contains=Contains(text=text, place=place),
        rouge_l=RougeL(text=text),
        bleu=Bleu(text=text, smoothing="exp", effective_order=True),
        bleu_n=Bleu(text=text),
    )


UNICODE = _any_script(
    "unicode",
    "words of any script, by Unicode's annex 29; NFKC and full case folding; articles stay",
    "UnicodeTokenizer",
    "unicode_words",
    "anywhere",
)

CHARACTERS = _any_script(
    "characters",
    "letters and digits of any script, each with its marks; NFKC and full case folding; white space is not seen",
    "CharacterTokenizer",
    "unicode_characters",
    "words",
)
