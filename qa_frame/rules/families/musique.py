"""MuSiQue's answer metric."""

from __future__ import annotations

from qa_frame.rules.families import squad
from qa_frame.rules.parts import Convention, Empty, Overlap

MUSIQUE = Convention(
    name="musique",
    follows="MuSiQue v1.0 metrics/answer.py",
    differs="two empty sides have F1 1",
    source="StonyBrookNLP/musique metrics/answer.py, v1.0, 2021-08-13",
    metrics=("em", "f1"),
    exact=squad.SQUAD.exact,
    overlap=Overlap(text=squad.SQUAD_TEXT, empty=Empty(both=1.0)),
)
