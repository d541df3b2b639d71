"""Questions with several answers, each with its aliases: AmbigQA, and QAMPARI as ALCE scores it."""

from __future__ import annotations

import re
from dataclasses import replace

from qa_frame.rules.families.squad import SQUAD_TEXT
from qa_frame.rules.parts import Convention, Overlap
from qa_frame.text.specification import Replace, Text

_CITATIONS = (Replace(re.escape("<|im_end|>")), Replace(r" ?\[\d+"), Replace(r" \|"))

AMBIGQA = Convention(
    name="ambigqa",
    follows="AmbigQA ambigqa_evaluate_script.py: F1 answer",
    differs="F1 of items: texts that are equal to a name of an item after squad's normalisation, one to one",
    source="shmsw25/AmbigQA ambigqa_evaluate_script.py",
    metrics=("precision", "recall", "f1"),
    overlap=Overlap(text=SQUAD_TEXT),
    answer_lists="one_to_one",
)

QAMPARI = replace(
    AMBIGQA,
    name="qampari",
    follows="ALCE eval.py: qampari_prec, qampari_rec, qampari_f1",
    differs="as ambigqa; a text is cut at commas, without citations; an item counts for all that it names, each time",
    source="princeton-nlp/ALCE eval.py, commit 246c476, 2024-10-09",
    overlap=Overlap(text=Text((*_CITATIONS, *SQUAD_TEXT.steps)), gold_text=SQUAD_TEXT),
    prediction="first_line",
    answer_lists="any",
    item_separator=",",
)
