"""The SQuAD scripts, v1.1 (the default) and v2.0, with the reference packages of ROUGE and BLEU."""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.parts import Bleu, Chrf, Contains, Convention, EditDistance, Empty, Exact, Overlap, RougeL
from qa_frame.text.specification import Blank, Text

SQUAD_TEXT = Text(("lower", "delete_ascii_punctuation", Blank(ARTICLES["en"])))
"""The normalisation of the SQuAD v1.1 script, which many others have too."""

_CHARACTERS = Text(split="characters_without_space")
NO_ANSWER = Empty(both=1.0, gold=0.0, pred=0.0)
"""Two empty sides are equal, and one alone never is, as in the SQuAD v2.0 script."""

SQUAD = Convention(
    name="squad",
    follows="SQuAD v1.1 script; rouge_score 0.1.2; sacrebleu 2; HF evaluate bleu",
    differs="the default: lower-case, without ASCII punctuation and English articles; two empty sides have F1 0",
    source="SQuAD v1.1 evaluate-v1.1.py (2017); PyPI rouge-score 0.1.2, sacrebleu 2, evaluate 0.4",
    metrics=("em", "f1", "recall", "contains", "rouge_l", "bleu"),
    exact=Exact(text=SQUAD_TEXT),
    overlap=Overlap(text=SQUAD_TEXT),
    contains=Contains(text=SQUAD_TEXT),
    rouge_l=RougeL(text=Text(("lower", "keep_a_z_0_9"))),
    bleu=Bleu(text=Text(split="13a"), smoothing="exp", effective_order=True),
    bleu_n=Bleu(text=Text(split="13a-hf")),
    chrf=Chrf(text=_CHARACTERS),
    chrf_pp=Chrf(text=_CHARACTERS, word_order=2),
    edit=EditDistance(text=Text(("lower", "collapse_spaces"), split="characters")),
)

SQUAD2 = replace(
    SQUAD,
    name="squad2",
    follows="SQuAD v2.0 script; else as squad",
    differs="two empty sides have F1 1; an empty gold list means that no answer is right",
    source="SQuAD v2.0 evaluate-v2.0.py (2018)",
    exact=Exact(text=SQUAD_TEXT, empty=NO_ANSWER),
    overlap=Overlap(text=SQUAD_TEXT, empty=NO_ANSWER),
    no_answer=True,
)
