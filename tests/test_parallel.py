"""Threads, and the progress bar: who sees it, and when."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

import qa_frame
from qa_frame import parallel
from qa_frame.parallel import Threads, consume_with_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown_in_terminal(monkeypatch, n_rows, *, progress):
    """What a terminal shows of parts of so many rows."""
    terminal = Terminal()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", terminal)
        consume_with_progress(iter([None] * len(n_rows)), n_rows=n_rows, progress=progress)
    return terminal.getvalue()


@pytest.mark.parametrize("progress", [True, False, None])
def test_all_parts_are_done_with_or_without_a_bar(progress):
    done = []
    consume_with_progress(map(done.append, [3, 1, 2]), n_rows=[3, 1, 2], progress=progress)
    assert done == [3, 1, 2]


def test_by_default_a_bar_comes_in_a_terminal_after_a_while(monkeypatch):
    assert shown_in_terminal(monkeypatch, [10, 20, 30], progress=None) == ""
    monkeypatch.setattr(parallel, "_SECONDS_WITHOUT_BAR", 0)
    assert "60.0/60.0" in shown_in_terminal(monkeypatch, [10, 20, 30], progress=None)


def test_one_part_has_no_bar_unless_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(parallel, "_SECONDS_WITHOUT_BAR", 0)
    assert shown_in_terminal(monkeypatch, [10], progress=None) == ""
    assert "10.0/10.0" in shown_in_terminal(monkeypatch, [10], progress=True)


def test_an_error_closes_the_bar(capsys):
    with pytest.raises(ZeroDivisionError):
        consume_with_progress((1 // part for part in (1, 0)), n_rows=[1, 1], progress=True)
    assert capsys.readouterr().err.endswith("\n")


def test_a_short_call_does_not_load_the_bar():
    script = (
        "import sys, qa_frame; sys.stderr.isatty = lambda: True; "
        "qa_frame.sample().qa.score('response', 'answers', threads=1); print('tqdm' in sys.modules)"
    )
    root = Path(qa_frame.__file__).parents[1]
    printed = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert printed.stdout == "False\n"


def test_an_error_in_a_thread_ends_the_work():
    begun = []

    def work(part):
        begun.append(part)
        if part == 0:
            raise ZeroDivisionError

    threads = Threads(2)
    with pytest.raises(ZeroDivisionError):
        list(threads.map(work, range(10_000)))
    threads.close()
    assert len(begun) < 10_000
