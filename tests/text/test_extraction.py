"""What is extracted from a column of responses equals plain Python on each text."""

from __future__ import annotations

import itertools
import pickle
import re
import time

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from qa_frame.errors import UnknownOptionError
from qa_frame.text import extraction
from qa_frame.text.extraction import (
    EXTRACTIONS,
    describe_steps,
    extract_texts,
    make_steps,
    steps_from_notes,
    steps_to_notes,
)
from tests.reference import extraction as twin

PIECES = (
    *("<think>", "</think>", "<answer>", "</answer>", "<Answer>", "<think", "think>", "</answer"),
    *("\\boxed", "\\boxed{", "\\fbox{", "\\fbox", "{", "}", "\\{", "\\frac{1}{2}", "box", "\\BOXED{"),
    *("The answer is", "the answer is:", "THE FINAL ANSWER IS", "the correct answer is", "the answer isn't"),
    *("theanswer", "_the answer is", "answer is", "the an\u017fwer i\u017f", "éthe answer is", "the answer isé"),
    *("####", "#", "Paris", "42", "3.5.", ".", ":", "é", "日本", "\U0001f600", "a\u0301", "\u212a", "x" * 300),
    *(" ", "  ", "\n", "\r\n", "\r", "\n\n", "\t", "\u2028", "\x85", "\x1c", "\x0b", "\u200b", "\xa0", "\0"),
)
PATTERNS = (
    re.compile(r"\d+"),
    re.compile(r"answer is (.*)"),
    re.compile(r"(?i)(ANSWER)|(\{.*?\})"),
    re.compile(r"(x)?Paris(.)?", re.DOTALL),
    re.compile(""),
    re.compile(r"^.*$", re.MULTILINE),
)
STEPS = (*EXTRACTIONS, *PATTERNS)

responses = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=20)
columns = st.lists(st.none() | responses, max_size=8)


def extracted(texts, steps):
    return extract_texts(pa.chunked_array([texts], pa.large_string()), steps).to_pylist()


@pytest.mark.parametrize("step", STEPS, ids=str)
@given(texts=columns)
@example(texts=[])
@example(texts=[None, "", " ", None])
@example(texts=["\\boxed{a}\\boxed{b", "\\fbox{a}\\boxed{b", "\\fbox{a} \\fbox{b}", "\\boxed \n{{}{a}}}", "\\boxed{}"])
@example(texts=["<answer>a<answer>b</answer>", "<answer>a</answer></answer><answer>b", "</answer><answer></answer>"])
@example(texts=["<think>a</think>b</think>c", "a</think>b<think>c", "<think>", "</think>", "a<think"])
@example(
    texts=["The answer is Paris.\nSo the answer is\n\n: Rome..", "the answer is:", "the answer is 3.5.", "####\n5\n6"]
)
def test_each_step_equals_its_twin(step, texts):
    assert extracted(texts, [step]) == [twin.extract(text, [step]) for text in texts]


@given(texts=columns, steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=4))
def test_steps_work_one_after_the_other(texts, steps):
    assert extracted(texts, steps) == [twin.extract(text, steps) for text in texts]


@given(texts=columns, steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=2), cuts=st.sets(st.integers(0, 8)))
def test_pieces_chunks_and_slices_make_no_difference(texts, steps, cuts):
    expected = [twin.extract(text, steps) for text in texts]
    bounds = [0, *sorted(cut for cut in cuts if cut <= len(texts)), len(texts)]
    whole = pa.array(["before", *texts, "after"], pa.large_string())
    chunks = [whole.slice(1 + start, stop - start) for start, stop in itertools.pairwise(bounds)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extraction, "_BYTES_AT_ONCE", 7)
        assert extract_texts(pa.chunked_array(chunks, pa.large_string()), steps).to_pylist() == expected


@given(texts=columns, step=st.sampled_from(EXTRACTIONS))
def test_what_was_extracted_has_no_white_space_at_its_ends(texts, step):
    assert all(text == text.strip() for text in extracted(texts, [step]) if text is not None)


@pytest.mark.parametrize("step", ["first_line", "last_line", "after_think"])
@given(texts=columns)
def test_lines_and_what_follows_a_thought_are_not_taken_twice(step, texts):
    assert extracted(texts, [step, step]) == extracted(texts, [step])


HUGE = {
    "open braces": "\\boxed" + "{" * 100_000,
    "boxes that are not closed": "\\boxed{" * 100_000,
    "boxes in boxes": "\\boxed{" * 100_000 + "}" * 100_000,
    "boxes of the other kind": "\\fbox{a}" * 100_000,
    "open tags": "<answer>" * 100_000,
    "closed tags": "</answer>" * 100_000,
    "open tags and a closed one": "<answer>" * 100_000 + "</answer>",
    "pairs of tags": "<answer>a</answer>" * 100_000,
    "tags in the wrong order": "</answer><answer>" * 100_000,
    "thoughts": "<think>a</think>" * 100_000,
    "thoughts without end": "</think><think>" * 100_000,
    "answers": "the answer is " * 100_000,
    "beginnings of answers": "the final the correct the " * 100_000 + "answer is",
    "hashes": "#" * 400_000,
    "line feeds": "\n" * 400_000,
    "lines of white space": "the answer is" + " \n" * 200_000,
    "a long word": "é" * 100_000,
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE)
def test_time_grows_with_the_length_alone(text):
    """Of quadratic time, any of these would take minutes."""
    start = time.perf_counter()
    for step in EXTRACTIONS:
        extracted([text, text[: len(text) // 2]], [step])
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize("step", ["answer_tag", "boxed", "hashes", "after_think"])
def test_long_texts_equal_the_twin(step):
    filler = "word \n{" * 15_000
    ends = ["<answer>a</answer>", "\\boxed{a{b}}", "#### 7", "</think> Paris", "<think>", ""]
    texts = [filler + end + tail for end in ends for tail in ("", "\n", "{}")]
    assert extracted(texts, [step]) == [twin.extract(text, [step]) for text in texts]


def test_a_distinct_text_is_looked_at_once(monkeypatch):
    seen = []
    rule = extraction._Rule(seen.append, "box")
    monkeypatch.setattr(extraction, "_RULES", {**extraction._RULES, "boxed": rule})
    assert extracted(["box", "none", "box", None, "boxes"] * 3, ["boxed"]) == [None] * 15
    assert seen == ["box", "boxes"]


# ------------------------------------------------------------------------------------------------- steps as given


def test_steps_as_they_are_given():
    pattern = re.compile("a")
    assert make_steps(None) == ()
    assert make_steps("boxed") == make_steps(["boxed"]) == make_steps(("boxed",)) == ("boxed",)
    assert make_steps(pattern) == (pattern,)
    assert make_steps(["after_think", pattern]) == ("after_think", pattern)


@pytest.mark.parametrize(
    ("extract", "message"),
    [
        ("box", "extract='box' is not known; did you mean 'boxed'?"),
        ("after_thinking", "did you mean 'after_think'?"),
        (r"answer: (\d+)", "a pattern from re.compile"),
        (["boxed", "last"], "extract='last' is not known"),
        ([], "names no step; give None"),
        ([["boxed"]], r"extract=['boxed'] is not a name from"),
        (7, "extract=7 is not a name from"),
        (["boxed", 7], "extract=7 is not a name from"),
        (re.compile(b"a"), "is a pattern for bytes; compile it from a str"),
        (range(2), "nor a list of these"),
    ],
    ids=str,
)
def test_what_is_no_step(extract, message):
    with pytest.raises(UnknownOptionError, match=re.escape(message)):
        make_steps(extract)


def test_descriptions_tell_steps_apart():
    lists = [
        ["boxed"],
        ["boxed", "boxed"],
        [re.compile("boxed")],
        [re.compile("boxed", re.IGNORECASE)],
        [re.compile("boxed", re.DOTALL)],
        [re.compile("(?i)boxed")],
        [re.compile("a\nb|c")],
        [re.compile("a"), re.compile("b")],
        [re.compile(r"a'\)>regex\('b")],
    ]
    described = [describe_steps(steps) for steps in lists]
    assert len({*described}) == len(lists)
    assert not any("\n" in line for line in described)
    assert described[:5] == ["boxed", "boxed>boxed", "regex('boxed')", "regex('boxed',i)", "regex('boxed',s)"]


@pytest.mark.parametrize("steps", [("boxed",), ("after_think", *PATTERNS), (re.compile("a b", re.VERBOSE),)])
def test_steps_come_back_from_notes_and_pickles(steps):
    make_steps(steps)  # as a caller gives them
    assert steps_from_notes(steps_to_notes(steps)) == steps
    assert pickle.loads(pickle.dumps(steps)) == steps


@pytest.mark.parametrize(
    "notes",
    [["no such name"], [{"pattern": "a"}], [{"pattern": "(", "flags": 0}], [{"pattern": "a", "flags": "x"}], [7]],
)
@pytest.mark.filterwarnings("ignore::qa_frame.ResultFileWarning")
def test_notes_that_are_none(notes):
    with pytest.raises(UnknownOptionError, match="extract"):
        steps_from_notes(notes)


def test_no_steps_come_back_from_no_notes():
    assert steps_from_notes(steps_to_notes(())) == ()
