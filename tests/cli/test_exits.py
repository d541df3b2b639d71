"""Flags that a message names are those of the command line."""

from __future__ import annotations

import pytest

from qa_frame.cli import summary
from qa_frame.cli.exits import spell_options


@pytest.mark.parametrize(
    ("message", "spelled"),
    [
        ("give percent=True, or long=True.", "give --percent, or --long."),
        ("observed=False keeps them, observed=True does not", "--no-observed keeps them, --observed does not"),
        ("as qa_frame.summary(df, long=True) does, or f(long=True, by=None)", None),
        ("scored=False, colour=True, df.long=True, subby='x', by=None", None),
        ("at ci=0.95. by='a b' and by=['a', 'b'], by=... is", "at --ci 0.95. --by 'a b' and --by a,b, --by is"),
        ('by=re.compile("I\\\\ don\'t")', "--by 're:I\\ don'\"'\"'t'"),
        ("Name pred= and gold=, such as pred='a.b'. by=", "Name --pred and --gold, such as --pred a.b. --by"),
        ("extract= finds; extract=['boxed', re.compile(r'a')]", "--extract finds; --extract boxed --extract re:a"),
        ("extract=[['boxed', 'all'], 'untex']; extract=re.compile('a', 2)", None),
        ("extract=[[re.compile(r'\\*(a)'), 'all'], 'untex'] takes", "--extract 're|all:\\*(a)' --extract untex takes"),
        ("samples go together in summary(cluster=); done", "samples go together in qa-frame summary --cluster; done"),
        ("path='f1' is no file; path='x'", "'f1' is no file; path='x'"),
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


def test_the_remedy_of_an_error_works(folder, tmp_path, run):
    words = ["score", folder / "sample.parquet", "--pred", "response", "--gold", "answers", "--n-jobs", "1"]
    words += ["-o", tmp_path / "scored"]
    assert run(*words, "--metrics", "em").status == 0
    done = run(*words, "--metrics", "f1")
    assert done.status == 2
    assert done.err.endswith("give another destination, or --overwrite to replace it\n")
    assert run(*words, "--metrics", "f1", "--overwrite").status == 0
