"""REMem: the SQuAD normalisation, and BLEU of one gold at a time."""

from __future__ import annotations

from qa_frame.rules.parts import Convention, Exact, Overlap
from qa_frame.rules.squad import SQUAD_TEXT, UNSMOOTHED_BLEU

REMEM = Convention(
    name="remem",
    follows="REMem QAExactMatch, QAF1Score, QABleu1Score, QABleu4Score",
    differs="as squad; BLEU-1 and BLEU-4 unsmoothed, one gold at a time; what raises there is 0",
    metrics=("em", "f1", "bleu1", "bleu4"),
    exact=Exact(text=SQUAD_TEXT),
    overlap=Overlap(text=SQUAD_TEXT),
    bleu_n=UNSMOOTHED_BLEU,
)
