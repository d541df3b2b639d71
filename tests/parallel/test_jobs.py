"""Worker processes, threads, and the progress bar: who sees it, and when."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import joblib
import pandas as pd
import pytest
from joblib._parallel_backends import ThreadingBackend

import qa_frame
from qa_frame.frames.text_columns import read_columns
from qa_frame.parallel import jobs
from qa_frame.parallel.jobs import consume_with_progress, count_all_jobs, run_in_threads, run_jobs
from qa_frame.parallel.memory_files import MemoryFiles
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


def test_an_active_parallel_config_is_honoured(frame):
    with joblib.parallel_config(n_jobs=2):
        assert os.getpid() not in pids(frame)
        assert pids(frame, n_jobs=1) == {os.getpid()}
    assert pids(frame) == {os.getpid()}


@pytest.mark.parametrize("backend", ["threading", "multiprocessing", "loky"])
def test_any_backend_of_joblib_gives_the_same(frame, backend):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        pd.testing.assert_frame_equal(score(frame), score(frame, n_jobs=1), check_exact=True)


def test_a_backend_that_gives_all_results_at_the_end_will_do(frame, monkeypatch):
    monkeypatch.setattr(ThreadingBackend, "supports_return_generator", False)
    with joblib.parallel_config(backend="threading"):
        pd.testing.assert_frame_equal(score(frame, n_jobs=2), score(frame), check_exact=True)


def test_a_backend_with_settings_of_its_own_is_left_to_joblib(frame):
    def mark():
        os.environ["QA_FRAME_TEST_MARK"] = "1"

    with joblib.parallel_config(backend="loky", initializer=mark):
        found = score(frame, reduce=lambda _: float("QA_FRAME_TEST_MARK" in os.environ), metrics="em", n_jobs=2)
    assert found["em"].max() == 1


def test_one_batch_starts_no_worker(frame, monkeypatch):
    monkeypatch.setattr(jobs, "run_in_workers", None)
    assert len(score(frame[:10], n_jobs=2)) == 10


def test_an_error_in_a_worker_is_that_of_this_process(frame):
    def broken(_):
        return "high"

    with pytest.raises(qa_frame.ReductionError) as here:
        score(frame, reduce=broken, n_jobs=1)
    with pytest.raises(qa_frame.ReductionError, match="high") as there:
        score(frame, reduce=broken, n_jobs=2)
    assert str(here.value) == str(there.value)


def test_a_worker_that_dies_is_an_error_and_the_next_call_works(frame):
    def deadly(_):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(qa_frame.WorkerError, match="n_jobs=1"):
        score(frame, reduce=deadly, n_jobs=2)
    assert len(score(frame, n_jobs=2)) == len(frame)


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


def test_an_error_of_who_gives_the_parts_is_not_lost():
    def parts():
        yield from range(50)
        raise KeyError("the fiftieth")

    with pytest.raises(KeyError, match="the fiftieth"):
        list(run_jobs(abs, parts(), 2))


def test_workers_stay_ready_after_an_error(frame):
    def broken(_):
        return "high"

    before = pids(frame, n_jobs=2)
    with pytest.raises(qa_frame.ReductionError):
        score(frame, reduce=broken, n_jobs=2)
    assert pids(frame, n_jobs=2) & before


def test_without_joblib_the_error_names_the_extra(monkeypatch, frame):
    monkeypatch.setattr(jobs, "_has_joblib", lambda: False)
    with pytest.raises(qa_frame.MissingPackageError, match=re.escape('pip install "qa-frame[parallel]"')):
        score(frame, n_jobs=2)
    assert len(score(frame, n_jobs=1)) == len(frame)
    assert count_all_jobs(None) == 1


def test_files_use_every_core_unless_told_otherwise():
    assert count_all_jobs(None) == joblib.effective_n_jobs(-1)
    assert count_all_jobs(1) == 1
    with joblib.parallel_config(n_jobs=3):
        assert count_all_jobs(None) == 3


def test_a_slice_travels_alone(frame):
    columns = read_columns(frame, pred="response", gold="answers")
    part = columns.slice(5, 25)
    sent = pickle.dumps(part)
    assert len(sent) < 4 * part.nbytes + 4096 < columns.nbytes / 4
    got = pickle.loads(sent)
    assert got.pred.equals(part.pred)
    assert got.golds.equals(part.golds)


# --- files in memory

ON_LINUX = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="files in memory are those of Linux")


@ON_LINUX
def test_a_file_that_does_not_take_a_value_is_used_again():
    with MemoryFiles(1) as files:
        assert files.put(open_files) is open_files  # pickle knows no function that another one has made
        assert files.take(files.put(5)) == 5


def make_open_files():
    """A function that can be sent to workers, which cannot import this module."""

    def open_files():
        """How many files in memory this process holds open."""
        targets = []
        for link in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # that of the listing itself
                targets.append(str(link.readlink()))
        return sum(target.startswith("/memfd:qa_frame") for target in targets)

    return open_files


open_files = make_open_files()


@pytest.fixture
def taken(monkeypatch):
    """What came back in files, in the order in which it came."""
    found = []
    take = MemoryFiles.take

    def noting(self, file):
        found.append(take(self, file))
        return found[-1]

    monkeypatch.setattr(MemoryFiles, "take", noting)
    return found


@ON_LINUX
def test_results_come_back_in_files(taken):
    parts = [b"a" * 5_000_000, b"b", b"", b"c" * 70_000] * 10
    expected = [part.upper() for part in parts]
    assert list(run_jobs(bytes.upper, parts, 2)) == expected
    assert sorted(outcome.result for outcome in taken) == sorted(expected)


@ON_LINUX
@pytest.mark.parametrize("backend", ["threading", "multiprocessing"])
def test_other_backends_get_no_files(taken, backend):
    with joblib.parallel_config(backend=backend):
        assert list(run_jobs(abs, [-1, -2, -3], 2)) == [1, 2, 3]
    assert not taken


@ON_LINUX
def test_what_pickle_does_not_know_goes_through_the_pipe(taken):
    functions = [lambda n, i=i: n + i for i in range(5)]
    assert [f(10) for f in run_jobs(lambda f: lambda n: f(n) * 2, functions, 2)] == [20, 22, 24, 26, 28]
    assert list(run_jobs(lambda n: lambda: n, range(3), 2))[2]() == 2
    assert not taken


@ON_LINUX
def test_workers_that_may_not_open_the_files(taken, monkeypatch):
    make = MemoryFiles._make

    def make_for_this_process_alone(self):
        file = make(self)
        return replace(file, path=file.path.replace(str(os.getpid()), "self"))

    monkeypatch.setattr(MemoryFiles, "_make", make_for_this_process_alone)
    done = list(run_jobs(lambda n: (n, os.getpid()), range(100), 2))
    assert [n for n, _ in done] == list(range(100))
    assert 1 <= [pid for _, pid in done].count(os.getpid()) == len(taken) <= 8  # the others went through the pipe


@ON_LINUX
def test_a_slow_reader_of_results_holds_few_parts_and_files(taken):
    read = []

    def parts():
        for part in range(-40, 0):
            read.append(part)
            yield part

    results = run_jobs(abs, parts(), 2)
    assert next(results) == 40
    assert 0 < open_files() <= 8
    assert len(read) <= 8
    assert list(results) == list(range(39, 0, -1))
    assert len(taken) == 40


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


@ON_LINUX
def test_no_file_stays_open(frame):
    def broken(_):
        return "high"

    def deadly(_):
        os.kill(os.getpid(), signal.SIGKILL)

    def count(_, count_here=open_files):
        return count_here()

    assert max(run_jobs(count, range(50), 2)) == 1  # in a worker: that of the part
    score(frame, n_jobs=2)
    with pytest.raises(qa_frame.ReductionError):
        score(frame, reduce=broken, n_jobs=2)
    with pytest.raises(qa_frame.WorkerError):
        score(frame, reduce=deadly, n_jobs=2)
    with contextlib.closing(run_jobs(abs, range(100), 2)) as results:
        next(results)
        assert open_files()
    assert not open_files()


@ON_LINUX
def test_another_file_of_the_same_number_is_not_opened(tmp_path):
    with MemoryFiles(1) as files:
        file = files.put("a part")
        assert files.put("another") == "another"  # no more files than one
        assert files.take(file) == "a part"
    mine, number = os.open(tmp_path / "mine", os.O_CREAT | os.O_RDWR), int(Path(file.path).name)
    try:
        if mine != number:
            os.dup2(mine, number)
        with pytest.raises(FileNotFoundError, match="another file"):
            file.open()
    finally:
        for each in {mine, number}:
            os.close(each)
