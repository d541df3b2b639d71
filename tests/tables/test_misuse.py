"""Whatever is given for any public argument: a result, or a QaFrameError that names the argument.

The sweep is driven by signatures: a new argument of a public function is swept without a change here. A new public
function needs the arguments that it cannot do without, in `CALLS`, which features have in their `lists.py`.
"""

from __future__ import annotations

import copy
import inspect
import os
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from qa_frame import Convention, PairMetric
from qa_frame.accessor import QAAccessor
from qa_frame.checks import CONSTRAINTS
from qa_frame.errors import show
from qa_frame.extensions import is_there
from qa_frame.rules import (
    Blank,
    Bleu,
    Chrf,
    Contains,
    Delete,
    Drop,
    EditDistance,
    Empty,
    Exact,
    Numbers,
    Overlap,
    Replace,
    RougeL,
    Space,
    Text,
)
from qa_frame.scoring import metrics
from qa_frame.scoring.call_rules import DEFAULTS
from tests.features import added
from tests.kinds import KINDS
from tests.tables.called import BOOTSTRAP, COMPARED, ROWS, SCORED, SOURCE, Call, call, shared_axes

LEAST_CALLS = 29_000

# -------------------------------------------------------------------------------------------------- what is wrong


class Plain:
    """A class, given as it is: a callable that takes nothing."""


def takes_nothing():
    return 1.0


def takes_two(_first, _second):
    return 1.0


def raises(_value):
    raise RuntimeError("this function raises")


def gives_ones(_preds, golds):
    return [1.0] * len(golds)


WRONG: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "NA": lambda: pd.NA,
    "nan": lambda: np.nan,
    "NaT": lambda: pd.NaT,
    "Series": lambda: pd.Series(["em", "f1"]),
    "frame": lambda: pd.DataFrame({"em": ["f1"]}),
    "Index": lambda: pd.Index(["em"]),
    "polars Series": lambda: pl.Series(["em"]),
    "polars frame": lambda: pl.DataFrame({"em": ["f1"]}),
    "Arrow array": lambda: pa.array(["em"]),
    "Arrow table": lambda: pa.table({"em": ["f1"]}),
    "array of no dimension": lambda: np.array(1),
    "array of text": lambda: np.array(["em"]),
    "empty array": lambda: np.array([]),
    "bytes": lambda: b"em",
    "zero": lambda: 0,
    "one": lambda: 1,
    "huge": lambda: 10**30,
    "negative": lambda: -1,
    "True": lambda: True,
    "False": lambda: False,
    "np.int64": lambda: np.int64(3),
    "half": lambda: 0.5,
    "float": lambda: 1.5,
    "inf": lambda: np.inf,
    "empty text": lambda: "",
    "text": lambda: "no such thing",
    "name of a metric": lambda: "em",
    "np.str": lambda: np.str_("em"),
    "lone surrogate": lambda: "\ud800",
    "empty tuple": lambda: (),
    "empty list": list,
    "empty dict": dict,
    "set": lambda: {"em"},
    "dict": lambda: {"em": 1},
    "tuple that cannot be hashed": lambda: (["em"],),
    "generator": lambda: (name for name in ["em"]),
    "function without arguments": lambda: takes_nothing,
    "function of two arguments": lambda: takes_two,
    "function that raises": lambda: raises,
    "len": lambda: len,
    "class": lambda: Plain,
    "object": object,
    "part": Empty,
    "convention": lambda: qa_frame.conventions["squad"],
}

IN_A_LIST = (
    "None",
    "NA",
    "nan",
    "one",
    "half",
    "bytes",
    "text",
    "empty text",
    "lone surrogate",
    "object",
    "empty list",
)
"""Which of these people also put into a list of names."""

# ------------------------------------------------------------------------------------------------ what is called


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    """What wrong paths write is written here."""
    monkeypatch.chdir(tmp_path)


TEXT = Text(("lower",))
POOL = qa_frame.Pool(by="model", keep_rows=True).update(SCORED)


def filled_pool() -> qa_frame.Pool:
    return copy.deepcopy(POOL)


CALLS: dict[str, list[Call]] = {
    "score": [call(qa_frame.score, data=ROWS, **SOURCE)],
    "summary": [
        call(qa_frame.summary, data=SCORED, by="model", **BOOTSTRAP),
        call(qa_frame.summary, data=SCORED, ci=0.9, cluster="document"),
        call(qa_frame.summary, data=SCORED, question="question", pass_at=1),
        call(qa_frame.summary, data=SCORED, question="question", majority=True),
        call(qa_frame.summary, data=SCORED, macro="document", weights="size"),
    ],
    "compare": [
        call(qa_frame.compare, data=SCORED, by="model", question="question", n_resamples=5, margin=0.1),
        call(qa_frame.compare, data=SCORED, by="model", question="question", cluster="document", n_resamples=5),
        call(
            qa_frame.compare,
            data=SCORED,
            by="model",
            question="question",
            samples=True,
            macro="document",
            datasets="random",
            n_resamples=5,
        ),
        call(qa_frame.compare, data=SCORED.drop(columns="question"), by="model", n_resamples=5),
    ],
    "ranks": [call(qa_frame.ranks, data=COMPARED)],
    "with_scoring_of": [call(qa_frame.with_scoring_of, data=ROWS.assign(f1=0.5), scored=SCORED)],
    "worst": [
        call(qa_frame.worst, data=SCORED, by="model"),
        call(qa_frame.worst, data=SCORED),
    ],
    "changed": [
        call(qa_frame.changed, data=SCORED, other=SCORED.iloc[:4], question=["model", "question"]),
        call(qa_frame.changed, data=SCORED, other=SCORED, question=["model", "question"]),
    ],
    "score_one": [call(qa_frame.score_one, pred="the cat", gold=["cat", None])],
    "to_text": [call(qa_frame.to_text, column=ROWS["response"])],
    "to_golds": [call(qa_frame.to_golds, column=ROWS["answers"])],
    "extract_answers": [call(qa_frame.extract_answers, column=ROWS["response"], extract="last_line")],
    "normalise": [call(qa_frame.normalise, column=ROWS["response"])],
    "sample": [call(qa_frame.sample)],
    "conventions.__getitem__": [call(qa_frame.conventions.__getitem__, name="squad")],
    "conventions.get": [call(lambda **given: repr(qa_frame.conventions.get(**given)), key="squad")],
    "conventions.__contains__": [call(lambda name: name in qa_frame.conventions, name="squad")],
    "metrics.__getitem__": [call(qa_frame.metrics.__getitem__, name="em")],
    "metrics.get": [call(qa_frame.metrics.get, key="em")],
    "metrics.__contains__": [call(lambda name: name in qa_frame.metrics, name="em")],
    "Pool": [call(lambda **settings: qa_frame.Pool(**settings).update(SCORED).summary(ci=0.9))],
    "Pool.clear": [call(qa_frame.Pool.clear, self=filled_pool)],
    "Pool.update": [call(qa_frame.Pool.update, self=filled_pool, data=SCORED)],
    "Pool.merge": [call(qa_frame.Pool.merge, self=filled_pool, other=filled_pool)],
    "Pool.summary": [call(qa_frame.Pool.summary, self=filled_pool, **BOOTSTRAP)],
    "QAAccessor": [call(lambda frame: QAAccessor(frame).score("response", "answers"), frame=ROWS)],
    "Blank": [call(Blank, words=("a",))],
    "Drop": [call(Drop, words=("a",))],
    "Delete": [call(Delete, characters=",")],
    "Space": [call(Space, characters=",")],
    "Replace": [call(Replace, pattern=",")],
    "Text": [call(Text)],
    "Empty": [call(Empty)],
    "Exact": [call(Exact, text=TEXT), call(Exact, text=TEXT, separators=",", numbers=Numbers())],
    "Numbers": [call(Numbers), call(Numbers, of="gold", tolerance=0.1)],
    "Overlap": [call(Overlap, text=TEXT)],
    "Contains": [call(Contains, text=TEXT)],
    "RougeL": [call(RougeL, text=TEXT)],
    "Bleu": [call(Bleu, text=TEXT, smoothing="floor"), call(Bleu, text=TEXT, smoothing="add_k")],
    "Chrf": [call(Chrf, text=Text(split="characters"))],
    "EditDistance": [call(EditDistance, text=TEXT)],
    "PairMetric": [call(PairMetric, name="own", function=lambda: gives_ones)],
    "Convention": [call(Convention, name="own", overlap=Overlap(text=TEXT))],
    "Convention.with_steps": [
        call(lambda steps: Convention.with_steps(qa_frame.conventions["squad"], steps), steps="nfc")
    ],
    **added("CALLS"),
}
SIGNATURES = {
    "conventions.get": inspect.signature(qa_frame.conventions.get),
    "conventions.__contains__": inspect.signature(qa_frame.conventions.__getitem__),
    "metrics.__contains__": inspect.signature(qa_frame.metrics.__getitem__),
    "Pool": inspect.signature(qa_frame.Pool),
    "QAAccessor": inspect.signature(QAAccessor),
    **added("SIGNATURES"),
}
"""Where the function that is called stands for another one."""

FAMILIES = {
    "exact": Exact, "overlap": Overlap, "contains": Contains, "rouge_l": RougeL, "bleu": Bleu, "bleu_n": Bleu,
    "edit": EditDistance,
}  # fmt: skip


def convention_with(part: Any) -> Convention | None:
    """A convention that has this part wherever it fits; None for what is no part."""
    if isinstance(part, Blank | Drop | Delete | Space | Replace):
        part = Text((part,), split="none")
    if isinstance(part, Text):
        return Convention(name="own", **{family: rule(text=part) for family, rule in FAMILIES.items()})
    if isinstance(part, Empty):
        return Convention(name="own", **{family: rule(text=TEXT, empty=part) for family, rule in FAMILIES.items()})
    if isinstance(part, Numbers):
        return Convention(name="own", exact=Exact(text=TEXT, numbers=part, separators=";"))
    if isinstance(part, Chrf):
        return Convention(name="own", chrf=part)
    if isinstance(part, tuple(set(FAMILIES.values()))):
        return Convention(name="own", **{family: part for family, rule in FAMILIES.items() if type(part) is rule})
    return part if isinstance(part, Convention) else None


def use(found: Any) -> None:
    """Do with a result what people do next."""
    convention = convention_with(found)
    if convention is not None:
        scored = qa_frame.score(ROWS, "response", "answers", metrics="all", convention=convention, stats=True)
        scored.attrs["qa_scored"]["scorings"][0]["signature"].encode()
        qa_frame.score(ROWS, "response", "answers", convention=convention)
        qa_frame.summary(scored)
    if isinstance(found, PairMetric):
        qa_frame.summary(qa_frame.score(ROWS, "response", "answers", metrics=["em", found]))
    str(found)
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None and hasattr(found, "get_figure"):  # a picture, which pyplot keeps
        pyplot.close(found.get_figure())


# -------------------------------------------------------------------------------------------------------- the sweep


class Case(NamedTuple):
    """One argument of one call. `kind`: the kind of frame that `data` is."""

    name: str
    place: int
    argument: str
    kind: str

    def __str__(self) -> str:
        return f"{self.name}-{self.place}-{self.argument}-{self.kind}"


MEET_THE_FRAME = {"data", "pred", "by"}
"""The arguments that other kinds of frames are swept with: other columns are looked up as these are."""


def signature_of(name: str) -> inspect.Signature:
    return SIGNATURES.get(name) or inspect.signature(CALLS[name][0].function)


def all_cases() -> Iterator[Case]:
    for name, calls in CALLS.items():
        for place, each in enumerate(calls):
            for argument in signature_of(name).parameters:
                kinds = KINDS if "data" in each.arguments and place == 0 and argument in MEET_THE_FRAME else ["pandas"]
                yield from (Case(name, place, argument, kind) for kind in kinds if argument != "self")


def all_values(case: Case) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is given for an argument, and what it is called. In a list it is given to one call per function."""
    is_first = case.kind == "pandas" and case.place == 0
    for what, make in WRONG.items():
        yield what, make
        if is_first and what in IN_A_LIST:
            yield f"{what} in a list", lambda make=make: [make()]


CASES = list(all_cases())


def leak_of(case: Case, value: Any) -> str | None:
    """What is wrong with the outcome of a call; None for a result, or an error as it should be."""
    function, makers = CALLS[case.name][case.place]
    arguments = {name: make() for name, make in makers.items()}
    if "data" in arguments:
        arguments["data"] = KINDS[case.kind](arguments["data"])
    arguments[case.argument] = value
    try:
        with warnings.catch_warnings():
            ignored = (
                qa_frame.errors.IntervalWarning,
                qa_frame.errors.GoldFormatWarning,
                qa_frame.errors.StratumWarning,
                qa_frame.errors.PlotWarning,
                qa_frame.errors.MixedScoresWarning,  # of frames that another library has converted
            )
            for category in ignored:
                warnings.simplefilter("ignore", category)
            use(function(**arguments))
    except (qa_frame.QaFrameError, qa_frame.errors.PairingWarning) as error:
        return None if names_argument(str(error), case) else f"does not name {case.argument}: {str(error)[:200]}"
    except Exception as error:  # noqa: BLE001  (any other one is a leak)
        return f"{type(error).__name__}: {str(error)[:200]}"
    return None


def names_argument(message: str, case: Case) -> bool:
    """Whether the error is about the argument; one about a frame may be about a column that it lacks."""
    names = [case.argument]
    if case.argument in {"data", "frame", "pilot"}:
        names = ["data", *signature_of(case.name).parameters, *SOURCE, "by", "score"]
    if case.argument == "other":  # a Pool that was made with other arguments
        names += ["by", "metrics"]
    # Short names are English words, too.
    return any(re.search(rf"\b{name}\b" if len(name) > 2 else rf"\b{name}(=| is | holds )", message) for name in names)


CHECKED_IN_ONE_PLACE = {
    *CONSTRAINTS,
    *DEFAULTS,
    "data",
    "pred",
    "gold",
    "by",
    "question",
    "cluster",
    "metrics",
    "prefix",
}
"""The arguments that are checked in one place, whichever function has them."""

FIRST_WITH = {case.argument: case for case in reversed(CASES)}
"""The first case that has each argument."""


def some_values(case):
    """A third of the values, other ones for each argument; all where the environment allows many examples.

    What is checked in one place has a third in the first function that has it, and few in the others; so has an argument
    in the second call of a function.
    """
    values = list(all_values(case))
    is_known = case.argument in CHECKED_IN_ONE_PLACE and case.name != FIRST_WITH[case.argument].name
    step = 12 if is_known else 6 if case.place else 3
    if int(os.environ.get("QA_FRAME_MOST_EXAMPLES", "0")) >= 1000:
        step = 1
    return values[zlib.crc32(f"{case.name}.{case.argument}".encode()) % step :: step]


@pytest.mark.sweep
@pytest.mark.parametrize("name", dict.fromkeys(case.name for case in CASES))
def test_sweep(name):
    leaks = [
        f"{case} {case.argument}={what}: {leak}"
        for case in CASES
        if case.name == name
        for what, make in some_values(case)
        if (leak := leak_of(case, make())) is not None
    ]
    assert not leaks, "\n".join(leaks)


def test_the_sweep_covers_every_public_callable():
    """A function, class or method that is new needs its call in `CALLS`, and then all its arguments are swept.

    The methods of `QAAccessor` are the functions, as `test_accessor.py` shows.
    """
    public = {name: getattr(qa_frame, name) for name in dir(qa_frame)} | {"QAAccessor": QAAccessor}
    public |= {name: getattr(qa_frame.rules, name) for name in dir(qa_frame.rules)}
    functions = {name for name, found in public.items() if inspect.isroutine(found)}
    classes = {
        name: found for name, found in public.items() if inspect.isclass(found) and not issubclass(found, BaseException)
    }
    methods = {
        f"{name}.{method}"
        for name, found in classes.items()
        if found is not QAAccessor
        for method in vars(found)
        if not method.startswith("_") and inspect.isfunction(getattr(found, method))
    }
    modules = {f"plot.{name}" for name in (qa_frame.plot.__all__ if is_there("ext.plot") else ())}
    lookups = {
        f"{mapping}.{method}"
        for mapping in ("conventions", "metrics")
        for method in ("__getitem__", "get", "__contains__")
    }
    assert set(CALLS) == functions | set(classes) | methods | modules | lookups


@pytest.mark.whole
def test_the_sweep_is_large(record_property):
    n_calls = sum(1 for case in CASES for _ in all_values(case))
    n_arguments = len({(case.name, case.argument) for case in CASES})
    record_property("calls", n_calls)
    print(f"{n_calls} calls, {n_arguments} arguments of {len(CALLS)} functions, {len(WRONG)} wrong values")  # noqa: T201
    assert n_calls >= LEAST_CALLS
    assert {case.argument for case in CASES if case.name == "score"} == set(
        inspect.signature(qa_frame.score).parameters
    )


@pytest.mark.parametrize("name", CALLS)
def test_the_calls_work_as_they_stand(name):
    """What is swept is a call that works: else every wrong value would be hidden behind another error.

    No call changes a frame that it gets.
    """
    shared_axes.cache_clear()  # a picture may leave them with a scale that others cannot use
    for function, makers in CALLS[name]:
        with warnings.catch_warnings():
            for category in (
                qa_frame.errors.IntervalWarning,
                qa_frame.errors.StratumWarning,
                qa_frame.errors.PlotWarning,
            ):
                warnings.simplefilter("ignore", category)
            given = {argument: make() for argument, make in makers.items()}
            frames = {argument: frame for argument, frame in given.items() if isinstance(frame, pd.DataFrame)}
            before = {argument: (frame.copy(), copy.deepcopy(frame.attrs)) for argument, frame in frames.items()}
            use(function(**given))
            for argument, (frame, attrs) in before.items():
                pd.testing.assert_frame_equal(frames[argument], frame, check_exact=True)
                assert frames[argument].attrs == attrs


def test_the_sweep_finds_what_leaks():
    """An error of another kind, and one that does not name the argument, would both be found."""
    case = Case("sample", 0, "n", "pandas")
    assert leak_of(case, 1).startswith("TypeError: ")
    assert not names_argument("something is wrong with the result", case._replace(argument="metrics"))
    assert not names_argument("this comes on top of all", case._replace(argument="on"))


# ---------------------------------------------------------------------------------------------------- named cases


def refuses(error, message):
    return pytest.raises(error, match=message)


def test_prefix_with_a_lone_surrogate():
    for function in (
        ROWS.qa.score,
        lambda **settings: SCORED.qa.summary(prefix=settings["prefix"]),
        lambda **settings: qa_frame.Pool(prefix=settings["prefix"]),
    ):
        with refuses(qa_frame.errors.UnknownOptionError, r"prefix='\\ud800' holds a lone surrogate, .*; give the text"):
            function(prefix="\ud800", **SOURCE)


def test_bleu_of_an_empty_tuple():
    with refuses(qa_frame.errors.UnknownOptionError, r"Bleu\.text: \(\) is not a Text; give Text\(steps, split\)"):
        Bleu(text=())


@pytest.mark.parametrize("make", [lambda: Drop(("\ud800",)), lambda: Blank(("a", "\ud800")), lambda: Delete("\ud800")])
def test_steps_with_lone_surrogates(make):
    with refuses(
        qa_frame.errors.UnknownOptionError, r"(Drop\.words|Blank\.words|Delete\.characters).* holds a lone surrogate"
    ):
        make()


BAD_NOTES = {
    "list": ["em"],
    "text": "em",
    "none": None,
    "entry": {"em": "signature"},
    "no-signature": {"em": {"pred": "response", "gold": "answers"}},
    "signature": {"em": {"signature": 1}},
    "name": {1: {"signature": "x"}},
    "column": {"em": {"pred": {"a": 1}, "gold": "answers", "signature": "x"}},
    "null-column": {"em": {"pred": None, "gold": None, "signature": "x"}},
}


@pytest.mark.filterwarnings("ignore:intervals and p:qa_frame.errors.IntervalWarning")
@pytest.mark.parametrize("name", BAD_NOTES)
def test_attrs_that_score_did_not_write(name):
    """The remedy works."""
    data = SCORED.copy()
    data.attrs["qa_scored"] = BAD_NOTES[name]
    calls = [
        lambda: qa_frame.summary(data),
        lambda: qa_frame.score(data, "response", "answers"),
        lambda: qa_frame.compare(data, "model", "question", n_resamples=5),
        *([lambda: qa_frame.agreement(data)] if is_there("ext.annotation") else []),
        lambda: qa_frame.Pool().update(data),
    ]
    for each in calls:
        with refuses(
            qa_frame.errors.ColumnTypeError, r"data has attrs\['qa_scored'\] .* remove it: data\.attrs\.pop\('qa_sc"
        ):
            each()
    data.attrs.pop("qa_scored")
    for each in calls:
        each()


@pytest.mark.parametrize("metadata", [b"", b"{", b"\xff", b"[]", b"null", b'"text"', b'{"qa_scored": []}'])
def test_metadata_that_score_did_not_write(metadata):
    """The remedy works."""
    data = pa.Table.from_pandas(SCORED, preserve_index=False).replace_schema_metadata({b"qa_frame": metadata})
    for each in (qa_frame.summary, lambda table: qa_frame.score(table, "response", "answers")):
        with refuses(
            qa_frame.errors.ColumnTypeError, r"data has metadata b'qa_frame' .*data = data\.replace_schema_metadata\("
        ):
            each(data)
        each(data.replace_schema_metadata(None))


@pytest.mark.parametrize("metrics", [None, "f1"])
@pytest.mark.parametrize("kind", [np.complex128, object])
def test_scores_that_are_complex(metrics, kind):
    data = SCORED[["em"]].assign(f1=pd.Series([1j] * len(SCORED), dtype=kind))
    if metrics:
        with refuses(qa_frame.errors.ColumnTypeError, "'f1' holds .* numbers or truth values are needed"):
            data.qa.summary(metrics=metrics)
    else:
        assert "f1" not in data.qa.summary()


OUTSIDE = {
    "ci": (0, 1, 95, -0.5, np.nan, True, "0.95", [0.95]),
    "correction": ("Holm", 1),
    "method": ("wilson", 1),
    "n_resamples": (0, 1.5, True, "5", 10**30),
    "seed": (-1, 0.5, True, "0", 2**128, [1]),
    "test": ("Permutations", 1),
}
"""What is just outside of what a constraint allows. All other arguments that have one are flags."""


@pytest.mark.parametrize(
    ("name", "argument"),
    [(name, argument) for name in CALLS for argument in signature_of(name).parameters if argument in CONSTRAINTS],
)
def test_an_argument_that_breaks_its_constraint(name, argument):
    """The error names the argument, what was found and the remedy."""
    function, makers = CALLS[name][0]
    none = () if "None" in str(signature_of(name).parameters[argument].annotation) else (None,)
    for value in (*OUTSIDE.get(argument, (1, "yes", [True])), pd.NA, ROWS, *none):
        given = {each: make() for each, make in makers.items()} | {argument: value}
        with refuses(
            qa_frame.errors.UnknownOptionError,
            rf"^(\w+\.)?{argument}={re.escape(show(value))} is (n|more than ).*(; give|Choose from)",
        ):
            function(**given)


@pytest.mark.parametrize(
    ("function", "settings"),
    [
        (SCORED.qa.summary, {"n_resamples": 5}),
        (filled_pool().summary, {"n_resamples": 5}),
    ],
)
def test_the_largest_seed(function, settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qa_frame.errors.IntervalWarning)
        function(ci=0.9, seed=2**128 - 1, **settings)


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"no file of Parquet at all", None])
def test_damaged_sample(damage, monkeypatch, tmp_path):
    monkeypatch.setattr("qa_frame.samples.resources.files", lambda _package: tmp_path)
    (tmp_path / "data").mkdir()
    if damage is not None:
        (tmp_path / "data" / "sample.parquet").write_bytes(damage)
    with refuses(
        qa_frame.errors.SampleError,
        r"sample: the file in the package cannot be read .*in its clone, pip install --force-reinstall --no-deps \.$",
    ):
        qa_frame.sample()


def test_sample_of_other_columns(monkeypatch, tmp_path):
    monkeypatch.setattr("qa_frame.samples.resources.files", lambda _package: tmp_path)
    (tmp_path / "data").mkdir()
    ROWS[["model", "answers"]].to_parquet(tmp_path / "data" / "sample.parquet")
    with refuses(qa_frame.errors.SampleError, "human"):
        qa_frame.sample()


def test_lookup_of_a_convention():
    for kind in (
        qa_frame.errors.UnknownConventionError,
        KeyError,
        qa_frame.QaFrameError,
        qa_frame.errors.UnknownOptionError,
    ):
        with refuses(kind, r"^name='SQuAD' is not known; did you mean 'squad'\? qa_frame\.conventions .*lists"):
            qa_frame.conventions["SQuAD"]
    assert qa_frame.conventions.get("SQuAD") is None
    assert "SQuAD" not in qa_frame.conventions
    assert [] not in qa_frame.conventions


OTHER_NAMES = {
    "exact_match": "em", "EM": "em", "Exact Match": "em", "exact": "em", "accuracy": "em", "F1": "f1", "f-1": "f1",
    "f1_score": "f1", "token_f1": "f1", "rougeL": "rouge_l", "rouge-l": "rouge_l", "ROUGE-1": "rouge_1",
    "rouge": "rouge_l", "bleu_4": "bleu4", "BLEU-1": "bleu1", "sacrebleu": "bleu", "sentence_bleu": "bleu",
    "sub_em": "contains", "Recall": "recall", "precison": "precision",
}  # fmt: skip


@pytest.mark.parametrize(("name", "meant"), OTHER_NAMES.items())
def test_other_names_of_metrics(name, meant):
    """The field's other names lead to ours, wherever a metric is named."""
    expected = rf"={name!r} is not known; did you mean {meant!r}\?"
    for wanted in (name, ["em", name]):
        with refuses(qa_frame.errors.UnknownOptionError, f"metrics{expected}"):
            ROWS.qa.score("response", "answers", metrics=wanted)
    with refuses(qa_frame.errors.UnknownOptionError, f"metrics{expected}"):
        SCORED.qa.summary(metrics=name)
    if is_there("ext.conventions"):
        with refuses(qa_frame.errors.UnknownOptionError, f"metric{expected}"):
            ROWS.qa.compare_conventions("squad", "squad2", metric=name, **SOURCE)
    own = Convention(name="own", exact=Exact(text=TEXT), metrics=(name,))
    with refuses(qa_frame.errors.UnknownOptionError, rf"convention\.metrics={name!r} is not known"):
        ROWS.qa.score("response", "answers", convention=own)


def test_every_other_name_leads_to_a_metric():
    assert set(metrics.OTHER_NAMES.values()) <= set(metrics.METRICS)
    assert all(name.isalnum() and name.islower() for name in metrics.OTHER_NAMES)


@pytest.mark.parametrize("function", [takes_nothing, takes_two, raises, Plain], ids=lambda found: found.__name__)
def test_functions_that_raise(function):
    """The error says what was raised, and names the function."""
    name = function.__name__
    with refuses(qa_frame.errors.ReductionError, rf"reduce={name} raised \w+: ") as caught:
        ROWS.qa.score("response", "answers", reduce=function)
    assert caught.value.__cause__ is not None
    own = Convention(name="own", exact=Exact(text=Text(split=function)))
    with refuses(qa_frame.errors.TokeniserError, rf"the tokeniser {name} raised \w+: ") as caught:
        ROWS.qa.score("response", "answers", convention=own)
    assert caught.value.__cause__ is not None


@pytest.mark.needs("audit", "explain")
@pytest.mark.parametrize("kind", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
@pytest.mark.parametrize(
    ("pred", "gold"),
    [([["Paris", "Rome"], None], [[["Paris"], ["Rome", "Roma"]], None]), (["Paris, Rome", None], [[["Paris"]], None])],
)
def test_calls_that_take_no_lists_of_spans_say_how_each_text_gets_a_row(kind, pred, gold):
    df = kind(pd.DataFrame({"response": pred, "answers": gold}))
    settings = {"pred": "response", "gold": "answers", "convention": "drop"}
    assert [*qa_frame.summary(qa_frame.score(df, **settings))["n"]] == [1]
    for function, place in ((qa_frame.audit, {}), (qa_frame.explain, {"label": 0})):
        with pytest.raises(qa_frame.errors.ColumnTypeError, match="give each text of a prediction a row of its own"):
            function(df, **place, **settings)
