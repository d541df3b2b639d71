"""Frameworks that evaluate retrieval-augmented generation (RAG).

- `context_bench`: the scorer `AnswerQuality` of context-bench.
- `continuous_eval`: `DeterministicAnswerCorrectness` of continuous-eval. `continuous_eval_docs`: as its documentation
  shows it.
- `flashrag`: FlashRAG's metrics.
- `ragas`: RAGAS's metrics of strings, without a language model.
"""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.families import multi_hop, squad
from qa_frame.rules.languages import ARTICLES, STOP_WORDS
from qa_frame.rules.parts import Bleu, Chrf, Contains, Convention, EditDistance, Empty, Exact, Overlap, RougeL
from qa_frame.text.specification import Blank, Drop, Text

_TEXT = Text(("lower", Blank(ARTICLES["en"]), "delete_ascii_punctuation"))
_EMPTY = Empty(of="text", both=1.0, gold=1.0, pred=0.0)

CONTEXT_BENCH = Convention(
    name="context_bench",
    follows="context-bench AnswerQuality, 2026-02-23",
    differs="articles go before punctuation; contains on the lower-cased texts; an empty gold is always right",
    source="npow/context-bench src/context_bench/evaluators/answer_quality.py, 957190f, 2026-02-23",
    metrics=("em", "f1", "recall", "contains"),
    exact=Exact(text=_TEXT, empty=_EMPTY),
    overlap=Overlap(text=_TEXT, empty=_EMPTY),
    contains=Contains(text=Text(("lower",), "none"), empty=_EMPTY),
)

_CONTENT_WORDS = Text(
    ("split_marks", "lower", "delete_ascii_punctuation", Drop(STOP_WORDS["en"]), "split_contractions", "numbers")
)

CONTINUOUS_EVAL = Convention(
    name="continuous_eval",
    follows="continuous-eval 0.3.14 DeterministicAnswerCorrectness",
    differs="distinct words without stop words; ROUGE-L of sentences, in distinct words; BLEU of characters",
    source="PyPI continuous-eval 0.3.14",
    metrics=("precision", "recall", "f1", "rouge_l_precision", "rouge_l_recall", "rouge_l", "bleu"),
    overlap=Overlap(text=_CONTENT_WORDS, counting="set"),
    rouge_l=RougeL(
        text=Text(split="sentences"), counting="union", epsilon=1e-8, empty=Empty(of="punctuation", pred=0.0)
    ),
    bleu=Bleu(text=Text(split="characters"), smoothing="least"),
)

CONTINUOUS_EVAL_DOCS = replace(
    CONTINUOUS_EVAL,
    name="continuous_eval_docs",
    follows="continuous-eval's documentation (releases before 2024-01-31)",
    source="continuous-eval's documentation before 2024-01-31",
    differs="as continuous_eval, but with all Penn Treebank tokens in the overlap",
    overlap=Overlap(text=Text(split="treebank"), counting="set"),
)

FLASHRAG = Convention(
    name="flashrag",
    follows="FlashRAG 0.2.0 to 0.3.0 flashrag/evaluator/metrics.py; rouge 1.0.1",
    differs="F1 as hotpotqa; ROUGE-L of sentences, in distinct words; BLEU of all golds together, without smoothing",
    source="RUC-NLPIR/FlashRAG flashrag/evaluator/metrics.py, v0.3.0, 2025-02-09; PyPI rouge 1.0.1",
    metrics=("em", "f1", "contains", "precision", "recall"),
    exact=squad.SQUAD.exact,
    overlap=multi_hop.HOTPOTQA.overlap,
    contains=squad.SQUAD.contains,
    rouge_l=RougeL(text=Text(split="sentences"), counting="union", epsilon=1e-8),
    bleu=Bleu(text=Text(split="13a-hf"), references="together", reference_length="shortest"),
)

_AS_IT_IS = Text(split="none")
_BLANK = Empty(of="white_space", both=0.0, gold=0.0, pred=0.0)

RAGAS = Convention(
    name="ragas",
    follows="RAGAS ExactMatch, StringPresence, RougeScore, ChrfScore, NonLLMStringSimilarity (Levenshtein)",
    differs="texts as they are; ROUGE with stems; chrF2 0 for a side of white space alone",
    source="PyPI ragas 0.4.3, ragas/metrics/_string.py, _rouge_score.py and _chrf_score.py",
    metrics=("em", "contains", "rouge_l", "chrf", "edit_similarity"),
    exact=Exact(text=_AS_IT_IS),
    contains=Contains(text=_AS_IT_IS),
    rouge_l=RougeL(text=Text(("lower", "keep_a_z_0_9", "stem"))),
    chrf=Chrf(text=Text(split="characters_without_space"), empty=_BLANK),
    edit=EditDistance(text=Text(split="characters")),
)
