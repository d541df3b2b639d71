"""QuAC: its evaluation script."""

from __future__ import annotations

from qa_frame.rules.families.squad import SQUAD_TEXT
from qa_frame.rules.parts import Convention, Overlap

QUAC = Convention(
    name="quac",
    follows="QuAC scorer.py",
    differs="of several golds, each is left out once: the mean of the best scores counts; the gold CANNOTANSWER",
    source="quac.ai scorer.py (2018), as in princeton-nlp/EvalConvQA models/ham/scorer.py at 3a374cc, 2022-03-17",
    metrics=("f1",),
    overlap=Overlap(text=SQUAD_TEXT),
    no_answer_gold="CANNOTANSWER",
    reduce="leave_one_out",
)
