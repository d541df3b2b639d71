"""`math_verify` gives what Hugging Face's package gives, each pair once and within a limit of time."""

import re
import sys

import pandas as pd
import pytest

import qa_frame  # noqa: F401
from qa_frame.errors import MissingPackageError, ScoringWarning

GOLDS = [
    *(
        "1/2",
        "$\\frac{1}{2}$",
        "0.5",
        "50\\%",
        "$x+1$",
        "$1+x$",
        "$\\sqrt{4}$",
        "$2$",
        "$\\{1,2\\}$",
        "$(1,2)$",
        "$[1,2)$",
    ),
    *("$x=3$", "3", "$x^2-1$", "$(x-1)(x+1)$", "$10^3$", "1,000", "$\\pi$", "3.14159265", "yes", "", "$\\infty$"),
]
PREDICTIONS = [*GOLDS, "The answer is $\\boxed{\\frac{1}{2}}$.", "So x = 3", "It is 7, no, \\boxed{2}", "ü \ud7ff 👍"]


def math_verify():
    return pytest.importorskip("math_verify")


@pytest.mark.thorough
def test_values_are_those_of_the_package():
    package = math_verify()
    frame = pd.DataFrame({"response": PREDICTIONS, "answers": [GOLDS[:1]] * len(PREDICTIONS)})
    frame = pd.concat([frame.assign(answers=[[gold]] * len(frame)) for gold in GOLDS], ignore_index=True)
    found = frame.qa.score("response", "answers", metrics=["em", "math_verify"])["math_verify"]
    parsed = {text: package.parse(text) for text in PREDICTIONS}
    expected = [float(package.verify(parsed[gold], parsed[pred])) for gold in GOLDS for pred in PREDICTIONS]
    assert found.to_list() == expected
    assert 0.05 < found.mean() < 0.5


def test_the_best_gold_counts_and_a_null_prediction_is_wrong():
    math_verify()
    frame = pd.DataFrame({"response": ["$\\frac12$", None, "2"], "answers": [["3", "0.5"], ["1"], []], "model": "m"})
    scored = frame.qa.score("response", "answers", metrics="math_verify")
    assert scored["math_verify"].fillna(-1).to_list() == [1.0, 0.0, -1.0]
    summary = scored.qa.summary(by="model", metrics="math_verify", ci=0.95)
    assert summary["math_verify"].item() == 0.5


def test_slow_pairs_are_wrong_and_counted(monkeypatch):
    math_verify()
    """The first pair may take longer, as a worker imports the package for it."""
    monkeypatch.setattr("qa_frame.ext.judges.math_verify._SECONDS", 0.5)
    frame = pd.DataFrame({"response": ["2", "$9^{9^{9^{9}}}$"], "answers": ["$2$", "$7^{9^{9^{9}}}$"]})
    with pytest.warns(ScoringWarning, match="1 pair took longer than 0.5 seconds"):
        scored = frame.qa.score("response", "answers", metrics="math_verify")
    assert scored["math_verify"].to_list() == [1.0, 0.0]


@pytest.mark.parametrize("package", ["math_verify", "joblib"])
def test_without_the_extra(monkeypatch, package):
    monkeypatch.setattr("qa_frame.ext.judges.math_verify._PACKAGES", (package + "_that_is_not_there",))
    frame = pd.DataFrame({"response": ["1"], "answers": ["1"]})
    with pytest.raises(MissingPackageError, match=re.escape('pip install "qa-frame[math]"')):
        frame.qa.score("response", "answers", metrics=["em", "math_verify"])
    assert "sympy" not in sys.modules or math_verify()
