"""What `qa-frame convert` writes is what was read: texts, null beside empty text, lists of golds, in every format."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qa_frame
from qa_frame.ext.shell import main
from tests.ext.files.shapes import write_lines
from tests.ext.shell.test_rows import ENDINGS, values_of

ODD = [
    "",
    " ",
    "NA",
    "nan",
    "null",
    "None",
    '"',
    '""',
    ",",
    "\n",
    "\r",
    "\r\n",
    "a\rb",
    " a ",
    "\t",
    "\ufeff",
    "\0",
    "\x1c",
]
ODD += ["[]", '["a"]', "['a', 'b']", "007", "1e5", "=1+1", "\u2028", "\x85", 'a,"",b', 'a\n"",\n', "''"]
texts = st.sampled_from(ODD) | st.text(max_size=8)
if sys.version_info < (3, 11):  # whose reader of CSV takes no NUL, which is an error that names the line
    texts = texts.filter(lambda text: "\0" not in text)
rows = st.fixed_dictionaries(
    {
        "response": st.none() | texts,
        "answers": st.none() | st.lists(st.none() | texts, max_size=3),
        "question_id": st.none() | texts,
        "question": st.none() | texts,
    }
)
FIRST = {"response": "Paris", "answers": ["Paris"], "question_id": "q", "question": "Which?"}
NAMES = list(FIRST)


@pytest.mark.needs("files")
@pytest.mark.filterwarnings("ignore::qa_frame.errors.GoldFormatWarning", "ignore::qa_frame.errors.ResultFileWarning")
@pytest.mark.parametrize("ending", ENDINGS)
@given(records=st.lists(rows, min_size=1, max_size=6))
def test_every_format_gives_back_what_was_read(ending, records):
    with tempfile.TemporaryDirectory() as folder:
        # Where most golds look like lists, `read_results` refuses them, whatever the format.
        source = write_lines(Path(folder, "run.jsonl"), [FIRST] * 20 + records)
        target = Path(folder, f"rows.{ending}")
        assert main(["convert", str(source), "-o", str(target), "--json"]) == 0
        frame, again = qa_frame.read_results(source), qa_frame.read_results(target)
    assert values_of(again[NAMES]) == values_of(frame[NAMES])
    columns = {"pred": "response", "gold": "answers", "convention": "squad2", "append": False}
    pd.testing.assert_frame_equal(qa_frame.score(again, **columns), qa_frame.score(frame, **columns))


@pytest.mark.needs("files")
def test_an_empty_prediction_scores_as_before(tmp_path, run):
    """Of two unanswerable questions, both are right: the prediction is empty, which is not null."""
    records = [{"response": "", "answers": [""]}, {"response": "", "answers": []}, {"response": None, "answers": ["a"]}]
    source = write_lines(tmp_path / "run.jsonl", records)
    figures = []
    for ending in ENDINGS:
        assert run("convert", source, "-o", tmp_path / f"out.{ending}").status == 0
        done = run("summary", tmp_path / f"out.{ending}", "--convention", "squad2", "--metrics", "em", "--json")
        figures.append(json.loads(done.out))
    assert figures[0] == figures[1] == figures[2]
    assert (figures[0][0]["em"], figures[0][0]["n_missing"]) == (2 / 3, 1)
    assert (tmp_path / "out.csv").read_text().splitlines() == ["response,answers", '"","[""""]"', '"",[]', ',"[""a""]"']


@pytest.mark.needs("files")
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_quotes_tell_empty_text_from_null(tmp_path, ending):
    mark = "," if ending == "csv" else "\t"
    lines = ["response,answers,n", '"",a,1', ',a,""', '"a,"",b",,', '"","",3', "' ',\"\",4"]
    path = tmp_path / f"run.{ending}"
    path.write_text("\n".join(lines).replace(",", mark) + "\n", "utf-8")
    frame = qa_frame.read_results(path)
    assert frame["response"].tolist() == ["", pd.NA, f'a{mark}"{mark}b', "", "' '"]
    assert values_of(frame[["answers"]])["answers"] == [["a"], ["a"], None, [""], [""]]
    assert values_of(frame[["n"]])["n"] == [1, None, None, 3, 4]


@pytest.mark.needs("files")
def test_what_no_format_keeps(tmp_path, run):
    """JSON has no infinite numbers; other formats have."""
    source = write_lines(tmp_path / "run.jsonl", [{**FIRST, "n": float("inf")}, {**FIRST, "n": 1.5}])
    done = run("convert", source, "-o", tmp_path / "out.jsonl")
    assert done.status == 2
    assert "out.jsonl: n holds inf, and JSON has no infinite numbers; write .parquet or .csv" in done.err
    assert not (tmp_path / "out.jsonl").exists()
    for ending in ("parquet", "csv"):
        assert run("convert", source, "-o", tmp_path / f"out.{ending}").status == 0
    assert pq.read_table(tmp_path / "out.parquet")["n"].to_pylist() == [float("inf"), 1.5]
    (tmp_path / "big.jsonl").write_bytes(b'{"response": "a", "answers": ["a"], "n": 1e400}\n')
    assert run("convert", tmp_path / "big.jsonl", "-o", tmp_path / "out.jsonl").status == 0
    assert json.loads((tmp_path / "out.jsonl").read_text())["n"] == "1e400"


@pytest.mark.needs("files")
def test_one_column_has_a_line_for_every_row(tmp_path, run):
    source = write_lines(tmp_path / "run.jsonl", [FIRST, {"response": "a", "answers": []}])
    assert run("score", source, "--metrics", "em", "--no-append", "-o", tmp_path / "out.csv").status == 0
    assert (tmp_path / "out.csv").read_text() == 'em\n1.0\n""\n'


@pytest.mark.needs("files")
def test_a_table_tells_an_empty_group_from_none(tmp_path, run):
    models = ["", None, "a,b"]
    source = write_lines(tmp_path / "run.jsonl", [{**FIRST, "model": model} for model in models])
    done = run("summary", source, "--by", "model", "--metrics", "em", "--csv")
    assert [line.rpartition(",1,")[0].partition(",1")[0] for line in done.out.splitlines()[1:]] == ['""', '"a,b"', ""]
