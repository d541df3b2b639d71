"""MATH's equality of final answers in LaTeX."""

from __future__ import annotations

from qa_frame.rules.parts import Convention, Exact
from qa_frame.text.specification import Text

MATH = Convention(
    name="math",
    follows="MATH is_equiv; HELM math_equivalence",
    differs="EM of LaTeX without spaces, units and degrees, with the braces of fractions and roots",
    language="",
    source="hendrycks/math modeling/math_equivalence.py, commit 985bdc1",
    metrics=("em",),
    exact=Exact(text=Text(("math_answer",), "none")),
)
