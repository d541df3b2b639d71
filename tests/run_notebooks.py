"""Execute every notebook of the project from top to bottom.

An exception in one is a failure, and so is an output that is not what the file shows. `--write` keeps the new outputs
in the files, for those who read them unexecuted. Texts are compared, and not HTML and pictures, which differ by the
versions of pandas and matplotlib.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"

_VARYING = re.compile(r"0x[0-9a-f]+|\d+(\.\d+)? ?(ns|µs|us|ms|s|MB|MiB|GB|GiB)\b|[^\s']*/tmp/[^\s']*|qa_frame:[\w.+]+")
"""What differs from run to run: addresses, times, sizes, temporary files, and the version in a signature."""


_PLACE = re.compile(r"^\S*/ipykernel_\S*: ", re.MULTILINE)
"""Where a warning was raised: in a file of the kernel, which says nothing to a reader."""

COLUMNS = 80


def readable(stderr: str) -> str:
    """Return warnings in lines that no page cuts off, without the paths of this machine."""
    lines = _PLACE.sub("", stderr).splitlines()
    return "\n".join(textwrap.fill(line, COLUMNS, break_on_hyphens=False) for line in lines) + "\n"


def execute(path: Path) -> Any:
    """Return the notebook with the outputs that it has now."""
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": path.parent}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times of execution would differ each time
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                output.text = readable(output.text)
    notebook.metadata.pop("language_info", None)
    return notebook


def texts_of(notebook: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield the source and the lines of output of each cell of code."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            outputs = [each.get("text") or each.get("data", {}).get("text/plain", "") for each in cell.outputs]
            yield cell.source, _VARYING.sub("…", "\n".join(outputs)).split("\n")


def outdated(shown: Any, made: Any) -> list[str]:
    """Return how the outputs that a file shows differ from those that were made."""
    found = []
    for (source, before), (_, now) in zip(texts_of(shown), texts_of(made), strict=True):
        if before != now:
            found += [f"the output of this cell is outdated:\n{source}\n"]
            found += difflib.unified_diff(before, now, "shown", "made", lineterm="")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the new outputs in the files")
    write, status = parser.parse_args().write, 0
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        needed = nbformat.read(path, as_version=4).metadata.get("qa_frame", {}).get("needs", "")
        if not (path.parent / needed).exists():
            print(f"{path.name}: left out, as {needed} is not there; its first cell says where it comes from")
            continue
        made = execute(path)
        if write:
            nbformat.write(made, path)
        differences = [] if write else outdated(nbformat.read(path, as_version=4), made)
        print(f"{path.name}: {sum(cell.cell_type == 'code' for cell in made.cells)} cells ran", *differences, sep="\n")
        status |= bool(differences)
    return status


if __name__ == "__main__":
    sys.exit(main())
