"""Reading comprehension: questions about a text that is there.

- `coqa`: CoQA's evaluation script. `coqa_lm_eval`: the task `coqa` of lm-evaluation-harness.
- `drop`: DROP's evaluation script. lm-evaluation-harness, task drop 3.0, has a copy of it.
- `simple_evals_drop`: DROP of OpenAI's simple-evals.
- `narrativeqa`: NarrativeQA, scored by the COCO caption code.
- `qasper`: QASPER's answer F1.
- `quac`: QuAC's evaluation script.
"""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.families import evaluation_tools, squad
from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.parts import Bleu, Convention, Empty, Exact, Overlap, RougeL
from qa_frame.text.specification import Blank, Replace, Space, Text

COQA = Convention(
    name="coqa",
    follows="CoQA evaluate-v1.0.py",
    differs="of several golds, each is left out once: the mean of the best scores counts; two empty sides have F1 1",
    source="stanfordnlp/coqa-baselines scripts/evaluate-v1.0.py, 2018-09-25",
    metrics=("em", "f1"),
    exact=Exact(text=squad.SQUAD_TEXT),
    overlap=Overlap(text=squad.SQUAD_TEXT, empty=squad.NO_ANSWER),
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

_TEXT = Text((Space("-"), "lower", "delete_ascii_punctuation_outside_floats", "floats", Blank(ARTICLES["en"])))
_BLANK_GOLD = Empty(of="white_space", both=0.0, gold=0.0)  # the script does not count such a gold
_EMPTY = (_BLANK_GOLD, Empty(both=1.0))

DROP = Convention(
    name="drop",
    follows="DROP drop_eval.py; lm-evaluation-harness, task drop 3.0",
    differs="numbers compare as floats; F1 of distinct tokens, rounded, 0 where all numbers of the gold are missing",
    source="allenai/allennlp-reading-comprehension allennlp_rc/eval/drop_eval.py, 2020-03-11",
    metrics=("em", "f1"),
    spans=True,
    exact=Exact(text=_TEXT, empty=_BLANK_GOLD),
    overlap=Overlap(text=_TEXT, counting="distinct", numbers_must_match=True, digits=2, rounding="numpy", empty=_EMPTY),
)

SIMPLE_EVALS_DROP = replace(
    DROP,
    name="simple_evals_drop",
    follows="simple-evals drop_eval.py: em_score, f1_score, and its score fuzzy_match",
    differs="as drop, but F1 is rounded to 4 places; `contains` either way, of texts as squad has them",
    source="openai/simple-evals drop_eval.py, commit 0637982",
    metrics=("em", "f1", "contains"),
    overlap=Overlap(text=_TEXT, counting="distinct", numbers_must_match=True, digits=4, rounding="numpy", empty=_EMPTY),
    contains=evaluation_tools.OPENAI_EVALS_FUZZY_MATCH.contains,
    spans=False,
)

_CAPTION = Text(("lower", Replace(r"(?<![ .])[ .]+\Z"), "strip"))

NARRATIVEQA = Convention(
    name="narrativeqa",
    follows="ReadTwice evaluate_narrative_qa: Bleu_1 to Bleu_4, ROUGE_L; pycocoevalcap 1.2",
    differs="lower-case, without full stops at the end; BLEU and ROUGE-L of all golds together",
    source="google-research readtwice/models/narrative_qa/evaluation.py, 2021; PyPI pycocoevalcap 1.2",
    metrics=("bleu1", "bleu4", "rouge_l"),
    rouge_l=RougeL(text=Text(_CAPTION.steps, split="spaces"), beta=1.2, references="together"),
    bleu_n=Bleu(text=_CAPTION, smoothing="tiny", references="together"),
)

QASPER = Convention(
    name="qasper",
    follows="QASPER scripts/evaluator.py: Answer F1",
    differs="F1 as squad; no EM",
    source="allenai/qasper-led-baseline scripts/evaluator.py, commit afd0fb9, 2021-10-27",
    metrics=("f1",),
    overlap=Overlap(text=squad.SQUAD_TEXT),
)

QUAC = Convention(
    name="quac",
    follows="QuAC scorer.py",
    differs="of several golds, each is left out once: the mean of the best scores counts; the gold CANNOTANSWER",
    source="quac.ai scorer.py (2018), as in princeton-nlp/EvalConvQA models/ham/scorer.py at 3a374cc, 2022-03-17",
    metrics=("f1",),
    overlap=Overlap(text=squad.SQUAD_TEXT),
    no_answer_gold="CANNOTANSWER",
    reduce="leave_one_out",
)
