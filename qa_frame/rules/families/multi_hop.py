"""Multi-hop questions, whose answer takes several passages.

- `hotpotqa`: HotpotQA's evaluation script, whose F1 FlashRAG and HELMET have too.
- `musique`: MuSiQue's answer metric.
- `remem`: REMem's EM and F1, those of the SQuAD script, and its BLEU-1 and BLEU-4 of one gold at a time.
"""

from __future__ import annotations

from qa_frame.rules.families import squad
from qa_frame.rules.parts import Convention, Empty, Exact, Overlap

HOTPOTQA = Convention(
    name="hotpotqa",
    follows="HotpotQA hotpot_evaluate_v1.py; 2WikiMultihopQA 2wikimultihop_evaluate_v1.1.py",
    differs="precision, recall and F1 are 0 where one side is yes, no or noanswer and the other side is not the same",
    source="hotpotqa/hotpot hotpot_evaluate_v1.py, 2018-10-05",
    metrics=("em", "f1", "precision", "recall"),
    exact=Exact(text=squad.SQUAD_TEXT),
    overlap=Overlap(text=squad.SQUAD_TEXT, only_equal=("yes", "no", "noanswer")),
)

MUSIQUE = Convention(
    name="musique",
    follows="MuSiQue v1.0 metrics/answer.py",
    differs="two empty sides have F1 1",
    source="StonyBrookNLP/musique metrics/answer.py, v1.0, 2021-08-13",
    metrics=("em", "f1"),
    exact=squad.SQUAD.exact,
    overlap=Overlap(text=squad.SQUAD_TEXT, empty=Empty(both=1.0)),
)

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
