"""Memory of long conversations.

- `locomo`: the F1 of LoCoMo's questions with one answer.
- `mem0`: what mem0 and A-Mem print for the same questions.
"""

from __future__ import annotations

from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.parts import Bleu, Convention, Empty, Exact, Overlap
from qa_frame.text.specification import Blank, Space, Text

LOCOMO = Convention(
    name="locomo",
    follows="LoCoMo task_eval/evaluation.py: f1_score",
    differs='F1 of stems; "and" is an article, too',
    source="snap-research/locomo task_eval/evaluation.py, commit 9228632",
    metrics=("f1",),
    overlap=Overlap(text=Text(("lower", "delete_ascii_punctuation", Blank((*ARTICLES["en"], "and")), "stem_all"))),
)

MEM0 = Convention(
    name="mem0",
    follows="mem0 evaluation/metrics/utils.py: calculate_metrics, from A-Mem",
    differs="F1 of distinct words without . , ! ?; EM of lower-cased texts; BLEU of NLTK with its smoothing method1",
    source="mem0ai/mem0 evaluation/metrics/utils.py, commit 240dc10; NLTK 3.10.4",
    metrics=("em", "f1", "bleu1"),
    exact=Exact(text=Text(("strip", "lower"), "none"), empty=Empty(of="text", both=0.0, gold=0.0, pred=0.0)),
    overlap=Overlap(text=Text(("lower", Space(".,!?"))), counting="distinct"),
    bleu_n=Bleu(text=Text(("strip", "lower"), "nltk_words"), smoothing="floor", smoothing_value=0.1, pad_orders=True),
)
