"""What a frame holds that nobody has scored: which column is what, and the calls that this allows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame.checks import is_unicode
from qa_frame.errors import UnknownOptionError, show
from qa_frame.ext.audit.finders import looks_like_a_list
from qa_frame.ext.audit.remedies import spell_new_golds
from qa_frame.ext.audit.results import DESCRIBED
from qa_frame.ext.style.style import printed_whole
from qa_frame.frames.diagnosis import is_null
from qa_frame.frames.names import ROLES, require_column
from qa_frame.frames.scoring_metadata import describe_table
from qa_frame.frames.source import Source
from qa_frame.tables.likely_columns import NEVER, QUESTION_WORDS, LikelyColumns, find_likely_columns, last_of, words_of

_LOOKED_AT = 100
"""So many rows tell what a column holds."""
_WHAT = {"response": "prediction", "answers": "gold", "human": "verdict of people"}
_CALLS = {
    "response": "scored = qa_frame.score(data, {answers})",
    "answers": "qa_frame.audit(data, {answers})",
    "question_id": "qa_frame.compare(scored, by={model}, question={question_id})",
    "question": "qa_frame.compare(scored, by={model}, question={question})",
    "model": "qa_frame.summary(scored, by={model}, ci=0.95)",
    "dataset": "qa_frame.summary(scored, by={model}, macro={dataset})",
    "choices": "qa_frame.score(data, {answers}, extract='choice', choices={choices})",
    "contexts": "qa_frame.RowMetric('judge', your_function, columns=[{question}, {contexts}])",
    "human": "qa_frame.agreement(scored, human={human})",
    "confidence": "qa_frame.risk_coverage(scored, confidence={confidence})",
    "finish_reason": "qa_frame.summary(scored, by={model})  # its n_truncated",
    "score": "qa_frame.infer_convention(data, {answers}, score={score})",
}
"""What can be called where a frame has a column of this role, with the names of others."""

_NOT_THERE: tuple[str | None, str] = (None, "no column has a usual name of it")


def describe_columns(source: Source) -> pd.DataFrame:
    """Return a table of `DESCRIBED` with a row for each role that a column of the frame is likely to have.

    Predictions and golds have a row in any case. UnknownOptionError where no column looks like either.
    """
    likely = find_likely_columns(source)
    roles = likely.names | _find_other_columns(source.names, likely)
    if not {"response", "answers"} & {*roles, *likely.uncertain_roles}:
        raise UnknownOptionError(
            f"no column looks like predictions or golds, of {source.names}; name them, as in "
            "qa_frame.audit(data, pred=..., gold=...)"
        )
    roles.update(("score", name) for name in reversed(source.number_names) if name.startswith("harness_"))
    for name in roles.values():
        require_column(name, source.names, "data")
    spelled = {role: repr(roles.get(role, ...)).replace("Ellipsis", "...") for role in (*ROLES, "score")}
    spelled["answers"] = f"pred={spelled['response']}, gold={spelled['answers']}"
    described = dict.fromkeys(("response", "answers"), _NOT_THERE)
    described |= {role: (str(name), _describe_values(source, name)) for role, name in roles.items()}
    described |= {role: (None, f"in doubt: {reason}") for role, reason in likely.uncertain_roles.items()}
    rows = {
        role: (_WHAT.get(role, role.replace("_", " ")), *described[role], call.format_map(spelled))
        for role, call in _CALLS.items()
        if role in described
    }
    gold = roles.get("answers")
    if gold is not None and _are_written_lists(_first_values(source, gold)):
        rows = {"answers": rows["answers"], **rows}  # first, as the calls of all others need it
        rows["answers"] = (*rows["answers"][:-1], spell_new_golds(source, gold, f"qa_frame.to_golds(data[{gold!r}])"))
    table = printed_whole(pd.DataFrame([*rows.values()], columns=DESCRIBED))
    table.attrs |= describe_table("described_columns", keys=["what"], estimates=["call"], metrics={})
    return table


def _find_other_columns(names: Sequence[Hashable], likely: LikelyColumns) -> dict[str, Hashable]:
    """Return the likely column of each role but predictions and golds, by the usual names of a role.

    The column of questions may also have a word such as "question" in its name. likely: the roles that are known
    already, whose columns are left out.
    """
    left = {last_of(name): name for name in reversed(names) if name not in likely.names.values()}
    others = {role: [name.lower() for name in ROLES[role] if name.lower() in left] for role in ROLES}
    last_words = [last for last, name in left.items() if words_of(name) & QUESTION_WORDS and not words_of(name) & NEVER]
    others["question"] += reversed(last_words)
    return {role: left[usual[0]] for role, usual in others.items() if usual and role not in {"response", "answers"}}


_KINDS = {Mapping: "dicts", str: "texts", bool: "truth values", Number: "numbers", object: "other values"}


def _first_values(source: Source, name: Hashable) -> list[Any]:
    """Return the first `_LOOKED_AT` values of a column as values of Python, without nulls."""
    column: Any = source.columns[name]
    first = column.iloc[:_LOOKED_AT] if isinstance(column, pd.Series) else column.slice(0, _LOOKED_AT).to_pylist()
    return [value.item() if isinstance(value, np.generic) else value for value in first if not is_null(value)]


def _are_written_lists(values: list[Any]) -> bool:
    """Whether most values are lists that were written out as text."""
    texts = pa.array([value for value in values if isinstance(value, str) and is_unicode(value)], pa.large_string())
    return 2 * (pc.sum(looks_like_a_list(texts)).as_py() or 0) > len(values)


def _describe_values(source: Source, name: Hashable) -> str:
    """Say what the first values of a column are, with an example; "nulls" where all of them are null."""
    values = _first_values(source, name)
    if not values:
        return "nulls"
    lengths = [len(value) for value in values if isinstance(value, list | tuple | np.ndarray)]
    if lengths:
        what = f"lists of {min(lengths)}" + f" to {max(lengths)}" * (min(lengths) < max(lengths))
    else:
        what = next(word for kind, word in _KINDS.items() if isinstance(values[0], kind))
    return f"{what}, such as {show(values[0]):.60}"
