"""HELM's metrics of an answer and its references, normalised and as they are."""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.families.squad import SQUAD_TEXT
from qa_frame.rules.parts import Contains, Convention, Empty, Exact, Overlap, RougeL
from qa_frame.text.specification import Text

_AS_IT_IS = Text(("strip",), split="none")
_NO_PREDICTION = Empty(of="white_space", both=0.0, pred=0.0)

HELM = Convention(
    name="helm",
    follows="HELM quasi_exact_match, f1_score, quasi_prefix_exact_match, rouge_l",
    differs="F1 of distinct tokens; a prediction of white space alone is never right; ROUGE with stems",
    source="stanford-crfm/helm benchmark/metrics/evaluate_reference_metrics.py, 2026-04-15, release 0.5.16",
    metrics=("em", "f1", "prefix", "rouge_l"),
    exact=Exact(text=SQUAD_TEXT, empty=_NO_PREDICTION),
    overlap=Overlap(text=SQUAD_TEXT, counting="distinct"),
    contains=Contains(text=SQUAD_TEXT, empty=_NO_PREDICTION),
    rouge_l=RougeL(text=Text(("lower", "keep_a_z_0_9", "stem"))),
)

HELM_EXACT = replace(
    HELM,
    name="helm_exact",
    follows="HELM exact_match, prefix_exact_match",
    differs="EM of the texts as they are, without white space at both ends; such an empty prediction is never right",
    metrics=("em", "prefix"),
    exact=Exact(text=_AS_IT_IS, empty=_NO_PREDICTION),
    overlap=None,
    contains=Contains(text=_AS_IT_IS, empty=_NO_PREDICTION),
    rouge_l=None,
)
