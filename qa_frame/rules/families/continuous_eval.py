"""continuous-eval: `DeterministicAnswerCorrectness` as its code computes it, and as its documentation shows it."""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.languages import STOP_WORDS
from qa_frame.rules.parts import Bleu, Convention, Empty, Overlap, RougeL
from qa_frame.text.specification import Drop, Text

_CONTENT_WORDS = Text(
    ("split_marks", "lower", "delete_ascii_punctuation", Drop(STOP_WORDS["en"]), "split_contractions", "numbers")
)

CONTINUOUS_EVAL = Convention(
    name="continuous_eval",
    follows="continuous-eval 0.3.14 DeterministicAnswerCorrectness",
    differs="distinct words without stop words; ROUGE-L of sentences, in distinct words; BLEU of characters",
    source="PyPI continuous-eval 0.3.14",
    metrics=("precision", "recall", "f1", "rouge_l_precision", "rouge_l_recall", "rouge_l", "bleu"),
    overlap=Overlap(text=_CONTENT_WORDS, counting="set"),
    rouge_l=RougeL(
        text=Text(split="sentences"), counting="union", epsilon=1e-8, empty=Empty(of="punctuation", pred=0.0)
    ),
    bleu=Bleu(text=Text(split="characters"), smoothing="least"),
)

CONTINUOUS_EVAL_DOCS = replace(
    CONTINUOUS_EVAL,
    name="continuous_eval_docs",
    follows="continuous-eval's documentation (releases before 2024-01-31)",
    source="continuous-eval's documentation before 2024-01-31",
    differs="as continuous_eval, but with all Penn Treebank tokens in the overlap",
    overlap=Overlap(text=Text(split="treebank"), counting="set"),
)
