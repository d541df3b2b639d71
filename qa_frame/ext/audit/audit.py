"""`qa_frame.audit`: a prediction and a gold column → what is likely to mislead their scores, and what to do."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from qa_frame._typing import By, Flags, Frame, Unpack
from qa_frame.errors import QaFrameError
from qa_frame.ext.audit.data_checks import DATA_CHECKS, FINDERS, clear_flags_of_written_lists
from qa_frame.ext.audit.describe_columns import describe_columns
from qa_frame.ext.audit.finders import Sides
from qa_frame.ext.audit.remedies import Audited, kind_of, name_shares
from qa_frame.ext.audit.trials import Trials, read_audited
from qa_frame.ext.style.style import printed_whole
from qa_frame.frames.names import are_cut_off, name_in
from qa_frame.frames.options import are_no_options, in_letters
from qa_frame.frames.scoring_metadata import describe_table, origins
from qa_frame.frames.source import Source, read_source
from qa_frame.frames.text_columns import TextColumns, read_choices
from qa_frame.scoring.batches import split_rows
from qa_frame.scoring.call_rules import AuditArguments
from qa_frame.scoring.chance import count_moved_golds
from qa_frame.scoring.plan import Metrics, Plan
from qa_frame.scoring.pooled import MISSING, NO_GOLD, NOT_EXTRACTED, TRUNCATED
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.scoring.row_flag_warnings import tool_of
from qa_frame.scoring.row_flags import FLAGS, LONGER
from qa_frame.stats.grouping import GroupCodes, code_groups, list_keys, read_codes
from qa_frame.tables.methods import takes_rules
from qa_frame.tables.metric_fit import MetricFit
from qa_frame.tables.restored import ScoringMetadata, restore_metadata, without_prefix

_EXAMPLES = 5


@takes_rules(after="metrics", of=AuditArguments)
def audit(
    data: Frame,
    by: By = None,
    question: By = None,
    *,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    metrics: Metrics = None,
    **rules: Unpack[AuditArguments],
) -> Frame:
    """Check the data: find what in these rows is likely to mislead their scores, one row per finding, with its remedy.

    `df.qa.audit(...)` is `qa_frame.audit(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> responses = ["<think>Who?</think> The Who", "about 314", "42"]
    >>> df = pd.DataFrame({"response": responses, "answers": [["The Who"], ["3.14"], ["42"]]})
    >>> findings = df.qa.audit(pred="response", gold="answers")
    >>> findings[["finding", "count", "examples"]]
                  finding  count examples
    0  lost_sign_or_point      1      [1]
    1          think_tags      1      [0]
    >>> print(findings["remedy"][1])
    extract='after_think' takes what follows the thought, or else the whole response; em becomes 1 in 1 of 1 row tried

    Parameters
    ----------
    data
        Frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    by
        Column(s) to group by, such as the model. Where groups differ, a remedy then ends with the share of rows that
        have the finding, for up to five groups, the largest first.
    question
        Column(s) or index levels that identify a question. Only the finding `duplicate_rows` reads it, which counts all
        rows of a question in a group but the first.
    pred
        Column of predictions. None takes the one from which the frame was scored. If the frame was not scored and
        neither `pred` nor `gold` is given, the result describes its columns instead: `what` each one is, the `column`,
        what it `holds`, and a `call` that it allows.
    gold
        Column of golds. None takes the one from which the frame was scored. A frame that was not scored needs both
        `pred` and `gold`, or neither.
    metrics
        Metric(s) for which texts are checked: names, or `"all"`. None takes those of the frame, or else the
        convention's.
    {arguments}

    Returns
    -------
    frame
        The kind of frame that was given, with one row per finding and none if nothing is found:

        - `finding`: its name. The page "The data checks of audit" explains each.
        - `count`: the number of rows that it concerns; `share`: their share of all rows, from 0 to 1.
        - `examples`: up to five labels of such rows, or positions where the frame has no index.
        - `remedy`: what to do, as code where possible, in which `data` is the frame.

        A pandas frame prints with each remedy whole; `qa_frame.style` shows the other kinds so.

    Raises
    ------
    QaFrameError
        All errors that `score` raises, but one: golds that are lists written out as text are a finding here.
    """
    source, _ = without_prefix(read_source(data))
    if pred is gold is None and not origins(source.notes):
        table = describe_columns(source)
    else:
        whole: Any = {"reduce": "max", **rules}
        metadata = restore_metadata(source, "audit", pred=pred, gold=gold, metrics=metrics, rules=whole)
        table = _make_table(prepare_audit(source, metadata, by=by, question=question))
    shown: Frame = source.like(table, has_keys=False)
    return shown


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """A data check that fails: the rows that it finds are enough to be reported.

    Attributes
    ----------
    name
        Its name in `DATA_CHECKS`, or that of a check which a caller adds.
    flags
        Which rows it finds, shape (rows,).
    remedy
        The advice.
    """

    name: str
    flags: Flags
    remedy: str


def prepare_audit(source: Source, metadata: ScoringMetadata, *, by: By, question: By) -> Audited:
    """Return the data with what the checks need: columns as scoring reads them, groups, and the flags of each row."""
    plan = metadata.plan
    columns = prepare_predictions(read_audited(source, plan, pred=metadata.pred, gold=metadata.gold), plan)
    trials = Trials(source, metadata.pred, metadata.gold, plan, columns)
    end = name_in(source.names, "finish_reason")
    frame = source.as_pandas({"by": list_keys(by), "question": list_keys(question)}, [] if end is None else [end])
    groups = code_groups((), len(columns)) if by is None else read_codes(frame, by, "by", has_nulls=True)
    flags = dict.fromkeys(("duplicate_rows", "cut_off"), np.zeros(len(columns), np.bool_))
    if question is not None:
        questions = read_codes(frame, question, "question", has_nulls=True).codes
        rows = pd.DataFrame({"question": questions, "group": groups.codes})
        flags["duplicate_rows"] = rows.duplicated().to_numpy()
    if end is not None:
        flags["cut_off"] = are_cut_off(frame[end])
    flags["no_option"] = _flag_golds_outside_options(source, columns)
    flags |= _flag_rows_by_check(columns, plan)
    known = clear_flags_of_written_lists(columns, flags)
    fit = _count_flags(columns, plan, known, groups)
    return Audited(source, metadata, by, question, columns, known, groups, trials, fit)


def _flag_golds_outside_options(source: Source, columns: TextColumns) -> Flags:
    """Return which rows have golds that are none of their options, shape (rows,).

    Options are those of the call, or stand in a column with a usual name. No row is flagged where such a column holds
    something else, or where it would flag half of the rows or more.
    """
    name = name_in(source.names, "choices")
    is_none = columns.is_no_option
    if is_none is None and name is not None and not columns.has_spans:
        with contextlib.suppress(QaFrameError):  # it holds something else
            golds = in_letters(columns.golds, may_be_several=True)
            is_none = are_no_options(golds, read_choices(source.columns[name], "choices")[0], may_be_several=True)
            is_none = is_none if 2 * np.count_nonzero(is_none) < len(columns) else None  # golds are no letters at all
    return np.zeros(len(columns), np.bool_) if is_none is None else is_none


def _flag_rows_by_check(columns: TextColumns, plan: Plan) -> dict[str, Flags]:
    """Return for each of `FINDERS`, by its name, which rows it finds, shape (rows,).

    What normalisation loses is found by comparison: a text and the same text without some characters go through the
    convention's own steps and split, and these characters are lost if both come out equal. A row without golds is never
    found. `joined_golds` has a key for each separator, as `joined_golds:|`.
    """
    sides = (Sides(columns.slice(start, stop), plan) for start, stop in split_rows(columns))
    of_batches = [{name: find(batch) for name, find in FINDERS.items()} for batch in sides]
    return {name: np.concatenate([np.zeros(0, np.bool_), *(each[name] for each in of_batches)]) for name in FINDERS}


def run_checks(audited: Audited) -> list[FailedCheck]:
    """Return the checks that find enough rows, in the order of `DATA_CHECKS`.

    Where an earlier check has the same remedy, a check refers to that one.
    """
    failed: list[FailedCheck] = []
    first: dict[str, str] = {}
    for name, check in DATA_CHECKS.items():
        flags = audited.flags[name] if check.choose is None else check.choose(audited)
        if not flags.any() or flags.mean() < check.least:
            continue
        remedy = check.advise(audited, flags)
        if first.setdefault(remedy, name) != name:
            remedy = f"the same as for {first[remedy]}, above"
        failed.append(FailedCheck(name, flags, remedy + name_shares(audited, flags)))
    return failed


def _count_flags(columns: TextColumns, plan: Plan, flags: Mapping[str, Flags], groups: GroupCodes) -> MetricFit:
    """Return the `MetricFit` of the groups, made of how many rows of each group have each flag.

    flags: the rows that each check finds, by name. If F1 may mislead for long answers, `moved` of the fit is counted,
    too (see `count_moved_golds`).
    """
    of_rows = {
        "n_rows": np.ones(len(columns), np.bool_),
        MISSING: columns.is_missing,
        NOT_EXTRACTED: columns.is_not_extracted,
        NO_GOLD: columns.lack_gold(no_answer=plan.convention.no_answer),
        TRUNCATED: flags["cut_off"],
        **{flag: flags[flag] for flag in FLAGS},
    }
    codes, n_groups = groups.codes, len(groups)
    counts = {name: np.bincount(codes[each], minlength=n_groups) for name, each in of_rows.items() if each is not None}
    fit = MetricFit(groups, counts, plan.metrics, tool=tool_of(plan.convention))
    return replace(fit, moved=count_moved_golds(columns, fit.has_many()[codes])) if fit.misleads(LONGER).any() else fit


def _make_table(audited: Audited) -> pd.DataFrame:
    """Return the table of findings in pandas, and warn of metrics that do not fit the answers.

    The columns of a table that will be polars or Arrow have Arrow's types.
    """
    columns, n_rows = audited.source.columns, len(audited.columns)
    labels = columns.index if isinstance(columns, pd.DataFrame) else pd.RangeIndex(n_rows)
    audited.fit.warn()
    rows = []
    for check in run_checks(audited):
        places = np.flatnonzero(check.flags)
        rows.append((check.name, len(places), len(places) / n_rows, labels[places[:_EXAMPLES]].tolist(), check.remedy))
    table = pd.DataFrame(rows, columns=["finding", "count", "share", "examples", "remedy"])
    # Where nothing is found, pandas cannot see what the columns would hold.
    table = table.astype({"finding": str, "count": np.int64, "share": np.float64, "remedy": str})
    if kind_of(audited.source) != "pandas":
        text, places_type = pd.ArrowDtype(pa.string()), pd.ArrowDtype(pa.list_(pa.int64()))
        table = table.astype({"finding": text, "remedy": text})
        table["examples"] = pd.Series(pa.array(table["examples"].tolist(), pa.list_(pa.int64())), dtype=places_type)
    table = printed_whole(table)
    table.attrs |= describe_table("audit", keys=["finding"], estimates=["share"], metrics={})
    return table
