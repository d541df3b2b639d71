"""`qa_frame.score_one`, `normalise` and `extract_answers`: texts without a frame → scores, or texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from qa_frame._names import ConventionName
from qa_frame._typing import Column, Unpack
from qa_frame.errors import UnknownOptionError
from qa_frame.extraction.steps import Extract, extract_texts, make_steps, require_choice_step
from qa_frame.frames.arrow_types import as_chunked, is_list, with_items
from qa_frame.frames.conversions import as_kind_of, polars_to_arrow, read_text_series
from qa_frame.frames.text_columns import columns_of_one, read_choices
from qa_frame.rules.parts import Convention
from qa_frame.scoring.call_rules import RuleArguments, make_rules
from qa_frame.scoring.normalised import normalise_texts
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import Metrics, make_plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.tables.methods import explains_wrong_calls, takes_rules


@takes_rules(after="metrics")
def score_one(
    pred: str | None,
    gold: str | Iterable[str | None] | Mapping[str, Any] | None,
    *,
    metrics: Metrics = None,
    **rules: Unpack[RuleArguments],
) -> dict[str, float]:
    """Score one prediction, for a quick check. For many, `score` on a frame is a thousand times faster.

    Parameters
    ----------
    pred
        Prediction as text; None for a missing one.
    gold
        Gold, or a list of several; or SQuAD's dict, `{"text": [...], "answer_start": [...]}`. None among several is
        left out. None alone cannot be scored, nor an empty list, but by conventions such as "squad2".
    metrics
        Metric(s) to compute: names, a `PairMetric`, or `"all"`. None takes the convention's default metrics.
    {arguments}
        Here `choices` holds the options' texts themselves.

    Returns
    -------
    dict of float
        The score of each metric that `score` gives for such a row: from 0 to 1, NaN where it is not scored.

    Raises
    ------
    UnknownOptionError
        Where `pred` is not text, or `gold` is neither text nor several texts. Also all that `score` raises.

    Examples
    --------
    >>> import qa_frame
    >>> qa_frame.score_one("The Seine.", "Seine", metrics=["em", "f1"])
    {'em': 1.0, 'f1': 1.0}
    >>> qa_frame.score_one("in Paris", ["Paris, France", "Rome"], metrics="f1", convention="squad2")
    {'f1': 0.5}
    """
    options: Any = rules.get("choices")
    plan = make_plan(metrics, make_rules(**rules | {"choices": None if options is None else "choices"}))
    columns = prepare_predictions(columns_of_one(pred, gold, options, plan.rules.gold_is), plan)
    return {name: float(scores[0]) for name, scores in score_columns(columns, plan, progress=False).items()}


@explains_wrong_calls
def normalise(column: Column, convention: ConventionName | Convention = "squad") -> Column:
    """Give texts as `em` compares them: in lower case, without articles and so on, as the convention has it.

    Two texts have `em` 1 exactly if they are equal here. So answers can be counted for a majority vote, or grouped, or
    looked at.

    Parameters
    ----------
    column
        Column of texts, or of lists of text: a pandas or polars Series, or a `pyarrow.Array` or `ChunkedArray`. Texts
        are taken for predictions, and lists for golds: some conventions cut predictions and leave golds as they are.
    convention
        Rules of normalisation: a name from `qa_frame.conventions`, or a `Convention`. It must have a rule for `em`.

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
        Where the column holds floats or other objects, or text that is not Unicode. Whole numbers and truth values are
        read as their texts.

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
    texts = read_text_series(column, "normalise", may_be_lists=True)
    if is_list(texts.type):
        lists = texts.combine_chunks()
        golds = normalise_texts(as_chunked(lists.flatten()), convention, are_predictions=False)
        texts = with_items(lists, golds.combine_chunks())
    else:
        texts = normalise_texts(texts, convention, are_predictions=True)
    normalised: Column = as_kind_of(column, texts)
    return normalised


@explains_wrong_calls
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
        Column of responses: a pandas or polars Series, or a `pyarrow.Array` or `ChunkedArray`, of text.
    extract
        Step that takes out the answer: a name from the page "What extract= takes out", such as `"boxed"`, a pattern
        from `re.compile`, or a list of steps, each of which works on what the one before found. Of a pattern, the first
        match is the answer, or that match's first group. In a name, bars separate alternatives: `"boxed|all"`.
    choices
        Column of the options of each response, as lists of text, by position, for `"choice"` and `"letters"`.

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
        Where the column holds floats, lists or other values. Whole numbers and truth values are read as their texts.
    """
    steps = make_steps(extract)
    require_choice_step(None if choices is None else "...", steps)
    if not steps:
        raise UnknownOptionError("extract=None takes no part of a response; give a name, a pattern or a list of these")
    texts = read_text_series(column, "extract_answers")
    options = None if choices is None else read_choices(polars_to_arrow(choices, "extract_answers"), "choices")[0]
    if options is not None and len(options) != len(texts):
        raise UnknownOptionError(f"choices has {len(options):,} values, and column {len(texts):,}; give one for each")
    answers: Column = as_kind_of(column, extract_texts(texts, steps, options))
    return answers
