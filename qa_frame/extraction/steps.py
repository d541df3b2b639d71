"""The part of a response that is its answer.

A step takes texts and gives, for each, a part of it or null where it finds none. Steps work one after the other. A step
may have alternatives, of which the first one that finds an answer counts. Python looks only at distinct texts that hold
a step's marker.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame.checks import unknown_option
from qa_frame.errors import ResultFileWarning, UnknownOptionError, show, warn
from qa_frame.extraction.choices import stated_choice, stated_letters
from qa_frame.extraction.phrases import before_next_question
from qa_frame.extraction.stated_answers import STATED, stated_answer
from qa_frame.extraction.tex import TEX, untex
from qa_frame.text.raw_texts import (
    THOUGHT,
    binary_offsets,
    end_of_thought,
    first_line,
    has_open_thought,
    last_line,
    last_number,
)

Alternative = str | re.Pattern[str]
Step = tuple[Alternative, ...]
"""The alternatives of a step, names and patterns, of which the first one that finds an answer counts."""
Extract = Alternative | Sequence[Alternative | Sequence[Alternative]] | None

_BYTES_AT_ONCE = 1 << 24

_BRACE = re.compile("[{}]")
_FLAG_LETTERS = {re.ASCII: "a", re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x"}


@dataclass(frozen=True, slots=True)
class _Rule:
    """How a step finds the answer in a text.

    Attributes
    ----------
    find
        Gives the part of a text that is the answer; None if there is no answer.
    marker
        The pattern of a text for which `find` is called, in the syntax of RE2; None if it is called for any text.
    without_marker_is_answer
        Whether a text without the marker is the answer itself; else it holds none.
    takes_options
        Whether `find` also takes the texts of the options that the text chooses among.
    gives_letters
        Whether the answer is the letter of an option, or several.
    """

    find: Callable[..., str | None]
    marker: str | None = None
    without_marker_is_answer: bool = False
    takes_options: bool = False
    gives_letters: bool = False


# --- the rules, for one text. The answers may still have white space at both ends.


def _after_think(text: str) -> str | None:
    """Return what follows the thought; None if the thought never ends."""
    return None if has_open_thought(text) else text[end_of_thought(text) :]


def _answer_tag(text: str) -> str | None:
    # This is the last match of `<answer>(.*?)</answer>`, which takes quadratic time where tags are not closed.
    """Return what stands between the last `<answer>` and `</answer>`; None without them."""
    for part in reversed(text.split("</answer>")[:-1]):
        _, tag, answer = part.partition("<answer>")
        if tag:
            return answer
    return None


def _boxed(text: str) -> str | None:
    r"""Return what stands in the braces of the last `\boxed`, or else of the last `\fbox`; None without braces."""
    for command in (r"\boxed", r"\fbox"):
        _, box, rest = text.rpartition(command)
        if box:
            return _in_braces(rest.lstrip())
    return None


def _in_braces(text: str) -> str | None:
    """Return the text between its first character, a brace, and the brace that closes it; None without one of them."""
    if not text.startswith("{"):
        return None
    depth = 0
    for brace in _BRACE.finditer(text):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return text[1 : brace.start()]
    return None


_STRING_OR_BRACE = re.compile(r'"(?:[^"\\\n]|\\.)*"|[{}]')
"""Strings of JSON have no line breaks, so that an odd quotation mark is worth its line alone."""


def last_json_object(text: str) -> str | None:
    """Return the last JSON object of a text, as text, that is no part of another one; None if there is none."""
    opened: list[int] = []
    closed: list[tuple[int, int]] = []
    for match in _STRING_OR_BRACE.finditer(text):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            start = opened.pop()
            while closed and closed[-1][0] > start:  # those are inside
                closed.pop()
            closed.append((start, match.end()))
    parts = (text[start:end] for start, end in reversed(closed))
    return next((part for part in parts if parse_object(part) is not None), None)


def parse_object(text: str) -> dict[str, object] | None:
    """Return the JSON object that a text is; None if it is not valid JSON, or another value of JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _hashes(text: str) -> str | None:
    """Return the first line after the last four hashes; None if it is empty."""
    return first_line(text.rpartition("####")[2]) or None


def _make_finder(pattern: re.Pattern[str]) -> Callable[[str], str | None]:
    """Return a function that gives the first match of the pattern in a text; None if there is none.

    If the pattern has groups, the function gives the first group that is not empty, "" if all are; else it gives the
    whole match.
    """

    def find(text: str) -> str | None:
        match = pattern.search(text)
        if match is None:
            return None
        return next(filter(None, match.groups()), "") if pattern.groups else match[0]

    return find


_RULES: Mapping[str, _Rule] = {
    "first_line": _Rule(first_line, "\n", without_marker_is_answer=True),
    "last_line": _Rule(last_line, "\n", without_marker_is_answer=True),
    "after_think": _Rule(_after_think, THOUGHT, without_marker_is_answer=True),
    "before_next_question": _Rule(before_next_question, "\n", without_marker_is_answer=True),
    "answer_tag": _Rule(_answer_tag, "</answer>"),
    "json": _Rule(last_json_object, r"\{"),
    "boxed": _Rule(_boxed, r"\\boxed|\\fbox"),
    "answer_is": _Rule(stated_answer, STATED),
    "choice": _Rule(stated_choice, takes_options=True, gives_letters=True),
    "letters": _Rule(stated_letters, takes_options=True, gives_letters=True),
    "last_number": _Rule(last_number, "[0-9]"),
    "hashes": _Rule(_hashes, "####"),
    "untex": _Rule(untex, TEX, without_marker_is_answer=True),
    "all": _Rule(str.strip, r"\A\z", without_marker_is_answer=True),  # which Python need not look at
}

EXTRACTIONS: tuple[str, ...] = tuple(_RULES)
"""The steps that have names."""


# --- steps as they are given


def make_steps(extract: Extract) -> tuple[Step, ...]:
    """Return the steps of the argument `extract`, () for None.

    Raises UnknownOptionError for an unknown name, an empty list, and what is neither a step nor a list of steps.
    """
    if extract is None:
        return ()
    if isinstance(extract, str | re.Pattern):
        return (_read_alternatives(extract),)
    if not isinstance(extract, list | tuple):
        raise UnknownOptionError(f"extract={show(extract)} is not {_say_what_is_allowed()}, nor a list of these")
    if not extract:
        raise UnknownOptionError(f"extract={show(extract)} names no step; give None to take responses as they are")
    parts_per_step = [step if isinstance(step, list | tuple) and step else [step] for step in extract]
    return tuple(tuple(each for part in parts for each in _read_alternatives(part)) for parts in parts_per_step)


def _read_alternatives(step: object) -> Step:
    """Return the alternatives of a name, of several names with bars between them, or of a pattern.

    Raises UnknownOptionError for any other value. A pattern becomes one that notes may name (see `accept_patterns`).
    """
    if isinstance(step, str):
        names = tuple(step.split("|"))
        if any(name not in _RULES for name in names):
            raise unknown_option("extract", step, [*EXTRACTIONS, "a pattern from re.compile"])
        return names
    if not isinstance(step, re.Pattern):
        raise UnknownOptionError(f"extract={show(step)} is not {_say_what_is_allowed()}")
    if not isinstance(step.pattern, str):
        raise UnknownOptionError(f"extract={show(step)} is a pattern for bytes; compile it from a str")
    _accepted.add((step.pattern, step.flags & ~re.DEBUG))
    return (step,)


def _say_what_is_allowed() -> str:
    return f"a name from {list(EXTRACTIONS)} or a pattern from re.compile"


def _join_names(step: Step) -> str | None:
    """Return the names of a step with bars between them; None if there is a pattern among its alternatives."""
    names = [each for each in step if isinstance(each, str)]
    return "|".join(names) if len(names) == len(step) else None


def require_choice_step(choices: Hashable | None, steps: Sequence[Step]) -> None:
    """Raise UnknownOptionError if `choices` is given, but no step takes the options' texts.

    choices: the column that has the texts of the options, or None.
    """
    names = [name for step in steps for name in step if isinstance(name, str)]
    if choices is not None and not any(_RULES[name].takes_options for name in names):
        among = [name for name, rule in _RULES.items() if rule.takes_options]
        raise UnknownOptionError(
            f"choices={show(choices)} has the options' texts for extract={among[0]!r}, and extract is "
            f"{spell_steps(steps) if steps else None}; leave choices out, or give extract={among[0]!r}"
        )


def gives_letters(steps: Sequence[Step]) -> bool:
    """Return whether all alternatives of the last step find letters of options; False without steps."""
    return bool(steps) and all(isinstance(each, str) and _RULES[each].gives_letters for each in steps[-1])


def describe_steps(steps: Sequence[Step]) -> str:
    """Return the steps in one line. Different steps have different lines."""
    return ">".join("|".join(map(_describe_alternative, step)) for step in steps)


def _describe_alternative(step: Alternative) -> str:
    if isinstance(step, str):
        return step
    letters = "".join(letter for flag, letter in _FLAG_LETTERS.items() if step.flags & flag)
    return f"regex({step.pattern!r}{letters and ',' + letters})"


def spell_steps(steps: Sequence[Step]) -> str:
    """Return the steps as they are written in Python, for messages about `extract=`."""
    spelled = [*map(_spell_step, steps)]
    return spelled[0] if len(steps) == 1 and not spelled[0].startswith("[") else f"[{', '.join(spelled)}]"


def _spell_step(step: Step) -> str:
    names = _join_names(step)
    spelled = ", ".join(map(_spell_alternative, step if names is None else (names,)))
    return spelled if len(step) == 1 or names is not None else f"[{spelled}]"


def _spell_alternative(step: Alternative) -> str:
    """Return an alternative as Python source: a name in quotes, or a call of `re.compile`."""
    if isinstance(step, str):
        return repr(step)
    is_raw = "\\" in step.pattern and "'" not in step.pattern and step.pattern.isprintable()
    pattern = f"r'{step.pattern}'" if is_raw and not step.pattern.endswith("\\") else repr(step.pattern)
    says_its_flags = step.flags == re.compile(step.pattern).flags  # as "(?s).*" does
    return f"re.compile({pattern})" if says_its_flags else f"re.compile({pattern}, {int(step.flags)})"


def steps_to_notes(steps: Sequence[Step]) -> list[Any]:
    """Return the steps as notes: lists, dicts and text, which Parquet can keep."""
    return [_join_names(step) or [*map(_to_note, step)] for step in steps]


def _to_note(step: Alternative) -> str | dict[str, Any]:
    return step if isinstance(step, str) else {"pattern": step.pattern, "flags": step.flags & ~re.DEBUG}


def steps_from_notes(notes: Sequence[Any]) -> tuple[Step, ...]:
    """Return the steps that `steps_to_notes` noted.

    Raises UnknownOptionError where notes are not valid, or name a pattern that the caller has not given in this
    process. In the second case, it also warns.
    """
    pattern = find_foreign_pattern(notes)
    if pattern is not None:
        warn_of_foreign(pattern, "data")
        raise UnknownOptionError(f"extract={pattern} was not given in this process; give it")
    try:
        steps = [[*map(_from_note, note)] if isinstance(note, list) else _from_note(note) for note in notes]
    except (re.error, TypeError, KeyError, ValueError) as error:
        raise UnknownOptionError(f"extract={show(notes)} was not noted by score") from error
    return make_steps(steps or None)


def _from_note(note: Any) -> Alternative:
    return note if isinstance(note, str) else re.compile(note["pattern"], note["flags"])


# --- patterns that notes may name
#
# A pattern can take any time. So one that came with a file runs only after the caller has given the same pattern.

_accepted: set[tuple[str, int]] = set()
"""The patterns that were given as `extract` in this process, with their flags."""


def accepted_patterns() -> frozenset[tuple[str, int]]:
    """Return the patterns that the caller has given so far, with their flags, to hand them to other processes."""
    return frozenset(_accepted)


def accept_patterns(patterns: Iterable[tuple[str, int]]) -> None:
    """Let notes name these patterns, which the caller has given in another process."""
    _accepted.update(patterns)


def find_foreign_pattern(notes: Sequence[Any]) -> str | None:
    """Return the first pattern in the notes of steps that the caller has not given, in Python's spelling.

    Return None if there is none.
    """
    for each in itertools.chain.from_iterable(note if isinstance(note, list) else [note] for note in notes):
        if isinstance(each, dict) and (each.get("pattern"), each.get("flags")) not in list(_accepted):
            flags = each.get("flags")
            others = int(flags & ~re.UNICODE) if isinstance(flags, int) else 0
            return f"re.compile({show(each.get('pattern'))}{f', {others}' if others else ''})"
    return None


def warn_of_foreign(pattern: str, where: str) -> None:
    """Warn that a pattern in notes is not run. where: whose notes they are."""
    warn(
        f"{where}: its notes say that its scores are those of answers which {pattern} found, a pattern that comes with "
        "data and is not run; n_missing and n_no_gold are not counted",
        ResultFileWarning,
        see="patterns-that-come-with-data",
    )


# --- columns


def extract_texts(
    texts: pa.ChunkedArray, steps: Sequence[Step], choices: pa.ChunkedArray | None = None
) -> pa.ChunkedArray:
    """Return the part of each text that the steps find, without white space at its ends; null where a step finds none.

    Parameters
    ----------
    texts
        Arrow `large_string`; nulls stay null.
    steps
        The steps, each of which takes the texts that the one before it found.
    choices
        The texts of the options that each text chooses among: `large_list<large_string>`; None if they are not known.
    """
    rules_per_step = [[_rule_of_alternative(each) for each in step] for step in steps]
    options = None if choices is None else choices.combine_chunks()
    answers, done = [], 0
    for chunk in texts.chunks:
        for start, stop in _bounds_of_slices(chunk):
            part = chunk.slice(start, stop - start)
            of_slice = None if options is None else options.slice(done, len(part))
            done += len(part)
            for rules in rules_per_step:
                part = _first_answer(rules, part, of_slice)
            answers.append(part)
    return pa.chunked_array(answers, pa.large_string())


def _rule_of_alternative(step: Alternative) -> _Rule:
    return _RULES[step] if isinstance(step, str) else _Rule(_make_finder(step))


def _bounds_of_slices(texts: pa.Array) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of slices of the texts, of about `_BYTES_AT_ONCE` each, to copy them into Python."""
    offsets = binary_offsets(texts)
    inner = np.searchsorted(offsets, np.arange(_BYTES_AT_ONCE, offsets[-1], _BYTES_AT_ONCE))
    return itertools.pairwise([0, *inner.tolist(), len(texts)])


def _first_answer(rules: Sequence[_Rule], texts: pa.Array, options: pa.Array | None) -> pa.Array:
    """Return the answer that one step finds in each text, else null.

    It is that of the first of the step's alternatives that finds one. rules: those of the alternatives. options: as in
    `_find_in_texts`.
    """
    answers = _find_in_texts(rules[0], texts, options)
    for rule in rules[1:]:
        is_left = pc.is_null(answers)
        if not pc.any(is_left).as_py():
            break
        # Arrow 18 reads beyond its memory where `if_else` takes a part of an array.
        left = None if options is None else options.filter(is_left)
        answers = pc.replace_with_mask(answers, is_left, _find_in_texts(rule, texts.filter(is_left), left))
    return answers


def _find_in_texts(rule: _Rule, texts: pa.Array, options: pa.Array | None) -> pa.Array:
    """Return the answer that the rule of one alternative finds in each text, else null.

    options: the list of options of each text, or None.
    """
    if rule.marker is None:
        is_looked_at = pc.is_valid(texts)
    else:
        # For a literal, too, RE2 takes a small part of the time of Arrow's own search.
        is_looked_at = pc.match_substring_regex(texts, rule.marker).fill_null(False)
    looked_at = texts.filter(is_looked_at)
    find = functools.cache(rule.find)  # equal texts are looked at once
    if rule.takes_options and options is not None:
        among = [tuple(option or "" for option in each or ()) for each in options.filter(is_looked_at).to_pylist()]
        parts = [*map(find, looked_at.to_pylist(), among)]
    else:
        parts = [*map(find, looked_at.to_pylist())]
    others = texts if rule.without_marker_is_answer else pa.nulls(len(texts), texts.type)
    return pc.utf8_trim_whitespace(pc.replace_with_mask(others, is_looked_at, pa.array(parts, texts.type)))
