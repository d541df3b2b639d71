"""`qa_frame.extract_answers`: a column of responses → a column of their answers."""

from __future__ import annotations

from qa_frame._typing import Column
from qa_frame.errors import UnknownOptionError
from qa_frame.extraction.steps import Extract, extract_texts, make_steps, require_choice_step
from qa_frame.frames.conversions import as_arrow_column, as_given, read_text_series
from qa_frame.frames.text_columns import read_choices
from qa_frame.tables.methods import says_what_fits


@says_what_fits
def extract_answers(column: Column, extract: Extract, *, choices: Column | None = None) -> Column:
    r"""Take from each response the part that is its answer: what `score(extract=...)` scores.

    Examples
    --------
    >>> import re, pandas as pd, qa_frame
    >>> responses = pd.Series(["<think>2 + 2?</think>\nSo \\boxed{\\frac{8}{2}}.", "<think>2 + 2 is", "4"])
    >>> qa_frame.extract_answers(responses, "after_think").tolist()
    ['So \\boxed{\\frac{8}{2}}.', <NA>, '4']
    >>> qa_frame.extract_answers(responses, ["after_think", "boxed", "untex"]).tolist()
    ['8/2', <NA>, <NA>]
    >>> qa_frame.extract_answers(responses, ["after_think", "boxed|all", "untex"]).tolist()
    ['8/2', <NA>, '4']
    >>> qa_frame.extract_answers(responses, re.compile(r"\d")).tolist()
    ['2', '2', '4']
    >>> chosen = pd.Series(["I pick C because A is wrong", "B) Paris", "A careful look", "Answer: A and D"])
    >>> qa_frame.extract_answers(chosen, "choice").tolist()
    ['C', 'B', <NA>, <NA>]
    >>> options = pd.Series([["Rome", "Paris", "Berlin"]])
    >>> qa_frame.extract_answers(pd.Series(["The answer is Paris."]), "choice", choices=options).tolist()
    ['B']

    Parameters
    ----------
    column
        A pandas or polars Series, or a `pyarrow.Array` or `ChunkedArray`, of text.
    extract
        A name of the table, a pattern from `re.compile`, or a list of these.
    choices
        For `choice` and `letters`: the options' texts of each response, a column of lists of text of any of these
        kinds, by position.

    Returns
    -------
    column
        The same kind of column, of text. Null where the response is null or holds no answer. What each step finds is
        without white space at both ends; a pair of tags or braces with nothing between has the empty text as answer. A
        line ends at a line feed. A pandas Series keeps its index and name.

    Raises
    ------
    UnknownOptionError
        Where `extract` is neither a name of the table nor a pattern nor a list of these, or `choices` is given for
        other steps than these, or has another length.
    ColumnTypeError, InvalidTextError
        Where the column holds something else than text.
    """
    steps = make_steps(extract)
    require_choice_step(None if choices is None else "...", steps)
    if not steps:
        raise UnknownOptionError("extract=None takes no part of a response; give a name, a pattern or a list of these")
    texts = read_text_series(column, "extract_answers")
    options = None if choices is None else read_choices(as_arrow_column(choices, "extract_answers"), "choices")[0]
    if options is not None and len(options) != len(texts):
        raise UnknownOptionError(f"choices has {len(options):,} values, and column {len(texts):,}; give one for each")
    answers: Column = as_given(column, extract_texts(texts, steps, options))
    return answers
