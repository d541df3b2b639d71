"""Conventions as data: which rules each family of metrics follows, under one name.

A rule says how a text becomes tokens (`Text`), what is counted, and what empty sides give. Nothing else in this
package knows a convention by its name.
"""

from __future__ import annotations

import hashlib
import math
import numbers
import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import partial
from types import CellType, CodeType
from typing import Any, Literal

from qa_frame.errors import UnknownOptionError, unknown_option
from qa_frame.languages import ARTICLES, STOP_WORDS
from qa_frame.version import __version__

# --- how a text becomes tokens


def _check(part: object, name: str, kinds: type | tuple[type, ...], wanted: str) -> None:
    """Raise UnknownOptionError unless each item of a tuple, or the value of another field, is of these kinds."""
    value = getattr(part, name)
    for item in value if isinstance(value, tuple) else [value]:
        if not isinstance(item, kinds):
            raise UnknownOptionError(f"{type(part).__name__}.{name}: {item!r:.60} is not {wanted}")


def _check_number(part: object, name: str, *, most: float) -> None:
    value = getattr(part, name)
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not 0 <= float(value) <= most or math.isinf(float(value)):
        wanted = "a number from 0 on" if math.isinf(most) else f"a number from 0 to {most:g}"
        raise UnknownOptionError(f"{type(part).__name__}.{name}={value!r:.60} is not {wanted}")


def _check_rule(rule: Rule) -> None:
    _check(rule, "text", Text, "a Text; give Text(steps, split)")
    _check(rule, "empty", Empty, "an Empty; give Empty(both=..., gold=..., pred=...)")


def _make_tuple(part: object, name: str) -> None:
    """Make a tuple of a field that may be any iterable, but not a text, whose letters nobody means."""
    value = getattr(part, name)
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise UnknownOptionError(f"{type(part).__name__}.{name}={value!r:.60} is not a tuple; put it into one")
    object.__setattr__(part, name, tuple(value))


@dataclass(frozen=True, slots=True)
class Blank:
    """A step: each of these words gives way to a space wherever it stands between word boundaries."""

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        _make_tuple(self, "words")
        _check(self, "words", str, "text")


@dataclass(frozen=True, slots=True)
class Drop:
    """A step: whatever stands between white space and is one of these words is left out."""

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        _make_tuple(self, "words")
        _check(self, "words", str, "text")


@dataclass(frozen=True, slots=True)
class Delete:
    """A step: each of these characters is deleted."""

    characters: str

    def __post_init__(self) -> None:
        if not isinstance(self.characters, str):
            raise UnknownOptionError(f"Delete.characters={self.characters!r:.60} is not text; give one str of them all")


Step = str | Blank | Drop | Delete
Split = str | Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Text:
    """How a text becomes tokens: steps, one after the other, and then a split.

    steps: `Blank`, `Drop` or `Delete` (of white space only before a split of whole texts: `characters`, `none`,
    `treebank`, `mixed_cjk_jieba` or a function), or one of these names. `lower`, `casefold`: as the methods of `str`.
    `nfkc`: Unicode compatibility composition. `fold_accents`: without combining marks. `delete_ascii_punctuation`,
    `delete_punctuation`: of ASCII, or all that Unicode calls punctuation. `keep_a_z_0_9`: all else is white space.
    `stem`: Porter's stems of words longer than three letters, as `rouge_score(use_stemmer=True)` (needs the extra
    `stem`). `split_contractions`: `cannot` into `can not`, by MacIntyre's list. `numbers`: tokens that are numbers are
    equal if their values are. `split_marks`: `?` or `!` before a bracket, a quote or another mark ends a word, as it
    ends NLTK's sentences, and so does a full stop between two letters or digits and a bracket or double quote. `strip`:
    white space around the whole text.

    split: `words`: at white space. `13a`: mteval-v13a as `sacrebleu` has it; `13a-hf`: as HF `evaluate` has it (line
    breaks at a text's end differ). `characters`: each, white space too. `mixed_cjk`: Chinese characters (U+4E00 to
    U+9FA5) alone, the rest at white space. `mixed_cjk_jieba`: the same with `jieba` for the rest, white space kept
    (needs the extra `zh`). `sentences`: words, with an end of a sentence at each full stop. `treebank`: Penn Treebank
    tokens as NLTK's `TreebankWordTokenizer` finds them. `none`: the whole text is one token. Or a function
    `str -> list[str]`: it gets each distinct text of a batch once, in Python, which costs the call and some 0.2 µs a
    token; the built-in splits work on whole columns. It must give the same tokens whenever it is called.
    """

    steps: tuple[Step, ...] = ()
    split: Split = "words"

    def __post_init__(self) -> None:
        _make_tuple(self, "steps")
        _check(self, "steps", (str, Blank, Drop, Delete), "the name of a step, nor a Blank, Drop or Delete")
        if not isinstance(self.split, str) and not callable(self.split):
            raise UnknownOptionError(f"Text.split={self.split!r:.60} is neither a name nor a function")


# --- the rules of the families


def _choose(argument: str, found: object, allowed: tuple[str, ...]) -> None:
    if found not in allowed:
        raise unknown_option(argument, found, allowed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Empty:
    """What empty sides give; None: whatever the counts give.

    of: what is empty: a side without `tokens`, without `text`, or with nothing but ASCII `punctuation`. both comes
    before gold, gold before pred.
    """

    of: Literal["tokens", "text", "punctuation"] = "tokens"
    both: float | None = None
    gold: float | None = None
    pred: float | None = None

    def __post_init__(self) -> None:
        _choose("Empty.of", self.of, ("tokens", "text", "punctuation"))
        for name in ("both", "gold", "pred"):
            if getattr(self, name) is not None:
                _check_number(self, name, most=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """The rule of `em`: equal tokens in equal order."""

    text: Text
    empty: Empty = Empty()

    def __post_init__(self) -> None:
        _check_rule(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """The rule of `precision`, `recall` and `f1`.

    counting: what both sides have in common. `multiset`: tokens, as often as both have them. `set`: distinct tokens;
    the sides' lengths still count every token. `run`: the longest run of tokens that stands in both.
    """

    text: Text
    counting: Literal["multiset", "set", "run"] = "multiset"
    empty: Empty = Empty()

    def __post_init__(self) -> None:
        _check_rule(self)
        _choose("Overlap.counting", self.counting, ("multiset", "set", "run"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains:
    """The rule of `contains`: the gold's tokens, joined by single spaces, are a substring of the prediction's.

    With the split `none`, the texts themselves are compared.
    """

    text: Text
    empty: Empty = Empty()

    def __post_init__(self) -> None:
        _check_rule(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RougeL:
    """The rule of `rouge_l*`.

    counting: `subsequence`: the longest common one. `run`: the longest common contiguous one. `union`: the distinct
    words in the union of the longest common subsequences of all pairs of sentences, out of the distinct words of each
    side; it takes the split `sentences`. epsilon: added to the denominator of the F-measure.
    """

    text: Text
    counting: Literal["subsequence", "run", "union"] = "subsequence"
    epsilon: float = 0.0
    empty: Empty = Empty()

    def __post_init__(self) -> None:
        _check_rule(self)
        _check_number(self, "epsilon", most=math.inf)
        _choose("RougeL.counting", self.counting, ("subsequence", "run", "union"))
        if self.counting == "union" and self.text.split != "sentences":
            raise UnknownOptionError(
                f"RougeL.counting='union' takes Text(split='sentences'), not split={self.text.split!r}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bleu:
    """The rule of `bleu`, or of `bleu1` to `bleu4`.

    smoothing: of an order without a match. `none`: the score is 0. `exp`: 1/2, 1/4, ... of a match. `floor`:
    `smoothing_value` matches. `add_k`: `smoothing_value` more matches and n-grams in each order above 1, even where it
    is above the prediction's length, as `sacrebleu` has it. `least`: the least positive float as precision, also of an
    order without n-grams, as NLTK has it.
    effective_order: leave out the orders above the prediction's length, else they give 0. brevity: the penalty.
    """

    text: Text
    smoothing: Literal["none", "exp", "floor", "add_k", "least"] = "none"
    smoothing_value: float = 0.0
    effective_order: bool = False
    brevity: bool = True
    empty: Empty = Empty()

    def __post_init__(self) -> None:
        _check_rule(self)
        _check_number(self, "smoothing_value", most=1 if self.smoothing == "floor" else math.inf)
        _choose("Bleu.smoothing", self.smoothing, ("none", "exp", "floor", "add_k", "least"))


Rule = Exact | Overlap | Contains | RougeL | Bleu


@dataclass(frozen=True, slots=True, kw_only=True)
class Convention:
    """A system's rules, or your own. A family without a rule has no metrics.

    name; follows: the system whose numbers these are; differs: what is different from `squad`, in a line.
    metrics: what is scored by default, `None` for the first six of those that there are rules for.
    exact: of `em`. overlap: of `precision recall f1`. contains: of `contains`. rouge_l: of `rouge_l*`. bleu: of `bleu`.
    bleu_n: of `bleu1` to `bleu4`.
    prediction: `whole`, or `first_line` of the prediction stripped of white space.
    no_answer: an empty gold list means that there is no answer: it counts as one empty gold. Golds that are empty under
    the overlap's rule are then left out where the row has others.

    >>> import pandas as pd, qa_frame
    >>> text = qa_frame.Text(("nfkc", "lower", "delete_punctuation", qa_frame.Blank(qa_frame.ARTICLES["de"])))
    >>> exact, overlap = qa_frame.Exact(text=text), qa_frame.Overlap(text=text)
    >>> german = qa_frame.Convention(name="german", exact=exact, overlap=overlap)
    >>> df = pd.DataFrame({"response": ["Die „Elbe“"], "answers": [["Elbe", "die Elbe"]]})
    >>> df.qa.score("response", "answers", convention=german, append=False)
        em   f1  recall
    0  1.0  1.0     1.0
    """

    name: str
    follows: str = "own rules"
    differs: str = ""
    metrics: tuple[str, ...] | None = None
    exact: Exact | None = None
    overlap: Overlap | None = None
    contains: Contains | None = None
    rouge_l: RougeL | None = None
    bleu: Bleu | None = None
    bleu_n: Bleu | None = None
    prediction: Literal["whole", "first_line"] = "whole"
    no_answer: bool = False

    def __post_init__(self) -> None:
        _choose("Convention.prediction", self.prediction, ("whole", "first_line"))
        if self.metrics is not None:
            _make_tuple(self, "metrics")
        for family, wanted in _RULES.items():
            rule = getattr(self, family)
            if rule is not None and not isinstance(rule, wanted):
                raise UnknownOptionError(f"Convention.{family}={rule!r:.60} is not a {wanted.__name__}, or None")
        if all(getattr(self, family) is None for family in FAMILIES):
            raise UnknownOptionError(f"Convention {self.name!r} has no rule; give it one of {list(FAMILIES)}")
        if self.no_answer and self.overlap is None:
            raise UnknownOptionError("Convention.no_answer needs a rule for the overlap, which says what is empty")

    @property
    def signature(self) -> str:
        """One line that names every setting: two conventions with different settings never share one.

        Its digest is of all settings in full. Functions count by their code and what they capture, not by global names
        that they read; other callables by what pickle keeps of them.
        """
        rules = (field.name for field in fields(self) if field.name not in _NO_RULES)
        named = (f"{name}:{_spell(getattr(self, name))}" for name in rules)
        head = (f"convention:{self.name}", f"follows:{self.follows}")
        return "|".join((*head, *named, f"digest:{digest(self)}", f"qa_frame:{__version__}"))


_RULES = {
    "exact": Exact, "overlap": Overlap, "contains": Contains, "rouge_l": RougeL, "bleu": Bleu, "bleu_n": Bleu,
}  # fmt: skip

FAMILIES = tuple(_RULES)
"""The parts of a convention that rule metrics."""

_NO_RULES = {"name", "follows", "differs", "metrics"}
_FEW_WORDS = 12
_ADDRESS = re.compile(" at 0x[0-9A-Fa-f]+")


def _spell(value: object) -> str:
    """A setting in few words, for a reader."""
    if isinstance(value, Text):
        return ">".join(map(_spell, (*value.steps, value.split)))
    if isinstance(value, Blank | Drop | Delete):
        return _spell_step(value)
    if isinstance(value, Rule | Empty):
        settings = {field.name: _spell(getattr(value, field.name)) for field in fields(value)}
        pairs = ",".join(f"{name}={setting}" for name, setting in settings.items())
        return "as counted" if value == Empty() else f"({pairs})"
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__qualname__))
    return "none" if value is None else str(value)


def _spell_step(step: Blank | Drop | Delete) -> str:
    if isinstance(step, Delete):
        return f"delete({step.characters})"
    words = " ".join(step.words) if len(step.words) <= _FEW_WORDS else f"{len(step.words)} words"
    return f"{type(step).__name__.lower()}({words})"


def _in_full(value: object, within: tuple[int, ...] = ()) -> object:
    """A setting as nested tuples whose repr is the same whenever the setting is, in any process.

    within: the ids of the functions that lead to it.
    """
    if isinstance(value, Convention | Rule | Empty | Text | Blank | Drop | Delete):
        return type(value).__name__, *(_in_full(getattr(value, field.name), within) for field in fields(value))
    if isinstance(value, tuple | list):
        return type(value).__name__, *(_in_full(part, within) for part in value)
    if isinstance(value, set | frozenset):  # their order differs from process to process
        return type(value).__name__, *sorted(repr(_in_full(part, within)) for part in value)
    if isinstance(value, CodeType):
        return value.co_code, value.co_names, _in_full(value.co_consts, within)
    if isinstance(value, partial):
        return "partial", _in_full([value.func, value.args, sorted(value.keywords.items())], within)
    return _function_in_full(value, within) if hasattr(value, "__code__") else _without_address(value)


def _function_in_full(function: Any, within: tuple[int, ...]) -> object:
    if id(function) in within:  # it captures itself
        return "itself"
    within = (*within, id(function))
    cells = getattr(function, "__closure__", None) or ()
    captured = [cell.cell_contents for cell in cells if cell != CellType()]  # but what is not yet there
    bound = [getattr(function, name, None) for name in ("__module__", "__qualname__", "__defaults__", "__kwdefaults__")]
    owner = getattr(function, "__self__", None)
    return _in_full(bound, within), _without_address(owner), _in_full([function.__code__, *captured], within)


def _without_address(value: object) -> object:
    """What the object is made of, as pickle has it; or else its repr without addresses, and its attributes likewise."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value)
    try:
        return type(value).__qualname__, hashlib.sha256(pickle.dumps(value, protocol=4)).hexdigest()
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError):
        parts = (getattr(value, name, None) for name in ("__self__", "__dict__"))
        return tuple(_ADDRESS.sub("", repr(part)) for part in (value, *parts))


def digest(value: object) -> str:
    """Twelve hexadecimal digits that are the same whenever the setting is."""
    return hashlib.sha256(repr(_in_full(value)).encode("utf-8", "surrogatepass")).hexdigest()[:12]


# --- the conventions of other systems

_SQUAD = Text(("lower", "delete_ascii_punctuation", Blank(ARTICLES["en"])))
_ARTICLES_FIRST = Text(("lower", Blank(ARTICLES["en"]), "delete_ascii_punctuation"))
_CONTENT_WORDS = Text(
    ("lower", "split_marks", "delete_ascii_punctuation", Drop(STOP_WORDS["en"]), "split_contractions", "numbers")
)
_CHINESE = Text(("lower", "strip", Delete("-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』")), "mixed_cjk_jieba")

_NO_ANSWER = Empty(both=1.0, gold=0.0, pred=0.0)
_ANSWER_QUALITY = Empty(of="text", both=1.0, gold=1.0, pred=0.0)

_ROUGE = RougeL(text=Text(("lower", "keep_a_z_0_9")))
_SENTENCE_BLEU = Bleu(text=Text(split="13a"), smoothing="exp", effective_order=True)
_UNSMOOTHED_BLEU = Bleu(text=Text(split="13a-hf"))
_ROUGE_OF_SENTENCES = RougeL(
    text=Text(split="sentences"), counting="union", epsilon=1e-8, empty=Empty(of="punctuation", pred=0.0)
)
_CHARACTER_BLEU = Bleu(text=Text(split="characters"), smoothing="least")

_DEFAULT = ("em", "f1", "recall", "contains", "rouge_l", "bleu")
_CORRECTNESS = ("precision", "recall", "f1", "rouge_l_precision", "rouge_l_recall", "rouge_l", "bleu")

_ALL = (
    Convention(
        name="squad",
        follows="SQuAD v1.1 script; rouge_score 0.1.2; sacrebleu 2; HF evaluate bleu",
        differs="the default: lower-case, without ASCII punctuation and English articles; two empty sides have F1 0",
        metrics=_DEFAULT,
        exact=Exact(text=_SQUAD),
        overlap=Overlap(text=_SQUAD),
        contains=Contains(text=_SQUAD),
        rouge_l=_ROUGE,
        bleu=_SENTENCE_BLEU,
        bleu_n=_UNSMOOTHED_BLEU,
    ),
    Convention(
        name="squad2",
        follows="SQuAD v2.0 script; else as squad",
        differs="two empty sides have F1 1; an empty gold list means that no answer is right",
        metrics=_DEFAULT,
        exact=Exact(text=_SQUAD, empty=_NO_ANSWER),
        overlap=Overlap(text=_SQUAD, empty=_NO_ANSWER),
        contains=Contains(text=_SQUAD),
        rouge_l=_ROUGE,
        bleu=_SENTENCE_BLEU,
        bleu_n=_UNSMOOTHED_BLEU,
        no_answer=True,
    ),
    Convention(
        name="remem",
        follows="REMem QAExactMatch, QAF1Score, QABleu1Score, QABleu4Score",
        differs="as squad; BLEU-1 and BLEU-4 unsmoothed, one gold at a time; what raises there is 0",
        metrics=("em", "f1", "bleu1", "bleu4"),
        exact=Exact(text=_SQUAD),
        overlap=Overlap(text=_SQUAD),
        bleu_n=_UNSMOOTHED_BLEU,
    ),
    Convention(
        name="context_bench",
        follows="context-bench 0.1.0 AnswerQuality",
        differs="articles go before punctuation; contains on the lower-cased texts; an empty gold is always right",
        metrics=("em", "f1", "recall", "contains"),
        exact=Exact(text=_ARTICLES_FIRST, empty=_ANSWER_QUALITY),
        overlap=Overlap(text=_ARTICLES_FIRST, empty=_ANSWER_QUALITY),
        contains=Contains(text=Text(("lower",), "none"), empty=_ANSWER_QUALITY),
    ),
    Convention(
        name="continuous_eval",
        follows="continuous-eval 0.3.14 DeterministicAnswerCorrectness",
        differs="distinct words without stop words; ROUGE-L of sentences, in distinct words; BLEU of characters",
        metrics=_CORRECTNESS,
        overlap=Overlap(text=_CONTENT_WORDS, counting="set"),
        rouge_l=_ROUGE_OF_SENTENCES,
        bleu=_CHARACTER_BLEU,
    ),
    Convention(
        name="continuous_eval_docs",
        follows="continuous-eval's documentation (releases before 2024-01-31)",
        differs="as continuous_eval, but with all Penn Treebank tokens in the overlap",
        metrics=_CORRECTNESS,
        overlap=Overlap(text=Text(split="treebank"), counting="set"),
        rouge_l=_ROUGE_OF_SENTENCES,
        bleu=_CHARACTER_BLEU,
    ),
    Convention(
        name="mindformers",
        follows="MindFormers 2.1.0 EmF1Metric",
        differs="first line; Chinese characters and jieba's words; F1 of the longest common run of tokens",
        metrics=("em", "f1"),
        exact=Exact(text=_CHINESE),
        overlap=Overlap(text=_CHINESE, counting="run"),
        prediction="first_line",
    ),
)


class Conventions(Mapping[str, Convention]):
    """The conventions by name, read-only. Printed, or shown in a notebook, it is a table of them."""

    def __init__(self, conventions: tuple[Convention, ...]) -> None:
        self._by_name = {convention.name: convention for convention in conventions}

    def __getitem__(self, name: str) -> Convention:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def _rows(self) -> Iterator[tuple[str, str, str, str]]:
        for name, convention in self._by_name.items():
            yield name, convention.follows, " ".join(convention.metrics or ()), convention.differs

    def __repr__(self) -> str:
        return "\n".join(
            f"{name}\n    follows {follows}\n    metrics {metrics}\n    {differs}"
            for name, follows, metrics, differs in self._rows()
        )

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415  (dear to import)

        head = "".join(f"<th>{title}</th>" for title in ("convention", "follows", "metrics", "in short"))
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in self._rows())
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


conventions = Conventions(_ALL)
"""The conventions by name, read-only."""
