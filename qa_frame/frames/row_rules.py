"""What a scored frame says of each row: by which rules it has its scores, and its flags. Only columns survive.

`pandas.concat` drops the notes of frames that differ, Arrow keeps those of the first, polars has none. Both columns are
categories, a byte per row in pandas and Arrow.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from qa_frame._typing import Flags
from qa_frame.errors import UnknownOptionError
from qa_frame.frames.arrow_types import column_to_pandas
from qa_frame.frames.names import score_label
from qa_frame.frames.scoring_metadata import own_scores, signatures

RULES_LABEL, FLAGS_LABEL = "qa_rules", "qa_flags"
"""The columns of the rules and of the flags, which the prefix of the scores stands before, too."""

_ONE_RULE = re.compile(r".+ [0-9a-f]{8}")
"""What `_name_rule` makes: the value of a row whose scores were all made by one rule. Other values are JSON."""


def make_column_of_rules(
    frame: Any, notes: Mapping[str, Any], new: Collection[str], label: str, kept: Collection[str]
) -> pd.Categorical | pa.DictionaryArray:
    """Return the column of rules for a frame: for each row, the rules by which its scores were made.

    It is a categorical for a pandas frame, a dictionary for an Arrow table.

    Parameters
    ----------
    frame
        The frame whose rows are scored.
    notes
        The notes of the frame, in which the score columns `new` have just been noted.
    new
        The score columns that were just made.
    label
        The name of the column of rules.
    kept
        The other score columns of the same prefix that the frame has.
    """
    rules, own = name_rules(notes), own_scores(notes)
    before = _find_column(frame, label) if kept else None
    if before is None or not len(before):
        codes, kinds = np.zeros(len(frame), np.int64), [{name: rules[name] for name in kept if name in rules}]
    else:
        codes, values = pd.factorize(before, use_na_sentinel=False)
        kinds = [_rules_of_text(text, kept) for text in values]
    made = {name: rules[name] for name in new if name in rules}
    of_kinds = [kind | made for kind in kinds]
    written = [_as_text(each, is_known=each.keys() >= {*kept} and not own.keys() & each.keys()) for each in of_kinds]
    distinct = tuple(dict.fromkeys(written))
    places = np.array([distinct.index(text) for text in written], np.int8 if len(distinct) < 128 else np.int32)
    return as_column(frame, places[codes], distinct)


def require_one_scoring(frame: Any, names: Iterable[str], of: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the rules by which each score column was made. The keys are the names of the score columns.

    The frame's column of rules says this for every row. Raises UnknownOptionError if two rows differ in the rules of a
    score, or if the rules are not those in `of`. A score that has no rules in the frame is left out.

    Parameters
    ----------
    frame
        A pandas frame or an Arrow table, with or without a column of rules.
    of
        The rules that are expected, by the name of the score column.
    """
    rule_of: dict[str, str] = {}
    for label, of_label in _names_by_rules_label(frame, names).items():
        column = _find_column(frame, label)
        kinds = [] if column is None else [_rules_of_text(kind, of_label) for kind in _distinct_values(column)]
        for name in of_label:
            rules = [*dict.fromkeys(kind[name] for kind in kinds if name in kind)]
            expected = (of or {}).get(name)
            if len(rules) > 1:
                finding = f"the column {label!r} says that rows have {name!r} by different rules: {', '.join(rules)}"
                remedy = "score all rows in one call, keep the rows of one value of that column, or name it in by="
                raise UnknownOptionError.of("", finding, remedy)
            if rules and expected not in {None, rules[0]}:
                rules_differ = f"{name!r} was made by {rules[0]}, and not by {expected} as in scored"
                finding = f"the column {label!r} says that {rules_differ}"
                raise UnknownOptionError.of("", finding, "give the frame that these rows are from")
            if rules:
                rule_of[name] = rules[0]
    return rule_of


def _names_by_rules_label(frame: Any, names: Iterable[str]) -> dict[str, list[str]]:
    """Return the score columns `names` by the column of rules that speaks of them.

    That is the one with the longest prefix with which the score's name begins. A score without one is left out.
    """
    columns = frame.column_names if isinstance(frame, pa.Table) else frame.columns
    known = [each[0] if isinstance(each, tuple) else each for each in columns]
    labels = sorted(
        (each for each in known if isinstance(each, str) and each.endswith(RULES_LABEL)), key=len, reverse=True
    )
    by_label: dict[str, list[str]] = {}
    for name in names:
        label = next((each for each in labels if name.startswith(each.removesuffix(RULES_LABEL))), None)
        if label is not None:
            by_label.setdefault(label, []).append(name)
    return by_label


def lack_rules(frame: Any, label: str) -> Flags | None:
    """Return which rows have null in the column of rules `label`, shape (rows,).

    None where all rows have null there, where none has, and where there is no such column.
    """
    column = _find_column(frame, label)
    is_null = None if column is None else _as_category(column).codes < 0
    return None if is_null is None or is_null.all() or not is_null.any() else is_null


def read_flags(frame: Any, label: str, names: Sequence[str]) -> dict[str, Flags]:
    """Return by flag whether each row has it, shape (rows,). It is empty where the frame has no column of flags.

    label: the column of flags. names: the flags to look for.
    """
    column = _find_column(frame, label)
    if column is None:
        return {}
    category = _as_category(column)
    words, codes = [str(kind).split() for kind in category.categories], category.codes.astype(np.int64)
    return {name: np.array([*(name in each for each in words), False])[codes] for name in names}


def name_rules(notes: Mapping[str, Any]) -> dict[str, str]:
    """Return the name of the rules of each noted score column: the convention, and a digest of its signature."""
    own = own_scores(notes)
    return {name: _name_rule(signature, is_own=name in own) for name, signature in signatures(notes).items()}


@functools.lru_cache(maxsize=64)
def _name_rule(signature: str, *, is_own: bool) -> str:
    """Return the name of the rules that a signature describes. is_own: whether the metric's part of it counts, too."""
    of_all = signature if is_own else signature.partition("|metric:")[0]
    convention = of_all.partition("|")[0].removeprefix("convention:")
    return f"{convention} {hashlib.blake2b(of_all.encode(), digest_size=4).hexdigest()}"


def _as_text(rules: Mapping[str, str], *, is_known: bool) -> str:
    """Return a row's value in the column of rules: its only rule, or else JSON of score columns by rule.

    rules: by score column. is_known: whether `rules` has all scores of the prefix, and none was made by a function.
    """
    names: dict[str, list[str]] = {}
    for name, rule in sorted(rules.items()):
        names.setdefault(rule, []).append(name)
    return next(iter(names)) if is_known and len(names) == 1 else json.dumps(names, ensure_ascii=False)


def _rules_of_text(text: Any, names: Collection[str]) -> dict[str, str]:
    """Return the rules by score column that a row's value in the column of rules stands for; empty for other values.

    names: the score columns of the prefix.
    """
    if isinstance(text, str) and _ONE_RULE.fullmatch(text):
        return dict.fromkeys(names, text)
    try:
        return {name: rule for rule, of_rule in json.loads(text).items() for name in of_rule}
    except (AttributeError, TypeError, ValueError):
        return {}


def _distinct_values(column: pd.Series[Any]) -> list[Any]:
    """Return the distinct values of a column, without null. They are read from the categories, which is fast."""
    return list(_as_category(column).remove_unused_categories().categories)


def _as_category(column: pd.Series[Any]) -> pd.Categorical:
    """Return a column as a categorical: as it is, or with its values as categories in the order of rows."""
    values = column.array
    return values if isinstance(values, pd.Categorical) else pd.Categorical(column, column.dropna().unique())


def _find_column(frame: Any, name: str) -> pd.Series[Any] | None:
    """Return a column of a frame as a pandas Series; None unless exactly one column has this name."""
    if isinstance(frame, pa.Table):
        return column_to_pandas(frame[name]) if frame.column_names.count(name) == 1 else None
    label = score_label(name, frame.columns)
    column = frame[label] if label in frame.columns else None
    return column if isinstance(column, pd.Series) else None


def as_column(frame: Any, codes: NDArray[Any], values: tuple[str, ...]) -> pd.Categorical | pa.DictionaryArray:
    """Return a categorical for a pandas frame, or a dictionary for an Arrow table, with these values.

    frame: the frame that the column is for. codes: the place in `values` of each row's value.
    """
    if isinstance(frame, pa.Table):
        return pa.DictionaryArray.from_arrays(codes, [*values])
    return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype([*values]))
