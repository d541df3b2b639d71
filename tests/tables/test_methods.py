"""The arguments that choose the rules are declared once, and every function that takes them spells them out."""

from __future__ import annotations

import ast
import importlib
import inspect
import pickle
import re
import typing
from itertools import pairwise
from pathlib import Path

import pytest

import qa_frame
from qa_frame.extensions import is_there
from qa_frame.scoring.call_rules import DEFAULTS, GoldArguments, RuleArguments, make_rules
from qa_frame.tables.methods import takes_rules
from tests.features import added

PACKAGE = Path(qa_frame.__file__).parent
RULES = list(DEFAULTS)
READING = ({"extract", "choices"}, {"choices", "gold_is"})
"""Rules that functions take which make no score."""
DOORS = {"score": ("metrics", RuleArguments), "score_one": ("metrics", RuleArguments), **added("DOORS")}


def parameters_in(tree):
    """For each function, the names of its parameters."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            arguments = node.args
            yield [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def test_no_function_declares_them_again():
    sources = {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    found = {
        path.name
        for path, source in sources.items()
        if sum(name in source for name in RULES) > 1  # parsing all takes long
        for names in parameters_in(ast.parse(source))
        if len(rules := {*RULES} & {*names}) > 1 and rules not in READING
    }
    assert found == {"call_rules.py"}


@pytest.mark.parametrize("name", DOORS)
def test_no_door_names_one_itself(name):
    written = inspect.unwrap(getattr(qa_frame, name))
    assert not {*RULES} & inspect.signature(written).parameters.keys()
    assert list(inspect.signature(written).parameters)[-1] in {"rules", "arguments"}


@pytest.mark.parametrize("name", DOORS)
def test_a_door_spells_them_out(name):
    after, kind = DOORS[name]
    public = getattr(qa_frame, name)
    parameters = inspect.signature(public).parameters
    expected = [each for each in RULES if each in kind.__annotations__]
    place = list(parameters).index(after) + 1
    assert list(parameters)[place : place + len(expected)] == expected
    assert "rules" not in parameters
    doc = inspect.getdoc(public)
    assert "{arguments}" not in doc
    for each in expected:
        assert parameters[each].default == DEFAULTS[each]
        assert parameters[each].kind is inspect.Parameter.KEYWORD_ONLY
        assert re.search(rf"\n(\w+, )*{each}(, \w+)*\n    ", doc)
    assert not (set(RULES) - set(expected)) & parameters.keys()
    assert pickle.loads(pickle.dumps(public)) is public


@pytest.mark.parametrize("name", DOORS)
def test_a_door_refuses_other_keywords_by_its_own_name(name):
    for unknown in ("rules", "best", *(set(RULES) - DOORS[name][1].__annotations__.keys())):
        said = rf"^{name}\(\) got an unexpected keyword argument '{unknown}'; (did you mean|it takes )"
        with pytest.raises(TypeError, match=said):
            getattr(qa_frame, name)(None, **{unknown: None})


def test_types_can_be_asked_for():
    hints = typing.get_type_hints(qa_frame.score_one)
    assert {*RULES} < hints.keys()
    assert typing.get_args(hints["missing"]) == ("zero", "null", "raise")


def test_where_they_stand():
    @takes_rules(after="a", of=GoldArguments)
    def function(data, *, a=1, b=2, **rules):
        """Do it.

        Parameters
        ----------
        a
            One.
        {arguments}
        b
            Two.
        """
        return data, a, b, rules

    assert str(inspect.signature(function)) == (
        "(data, *, a=1, reduce: 'Reduction | None' = None, best_by: 'MetricName | None' = None, "
        "missing: 'Missing' = 'zero', extract: 'Extract' = None, choices: 'Hashable | None' = None, "
        "gold_is: 'GoldIs | None' = None, b=2)"
    )
    assert function.__doc__.index("\na\n") < function.__doc__.index("\nreduce\n") < function.__doc__.index("\nb\n")
    assert function(0, b=3, missing="null") == (0, 1, 3, {"missing": "null"})


def test_rules_are_one_checked_value():
    rules = make_rules(reduce=max, extract="boxed|all", missing="null")
    assert (rules.reduce, rules.missing, rules.best_by) == ("max", "null", "f1")
    assert rules.signature.endswith("|reduce:max|missing:null|extract:boxed|all")
    assert pickle.loads(pickle.dumps(rules)) == rules
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="a='sqad' is not known; did you mean 'squad'"):
        make_rules(convention="sqad", argument="a")


def public_functions():
    """Yield the name and the function for all that the package offers, and for the methods of its classes."""
    classes, pictures = [], inspect.getmembers(qa_frame.plot) if is_there("ext.plot") else []
    if is_there("ext.engines"):
        classes += [importlib.import_module("qa_frame.engines.polars").LazyFrameQA]
        classes += [importlib.import_module("qa_frame.engines.dask").DaskQA]
    for name, offered in inspect.getmembers(qa_frame, inspect.isfunction) + pictures:
        if inspect.isfunction(offered):
            yield name, offered
    for each in [*classes, *(offered for _, offered in inspect.getmembers(qa_frame, inspect.isclass))]:
        if not issubclass(each, BaseException):
            for name, method in inspect.getmembers(each, inspect.isfunction):
                if not name.startswith("_"):
                    yield f"{each.__name__}.{name}", method


def test_each_argument_is_described_where_it_stands():
    pytest.importorskip("matplotlib")
    pytest.importorskip("polars")
    pytest.importorskip("dask")
    seen = 0
    for name, function in public_functions():
        lines = inspect.getdoc(function).partition("\nParameters\n")[2].partition("\nReturns\n")[0].splitlines()
        assert not {"{arguments}"} & {*lines}, name
        described = {each.strip("*"): below for line, below in pairwise(lines) for each in line.split(", ")}
        for argument in {*inspect.signature(function).parameters} - {"self"}:
            found = described.get(argument, "")
            assert re.match(r"    (?!Of |See |The same|The arguments of )\S.{10}", found), (name, argument, found)
            seen += 1
    assert seen > 100
