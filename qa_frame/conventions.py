"""Conventions as data: which rules each family of metrics follows, under one name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

from qa_frame.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class Convention:
    """Which tokeniser each family of metrics uses.

    overlap: of `em precision recall f1`. contains: of `contains`. rouge_l: of `rouge_l*`. bleu: of `bleu`.
    bleu_n: of `bleu1` to `bleu4`. follows: the system whose numbers these are.
    """

    name: str
    follows: str
    overlap: str
    contains: str
    rouge_l: str
    bleu: str
    bleu_n: str

    @property
    def signature(self) -> str:
        """One line that names every setting: two conventions with different settings never share one."""
        rules = (f"{field.name}:{getattr(self, field.name)}" for field in fields(self) if field.name != "name")
        return "|".join((f"convention:{self.name}", *rules, f"qa_frame:{__version__}"))


_ALL = (
    Convention(
        name="squad",
        follows="SQuAD v1.1 script; rouge_score 0.1.2; sacrebleu 2.6; HF evaluate bleu",
        overlap="squad",
        contains="squad",
        rouge_l="rouge",
        bleu="13a",
        bleu_n="13a-hf",
    ),
)

conventions: Mapping[str, Convention] = MappingProxyType({convention.name: convention for convention in _ALL})
"""The conventions by name, read-only."""
