"""The extras: `all` has every one that a user's environment bears."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole

PROJECT = (Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8")
FOR_DEVELOPERS = {"all", "bench", "dev", "docs", "test", "test-free-threaded"}


def test_all_leaves_out_spark_alone():
    extras = PROJECT.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    names = set(re.findall(r"^([\w-]+) = ", extras, re.MULTILINE)) - FOR_DEVELOPERS
    in_all = re.search(r'^all = \["qa-frame\[(.*?)\]"\]', extras, re.MULTILINE)
    assert in_all is not None
    assert names - set(in_all[1].split(",")) == {"spark"}
