"""How a text becomes tokens: steps, one after the other, and then a split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from qa_frame.errors import UnknownOptionError, require_kinds, require_tuple


@dataclass(frozen=True, slots=True)
class Blank:
    """A step: each of these words gives way to a space wherever it stands between word boundaries."""

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        require_tuple(self, "words")
        require_kinds(self, "words", str, "text")


@dataclass(frozen=True, slots=True)
class Drop:
    """A step: whatever stands between white space and is one of these words is left out."""

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        require_tuple(self, "words")
        require_kinds(self, "words", str, "text")


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
        require_tuple(self, "steps")
        require_kinds(self, "steps", (str, Blank, Drop, Delete), "the name of a step, nor a Blank, Drop or Delete")
        if not isinstance(self.split, str) and not callable(self.split):
            raise UnknownOptionError(f"Text.split={self.split!r:.60} is neither a name nor a function")
