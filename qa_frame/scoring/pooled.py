"""The names of what a summary has beside the means of scores: figures that are pooled from statistics, and counts."""

from __future__ import annotations

POOLED = (
    *("corpus_bleu", "f1_micro", "corpus_bleu1", "corpus_bleu2", "corpus_bleu3", "corpus_bleu4", "corpus_bleu_exp"),
    *("corpus_chrf", "corpus_chrf++"),
)
"""The figures that are made of sums of statistics, in the order in which a summary has them."""

COUNTS = ("n", "n_rows", "n_missing", "n_not_extracted", "n_no_gold", "n_truncated")
"""The columns of a summary that count rows: those that are scored, all of them, and those with a flag."""

MISSING, NOT_EXTRACTED, NO_GOLD, TRUNCATED = COUNTS[2:]

SAMPLE_COUNTS = ("n_questions", "n_samples_min", "n_samples_max")
"""The columns that count questions and their samples, where a question may have several."""
