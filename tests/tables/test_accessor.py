"""`df.qa` is the functions, and nothing else."""

from __future__ import annotations

import inspect

import pandas as pd
import pytest

import qa_frame
from qa_frame.accessor import QAAccessor
from tests.features import lists_of

METHODS = ["score", "summary", "compare", "ranks", "with_scoring_of", "worst", "changed"]
METHODS += [name for names in lists_of("METHODS").values() for name in names]


def test_it_has_the_functions_and_nothing_else():
    assert sorted(name for name in vars(QAAccessor) if not name.startswith("_")) == sorted(METHODS)
    assert isinstance(pd.DataFrame().qa, QAAccessor)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_its_function_less_the_frame(name):
    function, method = getattr(qa_frame, name), getattr(QAAccessor, name)
    frame, *others = inspect.signature(function).parameters.values()
    assert frame.name == ("table" if name == "style" else "data")
    itself, *own = inspect.signature(method).parameters.values()
    assert itself.name == "self"
    assert own == others
    assert inspect.signature(method).return_annotation == inspect.signature(function).return_annotation
    assert method.__doc__ == function.__doc__
    assert method.__name__ == function.__name__ == name
    assert method.__qualname__ == f"QAAccessor.{name}"
    of_a_frame = getattr(pd.DataFrame().qa, name)  # what help and completion show
    assert list(inspect.signature(of_a_frame).parameters.values()) == others


@pytest.mark.parametrize("name", METHODS)
def test_each_function_says_what_the_method_is(name):
    doc = inspect.getdoc(getattr(qa_frame, name))
    assert f"`df.qa.{name}(...)` is `qa_frame.{name}(df, ...)`." in doc
    for section in ("Parameters", "Returns", "Raises", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in doc


CALLS = {
    "score": (["response", "answers"], {"metrics": ["em", "f1"], "stats": True}),
    "summary": ([["model", "dataset"]], {"ci": 0.9, "method": "bootstrap", "n_resamples": 20}),
    "compare": (["model", "question_id"], {"metrics": "f1", "n_resamples": 200}),
}


@pytest.fixture(scope="module")
def scored():
    sample = qa_frame.sample().assign(human=lambda rows: (rows["question_id"].str.len() + rows.index) % 3 == 0)
    return sample.qa.score("response", "answers", metrics=["em", "f1"])


@pytest.mark.parametrize("name", CALLS)
def test_a_method_gives_what_its_function_gives(scored, name):
    positional, named = CALLS[name]
    by_method = getattr(scored.qa, name)(*positional, **named)
    by_function = getattr(qa_frame, name)(scored, *positional, **named)
    pd.testing.assert_frame_equal(by_method, by_function, check_exact=True)
    assert by_method.attrs == by_function.attrs


def test_arguments_that_a_function_does_not_have():
    with pytest.raises(TypeError, match="metric"):
        qa_frame.sample().qa.summary(metric="f1")


@pytest.mark.parametrize(
    ("call", "said", "right"),
    [
        pytest.param(
            lambda df: df.qa.audit("m", "q", "response", "answers"),
            "too many",
            "df.qa.audit(by='m', question='q', pred='response', gold='answers')",
            marks=pytest.mark.needs("audit"),
        ),
        pytest.param(
            lambda df: df.qa.explain(0, "response", "answers"),
            "too many",
            "(label=0, pred='response', gold='answers')",
            marks=pytest.mark.needs("explain"),
        ),
        (lambda df: df.qa.ranks(0.1), "too many", "df.qa.ranks(ci=0.1)"),
        (lambda df: df.qa.score("response"), "'gold'", "df.qa.score(pred='response', gold=...)"),
        (lambda df: df.qa.summary(groupby="model"), "'groupby'; did you mean 'by'?", "df.qa.summary(by='model')"),
        (lambda df: df.qa.ranks(alpha=0.1), "'alpha'; did you mean 'ci'?", "df.qa.ranks(ci=0.1)"),
        (lambda _: qa_frame.score(["a"], ["a"]), "'gold'", "qa_frame.score(data, pred=..., gold=...)"),
        (
            lambda df: df.qa.score(prediction="response", reference="answers"),
            "did you mean",
            "df.qa.score(pred='response', gold='answers')",
        ),
        (lambda df: df.qa.summary(group="model"), "did you mean 'by'?", "df.qa.summary(by='model')"),
        (lambda df: df.qa.summary(confidence=0.9), "did you mean 'ci'?", "df.qa.summary(ci=0.9)"),
        (lambda df: df.qa.summary(alpha=0.1), "did you mean 'ci'?", "df.qa.summary(ci=0.1)"),
        (lambda df: qa_frame.ranks(df, conf=0.1), "did you mean 'ci'?", "qa_frame.ranks(data, ci=0.1)"),
        pytest.param(
            lambda _: qa_frame.power(diference=0.1),
            "did you mean 'difference'?",
            "qa_frame.power(difference=0.1)",
            marks=pytest.mark.needs("power"),
        ),
        (lambda df: qa_frame.summary(df, groupby="model"), "did you mean 'by'?", "qa_frame.summary(data, by='model')"),
    ],
)
def test_a_call_that_does_not_fit_is_shown_as_it_should_be(call, said, right):
    with pytest.raises(TypeError) as raised:
        call(qa_frame.sample())
    assert said in str(raised.value)
    assert str(raised.value).endswith(right)
    assert raised.value.__context__ is None


@pytest.mark.parametrize(
    "call",
    [
        lambda df: df.qa.summary(digits=2),
        lambda df: df.qa.summary(sort="f1"),
        lambda df: df.qa.score(ignore_case=True),
        pytest.param(lambda df: df.qa.human_mean(human="human", percent=True), marks=pytest.mark.needs("annotation")),
        lambda df: qa_frame.ranks(df, metric="em"),
        pytest.param(lambda _: qa_frame.power(effect=0.1), marks=pytest.mark.needs("power")),
        pytest.param(lambda df: qa_frame.style(df, zebra=True), marks=pytest.mark.needs("style")),
    ],
)
def test_an_argument_like_no_other_leads_to_the_list_of_all(call):
    with pytest.raises(
        TypeError, match=r"^\w+\(\) got an unexpected keyword argument '\w+'; it takes (\w+(, |$))+$"
    ) as raised:
        call(qa_frame.sample())
    assert "did you mean" not in str(raised.value)


def test_errors_of_a_function_that_is_given_stay_as_they_are():
    def broken(_values):
        raise TypeError("of my own")

    with pytest.raises(TypeError, match="of my own"):
        qa_frame.sample().qa.score("response", "answers", metrics="f1", reduce=broken)
