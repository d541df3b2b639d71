"""The command `qa-frame`."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd
import pytest

import qa_frame
from qa_frame.cli import main

MODELS = ["heron-7b", "lynx-70b", "otter-chat"]


def test_demo(capsys):
    assert main(["demo"]) == 0
    shown = capsys.readouterr()
    means = qa_frame.sample().qa.score("response", "answers").qa.summary(by="model", percent=True).round(1)
    for model in MODELS:
        (line,) = (line for line in shown.out.splitlines() if line.startswith(model))
        assert [float(number) for number in line.split()[1:]] == means.loc[model].tolist()
    assert shown.err == ""


def test_demo_shows_code_that_gives_what_it_prints(capsys):
    main(["demo"])
    code, table = capsys.readouterr().out.split("\n\n", 1)
    *statements, expression = code.splitlines()
    names = {"qa_frame": qa_frame}
    exec("\n".join(statements), names)
    with pd.option_context("display.width", 120, "display.max_columns", 20):
        assert repr(eval(expression, names)) == table.rstrip("\n")


def exit_of(arguments):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    return stopped.value.code


def test_version(capsys):
    assert exit_of(["--version"]) == 0
    assert capsys.readouterr().out == f"qa-frame {qa_frame.__version__}\n"


def test_help(capsys):
    assert exit_of(["--help"]) == 0
    assert "demo" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["dmo"], [], ["demo", "--loud"]], ids=["unknown", "none", "unknown-option"])
def test_misuse(arguments, capsys):
    assert exit_of(arguments) == 2
    shown = capsys.readouterr()
    assert "usage: qa-frame" in shown.err
    assert shown.out == ""


def test_module_as_a_command():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "qa_frame", "demo"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert all(model in done.stdout for model in MODELS)
