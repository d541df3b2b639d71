"""CMRC 2018's evaluation script."""

from __future__ import annotations

from qa_frame.rules.parts import Convention, Exact, Overlap
from qa_frame.text.specification import Delete, Text

_STEPS = ("lower", "strip", Delete("-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』"))

CMRC2018 = Convention(
    name="cmrc2018",
    follows="CMRC 2018 cmrc2018_evaluate.py v6; NLTK 3.10.4",
    differs="Chinese characters and NLTK's words; F1 of the longest common run of tokens; no articles",
    language="zh",
    source="ymcui/cmrc2018 baseline/cmrc2018_evaluate.py, v6, 2022-04-27; squad-style-data/ has v5",
    metrics=("em", "f1"),
    exact=Exact(text=Text(_STEPS, "none")),
    overlap=Overlap(text=Text(_STEPS, "mixed_cjk_nltk"), counting="run"),
)
