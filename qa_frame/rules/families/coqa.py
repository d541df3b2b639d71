"""CoQA: its evaluation script, and the task `coqa` of lm-evaluation-harness."""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.families.squad import SQUAD_TEXT
from qa_frame.rules.parts import Convention, Empty, Exact, Overlap

COQA = Convention(
    name="coqa",
    follows="CoQA evaluate-v1.0.py",
    differs="of several golds, each is left out once: the mean of the best scores counts; two empty sides have F1 1",
    source="stanfordnlp/coqa-baselines scripts/evaluate-v1.0.py, 2018-09-25",
    metrics=("em", "f1"),
    exact=Exact(text=SQUAD_TEXT),
    overlap=Overlap(text=SQUAD_TEXT, empty=Empty(both=1.0, gold=0.0, pred=0.0)),
    reduce="leave_one_out",
)

COQA_LM_EVAL = replace(
    COQA,
    name="coqa_lm_eval",
    follows="lm-evaluation-harness 0.4.13 coqa",
    differs="as coqa, but only the first line of a prediction counts",
    source="PyPI lm_eval 0.4.13, tasks/coqa/utils.py (version 3), 2026-08-31; transformers 4.57.6 squad_metrics.py",
    prediction="first_line",
)
