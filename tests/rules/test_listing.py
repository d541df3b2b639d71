"""The list of conventions, the words of languages, and that nothing else knows a convention by name."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import qa_frame
from qa_frame import conventions
from qa_frame.extensions import is_there
from qa_frame.rules.listing import ALIASES, Conventions, _load_families, title_of_family
from qa_frame.text import segments
from qa_frame.text.tokenisers import SPLITS
from tests.strategies import each_convention

PACKAGE = Path(qa_frame.__file__).parent
DEFAULT = next(iter(conventions))
NAMES = frozenset(conventions)


def test_the_listing_is_a_mapping_that_cannot_be_changed():
    assert list(conventions) == [convention.name for convention in conventions.values()]
    assert len(conventions) == len(list(conventions)) > 1
    with pytest.raises(TypeError):
        conventions["squad"] = conventions["squad2"]
    with pytest.raises(TypeError):
        del conventions["squad"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        conventions["squad"].name = "other"
    with pytest.raises(KeyError):
        conventions["sqad"]
    with pytest.raises(TypeError):
        qa_frame.rules.ARTICLES["en"] = ()
    with pytest.raises(TypeError):
        qa_frame.rules.STOP_WORDS["en"] = ()


def test_the_listing_can_be_filtered():
    assert [*conventions.filter(family="squad")] == ["squad", "squad2"]
    assert {"mlqa_zh", "cmrc2018"} <= conventions.filter(language="zh").keys()
    assert [*conventions.filter(family="multilingual", language="de")] == ["mlqa_de"]
    assert conventions.filter() == conventions
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="family='squat' is not known; did you mean 'squad'"):
        conventions.filter(family="squat")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="language='en-US' is not known; did you mean 'en'"):
        conventions.filter(language="en-US")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="language='xx' is not known"):
        conventions.filter(language="xx")


def test_every_family_of_conventions_is_a_module():
    modules = {path.stem for path in (PACKAGE / "rules" / "families").glob("*.py")} - {"__init__"}
    assert {convention.family for convention in conventions.values()} == modules
    names = [convention.name for convention in _load_families()]
    assert len(names) == len(set(names))  # none is listed by two modules
    assert all(convention.source for convention in conventions.values())


def test_the_listing_can_be_read():
    """All by family, and one family with what each convention follows."""
    families = dict.fromkeys(convention.family for convention in conventions.values())
    of_all, of_all_in_html = repr(conventions), conventions._repr_html_()
    assert len(of_all.splitlines()) < 50
    assert of_all_in_html.count("<tr>") == len(families) + 1
    for family in families:
        listed = conventions.filter(family=family)
        assert f"{family}: {title_of_family(family)}\n" in of_all
        assert " ".join(listed) in " ".join(of_all.split())
        assert " ".join(listed) in of_all_in_html
        assert_is_shown(listed)
    assert conventions._ipython_key_completions_() == list(conventions)
    assert "&#x27;" in conventions.filter(family="lm_harnesses")._repr_html_()  # what HTML would misread is escaped


def assert_is_shown(listed: Conventions) -> None:
    printed, html = repr(listed), listed._repr_html_()
    for name, convention in listed.items():
        assert re.search(rf"^{name}$", printed, re.MULTILINE)
        for part in (convention.follows, convention.differs, " ".join(convention.metrics)):
            assert part in " ".join(printed.split())
        assert f'<td style="text-align: left">{name}</td>' in html
    assert max(map(len, printed.splitlines())) <= 100
    assert html.count("<tr>") == html.count("</tr>") == len(listed) + 1
    assert "'" not in html


@pytest.mark.parametrize("name", each_convention(conventions))
def test_a_convention_by_name_is_the_object_of_that_name(name):
    frame = qa_frame.sample()[::20]
    by_name, by_object = (
        frame.qa.score("response", "answers", convention=given, append=False) for given in (name, conventions[name])
    )
    pd.testing.assert_frame_equal(by_name, by_object)


def test_stop_words_are_those_of_nltk():
    words = qa_frame.rules.STOP_WORDS["en"]
    digest = "0c98fde29ffc5a2e6d736e91f1af1d22191952a34501cf24a1e44de651946861"
    assert len(words) == len(set(words)) == 179
    assert hashlib.sha256(" ".join(sorted(words)).encode()).hexdigest() == digest


# --- names of conventions elsewhere


def padded_from_the_end(arguments: ast.arguments) -> list[ast.expr | None]:
    """The defaults of all positional parameters, the last one first; None where a parameter has none."""
    n_without = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return [*arguments.defaults[::-1], *[None] * n_without]


def names_in(source: str) -> Iterator[str]:
    """The names of conventions among the string constants, but for the default of a parameter `convention`."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    defaults = {
        id(default)
        for function in functions
        for parameter, default in zip(
            [*function.args.args[::-1], *function.args.posonlyargs[::-1], *function.args.kwonlyargs],
            [*padded_from_the_end(function.args), *function.args.kw_defaults],
            strict=True,
        )
        if parameter.arg == "convention" and isinstance(default, ast.Constant) and default.value == DEFAULT
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in NAMES and id(node) not in defaults:
            yield node.value


def test_no_room_names_a_convention():
    """But the rules, and the list of all names as types; the functions that users call may name their default."""
    knowing = {PACKAGE / "rules", PACKAGE / "_names.py"}
    modules = [path for path in PACKAGE.rglob("*.py") if not knowing & {path, *path.parents}]
    assert len(modules) > 30
    recognise = "qa_frame.ext.files.recognise"
    kinds = (
        {*importlib.import_module(recognise).KINDS} if is_there(recognise) else set()
    )  # of result files: a harness gives its name to its files, too
    sources = {path: path.read_text("utf-8") for path in modules}
    found = {path: {*names_in(source)} for path, source in sources.items() if any(name in source for name in NAMES)}
    in_files = PACKAGE / "ext" / "files"
    others = {*SPLITS, segments.PACKAGE[1]}  # a split and an extra may have the name of a convention, too
    assert {
        path.name for path, names in found.items() if names - others - (kinds if in_files in path.parents else set())
    } == set()


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (f"def score(data, *, convention='{DEFAULT}'): ...", []),
        (f"def score(data, *, other='{DEFAULT}'): ...", [DEFAULT]),
        ("def score(data, *, convention='remem'): ...", ["remem"]),
        ("if name in ('remem', 'squads', b'squad'): ...", ["remem"]),
    ],
)
def test_names_are_found(source, names):
    assert list(names_in(source)) == names


def test_a_name_that_is_not_known_leads_to_the_close_ones_and_to_the_listing():
    close = {
        "chart_qa": "'chartqa'",
        "infinite_bench_math": "'infinitebench_math_find'",
        "hotpot": "'hotpotqa'",
        "longbench_z": "'longbench_zh' or 'longbench'",
    }
    for name, meant in close.items():
        with pytest.raises(qa_frame.errors.UnknownConventionError) as caught:
            conventions[name]
        assert f"; did you mean {meant}" in str(caught.value)
        assert len(str(caught.value)) < 3 * 80
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match=r"'zzz' is not known\. qa_frame\.conventions .* lists all"
    ):
        qa_frame.score_one("a", "a", convention="zzz")


@pytest.mark.parametrize(
    ("name", "family"),
    [("inspect", "inspect"), ("long_context", "long_context"), ("mlqa", "multilingual"), ("mem_0", "memory")],
)
def test_a_name_that_is_not_known_leads_to_its_family(name, family):
    remedy = re.escape(f"qa_frame.conventions (family {family!r}; shell: qa-frame conventions) lists all")
    with pytest.raises(qa_frame.errors.UnknownConventionError, match=remedy):
        conventions[name]
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=remedy):
        qa_frame.score_one("a", "a", convention=name)
    assert conventions.filter(family=family)


@pytest.mark.parametrize(("name", "listed"), ALIASES.items())
def test_another_name_is_the_same_convention_and_is_not_listed(name, listed):
    assert qa_frame.conventions[name] is qa_frame.conventions[listed]
    assert name in qa_frame.conventions
    assert name not in [*qa_frame.conventions]
    assert qa_frame.score_one("Paris", ["paris"], convention=name) == qa_frame.score_one(
        "Paris", ["paris"], convention=listed
    )


def test_a_convention_is_one_object():
    assert len(qa_frame.conventions) > 70  # all are loaded
    assert all(map(qa_frame.conventions.lists, qa_frame.conventions.values()))
