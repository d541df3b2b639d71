"""TriviaQA's evaluation script."""

from __future__ import annotations

from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.parts import Convention, Exact, Overlap
from qa_frame.text.specification import Blank, Space, Text

_TEXT = Text(("lower", Space("ascii_punctuation"), Space("‘’´"), Blank(ARTICLES["en"])))

TRIVIAQA = Convention(
    name="triviaqa",
    follows="TriviaQA v1.0 triviaqa_evaluation.py",
    differs="ASCII punctuation and the marks ‘ ’ ´ become spaces; they are not deleted",
    source="mandarjoshi90/triviaqa evaluation/triviaqa_evaluation.py, v1.0, 2017-05-05",
    metrics=("em", "f1"),
    exact=Exact(text=_TEXT),
    overlap=Overlap(text=_TEXT),
)
