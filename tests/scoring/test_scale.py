"""Long texts, many rows and little memory."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import qa_frame  # noqa: F401 - registers df.qa
from tests.benchmarks import synth
from tests.reference import kernels as twins

ROOT = Path(__file__).parents[2]
METRICS = ["f1", "rouge_l", "bleu", "contains", "em"]

NEEDS_PROC = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="peaks of memory are read from /proc"
)

SECONDS = 20
"""What a long text may take of the processors' time: the clock on the wall would count other processes', too."""

ALLOWANCE = 128 << 20
"""What the work on one batch may take, whatever the size of the input."""

MEASURE = """
import gc, sys
import numpy as np, pandas as pd, pyarrow as pa
import qa_frame

def memory(key):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(key))

with pa.OSFile(sys.argv[1]) as file:
    table = pa.ipc.open_file(file).read_all()
frame = table.to_pandas(types_mapper=pd.ArrowDtype)
frame[:100].qa.score("response", "answers", append=False)  # what is set up once
gc.collect()
held = memory("VmRSS")
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")  # resets VmHWM
scored = frame.qa.score("response", "answers", progress=False)
print(table.nbytes, memory("VmHWM") - held)
assert len(scored) == len(frame) and scored.em.notna().all()
"""
"""Prints the bytes of the input and by how much scoring it raised the most memory held at any time. In a process of
its own, for a peak that was there before would hide it."""

COUNT_NEW_PAGES = """
import resource, sys
import pyarrow as pa
import qa_frame
from qa_frame.scoring import batches

with pa.OSFile(sys.argv[1]) as file:
    table = pa.ipc.open_file(file).read_all()
if sys.argv[2] == "unaided":
    batches._keep_freed_memory = lambda: None

def score(times):
    for _ in range(times):
        qa_frame.score(table, "response", "answers")
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

print(-score(2) + score(4))
"""
"""Prints how many pages of memory the system had to clear for some calls, after the first ones."""

TIME_IMPORTS = """
import time
import numpy, pandas, pyarrow
start = time.process_time()
import qa_frame
print(time.process_time() - start)
"""


def make_text(seed: int, n_words: int, vocabulary: int) -> list[int]:
    return np.random.default_rng(seed).integers(vocabulary, size=n_words).tolist()


def spell(words: list[int]) -> str:
    """Words that every tokeniser takes as they are."""
    return " ".join(f"w{word}" for word in words)


def score_pair(pred: list[int], gold: list[int]) -> dict[str, float]:
    frame = pd.DataFrame({"response": [spell(pred)], "answers": [[spell(gold)]]})
    return frame.qa.score("response", "answers", metrics=METRICS, append=False).iloc[0].to_dict()


def expected_scores(pred: list[int], gold: list[int]) -> dict[str, float]:
    """F1 of the overlap and of the longest common subsequence, by the twins."""
    overlap = twins.clipped_matches(pred, gold, orders=1)[0]
    lcs = twins.longest_common_subsequence_of_long_texts(pred, gold)
    return {"f1": 2 * overlap / (len(pred) + len(gold)), "rouge_l": 2 * lcs / (len(pred) + len(gold))}


def run_python(script: str, *arguments: str) -> list[str]:
    """What the script prints, split."""
    # Some golds of the made-up rows are nothing but an article.
    command = [sys.executable, "-W", "error", "-W", "ignore::UserWarning", "-c", script, *arguments]
    # Dask tells the C library of its own processes to keep no memory, and leaves that in the environment.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, env=environment)
    return run.stdout.split()


def measure_memory(table: pa.Table, folder: Path) -> tuple[int, int]:
    """The table's bytes, and the bytes by which scoring it raises the peak."""
    nbytes, raised = run_python(MEASURE, write_table(table, folder))
    return int(nbytes), int(raised)


def write_table(table: pa.Table, folder: Path) -> str:
    path = str(folder / "results.arrow")
    with pa.OSFile(path, "w") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return path


# --- long texts


@pytest.mark.parametrize(
    ("n_pred", "n_gold"),
    [
        (10_000, 10_000),
        *(pytest.param(*each, marks=pytest.mark.thorough) for each in ((200_000, 5_000), (5_000, 200_000))),
    ],
)
def test_a_very_long_pair(n_pred, n_gold):
    pred, gold = make_text(1, n_pred, 3_000), make_text(2, n_gold, 3_000)
    start = time.process_time()
    scores = score_pair(pred, gold)
    assert time.process_time() - start < SECONDS
    expected = expected_scores(pred, gold)
    assert {name: scores[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    assert scores["em"] == scores["contains"] == 0
    assert 0 < scores["bleu"] < 1


@pytest.mark.parametrize("vocabulary", [3, *(pytest.param(n, marks=pytest.mark.thorough) for n in (1, 100_000))])
def test_a_very_long_text_and_a_part_of_it(vocabulary):
    text = make_text(3, 200_000, vocabulary)
    part = text[100_000:105_000]
    start = time.process_time()
    scores = score_pair(text, part)
    assert time.process_time() - start < SECONDS
    share = 2 * len(part) / (len(text) + len(part))
    assert scores == pytest.approx({"f1": share, "rouge_l": share, "bleu": scores["bleu"], "contains": 1, "em": 0})
    assert score_pair(part, part) == pytest.approx(dict.fromkeys(METRICS, 1.0))


def test_one_very_long_word():
    frame = pd.DataFrame({"response": ["a" * 5_000_000 + ".", "x"], "answers": [["A" * 5_000_000], ["x"]]})
    scored = frame.qa.score("response", "answers", metrics=["em", "f1", "contains", "rouge_l"], append=False)
    assert (scored == 1).all(axis=None)


@pytest.mark.thorough
def test_many_long_rows():
    preds = [make_text(seed, 2_000, 800) for seed in range(300)]
    golds = [[*pred[500:1_000], *make_text(1_000 + seed, 700, 800)] for seed, pred in enumerate(preds)]
    frame = pd.DataFrame({"response": [*map(spell, preds)], "answers": [[spell(gold)] for gold in golds]})
    start = time.process_time()
    scored = frame.qa.score("response", "answers", metrics=METRICS, append=False)
    assert time.process_time() - start < SECONDS
    for row in (0, 150, 299):
        expected = expected_scores(preds[row], golds[row])
        assert scored.loc[row, list(expected)].to_dict() == pytest.approx(expected, rel=1e-12)


def test_a_row_with_very_many_golds():
    words = make_text(1, 200_000, 50)
    golds = [spell(words[start : start + 4]) for start in range(0, len(words), 4)]
    frame = pd.DataFrame({"response": ["w1 w2 w3 w4"], "answers": [[*golds, "w1 w2 w3 w4"]]})
    scored = frame.qa.score("response", "answers", append=False)
    assert scored.iloc[0].tolist() == pytest.approx([1.0] * 6)


# --- memory


@NEEDS_PROC
@pytest.mark.thorough
def test_memory_of_many_rows_is_bounded(tmp_path):
    nbytes, raised = measure_memory(synth.make_table("short", 200_000), tmp_path)
    assert raised <= 3 * nbytes + ALLOWANCE, f"{raised / nbytes:.2f} times the input"


@pytest.mark.slow
@NEEDS_PROC
def test_memory_of_very_many_rows_is_bounded(tmp_path):
    nbytes, raised = measure_memory(synth.make_table("short", 1_000_000), tmp_path)
    assert raised <= 3 * nbytes, f"{raised / nbytes:.2f} times the input"


@pytest.mark.slow
@NEEDS_PROC
def test_memory_of_many_long_rows_is_bounded(tmp_path):
    nbytes, raised = measure_memory(synth.make_table("essay", 20_000), tmp_path)
    assert raised <= 3 * nbytes + ALLOWANCE, f"{raised / nbytes:.2f} times the input"


@NEEDS_PROC
@pytest.mark.thorough
def test_memory_of_a_very_long_pair_is_bounded(tmp_path):
    """All match masks at once would take 125 MB."""
    pred, gold = (spell(make_text(seed, n_words, 3_000)) for seed, n_words in ((1, 200_000), (2, 5_000)))
    nbytes, raised = measure_memory(pa.table({"response": [pred], "answers": [[gold]]}), tmp_path)
    assert raised <= 3 * nbytes + (80 << 20), f"{raised >> 20} MiB"


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries keep freed memory in other ways")
@pytest.mark.thorough
def test_freed_memory_serves_the_next_batch(tmp_path):
    path = write_table(synth.make_table("short", 20_000), tmp_path)
    aided, unaided = (int(run_python(COUNT_NEW_PAGES, path, how)[0]) for how in ("aided", "unaided"))
    assert aided < unaided / 2, (aided, unaided)


# --- start


@pytest.mark.slow
def test_import_is_quick():
    seconds = min(float(run_python(TIME_IMPORTS)[0]) for _ in range(5))
    assert seconds < 0.05
