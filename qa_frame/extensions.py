"""The folders of `ext/`: which are there, and what they add.

The core imports no extension by name. Each folder announces itself by the files that it has: `command.py` is a command
of the shell, `results.py` names its tables, `metrics.py` its metrics. A folder may be deleted: what it added is then
gone, and all else stays.
"""

from __future__ import annotations

import ast
import functools
import importlib
from pathlib import Path
from types import ModuleType

_FOLDER = Path(__file__).with_name("ext")


@functools.cache
def names() -> tuple[str, ...]:
    """Return the names of the extensions' folders that are there, in alphabetical order. No folder is imported."""
    return tuple(sorted(path.parent.name for path in _FOLDER.glob("*/__init__.py")))


def is_there(module: str) -> bool:
    """Return whether a module, as `ext.audit.audit`, is in a folder that is there; True for the core's own."""
    room, _, inside = module.removeprefix("qa_frame.").partition(".")
    return room != "ext" or inside.partition(".")[0] in names()


def paths_of(file: str) -> dict[str, Path]:
    """Return the path of this file, as `command.py`, in each folder that has it, by the folder's name."""
    paths = {name: _FOLDER / name / file for name in names()}
    return {name: path for name, path in paths.items() if path.is_file()}


@functools.cache
def import_modules(file: str) -> tuple[ModuleType, ...]:
    """Import the module of this file name, as `results.py`, of each extension that has it; return the modules."""
    stem = file.removesuffix(".py")
    return tuple(importlib.import_module(f"qa_frame.ext.{name}.{stem}") for name in paths_of(file))


def public_names(file: str) -> dict[str, str]:
    """Return the module of each public name that the `.pyi` file beside `file` imports, by name.

    Names of folders that are missing are left out. A public module, as `plot`, has the module "", and is left out if
    the folder of its name is missing.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text("utf-8"))
    lines = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    homes = {alias.name: node.module or "" for node in lines for alias in node.names}
    return {name: home for name, home in homes.items() if is_there(home or _SHOWN.get(name, ""))}


_SHOWN = {"plot": "ext.plot"}
"""Public modules of the core that show what an extension draws."""
