"""In a browser, Python has no processes, no threads and no files of its own. Scoring needs none of them.

No build for browsers has all required packages at this time: Pyodide 314.0 has pyarrow 22, pandas 3.0 and numpy 2.4,
but no RapidFuzz. So this test takes away that which a browser lacks from a Python that has it.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.whole

TAKEN_AWAY = """
import builtins, multiprocessing, os, subprocess, sys, tempfile, threading
import numpy, pandas, pyarrow, rapidfuzz, tqdm, click  # those packages are not the question here
import pyarrow.compute
import rapidfuzz.process
from rapidfuzz.distance import Levenshtein, LCSseq

pyarrow.set_cpu_count(1)
pyarrow.set_io_thread_count(1)

def lacking(what):
    def refuse(*arguments, **keywords):
        raise RuntimeError(f"a browser has no {what}")
    return refuse

for module, names in {
    os: ["fork", "posix_spawn", "memfd_create", "kill", "mkdir", "makedirs", "pipe"],
    subprocess: ["Popen"], multiprocessing: ["Process", "Pipe", "Queue"], threading: ["Timer"],
    tempfile: ["mkstemp", "mkdtemp", "TemporaryFile", "NamedTemporaryFile"],
}.items():
    for name in names:
        if hasattr(module, name):
            setattr(module, name, lacking(f"{module.__name__}.{name}"))
threading.Thread.start = lacking("threads")
os.cpu_count = lambda: 1
if hasattr(os, "sched_getaffinity"):
    del os.sched_getaffinity

own_open = builtins.open
def only_reading(file, mode="r", *arguments, **keywords):
    if set(mode) & set("wax+"):
        raise OSError("a browser has no files of one's own")
    return own_open(file, mode, *arguments, **keywords)
builtins.open = only_reading

import qa_frame
"""

CALLS = """
frame = qa_frame.sample()
scored = frame.qa.score("response", "answers", metrics=["em", "f1", "contains", "bleu"], progress=False)
assert scored["f1"].mean() > 0.3
assert len(scored.qa.summary(by="model", ci=0.95)) == 3
assert len(scored.qa.summary(by="model", metrics="f1", ci=0.95, method="bootstrap")) == 3
assert len(scored.qa.compare(by="model", question="question_id", metrics=["em", "f1"])) == 6
assert "<table" in frame.qa.explain(3, pred="response", gold="answers")._repr_html_()
assert len(frame.qa.audit(pred="response", gold="answers"))
words = ["w%d" % place for place in range(300)]
assert qa_frame.score_one(" ".join(words), " ".join(words[:150]), metrics=["rouge_l", "edit_similarity"])["rouge_l"] < 1
try:
    open("scores.csv", "w")
except OSError as error:
    assert "a browser has no" in str(error)
else:
    raise AssertionError("nothing was taken away")
"""


@pytest.mark.thorough
def test_scoring_needs_no_process_thread_or_file():
    ended = subprocess.run(
        [sys.executable, "-W", "ignore::UserWarning", "-c", TAKEN_AWAY + CALLS],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
