"""KILT's downstream scores; the accuracy has a convention of its own, as it is another exact match."""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.families import squad
from qa_frame.rules.parts import Convention, Empty, Exact, RougeL
from qa_frame.text.specification import Text

# The script leaves out golds of white space alone, and gives such a prediction 0.
_WITHOUT_TEXT = Empty(of="white_space", both=0.0, gold=0.0, pred=0.0)

KILT = Convention(
    name="kilt",
    follows="KILT kilt/eval_downstream.py: em, f1, rougel; rouge 1.0.1",
    differs="ROUGE-L of sentences, in distinct words; a side of white space alone is never right",
    source="facebookresearch/KILT kilt/eval_downstream.py, 2021-12-08; PyPI rouge 1.0.1",
    metrics=("em", "f1", "rouge_l"),
    exact=Exact(text=squad.SQUAD_TEXT, empty=_WITHOUT_TEXT),
    overlap=squad.SQUAD.overlap,
    rouge_l=RougeL(text=Text(("strip",), split="sentences"), counting="union", epsilon=1e-8, empty=_WITHOUT_TEXT),
)

KILT_ACCURACY = replace(
    KILT,
    name="kilt_accuracy",
    follows="KILT kilt/eval_downstream.py: accuracy",
    differs="EM of the texts as they are, without white space at both ends",
    source="facebookresearch/KILT kilt/eval_downstream.py, 2021-12-08",
    metrics=("em",),
    exact=Exact(text=Text(("strip",), split="none"), empty=_WITHOUT_TEXT),
    overlap=None,
    rouge_l=None,
)
