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
from qa_frame.extraction import steps as extraction
from qa_frame.extraction.steps import (
    EXTRACTIONS,
    describe_steps,
    extract_texts,
    make_steps,
    spell_steps,
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
    *(
        "<thinking>",
        "</thinking>",
        "<Reasoning>",
        "</REASONING>",
        "<reason>",
        "[THINK]",
        "[/THINK]",
        "◁think▷",
        "◁/think▷",
        "answer:",
        "Answer :",
        "**Answer:**",
    ),
    *(
        "**",
        "*",
        "answer",
        " is ",
        "my",
        "It",
        "The",
        "U.S.",
        "St.",
        "J.",
        "No.",
        "5",
        "!",
        "?",
        '"',
        ")",
        "Dr. Who. He",
    ),
    *("1,234", "-", "\u2212", "$", "€ ", "%", " %", "0.5", ".25", "1e-3", "e", ",567", "CO2", "7"),
    *("\nQuestion:", "\n**Question 2**", "\n### Problem 3. ", "\nquestion", "Question:", "Questions", ":\n"),
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
NAMES = tuple(name for name in EXTRACTIONS if name not in ("untex", "choice", "letters", "json"))
"""The steps that neither test_tex nor test_choices nor test_score_fields has."""
ALTERNATIVES = ("boxed|all", "answer_is|hashes|last_line", ("hashes", PATTERNS[0], "all"), (PATTERNS[1], "answer_tag"))
STEPS = (*NAMES, *PATTERNS, *ALTERNATIVES)

responses = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=20)
columns = st.lists(st.none() | responses, max_size=8)


def extracted(texts, steps):
    return extract_texts(pa.chunked_array([texts], pa.large_string()), make_steps(steps)).to_pylist()


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
        found = extract_texts(pa.chunked_array(chunks, pa.large_string()), make_steps(steps))
        assert found.to_pylist() == expected


@given(texts=columns, step=st.sampled_from(EXTRACTIONS))
def test_what_was_extracted_has_no_white_space_at_its_ends(texts, step):
    assert all(text == text.strip() for text in extracted(texts, [step]) if text is not None)


@pytest.mark.parametrize("step", ["first_line", "last_line", "after_think"])
@given(texts=columns)
def test_lines_and_what_follows_a_thought_are_not_taken_twice(step, texts):
    assert extracted(texts, [step, step]) == extracted(texts, [step])


HUGE = {
    "open braces": "\\boxed" + "{" * 50_000,
    "boxes that are not closed": "\\boxed{" * 50_000,
    "boxes in boxes": "\\boxed{" * 50_000 + "}" * 50_000,
    "open tags": "<answer>" * 50_000,
    "open tags and a closed one": "<answer>" * 50_000 + "</answer>",
    "pairs of tags": "<answer>a</answer>" * 50_000,
    "tags in the wrong order": "</answer><answer>" * 50_000,
    "questions": "Question:\n" * 50_000,
    "questions that are announced": "x:\nQuestion:" * 50_000,
    "lines without questions": "x\n \n" * 100_000,
    "blank lines": "x" + "\n" * 200_000,
    "thoughts": "<think>a</think>" * 50_000,
    "thoughts without end": "</think><think>" * 50_000,
    "fractions in fractions": "\\frac{" * 50_000 + "}{1}" * 50_000,
    "groups": "{" * 50_000 + "$" + "}" * 50_000,
    "backslashes": "\\" * 100_001,
    "commands": "\\text" * 50_000,
    "fractions": "\\frac1" * 50_000,
    "answers": "the answer is " * 50_000,
    "beginnings of answers": "the final the correct the " * 50_000 + "answer is",
    "beginnings of phrases": "answer* " * 50_000 + "is",
    "spaces before a colon": "answer" + " " * 200_000 + "x" + "answer\t" * 50_000,
    "sentences": "the answer is " + "U.S. a. b. " * 25_000,
    "marks": "the answer is " + ".)" * 100_000 + " a",
    "bold": "**" * 100_000 + "answer:" + "**" * 100_000,
    "hashes": "#" * 200_000,
    "lines of white space": "the answer is" + " \n" * 100_000,
}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=name, marks=() if name == "open braces" else pytest.mark.thorough)
        for name, text in HUGE.items()
    ],
)
def test_time_grows_with_the_length_alone(text):
    """Of quadratic time, any of these would take minutes."""
    start = time.process_time()
    for step in EXTRACTIONS:
        extracted([text, text[: len(text) // 2]], [step])
    assert time.process_time() - start < 30


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
    assert make_steps("boxed") == make_steps(["boxed"]) == make_steps([["boxed"]]) == (("boxed",),)
    assert make_steps(pattern) == ((pattern,),)
    assert make_steps(["after_think", pattern]) == (("after_think",), (pattern,))
    assert make_steps("boxed|all") == make_steps(["boxed|all"]) == make_steps([["boxed", "all"]]) == (("boxed", "all"),)
    assert make_steps([["boxed|hashes", pattern, "all"]]) == (("boxed", "hashes", pattern, "all"),)


def test_steps_as_messages_spell_them_can_be_given_again():
    for steps in [*(make_steps([step]) for step in STEPS), make_steps(["boxed", "hashes|all"]), make_steps([*STEPS])]:
        spelled = spell_steps(steps)
        assert make_steps(eval(spelled, {"re": re})) == steps, spelled
    assert spell_steps(make_steps("boxed|all")) == "'boxed|all'"


def test_a_bar_in_a_pattern_is_no_alternative():
    assert extracted(["boxed|all", "\\boxed{7}"], [re.compile("boxed[|]all|hashes")]) == ["boxed|all", None]
    assert extracted(["the answer is 7", "8"], ["answer_is|all"]) == ["7", "8"]
    assert extracted(["#### 7", "8 b", "c"], [("hashes", re.compile("a|b"))]) == ["7", "b", None]


def test_a_fallback_gives_the_text_that_its_step_was_given():
    texts = ["<think>x</think> \\boxed{7}", "<think>x</think> 8", "<think>x", "9"]
    assert extracted(texts, ["after_think", "boxed|all"]) == ["7", "8", None, "9"]
    assert extracted(texts, ["after_think|all", "boxed|all"]) == ["7", "8", "<think>x", "9"]


def test_only_what_the_first_alternative_leaves_is_looked_at_again(monkeypatch):
    seen = []
    rules = {**extraction._RULES, "hashes": extraction._Rule(seen.append)}
    monkeypatch.setattr(extraction, "_RULES", rules)
    assert extracted(["\\boxed{7}", "8", "8", None], ["boxed|hashes|all"]) == ["7", "8", "8", None]
    assert seen == ["8"]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The answer is Paris. It is the capital of France.", "Paris"),
        ("Paris is in France. The final answer is Paris.", "Paris"),
        ("Answer: Paris", "Paris"),
        ("Final answer: Paris", "Paris"),
        ("ANSWER : Paris", "Paris"),
        ("### Answer: Paris", "Paris"),
        ("**Answer:** Paris", "Paris"),
        ("**Answer**: Paris", "Paris"),
        ("**Answer: Paris** as said", "Paris"),
        ("**The answer is Paris.** It is old.", "Paris"),
        ("The answer is **Paris**.", "Paris"),
        ("The answer is **Paris**, the capital.", "Paris"),
        ("The **final answer** is **42**", "42"),
        ("Answer:\nParis\nLyon", "Paris"),
        ("Final Answer: The final answer is 42. I hope it is correct.", "42"),
        ("The answer is 3.5.", "3.5"),
        ("The answer is 3.5. Sarah has more.", "3.5"),
        ("The answer is the U.S. It is large.", "the U.S."),
        ("The answer is the U.S. Army.", "the U.S. Army"),
        ("The answer is Dr. Seuss. He wrote it.", "Dr. Seuss"),
        ("The answer is St. Louis. The city", "St. Louis"),
        ("The answer is J. K. Rowling. She wrote it.", "J. K. Rowling"),
        ("The answer is B. Because A is wrong.", "B"),
        ("The answer is (B). Others are wrong.", "(B)"),
        ("The answer is Chanel No. 5. It is", "Chanel No. 5"),
        ("The answer is no. Paris is not old.", "no"),
        ("The answer is Yahoo! Inc. It was sold.", "Yahoo! Inc"),
        ("The answer is Washington, D.C. The city", "Washington, D.C."),
        ("The answer is $\\boxed{4}$. I hope so.", "$\\boxed{4}$"),
        ("The answer isn't known", None),
        ("The answers: Paris", None),
        ("an answerless text", None),
        ("The answer is", None),
        ("Answer:", None),
    ],
)
def test_answers_that_are_stated(text, answer):
    assert extracted([text], ["answer_is"]) == [answer]
    assert twin.extract(text, ["answer_is"]) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<thinking>Rome?</thinking> Paris", "Paris"),
        ("<reasoning>Rome?</reasoning>\nParis", "Paris"),
        ("Rome?</think> Paris", "Paris"),
        ("[THINK]Rome?[/THINK] Paris", "Paris"),
        ("[THINK]Rome?", None),
        ("<thought>Rome?</thought> Paris", "Paris"),
        ("<seed:think>Rome?</seed:think>Paris", "Paris"),
        ("◁think▷Rome?◁/think▷ Paris", "Paris"),
        ("<|START_THINKING|>Rome?<|END_THINKING|>Paris", "Paris"),
        ("<|channel|>analysis<|message|>Rome?<|end|><|start|>assistant<|channel|>final<|message|>Paris", "Paris"),
        ("[think about] Paris", "[think about] Paris"),
        ("Rome?</Thinking>Paris", "Paris"),
        ("<think>Rome?</think><reasoning>Oslo?</reasoning>Paris", "Paris"),
        ("<think>Rome?</think><reasoning>Oslo?", None),
        ("<thinking>Rome?", None),
        ("Paris <thinker>", "Paris <thinker>"),
        ("Paris", "Paris"),
    ],
)
def test_thoughts(text, answer):
    assert extracted([text], ["after_think"]) == [answer]
    assert twin.extract(text, ["after_think"]) == answer


@pytest.mark.parametrize(
    ("extract", "message"),
    [
        ("box", "extract='box' is not known; did you mean 'boxed'?"),
        ("after_thinking", "did you mean 'after_think'?"),
        (r"answer: (\d+)", "a pattern from re.compile"),
        (r"answer: (\d+)|all", r"extract='answer: (\\d+)|all' is not known"),
        ("boxed|", "extract='boxed|' is not known; did you mean 'boxed'?"),
        ("boxed|al", "extract='boxed|al' is not known"),
        ("", "extract='' is not known"),
        (["boxed", "last"], "extract='last' is not known"),
        ([], "names no step; give None"),
        (7, "extract=7 is not a name from"),
        (["boxed", 7], "extract=7 is not a name from"),
        (["boxed", ["hashes", 7]], "extract=7 is not a name from"),
        (["boxed", ["hashes", ["all", "boxed"]]], "extract=['all', 'boxed'] is not a name from"),
        (["boxed", []], "extract=[] is not a name from"),
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
        ["boxed|all"],
        [("boxed", re.compile("all"))],
        [re.compile("boxed|all")],
        [(re.compile("boxed"), re.compile("all"))],
    ]
    described = [describe_steps(make_steps(steps)) for steps in lists]
    assert len({*described}) == len(lists)
    assert not any("\n" in line for line in described)
    assert described[:5] == ["boxed", "boxed>boxed", "regex('boxed')", "regex('boxed',i)", "regex('boxed',s)"]


@pytest.mark.parametrize(
    "steps",
    [
        ("boxed",),
        ("after_think", *PATTERNS),
        (re.compile("a b", re.VERBOSE),),
        ("boxed|all", ("hashes", re.compile("a|b", re.IGNORECASE), "all")),
    ],
)
def test_steps_come_back_from_notes_and_pickles(steps):
    steps = make_steps(steps)
    assert steps_from_notes(steps_to_notes(steps)) == steps
    assert pickle.loads(pickle.dumps(steps)) == steps


@pytest.mark.parametrize(
    "notes",
    [["no such name"], [{"pattern": "a"}], [{"pattern": "(", "flags": 0}], [{"pattern": "a", "flags": "x"}], [7]],
)
@pytest.mark.filterwarnings("ignore::qa_frame.errors.ResultFileWarning")
def test_notes_that_are_none(notes):
    with pytest.raises(UnknownOptionError, match="extract"):
        steps_from_notes(notes)


def test_no_steps_come_back_from_no_notes():
    assert steps_from_notes(steps_to_notes(())) == ()
