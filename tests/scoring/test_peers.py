"""The values that other packages' own tests and documentation expect.

`tests/golden/peers.jsonl` has texts and numbers of tests of lighteval, inspect and RapidFuzz (MIT licence), and of
sacrebleu, rouge_score, continuous-eval, torchmetrics and evaluate (Apache 2.0), each with its file. Where a value is not
ours, the case also has ours, and the page "Coming from another tool" says why.
"""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import qa_frame
from qa_frame.rules import Chrf, Text

CASES = [*map(json.loads, (Path(__file__).parents[1] / "golden" / "peers.jsonl").read_text("utf-8").splitlines())]
SQUAD = qa_frame.conventions["squad"]
CHARACTERS, ALL_CHARACTERS = Text(split="characters_without_space"), Text(split="characters")
OWN = {
    "chrf beta=3": {"chrf": Chrf(text=CHARACTERS, beta=3.0)},
    "chrf beta=3 eps_smoothing": {"chrf": Chrf(text=CHARACTERS, beta=3.0, eps_smoothing=True)},
    "chrf beta=3 white space": {"chrf": Chrf(text=ALL_CHARACTERS, beta=3.0)},
    "chrf eps_smoothing": {"chrf": Chrf(text=CHARACTERS, eps_smoothing=True)},
    "chrf++ eps_smoothing": {"chrf_pp": Chrf(text=CHARACTERS, word_order=2, eps_smoothing=True)},
    "chrf++ lower": {"chrf_pp": Chrf(text=Text(("lower",), "characters_without_space"), word_order=2)},
    "bleu intl": {"bleu": replace(SQUAD.bleu, text=Text(split="intl"))},
    "bleu white space": {"bleu": replace(SQUAD.bleu, text=Text())},
}
"""The rules of sources' calls with other settings than their defaults."""


def found_of(case):
    name = case["convention"]
    rules = replace(SQUAD, name="own", **OWN[name]) if name in OWN else name
    frame = pd.DataFrame(case["rows"], columns=["response", "answers"]).astype({"response": "string"})
    metric = case["metric"]
    if not metric.startswith("corpus_"):
        return frame.qa.score("response", "answers", metrics=metric, convention=rules)[metric].mean()
    of_rows = metric.removeprefix("corpus_") if "chrf" in metric else "bleu"
    scored = frame.qa.score("response", "answers", metrics=of_rows, convention=rules, stats=True)
    return scored.qa.summary(metrics=metric)[metric].item()


def test_few_values_are_not_ours():
    differing = [case for case in CASES if "ours" in case]
    assert (len(CASES), len(differing)) == (218, 7)
    assert {case["source"].split("/")[-1] for case in differing} == {"chrf.json", "chrf_plus.json"}
    assert all(abs(case["ours"] - case["expected"]) > case["within"] for case in differing)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['source'].split()[0]}-{case['metric']}")
def test_values_are_those_that_the_source_expects(case):
    assert found_of(case) == pytest.approx(case.get("ours", case["expected"]), rel=0, abs=case["within"] + 1e-9)
