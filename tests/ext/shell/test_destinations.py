"""What `-o` names: never a file that is read, and nothing that is there unless `--overwrite` says so."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import qa_frame

TABLES = ["summary", "compare", "audit"]
ROWS = ["convert", "score"]
WORDS = {"compare": ["--n-resamples", "99", "--metrics", "em"]}
NAMED = ["--pred", "response", "--gold", "answers", "--n-jobs", "1"]
every_command = pytest.mark.parametrize("command", [*TABLES, *ROWS])

posix = pytest.mark.skipif(sys.platform == "win32", reason="links are those of POSIX")


@pytest.fixture
def runs(tmp_path):
    """A folder with rows in two formats. All commands can read each file."""
    folder = tmp_path / "runs"
    folder.mkdir()
    sample = qa_frame.sample()
    sample.to_parquet(folder / "run.parquet")
    sample.assign(
        answers=sample["answers"].map(lambda golds: None if golds is None else json.dumps(list(golds)))
    ).to_csv(folder / "run.csv", index=False)
    return folder


def is_refused(done, match):
    assert done.status == 2, done
    assert done.out == ""
    assert match in done.err
    assert done.err.count("\n") == 1


@every_command
@pytest.mark.parametrize("name", ["run.parquet", "run.csv"])
@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_a_file_that_is_read_is_not_written(command, name, overwrite, runs, run):
    path = runs / name
    before = path.read_bytes()
    for inputs in ([path], [runs / f"*{path.suffix}"], [runs / "none.jsonl", path]):
        for output in (path, runs / ".." / "runs" / name):
            done = run(command, *inputs, "-o", output, *overwrite)
            is_refused(done, "is one of the files to read, which are never changed; give another file")
    assert path.read_bytes() == before


@posix
@every_command
def test_another_name_of_a_file_that_is_read_is_not_written(command, runs, run):
    (runs / "hard.parquet").hardlink_to(runs / "run.parquet")
    (runs / "soft.parquet").symlink_to(runs / "run.parquet")
    for name in ("hard.parquet", "soft.parquet"):
        for words in ([], NAMED[:4]):
            done = run(command, runs / "run.parquet", *words, "-o", runs / name, "--overwrite")
            is_refused(done, "is one of the files to read")


@posix
@every_command
def test_a_missing_folder_in_a_path_hides_no_file(command, runs, run, monkeypatch):
    monkeypatch.chdir(runs)
    path = Path("run.parquet")
    before = path.read_bytes()
    is_refused(run(command, path, "-o", "new/../run.parquet", "--overwrite"), "is one of the files to read")
    is_refused(run(command, "run.csv", "-o", "new/../run.parquet"), "is there; give another file")
    assert path.read_bytes() == before


@pytest.mark.needs("report")
@posix
def test_a_report_in_a_missing_folder_replaces_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("page.html").write_text("mine")
    scored = qa_frame.sample().qa.score("response", "answers", metrics="em")
    with pytest.raises(qa_frame.errors.ResultWriteError, match="is there already"):
        qa_frame.report(scored, "new/../page.html", "model", "question")
    assert Path("page.html").read_text() == "mine"


@posix
def test_standard_output_may_be_a_file(runs, tmp_path):
    path = tmp_path / "table.txt"
    path.write_text("before\n")
    words = ["summary", str(runs / "run.parquet"), "--metrics", "em", "-o", "/dev/stdout"]
    with path.open("a") as file:
        subprocess.run([sys.executable, "-m", "qa_frame", *words], stdout=file, check=True)
        subprocess.run([sys.executable, "-m", "qa_frame", *words, "--json"], stdout=file, check=True)
    assert path.read_text().startswith("before\n")
    assert path.read_text().count("360") == 2


@every_command
@pytest.mark.parametrize("name", ["run.parquet", "run.csv"])
def test_a_file_of_a_folder_that_is_read_is_not_written(command, name, runs, run):
    before = (runs / name).read_bytes()
    done = run(command, runs, *WORDS.get(command, []), "-o", runs / name, "--overwrite")
    is_refused(done, "is one of the files to read")
    assert (runs / name).read_bytes() == before


@pytest.mark.parametrize("command", TABLES)
@pytest.mark.parametrize("ending", [".txt", ".json", ".csv", ".md", ".tex", ".parquet"])
def test_a_table_replaces_nothing_unasked(command, ending, runs, tmp_path, run):
    path = tmp_path / f"table{ending}"
    words = [command, runs / "run.parquet", *WORDS.get(command, []), "-o", path]
    path.write_text("mine")
    is_refused(run(*words), "is there; give another file, or --overwrite to replace it")
    assert path.read_text() == "mine"
    assert run(*words, "--overwrite").status == 0
    assert path.read_bytes() != b"mine"


def test_a_folder_is_no_file(runs, tmp_path, run):
    (tmp_path / "table.json").mkdir()
    is_refused(run("summary", runs / "run.parquet", "-o", tmp_path / "table.json", "--overwrite"), "is a folder")


@posix
def test_what_is_no_file_may_be_written_to(runs, run):
    assert run("summary", runs / "run.parquet", "-o", "/dev/null", "--json").status == 0


LIMITED = """
import resource, sys
from qa_frame.ext.shell import main
main(["--help"])
sys.dont_write_bytecode = True  # else the limit would cut it
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="limits of file sizes are those of Linux")
@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("score", "rows.csv"),
        *(
            (command, f"rows{ending}")
            for command, ending in itertools.product(("convert", "conventions"), (".parquet", ".jsonl", ".csv", ".txt"))
            if (command, ending) not in {("convert", ".txt"), ("conventions", ".jsonl")}
        ),
    ],
)
def test_a_full_disk(command, name, runs, tmp_path):
    path = tmp_path / name
    inputs = [] if command == "conventions" else [str(runs / "run.parquet")]
    words = [sys.executable, "-c", LIMITED, command, *inputs, "-o", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    said = [line for line in done.stderr.splitlines() if not line.startswith("qa-frame: ScoringWarning: ")]
    assert len(said) == 1
    assert said[0].startswith(f"qa-frame: {path} cannot be written: ")
    assert [each.name for each in tmp_path.iterdir()] == ["runs"]


@pytest.mark.thorough
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")  # noqa: PTH110
@pytest.mark.parametrize(
    "words",
    [["demo"], ["conventions", "squad"], ["conventions", "--csv"]],
    ids=str,
)
def test_a_full_disk_behind_standard_output(words):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "qa_frame", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    *warned, line = done.stderr.splitlines()
    assert line.startswith("qa-frame: standard output cannot be written: No space left on device")
    assert all("Warning: " in each for each in warned)


@pytest.mark.parametrize("command", ["summary", "convert"])
def test_a_name_that_is_too_long(command, runs, tmp_path, run):
    is_refused(run(command, runs / "run.parquet", "-o", tmp_path / f"{'x' * 300}.csv"), "File name too long")
    assert run(command, runs / "run.parquet", "-o", tmp_path / f"{'x' * 251}.csv").status == 0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize("command", ROWS)
@pytest.mark.parametrize("shape", [[], ["--json"], ["--csv"]], ids=str)
def test_names_that_are_not_utf_8(command, shape, tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)  # so that paths are short, and shown whole
    source, target = (Path(os.fsdecode(name)) for name in (b"r\xff.jsonl", b"out\xfe.jsonl"))
    source.write_text('{"response": "b", "answers": ["b"]}\n')
    done = run(command, source, "-o", target, *shape)
    assert (done.status, done.err) == (0, "")
    assert len(target.read_text().splitlines()) == 1
    assert {"udcff.jsonl", "udcfe.jsonl"} <= set(re.findall(r"udcf\w+\.jsonl", done.out))


@pytest.mark.thorough
@posix
def test_standard_output_may_be_a_pipe(runs):
    words = ["summary", str(runs / "run.parquet"), "--json", "--metrics", "em", "-o", "/dev/stdout"]
    done = subprocess.run([sys.executable, "-m", "qa_frame", *words], capture_output=True, text=True, check=True)
    assert '"n_rows": 360' in done.stdout


@pytest.mark.thorough
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")  # noqa: PTH110
@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["nope.jsonl"], 2),
        (["--nope"], 2),
        (["run.parquet", "--fail-under", "em=0.99", "--metrics", "em"], 1),
        (["run.parquet", "--metrics", "em,bleu4"], 0),
    ],
    ids=str,
)
def test_the_status_stays_where_messages_cannot_be_written(words, status, runs):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        words = [sys.executable, "-m", "qa_frame", "summary", *words]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=full, cwd=runs, check=False)
    assert done.returncode == status
    assert bool(done.stdout) == (status < 2)


GONE = """
import json, os, sys
from qa_frame.ext.shell import main
os.rmdir(os.getcwd())
print(json.dumps([main(words) for words in json.loads(sys.argv[1])]))
"""


@pytest.mark.thorough
@posix
def test_a_working_folder_that_was_removed(runs, tmp_path):
    (tmp_path / "gone").mkdir()
    paths, run = ["nope.jsonl", "*.jsonl", "."], str(runs / "run.parquet")
    calls = [*(["summary", path] for path in paths), ["convert", run, "-o", "rows.csv"], ["summary", run]]
    words = [sys.executable, "-c", GONE, json.dumps(calls)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path / "gone", check=True)
    assert done.stdout.splitlines()[-1] == "[2, 2, 2, 2, 0]"
    said = [line for line in done.stderr.splitlines() if "Warning: " not in line]
    for path, line in zip(paths, said, strict=False):
        where = "is looked for in the working folder, which was removed; change to one that is there"
        assert line.startswith(f"qa-frame: '{path}' {where}")
    assert said[3].startswith("qa-frame: rows.csv cannot be written: ")
