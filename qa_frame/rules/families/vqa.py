"""Questions about pictures with the answers of ten people: the accuracy of VQA, and of harnesses that changed it."""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.parts import Convention, Exact
from qa_frame.text.specification import Delete, Replace, Space, Text

_TRIMMED = (Space("\n\t"), "strip")

VQA = Convention(
    name="vqa",
    follows="VQA v1 and v2 vqaEval.py, in Python 3",
    differs="EM of short answers; three of the other golds must be equal; golds that all agree are not normalised",
    source="GT-Vision-Lab/VQA PythonEvaluationTools/vqaEvaluation/vqaEval.py, commit a013f00, 2021-03-11",
    metrics=("em",),
    exact=Exact(text=Text((*_TRIMMED, "vqa_answer"), "none"), agreed_text=Text(_TRIMMED, "none")),
    reduce="votes",
)

VQA_LMMS_EVAL = replace(
    VQA,
    name="vqa_lmms_eval",
    follows="lmms-eval vqav2",
    differs='as vqa; golds are always normalised; commas as in "1,,000" are in a number, too',
    source="PyPI lmms-eval 0.7.3, tasks/vqav2/utils.py and tasks/_task_utils/vqa_eval_metric.py",
    exact=Exact(text=Text((*_TRIMMED, "vqa_answer_mmf"), "none")),
)

TEXTVQA = replace(
    VQA_LMMS_EVAL,
    name="textvqa",
    follows="TextVQA: EvalAIAnswerProcessor of MMF, lmms-eval textvqa",
    differs='as vqa_lmms_eval; commas and question marks are deleted first, and "\'s" becomes a word',
    source="PyPI lmms-eval 0.7.3, tasks/textvqa/utils.py and tasks/_task_utils/vqa_eval_metric.py",
    exact=Exact(text=Text(("lower", Delete(",?"), Replace("'s", " 's"), "strip", *_TRIMMED, "vqa_answer_mmf"), "none")),
)
