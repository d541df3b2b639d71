"""`qa_frame.audit`: a prediction and a gold column → the hazards in them, which are likely to mislead."""

from __future__ import annotations

from collections.abc import Hashable

from qa_frame._typing import By, Frame, Unpack
from qa_frame.api.methods import takes_rules
from qa_frame.errors import require_flag
from qa_frame.frames.kinds import read_source
from qa_frame.scoring.call_rules import AuditArguments, make_rules
from qa_frame.scoring.plan import Metrics, make_plan, require_built_in


@takes_rules(after="metrics", of=AuditArguments)
def audit(
    data: Frame,
    *,
    pred: Hashable,
    gold: Hashable,
    metrics: Metrics = None,
    by: By = None,
    question: By = None,
    show_all: bool = False,
    **rules: Unpack[AuditArguments],
) -> Frame:
    r"""Find the hazards in these rows, which are likely to mislead the scores: one row per hazard, with its remedy.

    `df.qa.audit(...)` is `qa_frame.audit(df, ...)`.

    Parameters
    ----------
    data
        A pandas or polars frame, a `pyarrow.Table`, or anything with `__arrow_c_stream__`.
    pred
        The column of predictions.
    gold
        The column of golds: lists of text, or text.
    metrics
        Names of metrics, or `"all"`. None takes those of the convention. Hazards are those of these
        metrics under these rules.
    {rules}
    by
        The column that makes groups, such as the model, or a list of columns. It is used for `uneven_missing` and
        `duplicate_rows`.
    question
        A column or index level, or a list of these, that tells questions apart: for `duplicate_rows`.
    show_all
        Whether to show all hazards, with a column `found` that says which are above their threshold.

    Returns
    -------
    frame
        The kind of frame that was given: `hazard` (a name of the table in Notes), `count` (int64, the rows that it
        concerns), `share` (float64, of all rows, from 0 to 1), `examples` (up to five labels of such rows; positions
        where the frame has no index) and `remedy` (what to do; `data` is the frame). It has no rows if there is no
        hazard. `qa_frame.style` shows it with each remedy whole.

    Raises
    ------
    QaFrameError
        All errors that `score` raises, but one: golds that are lists written out as text are a hazard here.

    Notes
    -----
    A hazard is reported if it concerns any row, or at least the share of the rows that the table names. Rows without
    golds are looked at for the last three hazards only. A normalisation loses some characters if two texts, with and
    without them, have the same tokens by the convention's own steps and split. These are the steps of `em`, `f1` and
    `contains`, or those of the other metrics if none of these three is asked for.

    ==================== =============================================================================== =======
    hazard               what it is                                                                      from
    ==================== =============================================================================== =======
    `blank_golds`        a gold is empty or white space, and that does not stand for "no answer"         always
    `empty_golds`        another gold has no tokens: "A", "The The"                                      always
    `lost_letter`        a gold has the same tokens without the letter that it ends with: "Vitamin A"    always
    `lost_sign_or_point` a gold has the same tokens without its sign, decimal point or plus ("-5",       always
                         "3.14", "C++"), or a prediction has the same tokens as a gold that differs in
                         such a character, or in another of a number: "1/2" and "12", "50%" and "50"
    `number_forms`       a prediction has all tokens of a gold only once the numbers of both have one    always
                         form: "1,000" and "1000", "2.0" and "2"
    `lost_script`        a metric sees no token of a gold's letters beyond Latin                         always
    `inside_word`        `contains` finds a gold only inside longer words or numbers ("9" in "1999"),    1 %
                         other than its plural in s or es
    `long_predictions`   a prediction has 100 characters and ten times those of its longest gold, and a  10 %
                         metric is asked for that counts that
    `refusals`           a prediction refuses, and no gold does: "I cannot", "As an AI", "I don't know", 1 %
                         "the passage does not say", and "N/A" or "unknown" alone; not where a guess
                         follows ("but maybe Paris"); `qa_frame.NO_REFUSAL` has the list
    `null_texts`         a prediction is a text that `astype(str)` makes of a null, and no gold is:      always
                         "nan", "None", "<NA>", "null"
    `answer_phrases`     a prediction announces its answer: "The answer is Paris", "**Answer:** Paris"   1 %
    `think_tags`         `<think>`, `<thinking>` or `<reasoning>` in a prediction, or their ends         always
    `answer_tags`        `<answer>` or `</answer>` in a prediction                                       always
    `boxed`              `\boxed` or `\fbox` in a prediction                                             always
    `bold`               `**` around words in a prediction                                               1 %
    `code_fences`        three backticks in a prediction                                                 1 %
    `html`               a tag of HTML in a prediction                                                   1 %
    `choice_letters`     the golds of most rows are one letter from A to J, and a prediction is more     always
                         than a letter: "(B)", "B."; or most predictions are one, and a gold is none
    `written_lists`      the only gold of a row is a list that was written out as text                   1 %
    `joined_golds`       the only gold holds several: ";" or " / " in more than half of the rows, "|"    always
                         in more than a tenth
    `duplicate_golds`    two golds of a row are equal after normalisation                                1 %
    `duplicate_rows`     an earlier row has the same question and group                                  always
    `uneven_missing`     missing predictions of a group that lacks 2 points more of them than all        always
                         others, and 3 standard errors; not with `missing="null"`
    `constant_metric`    a metric has the same score in all of 20 or more rows                           always
    ==================== =============================================================================== =======

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> responses = ["<think>Who?</think> The Who", "about 314", "42"]
    >>> df = pd.DataFrame({"response": responses, "answers": [["The Who"], ["3.14"], ["42"]]})
    >>> found = df.qa.audit(pred="response", gold="answers")
    >>> found[["hazard", "count", "examples"]]
                   hazard  count examples
    0  lost_sign_or_point      1      [1]
    1          think_tags      1      [0]
    >>> print(found["remedy"][1])
    extract='after_think' takes what follows the thought, and all of other responses
    """
    from qa_frame.view.audit.table import look_at, make_table  # noqa: PLC0415  (rarely needed)

    require_flag("show_all", show_all)
    plan = make_plan(metrics, make_rules(reduce="max", **rules))
    require_built_in(plan)
    source = read_source(data)
    audited = look_at(source, plan, pred=pred, gold=gold, by=by, question=question)
    table: Frame = source.like(make_table(audited, show_all=show_all), has_keys=False)
    return table
