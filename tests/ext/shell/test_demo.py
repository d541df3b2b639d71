"""`qa-frame demo`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import qa_frame
from qa_frame.ext.shell import main

MODELS = ["heron-7b", "lynx-70b", "otter-chat"]


def test_demo_shows_code_that_gives_what_it_prints(capsys):
    assert main(["demo"]) == 0
    shown = capsys.readouterr()
    (caveat,) = shown.err.splitlines()
    assert caveat.startswith("qa-frame: ScoringWarning: 48 % of otter-chat's answers contain a gold")
    assert "em and f1 count these words against them; recall does not" in caveat
    code, table = shown.out.split("\n\n", 1)
    *statements, expression = code.splitlines()
    names = {"qa_frame": qa_frame}
    exec("\n".join(statements), names)
    with pd.option_context("display.width", 120, "display.max_columns", 20):
        means = eval(expression, names)
        assert repr(means) == table.rstrip("\n")
    assert list(means.index) == MODELS


def test_the_readme_shows_the_demo_as_it_is(capsys):
    main(["demo"])
    table = capsys.readouterr().out.split("\n\n", 1)[1]
    readme = Path(__file__).parents[3] / "README.md"
    assert "\n".join(line.rstrip() for line in table.splitlines()) in readme.read_text("utf-8")


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
