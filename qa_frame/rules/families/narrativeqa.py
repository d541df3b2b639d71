"""NarrativeQA, scored by the COCO caption code."""

from __future__ import annotations

from qa_frame.rules.parts import Bleu, Convention, RougeL
from qa_frame.text.specification import Replace, Text

_TEXT = Text(("lower", Replace(r"(?<![ .])[ .]+\Z"), "strip"))

NARRATIVEQA = Convention(
    name="narrativeqa",
    follows="ReadTwice evaluate_narrative_qa: Bleu_1 to Bleu_4, ROUGE_L; pycocoevalcap 1.2",
    differs="lower-case, without full stops at the end; BLEU and ROUGE-L of all golds together",
    source="google-research readtwice/models/narrative_qa/evaluation.py, 2021; PyPI pycocoevalcap 1.2",
    metrics=("bleu1", "bleu4", "rouge_l"),
    rouge_l=RougeL(text=Text(_TEXT.steps, split="spaces"), beta=1.2, references="together"),
    bleu_n=Bleu(text=_TEXT, smoothing="tiny", references="together"),
)
