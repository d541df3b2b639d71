"""Braintrust's autoevals: ExactMatch and Levenshtein."""

from __future__ import annotations

from qa_frame.rules.parts import Convention, EditDistance, Exact
from qa_frame.text.specification import Text

AUTOEVALS = Convention(
    name="autoevals",
    follows="autoevals ExactMatch and Levenshtein, of strings",
    differs="EM and edit similarity of the texts as they are",
    language="",
    source="PyPI autoevals 0.4.1, autoevals/string.py and value.py",
    metrics=("em", "edit_similarity"),
    exact=Exact(text=Text(split="none")),
    edit=EditDistance(text=Text(split="characters")),
)
