"""Worker processes, threads, and the progress bar: who sees it, and when."""

from __future__ import annotations

import io
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import pandas as pd
import pytest

import qa_frame
from qa_frame.frames.text_columns import read_columns
from qa_frame.parallel import jobs
from qa_frame.parallel.jobs import consume_with_progress, count_all_jobs, run_in_threads, run_jobs
from qa_frame.scoring import batches


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown_in_terminal(monkeypatch, n_rows, *, progress):
    """What a terminal shows of parts of so many rows."""
    terminal = Terminal()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", terminal)
        consume_with_progress((n for n in n_rows), n_rows=sum(n_rows), progress=progress)
    return terminal.getvalue()


@pytest.mark.parametrize("progress", [True, False, None])
def test_all_parts_are_done_with_or_without_a_bar(progress):
    done = []
    consume_with_progress((done.append(n) or n for n in [3, 1, 2]), n_rows=6, progress=progress)
    assert done == [3, 1, 2]


def test_by_default_a_bar_comes_in_a_terminal_after_a_while(monkeypatch):
    assert shown_in_terminal(monkeypatch, [10, 20, 30], progress=None) == ""
    monkeypatch.setattr(jobs, "_SECONDS_WITHOUT_BAR", 0)
    assert "60.0/60.0" in shown_in_terminal(monkeypatch, [10, 20, 30], progress=None)


def test_one_batch_has_no_bar_unless_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(jobs, "_SECONDS_WITHOUT_BAR", 0)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    score(qa_frame.sample()[:10])
    assert terminal.getvalue() == ""
    score(qa_frame.sample()[:10], progress=True)
    assert "10.0/10.0" in terminal.getvalue()


def test_an_error_closes_the_bar(capsys):
    with pytest.raises(ZeroDivisionError):
        consume_with_progress((1 // part for part in (1, 0)), n_rows=2, progress=True)
    assert capsys.readouterr().err.endswith("\n")


@pytest.mark.thorough
def test_a_short_call_does_not_load_the_bar():
    script = (
        "import sys, qa_frame; sys.stderr.isatty = lambda: True; "
        "qa_frame.sample().qa.score('response', 'answers'); print('tqdm' in sys.modules)"
    )
    root = Path(qa_frame.__file__).parents[1]
    printed = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert printed.stdout == "False\n"


# --- threads


@pytest.mark.parametrize("n_processors", [1, 3])
def test_threads_do_all_parts(monkeypatch, n_processors):
    monkeypatch.setattr(jobs, "_count_processors", lambda: n_processors)
    done = []
    run_in_threads(done.append, range(100))
    assert sorted(done) == list(range(100))


def test_an_error_in_a_thread_ends_the_work(monkeypatch):
    monkeypatch.setattr(jobs, "_count_processors", lambda: 2)
    begun = []

    def work(part):
        begun.append(part)
        if part == 0:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_in_threads(work, range(10_000))
    assert len(begun) < 10_000


# --- worker processes


@pytest.fixture(scope="module")
def frame():
    """Some thousand rows, in batches enough for two workers."""
    sample = qa_frame.sample()
    return pd.concat([sample] * 15)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", 400)


def score(frame, **options):
    return frame.qa.score("response", "answers", append=False, **options)


def pids(frame, **options):
    """The processes that score the frame."""
    answered = frame[frame["response"].notna()]
    return set(score(answered, reduce=lambda _: float(os.getpid()), metrics="em", **options)["em"].dropna())


def test_scores_come_from_other_processes_and_are_the_same(frame):
    found = pids(frame, n_jobs=2)
    assert found
    assert os.getpid() not in found
    pd.testing.assert_frame_equal(score(frame, n_jobs=2), score(frame), check_exact=True)


def test_one_batch_starts_no_worker(frame, monkeypatch):
    monkeypatch.setattr(jobs, "run_in_workers", None)
    assert len(score(frame[:10], n_jobs=2)) == 10


def test_an_error_in_a_worker_is_that_of_this_process(frame):
    def broken(_):
        return "high"

    with pytest.raises(qa_frame.errors.ReductionError) as here:
        score(frame, reduce=broken, n_jobs=1)
    with pytest.raises(qa_frame.errors.ReductionError, match="high") as there:
        score(frame, reduce=broken, n_jobs=2)
    assert str(here.value) == str(there.value)


@pytest.mark.thorough
def test_a_worker_that_dies_is_an_error_and_the_next_call_works(frame):
    def deadly(_):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(qa_frame.errors.WorkerError, match="n_jobs=1"):
        score(frame, reduce=deadly, n_jobs=2)
    assert len(score(frame, n_jobs=2)) == len(frame)


@pytest.mark.thorough
def test_parts_are_read_a_few_at_a_time():
    read = []

    def parts():
        for part in range(1000):
            read.append(part)
            yield part

    results = run_jobs(abs, parts(), 2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    results.close()
    assert len(read) < 100


@pytest.mark.thorough
def test_an_error_of_who_gives_the_parts_is_not_lost():
    def parts():
        yield from range(50)
        raise KeyError("the fiftieth")

    with pytest.raises(KeyError, match="the fiftieth"):
        list(run_jobs(abs, parts(), 2))


def test_without_joblib_the_error_names_the_extra(monkeypatch, frame):
    monkeypatch.setattr(jobs, "_has_joblib", lambda: False)
    with pytest.raises(qa_frame.errors.MissingPackageError, match=re.escape('pip install "qa-frame[parallel]"')):
        score(frame, n_jobs=2)
    assert len(score(frame, n_jobs=1)) == len(frame)
    assert count_all_jobs(None) == 1


def test_files_use_every_core_unless_told_otherwise():
    assert count_all_jobs(None) == joblib.effective_n_jobs(-1)
    assert count_all_jobs(1) == 1


def test_a_slice_travels_alone(frame):
    columns = read_columns(frame, pred="response", gold="answers")
    part = columns.slice(5, 25)
    sent = pickle.dumps(part)
    assert len(sent) < 4 * part.nbytes + 4096 < columns.nbytes / 4
    got = pickle.loads(sent)
    assert got.pred.equals(part.pred)
    assert got.golds.equals(part.golds)


# --- what goes to workers and back


@pytest.mark.thorough
def test_functions_without_a_name_are_parts_and_results_too():
    functions = [lambda n, i=i: n + i for i in range(5)]
    assert [f(10) for f in run_jobs(lambda f: lambda n: f(n) * 2, functions, 2)] == [20, 22, 24, 26, 28]
    assert list(run_jobs(lambda n: lambda: n, range(3), 2))[2]() == 2


def test_a_slow_reader_of_results_holds_few_parts():
    read = []

    def parts():
        for part in range(-40, 0):
            read.append(part)
            yield part

    results = run_jobs(abs, parts(), 2)
    assert next(results) == 40
    assert len(read) <= 8
    assert list(results) == list(range(39, 0, -1))


@pytest.mark.thorough
def test_a_slow_part_holds_the_others_up_only_after_a_while():
    """Results that are ready wait for an earlier one, but no more than a few."""
    read = []

    def parts():
        for part in range(40):
            read.append(part)
            yield part

    results = run_jobs(lambda part: time.sleep(part == 0) or part, parts(), 2)
    assert next(results) == 0
    assert len(read) <= 8
    assert list(results) == list(range(1, 40))


@pytest.mark.parametrize(("parts", "is_here"), [([1], True), ([1, 2], False)])
def test_one_part_needs_no_worker(parts, is_here):
    pids = set(run_jobs(lambda _: os.getpid(), parts, 2))
    assert (pids == {os.getpid()}) == is_here


@pytest.mark.parametrize("progress", [True, None])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_program_without_a_console_has_no_bar(monkeypatch, progress, is_there):
    """As a service, or `pythonw` in Windows: its streams are closed, or None."""
    monkeypatch.setattr(jobs, "_SECONDS_WITHOUT_BAR", 0)
    closed = Terminal()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed if is_there else None)
    done = []
    consume_with_progress((done.append(n) or n for n in [3, 1]), n_rows=4, progress=progress)
    assert done == [3, 1]
