"""What a scored frame remembers of its scoring → the columns, the rules and the scores that a view looks at."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import pandas as pd

from qa_frame._typing import Frame
from qa_frame.errors import (
    ColumnTypeError,
    QaFrameError,
    UnknownOptionError,
    show,
)
from qa_frame.frames.row_rules import FLAGS_LABEL, RULES_LABEL, require_one_scoring
from qa_frame.frames.scoring_metadata import Origin, origins, own_scores, rename_noted
from qa_frame.frames.source import Source, read_source, set_notes
from qa_frame.scoring.call_rules import RuleArguments, Rules, make_rules, restore_arguments
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Metrics, Plan, ScoreColumns, as_items, make_plan, require_built_in
from qa_frame.tables.existing_scores import convention_of
from qa_frame.tables.likely_columns import find_likely_columns, require_pred_and_gold
from qa_frame.tables.methods import explains_wrong_calls

USUAL_NAMES = {"pred": "response", "gold": "answers"}
"""The columns that hold texts in most frames, by argument."""


@dataclass(frozen=True, slots=True)
class ScoringMetadata:
    """The columns of a frame's texts, and how they are scored.

    Attributes
    ----------
    pred, gold
        The columns of predictions and golds.
    plan
        The metrics that a call names, else those that the frame has scores of, else those of the convention. The rules
        are those by which the frame was scored, with those in their place that the call gives.
    scored
        The names of the score columns that are there, and were made from these columns.
    differs
        How the rules differ from those of the frame's scores, as a sentence; empty where they do not.
    """

    pred: Hashable
    gold: Hashable
    plan: Plan
    scored: tuple[str, ...] = ()
    differs: str = ""


def without_prefix(source: Source, metrics: ScoreColumns = None) -> tuple[Source, dict[str, str]]:
    """Return the frame with score columns renamed to their metrics, as `f1` for `mine_f1`, and the metrics by column.

    `score(prefix=)` gave them the prefix. Where the scores of the frame, or those of them that `metrics` names, have no
    prefix in common, the frame stays as it is, and no metrics are returned. It also stays so where a new name would be
    that of another column. UnknownOptionError where rows have scores by different rules.
    """
    own = own_scores(source.notes)
    columns = [name for name in origins(source.notes) if name in source.names]
    columns = [name for name in columns if name in names_of_metrics(metrics)] or columns
    ends = {name: [own[name]] if name in own else [*filter(name.endswith, METRICS)] for name in columns}
    prefixes = [{name.removesuffix(end) for end in of_name} for name, of_name in ends.items() if of_name]
    prefix = min(set[str]().union(*prefixes[:1]).intersection(*prefixes), key=len, default="")
    names = {name: name.removeprefix(prefix) for name in columns}
    names |= {prefix + name: name for name in (RULES_LABEL, FLAGS_LABEL) if prefix + name in source.names}
    if not prefix or {*names.values()} & {*source.names}:
        return source, {}
    frame = source.columns
    require_one_scoring(frame, columns)
    if isinstance(frame, pd.DataFrame):
        named: Any = frame.rename(columns=names)
    else:
        named = frame.rename_columns([names.get(name, name) for name in frame.column_names])
    return replace(source, columns=set_notes(named, rename_noted(source.notes, names))), {n: names[n] for n in columns}


def require_one_level(source: Source, function: str) -> None:
    """Raise ColumnTypeError where the columns of a pandas frame have several levels, as notes name columns by one."""
    n_levels = source.column_labels.nlevels
    if n_levels > 1:
        flat = "df.columns = [' '.join(map(str, name)).strip() for name in df.columns]"
        raise ColumnTypeError.of(
            "data", f"has columns of {n_levels} levels, where {function} takes one", f"make it one before score: {flat}"
        )


def restore_metadata(
    source: Source,
    function: str,
    *,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    metrics: Metrics = None,
    rules: RuleArguments,
    names: Sequence[str] | None = None,
) -> ScoringMetadata:
    """Return the columns, metrics and rules that a call names, or else those of the frame's scores.

    UnknownOptionError where neither says them. function: the name of the public function that is called.
    names: the score columns that count; None for all.
    """
    require_one_level(source, function)
    wanted = source.names if names is None else names
    known = {name: origin for name, origin in origins(source.notes).items() if name in wanted}
    origin = _choose_origin(known, rules, is_named=pred is not None or gold is not None)
    columns = {"pred": pred, "gold": gold}
    for argument, column in columns.items():
        columns[argument] = getattr(origin, argument, None) if column is None else column
        if columns[argument] is None:
            likely = find_likely_columns(source).names.get(USUAL_NAMES[argument])
            name, or_another = ("", "one") if likely is None else (repr(likely), "or another")
            finding = "is not given, and the frame does not remember the column that it was scored from"
            remedy = f"give {argument}={name} to {function}, {or_another} of its columns: {source.names}"
            raise UnknownOptionError.of(argument, finding, remedy)
    require_pred_and_gold(source, pred=columns["pred"], gold=columns["gold"])
    complete = make_rules(**(rules if origin is None else restore_arguments(origin.rules, origin.choices, rules)))
    scored = tuple(name for name, each in known.items() if origin is not None and each.identity == origin.identity)
    require_one_scoring(source.columns, scored)
    named: Any = [name for name in scored if name in METRICS] or None
    plan = make_plan(named if metrics is None else metrics, complete)
    require_built_in(plan)
    return ScoringMetadata(columns["pred"], columns["gold"], plan, scored, _say_difference(origin, complete, rules))


def _choose_origin(known: dict[str, Origin], rules: RuleArguments, *, is_named: bool) -> Origin | None:
    """Return the only origin of the frame's scores, or that with the convention in `rules`; None if there is none.

    Several others raise UnknownOptionError, or give None where the call names columns. is_named: whether it does.
    """
    made = list({origin.identity: origin for origin in known.values()}.values())
    if len(made) > 1 and "convention" in rules:
        wanted = make_rules(**rules).convention
        made = [each for each in made if convention_of(each) == wanted][:1]
    if len(made) > 1 and not is_named:
        columns = {origin.identity: name for name, origin in known.items()}
        finding = f"the frame was scored by several rules, as its columns {list(columns.values())} were"
        raise UnknownOptionError.of("", finding, "give convention= to choose one")
    return made[0] if len(made) == 1 else None


def _say_difference(origin: Origin | None, complete: Rules, rules: RuleArguments) -> str:
    """Return how the rules of this call differ from those of the frame's scores, as a sentence; "" if they do not.

    It is also "" where notes do not hold the earlier rules, as those with a function.

    complete: all rules of this call. rules: those that the call gives.
    """
    try:
        before = complete if origin is None else make_rules(**restore_arguments(origin.rules, origin.choices, {}))
    except QaFrameError:  # a function, which the call gives again
        return ""
    names = [field.name for field in fields(complete) if getattr(complete, field.name) != getattr(before, field.name)]
    shown = ((name, _show_rule(getattr(before, name)), _show_rule(getattr(complete, name))) for name in names)
    changes = [f"{name}={old}, and not {new}" for name, old, new in shown]
    return f"the frame was scored with {'; '.join(changes)}" if changes and rules else ""


def _show_rule(value: Any) -> str:
    return show(getattr(value, "name", value))


def names_of_metrics(metrics: ScoreColumns) -> list[str]:
    """Return the names in the argument `metrics`; none for None and "all"."""
    items = as_items(metrics)
    return [str(getattr(item, "name", item)) for item in items] if isinstance(items, tuple) else []


@explains_wrong_calls
def with_scoring_of(data: Frame, scored: Any) -> Frame:
    """Return the frame with what another one remembers of its scoring: the columns, and the rules.

    `df.qa.with_scoring_of(...)` is `qa_frame.with_scoring_of(df, ...)`. It is for frames that have forgotten
    it: those of pandas after `merge` or `join`, those of polars after any step, and files that keep no metadata.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics="f1")
    >>> sizes = pd.DataFrame({"model": ["heron-7b", "lynx-70b", "otter-chat"], "size": [7, 70, 13]})
    >>> merged = scored.merge(sizes, on="model")
    >>> merged.qa.summary(by="size")["n_missing"].tolist()
    [<NA>, <NA>, <NA>]
    >>> merged.qa.with_scoring_of(scored).qa.summary(by="size")["n_missing"].tolist()
    [4, 2, 2]

    Parameters
    ----------
    data
        Frame that has score columns of `scored`.
    scored
        Frame from which `data` was made, as `score` returned it.

    Returns
    -------
    frame
        A new frame with the rows of `data`. The caller vouches that its scores are those of `scored`; `explain` says
        where a score is not that of its texts.

    Raises
    ------
    UnknownOptionError
        Where `scored` remembers nothing of the columns of `data`, or where the column `qa_rules` of `data` says that
        their scores were made by other rules, or by several.
    """
    source = read_source(data)
    try:
        other = read_source(scored)
    except QaFrameError as error:
        raise type(error)(f"scored: {error}") from error
    require_one_level(source, "with_scoring_of")
    made: Frame | None = source.with_scoring_of(other)
    if made is None:
        finding = f"remembers no scoring of the columns {source.names}"
        raise UnknownOptionError.of("scored", finding, "give the frame that score returned")
    return made
