"""The part of a response before it runs on into a new question, as base models do."""

from __future__ import annotations

import re
import unicodedata

from qa_frame.extraction.phrases import any_word
from qa_frame.text.raw_texts import end_of_thought

_QUESTIONS = any_word("question")
"""The word for a question, which heads one."""
_HEADING = re.compile(
    r"(?<=[^\s:：])(?<![:：]\*\*)\s*\n(?:\#{1,6}[^\S\n])?[*_]{0,3}(?:Q\d{0,5}[*_]{0,3}(?:[:：]|[.)](?=\s))"
    rf"|(?i:{_QUESTIONS}|{unicodedata.normalize('NFD', _QUESTIONS)})(?:[^\S\n]?\#?\d{{1,5}})?[*_]{{0,3}}[^\S\n]?"
    r"(?:[:：]|[.)](?=\s)|(?=\n|\Z)))"
)
"""A heading may have hashes or marks of bold, and a number: "Question:", "**Question 2**", "### Q2.".

One that a colon announces, or that nothing stands before, begins the question that the text answers.
"""


def before_next_question(text: str) -> str:
    """Return the text up to the heading of the next question; all of it without one. Thoughts have none."""
    end = end_of_thought(text)
    heading = _HEADING.search(text[end:])
    return text[: end + heading.start()] if heading else text
