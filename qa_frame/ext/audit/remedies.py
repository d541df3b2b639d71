"""The remedy for what each check finds, in words and as code for the frame at hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import By, Flags
from qa_frame.errors import QaFrameError, plural
from qa_frame.ext.audit.finders import ANSWERING, MARK_STEPS
from qa_frame.ext.audit.trials import Trial, Trials
from qa_frame.extraction.refusals import NO_REFUSAL
from qa_frame.extraction.steps import Extract, make_steps, spell_steps
from qa_frame.frames.conversions import to_golds
from qa_frame.frames.diagnosis import SEPARATORS
from qa_frame.frames.names import name_in
from qa_frame.frames.source import Source
from qa_frame.frames.text_columns import TextColumns, read_choices
from qa_frame.rules.listing import conventions
from qa_frame.rules.parts import Contains, Convention, Exact, Overlap
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.row_flag_warnings import CHECKS, convention_of_every_script, name_metrics, tool_of
from qa_frame.scoring.row_flags import EMPTY, FLAGS, LONGER, golds_as_texts
from qa_frame.stats.grouping import GroupCodes, list_keys
from qa_frame.tables.metric_fit import MetricFit
from qa_frame.tables.restored import ScoringMetadata
from qa_frame.text.specification import Text

_ROWS_READ = 200
"""So many rows show what a column holds."""

_GROUPS_NAMED, _DIFFERING = 5, 0.05
"""So many groups are named at most, where two of their shares are so far apart."""
BEFORE = "before_next_question"
"""The step that takes away what a response goes on with. Other steps follow it."""


@dataclass(frozen=True, slots=True)
class Audited:
    """The data that an audit looks at.

    Attributes
    ----------
    source, metadata, by, question
        The arguments of the call, checked.
    columns
        The predictions and golds.
    flags
        The rows that each check finds, shape (rows,), by the names of `DATA_CHECKS` and `FINDERS`.
    groups
        The group of each row. Without `by`, all rows are one group.
    trials
        What tries a remedy on these rows.
    fit
        How well the metrics fit the answers of each group, by the flags of its rows.
    """

    source: Source
    metadata: ScoringMetadata
    by: By
    question: By
    columns: TextColumns
    flags: Mapping[str, Flags]
    groups: GroupCodes
    trials: Trials
    fit: MetricFit

    @property
    def plan(self) -> Plan:
        """The metrics and the rules."""
        return self.metadata.plan

    @property
    def gold(self) -> Any:
        """The column of golds."""
        return self.metadata.gold


def kind_of(source: Source) -> str:
    """Return the kind of frame whose code a remedy is written in: `"pandas"`, `"polars"` or `"arrow"`."""
    if isinstance(source.columns, pd.DataFrame):
        return "pandas"
    return "arrow" if source.polars is None else "polars"


Remedy = Callable[[Audited, Flags], str]
"""Returns the advice, from the audited data and the rows that were found."""


def choose_letters(audited: Audited, flags: Flags) -> str:
    """Return the advice to take the letter out of responses; or to say what golds are, if they are no letters."""
    if not (flags & audited.flags["letters_without_golds"]).any():
        what = "the letter that the response chooses; responses that choose none, or several, count as missing"
        return add_steps(audited, flags | audited.flags["golds_of_letters"], "choice", f"{what} (n_not_extracted)")
    texts = golds_as_texts(audited.columns.golds)
    if 2 * pc.sum(pc.match_substring_regex(texts, r"^\s*\d\s*$")).as_py() <= len(texts):
        options, code = name_options(audited)
        return (
            "golds are no letters; if they are texts of options: extract='choice' with "
            f"choices={options!r} and gold_is='text'{code}"
        )
    return "golds are no letters; if they are numbers of options: extract='choice' with gold_is='index0', or 'index1'"


def take_letters(audited: Audited, flags: Flags) -> str:
    """Return the advice to take the letters out of responses, where some golds are several letters."""
    what = "the letters that the response chooses, in any order and with any marks between them"
    return add_steps(audited, flags | audited.flags["golds_of_letters"], "letters", what)


_LETTERED = re.compile(r"(?:(?:option|choice|answer)[ _-]?)?([a-j])", re.IGNORECASE)
"""The name of a column that has one option of each row."""


def name_options(audited: Audited) -> tuple[Hashable, str]:
    """Return the column of the options' texts, and what the advice says after its name.

    The second is "" for a column that `score` can take as it is, or that has the usual name. Otherwise it says how to
    make the column, as code where the frame has the texts.
    """
    names, usual = audited.source.names, name_in(audited.source.names, "choices")
    if audited.plan.rules.choices is not None:
        return audited.plan.rules.choices, ""
    others = [name for name in names if name not in (audited.metadata.pred, audited.gold)]
    first = sorted(others, key=lambda name: name != usual)
    read = next((name for name in first if _has_golds(audited, audited.source.columns[name])), None)
    if read is not None:
        return read, ""
    lettered = [name for name in others if isinstance(name, str) and _LETTERED.fullmatch(name)]
    if len(lettered) > 1:
        return "choices", f"; make this column of the options first: {_spell_joined_columns(audited, lettered)}"
    written = next((name for name in first if _has_golds(audited, _read_written(audited.source.columns[name]))), None)
    if written is not None:
        made = f"qa_frame.to_golds(data[{written!r}])"
        return written, f"; read the lists first: {spell_new_golds(audited.source, written, made)}"
    return usual or "choices", "" if usual else ", a column of lists of their texts"


def _read_written(column: Any) -> Any:
    """Return a column of lists that were written out as text as lists; an empty list where it is no such column."""
    try:
        return to_golds(column)
    except (QaFrameError, TypeError, ValueError):
        return []


def _has_golds(audited: Audited, column: Any) -> bool:
    """Return whether most of the first rows have a gold among the texts that the column has for the row.

    column: lists of texts, such as options. False where it holds something else.
    """
    try:
        options = read_choices(column[:_ROWS_READ], "choices")[0].to_pylist()
    except (QaFrameError, TypeError, ValueError):
        return False
    golds = audited.columns.golds.slice(0, _ROWS_READ).to_pylist()
    sets = [{gold} if isinstance(gold, str) else {*(gold or ())} for gold in golds]
    n_among = sum(not gold.isdisjoint(texts or ()) for gold, texts in zip(sets, options, strict=True))
    return 2 * n_among > len(golds)


def _spell_joined_columns(audited: Audited, names: list[str]) -> str:
    """Return the statement that makes one column of lists of several columns of texts, for the kind of frame."""
    forms = {
        "pandas": f"data['choices'] = data[{names}].to_numpy().tolist()",
        "polars": f"data = data.with_columns(choices=polars.concat_list({names}))",
        "arrow": f"data = data.append_column('choices', [data.select({names}).to_pandas().to_numpy().tolist()])",
    }
    return forms[kind_of(audited.source)]


def correct_options(audited: Audited, _: Flags) -> str:
    """Return the advice to correct golds that are none of the options, or to say what golds are."""
    again = "; if golds are texts or numbers of options, say so with gold_is=" * (audited.plan.rules.gold_is is None)
    return f"no response can be right where the gold is none of the options: correct it, or leave the row out{again}"


def say_no_answer(audited: Audited, flags: Flags) -> str:
    """Return the advice for blank golds: a convention in which they say "no answer", or to make them null.

    The convention is the first one with such golds. It is named only where it scores other rows alike.
    """
    name = next(name for name in conventions if conventions[name].no_answer)
    if _find_objection(audited, flags, may_lower=True, convention=conventions[name]):
        return "make them null, so that these rows are not scored"
    return f'if they stand for "no answer": convention={name!r}; else make them null'


def _find_objection(audited: Audited, flags: Flags, *, may_lower: bool, **changed: Any) -> str:
    """Say why rules are not given as the remedy for these rows; "" where they may be.

    flags, changed: as in `Trials.of`. may_lower: as in `Trial.say_harm`.
    """
    trial = audited.trials.of(flags, **changed)
    return "does not work here" if trial is None else trial.objection(may_lower=may_lower)


def add_steps(audited: Audited, flags: Flags, steps: Extract, taken: str, *, may_lower: bool = False) -> str:
    """Return the advice to add steps to those of the call, where they help these rows and leave others as they are.

    Otherwise it is the advice to check the rows by hand. Where some rows go on with a new question, the step `BEFORE`
    is added first. taken: what the steps take, in words. may_lower: as in `Trial.say_harm`.
    """
    runs_on = steps != BEFORE and np.any(audited.flags["run_ons"])
    added = (*audited.plan.rules.extract, *make_steps(BEFORE if runs_on else None), *make_steps(steps))
    flags = flags | audited.flags["run_ons"] if runs_on else flags
    objection = _find_objection(audited, flags, may_lower=may_lower, extract=added)
    if objection:
        return f"taking out the answer was tried and {objection}; check these rows by hand"
    spelled = spell_steps(added).replace(spell_steps(make_steps(NO_REFUSAL)), "qa_frame.rules.NO_REFUSAL")
    trial = audited.trials.of(flags, metrics=["em"], extract=added, others=False)
    n_right = np.count_nonzero(trial.are_made_right("em")) if trial and trial.before else 0
    gain = f"; em becomes 1 in {n_right} of {plural(len(trial.places), 'row')} tried" if trial and n_right else ""
    return f"extract={spelled} takes {taken}{gain}"


_LOST_CHARACTERS = ("lost_letter", "lost_sign_or_point")


def keep_characters(audited: Audited, _: Flags) -> str:
    """Return the advice to check these rows by hand, or to score all by rules that keep lost characters.

    Such rules are named only where other rows have the same scores by them.
    """
    rows = np.any([audited.flags[name] for name in _LOST_CHARACTERS], axis=0)
    text = Text(("lower",))
    own = Convention(name="own", exact=Exact(text=text), overlap=Overlap(text=text), contains=Contains(text=text))
    objection = _find_objection(audited, rows, may_lower=True, convention=own)
    if objection:
        return f"check these rows by hand; scoring without deleting characters was tried and {objection}"
    return (
        "check these rows by hand, or keep the characters: text = qa_frame.rules.Text(('lower',)); "
        "convention=qa_frame.Convention(name='own', exact=qa_frame.rules.Exact(text=text), "
        "overlap=qa_frame.rules.Overlap(text=text), contains=qa_frame.rules.Contains(text=text))"
    )


def name_shares(audited: Audited, flags: Flags) -> str:
    """Return the end of a remedy: the groups with the largest shares of flagged rows, and these shares.

    It is "" where the shares of all groups differ by less than `_DIFFERING`.
    """
    codes, labels = audited.groups.codes, audited.groups.labels.tolist()
    shares = np.bincount(codes, flags) / np.bincount(codes)
    if np.ptp(shares) < _DIFFERING:
        return ""
    most = np.argsort(-shares, kind="stable")[:_GROUPS_NAMED]
    return f"; their share: {', '.join(f'{labels[code]!r} {shares[code]:.0%}' for code in most.tolist())}"


def _spell_metrics(audited: Audited, flags: Flags, metrics: list[str], *, everywhere: bool = False) -> str | None:
    """Return the argument `metrics=` with those metrics that have a score above 0 in some of these rows, as code.

    It is None if none of them has one. everywhere: whether a score above 0 in any other row is enough.
    """
    trial = audited.trials.of(flags, metrics=metrics, others=everywhere)
    seen = [] if trial is None else trial.metrics_above_zero(everywhere=everywhere)
    return f"metrics={seen}" if seen else None


def keep_tokens(audited: Audited, flags: Flags, flag: str) -> str:
    """Return the advice to use the convention that keeps every script and single letters, or other metrics.

    flag: the flag of scoring that these rows have. The other metrics are those of the call that have a score above 0 in
    some of these rows.
    """
    spoiled = CHECKS[flag].spoils
    trial = audited.trials.of(flags, others=False)
    seeing = [] if trial is None else trial.metrics_above_zero()
    blind = [name for name in audited.plan.metrics if name in spoiled and (flag == EMPTY or name not in seeing)]
    rest = [name for name in seeing if name not in blind]
    keeps = cut_script(audited, flags)
    if blind and rest:
        return f"{name_metrics(blind)} cannot see these golds: {keeps}; or leave out what cannot: metrics={rest}"
    return keeps


def cut_script(audited: Audited, flags: Flags) -> str:
    """Return the advice to use the convention that cuts words in every script, for all rows or for these alone.

    If that makes these rows worse, it is the advice to check them by hand.
    """
    name, keeps = convention_of_every_script()
    rows = np.any([flags, *(audited.flags[flag] for flag in FLAGS if flag != LONGER)], axis=0)
    trial = audited.trials.of(rows, convention=conventions[name])
    spoils = trial.say_harm(may_lower=False) if trial else ""
    if spoils:
        return f"check these rows by hand; the convention of every script was tried and {spoils}"
    is_for_all = trial is not None and not trial.objection(may_lower=False)
    tool = tool_of(audited.plan.convention)
    return (
        f"the source of {tool} scores them so, too; for other figures, " * bool(tool)
        + "score these rows by themselves: " * (bool(tool) or not is_for_all)
        + keeps
    )


BOLD = re.compile(r"\*\*([^*\s][^*]*)\*\*")
_BOLD_IN_LINE = re.compile(r"\A[^*\n]*\*\*([^*\n]+)\*\*[^*\n]*\Z")
_QUOTED = re.compile(r"\A[^\"\n“”]*[\"“]([^\"\n“”]+)[\"”][^\"\n“”]*\Z")
_AFTER_COLON = re.compile(r"\A[^:\n]*:\s*(\S[^:\n]*?)\.?\Z")
_AFTER_VERB = re.compile(r"\A[^\n.!?]*\b(?:is|was|are|were) ([^\n.!?,;(]+?)[.!?]?\Z")
_PLACES_OF_ANSWERS: Mapping[str, Extract] = {
    "what follows 'the answer is'": "answer_is|all",
    "the last line": "last_line",
    "the first line": "first_line",
    "what is in the box, the tag or after hashes": "boxed|answer_tag|hashes|all",
    "what is bold in a single line": [[_BOLD_IN_LINE, "all"]],
    "what is quoted in a single line": [[_QUOTED, "all"]],
    "what follows the colon in a single line": [[_AFTER_COLON, "all"]],
    "what follows is, was, are or were in a single sentence": [[_AFTER_VERB, "all"]],
}
"""Where an answer may stand among other words, and the steps that take it out. All of other responses is the answer."""
_LEAST_HELPED = 0.05
"""Steps are named that take out the answer of at least this share of a group's rows."""


def take_out_answers(audited: Audited, flags: Flags) -> str:
    """Return the advice to use metrics that ignore the words around the answer, and steps that take the answer out.

    Metrics and steps are named only if there are some that work, and no metrics where golds are in answers by chance.
    """
    free = [name for name, metric in METRICS.items() if metric.ignores_length and metric.is_in(audited.plan.convention)]
    seeing = _spell_metrics(audited, flags, free[:_FREE_NAMED])
    advice = f"score by {seeing}, which also gives points to lists of guesses and denials: read ten of these rows"
    if audited.fit.is_by_chance:
        advice = "golds such as yes, no or A are inside answers by chance: take out the answer first"
    elif not seeing:
        advice = "check these rows by hand"
    return "; ".join([advice, *_name_helping_steps(audited, flags)])


_FREE_NAMED = 3


def _name_helping_steps(audited: Audited, flags: Flags) -> list[str]:
    """Return for each group a sentence on the steps that make em 1 in the largest share of its flagged rows.

    There is none for a group of which no steps help `_LEAST_HELPED`. Steps that lower the score of any other row, or
    those of the flagged rows in sum, are left out. Equal sentences stand once.
    """
    codes = audited.groups.codes
    names = [f" of {label!r}" * (audited.by is not None) for label in audited.groups.labels.tolist()]
    helped: dict[int, tuple[float, str]] = {}
    for what, steps in _PLACES_OF_ANSWERS.items():
        added = (*audited.plan.rules.extract, *make_steps(steps))
        trial = audited.trials.of(flags, metrics=["em"], extract=added, others=False)
        if trial is None or not trial.before:
            continue
        of_group = codes[trial.places]
        n, n_right = np.bincount(of_group), np.bincount(of_group, trial.are_made_right("em"))
        shares = n_right / np.maximum(n, 1)
        helps = np.flatnonzero(shares >= _LEAST_HELPED).tolist()
        better = [code for code in helps if shares[code] > helped.get(code, (0,))[0]]
        if better and _lowers_nothing(audited.trials.of(flags, extract=added)):
            gain = f"extract={spell_steps(added)} takes {what}: em becomes 1 in {{}} of {{}} rows tried{{}}"
            helped |= {c: (shares[c], gain.format(int(n_right[c]), n[c], names[c])) for c in better}
    return list(dict.fromkeys(gain for _, gain in helped.values()))


def _lowers_nothing(trial: Trial | None) -> bool:
    """Return whether a trial was made and lowers no other row, nor the flagged rows in sum."""
    return trial is not None and not trial.lowers_others and not trial.lowers_rows


def treat_marks_alike(audited: Audited, flags: Flags) -> str:
    """Return the advice to add those of `MARK_STEPS` without which fewer of these rows would be right.

    If there are none, or they lower other rows, it is the advice to check these rows by hand.
    """
    convention = audited.plan.convention
    metric = next(name for name in ("em", "f1", *audited.plan.metrics) if METRICS[name].is_in(convention))

    def n_right(steps: Sequence[str]) -> int:
        """Return how many of the flagged rows become right by these steps."""
        trial = audited.trials.of(flags, metrics=[metric], convention=convention.with_steps(*steps), others=False)
        return 0 if trial is None else int(np.count_nonzero(trial.are_made_right(metric)))

    steps = [*MARK_STEPS]
    n_most = n_right(steps)
    for step in MARK_STEPS:
        fewer = [other for other in steps if other != step]
        if fewer and n_right(fewer) == n_most:
            steps = fewer
    of_answers = [name for name in audited.plan.metrics if METRICS[name].family in ANSWERING] or None
    trial = audited.trials.of(flags, metrics=of_answers, convention=convention.with_steps(*steps))
    if not n_most or not _lowers_nothing(trial):
        return "check these rows by hand; steps that make these marks alike were tried and lower the scores of others"
    own = f"qa_frame.conventions[{convention.name!r}]" if conventions.lists(convention) else "convention"
    return f"make these marks alike: convention={own}.with_steps({', '.join(map(repr, steps))})"


def leave_out_contains(audited: Audited, flags: Flags) -> str:
    """Return the advice to leave out `contains`, with the metrics that are left."""
    left = [name for name in audited.plan.metrics if name != "contains"] or ["em"]
    rest = _spell_metrics(audited, flags, left, everywhere=True) or f"metrics={left}"
    return f"a gold is found inside longer words or numbers; leave contains out: {rest}"


def spell_new_golds(source: Source, gold: Any, made: str) -> str:
    """Return the statement that puts a new gold column in the place of the old one. made: the code of the new one."""
    forms = {
        "pandas": f"data[{gold!r}] = {made}",
        "polars": f"data = data.with_columns({made})",
        "arrow": f"data = data.set_column({source.names.index(gold)}, {gold!r}, {made})",
    }
    return forms[kind_of(source)]


def read_lists(audited: Audited, _: Flags) -> str:
    """Return the advice to read golds that were written out as lists."""
    column = f"data[{audited.gold!r}]"
    if pa.types.is_large_list(audited.columns.golds.type):
        column = f"qa_frame.to_text({column})"
    made = spell_new_golds(audited.source, audited.gold, f"qa_frame.to_golds({column})")
    return f"read the lists first, and join what is read where each is one answer: {made}"


def cut_golds(audited: Audited, flags: Flags) -> str:
    """Return the advice to cut golds at their separator, if no other row changes and these rows have no lower scores.

    Otherwise it is the advice to look at these golds.
    """
    sep = separator(audited)
    objection = _find_objection(audited, flags, may_lower=False, sep=sep.strip())
    if objection:
        return f"look at these golds: cutting them at {sep.strip()!r} was tried and {objection}; each may be one answer"
    made = f"qa_frame.to_golds(data[{audited.gold!r}], sep={sep.strip()!r})"
    return f"cut them first: {spell_new_golds(audited.source, audited.gold, made)}"


def drop_repeats(audited: Audited, _: Flags) -> str:
    """Return the advice to keep the first of rows that repeat a question of a group."""
    keys = [*list_keys(audited.question), *list_keys(audited.by)]
    samples = "samples of one question go together in summary(question=); of copies keep the first: data = "
    forms = {
        "pandas": f"data.drop_duplicates({keys!r})",
        "polars": f"data.unique({keys!r}, keep='first', maintain_order=True)",
        "arrow": f"pyarrow.Table.from_pandas(data.to_pandas().drop_duplicates({keys!r}))",
    }
    return samples + forms[kind_of(audited.source)]


def separator(audited: Audited) -> str:
    """Return the separator that the golds of the most rows have; of equally frequent ones the first of `SEPARATORS`."""
    n_rows = {sep: np.count_nonzero(audited.flags[f"joined_golds:{sep}"]) for sep in SEPARATORS}
    return max(n_rows, key=lambda sep: n_rows[sep])
