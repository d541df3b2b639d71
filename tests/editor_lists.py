"""The lists of names that editors and type checkers read: `python -m tests.editor_lists` writes them anew.

They stay as text, because type checkers run nothing. What an extension adds to them is read from its docstrings: its
public functions are those whose examples call them by `qa_frame`, `df.qa` or `qa_frame.plot`. A value is public if it is
described below, and an example has it as `qa_frame.NAME`.

- `_names.py` has the names of metrics and conventions.
- `__init__.pyi` has the public names, `plot.pyi` the pictures, `accessor.py` the methods of `df.qa`.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import qa_frame
from qa_frame import extensions
from qa_frame.rules.listing import ALIASES

PACKAGE = Path(qa_frame.__file__).parent
WITHOUT_FUNCTIONS = {"engines", "shell"}
"""Extensions that are imported by name, and add nothing to these lists."""


def names_written() -> str:
    """The module of the names as types. Type checkers read no values, so they need these names in full."""
    of_extensions = [name for module in extensions.import_modules("metrics.py") for name in module.METRICS]
    types = {"MetricName": [*qa_frame.metrics, *of_extensions], "ConventionName": [*qa_frame.conventions, *ALIASES]}
    described = "The names of metrics and of conventions as types. `python -m tests.editor_lists` writes them anew."
    parts = [f'"""{described}"""', "from typing import Literal", *(literal(*each) for each in types.items())]
    return "\n\n".join(parts) + "\n"


def literal(name: str, values: Iterable[str]) -> str:
    lines = textwrap.wrap(", ".join(f'"{value}"' for value in values), 115)
    return f"{name} = Literal[\n{textwrap.indent(chr(10).join(lines), '    ')},\n]  # fmt: skip"


def public_in(source: str) -> Iterator[tuple[str, str]]:
    """Yield each public name that a module defines, with the list that it belongs to beside that of all names."""
    body = ast.parse(source).body
    for node, below in pairwise([*body, ast.Pass()]):
        match node, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                if re.search(rf">>> .*qa_frame\.{name}\b", text):
                    yield name, "names"
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            text = ast.get_docstring(node) or ""
            called = set(re.findall(rf"([\w.]+)\.{node.name}\(", text.partition("\nExamples\n--------\n")[2]))
            if "qa_frame.plot" in called:
                yield node.name, "pictures"
            elif f"`df.qa.{node.name}(...)` is `qa_frame.{node.name}(" in text:
                yield node.name, "methods"
            elif "qa_frame" in called:
                yield node.name, "names"


def found() -> dict[str, dict[str, str]]:
    """The names that extensions add to each list, and the module that defines each."""
    lists: dict[str, dict[str, str]] = {"pictures": {}, "methods": {}, "names": {}}
    for folder in {*extensions.names()} - WITHOUT_FUNCTIONS:
        for path in (PACKAGE / "ext" / folder).glob("*.py"):
            for name, kind in public_in(path.read_text("utf-8")):
                lists[kind][name] = f"ext.{folder}.{path.stem}"
    return lists


def stub_written(file: str, names: dict[str, str]) -> str:
    """A `.pyi` file with these names of extensions, and with the names of the core that it has."""
    head, _, lines = (PACKAGE / file).read_text("utf-8").partition("\n\n")
    core = [line for line in lines.splitlines() if not line.startswith("from .ext.")]
    added = [f"from .{module} import {name} as {name}" for name, module in names.items()]
    return "\n".join([head, "", *sorted([*core, *added], key=lambda line: line.replace(" import", "."))]) + "\n"


def accessor_written(methods: dict[str, str]) -> str:
    """`accessor.py` with these methods of extensions. Methods that are new come last."""
    text = (PACKAGE / "accessor.py").read_text("utf-8")
    line_of = re.compile(r'^    (\w+) = _Method\("qa_frame\.(ext\.[\w.]+)", lambda: \1\)\n', re.MULTILINE)
    present = {match[1]: match[2] for match in line_of.finditer(text)}
    text = line_of.sub(lambda match: match[0] if methods.get(match[1]) == match[2] else "", text)
    new = {name: module for name, module in sorted(methods.items()) if present.get(name) != module}
    added = "".join(f'    {name} = _Method("qa_frame.{module}", lambda: {name})\n' for name, module in new.items())
    last = [*re.finditer(r"^    \w+ = _Method\(.*\n", text, re.MULTILINE)][-1].end()
    text = text[:last] + added + text[last:]
    block = re.search(r"(?<=^if TYPE_CHECKING:\n)(    .*\n)+", text, re.MULTILINE)
    assert block is not None
    of_modules: dict[str, list[str]] = {}
    for name, module in methods.items():
        of_modules.setdefault(module, []).append(name)
    core = [line for line in block[0].splitlines() if not line.startswith("    from qa_frame.ext.")]
    ours = [f"    from qa_frame.{module} import {', '.join(sorted(names))}" for module, names in of_modules.items()]
    return text[: block.start()] + "\n".join(sorted([*core, *ours])) + "\n" + text[block.end() :]


def written() -> dict[Path, str]:
    """The text of each file as it should be."""
    lists = found()
    return {
        PACKAGE / "_names.py": names_written(),
        PACKAGE / "__init__.pyi": stub_written("__init__.pyi", lists["names"] | lists["methods"]),
        PACKAGE / "plot.pyi": stub_written("plot.pyi", lists["pictures"]),
        PACKAGE / "accessor.py": accessor_written(lists["methods"]),
    }


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text, "utf-8")
