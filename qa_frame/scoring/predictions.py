"""Responses → predictions: of each, the part that is the answer."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import pyarrow as pa

from qa_frame.errors import ColumnTypeError, UnknownOptionError
from qa_frame.extraction.steps import Step, describe_steps, extract_texts, gives_letters
from qa_frame.frames.options import are_no_options, in_letters
from qa_frame.frames.source import Source
from qa_frame.frames.text_columns import TextColumns, require_predictions
from qa_frame.scoring.plan import Plan


def prepare_predictions(columns: TextColumns, plan: Plan) -> TextColumns:
    """Return the columns with the answers that the plan's steps extract in place of the responses.

    Raises MissingPredictionError for a null, or a response without an answer, if the plan's `missing` is "raise".
    """
    if plan.rules.missing == "raise":
        require_predictions(columns)
    extracted = extract_predictions(columns, plan.rules.extract)
    if plan.rules.missing == "raise":
        require_predictions(extracted, describe_steps(plan.rules.extract))
    return extracted


def read_single_texts(source: Source, plan: Plan, *, pred: Hashable, gold: Hashable) -> TextColumns:
    """Return the columns of predictions and golds, read as single texts also where the convention takes lists of spans.

    Raises ColumnTypeError for lists of spans or items, which other functions may take.
    """
    try:
        return source.texts(pred=pred, gold=gold, **plan.reading_arguments | {"spans": False})
    except ColumnTypeError as error:
        if not plan.convention.spans or not source.texts(pred=pred, gold=gold, spans=True).has_spans:
            raise
        finding = f"or gold={gold!r} holds lists of texts. With convention={plan.convention.name!r}, score, summary, "
        finding += "compare and worst take these, but audit, explain and report look at one text and its golds"
        remedy = f"give each text of a prediction a row of its own, with all golds, as df.explode({pred!r}) does"
        raise ColumnTypeError.of("pred", finding, remedy, value=pred) from error


def extract_predictions(columns: TextColumns, steps: Sequence[Step]) -> TextColumns:
    """Return the columns with the answers that the steps extract; the same columns where there are no steps.

    Where the answers are letters of options, the golds become letters, too. `is_not_extracted` then tells the rows that
    have a response, but no answer in it. Raises UnknownOptionError where predictions are lists of spans.

    Answers are extracted before rows are cut into batches. A batch, and what is sent to a worker, then holds answers
    alone, which are often much shorter than responses.
    """
    if not steps:
        return columns
    if columns.has_lists:
        finding = "looks for the answer in text, and the predictions are lists of spans"
        raise UnknownOptionError.of("extract", finding, "leave it out, or give text", value=list(steps))
    extracted = replace(columns, pred=extract_texts(columns.pred, steps, columns.choices), choices=None)
    if (gives_letters(steps) or columns.choices is not None) and not columns.has_spans:
        extracted = _convert_golds(extracted, steps, columns.choices)
    return replace(extracted, is_not_extracted=extracted.is_missing & ~columns.is_missing)


def _convert_golds(columns: TextColumns, steps: Sequence[Step], choices: pa.ChunkedArray | None) -> TextColumns:
    """Return the columns with letters in place of golds; with the golds as they are unless all answers are letters.

    If the options are known, `is_no_option` then tells the rows whose golds are none of them.
    """
    may_be_several = "letters" in steps[-1]
    letters = in_letters(columns.golds, may_be_several=may_be_several)
    if choices is not None:
        is_no_option = are_no_options(letters, choices, may_be_several=may_be_several)
        columns = replace(columns, is_no_option=is_no_option)
    return replace(columns, golds=letters) if gives_letters(steps) else columns
