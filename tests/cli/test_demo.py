"""`qa-frame demo`."""

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


@pytest.mark.thorough
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
