"""RAGAS: its metrics of strings, without a language model."""

from __future__ import annotations

from qa_frame.rules.parts import Chrf, Contains, Convention, EditDistance, Empty, Exact, RougeL
from qa_frame.text.specification import Text

_AS_IT_IS = Text(split="none")
_BLANK = Empty(of="white_space", both=0.0, gold=0.0, pred=0.0)

RAGAS = Convention(
    name="ragas",
    follows="RAGAS ExactMatch, StringPresence, RougeScore, ChrfScore, NonLLMStringSimilarity (Levenshtein)",
    differs="texts as they are; ROUGE with stems; chrF2 0 for a side of white space alone",
    source="PyPI ragas 0.4.3, ragas/metrics/_string.py, _rouge_score.py and _chrf_score.py",
    metrics=("em", "contains", "rouge_l", "chrf", "edit_similarity"),
    exact=Exact(text=_AS_IT_IS),
    contains=Contains(text=_AS_IT_IS),
    rouge_l=RougeL(text=Text(("lower", "keep_a_z_0_9", "stem"))),
    chrf=Chrf(text=Text(split="characters_without_space"), empty=_BLANK),
    edit=EditDistance(text=Text(split="characters")),
)
