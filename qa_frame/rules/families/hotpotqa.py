"""HotpotQA's evaluation script, whose F1 FlashRAG and HELMET have too."""

from __future__ import annotations

from qa_frame.rules.families.squad import SQUAD_TEXT
from qa_frame.rules.parts import Convention, Exact, Overlap

ANSWER_OVERLAP = Overlap(text=SQUAD_TEXT, only_equal=("yes", "no", "noanswer"))

HOTPOTQA = Convention(
    name="hotpotqa",
    follows="HotpotQA hotpot_evaluate_v1.py; 2WikiMultihopQA 2wikimultihop_evaluate_v1.1.py",
    differs="precision, recall and F1 are 0 where one side is yes, no or noanswer and the other side is not the same",
    source="hotpotqa/hotpot hotpot_evaluate_v1.py, 2018-10-05",
    metrics=("em", "f1", "precision", "recall"),
    exact=Exact(text=SQUAD_TEXT),
    overlap=ANSWER_OVERLAP,
)
