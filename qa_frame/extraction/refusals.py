"""How predictions say that they give no answer. A short list of English phrases; a refusal in other words is missed."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags

_PHRASES = (
    "i cannot", "i can not", "i can['’]t", "i am unable", "i['’]m unable", "i am not able", "i['’]m not able",
    "i could not find", "i do not know", "i don['’]t know", "i do not have", "i don['’]t have",
    "i have no (?:idea|way)", "i am sorry", "i['’]m sorry", "i apologi[sz]e",
    "as an ai", "as a large language model", "as a language model",
    "idk", "there is not enough information", "there is no (?:answer|information|mention)",
    "no (?:answer|information) (?:is|was|can|could|found|given|provided|available|about|in)",
    "(?:it is |it['’]s )?not (?:mentioned|stated|specified|given|provided|enough information) in the",
    "it is not (?:mentioned|stated|specified|clear|known|possible to (?:determine|say|tell|answer))",
    "(?:this|that|it) cannot be (?:answered|determined)",
    "the answer is (?:not (?:given|known|mentioned|stated|in)|unknown)",
    ("(?:the |this )?(?:given |provided )?(?:article|context|document|excerpt|passage|paragraph|question|text)s? "
    "(?:provided |given )?(?:do|does)(?: not|n['’]t) (?:[a-z]+ )?"
    "(?:answer|contain|describe|discuss|explain|give|include|indicate|mention|provide|reveal|say|specify|state|tell)"),
)  # fmt: skip
"""Phrases that begin a sentence or clause without an answer."""

_WHOLE = (
    "n/a", "unknown", "unclear", "unanswerable", "undetermined", "dunno", "i dunno", "no answer", "no idea", "not sure",
    "unsure", "i am not sure", "i['’]m not sure", "no information", "not enough information",
    "insufficient information",
    "not (?:answerable|applicable|available|given|known|mentioned|provided|specified|stated)",
    "can(?:not|['’]t) (?:answer|say|tell|be determined)",
)  # fmt: skip
"""Whole texts that do not answer."""

_BEGINS = (  # with counts, as the time for a pattern may else grow with the square of a run of white space
    r"(?:^|[.!?,:;\n])[\s\"'“‘(]{0,9}(?:(?:sorry|unfortunately|but),?\s{1,9}){0,3}(?:" + "|".join(_PHRASES) + r")\b"
)
_IS = r"^[\s\"'“‘(\[]*(?:" + "|".join(_WHOLE) + r")[\s\"'”’)\].!?]*$"

PHRASE = rf"(?i)(?:{_BEGINS}|{_IS})"
"""One of the phrases, at the beginning of a text, sentence or clause, or as a whole. Python and Arrow read it alike."""

_GUESS = (
    r"\b(?:maybe|perhaps|probably|possibly|presumably|likely|(?:my|best) (?:best )?guess"
    r"|i(?:['’]d| would)? (?:think|believe|guess|suspect|assume|say|recall|remember)"
    r"|(?:but|however),?\s{1,9}(?!(?:i|if|you|please|feel|there|this|that|no|it (?:is|does) not"
    r"|the (?:given |provided )?(?:article|context|document|excerpt|passage|paragraph|question|text))\b)\w)"
)

_REFUSES = rf".*?{_BEGINS}(?!.{{0,200}}?{_GUESS})"

NO_REFUSAL = re.compile(rf"(?is)\A(?!{_REFUSES})(?!{_IS}).*")
"""A pattern for `extract=` that finds no answer in a refusal, which then counts in `n_missing` and `n_not_extracted`.

A refusal that a guess follows within 200 characters is an answer: "I don't know, but maybe Paris".
"""

REFUSAL = re.compile(rf"(?is)\A(?:{_REFUSES}|{_IS})")
"""A pattern for `declined=` that finds all refusals in which `NO_REFUSAL` finds no answer, and nothing else."""


def are_refusals(texts: pa.Array) -> Flags:
    """Return whether each text refuses to answer, and no guess follows; shape (texts,). No text may be null."""
    refuses: Flags = pc.match_substring_regex(texts, PHRASE).to_numpy(zero_copy_only=False)
    refuses[refuses] = [REFUSAL.search(text) is not None for text in texts.filter(pa.array(refuses)).to_pylist()]
    return refuses


def declines(texts: pa.ChunkedArray, pattern: re.Pattern[str]) -> Flags:
    """Return whether the pattern is found in each text, shape (texts,). It is True for nulls and blank texts, too."""
    encoded = texts.combine_chunks().dictionary_encode()
    distinct = encoded.dictionary.to_pylist()
    refuses = [not text or text.isspace() or pattern.search(text) is not None for text in distinct]
    codes = encoded.indices.fill_null(len(refuses)).to_numpy()
    flags: Flags = np.array([*refuses, True], np.bool_)[codes]
    return flags
