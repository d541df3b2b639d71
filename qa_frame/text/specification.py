"""How a text becomes tokens: steps that normalise it, one after the other, and then a split."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from qa_frame.checks import make_tuple_field, require_text
from qa_frame.errors import UnknownOptionError, show


@dataclass(frozen=True, slots=True)
class _OfWords:
    """A step that looks for words."""

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        make_tuple_field(self, "words", str, "text")


@dataclass(frozen=True, slots=True)
class _OfCharacters:
    """A step that looks for characters."""

    characters: str

    def __post_init__(self) -> None:
        require_text(f"{type(self).__name__}.characters", self.characters, "give one str of them all")


class Blank(_OfWords):
    """A step: replace each of these words by a space, wherever it stands between word boundaries.

    A word is also found next to punctuation: `Blank(("the",))` changes "the-cat" to " -cat". Case counts.

    Parameters
    ----------
    words : tuple of str
        Words to replace.

    Raises
    ------
    UnknownOptionError
        If `words` is not an iterable of str, is itself a str, or holds lone surrogates.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> text = qa_frame.rules.Text(("lower", qa_frame.rules.Blank(("a", "the"))))
    >>> own = qa_frame.Convention(name="own", exact=qa_frame.rules.Exact(text=text))
    >>> df = pd.DataFrame({"response": ["The cat", "the-cat"], "answers": [["a cat"], ["-cat"]]})
    >>> df.qa.score("response", "answers", convention=own, append=False)
        em
    0  1.0
    1  1.0
    """


class Drop(_OfWords):
    """A step: leave out each of these words, wherever it stands between white space. Case counts.

    Parameters
    ----------
    words : tuple of str
        Words to leave out.

    Raises
    ------
    UnknownOptionError
        If `words` is not an iterable of str, is itself a str, or holds lone surrogates.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> text = qa_frame.rules.Text(("lower", qa_frame.rules.Drop(("a", "the"))))
    >>> own = qa_frame.Convention(name="own", exact=qa_frame.rules.Exact(text=text))
    >>> df = pd.DataFrame({"response": ["The cat", "the-cat"], "answers": [["a cat"], ["-cat"]]})
    >>> df.qa.score("response", "answers", convention=own, append=False)
        em
    0  1.0
    1  0.0
    """


class Delete(_OfCharacters):
    """A step: delete each of these characters.

    Parameters
    ----------
    characters : str
        All the characters to delete, in any order.

    Raises
    ------
    UnknownOptionError
        If `characters` is not a str, or holds lone surrogates.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> from qa_frame.rules import Delete, Exact, Text
    >>> own = qa_frame.Convention(name="own", exact=Exact(text=Text((Delete("-,"),))))
    >>> df = pd.DataFrame({"response": ["1,000", "e-mail"], "answers": [["1000"], ["email"]]})
    >>> df.qa.score("response", "answers", convention=own, append=False)
        em
    0  1.0
    1  1.0
    """


class Space(_OfCharacters):
    """A step: replace each of these characters by a space.

    Parameters
    ----------
    characters : str
        All the characters to replace, in any order. Two names stand for sets of characters: "ascii_punctuation", those
        of `string.punctuation`; and "punctuation", all that Unicode calls punctuation.

    Raises
    ------
    UnknownOptionError
        If `characters` is not a str, or holds lone surrogates.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> text = qa_frame.rules.Text(("lower", qa_frame.rules.Space("ascii_punctuation")))
    >>> own = qa_frame.Convention(name="own", exact=qa_frame.rules.Exact(text=text))
    >>> df = pd.DataFrame({"response": ["e-mail", "Rock'n'Roll"], "answers": [["e mail"], ["rock n roll!"]]})
    >>> df.qa.score("response", "answers", convention=own, append=False)
        em
    0  1.0
    1  1.0
    """


@dataclass(frozen=True, slots=True)
class Replace:
    r"""A step: replace each match of a regular expression, as `re.sub` does.

    The pattern sees the whole text, as it is after the steps before, with its white space. It is searched for in one
    distinct text after the other, which takes about a microsecond each.

    Parameters
    ----------
    pattern : str
        Regular expression, in the syntax of Python's `re`.
    by : str
        Text that replaces each match. "\1" stands for the first group of the match.

    Raises
    ------
    UnknownOptionError
        If a value is not a str, or not a valid pattern or replacement.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> text = qa_frame.rules.Text((qa_frame.rules.Replace(r"\([^)]*\)"),))
    >>> own = qa_frame.Convention(name="own", exact=qa_frame.rules.Exact(text=text))
    >>> df = pd.DataFrame({"response": ["Paris (the capital of France)"], "answers": [["Paris"]]})
    >>> df.qa.score("response", "answers", convention=own, append=False)
        em
    0  1.0
    """

    pattern: str
    by: str = ""

    def __post_init__(self) -> None:
        require_text("Replace.pattern", self.pattern, "give a regular expression as a str")
        require_text("Replace.by", self.by, "give a str")
        try:
            re.compile(self.pattern)
            re.compile(f"{self.pattern}\n|").sub(self.by, "")  # the replacement is only checked at a match
        except (re.error, IndexError, OverflowError) as error:
            finding = f"with by={show(self.by)} is not valid for Python's re: {error}"
            remedy = "correct it, or use re.escape for text that is to be found as it is"
            raise UnknownOptionError.of("Replace.pattern", finding, remedy, value=self.pattern) from error


Step = str | Blank | Drop | Delete | Space | Replace | Callable[[str], str]
Split = str | Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Text:
    r"""How a text becomes tokens: steps that normalise it, one after the other, and then a split.

    Parameters
    ----------
    steps : tuple of str, Blank, Drop, Delete, Space, Replace or function
        Changes to a text, in this order. A step is a `Blank` or `Drop` (words), a `Delete` or `Space`
        (characters), a `Replace` (a regular expression), a function that takes a text as str and returns it changed, or
        one of these names:

        - `lower`: as `str.lower`.
        - `casefold`: as `str.casefold`.
        - `upper`: as `str.upper`.
        - `nfkc`: Unicode normalisation form KC.
        - `nfd`: Unicode normalisation form D, which writes "é" as "e" and a combining accent.
        - `nfc`: Unicode normalisation form C, which writes "e" and a combining accent as "é".
        - `unify_forms`: write ligatures, wide letters and presentation forms as the letters that they stand for, as "ﬁ"
          as "fi". It is `nfkc` without raised and lowered digits, fractions and spaces.
        - `straighten_punctuation`: write typographic quotation marks, apostrophes, dashes and dots as ASCII has them.
        - `delete_invisible`: delete what nobody sees: characters without width, soft hyphens, marks of direction.
        - `unescape_html`: as `html.unescape`, so that "&amp;" is "&".
        - `delete_template_marks`: replace each mark of a chat template, as "</s>" or "[/INST]", by a space.
        - `fold_accents`: remove combining marks, as the accent of "é".
        - `delete_ascii_punctuation`: delete ASCII punctuation, as in `string.punctuation`.
        - `delete_punctuation`: delete all characters that Unicode calls punctuation.
        - `keep_a_z_0_9`: replace every other character by a space.
        - `stem`: replace words of more than three letters by their Porter stems, as `rouge_score` does with
          `use_stemmer=True`. This needs the extra `stem`.
        - `stem_all`: replace every word by its Porter stem. This needs the extra `stem`.
        - `split_contractions`: split MacIntyre's contractions, as "cannot" into "can not".
        - `split_marks`: put a space where NLTK's Punkt, with the abbreviations of its English model, ends a sentence
          inside a word, as in "really?)no" or "1990.[2]".
        - `split_drqa`: put a space between the tokens of DrQA's SimpleTokenizer: letters, digits and combining marks in
          sequence, or any other visible character. Other characters become spaces.
        - `split_jieba`: put a space between the words that `jieba` finds. This needs the extra `zh`.
        - `numbers`: spell numbers of the same value in the same way, as "1e3" and "1000.0".
        - `delete_ascii_punctuation_outside_floats`: as `delete_ascii_punctuation`, but each stretch between spaces
          (U+0020) that Python's `float` reads, as "-3.5", "1e3", "1_000" or "inf", is kept. It is DROP's rule.
        - `floats`: write each such stretch as `str(float(...))`, as "3" as "3.0". It is DROP's rule, too.
        - `finite_floats_in_marks`: each stretch between spaces is written so if `float` reads a finite number, also
          with ASCII punctuation and ASCII white space around it, as "(3.5)" and "3.5." are both "3.5"; else its ASCII
          punctuation is deleted, and it is written so if it then is one, as "3,000" as "3000.0". It is inspect's rule.
        - `strip`: remove white space at both ends of the text.
        - `strip_marks`: remove ASCII white space and ASCII punctuation at both ends of the text.
        - `collapse_spaces`: replace each run of white space by one space, and remove it at both ends of the text.
        - `math_answer`: an answer in LaTeX as MATH's `is_equiv` compares it: without spaces, units and degrees, with
          the braces of fractions and roots, so that "\frac12" and "1/2" become "\frac{1}{2}".
        - `vqa_answer`: a short answer as the script of VQA writes it: lower case, without marks and articles, digits
          for the numbers up to ten, and apostrophes in contractions, as "two dogs" becomes "2 dogs".
          `vqa_answer_mmf` is the same step with a small change of other harnesses.

    split : str or function
        Split of the text after the steps. A name is one of these:

        - `words`: at white space.
        - `13a`: mteval-v13a, as `sacrebleu` 2 applies it.
        - `13a-hf`: mteval-v13a, as HF `evaluate` applies it. It differs only if a text ends with line breaks.
        - `intl`: mteval-v14 for all scripts, the tokens "intl" of `sacrebleu`'s BLEU.
        - `characters`: each character is a token, also white space.
        - `characters_without_space`: each character but white space is a token.
        - `chrf_words`: at white space; then a mark of ASCII punctuation at the end of a word, or else at its start, is
          a token of its own, as in `sacrebleu`'s chrF++.
        - `mixed_cjk`: each Chinese character (U+4E00 to U+9FA5) is a token, other text is split at white space.
        - `mixed_cjk_jieba`: each Chinese character is a token, other text is split by `jieba`, which keeps white space
          as tokens. This needs the extra `zh`.
        - `mixed_cjk_nltk`: each Chinese character is a token, other text is split as by NLTK's `word_tokenize`. This is
          exact for text in lower case, and does not need NLTK.
        - `unicode_words`: the words of Unicode's annex 29 that have a letter or a digit of any script. Each ideograph
          of Chinese or Japanese is a word, and so is each letter of Thai, Lao, Khmer or Burmese with its marks. This
          needs the extra `unicode`.
        - `unicode_characters`: the grapheme clusters of the same annex that have a letter or a digit, as "é" or a
          Devanagari syllable's letters with their vowel sign. This needs the extra `unicode`.
        - `sentences`: at white space, with a token for the end of each sentence, which is one or more full stops.
        - `nltk_words`: as by NLTK's `word_tokenize`. This is exact for text in lower case, and does not need NLTK.
        - `treebank`: Penn Treebank tokens, as by NLTK's `TreebankWordTokenizer`.
        - `spaces`: at each single space (U+0020). Between two spaces stands an empty token; an empty text has one.
        - `none`: the text is one token; an empty text has none.

        A function takes a text as str and returns its tokens as a list of str. It must always give the same tokens for
        the same text. It is called once for each distinct text of a batch, which costs the call and about 0.2 µs per
        token. The named splits work on whole columns and are faster. This also holds for a function among the steps.

    Raises
    ------
    UnknownOptionError
        If a value is of the wrong type. An unknown name is only found when a convention with it is used.

    Notes
    -----
    Letters, marks, digits and white space are those of the Unicode of the Python that runs, as in the sources' code:
    13.0 in Python 3.10, and 15.1 in 3.13. A character that is newer is read in another way by an older Python.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> text = qa_frame.rules.Text(("nfkc", "lower", "delete_punctuation"), split="characters")
    >>> own = qa_frame.Convention(name="own", overlap=qa_frame.rules.Overlap(text=text))
    >>> df = pd.DataFrame({"response": ["Ｎｏ!"], "answers": [["non"]]})
    >>> df.qa.score("response", "answers", metrics=["precision", "recall"], convention=own, append=False).round(3)
       precision  recall
    0        1.0   0.667
    """

    steps: tuple[Step, ...] = ()
    split: Split = "words"

    def __post_init__(self) -> None:
        kinds: Any = (str, Blank, Drop, Delete, Space, Replace, Callable)
        what = "the name of a step, nor a Blank, Drop, Delete, Space or Replace, nor a function"
        make_tuple_field(self, "steps", kinds, what)
        if not isinstance(self.split, str) and not callable(self.split):
            raise UnknownOptionError(f"Text.split={show(self.split)} is neither a name nor a function")
