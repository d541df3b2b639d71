"""HELMET's metrics of answers."""

from __future__ import annotations

from qa_frame.rules.families.hotpotqa import ANSWER_OVERLAP
from qa_frame.rules.families.squad import SQUAD_TEXT
from qa_frame.rules.parts import Contains, Convention, Exact, RougeL
from qa_frame.text.specification import Text

HELMET = Convention(
    name="helmet",
    follows="HELMET utils.py: calculate_metrics; rouge_score 0.1.2 with its stemmer",
    differs="F1 as hotpotqa; ROUGE-L of stems",
    source="princeton-nlp/HELMET utils.py, 2025-01-18; PyPI rouge-score 0.1.2",
    metrics=("em", "f1", "contains", "rouge_l", "rouge_l_recall", "rouge_lsum", "rouge_lsum_recall"),
    exact=Exact(text=SQUAD_TEXT),
    overlap=ANSWER_OVERLAP,
    contains=Contains(text=SQUAD_TEXT),
    rouge_l=RougeL(text=Text(("lower", "keep_a_z_0_9", "stem"))),
)
