"""LongBench: token F1, ROUGE-L, shares of right numbers and the similarity of code, as in its `metrics.py`."""

from __future__ import annotations

import string

from qa_frame.rules.families import squad
from qa_frame.rules.parts import Convention, Overlap, RougeL
from qa_frame.text.specification import Delete, Text

CHINESE_PUNCTUATION = (
    "！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿"
    "–—‘’‛“”„‟…‧﹏."
)
"""What it deletes beyond ASCII punctuation. `《` and `·` are not among them."""

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
    overlap=Overlap(text=Text(("split_jieba", "lower", Delete(string.punctuation + CHINESE_PUNCTUATION)))),
    rouge_l=RougeL(text=Text(("split_jieba",), split="sentences"), counting="union", epsilon=1e-8),
)
