"""Harnesses of language models.

- `helm`: HELM's metrics of an answer and its references, normalised. `helm_exact`: the same of texts as they are.
  `helm_final_number`: the last numbers of both texts.
- `lighteval`: the exact matches and the F1 of Hugging Face lighteval. `lighteval_quasi`: the same after HELM's
  normalisation.
- `opencompass_nq`, `opencompass_triviaqa`: the evaluators of these tasks of OpenCompass.
- `nq_open`, `triviaqa_lm_eval`, `gsm8k_lm_eval`: exact match of these tasks of EleutherAI's lm-evaluation-harness.
"""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.families import squad
from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.parts import Contains, Convention, Empty, Exact, Overlap, RougeL
from qa_frame.text.specification import Blank, Delete, Replace, Space, Text

_STRIPPED = Text(("strip",), "none")
_BLANK_PREDICTION = Empty(of="white_space", both=0.0, pred=0.0)

HELM = Convention(
    name="helm",
    follows="HELM quasi_exact_match, f1_score, quasi_prefix_exact_match, rouge_l",
    differs="F1 of distinct tokens; a prediction of white space alone is never right; ROUGE with stems",
    source="stanford-crfm/helm benchmark/metrics/evaluate_reference_metrics.py, 2026-04-15, release 0.5.16",
    metrics=("em", "f1", "prefix", "rouge_l"),
    exact=Exact(text=squad.SQUAD_TEXT, empty=_BLANK_PREDICTION),
    overlap=Overlap(text=squad.SQUAD_TEXT, counting="distinct"),
    contains=Contains(text=squad.SQUAD_TEXT, empty=_BLANK_PREDICTION),
    rouge_l=RougeL(text=Text(("lower", "keep_a_z_0_9", "stem"))),
)

HELM_EXACT = Convention(
    name="helm_exact",
    follows="HELM exact_match, prefix_exact_match",
    differs="EM of the texts as they are, without white space at both ends; such an empty prediction is never right",
    source=HELM.source,
    metrics=("em", "prefix"),
    exact=Exact(text=_STRIPPED, empty=_BLANK_PREDICTION),
    contains=Contains(text=_STRIPPED, empty=_BLANK_PREDICTION),
)

_LAST_NUMBER = Replace(r"(?s)\A(?:.*?(-?[\d,]+(?:[^\n]\d+)?))*.*\Z", r"\1")

HELM_FINAL_NUMBER = replace(
    HELM_EXACT,
    name="helm_final_number",
    follows="HELM final_number_exact_match",
    differs="EM of the last number of each text, without commas; a prediction without a number is never right",
    language="",
    metrics=("em",),
    exact=Exact(text=Text((_LAST_NUMBER, Delete(","), "strip"), "none"), empty=Empty(both=0.0, pred=0.0)),
    contains=None,
)

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

_SHORT = (
    Replace(r"(?s)[\n.,].*"), Replace(r"[^\w\s]"), Replace(r"(?i)\b(?:a|an|the)\b"), "collapse_spaces",
)  # fmt: skip
_FIRST_LINE = ("strip", Replace(r"(?s)\n.*"), "lower", Replace("(?s).*answer is"))
_SHORT_GOLD = Text((*_SHORT, "lower"), "none")

OPENCOMPASS_NQ = Convention(
    name="opencompass_nq",
    follows="OpenCompass NQEvaluator",
    differs='`contains` of a line behind "answer is", and of golds, each up to the first full stop or comma',
    source="open-compass/opencompass opencompass/datasets/natural_question.py, commit 338076b",
    metrics=("contains",),
    contains=Contains(text=Text((*_FIRST_LINE, *_SHORT), "none"), gold_text=_SHORT_GOLD),
)

_BEHIND_ANSWER = (*_FIRST_LINE, Replace("(?s).*a:"), Replace("(?s).*answer:"))

OPENCOMPASS_TRIVIAQA = replace(
    OPENCOMPASS_NQ,
    name="opencompass_triviaqa",
    follows="OpenCompass TriviaQAEvaluator",
    differs='as opencompass_nq; also behind "a:" and "answer:"',
    source="open-compass/opencompass opencompass/datasets/triviaqa.py, commit 24f6ab0",
    contains=Contains(text=Text((*_BEHIND_ANSWER, *_SHORT), "none"), gold_text=_SHORT_GOLD),
)

_IGNORED = Replace(r"[AaTt](?<!\w[AaTt])(?:(?<=[Tt])he |(?<=[Aa])n? )")  # \b(?:The |the |An |A |The |a |an ), faster
_LM_EVAL_STEPS = ("lower", "delete_ascii_punctuation")

NQ_OPEN = Convention(
    name="nq_open",
    follows="lm-evaluation-harness 0.4.13 nq_open",
    differs="articles go first, and only with a space behind them; white space counts, but not at a prediction's ends",
    source="PyPI lm_eval 0.4.13, tasks/nq_open/nq_open.yaml (version 4) and api/metrics.py, 2026-08-31",
    metrics=("em",),
    exact=Exact(text=Text((_IGNORED, *_LM_EVAL_STEPS), "none")),
    prediction="stripped",
)

TRIVIAQA_LM_EVAL = replace(
    NQ_OPEN,
    name="triviaqa_lm_eval",
    follows="lm-evaluation-harness 0.4.13 triviaqa",
    differs="articles stay; white space counts, but not at a prediction's ends",
    source="PyPI lm_eval 0.4.13, tasks/triviaqa/default.yaml (version 3) and api/metrics.py, 2026-08-31",
    language="",
    exact=Exact(text=Text(_LM_EVAL_STEPS, "none")),
)

GSM8K_LM_EVAL = replace(
    TRIVIAQA_LM_EVAL,
    name="gsm8k_lm_eval",
    follows="lm-evaluation-harness 0.4.13 gsm8k, after its filters",
    differs='EM without commas, dollar signs, a last full stop, and all up to "#### "; its filters are `extract=`',
    source="PyPI lm_eval 0.4.13, tasks/gsm8k/gsm8k.yaml (version 3) and api/metrics.py, 2026-08-31",
    exact=Exact(text=Text((Replace(","), Replace(r"\$"), Replace(r"(?s).*#### "), Replace(r"\.$"), "lower"), "none")),
    prediction="whole",
)
