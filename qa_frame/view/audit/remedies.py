"""The remedy for each hazard, in words and as code for the frame at hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import By, Flags
from qa_frame.frames.diagnosis import SEPARATORS
from qa_frame.frames.kinds import Source
from qa_frame.frames.names import name_in
from qa_frame.frames.text_columns import TextColumns
from qa_frame.rules.listing import conventions
from qa_frame.scoring.doubt_warnings import name_metrics, say_which_count_words, seeing_every_script
from qa_frame.scoring.doubts import golds_as_texts
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Plan
from qa_frame.stats.grouping import KeyCodes, list_keys
from qa_frame.text.answers.extraction import Extract, make_steps, spell_steps
from qa_frame.text.answers.refusals import NO_REFUSAL
from qa_frame.text.scripts import language_of
from qa_frame.view.recalled import Recalled

_ROWS_READ = 1000
"""So many rows show the language of all."""

_GROUPS_NAMED, _DIFFERING = 5, 0.05
"""So many groups are named at most, where two shares of a hazard are so far apart."""
BEFORE = "before_next_question"
"""The step that takes away what a response goes on with. Other steps follow it."""


@dataclass(frozen=True, slots=True)
class Audited:
    """The data that an audit looks at.

    Attributes
    ----------
    source, recalled, by, question
        The arguments of the call, checked.
    columns
        The answers and golds.
    flags
        The rows that each hazard concerns, by its name and kind.
    groups
        The group of each row. Without `by`, all rows are one group.
    """

    source: Source
    recalled: Recalled
    by: By
    question: By
    columns: TextColumns
    flags: Mapping[str, Flags]
    groups: KeyCodes

    @property
    def plan(self) -> Plan:
        """The metrics and the rules."""
        return self.recalled.plan

    @property
    def gold(self) -> Any:
        """The column of golds."""
        return self.recalled.gold


def kind_of(source: Source) -> str:
    """Return the kind of frame whose code a remedy is written in: `"pandas"`, `"polars"` or `"arrow"`."""
    if isinstance(source.columns, pd.DataFrame):
        return "pandas"
    return "arrow" if source.polars is None else "polars"


Remedy = Callable[[Audited, Flags], str]
"""Returns the advice for a hazard, from the audited data and the rows that the hazard concerns."""


def choose_letters(audited: Audited, flags: Flags) -> str:
    """Take the letter out of responses, or make golds letters where responses are letters and golds are not."""
    if not (flags & audited.flags["letters_without_golds"]).any():
        what = "the letter that the response chooses; responses that choose none, or several, count as missing"
        return f"{spell_extract(audited, 'choice')} takes {what} (n_not_extracted)"
    texts = golds_as_texts(audited.columns.golds)
    if 2 * pc.sum(pc.match_substring_regex(texts, r"^\s*\d\s*$")).as_py() <= len(texts):
        options = audited.plan.rules.choices or name_in(audited.source.names, "choices") or "choices"
        given = f"extract='choice' with choices={options!r} and gold_is='text'"
        return f"golds are no letters; if they are texts of options: {given}"
    return "golds are no letters; if they are numbers of options: extract='choice' with gold_is='index0', or 'index1'"


def correct_options(audited: Audited, _: Flags) -> str:
    """Correct golds that are none of the options, or say what they are."""
    again = "; if golds are texts or numbers of options, say so with gold_is=" * (audited.plan.rules.gold_is is None)
    return f"no response can be right where the gold is none of the options: correct it, or leave the row out{again}"


def say_no_answer(_: Audited, __: Flags) -> str:
    """Name the first convention whose golds may say "no answer"."""
    name = next(name for name in conventions if conventions[name].no_answer)
    return f'if they stand for "no answer": convention={name!r}; else make them null'


def spell_extract(audited: Audited, extract: Extract) -> str:
    """Return the argument that adds these steps to those of the call."""
    runs_on = extract != BEFORE and np.any(audited.flags["run_ons"])
    spelled = spell_steps((*audited.plan.rules.extract, *make_steps(BEFORE if runs_on else None), *make_steps(extract)))
    return f"extract={spelled.replace(spell_steps(make_steps(NO_REFUSAL)), 'qa_frame.rules.NO_REFUSAL')}"


def name_shares(audited: Audited, flags: Flags) -> str:
    """Name the groups that have a hazard in most of their rows, with their shares; nothing where shares are alike."""
    codes, labels = audited.groups.codes, audited.groups.labels.tolist()
    shares = np.bincount(codes, flags) / np.bincount(codes)
    if np.ptp(shares) < _DIFFERING:
        return ""
    most = np.argsort(-shares, kind="stable")[:_GROUPS_NAMED]
    return f"; their share: {', '.join(f'{labels[code]!r} {shares[code]:.0%}' for code in most.tolist())}"


def _leave_out_metrics(audited: Audited, metrics: set[str]) -> str | None:
    """Return the argument that leaves out these metrics; None where this would leave out all."""
    left = [name for name in audited.plan.metrics if name not in metrics]
    return f"metrics={left}" if left else None


def keep_script(audited: Audited, flags: Flags) -> str:
    """Name the convention that keeps every script, and the metrics that keep this one."""
    names = {name for name in audited.plan.metrics if audited.flags[f"lost_script:{METRICS[name].family}"].any()}
    rest = _leave_out_metrics(audited, names)
    keeps = cut_script(audited, flags)
    if names and rest:
        return f"{name_metrics(sorted(names))} cannot see these letters: {keeps}; or leave out what cannot: {rest}"
    return keeps


def cut_script(audited: Audited, flags: Flags) -> str:
    """Name the convention of words of every script, for all rows or for these alone, and those of the language."""
    keeps = seeing_every_script()
    of_rows = audited.columns.golds.filter(pa.array(flags)).slice(0, _ROWS_READ).to_pylist()
    texts = (text for golds in of_rows if golds for text in ([golds] if isinstance(golds, str) else golds))
    language = language_of(filter(None, texts))
    made_for = [each for each, convention in conventions.items() if language and convention.language == language]
    said = f"score these rows by themselves, or all where it lowers no other scores: {keeps}"
    return said + (f"; made for their language: {', '.join(map(repr, made_for))}" if made_for else "")


def score_length_free(audited: Audited, _: Flags) -> str:
    """Take out the answer, or use metrics that do not count the words around it."""
    free = [name for name, metric in METRICS.items() if metric.ignores_length and metric.is_in(audited.plan.convention)]
    others = f", or use metrics={free}" if free else ""
    counting = say_which_count_words(audited.plan.metrics) if free else ""
    counting = counting or "the metrics count the words around the answer"
    return f"{counting}; take out the answer with extract={others}"


def without_contains(audited: Audited, _: Flags) -> str:
    """Leave out `contains`."""
    rest = _leave_out_metrics(audited, {"contains"}) or "metrics=['em']"
    return f"a gold is found inside longer words or numbers; leave contains out: {rest}"


def assign_golds(source: Source, gold: Any, made: str) -> str:
    """The statement that puts a new gold column in the place of the old one."""
    forms = {
        "pandas": f"data[{gold!r}] = {made}",
        "polars": f"data = data.with_columns({made})",
        "arrow": f"data = data.set_column({source.names.index(gold)}, {gold!r}, {made})",
    }
    return forms[kind_of(source)]


def read_lists(audited: Audited, _: Flags) -> str:
    """Read the lists that were written out."""
    column = f"data[{audited.gold!r}]"
    if pa.types.is_large_list(audited.columns.golds.type):
        column = f"qa_frame.to_text({column})"
    made = assign_golds(audited.source, audited.gold, f"qa_frame.to_golds({column})")
    return f"read the lists first, and join what is read where each is one answer: {made}"


def cut_golds(audited: Audited, _: Flags) -> str:
    """Cut golds at their separator."""
    sep = separator(audited)
    made = f"qa_frame.to_golds(data[{audited.gold!r}], sep={sep.strip()!r})"
    return f"cut them first: {assign_golds(audited.source, audited.gold, made)}"


def drop_repeats(audited: Audited, _: Flags) -> str:
    """Keep the first of copies."""
    keys = [*list_keys(audited.question), *list_keys(audited.by)]
    samples = "samples of one question go together in summary(question=); of copies keep the first: data = "
    forms = {
        "pandas": f"data.drop_duplicates({keys!r})",
        "polars": f"data.unique({keys!r}, keep='first', maintain_order=True)",
        "arrow": f"pyarrow.Table.from_pandas(data.to_pandas().drop_duplicates({keys!r}))",
    }
    return samples + forms[kind_of(audited.source)]


def separator(audited: Audited) -> str:
    """Return the separator that joins the golds of most rows."""
    n_rows = {sep: np.count_nonzero(audited.flags[f"joined_golds:{sep}"]) for sep in SEPARATORS}
    return max(n_rows, key=lambda sep: n_rows[sep])
