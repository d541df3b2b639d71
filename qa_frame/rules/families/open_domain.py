"""Open-domain questions, whose passages must be found first.

- `alce_asqa`: ALCE's test whether a long answer has a short one, the str_em of ASQA.
- `dpr`: DPR's test whether a passage has an answer, which open-domain question answering took from DrQA.
- `kilt`: KILT's downstream scores. `kilt_accuracy`: its accuracy, which is another exact match.
- `search_r1`: the rewards of Search-R1.
- `triviaqa`: TriviaQA's evaluation script.
"""

from __future__ import annotations

from qa_frame.rules.families import squad
from qa_frame.rules.languages import ARTICLES
from qa_frame.rules.parts import Contains, Convention, Empty, Exact, Overlap, RougeL
from qa_frame.text.specification import Blank, Space, Text

ALCE_ASQA = Convention(
    name="alce_asqa",
    follows="ALCE eval.py: exact_presence, of which str_em and str_hit of ASQA are made",
    differs="`contains` as squad; no EM",
    source="princeton-nlp/ALCE eval.py, commit 246c476, 2024-10-09",
    metrics=("contains",),
    contains=Contains(text=squad.SQUAD_TEXT),
)

DPR = Convention(
    name="dpr",
    follows="DPR has_answer, match_type string; DrQA SimpleTokenizer",
    differs="`contains` by tokens: runs of letters, digits and accents, or single marks, in lower case",
    language="",
    source="facebookresearch/DPR dpr/data/qa_validation.py and dpr/utils/tokenizers.py, commit a31212d, 2022-03-08",
    metrics=("contains",),
    contains=Contains(text=Text(("nfd", "split_drqa", "lower")), place="words"),
)

# The script leaves out golds of white space alone, and gives such a prediction 0.
_WITHOUT_TEXT = Empty(of="white_space", both=0.0, gold=0.0, pred=0.0)

KILT = Convention(
    name="kilt",
    follows="KILT kilt/eval_downstream.py: em, f1, rougel; rouge 1.0.1",
    differs="ROUGE-L of sentences, in distinct words; a side of white space alone is never right",
    source="facebookresearch/KILT kilt/eval_downstream.py, 2021-12-08; PyPI rouge 1.0.1",
    metrics=("em", "f1", "rouge_l"),
    exact=Exact(text=squad.SQUAD_TEXT, empty=_WITHOUT_TEXT),
    overlap=squad.SQUAD.overlap,
    rouge_l=RougeL(text=Text(("strip",), split="sentences"), counting="union", epsilon=1e-8, empty=_WITHOUT_TEXT),
)

KILT_ACCURACY = Convention(
    name="kilt_accuracy",
    follows="KILT kilt/eval_downstream.py: accuracy",
    differs="EM of the texts as they are, without white space at both ends",
    source="facebookresearch/KILT kilt/eval_downstream.py, 2021-12-08",
    metrics=("em",),
    exact=Exact(text=Text(("strip",), split="none"), empty=_WITHOUT_TEXT),
)

SEARCH_R1 = Convention(
    name="search_r1",
    follows="Search-R1 verl/utils/reward_score/qa_em.py",
    differs="only EM and contains, with the same rules",
    source="PeterGriffinJin/Search-R1 verl/utils/reward_score/qa_em.py, 2025-02-28",
    metrics=("em", "contains"),
    exact=squad.SQUAD.exact,
    contains=squad.SQUAD.contains,
)

_TRIVIAQA_TEXT = Text(("lower", Space("ascii_punctuation"), Space("‘’´"), Blank(ARTICLES["en"])))

TRIVIAQA = Convention(
    name="triviaqa",
    follows="TriviaQA v1.0 triviaqa_evaluation.py",
    differs="ASCII punctuation and the marks ‘ ’ ´ become spaces; they are not deleted",
    source="mandarjoshi90/triviaqa evaluation/triviaqa_evaluation.py, v1.0, 2017-05-05",
    metrics=("em", "f1"),
    exact=Exact(text=_TRIVIAQA_TEXT),
    overlap=Overlap(text=_TRIVIAQA_TEXT),
)
