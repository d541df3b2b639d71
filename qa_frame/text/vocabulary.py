"""Words → tokens. Each distinct word is tokenised once; the tokens of all texts are then looked up by word id."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Ids, Ints
from qa_frame.kernels.tokens import Tokens
from qa_frame.text.raw_texts import binary_data, binary_from, binary_offsets
from qa_frame.text.specification import Text
from qa_frame.text.tokenisers import PieceStarts, Tokeniser, apply_to_texts, compile_text
from qa_frame.text.words import (
    ASCII_SPACES,
    BETWEEN_TEXTS,
    TEXT_END,
    WORD_END,
    Words,
    cut_changed_texts,
    encode_words,
    is_space,
    mark_word_ends,
    split_texts,
)

_FEW_PLACES = 64
"""So few words with many tokens are gathered one by one."""

_TEXT_END, _WORD_END = bytes([TEXT_END]), bytes([WORD_END])
_ASCII = pa.array([bytes([code, WORD_END]) for code in range(0x80)], pa.large_binary())
_SPACE_TO_WORD_END = bytes.maketrans(b" ", bytes([WORD_END]))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TokenisedTexts:
    """Texts as tokens, with the spelling of each token.

    Attributes
    ----------
    tokens
        The token ids of all texts. An id is a place in `vocabulary`.
    vocabulary
        The distinct tokens, Arrow `large_binary`, each followed by `WORD_END`.
    """

    tokens: Tokens
    vocabulary: pa.Array

    def find(self, token: str) -> int | None:
        """Return the id of a token, or None if no text has it."""
        place = pc.index(self.vocabulary, pa.scalar(f"{token}{chr(WORD_END)}".encode(), pa.large_binary())).as_py()
        return None if place < 0 else int(place)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _WordTokens:
    """The tokens of several words, end to end: their spelling, `large_binary`, and the number of each word's tokens."""

    spelling: pa.Array
    n_per_word: Ints


def tokenise(words: Words, text: Text) -> TokenisedTexts:
    """Return the tokens of every text of `words`. `text` says how a text becomes tokens.

    `words.cache` keeps the tokens, so that the same texts are not tokenised twice.
    """
    if text not in words.cache:
        words.cache[text] = _tokenise(words, text)
    tokenised: TokenisedTexts = words.cache[text]
    return tokenised


def tokenise_sides(words: Words, of_preds: Text, of_golds: Text) -> TokenisedTexts:
    """Return the tokens of every text as one `Text` makes them, and then those of every text as the other does."""
    preds, golds = (tokenise(words, simplify_split(text, words)) for text in (of_preds, of_golds))
    encoded = pa.concat_arrays([preds.vocabulary, golds.vocabulary]).dictionary_encode()
    of_vocabulary, n_preds = encoded.indices.to_numpy(), len(preds.vocabulary)
    ids = of_vocabulary[np.concatenate((preds.tokens.ids, golds.tokens.ids + n_preds))]
    offsets = np.concatenate((preds.tokens.offsets, preds.tokens.offsets[-1] + golds.tokens.offsets[1:]))
    return TokenisedTexts(Tokens(ids, offsets), encoded.dictionary)


def tokenise_together(words: Words, texts: Iterable[Text]) -> tuple[list[Text], Tokens] | None:
    """Tokenise few words in several ways at once, which takes less time. `tokenise` then finds the tokens in the cache.

    A way takes part if it works word by word on all of these texts, and is not in the cache. Return these ways, and the
    tokens of all texts in the first of them, then in the second, and so on. Return None if they are fewer than two, or
    if there are no words.
    """
    ways = [(text, compile_text(text)) for text in texts if text not in words.cache]
    by_word = [(text, way) for text, way in ways if way.split.by_word is not None and not way.whole_steps]
    together = {text: way for text, way in by_word if not len(_find_crossing_texts(words, way))}
    if len(together) < 2 or not len(words.ids):
        return None
    spelled = b"".join(binary_data(part).tobytes() for part in (words.plain, words.ascii, words.other))
    spelled_tokens = _read_tokens(b"".join(way.tokenise_words(spelled) for way in together.values()))
    encoded = spelled_tokens.spelling.dictionary_encode()
    place = np.arange(len(together))[:, np.newaxis]
    word_ids = (place * words.n_distinct + words.ids).ravel()
    word_offsets = np.append(place * len(words.ids) + words.offsets[:-1], len(word_ids))
    tokens = _look_up_tokens(word_ids, word_offsets, encoded.indices.to_numpy(), spelled_tokens.n_per_word)
    for first, text in zip(range(0, len(word_offsets), len(words.text_ends)), together, strict=False):
        bounds = tokens.offsets[first : first + len(words.offsets)]
        of_way = Tokens(tokens.ids[bounds[0] : bounds[-1]], bounds - bounds[0])
        words.cache[text] = TokenisedTexts(of_way, encoded.dictionary)
    return [*together], tokens


def _tokenise(words: Words, text: Text) -> TokenisedTexts:
    """Return the tokens of all texts, with their vocabulary, by the fastest way that gives them exactly."""
    tokeniser = compile_text(text)
    if tokeniser.split.by_word is None:
        return _tokenise_whole_texts(words, text)
    if words.joined and not (len(words.ids) or tokeniser.whole_steps):
        # Texts are not cut where this is quicker, see `need_no_words`.
        return _words_as_tokens(words, tokeniser)
    if tokeniser.whole_steps:
        words = cut_changed_texts(apply_to_texts(tokeniser.whole_steps, words.all_texts()))
    crossing = _find_crossing_texts(words, tokeniser)
    keeps_plain = tokeniser.keeps_plain_words
    parts = [
        _tokens_of_plain_words(part, tokeniser)
        if keeps_plain and part is words.plain
        else _read_tokens(tokeniser.tokenise_words(binary_data(part).tobytes()))
        for part in (words.plain, words.ascii, words.other)
        if len(part) or part is words.other
    ]
    word_ids = words.ids
    if len(crossing):
        parts.append(_tokens_of_crossing_texts(words, crossing, tokeniser))
        word_ids = _replace_texts(words, crossing, first_id=words.n_distinct)
    encoded = pa.concat_arrays([part.spelling for part in parts]).dictionary_encode()
    n_per_word = np.concatenate([part.n_per_word for part in parts])
    tokens = _look_up_tokens(word_ids, words.offsets, encoded.indices.to_numpy(), n_per_word)
    return TokenisedTexts(tokens, encoded.dictionary)


def normalised_texts(words: Words, text: Text) -> list[str]:
    """Return every text of `words` after the steps of `text`, not split.

    Each character of the results stands for one byte of UTF-8: they are not decoded, as nothing but their equality and
    substrings matters. `words.cache` keeps them.
    """
    key = ("normalised", text)
    if key not in words.cache:
        texts = compile_text(text).apply_steps(words.all_texts()).decode("latin-1")
        words.cache[key] = texts.split(BETWEEN_TEXTS.decode("latin-1"))[:-1]
    normalised: list[str] = words.cache[key]
    return normalised


def code_points(words: Words, text: Text) -> Tokens:
    """Return every text of `words` after the steps of `text`, each character as a token whose id is its code point.

    Where no other split is needed, this is faster than to number the characters.
    """
    raw = words.all_texts()
    texts = compile_text(text).apply_steps(raw)
    data, place = np.frombuffer(texts, np.uint8), np.arange(len(words.text_ends))
    ends = words.text_ends + 2 * place + 1
    if len(texts) != len(raw) or (data[ends] != TEXT_END).any():  # the steps have changed the length of texts
        ends = np.flatnonzero(data == TEXT_END)
    if np.count_nonzero(data >= 0x80) > len(ends):  # there is more than the end of each text
        ends = np.cumsum((data & 0xC0) != 0x80)[ends] - 1  # each character has one byte that is not 0x80 to 0xBF
        # Without `TEXT_END` it is valid UTF-8, which is decoded much faster.
        data = np.frombuffer(texts.replace(_TEXT_END, _WORD_END).decode().encode("utf-32-le"), "<u4")
    is_character = np.ones(len(data), np.bool_)
    for between in (ends - 1, ends, ends + 1):
        is_character[between] = False
    return Tokens(data[is_character].astype(np.int32), np.append(0, ends - 1 - 3 * place))


def simplify_split(text: Text, words: Words) -> Text:
    """Return `text` with a split that never looks across white space, if no text needs one that does.

    Two rules that differ only in this are then equal, and their tokens are computed once.
    """
    tokeniser = compile_text(text)
    if tokeniser.split.crossing is None or tokeniser.whole_steps or len(_find_crossing_texts(words, tokeniser)):
        return text
    return tokeniser.without_crossing


def _words_as_tokens(words: Words, tokeniser: Tokeniser) -> TokenisedTexts:
    """Return the words of texts after the steps, which are quick ones, as tokens."""
    texts = tokeniser.apply_steps(words.joined)
    ids, offsets, vocabulary = encode_words(mark_word_ends(texts), texts)
    empty = pc.index(vocabulary, pa.scalar(_WORD_END, pa.large_binary())).as_py()
    if empty >= 0:
        places = np.flatnonzero(ids != empty)
        ids, offsets = ids.take(places), np.searchsorted(places, offsets)
    return TokenisedTexts(Tokens(ids.astype(np.int32), offsets), vocabulary)


def _tokenise_whole_texts(words: Words, text: Text) -> TokenisedTexts:
    """Return the tokens of every text, for a split that does not work word by word."""
    tokeniser = compile_text(text)
    if text.split in {"characters", "characters_without_space"}:
        return _tokens_of_characters(words, text, with_space=text.split == "characters")
    if tokeniser.split.by_piece is not None:
        return _tokens_by_piece(code_points(words, text), *tokeniser.split.by_piece)
    assert tokeniser.split.by_text is not None
    by_text = functools.cache(tokeniser.split.by_text)  # a function gets equal texts once
    return _number_tokens([*map(by_text, split_texts(tokeniser.apply_steps(words.all_texts())))])


def _tokens_of_characters(words: Words, text: Text, *, with_space: bool) -> TokenisedTexts:
    """Return the characters of every text as tokens. with_space: whether white space is a token, too."""
    if not with_space:
        ended = compile_text(text).apply_steps(words.all_texts()).translate(None, ASCII_SPACES)
        visible = ended.translate(None, _TEXT_END)
        if visible.isascii():  # then each byte is a token
            ends = np.flatnonzero(np.frombuffer(ended, np.uint8) == TEXT_END)
            ids = np.frombuffer(visible, np.uint8).astype(np.int32)
            return TokenisedTexts(Tokens(ids, np.append(0, ends - np.arange(len(ends)))), _ASCII)
    texts = code_points(words, text)
    is_token = np.zeros(int(texts.ids.max(initial=0)) + 1, np.bool_)
    is_token[texts.ids] = True
    if not with_space:
        is_token &= ~is_space(np.arange(len(is_token), dtype=np.uint32))
    number = np.where(is_token, np.cumsum(is_token) - 1, -1).astype(np.int32)
    ids, offsets = number[texts.ids], texts.offsets
    if not with_space:
        keep = ids >= 0
        ids, offsets = ids[keep], np.append(0, np.cumsum(keep))[offsets]
    spelled = [f"{chr(code)}{chr(WORD_END)}".encode() for code in np.flatnonzero(is_token).tolist()]
    return TokenisedTexts(Tokens(ids, offsets), pa.array(spelled, pa.large_binary()))


def _tokens_by_piece(texts: Tokens, piece_starts: PieceStarts, cut_piece: Callable[[str], list[str]]) -> TokenisedTexts:
    """Return the tokens of texts that are cut into pieces. Each distinct piece is cut into tokens once.

    texts: each character is a token, whose id is its code point. piece_starts, cut_piece: see `SplitRule.by_piece`.
    """
    characters, offsets = texts.ids.view(np.uint32), texts.offsets
    is_start = piece_starts(characters)
    is_start[offsets[:-1][offsets[:-1] < len(characters)]] = True
    starts = np.append(np.flatnonzero(is_start), len(characters))
    encoded = binary_from(characters.view(np.uint8), 4 * starts).dictionary_encode()
    distinct = _number_tokens([cut_piece(piece.decode("utf-32-le")) for piece in encoded.dictionary.to_pylist()])
    piece_offsets = np.searchsorted(starts, offsets)
    tokens = _look_up_tokens(encoded.indices.to_numpy(), piece_offsets, distinct.tokens.ids, distinct.tokens.n_per_text)
    return TokenisedTexts(tokens, distinct.vocabulary)


def _number_tokens(tokens_per_text: Sequence[Sequence[str]]) -> TokenisedTexts:
    """Return the tokens of texts as ids, with their vocabulary."""
    spelled = [f"{token}{chr(WORD_END)}" for tokens in tokens_per_text for token in tokens]
    encoded = pa.array(spelled, pa.large_string()).cast(pa.large_binary()).dictionary_encode()
    offsets = np.cumsum([0, *map(len, tokens_per_text)], dtype=np.int64)
    return TokenisedTexts(Tokens(encoded.indices.to_numpy(), offsets), encoded.dictionary)


def _find_crossing_texts(words: Words, tokeniser: Tokeniser) -> Ints:
    """Return the indices of the texts in which a step or the split looks across white space, or may do so."""
    places = np.fromiter(tokeniser.crossing_places(words.joined), np.int64)
    return np.unique(np.searchsorted(words.text_ends, places)) if len(places) else places


def _tokens_of_plain_words(plain: pa.Array, tokeniser: Tokeniser) -> _WordTokens:
    """Return the tokens of words of ASCII letters and digits, if each is kept, lower-cased or dropped."""
    keep = np.ones(len(plain), np.int64)
    for step in tokeniser.steps:
        if step.plain == "lower":
            lowered = np.frombuffer(binary_data(plain).tobytes().lower(), np.uint8)
            plain = binary_from(lowered, binary_offsets(plain))
        if step.drops:
            drops = pa.array([f"{word}{chr(WORD_END)}".encode() for word in sorted(step.drops)], pa.large_binary())
            keep[pc.is_in(plain, value_set=drops).to_numpy(zero_copy_only=False)] = 0
    return _WordTokens(plain if keep.all() else plain.filter(pa.array(keep == 1)), keep)


def _read_tokens(tokenised: bytes) -> _WordTokens:
    """Return the tokens that bytes hold, in which spaces separate the tokens of a word and `WORD_END` follows it."""
    tokenised = tokenised.rstrip(b" ")
    data = np.frombuffer(tokenised.translate(_SPACE_TO_WORD_END), np.uint8)
    (ends,) = (data == WORD_END).nonzero()
    bounds = np.concatenate(([0], ends + 1))
    is_token = ends > bounds[:-1]
    spelling = binary_from(data, bounds)
    if not is_token.all():  # `filter` copies the remaining bytes together, as Arrow's offsets allow no gaps
        spelling = spelling.filter(pa.array(is_token))
    is_word_end = np.frombuffer(tokenised, np.uint8)[ends] == WORD_END
    n_before = np.cumsum(is_token)[is_word_end]
    n_before[1:] -= n_before[:-1].copy()
    return _WordTokens(spelling, n_before)


def _tokens_of_crossing_texts(words: Words, crossing: Ints, tokeniser: Tokeniser) -> _WordTokens:
    """Return the tokens of the texts at the indices `crossing`, each of which is handled as one word."""
    texts = (" ".join(tokeniser.tokenise_crossing_text(words.text(int(index))).decode().split()) for index in crossing)
    return _read_tokens("".join(f"{text}{chr(WORD_END)}" for text in texts).encode())


def _replace_texts(words: Words, crossing: Ints, *, first_id: int) -> Ints:
    """Return word ids in which each of these texts is one new word.

    The new words have the ids from `first_id` on. The other words of these texts become -1. crossing: their indices.
    """
    ids = words.ids.copy()
    for rank, text in enumerate(crossing):
        start, stop = words.offsets[text], words.offsets[text + 1]
        ids[start:stop] = -1
        ids[start] = first_id + rank
    return ids


def _look_up_tokens(word_ids: Ints, word_offsets: Ints, ids: Ids, n_per_word: Ints) -> Tokens:
    """Return the tokens of texts, from the ids of their words. A word id of -1 has no tokens.

    word_ids, word_offsets: the word ids of all texts, and where those of each text begin. ids, n_per_word: the token
    ids of all distinct words, end to end, and how many each of these words has.
    """
    n_per_word = np.append(n_per_word, 0)  # the last one is for -1
    first = np.cumsum(n_per_word) - n_per_word  # the place in `ids` of each word's first token
    first_id = np.append(ids, np.int32(0))[np.minimum(first, len(ids))]
    is_narrow = int(n_per_word.max()) <= np.iinfo(np.uint8).max
    n_per_place = (n_per_word.astype(np.uint8) if is_narrow else n_per_word).take(word_ids)  # faster than indexing
    n_before = np.zeros(len(word_ids) + 1, np.int64)
    np.cumsum(n_per_place, dtype=np.int64, out=n_before[1:])
    out = np.empty(int(n_before[-1]) + 1, np.int32)
    # np.repeat would hold the interpreter's lock. The token of a word without tokens is overwritten by the next word's.
    out[n_before[:-1]] = first_id.take(word_ids)
    places, rank = np.flatnonzero(n_per_place > 1), 1
    while len(places) > _FEW_PLACES:
        out[n_before[places] + rank] = ids[first[word_ids[places]] + rank]
        rank += 1
        places = places[n_per_place[places] > rank]
    # A word of thousands of tokens, such as a long run of marks, does not cost all other words a step for each of them.
    for place in places.tolist():
        start, n_left = int(first[word_ids[place]]) + rank, int(n_per_place[place]) - rank
        out[int(n_before[place]) + rank :][:n_left] = ids[start : start + n_left]
    return Tokens(out[:-1], n_before.take(word_offsets))
