"""Questions about pictures: charts, documents and photographs.

- `chartqa`: ChartQA's relaxed accuracy: numbers within five per cent of the gold.
- `docvqa`: ANLS by the script of DocVQA, which harnesses copied. `anls_star`: that of the package anls_star.
- `vqa`: the accuracy of VQA, with the answers of ten people. `vqa_lmms_eval`, `textvqa`: of harnesses that changed it.
"""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.parts import Convention, EditDistance, Exact, Numbers
from qa_frame.text.specification import Delete, Replace, Space, Text

CHARTQA = Convention(
    name="chartqa",
    follows="ChartQA relaxed accuracy: relaxed_correctness of pix2struct, lmms-eval, VLMEvalKit",
    differs='EM in lower case; numbers are equal within 5% of the gold, "5%" is 0.05, a gold of 0 is a text',
    language="",
    source="google-research/pix2struct pix2struct/metrics.py, commit 5b086ef; PyPI lmms-eval 0.7.3",
    metrics=("em",),
    exact=Exact(text=Text(("lower",), "none"), numbers=Numbers(tolerance=0.05, percent=True)),
)

_ANLS_TEXT = Text(("lower", "collapse_spaces"), "characters")

DOCVQA = Convention(
    name="docvqa",
    follows="ANLS of DocVQA and InfoVQA in VLMEvalKit",
    differs="ANLS over the length of the texts before normalisation",
    language="",
    source="open-compass/VLMEvalKit vlmeval/dataset/utils/vqa_eval.py, commit e8e78f05, 2026-08-18",
    metrics=("anls",),
    edit=EditDistance(text=_ANLS_TEXT, length="text"),
)

ANLS_STAR = replace(
    DOCVQA,
    name="anls_star",
    follows="anls_star anls_score of strings",
    differs="ANLS as squad",
    source="PyPI anls_star 1.0.1, anls_star/anls_star.py",
    edit=EditDistance(text=_ANLS_TEXT),
)

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
