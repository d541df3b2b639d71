"""`qa-frame compare`: files of two or more models → paired differences."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
import pandas as pd

import qa_frame
from qa_frame.cli import inputs, options, tables, thresholds

_OWN = ["by", "on", "baseline"]


@click.command(epilog=options.EPILOG)
@options.options_of(qa_frame.compare, without=["data", "pred", "gold"])
@inputs.takes_rows()
@inputs.takes_scored
@click.option(
    "--fail-if-worse",
    type=thresholds.Limit(),
    multiple=True,
    help="Test of non-inferiority, as f1=0.02: end with status 1 unless the lower bound of the confidence interval of "
    "new minus old (diff_lo, at the two-sided level --ci, on the questions that both answered) is above -0.02. Old is "
    "--baseline, by default the group of the first row of the first file; each other group is new, and must pass. A "
    "bound that is not defined fails. Repeatable.",
)
@tables.takes_output
def command(
    rows: inputs.Rows, table: tables.Output, *, scored: bool, fail_if_worse: thresholds.Limits, **settings: Any
) -> int:
    """Compare models on the questions that both of a pair answered.

    diff is the mean of a minus that of b, with its confidence interval; p_adj is corrected for the number of pairs.

    Give one file a model, or one file of several. Without --by the groups are the models, or the files where these do
    not tell two models. Without --on, questions are paired by question_id, or by question where there is none, and by
    dataset where there are several. With --within dataset, models are compared inside each dataset.
    """
    columns = rows.columns(scored=scored)
    grouping, comparing = options.split(settings, _OWN)
    read = rows.read(table.path)
    frame = _with_short_names(read)
    by = grouping.get("by") or _groups(frame)
    samples = comparing.get("samples")
    on = grouping.get("on") or (None if samples else _questions(frame))
    beside = _without(by, comparing.get("within"))
    if "baseline" in grouping:
        comparing["baseline"] = _baseline([frame, read], beside, grouping["baseline"])
    elif fail_if_worse:
        comparing["baseline"] = _values(frame, beside, 0)
    compared = qa_frame.compare(frame, by, on, **columns, **comparing)
    shown = _with_joined_counts(compared) if table.is_for_people else compared
    paired = on or samples or ()
    note = f"paired on {paired if isinstance(paired, str) else ', '.join(paired)}"
    common = ["a", "b", "n", "n_only_a", "n_only_b", "n_not_scored"]
    table.show(shown, note=note, common=common)
    return thresholds.check_not_worse(compared, fail_if_worse)


def _with_short_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the names of files below their common folder."""
    if not _has_several(frame, "file"):
        return frame
    files = frame["file"].unique().tolist()
    common = os.path.commonpath([os.path.dirname(os.path.abspath(file)) for file in files])  # noqa: PTH100, PTH120
    names = {file: Path(os.path.relpath(file, common)).as_posix() for file in files}
    return frame.assign(file=frame["file"].map(names))


def _groups(frame: pd.DataFrame) -> str:
    """Return the column that tells models apart."""
    for name in ("model", "file"):
        if _has_several(frame, name):
            return name
    raise click.UsageError("the rows are all of one model; give another file, or --by with the column of groups")


def _questions(frame: pd.DataFrame) -> list[str]:
    """Return the columns that identify a question."""
    names = [name for name in ("question_id", "question") if name in frame and frame[name].notna().all()]
    if not names:
        raise click.UsageError("the files do not tell which question a row answers; name the column with --on")
    return ["dataset", names[0]] if _has_several(frame, "dataset") else names[:1]


def _without(by: str | list[str], within: str | list[str] | None) -> str | list[str]:
    """Return the columns that tell groups apart inside one value of `within`."""
    inside = [within] if isinstance(within, str) else within or []
    names = [name for name in ([by] if isinstance(by, str) else by) if name not in inside]
    return names[0] if len(names) == 1 else names or by


def _values(frame: pd.DataFrame, by: str | list[str], row: int) -> Any:
    """Return the group of a row: a value, or a tuple of values."""
    return frame[by].iloc[row] if isinstance(by, str) else tuple(frame[name].iloc[row] for name in by)


def _baseline(frames: list[pd.DataFrame], by: str | list[str], text: str) -> Any:
    """Return the group that one of these frames writes so, or else the text itself, which `compare` then refuses.

    The first frame has the groups as they are shown, the other has files by the paths that were given.
    """
    names = [by] if isinstance(by, str) else by
    for frame in frames:
        if all(name in frame for name in names):
            written = frame[names].astype(str).agg(",".join, axis=1)
            rows = (written == text).to_numpy().nonzero()[0]
            if len(rows):
                return _values(frames[0], by, int(rows[0]))
    return text


def _with_joined_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with wins, ties and losses in one column, which is narrower."""
    counts = ["wins", "ties", "losses"]
    written = table[counts].astype(object).where(table[counts].notna(), "-").astype(str)
    joined = table.drop(columns=counts)
    joined.insert(list(joined).index("p_adj") + 1, "/".join(counts), written.agg("/".join, axis=1))
    return joined


def _has_several(frame: pd.DataFrame, name: str) -> bool:
    """Return whether the column exists, has no nulls, and has more than one value."""
    return name in frame and bool(frame[name].notna().all()) and len(frame[name].unique()) > 1
