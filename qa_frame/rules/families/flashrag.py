"""FlashRAG's metrics."""

from __future__ import annotations

from qa_frame.rules.families.hotpotqa import ANSWER_OVERLAP
from qa_frame.rules.families.squad import SQUAD_TEXT
from qa_frame.rules.parts import Bleu, Contains, Convention, Exact, RougeL
from qa_frame.text.specification import Text

FLASHRAG = Convention(
    name="flashrag",
    follows="FlashRAG 0.2.0 to 0.3.0 flashrag/evaluator/metrics.py; rouge 1.0.1",
    differs="F1 as hotpotqa; ROUGE-L of sentences, in distinct words; BLEU of all golds together, without smoothing",
    source="RUC-NLPIR/FlashRAG flashrag/evaluator/metrics.py, v0.3.0, 2025-02-09; PyPI rouge 1.0.1",
    metrics=("em", "f1", "contains", "precision", "recall"),
    exact=Exact(text=SQUAD_TEXT),
    overlap=ANSWER_OVERLAP,
    contains=Contains(text=SQUAD_TEXT),
    rouge_l=RougeL(text=Text(split="sentences"), counting="union", epsilon=1e-8),
    bleu=Bleu(text=Text(split="13a-hf"), references="together", reference_length="shortest"),
)
