"""The values that the help offers for an argument are those that its function knows."""

from __future__ import annotations

import inspect

import pytest

import qa_frame
from qa_frame.ext.shell.options import choices
from tests.tables.test_misuse import CALLS, signature_of, use


def values_of_types():
    """Each text that the type of an argument offers, but for names of metrics and conventions, which are many."""
    for name, (first, *_) in CALLS.items():
        known = getattr(first.function, "__annotations__", {}) if inspect.isroutine(first.function) else {}
        for argument in (each for each in signature_of(name).parameters if each in known):
            for value in choices(first.function, argument):
                if value not in {*qa_frame.metrics, *qa_frame.conventions} and argument != "figure":  # as tables differ
                    yield name, argument, value


@pytest.mark.parametrize(("name", "argument", "value"), [*values_of_types()])
def test_each_value_that_a_type_offers_is_known(name, argument, value):
    function, makers = CALLS[name][0]
    given = {each: make() for each, make in makers.items()} | {argument: value}
    said = ""
    try:
        use(function(**given))
    except (qa_frame.QaFrameError, Warning) as error:  # it may need another argument
        said = str(error)
    assert "is not known" not in said
