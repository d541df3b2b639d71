"""The rows that each hazard concerns, and the table of an audit: a row for each hazard that is found."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from qa_frame._typing import By, Flags, Ints
from qa_frame.errors import QaFrameError
from qa_frame.ext.audit.data_checks import DATA_CHECKS, FINDERS, rows_of, without_golds_of_written_lists
from qa_frame.ext.audit.remedies import Audited, kind_of, name_shares
from qa_frame.ext.audit.sides import Sides
from qa_frame.ext.audit.trials import Trials, read_audited
from qa_frame.ext.style.printed import printed_whole
from qa_frame.frames.finish_reasons import are_cut_off
from qa_frame.frames.names import name_in
from qa_frame.frames.options import are_no_options
from qa_frame.frames.scoring_metadata import describe_table
from qa_frame.frames.source import Source
from qa_frame.frames.text_columns import TextColumns, read_choices
from qa_frame.scoring.batches import split_rows
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.pooled import MISSING, NO_GOLD, NOT_EXTRACTED, TRUNCATED
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.scoring.row_flag_warnings import warn_of_groups
from qa_frame.scoring.row_flags import LONGER
from qa_frame.stats.grouping import code_groups, list_keys, read_codes
from qa_frame.tables.restored import ScoringMetadata

_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """A hazard in some rows.

    Attributes
    ----------
    name
        Its name in `DATA_CHECKS`.
    flags
        Which rows it concerns, shape (rows,).
    remedy
        The advice.
    is_found
        Whether it concerns enough rows to be reported.
    """

    name: str
    flags: Flags
    remedy: str
    is_found: bool


def look_at(source: Source, recalled: ScoringMetadata, *, by: By, question: By) -> Audited:
    """Return the data, and what was seen in each row."""
    plan = recalled.plan
    trials = Trials(source, recalled.pred, recalled.gold, plan)
    columns = prepare_predictions(read_audited(source, plan, pred=recalled.pred, gold=recalled.gold), plan)
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
    flags["no_option"] = _find_no_option(source, columns)
    flags |= _find_rows(columns, plan)
    if all(METRICS[metric].ignores_length for metric in plan.metrics):
        flags["long_predictions"] = np.zeros(len(columns), np.bool_)
    return without_golds_of_written_lists(Audited(source, recalled, by, question, columns, flags, groups, trials))


def _find_no_option(source: Source, columns: TextColumns) -> Flags:
    """Flag rows whose golds are none of their options, which may stand in a column with a usual name."""
    name = name_in(source.names, "choices")
    found = columns.is_no_option
    if found is None and name is not None and not columns.has_spans:
        with contextlib.suppress(QaFrameError):  # it holds something else
            found = are_no_options(columns.golds, read_choices(source.columns[name], "choices")[0])
            found = found if 2 * np.count_nonzero(found) < len(columns) else None  # golds are no letters at all
    return np.zeros(len(columns), np.bool_) if found is None else found


def _find_rows(columns: TextColumns, plan: Plan) -> dict[str, Flags]:
    """Flag the rows that each hazard of texts concerns.

    A hazard of normalisation is found by comparison: a text and the same text without some characters go through the
    convention's own steps and split, and these characters are lost if both come out equal. Rows without golds are not
    looked at. `joined_golds` has a key for each separator, as `joined_golds:|`.
    """
    sides = (Sides(columns.slice(start, stop), plan) for start, stop in split_rows(columns))
    found = [{name: find(batch) for name, find in FINDERS.items()} for batch in sides]
    return {name: np.concatenate([np.zeros(0, np.bool_), *(each[name] for each in found)]) for name in FINDERS}


def run_checks(audited: Audited, *, show_all: bool = False) -> list[FailedCheck]:
    """Return all hazards, in the order of `DATA_CHECKS`, with the rows that each concerns.

    Unless all are shown, those that are not found have no remedy, as it takes time to try one. A remedy that another
    hazard has, which is found before, is not spelled again.
    """
    n_rows = len(audited.columns)
    found: list[FailedCheck] = []
    first: dict[str, str] = {}
    for name, hazard in DATA_CHECKS.items():
        flags = rows_of(name, audited)
        count = int(np.count_nonzero(flags))
        is_found = count > 0 and count / n_rows >= hazard.least
        remedy = hazard.advise(audited, flags) if is_found or show_all else ""
        if is_found and first.setdefault(remedy, name) != name:
            remedy = f"the same as for {first[remedy]}, above"
        remedy += name_shares(audited, flags) if is_found else ""
        found.append(FailedCheck(name, flags, remedy, is_found))
    return found


def count_rows(audited: Audited) -> dict[str, Ints]:
    """Return the counts of rows by group that `say_of_groups` reads."""
    columns, codes = audited.columns, audited.groups.codes
    flags = {
        "n_rows": np.ones(len(columns), np.bool_),
        MISSING: columns.is_missing,
        NOT_EXTRACTED: columns.is_not_extracted,
        NO_GOLD: columns.lack_gold(no_answer=audited.plan.convention.no_answer),
        TRUNCATED: audited.flags["cut_off"],
        LONGER: audited.flags["long_predictions"],
    }
    n_groups = len(audited.groups)
    return {name: np.bincount(codes[each], minlength=n_groups) for name, each in flags.items() if each is not None}


def make_table(audited: Audited, *, show_all: bool) -> pd.DataFrame:
    """Return the table of hazards, in pandas."""
    columns, n_rows = audited.source.columns, len(audited.columns)
    labels = columns.index if isinstance(columns, pd.DataFrame) else pd.RangeIndex(n_rows)
    warn_of_groups(audited.groups.labels.tolist(), count_rows(audited), audited.plan.metrics)
    rows = []
    for hazard in run_checks(audited, show_all=show_all):
        places = np.flatnonzero(hazard.flags)
        examples, share = labels[places[:_EXAMPLES]].tolist(), len(places) / max(n_rows, 1)
        if hazard.is_found or show_all:
            rows.append((hazard.name, len(places), share, examples, hazard.remedy, hazard.is_found))
    table = pd.DataFrame(rows, columns=["hazard", "count", "share", "examples", "remedy", "found"])
    # Where nothing is found, pandas cannot see what the columns would hold.
    table = table.astype({"hazard": str, "count": np.int64, "share": np.float64, "remedy": str, "found": np.bool_})
    if kind_of(audited.source) != "pandas":
        text, places_type = pd.ArrowDtype(pa.string()), pd.ArrowDtype(pa.list_(pa.int64()))
        table = table.astype({"hazard": text, "remedy": text})
        table["examples"] = pd.Series(pa.array(table["examples"].tolist(), pa.list_(pa.int64())), dtype=places_type)
    table = printed_whole(table if show_all else table.drop(columns="found"))
    table.attrs |= describe_table("audit", keys=["hazard"], figures=["share"], metrics={})
    return table
