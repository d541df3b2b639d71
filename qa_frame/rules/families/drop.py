"""DROP's evaluation script. lm-evaluation-harness, task drop 3.0, has a copy of it."""

from __future__ import annotations

from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.parts import Convention, Empty, Exact, Overlap
from qa_frame.text.specification import Blank, Space, Text

_TEXT = Text((Space("-"), "lower", "delete_ascii_punctuation_outside_floats", "floats", Blank(ARTICLES["en"])))
_BLANK_GOLD = Empty(of="white_space", both=0.0, gold=0.0)  # the script does not count such a gold
_EMPTY = (_BLANK_GOLD, Empty(both=1.0))

DROP = Convention(
    name="drop",
    follows="DROP drop_eval.py; lm-evaluation-harness, task drop 3.0",
    differs="numbers compare as floats; F1 of distinct tokens, rounded, 0 where all numbers of the gold are missing",
    source="allenai/allennlp-reading-comprehension allennlp_rc/eval/drop_eval.py, 2020-03-11",
    metrics=("em", "f1"),
    spans=True,
    exact=Exact(text=_TEXT, empty=_BLANK_GOLD),
    overlap=Overlap(text=_TEXT, counting="distinct", numbers_must_match=True, digits=2, rounding="numpy", empty=_EMPTY),
)
