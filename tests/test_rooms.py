"""The rooms of the package: which imports which, what each must not know, and what an import of it all loads.

A room is a folder or a module that stands directly in `qa_frame/`. The laws are read from the source, so a module that
no test imports keeps them too.
"""

from __future__ import annotations

import ast
import graphlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import qa_frame
from qa_frame import extensions
from qa_frame.scoring.metrics import ALL_STATISTICS, METRICS
from qa_frame.scoring.pooled import COUNTS, POOLED

ROOMS: dict[str, set[str]] = {
    "__main__": set(),
    "ext/shell": {"click", "numpy", "pandas"},
    "__init__": {"lazy_loader"},
    "plot": set(),
    "engines": set(),
    "ext/engines": {"dask", "pandas", "polars", "pyarrow", "pyspark"},
    "accessor": {"pandas"},
    "ext": {"jinja2", "matplotlib", "numpy", "pandas", "pyarrow", "scipy"},
    "tables": {"numpy", "pandas"},
    "stats": {"numpy", "pandas", "scipy"},
    "scoring": {"numpy", "pyarrow", "scipy"},
    "rules": {"lazy_loader"},
    "extraction": {"numpy", "pyarrow"},
    "text": {"jieba", "nltk", "numpy", "pyarrow", "regex"},
    "kernels": {"numpy", "rapidfuzz"},
    "frames": {"numpy", "pandas", "polars", "pyarrow"},
    "parallel": {"joblib", "tqdm"},
    "replacement": set(),
    "samples": {"pandas", "pyarrow"},
    "extensions": set(),
    "checks": set(),
    "errors": set(),
    "terminal": set(),
    "version": set(),
    "_names": set(),
    "_typing": {"numpy"},
}
"""All rooms from top to bottom, and the packages of others that each may import. A room imports only rooms below it."""

LISTS = {"__main__", "ext/shell", "__init__", "plot", "engines", "ext/engines", "accessor"}
"""What users call: lists of names, the commands and the engines."""

ONLY = {
    "__main__": {"ext/shell"},
    "__init__": {"accessor", "extensions", "version"},
    "accessor": {"ext", "extensions", "tables"},
    "engines": {"ext", "ext/engines"},
    "stats": {"frames", "parallel", "checks", "errors", "_typing"},
    "plot": {"extensions"},
    "kernels": {"_typing"},
}
"""Rooms that may import still less of this package than all that is below them."""

TYPES = {"_typeshed", "typing_extensions"}
"""Packages that only type checkers import."""

INSIDE_FUNCTIONS = {
    "dask",
    "jieba",
    "jinja2",
    "joblib",
    "matplotlib",
    "nltk",
    "polars",
    "pyspark",
    "regex",
    "scipy",
    "tqdm",
}
"""Packages that are optional or slow to import. They are imported where they are needed, never with the package."""

IMPORTED_BY_NAME = {"ext/engines"}
"""Rooms whose modules a user imports by name, so that they may import their packages at once."""

MAY_ALSO_IMPORT = {"picture": {"plot"}, "command": {"shell"}}
"""Modules of an extension that may import one more folder: what it has is then shown by that folder alone."""

CARRIERS = {"Pairs", "PairCounts", "Tokens"}
"""What may be imported from the kernels where a module makes or reads their data, but counts nothing."""

TESTED_WITH = {
    *("bleuscore", "duckdb", "fast_rouge", "hypothesis", "pytest", "rouge", "rouge_score", "rouge_score_rs"),
    *("sacrebleu", "statsmodels"),
}
"""Packages that only the tests import."""

PACKAGE = Path(qa_frame.__file__).parent


# --- reading the source


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULES = {module_name(path): ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
"""The syntax tree of each module, by the module's full name."""


def room_of(module: str) -> str:
    """`text` for `qa_frame.text.words`, and `__init__` for `qa_frame` itself."""
    _, room, folder, inside = [*module.split("."), "__init__", "", ""][:4]
    if room == "ext" and (folder == "shell" or inside == "command"):
        return "ext/shell"
    return "ext/engines" if room == "ext" and folder == "engines" else room


def modules_of(room: str) -> list[str]:
    return [module for module in MODULES if room_of(module) == room]


def package_of(module: str) -> str:
    return module.partition(".")[0]


def nodes(tree: ast.AST, *, in_functions: bool) -> Iterator[ast.AST]:
    """All nodes of a tree, with or without the bodies of functions."""
    yield tree
    if in_functions or not isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef):
        for child in ast.iter_child_nodes(tree):
            yield from nodes(child, in_functions=in_functions)


def imports_in(tree: ast.AST, *, in_functions: bool = True) -> set[str]:
    """The full names of the modules that are imported, by a statement or by `importlib.import_module("name")`."""
    found = set()
    for node in nodes(tree, in_functions=in_functions):
        match node:
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(level=0, module=base, names=names):
                inner = {f"{base}.{alias.name}" for alias in names}
                found |= {name if name in MODULES else base for name in inner}
            case ast.ImportFrom():
                raise ValueError(f"line {node.lineno}: a relative import; this package names modules in full")
            case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=name), *_]):
                found.add(name)
    return found


def taken_from_kernels(tree: ast.AST) -> set[str]:
    return {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("qa_frame.kernels")
        for alias in node.names
    }


def constants_in(tree: ast.AST) -> set[object]:
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}


def known_names(tree: ast.AST) -> set[str]:
    """The texts of a source that are names of metrics, pooled figures or columns, or with which such a name begins."""
    names = {*METRICS, *POOLED, *ALL_STATISTICS, *COUNTS} - {"n"}  # which counts anything
    texts = {value for value in constants_in(tree) if isinstance(value, str)}
    return {text for text in texts if text in names or (len(text) > 3 and any(name.startswith(text) for name in names))}


def names_in(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def attributes_in(tree: ast.AST) -> set[str]:
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


# --- the laws


def forbidden_imports(room: str, tree: ast.AST) -> set[str]:
    """The rooms and packages that the source of a module in this room imports, and may not."""
    order = list(ROOMS)
    allowed_rooms = {room} | ONLY.get(room, set(order[order.index(room) + 1 :]))
    imported = imports_in(tree)
    rooms = {room_of(module) for module in imported if package_of(module) == "qa_frame"}
    packages = {package_of(module) for module in imported} - {"qa_frame", *TYPES} - sys.stdlib_module_names
    too_early = {package_of(module) for module in imports_in(tree, in_functions=False)} & INSIDE_FUNCTIONS
    if room in IMPORTED_BY_NAME:
        too_early = set()
    return (rooms - allowed_rooms) | (packages - ROOMS[room]) | too_early


def test_all_rooms_have_a_place():
    of_extensions = {"ext/engines", "ext/shell"}  # which may be deleted
    assert ROOMS.keys() - of_extensions <= {room_of(module) for module in MODULES} <= ROOMS.keys()


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may(room):
    forbidden = {module: forbidden_imports(room, MODULES[module]) for module in modules_of(room)}
    assert not {module: imported for module, imported in forbidden.items() if imported}


def test_no_module_imports_itself_in_a_circle():
    graph = {module: imports_in(tree) for module, tree in MODULES.items()}
    order = list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError
    assert order.index("qa_frame.kernels.tokens") < order.index("qa_frame.scoring.pipeline") < order.index("qa_frame")


def extensions_imported(tree: ast.AST) -> set[str]:
    return {module.split(".")[2] for module in imports_in(tree) if module.startswith("qa_frame.ext.")}


@pytest.mark.parametrize("room", [room for room in ROOMS if room not in {*LISTS, "ext"}])
def test_the_core_imports_no_extension(room):
    found = {module: extensions_imported(MODULES[module]) for module in modules_of(room)}
    assert not {module: names for module, names in found.items() if names}


@pytest.mark.parametrize("module", [module for module in MODULES if module.startswith("qa_frame.ext.")])
def test_an_extension_imports_only_those_that_it_names(module):
    _, _, folder, *inside = module.split(".")
    more = MAY_ALSO_IMPORT.get(inside[-1] if inside else "", set())
    assert extensions_imported(MODULES[module]) <= {folder} | named_in_docstring(folder) | more


def named_in_docstring(folder):
    """The extensions that one names as those that it imports: `Imports explain and style.`"""
    text = ast.get_docstring(MODULES[f"qa_frame.ext.{folder}"]) or ""
    return {word for line in re.findall(r"Imports ([a-z, ]+)\.", text) for word in re.split(r", | and ", line)}


@pytest.mark.parametrize("folder", extensions.names())
def test_an_extension_imports_all_that_its_docstring_names(folder):
    of_folder = (module for module in MODULES if module.startswith(f"qa_frame.ext.{folder}"))
    assert named_in_docstring(folder) <= set().union(*(extensions_imported(MODULES[module]) for module in of_folder))


def test_no_two_extensions_import_each_other():
    order = {folder: named_in_docstring(folder) & {*extensions.names()} for folder in extensions.names()}
    graphlib.TopologicalSorter(order).prepare()  # raises CycleError


@pytest.mark.needs("files")
@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("ParquetFile", "qa_frame.ext.files.parquet_files"),
        ("JSONDecoder", "qa_frame.ext.files.json_lines"),
        ("CompressedInputStream", "qa_frame.ext.files.open_files"),
    ],
)
def test_files_are_opened_in_one_place(name, module):
    users = {
        one
        for one in modules_of("ext")
        if one.startswith("qa_frame.ext.files.") and name in attributes_in(MODULES[one])
    }
    assert users - {"qa_frame.ext.files.zips"} == {module}  # the members of a zip are compressed one by one


def test_types_of_another_package_have_one_place():
    users = {module for module, tree in MODULES.items() if "typing_extensions" in imports_in(tree)}
    assert users == {"qa_frame._typing"}


@pytest.mark.parametrize("module", modules_of("ext/shell"))
def test_the_command_line_takes_only_formats_of_files(module):
    taken = {imported for imported in imports_in(MODULES[module]) if imported.startswith("qa_frame.ext.files")}
    assert taken <= {"qa_frame.ext.files.formats"}


@pytest.mark.parametrize("module", [*modules_of("text"), "qa_frame.scoring.batches"])
def test_who_counts_nothing_takes_only_carriers_from_the_kernels(module):
    assert taken_from_kernels(MODULES[module]) <= CARRIERS


@pytest.mark.parametrize("module", modules_of("kernels"))
def test_kernels_never_see_strings(module):
    assert "str" not in names_in(MODULES[module])


@pytest.mark.parametrize("module", modules_of("stats"))
def test_statistics_know_no_metric_and_no_column_by_name(module):
    assert not known_names(MODULES[module])


def test_each_folder_has_a_folder_of_tests():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")} - {"engines"}  # names of `ext/engines`
    assert folders <= {path.name for path in Path(__file__).parent.iterdir()}


def modules_after(*scripts: str) -> list[set[str]]:
    """The modules that a process has imported after each of these scripts, one after the other."""
    code = "import sys\n" + "".join(f"{script}\nprint(*sys.modules)\n" for script in scripts)
    printed = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    ).stdout
    return [set(line.split()) for line in printed.splitlines()]


def test_importing_the_package_imports_no_room_and_scoring_no_more_than_it_needs():
    after_import, imported = modules_after(
        "import qa_frame, pandas; pandas.DataFrame.qa", "qa_frame.score, pandas.DataFrame.qa.score"
    )
    assert {room_of(module) for module in after_import if package_of(module) == "qa_frame"} == {
        "__init__",
        "accessor",
        "extensions",
        "version",
    }
    assert not {package_of(module) for module in imported} & (INSIDE_FUNCTIONS | TESTED_WITH)
    rooms = {room_of(module) for module in imported if package_of(module) == "qa_frame"}
    assert not rooms & {"__main__", "engines", "stats"}
    assert not [name for name in imported if re.match(r"qa_frame\.ext\.(?!judges\.metrics|judges$)\w+", name)]


@pytest.mark.thorough
def test_another_command_that_names_the_package_gets_the_accessor(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text("import qa_frame, pandas; print(hasattr(pandas.DataFrame, 'qa'))")
    (tmp_path / "mine" / "__main__.py").write_text("")
    paths = os.pathsep.join([str(PACKAGE.parent), str(tmp_path)])
    command = [sys.executable, "-m", "mine", "qa_frame"]
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "True\n"


def test_each_public_name_is_imported_from_its_home():
    known = {name for name in qa_frame.__all__ if getattr(qa_frame, name) is not None}
    assert known == extensions.public_names(qa_frame.__file__).keys()
    assert len(dir(qa_frame)) <= 47


# --- that a broken law is found


@pytest.mark.parametrize(
    ("room", "source", "forbidden"),
    [
        ("text", "import os.path, numpy.typing as npt\nfrom qa_frame.text.words import Words", set()),
        ("text", "import pandas as pd", {"pandas"}),
        ("text", "def later():\n    from pandas import DataFrame", {"pandas"}),
        ("text", "def later():\n    import jieba", set()),
        ("text", "import jieba", {"jieba"}),
        ("text", "porter = importlib.import_module('nltk.stem.porter')", {"nltk"}),
        ("text", "if TYPE_CHECKING:\n    import nltk", {"nltk"}),
        ("frames", "class Frame:\n    import polars", {"polars"}),
        ("scoring", "def later():\n    importlib.import_module('polars')", {"polars"}),
        ("stats", "from scipy import stats", {"scipy"}),
        ("text", "from qa_frame import scoring", {"scoring"}),
        ("text", "from qa_frame.scoring.plan import Plan", {"scoring"}),
        ("text", "def later():\n    import qa_frame", {"__init__"}),
        ("tables", "from qa_frame import sample, stats", {"__init__"}),
        ("kernels", "from qa_frame.kernels import masks\nfrom qa_frame._typing import Ints", set()),
        ("kernels", "from qa_frame.errors import QaFrameError", {"errors"}),
        ("stats", "from qa_frame.scoring.row_flags import RowFlags", {"scoring"}),
        ("accessor", "from qa_frame.stats.sums import combine", {"stats"}),
        ("plot", "from qa_frame.ext.plot.maps import heatmap", {"ext"}),
        ("plot", "import matplotlib", {"matplotlib"}),
    ],
)
def test_forbidden_imports_are_found(room, source, forbidden):
    assert forbidden_imports(room, ast.parse(source)) == forbidden


def test_what_extensions_import_of_each_other_is_found():
    source = "from qa_frame.tables import results\ndef later():\n    from qa_frame.ext.{} import {}"
    assert extensions_imported(ast.parse(source.format("plot", "drawing"))) == {"plot"}
    assert extensions_imported(ast.parse(source.format("audit.audit", "audit"))) == {"audit"}
    assert not extensions_imported(ast.parse("from qa_frame.tables.results import label"))


def test_relative_imports_are_refused():
    with pytest.raises(ValueError, match="relative import"):
        imports_in(ast.parse("from . import masks"))


def test_what_a_source_knows_is_found():
    tree = ast.parse("from qa_frame.kernels.pair_counts import PairCounts, count_matches\ndef f(text: str): g('f1')")
    assert taken_from_kernels(tree) == {"PairCounts", "count_matches"}
    assert names_in(tree) == {"str", "g"}
    assert constants_in(tree) == {"f1"}
    assert known_names(tree) == {"f1"}


@pytest.mark.parametrize(
    ("source", "known"),
    [
        ("rows['bleu_match1']", {"bleu_match1"}),
        ("rows[f'bleu_match{order}']", {"bleu_match"}),
        ("POOLED['f1_micro']", {"f1_micro"}),
        ("counts['n_rows'] + counts['n'] + counts['wins']", {"n_rows"}),
        ("raise ValueError('a corpus_bleu of few rows')", set()),
    ],
)
def test_names_of_metrics_and_columns_are_found(source, known):
    assert known_names(ast.parse(source)) == known
