"""DPR's test whether a passage has an answer, which open-domain question answering took from DrQA."""

from __future__ import annotations

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
