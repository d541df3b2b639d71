"""HotpotQA's evaluation script, whose F1 FlashRAG and HELMET have too."""

from __future__ import annotations

from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.parts import Convention, Exact, Overlap
from qa_frame.text.specification import Blank, Text

TEXT = Text(("lower", "delete_ascii_punctuation", Blank(ARTICLES["en"])))
"""The SQuAD script's normalisation."""

ANSWER_OVERLAP = Overlap(text=TEXT, only_equal=("yes", "no", "noanswer"))

HOTPOTQA = Convention(
    name="hotpotqa",
    follows="HotpotQA hotpot_evaluate_v1.py; 2WikiMultihopQA 2wikimultihop_evaluate_v1.1.py",
    differs="precision, recall and F1 are 0 where one side is yes, no or noanswer and the other side is not the same",
    family="hotpotqa",
    source="hotpotqa/hotpot hotpot_evaluate_v1.py, 2018-10-05",
    metrics=("em", "f1", "precision", "recall"),
    exact=Exact(text=TEXT),
    overlap=ANSWER_OVERLAP,
)

CONVENTIONS = (HOTPOTQA,)
