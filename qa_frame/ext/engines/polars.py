"""`qa` on frames of polars, `DataFrame` and `LazyFrame`.

`import qa_frame` registers it where polars was imported before. Else `import qa_frame.engines.polars` does.
"""

from __future__ import annotations

import functools
from typing import Any

from qa_frame.accessor import register_polars
from qa_frame.ext.engines.shared import (
    OF_ONE_PROCESS,
    part_scorer,
    plan_parts,
    plan_scoring,
    require_package,
    score_no_rows,
    sum_parts,
    takes_arguments_of,
)
from qa_frame.frames.source import notes_of, read_source, set_notes
from qa_frame.tables.score import score
from qa_frame.tables.summary import summarise, summary

require_package("polars", extra="polars")

import polars as pl  # noqa: E402  (after the check that it is there)
import polars.selectors as cs  # noqa: E402

_ROWS_AT_ONCE = 50_000
"""Rows of a batch of a lazy summary: enough for whole columns to pay, few enough for memory."""


register_polars(pl)


class LazyFrameQA:
    """Question answering on this query: `score` stays lazy, and `summary` reads the rows batch by batch.

    Examples
    --------
    >>> import polars as pl, qa_frame.engines.polars
    >>> rows = {"model": ["a", "b"], "response": ["The Seine.", "Rome"], "answers": [["Seine"], ["Paris"]]}
    >>> scored = pl.LazyFrame(rows).qa.score("response", "answers", metrics="em")
    >>> scored.collect_schema().names()
    ['model', 'response', 'answers', 'qa_rules', 'qa_flags', 'em']
    >>> scored.qa.summary(by="model").select("model", "n", "em").rows()
    [('a', 1, 1.0), ('b', 1, 0.0)]
    """

    def __init__(self, frame: pl.LazyFrame) -> None:
        self._frame = frame

    @takes_arguments_of(score, without=OF_ONE_PROCESS)
    def score(self, *, append: bool, **arguments: Any) -> pl.LazyFrame:
        """Score each row when the query runs: a new query with the columns of this one, and then one column per metric.

        The scores are an expression of the rows alone, and polars optimises the query as any other: it pushes filters
        down to the file, reads only needed columns, and scores nothing if no score is asked for. The streaming engine
        scores batch by batch, in bounded memory: `scored.sink_parquet(...)`, `scored.collect(engine="streaming")`.
        No batch sees all rows, and so there are no warnings of doubtful texts: `audit` a few thousand collected rows.

        Parameters
        ----------
        {arguments}

        Returns
        -------
        polars.LazyFrame
            Its columns and their types are those of `qa_frame.score` on the collected frame. The
            schema is known without scoring.

        Raises
        ------
        QaFrameError
            The errors of `qa_frame.score`. They come at the call if the arguments and the schema show them. An error
            that only rows show, such as a null prediction with `missing="raise"`, comes as an error of polars when the
            query runs; its message holds that of `qa_frame.score`.
        """
        schema = self._frame.collect_schema()
        empty = pl.DataFrame(schema=schema)
        scored = score_no_rows(empty, append=append, **arguments)
        read, of_parts = plan_scoring(schema.names(), append=append, **arguments)
        new = score_no_rows(empty, **of_parts).schema
        packed = _free_name(schema)
        texts = pl.struct(cs.by_name(*read))
        scores = texts.map_batches(
            functools.partial(_score_texts, arguments=of_parts), return_dtype=pl.Struct(new), is_elementwise=True
        ).alias(packed)
        fields = pl.col(packed).struct.field(*new.names())
        if append:
            made = self._frame.with_columns(scores).with_columns(fields).drop(packed)
        else:
            made = self._frame.select(scores).select(fields)
        return set_notes(made, notes_of(scored))

    @takes_arguments_of(summary)
    def summary(self, **arguments: Any) -> pl.DataFrame:
        """Run the query, and pool the scores of each group of rows: one row per group, or one row for all.

        Only the needed columns are read, batch by batch, and only sums by group, or by group and cluster, are kept.
        Every row's scores are kept, too, for medians, and for `method="bootstrap"` without `cluster` and `question`.

        Parameters
        ----------
        by
            Column(s) to group by.
        {arguments}

        Returns
        -------
        polars.DataFrame
            The summary of the collected frame. It is that of `qa_frame.summary` to the last bit.

        Raises
        ------
        QaFrameError
            The errors of `qa_frame.summary`.
        """
        notes = notes_of(self._frame)
        empty = set_notes(pl.DataFrame(schema=self._frame.collect_schema()), notes)
        plan, wanted, needed = plan_parts(empty, **arguments)
        rows = self._frame.select(cs.by_name(*needed))
        batches = rows.collect_batches(chunk_size=_ROWS_AT_ONCE, engine="streaming")
        table = summarise(sum_parts(plan, (set_notes(batch, notes) for batch in batches), empty=empty), wanted)
        summarised: pl.DataFrame = read_source(empty).like(table, has_keys=wanted.has_keys)
        return summarised


def _score_texts(texts: pl.Series, *, arguments: dict[str, Any]) -> pl.Series:
    """Return the new columns, of scores and perhaps of rules and flags, as structs with a field for each.

    texts: structs of the columns that `plan_scoring` names. arguments: those of `part_scorer`.
    """
    return part_scorer(**arguments)(texts.struct.unnest()).to_struct(texts.name)


def _free_name(schema: pl.Schema) -> str:
    """Return a name that begins with "qa_frame" and that no column has."""
    name = "qa_frame"
    while name in schema:
        name += "_"
    return name
