"""Slow plain-Python twins of the steps of `extract`, one text at a time."""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Callable
from typing import Any

from qa_frame.extraction import stated_answers
from qa_frame.text import punkt

_WORD = string.ascii_letters + string.digits + "_"


def first_line(text: str) -> str:
    """The first line of the stripped text."""
    return text.strip().split("\n")[0].strip()


def last_line(text: str) -> str:
    """The last line of the stripped text."""
    return text.strip().split("\n")[-1].strip()


TAGS = [(f"<{name}>", f"</{name}>") for name in ("think", "thinking", "thought", "reasoning", "seed:think")]
TAGS += [("[think]", "[/think]"), ("◁think▷", "◁/think▷"), ("<|start_thinking|>", "<|end_thinking|>")]
TAGS += [("<|channel|>analysis<|message|>", "<|channel|>final<|message|>")]
"""How thoughts begin and end, in small letters."""


def _end_of_thought(small: str) -> int:
    return max(small.rfind(end) + len(end) if end in small else 0 for _, end in TAGS)


def after_think(text: str) -> str | None:
    """What follows the last end of a thought, unless another thought begins there."""
    small = "".join(character.lower() if character.isascii() else character for character in text)
    place = _end_of_thought(small)
    has_begun = any(begin in small[place:] for begin, _ in TAGS)
    return None if has_begun else text[place:].strip()


def before_next_question(text: str) -> str:
    """The lines before the first heading of a question, behind which nothing of a thought stands."""
    end = _end_of_thought(text.lower())
    thought, rest = text[:end], text[end:]
    lines = rest.split("\n")
    for place in range(1, len(lines)):
        before = "\n".join(lines[:place]).rstrip()
        if before and before[-1] not in ":：" and before[-3:] not in (":**", "：**") and _heads(lines[place]):
            return (thought + before).strip()
    return text.strip()


def _heads(line: str) -> bool:
    """Whether a line begins with the word for a question, and a mark or nothing behind it. English words alone."""
    n_hashes = len(line) - len(line.lstrip("#"))
    if 1 <= n_hashes <= 6 and line[n_hashes : n_hashes + 1].isspace():
        line = line[n_hashes + 1 :]
    small = _without(line, "*_", 3).lower()
    for word in ("question", "problem"):
        if small.startswith(word):
            rest = small[len(word) :]
            number = rest[1:] if rest[:1].isspace() else rest
            number = number.removeprefix("#")
            digits = number[: len(number) - len(number.lstrip("0123456789"))][:5]
            rest = _without(number[len(digits) :] if digits else rest, "*_", 3)
            for behind in (rest, rest[1:] if rest[:1].isspace() else rest):
                if not behind or behind[0] in ":：" or (behind[0] in ".)" and (behind + "x")[1].isspace()):
                    return True
                if behind in (".", ")"):
                    return False
    return False


def _without(text: str, marks: str, most: int) -> str:
    n = 0
    while n < most and text[n : n + 1] and text[n] in marks:
        n += 1
    return text[n:]


def answer_tag(text: str) -> str | None:
    """As Search-R1's `extract_solution`, but one pair of tags is enough."""
    found = re.findall("<answer>(.*?)</answer>", text, re.DOTALL)
    return found[-1].strip() if found else None


def boxed(text: str) -> str | None:
    """As `last_boxed_only_string` of Hendrycks et al. (2021), without the command and its braces."""
    for command in (r"\boxed", r"\fbox"):
        start = text.rfind(command)
        if start < 0:
            continue
        inside = text[start + len(command) :].strip()
        if inside[:1] != "{":
            return None
        depth = 0
        for place, character in enumerate(inside):
            depth += {"{": 1, "}": -1}.get(character, 0)
            if depth == 0:
                return inside[1:place].strip()
        return None
    return None


def answer_is(text: str) -> str | None:
    """What is said after the last phrase that announces an answer."""
    small = "".join(character.lower() if character.isascii() else character for character in text)
    last = None
    for start in range(len(small)):
        if small.startswith("answer", start):
            last = _end_of_phrase(small, start) or last
    if last is None:
        return None
    is_bold = text[text[:last].rfind("\n") + 1 : last].count("**") % 2 == 1
    rest = text[last:].strip()
    if is_bold and rest[:2] == "**":
        is_bold, rest = False, rest[2:].strip()
    rest = (rest[1:] if rest[:1] == ":" else rest).strip()
    if not is_bold and rest[:2] == "**":
        is_bold, rest = True, rest[2:]
    line = rest.strip().split("\n")[0]
    answer = (line.split("**")[0] if is_bold else _sentence(line)).strip()
    if answer[-1:] == "." and not _has_other_stops(answer.split(" ")[-1]):
        answer = answer[:-1].strip()
    return answer or None


def _end_of_phrase(small: str, start: int) -> int | None:
    """Where the phrase ends whose "answer" begins here; None where this is no phrase."""
    before, behind = small[:start], small[start + len("answer") :]
    colon = behind.lstrip("*").lstrip(" \t")
    if colon[:1] == ":":
        return None if before[-1:] in [*_WORD] else len(small) - len(colon) + 1
    verb = behind.lstrip(" *")
    words = before.rstrip(" *")
    if verb == behind or words == before or verb[:2] != "is" or verb[2:3] in [*_WORD]:
        return None
    word = words[len(words.rstrip(_WORD)) :]
    is_near = len(before) - len(words) + len(word) <= 16
    return len(small) - len(verb) + 2 if is_near and word in ("the", "my", "final", "correct") else None


def _sentence(line: str) -> str:
    """The first sentence of a line."""
    place = 0
    words = line.split()
    for word, following in itertools.pairwise(words):
        place = line.index(word, place) + len(word)
        if _is_end(word, following):
            return line[:place]
    return line


def _is_end(word: str, following: str) -> bool:
    while word and word[-1] in "\"'”’)]*":
        word = word[:-1]
    following = following.lstrip("\"'“‘([*")
    if word[-1:] not in (".", "!", "?"):
        return False
    if following.rstrip(",:") in stated_answers._FIRST_WORDS:
        return True
    if word[-1] != "." or following[:1].islower():
        return False
    known = punkt.ABBREVIATIONS | stated_answers._TITLES
    name = word[:-1].lstrip("\"'“‘([*").lower()
    is_number = following[:1].isdigit() and name in ("fig", "no", "nos", "op", "p", "pp", "vol")
    return not (name in known or is_number or (len(name) == 1 and name.isalpha()) or _has_other_stops(f"{name}."))


def _has_other_stops(word: str) -> bool:
    """Whether it is made of parts of one or two letters, each with a full stop."""
    *parts, rest = word.lstrip("\"'“‘([*").split(".")
    return rest == "" and len(parts) > 1 and all(0 < len(part) < 3 and part.isalpha() for part in parts)


def hashes(text: str) -> str | None:
    """The rest of the line after the last four hashes."""
    before, *rest = text[::-1].split("####", 1)
    return before[::-1].strip().split("\n")[0].strip() or None if rest else None


_DIGITS, _CURRENCIES = "0123456789", "$€£¥₹"


def last_number(text: str) -> str | None:
    """The last number, read from left to right, one character after the other."""
    last, place = None, 0
    while place < len(text):
        number, end = _number_at(text, place)
        last, place = (last, place + 1) if number is None else (number, end)
    return last


def _number_at(text: str, start: int) -> tuple[str | None, int]:
    """The number that begins here, and its end."""
    before, place, sign = text[start - 1 : start] if start else "", start, ""
    if before and (before in _WORD or "\u00c0" <= before <= "\u024f"):
        return None, start
    if text[place : place + 1] in ("-", "\u2212"):
        if before and (before.isalnum() or before in "_)]}%"):
            return None, start
        sign, place = "-", place + 1
    if text[place : place + 1] in [*_CURRENCIES]:
        place += 1 + (text[place + 1 : place + 2] in (" ", "\xa0"))
        if text[place : place + 1] in ("-", "\u2212"):
            sign, place = sign + "-", place + 1
    whole = _whole_part(text, place)
    end = place + len(whole)
    digits = _run(text, end + 1) if text[end : end + 1] == "." else ""
    if not whole and not digits:
        return None, start
    end += 1 + len(digits) if digits else 0
    number = sign + whole.replace(",", "") + ("." + digits if digits else "")
    if text[end : end + 1] in ("e", "E"):
        n_sign = text[end + 1 : end + 2] in ("-", "+")
        power = _run(text, end + 1 + n_sign)
        stop = end + 1 + n_sign + len(power)
        if power and text[stop : stop + 1] not in [*string.ascii_letters]:
            number, end = number + text[end:stop], stop
    gap = text[end : end + 1] in (" ", "\xa0")
    if text[end + gap : end + gap + 1] == "%":
        number, end = number + "%", end + gap + 1
    return number, end


def _run(text: str, start: int) -> str:
    """The digits from here on."""
    end = start
    while end < len(text) and text[end] in _DIGITS:
        end += 1
    return text[start:end]


def _whole_part(text: str, start: int) -> str:
    """The digits before the point, in groups of three after the first comma."""
    first = _run(text, start)
    end = start + len(first)
    if not 1 <= len(first) <= 3:
        return first
    while text[end : end + 1] == "," and len(_run(text, end + 1)) == 3:
        end += 4
    return text[start:end]


def first_match(pattern: re.Pattern[str], text: str) -> str | None:
    """As lm-evaluation-harness' RegexFilter with group_select=0, but None for no match."""
    found = pattern.findall(text)
    if not found:
        return None
    groups = found[0] if isinstance(found[0], tuple) else (found[0],)
    return next((group.strip() for group in groups if group), "")


def whole(text: str) -> str:
    """All of the text."""
    return text.strip()


BY_NAME: dict[str, Callable[[str], str | None]] = {
    "first_line": first_line,
    "last_line": last_line,
    "after_think": after_think,
    "before_next_question": before_next_question,
    "answer_tag": answer_tag,
    "boxed": boxed,
    "answer_is": answer_is,
    "hashes": hashes,
    "last_number": last_number,
    "all": whole,
}


def extract(text: str | None, steps: list[Any]) -> str | None:
    """One step after the other; of a step's alternatives, the first that finds an answer."""
    for step in steps:
        if text is not None:
            alternatives = step if isinstance(step, list | tuple) else [step]
            names = [name for each in alternatives for name in (each.split("|") if isinstance(each, str) else [each])]
            found = [BY_NAME[name](text) if isinstance(name, str) else first_match(name, text) for name in names]
            text = next((each for each in found if each is not None), None)
    return text
