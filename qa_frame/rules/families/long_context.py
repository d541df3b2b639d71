"""Long contexts: questions about a text of many pages.

- `helmet`: HELMET's metrics of answers.
- `longbench`, `longbench_zh`: token F1 and ROUGE-L of LongBench's `metrics.py`.
- `infinitebench_*`: the getters of InfiniteBench's tasks that compare an answer with words or numbers of a response.
- `nolima_em`: NoLiMa's test whether a response is an answer. Whether it holds one is as in `openai_evals_includes`.
- `ruler`: RULER's share of the golds that a prediction contains. `ruler_part`: whether it contains one of them.
"""

from __future__ import annotations

import string
from dataclasses import replace

from qa_frame.rules.families import multi_hop, squad
from qa_frame.rules.parts import Contains, Convention, Exact, Overlap, RougeL
from qa_frame.text.specification import Delete, Replace, Space, Text

HELMET = Convention(
    name="helmet",
    follows="HELMET utils.py: calculate_metrics; rouge_score 0.1.2 with its stemmer",
    differs="F1 as hotpotqa; ROUGE-L of stems",
    source="princeton-nlp/HELMET utils.py, 2025-01-18; PyPI rouge-score 0.1.2",
    metrics=("em", "f1", "contains", "rouge_l", "rouge_l_recall", "rouge_lsum", "rouge_lsum_recall"),
    exact=squad.SQUAD.exact,
    overlap=multi_hop.HOTPOTQA.overlap,
    contains=squad.SQUAD.contains,
    rouge_l=RougeL(text=Text(("lower", "keep_a_z_0_9", "stem"))),
)

_WITHOUT_PUNCTUATION = Delete(
    f"{string.punctuation}！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰"
    "〾〿–—‘’‛“”„‟…‧﹏."
)
"""What LongBench and InfiniteBench delete in Chinese texts. `《` and `·` are not among it."""

LONGBENCH = Convention(
    name="longbench",
    follows="LongBench metrics.py: qa_f1_score, rouge_score; rouge 1.0.1",
    differs="no EM; ROUGE-L of sentences, in distinct words, of texts that are not normalised",
    source="THUDM/LongBench LongBench/metrics.py, v1, 2023-11-24; PyPI rouge 1.0.1",
    metrics=("f1", "rouge_l"),
    overlap=squad.SQUAD.overlap,
    rouge_l=RougeL(text=Text(split="sentences"), counting="union", epsilon=1e-8),
)

LONGBENCH_ZH = Convention(
    name="longbench_zh",
    follows="LongBench metrics.py: qa_f1_zh_score, rouge_zh_score; jieba 0.42.1, rouge 1.0.1",
    differs="jieba's words, without punctuation for F1; ROUGE-L of their sentences, in distinct words",
    language="zh",
    source="THUDM/LongBench LongBench/metrics.py, v1, 2023-11-24; PyPI jieba 0.42.1, rouge 1.0.1",
    metrics=("f1", "rouge_l"),
    overlap=Overlap(text=Text(("split_jieba", "lower", _WITHOUT_PUNCTUATION))),
    rouge_l=RougeL(text=Text(("split_jieba",), split="sentences"), counting="union", epsilon=1e-8),
)

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
    overlap=Overlap(text=Text(("lower", _WITHOUT_PUNCTUATION), "characters_without_space")),
)

INFINITEBENCH_NUMBER = Convention(
    name="infinitebench_number",
    follows="InfiniteBench compute_scores.py: passkey, number_string",
    differs="EM of the first digits 0 to 9 of the prediction, as text, with the gold as it is",
    language="",
    source=INFINITEBENCH_ZH.source,
    metrics=("em",),
    exact=Exact(text=Text((_FIRST_DIGITS,), "none"), gold_text=_AS_IT_IS),
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

NOLIMA_EM = Convention(
    name="nolima_em",
    follows='NoLiMa async_evaluate.py: metric "EM"',
    differs="EM of the texts as they are; the prediction without white space at both ends",
    language="",
    source="adobe-research/NoLiMa evaluation/async_evaluate.py, commit 7532e4e, 2025-05-05",
    metrics=("em",),
    exact=Exact(text=_AS_IT_IS),
    prediction="stripped",
)

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
