"""The parts that a convention is made of: one rule for each family of metrics, and the scores of empty sides.

How a text becomes tokens is described by `Text`, in `qa_frame.text.specification`.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

from qa_frame._names import MetricName
from qa_frame.checks import (
    make_tuple_field,
    require_choice,
    require_flag,
    require_kind,
    require_number,
    require_text,
    require_whole_number,
)
from qa_frame.errors import UnknownOptionError, show
from qa_frame.rules.lists_shown import as_html_table
from qa_frame.rules.signature import all_settings, changed_settings, describe, digest
from qa_frame.text.specification import Step, Text
from qa_frame.version import __version__

ReductionName = Literal["max", "mean", "min", "first", "best", "leave_one_out", "votes"]
"""How one score is made of those of several golds, by name."""

REDUCTIONS: tuple[ReductionName, ...] = get_args(ReductionName)

MOST_ORDERS = 8
"""The highest order of n-grams that a rule may ask for."""

_MOST = {"both": 1, "gold": 1, "pred": 1, "threshold": 1, "tolerance": math.inf, "epsilon": math.inf, "beta": 1_000_000}
"""The highest number that a field may have, by its name. The lowest is 0."""

_WHOLE = {"digits": (0, 15), "smooth_from": (1, 2), "char_order": (1, MOST_ORDERS), "word_order": (0, MOST_ORDERS)}
"""The bounds of fields that are whole numbers, by their names."""


class _Part:
    """A part of a convention, which checks its fields."""

    __slots__ = ()

    def __post_init__(self) -> None:
        _check_fields(self)
        self._check_together()

    def _check_together(self) -> None:
        """Raise UnknownOptionError where settings do not go together. By default all do; a part may override it."""


def _check_fields(part: Any) -> None:
    """Raise UnknownOptionError unless each field of a known type has an allowed value."""
    for name, kind in _types_of(part.__class__).items():
        argument, value = f"{type(part).__name__}.{name}", getattr(part, name)
        if value is None and type(None) in get_args(kind):
            continue
        if kind is bool:
            require_flag(argument, value)
        elif kind is str:
            require_text(argument, value, "give a str")
        elif name in _MOST:
            require_number(argument, value, most=_MOST[name])
        elif name in _WHOLE:
            least, most = _WHOLE[name]
            require_whole_number(argument, value, least=least, most=most)
        elif get_origin(kind) is Literal:
            require_choice(argument, value, get_args(kind))
        else:
            _check_parts(part, name, kind)


@functools.cache
def _types_of(kind: type) -> dict[str, Any]:
    """Return the types of a class's fields. Reading them takes longer than checking a part."""
    return get_type_hints(kind)


def _check_parts(part: Any, name: str, kind: Any) -> None:
    """Raise UnknownOptionError unless a field that is to hold a part, or a tuple of parts, does so.

    part: the part that has the field. name, kind: the field's name and type.
    """
    kinds = (kind, *get_args(kind))
    takes_several = any(get_origin(each) is tuple for each in kinds)
    for wanted in _PARTS.keys() & {*kinds}:
        wording = f"{_PARTS[wanted]}, or a tuple of them" if takes_several else _PARTS[wanted]
        if takes_several and isinstance(getattr(part, name), tuple | list):
            make_tuple_field(part, name, wanted, wording)
        else:
            require_kind(f"{type(part).__name__}.{name}", getattr(part, name), wanted, wording)


@dataclass(frozen=True, slots=True, kw_only=True)
class Empty(_Part):
    """What a metric gives where the prediction, the gold or both are empty.

    Each score is a number from 0 to 1. None keeps the score that follows from the counts: 1 for `em` of two sides
    without tokens and for `contains` of a gold without tokens, 0 for all else. Where both sides are empty, `both`
    counts before `gold`, and `gold` before `pred`.

    Parameters
    ----------
    of : {"tokens", "text", "white_space", "punctuation"}
        Condition that makes a side empty: it has no tokens; its text, before all steps, has no characters; that text
        has no characters other than white space; or none other than ASCII punctuation.
    both : float, optional
        Score where both sides are empty.
    gold : float, optional
        Score where the gold is empty.
    pred : float, optional
        Score where the prediction is empty.

    Raises
    ------
    UnknownOptionError
        If a value is not one of those allowed.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> overlap = qa_frame.rules.Overlap(text=qa_frame.rules.Text(("lower",)), empty=qa_frame.rules.Empty(both=1.0))
    >>> own = qa_frame.Convention(name="own", overlap=overlap)
    >>> df = pd.DataFrame({"response": ["", ""], "answers": [[""], ["Elbe"]]})
    >>> df.qa.score("response", "answers", metrics="f1", convention=own, append=False)
        f1
    0  1.0
    1  0.0
    """

    of: Literal["tokens", "text", "white_space", "punctuation"] = "tokens"
    both: float | None = None
    gold: float | None = None
    pred: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers(_Part):
    """When two answers are compared as numbers, and not as texts.

    A number is a text, before all steps, that Python's `float` reads.

    Parameters
    ----------
    of : {"both", "gold"}
        Sides that must be numbers. "both": both, and the gold is not 0. "gold": the gold alone; a prediction that is
        no number then counts as infinity.
    tolerance : float
        Two numbers are equal if they differ by at most `tolerance` times the gold's absolute value.
    percent : bool
        Whether a number may end with "%", so that "5%" is 0.05.
    ignored : str
        Characters that a prediction may have beside those of a number, as "$,".

    Raises
    ------
    UnknownOptionError
        If a value is not one of those allowed.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> numbers = qa_frame.rules.Numbers(of="gold", ignored="$,")
    >>> own = qa_frame.Convention(name="own", exact=qa_frame.rules.Exact(text=qa_frame.rules.Text(), numbers=numbers))
    >>> df = pd.DataFrame({"response": ["$1,200", "1200.0"], "answers": [["1200"], ["1,200"]]})
    >>> df.qa.score("response", "answers", convention=own, append=False)
        em
    0  1.0
    1  0.0
    """

    of: Literal["both", "gold"] = "both"
    tolerance: float = 0.0
    percent: bool = False
    ignored: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact(_Part):
    """The rule of `em`: 1 if both sides have the same tokens in the same order, else 0.

    With the tokens of the SQuAD v1.1 script, this is its `exact_match_score`.

    Parameters
    ----------
    text : Text
        Rule by which a text becomes tokens.
    tolerance : float, optional
        Relative difference up to which two numbers are equal: two sides of one token each that Python's `float` reads,
        if they differ by at most `tolerance` times the gold's absolute value, or `tolerance` where that is below 1.
    numbers : Numbers, optional
        When two answers are compared as numbers alone; None for never.
    separators : str
        Characters that separate the items of a list, as ",;". A gold with one of them, which is not compared as a
        number, is a list. The prediction is then cut at these characters, too. Both must have as many items, and each
        must be equal to the other list's item at its place, as numbers or as texts.
    item_text : Text, optional
        Rule by which the items of lists become tokens, where that is not as for whole answers.
    gold_text : Text, optional
        Rule by which golds become tokens, where that is not as for predictions.
    agreed_text : Text, optional
        Rule by which a prediction and the golds of a row become tokens where all the row's golds are the same text.
        Golds are the same if this makes the same tokens of them.
    empty : Empty or tuple of Empty, optional
        Scores of pairs with an empty side. In a tuple, the first that gives a score for a pair counts.

    Raises
    ------
    UnknownOptionError
        If a value is not one of those allowed.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> own = qa_frame.Convention(name="own", exact=qa_frame.rules.Exact(text=qa_frame.rules.Text(("lower",))))
    >>> df = pd.DataFrame({"response": ["The  Elbe", "Elbe"], "answers": [["the Elbe"], ["the Elbe"]]})
    >>> df.qa.score("response", "answers", convention=own, append=False)
        em
    0  1.0
    1  0.0
    """

    text: Text
    tolerance: float | None = None
    numbers: Numbers | None = None
    separators: str = ""
    item_text: Text | None = None
    gold_text: Text | None = None
    agreed_text: Text | None = None
    empty: Empty | tuple[Empty, ...] = Empty()

    @property
    def is_equality(self) -> bool:
        """Whether two answers are equal where their normalised texts are, and nowhere else."""
        others = (self.tolerance, self.numbers, self.gold_text, self.agreed_text)
        return not self.separators and all(other is None for other in others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap(_Part):
    """The rule of `precision`, `recall` and `f1`: the tokens that both sides have, out of the tokens of each side.

    With "multiset" and the tokens of the SQuAD v1.1 script, `f1` is the script's `f1_score`.

    Parameters
    ----------
    text : Text
        Rule by which a text becomes tokens.
    counting : {"multiset", "distinct", "set", "run"}
        Tokens that count as common. "multiset": each token as often as both sides have it. "distinct": each distinct
        token once, out of the distinct tokens of each side. "set": each distinct token once; the lengths of the sides
        still count every token. "run": the longest sequence of consecutive tokens that both sides have.
    only_equal : tuple of str
        Answers that are right only as a whole, each one token: where one side is nothing but such an answer and the
        other side is not the same, nothing is common. HotpotQA has "yes", "no" and "noanswer".
    numbers_must_match : bool
        Whether nothing is common where the gold has tokens that Python's `float` reads, and the prediction has none of
        them. It is DROP's rule.
    digits : int, optional
        Decimal places to which the scores are rounded, 0 to 15; None for all.
    rounding : {"python", "numpy"}
        Way of rounding: as the built-in `round` does, to the closest decimal; or as `numpy.round` does, which
        first multiplies, so that 0.175 becomes 0.18.
    empty : Empty or tuple of Empty, optional
        Scores of pairs with an empty side. In a tuple, the first that gives a score for a pair counts.

    Raises
    ------
    UnknownOptionError
        If a value is not one of those allowed.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> from qa_frame.rules import Overlap, Text
    >>> own = qa_frame.Convention(name="own", overlap=Overlap(text=Text(), counting="set"))
    >>> df = pd.DataFrame({"response": ["on and on"], "answers": [["on and off"]]})
    >>> df.qa.score("response", "answers", metrics=["precision", "recall"], convention=own, append=False).round(3)
       precision  recall
    0      0.667   0.667
    """

    text: Text
    counting: Literal["multiset", "distinct", "set", "run"] = "multiset"
    only_equal: tuple[str, ...] = ()
    numbers_must_match: bool = False
    digits: int | None = None
    rounding: Literal["python", "numpy"] = "python"
    empty: Empty | tuple[Empty, ...] = Empty()

    def _check_together(self) -> None:
        """Raise UnknownOptionError unless `only_equal` holds texts."""
        make_tuple_field(self, "only_equal", str, "text; give a tuple of str, as ('yes', 'no')")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains(_Part):
    """The rule of `contains`: 1 if the gold is a part of the prediction, else 0; and of `prefix`.

    Both sides are compared as text: their tokens, joined by single spaces. With the split "none", the text after the
    steps is compared as it is. The metric is the best-subspan exact match of Liu et al. (2023). `prefix` is 1 if the
    prediction begins with the gold, whatever `place` is.

    Parameters
    ----------
    text : Text
        Rule by which a text becomes tokens.
    place : {"anywhere", "words", "start", "end", "either"}
        Place where the gold must be. "anywhere": it is a substring. "words": its tokens are tokens of the prediction,
        one after the other. "start", "end": the prediction begins or ends with it. "either": it is a substring of the
        prediction, or the prediction is one of it.
    numbers : bool
        Whether a gold that is a number is compared with the numbers among the prediction's words: with any of them
        ("anywhere"), the first ("start") or the last ("end"), in five significant digits. Marks of currency, thousands
        and emphasis are left out, and fractions, powers and Chinese numerals are read. It is inspect's rule, for these
        places alone. As there, Python's Unicode says what a single character is: "兆" is 10**12 up to Python 3.12,
        then 10**6.
    gold_text : Text, optional
        Rule by which golds become text, where that is not as for predictions.
    empty : Empty or tuple of Empty, optional
        Scores of pairs with an empty side. In a tuple, the first that gives a score for a pair counts. The default
        is that every prediction contains an empty gold.

    Raises
    ------
    UnknownOptionError
        If a value is not one of those allowed.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> own = qa_frame.Convention(name="own", contains=qa_frame.rules.Contains(text=qa_frame.rules.Text(("lower",))))
    >>> df = pd.DataFrame({"response": ["On the  Elbe.", "On the Elbe."], "answers": [["the elbe"], ["Oder"]]})
    >>> df.qa.score("response", "answers", metrics="contains", convention=own, append=False)
       contains
    0       1.0
    1       0.0
    """

    text: Text
    place: Literal["anywhere", "words", "start", "end", "either"] = "anywhere"
    numbers: bool = False
    gold_text: Text | None = None
    empty: Empty | tuple[Empty, ...] = Empty()

    def _check_together(self) -> None:
        """Raise UnknownOptionError if `numbers` is given with a place where numbers are not compared."""
        if self.numbers and self.place not in ("anywhere", "start", "end"):
            finding, remedy = f"does not go with place={self.place!r}", "leave numbers out, or give another place"
            raise UnknownOptionError.of("Contains.numbers", finding, remedy, value=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class RougeL(_Part):
    """The rule of `rouge_l`, `rouge_l_precision` and `rouge_l_recall`: common tokens that keep their order.

    With `counting="subsequence"` it is that of three more metrics, too, each with its precision and recall: of
    `rouge_1`, common tokens; of `rouge_2`, common bigrams; and of `rouge_lsum`, common tokens that keep their order
    within lines.

    With "subsequence", these are the figures of `rouge_score`'s "rougeL", "rouge1", "rouge2" and "rougeLsum"; with
    "union" and `epsilon=1e-8`, those of PyPI's `rouge` 1.0.1.

    Parameters
    ----------
    text : Text
        Rule by which a text becomes tokens.
    counting : {"subsequence", "run", "union"}
        Tokens that count as common. "subsequence": the longest common subsequence. "run": the longest sequence of
        consecutive tokens that both sides have. "union": the distinct words in the union of the longest common
        subsequences of all pairs of sentences, out of the distinct words of each side; it needs the split "sentences".
    epsilon : float
        Number that is added to the denominator of the F-measure, 0 or more.
    beta : float
        Weight of recall in the F-measure, (1 + beta²)PR / (beta²P + R). 1 is that of `rouge_score`, 1.2 that of the
        COCO caption code.
    references : {"each", "together"}
        Golds of which a score is made: "each" gold alone, or all golds of a row "together": the highest precision and
        the highest recall then count, even if they are of two golds. The row's score is this one, whatever the
        reduction is.
    empty : Empty or tuple of Empty, optional
        Scores of pairs with an empty side. In a tuple, the first that gives a score for a pair counts.

    Raises
    ------
    UnknownOptionError
        If a value is not one of those allowed; if "union" has another split than "sentences"; or if golds "together"
        have a rule for empty sides.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> own = qa_frame.Convention(name="own", rouge_l=qa_frame.rules.RougeL(text=qa_frame.rules.Text(("lower",))))
    >>> df = pd.DataFrame({"response": ["The wide Elbe"], "answers": [["the Elbe"]]})
    >>> df.qa.score("response", "answers", metrics="rouge_l", convention=own, append=False)
       rouge_l
    0      0.8
    """

    text: Text
    counting: Literal["subsequence", "run", "union"] = "subsequence"
    epsilon: float = 0.0
    beta: float = 1.0
    references: Literal["each", "together"] = "each"
    empty: Empty | tuple[Empty, ...] = Empty()

    def _check_together(self) -> None:
        """Raise UnknownOptionError for golds "together" with a rule for empty sides, or "union" of no sentences."""
        if self.references == "together" and empties_of(self):
            raise UnknownOptionError("RougeL.references='together' has no rule for empty sides; leave empty out")
        if self.counting == "union" and self.text.split != "sentences":
            finding = f"takes Text(split='sentences'), not split={show(self.text.split)}"
            raise UnknownOptionError.of("RougeL.counting", finding, value="union")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bleu(_Part):
    """The rule of `bleu`, or of `bleu1` to `bleu4`: BLEU of one prediction and one gold, from 0 to 1.

    The settings reproduce `sacrebleu`'s `sentence_bleu` over 100, the `bleu` of HF `evaluate`, and NLTK's
    `sentence_bleu`. A prediction without any match has 0, unless
    `smoothing` is "tiny", or "add_k" with `smooth_from=1`.

    With `pad_orders=True`, the smoothings of NLTK's `SmoothingFunction` are: `method0` "least", `method1` "floor" with
    the value 0.1, `method2` "add_k" with 1, `method3` "exp", and "method4", "method5", "method7" by their names.

    Parameters
    ----------
    text : Text
        Rule by which a text becomes tokens.
    smoothing : {"none", "exp", "floor", "add_k", "least", "tiny", "method4", "method5", "method7"}
        Value of an n-gram order without a match. "none": the score is 0. "exp": 1/2 of a match for the first
        such order, 1/4 for the second, and so on. "floor": `smoothing_value` matches. "add_k": `smoothing_value` is
        added to the matches and the n-grams of each order from `smooth_from` on, as in `sacrebleu` even of orders
        longer than the prediction. "least": the precision is the smallest positive float, also of orders longer than
        the prediction, as in NLTK. "tiny": 1e-15 is added to the matches of each order and 1e-9 to its n-grams and to
        the length of the gold, as in the COCO caption code. The others are techniques of Chen and Cherry (2014).
        "method4": as "exp", times ln(length of the prediction) / 5; such an order of one token is left out. "method5":
        each precision becomes the mean of itself, the one before it, and that of the next order; the one before the
        first is its precision plus 1, so that a score may be above 1, as in NLTK. "method7": "method4", and then
        "method5".
    smoothing_value : float
        Value for "floor", from 0 to 1, or for "add_k", 0 or more.
    smooth_from : {2, 1}
        Order from which "add_k" adds: 2 as in `sacrebleu`, or 1 as in HF `evaluate` with `smooth=True`.
    effective_order : bool
        Whether orders longer than the prediction are left out; else the score of such a prediction is 0, unless the
        smoothing gives these orders a value.
    pad_orders : bool
        Whether an order longer than the prediction has one n-gram, without a match, as in NLTK.
    brevity : bool
        Whether the score is multiplied by the brevity penalty.
    references : {"each", "together"}
        Golds of which a score is made: "each" gold alone, or all golds of a row "together". An n-gram then counts as
        often as the gold has it that has it most. Whatever the reduction is, the row's score is this one, which is then
        that of each of its pairs.
    reference_length : {"closest", "first_closest", "shortest"}
        Gold whose length the brevity penalty takes, of golds "together" and in the statistics `bleu_ref_len`: the
        one that is closest in length, and of two such the shorter one, as in `sacrebleu` and NLTK, or the first one, as
        in TorchMetrics; or the shortest, as in HF `evaluate`, where a row with an empty gold has 0.
    weights : tuple of float or "highest", optional
        Weight of each order's logarithm, from 0 to 1, as NLTK's `weights`: `(0, 0, 0, 1)` is order 4 alone. There
        are as many orders as weights; of `bleu1` to `bleu4`, only the metric of so many orders is then defined.
        "highest" gives the metric's highest order the weight 1, and 0 to the others. None gives all the same weight.
    empty : Empty or tuple of Empty, optional
        Scores of pairs with an empty side. In a tuple, the first that gives a score for a pair counts.

    Raises
    ------
    UnknownOptionError
        If a value is not one of those allowed; if there are `weights` or `pad_orders` with `effective_order`; or if
        golds "together" have a score for an empty gold.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> bleu = qa_frame.rules.Bleu(text=qa_frame.rules.Text(split="13a"), smoothing="floor", smoothing_value=0.1)
    >>> df = pd.DataFrame({"response": ["It is on the Elbe"], "answers": [["It is near the Elbe"]]})
    >>> own = qa_frame.Convention(name="own", bleu=bleu)
    >>> df.qa.score("response", "answers", convention=own, append=False).round(3)
        bleu
    0  0.161

    Two golds together have all bigrams of the prediction, which neither has alone:

    >>> text = qa_frame.rules.Text(split="13a")
    >>> df = pd.DataFrame({"response": ["It is on the wide Elbe"], "answers": [["It is on the Elbe", "the wide Elbe"]]})
    >>> for references in ("each", "together"):
    ...     own = qa_frame.Convention(name="own", bleu_n=qa_frame.rules.Bleu(text=text, references=references))
    ...     print(df.qa.score("response", "answers", convention=own, metrics="bleu2", append=False).round(3))
       bleu2
    0  0.707
       bleu2
    0    1.0
    """

    text: Text
    smoothing: Literal["none", "exp", "floor", "add_k", "least", "tiny", "method4", "method5", "method7"] = "none"
    smoothing_value: float = 0.0
    smooth_from: Literal[1, 2] = 2
    effective_order: bool = False
    pad_orders: bool = False
    brevity: bool = True
    references: Literal["each", "together"] = "each"
    reference_length: Literal["closest", "first_closest", "shortest"] = "closest"
    weights: tuple[float, ...] | Literal["highest"] | None = None
    empty: Empty | tuple[Empty, ...] = Empty()

    def _check_together(self) -> None:
        """Raise UnknownOptionError for wrong numbers, and for settings that need other golds or orders.

        These are `pad_orders` or `weights` with `effective_order`, and golds "together" with a score for an empty gold.
        """
        most = 1 if self.smoothing == "floor" else math.inf
        require_number("Bleu.smoothing_value", self.smoothing_value, most=most)
        if self.weights not in (None, "highest"):
            self._check_weights()
        if self.effective_order and (self.pad_orders or self.weights is not None):
            field = "pad_orders" if self.pad_orders else "weights"
            raise UnknownOptionError(f"Bleu.{field} is of all orders; give it with effective_order=False")
        scores_of_golds = [score for empty in empties_of(self) for score in (empty.both, empty.gold)]
        if self.references == "together" and scores_of_golds != [None] * len(scores_of_golds):
            finding, remedy = "looks at all golds of a row at once", "give it no Empty(both=...) or Empty(gold=...)"
            raise UnknownOptionError.of("Bleu.references", finding, remedy, value="together")

    def _check_weights(self) -> None:
        """Raise UnknownOptionError unless the weights are 1 to 8 numbers from 0 to 1, not all of them 0."""
        make_tuple_field(self, "weights", (int, float), "a number; give 'highest', or numbers from 0 to 1")
        weights: Any = self.weights
        for weight in weights:
            require_number("Bleu.weights", weight, most=1)
        if not any(weights) or len(weights) > MOST_ORDERS:
            finding = f"is neither 'highest' nor a tuple of 1 to {MOST_ORDERS} numbers, not all of them 0"
            raise UnknownOptionError.of("Bleu.weights", finding, value=weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditDistance(_Part):
    """The rule of `edit_similarity` and `anls`: how few tokens must change to make one side of the other.

    The edit distance (Levenshtein 1966) is the least number of tokens that must be inserted, deleted or replaced.
    `edit_similarity` is 1 less its ratio to the length of the longer side. `anls` is the same, but 0 below a threshold:
    the Average Normalised Levenshtein Similarity of Biten et al. (2019) for one prediction and one gold, as DocVQA has
    it. Tokens are usually characters: `Text(steps, split="characters")`.

    Parameters
    ----------
    text : Text
        Rule by which a text becomes tokens.
    threshold : float
        Similarity below which `anls` is 0, from 0 to 1.
    inclusive : bool
        Whether `anls` keeps a similarity that is equal to the threshold; else it is 0, too.
    length : {"tokens", "text"}
        Length by which the distance is divided. "tokens": the number of tokens of the longer side. "text": the number
        of characters of the longer side before all steps, in upper case, as in the script of the DocVQA challenge.
    empty : Empty or tuple of Empty, optional
        Scores of pairs with an empty side. The default is that two empty sides are equal.

    Raises
    ------
    UnknownOptionError
        If a value is not one of those allowed.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> text = qa_frame.rules.Text(("lower",), split="characters")
    >>> own = qa_frame.Convention(name="own", edit=qa_frame.rules.EditDistance(text=text, threshold=0.8))
    >>> df = pd.DataFrame({"response": ["Hamburg", "Homburg", "Homberg"], "answers": [["hamburg"]] * 3})
    >>> df.qa.score("response", "answers", convention=own, append=False).round(3)
        anls  edit_similarity
    0  1.000            1.000
    1  0.857            0.857
    2  0.000            0.714
    """

    text: Text
    threshold: float = 0.5
    inclusive: bool = True
    length: Literal["tokens", "text"] = "tokens"
    empty: Empty | tuple[Empty, ...] = Empty()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chrf(_Part):
    """The rule of `chrf`, or of `chrf++`: the F-measure of n-grams of characters, from 0 to 1.

    Precision and recall are means over the orders of n-grams of which both sides have some. With the default settings,
    and with `word_order=2`, the score is `sacrebleu`'s `CHRF(...).sentence_score` over 100, for chrF2 and chrF2++.

    Parameters
    ----------
    text : Text
        Rule by which a text becomes characters. The split is "characters_without_space", or "characters" to count white
        space.
    char_order : int
        Highest order of n-grams of characters, 1 to 8.
    word_order : int
        Highest order of n-grams of words, 0 to 8; 0 for none. Words are those of the split "chrf_words", after the
        steps of `text`.
    beta : float
        Factor by which recall counts more than precision, above 0.
    eps_smoothing : bool
        Whether the score is the mean of the F-measures of all orders, as with `sacrebleu`'s `eps_smoothing=True`. An
        order of which a side has no n-grams then counts, with almost 0.
    empty : Empty or tuple of Empty, optional
        Scores of pairs with an empty side. In a tuple, the first that gives a score for a pair counts.

    Raises
    ------
    UnknownOptionError
        If a value is not one of those allowed.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> lower = qa_frame.rules.Text(("lower",), split="characters_without_space")
    >>> own = qa_frame.Convention(name="own", chrf=qa_frame.rules.Chrf(text=lower))
    >>> df = pd.DataFrame({"response": ["On the Elbe."], "answers": [["the elbe"]]})
    >>> df.qa.score("response", "answers", convention=own, append=False).round(3)
        chrf
    0  0.872
    """

    text: Text
    char_order: int = 6
    word_order: int = 0
    beta: float = 2.0
    eps_smoothing: bool = False
    empty: Empty | tuple[Empty, ...] = Empty()

    def _check_together(self) -> None:
        """Raise UnknownOptionError for a split that does not give characters, and for a `beta` of 0."""
        if self.text.split not in ("characters", "characters_without_space"):
            finding = f"takes the split 'characters_without_space' or 'characters', not {show(self.text.split)}"
            raise UnknownOptionError.of("Chrf.text", finding)
        if not self.beta:
            raise UnknownOptionError("Chrf.beta=0 is not a number above 0; give one")


def words_of_chrf(text: Text) -> Text:
    """Return the rule for the words of chrF++: the steps of the rule for its characters, with another split."""
    return Text(text.steps, "chrf_words")


def gold_text_of(rule: Rule) -> Text:
    """Return how golds become text under the rule: as predictions do, unless the rule says otherwise."""
    return getattr(rule, "gold_text", None) or rule.text


def gold_tokens_of(rule: Rule) -> Text | None:
    """Return how golds become tokens under the rule; None if as predictions do, or if whole texts are compared."""
    is_of_texts = isinstance(rule, Contains) and rule.place != "words"
    return None if is_of_texts else getattr(rule, "gold_text", None)


Rule = Exact | Overlap | Contains | RougeL | Bleu | Chrf | EditDistance


FAMILIES: Mapping[str, type[Rule]] = {
    "exact": Exact, "overlap": Overlap, "contains": Contains, "rouge_l": RougeL, "bleu": Bleu, "bleu_n": Bleu,
    "chrf": Chrf, "chrf_pp": Chrf, "edit": EditDistance,
}  # fmt: skip
"""The families of metrics: the fields of a convention that hold a rule, and the kind of rule."""

_PARTS: Mapping[type, str] = {
    Text: "a Text; give Text(steps, split)",
    Empty: "an Empty; give Empty(both=..., gold=..., pred=...)",
    Numbers: "a Numbers; give Numbers(of=..., tolerance=...)",
    **{rule: f"a {rule.__name__}, or None" for rule in FAMILIES.values()},
}
"""The parts that a field may hold, and how an error names each."""


def empties_of(rule: Rule) -> tuple[Empty, ...]:
    """Return what a rule says of empty sides, where it gives a score, in order; the first that applies counts."""
    empties = rule.empty if isinstance(rule.empty, tuple) else (rule.empty,)
    return tuple(each for each in empties if (each.both, each.gold, each.pred) != (None, None, None))


@dataclass(frozen=True, slots=True, kw_only=True)
class Convention(_Part):
    r"""The rules of one system, or your own: one rule for each family of metrics.

    A family without a rule has no metrics. `dataclasses.replace` makes a variant of a convention that is there.

    Parameters
    ----------
    name : str
        Name of the convention. It stands in signatures and in errors.
    follows : str
        System that gives the same numbers.
    differs : str
        Difference from `squad`, in one line.
    source : str
        Place where its rules were read: the file or package, its release and its date, in one line.
    family : str
        Group of conventions to which it belongs, by which `qa_frame.conventions.filter` selects.
    language : str
        Language for which it is made, as an ISO 639-1 code; "" for no language in particular.
    metrics : tuple of str, optional
        Metrics by default. None stands for those of `em f1 recall contains rouge_l bleu` that have a rule, or
        for all metrics that have a rule, if these have no rule.
    exact : Exact, optional
        Rule of `em`.
    overlap : Overlap, optional
        Rule of `precision`, `recall` and `f1`.
    contains : Contains, optional
        Rule of `contains` and `prefix`.
    rouge_l : RougeL, optional
        Rule of `rouge_l`, `rouge_l_precision` and `rouge_l_recall`, and of `rouge_1`, `rouge_2`, `rouge_lsum` and
        the two of each.
    bleu : Bleu, optional
        Rule of `bleu`.
    bleu_n : Bleu, optional
        Rule of `bleu1` to `bleu4`.
    chrf : Chrf, optional
        Rule of `chrf`.
    chrf_pp : Chrf, optional
        Rule of `chrf++`.
    edit : EditDistance, optional
        Rule of `anls` and `edit_similarity`.
    prediction : {"whole", "stripped", "first_line"}
        Part of a prediction that is scored: all of it, or without the white space at its ends, or the first line of
        that.
    no_answer : bool
        Whether an empty gold list means that the question has no answer: the row then has one gold, the empty text.
        In a row of several golds, those without tokens under the overlap's rule are left out, unless all are.
    no_answer_gold : str
        Gold that says that the question has no answer, as "CANNOTANSWER"; "" if the source has no such gold. If it
        is half of a row's golds or more, the others are left out; else it is. All metrics of a pair with this gold are
        1 if the prediction is the same text, else 0.
    spans : bool
        Whether a prediction and a gold may be lists of spans: a column of lists of text for predictions, and of lists
        of such lists for golds. The spans of both are then assigned to each other, one to one, so that the scores have
        the highest sum; the score is this sum over the number of spans of the side that has more. `em` is 1 if both
        have the same spans.
    reduce : {"max", "mean", "min", "first", "best", "leave_one_out", "votes"}
        Way in which the source makes one score of the scores of several golds. `reduce=None` in a call stands for this.
    best_by : str
        Metric by which "best" chooses among the golds of a row.

    Raises
    ------
    UnknownOptionError
        If a value is not one of those allowed, no family has a rule, or `no_answer` is True without a rule
        for the overlap. Names in `metrics` and `best_by` are checked when rows are scored.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> from qa_frame.rules import ARTICLES, Blank, Exact, Overlap, Text
    >>> text = Text(("nfkc", "lower", "delete_punctuation", Blank(ARTICLES["de"])))
    >>> exact, overlap = Exact(text=text), Overlap(text=text)
    >>> german = qa_frame.Convention(name="german", exact=exact, overlap=overlap)
    >>> df = pd.DataFrame({"response": ["Die „Elbe“"], "answers": [["Elbe", "die Elbe"]]})
    >>> df.qa.score("response", "answers", convention=german, append=False)
        em   f1  recall
    0  1.0  1.0     1.0

    A variant of a convention:

    >>> from dataclasses import replace
    >>> one_line = replace(qa_frame.conventions["squad"], name="one_line", prediction="first_line")
    >>> df = pd.DataFrame({"response": ["Elbe\nIt is a river."], "answers": [["Elbe"]]})
    >>> df.qa.score("response", "answers", convention=one_line, metrics="em", append=False)
        em
    0  1.0
    """

    name: str
    follows: str = "own rules"
    differs: str = ""
    source: str = ""
    family: str = ""
    language: str = "en"
    metrics: tuple[MetricName, ...] | None = None
    exact: Exact | None = None
    overlap: Overlap | None = None
    contains: Contains | None = None
    rouge_l: RougeL | None = None
    bleu: Bleu | None = None
    bleu_n: Bleu | None = None
    chrf: Chrf | None = None
    chrf_pp: Chrf | None = None
    edit: EditDistance | None = None
    prediction: Literal["whole", "stripped", "first_line"] = "whole"
    no_answer: bool = False
    no_answer_gold: str = ""
    spans: bool = False
    reduce: ReductionName = "max"
    best_by: str = "f1"

    def _check_together(self) -> None:
        """Raise UnknownOptionError for a convention without a rule, and for settings that need another rule."""
        if self.metrics is not None:
            make_tuple_field(self, "metrics", str, "the name of a metric")
        if all(getattr(self, family) is None for family in FAMILIES):
            raise UnknownOptionError(f"Convention {self.name!r} has no rule; give it one of {list(FAMILIES)}")
        if self.spans:
            self._check_spans()
        if self.no_answer and self.overlap is None:
            raise UnknownOptionError("Convention.no_answer needs a rule for the overlap, which says what is empty")

    def _check_spans(self) -> None:
        """Raise UnknownOptionError for settings that have no meaning for lists of spans."""
        settings = {name: getattr(self, name) for name in ("prediction", "no_answer", "no_answer_gold")}
        settings |= {f"{name}.references": getattr(getattr(self, name), "references", "each") for name in FAMILIES}
        for name, value in settings.items():
            if value not in {"whole", False, "", "each"}:
                finding = f"does not go with {name}={value!r}"
                raise UnknownOptionError.of("Convention.spans", finding, "leave one of them out", value=True)

    def with_steps(self, *steps: Step) -> Convention:
        """Return the convention with these steps of `Text` before its own, in the rule of each family.

        Parameters
        ----------
        *steps
            Steps, as those of `Text`: names such as "straighten_punctuation", or objects such as `Delete`.

        Returns
        -------
        Convention
            Its name ends in `_with_steps`.

        Examples
        --------
        >>> import pandas as pd, qa_frame
        >>> straight = qa_frame.conventions["squad"].with_steps("straighten_punctuation")
        >>> df = pd.DataFrame({"response": ["1914\u20131918"], "answers": [["1914-1918"]]})
        >>> df.qa.score("response", "answers", convention=straight, metrics="em", append=False)
            em
        0  1.0
        """
        rules = {family: rule for family in FAMILIES if (rule := getattr(self, family)) is not None}
        changed: Any = {family: _with_steps(rule, steps) for family, rule in rules.items()}
        return replace(self, name=f"{self.name}_with_steps", **changed)

    def __hash__(self) -> int:
        return hash(self.name)  # that of all parts takes as long as scoring a row

    def __repr__(self) -> str:
        rules = " ".join(family for family in FAMILIES if getattr(self, family) is not None)
        scored = "" if self.metrics is None else f", metrics: {' '.join(self.metrics)}"
        return f"Convention({self.name!r}, follows {self.follows!r}{scored}, rules: {rules}, digest {self._digest})"

    def _repr_html_(self) -> str:
        facts = {"follows": self.follows, "in short": self.differs, "metrics": " ".join(self.metrics or ())}
        rules = {family: getattr(self, family) for family in (*FAMILIES, "reduce")}
        # Spaces let a browser break the line.
        facts |= {name: re.sub(r",(?=\w+=)", ", ", describe(rule)) for name, rule in rules.items() if rule is not None}
        return as_html_table(("convention", self.name), ((name, text) for name, text in facts.items() if text))

    @property
    def signature(self) -> str:
        """One line that names every setting that is not at its default; conventions that differ never share one.

        It ends with a digest of all settings, and with the version of this package, which says what the defaults are.
        A function counts by its code and the values that it captures, not by the global names that it reads; any other
        callable counts by what `pickle` keeps of it.
        """
        return "|".join(self._signature_parts())

    @property
    def signature_long(self) -> str:
        """The signature with every setting, also those that are at their defaults."""
        return "|".join(self._signature_parts(with_defaults=True))

    def _signature_parts(self, *, with_defaults: bool = False) -> tuple[str, ...]:
        """Return the parts of the signature, which bars join. A part may have a bar inside."""
        settings, left_out = changed_settings(self), _NOT_IN_SIGNATURE
        if with_defaults:
            settings, left_out = all_settings(self), _NOT_IN_LONG_SIGNATURE
        named = {name: value for name, value in settings.items() if name not in left_out}
        described = (f"{name}:{describe(value, with_defaults=with_defaults)}" for name, value in named.items())
        head = (f"convention:{self.name}", f"follows:{self.follows}")
        return (*head, *described, f"digest:{self._digest}", f"qa_frame:{__version__}")

    @property
    def _digest(self) -> str:
        """The digest of the settings that can change a score, and of the name."""
        return digest([(name, value) for name, value in changed_settings(self).items() if name not in IN_WORDS])


def _with_steps(rule: Rule, steps: tuple[Step, ...]) -> Rule:
    """Return the rule with these steps in front of the steps of each `Text` that it holds."""
    texts = {name: text for name in type(rule).__dataclass_fields__ if isinstance(text := getattr(rule, name), Text)}
    changed: Any = {name: replace(text, steps=(*steps, *text.steps)) for name, text in texts.items()}
    return replace(rule, **changed)


IN_WORDS = {"follows", "differs", "source", "family", "language", "metrics"}
"""Fields that do not change any score."""

_NOT_IN_LONG_SIGNATURE = {*IN_WORDS, "name"}
"""Fields of words, and the name, which stands at the signature's head."""

_NOT_IN_SIGNATURE = {*_NOT_IN_LONG_SIGNATURE, "reduce", "best_by"}
"""These, and the settings that the signature of a scoring names behind that of its convention."""
