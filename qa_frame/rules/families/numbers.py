"""Answers that are numbers or formulas.

- `gaia`: GAIA's question scorer: a gold that is a number, a list, or a text.
- `math`: MATH's equality of final answers in LaTeX.
"""

from __future__ import annotations

from qa_frame.rules.parts import Convention, Exact, Numbers
from qa_frame.text.specification import Delete, Text

_WITHOUT_SPACE = (Delete("".join(filter(str.isspace, map(chr, range(0x3001))))), "lower")

GAIA = Convention(
    name="gaia",
    follows="GAIA question_scorer",
    differs="EM by the gold's kind: a number, a list with commas or semicolons, a text without space and punctuation",
    language="",
    source="gaia-benchmark/leaderboard scorer.py, as in PyPI inspect-evals 0.26.0, gaia/scorer.py",
    metrics=("em",),
    exact=Exact(
        text=Text((*_WITHOUT_SPACE, "delete_ascii_punctuation"), "none"),
        numbers=Numbers(of="gold", ignored="$%,"),
        separators=",;",
        item_text=Text(_WITHOUT_SPACE, "none"),
    ),
)

MATH = Convention(
    name="math",
    follows="MATH is_equiv; HELM math_equivalence",
    differs="EM of LaTeX without spaces, units and degrees, with the braces of fractions and roots",
    language="",
    source="hendrycks/math modeling/math_equivalence.py, commit 985bdc1",
    metrics=("em",),
    exact=Exact(text=Text(("math_answer",), "none")),
)
