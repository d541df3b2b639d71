"""InfiniteBench: the getter of its questions in Chinese."""

from __future__ import annotations

import string

from qa_frame.rules.families.longbench import CHINESE_PUNCTUATION
from qa_frame.rules.parts import Convention, Overlap
from qa_frame.text.specification import Delete, Text

INFINITEBENCH_ZH = Convention(
    name="infinitebench_zh",
    follows="InfiniteBench compute_scores.py: longbook_qa_chn",
    differs="each character is a token, without white space and punctuation; no EM",
    language="zh",
    source="OpenBMB/InfiniteBench src/compute_scores.py, commit 88b3daa, 2024-06-13",
    metrics=("f1",),
    overlap=Overlap(text=Text(("lower", Delete(string.punctuation + CHINESE_PUNCTUATION)), "characters_without_space")),
)
