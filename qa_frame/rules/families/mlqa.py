"""MLQA's evaluation script: one convention for each language of an answer."""

from __future__ import annotations

from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.parts import Convention, Exact, Overlap
from qa_frame.text.specification import Blank, Replace, Step, Text

_STEPS = ("lower", "delete_punctuation", "delete_ascii_punctuation")
_ARTICLES: dict[str, tuple[Step, ...]] = {
    "ar": (Replace("|".join(ARTICLES["ar"]), " "),),
    **{language: (Blank(ARTICLES[language]),) for language in ("de", "en", "es", "vi")},
    "hi": (),
    "zh": (),
}
_DIFFERS = {
    "ar": "all Unicode punctuation; each ال becomes a space, also inside and at the end of words",
    "de": "all Unicode punctuation; German articles",
    "en": "all Unicode punctuation",
    "es": "all Unicode punctuation; Spanish articles",
    "hi": "all Unicode punctuation; no articles",
    "vi": "all Unicode punctuation; Vietnamese classifiers and function words for articles",
    "zh": "all Unicode punctuation; each Chinese character is a token; no articles",
}


def _convention(language: str) -> Convention:
    text = Text((*_STEPS, *_ARTICLES[language]), split="mixed_cjk" if language == "zh" else "words")
    return Convention(
        name=f"mlqa_{language}",
        follows=f"MLQA mlqa_evaluation_v1.py, answers in {language}",
        differs=_DIFFERS[language],
        language=language,
        source="facebookresearch/MLQA mlqa_evaluation_v1.py, v1.0, 2019-10-16",
        metrics=("em", "f1"),
        exact=Exact(text=text),
        overlap=Overlap(text=text),
    )


MLQA_AR, MLQA_DE, MLQA_EN, MLQA_ES, MLQA_HI, MLQA_VI, MLQA_ZH = map(_convention, sorted(_DIFFERS))
