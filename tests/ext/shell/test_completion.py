"""What the shell is told by click: the scripts, and the proposals."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys

import pytest

from qa_frame.ext.shell.commands import COMMANDS


def asked(run, monkeypatch, shell, line="qa-frame "):
    """What is printed where a shell asks for the last word of a line."""
    words = line.split(" ")
    monkeypatch.setenv("_QA_FRAME_COMPLETE", f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", words[-1] if shell == "fish" else str(len(words) - 1))
    with pytest.raises(SystemExit) as ended:
        run()
    return ended.value.code


@pytest.fixture
def proposals(run, monkeypatch, capsys):
    def ask(line):
        assert asked(run, monkeypatch, "bash", line) == 0
        return [each.partition(",")[2] for each in capsys.readouterr().out.splitlines()]

    return ask


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(shell, run, monkeypatch, capsys):
    if shell == "bash" and shutil.which("bash") is None:
        pytest.skip("no bash")
    monkeypatch.setenv("_QA_FRAME_COMPLETE", f"{shell}_source")
    with pytest.raises(SystemExit) as ended:
        run()
    script = capsys.readouterr().out
    assert ended.value.code == 0
    assert f"_QA_FRAME_COMPLETE={shell}_complete" in script
    assert f"_QA_FRAME_COMPLETE={shell}_source" in _help(monkeypatch, run)


def _help(monkeypatch, run):
    monkeypatch.delenv("_QA_FRAME_COMPLETE")
    return run("--help").out


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.thorough
def test_the_script_works_in_bash(tmp_path):
    command = tmp_path / "qa-frame"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m qa_frame "$@"\n')
    command.chmod(0o755)
    script = f"""
        PATH={shlex.quote(str(tmp_path))}:$PATH
        eval "$(_QA_FRAME_COMPLETE=bash_source qa-frame)"
        COMP_WORDS=(qa-frame summary --no-o) COMP_CWORD=2
        _qa_frame_completion qa-frame
        echo "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["--no-observed"], done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands(shell, run, monkeypatch, capsys):
    assert asked(run, monkeypatch, shell) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in COMMANDS)


def test_commands_that_begin_so(proposals):
    assert proposals("qa-frame co") == ["compare", "convert", "conventions"]


def test_choices(proposals):
    assert proposals("qa-frame summary --missing n") == ["null"]


def test_options(proposals):
    assert proposals("qa-frame summary --n-") == ["--n-jobs", "--n-resamples"]


def test_files(proposals):
    assert proposals("qa-frame summary ru") == ["ru"]


@pytest.mark.parametrize("asked", [None, "qa-frame su"])
def test_help_and_commands_come_before_pandas(asked):
    script = "import sys, runpy; sys.argv = ['qa-frame', '--help']; from qa_frame.ext.shell import main\n"
    script += "try: main()\nfinally: print(*sys.modules)"
    environment = {**os.environ}
    if asked is not None:
        words = str(len(asked.split(" ")) - 1)
        environment |= {"_QA_FRAME_COMPLETE": "bash_complete", "COMP_WORDS": asked, "COMP_CWORD": words}
    # The name of the script tells the package that it is the command.
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv = ['/bin/qa-frame', '--help']\n" + script],
        capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip
    assert ("Usage" if asked is None else "plain,") in done.stdout, done.stderr
    modules = done.stdout.splitlines()[-1].split()
    assert "click" in modules
    assert not {"numpy", "pandas", "pyarrow"} & {*modules}
