"""`qa_frame.normalise`: a column of texts → the texts as exact match compares them."""

from __future__ import annotations

from typing import Literal

from qa_frame._names import ConventionName
from qa_frame._typing import Column
from qa_frame.checks import require_choice
from qa_frame.frames.arrow_types import is_list
from qa_frame.frames.conversions import as_given, read_text_series
from qa_frame.frames.text_columns import lists_of, values_of_lists
from qa_frame.rules.parts import Convention
from qa_frame.scoring.normalised import normalise_texts
from qa_frame.tables.methods import says_what_fits


@says_what_fits
def normalise(
    column: Column, convention: ConventionName | Convention = "squad", *, side: Literal["pred", "gold"] | None = None
) -> Column:
    """Give texts as `em` compares them: in lower case, without articles and so on, as the convention has it.

    Two texts have `em` 1 exactly if they are equal here. So answers can be counted for a majority vote, or grouped, or
    looked at.

    Parameters
    ----------
    column
        A pandas or polars Series, or a `pyarrow.Array` or `ChunkedArray`, of text or of lists of text.
    convention
        A name from `qa_frame.conventions`, or an object of the class `Convention`. It must have a rule for `em`.
    side
        Whether the texts are predictions ("pred") or golds ("gold"). Some conventions take the first line of a
        prediction, or strip it, and leave golds as they are. By default texts are predictions, and lists hold golds.

    Returns
    -------
    column
        The same kind of column, of text or of lists of text; nulls stay null, in lists too. A pandas Series keeps its
        index and name. Tokens are joined by single spaces; splits into characters leave the text in one piece.

    Raises
    ------
    UnknownOptionError
        Where the convention has no rule for `em`, or compares numbers with a tolerance, so that its `em` is not an
        equality of texts. Also for an unknown name.
    ColumnTypeError, InvalidTextError
        Where the column holds something else than text.

    Notes
    -----
    Where a side is empty, the convention may have a rule of its own, which decides then: under `helm` an empty
    prediction is never right, under `context_bench` an empty gold always is. Lists of spans, which `drop` takes, are
    not taken here. A tokeniser of your own whose tokens hold spaces may give the same text for different tokens.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> answers = pd.Series(["The Seine.", "seine", "the river Seine", None], index=[7, 7, 8, 9])
    >>> qa_frame.normalise(answers).tolist()
    ['seine', 'seine', 'river seine', <NA>]

    The answer that most samples of a question give:

    >>> df = pd.DataFrame({"question": [1, 1, 1, 2], "response": ["Paris", "Rome", "paris!", "4"]})
    >>> votes = qa_frame.normalise(df["response"]).groupby(df["question"]).agg(lambda texts: texts.mode()[0])
    >>> votes.tolist()
    ['paris', '4']
    """
    if side is not None:
        require_choice("side", side, ("pred", "gold"))
    texts = read_text_series(column, "normalise", may_be_lists=True)
    are_lists = is_list(texts.type)
    found = normalise_texts(
        values_of_lists(texts) if are_lists else texts,
        convention,
        are_predictions=not are_lists if side is None else side == "pred",
    )
    normalised: Column = as_given(column, lists_of(found, texts) if are_lists else found)
    return normalised
