"""Hugging Face `evaluate`: its metrics `exact_match` and `bleu`."""

from __future__ import annotations

from qa_frame.rules.parts import Convention, Exact
from qa_frame.text.specification import Text

HF_EXACT_MATCH = Convention(
    name="hf_exact_match",
    follows="HF evaluate 0.4.6 exact_match",
    differs="no normalisation: the texts must be the same, character by character",
    family="hf_evaluate",
    language="",
    source="huggingface/evaluate v0.4.6 (2025-09-18) metrics/exact_match/exact_match.py",
    metrics=("em",),
    exact=Exact(text=Text((), "none")),
)

CONVENTIONS = (HF_EXACT_MATCH,)
