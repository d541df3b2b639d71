"""The parts of a convention: what each family of metrics counts, and what empty sides give.

How a text becomes tokens is said by `Text`, in `qa_frame.text.specification`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal

from qa_frame.errors import UnknownOptionError, require_choice, require_kinds, require_number, require_tuple
from qa_frame.rules.signature import digest, spell
from qa_frame.text.specification import Text
from qa_frame.version import __version__


def _check_rule(rule: Rule) -> None:
    require_kinds(rule, "text", Text, "a Text; give Text(steps, split)")
    require_kinds(rule, "empty", Empty, "an Empty; give Empty(both=..., gold=..., pred=...)")


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
        require_choice("Empty.of", self.of, ("tokens", "text", "punctuation"))
        for name in ("both", "gold", "pred"):
            if getattr(self, name) is not None:
                require_number(self, name, most=1)


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
        require_choice("Overlap.counting", self.counting, ("multiset", "set", "run"))


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
        require_number(self, "epsilon", most=math.inf)
        require_choice("RougeL.counting", self.counting, ("subsequence", "run", "union"))
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
        require_number(self, "smoothing_value", most=1 if self.smoothing == "floor" else math.inf)
        require_choice("Bleu.smoothing", self.smoothing, ("none", "exp", "floor", "add_k", "least"))


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
        require_choice("Convention.prediction", self.prediction, ("whole", "first_line"))
        if self.metrics is not None:
            require_tuple(self, "metrics")
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
        named = (f"{name}:{spell(getattr(self, name))}" for name in rules)
        head = (f"convention:{self.name}", f"follows:{self.follows}")
        return "|".join((*head, *named, f"digest:{digest(self)}", f"qa_frame:{__version__}"))


_RULES = {
    "exact": Exact, "overlap": Overlap, "contains": Contains, "rouge_l": RougeL, "bleu": Bleu, "bleu_n": Bleu,
}  # fmt: skip

FAMILIES = tuple(_RULES)
"""The parts of a convention that rule metrics."""

_NO_RULES = {"name", "follows", "differs", "metrics"}
