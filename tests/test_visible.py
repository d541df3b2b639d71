"""Nothing that a person reads holds what a terminal would obey: errors, warnings, tables, and what commands print."""

from __future__ import annotations

import json
import pickle
import re
import sys
import unicodedata
import warnings
import zipfile

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qa_frame
from qa_frame import errors
from qa_frame.terminal import visible

CODES = "\x1b[31m\x07\x9b2J\x7f\u202e\u2066\u2028"
SHOWN = r"\x1b[31m\x07\x9b2J\x7f\u202e\u2066\u2028"
OVERRIDES = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
CLASSES = [
    each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.QaFrameError | Warning)
]

posix = pytest.mark.skipif(sys.platform == "win32", reason="such names are those of POSIX")


def is_obeyed(text):
    """Whether a terminal would do more than show the text."""
    return any(
        unicodedata.category(letter) == "Cc" or unicodedata.bidirectional(letter) in OVERRIDES for letter in text
    )


OVERRIDES = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}


@given(st.text())
def test_what_is_shown_can_be_shown(text):
    shown = visible(text)
    assert not is_obeyed(shown)
    shown.encode()
    assert visible(shown) == shown
    if text.isprintable():
        assert shown == text
    assert not is_obeyed(visible(text, keep="\n").replace("\n", ""))


def test_what_is_kept():
    assert visible("é 日本 \u200d \u00a0 👩\u200d🚀 שלום\u200f") == "é 日本 \u200d \u00a0 👩\u200d🚀 שלום\u200f"
    assert visible("a\tb\nc", keep="\n\t") == "a\tb\nc"
    assert visible("a\tb\n") == r"a\tb\n"
    assert visible("\udcff") == r"\udcff"


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_errors_and_warnings(kind):
    found = kind(f"run{CODES}.jsonl: line 1\n\tis wrong")
    assert str(found) == f"run{SHOWN}.jsonl: line 1\n\tis wrong"
    assert found.args == (f"run{CODES}.jsonl: line 1\n\tis wrong",)
    assert str(pickle.loads(pickle.dumps(found))) == str(found)
    assert str(type(found).__new__(type(found), *found.args)) == str(found)  # as Dask makes it anew
    assert not is_obeyed(repr(found))


@pytest.mark.needs("files")
@posix
def test_names_of_files_and_of_members_of_archives(tmp_path):
    path = tmp_path / f"log{CODES}.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "m", "task": "t"}}))
        archive.writestr(f"samples/1{CODES}_epoch_1.json", "{broken")
    with pytest.raises(qa_frame.errors.ResultFileError) as raised:
        qa_frame.read_results(path)
    assert f"log{SHOWN}.eval" in str(raised.value)
    assert not is_obeyed(str(raised.value))
    lines = tmp_path / f"run{CODES}.jsonl"
    lines.write_text('{"response": "a", "answers": ["a"]}\n{"response": 7.5, "answers": ["a"]}\n')
    with pytest.raises(qa_frame.QaFrameError) as raised:
        qa_frame.score_files(lines, tmp_path / "out", pred="response", gold="answers", n_jobs=1)
    assert str(raised.value).count(SHOWN) == 1  # the file is named once
    assert not is_obeyed(str(raised.value))
    lines.write_text('{"response": "a", "answers": ["a"]}\n{"response": 7')
    with warnings.catch_warnings(record=True) as given_warnings:
        warnings.simplefilter("always")
        qa_frame.read_results(lines, on_bad_lines="warn")
    assert [SHOWN in str(each.message) for each in given_warnings] == [True]


@pytest.mark.needs("style")
def test_headings_and_cells_of_tables():
    frame = qa_frame.sample().rename(columns={"model": f"model{CODES}\n"})
    frame[f"model{CODES}\n"] += f"{CODES}\n"
    table = frame.qa.score(pred="response", gold="answers", metrics="f1").qa.summary(by=f"model{CODES}\n", metrics="f1")
    styled = qa_frame.style(table)
    for text in (str(styled), styled.to_markdown(), styled.to_latex(), styled._repr_html_()):
        assert not is_obeyed(text.replace("\n", ""))
        assert len(re.findall(r"x1b\[31m\S{1,30}x07", text)) >= 4
    lines = str(styled).split("\n")
    assert lines[0].startswith(f"model{SHOWN}\\n  ")
    assert len({len(line) for line in lines[1:3]}) == 1 or lines[1].startswith("-" * len(f"model{SHOWN}"))


@pytest.mark.needs("conventions", "explain")
def test_texts_of_rows():
    frame = pd.DataFrame({"response": [f"3.5 {CODES}", "a"], "answers": [["35"], [f"a{CODES}"]]}, index=[CODES, "b"])
    found = frame.qa.compare_conventions("squad", "drop", pred="response", gold="answers", metric="f1")
    for text in (str(found), found._repr_html_(), str(frame.qa.explain(CODES, pred="response", gold="answers"))):
        assert not is_obeyed(text.replace("\n", ""))
