"""How tables look: what people read is what was computed, in 100 columns."""

from __future__ import annotations

import contextlib
import json
import os
import re
import struct
import subprocess
import sys

import pandas as pd
import pytest

import qa_frame
from qa_frame.ext.shell import tables
from qa_frame.terminal import columns_of


@pytest.mark.parametrize(
    "words",
    [
        ["demo"],
        ["summary", "sample.jsonl", "--by", "model,dataset", "--ci", "0.95", "--metrics", "all"],
        ["compare", "sample.jsonl"],
        ["audit", "sample.jsonl"],
        ["conventions"],
        ["conventions", "continuous_eval"],
        ["--help"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(("terminal", "widest"), [(80, 80), (72, 72), (300, 100)])
def test_tables_follow_the_terminal(words, terminal, widest, folder, run, monkeypatch):  # noqa: PLR0917
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", str(terminal))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    lines = run(*words).out.split("\n")
    assert widest - 31 < max(columns_of(line) for line in lines if "http" not in line) <= widest


@pytest.mark.thorough
def test_colours_are_those_of_a_terminal_that_wants_them(folder, run, monkeypatch, tmp_path):
    hostile = "a\x1b[31mb"
    rows = [json.loads(line) for line in (folder / "sample.jsonl").read_text("utf-8").splitlines()]
    for row in rows:
        row["model"] = {"heron-7b": hostile}.get(row["model"], row["model"])
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    words = ["compare", tmp_path / "rows.jsonl", "--metrics", "f1"]
    plain = run(*words).out
    assert "\x1b" not in plain
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")  # as text has without a terminal
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shown = run(*words).out
    coloured = [found[0] for found in re.finditer(r"\x1b\[\d+m[^\x1b]*\x1b\[0m", shown)]
    assert coloured == ["\x1b[31mworse\x1b[0m", "\x1b[32mbetter\x1b[0m", "\x1b[32mbetter\x1b[0m"]
    assert re.sub(r"\x1b\[\d+m", "", shown) == plain  # which is as wide, without a terminal
    summed = run("summary", tmp_path / "rows.jsonl", "--by", "model", "--metrics", "em,f1").out
    assert re.findall(r"\x1b\[1m(.*?)\x1b\[0m", summed) == ["0.435", "0.724"]
    assert r"a\x1b[31mb" in summed
    run(*words, "-o", tmp_path / "table.txt")
    assert "\x1b" not in (tmp_path / "table.txt").read_text("utf-8")
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert run(*words).out == plain


@pytest.mark.thorough
def test_the_first_command_of_the_readme_in_a_terminal():
    """A terminal of 80 columns, as the system has it, and not what the environment says."""
    pty, fcntl, termios = (pytest.importorskip(name) for name in ("pty", "fcntl", "termios"))
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    with subprocess.Popen([sys.executable, "-m", "qa_frame", "demo"], stdout=inner, env=environment) as process:
        os.close(inner)
        shown = b""
        with contextlib.suppress(OSError):  # Linux says that a terminal ended by an error
            while part := os.read(outer, 1 << 12):
                shown += part
    os.close(outer)
    assert process.returncode == 0
    lines = shown.decode().replace("\r", "").split("\n")
    assert 60 < max(map(len, lines)) <= 80
    assert sum(line.startswith("lynx-70b") for line in lines) == 1  # the table is in one block


def test_long_paths_fit(folder, tmp_path, run):
    name = "a-model-with-a-very-long-name-" * 4
    path = tmp_path / f"{name}.jsonl"
    path.write_bytes((folder / "heron-7b.jsonl").read_bytes())
    done = run("compare", path, folder / "lynx-70b.jsonl", "--metrics", "f1")
    assert max(map(len, done.out.split("\n"))) <= 100
    assert name in done.out.replace("\n", "")


def cells_of(text):
    """All figures of a table, by the names of its rows and columns."""
    found = {}
    for block in text.strip().removesuffix("In brackets: 95 % confidence intervals.").strip().split("\n\n"):
        head, rule, *rows = block.split("\n")
        spans = [match.span() for match in re.finditer("-+", rule)]
        names = [head[start:end].strip() for start, end in spans]
        for row in rows:
            values = [row[start:end].strip() for start, end in spans]
            found.update({(values[0], name): value for name, value in zip(names[1:], values[1:], strict=True)})
    return found


def test_text_shows_each_figure(folder, run):
    words = ["summary", folder / "sample.jsonl", "--by", "model", "--ci", "0.95"]
    common, _, table = run(*words).out.partition("\n\n")
    found = cells_of(table)
    assert common == "n = 115; n_rows = 120; n_no_gold = 5"
    rows = json.loads(run(*words, "--json").out)
    expected = {}
    for row in rows:
        for name, value in row.items():
            if f"{name}_lo" in row:
                bounds = f"{row[f'{name}_lo']:.3f}, {row[f'{name}_hi']:.3f}"
                expected[row["model"], name] = f"{value:.3f} [{bounds}]"
            elif name == "n_missing":
                expected[row["model"], name] = str(value)
    assert len(expected) == 3 * (1 + 6)
    assert found == expected


def test_letters_that_steer_a_terminal_are_shown(capsys):
    tables.Output().show(pd.DataFrame({"model": ["a\x1b[31m\nb"], "n": [1]}))
    assert "a\\x1b[31m\\nb" in capsys.readouterr().out


def test_an_empty_table(capsys):
    empty = pd.DataFrame({"model": pd.Series(dtype=str), "f1": pd.Series(dtype=float)})
    for shape in ("text", "markdown", "latex", "csv", "json"):
        tables.Output(shape).show(empty)
    assert capsys.readouterr().out.endswith("model,f1\n[]\n")


def test_conventions_as_data(run):
    rows = json.loads(run("conventions", "--json").out)
    assert [row["name"] for row in rows] == list(qa_frame.conventions)
    assert [row["signature"] for row in rows] == [each.signature for each in qa_frame.conventions.values()]
    assert json.loads(run("conventions", "remem", "--json").out) == [row for row in rows if row["name"] == "remem"]
    shown = "".join(run("conventions", "remem").out.split())
    assert "".join(qa_frame.conventions["remem"].signature.split()) in shown
    assert "signature" not in run("conventions").out


@pytest.mark.parametrize("command", ["summary", "compare"])
def test_text_names_the_level_of_its_intervals(command, folder, run):
    words = [command, folder / "sample.jsonl", "--metrics", "em", "--ci", "0.9"]
    assert run(*words).out.endswith(
        f"\n\nIn brackets: {'Holm-corrected ' * (command == 'compare')}90 % confidence intervals.\n"
    )
    assert "In brackets" not in run(*words, "--csv").out
