"""MindFormers: its metric `EmF1Metric`, for Chinese."""

from __future__ import annotations

from qa_frame.rules.parts import Convention, Exact, Overlap
from qa_frame.text.specification import Delete, Text

_TEXT = Text(("lower", "strip", Delete("-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』")), "mixed_cjk_jieba")

MINDFORMERS = Convention(
    name="mindformers",
    follows="MindFormers 2.1.0 EmF1Metric",
    differs="first line; Chinese characters and jieba's words; F1 of the longest common run of tokens",
    language="zh",
    source="MindFormers 2.1.0, EmF1Metric",
    metrics=("em", "f1"),
    exact=Exact(text=_TEXT),
    overlap=Overlap(text=_TEXT, counting="run"),
    prediction="first_line",
)
