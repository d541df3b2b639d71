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
