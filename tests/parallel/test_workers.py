"""Worker processes: that they end, when they should and whatever they do, and that none is missed or waited for.

No test has a limit of time but `GUARD`, which only keeps a hang from being for ever.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import qa_frame
from qa_frame.parallel import workers
from qa_frame.parallel.jobs import run_jobs

GUARD = 600
ROOT = Path(qa_frame.__file__).parents[1]
THOROUGH = pytest.mark.thorough
ON_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and forks are those of POSIX")

HEAD = """
import os, re, signal, sys, time
from pathlib import Path
from qa_frame.parallel.jobs import run_jobs
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever has started this may ignore it

def say(word):
    os.write(1, f"{word}\\n".encode())
"""


@pytest.fixture(autouse=True)
def no_workers_from_before():
    """Each test starts with none, and leaves none that it has spoilt."""
    workers.end_workers()
    yield
    workers.end_workers()


@contextlib.contextmanager
def started(script, *arguments):
    """A process of Python in a group of its own; its output is read line by line."""
    process = subprocess.Popen(
        [sys.executable, "-c", HEAD + script, *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    guard = threading.Timer(GUARD, lambda: os.killpg(process.pid, signal.SIGKILL))
    guard.start()
    try:
        yield process
    finally:
        guard.cancel()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()
        process.stderr.close()
        process.wait()


def wait_for(is_so):
    """Until it is so."""
    end = time.monotonic() + GUARD
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def has_ended(pid):
    """Whether there is no such process, or only its exit code is left."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


BUSY = """
def work(part):
    say(os.getpid())
    BUSY_WITH

try:
    list(run_jobs(work, range(10), 2))
except KeyboardInterrupt:
    say("interrupted")
    input()
"""

BUSY_WITH = {
    "sleep": "time.sleep(100_000)",
    "numpy": "import numpy; [numpy.sort(numpy.random.rand(10**6)) for _ in range(10**9)]",
    "re": "re.match('(a+)+$', 'a' * 60 + 'b')",  # which never lets go of the interpreter
    "deaf": "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM}); time.sleep(100_000)",
}


@ON_POSIX
@pytest.mark.parametrize(
    ("with_what", "sent_to"),
    [
        ("sleep", "group"),
        *(
            pytest.param(*each, marks=THOROUGH)
            for each in (
                ("sleep", "process"),
                ("numpy", "group"),
                ("re", "group"),
                ("re", "process"),
                ("deaf", "process"),
            )
        ),
    ],
)
def test_ctrl_c_ends_workers_whatever_they_do(with_what, sent_to):
    with started(BUSY.replace("BUSY_WITH", BUSY_WITH[with_what])) as process:
        pids = [int(process.stdout.readline()) for _ in range(2)]
        if sent_to == "process":
            process.send_signal(signal.SIGINT)
        else:
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.stdout.readline() == "interrupted\n"
        assert all(map(has_ended, pids))  # while this process goes on
        assert process.poll() is None


@pytest.mark.thorough
@ON_POSIX
@pytest.mark.parametrize(
    ("with_what", "sent"),
    [("numpy", "SIGKILL"), *([pytest.param("re", "SIGTERM", marks=THOROUGH)] if sys.platform == "linux" else [])],
)
def test_workers_end_when_their_parent_does(with_what, sent):
    with started(BUSY.replace("BUSY_WITH", BUSY_WITH[with_what])) as process:
        pids = [int(process.stdout.readline()) for _ in range(2)]
        process.send_signal(getattr(signal, sent))
        process.wait()
        for pid in pids:
            wait_for(lambda pid=pid: has_ended(pid))


@THOROUGH
@ON_POSIX
@pytest.mark.parametrize("in_thread", [False, True])
def test_workers_that_have_nothing_to_do_end_when_their_parent_does(in_thread):
    script = """
import threading
def use():
    for pid in sorted({pid for pid in run_jobs(lambda _: time.sleep(0.2) or os.getpid(), range(8), 2)}):
        say(pid)
if len(sys.argv) > 1:
    thread = threading.Thread(target=use)
    thread.start(), thread.join()
else:
    use()
say("ready"), time.sleep(100_000)
"""
    with started(script, *["in thread"] * in_thread) as process:
        pids = [int(line) for line in iter(process.stdout.readline, "ready\n")]
        assert pids
        assert not any(map(has_ended, pids))
        process.kill()
        process.wait()
        for pid in pids:
            wait_for(lambda pid=pid: has_ended(pid))


@THOROUGH
def test_workers_do_not_outlive_a_process_that_ends_as_it_should():
    script = "for pid in set(run_jobs(lambda _: os.getpid(), range(8), 2)): say(pid)"
    with started(script) as process:
        pids = [int(line) for line in process.stdout]
        assert process.wait() == 0
        assert process.stderr.read() == ""
        for pid in pids:
            wait_for(lambda pid=pid: has_ended(pid))


@THOROUGH
@pytest.mark.parametrize(
    "how",
    [
        "spawn",
        pytest.param("fork", marks=ON_POSIX),
        pytest.param("forkserver", marks=ON_POSIX),
        "executor",
        "joblib",
    ],
)
def test_a_child_process_that_had_workers_ends_at_once(how):
    """A child of multiprocessing does not run what is registered with `atexit`, and waits for its own children.

    Idle workers would live on for five minutes.
    """
    script = """
import joblib, multiprocessing, sys, threading
from concurrent.futures import ProcessPoolExecutor
code = "from qa_frame.parallel.jobs import run_jobs; print(list(run_jobs(abs, [-1, -2, -3], 2)), flush=True)"
threading.Timer(60, os._exit, (1,)).start()
if sys.argv[1] == "executor":
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        executor.submit(exec, code, {}).result()
elif sys.argv[1] == "joblib":
    joblib.Parallel(2)([joblib.delayed(exec)(code, {}), joblib.delayed(abs)(1)])
else:
    process = multiprocessing.get_context(sys.argv[1]).Process(target=exec, args=(code, {}))
    process.start(), process.join()
say("ended"), os._exit(0)
"""
    with started(script, how) as process:
        assert [process.stdout.readline() for _ in range(2)] == ["[1, 2, 3]\n", "ended\n"]


@THOROUGH
@ON_POSIX
def test_ctrl_c_at_any_moment():
    """In a loop with few parts: at the start of workers, while parts are handed out, when all is done."""
    script = """
import random
random.seed(1)

def interrupt():
    signal.setitimer(signal.ITIMER_REAL, random.choice([0.001, 0.01, 0.05, 0.3, 1, 2]) * random.random() + 1e-6)

signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
n_stopped = 0
for turn in range(30):
    try:
        interrupt()
        try:
            assert list(run_jobs(abs, range(-9, 0), 2)) == list(range(9, 0, -1))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        n_stopped += 1
assert list(run_jobs(abs, range(-9, 0), 2)) == list(range(9, 0, -1))
say(n_stopped)
"""
    with started(script) as process:
        printed, errors = process.communicate()
        assert process.returncode == 0, errors
        assert int(printed) > 0


@ON_POSIX
@THOROUGH
def test_a_reader_who_stops_early_ends_the_workers():
    results = run_jobs(lambda part: time.sleep(part * 100_000) or os.getpid(), [0, 1, 1, 1, 1], 2)
    pid = next(results)
    results.close()
    assert has_ended(pid)
    assert not workers.all_workers
    assert list(run_jobs(abs, [-1, -2, -3], 2)) == [1, 2, 3]


@THOROUGH
@ON_POSIX
def test_an_error_ends_the_workers(tmp_path):
    def work(part):
        if part == 0:
            raise qa_frame.errors.UnknownOptionError("no")
        time.sleep(0.1)
        (tmp_path / str(part)).touch()

    with pytest.raises(qa_frame.errors.UnknownOptionError, match="no"):
        list(run_jobs(work, range(100), 2))
    assert not workers.all_workers
    n_done = len(list(tmp_path.iterdir()))
    assert n_done < 20
    assert list(run_jobs(abs, range(-9, 0), 2)) == list(range(9, 0, -1))
    assert len(list(tmp_path.iterdir())) == n_done


@ON_POSIX
@THOROUGH
def test_a_worker_that_is_killed_while_the_first_parts_are_handed_out():
    """By the parts themselves, at each of the first ones."""
    for n_before in (0, 1, 3):
        assert list(run_jobs(abs, [-1, -2, -3], 2)) == [1, 2, 3]

        def parts(n_before=n_before):
            for part in range(40):
                if part == n_before:
                    for worker in workers.all_workers:
                        os.kill(worker.process.pid, signal.SIGKILL)
                yield part

        try:
            assert list(run_jobs(abs, parts(), 2)) == list(range(40))  # none was needed yet
        except qa_frame.errors.WorkerError as error:
            assert "n_jobs=1" in str(error)  # noqa: PT017  (or none)


@ON_POSIX
@THOROUGH
def test_workers_that_have_ended_by_themselves_are_replaced():
    for _ in range(2):
        assert list(run_jobs(abs, range(-9, 0), 2)) == list(range(9, 0, -1))
        before = {worker.process.pid for worker in workers.all_workers}
        for pid in before:
            os.kill(pid, signal.SIGKILL)
    assert list(run_jobs(abs, range(-9, 0), 2)) == list(range(9, 0, -1))
    assert not before & {worker.process.pid for worker in workers.all_workers}


@THOROUGH
@ON_POSIX
def test_a_dead_worker_is_noticed_though_what_it_has_started_lives_on(tmp_path):
    """A copy of it holds its end of the pipe open."""

    def work(_):
        pid = os.fork()
        if pid == 0:
            time.sleep(GUARD)
            os._exit(0)
        (tmp_path / str(pid)).touch()
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(qa_frame.errors.WorkerError, match="exit code -9"):
        list(run_jobs(work, range(4), 2))
    living = [int(file.name) for file in tmp_path.iterdir() if not has_ended(int(file.name))]
    for pid in living:
        os.kill(pid, signal.SIGKILL)
    assert living


@THOROUGH
def test_large_parts_and_results():
    """Both are larger than a pipe, so that no end may write while the other one does."""
    parts = [bytes([letter]) * 3_000_000 for letter in b"abcdefgh"]
    assert list(run_jobs(bytes.upper, parts, 2)) == [part.upper() for part in parts]


@THOROUGH
def test_calls_in_several_threads():
    found = {}

    def use(number):
        found[number] = list(run_jobs(lambda part: part * number, range(30), 2))

    threads = [threading.Thread(target=use, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: [part * number for part in range(30)] for number in range(3)}


@pytest.mark.thorough
def test_other_errors_keep_their_type_and_say_where_they_were():
    class OddError(Exception):
        def __init__(self, one, two):
            super().__init__(f"{one} {two}")

    def work(part):
        if part == 3:
            raise KeyError("three")
        if part == 4:
            raise OddError(1, 2)
        return part

    with pytest.raises(KeyError, match="three") as caught:
        list(run_jobs(work, range(4), 2))
    assert "in work" in str(caught.value.__cause__)
    with pytest.raises(RuntimeError, match="OddError: 1 2"):  # it cannot travel
        list(run_jobs(work, [4, 4], 2))


def test_what_workers_cannot_be_sent_or_cannot_load():
    lock = threading.Lock()
    with pytest.raises(qa_frame.errors.WorkerError, match=r"cannot be sent .* n_jobs=1"):
        list(run_jobs(lambda _: lock, range(4), 2))

    class Unloadable:
        def __reduce__(self):
            return int, ("x",)

        def __call__(self, part):
            return part

    with pytest.raises(qa_frame.errors.WorkerError, match=r"cannot load .* ValueError: .* n_jobs=1"):
        list(run_jobs(Unloadable(), range(4), 2))


@THOROUGH
@ON_POSIX
def test_a_forked_process_refuses_and_its_remedy_works():
    script = """
import warnings
import qa_frame
warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
from qa_frame.scoring import batches
batches._ROWS_AT_ONCE = 100
frame = qa_frame.sample()
expected = frame.qa.score("response", "answers", n_jobs=2)
pid = os.fork()
if pid == 0:
    try:
        frame.qa.score("response", "answers", n_jobs=2)
    except qa_frame.errors.WorkerError as error:
        say(error)
    say(frame.qa.score("response", "answers", n_jobs=1).equals(expected))
    os._exit(0)
os.waitpid(pid, 0)
say(frame.qa.score("response", "answers", n_jobs=2).equals(expected))
"""
    with started(script) as process:
        printed, errors = process.communicate()
        assert process.returncode == 0, errors
        message, *equal = printed.splitlines()
        assert "n_jobs=1" in message
        assert "forked" in message
        assert equal == ["True", "True"]


@ON_POSIX
@THOROUGH
def test_a_process_that_is_forked_before_any_workers_has_its_own():
    script = """
pid = os.fork()
say(list(run_jobs(abs, [-1, -2, -3], 2)))
if pid:
    os.waitpid(pid, 0)
"""
    with started(script) as process:
        printed, errors = process.communicate()
        assert process.returncode == 0, errors
        assert printed == "[1, 2, 3]\n" * 2
