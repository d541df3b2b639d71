"""Hugging Face lighteval: its exact matches and F1, as they are, and "quasi", that is after HELM's normalisation."""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.parts import Contains, Convention, Empty, Exact, Overlap
from qa_frame.text.specification import Blank, Space, Text

_STRIPPED = Text(("strip",), "none")
_QUASI = Text((Space("-"), "lower", "delete_ascii_punctuation", "floats", Blank(ARTICLES["en"])))
_NO_PREDICTION = Empty(of="text", pred=0.0)

LIGHTEVAL = Convention(
    name="lighteval",
    follows="lighteval 0.13.0 exact_match, f1_score",
    differs="no normalisation: case, punctuation and articles count; F1 of distinct words",
    language="",
    source="PyPI lighteval 0.13.0, metrics/metrics.py and metrics/metrics_sample.py, 2025-11-17",
    metrics=("em", "prefix", "f1"),
    exact=Exact(text=_STRIPPED, empty=_NO_PREDICTION),
    overlap=Overlap(text=Text(), counting="distinct"),
    contains=Contains(text=_STRIPPED, empty=_NO_PREDICTION),
)

LIGHTEVAL_QUASI = Convention(
    name="lighteval_quasi",
    follows="lighteval 0.10.0 quasi_exact_match, prefix_quasi_exact_match, f1_score_quasi",
    differs="a hyphen is a space; numbers compare as floats; F1 of distinct words; an empty prediction has EM 0",
    source="PyPI lighteval 0.10.0, metrics/metrics.py and metrics/normalizations.py, 2025-05-22",
    metrics=("em", "prefix", "f1"),
    exact=Exact(text=replace(_QUASI, steps=("strip", *_QUASI.steps)), empty=_NO_PREDICTION),
    overlap=Overlap(text=_QUASI, counting="distinct"),
    contains=Contains(text=_QUASI, empty=_NO_PREDICTION),
)
