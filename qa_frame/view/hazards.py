"""The hazards that `audit` knows: which rows they concern, from which share on they are told, and what to do."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from qa_frame._typing import Flags, Floats
from qa_frame.errors import GoldFormatError, GoldFormatWarning
from qa_frame.frames.diagnosis import SEPARATORS
from qa_frame.frames.kinds import Source
from qa_frame.frames.provenance import describe_table
from qa_frame.frames.text_columns import TextColumns, read_texts
from qa_frame.rules.listing import conventions
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.stats.grouping import By, list_keys, read_codes
from qa_frame.text.extraction import Extract, make_steps, spell_steps
from qa_frame.view.hazard_rows import NULL_TEXTS, RowFlags, find_rows
from qa_frame.view.refusals import NO_REFUSAL

_EXAMPLES = 5
_LEAST_CONSTANT = 20
_UNEVEN_POINTS, _UNEVEN_Z = 0.02, 3.0
_LETTER = re.compile(
    r"\A\W*([A-J])(?:[).:\]*]|\s*(?:\n|\Z))|\b(?:is|be|option|choice|choose|pick|select)\W+([A-J])\W*\Z"
)
_BOLD = re.compile(r"\*\*([^*\s][^*]*)\*\*")
_FENCE = re.compile(r"(?s)```(?:\w*\n)?(.*?)(?:```|\Z)")
_HTML = re.compile(r"(?s)\A[^<>]*(?:<[^<>]*>\s*)+([^<>\s][^<>]*)|\A\s*([^<>]*)")
_NO_NULL_TEXT = re.compile(rf"(?s)\A(?!{NULL_TEXTS}\Z).*")


@dataclass(frozen=True, slots=True)
class Audited:
    """What an audit looks at.

    Attributes
    ----------
    source, pred, gold, by, question, plan
        The arguments of the call, checked.
    columns
        The answers and golds.
    flags
        What `find_rows` gives.
    groups, repeats
        Of each row: the code of its group, and whether an earlier row has the same question in the same group. None
        where the arguments do not name them.
    group_labels
        The label of each group.
    constant
        The metrics that have one score in all rows that are scored, and this score.
    """

    source: Source
    pred: Hashable
    gold: Hashable
    by: By
    question: By
    plan: Plan
    columns: TextColumns
    flags: RowFlags
    groups: Any
    repeats: Flags | None
    group_labels: list[Any]
    constant: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Hazard:
    """A hazard. `find` gives the rows; `least` is the share of rows from which on it is told; then what to do."""

    find: Callable[[Audited], Flags]
    least: float
    remedy: Callable[[Audited], str]


def audit_rows(
    source: Source, plan: Plan, *, pred: Hashable, gold: Hashable, by: By, question: By, show_all: bool
) -> pd.DataFrame:
    """Return the table of hazards, in pandas."""
    columns = prepare_predictions(_read_texts(source, pred=pred, gold=gold), plan)
    frame = source.as_pandas({"by": list_keys(by), "question": list_keys(question)})
    groups = None if by is None else read_codes(frame, by, "by", has_nulls=True)
    repeats = None
    if question is not None:
        questions = read_codes(frame, question, "question", has_nulls=True).codes
        keys = questions if groups is None else questions * (len(groups) + 1) + groups.codes
        repeats = pd.Series(keys).duplicated().to_numpy()
    audited = Audited(
        source=source,
        pred=pred,
        gold=gold,
        by=by,
        question=question,
        plan=plan,
        columns=columns,
        flags=find_rows(columns, plan) if len(columns) else {},
        groups=None if groups is None else groups.codes,
        repeats=repeats,
        group_labels=[] if groups is None else groups.labels.tolist(),
        constant=_constant(score_columns(columns, plan, progress=False)),
    )
    labels = frame.index if isinstance(source.columns, pd.DataFrame) else pd.RangeIndex(len(columns))
    return _table(audited, labels, show_all=show_all)


def _read_texts(source: Source, *, pred: Hashable, gold: Hashable) -> TextColumns:
    """The columns. Golds that were written out are a hazard here, and no error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GoldFormatWarning)
        try:
            return source.texts(pred=pred, gold=gold)
        except GoldFormatError:
            labels = source.columns.index if isinstance(source.columns, pd.DataFrame) else None
            preds, golds = (read_texts(source.columns[name], repr(name), labels) for name in (pred, gold))
            return TextColumns(preds, golds, labels)


def _table(audited: Audited, labels: pd.Index, *, show_all: bool) -> pd.DataFrame:
    n_rows = len(audited.columns)
    rows = []
    for name, hazard in HAZARDS.items():
        places = np.flatnonzero(hazard.find(audited)) if n_rows else np.zeros(0, np.int64)
        share = len(places) / n_rows if n_rows else 0.0
        is_found = bool(len(places)) and share >= hazard.least
        if is_found or show_all:
            examples = labels[places[:_EXAMPLES]].tolist()
            rows.append((name, len(places), share, examples, hazard.remedy(audited), is_found))
    table = pd.DataFrame(rows, columns=["hazard", "count", "share", "examples", "remedy", "found"])
    # Where nothing is found, pandas cannot see what the columns would hold.
    table = table.astype({"hazard": str, "count": np.int64, "share": np.float64, "remedy": str, "found": np.bool_})
    if not isinstance(audited.source.columns, pd.DataFrame):
        text, places_type = pd.ArrowDtype(pa.string()), pd.ArrowDtype(pa.list_(pa.int64()))
        table = table.astype({"hazard": text, "remedy": text})
        table["examples"] = pd.Series(pa.array(table["examples"].tolist(), pa.list_(pa.int64())), dtype=places_type)
    table = table if show_all else table.drop(columns="found")
    table.attrs |= describe_table("audit", keys=["hazard"], figures=["share"], metrics={})
    return table


# ------------------------------------------------------------------------------------------------------- which rows


def _flagged(name: str) -> Callable[[Audited], Flags]:
    return lambda audited: audited.flags[name]


def _any_kind(name: str) -> Callable[[Audited], Flags]:
    """The rows of all kinds of a hazard."""

    def find(audited: Audited) -> Flags:
        kinds = [flags for key, flags in audited.flags.items() if key.startswith(f"{name}:")]
        flagged: Flags = np.logical_or.reduce(kinds)
        return flagged

    return find


def _no_rows(audited: Audited) -> Flags:
    return np.zeros(len(audited.columns), np.bool_)


def _choices(audited: Audited) -> Flags:
    """Where most golds are letters, so that this is multiple choice."""
    n_golds = np.count_nonzero(audited.columns.n_golds)
    is_choice = 2 * np.count_nonzero(audited.flags["one_letter_golds"]) > n_golds
    return audited.flags["choice_letters"] if is_choice else _no_rows(audited)


def _written_lists(audited: Audited) -> Flags:
    """Golds that are lists may hold one that looks like a list; they are no written ones where a row has several."""
    n_golds = audited.columns.n_golds
    is_list = pa.types.is_large_list(audited.columns.golds.type)
    return _no_rows(audited) if is_list and n_golds.max(initial=0) > 1 else audited.flags["written_lists"]


def _joined_golds(audited: Audited) -> Flags:
    """Where most rows have golds that are joined by the same separator, or one row in ten by a bar."""
    sep, flags = _separator(audited)
    least = 0.1 if sep == "|" else 0.5
    n_golds = np.count_nonzero(audited.columns.n_golds)
    return flags if np.count_nonzero(flags) > least * n_golds else _no_rows(audited)


def _separator(audited: Audited) -> tuple[str, Flags]:
    """The separator of most rows, and its rows."""
    kinds = {sep: audited.flags.get(f"joined_golds:{sep}", _no_rows(audited)) for sep in SEPARATORS}
    sep = max(kinds, key=lambda sep: np.count_nonzero(kinds[sep]))
    return sep, kinds[sep]


def _uneven_missing(audited: Audited) -> Flags:
    """The missing predictions of groups that lack significantly more of them than all others together."""
    if audited.groups is None or audited.plan.missing == "null":
        return _no_rows(audited)
    is_missing = audited.columns.is_missing
    n = np.bincount(audited.groups).astype(np.float64)
    n_missing = np.bincount(audited.groups, weights=is_missing)
    n_others = n.sum() - n
    share = n_missing / n
    share_of_others = np.divide(n_missing.sum() - n_missing, n_others, out=share.copy(), where=n_others > 0)
    pooled = n_missing.sum() / n.sum()
    error = np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / np.maximum(n_others, 1)))
    gap = share - share_of_others
    is_uneven = (gap >= _UNEVEN_POINTS) & (gap >= _UNEVEN_Z * error)
    flags: Flags = is_missing & is_uneven[audited.groups]
    return flags


def _constant(scores_by_metric: Mapping[str, Floats]) -> dict[str, float]:
    """The metrics that have one score in all rows that are scored, and this score."""
    found = {}
    for name, scores in scores_by_metric.items():
        scored = scores[~np.isnan(scores)]
        if len(scored) >= _LEAST_CONSTANT and (scored == scored[0]).all():
            found[name] = float(scored[0])
    return found


def _constant_rows(audited: Audited) -> Flags:
    flags: Flags = (audited.columns.n_golds > 0) & bool(audited.constant)
    return flags


# ------------------------------------------------------------------------------------------------------- what to do


def _says(text: str) -> Callable[[Audited], str]:
    return lambda _: text


def _own_rules(steps: str) -> str:
    return (
        f"score by rules that keep it: text = qa_frame.Text({steps}); convention=qa_frame.Convention(name='own', "
        "exact=qa_frame.Exact(text=text), overlap=qa_frame.Overlap(text=text), contains=qa_frame.Contains(text=text))"
    )


def _say_no_answer(_: Audited) -> str:
    names = [name for name in conventions if conventions[name].no_answer]
    return f'if they stand for "no answer": convention={names[0]!r}; else make them null'


def _extracts(extract: Extract, what: str) -> Callable[[Audited], str]:
    """Take the answer out by more steps. what: what they take, and what becomes of the other responses."""
    steps = make_steps(extract)

    def remedy(audited: Audited) -> str:
        spelled = spell_steps((*audited.plan.extract, *steps))
        return f"extract={spelled.replace(spell_steps((NO_REFUSAL,)), 'qa_frame.NO_REFUSAL')} takes {what}"

    return remedy


def _without(audited: Audited, metrics: set[str]) -> str | None:
    """The argument that leaves out these metrics; None where no metric would be left."""
    left = [name for name in audited.plan.metrics if name not in metrics]
    return f"metrics={left}" if left else None


def _keep_script(audited: Audited) -> str:
    lost = {
        key.partition(":")[2] for key, flags in audited.flags.items() if key.startswith("lost_script:") and flags.any()
    }
    names = {name for name in audited.plan.metrics if METRICS[name].family in lost}
    rest = _without(audited, names)
    if names and rest:
        return f"{', '.join(sorted(names))} cannot see these letters; leave out what cannot: {rest}"
    return _own_rules("('nfkc', 'lower', 'delete_punctuation')")


def _score_length_free(audited: Audited) -> str:
    known = [
        name for name, metric in METRICS.items() if metric.ignores_length and metric.is_in(audited.plan.convention)
    ]
    extract = "take out the answer with extract=, or "
    return f"EM and F1 count the words around the answer; {extract}use metrics={known}" if known else (
        "the metrics count the words around the answer; take out the answer with extract="
    )  # fmt: skip


def _without_contains(audited: Audited) -> str:
    rest = _without(audited, {"contains"}) or "metrics=['em']"
    return f"a gold is found inside longer words or numbers; leave contains out: {rest}"


def _assign(audited: Audited, made: str) -> str:
    """The statement that puts a new gold column in the place of the old one."""
    if isinstance(audited.source.columns, pd.DataFrame):
        return f"data[{audited.gold!r}] = {made}"
    if hasattr(audited.source.given, "with_columns"):
        return f"data = data.with_columns({made})"
    place = audited.source.names.index(audited.gold)
    return f"data = data.set_column({place}, {audited.gold!r}, {made})"


def _read_lists(audited: Audited) -> str:
    column = f"data[{audited.gold!r}]"
    if pa.types.is_large_list(audited.columns.golds.type):
        column = f"qa_frame.to_text({column})"
    return f"read the lists first: {_assign(audited, f'qa_frame.to_golds({column})')}"


def _cut_golds(audited: Audited) -> str:
    sep, _ = _separator(audited)
    return f"cut them first: {_assign(audited, f'qa_frame.to_golds(data[{audited.gold!r}], sep={sep.strip()!r})')}"


def _drop_repeats(audited: Audited) -> str:
    keys = [*list_keys(audited.question), *list_keys(audited.by)]
    samples = "samples of one question go together in summary(cluster=); of copies keep the first: data = "
    if isinstance(audited.source.columns, pd.DataFrame):
        return f"{samples}data.drop_duplicates({keys!r})"
    if hasattr(audited.source.given, "with_columns"):
        return f"{samples}data.unique({keys!r}, keep='first', maintain_order=True)"
    return f"{samples}pyarrow.Table.from_pandas(data.to_pandas().drop_duplicates({keys!r}))"


def _even_out(audited: Audited) -> str:
    flags = _uneven_missing(audited)
    groups = [] if audited.groups is None else [audited.group_labels[code] for code in np.unique(audited.groups[flags])]
    which = f" of {', '.join(map(repr, groups[:_EXAMPLES]))}" if groups else ""
    return f"get the predictions{which}, or do not score rows without one: missing='null'"


def _leave_out_constant(audited: Audited) -> str:
    said = ", ".join(f"{name} is {value:g} in all rows" for name, value in audited.constant.items())
    rest = _without(audited, set(audited.constant))
    if rest:
        return f"{said or 'it tells nothing apart'}; leave it out: {rest}"
    return f"{said}; look at some rows: are pred={audited.pred!r} and gold={audited.gold!r} the right columns?"


_ANY, _SOME = 0.0, 0.01
_ALL_OTHERS = ", and all of responses without it"

HAZARDS: dict[str, Hazard] = {
    "blank_golds": Hazard(_flagged("blank_golds"), _ANY, _say_no_answer),
    "empty_golds": Hazard(_flagged("empty_golds"), _ANY, _says(_own_rules("('lower',)"))),
    "lost_letter": Hazard(_flagged("lost_letter"), _ANY, _says(_own_rules("('lower',)"))),
    "lost_sign_or_point": Hazard(_flagged("lost_sign_or_point"), _ANY, _says(_own_rules("('lower',)"))),
    "number_forms": Hazard(
        _flagged("number_forms"), _ANY, _says(_own_rules("(qa_frame.Delete(','), 'lower', 'numbers')"))
    ),
    "lost_script": Hazard(_any_kind("lost_script"), _ANY, _keep_script),
    "inside_word": Hazard(_flagged("inside_word"), _SOME, _without_contains),
    "long_predictions": Hazard(_flagged("long_predictions"), 0.1, _score_length_free),
    "refusals": Hazard(_flagged("refusals"), _SOME, _extracts(NO_REFUSAL, "all others; these count as missing")),
    "null_texts": Hazard(
        _flagged("null_texts"),
        _ANY,
        _extracts(_NO_NULL_TEXT, "all others; these count as missing, as nulls do that astype(str) has not made text"),
    ),
    "answer_phrases": Hazard(
        _flagged("answer_phrases"), _SOME, _extracts("answer_is|all", f"what follows the phrase{_ALL_OTHERS}")
    ),
    "think_tags": Hazard(
        _flagged("think_tags"), _ANY, _extracts("after_think", "what follows the thought, and all of other responses")
    ),
    "answer_tags": Hazard(
        _flagged("answer_tags"), _ANY, _extracts("answer_tag|all", f"what is in the tag{_ALL_OTHERS}")
    ),
    "boxed": Hazard(
        _flagged("boxed"),
        _ANY,
        _extracts("boxed|all", f"what is in the box{_ALL_OTHERS}; 'untex' after it reads LaTeX"),
    ),
    "bold": Hazard(_flagged("bold"), _SOME, _extracts([[_BOLD, "all"]], f"what is bold first{_ALL_OTHERS}")),
    "code_fences": Hazard(
        _flagged("code_fences"), _SOME, _extracts([[_FENCE, "all"]], f"what is in the first fence{_ALL_OTHERS}")
    ),
    "html": Hazard(
        _flagged("html"), _SOME, _extracts([_HTML], "the text after the first tag, and all of responses without tags")
    ),
    "choice_letters": Hazard(
        _choices,
        _ANY,
        _extracts(
            ["answer_is|all", _LETTER],
            "the letter that a stated answer or the response is, begins with or ends with; responses without one count "
            "as missing (n_not_extracted)",
        ),
    ),
    "written_lists": Hazard(_written_lists, _SOME, _read_lists),
    "joined_golds": Hazard(_joined_golds, _ANY, _cut_golds),
    "duplicate_golds": Hazard(
        _flagged("duplicate_golds"),
        _SOME,
        _says("reduce='max', 'min' or 'best' give the same scores with and without them; reduce='mean' does not"),
    ),
    "duplicate_rows": Hazard(
        lambda audited: _no_rows(audited) if audited.repeats is None else audited.repeats, _ANY, _drop_repeats
    ),
    "uneven_missing": Hazard(_uneven_missing, _ANY, _even_out),
    "constant_metric": Hazard(_constant_rows, _ANY, _leave_out_constant),
}
"""All hazards by name, in the order of the table."""
