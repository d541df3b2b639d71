"""TorchMetrics: its `squad`, `rouge_score` and `bleu_score`."""

from __future__ import annotations

from qa_frame.rules.families.squad import SQUAD_TEXT
from qa_frame.rules.parts import Bleu, Convention, Empty, Exact, Overlap, RougeL
from qa_frame.text.specification import Text

TORCHMETRICS = Convention(
    name="torchmetrics",
    follows="TorchMetrics 1.9.0 squad, rouge_score, bleu_score",
    differs="two empty sides have F1 1; BLEU of words at white space, all golds together and without smoothing",
    source="PyPI torchmetrics 1.9.0, functional/text/squad.py, rouge.py and bleu.py, 2026-03-09",
    metrics=("em", "f1", "rouge_1", "rouge_2", "rouge_l", "bleu"),
    exact=Exact(text=SQUAD_TEXT),
    overlap=Overlap(text=SQUAD_TEXT, empty=Empty(both=1.0, gold=0.0, pred=0.0)),
    rouge_l=RougeL(text=Text(("lower", "keep_a_z_0_9"))),
    bleu=Bleu(text=Text(), references="together", reference_length="first_closest"),
)
