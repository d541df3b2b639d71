"""The names of metrics and of conventions as types. `python -m tests.editor_lists` writes them anew."""

from typing import Literal

MetricName = Literal[
    "em", "precision", "recall", "f1", "contains", "prefix", "rouge_1", "rouge_1_precision", "rouge_1_recall",
    "rouge_2", "rouge_2_precision", "rouge_2_recall", "rouge_l", "rouge_l_precision", "rouge_l_recall", "rouge_lsum",
    "rouge_lsum_precision", "rouge_lsum_recall", "bleu", "bleu1", "bleu2", "bleu3", "bleu4", "chrf", "chrf++", "anls",
    "edit_similarity", "math_verify",
]  # fmt: skip

ConventionName = Literal[
    "squad", "squad2", "autoevals", "deepeval", "deepeval_quasi", "openai_evals_fuzzy_match", "openai_evals_match",
    "openai_evals_includes", "inspect_f1", "inspect_match", "inspect_match_begin", "inspect_match_any",
    "inspect_match_numeric", "inspect_match_numeric_any", "inspect_includes", "helm", "helm_exact",
    "helm_final_number", "lighteval", "lighteval_quasi", "opencompass_nq", "opencompass_triviaqa", "nq_open",
    "triviaqa_lm_eval", "gsm8k_lm_eval", "helmet", "longbench", "longbench_zh", "infinitebench_zh",
    "infinitebench_number", "infinitebench_math_find", "infinitebench_code_run", "nolima_em", "ruler", "ruler_part",
    "locomo", "mem0", "hf_exact_match", "hf_bleu", "hf_bleu_smooth", "rapidfuzz", "sacrebleu", "torchmetrics",
    "hotpotqa", "musique", "remem", "mlqa_ar", "mlqa_de", "mlqa_en", "mlqa_es", "mlqa_hi", "mlqa_vi", "mlqa_zh",
    "cmrc2018", "mindformers", "korquad", "unicode", "characters", "gaia", "math", "alce_asqa", "dpr", "kilt",
    "kilt_accuracy", "search_r1", "triviaqa", "context_bench", "continuous_eval", "continuous_eval_docs", "flashrag",
    "ragas", "coqa", "coqa_lm_eval", "drop", "simple_evals_drop", "narrativeqa", "qasper", "quac", "chartqa", "docvqa",
    "anls_star", "vqa", "vqa_lmms_eval", "textvqa", "drop_lm_eval", "nolima", "openai_evals_includes_ignore_case",
]  # fmt: skip
