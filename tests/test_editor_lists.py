"""The lists that editors read have what the core and the folders of extensions define."""

from __future__ import annotations

import pytest

from tests import editor_lists

pytestmark = pytest.mark.whole


@pytest.mark.parametrize("path", editor_lists.written(), ids=lambda path: path.name)
def test_they_are_current(path):
    assert path.read_text("utf-8") == editor_lists.written()[path], "python -m tests.editor_lists writes it anew"


METHOD = """
def divide(data):
    \"\"\"Divide. `df.qa.divide(...)` is `qa_frame.divide(df, ...)`.

    Examples
    --------
    >>> df.qa.divide()
    \"\"\"
"""


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        (METHOD, ["methods"]),
        (METHOD.replace(">>> df.qa.divide()", ">>> qa_frame.plot.divide(table)"), ["pictures"]),
        (
            METHOD.partition(" `df")[0] + "\n\n    Examples\n    --------\n    >>> qa_frame.divide(1)\n" + '    """',
            ["names"],
        ),
        (METHOD.partition(" `df")[0] + '"""', []),
        ('parts: int = 1\n"""How many.\n\n>>> qa_frame.parts\n"""', ["names"]),
        ("parts: int = 1", []),
    ],
)
def test_what_is_public_is_found(source, kinds):
    assert [kind for _, kind in editor_lists.public_in(source)] == kinds


def test_a_method_that_is_new_and_one_that_is_gone_change_the_accessor():
    methods = editor_lists.found()["methods"]
    gone, module = next(iter(methods.items()))
    text = editor_lists.accessor_written({**methods, "divide": "ext.parts.divide"} | {gone: "ext.other.place"})
    assert '    divide = _Method("qa_frame.ext.parts.divide", lambda: divide)\n' in text
    assert "    from qa_frame.ext.parts.divide import divide\n" in text
    assert f'qa_frame.{module}", lambda: {gone})' not in text
    assert f'qa_frame.ext.other.place", lambda: {gone})' in text
