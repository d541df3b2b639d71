"""A user's script is checked by `mypy --strict`, by the functions and by `QAAccessor`: `df.qa` cannot be typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.features import added, lists_of

pytest.importorskip("mypy", reason="in the extra dev")

pytestmark = pytest.mark.whole

SCRIPT = """
import pandas as pd
import qa_frame
from qa_frame.accessor import QAAccessor

df = pd.DataFrame({"r": ["a"], "a": [["a"]], "m": ["x"]})
scored: pd.DataFrame = qa_frame.score(df, "r", "a", metrics=["em", "f1"], reduce=max, stats=True)
table: pd.DataFrame = qa_frame.summary(scored, by="m", ci=0.95)
pooled: pd.DataFrame = qa_frame.Pool(by="m").update(scored).summary()
compared: pd.DataFrame = qa_frame.compare(scored, by="m", question="q")
ranked: pd.DataFrame = qa_frame.ranks(compared, ci=0.9)
what: str = qa_frame.metrics["f1"].what
golds: "pd.Series[str]" = qa_frame.to_golds(df["a"])
votes: "pd.Series[str]" = qa_frame.normalise(df["r"], "squad")
qa = QAAccessor(df)
judged: pd.DataFrame = qa_frame.summary(scored, by="m", metrics=["em", "judge"])
for name in qa_frame.conventions:
    qa_frame.score(df, "r", "a", metrics=[*qa_frame.metrics], convention=name)
own = qa_frame.Convention(name="own", metrics=("em",), exact=qa_frame.rules.Exact(text=qa_frame.rules.Text()))
length = qa_frame.PairMetric("length", lambda preds, golds: [float(len(pred)) for pred in preds])
qa_frame.score_one("a", "a", metrics=["em", length], convention=own)
by_method: pd.DataFrame = qa.score("r", "a", metrics=["em", "f1"], reduce=max)
"""
SCRIPT += "".join(lists_of("TYPED").values())
WRONG = {
    'qa_frame.score(df, "r", "a", reduce="median")': "reduce",
    'qa_frame.summary(df, ci="95")': "ci",
    'qa_frame.score(df, gold="a")': "pred",
    "number: int = qa_frame.score(df, 'r', 'a')": "Incompatible types",
    'qa.score("r", "a", missing="nil")': "missing",
    "qa.compare()": "Too few arguments",
    'qa_frame.score(df, "r", "a", metrics="rouge-l")': "metrics",
    'qa.score("r", "a", metrics=["em", "rouge-l"])': "List item 1",
    'qa.score("r", "a", convention="squad3")': "convention",
    'qa_frame.score(df, "r", "a", reduce="best", best_by="rouge-l")': "best_by",
    'qa_frame.score_one("a", "a", metrics="rouge-l")': "metrics",
    'qa_frame.normalise(df["r"], "squad3")': "squad3",
    'qa_frame.Pool(threshold="half")': "threshold",
    'qa_frame.Convention(name="own", metrics=("rouge-l",))': "metrics",
    'pooled = qa.summary(ci="95")': "ci",
    **added("WRONGLY_TYPED"),
}


def check(path: Path, script: str) -> subprocess.CompletedProcess[str]:
    path.write_text(script)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(path.parent), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_script_is_checked(tmp_path):
    checked = check(tmp_path / "script.py", SCRIPT)
    assert checked.returncode == 0, checked.stdout
    wrong = check(tmp_path / "wrong.py", SCRIPT + "\n".join(WRONG))
    lines = wrong.stdout.splitlines()
    for number, said in enumerate(WRONG.values(), len(SCRIPT.splitlines()) + 1):
        place = f"{tmp_path / 'wrong.py'}:{number}: error"
        assert any(line.startswith(place) and said in line for line in lines), (said, wrong.stdout)
