"""Who may import whom: each room's law, read from the package's source, and what an import of it all may cost."""

from __future__ import annotations

import ast
import functools
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

import qa_frame

PACKAGE = Path(qa_frame.__file__).parent

CARRIERS = {"Tokens", "Pairs", "Counts"}
"""What `text` and `batches` may take from `kernels`: data, never a function."""

SCORING = {
    "qa_frame.frames.text_columns",
    "qa_frame.conventions",
    "qa_frame.scoring.pipeline",
    "qa_frame.scoring.plan",
    "qa_frame.scoring.reduction",
}
"""What a front door scores through, and takes its arguments' types from."""

LAWS: dict[str, set[str]] = {
    # what is the same for all
    "version": set(),
    "errors": set(),
    # integers
    "kernels": {"numpy", "qa_frame.kernels"},
    # texts
    "text": {
        "jieba",
        "nltk",
        "numpy",
        "pyarrow",
        "qa_frame.conventions",
        "qa_frame.errors",
        "qa_frame.kernels.pair_counts",
        "qa_frame.kernels.tokens",
        "qa_frame.text",
    },
    # scores
    "metrics": {"numpy", "qa_frame.conventions", "qa_frame.kernels.pair_counts"},
    "reduction": {"numpy", "qa_frame.errors"},
    "languages": set(),
    "conventions": {"qa_frame.errors", "qa_frame.rules.languages", "qa_frame.version"},
    "plan": {
        "qa_frame.conventions",
        "qa_frame.errors",
        "qa_frame.scoring.metrics",
        "qa_frame.scoring.reduction",
        "qa_frame.text",
    },
    # columns
    "columns": {"numpy", "pandas", "pyarrow", "qa_frame.errors"},
    "batches": {"numpy", "pyarrow", "qa_frame.frames.text_columns", "qa_frame.kernels.tokens"},
    # threads and the progress bar
    "running": {"tqdm", "qa_frame.errors"},
    # the map: every room below, no pandas and no Arrow
    "pipeline": {
        "numpy",
        "qa_frame.scoring.batches",
        "qa_frame.frames.text_columns",
        "qa_frame.conventions",
        "qa_frame.kernels",
        "qa_frame.scoring.metrics",
        "qa_frame.scoring.plan",
        "qa_frame.scoring.reduction",
        "qa_frame.parallel",
        "qa_frame.text",
    },
    # statistics
    "exact": {"numpy"},
    "ratios": {"numpy"},
    "intervals": {"numpy", "qa_frame.errors"},
    "groups": {"numpy", "pandas", "qa_frame.frames.text_columns", "qa_frame.errors"},
    "parts": {
        "numpy",
        "qa_frame.errors",
        "qa_frame.stats.exact_sums",
        "qa_frame.stats.grouping",
        "qa_frame.scoring.metrics",
        "qa_frame.stats.ratios",
    },
    "resampling": {"numpy", "qa_frame.stats.intervals", "qa_frame.parallel"},
    "estimates": {
        "numpy",
        "qa_frame.errors",
        "qa_frame.stats.exact_sums",
        "qa_frame.stats.grouping",
        "qa_frame.stats.intervals",
        "qa_frame.stats.sums",
        "qa_frame.stats.ratios",
        "qa_frame.stats.bootstrap",
    },
    "pool": {
        "numpy",
        "pandas",
        "pyarrow",
        "qa_frame.frames.text_columns",
        "qa_frame.errors",
        "qa_frame.stats.estimates",
        "qa_frame.stats.exact_sums",
        "qa_frame.stats.grouping",
        "qa_frame.stats.intervals",
        "qa_frame.scoring.metrics",
        "qa_frame.stats.sums",
        "qa_frame.scoring.pipeline",
        "qa_frame.scoring.plan",
        "qa_frame.stats.ratios",
        "qa_frame.reports.scored_rows",
    },
    "differences": {"numpy", "pandas", "qa_frame.errors", *SCORING},
    "scored": {
        "numpy",
        "pandas",
        "qa_frame.frames.text_columns",
        "qa_frame.errors",
        "qa_frame.stats.exact_sums",
        "qa_frame.scoring.metrics",
        "qa_frame.scoring.pipeline",
        "qa_frame.scoring.plan",
    },
    "keys": {"numpy", "pandas", "qa_frame.frames.text_columns", "qa_frame.errors", "qa_frame.stats.grouping"},
    "compare": {
        "numpy",
        "pandas",
        "qa_frame.frames.text_columns",
        "qa_frame.conventions",
        "qa_frame.errors",
        "qa_frame.stats.intervals",
        "qa_frame.stats.keys",
        "qa_frame.scoring.metrics",
        "qa_frame.scoring.plan",
        "qa_frame.scoring.reduction",
        "qa_frame.reports.scored_rows",
    },
    "agreement": {
        "numpy",
        "pandas",
        "scipy",
        "qa_frame.frames.text_columns",
        "qa_frame.compare",
        "qa_frame.conventions",
        "qa_frame.errors",
        "qa_frame.stats.intervals",
        "qa_frame.stats.keys",
        "qa_frame.scoring.plan",
        "qa_frame.scoring.reduction",
        "qa_frame.reports.scored_rows",
    },
    # front doors
    "accessor": {
        "pandas",
        "qa_frame.agreement",
        "qa_frame.compare",
        "qa_frame.differences",
        "qa_frame.stats.grouping",
        "qa_frame.stats.intervals",
        "qa_frame.pool",
        *SCORING,
    },
    "arrow": {"pyarrow", *SCORING},
    "samples": {"pandas", "pyarrow"},
    "cli": {"pandas", "qa_frame"},
    "__init__": {
        "qa_frame.accessor",
        "qa_frame.arrow",
        "qa_frame.conventions",
        "qa_frame.errors",
        "qa_frame.rules.languages",
        "qa_frame.pool",
        "qa_frame.samples",
        "qa_frame.version",
    },
    "__main__": {"qa_frame.cli"},
}
"""For each room, a module or a folder of them: what it may import beyond the standard library. A folder of this
package stands for all that is in it; `qa_frame` itself for the package's public names alone."""

IMPORTED_ONLY_IN_FUNCTIONS = {"jieba", "matplotlib", "nltk", "tqdm"}
IMPORTED_ONLY_IN_FUNCTIONS = {"tqdm", "matplotlib", "scipy"}

NEVER_IMPORTED = ("tqdm", "matplotlib", "bleuscore", "duckdb", "evaluate", "hypothesis", "jieba", "nltk", "polars")
NEVER_IMPORTED += ("pytest", "rouge", "rouge_score", "sacrebleu", "scipy")


# --- reading the source


def rooms() -> set[str]:
    """The modules and the folders of modules that stand directly in the package."""
    folders = {path.parent.name for path in PACKAGE.glob("*/*.py")}
    return folders | {path.stem for path in PACKAGE.glob("*.py")}


def modules_of(room: str) -> list[Path]:
    folder = PACKAGE / room
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{room}.py"]


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


@functools.cache
def all_modules() -> dict[str, Path]:
    return {module_name(path): path for path in PACKAGE.rglob("*.py")}


def is_library(name: str) -> bool:
    return name.partition(".")[0] in sys.stdlib_module_names


def imports_in(tree: ast.AST) -> set[str]:
    """What is imported anywhere in it: modules of this package by full name, packages of others by theirs."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= _modules_of_import_from(node)
    theirs = {name.partition(".")[0] for name in found if not _is_ours(name) and not is_library(name)}
    return theirs | {name for name in found if _is_ours(name)}


def _modules_of_import_from(node: ast.ImportFrom) -> set[str]:
    """`from package import name` imports a module if there is one of that name, else the package."""
    if node.level:
        raise ValueError(f"line {node.lineno}: a relative import; this package names modules in full")
    base = str(node.module)
    inner = {f"{base}.{alias.name}" for alias in node.names}
    modules = inner & all_modules().keys()
    return modules if modules == inner else modules | {base}


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] == "qa_frame"


def imports_of(room: str) -> set[str]:
    return set().union(*(imports_in(ast.parse(path.read_text("utf-8"))) for path in modules_of(room)))


def is_allowed(name: str, law: set[str]) -> bool:
    """By name, or as part of an allowed folder; the whole package is not such a folder."""
    parents = name.split(".")[:2]
    return name in law or (_is_ours(name) and len(name.split(".")) > 2 and ".".join(parents) in law)


# --- the laws


def test_every_room_has_a_law_and_every_law_a_room():
    assert rooms() == LAWS.keys()


@pytest.mark.parametrize("room", LAWS)
def test_room_keeps_its_law(room):
    broken = {name for name in imports_of(room) if not is_allowed(name, LAWS[room])}
    assert not broken, f"{room} may not import {sorted(broken)}; its law: {sorted(LAWS[room])}"


@pytest.mark.parametrize("room", ["text", "batches"])
def test_room_takes_only_data_from_the_kernels(room):
    taken = {
        alias.name
        for path in modules_of(room)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("qa_frame.kernels")
        for alias in node.names
    }
    assert taken
    assert taken <= CARRIERS


def test_no_module_imports_itself_in_a_circle():
    graph = {name: imports_in(ast.parse(path.read_text("utf-8"))) for name, path in all_modules().items()}
    order = list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError
    assert order.index("qa_frame.kernels.tokens") < order.index("qa_frame.scoring.pipeline") < order.index("qa_frame")


@pytest.mark.parametrize("module", sorted(all_modules()))
def test_what_is_dear_to_import_is_imported_where_it_is_needed(module):
    tree = ast.parse(all_modules()[module].read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for function in functions:
        function.body = []
    assert not imports_in(tree) & IMPORTED_ONLY_IN_FUNCTIONS


def test_importing_the_package_imports_no_more_than_it_needs():
    script = "import sys, qa_frame; print(*sys.modules)"
    printed = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    ).stdout
    imported = {name.partition(".")[0] for name in printed.split()}
    assert {"qa_frame", "pandas", "pyarrow"} <= imported
    assert not imported & set(NEVER_IMPORTED)


# --- that the reading above reads right


@pytest.mark.parametrize(
    ("source", "imported"),
    [
        ("import os.path, numpy.typing as npt", {"numpy"}),
        ("from qa_frame.kernels import counts", {"qa_frame.kernels.pair_counts"}),
        ("from qa_frame.kernels import counts, other", {"qa_frame.kernels", "qa_frame.kernels.pair_counts"}),
        ("from qa_frame.kernels.pair_counts import Counts", {"qa_frame.kernels.pair_counts"}),
        ("def later():\n    import pandas as pd", {"pandas"}),
        ("import qa_frame", {"qa_frame"}),
        ("from qa_frame import sample", {"qa_frame"}),
    ],
)
def test_imports_are_found(source, imported):
    assert imports_in(ast.parse(source)) == imported


def test_relative_imports_are_refused():
    with pytest.raises(ValueError, match="relative import"):
        imports_in(ast.parse("from . import counts"))


@pytest.mark.parametrize(
    ("name", "law", "allowed"),
    [
        ("numpy", {"numpy"}, True),
        ("pandas", {"numpy"}, False),
        ("qa_frame.text.words", {"qa_frame.text"}, True),
        ("qa_frame.text", {"qa_frame.text.words"}, False),
        ("qa_frame.texts", {"qa_frame.text"}, False),
        ("qa_frame.pool", {"qa_frame"}, False),
        ("qa_frame.pool", set(), False),
    ],
)
def test_what_a_law_allows(name, law, allowed):
    assert is_allowed(name, law) is allowed
