"""KorQuAD 1.0's evaluation script."""

from __future__ import annotations

from qa_frame.rules.parts import Convention, Exact, Overlap
from qa_frame.text.specification import Space, Text

_STEPS = (Space("'\"《》<>〈〉()‘’"), "lower", "delete_ascii_punctuation")

KORQUAD = Convention(
    name="korquad",
    follows="KorQuAD 1.0 evaluate-v1.0.py",
    differs="F1 of characters; quotes and brackets become spaces, other ASCII punctuation is deleted; no articles",
    language="ko",
    source="korquad/korquad.github.io dataset/evaluate-v1.0.py, 2018-12-20",
    metrics=("em", "f1"),
    exact=Exact(text=Text(_STEPS)),
    overlap=Overlap(text=Text(_STEPS, "characters_without_space")),
)
