"""REMem: EM and F1 of the SQuAD script, and BLEU-1 and BLEU-4 of one gold at a time."""

from __future__ import annotations

from qa_frame.rules.families import squad
from qa_frame.rules.parts import Convention

REMEM = Convention(
    name="remem",
    follows="REMem QAExactMatch, QAF1Score, QABleu1Score, QABleu4Score",
    differs="as squad; BLEU-1 and BLEU-4 unsmoothed, one gold at a time; what raises there is 0",
    source="REMem, its QA metrics",
    metrics=("em", "f1", "bleu1", "bleu4"),
    exact=squad.SQUAD.exact,
    overlap=squad.SQUAD.overlap,
    bleu_n=squad.SQUAD.bleu_n,
)
