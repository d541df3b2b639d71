"""Libraries of metrics.

- `hf_exact_match`, `hf_bleu`, `hf_bleu_smooth`: the metrics `exact_match` and `bleu` of Hugging Face `evaluate`.
- `rapidfuzz`: `Levenshtein.normalized_similarity` of RapidFuzz.
- `sacrebleu`: `sentence_bleu` and `sentence_chrf` of sacrebleu, with all golds of a row.
- `torchmetrics`: `squad`, `rouge_score` and `bleu_score` of TorchMetrics.
"""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.families import squad
from qa_frame.rules.parts import Bleu, Convention, EditDistance, Exact
from qa_frame.text.specification import Text

HF_EXACT_MATCH = Convention(
    name="hf_exact_match",
    follows="HF evaluate 0.4.6 exact_match",
    differs="no normalisation: the texts must be the same, character by character",
    language="",
    source="huggingface/evaluate v0.4.6 (2025-09-18) metrics/exact_match/exact_match.py",
    metrics=("em",),
    exact=Exact(text=Text((), "none")),
)

_BLEU = Bleu(text=Text(split="13a-hf"), references="together", reference_length="shortest")
_SMOOTH = replace(_BLEU, smoothing="add_k", smoothing_value=1.0, smooth_from=1)

HF_BLEU = Convention(
    name="hf_bleu",
    follows="HF evaluate 0.4.6 bleu",
    differs="BLEU alone: all golds are references together; no smoothing; the length of the shortest gold",
    language="",
    source="huggingface/evaluate v0.4.6 (2025-09-18) metrics/bleu; tensorflow/nmt nmt/scripts/bleu.py, 2017-05-29",
    metrics=("bleu",),
    bleu=_BLEU,
    bleu_n=_BLEU,
)

HF_BLEU_SMOOTH = replace(
    HF_BLEU,
    name="hf_bleu_smooth",
    follows="HF evaluate 0.4.6 bleu with smooth=True",
    differs="as hf_bleu, but 1 is added to the counts of every order",
    bleu=_SMOOTH,
    bleu_n=_SMOOTH,
)

RAPIDFUZZ = Convention(
    name="rapidfuzz",
    follows="RapidFuzz 3 Levenshtein.normalized_similarity",
    differs="edit similarity of the texts as they are: case and white space count",
    language="",
    source="PyPI rapidfuzz 3.14.5, rapidfuzz/distance/Levenshtein.py",
    metrics=("edit_similarity",),
    edit=EditDistance(text=Text(split="characters")),
)

_SENTENCE = Bleu(text=Text(split="13a"), smoothing="exp", effective_order=True, references="together")

SACREBLEU = Convention(
    name="sacrebleu",
    follows="sacrebleu 2 sentence_bleu, sentence_chrf, with all golds of a row",
    differs="BLEU and chrF alone: BLEU as squad, but all golds are references together; chrF of the best gold",
    language="",
    source="PyPI sacrebleu 2.6.0, sacrebleu/compat.py, metrics/bleu.py and chrf.py",
    metrics=("bleu", "chrf"),
    bleu=_SENTENCE,
    bleu_n=_SENTENCE,
    chrf=squad.SQUAD.chrf,
    chrf_pp=squad.SQUAD.chrf_pp,
)

TORCHMETRICS = Convention(
    name="torchmetrics",
    follows="TorchMetrics 1.9.0 squad, rouge_score, bleu_score",
    differs="two empty sides have F1 1; BLEU of words at white space, all golds together and without smoothing",
    source="PyPI torchmetrics 1.9.0, functional/text/squad.py, rouge.py and bleu.py, 2026-03-09",
    metrics=("em", "f1", "rouge_1", "rouge_2", "rouge_l", "bleu"),
    exact=squad.SQUAD.exact,
    overlap=squad.SQUAD2.overlap,
    rouge_l=squad.SQUAD.rouge_l,
    bleu=Bleu(text=Text(), references="together", reference_length="first_closest"),
)
