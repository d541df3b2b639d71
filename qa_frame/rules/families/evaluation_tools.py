"""Tools that test applications of language models.

- `autoevals`: ExactMatch and Levenshtein of Braintrust's autoevals.
- `deepeval`: DeepEval's exact match. `deepeval_quasi`: the quasi exact match of its Scorer.
- `openai_evals_*`: the basic templates Match, Includes and FuzzyMatch of OpenAI evals.
"""

from __future__ import annotations

from dataclasses import replace

from qa_frame.rules.families import squad
from qa_frame.rules.parts import Contains, Convention, EditDistance, Empty, Exact
from qa_frame.text.specification import Text

_AS_IT_IS = Text(split="none")

AUTOEVALS = Convention(
    name="autoevals",
    follows="autoevals ExactMatch and Levenshtein, of strings",
    differs="EM and edit similarity of the texts as they are",
    language="",
    source="PyPI autoevals 0.4.1, autoevals/string.py and value.py",
    metrics=("em", "edit_similarity"),
    exact=Exact(text=_AS_IT_IS),
    edit=EditDistance(text=Text(split="characters")),
)

DEEPEVAL = Convention(
    name="deepeval",
    follows="DeepEval ExactMatchMetric",
    differs="EM of the texts as they are, without white space at both ends",
    language="",
    source="PyPI deepeval 4.3.1, deepeval/metrics/exact_match/exact_match.py",
    metrics=("em",),
    exact=Exact(text=Text(("strip",), "none")),
)

DEEPEVAL_QUASI = replace(
    DEEPEVAL,
    name="deepeval_quasi",
    follows="DeepEval Scorer.quasi_exact_match_score, quasi_contains_score",
    differs="EM as squad; an empty prediction is never right",
    language="en",
    source="PyPI deepeval 4.3.1, deepeval/scorer/scorer.py and utils.py",
    exact=Exact(text=squad.SQUAD_TEXT, empty=Empty(of="text", both=0.0, pred=0.0)),
)

OPENAI_EVALS_FUZZY_MATCH = Convention(
    name="openai_evals_fuzzy_match",
    follows="OpenAI evals FuzzyMatch: accuracy, f1_score",
    differs="`contains` either way: the gold in the prediction, or the prediction in the gold; F1 as squad",
    source="PyPI evals 3.0.1.post1, evals/elsuite/utils.py and basic/fuzzy_match.py",
    metrics=("contains", "f1"),
    overlap=squad.SQUAD.overlap,
    contains=Contains(text=squad.SQUAD_TEXT, place="either", empty=squad.NO_ANSWER),
)

OPENAI_EVALS_MATCH = Convention(
    name="openai_evals_match",
    follows="OpenAI evals Match",
    differs="`contains` at the start of the prediction, of the texts as they are",
    language="",
    source="PyPI evals 3.0.1.post1, evals/api.py and elsuite/basic/match.py",
    metrics=("contains",),
    contains=Contains(text=_AS_IT_IS, place="start"),
)

OPENAI_EVALS_INCLUDES = replace(
    OPENAI_EVALS_MATCH,
    name="openai_evals_includes",
    follows='OpenAI evals Includes; NoLiMa async_evaluate.py: metric "contains"',
    differs="`contains` of the texts as they are",
    source="PyPI evals 3.0.1.post1, evals/elsuite/utils.py and basic/includes.py",
    contains=Contains(text=_AS_IT_IS),
)
