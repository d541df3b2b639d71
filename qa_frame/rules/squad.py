"""The default: the SQuAD scripts' normalisation, and the reference packages of ROUGE and BLEU."""

from __future__ import annotations

from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.parts import Bleu, Contains, Convention, Empty, Exact, Overlap, RougeL
from qa_frame.text.specification import Blank, Text

SQUAD_TEXT = Text(("lower", "delete_ascii_punctuation", Blank(ARTICLES["en"])))
UNSMOOTHED_BLEU = Bleu(text=Text(split="13a-hf"))
"""HF `evaluate`'s `bleu`."""

_NO_ANSWER = Empty(both=1.0, gold=0.0, pred=0.0)
_ROUGE = RougeL(text=Text(("lower", "keep_a_z_0_9")))
_SENTENCE_BLEU = Bleu(text=Text(split="13a"), smoothing="exp", effective_order=True)
_DEFAULT = ("em", "f1", "recall", "contains", "rouge_l", "bleu")

SQUAD = Convention(
    name="squad",
    follows="SQuAD v1.1 script; rouge_score 0.1.2; sacrebleu 2; HF evaluate bleu",
    differs="the default: lower-case, without ASCII punctuation and English articles; two empty sides have F1 0",
    metrics=_DEFAULT,
    exact=Exact(text=SQUAD_TEXT),
    overlap=Overlap(text=SQUAD_TEXT),
    contains=Contains(text=SQUAD_TEXT),
    rouge_l=_ROUGE,
    bleu=_SENTENCE_BLEU,
    bleu_n=UNSMOOTHED_BLEU,
)

SQUAD2 = Convention(
    name="squad2",
    follows="SQuAD v2.0 script; else as squad",
    differs="two empty sides have F1 1; an empty gold list means that no answer is right",
    metrics=_DEFAULT,
    exact=Exact(text=SQUAD_TEXT, empty=_NO_ANSWER),
    overlap=Overlap(text=SQUAD_TEXT, empty=_NO_ANSWER),
    contains=Contains(text=SQUAD_TEXT),
    rouge_l=_ROUGE,
    bleu=_SENTENCE_BLEU,
    bleu_n=UNSMOOTHED_BLEU,
    no_answer=True,
)
