"""NoLiMa: whether a response is an answer. Whether it holds one is as in `openai_evals_includes`."""

from __future__ import annotations

from qa_frame.rules.parts import Convention, Exact
from qa_frame.text.specification import Text

NOLIMA_EM = Convention(
    name="nolima_em",
    follows='NoLiMa async_evaluate.py: metric "EM"',
    differs="EM of the texts as they are; the prediction without white space at both ends",
    language="",
    source="adobe-research/NoLiMa evaluation/async_evaluate.py, commit 7532e4e, 2025-05-05",
    metrics=("em",),
    exact=Exact(text=Text(split="none")),
    prediction="stripped",
)
