"""RULER's two metrics: the share of the golds that a prediction contains, and whether it contains one of them."""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.parts import Contains, Convention
from qa_frame.text.specification import Text

RULER = Convention(
    name="ruler",
    follows="RULER string_match_all",
    differs="`contains` of the texts as they are, lower-cased; the mean over golds",
    language="",
    source="NVIDIA/RULER scripts/eval/synthetic/constants.py, 2024-04-25",
    metrics=("contains",),
    contains=Contains(text=Text(("lower",), split="none")),
    reduce="mean",
)

RULER_PART = replace(
    RULER,
    name="ruler_part",
    follows="RULER string_match_part; OpenAI evals Includes(ignore_case=True)",
    differs="`contains` of the texts as they are, lower-cased",
    reduce="max",
)
