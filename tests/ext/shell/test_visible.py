"""What commands print holds nothing that a terminal would obey."""

from __future__ import annotations

import csv
import json

import pytest

from qa_frame.ext.shell import main
from tests.test_visible import CODES, SHOWN, is_obeyed, posix


@pytest.fixture
def printed(tmp_path, monkeypatch, capsys):
    """What a command prints, in a folder with one file whose name, models and dataset hold such characters."""
    path = tmp_path / f"run{CODES}.jsonl"
    rows = [{"model": f"m{number}{CODES}", "dataset": "=1+1", "response": "a", "answers": ["a"]} for number in range(2)]
    rows = [{**row, "question_id": str(number)} for row in rows for number in range(3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)

    def call(*words):
        status = main([path.name if word == "PATH" else word for word in words])
        return status, *capsys.readouterr()

    return call


@posix
@pytest.mark.parametrize("form", [[], ["--csv"], ["--json"], ["--markdown"], ["--latex"]], ids=str)
@pytest.mark.parametrize(
    "words",
    [
        ["summary", "PATH", "--by", "model,dataset", "--metrics", "em", "--fail-under", "em=1"],
        ["compare", "PATH", "--metrics", "em", "--n-resamples", "99"],
        ["convert", "PATH", "-o", "rows.jsonl"],
        ["summary", "PATH", "--by", f"x{CODES}"],
        ["summary", f"none{CODES}"],
    ],
    ids=lambda words: " ".join(words[:4:3]),
)
def test_commands(words, form, printed):
    status, out, err = printed(*words, *form)
    assert status in {0, 1, 2}
    assert not is_obeyed((out + err).replace("\n", ""))
    assert "x1b[31m" in out + err or "u001b[31m" in out + err
    assert "Traceback" not in err


@posix
def test_json_stays_the_data_and_so_does_a_file(printed, tmp_path):
    words = ["summary", "PATH", "--by", "model,dataset", "--metrics", "em"]
    _, out, _ = printed(*words, "--json")
    assert [row["model"] for row in json.loads(out)] == [f"m{number}{CODES}" for number in range(2)]
    assert printed(*words, "-o", "table.csv")[0] == 0
    with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["model"], row["dataset"]) for row in rows] == [(f"m{number}{CODES}", "=1+1") for number in range(2)]
    _, out, _ = printed(*words, "--csv")
    assert [row["model"] for row in csv.DictReader(out.splitlines())] == [f"m{number}{SHOWN}" for number in range(2)]
