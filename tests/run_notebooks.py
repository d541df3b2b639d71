"""Execute every notebook of the project from top to bottom; an exception in one is a failure.

Run as a script. Outputs are kept in the files with `--write`, for those who read them unexecuted.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def run(path: Path, *, write: bool) -> None:
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": path.parent}}
    ).execute()
    if write:
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)  # times of execution would differ each time
        notebook.metadata.pop("language_info", None)
        nbformat.write(notebook, path)
    print(f"{path.name}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells ran")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        run(path, write=write)
