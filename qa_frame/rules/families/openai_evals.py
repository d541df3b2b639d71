"""OpenAI evals: the basic templates Match, Includes and FuzzyMatch."""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.families.squad import SQUAD_TEXT
from qa_frame.rules.parts import Contains, Convention, Empty, Overlap
from qa_frame.text.specification import Text

_AS_IT_IS = Text(split="none")

OPENAI_EVALS_FUZZY_MATCH = Convention(
    name="openai_evals_fuzzy_match",
    follows="OpenAI evals FuzzyMatch: accuracy, f1_score",
    differs="`contains` either way: the gold in the prediction, or the prediction in the gold; F1 as squad",
    source="PyPI evals 3.0.1.post1, evals/elsuite/utils.py and basic/fuzzy_match.py",
    metrics=("contains", "f1"),
    overlap=Overlap(text=SQUAD_TEXT),
    contains=Contains(text=SQUAD_TEXT, place="either", empty=Empty(both=1.0, gold=0.0, pred=0.0)),
)

OPENAI_EVALS_MATCH = Convention(
    name="openai_evals_match",
    follows="OpenAI evals Match",
    differs="`contains` at the start of the prediction, of the texts as they are",
    language="",
    source="PyPI evals 3.0.1.post1, evals/api.py and elsuite/basic/match.py",
    metrics=("contains",),
    contains=Contains(text=_AS_IT_IS, place="start"),
)

OPENAI_EVALS_INCLUDES = replace(
    OPENAI_EVALS_MATCH,
    name="openai_evals_includes",
    follows='OpenAI evals Includes; NoLiMa async_evaluate.py: metric "contains"',
    differs="`contains` of the texts as they are",
    source="PyPI evals 3.0.1.post1, evals/elsuite/utils.py and basic/includes.py",
    contains=Contains(text=_AS_IT_IS),
)
