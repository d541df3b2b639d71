"""The scorers of inspect that compare texts: f1 and exact of three releases, match at each place, and includes."""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.parts import Contains, Convention, Empty, Exact, Overlap
from qa_frame.text.numerals import NUMBER_MARKS
from qa_frame.text.specification import Blank, Replace, Space, Text

_STRIPPED = Text(("strip", "casefold", "strip_marks"), split="none")
_WITHOUT_NUMBER_MARKS = replace(
    _STRIPPED,
    steps=(*_STRIPPED.steps[:2], *(Replace(*mark) for mark in NUMBER_MARKS), *_STRIPPED.steps[2:]),
)
_F1 = Text((Space("-"), "casefold", "finite_floats_in_marks", Blank(ARTICLES["en"])))

INSPECT_F1 = Convention(
    name="inspect_f1",
    follows="inspect_ai f1() and exact(), since 0.3.277",
    differs="hyphens become spaces; numbers compare as floats; F1 rounded; a gold without tokens is never right",
    source="PyPI inspect_ai 0.3.285, inspect_ai/scorer/_classification.py, 2026-10-25",
    metrics=("em", "f1"),
    exact=Exact(text=_F1, empty=Empty(both=0.0, gold=0.0)),
    overlap=Overlap(text=_F1, digits=2),
)

INSPECT_MATCH = Convention(
    name="inspect_match",
    follows="inspect_ai match()",
    differs="`contains` at the end of the prediction; texts case folded, without punctuation at both ends",
    language="",
    source="PyPI inspect_ai 0.3.285, inspect_ai/scorer/_match.py and _common.py, 2026-10-25",
    metrics=("contains",),
    exact=Exact(text=_STRIPPED),
    contains=Contains(text=_STRIPPED, place="end"),
)

INSPECT_MATCH_BEGIN = replace(
    INSPECT_MATCH,
    name="inspect_match_begin",
    follows='inspect_ai match(location="begin")',
    differs="as inspect_match, at the start of the prediction",
    contains=Contains(text=_STRIPPED, place="start"),
)

INSPECT_MATCH_ANY = replace(
    INSPECT_MATCH,
    name="inspect_match_any",
    follows='inspect_ai match(location="any")',
    differs="as inspect_match, anywhere in the prediction",
    contains=Contains(text=_STRIPPED),
)

INSPECT_MATCH_NUMERIC = replace(
    INSPECT_MATCH,
    name="inspect_match_numeric",
    follows="inspect_ai match(numeric=True), since 0.3.261",
    differs="as inspect_match; a gold that is a number is compared with the last number of the prediction",
    exact=None,
    contains=Contains(text=_STRIPPED, place="end", numbers=True, gold_text=_WITHOUT_NUMBER_MARKS),
)

INSPECT_MATCH_NUMERIC_ANY = replace(
    INSPECT_MATCH_NUMERIC,
    name="inspect_match_numeric_any",
    follows='inspect_ai match(location="any", numeric=True), since 0.3.261',
    differs="as inspect_match_any; a gold that is a number is compared with all numbers of the prediction",
    contains=Contains(text=_STRIPPED, numbers=True, gold_text=_WITHOUT_NUMBER_MARKS),
)

INSPECT_INCLUDES = replace(
    INSPECT_MATCH,
    name="inspect_includes",
    follows="inspect_ai includes()",
    differs="`contains` of the texts as they are, case folded",
    source="PyPI inspect_ai 0.3.285, inspect_ai/scorer/_match.py, 2026-10-25",
    exact=None,
    contains=Contains(text=Text(("casefold",), split="none")),
)
