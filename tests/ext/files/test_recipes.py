"""The recipes under "Pass results on to other tools" run as they stand, and other tools read what they write."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import qa_frame
from qa_frame.ext.shell import main

PAGES = Path(__file__).parents[3] / "notebooks" / "pages"
PAGE = PAGES / "result_files.md"
TEXTS = PAGE.read_text("utf-8") + (PAGES / "command_line.md").read_text("utf-8")
RECIPES = re.findall(r"^```(?:python|yaml)\n(.*?)^```$", TEXTS, re.MULTILINE | re.DOTALL)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the one recipe that has a text, in a folder of its own; return what its variables hold."""
    monkeypatch.chdir(tmp_path)

    def run_recipe(text):
        (code,) = [code for code in RECIPES if text in code]
        variables = {}
        exec(compile(code, text, "exec"), variables)
        return variables

    return run_recipe


def test_a_split_table_is_read_again(tmp_path):
    scored = qa_frame.sample().qa.score("response", "answers", metrics=["em", "f1"])
    scored.to_json(tmp_path / "results.json", orient="split")
    assert 'orient="split"' in PAGE.read_text("utf-8")
    read = qa_frame.read_results(tmp_path / "results.json")
    assert read["f1"].dropna().tolist() == pytest.approx(scored["f1"].dropna().tolist())


def test_the_gate_of_pytest(run):
    run("def test_f1_is_high_enough")["test_f1_is_high_enough"]()


@pytest.mark.needs("shell")
def test_the_step_of_github_actions(tmp_path, monkeypatch):
    (step,) = [code for code in RECIPES if "--step-summary" in code]
    _, *arguments = shlex.split(step.removeprefix("- run: >-"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    rows = qa_frame.sample()
    rows.query("model == 'lynx-70b'").to_json("results.jsonl", orient="records", lines=True)
    assert main(arguments) == 0
    assert "| " in Path("step.md").read_text("utf-8")
    rows.query("model == 'heron-7b'").to_json("results.jsonl", orient="records", lines=True)
    assert main(arguments) != 0
