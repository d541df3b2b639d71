"""Each step does with each text what its source does."""

from __future__ import annotations

import html
import math
import re
import string
import unicodedata
from collections.abc import Callable
from functools import partial, reduce

import jieba
import pandas as pd
import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from nltk.tokenize.destructive import MacIntyreContractions
from rouge_score.tokenize import tokenize as rouge_tokenise

import qa_frame
from qa_frame.text import steps
from qa_frame.text.specification import Blank, Delete, Drop, Replace, Space, Text
from qa_frame.text.steps import STEPS
from qa_frame.text.vocabulary import normalised_texts, simplify_split, tokenise
from tests.reference.oracles_of_answers import math_text_or_whole, vqa_words
from tests.reference.oracles_of_conventions import space_between_sentences
from tests.strategies import nasty_pieces, texts_of
from tests.text.shared import CHINESE_STEPS, SPLIT_RULES, cut, mixed_texts, nasty_texts, splits, tokens_of


def each_word(function: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: re.sub(r"\S+", lambda match: function(match[0]), text)


def spell_number(word: str) -> str:
    if not re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", word):
        return word
    value = float(word)
    if value in (float("inf"), -float("inf")):
        return "1e999" if value > 0 else "-1e999"
    return repr(value or 0.0)


def stem_as_rouge_score(word: str) -> str:
    return PorterStemmer().stem(word) if len(word) > 3 else word


def without_accents(text: str) -> str:
    letters = [letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter)]
    return unicodedata.normalize("NFC", "".join(letters))


def space_around_marks(text: str) -> str:
    """Letters, numbers and combining marks stay; separators and controls become spaces, but U+001F is one as it is."""
    kinds = [(letter, unicodedata.category(letter)[0]) for letter in text]
    return "".join(
        letter if kind in "LMN" or letter == "\x1f" else " " if kind in "ZC" else f" {letter} "
        for letter, kind in kinds
    )


def split_contractions(text: str) -> str:
    """By NLTK's own patterns, of which two need a space in front."""
    text = "".join(f" {part} " if part.strip() else part for part in re.split(r"(\s+)", text))
    for pattern in (*MacIntyreContractions.CONTRACTIONS2, *MacIntyreContractions.CONTRACTIONS3):
        text = re.sub(pattern, r" \1 \2 ", text)
    return text


def is_float(part: str) -> bool:
    try:
        float(part)
    except ValueError:
        return False
    return True


def finite_or_bare(*forms: str) -> str:
    for form in (*forms, bare(forms[0])):
        if is_float(form) and math.isfinite(float(form)):
            return str(float(form))
    return bare(forms[0])


def between_spaces(function: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: " ".join(map(function, text.split(" ")))


def bare(text: str) -> str:
    return "".join(character for character in text if character not in string.punctuation)


FORMS = ["<compat>", "<font>", "<noBreak>", "<wide>", "<narrow>", "<initial>", "<medial>", "<final>", "<isolated>"]
TEMPLATE = """<|im_start|>assistant <|im_start|> <|im_end|> <|eot_id|> <|endoftext|> <｜end▁of▁sentence｜> <s> </s> <pad> [INST]
[/INST] <<SYS>> <</SYS>> <end_of_turn> [EOS] <|start_header_id|>user<|end_header_id|>"""


def plain_form(letter: str) -> str:
    plain = unicodedata.normalize("NFKC", letter)
    is_form = unicodedata.decomposition(letter).split(" ")[0] in FORMS
    return plain if is_form and not any(map(str.isspace, plain)) else letter


NAMES = {
    "'": """ACUTE ACCENT|MODIFIER LETTER PRIME|MODIFIER LETTER TURNED COMMA|MODIFIER LETTER APOSTROPHE
MODIFIER LETTER VERTICAL LINE|LEFT SINGLE QUOTATION MARK|RIGHT SINGLE QUOTATION MARK|SINGLE LOW-9 QUOTATION MARK
SINGLE HIGH-REVERSED-9 QUOTATION MARK|PRIME|REVERSED PRIME|SINGLE LEFT-POINTING ANGLE QUOTATION MARK
SINGLE RIGHT-POINTING ANGLE QUOTATION MARK|FULLWIDTH APOSTROPHE""",
    '"': """LEFT-POINTING DOUBLE ANGLE QUOTATION MARK|RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK|LEFT DOUBLE QUOTATION MARK
RIGHT DOUBLE QUOTATION MARK|DOUBLE LOW-9 QUOTATION MARK|DOUBLE HIGH-REVERSED-9 QUOTATION MARK|DOUBLE PRIME
REVERSED DOUBLE PRIME|REVERSED DOUBLE PRIME QUOTATION MARK|DOUBLE PRIME QUOTATION MARK|LOW DOUBLE PRIME QUOTATION MARK
FULLWIDTH QUOTATION MARK""",
    "-": """HYPHEN|NON-BREAKING HYPHEN|FIGURE DASH|EN DASH|EM DASH|HORIZONTAL BAR|MINUS SIGN|SMALL EM DASH|SMALL HYPHEN-MINUS
FULLWIDTH HYPHEN-MINUS""",
    "...": "HORIZONTAL ELLIPSIS",
}
STRAIGHT = {
    unicodedata.lookup(name): mark for mark, names in NAMES.items() for name in names.replace("\n", "|").split("|")
}


def without_template_marks(text: str) -> str:
    for mark in sorted(TEMPLATE.split(), key=len, reverse=True):
        text = text.replace(mark, " ")
    return text


STEP_RULES: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "casefold": str.casefold,
    "upper": str.upper,
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "nfd": lambda text: unicodedata.normalize("NFD", text),
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "unify_forms": lambda text: "".join(map(plain_form, text)),
    "straighten_punctuation": lambda text: "".join(STRAIGHT.get(letter, letter) for letter in text),
    "delete_invisible": lambda text: regex.sub(r"\p{Default_Ignorable_Code_Point}", "", text),
    "unescape_html": html.unescape,
    "delete_template_marks": without_template_marks,
    "fold_accents": without_accents,
    "delete_ascii_punctuation": lambda text: text.translate(dict.fromkeys(map(ord, string.punctuation))),
    "delete_punctuation": lambda text: "".join(c for c in text if not unicodedata.category(c).startswith("P")),
    "keep_a_z_0_9": lambda text: re.sub(r"[^a-z0-9\x1f]", " ", text),  # U+001F is white space as it is
    "stem": each_word(stem_as_rouge_score),
    "stem_all": each_word(PorterStemmer().stem),
    "split_contractions": split_contractions,
    "split_marks": space_between_sentences,
    "split_jieba": each_word(lambda word: " ".join(jieba.lcut(word))),
    "split_drqa": space_around_marks,
    "math_answer": math_text_or_whole,
    "numbers": each_word(spell_number),
    "delete_ascii_punctuation_outside_floats": between_spaces(lambda part: part if is_float(part) else bare(part)),
    "floats": between_spaces(lambda part: str(float(part)) if is_float(part) else part),
    "finite_floats_in_marks": between_spaces(
        lambda part: finite_or_bare(part, part.strip(string.whitespace + string.punctuation))
    ),
    "strip": str.strip,
    "strip_marks": lambda text: text.strip(string.whitespace + string.punctuation),
    "collapse_spaces": lambda text: " ".join(text.split()),
    "vqa_answer": vqa_words,
    "vqa_answer_mmf": partial(vqa_words, comma=r"\d,+\d"),
}

OTHER_STEPS: list[tuple[object, Callable[[str], str]]] = [
    (Blank(("a", "an", "the")), lambda text: re.sub(r"\b(?:a|an|the)\b", " ", text)),
    (Blank(("é", "a's", "5", "The", "l")), lambda text: re.sub(r"\b(?:é|a's|5|The|l)\b", " ", text)),
    (Blank(()), lambda text: text),
    (
        Drop(("a", "the", "can", "5", "é", "it's")),
        each_word(lambda w: "" if w in {"a", "the", "can", "5", "é", "it's"} else w),
    ),
    (Drop(()), lambda text: text),
    (Delete("aé.-5"), lambda text: text.translate(dict.fromkeys(map(ord, "aé.-5")))),
    (Delete("，。"), lambda text: text.translate(dict.fromkeys(map(ord, "，。")))),
    (Delete(""), lambda text: text),
    (Delete(" \x1f"), lambda text: text.translate({0x20: None, 0x1F: None})),
    (Blank(("a the", "5\n")), lambda text: re.sub(r"\b(?:a the|5\n)\b", " ", text)),
    (Space("a.é，"), lambda text: text.translate(dict.fromkeys(map(ord, "a.é，"), " "))),
    (Space(""), lambda text: text),
    (Space("-\n\x1f"), lambda text: text.translate(dict.fromkeys(map(ord, "-\n\x1f"), " "))),
    (Space("]^-\\é]"), lambda text: text.translate(dict.fromkeys(map(ord, "]^-\\é]"), " "))),
    (Space("ascii_punctuation"), lambda text: text.translate(dict.fromkeys(map(ord, string.punctuation), " "))),
    (Space("punctuation"), lambda text: "".join(" " if unicodedata.category(c)[0] == "P" else c for c in text)),
    *(
        (Replace(pattern, by), lambda text, pattern=pattern, by=by: re.sub(pattern, by, text))
        for pattern, by in (
            (r"\b(?:a|an|the) ", ""), (r"\b(a|5)(\w)", r"\2\1"), (r"(?i)the|\d+", " x "), (r"^.", ""), (r"\s+$", "!"),
            (r"[^a-z]", ""), (r"(?<=a).", "\x1f"), (r"x*", "-"), (r"\b", "|"), (r"(?m)^", "> "), (r"\n", ""), ("", "."),
        )
    ),
    *(
        (Replace("[-.]", by), lambda text, by=by: re.sub("[-.]", by, text))
        for by in ("\t", r"\n", "\u3000", "\xa0", "\x1f", " ")
    ),
    (Replace("[a-\U0002a6d6]"), lambda text: re.sub("[a-\U0002a6d6]", "", text)),  # this set holds surrogates
    (str.swapcase, str.swapcase),
    (str.strip, str.strip),
    (lambda text: text[::-1], lambda text: text[::-1]),
    (lambda text: "\n".join(text.split("a")), lambda text: "\n".join(text.split("a"))),
]  # fmt: skip

ALL_STEPS: list[tuple[object, Callable[[str], str]]] = [*STEP_RULES.items(), *OTHER_STEPS]


def test_every_step_has_a_rule_to_compare_with():
    assert STEP_RULES.keys() == STEPS.keys()
    assert all(f"`{step}`" in str(Text.__doc__) for step in STEPS)


@pytest.mark.parametrize(("step", "rule"), ALL_STEPS, ids=lambda part: None if callable(part) else str(part)[:30])
@settings(deadline=None, max_examples=30)
@given(texts=nasty_texts | mixed_texts)
@example(
    texts=["CANNOT d'ye 'tis wanna gonna. more'n", "1e3 1,5 +07 .5 -0 ٣", "Running flies' STRASSE ß", "ﬁ ½ ´ x\u0301 ¨"]
)
def test_a_step_is_that_of_the_rule_on_the_whole_text(step, rule, texts):
    assert tokens_of(tokenise(cut(texts), Text((step,)))) == [rule(text).split() for text in texts]


@pytest.mark.parametrize("sigma", ["Σ", "σ"])
@pytest.mark.parametrize(
    ("step", "function"),
    [
        ("lower", str.lower),
        ("casefold", str.casefold),
        (Delete("eéß，"), lambda text: text.translate(dict.fromkeys(map(ord, "eéß，")))),
        (Space("eéß，"), lambda text: text.translate(dict.fromkeys(map(ord, "eéß，"), " "))),
    ],
    ids=lambda part: None if callable(part) else str(part)[:30],
)
@pytest.mark.parametrize("few", [0, 1 << 40], ids=["run by run", "all at once"])
def test_characters_are_changed_whatever_share_is_ascii(few, step, function, sigma, monkeypatch):
    monkeypatch.setattr(steps, "_FEW", few)
    every = ["".join(map(chr, range(first, first + 64))) for first in range(0x80, 0x3000, 64)]
    texts = [text.replace("Σ", sigma) for each in every for text in ("A street and SEINE", each, f"Eel {each[:3]} é")]
    assert normalised_texts(cut(texts), Text((step,), split="none")) == [
        function(text).encode().decode("latin-1") for text in texts
    ]


@pytest.mark.parametrize(("step", "rule"), STEP_RULES.items(), ids=STEP_RULES)
def test_a_step_on_each_character_between_others(step, rule):
    codes = [*range(0x2200), *range(0x2FF0, 0x3100), *range(0xFB00, 0xFFFE, 3), *range(0x1D7F0, 0x1D800)]
    texts = [f"A{chr(code)}5" for code in codes] + [f"x {chr(code)}a" for code in range(0x250)]
    assert tokens_of(tokenise(cut(texts), Text((step,)))) == [rule(text).split() for text in texts]


@splits
@settings(deadline=None, max_examples=70)
@given(
    parts=st.lists(st.sampled_from([part for part in ALL_STEPS if part[0] != "split_contractions"]), max_size=4),
    texts=nasty_texts | mixed_texts,
)
@example(parts=[("nfkc", STEP_RULES["nfkc"])], texts=["inter\uff0d\nnational"])
@example(parts=[("lower", str.lower)], texts=["inter-<SKIPPED>\nnational"])
@example(parts=[OTHER_STEPS[5]], texts=["x-a\ny", " a .b"])
@example(parts=[("split_drqa", STEP_RULES["split_drqa"])], texts=["ca\x1f't"])
def test_steps_and_a_split_are_the_same_on_the_whole_text(split, parts, texts):
    if split == "mixed_cjk_jieba":
        parts = [*parts, *((step, STEP_RULES.get(step, str)) for step in CHINESE_STEPS)]  # the last one is in its rule
    if split in ("mixed_cjk_nltk", "nltk_words"):
        parts = [*parts, ("lower", str.lower)]
    steps, rules = [step for step, _ in parts], [rule for _, rule in parts]
    text = Text(tuple(steps), split)
    words = cut(texts)
    expected = [SPLIT_RULES[split](reduce(lambda changed, rule: rule(changed), rules, text)) for text in texts]
    assert tokens_of(tokenise(words, text)) == expected
    assert tokens_of(tokenise(words, simplify_split(text, words))) == expected


@settings(deadline=None, max_examples=50)
@given(
    pieces=st.lists(
        st.sampled_from([*TEMPLATE.split(), "&amp;", "&#39;", "&lt;b&gt;", "&nbsp;", "é", "\u2019", "a"]), max_size=9
    )
)
def test_marks_that_stand_close_together(pieces):
    texts = ["".join(pieces), " ".join(pieces)]
    for step in ("delete_template_marks", "unescape_html", "straighten_punctuation"):
        expected = [STEP_RULES[step](text).split() for text in texts]
        assert tokens_of(tokenise(cut(texts), Text((step,)))) == expected


@settings(deadline=None, max_examples=50)
@given(texts=nasty_texts)
def test_contractions_before_any_split(texts):
    """What NLTK's patterns need a space for, white space is enough for."""
    texts = [" ".join(text.split()) for text in texts]
    steps = ("lower", "split_contractions", "delete_ascii_punctuation")
    expected = [STEP_RULES[steps[2]](split_contractions(text.lower())).split() for text in texts]
    assert tokens_of(tokenise(cut(texts), Text(steps))) == expected


@pytest.mark.parametrize(
    ("step", "name", "found"),
    [
        (lambda text: text.upper() if text else None, "<lambda>", "returned None"),
        (lambda text: text[100], "<lambda>", "raised IndexError"),
        (lambda _: "\ud800", "<lambda>", r"returned .*ud800"),
    ],
)
@pytest.mark.parametrize("split", ["words", "none", "characters"])
def test_a_function_that_is_no_step_is_named(step, name, found, split):
    convention = qa_frame.Convention(name="own", exact=qa_frame.rules.Exact(text=Text((step,), split)))
    frame = pd.DataFrame({"pred": ["New York", ""], "gold": ["New York", "x"]})
    with pytest.raises(qa_frame.errors.TokeniserError, match=rf"{name} {found}.*as one of Text.steps"):
        frame.qa.score("pred", "gold", convention=convention)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Replace("("), r"Replace.pattern='\(' with by='' is not valid for Python's re: missing \)"),
        (lambda: Replace("a", r"\1"), "is not valid for Python's re: invalid group reference"),
        (lambda: Replace(5), "Replace.pattern=5"),
        (lambda: Space(None), "Space.characters=None"),
        (lambda: Text((5,)), "Text.steps"),
    ],
)
def test_steps_that_are_none_are_refused(make, message):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=message):
        make()


def test_white_space_in_steps_before_a_split_of_whole_texts():
    texts = ["New York a b", "a\x1fb"]
    assert tokens_of(tokenise(cut(texts), Text((Delete(" \x1f"),), "characters"))) == [list("NewYorkab"), list("ab")]
    assert tokens_of(tokenise(cut(texts), Text((Blank(("New York",)),), "none"))) == [["  a b"], ["a\x1fb"]]


@settings(deadline=None, max_examples=50)
@given(texts=st.lists(texts_of(nasty_pieces | st.sampled_from(("running", "flies", "Dying", "national"))), max_size=5))
@example(texts=["The runner's running flies", "generalizations relational", "a-bed beds bedding"])
def test_stems_are_those_of_rouge_score(texts):
    text = Text(("lower", "keep_a_z_0_9", "stem"))
    assert tokens_of(tokenise(cut(texts), text)) == [rouge_tokenise(of, stemmer=PorterStemmer()) for of in texts]
