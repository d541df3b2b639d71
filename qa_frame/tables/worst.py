"""`qa_frame.worst`: the rows with the lowest scores."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

from qa_frame._typing import By, Flags, Frame
from qa_frame.checks import require_choice, require_whole_number
from qa_frame.errors import ColumnNotFoundError
from qa_frame.frames.row_hashes import hash_rows
from qa_frame.frames.row_rules import FLAGS_LABEL, read_flags
from qa_frame.frames.source import Source
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.scoring.row_flags import FLAGS
from qa_frame.stats.grouping import make_group_columns
from qa_frame.tables.existing_scores import existing_scores
from qa_frame.tables.methods import explains_wrong_calls
from qa_frame.tables.rows import read_one_metric


@explains_wrong_calls
def worst(
    data: Frame,
    n: int = 10,
    *,
    metric: str | PairMetric = "f1",
    by: By = None,
    flag: str | None = None,
) -> Frame:
    """Return the n rows with the lowest score, the lowest first, or those with a flag: what to read first.

    `df.qa.worst(...)` is `qa_frame.worst(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"response": ["Rome", "Seine", "no"], "answers": [["Roma"], ["the Seine"], []]})
    >>> found = qa_frame.worst(qa_frame.score(df, pred="response", gold="answers", metrics="f1"), 1, metric="f1")
    >>> found[["response", "answers", "f1"]]
      response answers   f1
    0     Rome  [Roma]  0.0
    >>> found.attrs["qa_chosen"]
    {'metric': 'f1', 'n_rows': 3, 'n': 2, 'n_not_scored': 1}

    Rows where `em` is 0, but the answer is there, the shortest first:

    >>> df = pd.DataFrame({"response": ["That would be Rome.", "Oslo", "It is Rome."], "answers": ["Rome"] * 3})
    >>> scored = qa_frame.score(df, pred="response", gold="answers", metrics=["em", "f1"])
    >>> qa_frame.worst(scored, flag="gold_in_longer_answer")["response"].tolist()
    ['It is Rome.', 'That would be Rome.']

    Parameters
    ----------
    data
        Frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    n
        Largest number of rows to return, 1 or more; with `by`, of each group.
    metric
        Column of scores: a metric, or another column of numbers or truth values.
    by
        Column(s) or index levels to group by. The groups' rows follow each other in the order of their keys.
    flag
        Flag that rows must have, one of those that `score` puts into `qa_flags`. At most `n` such rows are returned,
        those with the shortest predictions first, where texts are known. `metric` must be a column here, too.

    Returns
    -------
    frame
        The kind of frame that was given, with its columns. Among rows with equal scores, the one that is worse by the
        other metrics comes first; else the order depends on the texts of the rows and not on their places. Rows without
        a score in `metric` are left out, also with `flag`. `attrs["qa_chosen"]`, in an Arrow table the metadata, counts
        all rows as `n_rows`, those with a score as `n` and those without as `n_not_scored`; polars has none.
        `qa_frame.style` shows the rows with the score first.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used. With `flag`, also where there is no column `qa_flags`.
    """
    require_whole_number("n", n, least=1)
    source, scoring = read_one_metric(data, metric)
    n = min(int(n), sys.maxsize)  # no frame has more rows, and numpy takes no larger number
    if flag is not None:
        require_choice("flag", flag, tuple(FLAGS))
    named = (scoring.named or ("",))[0]
    prefix = min((named.removesuffix(name) for name in METRICS if named.endswith(name)), key=len, default="")
    rows = scoring.read(source, make_group_columns(by))
    group = rows.groups.codes
    ((metric, scores),) = rows.scores.items()
    is_scored = ~np.isnan(scores)
    note = {"metric": metric, "n_rows": rows.n_rows, "n": int(is_scored.sum()), "n_not_scored": int((~is_scored).sum())}
    if flag is not None:  # those with the shortest predictions come first
        is_scored &= _read_flag(source, prefix, flag)
        scores = np.zeros(len(scores)) if rows.texts is None else rows.texts.pred_lengths
    scored = np.flatnonzero(is_scored)
    order = scored[np.lexsort((scores[scored], group[scored]))]
    ranks = pd.DataFrame({"group": group[order], "score": scores[order]})
    place = ranks.groupby("group")["score"].rank(method="min").to_numpy()
    reached = order[place <= n]  # with all that are equal to the last one
    if ranks.duplicated().any():
        labels, taken = [*scoring.names, *(prefix + name for name in METRICS)], source.take(reached)
        every = existing_scores(taken.as_pandas({}, labels), prefix)
        others = [every[name] for name in METRICS if name in every and prefix + name != metric]
        ties = [np.where(np.isnan(each), np.inf, each) for each in others]
        chance = hash_rows(taken, without={*source.labels(labels)})
        reached = reached[np.lexsort((reached, chance, *ties[::-1], scores[reached], group[reached]))]
    chosen = reached[pd.Series(reached).groupby(group[reached]).cumcount().to_numpy() < n]
    selected: Frame = source.take(chosen).with_note("qa_chosen", note)
    return selected


def _read_flag(source: Source, prefix: str, flag: str) -> Flags:
    """Return which rows have a flag, shape (rows,).

    ColumnNotFoundError where no column of flags has this prefix, and not exactly one has another.
    """
    others = [name for name in source.names if isinstance(name, str) and name.endswith(FLAGS_LABEL)]
    label = others[0] if len(others) == 1 else prefix + FLAGS_LABEL
    flags = read_flags(source.columns, label, [flag])
    if not flags:
        remedy = "score it without append=False" if not others else f"leave one of {others}, and drop the others"
        raise ColumnNotFoundError.of("flag", f"needs one column {label!r}", remedy, value=flag)
    return flags[flag]
