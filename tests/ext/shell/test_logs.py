"""The files of every harness go into every command."""

from __future__ import annotations

import json

import pytest

from tests.ext.files import shapes

every_shape = pytest.mark.parametrize("shape", shapes.ALL, ids=lambda shape: shape.__name__)
RIGHT = [{**row, "response": row["golds"][0]} for row in shapes.ROWS]


@pytest.mark.needs("files")
@every_shape
def test_compare(shape, tmp_path, run):
    old, new = (shape(tmp_path / name, rows) for name, rows in _made(tmp_path))
    on = ["--question", "sample"] if shape is shapes.longbench else []
    done = run("compare", old, new, "--metrics", "em", "--fail-if-worse", "em=0", "--json", *on)
    if shape is shapes.longbench:  # it tells neither a question nor its id
        assert done.status == 2
        return
    (row,) = json.loads(done.out)
    assert (row["n"], row["mean_a"], row["n_only_a"], row["n_only_b"]) == (5, 1.0, 0, 0)
    assert row["b"].startswith("old")
    assert done.status == (row["tost_lo"] <= 0)


def _made(folder):
    for name, rows in (("old", shapes.ROWS), ("new", RIGHT)):
        (folder / name).mkdir()
        yield name, rows
