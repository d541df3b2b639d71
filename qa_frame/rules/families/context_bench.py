"""context-bench: its scorer `AnswerQuality`."""

from __future__ import annotations

from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.parts import Contains, Convention, Empty, Exact, Overlap
from qa_frame.text.specification import Blank, Text

_TEXT = Text(("lower", Blank(ARTICLES["en"]), "delete_ascii_punctuation"))
_EMPTY = Empty(of="text", both=1.0, gold=1.0, pred=0.0)

CONTEXT_BENCH = Convention(
    name="context_bench",
    follows="context-bench AnswerQuality, 2026-02-23",
    differs="articles go before punctuation; contains on the lower-cased texts; an empty gold is always right",
    source="npow/context-bench src/context_bench/evaluators/answer_quality.py, 957190f, 2026-02-23",
    metrics=("em", "f1", "recall", "contains"),
    exact=Exact(text=_TEXT, empty=_EMPTY),
    overlap=Overlap(text=_TEXT, empty=_EMPTY),
    contains=Contains(text=Text(("lower",), "none"), empty=_EMPTY),
)
