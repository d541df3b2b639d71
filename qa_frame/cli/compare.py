"""`qa-frame compare`: files of two or more models → paired differences."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import pandas as pd

import qa_frame
from qa_frame.cli import exits, inputs, options, tables, thresholds
from qa_frame.cli.exits import SUCCESS

_OWN = ["by", "question", "baseline"]

FILTER = "filter"
"""The column of `read_results` that has the filters of lm-evaluation-harness."""


@click.command(epilog=options.EPILOG)
@options.options_of(qa_frame.compare, without=["data"])
@options.options_of(
    qa_frame.summary, only=("pass_at", "pass_all", "threshold", "macro", "weights", "datasets", "prefix", "metrics")
)
@inputs.takes_rows()
@inputs.takes_scoring
@click.option(
    "--fail-if-worse",
    type=thresholds.Limit(),
    multiple=True,
    help="Test of non-inferiority, as f1=0.02 for two percentage points: end with status 1 unless new is shown not to "
    "be worse than old by 0.02 or more, on the questions that both answered: unless p_noninferior is below 1 - ci "
    "(0.05), or, which is the same, new minus old is above "
    "-0.02 with a confidence of --ci (tost_lo, one-sided). Old is --baseline, by default the "
    "group of the first row of the first file; each other group is new, and must pass. What is not defined fails, and "
    "so does a new group without an answer to some question of old. Repeatable.",
)
@click.option(
    "--allow-missing",
    type=click.FloatRange(0, 1),
    default=0,
    metavar="SHARE",
    help="The share of old's questions that new may have no answer to without failing, as 0.1. By default none.",
)
@click.option(
    "--ranks",
    is_flag=True,
    help="Show the ranks that each group may have instead of the differences, at the level --ci. Each group is "
    "compared with each, so not with --baseline or --fail-if-worse.",
)
@thresholds.takes_report("fail_if_worse")
@tables.takes_output
def command(
    rows: inputs.Rows,
    table: tables.Output,
    *,
    scored: bool,
    fail_if_worse: thresholds.Limits,
    allow_missing: float,
    junit: str | None,
    ranks: bool,
    **settings: Any,
) -> int:
    """Compare models on the questions that both of a pair answered.

    diff is the mean of a minus that of b, with its confidence interval; p_adj is corrected for the number of pairs.

    Give one file per model, or one file of several. Without --by the groups are the models, or the files where these do
    not tell two models. Without --question, questions are paired by question_id, or by question where there is none,
    and by dataset where there are several, inside each filter of lm-evaluation-harness. With --within dataset, models
    are compared inside each dataset.
    """
    if ranks and ("baseline" in settings or fail_if_worse):
        raise click.UsageError("--ranks compares each group with each; leave out --baseline and --fail-if-worse")
    margins = thresholds.margins_of(fail_if_worse, allow_missing)
    if margins and "margin" in settings:
        raise click.UsageError("--fail-if-worse and --margin both give a margin; leave one out")
    grouping, comparing = options.split(settings, _OWN)
    read = rows.read(table.path)
    frame = with_short_names(read)
    by = grouping.get("by") or groups_of(frame)
    question = grouping.get("question") or questions_of(frame)
    inside = inputs.listed(comparing.get("within", []))
    finds_columns = not {"by", "question"} & grouping.keys()
    if finds_columns and by != FILTER and FILTER not in inside and has_filters(frame):
        inside = comparing["within"] = [*inside, FILTER]
    keys = inputs.listed(by)
    keys = [name for name in keys if name not in inside] or keys
    if "baseline" in grouping:
        comparing["baseline"] = _baseline([frame, read], keys, grouping["baseline"])
    elif fail_if_worse:
        comparing["baseline"] = _group(frame, keys, 0)
    if margins:
        comparing["margin"] = margins
    frame, comparing = rows.scored(frame, comparing, scored=scored)
    try:
        compared = qa_frame.compare(frame, by, question, **comparing)
    except qa_frame.errors.UnknownOptionError as error:
        if not margins:
            raise
        said = exits.spell_options(str(error), click.get_current_context().command)
        raise qa_frame.errors.UnknownOptionError(said.replace("--margin", "--fail-if-worse")) from error
    note = f"paired on {', '.join(inputs.listed(question))}"
    level = compared.attrs["qa_table"]["level"]
    if ranks:
        found = qa_frame.ranks(compared, ci=level)
        table.show(found, note=note, common=["n_groups", "n_untested"])
        return SUCCESS
    gated = margins if "metrics" not in settings else {}
    shown = _with_joined_counts(_of_metrics(compared, gated)) if table.is_for_people else compared
    common = ["a", "b", "n", "n_only_a", "n_only_b", "n_not_scored"]
    table.show(shown, note=note, common=common)
    return thresholds.conclude(thresholds.not_worse(compared, margins, level, allowed=allow_missing), junit)


def with_short_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the names of files below their common folder."""
    if not has_several(frame, "file"):
        return frame
    files = frame["file"].unique().tolist()
    common = os.path.commonpath([os.path.dirname(os.path.abspath(file)) for file in files])  # noqa: PTH100, PTH120
    names = {file: Path(os.path.relpath(file, common)).as_posix() for file in files}
    return frame.assign(file=frame["file"].map(names))


def groups_of(frame: pd.DataFrame) -> str:
    """Return the column that tells models apart."""
    for name in ("model", "file", FILTER):
        if has_several(frame, name):
            return name
    raise click.UsageError("the rows are all of one model; give another file, or --by with the column of groups")


def has_filters(frame: pd.DataFrame) -> bool:
    """Return whether answers have a row for each filter of lm-evaluation-harness."""
    answer = [name for name in ("question_id", "model", "dataset", "file", "sample") if name in frame]
    return has_several(frame, FILTER) and bool(frame[[*answer, FILTER]].drop_duplicates().duplicated(answer).any())


def questions_of(frame: pd.DataFrame) -> list[str]:
    """Return the columns that identify a question."""
    names = [name for name in ("question_id", "question") if name in frame and frame[name].notna().all()]
    if not names:
        raise click.UsageError("the files do not tell which question a row answers; name the column with --question")
    return ["dataset", names[0]] if has_several(frame, "dataset") else names[:1]


def _group(frame: pd.DataFrame, keys: list[str], row: int) -> Any:
    """Return the group of a row: the value of its only key, or a tuple of values."""
    values = tuple(frame[name].iloc[row] for name in keys)
    return values if len(values) > 1 else values[0]


def _baseline(frames: list[pd.DataFrame], keys: list[str], text: str) -> Any:
    """Return the group that one of these frames writes so, or else the text itself, which `compare` then refuses.

    The first frame has the groups as they are shown, the other has files by the paths that were given.
    """
    for frame in frames:
        if set(keys) <= set(frame):
            written = frame[keys].astype(str).agg(",".join, axis=1)
            rows = (written == text).to_numpy().nonzero()[0]
            if len(rows):
                return _group(frames[0], keys, int(rows[0]))
    return text


def _of_metrics(table: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """Return the rows of these metrics; all where none is named."""
    chosen = [*names]
    return table[table["metric"].isin(chosen)].reset_index(drop=True) if chosen else table


def _with_joined_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with wins, ties and losses in one column, which is narrower."""
    counts = ["wins", "ties", "losses"]
    written = table[counts].round(1).astype(object).where(table[counts].notna(), "-").astype(str)
    joined = table.drop(columns=counts)
    joined.insert(list(joined).index("n_needed") + 1, "/".join(counts), written.agg("/".join, axis=1))
    return joined


def has_several(frame: pd.DataFrame, name: str) -> bool:
    """Return whether the column exists, has no nulls, and has more than one value."""
    return name in frame and bool(frame[name].notna().all()) and len(frame[name].unique()) > 1
