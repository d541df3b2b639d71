"""`qa-frame compare`: Compare two or more models on the questions that both answered."""

from __future__ import annotations

import functools
from typing import Any

import click
import pandas as pd

import qa_frame
from qa_frame.checks import is_hashable
from qa_frame.ext.shell import exits, inputs, options, tables, thresholds
from qa_frame.ext.shell.exits import SUCCESS

_BRIEF = ["metric", "a", "b", "diff", "verdict", "mdd"]
"""The columns that the summary of a step shows."""

_SCORED = "scored_questions"
"""The attribute of a comparison that has `thresholds.Scored`, until the gates take it."""
_MORE = "--csv, --json and -o have more columns"
_MANY = ". These are {n} pairs: --baseline compares with one model, --ranks shows the ranks"
_MOST_PAIRS = 50


@click.command(cls=options.Command, epilog=options.EPILOG)
@options.options_of(qa_frame.compare, without=["data"])
@options.options_of(qa_frame.summary, only=["metrics"])
@options.options_of(
    qa_frame.summary,
    only=("pass_at", "pass_all", "threshold", "macro", "weights", "datasets", "prefix"),
    home="summary",
)
@inputs.takes_rows()
@inputs.takes_scoring
@thresholds.limit_option(
    "--fail-if-worse",
    "Fail unless new is shown not to be worse than old by this much, as f1=0.02 (test of non-inferiority). Old is "
    "--baseline, by default the first file. Repeatable.",
)
@click.option(
    "--allow-missing",
    type=click.FloatRange(0, 1),
    default=0,
    metavar="SHARE",
    help="Share of old's questions that new may lack.",
)
@click.option("--ranks", is_flag=True, help="Show the ranks of each group.")
@tables.takes_output
def command(
    rows: inputs.InputFiles,
    table: tables.Output,
    *,
    scored: bool,
    fail_if_worse: thresholds.Limits,
    allow_missing: float,
    ranks: bool,
    **settings: Any,
) -> int:
    """Compare models on the questions that both of a pair answered.

    diff is the mean of a minus that of b, and b is --baseline or the group that comes first: the second file minus the
    first. p_adj is corrected for the number of pairs.

    Without --by the groups are the models, or else the files. Without --question, questions are paired by question_id,
    or else by question, and by dataset.
    """
    if ranks and ("baseline" in settings or fail_if_worse):
        raise click.UsageError("--ranks compares each group with each; leave out --baseline and --fail-if-worse")
    margins = thresholds.margins_of(fail_if_worse, allow_missing)
    if margins and "margin" in settings:
        raise click.UsageError("--fail-if-worse and --margin both give a margin; leave one out")
    read = rows.read(table.path)
    frame = inputs.with_short_names(read)
    inside = inputs.listed(settings.get("within", []))
    finds_keys = not {"by", "question"} & settings.keys()
    by, question = inputs.take_keys(frame, settings)
    if finds_keys and inputs.must_compare_inside_filters(frame, by, inside):
        inside = settings["within"] = [*inside, inputs.FILTER]
    keys = [name for name in inputs.listed(by) if name not in inside] or inputs.listed(by)
    if "baseline" in settings:
        settings["baseline"] = _find_baseline([frame, read], keys, settings["baseline"])
    elif fail_if_worse and {*keys} <= {*frame}:  # else `compare` refuses them
        settings["baseline"] = _group_of_row(frame, keys, 0)
    elif not ranks:
        frame = _reverse_group_order(frame, keys)
    compare = functools.partial(_compare, by=by, question=question, margins=margins)
    compared = rows.tabulate(frame, settings, compare, scored=scored)
    scored_questions, old = compared.attrs.pop(_SCORED, {}), settings.get("baseline") if inside else ()
    old = old if isinstance(old, tuple) else (old,)
    in_order = [side for side in ("a", "b") if isinstance(compared[side].dtype, pd.CategoricalDtype)]
    compared = compared.astype({side: compared[side].cat.categories.dtype for side in in_order})
    note, level = f"paired on {', '.join(inputs.listed(question))}", compared.attrs["qa_table"]["level"]
    if ranks:
        table.show(qa_frame.ranks(compared, ci=level), note=note, common=["metric", "n_groups", "n_untested"])
        return SUCCESS
    shown = compared
    if table.is_for_people:
        gated = margins if "metrics" not in settings else {}
        shown = _for_people(compared[compared["metric"].isin(gated)] if gated else compared)
        note += f"; {_MORE}" + _MANY.format(n=len(shown)) * (len(shown) > _MOST_PAIRS)
    gates = thresholds.gates_of_margins(compared, margins, level, scored_questions, allowed=allow_missing, old=old)
    common = ["metric", "a", "b", "n", "n_only_a", "n_only_b", "n_not_scored"]
    table.show(shown, note=note, common=common, gates=gates, brief=_BRIEF)
    return thresholds.report_gates(gates)


def _compare(
    frame: pd.DataFrame, *, by: Any, question: Any, margins: dict[str, float], **settings: Any
) -> pd.DataFrame:
    """Return `qa_frame.compare` with these margins. Its errors about them name `--fail-if-worse`, which gave them.

    margins: the margin by metric; empty if the user gave none.
    """
    if not margins:
        return qa_frame.compare(frame, by, question, **settings)
    try:
        compared = qa_frame.compare(frame, by, question, margin=margins, **settings)
    except qa_frame.errors.UnknownOptionError as error:
        message = exits.spell_error(error, click.get_current_context().command)
        raise qa_frame.errors.UnknownOptionError(message.replace("--margin", "--fail-if-worse")) from error
    keys = [*dict.fromkeys([*inputs.listed(settings.get("within", [])), *inputs.listed(by)])]
    columns = {metric: settings.get("prefix", "") + metric for metric in margins}
    compared.attrs[_SCORED] = thresholds.scored_questions(frame, keys, inputs.listed(question), columns)
    return compared


def _reverse_group_order(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the frame with its keys as categories, in which the group that the rows have first is the last.

    So it is `b` of each of its pairs, as the baseline is. A key that is missing or cannot be hashed stays as it is.
    """
    names = [name for name in keys if name in frame and frame[name].map(is_hashable).all()]
    orders = {name: pd.CategoricalDtype([*frame[name].dropna().unique()][::-1]) for name in names}
    return frame.astype(orders)


def _group_of_row(frame: pd.DataFrame, keys: list[str], row: int) -> Any:
    """Return the group of the row at a position: the value of its only key, or a tuple of values."""
    values = tuple(frame[name].iloc[row] for name in keys)
    return values if len(values) > 1 else values[0]


def _find_baseline(frames: list[pd.DataFrame], keys: list[str], text: str) -> Any:
    """Return the group whose values, joined by commas, are `text`; or else `text` itself, which `compare` then refuses.

    frames: two frames of the same rows. The first has short names of files, and its group is returned; the other has
    the paths that were given.
    """
    for frame in frames:
        if set(keys) <= set(frame):
            written = frame[keys].astype(str).agg(",".join, axis=1)
            rows = (written == text).to_numpy().nonzero()[0]
            if len(rows):
                return _group_of_row(frames[0], keys, int(rows[0]))
    return text


def _for_people(table: pd.DataFrame) -> pd.DataFrame:
    """Return the comparison with the columns that matter most. Wins, ties and losses share one column to save width."""
    counts = ["wins", "ties", "losses"]
    written = table[counts].map(lambda count: "-" if pd.isna(count) else f"{count:.1f}".removesuffix(".0"))
    joined = table.assign(**{"/".join(counts): written.agg("/".join, axis=1)})
    others = ["p_adj", "mdd", "mean_a", "mean_b", "/".join(counts), "n", "n_only_a", "n_only_b", "n_not_scored"]
    return joined[["metric", "a", "b", "diff", "diff_lo", "diff_hi", "verdict", *others]]
