"""A slice of rows → its distinct texts, and the (prediction, gold) pairs among them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags, Ints
from qa_frame.frames.text_columns import TextColumns
from qa_frame.kernels.tokens import Pairs

_ROWS_AT_ONCE = 1 << 16
_BYTES_AT_ONCE = 5 << 20
_FEWEST_BYTES = 1 << 19
_BYTES_WORTH_A_THREAD = 5 << 20


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Batch:
    """Rows `start` to `stop` of the columns.

    texts: the distinct texts, Arrow `large_string`. pairs: indices into them, row after row; a row whose prediction
    is missing has none, or the empty text. pair_offsets: int64, shape (rows + 1,), into the pairs. is_missing: shape
    (rows,); has_gold: whether a row has any gold, shape (rows,).
    """

    start: int
    stop: int
    texts: pa.Array
    pairs: Pairs
    pair_offsets: Ints
    is_missing: Flags
    has_gold: Flags

    def with_pairs(self, keep: Flags) -> Batch:
        """The batch with only the pairs to keep, shape (pairs,)."""
        n_before = np.concatenate(([0], np.cumsum(keep)))
        pairs = Pairs(pred=self.pairs.pred[keep], gold=self.pairs.gold[keep])
        return replace(self, pairs=pairs, pair_offsets=n_before[self.pair_offsets])


def useful_threads(columns: TextColumns, threads: int) -> int:
    """At most `threads`: with less text for each, they lose more by waiting for each other than they gain."""
    return max(1, min(threads, columns.nbytes // _BYTES_WORTH_A_THREAD))


def split_rows(columns: TextColumns, *, threads: int) -> list[tuple[int, int]]:
    """Bounds of batches of rows: small enough to stay in bounds of memory, as many as threads where it pays."""
    n_rows = len(columns)
    # The threads share the bytes: what is in work at one time does not grow with them.
    n_bytes = max(_BYTES_AT_ONCE // threads, min(_BYTES_AT_ONCE, _FEWEST_BYTES))
    n_batches = max(-(-n_rows // _ROWS_AT_ONCE), -(-columns.nbytes // n_bytes), 1)
    n_batches = -(-n_batches // threads) * threads  # the last round keeps all threads busy
    bounds = np.linspace(0, n_rows, min(n_batches, n_rows) + 1).astype(np.int64).tolist()
    return [part for start, stop in itertools.pairwise(bounds) for part in _halve(columns, start, stop)]


def _halve(columns: TextColumns, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Split where a few rows hold most of the text."""
    size = columns.pred.slice(start, stop - start).nbytes + columns.golds.slice(start, stop - start).nbytes
    if stop - start > 1 and size > 2 * _BYTES_AT_ONCE:
        middle = (start + stop) // 2
        yield from _halve(columns, start, middle)
        yield from _halve(columns, middle, stop)
    else:
        yield start, stop


def make_batch(
    columns: TextColumns,
    start: int,
    stop: int,
    *,
    prepare_pred: Callable[[pa.Array], pa.Array] | None = None,
    missing_as_empty: bool = False,
    no_gold_as_empty: bool = False,
) -> Batch:
    """The batch of rows `start` to `stop`.

    prepare_pred: what is done to predictions first. missing_as_empty: a missing prediction counts as an empty text;
    no_gold_as_empty: so does a gold list without golds, if it is not null itself.
    """
    n_rows = stop - start
    preds = columns.pred.slice(start, n_rows).combine_chunks()
    if prepare_pred is not None:
        preds = prepare_pred(preds)
    golds = columns.golds.slice(start, n_rows).combine_chunks()
    gold_texts, row_per_gold = _gold_texts(golds)
    if no_gold_as_empty and pa.types.is_large_list(golds.type):
        gold_texts, row_per_gold = _add_empty_golds(golds, gold_texts, row_per_gold)
    has_gold = np.zeros(n_rows, np.bool_)
    has_gold[row_per_gold] = True
    is_missing = preds.is_null().to_numpy(zero_copy_only=False)

    encoded = pa.concat_arrays([preds.fill_null(""), gold_texts]).dictionary_encode()
    text_ids = encoded.indices.to_numpy().astype(np.int64)
    is_pair = np.full(len(row_per_gold), True) if missing_as_empty else ~is_missing[row_per_gold]
    row_per_pair = row_per_gold[is_pair]
    return Batch(
        start=start,
        stop=stop,
        texts=encoded.dictionary,
        pairs=Pairs(pred=text_ids[row_per_pair], gold=text_ids[n_rows:][is_pair]),
        pair_offsets=np.concatenate(([0], np.cumsum(np.bincount(row_per_pair, minlength=n_rows)))),
        is_missing=is_missing,
        has_gold=has_gold,
    )


def _gold_texts(golds: pa.Array) -> tuple[pa.Array, Ints]:
    """All golds but nulls, and for each its row."""
    if pa.types.is_large_list(golds.type):
        texts = golds.flatten()
        row_per_gold = np.repeat(np.arange(len(golds)), pc.list_value_length(golds).fill_null(0).to_numpy())
    else:
        texts, row_per_gold = golds, np.arange(len(golds))
    if texts.null_count:
        is_valid = pc.is_valid(texts).to_numpy(zero_copy_only=False)
        texts, row_per_gold = texts.drop_null(), row_per_gold[is_valid]
    return texts, row_per_gold


def _add_empty_golds(golds: pa.Array, texts: pa.Array, row_per_gold: Ints) -> tuple[pa.Array, Ints]:
    """One empty gold more for each list that is there and has no gold."""
    is_empty = pc.is_valid(golds).to_numpy(zero_copy_only=False)
    is_empty[row_per_gold] = False
    rows = np.flatnonzero(is_empty)
    texts = pa.concat_arrays([texts, pa.array([""] * len(rows), texts.type)])
    row_per_gold = np.concatenate((row_per_gold, rows))
    order = np.argsort(row_per_gold, kind="stable")
    return texts.take(pa.array(order)), row_per_gold[order]
