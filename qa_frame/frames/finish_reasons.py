"""Why responses ended, as harnesses and providers write it, and which of them were cut off at a limit of length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags

CUT_OFF = frozenset({"length", "max_tokens", "model_length", "max_output_tokens", "max_length", "max_new_tokens"})
"""OpenAI, vLLM and HELM; Anthropic, Cohere and inspect; inspect; OpenAI's and Google's newer ones; TGI's heirs."""


def are_cut_off(reasons: Any) -> Flags:
    """Whether each response was cut off, shape (rows,). reasons: a pandas column, with nulls where it is not known."""
    if pd.api.types.is_object_dtype(reasons):  # HELM's are dicts, {"reason": "length"}
        texts = (each.get("reason") if isinstance(each, Mapping) else each for each in reasons)
        reasons = pd.Series([each if isinstance(each, str) else None for each in texts], dtype=object)
    codes, known = pd.factorize(reasons)
    found: Flags = np.array([*(str(each).rpartition(".")[2].lower() in CUT_OFF for each in known), False])[codes]
    return found
