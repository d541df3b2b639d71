"""Each folder of `qa_frame/ext/` can be deleted: `python -m tests.deletion` makes copies of the package that lack some.

One copy has no extension at all. Each extension is taken out of a copy, with the folders whose docstrings name it as one
that they import. And each stands alone in a copy, with the folders that it imports. In each copy three things must hold:

- What the folders added is gone from `dir(qa_frame)`, `dir(df.qa)`, `dir(qa_frame.plot)` and `qa-frame --help`, and
  nothing else is.
- No module that is left imports one that is gone.
- Tests pass. Without any extension these are all tests of the core, so that the core needs none. Where an extension stands
  alone, they are its own, so that it needs no other one. Where one is gone, they are those of lists and imports.

A line is printed for each copy. What a copy found is printed below its line, and the exit status is then 1.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXTENSIONS = ROOT / "qa_frame" / "ext"
COPIED = ("qa_frame", "tests", "notebooks/pages", "pyproject.toml")
AT_ONCE = 2
USUAL = "not whole and not slow and not sweep and not thorough"

LISTED = ["tests/tables/test_accessor.py", "tests/test_rooms.py"]
"""The tests of a copy that lacks one extension."""

QUICK = {
    "annotation": "test_human_mean.py",
    "audit": "test_describe_columns.py",
    "conventions": "test_compare_conventions.py",
    "engines": "test_polars.py",
    "explain": "test_explanation_shown.py",
    "fields": "test_score_fields.py",
    "files": "test_golds.py",
    "items": "test_item_analysis.py",
    "judges": "test_math_verify.py",
    "plot": "test_plot_of_groups.py",
    "report": "test_report_of_any_frame.py",
    "shell": "test_exits.py",
}
"""The tests of a copy where an extension stands alone, if they are not `test_NAME.py`."""

PUBLIC_MODULES = {"__main__.py": "shell", "engines": "engines"}
"""Modules of the core that give the public name of an extension, and raise ImportError without it."""

SHOWN_BY = {"command.py": "shell", "picture.py": "plot"}
"""Files of an extension that only this other extension imports."""

LISTS = """
import contextlib, importlib, io, json
import pandas as pd, qa_frame
from qa_frame.accessor import QAAccessor
from qa_frame.extensions import public_names

def folder(home):
    parts = home.removeprefix("qa_frame.").split(".")
    return parts[1] if parts[0] == "ext" else ""

printed = io.StringIO()
with contextlib.suppress(ModuleNotFoundError), contextlib.redirect_stdout(printed):
    importlib.import_module("qa_frame.ext.shell").main(["--help"])
top, shown = public_names(qa_frame.__file__), [*dir(qa_frame)]
plot = importlib.import_module("qa_frame.plot")
print(json.dumps({
    "file": qa_frame.__file__,
    "help": printed.getvalue(),
    "qa_frame": {name: "plot" if name == "plot" else folder(top.get(name, "")) for name in shown},
    "df.qa": {name: folder(vars(QAAccessor)[name].module) for name in dir(pd.DataFrame().qa) if name[0] != "_"},
    "qa_frame.plot": {name: folder(plot._homes[name]) for name in dir(plot)},
}))
"""


def imported_by(folder: Path) -> set[str]:
    """The other extensions that the docstring of this one names."""
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
    lists = re.findall(r"Imports ([a-z, ]+)\.", text)
    return {word for words in lists for word in re.split(r", | and ", words)}


def imported_in_all(name: str) -> set[str]:
    """This extension, those that it imports, and those that these import."""
    imported = {name}
    while new := {other for each in imported for other in imported_by(EXTENSIONS / each)} - imported:
        imported |= new
    return imported


def going_with(name: str) -> set[str]:
    """This extension and all that cannot be without it."""
    needs = {path.parent.name: imported_by(path.parent) for path in EXTENSIONS.glob("*/__init__.py")}
    gone = {name}
    while more := {other for other, needed in needs.items() if needed & gone} - gone:
        gone |= more
    return gone


def call(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a copy, which it imports."""
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONHASHSEED": "0", "QA_FRAME_MOST_EXAMPLES": "2"}
    return subprocess.run(
        [sys.executable, *words], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )


def lists_in(copy: Path) -> dict[str, dict[str, str]]:
    """The names that users see, each with the extension that it is from, and "" for the core's."""
    done = call(copy, "-W", "ignore", "-c", LISTS)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, dict[str, str]] = json.loads(done.stdout)
    assert Path(str(found.pop("file"))).is_relative_to(copy.resolve()) or copy == ROOT
    commands = re.findall(r"^  ([a-z-]+)  ", str(found.pop("help")).partition("\nCommands:\n")[2], re.MULTILINE)
    paths = [*(copy / "qa_frame" / "ext").glob("*/command.py")]
    found["qa-frame --help"] = {}
    for name in commands:
        own = [path.parent.name for path in paths if f"`qa-frame {name}`" in path.read_text("utf-8")[:200]]
        found["qa-frame --help"][name] = own[0] if own else "shell"
    return found


def wrong_lists(copy: Path, gone: set[str], whole: dict[str, dict[str, str]]) -> Iterator[str]:
    """What the names that users see have too much or too few."""
    for kind, names in lists_in(copy).items():
        hidden = {"plot": {"qa_frame.plot"}, "shell": {"qa-frame --help"}}
        away = any(kind in hidden.get(name, ()) for name in gone)
        expected = {name for name, home in whole[kind].items() if home not in gone and not away}
        if expected != names.keys():
            yield f"{kind} has {sorted(names.keys() - expected)} too much, {sorted(expected - names.keys())} too few"


def imports_in(tree: ast.AST) -> Iterator[str]:
    """The modules that a module imports when it runs."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                continue
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(base), names=names):
                yield from (f"{base}.{alias.name}" for alias in names)
            case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=str(name)), *_]):
                yield name
        yield from imports_in(node)


def wrong_imports(copy: Path, gone: set[str]) -> Iterator[str]:
    """The imports of a module that is gone."""
    package = copy / "qa_frame"
    for path in package.rglob("*.py"):
        place = path.relative_to(package)
        may_lack = {PUBLIC_MODULES.get(place.parts[0], ""), SHOWN_BY.get(place.name, "")}
        for name in imports_in(ast.parse(path.read_text("utf-8"))):
            if name.startswith("qa_frame.ext.") and name.split(".")[2] in gone - may_lack:
                yield f"{place} imports {name}"


def failed_tests(copy: Path, tests: list[str]) -> Iterator[str]:
    """What pytest says of tests that fail."""
    done = call(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-r", "fE", "--tb", "short", "-m", USUAL, *tests)
    if done.returncode:
        yield f"{done.stdout[-20_000:]}{done.stderr[-2_000:]}"


def check(what: str, gone: set[str], tests: list[str], whole: dict[str, dict[str, str]]) -> tuple[str, list[str]]:
    """A line on a copy without these extensions, and what is wrong with it."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in COPIED:
            path = ROOT / name
            (shutil.copytree if path.is_dir() else shutil.copy2)(path, copy / name)
        for name in gone:
            shutil.rmtree(copy / "qa_frame" / "ext" / name)
            shutil.rmtree(copy / "tests" / "ext" / name, ignore_errors=True)
        wrong = [*wrong_lists(copy, gone, whole), *wrong_imports(copy, gone), *failed_tests(copy, tests)]
    return f"{what}: {'FAILED' if wrong else 'holds'} ({time.perf_counter() - began:.0f} s)", wrong


def copies(name: str, names: list[str]) -> Iterator[tuple[str, set[str], list[str]]]:
    """The copies that show something of this extension: what each is, what it lacks, and its tests."""
    if name == "all":
        yield "without any", {*names}, ["tests"]
    else:
        gone = going_with(name)
        yield f"without {', '.join(sorted(gone))}", gone, LISTED
        yield (
            f"{name} alone",
            {*names} - imported_in_all(name),
            [f"tests/ext/{name}/{QUICK.get(name, f'test_{name}.py')}"],
        )


def main() -> int:
    """Check all copies, two at a time."""
    names = sorted(path.parent.name for path in EXTENSIONS.glob("*/__init__.py"))
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("names", nargs="*", default=["all", *names], help="folders, or all (by default each, and all)")
    whole = lists_in(ROOT)
    is_wrong = False
    with ThreadPoolExecutor(AT_ONCE) as pool:
        wanted = [copy for name in parser.parse_args().names for copy in copies(name, names)]
        running = [pool.submit(check, *copy, whole) for copy in wanted]
        for each in running:
            line, wrong = each.result()
            print("\n".join([line, *wrong]), flush=True)
            is_wrong |= bool(wrong)
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
