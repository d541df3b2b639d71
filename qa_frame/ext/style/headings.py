"""Names of columns as papers write them: `rouge_l` → ROUGE-L."""

from __future__ import annotations

import re
from typing import Any

from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pooled import POOLED

_SPELLED = (
    (r"^f1 micro\b", "micro F1"),
    (r"\bem\b", "EM"),
    (r"\bf1\b", "F1"),
    (r"\brouge (\w)", lambda found: f"ROUGE-{found[1].upper()}"),
    (r"\bbleu(?=\d)", "BLEU-"),
    (r"\bbleu\b", "BLEU"),
    (r"\bchrf\b", "chrF"),
    (r"\banls\b", "ANLS"),
)


def heading_of(name: str, figures: list[Any]) -> str:
    """Return the heading of a column: that of papers for a figure of this package, else the name itself.

    `em_pass@4` is one, too, where `em` is among the figures of the table.
    """
    known = {*METRICS, *POOLED}
    if name not in known and not any(name.startswith(f"{each}_") for each in figures if each in known):
        return name
    text = name.replace("_", " ")
    for written, spelled in _SPELLED:
        text = re.sub(written, spelled, text)
    return text if text.startswith("chrF") else text[0].upper() + text[1:]
