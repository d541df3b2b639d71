"""The recipes in the docstring of `qa_frame.engines` run as they stand, and give our numbers."""

from __future__ import annotations

import importlib.util
import inspect
import re
import textwrap

import pyarrow.parquet as pq
import pytest

import qa_frame
import qa_frame.engines
from tests.ext.engines.shared import TABLE

NAMES = ["model", "response", "answers"]


def read_recipes():
    """By title, the code below it."""
    doc = inspect.getdoc(qa_frame.engines)
    found = re.findall(r"^(\S[^\n]*)::\n\n((?: {4}[^\n]*\n|\n)+)", doc + "\n", re.MULTILINE)
    return {title: textwrap.dedent(code) for title, code in found[1:]}  # the first shows the imports of engines


RECIPES = read_recipes()


@pytest.fixture
def recipe(request, tmp_path, monkeypatch):
    """What the variables of a recipe hold after it ran where there is a file of results."""
    (code,) = [code for title, code in RECIPES.items() if title.startswith(request.param)]
    for package in ("duckdb", "datasets"):
        if package in code and importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    pq.write_table(TABLE.select(NAMES), tmp_path / "results.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    variables = {}
    exec(compile(code, request.param, "exec"), variables)  # so that functions of it find what it imports
    return variables


@pytest.fixture(scope="module")
def expected():
    return qa_frame.score(TABLE.select(NAMES), "response", "answers")


def test_there_is_a_recipe_for_each_engine():
    assert [re.split(r"[,:]", title)[0] for title in RECIPES] == [
        "DuckDB",
        "DuckDB",
        "Hugging Face datasets",
        "Hugging Face datasets",
    ]


@pytest.mark.parametrize("recipe", ["DuckDB: a relation"], indirect=True)
def test_duckdb(recipe, expected):
    assert recipe["scored"].to_pydict() == expected.to_pydict()
    means = expected.select(["model", "f1"]).group_by("model").aggregate([("f1", "mean")]).sort_by("model").to_pydict()
    assert [model for model, _ in recipe["means"]] == means["model"]
    assert [mean for _, mean in recipe["means"]] == pytest.approx(means["f1_mean"])


@pytest.mark.parametrize("recipe", ["DuckDB, more rows"], indirect=True)
def test_duckdb_in_batches(recipe, expected):
    assert recipe["summary"].equals(qa_frame.Pool(by="model").update(expected).summary(ci=0.95))


@pytest.mark.parametrize("recipe", ["Hugging Face datasets, all", "Hugging Face datasets, batch"], indirect=True)
def test_datasets(recipe, expected):
    assert recipe["scored"].with_format("arrow")[:].to_pydict() == expected.to_pydict()
