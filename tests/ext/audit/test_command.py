"""`qa-frame audit` and `--sep`: what misleads is found, and golds that are joined are cut."""

from __future__ import annotations

import csv
import json
import re
import shlex

import pandas as pd
import pytest

import qa_frame
from qa_frame.ext.shell import summary
from qa_frame.ext.shell.exits import spell_options

ROWS = {
    "response": ["Paris", "Rome", "The answer is \\boxed{Oslo}", "Bern"],
    "answers": ["Paris;City of Paris", "Roma;Rome", "Oslo", "Berne; Bern"],
    "model": ["a", "a", "b", "b"],
    "question_id": ["1", "2", "1", "2"],
}


@pytest.fixture(params=["csv", "jsonl", "parquet"])
def path(request, tmp_path):
    """Rows whose golds are joined."""
    frame, path = pd.DataFrame(ROWS), tmp_path / f"joined.{request.param}"
    if request.param == "csv":
        frame.to_csv(path, index=False)
    elif request.param == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    return path


def expected(path, **settings):
    """What Python finds, with the options of the shell in its remedies."""
    found = qa_frame.audit(qa_frame.read_results(path), pred="response", gold="answers", **settings)
    spelled = [spell_options(remedy, summary.command) for remedy in found["remedy"]]
    is_code = [re.search(r"qa_frame\.|data = |data\[", remedy) for remedy in spelled]
    return found.assign(
        remedy=[f"{'in Python: ' * bool(code)}{text}" for text, code in zip(spelled, is_code, strict=True)]
    )


def test_remedies_are_written_for_the_shell(path, run):
    remedies = {row["finding"]: row["remedy"] for row in json.loads(run("audit", path, "--json").out)}
    assert remedies["joined_golds"] == "give --sep ';'"
    assert remedies["boxed"].startswith("--extract 'boxed|all' takes ")
    done = run("summary", path)
    assert "GoldFormatWarning" in done.err
    assert "if it is several, give --sep ';'; see " in done.err
    assert "qa_frame.to_golds" not in done.err
    assert "GoldFormatWarning" not in run("summary", path, "--sep", ";").err


def test_a_remedy_is_flags_that_work_or_says_that_it_needs_python(tmp_path, run):
    texts = ["nan", "I cannot say.", "It is <b>Rome</b>", "So\n```text\nRome\n```", "**Rome**, it is", "Rome"]
    texts += ["<think>x</think> Rome", "So \\boxed{Rome}", "Rome\n\nQuestion: Where?", "The answer is Rome.", "314"]
    golds = ["Rome"] * 10 + ["3.14"]
    rows = [{"response": text, "answers": [gold], "question": text} for text, gold in zip(texts, golds, strict=True)]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, [*rows, rows[-1]])), "utf-8")
    found = json.loads(run("audit", path, "--question", "question", "--json").out)
    remedies = {row["finding"]: row["remedy"] for row in found}
    assert len(remedies) > 8
    for finding, remedy in remedies.items():
        assert remedy.startswith("in Python: ") == bool(re.search(r"qa_frame|data =|data\[|re\.compile|\w=", remedy))
        flags = re.search(r"--extract '.*?'(?= takes)|--extract \S+(?= takes)", remedy)
        if flags:
            done = run("audit", path, "--question", "question", *shlex.split(flags[0]), "--json")
            assert done.status == 0
            assert finding not in {row["finding"] for row in json.loads(done.out)}
    assert {name for name, remedy in remedies.items() if "in Python" in remedy} == {"refusals", "duplicate_rows"}


@pytest.mark.needs("files", "shell")
def test_audit_as_json_and_csv(path, tmp_path, run):
    table = expected(path)
    records = table.to_dict("records")
    assert {"boxed", "joined_golds"} <= set(table["finding"])
    done = run("audit", path, "--json")
    assert done.status == 0
    assert json.loads(done.out) == records
    assert run("audit", path, "-o", tmp_path / "found.csv").status == 0
    with (tmp_path / "found.csv").open(encoding="utf-8", newline="") as file:
        found = [(row["finding"], int(row["count"]), row["remedy"]) for row in csv.DictReader(file)]
    assert found == [(row["finding"], row["count"], row["remedy"]) for row in records]
    assert run("audit", path, "-o", tmp_path / "found.parquet").status == 0
    assert pd.read_parquet(tmp_path / "found.parquet")["finding"].tolist() == table["finding"].tolist()


@pytest.mark.needs("files", "shell")
def test_audit_as_text(folder, run):
    table = expected(folder / "sample.jsonl")
    done = run("audit", folder / "sample.jsonl")
    lines = done.out.split("\n")
    assert lines[0] == f"{len(table)} findings in 360 rows, of which 345 have a gold"
    assert max(map(len, lines)) <= 100
    words = " ".join(done.out.split())
    for row in table.to_dict("records"):
        examples = ", ".join(map(str, row["examples"]))
        seen = [row["finding"], str(row["count"]), f"{row['share']:.3f}", examples, *row["remedy"].split()]
        assert " ".join(seen) in words
        assert any(line.split()[:2] == [row["finding"], str(row["count"])] for line in lines)
    assert "remedy" not in words


@pytest.mark.needs("files", "shell")
def test_audit_of_some_metrics_and_rules(folder, run):
    words = ["--metrics", "em,f1", "--convention", "helm", "--extract", "first_line", "--json"]
    table = expected(folder / "sample.jsonl", metrics=["em", "f1"], convention="helm", extract="first_line")
    assert json.loads(run("audit", folder / "sample.jsonl", *words).out) == table.to_dict("records")


def test_the_status_says_whether_something_was_found(path, tmp_path, run):
    assert run("audit", path).status == 0
    assert run("audit", path, "--fail-if-found").status == 1
    clean = tmp_path / "clean.jsonl"
    clean.write_text('{"response": "Rome", "answers": ["Rome"]}\n')
    assert run("audit", clean, "--fail-if-found").status == 0
    assert run("audit", clean) == (0, "the data checks have no finding in 1 row\n", "")
    assert run("audit", clean, "--json").out == "[]\n"
    assert run("audit", clean, "--csv").out == "finding,count,share,examples,remedy\n"
    assert run("audit", tmp_path / "none.jsonl", "--fail-if-found").status == 2


def test_of_a_file_without_golds_it_is_said_that_nothing_was_compared(tmp_path, run):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"response": "Rome", "answers": null}\n{"response": "Oslo", "answers": null}\n')
    done = run("audit", path)
    assert done.out == "no gold in 2 rows, so that no prediction was compared with one\n"
    path.write_text('{"response": "Rome", "answers": null}\n{"response": "Oslo", "answers": ["Oslo"]}\n')
    assert run("audit", path).out == "the data checks have no finding in 2 rows, of which 1 have a gold\n"


@pytest.mark.parametrize("columns", [[], ["--pred", "response", "--gold", "answers"]], ids=["read", "named"])
def test_golds_are_cut(path, columns, tmp_path, run):
    frame = pd.DataFrame(ROWS).assign(answers=qa_frame.to_golds(pd.Series(ROWS["answers"]), sep=";"))
    scored = frame.qa.score("response", "answers", metrics=["em", "f1"])
    words = [path, *columns, "--sep", ";"]
    (row,) = json.loads(run("summary", *words, "--metrics", "em,f1", "--json").out)
    assert (row["em"], row["f1"]) == (scored["em"].mean(), scored["f1"].mean()) == (0.75, 0.75)
    found = json.loads(run("audit", *words, "--json").out)
    assert "joined_golds" not in {row["finding"] for row in found}
    assert run("convert", *words, "-o", tmp_path / "rows.jsonl").status == 0
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [each["answers"] for each in rows] == frame["answers"].tolist()
    assert run("score", *words, "--metrics", "em,f1", "-o", tmp_path / "scored.jsonl").status == 0
    rows = [json.loads(line) for line in (tmp_path / "scored.jsonl").read_text().splitlines()]
    assert [each["em"] for each in rows] == scored["em"].tolist()
    refused = run("compare", *words, "--metrics", "em", "--n-resamples", "99", "--json")
    assert refused.status == 2
    assert "have different golds, first ['Paris', 'City of Paris'] and ['Oslo']" in refused.err


def test_what_does_not_go_with_sep(path, tmp_path, run):
    columns = ["--pred", "response", "--gold", "answers"]
    done = run("score", path, *columns, "--sep", ";", "-o", tmp_path / "out")
    assert done.status == 2
    assert "no other option of reading is given" in done.err
    done = run("summary", path, "--scored", "--sep", ";")
    assert done.status == 2
    assert "--scored takes the scores as they are" in done.err
    assert run("summary", path, "--sep", "").status == 2


def test_a_file_of_no_known_kind_names_the_options(tmp_path, run):
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps({"doc": {"answer": "a"}, "output": {"text": "b"}}), "utf-8")
    done = run("audit", path)
    assert "these may be them: --pred output.text and --gold doc.answer" in done.err
    assert run("audit", path, "--pred", "output.text", "--gold", "doc.answer").status == 0
