"""DPR's tests whether a passage has an answer, which open-domain question answering took from DrQA."""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.parts import Contains, Convention
from qa_frame.text.specification import Text

DPR = Convention(
    name="dpr",
    follows="DPR has_answer, match_type string; DrQA SimpleTokenizer",
    differs="`contains` by tokens: runs of letters, digits and accents, or single marks, in lower case",
    language="",
    source="facebookresearch/DPR dpr/data/qa_validation.py and dpr/utils/tokenizers.py, commit a31212d, 2022-03-08",
    metrics=("contains",),
    contains=Contains(text=Text(("nfd", "split_drqa", "lower")), place="words"),
)

DPR_REGEX = replace(
    DPR,
    name="dpr_regex",
    follows="DPR has_answer, match_type regex; regex 2026.11.15",
    differs="`contains` of golds that are patterns: the prediction has a match, whatever the case",
    source=f"{DPR.source}; PyPI regex 2026.11.15",
    contains=Contains(text=Text(("nfd",), "none"), place="pattern"),
)
