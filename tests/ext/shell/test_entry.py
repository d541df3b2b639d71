"""How the command begins and ends: help, exit statuses, errors and warnings in one line, closed pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import qa_frame
from qa_frame.ext.shell.commands import COMMANDS

COMMAND = [sys.executable, "-m", "qa_frame"]


def test_alone_it_prints_the_help(run):
    assert run() == run("--help") == run("-h")
    shown = run()
    assert shown.status == 0
    assert shown.err == ""
    assert all(f"  {name} " in shown.out for name in COMMANDS)


def test_version(run):
    assert run("--version") == (0, f"qa-frame {qa_frame.__version__}\n", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command(command, run):
    shown = run(command, "--help")
    assert shown.status == 0
    assert shown.out.startswith(f"Usage: qa-frame {command} [OPTIONS]")
    assert max(map(len, shown.out.split("\n"))) <= 100
    summary = COMMANDS[command].rstrip(".").split()
    assert set(summary[:2]) & set(shown.out.split("\n")[2].split())  # both lists say the same


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sumary"], "No such command 'sumary'; did you mean 'summary'?"),
        (["ranks", "x.jsonl"], "No such command 'ranks'; did you mean 'compare --ranks'?"),
        (["human_mean"], "No such command 'human_mean'; it is a function of Python, qa_frame.human_mean"),
        (["explain", "x.jsonl"], "No such command 'explain'; it is a function of Python, qa_frame.explain"),
        (["summary"], "Missing argument 'FILES...'; see qa-frame summary --help"),
        (["--loud"], "No such option"),
        (["demo", "--loud"], "No such option"),
        (["summary", "x.jsonl", "--ci", "much"], "'--ci': 'much' is not a valid float"),
        (["summary", "x.jsonl", "--fail-under", "f1"], "'f1' is not a metric and a number, such as f1=0.6"),
        (["summary", "x.jsonl", "--fail-under", "f1=high"], "'f1=high' is not a metric and a number"),
        (["summary", "x.jsonl", "--fail-under", "f1=nan"], "'f1=nan' is not a metric and a number"),
        (["summary", "x.jsonl", "--extract", "re:("], "'(' is no regular expression"),
        (["summary", "x.jsonl", "-o", "table.xlsx"], "files that end in '.xlsx' cannot be written; use .txt, .json"),
        (["convert", "x.jsonl"], "Missing option '-o'"),
        (["convert", "x.jsonl", "-o", "rows.txt"], "files that end in '.txt' cannot be written; use .parquet"),
        (["score", "x.jsonl", "-o", "out"], "-o out has no ending of a file, so it names a folder; files are"),
        (["score", "x.jsonl", "-o", "x.xlsx"], "-o x.xlsx: files that end in '.xlsx' cannot be written; use .parquet"),
        (["score", "x.jsonl", "-o", "-"], "-o - tells no format to write; give a file that ends in one of .parquet"),
        (["score", "x.jsonl", "-o", "/dev/null"], "-o /dev/null tells no format to write"),
        (["summary", "x.jsonl", "--by", ""], "'--by': nothing is given; give a name, or leave out the option"),
        (["summary", "x.jsonl", "--n-jobs", "0"], "--n-jobs 0 is not a number of processes"),
        (["conventions", "sqad"], "did you mean 'squad' or 'squad2'?"),
    ],
)
def test_wrong_usage_is_one_line(words, message, run):
    done = run(*words)
    assert done.status == 2
    assert done.out == ""
    assert message in done.err
    assert done.err.startswith("qa-frame: ")
    assert done.err.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="a system without files for streams")
def test_standard_input(folder):
    words = [sys.executable, "-m", "qa_frame", "summary", "--metrics", "em", "--json"]
    with (folder / "sample.jsonl").open("rb") as rows:
        read = subprocess.run([*words, "-"], input=rows.read(), capture_output=True, check=True)
    assert json.loads(read.stdout)[0]["n_rows"] == 360


def test_a_file_that_is_not_there(run):
    for words in (["nowhere.jsonl"], ["nowhere.jsonl", "--pred", "a", "--gold", "b"]):
        done = run("summary", *words)
        assert done.status == 2
        assert "nowhere.jsonl" in done.err
        assert done.err.count("\n") == 1


def test_a_place_where_nothing_can_be_written(folder, tmp_path, run):
    (tmp_path / "file").touch()
    done = run("summary", folder / "sample.jsonl", "-o", tmp_path / "file" / "table.json")
    assert done.status == 2
    *doubts, error = done.err.splitlines()
    assert error.startswith("qa-frame: ")
    assert str(tmp_path / "file") in error
    assert all(each.startswith("qa-frame: ScoringWarning: ") for each in doubts)


def test_warnings_are_one_line(folder, run):
    done = run("summary", folder / "sample.jsonl", "--ci", "0.95", "--cluster", "model", "--metrics", "f1")
    assert done.status == 0
    kinds = [line.split(": ")[:2] for line in done.err.splitlines()]
    assert kinds == [["qa-frame", "IntervalWarning"], ["qa-frame", "ScoringWarning"]]


@pytest.mark.parametrize("words", [["summary", "--by", "model"], ["compare"]])
def test_what_scoring_warns_of_is_said_once_where_groups_are_named(words, folder, run):
    name, *options = words
    done = run(name, folder / "sample.jsonl", *options, "--metrics", "em,f1")
    assert done.status == 0
    (line,) = done.err.splitlines()
    assert line.startswith("qa-frame: ScoringWarning: 48 % of otter-chat's answers contain a gold")


def test_scoring_warns_where_no_group_has_enough_rows_for_a_warning(folder, run):
    done = run("summary", folder / "sample.jsonl", "--by", "question_id", "--metrics", "em,f1")
    (line,) = done.err.splitlines()
    assert line.startswith("qa-frame: ScoringWarning: 16 % of the answers contain a gold")


def test_scored_files_are_named_once(folder, tmp_path, run):
    files = [folder / "otter-chat.jsonl", folder / "heron-7b.jsonl"]
    done = run("score", *files, "-o", tmp_path / "scored.parquet", "--metrics", "em,f1")
    (line,) = [each for each in done.err.splitlines() if "contain a gold" in each]
    assert "otter-chat.jsonl's answers" in line


def test_an_error_comes_without_warnings_of_the_rows(folder, run):
    done = run("summary", folder / "sample.jsonl", "--by", "modle")
    assert done.err.startswith("qa-frame: --by modle is not a column; did you mean 'model'?")
    assert done.err.count("\n") == 1


def test_interrupted(folder, run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(qa_frame, "summary", interrupt)
    assert run("summary", folder / "sample.jsonl") == (130, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_interrupted_by_a_signal(tmp_path):
    path = tmp_path / "slow.jsonl"
    os.mkfifo(path)  # nobody writes into it, so that reading waits
    words = ["convert", path, "-o", tmp_path / "rows.csv"]
    with subprocess.Popen([*COMMAND, *words], stderr=subprocess.PIPE) as started:
        writer = os.open(path, os.O_WRONLY)  # waits until the command reads
        time.sleep(0.2)
        started.send_signal(signal.SIGINT)
        errors = started.stderr.read()
        os.close(writer)
    assert started.returncode == 130
    assert errors == b""


@pytest.mark.thorough
def test_a_closed_pipe_is_no_error(folder):
    words = ["summary", str(folder / "sample.jsonl"), "--by", "question_id,model", "--ci", "0.95", "--json"]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=buffered) as started:
        assert started.stdout.readline().rstrip() == b"["
        started.stdout.close()
        errors = started.stderr.read().decode().splitlines()
    assert started.returncode == 141
    assert all(line.startswith(("qa-frame: IntervalWarning: ", "qa-frame: ScoringWarning: ")) for line in errors)


@pytest.mark.thorough
def test_as_a_process(folder):
    words = ["summary", str(folder / "sample.jsonl"), "--metrics", "em", "--fail-under", "em=0.99"]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert "\x1b" not in done.stdout + done.stderr
    doubt, gate = done.stderr.splitlines()
    assert doubt.startswith("qa-frame: ScoringWarning: 16 % of the answers contain a gold")
    assert gate.startswith("qa-frame: --fail-under em=0.99 failed: em is 0.17")


@pytest.mark.thorough
def test_text_that_the_terminal_cannot_write(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"model": "é 日", "response": "a", "answers": ["a"]}\n', "utf-8")
    done = subprocess.run(
        [*COMMAND, "summary", str(path), "--by", "model"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
    )
    assert done.returncode == 0, done.stderr
    assert "é \\u65e5".encode("latin-1") in done.stdout


@pytest.mark.needs("files")
def test_help_imports_no_more_than_the_package_does():
    script = "import sys; from qa_frame.ext.shell import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    imported = set(done.stderr.split())
    assert "qa_frame.ext.shell.commands" in imported
    assert not imported & {
        "tabulate",
        "tqdm",
        "scipy",
        "qa_frame.ext.files",
        "qa_frame.stats",
        "qa_frame.ext.shell.summary",
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["summary", "--question", "question_id", "--pass-at", ""],
            "nothing is given; give whole numbers, as in 1,4",
        ),
        (["score", "-o", "foo.bar", "--pred", "response", "--gold", "answers"], "-o foo.bar ends in '.bar'"),
        (["summary", "--metrics", "em", "f1"], "joined by commas, as in --metrics em,f1"),
        (
            ["summary", "--scored", "--by", "model", "--metrics", "f1"],
            "no score column 'f1'; score it first with qa-frame score, or name a column of numbers",
        ),
    ],
)
def test_what_is_wrong_is_named_as_it_was_written(words, said, folder, run):
    done = run(words[0], folder / "sample.jsonl", *words[1:])
    assert (done.status, done.out) == (2, "")
    assert said in done.err


def test_a_number_of_processes_is_refused_alike_however_files_are_read(folder, run):
    words = ["summary", folder / "sample.jsonl", "--metrics", "em", "--n-jobs", "0"]
    read, streamed = run(*words), run(*words, "--pred", "response", "--gold", "answers")
    assert (read.status, read.err) == (streamed.status, streamed.err)
    assert "--n-jobs 0 is not a number of processes; give 1 or more, or -1 for one per processor" in read.err


@pytest.mark.parametrize("name", ["runs/seed=1/nope.jsonl", "my ci=5.jsonl"])
def test_names_of_files_are_said_as_they_are(name, run):
    assert f"qa-frame: '{name}' is no file" in run("summary", name).err
