"""Rows of the columns → batches: the texts of some rows, and the (prediction, gold) pairs of them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags, Ints
from qa_frame.frames.arrow_types import valid_items
from qa_frame.frames.text_columns import TextColumns
from qa_frame.kernels.tokens import Pairs
from qa_frame.text.raw_texts import binary_data, binary_offsets

_ROWS_AT_ONCE = 1 << 16
_BYTES_AT_ONCE = 5 << 20
_FEWEST_BYTES = 1 << 19
_BATCHES_PER_JOB = 2
_BLOCK_TO_FREE = 31 << 20

_SAMPLED, _CLASSES, _REPEATS = 512, 64, 1.5
"""`_has_repeats` looks at about `_SAMPLED` of all texts, and at all texts of one of `_CLASSES` classes. Texts count as
repeated where a distinct one occurs more than `_REPEATS` times on average, and pairs where predictions do."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Batch:
    """The texts of some rows, and their (prediction, gold) pairs.

    Attributes
    ----------
    texts
        The texts of predictions and golds, Arrow `large_string`. They are distinct, unless texts hardly repeat: to find
        equal ones then takes longer than it saves.
    pairs
        The places in `texts` of each pair's prediction and gold, row after row: one pair for each gold of a row. A null
        prediction has no pairs, or counts as the empty text (see `make_batch`).
    pair_offsets
        Where the pairs of each row begin, and the end of the last row's, int64 of shape (rows + 1,).
    is_missing
        Whether a row's prediction is null, shape (rows,).
    has_gold
        Whether a row has any gold, shape (rows,).
    """

    texts: pa.Array
    pairs: Pairs
    pair_offsets: Ints
    is_missing: Flags
    has_gold: Flags

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.is_missing)

    @property
    def has_pairs(self) -> Flags:
        """Whether a row has any pair, shape (rows,)."""
        return np.diff(self.pair_offsets) > 0

    @property
    def first_pairs(self) -> Ints:
        """The place of the first pair of each row that has pairs, int64 of shape (rows with pairs,)."""
        return self.pair_offsets[:-1][self.has_pairs]

    @property
    def row_per_pair(self) -> Ints:
        """The row of each pair, as its place in the batch, int64 of shape (pairs,)."""
        return np.repeat(np.arange(self.n_rows), np.diff(self.pair_offsets))

    def with_pairs(self, keep: Flags) -> Batch:
        """Return the batch with those of its pairs for which `keep` is true, shape (pairs,). All rows stay."""
        n_before = np.concatenate(([0], np.cumsum(keep)))
        pairs = Pairs(pred=self.pairs.pred[keep], gold=self.pairs.gold[keep])
        return replace(self, pairs=pairs, pair_offsets=n_before[self.pair_offsets])


def split_rows(columns: TextColumns, *, n_jobs: int = 1, most_rows: int | None = None) -> list[tuple[int, int]]:
    """Return the bounds of each batch: its first row, and the row behind its last; an empty list without rows.

    Batches are small enough to limit the memory in use, and there are enough of them for all jobs.

    most_rows: the largest number of rows in a batch; None for the usual limit.
    """
    n_rows, n_bytes = len(columns), columns.nbytes
    at_once = _BYTES_AT_ONCE
    if n_jobs > 1:
        at_once = min(at_once, max(_FEWEST_BYTES, -(-n_bytes // (_BATCHES_PER_JOB * n_jobs))))
    n_batches = max(-(-n_rows // min(most_rows or _ROWS_AT_ONCE, _ROWS_AT_ONCE)), -(-n_bytes // at_once), 1)
    if n_batches == 1 and n_rows:
        return [(0, n_rows)]
    n_batches = -(-n_batches // n_jobs) * n_jobs  # else some workers have nothing to do during the last round
    bounds = np.linspace(0, n_rows, min(n_batches, n_rows) + 1).astype(np.int64).tolist()
    return [part for start, stop in itertools.pairwise(bounds) for part in _halve(columns, start, stop)]


def _halve(columns: TextColumns, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of rows, halved until no part of two or more rows holds too much text.

    Too much is more than twice `_BYTES_AT_ONCE`, as where a few rows hold most of the text. start, stop: the first row,
    and the row behind the last.
    """
    if stop - start > 1 and columns.slice(start, stop).nbytes > 2 * _BYTES_AT_ONCE:
        middle = (start + stop) // 2
        yield from _halve(columns, start, middle)
        yield from _halve(columns, middle, stop)
    else:
        yield start, stop


def make_batch(
    columns: TextColumns,
    *,
    prepare_pred: Callable[[pa.Array], pa.Array] | None = None,
    missing_as_empty: bool = False,
    no_gold_as_empty: bool = False,
) -> Batch:
    """Return the batch of all rows of the columns.

    Parameters
    ----------
    prepare_pred
        Function that changes the Arrow array of predictions before anything else; None to take them as they are.
    missing_as_empty
        Whether a missing prediction counts as the empty text; else it has no pairs.
    no_gold_as_empty
        Whether a list of golds that has none counts as one empty gold. A null in place of a list does not.
    """
    _keep_freed_memory()
    n_rows = len(columns)
    preds = columns.pred.combine_chunks()
    if prepare_pred is not None:
        preds = prepare_pred(preds)
    golds = columns.golds.combine_chunks()
    gold_texts, bounds = valid_items(golds)
    row_per_gold = np.repeat(np.arange(n_rows), bounds[1:] - bounds[:-1])
    if no_gold_as_empty and pa.types.is_large_list(golds.type):
        gold_texts, row_per_gold = _add_empty_golds(golds, gold_texts, row_per_gold)
    has_gold = np.zeros(n_rows, np.bool_)
    has_gold[row_per_gold] = True
    is_missing = np.zeros(n_rows, np.bool_)
    if preds.null_count:
        is_missing, preds = preds.is_null().to_numpy(zero_copy_only=False), preds.fill_null("")

    texts = pa.concat_arrays([preds, gold_texts])
    text_ids = np.arange(len(texts))
    if len(texts) <= _SAMPLED or _has_repeats(texts):
        encoded = texts.dictionary_encode()
        texts, text_ids = encoded.dictionary, encoded.indices.to_numpy().astype(np.int64)
    is_pair = np.full(len(row_per_gold), True) if missing_as_empty else ~is_missing[row_per_gold]
    row_per_pair = row_per_gold[is_pair]
    return Batch(
        texts=texts,
        pairs=Pairs(pred=text_ids[row_per_pair], gold=text_ids[n_rows:][is_pair]),
        pair_offsets=np.concatenate(([0], np.cumsum(np.bincount(row_per_pair, minlength=n_rows)))),
        is_missing=is_missing,
        has_gold=has_gold,
    )


def _has_repeats(texts: pa.Array) -> bool:
    """Return whether, in one of two samples, a distinct text occurs more than `_REPEATS` times on average.

    One sample has texts at equal distances. The other has all texts of one class, which their length and middle byte
    decide. Equal texts are in the same class, so this sample holds all or none of them, wherever they are.
    """
    data, offsets = binary_data(texts), binary_offsets(texts)
    places = np.flatnonzero(np.diff(offsets))
    lengths = np.diff(offsets)[places]
    classes = lengths + data[offsets[places] + lengths // 2]
    spread = np.arange(0, len(texts), max(1, len(texts) // _SAMPLED))
    samples = (texts.take(pa.array(sampled)) for sampled in (spread, places[classes % _CLASSES == 0]))
    return any(len(sample) > _REPEATS * len(sample.dictionary_encode().dictionary) for sample in samples)


def distinct_pairs(pairs: Pairs) -> tuple[Pairs, Ints] | None:
    """Return the distinct pairs, and the place of each pair among them, integers of shape (pairs,).

    Return None where few predictions occur again after another one: then hardly any pair is repeated.
    """
    is_next = pairs.pred[1:] != pairs.pred[:-1]
    if np.count_nonzero(is_next) < _REPEATS * np.count_nonzero(np.bincount(pairs.pred)):
        return None
    n_texts = int(max(pairs.pred.max(initial=0), pairs.gold.max(initial=0))) + 1
    encoded = pa.array(pairs.pred * n_texts + pairs.gold).dictionary_encode()
    return Pairs(*np.divmod(encoded.dictionary.to_numpy(), n_texts)), encoded.indices.to_numpy()


@functools.cache
def _keep_freed_memory() -> None:
    """Let the memory that one batch frees serve the next one, where the C library is glibc.

    glibc hands freed memory back to the system, which then clears each page anew. What it keeps grows with the largest
    block that was ever freed, up to 32 MiB. This block is never written to, so that it takes no memory.
    """
    np.empty(_BLOCK_TO_FREE, np.uint8)


def _add_empty_golds(golds: pa.Array, texts: pa.Array, row_per_gold: Ints) -> tuple[pa.Array, Ints]:
    """Return the golds and the row of each, with an empty gold for each list that is not null and has no gold.

    golds: the column of lists. texts, row_per_gold: its golds, row after row, and the row of each, shape (golds,).
    """
    is_empty = pc.is_valid(golds).to_numpy(zero_copy_only=False)
    is_empty[row_per_gold] = False
    rows = np.flatnonzero(is_empty)
    texts = pa.concat_arrays([texts, pa.array([""] * len(rows), texts.type)])
    row_per_gold = np.concatenate((row_per_gold, rows))
    order = np.argsort(row_per_gold, kind="stable")
    return texts.take(pa.array(order)), row_per_gold[order]
