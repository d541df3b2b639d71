"""Flags that a message names are those of the command line."""

from __future__ import annotations

import os
import struct
import sys

import pytest

import qa_frame
from qa_frame.errors import (
    ColumnNotFoundError,
    QaFrameError,
    ResultFileError,
    ResultFileNotFoundError,
    UnknownOptionError,
)
from qa_frame.ext.shell import summary
from qa_frame.ext.shell.exits import say, spell_error, spell_options
from qa_frame.terminal import columns_of


@pytest.mark.parametrize(
    ("message", "spelled"),
    [
        ("give percent=True, or long=True.", "give --percent, or --long."),
        ("observed=False keeps them, observed=True does not", "--no-observed keeps them, --observed does not"),
        ("as qa_frame.summary(df, long=True) does, or f(long=True, by=None)", None),
        ("scored=False, colour=True, df.long=True, subby='x', by=None", None),
        ("at ci=0.95. by='a b' and by=['a', 'b'], by=... is", "at --ci 0.95. --by 'a b' and --by a,b, --by is"),
        ("by=re.compile('a b'), by=['a', re.compile('b')]", None),
        ("Name pred= and gold=, such as pred='a.b'. by=", "Name --pred and --gold, such as --pred a.b. --by"),
        ("extract= finds; extract=['boxed', 'untex']", "--extract finds; --extract boxed --extract untex"),
        ("extract=[['boxed', 'all'], 'untex']; extract=[[re.compile(r'a'), 'all'], 'untex'] takes", None),
        ("samples go together in summary(cluster=); done", None),
        ("let `question` or `f1` name it", "let --question or `f1` name it"),
        ("metrics=['em', 'f1'] or weights={'nq': 0.25, 'drop': 7}", "--metrics em,f1 or --weights nq=0.25,drop=7"),
        (
            (
                "gold='a' is text; if it is several, cut the column first: df['a'] = "
                "qa_frame.to_golds(df['a'], sep=';') in pandas, df = df.with_columns(...) in polars"
            ),
            "--gold a is text; if it is several, give --sep ';'",
        ),
        ("cut them first: data['a'] = qa_frame.to_golds(data['a'], sep='|')", "give --sep '|'"),
        (
            "pred='a' is text; if it is several, cut the column first: qa_frame.to_golds(df['a'], sep=';')",
            "--pred a is text; if it is several, cut the column first: qa_frame.to_golds(df['a'], sep=';')",
        ),
        ("by is not given; with df.qa.score(pred, gold, stats=True)", "--by is not given; with qa-frame score --stats"),
    ],
)
def test_flags_of_python_become_options(message, spelled):
    assert spell_options(message, summary.command) == (spelled or message)
    assert spell_options(message, None) == message


@pytest.mark.parametrize(
    ("error", "spelled"),
    [
        (ColumnNotFoundError.of("by", "is no column", "give 'b'", value="a b"), "--by 'a b' is no column; give 'b'"),
        (ColumnNotFoundError.of("by", "names none", "Columns: []", value=["a"]), "--by a names none. Columns: []"),
        (UnknownOptionError.of("by", "is not text", value=None), "by=None is not text"),
        (UnknownOptionError.of("by", "is long", value="a" * 80), f"--by '{'a' * 59}... is long"),
        (UnknownOptionError.of("name", "is odd", "leave out by='x'", value="a"), "name='a' is odd; leave out --by x"),
        (UnknownOptionError.of("by", "is bad", "call qa_frame.f(1)"), "--by is bad; in Python: call qa_frame.f(1)"),
        (ResultFileNotFoundError.of("path", "is no file", value="f1"), "'f1' is no file"),
        (ResultFileError.of("path", ": nothing there", "give one", value=["a"]), "['a']: nothing there; give one"),
        (QaFrameError.of("", "x is odd", "drop by=..."), "x is odd; drop --by"),
        (QaFrameError("in by='x'; call qa_frame.f()"), "in Python: in --by x; call qa_frame.f()"),
        (OSError("by='x'"), "--by x"),
    ],
)
def test_errors_are_told_by_their_fields(error, spelled):
    assert spell_error(error, summary.command) == spelled
    assert spell_error(error, None) == str(error)


@pytest.mark.needs("style")
def test_the_remedy_of_an_error_works(folder, tmp_path, run):
    words = ["score", folder / "sample.parquet", "--pred", "response", "--gold", "answers", "--n-jobs", "1"]
    words += ["-o", tmp_path / "scored"]
    assert run(*words, "--metrics", "em").status == 0
    done = run(*words, "--metrics", "f1")
    assert done.status == 2
    assert done.err.endswith("give another destination, or --overwrite to replace it\n")
    assert run(*words, "--metrics", "f1", "--overwrite").status == 0


def test_tables_for_people_are_csv_where_style_is_not_there(folder, tmp_path, run, monkeypatch):
    monkeypatch.setattr(qa_frame, "__dir__", list)
    words = [folder / "sample.parquet", "--pred", "response", "--gold", "answers", "--metrics", "recall"]
    done = run("score", *words, "--n-jobs", "1", "-o", tmp_path / "scored.csv")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("source,destination,status,")
    assert (tmp_path / "scored.csv").is_file()
    refused = run("summary", *words, "--markdown")
    assert "qa_frame.style, which is not there; give --json or --csv" in refused.err


@pytest.mark.parametrize("word", ["give", "通义千问"])
def test_messages_fit_a_terminal_and_are_one_line_elsewhere(word, monkeypatch, capsys):
    fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))
    message = f"{word} --fail-if-worse f1=0.02 " * 8
    say(message)
    assert capsys.readouterr().err.count("\n") == 1
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    with open(slave, "w", encoding="utf-8") as stream:  # noqa: PTH123  (it is open already)
        monkeypatch.setattr(sys, "stderr", stream)
        say(message)
        lines = os.read(master, 10_000).decode().splitlines()
    os.close(master)
    assert len(lines) > 3
    assert max(map(columns_of, lines)) <= 60
    assert " ".join(map(str.strip, lines)).split() == f"qa-frame: {message}".split()
