"""Options are the parameters of the Python functions, and hand their values on."""

from __future__ import annotations

import importlib
import json
import re

import click
import pandas as pd
import pytest

import qa_frame
from qa_frame import extensions
from qa_frame.ext.shell import options
from qa_frame.ext.shell.commands import COMMANDS, commands
from qa_frame.tables.options import TableArguments
from tests.ext.shell.shared_options import FILE, READING, RULES, TABLE, parameters
from tests.features import with_needs

EXPECTED = {
    "score": parameters(qa_frame.score_files, "source", "destination") | READING | FILE | {"paths"},
    "summary": parameters(qa_frame.summary_files, "source", "as_pool")
    | parameters(qa_frame.summary, "majority")
    | READING
    | TABLE
    | {"paths", "scored", "fail_under", "at"},
    "compare": parameters(qa_frame.compare)
    | RULES
    | READING
    | TABLE
    | {"paths", "scored", "fail_if_worse", "allow_missing", "ranks"},
    "conventions": TABLE | {"name"},
    "demo": set(),
}
for feature in extensions.paths_of("command.py"):
    EXPECTED |= importlib.import_module(f"tests.ext.{feature}.command_options").EXPECTED


def command_of(name):
    return commands.get_command(click.Context(commands), name)


@pytest.mark.needs("files")
def test_all_commands_are_listed():
    assert COMMANDS.keys() == EXPECTED.keys()


@pytest.mark.needs("files")
@pytest.mark.parametrize("name", EXPECTED)
def test_every_parameter_is_an_option(name):
    assert {each.name for each in command_of(name).params} == EXPECTED[name]


@pytest.mark.needs("files")
def test_every_option_has_a_help_of_its_own():
    for name in EXPECTED:
        helps = [option.help for option in command_of(name).params if isinstance(option, click.Option)]
        assert all(len(text) > 7 for text in helps)
        assert len(helps) == len(set(helps))


class Stopped(qa_frame.QaFrameError):
    """Ends a command when its function is called."""


@pytest.fixture
def settings_of(run, folder, monkeypatch):
    """The settings that a command hands to a function of the package."""

    def call(function, *words):
        settings, real = {}, getattr(qa_frame, function)
        command_of(words[0])  # its options are made from the functions as they are

        def record(*arguments, **given):
            if isinstance(arguments[0], pd.DataFrame) and arguments[0].empty:
                return real(*arguments, **given)  # which tells the kinds of figures
            settings.update(given)
            settings["arguments"] = arguments[1:]
            raise Stopped("stopped")

        monkeypatch.setattr(qa_frame, function, record)
        done = run(words[0], folder / "sample.jsonl", *words[1:])
        assert done == (2, "", "qa-frame: stopped\n")
        return settings

    return call


NAMING = [
    (["--metrics", "em,f1"], {"metrics": ["em", "f1"]}),
    (["--metrics", "em", "--metrics", "f1"], {"metrics": ["em", "f1"]}),
    (["--metrics", "em"], {"metrics": "em"}),
]
CHOOSING = [
    (["--convention", "remem"], {"convention": "remem"}),
    (["--reduce", "mean"], {"reduce": "mean"}),
    (["--missing", "null"], {"missing": "null"}),
    (["--extract", "first_line"], {"extract": "first_line"}),
    (["--extract", "re:a, (b)"], {"extract": re.compile("a, (b)")}),
    (["--extract", "boxed", "--extract", "re:x"], {"extract": ["boxed", re.compile("x")]}),
    (["--extract", "answer_is|all"], {"extract": "answer_is|all"}),
    (["--extract", "re:boxed|all"], {"extract": re.compile("boxed|all")}),
    (["--extract", "re|all:a: b|c"], {"extract": [[re.compile("a: b|c"), "all"]]}),
    (["--extract", "boxed", "--extract", "hashes|re:x"], {"extract": ["boxed", ["hashes", re.compile("x")]]}),
]
PREFIX = (["--prefix", "x_"], {"prefix": "x_"})
DRAWING = [
    (["--ci", "0.9"], {"ci": 0.9}),
    (["--n-resamples", "50"], {"n_resamples": 50}),
    (["--seed", "7"], {"seed": 7}),
    (["--cluster", "question_id"], {"cluster": "question_id"}),
]
RUNNING = [
    (["--progress"], {"progress": True}),
    (["--no-progress"], {"progress": False}),
    (["--n-jobs", "-1"], {"n_jobs": -1}),
]
SUMMING = [
    (["--by", "model"], {"by": "model"}),
    (["--by", "model,dataset"], {"by": ["model", "dataset"]}),
    (["--by", "model", "--by", '"a,b"'], {"by": ["model", "a,b"]}),
    (["--method", "bootstrap"], {"method": "bootstrap"}),
    (["--percent"], {"percent": True}),
    (["--no-observed"], {"observed": False}),
    (["--dropna"], {"dropna": True}),
    (["--long"], {"long": True}),
]
METRICS = list(qa_frame.conventions["squad"].metrics)
NAMED = ["--pred", "response", "--gold", "answers"]


@pytest.mark.parametrize(
    ("command", "words", "expected"), [("compare", *CHOOSING[0]), *(("summary", *each) for each in CHOOSING)]
)
def test_rules_choose_how_rows_are_scored(command, words, expected, settings_of):
    found = settings_of("score", command, *words)
    assert found.items() >= ({"pred": "response", "gold": "answers", "arguments": ()} | expected).items()


@pytest.mark.parametrize(("words", "expected"), [*NAMING, PREFIX, *DRAWING, *SUMMING])
def test_summary(words, expected, settings_of):
    named = {"metrics": METRICS} if "metrics" not in expected else {}  # figures of all rows are left out unasked
    assert settings_of("summary", "summary", *words) == {"arguments": ()} | named | expected
    assert settings_of("summary", "summary", *words, "--scored", "--kind", "plain") == {"arguments": ()} | expected


OF_TABLES = set(TableArguments.__annotations__)


@pytest.mark.parametrize(("words", "expected"), [NAMING[0], CHOOSING[0], DRAWING[0], *SUMMING[:4], *RUNNING])
def test_summary_of_named_columns(words, expected, settings_of):
    columns = {"pred": "response", "gold": "answers", "arguments": ()}
    metrics = list(qa_frame.conventions[expected.get("convention", "squad")].metrics)
    named = {"metrics": metrics} if "metrics" not in expected else {}
    kept = "rows" if "method" in expected else "sums"  # draws of rows need them, where nothing names units
    of_sums = {"as_pool": kept} | {name: value for name, value in expected.items() if name not in OF_TABLES}
    assert settings_of("summary_files", "summary", *NAMED, *words) == columns | named | of_sums
    assert settings_of("summary_files", "summary", "--scored", *words) == {"arguments": ()} | of_sums


def test_a_summary_of_named_columns_shows_what_its_pool_can(folder, run):
    """The table of a stream is that of the rows as a whole, whatever its settings are."""
    words = [
        "--by",
        "model",
        "--question",
        "question_id,dataset",
        "--pass-at",
        "1",
        "--ci",
        "0.9",
        "--percent",
        "--long",
    ]
    words += ["--threshold", "0.4", "--macro", "dataset", "--weights", "size", "--datasets", "random", "--json"]
    whole = run("summary", folder / "sample.jsonl", *words)
    assert whole.status == 0
    assert run("summary", folder / "sample.jsonl", *words, *NAMED).out == whole.out


def test_a_prefix_of_the_scores_in_files(folder, run):
    source, scored = folder / "sample.jsonl", folder / "scored.jsonl"
    assert run("score", source, "-o", scored, *NAMED, "--prefix", "x_").status == 0
    wanted = qa_frame.sample().qa.score("response", "answers", metrics=["em", "f1"]).qa.summary(ci=0.9)
    words = ["--ci", "0.9", "--json", "--metrics"]
    by_prefix = json.loads(run("summary", scored, "--scored", "--prefix", "x_", *words, "em,f1").out)
    by_names = json.loads(run("summary", scored, "--scored", *words, "x_em,x_f1").out)  # in chunks
    for found, prefix in ((by_prefix, ""), (by_names, "x_")):
        for name in ("em", "em_lo", "em_hi", "f1", "f1_lo", "f1_hi"):
            assert found[0][prefix + name] == wanted[name].item()


@pytest.mark.parametrize("words", [["--pass-at", "2"], ["--weights", "size"], ["--method", "boot"], ["--seed", "-1"]])
def test_wrong_settings_of_a_table_are_said_before_files_are_read(words, run):
    done = run("summary", "none.jsonl", *NAMED, *words)
    assert done.status == 2
    assert done.err.startswith(f"qa-frame: {words[0]} ")


@pytest.mark.parametrize("words", [[], ["--n-jobs", "1"], ["--n-jobs", "2", "--progress"]])
def test_what_has_no_effect_is_said(words, folder, run):
    done = run("summary", folder / "sample.jsonl", *words)
    assert done.status == 0
    names = [word for word in ("--n-jobs", "--progress") if word in words]
    *lines, caveat = done.err.splitlines()
    assert caveat.startswith(f"qa-frame: {LONGER_ANSWERS}")
    assert lines == ([f"qa-frame: {' and '.join(names)} had no effect: {WHOLE}"] if names else [])


LONGER_ANSWERS = "ScoringWarning: 16 % of the answers contain a gold and at least twice as many other words."
WHOLE = "these files are read as a whole; give --pred and --gold to read Parquet and JSON Lines in chunks"


@pytest.mark.parametrize(
    ("words", "expected"), [NAMING[0], CHOOSING[0], PREFIX, *RUNNING, (["--stats"], {"stats": True})]
)
def test_score(words, expected, settings_of, tmp_path):
    words = ["-o", tmp_path / "out.jsonl", *words]
    found = {"pred": "response", "gold": "answers"} | expected
    assert settings_of("score_files", "score", *NAMED, *words) == found | {"arguments": (str(words[1]),)}
    assert settings_of("score", "score", *words) == found | {"arguments": ()}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        NAMING[0],
        DRAWING[0],
        (["--cluster", "dataset,question"], {"cluster": ["dataset", "question"]}),
        (["--correction", "none"], {"correction": "none"}),
        (["--baseline", "heron-7b"], {"baseline": "heron-7b"}),
        (["--by", "dataset"], {"arguments": ("dataset", ["question_id"])}),
        (["--question", "question,dataset"], {"arguments": ("model", ["question", "dataset"])}),
        (["--fail-if-worse", "f1=0.02"], {"baseline": "heron-7b", "margin": {"f1": 0.02}}),
        (["--margin", "0.02"], {"margin": 0.02}),
        (["--margin", "f1=0.02,em=0.01"], {"margin": {"f1": 0.02, "em": 0.01}}),
    ],
)
def test_compare(words, expected, settings_of):
    found = {"arguments": ("model", ["dataset", "question_id"])}
    assert settings_of("compare", "compare", *words) == found | expected


@pytest.mark.parametrize("command", with_needs(["summary", "compare", "audit", "score", "convert"], {"audit": "audit"}))
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--kind", "plain"], {"kind": "plain"}),
        (["--on-bad-lines", "skip"], {"on_bad_lines": "skip"}),
        (["--pred", "a.b"], {"pred": "a.b"}),
        (["--gold", "a.b"], {"gold": "a.b"}),
    ],
)
def test_reading(command, words, expected, settings_of, tmp_path):
    output = ["-o", tmp_path / "rows.csv"] if command in {"score", "convert"} else []
    assert settings_of("read_results", command, *output, *words) == {"arguments": ()} | expected


@pytest.mark.parametrize("command", with_needs(["summary", "compare", "audit", "score", "convert"], {"audit": "audit"}))
def test_golds_are_cut(command, settings_of, tmp_path):
    output = ["-o", tmp_path / "rows.csv"] if command in {"score", "convert"} else []
    assert settings_of("to_golds", command, *output, "--sep", ";") == {"sep": ";", "arguments": ()}


def test_a_new_parameter_is_an_option_at_once():
    def function(
        data,
        depth: int = 3,
        names: list[str] | None = None,
        *,
        deep: bool = False,
        word: str = "",
        sizes: tuple[int, ...] = (),
    ):
        """Do something.

        Parameters
        ----------
        data
            A frame.
        depth
            How deep it goes. The deeper, the slower.
        names, word
            What to look for.
        deep
            Whether it is `deep`.
        sizes
            The sizes (Chen et al. 2021). There may be several.
        """

    @click.command()
    @options.options_of(function, without=["data"])
    def command(**settings):
        click.echo(sorted(settings))

    with click.Context(command) as context:
        text = " ".join(command.get_help(context).split())
    assert "--depth INTEGER How deep it goes. Default: 3." in text
    assert "--names NAMES What to look for." in text
    assert "--deep / --no-deep Whether it is deep." in text
    assert "--word TEXT What to look for." in text
    assert "--sizes NUMBERS The sizes (Chen et al. 2021)." in text
    assert "Default: ()" not in text


def test_help_names_all_choices(run):
    text = " ".join((run("compare", "--help").out + run("score", "--help").out).split())
    assert "--correction [holm|none] " in text
    assert "--missing [zero|null|raise] " in text
    assert "None" not in text


def test_help_names_what_another_command_explains(run):
    text = " ".join(run("compare", "--help").out.split())
    assert "As in `qa-frame score --help`: --convention --reduce" in text
    for home in ("convert", "score", "summary"):
        names = text.partition(f"As in `qa-frame {home} --help`: ")[2].split(" As in ")[0].split(" FILES")[0].split()
        explained = run(home, "--help").out
        assert names
        assert all(f"{name} " in explained for name in names)


def test_a_help_has_at_most_350_words(run):
    assert all(len(run(name, "--help").out.split()) <= 350 for name in COMMANDS)


CHOSEN_WITH = {
    "best": ["--best-by", "f1"],
    "fixed": ["--macro", "dataset"],
    "random": ["--macro", "dataset"],
    "equal": ["--macro", "dataset"],
    "size": ["--macro", "dataset"],
    "lower": ["--ci", "0.95", "--fail-under", "f1=0"],
    "votes": ["--convention", "vqa"],
    **{name: ["--extract", "choice", "--choices", "answers"] for name in ("letter", "text", "index0", "index1")},
}
"""What an option's value is of use with."""


def values_offered():
    """Each value that the help of a command offers, but of what all commands share: one command tells."""
    found = {}
    for name in (name for name in ("summary", "compare", "report") if name in COMMANDS):
        for option in command_of(name).params:
            for value in (option.metavar or "")[1:-1].split("|") if "|" in (option.metavar or "") else ():
                found.setdefault((option.opts[-1], value), name)
    return [(name, option, value) for (option, value), name in found.items()]


@pytest.mark.needs("files")
@pytest.mark.parametrize("offered", values_offered(), ids=" ".join)
def test_each_value_that_the_help_offers_is_taken(offered, run, folder, tmp_path):
    command, option, value = offered
    words = [folder / "sample.parquet", option, value, *CHOSEN_WITH.get(value, [])]
    if value == "raise":  # rows without a prediction are an error then
        qa_frame.read_results(folder / "sample.parquet").dropna(subset=["response"]).to_parquet(
            tmp_path / "all.parquet"
        )
        words[0] = tmp_path / "all.parquet"
    done = run(command, *words, *["-o", tmp_path / "report"] * (command == "report"))
    assert done.status in {0, 1}, done.err
