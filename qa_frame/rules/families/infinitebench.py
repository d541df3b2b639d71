"""InfiniteBench: the getters of its tasks that compare an answer with words or numbers of a response."""

from __future__ import annotations

import string
from dataclasses import replace

from qa_frame.rules.families.longbench import CHINESE_PUNCTUATION
from qa_frame.rules.parts import Convention, Exact, Overlap
from qa_frame.text.specification import Delete, Replace, Space, Text

_AS_IT_IS = Text(split="none")
_FIRST_DIGITS = Replace(r"(?s)\A[^0-9]*([0-9]*).*\Z", r"\1")
_FIRST_NUMBER = Replace(r"(?s)\A(?:.*?(\d+\.\d+|\d+))?.*\Z", r"\1")
_UP_TO_LAST_SPACE = Replace(r"(?s)\A.*\s")
_WITH_LETTERS = Replace(r"(?s)\A.*[A-Za-z].*\Z")  # such as 1e3, which is a number, but no whole one

INFINITEBENCH_ZH = Convention(
    name="infinitebench_zh",
    follows="InfiniteBench compute_scores.py: longbook_qa_chn",
    differs="each character is a token, without white space and punctuation; no EM",
    language="zh",
    source="OpenBMB/InfiniteBench src/compute_scores.py, commit 88b3daa, 2024-06-13",
    metrics=("f1",),
    overlap=Overlap(text=Text(("lower", Delete(string.punctuation + CHINESE_PUNCTUATION)), "characters_without_space")),
)

INFINITEBENCH_NUMBER = replace(
    INFINITEBENCH_ZH,
    name="infinitebench_number",
    follows="InfiniteBench compute_scores.py: passkey, number_string",
    differs="EM of the first digits 0 to 9 of the prediction, as text, with the gold as it is",
    language="",
    metrics=("em",),
    exact=Exact(text=Text((_FIRST_DIGITS,), "none"), gold_text=_AS_IT_IS),
    overlap=None,
)

INFINITEBENCH_MATH_FIND = replace(
    INFINITEBENCH_NUMBER,
    name="infinitebench_math_find",
    follows="InfiniteBench compute_scores.py: math_find",
    differs="EM of the first number of the prediction, without sign, with the gold, as floats",
    exact=Exact(text=Text((_FIRST_NUMBER,), "none"), gold_text=_AS_IT_IS, tolerance=0.0),
)

INFINITEBENCH_CODE_RUN = replace(
    INFINITEBENCH_NUMBER,
    name="infinitebench_code_run",
    follows="InfiniteBench compute_scores.py: code_run",
    differs="EM of the last word of the prediction with the gold, as whole numbers",
    exact=Exact(
        text=Text((Space("\n.`'\":"), "strip", _UP_TO_LAST_SPACE, _WITH_LETTERS), "none"),
        gold_text=_AS_IT_IS,
        tolerance=0.0,
    ),
)
