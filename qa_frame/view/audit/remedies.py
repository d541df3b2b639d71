"""The remedy for each hazard, in words and as code for the frame at hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import By, Flags, Ints
from qa_frame.frames.diagnosis import SEPARATORS
from qa_frame.frames.kinds import Source
from qa_frame.frames.text_columns import TextColumns
from qa_frame.rules.listing import conventions
from qa_frame.scoring.doubts import CHOICES, golds_as_texts, letters_of_golds, seeing_every_script
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Plan
from qa_frame.stats.grouping import list_keys
from qa_frame.text.extraction import Extract, make_steps, spell_steps
from qa_frame.text.refusals import NO_REFUSAL

_GROUPS_NAMED = 5


@dataclass(frozen=True, slots=True)
class Audited:
    """The data that an audit looks at.

    Attributes
    ----------
    source, pred, gold, by, question, plan
        The arguments of the call, checked.
    columns
        The answers and golds.
    flags
        The rows that each hazard of texts concerns, by its name and kind.
    groups, group_labels
        The group of each row, and the label of each group. Without `by`, all rows are one group.
    repeats
        Whether an earlier row has the same question in the same group, per row.
    constant
        The metrics that have one score in all rows that are scored, and this score.
    """

    source: Source
    pred: Any
    gold: Any
    by: By
    question: By
    plan: Plan
    columns: TextColumns
    flags: Mapping[str, Flags]
    groups: Ints
    group_labels: list[Any]
    repeats: Flags
    constant: Mapping[str, float]

    @property
    def kind(self) -> str:
        """The kind of frame whose code a remedy is written in: `"pandas"`, `"polars"` or `"arrow"`."""
        if isinstance(self.source.columns, pd.DataFrame):
            return "pandas"
        return "polars" if hasattr(self.source.given, "with_columns") else "arrow"


Remedy = Callable[[Audited, Flags], str]
"""Returns the advice for a hazard, from the audited data and the rows that the hazard concerns."""


def says(text: str) -> Remedy:
    """Return a remedy that is the same for all frames."""
    return lambda *_: text


def own_rules(steps: str) -> str:
    """Say how to score by rules of one's own with these steps."""
    return (
        f"score by rules that keep it: text = qa_frame.Text({steps}); convention=qa_frame.Convention(name='own', "
        "exact=qa_frame.Exact(text=text), overlap=qa_frame.Overlap(text=text), contains=qa_frame.Contains(text=text))"
    )


def choose_letters(audited: Audited, flags: Flags) -> str:
    """Take the letter out of responses, or make golds letters where responses are letters and golds are not."""
    if not (flags & audited.flags.get("letters_without_golds", flags)).any():
        what = "the letter that the response chooses; responses that choose none, or several, count as missing"
        return extracts("choice", f"{what} (n_not_extracted)")(audited, flags)
    texts = golds_as_texts(audited.columns.golds)
    are_digits = 2 * pc.sum(pc.match_substring_regex(texts, CHOICES["digit"])).as_py() > len(texts)
    to_list = "to_pylist" if audited.kind == "arrow" else "to_list"
    said, made = letters_of_golds(
        audited.gold, audited.plan.choices, are_digits=are_digits, frame="data", to_list=to_list
    )
    forms = {"pandas": made, "polars": f"polars.Series({audited.gold!r}, {made})", "arrow": f"pyarrow.array({made})"}
    return f"golds are no letters; {said}: {_assign(audited, forms[audited.kind])}"


def say_no_answer(*_: Any) -> str:
    """Name the first convention whose golds may say "no answer"."""
    name = next(name for name in conventions if conventions[name].no_answer)
    return f'if they stand for "no answer": convention={name!r}; else make them null'


def extracts(extract: Extract, what: str) -> Remedy:
    """Return the remedy that takes the answer out by more steps. what: names the part that they take."""
    steps = make_steps(extract)

    def remedy(audited: Audited, _: Flags) -> str:
        spelled = spell_steps((*audited.plan.extract, *steps))
        return f"extract={spelled.replace(spell_steps((NO_REFUSAL,)), 'qa_frame.NO_REFUSAL')} takes {what}"

    return remedy


def _without(audited: Audited, metrics: set[str]) -> str | None:
    """Return the argument that leaves out these metrics; None where this would leave out all."""
    left = [name for name in audited.plan.metrics if name not in metrics]
    return f"metrics={left}" if left else None


def keep_script(audited: Audited, _: Flags) -> str:
    """Name the convention that keeps every script, and the metrics that keep this one."""
    lost = {key for key, flags in audited.flags.items() if flags.any()}
    names = {name for name in audited.plan.metrics if f"lost_script:{METRICS[name].family}" in lost}
    rest = _without(audited, names)
    keeps = seeing_every_script()
    if names and rest:
        return f"{', '.join(sorted(names))} cannot see these letters: {keeps}; or leave out what cannot: {rest}"
    return keeps


def score_length_free(audited: Audited, _: Flags) -> str:
    """Take out the answer, or use metrics that do not count the words around it."""
    free = [name for name, metric in METRICS.items() if metric.ignores_length]
    known = [name for name in free if METRICS[name].is_in(audited.plan.convention)]
    if not known:
        return "the metrics count the words around the answer; take out the answer with extract="
    return f"EM and F1 count the words around the answer; take out the answer with extract=, or use metrics={known}"


def without_contains(audited: Audited, _: Flags) -> str:
    """Leave out `contains`."""
    rest = _without(audited, {"contains"}) or "metrics=['em']"
    return f"a gold is found inside longer words or numbers; leave contains out: {rest}"


def _assign(audited: Audited, made: str) -> str:
    """The statement that puts a new gold column in the place of the old one."""
    place = audited.source.names.index(audited.gold)
    forms = {
        "pandas": f"data[{audited.gold!r}] = {made}",
        "polars": f"data = data.with_columns({made})",
        "arrow": f"data = data.set_column({place}, {audited.gold!r}, {made})",
    }
    return forms[audited.kind]


def read_lists(audited: Audited, _: Flags) -> str:
    """Read the lists that were written out."""
    column = f"data[{audited.gold!r}]"
    if pa.types.is_large_list(audited.columns.golds.type):
        column = f"qa_frame.to_text({column})"
    return f"read the lists first: {_assign(audited, f'qa_frame.to_golds({column})')}"


def cut_golds(audited: Audited, _: Flags) -> str:
    """Cut golds at their separator."""
    sep = separator(audited)
    return f"cut them first: {_assign(audited, f'qa_frame.to_golds(data[{audited.gold!r}], sep={sep.strip()!r})')}"


def drop_repeats(audited: Audited, _: Flags) -> str:
    """Keep the first of copies."""
    keys = [*list_keys(audited.question), *list_keys(audited.by)]
    samples = "samples of one question go together in summary(cluster=); of copies keep the first: data = "
    forms = {
        "pandas": f"data.drop_duplicates({keys!r})",
        "polars": f"data.unique({keys!r}, keep='first', maintain_order=True)",
        "arrow": f"pyarrow.Table.from_pandas(data.to_pandas().drop_duplicates({keys!r}))",
    }
    return samples + forms[audited.kind]


def even_out(audited: Audited, flags: Flags) -> str:
    """Name the groups that lack predictions."""
    groups = [audited.group_labels[code] for code in np.unique(audited.groups[flags])]
    which = f" of {', '.join(map(repr, groups[:_GROUPS_NAMED]))}" if groups else ""
    return f"get the predictions{which}, or do not score rows without one: missing='null'"


def leave_out_constant(audited: Audited, _: Flags) -> str:
    """Leave out the metrics that tell nothing apart."""
    said = ", ".join(f"{name} is {value:g} in all rows" for name, value in audited.constant.items())
    rest = _without(audited, set(audited.constant))
    if rest:
        return f"{said or 'it tells nothing apart'}; leave it out: {rest}"
    return f"{said}; look at some rows: are pred={audited.pred!r} and gold={audited.gold!r} the right columns?"


def separator(audited: Audited) -> str:
    """Return the separator that joins the golds of most rows."""
    n_rows = {sep: np.count_nonzero(audited.flags.get(f"joined_golds:{sep}", ())) for sep in SEPARATORS}
    return max(n_rows, key=lambda sep: n_rows[sep])
